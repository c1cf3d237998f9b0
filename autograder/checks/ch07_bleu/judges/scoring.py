"""What the judges of factors and scores share: means of precisions, right and wrong ones, and which mistake gave wrong numbers."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from autograder.compare import difference, is_close
from autograder.verdict import Verdict, failed, passed

Case = TypeVar("Case")

Counts = Sequence[Sequence[int]]
"""Matches and total for n = 1, 2, 3, 4."""
Formula = Callable[[Counts], float]


def first_wrong(got: Sequence[float], want: Sequence[float]) -> int:
    """Where the first number stands that is not near the right one; there has to be one."""
    return next(i for i, pair in enumerate(zip(got, want, strict=True)) if not is_close(*pair))


def mistake_behind(
    numbers: Sequence[float], cases: Sequence[Case], mistakes: Mapping[str, Callable[[Case], float]]
) -> str:
    """What is said of the first mistake that makes these numbers of the cases; empty if none does."""
    for message, made in mistakes.items():
        if all(is_close(number, made(case)) for number, case in zip(numbers, cases, strict=True)):
            return message
    return ""


def judged_scores(
    got: Any,
    want: Any,
    cases: str,
    counted: Callable[[Any], Counts],
    told: str,
    mistakes: Mapping[str, Callable[[Any], float]],
) -> Verdict:
    """The scores against the right ones, and against what each mistake makes of the counts.

    Args:
        got: The student's answer.
        want: The reference's, with the cases.
        cases: The name of the entry with the cases, each with its counts.
        counted: Gives the matches and totals behind a case's score.
        told: How what stands there is called.
        mistakes: What comes of each mistake, by what is said of it.
    """
    scores, right = got["scores"], want["scores"]
    if is_close(scores, right):
        return passed()
    asked = [{**case, "counts": case["counts"].tolist()} for case in want[cases]]
    message = mistake_behind(scores, asked, mistakes)
    if message:
        return failed(message)
    if min(scores) < 0:
        return failed(
            f"a score is {min(scores):.4g}, which is below 0: is the exponential of the mean of the logs missing?"
        )
    first = first_wrong(scores, right)
    counts = ", ".join(f"{matches} of {total}" for matches, total in counted(asked[first]))
    return failed(f"with {counts} n-grams {told} for n = 1 to 4: {difference(scores[first], right[first])}")


def leaves_arguments(got: Any, want: Any) -> Verdict:
    """The numbers for tuples and for lists, and the lists after the call."""
    if got["after"] != want["after"]:
        return failed("the call changed a list that it was given")
    for name in ("lists", "tuples"):
        if not is_close(got[name], want[name]):
            return failed(f"with {name} for sentences: {difference(got[name], want[name])}")
    return passed()


def share_of(pair: Sequence[int]) -> float:
    """A precision, 0 where there are no n-grams."""
    matches, total = pair
    return matches / total if total else 0.0


def shares(counts: Counts) -> list[float]:
    """The precision of each n."""
    return [share_of(pair) for pair in counts]


def geometric(values: Sequence[float]) -> float:
    """The geometric mean; 0 if any value is, or if there is none."""
    return math.prod(values) ** (1 / len(values)) if values else 0.0


def bleu(counts: Counts) -> float:
    """BLEU without smoothing and without penalty, from 0 to 100."""
    return 100 * geometric(shares(counts))


FORMULAS: dict[str, Formula] = {
    "the score is a number from 0 to 1, expected from 0 to 100": lambda counts: bleu(counts) / 100,
    "the result is the arithmetic mean of the four precisions, expected the geometric mean: the exponential of the mean of their logs": (
        lambda counts: 100 * sum(shares(counts)) / 4
    ),
    "the result is the product of the four precisions: the fourth root is missing, that is, the ¼ in front of the sum of logs": (
        lambda counts: 100 * math.prod(shares(counts))
    ),
    "the result is the harmonic mean of the four precisions, expected the geometric mean": (
        lambda counts: 400 / sum(1 / share if share else math.inf for share in shares(counts))
    ),
    "the result is the mean of the logs: the exponential is missing": lambda counts: (
        sum(map(math.log, shares(counts))) / 4 if all(shares(counts)) else math.nan
    ),
    "the result is 100 times the mean of the logs: the exponential is missing": lambda counts: (
        100 * sum(map(math.log, shares(counts))) / 4 if all(shares(counts)) else math.nan
    ),
    "the exponential of the mean precision was taken: the logs are missing": lambda counts: (
        100 * math.exp(sum(shares(counts)) / 4)
    ),
    "the n-grams of all n were counted together, expected a precision for each n and then their mean": lambda counts: (
        100 * sum(m for m, _ in counts) / (sum(t for _, t in counts) or 1)
    ),
    "the counts of one n are carried over to the next, expected sums that start at 0 for each n": lambda counts: (
        100
        * geometric(
            [share_of([sum(part) for part in zip(*counts[:n], strict=True)]) for n in range(1, len(counts) + 1)]
        )
    ),
    "the score is 100 times too large: it was multiplied by 100 twice": lambda counts: 100 * bleu(counts),
    "n stops at 3, expected n = 1, 2, 3 and 4": lambda counts: 100 * geometric(shares(counts)[:3]),
    "n stops at 2, expected n = 1, 2, 3 and 4": lambda counts: 100 * geometric(shares(counts)[:2]),
    "only single words were counted, expected n = 1, 2, 3 and 4": lambda counts: 100 * shares(counts)[0],
    "only n = 4 was counted, expected n = 1, 2, 3 and 4": lambda counts: 100 * shares(counts)[3],
    "n begins at 2, expected n = 1, 2, 3 and 4": lambda counts: 100 * geometric(shares(counts)[1:]),
    "the exponents of the precisions are 1/2, 1/4, 1/8 and 1/16, expected 1/4 for each": lambda counts: (
        100 * math.prod(share ** (0.5**n) for n, share in enumerate(shares(counts), start=1))
    ),
    "the logarithm has a different base from the exponential: math.log and math.exp belong together": lambda counts: (
        100 * math.exp(sum(map(math.log2, shares(counts))) / 4) if all(shares(counts)) else math.nan
    ),
    "the logarithm has base 10, but the exponential does not: math.log and math.exp belong together": lambda counts: (
        100 * math.exp(sum(map(math.log10, shares(counts))) / 4) if all(shares(counts)) else math.nan
    ),
}
"""What comes of each mistake in the mean, by what is said of it; NaN where it cannot be computed."""
