"""What the judges of both scores share: means of precisions, right and wrong ones."""

import math
from collections.abc import Callable, Sequence

Counts = Sequence[Sequence[int]]
"""Matches and total for n = 1, 2, 3, 4."""
Formula = Callable[[Counts], float]


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
    "the score came back from 0 to 1, expected from 0 to 100": lambda counts: bleu(counts) / 100,
    "what came back is the arithmetic mean of the four precisions, expected the geometric one: the mean of their logs, and exp of it": (
        lambda counts: 100 * sum(shares(counts)) / 4
    ),
    "what came back is the product of the four precisions: its fourth root is missing, the ¼ in front of the sum of logs": (
        lambda counts: 100 * math.prod(shares(counts))
    ),
    "what came back is the harmonic mean of the four precisions, expected the geometric one": (
        lambda counts: 400 / sum(1 / share if share else math.inf for share in shares(counts))
    ),
    "what came back is the mean of the logs: its exponential is missing": lambda counts: (
        sum(map(math.log, shares(counts))) / 4 if all(shares(counts)) else math.nan
    ),
    "what came back is 100 times the mean of the logs: its exponential is missing": lambda counts: (
        100 * sum(map(math.log, shares(counts))) / 4 if all(shares(counts)) else math.nan
    ),
    "exp was taken of the precisions' mean: their log is missing": lambda counts: (
        100 * math.exp(sum(shares(counts)) / 4)
    ),
    "all n were counted together, expected a precision for each n and then their mean": lambda counts: (
        100 * sum(m for m, _ in counts) / (sum(t for _, t in counts) or 1)
    ),
    "the counts of one n go on into the next, expected sums that begin at 0 for each n": lambda counts: (
        100
        * geometric(
            [share_of([sum(part) for part in zip(*counts[:n], strict=True)]) for n in range(1, len(counts) + 1)]
        )
    ),
    "the score is 100 times too large: it was multiplied by 100 twice": lambda counts: 100 * bleu(counts),
    "n stops at 3, expected 1, 2, 3 and 4": lambda counts: 100 * geometric(shares(counts)[:3]),
    "n stops at 2, expected 1, 2, 3 and 4": lambda counts: 100 * geometric(shares(counts)[:2]),
    "only single words were counted, expected n = 1, 2, 3 and 4": lambda counts: 100 * shares(counts)[0],
    "only n = 4 was counted, expected n = 1, 2, 3 and 4": lambda counts: 100 * shares(counts)[3],
    "n begins at 2, expected 1, 2, 3 and 4": lambda counts: 100 * geometric(shares(counts)[1:]),
    "the precisions got the exponents 1/2, 1/4, 1/8 and 1/16, expected 1/4 for each": lambda counts: (
        100 * math.prod(share ** (0.5**n) for n, share in enumerate(shares(counts), start=1))
    ),
    "the logarithm has another base than the exponential: math.log and math.exp belong together": lambda counts: (
        100 * math.exp(sum(map(math.log2, shares(counts))) / 4) if all(shares(counts)) else math.nan
    ),
    "the logarithm has the base 10, and the exponential has not: math.log and math.exp belong together": lambda counts: (
        100 * math.exp(sum(map(math.log10, shares(counts))) / 4) if all(shares(counts)) else math.nan
    ),
}
"""What comes of each mistake in the mean, by what is said of it; NaN where it cannot be computed."""
