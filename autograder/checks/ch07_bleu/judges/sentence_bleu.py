"""What is right about `sentence_bleu`, and what is said when it is not."""

import math
from collections.abc import Callable, Sequence
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
from autograder.checks.ch07_bleu.probes import sentence_bleu as probes
from autograder.declare import judge
from autograder.verdict import Verdict, failed

_MEAN = "if something matches for every n, the score is the geometric mean"
_PENALTY = "the score is multiplied by the brevity penalty"
_HALF = "the first n without a match counts as half a match"
_AGAIN = "each further n without a match counts half as much as the one before"
_SHORT = "n goes only as far as the sentence has n-grams"

Mistake = Callable[[Any], float]
"""The score that a mistake makes of a sentence."""


def _existing(counts: Counts) -> list[Sequence[int]]:
    """The counts of those n that the sentence has."""
    return [pair for pair in counts if pair[1]]


def _smoothed(above: Callable[[int, int, int], float], counts: Counts) -> float:
    """The score if, where nothing matches, `above` stands above the line: of n, how many n had no match up to here, and the total."""
    values, zeros = [], 0
    for n, (matches, total) in enumerate(_existing(counts), start=1):
        zeros += matches == 0
        values.append((matches or above(n, zeros, total)) / total)
    return 100 * geometric(values)


def _of_sentence(formula: Callable[[Counts], float]) -> Mistake:
    """The formula of the one sentence that is there."""
    return lambda sentence: formula(sentence["counts"][0])


def _smoothing(above: Callable[[int, int, int], float]) -> Mistake:
    return _of_sentence(lambda counts: _smoothed(above, counts))


def _with_factor(change: Callable[[float], float]) -> Mistake:
    """The right score but for what the penalty does."""
    return lambda sentence: change(sentence["factor"]) * bleu(sentence["counts"][0])


def _judged(got: Any, want: Any, mistakes: dict[str, Mistake]) -> Verdict:
    return judged_scores(got, want, "sentences", lambda sentence: sentence["counts"][0], "matching", mistakes)


_SMOOTHED: dict[str, Mistake] = {
    "the score is 0 where nothing matches for some n: smooth it there": _of_sentence(bleu),
    "a whole match was counted where nothing matches, expected half a match the first time": _smoothing(
        lambda n, zeros, total: 1.0
    ),
    "1 was added to the numerator and the denominator, which is sacreBLEU's “add-k”; expected half a match where there is none": (
        _of_sentence(
            lambda counts: (
                100 * geometric([(m + (n > 0)) / (t + (n > 0)) for n, (m, t) in enumerate(_existing(counts))])
            )
        )
    ),
    "1 was added to the numerator and the denominator for every n, expected half a match where there is none": _of_sentence(
        lambda counts: 100 * geometric([(m + 1) / (t + 1) for m, t in _existing(counts)])
    ),
    "a tenth of a match was counted, which is sacreBLEU's “floor”; expected half a match the first time": _smoothing(
        lambda n, zeros, total: 0.1
    ),
    "the precision was set to 1/2 where nothing matches, expected half a match among all n-grams: 1 / (2 · total)": _smoothing(
        lambda n, zeros, total: 0.5**zeros * total
    ),
    "the match was halved n times, expected once for each n without a match so far: once the first time": (
        _smoothing(lambda n, zeros, total: 0.5**n)
    ),
    "the match was halved n - 1 times, expected once for each n without a match so far": _smoothing(
        lambda n, zeros, total: 0.5 ** (n - 1)
    ),
    "the first n without a match counts as a whole match, expected half a match": _smoothing(
        lambda n, zeros, total: 0.5 ** (zeros - 1)
    ),
    "the first n without a match counts as a quarter of a match, expected half a match": _smoothing(
        lambda n, zeros, total: 0.5 ** (zeros + 1)
    ),
    "an n without a match was left out of the mean, expected half a match for it": _of_sentence(
        lambda counts: 100 * geometric([share for share in shares(counts) if share])
    ),
    "each n without a match counts as half a match, expected a half for the first, a quarter for the second, and so on": (
        _smoothing(lambda n, zeros, total: 0.5)
    ),
    "further n without a match count as 1/4, 1/6, 1/8, expected 1/4, 1/8, 1/16: the match is halved each time": _smoothing(
        lambda n, zeros, total: 0.5 / zeros
    ),
    "further n without a match count as a third, a quarter and so on: the match is halved each time": _smoothing(
        lambda n, zeros, total: 1 / (zeros + 1)
    ),
}


@judge(
    _MEAN,
    probe=probes.four,
    points=1,
    hint="Compute it as for a test set, but with the counts of one sentence: the exponential of the mean of four logs, times 100.",
)
def mean_of_four(got: Any, want: Any) -> Verdict:
    """Nothing to smooth, and no penalty."""
    mistakes = {message: _of_sentence(formula) for message, formula in FORMULAS.items()}
    mistakes["1 was added to the numerator and the denominator where nothing needs smoothing"] = _SMOOTHED[
        "1 was added to the numerator and the denominator, which is sacreBLEU's “add-k”; expected half a match where there is none"
    ]
    return _judged(got, want, mistakes)


@judge(
    _PENALTY,
    probe=probes.penalised,
    points=1,
    needs=(_MEAN,),
    hint="brevity_penalty expects two lists: the candidates, and the references of each candidate. A sentence is a test set of one.",
)
def penalised(got: Any, want: Any) -> Verdict:
    """A penalty, and nothing to smooth."""
    mistakes: dict[str, Mistake] = {
        "the penalty changed nothing": _with_factor(lambda factor: 1.0),
        "the mean was divided by the penalty, expected it multiplied by the penalty": _with_factor(
            lambda factor: 1 / factor
        ),
        "the exponential of the penalty was taken: the penalty is already a factor": _with_factor(math.exp),
        "the penalty is under the root: it multiplies the mean, not the precisions": _with_factor(
            lambda factor: factor**0.25
        ),
        "the mean was multiplied by 1 minus the penalty, expected by the penalty": _with_factor(
            lambda factor: 1 - factor
        ),
        "the penalty was applied twice": _with_factor(lambda factor: factor**2),
    }
    return _judged(got, want, mistakes)


@judge(
    _HALF,
    probe=probes.one_zero,
    points=2,
    needs=(_MEAN,),
    hint="Where none of t n-grams matches, pretend that half of one did: the precision is 1 / (2 t). The other precisions stay as they are.",
)
def half(got: Any, want: Any) -> Verdict:
    """Nothing matches for n = 4."""
    return _judged(got, want, _SMOOTHED)


@judge(
    _AGAIN,
    probe=probes.more_zeros,
    points=1,
    needs=(_MEAN, _HALF),
    hint="Keep a number outside the loop, 1 at first. Each time that nothing matches, halve it and use it as the numerator.",
)
def halved_again(got: Any, want: Any) -> Verdict:
    """Nothing matches for several n."""
    return _judged(got, want, _SMOOTHED)


@judge(
    _SHORT,
    probe=probes.short,
    points=2,
    needs=(_MEAN,),
    hint="A sentence of two words has only unigrams and one bigram, so the mean is the sum of two logs, divided by two.",
)
def short(got: Any, want: Any) -> Verdict:
    """Fewer than four words, and nothing to smooth."""

    def by_four(counts: Counts) -> float:
        return 100 * math.prod(m / t for m, t in _existing(counts)) ** 0.25

    def smoothed_on(counts: Counts) -> float:
        zeros, values = 0, []
        for matches, total in counts:
            zeros += total == 0
            values.append(matches / total if total else 0.5**zeros)
        return 100 * geometric(values)

    mistakes: dict[str, Mistake] = {
        "a sentence of fewer than four words scores 0: take the mean only over those n for which it has n-grams": _of_sentence(
            bleu
        ),
        "the sum of the logs was divided by 4, expected by the number of n for which the sentence has n-grams": _of_sentence(
            by_four
        ),
        "n-grams that the sentence cannot have were smoothed: take the mean only over those n for which it has n-grams": _of_sentence(
            smoothed_on
        ),
    }
    return _judged(got, want, mistakes)


@judge(
    "short sentences are smoothed too",
    probe=probes.short_and_zero,
    points=1,
    hidden=True,
    needs=(_HALF, _AGAIN, _SHORT),
    hint="Two different numbers can be 0: the matches, which you smooth, and the total, which ends the loop. Which of them does each "
    "line of your code test?",
)
def short_and_zero(got: Any, want: Any) -> Verdict:
    """Nothing matches for the longest n that there is."""
    return _judged(got, want, _SMOOTHED)


@judge(
    "the score is 0 if no word matches, or if there are no words",
    probe=probes.nothing,
    points=1,
    hidden=True,
    needs=(_MEAN, _HALF, _SHORT),
    hint="Smoothing is for sentences that share something. Without a single word in common the score is 0, and so is that of an empty "
    "candidate.",
)
def nothing(got: Any, want: Any) -> Verdict:
    """Not a word matches."""
    if any(math.isnan(score) for score in got["scores"]):
        return failed("a score is NaN where nothing matches, expected 0")
    mistakes = {"a sentence without a matching word was smoothed like any other, expected a score of 0": _SMOOTHED_ALL}
    return _judged(got, want, mistakes)


_SMOOTHED_ALL = _smoothing(lambda n, zeros, total: 0.5**zeros)


untouched = judge(
    "sentences may be tuples or lists, and are left as they were",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_MEAN,),
    hint="The caller still needs the lists. Pass them on as they are, wrapped in a list of one where a list of sentences is expected.",
)(leaves_arguments)
