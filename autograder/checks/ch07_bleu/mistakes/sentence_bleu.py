"""Mistakes in `sentence_bleu`, and right answers in other styles."""

import functools
import itertools
import math
import statistics
from fractions import Fraction

import torch
from torch import nn

from autograder.checks.ch07_bleu.sentence_bleu import (
    arguments,
    four,
    more_zeros,
    nothing,
    one_zero,
    penalised,
    short,
    short_and_zero,
)
from autograder.judging.catalogue import mistake, right


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


_right = smoothed(lambda n, zeros, total: 0.5**zeros)
right(_right)


@mistake(four, "the references are joined into one, expected each of them apart")
def joins_references(candidate, references, count, penalty):
    joined = [[word for reference in references for word in reference]]
    return _right(candidate, joined, count, lambda *_: penalty([candidate], [references]))


@mistake(four, "the score is a number from 0 to 1, expected from 0 to 100")
def from_zero_to_one(candidate, references, count, penalty):
    return _right(candidate, references, count, penalty) / 100


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


@mistake(four, "the result is the arithmetic mean of the four precisions, expected the geometric mean")
def arithmetic_mean(candidate, references, count, penalty):
    return with_mean(statistics.fmean)(candidate, references, count, penalty)


@mistake(four, "the exponential of the mean precision is taken: the logs are missing")
def exp_of_the_mean(candidate, references, count, penalty):
    return with_mean(lambda values: math.exp(statistics.fmean(values)))(candidate, references, count, penalty)


@mistake(four, "the result is 100 times the mean of the logs: the exponential is missing")
def mean_of_logs(candidate, references, count, penalty):
    return with_mean(lambda values: statistics.fmean(map(math.log, values)))(candidate, references, count, penalty)


@mistake(
    four,
    "the result is the product of the four precisions: the fourth root is missing, or the ¼ in front of the sum of logs",
)
def product(candidate, references, count, penalty):
    return with_mean(math.prod)(candidate, references, count, penalty)


@mistake(four, "n stops at 3, expected n = 1, 2, 3 and 4")
def up_to_three(candidate, references, count, penalty):
    return _right(candidate, references, lambda c, r, n: count(c, r, n) if n < 4 else (0, 0), penalty)


@mistake(four, "only single words are counted, expected n = 1, 2, 3 and 4")
def only_words(candidate, references, count, penalty):
    return with_mean(lambda values: values[0])(candidate, references, count, penalty)


mistake(four, "the logarithm has a different base from the exponential: math.log and math.exp belong together").made_in(
    exp_of_the_mean, log_of_base_two={"statistics.fmean(values)": "sum(map(math.log2, values)) / len(values)"}
)


@mistake(four, "the result is a list, expected a number")
def a_list_of_one(candidate, references, count, penalty):
    return [_right(candidate, references, count, penalty)]


@mistake(four, "the result is a tensor, expected a number")
def a_tensor(candidate, references, count, penalty):
    return torch.tensor(_right(candidate, references, count, penalty))


@mistake(four, "there is no return")
def nothing_returned(candidate, references, count, penalty):
    _right(candidate, references, count, penalty)


@mistake(four, "the result is rounded, expected all of its digits")
def rounded(candidate, references, count, penalty):
    return round(_right(candidate, references, count, penalty), 1)


@mistake(four, "clipped_precision gets the candidate and the references in lists of one, expected them as they are")
def counts_a_list(candidate, references, count, penalty):
    values = [m / t for m, t in (count([candidate], [references], n) for n in range(1, 5))]
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values)


@mistake(four, "1 is added to the numerator and the denominator for every n, even where nothing needs smoothing")
def adds_one_everywhere(candidate, references, count, penalty):
    pairs = counted(candidate, references, count)
    if not any(m for m, _ in pairs):
        return 0.0
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean([(m + 1) / (t + 1) for m, t in pairs])


@mistake(
    four,
    "1 is added to the numerator and the denominator for n > 1, which is sacreBLEU's “add-k”, even where nothing needs smoothing",
)
def add_k(candidate, references, count, penalty):
    pairs = counted(candidate, references, count)
    if not any(m for m, _ in pairs):
        return 0.0
    values = [(m + (n > 0)) / (t + (n > 0)) for n, (m, t) in enumerate(pairs)]
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values)


def with_counts(change):
    """The mean of the precisions of which matches and total were changed, unsmoothed otherwise: of n, the matches and the total."""

    def score(candidate, references, count, penalty):
        pairs = counted(candidate, references, count)
        if not any(m for m, _ in pairs):
            return 0.0
        values = [m / t for m, t in (change(n, *pair) for n, pair in enumerate(pairs, start=1))]
        return 100 * penalty([candidate], [references]) * (statistics.geometric_mean(values) if all(values) else 0.0)

    return score


@mistake(four, "1 is added to the matches for every n, and not to the total, even where nothing needs smoothing")
def one_more_match(candidate, references, count, penalty):
    return with_counts(lambda n, matches, total: (matches + 1, total))(candidate, references, count, penalty)


@mistake(four, "1 is added to the matches for n > 1, and not to the total, even where nothing needs smoothing")
def one_more_match_above_one(candidate, references, count, penalty):
    return with_counts(lambda n, matches, total: (matches + (n > 1), total))(candidate, references, count, penalty)


@mistake(four, "1 is added to the total for every n, even where nothing needs smoothing")
def one_more_in_all(candidate, references, count, penalty):
    return with_counts(lambda n, matches, total: (matches, total + 1))(candidate, references, count, penalty)


@mistake(penalised, "the penalty has no effect")
def no_penalty(candidate, references, count, penalty):
    return _right(candidate, references, count, lambda c, r: 1.0)


@mistake(penalised, "the mean is divided by the penalty, expected it multiplied by the penalty")
def penalty_divides(candidate, references, count, penalty):
    return _right(candidate, references, count, lambda c, r: 1 / penalty(c, r))


mistake(
    penalised, "the penalty is under the root together with the precisions, expected outside, as a factor of their mean"
).made_in(penalty_divides, penalty_under_the_root={"1 / penalty(c, r)": "penalty(c, r) ** 0.25"})


@mistake(penalised, "the penalty is applied twice")
def penalty_twice(candidate, references, count, penalty):
    return _right(candidate, references, count, lambda c, r: penalty(c, r) ** 2)


mistake(penalised, "the exponential of the penalty is taken, but the penalty is already a factor").made_in(
    penalty_divides,
    penalty_in_the_exponent={"1 / penalty(c, r)": "penalty(c, r) if penalty(c, r) == 1 else math.exp(penalty(c, r))"},
)


@mistake(one_zero, "the score is 0 where nothing matches for some n: smooth it there")
def not_smoothed(candidate, references, count, penalty):
    pairs = counted(candidate, references, count)
    return _right(candidate, references, count, penalty) if all(m for m, _ in pairs) else 0.0


@mistake(one_zero, "the log of a precision of 0 is taken, which is an error: smooth the precision first")
def log_of_zero(candidate, references, count, penalty):
    pairs = counted(candidate, references, count)
    if not pairs or not pairs[0][0]:
        return 0.0
    logs = [math.log(m / t) for m, t in pairs]
    return 100 * penalty([candidate], [references]) * math.exp(sum(logs) / len(logs))


@mistake(
    one_zero, "a very small number of matches is counted where nothing matches, expected half a match the first time"
)
def epsilon(candidate, references, count, penalty):
    return smoothed(lambda n, zeros, total: 1e-9)(candidate, references, count, penalty)


@mistake(one_zero, "the first n without a match counts as a whole match, expected half a match")
def a_whole_match(candidate, references, count, penalty):
    return smoothed(lambda n, zeros, total: 1)(candidate, references, count, penalty)


@mistake(
    one_zero,
    "1 is added to the matches and to the total where nothing matches, expected half a match and the same total",
)
def one_added_where_nothing_matches(candidate, references, count, penalty):
    return smoothed(lambda n, zeros, total: total / (total + 1))(candidate, references, count, penalty)


@mistake(one_zero, "a tenth of a match is counted, which is sacreBLEU's “floor”; expected half a match the first time")
def a_tenth(candidate, references, count, penalty):
    return smoothed(lambda n, zeros, total: 0.1)(candidate, references, count, penalty)


mistake(
    one_zero, "the precision is 1/2 where nothing matches, expected half a match among all n-grams: 1 / (2 · total)"
).made_in(one_added_where_nothing_matches, a_half_for_the_precision={"total / (total + 1)": "0.5**zeros * total"})


@mistake(one_zero, "the match is halved n times, expected once for each n without a match so far: once the first time")
def two_to_the_n(candidate, references, count, penalty):
    return smoothed(lambda n, zeros, total: 0.5**n)(candidate, references, count, penalty)


@mistake(one_zero, "the first n without a match counts as a whole match, expected half a match")
def halved_too_late(candidate, references, count, penalty):
    return smoothed(lambda n, zeros, total: 0.5 ** (zeros - 1))(candidate, references, count, penalty)


@mistake(one_zero, "the match is halved n - 1 times, expected once for each n without a match so far")
def halved_with_each_n(candidate, references, count, penalty):
    return smoothed(lambda n, zeros, total: 0.5 ** (n - 1))(candidate, references, count, penalty)


@mistake(one_zero, "the first n without a match counts as a quarter of a match, expected half a match")
def halved_too_early(candidate, references, count, penalty):
    return smoothed(lambda n, zeros, total: 0.5 ** (zeros + 1))(candidate, references, count, penalty)


@mistake(one_zero, "an n without a match is left out of the mean, expected half a match for it")
def zeros_left_out(candidate, references, count, penalty):
    values = [m / t for m, t in counted(candidate, references, count) if m]
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values) if values else 0.0


mistake(
    more_zeros,
    "each n without a match counts as half a match, expected a half for the first, a quarter for the second, and so on",
).made_in(halved_with_each_n, always_a_half={"0.5 ** (n - 1)": "0.5"})
mistake(
    more_zeros,
    "further n without a match count as 1/4, 1/6, 1/8, expected 1/4, 1/8, 1/16: the match is halved each time",
).made_in(halved_with_each_n, two_more_each_time={"0.5 ** (n - 1)": "0.5 / zeros"})
mistake(
    more_zeros,
    "further n without a match count as 1/3, 1/4 and so on, expected 1/4, 1/8 and so on: the match is halved each time",
).made_in(halved_with_each_n, one_more_each_time={"0.5 ** (n - 1)": "1 / (zeros + 1)"})


@mistake(more_zeros, "the loop ends after the first n without a match")
def stops_at_zero(candidate, references, count, penalty):
    pairs = counted(candidate, references, count)
    values = []
    for matches, total in pairs:
        values.append((matches or 0.5) / total)
        if not matches:
            break
    if not pairs or not pairs[0][0]:
        return 0.0
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values)


@mistake(
    short, "a sentence of fewer than four words scores 0: take the mean only over those n for which it has n-grams"
)
def always_four(candidate, references, count, penalty):
    return _right(candidate, references, count, penalty) if len(candidate) >= 4 else 0.0


@mistake(short, "the sum of the logs is divided by 4, expected by the number of n for which the sentence has n-grams")
def divided_by_four(candidate, references, count, penalty):
    def mean(values):
        return math.prod(values) ** 0.25

    return with_mean(mean)(candidate, references, count, penalty)


@mistake(
    short,
    "n-grams that the sentence cannot have are smoothed: take the mean only over those n for which it has n-grams",
)
def smooths_what_is_not_there(candidate, references, count, penalty):
    def at_least_one(c, r, n):
        matches, total = count(c, r, n)
        return matches, total or (1 if len(c) else 0)

    return _right(candidate, references, at_least_one, penalty)


@mistake(short, "the matches are divided by the total even where the sentence has no n-grams")
def divides_by_zero(candidate, references, count, penalty):
    if not count(candidate, references, 1)[0]:
        return 0.0
    values, share = [], 1.0
    for n in range(1, 5):
        matches, total = count(candidate, references, n)
        if matches == 0:
            share /= 2
        values.append((matches or share) / total)
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values)


@mistake(
    short_and_zero, "in a short sentence an n without a match is left out of the mean, expected half a match for it"
)
def order_of_the_matches(candidate, references, count, penalty):
    pairs = counted(candidate, references, count)
    if len(pairs) < 4:
        pairs = [pair for pair in pairs if pair[0]]
        values = [m / t for m, t in pairs]
        return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values) if values else 0.0
    return _right(candidate, references, count, penalty)


@mistake(short_and_zero, "a sentence of fewer than four words is not smoothed")
def short_ones_not_smoothed(candidate, references, count, penalty):
    pairs = counted(candidate, references, count)
    if len(pairs) < 4 and not all(m for m, _ in pairs):
        return 0.0
    return _right(candidate, references, count, penalty)


@mistake(nothing, "a sentence without a matching word is smoothed like any other, expected a score of 0")
def smooths_everything(candidate, references, count, penalty):
    values, zeros = [], 0
    for matches, total in counted(candidate, references, count):
        zeros += matches == 0
        values.append((matches or 0.5**zeros) / total)
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values) if values else 0.0


@mistake(
    nothing, "the mean of no precisions is computed for an empty candidate, which is an error; expected a score of 0"
)
def mean_of_nothing(candidate, references, count, penalty):
    pairs = counted(candidate, references, count)
    if pairs and not pairs[0][0]:
        return 0.0
    values, zeros = [], 0
    for matches, total in pairs:
        zeros += matches == 0
        values.append((matches or 0.5**zeros) / total)
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values)


@mistake(nothing, "an empty candidate scores 100, expected 0")
def empty_is_perfect(candidate, references, count, penalty):
    return _right(candidate, references, count, penalty) if candidate else 100.0


@mistake(nothing, "the score is NaN where no word matches, expected 0")
def not_a_number(candidate, references, count, penalty):
    return _right(candidate, references, count, penalty) or math.nan


@mistake(arguments, "words are removed from the caller's candidate")
def takes_words_out(candidate, references, count, penalty):
    score = _right(candidate, references, count, penalty)
    candidate.clear()
    return score


mistake(arguments, "a reference is added to the caller's references").made_in(
    takes_words_out, sorts_references={"candidate.clear()": "references.append(references[0])"}
)


@mistake(arguments, "a list is joined to the candidate, which fails if the candidate is a tuple")
def joins_lists(candidate, references, count, penalty):
    return _right(candidate + [], references, count, penalty)


mistake(four, "half a match is added for every n, even where something matches").made_in(
    adds_one_everywhere, half_everywhere={"(m + 1) / (t + 1)": "(m + 0.5) / t"}
)


@mistake(four, "brevity_penalty gets the sentence itself, expected a list with the one sentence")
def not_in_lists(candidate, references, count, penalty):
    return _right(candidate, references, count, lambda c, r: penalty(candidate, references))


@mistake(four, "n stops at 3, expected n = 1, 2, 3 and 4")
def last_n_missing(candidate, references, count, penalty):
    last = min(4, len(candidate))
    return _right(candidate, references, lambda c, r, n: count(c, r, n) if n < last else (0, 0), penalty)


@mistake(
    one_zero, "the precision is half the one before where nothing matches, expected half a match among all n-grams"
)
def halves_the_precision(candidate, references, count, penalty):
    values = []
    for matches, total in counted(candidate, references, count):
        if not matches and not values:
            return 0.0
        values.append(matches / total if matches else values[-1] / 2)
    return 100 * penalty([candidate], [references]) * statistics.geometric_mean(values) if values else 0.0


@mistake(four, "n goes only as far as the shortest reference has n-grams")
def as_far_as_the_shortest_reference(candidate, references, clipped_precision, brevity_penalty):
    most = min(4, len(candidate), *(len(reference) for reference in references))
    counts = [clipped_precision(candidate, references, n) for n in range(1, most + 1)]
    if not any(matches for matches, _ in counts):
        return 0.0
    part, shares = 1.0, []
    for matches, total in counts:
        part = part if matches else part / 2
        shares.append((matches or part) / total)
    return 100 * brevity_penalty([candidate], [references]) * math.prod(shares) ** (1 / len(shares))


@right
def loops(candidate, references, clipped_precision, brevity_penalty):
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


@right
def by_length(candidate, references, count, penalty):
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


@right
def through_tensors(candidate, references, count, penalty):
    pairs = counted(candidate, references, count)
    if not pairs or pairs[0][0] == 0:
        return 0
    sums = torch.tensor(pairs, dtype=torch.float64)
    nothing = sums[:, 0] == 0
    above = torch.where(nothing, 0.5 ** nothing.cumsum(0), sums[:, 0])
    return (100 * penalty([candidate], [references]) * (above / sums[:, 1]).log().mean().exp()).item()


@right
def with_tuples(candidate, references, count, penalty):
    return _right(candidate, references, count, lambda c, r: penalty((candidate,), (references,)))


class SentenceBLEU(nn.Module):
    """A module in the place of a function."""

    def forward(self, candidate, references, clipped_precision, brevity_penalty):
        return _right(candidate, references, clipped_precision, brevity_penalty)


def with_a_mean(mean, candidate, references, count, penalty):
    """For a partial."""
    return with_mean(mean)(candidate, references, count, penalty)


@right
def taken_while(candidate, references, clipped_precision, brevity_penalty):
    pairs = (clipped_precision(candidate, references, n) for n in itertools.count(1) if n < 5)
    pairs = list(itertools.takewhile(lambda pair: pair[1], itertools.islice(pairs, min(len(candidate), 4))))
    if not pairs or not pairs[0][0]:
        return 0
    zeros = itertools.count(1)
    exact = math.prod(Fraction(m, t) if m else Fraction(1, 2 ** next(zeros) * t) for m, t in pairs)
    return 100 * brevity_penalty([candidate], [references]) * float(exact) ** (1 / len(pairs))


@right
def recursive(candidate, references, count, penalty, n=1, share=1.0, logs=()):
    matches, total = count(candidate, references, n) if n <= 4 else (0, 0)
    if n == 1 and matches == 0:
        return 0.0
    if total == 0:
        return 100 * penalty([candidate], [references]) * math.exp(sum(logs) / len(logs))
    share = share if matches else share / 2
    return recursive(candidate, references, count, penalty, n + 1, share, (*logs, math.log((matches or share) / total)))


right(SentenceBLEU())


right(functools.partial(with_a_mean, statistics.geometric_mean))


right(lambda candidate, references, p, b: _right(candidate, references, p, b))
