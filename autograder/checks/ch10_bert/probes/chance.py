"""What the probes of this chapter have to know of chance."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from autograder.draw import Draw


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


def _shared() -> list[Any]:
    """The state of the random numbers that all of a program shares: torch's, Python's and NumPy's."""
    numpy = np.random.get_state(legacy=False)["state"]
    return [torch.default_generator.get_state().tolist(), random.getstate(), numpy["key"].tolist(), numpy["pos"]]
