"""Whether draws hang on the generator that was given, and on nothing else."""

from typing import Any


def badly_seeded(got: Any, drawn: str) -> str:
    """What is wrong with draws that `chance.by_seed` has looked at; empty if nothing is.

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
