"""What is asked of `diagnose_error`."""

from collections.abc import Callable
from typing import Any

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError

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


@probe("diagnose_error")
def others(diagnose_error, draw: Draw):
    """Sentences that are not the reference, with scores above or below the reference's."""
    cases = [_case(draw) for _ in range(_CASES)]
    return _told(diagnose_error, cases)


@probe("diagnose_error")
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


@probe("diagnose_error")
def equal(diagnose_error, draw: Draw):
    """Some sentences that are not the reference have its score to the last bit; the others are above or below it."""
    cases: list[tuple[Any, Any, float, float]] = []
    for _ in range(_CASES):
        found, reference, mine, goal = _case(draw)
        cases.append((found, reference, mine, mine if int(draw.integers(0, 2)) else goal))
    return _told(diagnose_error, cases)


@probe("diagnose_error")
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
