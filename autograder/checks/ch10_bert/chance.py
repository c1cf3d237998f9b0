"""Whether draws depend on the generator that was given, and on nothing else."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from autograder.asking.draw import Draw


def by_seed(calls: Callable[[int], list[Any]], draw: Draw) -> tuple[dict[str, bool], list[Any]]:
    """How what several calls give hangs on the seed of their one generator, and what they gave.

    Args:
        calls: Makes a generator of the seed and calls several times; what comes back can be compared with ==.
        draw: Where the seeds come from.
    """
    seed, other = draw.integers(0, 2**62, 2).tolist()
    before = _shared()
    first, again, another = calls(seed), calls(seed), calls(other)
    found = {
        "the same seed gives the same": first == again,
        "another seed gives another": first != another,
        "a generator goes on from call to call": first != first[:1] * len(first),
        "what all share is left alone": before == _shared(),
    }
    return found, first


def badly_seeded(got: Any, drawn: str) -> str:
    """What is wrong with draws that `by_seed` has looked at; empty if nothing is.

    Args:
        got: What it found.
        drawn: What is drawn, in the plural.
    """
    if not got["what all share is left alone"]:
        return "a draw was made from a global random state, or its seed was set; expected the given generator"
    if not got["the same seed gives the same"]:
        return f"two generators with the same seed gave different {drawn}: some draw is not made with the generator"
    if not got["a generator goes on from call to call"]:
        return f"one generator gave the same {drawn} at every call: it is reset each time, expected it to continue"
    if not got["another seed gives another"]:
        return f"generators with different seeds gave the same {drawn}"
    return ""


def _shared() -> list[Any]:
    """The state of the random numbers that all of a program shares: torch's, Python's and NumPy's."""
    numpy = np.random.get_state(legacy=False)["state"]
    return [torch.default_generator.get_state().tolist(), random.getstate(), numpy["key"].tolist(), numpy["pos"]]
