"""What students hand in for `corpus_bleu`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import math
import statistics
from fractions import Fraction

import numpy as np
import torch
from torch import nn

EXERCISE = "corpus_bleu"


def pooled(candidates, references, count):
    """Matches and totals for each n, over all sentences."""
    sums = []
    for n in range(1, 5):
        pairs = [count(c, r, n) for c, r in zip(candidates, references, strict=True)]
        sums.append((sum(m for m, _ in pairs), sum(t for _, t in pairs)))
    return sums


def shares(candidates, references, count):
    """The four precisions."""
    return [m / t if t else 0.0 for m, t in pooled(candidates, references, count)]


def with_mean(mean):
    """BLEU with another mean of the precisions; where one of them is 0, so is the score."""

    def score(candidates, references, count, penalty):
        values = shares(candidates, references, count)
        return 100 * penalty(candidates, references) * mean(values) if all(values) else 0.0

    return score


right = with_mean(statistics.geometric_mean)


def from_zero_to_one(candidates, references, count, penalty):
    """Not in percent."""
    return right(candidates, references, count, penalty) / 100


def arithmetic_mean(candidates, references, count, penalty):
    """The logs are forgotten."""
    return with_mean(statistics.fmean)(candidates, references, count, penalty)


def harmonic_mean(candidates, references, count, penalty):
    """A mean of another kind."""
    return with_mean(statistics.harmonic_mean)(candidates, references, count, penalty)


def product(candidates, references, count, penalty):
    """The fourth root is forgotten."""
    return with_mean(math.prod)(candidates, references, count, penalty)


def exp_of_the_mean(candidates, references, count, penalty):
    """The log is forgotten."""
    return with_mean(lambda values: math.exp(statistics.fmean(values)))(candidates, references, count, penalty)


def log_of_base_two(candidates, references, count, penalty):
    """Two bases."""
    return with_mean(lambda values: math.exp(sum(map(math.log2, values)) / 4))(candidates, references, count, penalty)


def log_of_base_ten(candidates, references, count, penalty):
    """Two other bases."""
    return with_mean(lambda values: math.exp(sum(map(math.log10, values)) / 4))(candidates, references, count, penalty)


def mean_of_logs(candidates, references, count, penalty):
    """The exponential is forgotten."""
    return with_mean(lambda values: sum(map(math.log, values)) / 4)(candidates, references, count, penalty)


def powers_of_a_half(candidates, references, count, penalty):
    """The exponents of another book."""

    def mean(values):
        return math.prod(value ** (0.5**n) for n, value in enumerate(values, start=1))

    return with_mean(mean)(candidates, references, count, penalty)


def up_to_three(candidates, references, count, penalty):
    """range() ends before its end."""
    values = [m / t if t else 0.0 for m, t in pooled(candidates, references, count)]
    factor = 100 * penalty(candidates, references)
    return factor * statistics.geometric_mean(values[:3]) if all(values) else 0.0


def from_two_on(candidates, references, count, penalty):
    """The words are forgotten."""
    return with_mean(lambda values: statistics.geometric_mean(values[1:]))(candidates, references, count, penalty)


def only_words(candidates, references, count, penalty):
    """n is 1."""
    return with_mean(lambda values: values[0])(candidates, references, count, penalty)


def only_fours(candidates, references, count, penalty):
    """n is 4."""
    return with_mean(lambda values: values[3])(candidates, references, count, penalty)


def from_zero(candidates, references, count, penalty):
    """n begins at 0."""
    values = []
    for n in range(4):
        pairs = [count(c, r, n) for c, r in zip(candidates, references, strict=True)]
        values.append(sum(m for m, _ in pairs) / sum(t for _, t in pairs))
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values)


def all_n_together(candidates, references, count, penalty):
    """One fraction."""
    sums = pooled(candidates, references, count)
    value = sum(m for m, _ in sums) / sum(t for _, t in sums)
    return 100 * penalty(candidates, references) * value if all(m for m, _ in sums) else 0.0


def counts_whole_lists(candidates, references, count, penalty):
    """clipped_precision is given all sentences at once."""
    values = [m / t for m, t in (count(candidates, references, n) for n in range(1, 5))]
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values)


def a_tensor(candidates, references, count, penalty):
    """A tensor for a number."""
    return torch.tensor(right(candidates, references, count, penalty))


def rounded(candidates, references, count, penalty):
    """The score is rounded to one decimal."""
    return round(right(candidates, references, count, penalty), 1)


def nothing_returned(candidates, references, count, penalty):
    """The return is missing."""
    right(candidates, references, count, penalty)


def scores_of_sentences(candidates, references, count, penalty):
    """A list of scores."""
    return [right([c], [r], count, penalty) for c, r in zip(candidates, references, strict=True)]


def singly(candidates, references, count):
    """The score of each sentence without penalty."""
    return [right([c], [r], count, lambda c, r: 1.0) for c, r in zip(candidates, references, strict=True)]


def mean_of_scores(candidates, references, count, penalty):
    """The mean of the sentences' scores."""
    scores = [right([c], [r], count, penalty) for c, r in zip(candidates, references, strict=True)]
    return sum(scores) / len(scores)


def sum_of_scores(candidates, references, count, penalty):
    """The sum of the sentences' scores."""
    return sum(singly(candidates, references, count)) * penalty(candidates, references)


def mean_of_precisions(candidates, references, count, penalty):
    """For each n the mean over the sentences."""
    rows = [shares([c], [r], count) for c, r in zip(candidates, references, strict=True)]
    values = [statistics.fmean(column) for column in zip(*rows, strict=True)]
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values) if all(values) else 0.0


def sum_of_precisions(candidates, references, count, penalty):
    """For each n the sum over the sentences."""
    rows = [shares([c], [r], count) for c, r in zip(candidates, references, strict=True)]
    values = [sum(column) for column in zip(*rows, strict=True)]
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values) if all(values) else 0.0


def geometric_mean_of_scores(candidates, references, count, penalty):
    """Geometric once more."""
    scores = singly(candidates, references, count)
    return penalty(candidates, references) * statistics.geometric_mean(scores) if all(scores) else 0.0


def first_sentence(candidates, references, count, penalty):
    """The loop returns in its first round."""
    return singly(candidates, references, count)[0] * penalty(candidates, references)


def last_sentence(candidates, references, count, penalty):
    """Nothing is added up."""
    return singly(candidates, references, count)[-1] * penalty(candidates, references)


def one_long_sentence(candidates, references, count, penalty):
    """All candidates are joined into one, with all references."""
    joined = [word for candidate in candidates for word in candidate]
    several = [[word for r in references for words in r for word in words]]
    return right([joined], [several], count, lambda c, r: penalty(candidates, references))


def no_penalty(candidates, references, count, penalty):
    """The factor is forgotten."""
    return right(candidates, references, count, lambda c, r: 1.0)


def penalty_divides(candidates, references, count, penalty):
    """/ for *."""
    return right(candidates, references, count, lambda c, r: 1 / penalty(c, r))


def penalty_in_the_exponent(candidates, references, count, penalty):
    """exp of the factor."""
    return right(
        candidates, references, count, lambda c, r: penalty(c, r) if penalty(c, r) == 1 else math.exp(penalty(c, r))
    )


def penalty_under_the_root(candidates, references, count, penalty):
    """It multiplies what the root is taken of."""
    return right(candidates, references, count, lambda c, r: penalty(c, r) ** 0.25)


def penalty_of_each(candidates, references, count, penalty):
    """The mean of the sentences' penalties."""

    def mean(c, r):
        return statistics.fmean(penalty([a], [b]) for a, b in zip(c, r, strict=True))

    return right(candidates, references, count, mean)


def penalties_multiplied(candidates, references, count, penalty):
    """The product of the sentences' penalties."""
    return right(candidates, references, count, lambda c, r: math.prod(map(lambda a, b: penalty([a], [b]), c, r)))


def penalty_of_the_last(candidates, references, count, penalty):
    """The penalty of one sentence."""
    return right(candidates, references, count, lambda c, r: penalty(c[-1:], r[-1:]))


def penalty_per_precision(candidates, references, count, penalty):
    """Each precision has its factor, and so has the mean."""
    return right(candidates, references, count, lambda c, r: penalty(c, r) ** 2)


def log_of_zero(candidates, references, count, penalty):
    """Nothing is asked before the log."""
    values = shares(candidates, references, count)
    return 100 * penalty(candidates, references) * math.exp(sum(map(math.log, values)) / 4)


def divides_by_zero(candidates, references, count, penalty):
    """Nothing is asked before the division."""
    logs = [math.log(m / t) if m / t else -math.inf for m, t in pooled(candidates, references, count)]
    return 100 * penalty(candidates, references) * math.exp(sum(logs) / 4)


def leaves_zeros_out(candidates, references, count, penalty):
    """The mean of those that are not 0."""
    values = [value for value in shares(candidates, references, count) if value]
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values) if values else 0.0


def leaves_logs_out(candidates, references, count, penalty):
    """The sum of those logs that there are, divided by four."""
    logs = [math.log(value) for value in shares(candidates, references, count) if value]
    return 100 * penalty(candidates, references) * math.exp(sum(logs) / 4) if logs else 0.0


def epsilon(candidates, references, count, penalty):
    """A small number is added."""
    logs = [math.log(value + 1e-7) for value in shares(candidates, references, count)]
    return 100 * penalty(candidates, references) * math.exp(sum(logs) / 4)


def smoothed(candidates, references, count, penalty):
    """Half a match where there is none."""
    values = [max(m, 0.5) / max(t, 1) for m, t in pooled(candidates, references, count)]
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values)


def not_a_number(candidates, references, count, penalty):
    """NaN is returned in place of 0."""
    values = shares(candidates, references, count)
    return right(candidates, references, count, penalty) if all(values) else math.nan


def any_zero_is_zero(candidates, references, count, penalty):
    """One sentence without a match makes the whole score 0."""
    if not all(all(shares([c], [r], count)) for c, r in zip(candidates, references, strict=True)):
        return 0.0
    return right(candidates, references, count, penalty)


def leaves_sentences_out(candidates, references, count, penalty):
    """Where nothing matches, nothing is added below the line either."""
    values = []
    for n in range(1, 5):
        pairs = [count(c, r, n) for c, r in zip(candidates, references, strict=True)]
        matches, total = (sum(pair[part] for pair in pairs if pair[0]) for part in (0, 1))
        values.append(matches / total if total else 0.0)
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values) if all(values) else 0.0


def leaves_short_ones_out(candidates, references, count, penalty):
    """Sentences of fewer than four words are passed over."""
    kept = [pair for pair in zip(candidates, references, strict=True) if len(pair[0]) >= 4]
    if not kept:
        return 0.0
    return right([c for c, _ in kept], [r for _, r in kept], count, lambda c, r: penalty(candidates, references))


def divides_in_each(candidates, references, count, penalty):
    """A mean of precisions weighted by totals, which divides by zero where there are none."""
    values = []
    for n in range(1, 5):
        pairs = [count(c, r, n) for c, r in zip(candidates, references, strict=True)]
        total = sum(t for _, t in pairs)
        if not total:
            return 0.0
        if any(m for m, _ in pairs):
            values.append(sum(m / t * t / total for m, t in pairs))
        else:
            return 0.0
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values)


def takes_out(candidates, references, count, penalty):
    """The caller's lists are empty afterwards."""
    score = right(candidates, references, count, penalty)
    while candidates:
        candidates.pop()
    return score


def takes_words_out(candidates, references, count, penalty):
    """The candidates are cut short, word by word."""
    score = right(candidates, references, count, penalty)
    for candidate in candidates:
        candidate.clear()
    return score


def joins_lists(candidates, references, count, penalty):
    """A list and a tuple do not add up."""
    return right(candidates + [], references + [], count, penalty)


def whole_number_division(candidates, references, count, penalty):
    """Integer division, //, is used in place of /."""
    values = [m // t if t else 0 for m, t in pooled(candidates, references, count)]
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values) if all(values) else 0.0


def counts_go_on(candidates, references, count, penalty):
    """The sums are made once, before the loop over n."""
    matches = total = 0
    logs = []
    for m, t in pooled(candidates, references, count):
        matches, total = matches + m, total + t
        if matches == 0:
            return 0.0
        logs.append(math.log(matches / total))
    return 100 * penalty(candidates, references) * math.exp(sum(logs) / 4)


def in_percent_twice(candidates, references, count, penalty):
    """From 0 to 10,000."""
    return 100 * right(candidates, references, count, penalty)


def references_of_the_first(candidates, references, count, penalty):
    """The references of the first sentence are used for all sentences."""
    return right(candidates, references, lambda c, r, n: count(c, references[0], n), penalty)


def weighted_by_length(candidates, references, count, penalty):
    """The mean of the sentences' scores, each as often as it has words."""
    pairs = zip(candidates, references, strict=True)
    scores = [len(c) * right([c], [r], count, lambda c, r: 1.0) for c, r in pairs]
    return penalty(candidates, references) * sum(scores) / max(sum(map(len, candidates)), 1)


def penalty_inside(candidates, references, count, penalty):
    """The penalty multiplies the mean of the logs."""
    values = shares(candidates, references, count)
    if not all(values):
        return 0.0
    return 100 * math.exp(penalty(candidates, references) * sum(map(math.log, values)) / 4)


_MEAN = "one sentence: the geometric mean of its four precisions"
_POOLED = "the n-grams of all sentences are counted together"
_PENALTY = "the score is multiplied by the brevity penalty of the whole test set"
_ZERO = "the score is 0 if nothing matches for some n"
_SOME = "a sentence in which nothing matches counts like the others"
_ARGUMENTS = "sentences may be tuples or lists, and are left as they were"

WRONG = {
    from_zero_to_one: _MEAN,
    whole_number_division: _MEAN,
    counts_go_on: _MEAN,
    in_percent_twice: _MEAN,
    arithmetic_mean: _MEAN,
    harmonic_mean: _MEAN,
    product: _MEAN,
    exp_of_the_mean: _MEAN,
    log_of_base_two: _MEAN,
    log_of_base_ten: _MEAN,
    mean_of_logs: _MEAN,
    powers_of_a_half: _MEAN,
    up_to_three: _MEAN,
    from_two_on: _MEAN,
    only_words: _MEAN,
    only_fours: _MEAN,
    from_zero: _MEAN,
    all_n_together: _MEAN,
    counts_whole_lists: _MEAN,
    a_tensor: _PENALTY,
    rounded: _MEAN,
    nothing_returned: _MEAN,
    scores_of_sentences: _MEAN,
    mean_of_scores: _POOLED,
    references_of_the_first: _POOLED,
    weighted_by_length: _POOLED,
    sum_of_scores: _POOLED,
    mean_of_precisions: _POOLED,
    sum_of_precisions: _POOLED,
    geometric_mean_of_scores: _POOLED,
    first_sentence: _POOLED,
    last_sentence: _POOLED,
    one_long_sentence: _POOLED,
    no_penalty: _PENALTY,
    penalty_inside: _PENALTY,
    penalty_divides: _PENALTY,
    penalty_in_the_exponent: _PENALTY,
    penalty_under_the_root: _PENALTY,
    penalty_of_each: _PENALTY,
    penalties_multiplied: _PENALTY,
    penalty_of_the_last: _PENALTY,
    penalty_per_precision: _PENALTY,
    log_of_zero: _ZERO,
    divides_by_zero: _ZERO,
    leaves_zeros_out: _ZERO,
    leaves_logs_out: _ZERO,
    epsilon: _ZERO,
    smoothed: _ZERO,
    not_a_number: _ZERO,
    any_zero_is_zero: _SOME,
    leaves_sentences_out: _SOME,
    leaves_short_ones_out: _SOME,
    divides_in_each: _SOME,
    takes_out: _ARGUMENTS,
    takes_words_out: _ARGUMENTS,
    joins_lists: _ARGUMENTS,
}


def loops(candidates, references, clipped_precision, brevity_penalty):
    """Sums in lists."""
    matches, totals = [0] * 4, [0] * 4
    for i in range(len(candidates)):
        for n in range(4):
            m, t = clipped_precision(candidates[i], references[i], n + 1)
            matches[n] += m
            totals[n] += t
    score = 1.0
    for n in range(4):
        if totals[n] == 0:
            return 0.0
        score *= matches[n] / totals[n]
    return 100 * brevity_penalty(candidates, references) * score**0.25


def with_infinity(candidates, references, count, penalty):
    """The log of nothing is minus infinity, and exp of that is 0."""
    logs = [math.log(m / t) if m else -math.inf for m, t in pooled(candidates, references, count)]
    return penalty(candidates, references) * math.exp(sum(logs) / 4) * 100


def through_tensors(candidates, references, count, penalty):
    """torch's log of 0 is minus infinity too."""
    sums = torch.tensor(pooled(candidates, references, count), dtype=torch.float64)  # (4, 2)
    precisions = sums[:, 0] / sums[:, 1].clamp(min=1)
    return (100 * penalty(candidates, references) * precisions.log().mean().exp()).item()


def in_percents(candidates, references, count, penalty):
    """The precisions in percent, as sacreBLEU has them."""
    values = [100 * value for value in shares(candidates, references, count)]
    if min(values) == 0:
        return 0
    return penalty(candidates, references) * math.exp(sum(0.25 * math.log(value) for value in values))


def caught(candidates, references, count, penalty):
    """The error is caught."""
    try:
        logs = sum(math.log(m) - math.log(t) for m, t in pooled(candidates, references, count))
    except ValueError:
        return 0.0
    return 100.0 * penalty(candidates, references) * math.exp(logs / 4)


def by_keywords(candidates, references, count, penalty):
    """The parts are called with names."""
    sums = []
    for n in (1, 2, 3, 4):
        pairs = [count(candidate=c, references=r, n=n) for c, r in zip(candidates, references, strict=True)]
        sums.append([sum(part) for part in zip(*pairs, strict=True)])
    if any(m == 0 for m, _ in sums):
        return 0.0
    factor = penalty(candidates=candidates, references=references)
    return 100 * factor * math.prod(m / t for m, t in sums) ** (1 / 4)


class CorpusBLEU(nn.Module):
    """A module in the place of a function."""

    def forward(self, candidates, references, clipped_precision, brevity_penalty):
        return right(candidates, references, clipped_precision, brevity_penalty)


def with_a_log(log, candidates, references, count, penalty):
    """For a partial."""
    values = shares(candidates, references, count)
    return 100 * penalty(candidates, references) * math.exp(sum(map(log, values)) / 4) if all(values) else 0.0


def with_numpy(candidates, references, count, penalty):
    """All counts in one array, (sentences, 4, 2)."""
    pairs = zip(candidates, references, strict=True)
    matches, totals = np.array([[count(c, r, n) for n in range(1, 5)] for c, r in pairs]).sum(axis=0).T
    if not matches.all():
        return np.float32(0)
    return 100 * penalty(candidates, references) * np.exp(np.log(matches / totals).mean())


def with_fractions(candidates, references, count, penalty):
    """Exact up to the root."""
    exact = math.prod(Fraction(m, max(t, 1)) for m, t in pooled(candidates, references, count))
    return float(exact) ** 0.25 * penalty(candidates, references) * 100


RIGHT = {
    "geometric mean": right,
    "loops": loops,
    "with infinity": with_infinity,
    "through tensors": through_tensors,
    "in percents": in_percents,
    "caught": caught,
    "by keywords": by_keywords,
    "with NumPy": with_numpy,
    "with fractions": with_fractions,
    "a module": CorpusBLEU(),
    "a partial": functools.partial(with_a_log, math.log),
    "a lambda": lambda candidates, references, p, b: right(candidates, references, p, b),
}
