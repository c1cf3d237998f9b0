"""What is right about `brevity_penalty`, and what is said when it is not."""

import math
from collections.abc import Callable
from typing import Any

from autograder.checks.ch07_bleu.judges.scoring import first_wrong, leaves_arguments, mistake_behind
from autograder.checks.ch07_bleu.probes import brevity_penalty as probes
from autograder.compare import difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_SHORT = "a sentence that is too short pays exp(1 - r / c)"
_LONG = "a sentence that is long enough pays nothing"
_CLOSEST = "of several references, the one with the closest length counts"
_TIES = "of two equally close references the shorter one counts"
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
        f"words of a candidate against those of its references, {lengths}: {difference(factors[first], want['factors'][first])}"
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
        "what came back is exp(1 - c / r), expected exp(1 - r / c): it is above 1 and rewards what is too short": _formula(
            lambda c, r: math.exp(1 - c / r)
        ),
        "a sentence that is too short came back with the factor 1: where c < r there is something to pay": _formula(
            lambda c, r: 1.0
        ),
        "what came back is c / r, expected exp(1 - r / c)": _formula(lambda c, r: c / r),
        "what came back is r / c, expected exp(1 - r / c)": _formula(lambda c, r: r / c),
        "what came back is 1 - r / c: its exponential is missing": _formula(lambda c, r: 1 - r / c),
        "what came back is exp(-r / c): the 1 is missing": _formula(lambda c, r: math.exp(-r / c)),
        "what came back is exp(c - r), expected exp(1 - r / c)": _formula(lambda c, r: math.exp(c - r)),
        "what came back is exp(c / r - 1), expected exp(1 - r / c)": _formula(lambda c, r: math.exp(c / r - 1)),
        "the factor came back in percent, expected from 0 to 1": _formula(lambda c, r: 100 * _factor(c, r)),
    }
    return _judged(got, want, mistakes)


@judge(
    _LONG,
    probe=probes.long_enough,
    points=1,
    needs=(_SHORT,),
    hint="The formula goes above 1 where c > r. The precisions already pay for words that are too many; the factor has two cases.",
)
def long_enough(got: Any, want: Any) -> Verdict:
    """The other case."""
    mistakes: dict[str, Mistake] = {
        "a sentence that is too long came back with a factor above 1: it would be rewarded": _formula(
            lambda c, r: math.exp(1 - r / c)
        ),
        "a sentence that is too long pays too: only those that are too short do": _formula(
            lambda c, r: _factor(*sorted((c, r)))
        ),
        "a sentence that is too long pays exp(1 - c / r): only those that are too short pay": _formula(
            lambda c, r: math.exp(1 - max(c / r, r / c))
        ),
        "a sentence that is long enough came back with 0, expected 1": _formula(lambda c, r: _factor(c, r) * (c < r)),
    }
    return _judged(got, want, mistakes)


@judge(
    _CLOSEST,
    probe=probes.closest,
    points=2,
    needs=(_SHORT, _LONG),
    hint="For each reference, how far is its number of words from the candidate's, up or down? min() takes a key.",
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
        "the distance has a sign, and so the shortest reference won: how far is abs()": _picked(
            lambda length, others: min(others, key=lambda other: other - length)
        ),
        "the number of references was taken for a length": _picked(lambda length, others: len(others)),
        "the reference that is farthest was taken, expected the closest": _picked(
            lambda length, others: max(others, key=lambda other: abs(other - length))
        ),
        "only references that are long enough were looked at: a shorter one may be the closest": _picked(
            lambda length, others: min((o for o in others if o >= length), default=min(others))
        ),
        "only references that are not longer were looked at: a longer one may be the closest": _picked(
            lambda length, others: max((o for o in others if o <= length), default=max(others))
        ),
    }
    return _judged(got, want, mistakes)


@judge(
    _TOGETHER,
    probe=probes.together,
    points=2,
    needs=(_SHORT, _LONG),
    hint="A test set pays once. Add the candidates' lengths up to c and the references' to r, over all sentences, and only then compare.",
)
def together(got: Any, want: Any) -> Verdict:
    """Several sentences with one reference each."""
    mistakes: dict[str, Mistake] = {
        "the factor 1 came back, though all candidates together have fewer words than their references": lambda corpus: (
            1.0
        ),
        "the factor of each sentence was taken first, and then their mean": lambda corpus: (
            sum(_each(corpus)) / len(corpus)
        ),
        "the factors of the sentences were multiplied": lambda corpus: math.prod(_each(corpus)),
        "the factors of the sentences were added up": lambda corpus: sum(_each(corpus)),
        "what came back is the factor of the first sentence alone": lambda corpus: _each(corpus)[0],
        "what came back is the factor of the last sentence alone": lambda corpus: _each(corpus)[-1],
        "the least of the sentences' factors came back": lambda corpus: min(_each(corpus)),
    }
    return _judged(got, want, mistakes)


@judge(
    _TIES,
    probe=probes.ties,
    points=1,
    needs=(_CLOSEST,),
    hint="Of equal keys, min() takes whichever comes first. A key may be a pair, such as a distance and then a length: the second decides "
    "where the first is equal.",
)
def ties(got: Any, want: Any) -> Verdict:
    """Two references at one distance."""
    mistakes: dict[str, Mistake] = {
        "of two equally close references the longer one was taken, expected the shorter one": _picked(
            lambda length, others: min(others, key=lambda other: (abs(other - length), -other))
        ),
        "of two equally close references the one that stands first was taken, expected the shorter one": _picked(
            lambda length, others: min(others, key=lambda other: abs(other - length))
        ),
        "of two equally close references the one that stands last was taken, expected the shorter one": _picked(
            lambda length, others: min(reversed(others), key=lambda other: abs(other - length))
        ),
    }
    return _judged(got, want, mistakes)


@judge(
    "each sentence has a closest reference of its own",
    probe=probes.each_its_closest,
    points=1,
    hidden=True,
    needs=(_CLOSEST, _TOGETHER),
    hint="Choose a reference for each sentence by its own lengths, and add up what was chosen. The sentences need not have equally many.",
)
def each_its_closest(got: Any, want: Any) -> Verdict:
    """Several sentences with several references."""
    return _judged(got, want, {})


@judge(
    "a candidate without words counts, and is no error",
    probe=probes.without_words,
    points=1,
    hidden=True,
    needs=(_SHORT, _LONG, _CLOSEST, _TOGETHER),
    hint="Without any words there is no r / c: the factor is 0. One empty candidate among others adds nothing to c, and its reference adds "
    "to r.",
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
    hint="The caller still needs the lists in their order: sorted() makes a new one, sort() does not. len() works on tuples too.",
)(leaves_arguments)
