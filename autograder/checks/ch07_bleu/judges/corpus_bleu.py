"""What is right about `corpus_bleu`, and what is said when it is not."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from autograder.checks.ch07_bleu.judges.scoring import (
    FORMULAS,
    Counts,
    bleu,
    geometric,
    judged_scores,
    leaves_arguments,
    shares,
)
from autograder.checks.ch07_bleu.probes import corpus_bleu as probes
from autograder.compare import is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed

_MEAN = "one sentence: the geometric mean of its four precisions"
_POOLED = "the n-grams of all sentences are counted together"
_PENALTY = "the score is multiplied by the brevity penalty of the whole test set"
_ZERO = "the score is 0 if nothing matches for some n"

Mistake = Callable[[Any], float]
"""The score that a mistake makes of a corpus."""


def _pooled(corpus: Any) -> Counts:
    """Matches and totals of each n over all sentences."""
    return [[sum(sentence[n][part] for sentence in corpus["counts"]) for part in (0, 1)] for n in range(4)]


def _means(corpus: Any) -> list[float]:
    """For each n the mean of the sentences' precisions."""
    of_each = [shares(sentence) for sentence in corpus["counts"]]
    return [sum(sentence[n] for sentence in of_each) / len(of_each) for n in range(4)]


def _judged(got: Any, want: Any, mistakes: dict[str, Mistake]) -> Verdict:
    return judged_scores(got, want, "corpora", _pooled, "matching in all", mistakes)


def _of_pooled(formula: Callable[[Counts], float]) -> Mistake:
    return lambda corpus: formula(_pooled(corpus))


@judge(
    _MEAN,
    probe=probes.one_sentence,
    points=2,
    hint="The mean of four logs is their sum divided by four, and its exponential lies between the smallest and the largest precision. The "
    "penalty is 1 here, and a perfect score is 100.",
)
def mean_of_four(got: Any, want: Any) -> Verdict:
    """One sentence and no penalty."""
    return _judged(got, want, {message: _of_pooled(formula) for message, formula in FORMULAS.items()})


@judge(
    _POOLED,
    probe=probes.several,
    points=2,
    needs=(_MEAN,),
    hint="For each n there is one fraction for the whole test set. What is its numerator, and what is its denominator? Add both up over the "
    "sentences, each with its own references, before you divide.",
)
def pooled(got: Any, want: Any) -> Verdict:
    """Several sentences and no penalty."""

    def mean_of_scores(corpus: Any) -> float:
        return sum(map(bleu, corpus["counts"])) / len(corpus["counts"])

    mistakes: dict[str, Mistake] = {
        "the result is the mean of the sentences' scores, in which a short sentence counts as much as a long one; expected the score of "
        "all their n-grams together": mean_of_scores,
        "the precisions of the sentences were averaged for each n, so that a short sentence counts as much as a long one; expected sums in "
        "the numerator and in the denominator": lambda corpus: 100 * geometric(_means(corpus)),
        "the precisions of the sentences were added up for each n": lambda corpus: (
            100 * geometric([len(corpus["counts"]) * mean for mean in _means(corpus)])
        ),
        "the sentences' scores were averaged, weighted by their lengths; expected the score of all their n-grams together": lambda corpus: (
            sum(sentence[0][1] * bleu(sentence) for sentence in corpus["counts"])
            / sum(sentence[0][1] for sentence in corpus["counts"])
        ),
        "the scores of the sentences were added up": lambda corpus: mean_of_scores(corpus) * len(corpus["counts"]),
        "the result is the geometric mean of the sentences' scores": lambda corpus: geometric(
            list(map(bleu, corpus["counts"]))
        ),
        "the result is the score of the first sentence alone": lambda corpus: bleu(corpus["counts"][0]),
        "the result is the score of the last sentence alone: do you add up the counts?": lambda corpus: bleu(
            corpus["counts"][-1]
        ),
    }
    return _judged(got, want, mistakes)


@judge(
    _PENALTY,
    probe=probes.penalised,
    points=1,
    needs=(_MEAN, _POOLED),
    hint="brevity_penalty takes all candidates and all references at once, and adds up their lengths itself. Multiply the mean by the "
    "factor that it returns.",
)
def penalised(got: Any, want: Any) -> Verdict:
    """Several sentences with a penalty."""

    def with_factor(pick: Callable[[list[float], float], float], corpus: Any) -> float:
        return pick(corpus["factors"], corpus["factor"]) * bleu(_pooled(corpus))

    picks: dict[str, Callable[[list[float], float], float]] = {
        "the penalty changed nothing": lambda factors, factor: 1.0,
        "the mean of the sentences' penalties was taken, expected that of the whole test set": lambda factors, factor: (
            sum(factors) / len(factors)
        ),
        "the sentences' penalties were multiplied, expected that of the whole test set": lambda factors, factor: (
            math.prod(factors)
        ),
        "the mean was divided by the penalty, expected it multiplied by the penalty": lambda factors, factor: (
            1 / factor
        ),
        "the exponential of the penalty was taken: the penalty is already a factor": lambda factors, factor: math.exp(
            factor
        ),
        "the penalty is under the root: it multiplies the mean, not the precisions": lambda factors, factor: (
            factor**0.25
        ),
        "the penalty multiplied each of the four precisions twice": lambda factors, factor: factor**2,
        "the penalty of the first sentence was taken, expected that of the whole test set": lambda factors, factor: (
            factors[0]
        ),
        "the penalty of the last sentence was taken, expected that of the whole test set": lambda factors, factor: (
            factors[-1]
        ),
        "the mean was multiplied by 1 minus the penalty, expected by the penalty": lambda factors, factor: 1 - factor,
    }
    inside = "the penalty multiplies the mean of the logs: it belongs outside the exponential"
    mistakes: dict[str, Mistake] = {message: partial(with_factor, pick) for message, pick in picks.items()}
    return _judged(got, want, {**mistakes, inside: lambda c: 100 * (bleu(_pooled(c)) / 100) ** c["factor"]})


@judge(
    _ZERO,
    probe=probes.no_match,
    points=1,
    needs=(_MEAN, _POOLED),
    hint="log(0) is an error in Python, and minus infinity on paper: what is the exponential of that? Check whether anything matches before "
    "you take the log or divide.",
)
def no_match(got: Any, want: Any) -> Verdict:
    """Precisions of 0, and none at all."""

    def left_out(corpus: Any) -> float:
        return 100 * geometric([share for share in shares(_pooled(corpus)) if share])

    def taken_for_one(corpus: Any) -> float:
        return 100 * geometric([share or 1.0 for share in shares(_pooled(corpus))])

    def left_out_of_the_sum(corpus: Any) -> float:
        kept = [share for share in shares(_pooled(corpus)) if share]
        return 100 * math.prod(kept) ** 0.25 if kept else 0.0

    if any(math.isnan(score) for score in got["scores"]):
        return failed("a score is NaN where nothing matches, expected 0")
    mistakes: dict[str, Mistake] = {
        "an n for which nothing matches was left out of the mean, expected a score of 0": left_out,
        "the precision was set to 1 for an n for which nothing matches, expected a score of 0": taken_for_one,
        "the log of a precision of 0 was left out of the sum, expected a score of 0": left_out_of_the_sum,
    }
    verdict = _judged(got, want, mistakes)
    wrong = [
        mine
        for mine, right in zip(got["scores"], want["scores"], strict=True)
        if not right and not is_close(mine, right)
    ]
    if not verdict.ok and wrong and verdict.message.startswith("with "):
        return failed(
            f"the score is {wrong[0]:.4g} where nothing matches for some n, expected 0: there is no smoothing here"
        )
    return verdict


@judge(
    "a sentence in which nothing matches counts like the others",
    probe=probes.some_without,
    points=1,
    hidden=True,
    needs=(_MEAN, _POOLED, _ZERO),
    hint="A sentence without a matching n-gram adds 0 to the numerator, and its n-grams to the denominator. That is no reason to stop, to "
    "leave it out, or to return 0: only the sums decide.",
)
def some_without(got: Any, want: Any) -> Verdict:
    """Sentences without matches, without n-grams and without words among others."""

    def skipping(skip: Callable[[int, int], bool], corpus: Any) -> float:
        kept = [[(0, 0) if skip(*pair) else pair for pair in sentence] for sentence in corpus["counts"]]
        return bleu([[sum(s[n][part] for s in kept) for part in (0, 1)] for n in range(4)])

    mistakes: dict[str, Mistake] = {
        "sentences in which nothing matches were left out for that n: their n-grams belong in the denominator": partial(
            skipping, lambda matches, total: matches == 0
        ),
        "the score is 0 because nothing matches in one of the sentences: only the sums over all sentences decide": (
            lambda corpus: 0.0
        ),
        "a sentence without n-grams adds 1 to the denominator, expected 0": lambda corpus: bleu(
            [[sum(s[n][0] for s in corpus["counts"]), sum(max(s[n][1], 1) for s in corpus["counts"])] for n in range(4)]
        ),
    }
    return _judged(got, want, mistakes)


untouched = judge(
    "sentences may be tuples or lists, and are left as they were",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_MEAN, _POOLED),
    hint="The caller still needs the lists. Loop over the sentences without removing them, and pass them on as they are.",
)(leaves_arguments)
