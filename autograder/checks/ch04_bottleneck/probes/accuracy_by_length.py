"""What is asked of `accuracy_by_length`.

The sentences stand in no order, long ones are right less often, and the bins have very different numbers of them: a mean of
means is not the mean.
"""

from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw

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
    """The shares, and what they were asked of."""
    shares = accuracy_by_length(correct.clone(), lengths.clone(), list(bins))
    return {"shares": shares, "correct": correct, "lengths": lengths, "bins": torch.tensor(bins)}


@probe("accuracy_by_length")
def inside(accuracy_by_length, draw: Draw):
    """Four bins of sentences, none of them as short or as long as its bin allows."""
    return _asked(accuracy_by_length, *_sentences(draw, 180, _INSIDE), _BINS)


@probe("accuracy_by_length")
def ends(accuracy_by_length, draw: Draw):
    """The same, with sentences of every length."""
    return _asked(accuracy_by_length, *_sentences(draw, 180, _ALL), _BINS)


@probe("accuracy_by_length")
def empty(accuracy_by_length, draw: Draw):
    """No sentence is in the second bin, or in the fifth; those in the fourth are all wrong."""
    correct, lengths = _sentences(draw, 90, _INSIDE, bins=(0, 2, 3))
    return _asked(accuracy_by_length, correct & (lengths <= 15), lengths, [*_BINS, (21, 25)])


@probe("accuracy_by_length")
def any_bins(accuracy_by_length, draw: Draw):
    """Bins that overlap, leave lengths out, hold one length, or stand in another order."""
    correct, lengths = _sentences(draw, 120, _ALL)
    bins = [(11, 20), (1, 20), (4, 4), (2, 12), (1, 3), (17, 60)]
    return _asked(accuracy_by_length, correct, lengths, bins)


@probe("accuracy_by_length")
def few(accuracy_by_length, draw: Draw):
    """One bin; one sentence at a time; no sentence."""
    correct, lengths = _sentences(draw, 40, _ALL, bins=(0, 1))
    return {
        "one bin": accuracy_by_length(correct.clone(), lengths.clone(), _BINS[:1]),
        "one sentence": [accuracy_by_length(correct[i : i + 1], lengths[i : i + 1], _BINS[:2]) for i in range(30)],
        "no sentence": accuracy_by_length(correct[:0], lengths[:0], _BINS[:2]),
    }


@probe("accuracy_by_length")
def arguments(accuracy_by_length, draw: Draw):
    """Every second of some sentences, and the arguments as they are after the call."""
    correct, lengths = _sentences(draw, 120, _ALL)
    bins = list(_BINS)
    shares = accuracy_by_length(correct[::2], lengths[::2], bins)
    return {"shares": shares, "correct": correct, "lengths": lengths, "bins": bins}
