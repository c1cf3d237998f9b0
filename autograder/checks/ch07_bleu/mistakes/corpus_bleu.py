"""Mistakes in `corpus_bleu`, and right answers in other styles."""

import functools
import math
import statistics
from fractions import Fraction

import numpy as np
import torch
from torch import nn

from autograder.checks.ch07_bleu.corpus_bleu import arguments, no_match, one_sentence, penalised, several, some_without
from autograder.judging.catalogue import mistake, right


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


_right = with_mean(statistics.geometric_mean)
right(_right)


@mistake(one_sentence, "the references of a sentence are joined into one, expected each of them apart")
def joins_references(candidates, references, count, penalty):
    joined = [[[word for reference in several for word in reference]] for several in references]
    return _right(candidates, joined, count, lambda *_: penalty(candidates, references))


mistake(one_sentence, "clipped_precision gets only the first reference of each sentence, expected all of them").made_in(
    joins_references,
    counts_first_references={"[[word for reference in several for word in reference]]": "several[:1]"},
)


@mistake(penalised, "brevity_penalty gets only the first reference of each sentence, expected all of them")
def penalty_of_first_references(candidates, references, count, penalty):
    return _right(
        candidates, references, count, lambda *_: penalty(candidates, [several[:1] for several in references])
    )


@mistake(one_sentence, "the score is a number from 0 to 1, expected from 0 to 100")
def from_zero_to_one(candidates, references, count, penalty):
    return _right(candidates, references, count, penalty) / 100


@mistake(one_sentence, "the result is the arithmetic mean of the four precisions, expected the geometric mean")
def arithmetic_mean(candidates, references, count, penalty):
    return with_mean(statistics.fmean)(candidates, references, count, penalty)


@mistake(one_sentence, "the result is the harmonic mean of the four precisions, expected the geometric mean")
def harmonic_mean(candidates, references, count, penalty):
    return with_mean(statistics.harmonic_mean)(candidates, references, count, penalty)


@mistake(
    one_sentence,
    "the result is the product of the four precisions: the fourth root is missing, or the ¼ in front of the sum of logs",
)
def product(candidates, references, count, penalty):
    return with_mean(math.prod)(candidates, references, count, penalty)


@mistake(one_sentence, "the exponential of the mean precision is taken: the logs are missing")
def exp_of_the_mean(candidates, references, count, penalty):
    return with_mean(lambda values: math.exp(statistics.fmean(values)))(candidates, references, count, penalty)


@mistake(one_sentence, "the logarithm has a different base from the exponential: math.log and math.exp belong together")
def log_of_base_two(candidates, references, count, penalty):
    return with_mean(lambda values: math.exp(sum(map(math.log2, values)) / 4))(candidates, references, count, penalty)


@mistake(one_sentence, "the logarithm has base 10, but the exponential does not: math.log and math.exp belong together")
def log_of_base_ten(candidates, references, count, penalty):
    return with_mean(lambda values: math.exp(sum(map(math.log10, values)) / 4))(candidates, references, count, penalty)


@mistake(one_sentence, "the result is 100 times the mean of the logs: the exponential is missing")
def mean_of_logs(candidates, references, count, penalty):
    return with_mean(lambda values: sum(map(math.log, values)) / 4)(candidates, references, count, penalty)


@mistake(one_sentence, "the exponents of the precisions are 1/2, 1/4, 1/8 and 1/16, expected 1/4 for each")
def powers_of_a_half(candidates, references, count, penalty):
    def mean(values):
        return math.prod(value ** (0.5**n) for n, value in enumerate(values, start=1))

    return with_mean(mean)(candidates, references, count, penalty)


@mistake(one_sentence, "n stops at 3, expected n = 1, 2, 3 and 4")
def up_to_three(candidates, references, count, penalty):
    values = [m / t if t else 0.0 for m, t in pooled(candidates, references, count)]
    factor = 100 * penalty(candidates, references)
    return factor * statistics.geometric_mean(values[:3]) if all(values) else 0.0


mistake(one_sentence, "n stops at 3, expected n = 1, 2, 3 and 4").made_in(
    up_to_three, three_over_four={"statistics.geometric_mean(values[:3])": "math.prod(values[:3]) ** 0.25"}
)


@mistake(one_sentence, "n begins at 2, expected n = 1, 2, 3 and 4")
def from_two_on(candidates, references, count, penalty):
    return with_mean(lambda values: statistics.geometric_mean(values[1:]))(candidates, references, count, penalty)


mistake(one_sentence, "n begins at 2, expected n = 1, 2, 3 and 4").made_in(
    from_two_on, from_two_over_four={"statistics.geometric_mean(values[1:])": "math.prod(values[1:]) ** 0.25"}
)


@mistake(one_sentence, "only single words are counted, expected n = 1, 2, 3 and 4")
def only_words(candidates, references, count, penalty):
    return with_mean(lambda values: values[0])(candidates, references, count, penalty)


@mistake(one_sentence, "only n = 4 is counted, expected n = 1, 2, 3 and 4")
def only_fours(candidates, references, count, penalty):
    return with_mean(lambda values: values[3])(candidates, references, count, penalty)


@mistake(one_sentence, "n begins at 0, expected n = 1, 2, 3 and 4")
def from_zero(candidates, references, count, penalty):
    values = []
    for n in range(4):
        pairs = [count(c, r, n) for c, r in zip(candidates, references, strict=True)]
        values.append(sum(m for m, _ in pairs) / sum(t for _, t in pairs))
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values)


@mistake(one_sentence, "the n-grams of all n are counted together, expected a precision for each n and then their mean")
def all_n_together(candidates, references, count, penalty):
    sums = pooled(candidates, references, count)
    value = sum(m for m, _ in sums) / sum(t for _, t in sums)
    return 100 * penalty(candidates, references) * value if all(m for m, _ in sums) else 0.0


@mistake(one_sentence, "clipped_precision gets all sentences at once, expected one candidate and its references")
def counts_whole_lists(candidates, references, count, penalty):
    values = [m / t for m, t in (count(candidates, references, n) for n in range(1, 5))]
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values)


@mistake(penalised, "the result is a tensor, expected a number")
def a_tensor(candidates, references, count, penalty):
    return torch.tensor(_right(candidates, references, count, penalty))


@mistake(penalised, "the result is rounded, expected all of its digits")
def rounded(candidates, references, count, penalty):
    return round(_right(candidates, references, count, penalty), 1)


@mistake(one_sentence, "there is no return")
def nothing_returned(candidates, references, count, penalty):
    _right(candidates, references, count, penalty)


@mistake(one_sentence, "the result is a list with a score for each sentence, expected one score for all")
def scores_of_sentences(candidates, references, count, penalty):
    return [_right([c], [r], count, penalty) for c, r in zip(candidates, references, strict=True)]


def singly(candidates, references, count):
    """The score of each sentence without penalty."""
    return [_right([c], [r], count, lambda c, r: 1.0) for c, r in zip(candidates, references, strict=True)]


@mistake(several, "the result is the mean of the sentences' scores; expected the score of all their n-grams together")
def mean_of_scores(candidates, references, count, penalty):
    scores = [_right([c], [r], count, penalty) for c, r in zip(candidates, references, strict=True)]
    return sum(scores) / len(scores)


@mistake(several, "the result is the sum of the sentences' scores; expected the score of all their n-grams together")
def sum_of_scores(candidates, references, count, penalty):
    return sum(singly(candidates, references, count)) * penalty(candidates, references)


@mistake(
    several, "the sentences' precisions are averaged for each n; expected sums in the numerator and in the denominator"
)
def mean_of_precisions(candidates, references, count, penalty):
    rows = [shares([c], [r], count) for c, r in zip(candidates, references, strict=True)]
    values = [statistics.fmean(column) for column in zip(*rows, strict=True)]
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values) if all(values) else 0.0


mistake(
    several, "the sentences' precisions are added up for each n; expected sums in the numerator and in the denominator"
).made_in(mean_of_precisions, sum_of_precisions={"statistics.fmean": "sum"})


@mistake(several, "the result is the geometric mean of the sentences' scores")
def geometric_mean_of_scores(candidates, references, count, penalty):
    scores = singly(candidates, references, count)
    return penalty(candidates, references) * statistics.geometric_mean(scores) if all(scores) else 0.0


@mistake(several, "the result is the score of the first sentence alone")
def first_sentence(candidates, references, count, penalty):
    return singly(candidates, references, count)[0] * penalty(candidates, references)


@mistake(several, "the result is the score of the last sentence alone: do you add up the counts?")
def last_sentence(candidates, references, count, penalty):
    return singly(candidates, references, count)[-1] * penalty(candidates, references)


@mistake(
    several, "all candidates are joined into one, with all references; expected each candidate with its own references"
)
def one_long_sentence(candidates, references, count, penalty):
    joined = [word for candidate in candidates for word in candidate]
    several = [words for r in references for words in r]
    return _right([joined], [several], count, lambda c, r: penalty(candidates, references))


@mistake(penalised, "the penalty has no effect")
def no_penalty(candidates, references, count, penalty):
    return _right(candidates, references, count, lambda c, r: 1.0)


@mistake(penalised, "the mean is divided by the penalty, expected it multiplied by the penalty")
def penalty_divides(candidates, references, count, penalty):
    return _right(candidates, references, count, lambda c, r: 1 / penalty(c, r))


mistake(penalised, "the exponential of the penalty is taken, but the penalty is already a factor").made_in(
    penalty_divides,
    penalty_in_the_exponent={"1 / penalty(c, r)": "penalty(c, r) if penalty(c, r) == 1 else math.exp(penalty(c, r))"},
)
mistake(
    penalised, "the penalty is under the root together with the precisions, expected outside, as a factor of their mean"
).made_in(penalty_divides, penalty_under_the_root={"1 / penalty(c, r)": "penalty(c, r) ** 0.25"})


@mistake(penalised, "the mean of the sentences' penalties is used, expected that of the whole test set")
def penalty_of_each(candidates, references, count, penalty):
    def mean(c, r):
        return statistics.fmean(penalty([a], [b]) for a, b in zip(c, r, strict=True))

    return _right(candidates, references, count, mean)


@mistake(penalised, "the sentences' penalties are multiplied, expected that of the whole test set")
def penalties_multiplied(candidates, references, count, penalty):
    return _right(candidates, references, count, lambda c, r: math.prod(map(lambda a, b: penalty([a], [b]), c, r)))


@mistake(penalised, "the penalty of the first sentence is used, expected that of the whole test set")
def penalty_of_the_first(candidates, references, count, penalty):
    return _right(candidates, references, count, lambda c, r: penalty(c[:1], r[:1]))


@mistake(penalised, "the penalty of the last sentence is used, expected that of the whole test set")
def penalty_of_the_last(candidates, references, count, penalty):
    return _right(candidates, references, count, lambda c, r: penalty(c[-1:], r[-1:]))


@mistake(penalised, "the penalty is applied twice")
def penalty_per_precision(candidates, references, count, penalty):
    return _right(candidates, references, count, lambda c, r: penalty(c, r) ** 2)


@mistake(
    no_match,
    "the log of a precision of 0 is taken, which is an error; expected a score of 0 where nothing matches for some n",
)
def log_of_zero(candidates, references, count, penalty):
    values = shares(candidates, references, count)
    return 100 * penalty(candidates, references) * math.exp(sum(map(math.log, values)) / 4)


@mistake(no_match, "the matches are divided by the total even where there are no n-grams")
def divides_by_zero(candidates, references, count, penalty):
    logs = [math.log(m / t) if m / t else -math.inf for m, t in pooled(candidates, references, count)]
    return 100 * penalty(candidates, references) * math.exp(sum(logs) / 4)


@mistake(no_match, "an n for which nothing matches is left out of the mean, expected a score of 0")
def leaves_zeros_out(candidates, references, count, penalty):
    values = [value for value in shares(candidates, references, count) if value]
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values) if values else 0.0


@mistake(no_match, "n goes only as far as there are n-grams, expected a score of 0 if there are none of four words")
def as_far_as_there_are_ngrams(candidates, references, count, penalty):
    values = [m / t for m, t in pooled(candidates, references, count) if t]
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values) if values and all(values) else 0.0


@mistake(no_match, "the precision is 1 for an n for which nothing matches, expected a score of 0")
def zeros_are_ones(candidates, references, count, penalty):
    values = [value or 1.0 for value in shares(candidates, references, count)]
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values)


@mistake(no_match, "the log of a precision of 0 is left out of the sum, expected a score of 0")
def leaves_logs_out(candidates, references, count, penalty):
    logs = [math.log(value) for value in shares(candidates, references, count) if value]
    return 100 * penalty(candidates, references) * math.exp(sum(logs) / 4) if logs else 0.0


@mistake(no_match, "a small number is added to each precision, expected a score of 0 where nothing matches for some n")
def epsilon(candidates, references, count, penalty):
    logs = [math.log(value + 1e-7) for value in shares(candidates, references, count)]
    return 100 * penalty(candidates, references) * math.exp(sum(logs) / 4)


@mistake(
    no_match, "half a match is counted where nothing matches, but there is no smoothing here: expected a score of 0"
)
def smoothed(candidates, references, count, penalty):
    values = [max(m, 0.5) / max(t, 1) for m, t in pooled(candidates, references, count)]
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values)


mistake(one_sentence, "1 is added to the counts of matches and of n-grams, but there is no smoothing here").made_in(
    smoothed,
    one_added={"max(m, 0.5) / max(t, 1)": "(m + 1) / (t + 1)"},
    one_added_above_words={
        "max(m, 0.5) / max(t, 1) for m, t in pooled(candidates, references, count)": "(m + (n > 1)) / (t + (n > 1)) for n, (m, t) in enumerate(pooled(candidates, references, count), start=1)"
    },
)


@mistake(no_match, "the score is NaN where nothing matches for some n, expected 0")
def not_a_number(candidates, references, count, penalty):
    values = shares(candidates, references, count)
    return _right(candidates, references, count, penalty) if all(values) else math.nan


@mistake(
    some_without,
    "the score is 0 because nothing matches in one of the sentences: only the sums over all sentences decide",
)
def any_zero_is_zero(candidates, references, count, penalty):
    if not all(all(shares([c], [r], count)) for c, r in zip(candidates, references, strict=True)):
        return 0.0
    return _right(candidates, references, count, penalty)


@mistake(
    some_without, "a sentence in which nothing matches is left out for that n: its n-grams belong in the denominator"
)
def leaves_sentences_out(candidates, references, count, penalty):
    values = []
    for n in range(1, 5):
        pairs = [count(c, r, n) for c, r in zip(candidates, references, strict=True)]
        matches, total = (sum(pair[part] for pair in pairs if pair[0]) for part in (0, 1))
        values.append(matches / total if total else 0.0)
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values) if all(values) else 0.0


@mistake(some_without, "sentences of fewer than four words are left out")
def leaves_short_ones_out(candidates, references, count, penalty):
    kept = [pair for pair in zip(candidates, references, strict=True) if len(pair[0]) >= 4]
    if not kept:
        return 0.0
    return _right([c for c, _ in kept], [r for _, r in kept], count, lambda c, r: penalty(candidates, references))


@mistake(
    some_without, "each sentence's matches are divided by its total, which is 0 for a sentence of fewer than n words"
)
def divides_in_each(candidates, references, count, penalty):
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


@mistake(arguments, "sentences are removed from the caller's list")
def takes_out(candidates, references, count, penalty):
    score = _right(candidates, references, count, penalty)
    while candidates:
        candidates.pop()
    return score


@mistake(arguments, "words are removed from the caller's candidates")
def takes_words_out(candidates, references, count, penalty):
    score = _right(candidates, references, count, penalty)
    for candidate in candidates:
        candidate.clear()
    return score


@mistake(arguments, "a list is joined to the candidates, which fails if they are a tuple")
def joins_lists(candidates, references, count, penalty):
    return _right(candidates + [], references + [], count, penalty)


@mistake(one_sentence, "the quotient is rounded down, because // is used instead of /")
def whole_number_division(candidates, references, count, penalty):
    values = [m // t if t else 0 for m, t in pooled(candidates, references, count)]
    return 100 * penalty(candidates, references) * statistics.geometric_mean(values) if all(values) else 0.0


@mistake(one_sentence, "the counts of one n are carried over to the next, expected sums that start at 0 for each n")
def counts_go_on(candidates, references, count, penalty):
    matches = total = 0
    logs = []
    for m, t in pooled(candidates, references, count):
        matches, total = matches + m, total + t
        if matches == 0:
            return 0.0
        logs.append(math.log(matches / total))
    return 100 * penalty(candidates, references) * math.exp(sum(logs) / 4)


@mistake(one_sentence, "the score is multiplied by 100 twice")
def in_percent_twice(candidates, references, count, penalty):
    return 100 * _right(candidates, references, count, penalty)


@mistake(several, "the references of the first sentence are used for all sentences")
def references_of_the_first(candidates, references, count, penalty):
    return _right(candidates, references, lambda c, r, n: count(c, references[0], n), penalty)


@mistake(
    several,
    "the sentences' scores are averaged, weighted by their lengths; expected the score of all their n-grams together",
)
def weighted_by_length(candidates, references, count, penalty):
    pairs = zip(candidates, references, strict=True)
    scores = [len(c) * _right([c], [r], count, lambda c, r: 1.0) for c, r in pairs]
    return penalty(candidates, references) * sum(scores) / max(sum(map(len, candidates)), 1)


@mistake(penalised, "the penalty multiplies the mean of the logs: it belongs outside the exponential")
def penalty_inside(candidates, references, count, penalty):
    values = shares(candidates, references, count)
    if not all(values):
        return 0.0
    return 100 * math.exp(penalty(candidates, references) * sum(map(math.log, values)) / 4)


@right
def loops(candidates, references, clipped_precision, brevity_penalty):
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


@right
def with_infinity(candidates, references, count, penalty):
    logs = [math.log(m / t) if m else -math.inf for m, t in pooled(candidates, references, count)]
    return penalty(candidates, references) * math.exp(sum(logs) / 4) * 100


@right
def through_tensors(candidates, references, count, penalty):
    sums = torch.tensor(pooled(candidates, references, count), dtype=torch.float64)  # (4, 2)
    precisions = sums[:, 0] / sums[:, 1].clamp(min=1)
    return (100 * penalty(candidates, references) * precisions.log().mean().exp()).item()


@right
def in_percents(candidates, references, count, penalty):
    values = [100 * value for value in shares(candidates, references, count)]
    if min(values) == 0:
        return 0
    return penalty(candidates, references) * math.exp(sum(0.25 * math.log(value) for value in values))


@right
def caught(candidates, references, count, penalty):
    try:
        logs = sum(math.log(m) - math.log(t) for m, t in pooled(candidates, references, count))
    except ValueError:
        return 0.0
    return 100.0 * penalty(candidates, references) * math.exp(logs / 4)


@right
def by_keywords(candidates, references, count, penalty):
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
        return _right(candidates, references, clipped_precision, brevity_penalty)


def with_a_log(log, candidates, references, count, penalty):
    """For a partial."""
    values = shares(candidates, references, count)
    return 100 * penalty(candidates, references) * math.exp(sum(map(log, values)) / 4) if all(values) else 0.0


@right
def with_numpy(candidates, references, count, penalty):
    pairs = zip(candidates, references, strict=True)
    matches, totals = np.array([[count(c, r, n) for n in range(1, 5)] for c, r in pairs]).sum(axis=0).T
    if not matches.all():
        return np.float32(0)
    return 100 * penalty(candidates, references) * np.exp(np.log(matches / totals).mean())


@right
def with_fractions(candidates, references, count, penalty):
    exact = math.prod(Fraction(m, max(t, 1)) for m, t in pooled(candidates, references, count))
    return float(exact) ** 0.25 * penalty(candidates, references) * 100


right(CorpusBLEU())


right(functools.partial(with_a_log, math.log))


right(lambda candidates, references, p, b: _right(candidates, references, p, b))
