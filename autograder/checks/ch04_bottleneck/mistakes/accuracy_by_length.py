"""Mistakes in `accuracy_by_length`, and right answers in other styles."""

import functools
import math

import torch
from torch import nn

from autograder.checks.ch04_bottleneck.accuracy_by_length import (
    any_bins,
    arguments,
    empty,
    ends,
    few,
    in_chapter,
    inside,
)
from autograder.judging.catalogue import mistake, right


def in_bin(lengths, low, high):
    return (lengths >= low) & (lengths <= high)


@right
def shares(correct, lengths, bins):
    return torch.stack([correct[in_bin(lengths, low, high)].float().mean() for low, high in bins])


@mistake(
    inside,
    "the result is a mean of the shares of batches; count over all sentences at once, because batches hold different numbers of a bin's sentences",
)
def mean_of_batches(correct, lengths, bins, size=32):
    of_batches = [
        shares(right, words, bins) for right, words in zip(correct.split(size), lengths.split(size), strict=True)
    ]
    return torch.stack(of_batches).nanmean(dim=0)


@mistake(
    inside,
    "the result is a mean of the shares of batches; count over all sentences at once, because batches hold different numbers of a bin's sentences",
)
def mean_of_batches_with_zeros(correct, lengths, bins):
    of_batches = [
        shares(right, words, bins).nan_to_num(nan=0.0)
        for right, words in zip(correct.split(16), lengths.split(16), strict=True)
    ]
    return torch.stack(of_batches).mean(dim=0)


@mistake(
    inside,
    "the result is a mean of the shares of batches; count over all sentences at once, because batches hold different numbers of a bin's sentences",
)
def mean_of_small_batches(correct, lengths, bins):
    return mean_of_batches(correct, lengths, bins, size=8)


@mistake(
    inside,
    "the result is a mean of means: the share was computed for each length first, but every sentence of a bin must count the same",
)
def mean_of_lengths(correct, lengths, bins):
    found = []
    for low, high in bins:
        there = lengths[in_bin(lengths, low, high)].unique()
        found.append(
            torch.stack([correct[lengths == n].float().mean() for n in there]).mean() if len(there) else math.nan
        )
    return torch.tensor(found)


@mistake(inside, "the result is the number of right sentences, expected their share of the bin")
def counts_right(correct, lengths, bins):
    return torch.stack([correct[in_bin(lengths, low, high)].float().sum() for low, high in bins])


@mistake(inside, "the result is the number of sentences in each bin, expected the share of them that are right")
def counts_all(correct, lengths, bins):
    return torch.stack([in_bin(lengths, low, high).float().sum() for low, high in bins])


mistake(
    inside,
    "the number of right sentences in a bin is divided by the number of all sentences, expected by the number in the bin",
).made_in(shares, of_all_sentences={"correct[in_bin(lengths, low, high)]": "(correct & in_bin(lengths, low, high))"})
mistake(
    inside,
    "the number of right sentences in a bin is divided by the number of all right sentences, expected by the number in the bin",
).made_in(shares, of_right_sentences={"correct[in_bin(lengths, low, high)]": "in_bin(lengths, low, high)[correct]"})
mistake(
    inside,
    "the number of sentences in a bin is divided by the number of all sentences, which only measures how common its lengths are",
).made_in(shares, how_common={"correct[in_bin(lengths, low, high)]": "in_bin(lengths, low, high)"})


@mistake(inside, "the result is the share that is wrong, expected the share that is right")
def share_that_is_wrong(correct, lengths, bins):
    return 1 - shares(correct, lengths, bins)


@mistake(inside, "the shares are in percent, expected from 0 to 1")
def in_percent(correct, lengths, bins):
    return 100 * shares(correct, lengths, bins)


@mistake(inside, "every bin has the share for all sentences, whatever their lengths")
def same_for_all(correct, lengths, bins):
    return torch.stack([correct.float().mean() for _ in bins])


@mistake(inside, "each bin also contains all shorter sentences")
def all_shorter_ones_too(correct, lengths, bins):
    return torch.stack([correct[lengths <= high].float().mean() for _, high in bins])


@mistake(inside, "each bin also contains all longer sentences")
def all_longer_ones_too(correct, lengths, bins):
    return torch.stack([correct[lengths >= low].float().mean() for low, _ in bins])


@mistake(inside, "a sentence belongs to a bin only if both comparisons hold: combine them with &, not with |")
def either_end(correct, lengths, bins):
    return torch.stack([correct[(lengths >= low) | (lengths <= high)].float().mean() for low, high in bins])


@mistake(inside, "torch has no mean of booleans: convert them to floats first")
def mean_of_booleans(correct, lengths, bins):
    return torch.stack([correct[in_bin(lengths, low, high)].mean() for low, high in bins])


@mistake(inside, "the counts are divided with //, which rounds down; expected /")
def whole_numbers(correct, lengths, bins):
    return torch.stack(
        [(inside & correct).sum() // inside.sum() for inside in (in_bin(lengths, low, high) for low, high in bins)]
    )


@mistake(inside, "the bins are in reverse order, expected the order in which they are given")
def last_bin_first(correct, lengths, bins):
    return shares(correct, lengths, bins).flip(0)


@mistake(in_chapter, "sentences of more than 100 words are left out, expected sentences of any length")
def at_most_a_hundred_words(correct, lengths, bins):
    return shares(correct[lengths <= 100], lengths[lengths <= 100], bins)


@mistake(ends, "the result is a list, expected a tensor")
def a_list(correct, lengths, bins):
    return shares(correct, lengths, bins).tolist()


@mistake(ends, "the shares are float64, expected float32")
def in_double_precision(correct, lengths, bins):
    return shares(correct, lengths, bins).double()


@mistake(inside, "there is no return")
def nothing_returned(correct, lengths, bins):
    shares(correct, lengths, bins)


@mistake(inside, "Python's chained comparison does not work with tensors: combine two comparisons with &")
def chained_comparison(correct, lengths, bins):
    return torch.stack([correct[low <= lengths <= high].float().mean() for low, high in bins])


@mistake(ends, "sentences whose length is the lower end of a bin are missing from it")
def without_lower_end(correct, lengths, bins):
    return torch.stack([correct[(lengths > low) & (lengths <= high)].float().mean() for low, high in bins])


@mistake(ends, "sentences whose length is the upper end of a bin are missing from it")
def without_upper_end(correct, lengths, bins):
    return torch.stack([correct[(lengths >= low) & (lengths < high)].float().mean() for low, high in bins])


@mistake(ends, "sentences whose length is the lower or the upper end of a bin are missing from it")
def without_both_ends(correct, lengths, bins):
    return torch.stack([correct[(lengths > low) & (lengths < high)].float().mean() for low, high in bins])


mistake(
    ends, "the bins are shifted up by one word, as if each sentence were one word shorter; expected both ends as given"
).made_in(in_percent, counted_from_zero={"100 * shares(correct, lengths, bins)": "shares(correct, lengths - 1, bins)"})
mistake(
    ends, "the bins are shifted down by one word, as if each sentence were one word longer; expected both ends as given"
).made_in(in_percent, with_the_full_stop={"100 * shares(correct, lengths, bins)": "shares(correct, lengths + 1, bins)"})


@mistake(empty, "an empty bin is 0, expected NaN: a 0 would mean that all its sentences are wrong")
def empty_as_zero(correct, lengths, bins):
    return shares(correct, lengths, bins).nan_to_num(nan=0.0)


@mistake(empty, "an empty bin is 0, expected NaN: a 0 would mean that all its sentences are wrong")
def at_least_one(correct, lengths, bins):
    inside = torch.stack([in_bin(lengths, low, high) for low, high in bins])
    return (inside & correct).sum(dim=1) / inside.sum(dim=1).clamp(min=1)


mistake(empty, "an empty bin is 0, expected NaN: a 0 would mean that all its sentences are wrong").made_in(
    at_least_one, with_epsilon={"inside.sum(dim=1).clamp(min=1)": "(inside.sum(dim=1) + 1e-9)"}
)


@mistake(empty, "an empty bin is 1, expected NaN: a 1 would mean that all its sentences are right")
def empty_as_one(correct, lengths, bins):
    return shares(correct, lengths, bins).nan_to_num(nan=1.0)


mistake(empty, "an empty bin is -1, expected NaN").made_in(empty_as_zero, empty_as_minus_one={"nan=0.0": "nan=-1.0"})


@mistake(empty, "an empty bin is left out of the result, expected NaN for it")
def empty_left_out(correct, lengths, bins):
    found = shares(correct, lengths, bins)
    return found[~found.isnan()]


@mistake(empty, "an empty bin has the share of the bin before it, expected NaN")
def empty_like_the_one_before(correct, lengths, bins):
    found, last = [], 0.0
    for low, high in bins:
        inside = in_bin(lengths, low, high)
        if inside.any():
            last = correct[inside].float().mean().item()
        found.append(last)
    return torch.tensor(found)


@mistake(empty, "for an empty bin a Python number is divided by 0, which raises an error; expected NaN")
def divides_by_zero(correct, lengths, bins):
    found = []
    for low, high in bins:
        inside = [
            right for right, words in zip(correct.tolist(), lengths.tolist(), strict=True) if low <= words <= high
        ]
        found.append(sum(inside) / len(inside))
    return torch.tensor(found)


@mistake(any_bins, "the bins are computed from a width of five words, expected the ends that are given")
def five_words_each(correct, lengths, bins):
    which = (lengths - 1) // 5
    return torch.stack([correct[which == number].float().mean() for number in range(len(bins))])


@mistake(
    any_bins,
    "each sentence is assigned to the first bin whose upper end it does not exceed, and the lower ends are ignored",
)
def upper_ends_alone(correct, lengths, bins):
    which = torch.bucketize(lengths.contiguous(), torch.tensor([high for _, high in bins]))
    return torch.stack([correct[which == number].float().mean() for number in range(len(bins))])


@mistake(any_bins, "each sentence is counted in one bin only, but bins may overlap")
def first_bin_that_fits(correct, lengths, bins):
    right, number = [0] * len(bins), [0] * len(bins)
    for hit, words in zip(correct.tolist(), lengths.tolist(), strict=True):
        for place, (low, high) in enumerate(bins):
            if low <= words <= high:
                right[place] += hit
                number[place] += 1
                break
    return torch.tensor([r / n if n else math.nan for r, n in zip(right, number, strict=True)])


@mistake(any_bins, "the bins are sorted first, so the shares are in a different order from the bins")
def sorted_bins(correct, lengths, bins):
    return shares(correct, lengths, sorted(bins))


@mistake(few, "a dimension of size one is removed that belongs to the result")
def squeezes(correct, lengths, bins):
    return shares(correct, lengths, bins).squeeze()


@mistake(few, "the largest length is looked up, but if there are no sentences there is none")
def up_to_the_longest(correct, lengths, bins):
    most = lengths.max().item()
    right = [correct[lengths == n].sum().item() for n in range(most + 1)]
    number = [(lengths == n).sum().item() for n in range(most + 1)]
    found = []
    for low, high in bins:
        below = sum(number[low : high + 1])
        found.append(sum(right[low : high + 1]) / below if below else math.nan)
    return torch.tensor(found)


@mistake(arguments, "the bins are removed from the caller's list")
def empties_the_list(correct, lengths, bins):
    found = []
    while bins:
        low, high = bins.pop(0)
        found.append(correct[in_bin(lengths, low, high)].float().mean())
    return torch.stack(found)


@mistake(arguments, "the caller's lengths are changed in place")
def moves_the_lengths(correct, lengths, bins):
    lengths -= 1
    return torch.stack([correct[in_bin(lengths, low - 1, high - 1)].float().mean() for low, high in bins])


@mistake(arguments, "the caller's mask is changed in place")
def wipes_what_is_counted(correct, lengths, bins):
    found = shares(correct, lengths, bins)
    for low, high in bins:
        correct[in_bin(lengths, low, high)] = False
    return found


@mistake(inside, "the shares are rounded, expected the exact shares")
def rounded(correct, lengths, bins):
    return shares(correct, lengths, bins).round(decimals=2)


@mistake(
    inside,
    "the result is the share of words that are in right sentences, expected the share of sentences: a long sentence counts as much as a short one",
)
def share_of_words(correct, lengths, bins):
    inside = [in_bin(lengths, low, high) for low, high in bins]
    return torch.stack([(correct * lengths)[rows].sum() / lengths[rows].sum() for rows in inside])


mistake(
    empty, "a bin whose sentences are all wrong is NaN, expected 0: the bin has sentences, so its share is known"
).made_in(empty_left_out, none_right_as_empty={"found[~found.isnan()]": "torch.where(found == 0, torch.nan, found)"})


@right
def loops(correct, lengths, bins):
    found = torch.zeros(len(bins))
    for place, (low, high) in enumerate(bins):
        right = number = 0
        for hit, words in zip(correct, lengths, strict=True):
            if low <= words <= high:
                number += 1
                right += int(hit)
        found[place] = right / number if number else float("nan")
    return found


@right
def products(correct, lengths, bins):
    low, high = torch.tensor(bins).unbind(dim=1)
    inside = ((lengths >= low[:, None]) & (lengths <= high[:, None])).float()  # (bins, N)
    return inside @ correct.float() / inside.sum(dim=1)


@right
def einsum(correct, lengths, bins):
    edges = torch.tensor(bins)
    inside = ((edges[:, 0] <= lengths[:, None]) & (lengths[:, None] <= edges[:, 1])).float()  # (N, bins)
    return torch.einsum("nb,n->b", inside, correct.float()) / torch.einsum("nb->b", inside)


@right
def masked_away(correct, lengths, bins):
    found = []
    for low, high in bins:
        outside = (lengths < low) | (lengths > high)
        found.append(correct.float().masked_fill(outside, math.nan).nanmean())
    return torch.stack(found)


@right
def counted_by_length(correct, lengths, bins):
    size = max([high for _, high in bins] + lengths.tolist()) + 1
    number = torch.bincount(lengths, minlength=size).float()
    right = torch.bincount(lengths[correct], minlength=size).float()
    return torch.stack([right[low : high + 1].sum() / number[low : high + 1].sum() for low, high in bins])


def one_bin(correct, lengths, bounds):
    """For a partial."""
    chosen = correct[in_bin(lengths, *bounds)]
    return torch.tensor(chosen.sum().item() / len(chosen) if len(chosen) else math.nan)


@right
def mapped(correct, lengths, bins):
    return torch.stack(list(map(functools.partial(one_bin, correct, lengths), bins)))


@right
def through_numpy(correct, lengths, bins):
    right, words = correct.numpy(), lengths.numpy()
    chosen = [right[(words >= low) & (words <= high)] for low, high in bins]
    return torch.tensor([float(c.mean()) if c.size else math.nan for c in chosen])


class AccuracyByLength(nn.Module):
    """A module in the place of a function."""

    def forward(self, correct, lengths, bins):
        return shares(correct, lengths, bins)


@right
def lengths_of_a_range(correct, lengths, bins):
    inside = [torch.isin(lengths, torch.arange(low, high + 1)) for low, high in bins]
    return torch.stack([correct[rows].float().mean() for rows in inside])


right(AccuracyByLength())


right(lambda correct, lengths, bins: shares(bins=bins, lengths=lengths, correct=correct))
