"""What students hand in for `sentence_bleu`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import itertools
import math
import statistics
from fractions import Fraction

import torch
from torch import nn

EXERCISE = "sentence_bleu"


def counted(candidate, references, count):
    """Matches and totals for each n that the sentence has."""
    pairs = [count(candidate, references, n) for n in range(1, 5)]
    return [(m, t) for m, t in pairs if t]


def smoothed(above):
    """BLEU with another number above the line where nothing matches: of n, how many n had no match up to here, and the total."""

    def score(candidate, references, count, penalty):
        values, zeros = [], 0
        for n, (matches, total) in enumerate(counted(candidate, references, count), start=1):
            zeros += matches == 0
            if n == 1 and not matches:
                return 0.0
            values.append((matches or above(n, zeros, total)) / total)
        return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values) if values else 0.0

    return score


right = smoothed(lambda n, zeros, total: 0.5**zeros)


def from_zero_to_one(candidate, references, count, penalty):
    """Not in percent."""
    return right(candidate, references, count, penalty) / 100


def with_mean(mean):
    """The right precisions with another mean."""

    def score(candidate, references, count, penalty):
        values, zeros = [], 0
        for matches, total in counted(candidate, references, count):
            zeros += matches == 0
            values.append((matches or 0.5**zeros) / total)
        if not values or zeros == len(values):
            return 0.0
        return 100 * penalty([candidate], [references]) * mean(values)

    return score


def arithmetic_mean(candidate, references, count, penalty):
    """The logs are forgotten."""
    return with_mean(statistics.fmean)(candidate, references, count, penalty)


def product(candidate, references, count, penalty):
    """The root is forgotten."""
    return with_mean(math.prod)(candidate, references, count, penalty)


def up_to_three(candidate, references, count, penalty):
    """range() ends before its end."""
    return right(candidate, references, lambda c, r, n: count(c, r, n) if n < 4 else (0, 0), penalty)


def only_words(candidate, references, count, penalty):
    """n is 1."""
    return with_mean(lambda values: values[0])(candidate, references, count, penalty)


def log_of_base_two(candidate, references, count, penalty):
    """Two bases."""
    return with_mean(lambda values: math.exp(sum(map(math.log2, values)) / len(values)))(
        candidate, references, count, penalty
    )


def a_list_of_one(candidate, references, count, penalty):
    """A list for a number."""
    return [right(candidate, references, count, penalty)]


def a_tensor(candidate, references, count, penalty):
    """A tensor for a number."""
    return torch.tensor(right(candidate, references, count, penalty))


def nothing_returned(candidate, references, count, penalty):
    """The return is missing."""
    right(candidate, references, count, penalty)


def rounded(candidate, references, count, penalty):
    """The score is rounded to one decimal."""
    return round(right(candidate, references, count, penalty), 1)


def counts_a_list(candidate, references, count, penalty):
    """clipped_precision is given lists of one."""
    values = [m / t for m, t in (count([candidate], [references], n) for n in range(1, 5))]
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values)


def adds_one_everywhere(candidate, references, count, penalty):
    """1 is added to the numerator and the denominator for every n, except where nothing matches at all."""
    pairs = counted(candidate, references, count)
    if not any(m for m, _ in pairs):
        return 0.0
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean([(m + 1) / (t + 1) for m, t in pairs])


def add_k(candidate, references, count, penalty):
    """1 above and below for n > 1."""
    pairs = counted(candidate, references, count)
    if not any(m for m, _ in pairs):
        return 0.0
    values = [(m + (n > 0)) / (t + (n > 0)) for n, (m, t) in enumerate(pairs)]
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values)


def no_penalty(candidate, references, count, penalty):
    """The factor is forgotten."""
    return right(candidate, references, count, lambda c, r: 1.0)


def penalty_divides(candidate, references, count, penalty):
    """/ for *."""
    return right(candidate, references, count, lambda c, r: 1 / penalty(c, r))


def penalty_under_the_root(candidate, references, count, penalty):
    """It multiplies what the root is taken of."""
    return right(candidate, references, count, lambda c, r: penalty(c, r) ** 0.25)


def penalty_twice(candidate, references, count, penalty):
    """Squared."""
    return right(candidate, references, count, lambda c, r: penalty(c, r) ** 2)


def penalty_in_the_exponent(candidate, references, count, penalty):
    """exp of the factor."""
    return right(
        candidate, references, count, lambda c, r: penalty(c, r) if penalty(c, r) == 1 else math.exp(penalty(c, r))
    )


def not_smoothed(candidate, references, count, penalty):
    """0 where nothing matches for some n."""
    pairs = counted(candidate, references, count)
    return right(candidate, references, count, penalty) if all(m for m, _ in pairs) else 0.0


def log_of_zero(candidate, references, count, penalty):
    """Nothing is asked before the log."""
    pairs = counted(candidate, references, count)
    if not pairs or not pairs[0][0]:
        return 0.0
    logs = [math.log(m / t) for m, t in pairs]
    return 100 * penalty([candidate], [references]) * math.exp(sum(logs) / len(logs))


def epsilon(candidate, references, count, penalty):
    """A small constant is used as the numerator."""
    return smoothed(lambda n, zeros, total: 1e-9)(candidate, references, count, penalty)


def a_whole_match(candidate, references, count, penalty):
    """1 above the line."""
    return smoothed(lambda n, zeros, total: 1)(candidate, references, count, penalty)


def a_tenth(candidate, references, count, penalty):
    """sacreBLEU's floor."""
    return smoothed(lambda n, zeros, total: 0.1)(candidate, references, count, penalty)


def a_half_for_the_precision(candidate, references, count, penalty):
    """The total is forgotten."""
    return smoothed(lambda n, zeros, total: 0.5**zeros * total)(candidate, references, count, penalty)


def two_to_the_n(candidate, references, count, penalty):
    """Halved n times."""
    return smoothed(lambda n, zeros, total: 0.5**n)(candidate, references, count, penalty)


def halved_too_late(candidate, references, count, penalty):
    """The first one is whole."""
    return smoothed(lambda n, zeros, total: 0.5 ** (zeros - 1))(candidate, references, count, penalty)


def halved_too_early(candidate, references, count, penalty):
    """The first one is a quarter."""
    return smoothed(lambda n, zeros, total: 0.5 ** (zeros + 1))(candidate, references, count, penalty)


def zeros_left_out(candidate, references, count, penalty):
    """The mean of those that are not 0."""
    values = [m / t for m, t in counted(candidate, references, count) if m]
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values) if values else 0.0


def always_a_half(candidate, references, count, penalty):
    """Half a match each time."""
    return smoothed(lambda n, zeros, total: 0.5)(candidate, references, count, penalty)


def two_more_each_time(candidate, references, count, penalty):
    """1/2, 1/4, 1/6."""
    return smoothed(lambda n, zeros, total: 0.5 / zeros)(candidate, references, count, penalty)


def one_more_each_time(candidate, references, count, penalty):
    """1/2, 1/3, 1/4."""
    return smoothed(lambda n, zeros, total: 1 / (zeros + 1))(candidate, references, count, penalty)


def stops_at_zero(candidate, references, count, penalty):
    """The loop ends after the first n without a match."""
    pairs = counted(candidate, references, count)
    values = []
    for matches, total in pairs:
        values.append((matches or 0.5) / total)
        if not matches:
            break
    if not pairs or not pairs[0][0]:
        return 0.0
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values)


def always_four(candidate, references, count, penalty):
    """0 where there are not four n."""
    return right(candidate, references, count, penalty) if len(candidate) >= 4 else 0.0


def divided_by_four(candidate, references, count, penalty):
    """The sum of the logs that there are, divided by four."""

    def mean(values):
        return math.prod(values) ** 0.25

    return with_mean(mean)(candidate, references, count, penalty)


def smooths_what_is_not_there(candidate, references, count, penalty):
    """No trigrams are taken for trigrams that do not match."""

    def at_least_one(c, r, n):
        matches, total = count(c, r, n)
        return matches, total or (1 if len(c) else 0)

    return right(candidate, references, at_least_one, penalty)


def divides_by_zero(candidate, references, count, penalty):
    """Nothing is asked before the division."""
    if not count(candidate, references, 1)[0]:
        return 0.0
    values, share = [], 1.0
    for n in range(1, 5):
        matches, total = count(candidate, references, n)
        if matches == 0:
            share /= 2
        values.append((matches or share) / total)
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values)


def order_of_the_matches(candidate, references, count, penalty):
    """In short sentences, n goes only as far as something matches."""
    pairs = counted(candidate, references, count)
    if len(pairs) < 4:
        pairs = [pair for pair in pairs if pair[0]]
        values = [m / t for m, t in pairs]
        return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values) if values else 0.0
    return right(candidate, references, count, penalty)


def short_ones_not_smoothed(candidate, references, count, penalty):
    """A short sentence is smoothed only if it has four words."""
    pairs = counted(candidate, references, count)
    if len(pairs) < 4 and not all(m for m, _ in pairs):
        return 0.0
    return right(candidate, references, count, penalty)


def smooths_everything(candidate, references, count, penalty):
    """A sentence that has nothing in common with its references gets a score above 0."""
    values, zeros = [], 0
    for matches, total in counted(candidate, references, count):
        zeros += matches == 0
        values.append((matches or 0.5**zeros) / total)
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values) if values else 0.0


def mean_of_nothing(candidate, references, count, penalty):
    """An empty candidate is an error."""
    pairs = counted(candidate, references, count)
    if pairs and not pairs[0][0]:
        return 0.0
    values, zeros = [], 0
    for matches, total in pairs:
        zeros += matches == 0
        values.append((matches or 0.5**zeros) / total)
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values)


def empty_is_perfect(candidate, references, count, penalty):
    """The score of an empty candidate is the exponential of an empty sum."""
    return right(candidate, references, count, penalty) if candidate else 100.0


def not_a_number(candidate, references, count, penalty):
    """NaN is returned in place of 0."""
    return right(candidate, references, count, penalty) or math.nan


def takes_words_out(candidate, references, count, penalty):
    """The candidate is empty afterwards."""
    score = right(candidate, references, count, penalty)
    candidate.clear()
    return score


def sorts_references(candidate, references, count, penalty):
    """The references are put in order, and one is doubled."""
    score = right(candidate, references, count, penalty)
    references.append(references[0])
    return score


def joins_lists(candidate, references, count, penalty):
    """A list and a tuple do not add up."""
    return right(candidate + [], references, count, penalty)


def half_everywhere(candidate, references, count, penalty):
    """Half a match is added, whether or not anything matches."""
    pairs = counted(candidate, references, count)
    if not any(m for m, _ in pairs):
        return 0.0
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean([(m + 0.5) / t for m, t in pairs])


def not_in_lists(candidate, references, count, penalty):
    """The sentence for a list of sentences."""
    return right(candidate, references, count, lambda c, r: penalty(candidate, references))


def last_n_missing(candidate, references, count, penalty):
    """range() up to the number of words."""
    last = min(4, len(candidate))
    return right(candidate, references, lambda c, r, n: count(c, r, n) if n < last else (0, 0), penalty)


def halves_the_precision(candidate, references, count, penalty):
    """The precision is half the previous one."""
    values = []
    for matches, total in counted(candidate, references, count):
        if not matches and not values:
            return 0.0
        values.append(matches / total if matches else values[-1] / 2)
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values) if values else 0.0


def as_far_as_the_shortest_reference(candidate, references, clipped_precision, brevity_penalty):
    """n goes only as far as the shortest reference has n-grams."""
    most = min(4, len(candidate), *(len(reference) for reference in references))
    counts = [clipped_precision(candidate, references, n) for n in range(1, most + 1)]
    if not any(matches for matches, _ in counts):
        return 0.0
    part, shares = 1.0, []
    for matches, total in counts:
        part = part if matches else part / 2
        shares.append((matches or part) / total)
    return 100 * brevity_penalty([candidate], [references]) * math.prod(shares) ** (1 / len(shares))


_MEAN = "if something matches for every n, the score is the geometric mean"
_PENALTY = "the score is multiplied by the brevity penalty"
_HALF = "the first n without a match counts as half a match"
_AGAIN = "each further n without a match counts half as much as the one before"
_SHORT = "n goes only as far as the sentence has n-grams"
_SHORT_ZERO = "short sentences are smoothed too"
_NOTHING = "the score is 0 if no word matches, or if there are no words"
_ARGUMENTS = "sentences may be tuples or lists, and are left as they were"

WRONG = {
    as_far_as_the_shortest_reference: _MEAN,
    from_zero_to_one: _MEAN,
    arithmetic_mean: _MEAN,
    product: _MEAN,
    up_to_three: _MEAN,
    only_words: _MEAN,
    log_of_base_two: _MEAN,
    a_list_of_one: _MEAN,
    a_tensor: _MEAN,
    nothing_returned: _MEAN,
    rounded: _MEAN,
    counts_a_list: _MEAN,
    adds_one_everywhere: _MEAN,
    add_k: _MEAN,
    half_everywhere: _MEAN,
    not_in_lists: _MEAN,
    last_n_missing: _MEAN,
    no_penalty: _PENALTY,
    penalty_divides: _PENALTY,
    penalty_under_the_root: _PENALTY,
    penalty_twice: _PENALTY,
    penalty_in_the_exponent: _PENALTY,
    not_smoothed: _HALF,
    log_of_zero: _HALF,
    epsilon: _HALF,
    a_whole_match: _HALF,
    a_tenth: _HALF,
    a_half_for_the_precision: _HALF,
    two_to_the_n: _HALF,
    halved_too_late: _HALF,
    halved_too_early: _HALF,
    halves_the_precision: _HALF,
    zeros_left_out: _HALF,
    always_a_half: _AGAIN,
    two_more_each_time: _AGAIN,
    one_more_each_time: _AGAIN,
    stops_at_zero: _AGAIN,
    always_four: _SHORT,
    divided_by_four: _SHORT,
    smooths_what_is_not_there: _SHORT,
    divides_by_zero: _SHORT,
    order_of_the_matches: _SHORT_ZERO,
    short_ones_not_smoothed: _SHORT_ZERO,
    smooths_everything: _NOTHING,
    mean_of_nothing: _NOTHING,
    empty_is_perfect: _NOTHING,
    not_a_number: _NOTHING,
    takes_words_out: _ARGUMENTS,
    sorts_references: _ARGUMENTS,
    joins_lists: _ARGUMENTS,
}


def loops(candidate, references, clipped_precision, brevity_penalty):
    """As sacreBLEU does it."""
    smooth, logs, order = 1, 0.0, 0
    any_match = False
    for n in range(1, 5):
        matches, total = clipped_precision(candidate, references, n)
        if total == 0:
            break
        order = n
        if matches == 0:
            smooth *= 2
            logs += math.log(100.0 / (smooth * total))
        else:
            any_match = True
            logs += math.log(100.0 * matches / total)
    if not any_match:
        return 0.0
    return brevity_penalty([candidate], [references]) * math.exp(logs / order)


def by_length(candidate, references, count, penalty):
    """The last n from the number of words."""
    last = min(4, len(candidate))
    if last == 0 or count(candidate, references, 1)[0] == 0:
        return 0.0
    zeros, score = 0, 1.0
    for n in range(1, last + 1):
        matches, total = count(candidate, references, n)
        if not matches:
            zeros += 1
            matches = 1 / 2**zeros
        score *= matches / total
    return 100 * penalty([candidate], [references]) * score ** (1 / last)


def through_tensors(candidate, references, count, penalty):
    """Counted in a tensor."""
    pairs = counted(candidate, references, count)
    if not pairs or pairs[0][0] == 0:
        return 0
    sums = torch.tensor(pairs, dtype=torch.float64)
    nothing = sums[:, 0] == 0
    above = torch.where(nothing, 0.5 ** nothing.cumsum(0), sums[:, 0])
    return (100 * penalty([candidate], [references]) * (above / sums[:, 1]).log().mean().exp()).item()


def with_tuples(candidate, references, count, penalty):
    """Tuples of one."""
    return right(candidate, references, count, lambda c, r: penalty((candidate,), (references,)))


class SentenceBLEU(nn.Module):
    """A module in the place of a function."""

    def forward(self, candidate, references, clipped_precision, brevity_penalty):
        return right(candidate, references, clipped_precision, brevity_penalty)


def with_a_mean(mean, candidate, references, count, penalty):
    """For a partial."""
    return with_mean(mean)(candidate, references, count, penalty)


def taken_while(candidate, references, clipped_precision, brevity_penalty):
    """An iterator that ends where there are no n-grams; exact up to the root."""
    pairs = (clipped_precision(candidate, references, n) for n in itertools.count(1) if n < 5)
    pairs = list(itertools.takewhile(lambda pair: pair[1], itertools.islice(pairs, min(len(candidate), 4))))
    if not pairs or not pairs[0][0]:
        return 0
    zeros = itertools.count(1)
    exact = math.prod(Fraction(m, t) if m else Fraction(1, 2 ** next(zeros) * t) for m, t in pairs)
    return 100 * brevity_penalty([candidate], [references]) * float(exact) ** (1 / len(pairs))


def recursive(candidate, references, count, penalty, n=1, share=1.0, logs=()):
    """One n after the other, each in a call of its own."""
    matches, total = count(candidate, references, n) if n <= 4 else (0, 0)
    if n == 1 and matches == 0:
        return 0.0
    if total == 0:
        return 100 * penalty([candidate], [references]) * math.exp(sum(logs) / len(logs))
    share = share if matches else share / 2
    return recursive(candidate, references, count, penalty, n + 1, share, (*logs, math.log((matches or share) / total)))


RIGHT = {
    "smoothed": right,
    "loops": loops,
    "by length": by_length,
    "through tensors": through_tensors,
    "with tuples": with_tuples,
    "taken while": taken_while,
    "recursive": recursive,
    "a module": SentenceBLEU(),
    "a partial": functools.partial(with_a_mean, statistics.geometric_mean),
    "a lambda": lambda candidate, references, p, b: right(candidate, references, p, b),
}
