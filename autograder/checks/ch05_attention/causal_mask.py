"""The checks of `causal_mask`."""

from copy import deepcopy
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.checks.ch05_attention.squares import beside_diagonal
from autograder.declare import Exercise, check
from autograder.judging.compare import is_close

EXERCISE = Exercise("causal_mask", "each position may attend to itself and those before it", minutes=10, difficulty=1)


@in_use(gradients=False, dtypes=False, devices=False, new=True)
def in_chapter(causal_mask, draw: Draw) -> Use:
    """Some rows of the mask of a sentence, then of a document."""

    def call(length: int, rows: list[int]) -> Tensor:
        return causal_mask(length)[..., rows, :]

    return Use(call, (21, draw.integers(0, 21, 9).tolist()), (1030, [*draw.integers(0, 1030, 8).tolist(), 1029]))


def seen(mask: Any, draw: Draw, length: int) -> dict[str, Any]:
    """The mask, and what is seen through it of scores that are drawn; where it is no mask, all of them."""
    scores = draw.normal(length, length)
    fits = isinstance(mask, Tensor) and mask.numel() == scores.numel()
    return {"mask": mask, "scores": scores * mask.bool().reshape(scores.shape) if fits else scores}


def past(answer):
    """What a mask says beside its diagonal, which has a check of its own."""
    return {name: beside_diagonal(answer[name]) for name in ("mask", "scores")}


def _past_of_each(answer):
    """The same of several masks."""
    return {"masks": list(map(past, answer["masks"]))}


def _past_on_device(answer):
    """The same of masks, with whether their device was named."""
    return {name: {"device was named": of_one["device was named"], **past(of_one)} for name, of_one in answer.items()}


@check(
    "each position may attend to all positions before it and to none after it",
    reads=past,
    points=1,
    hint="Write down the mask for three positions by hand: a row for each position t that attends, a column for each "
    "position i, and True where t may attend to i. The mask is a bool tensor (T, T), the same for any batch.",
)
def one_length(causal_mask, draw: Draw):
    """Five positions: each sees what is before it."""
    return seen(causal_mask(5), draw, 5)


@one_length.explain
def beside_the_diagonal(got, want):
    """Who may attend to whom."""
    mask, right = beside_diagonal(got["mask"]), beside_diagonal(want["mask"])
    if not mask.any():
        return "no position may attend to those before it"
    if torch.equal(mask, right.T):
        return "the mask is True where i > t and False where i < t: each position may attend to those after it and to none before it"
    if torch.equal(mask, right):
        return None
    t, i = (mask != right).nonzero()[0].tolist()
    is_after = "comes after" if i > t else "comes before"
    return f"the mask is {bool(mask[t, i])} at t = {t}, i = {i}, where position {i} {is_after} position {t}"


@check(
    "each position may attend to itself",
    points=1,
    needs=one_length,
    hint="i ≤ t is true where i and t are equal. Look at the diagonal of your mask.",
)
def itself(causal_mask, draw: Draw):
    """Four positions: each sees itself."""
    return seen(causal_mask(4), draw, 4)


@itself.explain
def on_the_diagonal(got, want):
    """Who may attend to itself."""
    diagonal = got["mask"].diagonal()
    if not diagonal.any():
        return "the diagonal of the mask is False: no position may attend to itself"
    return None if diagonal.all() else f"position {(~diagonal).nonzero()[0].item()} may not attend to itself"


@check(
    "any length works, and each call returns a new mask",
    reads=_past_of_each,
    points=1,
    hidden=True,
    needs=one_length,
    hint="Take every size from length. A single position has a mask of shape (1, 1). And make a new mask at each "
    "call: if a caller changes a mask in place, the next call must not return the changed one.",
)
def lengths(causal_mask, draw: Draw):
    """One position alone and lengths that are drawn, each asked for again after the first mask was changed in place."""
    drawn, masks = [1, *draw.integers(2, 40, 3).tolist()], []
    for length in drawn:
        first = causal_mask(length)
        _flip(first)
        masks.append(seen(deepcopy(causal_mask(length)), draw, length))
        _flip(first)  # What the student's code remembers is as it was: a slip costs its points once.
    return {"lengths": drawn, "masks": masks}


@lengths.explain
def changed_before(got, want):
    """Which mask is wrong, each made after one of the same length was changed."""
    masks = zip(want["lengths"], got["masks"], want["masks"], strict=True)
    wrong = next(length for length, mine, right in masks if not is_close(past(mine), past(right)))
    return f"the mask of length {wrong} is wrong after an earlier mask of this length was changed in place"


def _flip(mask: Any) -> None:
    """Change it in place, as the caller may who owns it."""
    if isinstance(mask, Tensor):
        mask.logical_not_()


class _Elsewhere(TorchFunctionMode):
    """Has a device that this machine need not have: what is asked for there is made here, and that it was is noted.

    The name is that of torch's own device for shapes without numbers, where some operations import for seconds before they run.
    """

    NAME = "meta"

    def __init__(self) -> None:
        super().__init__()
        self.was_named = False

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the function with every mention of the device turned into the CPU."""
        here = {name: self._here(value) for name, value in (kwargs or {}).items()}
        return function(*map(self._here, args), **here)

    def _here(self, value: Any) -> Any:
        if not isinstance(value, (str, torch.device)) or str(value) != self.NAME:
            return value
        self.was_named = True
        return torch.device("cpu")


@check(
    "the mask is made on the given device",
    reads=_past_on_device,
    points=1,
    hidden=True,
    needs=(one_length, lengths),
    hint="torch's functions that make a tensor take device=...; pass on your argument, because scores on a GPU need "
    "their mask on the GPU.",
)
def device(causal_mask, draw: Draw):
    """A device that is named, as a string and as torch's object."""
    answers = {}
    for name, named in {"a string": _Elsewhere.NAME, "torch.device": torch.device(_Elsewhere.NAME)}.items():
        with _Elsewhere() as elsewhere:
            mask = causal_mask(4, named)
        answers[name] = {"device was named": elsewhere.was_named, **seen(mask, draw, 4)}
    return answers


@device.explain
def not_named(got, want):
    """Whether the device is passed on."""
    left = next((name for name in want if not got[name]["device was named"]), "")
    return f"the device was given as {left}, but it was not passed on to any torch function" if left else None
