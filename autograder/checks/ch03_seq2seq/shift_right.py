"""The checks of `shift_right`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check

EXERCISE = Exercise("shift_right", "what the decoder reads in training", minutes=5, difficulty=1)


_LARGE = 2**24
"""Half of the numbers behind it no float32 can hold."""


@in_use(gradients=False, dtypes=False, new=True)
def in_chapter(shift_right, draw: Draw) -> Use:
    """Padded sentences in which words come again, then one of words whose numbers no float32 can hold; what stands at padding is left open."""

    def call(target: Tensor, lengths: Tensor, bos: int) -> list[Tensor]:
        inputs: Tensor = shift_right(target, bos)
        real = (torch.arange(target.shape[1]) < lengths.cpu().unsqueeze(1)).to(inputs.device)
        return [inputs[:, :1], inputs * real]

    lengths = torch.tensor([9, 21, 1, 14])
    words = draw.integers(1, 13, 4, 21) * (torch.arange(21) < lengths.unsqueeze(1))
    return Use(call, (words, lengths, 2), (draw.integers(0, 40, 1, 3) + _LARGE, torch.tensor([3]), 0))


_BATCH, _LENGTH = 3, 6


_WORDS = (3, 50)


def _target(draw: Draw, batch: int = _BATCH, length: int = _LENGTH) -> tuple[Tensor, Tensor, int]:
    """Words with padding of 0 behind them, where they are real, and a mark of the beginning that is none of them."""
    mask = draw.padding_mask(batch, length)
    return draw.integers(*_WORDS, batch, length) * mask, mask, int(draw.integers(_WORDS[1], 5000))


def _real(inputs: Any, mask: Tensor) -> Any:
    """The input words where the target is real, and 0 elsewhere; another kind of result as it is."""
    same = isinstance(inputs, Tensor) and inputs.shape == mask.shape
    return inputs.masked_fill(~mask, 0) if same else inputs


def _look_at(inputs: Any) -> None:
    """Whether it is a tensor of as many places as the target, or of one less: then the words alone can be looked at."""
    wanted = f"expected an int64 tensor of shape ({_BATCH}, {_LENGTH}), as the target is"
    if not isinstance(inputs, Tensor):
        raise MisuseError(f"what it returned is {kind_of(inputs)}, {wanted}")
    if inputs.shape == (_BATCH, _LENGTH + 1):
        raise MisuseError(
            f"the result has {_LENGTH + 1} positions, the target {_LENGTH}: with bos in front, the last word has to be dropped"
        )
    if inputs.shape not in ((_BATCH, _LENGTH), (_BATCH, _LENGTH - 1)):
        raise MisuseError(f"what it returned is {kind_of(inputs)}, {wanted}")


@check(
    "each position but the first holds the previous word",
    points=1,
    hint="Write it down for one target of three words: the decoder writes y_1, y_2, y_3, and before it writes y_2 it has read y_1. "
    "As many words are read as are written.",
)
def behind_the_first(shift_right, draw: Draw):
    """The input words from the second place on; of a result that is one place too short, all."""
    target, mask, bos = _target(draw)
    inputs = shift_right(target, bos)
    _look_at(inputs)
    places = inputs.shape[1]
    return {"input words": _real(inputs[:, places - _LENGTH + 1 :], mask[:, 1:])}


@check(
    "the first position holds bos",
    points=1,
    needs=behind_the_first,
    hint="Before the decoder writes the first word, it reads the start mark, in every sentence. Its id is given "
    "as an argument.",
)
def in_front(shift_right, draw: Draw):
    """The first input word of each sentence, and the only one of sentences of one word."""
    target, _, bos = _target(draw)
    inputs = shift_right(target, bos)
    _look_at(inputs)
    if inputs.shape[1] < _LENGTH:
        raise MisuseError(
            f"the result has {inputs.shape[1]} positions, expected {_LENGTH}, as many as the target: where is bos?"
        )
    return {"first input words": inputs[:, 0], "inputs for sentences of one word": shift_right(target[:, :1], bos)}


@in_front.explain
def another_mark(got, want):
    """What each sentence begins with, if it is the same in all."""
    first, bos = got["first input words"], int(want["first input words"][0])
    if (first == first[0]).all() and first[0] != bos:
        return f"each sentence begins with {int(first[0])}, expected bos, which is {bos} here"
    return None


@check(
    "the result has the target's dtype",
    points=1,
    hidden=True,
    needs=(behind_the_first, in_front),
    hint="A new tensor of integers is int64 by default. torch.full_like(other, value) creates a tensor with the shape and dtype of "
    "another; new_full also takes its dtype.",
)
def other_dtype(shift_right, draw: Draw):
    """A target of shorter whole numbers."""
    target, mask, bos = _target(draw)
    return {"int32": _real(shift_right(target.int(), bos), mask)}


@check(
    "the target is not changed",
    points=1,
    needs=(behind_the_first, in_front),
    arguments=True,
    hint="The loss needs the target afterwards. An assignment such as target[:, 0] = ... changes the caller's "
    "tensor; create a new one.",
)
def arguments(shift_right, draw: Draw):
    """The words of one sentence cut out of a batch, and the batch as it is after the call."""
    batch, mask, bos = _target(draw, _BATCH, _LENGTH + 2)
    cut = slice(0, 1), slice(0, _LENGTH)
    return {"input words": _real(shift_right(batch[cut], bos), mask[cut]), "target": batch}
