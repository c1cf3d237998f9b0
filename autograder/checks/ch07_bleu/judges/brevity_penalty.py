"""What is right about `brevity_penalty`, and what is said when it is not."""

import math
from collections.abc import Callable
from typing import Any

from autograder.checks.ch07_bleu.judges.scoring import first_wrong, leaves_arguments, mistake_behind
from autograder.checks.ch07_bleu.probes import brevity_penalty as probes
from autograder.compare import difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_SHORT = "the factor for a sentence that is too short is exp(1 - r / c)"
_LONG = "a sentence that is long enough gets no penalty"
_CLOSEST = "of several references, the one with the closest length counts"
_TIES = "if two references are equally close, the shorter one counts"
_TOGETHER = "the lengths of all sentences are added up first"

Corpus = list[tuple[int, list[int]]]
Mistake = Callable[[Corpus], float]
Pick = Callable[[int, list[int]], float]


def _factor(c: float, r: float) -> float:
    if c == 0:
        return 0.0
    return 1.0 if c >= r else math.exp(1 - r / c)


def _closest(length: int, others: list[int]) -> int:
    return min(others, key=lambda other: (abs(other - length), other))


def _sums(corpus: Corpus) -> tuple[int, int]:
    return sum(length for length, _ in corpus), sum(_closest(*pair) for pair in corpus)


def _formula(formula: Callable[[float, float], float]) -> Mistake:
    """What another formula makes of c and r."""
    return lambda corpus: formula(*_sums(corpus))


def _picked(pick: Pick) -> Mistake:
    """What comes of picking another reference."""
    return lambda corpus: _factor(sum(length for length, _ in corpus), sum(pick(*pair) for pair in corpus))


def _each(corpus: Corpus) -> list[float]:
    return [_factor(length, _closest(length, others)) for length, others in corpus]


def _judged(got: Any, want: Any, mistakes: dict[str, Mistake]) -> Verdict:
    """The factors against the right ones, and against what each mistake makes of the lengths."""
    factors = got["factors"]
    if is_close(factors, want["factors"]):
        return passed()
    message = mistake_behind(factors, want["lengths"], mistakes)
    if message:
        return failed(message)
    first = first_wrong(factors, want["factors"])
    lengths = ", ".join(
        f"{length} against {' or '.join(map(str, others))}" for length, others in want["lengths"][first]
    )
    return failed(
        f"number of words in a candidate against those in its references, {lengths}: {difference(factors[first], want['factors'][first])}"
    )


@judge(
    _SHORT,
    probe=probes.too_short,
    points=1,
    hint="c is the candidate's number of words, r the reference's. Where c is half of r, the factor is exp(1 - 2), about 0.37.",
)
def too_short(got: Any, want: Any) -> Verdict:
    """The formula, for one sentence that is too short."""
    mistakes: dict[str, Mistake] = {
        "the result is exp(1 - c / r), expected exp(1 - r / c): it is above 1 and rewards candidates that are too short": _formula(
            lambda c, r: math.exp(1 - c / r)
        ),
        "the factor for a sentence that is too short is 1: where c < r there has to be a penalty": _formula(
            lambda c, r: 1.0
        ),
        "the result is c / r, expected exp(1 - r / c)": _formula(lambda c, r: c / r),
        "the result is r / c, expected exp(1 - r / c)": _formula(lambda c, r: r / c),
        "the result is 1 - r / c: the exponential is missing": _formula(lambda c, r: 1 - r / c),
        "the result is exp(-r / c): the 1 is missing": _formula(lambda c, r: math.exp(-r / c)),
        "the result is exp(c - r), expected exp(1 - r / c)": _formula(lambda c, r: math.exp(c - r)),
        "the result is exp(c / r - 1), expected exp(1 - r / c)": _formula(lambda c, r: math.exp(c / r - 1)),
        "the factor is in percent, expected a number from 0 to 1": _formula(lambda c, r: 100 * _factor(c, r)),
    }
    return _judged(got, want, mistakes)


@judge(
    _LONG,
    probe=probes.long_enough,
    points=1,
    needs=(_SHORT,),
    hint="The formula gives more than 1 where c > r. The precisions already penalise extra words, so the factor has two cases.",
)
def long_enough(got: Any, want: Any) -> Verdict:
    """The other case."""
    mistakes: dict[str, Mistake] = {
        "the factor for a sentence that is too long is above 1: it would be rewarded": _formula(
            lambda c, r: math.exp(1 - r / c)
        ),
        "a sentence that is too long gets a penalty too: only sentences that are too short should get one": _formula(
            lambda c, r: _factor(*sorted((c, r)))
        ),
        "the factor for a sentence that is too long is exp(1 - c / r): only sentences that are too short get a penalty": _formula(
            lambda c, r: math.exp(1 - max(c / r, r / c))
        ),
        "the factor for a sentence that is long enough is 0, expected 1": _formula(
            lambda c, r: _factor(c, r) * (c < r)
        ),
    }
    return _judged(got, want, mistakes)


@judge(
    _CLOSEST,
    probe=probes.closest,
    points=2,
    needs=(_SHORT, _LONG),
    hint="For each reference, how far is its number of words from the candidate's, in either direction? min() takes a key.",
)
def closest(got: Any, want: Any) -> Verdict:
    """Three references at different distances."""
    mistakes: dict[str, Mistake] = {
        "the shortest reference was taken, expected the one whose length is closest to the candidate's": _picked(
            lambda length, others: min(others)
        ),
        "the longest reference was taken, expected the one whose length is closest to the candidate's": _picked(
            lambda length, others: max(others)
        ),
        "the mean length of the references was taken, expected that of the closest one": _picked(
            lambda length, others: sum(others) / len(others)
        ),
        "the lengths of all references were added up, expected that of the closest one": _picked(
            lambda length, others: sum(others)
        ),
        "the first reference was taken, expected the one whose length is closest": _picked(
            lambda length, others: others[0]
        ),
        "the last reference was taken, expected the one whose length is closest": _picked(
            lambda length, others: others[-1]
        ),
        "the distance has a sign, so the shortest reference was taken: use abs() for the distance": _picked(
            lambda length, others: min(others, key=lambda other: other - length)
        ),
        "the number of references was used as a length": _picked(lambda length, others: len(others)),
        "the reference with the most distant length was taken, expected the closest": _picked(
            lambda length, others: max(others, key=lambda other: abs(other - length))
        ),
        "only references at least as long as the candidate were considered: a shorter one may be the closest": _picked(
            lambda length, others: min((o for o in others if o >= length), default=min(others))
        ),
        "only references no longer than the candidate were considered: a longer one may be the closest": _picked(
            lambda length, others: max((o for o in others if o <= length), default=max(others))
        ),
    }
    return _judged(got, want, mistakes)


@judge(
    _TOGETHER,
    probe=probes.together,
    points=2,
    needs=(_SHORT, _LONG),
    hint="A test set gets a single penalty. Add up the candidates' lengths to c and the references' to r over all sentences, and only then "
    "compare.",
)
def together(got: Any, want: Any) -> Verdict:
    """Several sentences with one reference each."""
    mistakes: dict[str, Mistake] = {
        "the factor is 1, although all candidates together have fewer words than their references": lambda corpus: 1.0,
        "the factor was computed for each sentence, and then averaged: add up the lengths first": lambda corpus: (
            sum(_each(corpus)) / len(corpus)
        ),
        "the factors of the sentences were multiplied": lambda corpus: math.prod(_each(corpus)),
        "the factors of the sentences were added up": lambda corpus: sum(_each(corpus)),
        "the result is the factor of the first sentence alone": lambda corpus: _each(corpus)[0],
        "the result is the factor of the last sentence alone": lambda corpus: _each(corpus)[-1],
        "the result is the smallest of the sentences' factors": lambda corpus: min(_each(corpus)),
    }
    return _judged(got, want, mistakes)


@judge(
    _TIES,
    probe=probes.ties,
    points=1,
    needs=(_CLOSEST,),
    hint="Among equal keys, min() takes the one that comes first. A key can be a pair, such as a distance and a length: where the first "
    "numbers are equal, the second decides.",
)
def ties(got: Any, want: Any) -> Verdict:
    """Two references at one distance."""
    mistakes: dict[str, Mistake] = {
        "of two equally close references, the longer one was taken, expected the shorter one": _picked(
            lambda length, others: min(others, key=lambda other: (abs(other - length), -other))
        ),
        "of two equally close references, the first one was taken, expected the shorter one": _picked(
            lambda length, others: min(others, key=lambda other: abs(other - length))
        ),
        "of two equally close references, the last one was taken, expected the shorter one": _picked(
            lambda length, others: min(reversed(others), key=lambda other: abs(other - length))
        ),
    }
    return _judged(got, want, mistakes)


@judge(
    "the closest reference is chosen for each sentence separately",
    probe=probes.each_its_closest,
    points=1,
    hidden=True,
    needs=(_CLOSEST, _TOGETHER),
    hint="Choose a reference for each sentence by its own lengths, then add up the chosen lengths. Sentences can have different numbers of "
    "references.",
)
def each_its_closest(got: Any, want: Any) -> Verdict:
    """Several sentences with several references."""
    return _judged(got, want, {})


@judge(
    "a candidate without words counts, and causes no error",
    probe=probes.without_words,
    points=1,
    hidden=True,
    needs=(_SHORT, _LONG, _CLOSEST, _TOGETHER),
    hint="Without any words, r / c is not defined, and the factor is 0. One empty candidate among others adds nothing to c, but its "
    "reference still adds to r.",
)
def without_words(got: Any, want: Any) -> Verdict:
    """Empty candidates."""
    return _judged(got, want, {})


untouched = judge(
    "sentences may be tuples or lists, and are left as they were",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_SHORT, _CLOSEST, _TOGETHER),
    hint="The caller still needs the lists in their original order: sorted() makes a new list, but sort() changes the list itself. len() "
    "works on tuples too.",
)(leaves_arguments)
