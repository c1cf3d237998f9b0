"""How far a count may be from what is expected of it."""

from functools import lru_cache

import torch
from torch import Tensor

ALPHA = 5e-9
"""How likely right counts of one kind are to be taken for wrong ones; no check compares more than a dozen such kinds."""

Count = tuple[str, int, int, float]
"""What was counted, how often it came, of how many, and the probability of each."""


def most_unlikely(counts: list[Count]) -> str:
    """What is said of the count that chance explains least; empty if it may be chance.

    Args:
        counts: Of one kind: however many they are, all are right with a probability of at least 1 - ALPHA to be taken for it.
    """
    name, count, draws, probability = min(counts, key=lambda item: binomial_chance(*item[1:]))
    if binomial_chance(count, draws, probability) > ALPHA / len(counts):
        return ""
    return f"{name} {count} times in {draws}, expected about {draws * probability:.0f}"


def binomial_chance(count: int, draws: int, probability: float) -> float:
    """How likely so many draws are to give this count, or one as far out on its side, twice.

    It is exact, so that a level is kept however rare what is counted.

    Args:
        count: How often it came.
        draws: How many draws there were, each for itself.
        probability: That of each draw, above 0 and below 1.
    """
    return _chances(draws, probability)[count].item() if 0 <= count <= draws else 0.0


@lru_cache(maxsize=4096)
def _chances(draws: int, probability: float) -> Tensor:
    """`binomial_chance` of every count; a class is asked about the same draws."""
    counts = torch.arange(draws + 1, dtype=torch.float64)
    total = torch.tensor(float(draws), dtype=torch.float64)
    ways = torch.lgamma(total + 1) - torch.lgamma(counts + 1) - torch.lgamma(total - counts + 1)
    odds = torch.tensor([probability, 1 - probability], dtype=torch.float64).log()
    each = (ways + counts * odds[0] + (total - counts) * odds[1]).exp()
    at_most, at_least = each.cumsum(dim=0), each.flip(0).cumsum(dim=0).flip(0)
    return (2 * torch.minimum(at_most, at_least)).clamp(max=1.0)
