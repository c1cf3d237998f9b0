"""What the judges of both filters say of logits of which some were removed."""

from typing import Any

from torch import Tensor

from autograder.compare import close, difference, is_close
from autograder.verdict import Verdict, failed

GONE = float("-inf")


def misuse(mine: Tensor, right: Tensor, given: Tensor) -> Verdict | None:
    """What is wrong with how words are removed or kept, whichever they are; None where nothing is known."""
    if ((mine == 0) | (mine == 1)).all():
        return failed(
            "only zeros and ones came back, as in a mask; expected the logits, with minus infinity for removed words"
        )
    if mine.isnan().any():
        return failed(
            "NaN was returned: minus infinity times 0 is NaN, as is minus infinity minus minus infinity; masked_fill "
            "and torch.where insert it without arithmetic"
        )
    gone = right == GONE
    if is_close(mine, given):
        return failed(
            "no word is removed. If you move a mask by one place within itself, as mask[..., 1:] = mask[..., :-1] does, clone the "
            "right-hand side: it is overwritten while it is read"
        )
    if ((mine == GONE) == ~gone).all():
        return failed("the words that have to stay are removed, and the others stay: expected the opposite")
    if is_close(mine[~gone], right[~gone]) and mine[gone].isfinite().all():
        told = "0" if (mine[gone] == 0).all() else f"{mine[gone].max().item():.3g}"
        return failed(f"the logits of removed words are {told}, expected minus infinity, for which the softmax is 0")
    shares = given.softmax(dim=-1)
    if any(
        is_close(mine, wrong) for wrong in (right.softmax(dim=-1), *(shares.masked_fill(gone, x) for x in (GONE, 0.0)))
    ):
        return failed("probabilities were returned, expected logits")
    moved = mine - right
    if ((mine == GONE) == gone).all() and is_close(moved[~gone], _first_kept(moved, gone)[~gone]):
        return failed(
            "one number is subtracted from all logits of a row, as log_softmax does; expected the logits as they were"
        )
    if is_close(mine.sort(dim=-1).values, right.sort(dim=-1).values):
        return failed("the right logits stay, but in the wrong places: are they still in sorted order?")
    return None


def _first_kept(moved: Tensor, gone: Tensor) -> Tensor:
    """The number at the first kept word of each row, in all its places."""
    return moved.gather(-1, (~gone).long().argmax(dim=-1, keepdim=True)).expand_as(moved)


def which(mine: Tensor, right: Tensor) -> Verdict:
    """Where a word is removed that stays, or one stays that is removed, or is another number."""
    for wrong, told in (
        ((mine > GONE) & (right == GONE), "stays, expected minus infinity"),
        ((mine == GONE) & (right > GONE), "is removed, expected to stay"),
    ):
        if wrong.any():
            at = tuple(wrong.nonzero()[0].tolist())
            number = mine[at] if mine[at] > GONE else right[at]
            return failed(
                f"{int(wrong.sum())} of {mine.numel()} words are kept or removed wrongly: at {at}, the logit {number:.3g} {told}"
            )
    return failed(difference(mine, right))


def any_type(got: Any, want: Any) -> Verdict:
    """Logits of other types, and the argument after the call."""
    if not is_close(got["the argument"], want["the argument"]):
        return failed("the logits that were given have changed")
    return close()(got, want)
