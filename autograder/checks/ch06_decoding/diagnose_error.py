"""The checks of `diagnose_error`."""

import math
from collections.abc import Callable
from typing import Any

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check

EXERCISE = Exercise("diagnose_error", "a search error or a model error", minutes=5, difficulty=1)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(diagnose_error, draw: Draw) -> Use:
    """Sentences with words that come again, or with none, and scores of either sign that are equal, nearly equal or minus infinity."""

    def call(cases: list[tuple[Any, ...]]) -> dict[str, str]:
        names = [f"found {found}, reference {reference}, scores {a!r} and {b!r}" for found, reference, a, b in cases]
        return dict(zip(names, asked(diagnose_error, cases), strict=True))

    some, score = draw.integers(0, 3, 5).tolist(), -float(draw.integers(1, 90)) / 8
    scores = [
        (score, score),
        (score, math.nextafter(score, 0.0)),
        (score, math.nextafter(score, -math.inf)),
        (score - 900, score - 800),
        (-math.inf, score),
        (score, 0.0),
        (score, -math.inf),
        (-math.inf, -math.inf),
        (-score, -score / 2),
        (score / 4, -score / 8),
    ]
    pairs = [
        (some, some[:-1]),
        (some, [*some, 0]),
        (some, [*some[:-1], some[-1] + 1]),
        (some, [*some[:2], some[2] + 1, *some[3:]]),
        ([1, 12], [11, 2]),
        ([], some),
        (some, []),
        ([], []),
        (some, tuple(some)),
        (some[::-1], [7, *some]),
    ]
    cases = [(*pair, *both) for pair in pairs for both in scores]
    order = draw.normal(len(cases)).argsort().tolist()
    return Use(call, ([cases[place] for place in order],), (cases[: int(draw.integers(3, 9))],))


_NAMES = ("none", "search", "model")
_CASES = 16


def _sentence(draw: Draw, *unlike: list[int]) -> list[int]:
    """Some words, of which the first is not that of another sentence."""
    while True:
        words = draw.integers(4, 40, int(draw.integers(1, 8))).tolist()
        if all(words[0] != other[0] for other in unlike):
            return words


def asked(diagnose_error: Callable[..., Any], cases: list[tuple[Any, Any, float, float]]) -> list[str]:
    """What is said of each case.

    Raises:
        MisuseError: It is no string.
    """
    said = [diagnose_error(*case) for case in cases]
    odd = next((word for word in said if not isinstance(word, str)), "")
    if not isinstance(odd, str):
        raise MisuseError(f'the result is {kind_of(odd)}, expected one of the strings "none", "search" and "model"')
    return said


def _scores(draw: Draw) -> tuple[float, float]:
    """Two scores, one of them clearly above the other, either of them first."""
    low = -float(draw.integers(20, 60)) / 4
    high = low + float(draw.integers(1, 16)) / 4
    return (high, low) if int(draw.integers(0, 2)) else (low, high)


def _case(draw: Draw) -> tuple[list[int], list[int], float, float]:
    found = _sentence(draw)
    mine, goal = _scores(draw)
    return found, _sentence(draw, found), mine, goal


def _told(diagnose_error: Callable[..., Any], cases: list[tuple[Any, Any, float, float]]) -> dict[str, Any]:
    """What is said of each case, and which it is."""
    told = [
        f"{list(found)} with {mine:.4g} and the reference {list(other)} with {goal:.4g}"
        for found, other, mine, goal in cases
    ]
    return {"said": asked(diagnose_error, cases), "cases": told}


@check(
    "a reference with a higher score means a search error, one with a lower score a model error",
    reads=("said",),
    points=2,
    hint="Ask which score is higher. If it is the reference's, the model prefers the reference, and the search did not offer it.",
)
def others(diagnose_error, draw: Draw):
    """Sentences that are not the reference, with scores above or below the reference's."""
    cases = [_case(draw) for _ in range(_CASES)]
    return _told(diagnose_error, cases)


@others.explain
def same_word(got, want):
    """A word that is none of the three, or the same word in all cases."""
    mine = got["said"]
    odd = [word for word in mine if word not in _NAMES]
    if odd:
        return f"{odd[0][:40]!r} was returned, expected one of {', '.join(map(repr, _NAMES))}"
    return f"{mine[0]!r} was returned in each of {len(mine)} cases" if len(set(mine)) == 1 else None


@check(
    "if the words are the same, there is no error",
    points=1,
    needs=others,
    reads=("said",),
    hint="Compare the words first, all of them and in order. Two scores of the same sentence may differ by rounding, "
    "so unequal scores do not mean that the words differ.",
)
def the_same(diagnose_error, draw: Draw):
    """Some sentences are the reference, with scores that rounding has moved; others have its words in another order, or more words."""
    cases: list[tuple[Any, Any, float, float]] = []
    for kind in (draw.normal(_CASES).argsort() % 4).tolist():
        found, reference, mine, goal = _case(draw)
        if kind == 0:
            reference, goal = list(found), mine + (goal - mine) * 1e-6
        elif kind == 1 and len(set(found)) > 1:
            reference = found[1:] + found[:1]
        elif kind == 2:
            reference = [*found, 50]
        elif kind == 3:
            found, reference = [*found, 50], found
        cases.append((found, reference, mine, goal))
    return _told(diagnose_error, cases)


@check(
    "equal scores are a model error",
    points=1,
    hidden=True,
    needs=others,
    reads=("said",),
    hint="If the two scores are equal, no search had a reason to prefer the reference. Is one of your comparisons >= where it has to be >?",
)
def equal(diagnose_error, draw: Draw):
    """Some sentences that are not the reference have its score to the last bit; the others are above or below it."""
    cases: list[tuple[Any, Any, float, float]] = []
    for _ in range(_CASES):
        found, reference, mine, goal = _case(draw)
        cases.append((found, reference, mine, mine if int(draw.integers(0, 2)) else goal))
    return _told(diagnose_error, cases)


@check(
    "the words may come in a list or in a tuple",
    points=1,
    hidden=True,
    needs=(others, the_same),
    reads=("said",),
    hint="In Python [1, 2] == (1, 2) is False. Turn both into lists before you compare them.",
)
def tuples(diagnose_error, draw: Draw):
    """One sentence is a list and the other a tuple; some are the same."""
    cases: list[tuple[Any, Any, float, float]] = []
    for _ in range(_CASES):
        found, reference, mine, goal = _case(draw)
        if int(draw.integers(0, 2)):
            reference = list(found)
        if int(draw.integers(0, 2)):
            cases.append((found, tuple(reference), mine, goal))
        else:
            cases.append((tuple(found), reference, mine, goal))
    return _told(diagnose_error, cases)


@others.explain
@the_same.explain
@equal.explain
@tuples.explain
def wrong_cases(got, want):
    """Of one kind of case, how many are wrong, and the first of them."""
    for name in ("none", "model", "search"):
        wrong = [at for at, right in enumerate(want["said"]) if right == name != got["said"][at]]
        if wrong:
            mine = got["said"][wrong[0]]
            told = repr(mine) if mine in _NAMES else "another word"
            return (
                f"{told} was returned, expected {name!r}, in {len(wrong)} of {want['said'].count(name)} such cases, "
                f"such as for {want['cases'][wrong[0]]}"
            )
    return None
