"""What the checks of both filters say of logits of which some were removed."""

from typing import Any

import torch
from torch import Tensor

from autograder.judging.compare import is_close

GONE = float("-inf")


def with_those_left(found: list[Any]) -> list[Any]:
    """The logits that came back of each call, and once more those of the first that stay: from these alone a gradient is asked for."""
    first = found[0]
    left = torch.where(first > GONE, first, 0) if isinstance(first, Tensor) else first
    return [*(each.detach() if isinstance(each, Tensor) else each for each in found), left]


def misuse(got, want):
    """What is wrong with how words are removed or kept, whichever they are."""
    mine, right, given = got["logits"], want["logits"], want["given"]
    gone = right == GONE
    if ((mine == 0) | (mine == 1)).all():
        return "only zeros and ones came back, as in a mask; expected the logits, with minus infinity for removed words"
    if mine.isnan().any():
        return (
            "NaN was returned: minus infinity times 0 is NaN, as is minus infinity minus minus infinity; masked_fill "
            "and torch.where insert it without arithmetic"
        )
    if is_close(mine, given):
        return (
            "no word is removed. If you move a mask by one place within itself, as mask[..., 1:] = mask[..., :-1] does, clone the "
            "right-hand side: it is overwritten while it is read"
        )
    if ((mine == GONE) == ~gone).all():
        return "the words that have to stay are removed, and the others stay: expected the opposite"
    if is_close(mine[~gone], right[~gone]) and mine[gone].isfinite().all():
        told = "0" if (mine[gone] == 0).all() else f"{mine[gone].max().item():.3g}"
        return f"the logits of removed words are {told}, expected minus infinity, for which the softmax is 0"
    if is_close(mine.sort(dim=-1).values, right.sort(dim=-1).values):
        return "the right logits stay, but in the wrong places: are they still in sorted order?"
    return None


def which(got, want):
    """Where a word is removed that stays, or one stays that is removed."""
    mine, right = got["logits"], want["logits"]
    for wrong, told in (
        ((mine > GONE) & (right == GONE), "stays, expected minus infinity"),
        ((mine == GONE) & (right > GONE), "is removed, expected to stay"),
    ):
        if wrong.any():
            at = tuple(wrong.nonzero()[0].tolist())
            number = torch.maximum(mine, right)[at]
            return f"{int(wrong.sum())} of {mine.numel()} words are kept or removed wrongly: at {at}, the logit {number:.3g} {told}"
    return None
