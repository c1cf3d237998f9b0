"""How each exercise of this chapter is used."""

from typing import Any

from autograder.draw import Draw
from autograder.in_use import Use, in_use

_LARGE = 2**24 + 1
"""An id that float32 cannot hold."""


@in_use("one_hot", gradients=False, dtypes=False, devices=False)
def one_hot(one_hot, draw: Draw) -> Use:
    """A batch of sentences in which words come again, then a single word of a larger vocabulary."""
    return Use(one_hot, (draw.integers(0, 11, 4, 21), 11), (draw.integers(0, 40), 40))


@in_use("pad_batch", gradients=False, dtypes=False, devices=False)
def pad_batch(pad_batch, draw: Draw) -> Use:
    """Sentences of mixed lengths, one of them empty and one twice, then two others; pad is above or below the ids."""

    def sentences(*lengths: int) -> list[Any]:
        return [draw.integers(1, 30, length).tolist() for length in lengths]

    batch = sentences(9, 0, 21, 1, 14)
    return Use(pad_batch, ([*batch, list(batch[0])], 30), ([*sentences(70), [_LARGE, 3]], 0))
