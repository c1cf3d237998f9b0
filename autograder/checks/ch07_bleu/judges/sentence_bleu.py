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

_MEAN = "where something matches for every n, it is the geometric mean"
_PENALTY = "the brevity penalty is a factor"
_HALF = "the first n without a match counts as half a match"
_AGAIN = "each further n without a match counts half as much again"
_SHORT = "n goes only as far as there are n-grams"

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
    "the score is 0 where nothing matches for some n: it is to be smoothed there": _of_sentence(bleu),
    "1 was counted above the line where nothing matches, expected a half the first time": _smoothing(
        lambda n, zeros, total: 1.0
    ),
    "1 was added above and below the line, which is sacreBLEU's “add-k”; expected half a match where there is none": (
        _of_sentence(
            lambda counts: (
                100 * geometric([(m + (n > 0)) / (t + (n > 0)) for n, (m, t) in enumerate(_existing(counts))])
            )
        )
    ),
    "1 was added above and below the line for every n, expected half a match where there is none": _of_sentence(
        lambda counts: 100 * geometric([(m + 1) / (t + 1) for m, t in _existing(counts)])
    ),
    "a tenth of a match was counted, which is sacreBLEU's “floor”; expected half a match the first time": _smoothing(
        lambda n, zeros, total: 0.1
    ),
    "a precision of 1/2 was put where nothing matches, expected half a match among all n-grams: 1 / (2 · total)": _smoothing(
        lambda n, zeros, total: 0.5**zeros * total
    ),
    "the match was halved as often as n says, expected as often as there was an n without a match: once the first time": (
        _smoothing(lambda n, zeros, total: 0.5**n)
    ),
    "the match was halved as often as n - 1 says, expected as often as there was an n without a match": _smoothing(
        lambda n, zeros, total: 0.5 ** (n - 1)
    ),
    "the first n without a match counts as a whole match, expected as half of one": _smoothing(
        lambda n, zeros, total: 0.5 ** (zeros - 1)
    ),
    "the first n without a match counts as a quarter of one, expected as half of one": _smoothing(
        lambda n, zeros, total: 0.5 ** (zeros + 1)
    ),
    "an n without a match was left out of the mean, expected half a match for it": _of_sentence(
        lambda counts: 100 * geometric([share for share in shares(counts) if share])
    ),
    "each n without a match counts as half a match, expected half of one for the first, a quarter for the second, and so on": (
        _smoothing(lambda n, zeros, total: 0.5)
    ),
    "further n without a match count as 1/4, 1/6, 1/8, expected 1/4, 1/8, 1/16: the match is halved each time": _smoothing(
        lambda n, zeros, total: 0.5 / zeros
    ),
    "further n without a match count as a third, a quarter, expected halved each time": _smoothing(
        lambda n, zeros, total: 1 / (zeros + 1)
    ),
}


@judge(
    _MEAN,
    probe=probes.four,
    points=1,
    hint="As for a test set, but with the counts of one sentence: the exponential of the mean of four logs, times 100.",
)
def mean_of_four(got: Any, want: Any) -> Verdict:
    """Nothing to smooth, and no penalty."""
    mistakes = {message: _of_sentence(formula) for message, formula in FORMULAS.items()}
    mistakes["1 was added above and below the line where nothing needs smoothing"] = _SMOOTHED[
        "1 was added above and below the line, which is sacreBLEU's “add-k”; expected half a match where there is none"
    ]
    return _judged(got, want, mistakes)


@judge(
    _PENALTY,
    probe=probes.penalised,
    points=1,
    needs=(_MEAN,),
    hint="brevity_penalty wants lists: of candidates, and of what references each has. A sentence is a test set of one.",
)
def penalised(got: Any, want: Any) -> Verdict:
    """A penalty, and nothing to smooth."""
    mistakes: dict[str, Mistake] = {
        "the penalty changed nothing": _with_factor(lambda factor: 1.0),
        "the mean was divided by the penalty, expected multiplied": _with_factor(lambda factor: 1 / factor),
        "exp was taken of the penalty too: it is a factor as it is": _with_factor(math.exp),
        "the penalty stands under the root: it multiplies the mean, and not the precisions": _with_factor(
            lambda factor: factor**0.25
        ),
        "1 minus the penalty was taken for the penalty": _with_factor(lambda factor: 1 - factor),
        "the penalty was counted twice": _with_factor(lambda factor: factor**2),
    }
    return _judged(got, want, mistakes)


@judge(
    _HALF,
    probe=probes.one_zero,
    points=2,
    needs=(_MEAN,),
    hint="Where nothing matches among t n-grams, pretend that half of one did: the precision is 1 / (2 t). The other n keep theirs.",
)
def half(got: Any, want: Any) -> Verdict:
    """Nothing matches for n = 4."""
    return _judged(got, want, _SMOOTHED)


@judge(
    _AGAIN,
    probe=probes.more_zeros,
    points=1,
    needs=(_MEAN, _HALF),
    hint="Keep a number beside the loop, 1 at first. Each time that nothing matches, halve it and put it above the line.",
)
def halved_again(got: Any, want: Any) -> Verdict:
    """Nothing matches for several n."""
    return _judged(got, want, _SMOOTHED)


@judge(
    _SHORT,
    probe=probes.short,
    points=2,
    needs=(_MEAN,),
    hint="A sentence of two words has words and one bigram, and that is all that there is to take the mean of: two logs, divided by two.",
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
        "a sentence of fewer than four words has a score of 0: the mean is over the n that it has": _of_sentence(bleu),
        "the sum of the logs was divided by 4, expected by as many n as the sentence has": _of_sentence(by_four),
        "n-grams that the sentence cannot have were smoothed: the mean is over the n that it has": _of_sentence(
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
    hint="Two different things can be 0: the matches, which are smoothed, and the total, at which the loop ends. Which of them does each "
    "line ask about?",
)
def short_and_zero(got: Any, want: Any) -> Verdict:
    """Nothing matches for the longest n that there is."""
    return _judged(got, want, _SMOOTHED)


@judge(
    "the score is 0 where not a word matches, or there is none",
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
    mistakes = {"a sentence without a word that matches was smoothed like any other, expected 0": _SMOOTHED_ALL}
    return _judged(got, want, mistakes)


_SMOOTHED_ALL = _smoothing(lambda n, zeros, total: 0.5**zeros)


untouched = judge(
    "sentences may be tuples or lists, and are left as they were",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_MEAN,),
    hint="The caller still needs the lists. Hand them on as they are, in a list of one where a list of sentences is wanted.",
)(leaves_arguments)
