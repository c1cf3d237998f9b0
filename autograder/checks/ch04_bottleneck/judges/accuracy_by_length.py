"""What is right about `accuracy_by_length`, and what is said when it is not."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch04_bottleneck.probes import accuracy_by_length as probes
from autograder.compare import close, difference, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_SHARE = "each bin has the share of its sentences that are right"
_ENDS = "both ends of a bin are included"
_EMPTY = "an empty bin is NaN"


def _in_bins(want: Any, low: int = 0, high: int = 0) -> Tensor:
    """Which sentences are in which bin, (bins, N), if its ends are moved."""
    lengths, bins = want["lengths"], want["bins"]
    return (lengths >= bins[:, :1] + low) & (lengths <= bins[:, 1:] + high)


def _shares(want: Any, inside: Tensor) -> Tensor:
    """The share of each bin that is right."""
    return (inside & want["correct"]).sum(dim=1) / inside.sum(dim=1)


def _mean_of_means(want: Any, groups: Iterable[Tensor], empty_is_zero: bool) -> Tensor:
    """The mean of the groups' shares in each bin; a group is a mask (N,)."""
    shares = torch.stack([_shares(want, _in_bins(want) & group) for group in groups])  # (groups, bins)
    return shares.nan_to_num(nan=0.0).mean(dim=0) if empty_is_zero else shares.nanmean(dim=0)


def _batches(number: int, size: int) -> list[Tensor]:
    place = torch.arange(number)
    return [(place // size) == batch for batch in range(-(-number // size))]


def _means_of_batches(want: Any, shares: Tensor) -> bool:
    """Whether the shares are means over batches of some size."""
    number = len(want["lengths"])
    return any(
        is_close(shares, _mean_of_means(want, _batches(number, size), zero))
        for size in (1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100, 128)
        for zero in (False, True)
    )


def _means_of_lengths(want: Any, shares: Tensor) -> bool:
    """Whether the shares are means over the lengths of a bin."""
    lengths = want["lengths"]
    return is_close(shares, _mean_of_means(want, [lengths == length for length in lengths.unique()], False))


@judge(
    _SHARE,
    probe=probes.inside,
    points=2,
    hint="For each bin, count how many of its sentences are right and how many there are. Comparing the lengths with "
    "a number gives a mask, and & combines two masks; put each comparison in parentheses. Convert True and False to "
    "floats before you take a mean.",
)
def shares_of_bins(got: Any, want: Any) -> Verdict:
    """The shares, with all lengths well inside their bins."""
    shares = got["shares"]
    if is_close(shares, want["shares"]):
        return passed()
    inside, correct, right = _in_bins(want), want["correct"], want["shares"]
    hits = (inside & correct).sum(dim=1).float()
    whole = correct.float().mean()
    mistakes: dict[str, Callable[[], bool]] = {
        "the result is the number of right sentences, expected their share of the bin": lambda: is_close(shares, hits),
        "the result is the number of sentences in each bin, expected the share of them that are right": lambda: (
            is_close(shares, inside.sum(dim=1).float())
        ),
        (
            "the number of right sentences in a bin was divided by the number of all sentences, expected by the number "
            "in the bin"
        ): (lambda: is_close(shares, hits / len(correct))),
        (
            "the number of right sentences in a bin was divided by the number of all right sentences, expected by the "
            "number in the bin"
        ): (lambda: is_close(shares, hits / correct.sum())),
        (
            "the number of sentences in a bin was divided by the number of all sentences, which only measures how "
            "common its lengths are"
        ): (lambda: is_close(shares, inside.float().mean(dim=1))),
        "the result is the share that is wrong, expected the share that is right": lambda: is_close(shares, 1 - right),
        "the shares are in percent, expected from 0 to 1": lambda: is_close(shares, 100 * right),
        "the shares were rounded, expected the exact shares": lambda: any(
            is_close(shares, right.round(decimals=digits)) for digits in (1, 2, 3)
        ),
        "the result is the share of words that are in right sentences, expected the share of sentences: a long "
        "sentence counts as much as a short one": lambda: is_close(
            shares, ((inside & correct) * want["lengths"]).sum(dim=1) / (inside * want["lengths"]).sum(dim=1)
        ),
        "every bin has the share for all sentences, whatever their lengths": lambda: is_close(
            shares, whole.expand_as(right)
        ),
        "each bin also contains all shorter sentences": lambda: is_close(
            shares, _shares(want, _in_bins(want, low=-99))
        ),
        "each bin also contains all longer sentences": lambda: is_close(shares, _shares(want, _in_bins(want, high=99))),
        "the result is a mean of means: the share was computed for each batch, and then these shares were averaged. "
        "A batch with few of a bin's sentences counts as much as one with many; count over all sentences at once": (
            lambda: _means_of_batches(want, shares)
        ),
        "the result is a mean of means: the share was computed for each length, and then these shares were "
        "averaged. Every sentence of a bin must count the same": lambda: _means_of_lengths(want, shares),
        "the shares are in a different order from the bins": lambda: is_close(shares.sort()[0], right.sort()[0]),
        "every share is 0 or NaN: is any sentence assigned to a bin?": lambda: bool(
            (shares.isnan() | (shares == 0)).all()
        ),
    }
    for message, made in mistakes.items():
        if made():
            return failed(message)
    return failed(f"shares: {difference(shares, right)}")


@judge(
    _ENDS,
    probe=probes.ends,
    points=1,
    needs=(_SHARE,),
    hint=(
        "The bin (6, 10) includes the sentences of 6 words and those of 10 words. Check whether your two comparisons "
        "use < or <=."
    ),
)
def ends_belong(got: Any, want: Any) -> Verdict:
    """The ends of the bins."""
    shares = got["shares"]
    if is_close(shares, want["shares"]):
        return passed()
    ends = {
        "sentences whose length is the lower end of a bin are missing from it": (1, 0),
        "sentences whose length is the upper end of a bin are missing from it": (0, -1),
        "sentences whose length is the lower or the upper end of a bin are missing from it": (1, -1),
        "a bin includes sentences that are one word too short for it": (-1, 0),
        "a bin includes sentences that are one word too long for it": (0, 1),
        "the bins are shifted down by one word": (-1, -1),
        "the bins are shifted up by one word": (1, 1),
    }
    for message, (low, high) in ends.items():
        if is_close(shares, _shares(want, _in_bins(want, low, high))):
            return failed(message)
    return failed(f"shares: {difference(shares, want['shares'])}")


@judge(
    _EMPTY,
    probe=probes.empty,
    points=1,
    needs=(_SHARE,),
    hint="If a bin has no sentences, nothing is known about them. NaN, “not a number”, says so, and a plot leaves it "
    "out, whereas 0 would mean that all of them are wrong. The mean of an empty tensor is already NaN; otherwise you "
    'can write float("nan").',
)
def empty_is_nan(got: Any, want: Any) -> Verdict:
    """Bins without a sentence."""
    shares, right = got["shares"], want["shares"]
    if is_close(shares, right):
        return passed()
    empty = right.isnan()
    if shares[~empty].isnan().any():
        return failed(
            "a bin whose sentences are all wrong is NaN, expected 0: the bin has sentences, so its share is known"
            if is_close(shares.nan_to_num(), right.nan_to_num())
            else "a bin that has sentences is NaN"
        )
    if not is_close(shares[~empty], right[~empty]):
        told = difference(shares.masked_fill(empty, 0.0), right.masked_fill(empty, 0.0))
        return failed(f"some bins are empty here, and the others have wrong shares; {told}")
    values = shares[empty]
    if is_close(values, torch.zeros_like(values)):
        return failed("an empty bin is 0, expected NaN: a 0 would mean that all its sentences are wrong")
    return failed(f"an empty bin is {values[~values.isnan()][0].item():.4g}, expected NaN")


any_bins = judge(
    "bins of any width, with gaps and overlaps, work in any order",
    probe=probes.any_bins,
    points=1,
    hidden=True,
    needs=(_SHARE, _ENDS, _EMPTY),
    hint="Use both ends of each bin as they are given. A sentence may be in two bins, or in none.",
)(close("shares"))

few = judge(
    "one bin, one sentence, or no sentence at all works too",
    probe=probes.few,
    points=1,
    hidden=True,
    needs=(_SHARE, _ENDS, _EMPTY),
    hint="The result has shape (len(bins),) even if there is only one bin: squeeze() removes a dimension of size one. "
    "And if there are no sentences, there is no maximum length.",
)(close())


arguments = judge(
    "the arguments are left as they were",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_SHARE, _ENDS, _EMPTY),
    hint="The caller still needs the mask, the lengths and the list of bins. Methods that end in an underscore, "
    "assignments such as correct[...] = ..., += and methods that change a list change them for the caller too.",
)(leaves_arguments("shares"))
