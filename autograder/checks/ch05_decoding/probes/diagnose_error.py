"""What is asked of `diagnose_error`."""

from collections.abc import Callable
from typing import Any

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError

_CASES = 16


def _sentence(draw: Draw, *unlike: list[int]) -> list[int]:
    """Some words, none of them those of another sentence."""
    while True:
        words = draw.integers(4, 40, int(draw.integers(1, 8))).tolist()
        if words not in unlike:
            return words


def _asked(diagnose_error: Callable[..., Any], cases: list[tuple[Any, Any, float, float]]) -> list[str]:
    """What is said of each case.

    Raises:
        MisuseError: It is no string.
    """
    said = [diagnose_error(*case) for case in cases]
    odd = next((word for word in said if not isinstance(word, str)), "")
    if not isinstance(odd, str):
        raise MisuseError(
            f'what it returned is {kind_of(odd)}, expected one of the strings "none", "search" and "model"'
        )
    return said


def _scores(draw: Draw) -> tuple[float, float]:
    """Two scores, one of them clearly above the other, either of them first."""
    low = -float(draw.integers(20, 60)) / 4
    high = low + float(draw.integers(1, 16)) / 4
    return (high, low) if int(draw.integers(0, 2)) else (low, high)


def _case(draw: Draw) -> tuple[list[int], list[int], float, float]:
    found = _sentence(draw)
    return (found, _sentence(draw, found), *_scores(draw))


@probe("diagnose_error")
def others(diagnose_error, draw: Draw):
    """Sentences that are not the reference, with scores above or below the reference's."""
    cases = [_case(draw) for _ in range(_CASES)]
    return {
        "said": _asked(diagnose_error, cases),
        "found scores": [c[2] for c in cases],
        "reference scores": [c[3] for c in cases],
    }


@probe("diagnose_error")
def the_same(diagnose_error, draw: Draw):
    """Some sentences are the reference, with scores that rounding has moved; the others are not."""
    cases = []
    for _ in range(_CASES):
        found, reference, *scores = _case(draw)
        if int(draw.integers(0, 2)):
            reference, scores = list(found), [scores[0], scores[0] + (scores[1] - scores[0]) * 1e-6]
        cases.append((found, reference, *scores))
    return {"said": _asked(diagnose_error, cases)}


@probe("diagnose_error")
def equal(diagnose_error, draw: Draw):
    """Some sentences that are not the reference have its score to the last bit; the others are above or below it."""
    cases = []
    for _ in range(_CASES):
        found, reference, mine, goal = _case(draw)
        cases.append((found, reference, mine, mine if int(draw.integers(0, 2)) else goal))
    return {"said": _asked(diagnose_error, cases)}


@probe("diagnose_error")
def tuples(diagnose_error, draw: Draw):
    """One sentence is a list and the other a tuple; some are the same."""
    cases = []
    for _ in range(_CASES):
        found, reference, *scores = _case(draw)
        if int(draw.integers(0, 2)):
            reference = list(found)
        cases.append(
            (found, tuple(reference), *scores) if int(draw.integers(0, 2)) else (tuple(found), reference, *scores)
        )
    return {"said": _asked(diagnose_error, cases)}
