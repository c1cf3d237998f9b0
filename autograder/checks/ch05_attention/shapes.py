"""What the probes of several exercises ask of the shape of scores."""

from typing import Any

from torch import Tensor

from autograder.asking.probing import MisuseError


def for_every_pair(scores: Any, *shape: int) -> Any:
    """The scores, unless a query was scored against the key of its own place alone.

    Args:
        scores: What a student's function returned for as many keys as queries.
        shape: (B, T, S), where T and S are equal.

    Raises:
        MisuseError: There is one score for each query.
    """
    batch, queries, keys = shape
    if isinstance(scores, Tensor) and tuple(scores.shape) in ((batch, queries), (batch, queries, 1), (batch, 1, keys)):
        raise MisuseError(
            f"the scores have shape {tuple(scores.shape)}: query t was scored against key t alone; expected {shape}, a "
            "score for every query with every key"
        )
    return scores
