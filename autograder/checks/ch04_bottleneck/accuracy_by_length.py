"""The checks of `accuracy_by_length`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import note_slip
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import is_close, up_to_a_factor

EXERCISE = Exercise("accuracy_by_length", "the accuracy for short and for long sentences", minutes=10, difficulty=1)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(accuracy_by_length, draw: Draw) -> Use:
    """Lengths from 0 on, with bins that overlap, that leave lengths out, or that have a single length, no sentence or nearly all."""

    def call(correct: Tensor, lengths: Tensor, bins: list[tuple[int, int]]) -> Any:
        return shares_of(accuracy_by_length(correct, lengths, bins))

    def sentences(number: int, longest: int) -> tuple[Tensor, Tensor]:
        return draw.integers(0, 3, number) > 0, draw.integers(0, longest + 1, number)

    bins = [(0, 0), (1, 5), (6, 10), (8, 20), (13, 13), (22, 250), (301, 399)]
    return Use(call, (*sentences(3000, 300), bins), (*sentences(37, 300), bins[::-2]))


def shares_of(result: Any) -> Any:
    """The shares in a tensor, where a list of them is a slip."""
    if not isinstance(result, list) or not all(
        isinstance(share, float) or (isinstance(share, Tensor) and not share.dim()) for share in result
    ):
        return result
    note_slip(f"the result is {kind_of(result)}, expected a tensor of shape (len(bins),)")
    return torch.tensor([float(share) for share in result])


_BINS = [(1, 5), (6, 10), (11, 15), (16, 20)]


_INSIDE = (2, 3, 4)


_ALL = (1, 2, 3, 4, 5)


def _sentences(
    draw: Draw, number: int, places: tuple[int, ...], bins: tuple[int, ...] = (0, 1, 2, 3)
) -> tuple[Tensor, Tensor]:
    """Which sentences are right, and their lengths: at these places of these bins, most of them in the first; some of each length."""
    which = draw.integers(0, len(bins), number).minimum(draw.integers(0, len(bins), number))
    which[: len(bins)] = torch.arange(len(bins))
    lengths = 5 * torch.tensor(bins)[which] + torch.tensor(places)[draw.integers(0, len(places), number)]
    order = draw.normal(number).argsort()
    lengths = lengths[order]
    correct = draw.normal(number) > lengths / 10 - 0.8
    for length in lengths.unique():
        correct[(lengths == length).nonzero()[0]] = True  # That a bin has none is another check's business.
    return correct, lengths


def _asked(accuracy_by_length, correct: Tensor, lengths: Tensor, bins: list[tuple[int, int]]) -> dict[str, Any]:
    return {"shares": shares_of(accuracy_by_length(correct.clone(), lengths.clone(), list(bins)))}


@check(
    "each bin has the share of its sentences that are right",
    points=2,
    hint="For each bin, count how many of its sentences are right and how many there are. Comparing the lengths with "
    "a number gives a mask, and & combines two masks; put each comparison in parentheses. Convert True and False to "
    "floats before you take a mean.",
)
def inside(accuracy_by_length, draw: Draw):
    """Four bins of sentences, none of them as short or as long as its bin allows."""
    return _asked(accuracy_by_length, *_sentences(draw, 180, _INSIDE), _BINS)


@inside.explain
def without_sentences(got, want):
    """No bin has a share."""
    if (got["shares"].nan_to_num() == 0).all():
        return "every share is 0 or NaN: is any sentence assigned to a bin?"
    return None


@inside.explain
def other_order(got, want):
    """The right shares at wrong places."""
    if is_close(got["shares"].sort()[0], want["shares"].sort()[0]):
        return "the shares are in a different order from the bins"
    return None


@check(
    "both ends of a bin are included",
    points=1,
    needs=inside,
    compare=up_to_a_factor(),
    hint="The bin (6, 10) includes the sentences of 6 words and those of 10 words. Check whether your two comparisons "
    "use < or <=.",
)
def ends(accuracy_by_length, draw: Draw):
    """The same, with sentences of every length."""
    return _asked(accuracy_by_length, *_sentences(draw, 180, _ALL), _BINS)


@check(
    "an empty bin is NaN",
    points=1,
    needs=inside,
    compare=up_to_a_factor(),
    hint="If a bin has no sentences, nothing is known about them. NaN, “not a number”, says so, and a plot leaves it "
    "out, whereas 0 would mean that all of them are wrong. The mean of an empty tensor is already NaN; otherwise you "
    'can write float("nan").',
)
def empty(accuracy_by_length, draw: Draw):
    """No sentence is in the second bin, or in the fifth; those in the fourth are all wrong."""
    correct, lengths = _sentences(draw, 90, _INSIDE, bins=(0, 2, 3))
    return _asked(accuracy_by_length, correct & (lengths <= 15), lengths, [*_BINS, (21, 25)])


@empty.explain
def empty_bins(got, want):
    """What an empty bin has, or that another one counts as empty."""
    nothing = want["shares"].isnan()
    if got["shares"][~nothing].isnan().any():
        return "a bin that has sentences is NaN"
    given = got["shares"][nothing]
    if is_close(got["shares"][~nothing], want["shares"][~nothing]) and not given.isnan().all():
        return f"an empty bin is {given[~given.isnan()][0].item():.4g}, expected NaN"
    return None


@check(
    "bins of any width, with gaps and overlaps, work in any order",
    points=1,
    hidden=True,
    needs=(inside, ends, empty),
    compare=up_to_a_factor(),
    hint="Use both ends of each bin as they are given. A sentence may be in two bins, or in none.",
)
def any_bins(accuracy_by_length, draw: Draw):
    """Bins that overlap, leave lengths out, hold one length, or stand in another order."""
    correct, lengths = _sentences(draw, 120, _ALL)
    bins = [(11, 20), (1, 20), (4, 4), (2, 12), (1, 3), (17, 60)]
    return _asked(accuracy_by_length, correct, lengths, bins)


@check(
    "one bin, one sentence, or no sentence at all works too",
    points=1,
    hidden=True,
    needs=(inside, ends, empty),
    hint="The result has shape (len(bins),) even if there is only one bin: squeeze() removes a dimension of size one. "
    "And if there are no sentences, there is no maximum length.",
)
def few(accuracy_by_length, draw: Draw):
    """One bin; one sentence at a time; no sentence."""
    correct, lengths = _sentences(draw, 40, _ALL, bins=(0, 1))
    return {
        "one bin": shares_of(accuracy_by_length(correct.clone(), lengths.clone(), _BINS[:1])),
        "one sentence": [
            shares_of(accuracy_by_length(correct[i : i + 1], lengths[i : i + 1], _BINS[:2])) for i in range(30)
        ],
        "no sentence": shares_of(accuracy_by_length(correct[:0], lengths[:0], _BINS[:2])),
    }


@check(
    "the arguments are left as they were",
    points=1,
    needs=(inside, ends, empty),
    compare=up_to_a_factor(),
    arguments=True,
    hint="The caller still needs the mask, the lengths and the list of bins. Methods that end in an underscore, "
    "assignments such as correct[...] = ..., += and methods that change a list change them for the caller too.",
)
def arguments(accuracy_by_length, draw: Draw):
    """Every second of some sentences, and the arguments as they are after the call."""
    correct, lengths = _sentences(draw, 120, _ALL)
    bins = list(_BINS)
    shares = shares_of(accuracy_by_length(correct[::2], lengths[::2], bins))
    return {"shares": shares, "correct": correct, "lengths": lengths, "bins": bins}
