"""What is asked of `shift_right`.

Its result is looked at where the target is real, since what the decoder reads behind the end of a sentence does not count.
"""

from typing import Any

from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.elsewhere import Elsewhere
from autograder.plain import kind_of
from autograder.probing import MisuseError

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


@probe("shift_right")
def behind_the_first(shift_right, draw: Draw):
    """The input words from the second place on; of a result that is one place too short, all."""
    target, mask, bos = _target(draw)
    inputs = shift_right(target.clone(), bos)
    _look_at(inputs)
    places = inputs.shape[1]
    words = _real(inputs[:, places - _LENGTH + 1 :], mask[:, 1:])
    return {"input words": words, "places": places, "target": target, "mask": mask}


@probe("shift_right")
def in_front(shift_right, draw: Draw):
    """The first input word of each sentence."""
    target, _, bos = _target(draw)
    inputs = shift_right(target.clone(), bos)
    _look_at(inputs)
    if inputs.shape[1] < _LENGTH:
        raise MisuseError(
            f"the result has {inputs.shape[1]} positions, expected {_LENGTH}, as many as the target: where is bos?"
        )
    return {"first input words": inputs[:, 0], "target": target, "bos": bos}


@probe("shift_right")
def same_kind(shift_right, draw: Draw):
    """A target of shorter whole numbers, and one on another device."""
    target, mask, bos = _target(draw)
    answers = {"int32": _real(shift_right(target.int(), bos), mask)}
    with Elsewhere() as elsewhere:
        there = shift_right(elsewhere.put(target), bos)
    return {**answers, "device": _real(there, mask), "is on the device": elsewhere.has(there)}


@probe("shift_right")
def arguments(shift_right, draw: Draw):
    """The words of one sentence cut out of a batch, and the batch as it is after the call."""
    batch, mask, bos = _target(draw, _BATCH, _LENGTH + 2)
    cut = slice(0, 1), slice(0, _LENGTH)
    return {"input words": _real(shift_right(batch[cut], bos), mask[cut]), "target": batch}
