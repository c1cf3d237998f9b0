"""Mistakes in `brevity_penalty`, and right answers in other styles."""

import functools
import math
import statistics
from fractions import Fraction

import numpy as np
import torch
from torch import nn

from autograder.checks.ch07_bleu.brevity_penalty import (
    arguments,
    closest,
    each_its_closest,
    long_enough,
    ties,
    together,
    too_short,
    without_words,
)
from autograder.judging.catalogue import forbidden, mistake, right


@right
def usual(candidates, references):
    c, r = sums(candidates, references)
    return 0.0 if c == 0 else 1.0 if c >= r else math.exp(1 - r / c)


@mistake(too_short, "the factor is never below a constant, expected exp(1 - r / c) however short the candidates are")
def not_too_little(candidates, references):
    return max(0.01, _right(candidates, references)) if any(candidates) else 0.0


def closest_length(candidate, several):
    """The length of the closest reference."""
    return min((abs(len(r) - len(candidate)), len(r)) for r in several)[1]


def sums(candidates, references):
    """c and r."""
    pairs = zip(candidates, references, strict=True)
    return sum(map(len, candidates)), sum(closest_length(*pair) for pair in pairs)


def factor(c, r):
    """The factor, for the mistakes that are made elsewhere."""
    if c == 0:
        return 0.0
    return 1.0 if c >= r else math.exp(1 - r / c)


@right
def _right(candidates, references):
    return factor(*sums(candidates, references))


mistake(
    too_short,
    "the result is exp(1 - c / r), expected exp(1 - r / c): it is above 1 and rewards candidates that are too short",
).made_in(usual, ratio_inverted={"r / c": "c / r"})
mistake(too_short, "the factor for a sentence that is too short is 1: where c < r there has to be a penalty").made_in(
    usual, case_inverted={"c >= r": "c < r"}
)
mistake(too_short, "the result is c / r, expected exp(1 - r / c)").made_in(
    usual, ratio={"0.0 if c == 0 else 1.0 if c >= r else math.exp(1 - r / c)": "min(1.0, c / r) if c else 0.0"}
)
mistake(too_short, "the result is 1 - r / c: the exponential is missing").made_in(
    usual, no_exponential={"math.exp(1 - r / c)": "1 - r / c"}
)
mistake(too_short, "the result is exp(-r / c): the 1 is missing").made_in(
    usual, no_one={"exp(1 - r / c)": "exp(-r / c)"}
)


@mistake(too_short, "the result is exp(c - r), expected exp(1 - r / c)")
def difference_of_lengths(candidates, references):
    c, r = sums(candidates, references)
    return math.exp(min(0, c - r)) if c else 0.0


mistake(too_short, "the result is exp(c / r - 1), expected exp(1 - r / c)").made_in(
    difference_of_lengths, relative_to_the_reference={"min(0, c - r)": "min(0, c / r - 1)"}
)


@mistake(too_short, "the factor is in percent, expected a number from 0 to 1")
def in_percent(candidates, references):
    return 100 * _right(candidates, references)


@mistake(too_short, "the factor for a sentence that is too short is 1: where c < r there has to be a penalty")
def never_paid(candidates, references):
    return 1.0 if sum(map(len, candidates)) else 0.0


@mistake(too_short, "the letters are counted, expected the words")
def letters(candidates, references):
    texts = ["".join(words) for words in candidates]
    return _right(texts, [["".join(words) for words in several] for several in references])


@mistake(too_short, "the letters and the spaces are counted, expected the words")
def characters(candidates, references):
    texts = [" ".join(words) for words in candidates]
    return _right(texts, [[" ".join(words) for words in several] for several in references])


@mistake(too_short, "the result is a tensor, expected a number")
def a_tensor(candidates, references):
    return torch.tensor(_right(candidates, references))


@mistake(too_short, "the result is rounded, expected all of its digits")
def rounded(candidates, references):
    return round(_right(candidates, references), 2)


@mistake(too_short, "there is no return")
def nothing_returned(candidates, references):
    _right(candidates, references)


mistake(too_short, "the result is 2 to the power of 1 - r / c, expected e to that power").made_in(
    usual, base_two={"math.exp(1 - r / c)": "2 ** (1 - r / c)"}
)
mistake(
    long_enough, "the factor for a sentence that is too long is above 1, so such a sentence is rewarded; expected 1"
).made_in(difference_of_lengths, above_one={"min(0, c - r)": "1 - r / c"})


@mistake(long_enough, "a sentence that is too long is penalised too; expected a penalty only for one that is too short")
def too_long_pays(candidates, references):
    c, r = sums(candidates, references)
    return math.exp(1 - max(c, r) / min(c, r)) if c and r else 0.0


mistake(long_enough, "the factor for a sentence that is long enough is 0, expected 1").made_in(
    difference_of_lengths, too_long_is_nothing={"c else 0.0": "0 < c < r else 0.0", "min(0, c - r)": "1 - r / c"}
)
mistake(long_enough, "the factor is 0 if c equals r, expected 1").made_in(
    usual, equal_pays={"c == 0 else 1.0 if c >= r": "c in (0, r) else 1.0 if c > r"}
)


def with_reference(pick):
    """A factor whose reference is picked otherwise."""

    def penalty(candidates, references):
        pairs = zip(candidates, references, strict=True)
        r = sum(pick(len(candidate), [len(words) for words in several]) for candidate, several in pairs)
        return factor(sum(map(len, candidates)), r)

    return penalty


@mistake(
    closest,
    "the shortest reference is used, expected the closest in length: compare the absolute differences of the lengths",
)
def shortest(candidates, references):
    return with_reference(lambda length, others: min(others))(candidates, references)


@mistake(closest, "the longest reference is used, expected the one whose length is closest to the candidate's")
def longest(candidates, references):
    return with_reference(lambda length, others: max(others))(candidates, references)


@mistake(closest, "the mean length of the references is used, expected the length that is closest to the candidate's")
def mean_length(candidates, references):
    return with_reference(lambda length, others: statistics.fmean(others))(candidates, references)


@mistake(closest, "the lengths of all references are added up, expected the one that is closest to the candidate's")
def all_lengths(candidates, references):
    return with_reference(lambda length, others: sum(others))(candidates, references)


@mistake(closest, "the first reference is used, expected the one whose length is closest to the candidate's")
def first_reference(candidates, references):
    return with_reference(lambda length, others: others[0])(candidates, references)


@mistake(closest, "the last reference is used, expected the one whose length is closest to the candidate's")
def last_reference(candidates, references):
    return with_reference(lambda length, others: others[-1])(candidates, references)


@mistake(closest, "the reference whose length is farthest from the candidate's is used, expected the closest")
def farthest(candidates, references):
    return with_reference(lambda length, others: max(others, key=lambda o: abs(o - length)))(candidates, references)


mistake(
    closest,
    "the shortest reference is used, expected the closest in length: compare the absolute differences of the lengths",
).made_in(last_reference, distance_with_sign={"others[-1]": "min(others, key=lambda o: o - length)"})


@mistake(closest, "only references at least as long as the candidate are considered: a shorter one may be the closest")
def only_longer_ones(candidates, references):
    def pick(length, others):
        return min((o for o in others if o >= length), default=min(others))

    return with_reference(pick)(candidates, references)


@mistake(closest, "only references no longer than the candidate are considered: a longer one may be the closest")
def only_shorter_ones(candidates, references):
    def pick(length, others):
        return max((o for o in others if o <= length), default=max(others))

    return with_reference(pick)(candidates, references)


@mistake(closest, "the median length of the references is used, expected the length that is closest to the candidate's")
def median_length(candidates, references):
    return with_reference(lambda length, others: sorted(others)[len(others) // 2])(candidates, references)


@mistake(ties, "if two references are equally close, the first one is used, expected the shorter one")
def first_of_ties(candidates, references):
    return with_reference(lambda length, others: min(others, key=lambda o: abs(o - length)))(candidates, references)


@mistake(ties, "if two references are equally close, the last one is used, expected the shorter one")
def last_of_ties(candidates, references):
    def pick(length, others):
        best = others[0]
        for other in others:
            if abs(other - length) <= abs(best - length):
                best = other
        return best

    return with_reference(pick)(candidates, references)


@mistake(ties, "if two references are equally close, the longer one is used, expected the shorter one")
def longer_of_ties(candidates, references):
    def pick(length, others):
        return min(others, key=lambda o: (abs(o - length), -o))

    return with_reference(pick)(candidates, references)


def each(candidates, references):
    """The factor of each sentence."""
    return [_right([c], [r]) for c, r in zip(candidates, references, strict=True)]


@mistake(together, "the result is the mean of the sentences' factors: add up the lengths first")
def mean_of_factors(candidates, references):
    return statistics.fmean(each(candidates, references))


@mistake(together, "the result is the product of the sentences' factors: add up the lengths first")
def product_of_factors(candidates, references):
    return math.prod(each(candidates, references))


@mistake(together, "the result is the sum of the sentences' factors: add up the lengths first")
def sum_of_factors(candidates, references):
    return sum(each(candidates, references))


@mistake(together, "the result is the factor of the first sentence alone")
def first_sentence(candidates, references):
    return each(candidates, references)[0]


@mistake(together, "the result is the factor of the last sentence alone")
def last_sentence(candidates, references):
    for candidate, several in zip(candidates, references, strict=True):
        c, r = len(candidate), closest_length(candidate, several)
    return factor(c, r)


@mistake(together, "the result is the smallest of the sentences' factors: add up the lengths first")
def least_of_factors(candidates, references):
    return min(each(candidates, references))


@mistake(together, "the mean of r / c over the sentences is used: add up the lengths first, and divide once")
def mean_of_ratios(candidates, references):
    pairs = list(zip(candidates, references, strict=True))
    if not any(candidates):
        return 0.0
    return min(1.0, math.exp(1 - statistics.fmean(closest_length(c, s) / max(len(c), 1) for c, s in pairs)))


@mistake(
    each_its_closest,
    "the i-th references of all sentences are chosen together, by their total length; expected the closest reference for each sentence separately",
)
def closest_set(candidates, references):
    c = sum(map(len, candidates))
    columns = [sum(map(len, column)) for column in zip(*references, strict=False)]
    return factor(c, min(columns, key=lambda r: (abs(r - c), r)))


@mistake(
    each_its_closest,
    "the closest reference is found only for the first sentence, and its index is used for all; expected the closest for each sentence",
)
def place_of_the_first(candidates, references):
    lengths = [(abs(len(words) - len(candidates[0])), len(words)) for words in references[0]]
    place = lengths.index(min(lengths))
    return factor(sum(map(len, candidates)), sum(len(several[min(place, len(several) - 1)]) for several in references))


mistake(without_words, "the division by c fails if the candidates have no words, expected a factor of 0").made_in(
    usual, divides_by_zero={"return 0.0 if c == 0 else 1.0": "return 1.0"}
)
mistake(without_words, "the factor is 1 where the candidates have no words, expected 0").made_in(
    usual, one_for_nothing={"return 0.0 if c == 0 else 1.0 if c >= r": "return 1.0 if c >= r or c == 0"}
)


@mistake(without_words, "an empty candidate is skipped together with its reference, whose words still belong to r")
def skips_empty(candidates, references):
    kept = [pair for pair in zip(candidates, references, strict=True) if pair[0]]
    return _right(*zip(*kept, strict=True)) if kept else 0.0


@mistake(without_words, "references without words are left out, but one of length 0 may be the closest")
def skips_empty_references(candidates, references):
    return _right(candidates, [[words for words in several if words] or [[]] for several in references])


@mistake(without_words, "a single empty candidate makes the factor 0; expected this only if all candidates are empty")
def any_empty_is_zero(candidates, references):
    return _right(candidates, references) if all(candidates) else 0.0


@mistake(without_words, "an empty candidate counts as one word, expected none")
def a_word_in_each(candidates, references):
    c = sum(max(len(candidate), 1) for candidate in candidates)
    return factor(c, sums(candidates, references)[1])


@mistake(arguments, "the caller's references are sorted in place")
def sorts_in_place(candidates, references):
    for candidate, several in zip(candidates, references, strict=True):
        several.sort(key=lambda words: (abs(len(words) - len(candidate)), len(words)))
    return factor(sum(map(len, candidates)), sum(len(several[0]) for several in references))


@mistake(arguments, "sentences are removed from the caller's lists")
def takes_out(candidates, references):
    c = r = 0
    while candidates:
        candidate, several = candidates.pop(), references.pop()
        c, r = c + len(candidate), r + closest_length(candidate, several)
    return factor(c, r)


@mistake(arguments, "a list is joined to each candidate, which fails if the candidate is a tuple")
def joins_lists(candidates, references):
    words = []
    for candidate in candidates:
        words = words + candidate
    c = len(words)
    return factor(c, sums(candidates, references)[1])


@mistake(long_enough, "r is c plus the distance to the closest reference, as if no reference could be shorter")
def distances_added(candidates, references):
    c = sum(map(len, candidates))
    pairs = zip(candidates, references, strict=True)
    return factor(c, c + sum(min(abs(len(r) - len(one)) for r in several) for one, several in pairs))


@mistake(
    together,
    "one reference length is compared with the sum of all candidates' lengths; expected the sum of the closest lengths",
)
def one_for_all(candidates, references):
    c = sum(map(len, candidates))
    lengths = [len(words) for several in references for words in several]
    return factor(c, min(lengths, key=lambda r: (abs(r - c), r)))


@mistake(
    together,
    "extra words in one sentence do not make up for missing words in another; expected plain sums of the lengths",
)
def surplus_not_counted(candidates, references):
    pairs = [(len(one), closest_length(one, several)) for one, several in zip(candidates, references, strict=True)]
    return factor(sum(min(pair) for pair in pairs), sum(r for _, r in pairs))


@right
def loops(candidates, references):
    c = r = 0
    for index in range(len(candidates)):
        length = len(candidates[index])
        best = None
        for reference in references[index]:
            distance = abs(len(reference) - length)
            if best is None or (distance, len(reference)) < (abs(best - length), best):
                best = len(reference)
        c += length
        r += best
    if c == 0:
        return 0.0
    if c < r:
        return math.exp(1 - r / c)
    return 1.0


@right
def sorted_first(candidates, references):
    r = 0
    for candidate, several in zip(candidates, references, strict=True):
        r += min(sorted(map(len, several)), key=lambda length: abs(length - len(candidate)))
    c = sum(len(candidate) for candidate in candidates)
    return math.exp(min(0.0, 1 - r / c)) if c else 0.0


@right
def with_min(candidates, references):
    c, r = sums(candidates, references)
    return min(1.0, math.exp(1 - r / c)) if c > 0 else 0.0


@right
def through_tensors(candidates, references):
    c = torch.tensor([len(candidate) for candidate in candidates]).sum().double()
    r = torch.tensor([closest_length(*pair) for pair in zip(candidates, references, strict=True)]).sum().double()
    return (1 - r / c).clamp(max=0).exp().item() if c > 0 else 0.0


@right
def caught(candidates, references):
    c, r = sums(candidates, references)
    try:
        return math.exp(min(0.0, 1 - r / c))
    except ZeroDivisionError:
        return 0.0


@right
def whole_numbers(candidates, references):
    c, r = sums(candidates, references)
    if not c:
        return 0
    return 1 if c >= r else math.e ** (1 - r / c)


class BrevityPenalty(nn.Module):
    """A module in the place of a function."""

    def forward(self, candidates, references):
        return _right(candidates, references)


def with_a_pick(pick, candidates, references):
    """For a partial."""
    return factor(sum(map(len, candidates)), sum(map(pick, candidates, references)))


@right
def with_numpy(candidates, references):
    c, r = sum(map(len, candidates)), 0
    for candidate, several in zip(candidates, references, strict=True):
        lengths = np.sort([len(words) for words in several])
        r += lengths[np.abs(lengths - len(candidate)).argmin()]
    return np.exp(min(0.0, 1 - r / c)) if c else np.float64(0.0)


@right
def with_fractions(candidates, references):
    c, r = sums(candidates, references)
    return math.exp(min(Fraction(0), 1 - Fraction(r, c))) if c else Fraction(0)


@forbidden
def sacrebleus_own(candidates, references):
    import sacrebleu

    columns = [[" ".join(words) for words in column] for column in zip(*references, strict=True)]
    return sacrebleu.BLEU(tokenize="none").corpus_score([" ".join(words) for words in candidates], columns).bp


right(BrevityPenalty())


right(functools.partial(with_a_pick, closest_length))


right(lambda candidates, references: factor(*sums(candidates, references)))
