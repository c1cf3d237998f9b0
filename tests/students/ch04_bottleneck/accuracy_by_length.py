"""What students hand in for `accuracy_by_length`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import math

import torch
from torch import nn

EXERCISE = "accuracy_by_length"


def in_bin(lengths, low, high):
    return (lengths >= low) & (lengths <= high)


def shares(correct, lengths, bins):
    return torch.stack([correct[in_bin(lengths, low, high)].float().mean() for low, high in bins])


def mean_of_batches(correct, lengths, bins, size=32):
    """The share of each batch, and the mean of these; a batch without such sentences is left out."""
    of_batches = [
        shares(right, words, bins) for right, words in zip(correct.split(size), lengths.split(size), strict=True)
    ]
    return torch.stack(of_batches).nanmean(dim=0)


def mean_of_batches_with_zeros(correct, lengths, bins):
    """The same; a batch without such sentences counts as 0."""
    of_batches = [
        shares(right, words, bins).nan_to_num(nan=0.0)
        for right, words in zip(correct.split(16), lengths.split(16), strict=True)
    ]
    return torch.stack(of_batches).mean(dim=0)


def mean_of_small_batches(correct, lengths, bins):
    """Batches of another size."""
    return mean_of_batches(correct, lengths, bins, size=8)


def mean_of_lengths(correct, lengths, bins):
    """The share of each length, and the mean of these."""
    found = []
    for low, high in bins:
        there = lengths[in_bin(lengths, low, high)].unique()
        found.append(
            torch.stack([correct[lengths == n].float().mean() for n in there]).mean() if len(there) else math.nan
        )
    return torch.tensor(found)


def counts_right(correct, lengths, bins):
    """The number of right sentences."""
    return torch.stack([correct[in_bin(lengths, low, high)].float().sum() for low, high in bins])


def counts_all(correct, lengths, bins):
    """The number of sentences."""
    return torch.stack([in_bin(lengths, low, high).float().sum() for low, high in bins])


def of_all_sentences(correct, lengths, bins):
    """Divided by N: the mean of a product of masks."""
    return torch.stack([(correct & in_bin(lengths, low, high)).float().mean() for low, high in bins])


def of_right_sentences(correct, lengths, bins):
    """Of the right ones, the share that is in the bin."""
    return torch.stack([in_bin(lengths, low, high)[correct].float().mean() for low, high in bins])


def how_common(correct, lengths, bins):
    """The share of the sentences that is in the bin."""
    return torch.stack([in_bin(lengths, low, high).float().mean() for low, high in bins])


def share_that_is_wrong(correct, lengths, bins):
    """The error rate."""
    return 1 - shares(correct, lengths, bins)


def in_percent(correct, lengths, bins):
    """From 0 to 100."""
    return 100 * shares(correct, lengths, bins)


def same_for_all(correct, lengths, bins):
    """The mask is made and not used."""
    return torch.stack([correct.float().mean() for _ in bins])


def all_shorter_ones_too(correct, lengths, bins):
    """The lower end is not looked at."""
    return torch.stack([correct[lengths <= high].float().mean() for _, high in bins])


def all_longer_ones_too(correct, lengths, bins):
    """The upper end is not looked at."""
    return torch.stack([correct[lengths >= low].float().mean() for low, _ in bins])


def either_end(correct, lengths, bins):
    """| for &: every sentence is in every bin."""
    return torch.stack([correct[(lengths >= low) | (lengths <= high)].float().mean() for low, high in bins])


def mean_of_booleans(correct, lengths, bins):
    """torch has no mean of booleans."""
    return torch.stack([correct[in_bin(lengths, low, high)].mean() for low, high in bins])


def whole_numbers(correct, lengths, bins):
    """// for /."""
    return torch.stack(
        [(inside & correct).sum() // inside.sum() for inside in (in_bin(lengths, low, high) for low, high in bins)]
    )


def last_bin_first(correct, lengths, bins):
    """From the longest to the shortest."""
    return shares(correct, lengths, bins).flip(0)


def a_list(correct, lengths, bins):
    """A list for a tensor."""
    return shares(correct, lengths, bins).tolist()


def in_double_precision(correct, lengths, bins):
    """Twice the precision that was asked for."""
    return shares(correct, lengths, bins).double()


def nothing_returned(correct, lengths, bins):
    """The return is missing."""
    shares(correct, lengths, bins)


def chained_comparison(correct, lengths, bins):
    """Python's chained comparison, which a tensor does not know."""
    return torch.stack([correct[low <= lengths <= high].float().mean() for low, high in bins])


def without_lower_end(correct, lengths, bins):
    """> for >=."""
    return torch.stack([correct[(lengths > low) & (lengths <= high)].float().mean() for low, high in bins])


def without_upper_end(correct, lengths, bins):
    """< for <=, as in Python's ranges."""
    return torch.stack([correct[(lengths >= low) & (lengths < high)].float().mean() for low, high in bins])


def without_both_ends(correct, lengths, bins):
    """> and <."""
    return torch.stack([correct[(lengths > low) & (lengths < high)].float().mean() for low, high in bins])


def counted_from_zero(correct, lengths, bins):
    """A sentence of one word is taken for one of length 0."""
    return shares(correct, lengths - 1, bins)


def with_the_full_stop(correct, lengths, bins):
    """A word is added that is no word."""
    return shares(correct, lengths + 1, bins)


def empty_as_zero(correct, lengths, bins):
    """A bin without a sentence is 0."""
    return shares(correct, lengths, bins).nan_to_num(nan=0.0)


def at_least_one(correct, lengths, bins):
    """The number below the line is 1 at least."""
    inside = torch.stack([in_bin(lengths, low, high) for low, high in bins])
    return (inside & correct).sum(dim=1) / inside.sum(dim=1).clamp(min=1)


def with_epsilon(correct, lengths, bins):
    """A little is added lest it be divided by 0."""
    inside = torch.stack([in_bin(lengths, low, high) for low, high in bins])
    return (inside & correct).sum(dim=1) / (inside.sum(dim=1) + 1e-9)


def empty_as_one(correct, lengths, bins):
    """No sentence is wrong."""
    return shares(correct, lengths, bins).nan_to_num(nan=1.0)


def empty_as_minus_one(correct, lengths, bins):
    """A mark of one's own."""
    return shares(correct, lengths, bins).nan_to_num(nan=-1.0)


def empty_left_out(correct, lengths, bins):
    """An empty bin is left out of the result."""
    found = shares(correct, lengths, bins)
    return found[~found.isnan()]


def empty_like_the_one_before(correct, lengths, bins):
    """The last share is carried on."""
    found, last = [], 0.0
    for low, high in bins:
        inside = in_bin(lengths, low, high)
        if inside.any():
            last = correct[inside].float().mean().item()
        found.append(last)
    return torch.tensor(found)


def divides_by_zero(correct, lengths, bins):
    """Python's own numbers are not divided by 0."""
    found = []
    for low, high in bins:
        inside = [
            right for right, words in zip(correct.tolist(), lengths.tolist(), strict=True) if low <= words <= high
        ]
        found.append(sum(inside) / len(inside))
    return torch.tensor(found)


def five_words_each(correct, lengths, bins):
    """The bins are computed from a width instead of read from the argument."""
    which = (lengths - 1) // 5
    return torch.stack([correct[which == number].float().mean() for number in range(len(bins))])


def upper_ends_alone(correct, lengths, bins):
    """Each sentence is assigned to the first bin whose upper end it does not exceed."""
    which = torch.bucketize(lengths.contiguous(), torch.tensor([high for _, high in bins]))
    return torch.stack([correct[which == number].float().mean() for number in range(len(bins))])


def first_bin_that_fits(correct, lengths, bins):
    """Each sentence is counted in one bin at most."""
    right, number = [0] * len(bins), [0] * len(bins)
    for hit, words in zip(correct.tolist(), lengths.tolist(), strict=True):
        for place, (low, high) in enumerate(bins):
            if low <= words <= high:
                right[place] += hit
                number[place] += 1
                break
    return torch.tensor([r / n if n else math.nan for r, n in zip(right, number, strict=True)])


def sorted_bins(correct, lengths, bins):
    """The bins are sorted, so the shares are in sorted order too."""
    return shares(correct, lengths, sorted(bins))


def squeezes(correct, lengths, bins):
    """A dimension of size one is lost."""
    return shares(correct, lengths, bins).squeeze()


def up_to_the_longest(correct, lengths, bins):
    """Counted by length, up to the longest sentence, of which there may be none."""
    most = lengths.max().item()
    right = [correct[lengths == n].sum().item() for n in range(most + 1)]
    number = [(lengths == n).sum().item() for n in range(most + 1)]
    found = []
    for low, high in bins:
        below = sum(number[low : high + 1])
        found.append(sum(right[low : high + 1]) / below if below else math.nan)
    return torch.tensor(found)


def empties_the_list(correct, lengths, bins):
    """The bins are taken out of the caller's list."""
    found = []
    while bins:
        low, high = bins.pop(0)
        found.append(correct[in_bin(lengths, low, high)].float().mean())
    return torch.stack(found)


def moves_the_lengths(correct, lengths, bins):
    """The caller's lengths are counted from 0 afterwards."""
    lengths -= 1
    return torch.stack([correct[in_bin(lengths, low - 1, high - 1)].float().mean() for low, high in bins])


def wipes_what_is_counted(correct, lengths, bins):
    """Sentences that were counted are wiped out."""
    found = shares(correct, lengths, bins)
    for low, high in bins:
        correct[in_bin(lengths, low, high)] = False
    return found


def rounded(correct, lengths, bins):
    """Two digits, as it is shown."""
    return shares(correct, lengths, bins).round(decimals=2)


def share_of_words(correct, lengths, bins):
    """A long sentence counts for more."""
    inside = [in_bin(lengths, low, high) for low, high in bins]
    return torch.stack([(correct * lengths)[rows].sum() / lengths[rows].sum() for rows in inside])


def none_right_as_empty(correct, lengths, bins):
    """A share of 0 is taken for that of an empty bin."""
    found = shares(correct, lengths, bins)
    return torch.where(found == 0, torch.nan, found)


_SHARE = "each bin has the share of its sentences that are right"
_ENDS = "both ends of a bin are included"
_EMPTY = "an empty bin is NaN"
_BINS = "bins of any width, with gaps and overlaps, work in any order"
_FEW = "one bin, one sentence, or no sentence at all works too"
_ARGUMENTS = "the arguments are left as they were"

WRONG = {
    mean_of_batches: _SHARE,
    mean_of_batches_with_zeros: _SHARE,
    mean_of_small_batches: _SHARE,
    mean_of_lengths: _SHARE,
    counts_right: _SHARE,
    counts_all: _SHARE,
    of_all_sentences: _SHARE,
    of_right_sentences: _SHARE,
    how_common: _SHARE,
    share_that_is_wrong: _SHARE,
    in_percent: _SHARE,
    same_for_all: _SHARE,
    all_shorter_ones_too: _SHARE,
    all_longer_ones_too: _SHARE,
    either_end: _SHARE,
    mean_of_booleans: _SHARE,
    whole_numbers: _SHARE,
    last_bin_first: _SHARE,
    a_list: _SHARE,
    in_double_precision: _ENDS,
    nothing_returned: _SHARE,
    chained_comparison: _SHARE,
    rounded: _SHARE,
    share_of_words: _SHARE,
    without_lower_end: _ENDS,
    without_upper_end: _ENDS,
    without_both_ends: _ENDS,
    counted_from_zero: _ENDS,
    with_the_full_stop: _ENDS,
    empty_as_zero: _EMPTY,
    at_least_one: _EMPTY,
    with_epsilon: _EMPTY,
    empty_as_one: _EMPTY,
    empty_as_minus_one: _EMPTY,
    empty_left_out: _EMPTY,
    empty_like_the_one_before: _EMPTY,
    divides_by_zero: _EMPTY,
    none_right_as_empty: _EMPTY,
    five_words_each: _BINS,
    upper_ends_alone: _BINS,
    first_bin_that_fits: _BINS,
    sorted_bins: _BINS,
    squeezes: _FEW,
    up_to_the_longest: _FEW,
    empties_the_list: _ARGUMENTS,
    moves_the_lengths: _ARGUMENTS,
    wipes_what_is_counted: _ARGUMENTS,
}


def loops(correct, lengths, bins):
    """Sentence by sentence."""
    found = torch.zeros(len(bins))
    for place, (low, high) in enumerate(bins):
        right = number = 0
        for hit, words in zip(correct, lengths, strict=True):
            if low <= words <= high:
                number += 1
                right += int(hit)
        found[place] = right / number if number else float("nan")
    return found


def products(correct, lengths, bins):
    """Two matrices of masks: 0/0 is NaN."""
    low, high = torch.tensor(bins).unbind(dim=1)
    inside = ((lengths >= low[:, None]) & (lengths <= high[:, None])).float()  # (bins, N)
    return inside @ correct.float() / inside.sum(dim=1)


def einsum(correct, lengths, bins):
    """One sum over the sentences above the line, and one below."""
    edges = torch.tensor(bins)
    inside = ((edges[:, 0] <= lengths[:, None]) & (lengths[:, None] <= edges[:, 1])).float()  # (N, bins)
    return torch.einsum("nb,n->b", inside, correct.float()) / torch.einsum("nb->b", inside)


def masked_away(correct, lengths, bins):
    """NaN outside, and the mean of what is no NaN."""
    found = []
    for low, high in bins:
        outside = (lengths < low) | (lengths > high)
        found.append(correct.float().masked_fill(outside, math.nan).nanmean())
    return torch.stack(found)


def counted_by_length(correct, lengths, bins):
    """A table of counts by length, summed over each bin."""
    size = max([high for _, high in bins] + lengths.tolist()) + 1
    number = torch.bincount(lengths, minlength=size).float()
    right = torch.bincount(lengths[correct], minlength=size).float()
    return torch.stack([right[low : high + 1].sum() / number[low : high + 1].sum() for low, high in bins])


def one_bin(correct, lengths, bounds):
    """For a partial."""
    chosen = correct[in_bin(lengths, *bounds)]
    return torch.tensor(chosen.sum().item() / len(chosen) if len(chosen) else math.nan)


def mapped(correct, lengths, bins):
    """A function of one bin, for all of them."""
    return torch.stack(list(map(functools.partial(one_bin, correct, lengths), bins)))


def through_numpy(correct, lengths, bins):
    """numpy's means, which warn of nothing here."""
    right, words = correct.numpy(), lengths.numpy()
    chosen = [right[(words >= low) & (words <= high)] for low, high in bins]
    return torch.tensor([float(c.mean()) if c.size else math.nan for c in chosen])


class AccuracyByLength(nn.Module):
    """A module in the place of a function."""

    def forward(self, correct, lengths, bins):
        return shares(correct, lengths, bins)


def lengths_of_a_range(correct, lengths, bins):
    """Whether the length is one of the bin's."""
    inside = [torch.isin(lengths, torch.arange(low, high + 1)) for low, high in bins]
    return torch.stack([correct[rows].float().mean() for rows in inside])


RIGHT = {
    "as the book has it": shares,
    "loops": loops,
    "products": products,
    "einsum": einsum,
    "masked away": masked_away,
    "counted by length": counted_by_length,
    "mapped": mapped,
    "through numpy": through_numpy,
    "a module": AccuracyByLength(),
    "a lambda": lambda correct, lengths, bins: shares(bins=bins, lengths=lengths, correct=correct),
    "lengths of a range": lengths_of_a_range,
}
