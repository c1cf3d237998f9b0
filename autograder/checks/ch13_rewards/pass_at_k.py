"""The checks of `pass_at_k`."""

from collections.abc import Callable
from functools import partial
from typing import Any

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.checks.ch07_bleu.words import number_of
from autograder.checks.ch08_self_attention.errors import error_of, not_refused
from autograder.declare import Exercise, check
from autograder.judging.compare import difference, is_close

EXERCISE = Exercise("pass_at_k", "the chance that one of k answers is right", minutes=10, difficulty=1)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(pass_at_k, draw: Draw) -> Use:
    """All counts of right answers among 64, as k doubles; then one prompt with 128 samples."""

    def call(num_samples: int, counts: list[int], ks: list[int]) -> list[Any]:
        return [number_of(pass_at_k(num_samples, count, k)) for count in counts for k in ks]

    counts = sorted(draw.integers(0, 65, 9).tolist())
    return Use(call, (64, [0, *counts, 64], [1, 2, 4, 8, 16, 32, 64]), (128, [int(draw.integers(1, 5))], [1, 100, 128]))


def _asked(pass_at_k: Callable[..., Any], cases: list[list[int]]) -> dict[str, Any]:
    return {"estimates": [number_of(pass_at_k(*case)) for case in cases], "cases": cases}


@check(
    "for k = 1 the estimate is the share of right answers",
    points=1,
    reads=("estimates",),
    hint="There are n choices of one answer, and c of them are right.",
)
def one(pass_at_k, draw: Draw):
    """One answer is chosen."""
    return _asked(pass_at_k, [[n, int(draw.integers(1, n)), 1] for n in draw.integers(5, 30, 4).tolist()])


@one.explain
def first_wrong(got, want):
    """The first estimate that is wrong."""
    rows = zip(got["estimates"], want["estimates"], want["cases"], strict=True)
    wrong = [row for row in rows if not is_close(*row[:2])]
    if not wrong:
        return None
    mine, right, (n, c, k) = wrong[0]
    return f"{c} of {n} answers are right and k is {k}: {difference(mine, right)}"


@check(
    "the estimate is the share of the choices of k different answers that contain a right one",
    points=2,
    reads=("estimates",),
    needs=one,
    draws=4,
    hint="Count the choices that contain no right answer: all k come from the n - c wrong ones. No answer is chosen twice.",
)
def several(pass_at_k, draw: Draw):
    """Several answers are chosen, of a few that were sampled."""
    cases = []
    for n in draw.integers(8, 20, 5).tolist():
        right = int(draw.integers(1, n // 2))
        cases.append([n, right, int(draw.integers(2, n - right + 1))])
    return _asked(pass_at_k, cases)


several.explain(first_wrong)


@check(
    "it is 0 if no answer is right, and 1 if fewer than k are wrong",
    points=2,
    reads=("estimates",),
    needs=(one, several),
    hint="If fewer than k answers are wrong, how many choices of k contain none that is right?",
)
def ends(pass_at_k, draw: Draw):
    """No answer is right, all are, or too few are wrong."""
    cases = []
    for kind in draw.integers(0, 4, 12).tolist():
        n, k = int(draw.integers(6, 15)), int(draw.integers(2, 5))
        cases.append([n, (0, n, n - k + 1, n - 1)[kind], k])
    return _asked(pass_at_k, cases)


ends.explain(first_wrong)


@check(
    "a k that is below 1 or above the number of samples raises an error",
    points=1,
    reads=("refused", "allowed", "estimates"),
    needs=(one, several),
    hint="From 5 samples nobody can choose 6. Raise ValueError with a message that says what was wrong.",
)
def refused(pass_at_k, draw: Draw):
    """A k that cannot be, and the largest that can."""
    n = int(draw.integers(4, 9))
    cases = {
        "one more than the samples as k": (n, 2, n + 1),
        "k above the samples, none of which is right,": (n, 0, n + 2),
        "k above the samples, all of which are right,": (n, n, n + 3),
        "k = 0": (n, 2, 0),
    }
    answers = {name: error_of(partial(pass_at_k, *case)) for name, case in cases.items()}
    return {"refused": answers, "allowed": error_of(partial(pass_at_k, n, 0, n)), **_asked(pass_at_k, [[n, 1, 1]])}


@refused.explain
def wrongly_refused(got, want):
    """Which k is treated wrongly."""
    if got["allowed"] != want["allowed"]:
        return f"a k that equals the number of samples raised {got['allowed']:.60}, but all of them can be chosen"
    return not_refused(got, want)


@check(
    "there may be many thousands of samples",
    points=1,
    hidden=True,
    reads=("estimates", "a million times the estimate"),
    needs=(one, several, ends),
    hint="The numbers of choices have thousands of digits: no float holds them, though their quotient is between 0 and 1. Integers of any size, "
    "or a product of quotients, have no such limit.",
)
def many(pass_at_k, draw: Draw):
    """Ten thousand samples, and a hundred thousand of which one is right."""
    cases = []
    for right in draw.integers(1, 6, 2).tolist():
        n = int(draw.integers(9_000, 11_000))
        cases += [[n, right, n // 3], [n, 40 * right, 100], [n, n // 2, n // 2]]
    rare = [1e6 * number_of(pass_at_k(n, 1, 1)) for n in draw.integers(90_000, 110_000, 4).tolist()]
    return {**_asked(pass_at_k, cases), "a million times the estimate": rare}


many.explain(first_wrong)
