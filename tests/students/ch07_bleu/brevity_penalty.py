"""What students hand in for `brevity_penalty`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
rule of the exercise.
"""

import functools
import math
import statistics
from fractions import Fraction

import numpy as np
import torch
from torch import nn

EXERCISE = "brevity_penalty"


def closest(candidate, several):
    """The length of the closest reference."""
    return min((abs(len(r) - len(candidate)), len(r)) for r in several)[1]


def sums(candidates, references):
    """c and r."""
    pairs = zip(candidates, references, strict=True)
    return sum(map(len, candidates)), sum(closest(*pair) for pair in pairs)


def factor(c, r):
    """The factor, for the mistakes that are made elsewhere."""
    if c == 0:
        return 0.0
    return 1.0 if c >= r else math.exp(1 - r / c)


def right(candidates, references):
    """The right factor."""
    return factor(*sums(candidates, references))


def ratio_inverted(candidates, references):
    """c / r for r / c."""
    c, r = sums(candidates, references)
    return 0.0 if c == 0 else 1.0 if c >= r else math.exp(1 - c / r)


def case_inverted(candidates, references):
    """The two cases are exchanged."""
    c, r = sums(candidates, references)
    return 0.0 if c == 0 else 1.0 if c < r else math.exp(1 - r / c)


def ratio(candidates, references):
    """No exponential."""
    c, r = sums(candidates, references)
    return min(1.0, c / r) if c else 0.0


def no_exponential(candidates, references):
    """The exponent."""
    c, r = sums(candidates, references)
    return 0.0 if c == 0 else 1.0 if c >= r else 1 - r / c


def no_one(candidates, references):
    """exp(-r / c)."""
    c, r = sums(candidates, references)
    return 0.0 if c == 0 else 1.0 if c >= r else math.exp(-r / c)


def difference_of_lengths(candidates, references):
    """exp(c - r)."""
    c, r = sums(candidates, references)
    return math.exp(min(0, c - r)) if c else 0.0


def relative_to_the_reference(candidates, references):
    """exp(c / r - 1)."""
    c, r = sums(candidates, references)
    return math.exp(min(0, c / r - 1)) if c else 0.0


def in_percent(candidates, references):
    """From 0 to 100."""
    return 100 * right(candidates, references)


def never_paid(candidates, references):
    """The whole test set is taken for a sentence of so many words."""
    return 1.0 if sum(map(len, candidates)) else 0.0


def letters(candidates, references):
    """The number of letters is counted in place of the number of words."""
    texts = ["".join(words) for words in candidates]
    return right(texts, [["".join(words) for words in several] for several in references])


def a_tensor(candidates, references):
    """A tensor for a number."""
    return torch.tensor(right(candidates, references))


def rounded(candidates, references):
    """The factor is rounded to two decimals."""
    return round(right(candidates, references), 2)


def nothing_returned(candidates, references):
    """The return is missing."""
    right(candidates, references)


def base_two(candidates, references):
    """A power of 2 is used in place of the exponential."""
    c, r = sums(candidates, references)
    return 0.0 if c == 0 else 1.0 if c >= r else 2 ** (1 - r / c)


def above_one(candidates, references):
    """Only one case."""
    c, r = sums(candidates, references)
    return math.exp(1 - r / c) if c else 0.0


def too_long_pays(candidates, references):
    """The larger over the smaller."""
    c, r = sums(candidates, references)
    return math.exp(1 - max(c, r) / min(c, r)) if c and r else 0.0


def too_long_is_nothing(candidates, references):
    """0 in the other case."""
    c, r = sums(candidates, references)
    return math.exp(1 - r / c) if 0 < c < r else 0.0


def equal_pays(candidates, references):
    """A factor of 0 where c equals r."""
    c, r = sums(candidates, references)
    return 0.0 if c in (0, r) else 1.0 if c > r else math.exp(1 - r / c)


def with_reference(pick):
    """A factor whose reference is picked otherwise."""

    def penalty(candidates, references):
        pairs = zip(candidates, references, strict=True)
        r = sum(pick(len(candidate), [len(words) for words in several]) for candidate, several in pairs)
        return factor(sum(map(len, candidates)), r)

    return penalty


def shortest(candidates, references):
    """The shortest reference."""
    return with_reference(lambda length, others: min(others))(candidates, references)


def longest(candidates, references):
    """The longest reference."""
    return with_reference(lambda length, others: max(others))(candidates, references)


def mean_length(candidates, references):
    """The mean length of the references."""
    return with_reference(lambda length, others: statistics.fmean(others))(candidates, references)


def all_lengths(candidates, references):
    """All references added up."""
    return with_reference(lambda length, others: sum(others))(candidates, references)


def first_reference(candidates, references):
    """The first reference."""
    return with_reference(lambda length, others: others[0])(candidates, references)


def last_reference(candidates, references):
    """The last reference."""
    return with_reference(lambda length, others: others[-1])(candidates, references)


def farthest(candidates, references):
    """max for min."""
    return with_reference(lambda length, others: max(others, key=lambda o: abs(o - length)))(candidates, references)


def distance_with_sign(candidates, references):
    """abs is forgotten."""
    return with_reference(lambda length, others: min(others, key=lambda o: o - length))(candidates, references)


def only_longer_ones(candidates, references):
    """References that are shorter are not looked at, unless there are no others."""

    def pick(length, others):
        return min((o for o in others if o >= length), default=min(others))

    return with_reference(pick)(candidates, references)


def only_shorter_ones(candidates, references):
    """References that are longer are not looked at, unless there are no others."""

    def pick(length, others):
        return max((o for o in others if o <= length), default=max(others))

    return with_reference(pick)(candidates, references)


def median_length(candidates, references):
    """The length in the middle."""
    return with_reference(lambda length, others: sorted(others)[len(others) // 2])(candidates, references)


def first_of_ties(candidates, references):
    """min() takes whichever comes first."""
    return with_reference(lambda length, others: min(others, key=lambda o: abs(o - length)))(candidates, references)


def last_of_ties(candidates, references):
    """<= for <."""

    def pick(length, others):
        best = others[0]
        for other in others:
            if abs(other - length) <= abs(best - length):
                best = other
        return best

    return with_reference(pick)(candidates, references)


def longer_of_ties(candidates, references):
    """The longer of two."""

    def pick(length, others):
        return min(others, key=lambda o: (abs(o - length), -o))

    return with_reference(pick)(candidates, references)


def each(candidates, references):
    """The factor of each sentence."""
    return [right([c], [r]) for c, r in zip(candidates, references, strict=True)]


def mean_of_factors(candidates, references):
    """Sentence by sentence."""
    return statistics.fmean(each(candidates, references))


def product_of_factors(candidates, references):
    """Multiplied."""
    return math.prod(each(candidates, references))


def sum_of_factors(candidates, references):
    """Added up."""
    return sum(each(candidates, references))


def first_sentence(candidates, references):
    """The loop returns in its first round."""
    return each(candidates, references)[0]


def last_sentence(candidates, references):
    """Nothing is added up."""
    for candidate, several in zip(candidates, references, strict=True):
        c, r = len(candidate), closest(candidate, several)
    return factor(c, r)


def least_of_factors(candidates, references):
    """The worst sentence."""
    return min(each(candidates, references))


def mean_of_ratios(candidates, references):
    """The mean of r / c over the sentences is used."""
    pairs = list(zip(candidates, references, strict=True))
    if not any(candidates):
        return 0.0
    return min(1.0, math.exp(1 - statistics.fmean(closest(c, s) / max(len(c), 1) for c, s in pairs)))


def closest_set(candidates, references):
    """The first references of all sentences are taken together, the second ones, and so on; the closest sum counts."""
    c = sum(map(len, candidates))
    columns = [sum(map(len, column)) for column in zip(*references, strict=False)]
    return factor(c, min(columns, key=lambda r: (abs(r - c), r)))


def place_of_the_first(candidates, references):
    """Which reference is the closest is asked of the first sentence alone."""
    lengths = [(abs(len(words) - len(candidates[0])), len(words)) for words in references[0]]
    place = lengths.index(min(lengths))
    return factor(sum(map(len, candidates)), sum(len(several[min(place, len(several) - 1)]) for several in references))


def divides_by_zero(candidates, references):
    """The case c = 0 is not handled."""
    c, r = sums(candidates, references)
    return 1.0 if c >= r else math.exp(1 - r / c)


def one_for_nothing(candidates, references):
    """The factor is 1 where there are no words."""
    c, r = sums(candidates, references)
    return 1.0 if c >= r or c == 0 else math.exp(1 - r / c)


def skips_empty(candidates, references):
    """An empty candidate is skipped together with its reference."""
    kept = [pair for pair in zip(candidates, references, strict=True) if pair[0]]
    return right(*zip(*kept, strict=True)) if kept else 0.0


def any_empty_is_zero(candidates, references):
    """A single empty candidate makes the factor 0."""
    return right(candidates, references) if all(candidates) else 0.0


def a_word_in_each(candidates, references):
    """An empty candidate counts as one word."""
    c = sum(max(len(candidate), 1) for candidate in candidates)
    return factor(c, sums(candidates, references)[1])


def sorts_in_place(candidates, references):
    """The caller's references stand in another order."""
    for candidate, several in zip(candidates, references, strict=True):
        several.sort(key=lambda words: (abs(len(words) - len(candidate)), len(words)))
    return factor(sum(map(len, candidates)), sum(len(several[0]) for several in references))


def takes_out(candidates, references):
    """The caller's lists are empty afterwards."""
    c = r = 0
    while candidates:
        candidate, several = candidates.pop(), references.pop()
        c, r = c + len(candidate), r + closest(candidate, several)
    return factor(c, r)


def joins_lists(candidates, references):
    """A list and a tuple do not add up."""
    words = []
    for candidate in candidates:
        words = words + candidate
    c = len(words)
    return factor(c, sums(candidates, references)[1])


def distances_added(candidates, references):
    """r is c plus all distances."""
    c = sum(map(len, candidates))
    pairs = zip(candidates, references, strict=True)
    return factor(c, c + sum(min(abs(len(r) - len(one)) for r in several) for one, several in pairs))


def one_for_all(candidates, references):
    """The closest of all references to the length of all candidates."""
    c = sum(map(len, candidates))
    lengths = [len(words) for several in references for words in several]
    return factor(c, min(lengths, key=lambda r: (abs(r - c), r)))


def surplus_not_counted(candidates, references):
    """Extra words in one sentence do not make up for missing words in another."""
    pairs = [(len(one), closest(one, several)) for one, several in zip(candidates, references, strict=True)]
    return factor(sum(min(pair) for pair in pairs), sum(r for _, r in pairs))


_SHORT = "the factor for a sentence that is too short is exp(1 - r / c)"
_LONG = "a sentence that is long enough gets no penalty"
_CLOSEST = "of several references, the one with the closest length counts"
_TIES = "if two references are equally close, the shorter one counts"
_TOGETHER = "the lengths of all sentences are added up first"
_EACH = "the closest reference is chosen for each sentence separately"
_EMPTY = "a candidate without words counts, and causes no error"
_ARGUMENTS = "sentences may be tuples or lists, and are left as they were"

WRONG = {
    ratio_inverted: _SHORT,
    case_inverted: _SHORT,
    ratio: _SHORT,
    no_exponential: _SHORT,
    no_one: _SHORT,
    difference_of_lengths: _SHORT,
    relative_to_the_reference: _SHORT,
    in_percent: _SHORT,
    never_paid: _SHORT,
    letters: _SHORT,
    a_tensor: _SHORT,
    rounded: _SHORT,
    nothing_returned: _SHORT,
    base_two: _SHORT,
    above_one: _LONG,
    distances_added: _LONG,
    too_long_pays: _LONG,
    too_long_is_nothing: _LONG,
    equal_pays: _LONG,
    shortest: _CLOSEST,
    longest: _CLOSEST,
    mean_length: _CLOSEST,
    all_lengths: _CLOSEST,
    first_reference: _CLOSEST,
    last_reference: _CLOSEST,
    farthest: _CLOSEST,
    distance_with_sign: _CLOSEST,
    only_longer_ones: _CLOSEST,
    only_shorter_ones: _CLOSEST,
    median_length: _CLOSEST,
    first_of_ties: _TIES,
    last_of_ties: _TIES,
    longer_of_ties: _TIES,
    mean_of_factors: _TOGETHER,
    product_of_factors: _TOGETHER,
    sum_of_factors: _TOGETHER,
    one_for_all: _TOGETHER,
    surplus_not_counted: _TOGETHER,
    first_sentence: _TOGETHER,
    last_sentence: _TOGETHER,
    least_of_factors: _TOGETHER,
    mean_of_ratios: _TOGETHER,
    closest_set: _EACH,
    place_of_the_first: _EACH,
    divides_by_zero: _EMPTY,
    one_for_nothing: _EMPTY,
    skips_empty: _EMPTY,
    any_empty_is_zero: _EMPTY,
    a_word_in_each: _EMPTY,
    sorts_in_place: _ARGUMENTS,
    takes_out: _ARGUMENTS,
    joins_lists: _ARGUMENTS,
}


def loops(candidates, references):
    """Length by length."""
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


def sorted_first(candidates, references):
    """Sorted by length, so that min() takes the shorter of two."""
    r = 0
    for candidate, several in zip(candidates, references, strict=True):
        r += min(sorted(map(len, several)), key=lambda length: abs(length - len(candidate)))
    c = sum(len(candidate) for candidate in candidates)
    return math.exp(min(0.0, 1 - r / c)) if c else 0.0


def with_min(candidates, references):
    """The smaller of 1 and the formula."""
    c, r = sums(candidates, references)
    return min(1.0, math.exp(1 - r / c)) if c > 0 else 0.0


def through_tensors(candidates, references):
    """Counted in tensors, and taken out at the end."""
    c = torch.tensor([len(candidate) for candidate in candidates]).sum().double()
    r = torch.tensor([closest(*pair) for pair in zip(candidates, references, strict=True)]).sum().double()
    return (1 - r / c).clamp(max=0).exp().item() if c > 0 else 0.0


def caught(candidates, references):
    """The error is caught."""
    c, r = sums(candidates, references)
    try:
        return math.exp(min(0.0, 1 - r / c))
    except ZeroDivisionError:
        return 0.0


def whole_numbers(candidates, references):
    """0 and 1 are whole numbers."""
    c, r = sums(candidates, references)
    if not c:
        return 0
    return 1 if c >= r else math.e ** (1 - r / c)


class BrevityPenalty(nn.Module):
    """A module in the place of a function."""

    def forward(self, candidates, references):
        return right(candidates, references)


def with_a_pick(pick, candidates, references):
    """For a partial."""
    return factor(sum(map(len, candidates)), sum(map(pick, candidates, references)))


def with_numpy(candidates, references):
    """Sorted lengths and argmin; NumPy's float."""
    c, r = sum(map(len, candidates)), 0
    for candidate, several in zip(candidates, references, strict=True):
        lengths = np.sort([len(words) for words in several])
        r += lengths[np.abs(lengths - len(candidate)).argmin()]
    return np.exp(min(0.0, 1 - r / c)) if c else np.float64(0.0)


def with_fractions(candidates, references):
    """An exact exponent."""
    c, r = sums(candidates, references)
    return math.exp(min(Fraction(0), 1 - Fraction(r, c))) if c else Fraction(0)


RIGHT = {
    "sums": right,
    "loops": loops,
    "sorted first": sorted_first,
    "with min": with_min,
    "through tensors": through_tensors,
    "caught": caught,
    "whole numbers": whole_numbers,
    "with NumPy": with_numpy,
    "with fractions": with_fractions,
    "a module": BrevityPenalty(),
    "a partial": functools.partial(with_a_pick, closest),
    "a lambda": lambda candidates, references: factor(*sums(candidates, references)),
}


def sacrebleus_own(candidates, references):
    """The rule is that this is not used."""
    import sacrebleu

    columns = [[" ".join(words) for words in column] for column in zip(*references, strict=True)]
    return sacrebleu.BLEU(tokenize="none").corpus_score([" ".join(words) for words in candidates], columns).bp


FORBIDDEN = (sacrebleus_own,)
