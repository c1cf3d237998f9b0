"""What the judges of several exercises ask of numbers that went to the wrong dimension."""

from itertools import permutations

from torch import Tensor

from autograder.compare import is_close


def changed_places(got: Tensor, want: Tensor, names: tuple[str, ...]) -> str:
    """Which order of the dimensions came back; empty where it is none of the tensor that was wanted.

    Args:
        got: What came back, of the same shape.
        want: What was wanted; all dimensions that may change places are of one size.
        names: The names of its dimensions.
    """
    for order in permutations(range(want.dim())):
        if [want.shape[i] for i in order] == list(want.shape) and is_close(got, want.permute(order)):
            came, expected = (", ".join(names[i] for i in o) for o in (order, range(want.dim())))
            return f"the dimensions came back in the order ({came}), expected ({expected})"
    return ""
