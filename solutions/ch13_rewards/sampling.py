"""What several answers to one prompt are good for: measuring a model, and choosing an answer."""

from collections import Counter
from collections.abc import Hashable, Sequence
from math import comb
from typing import TypeVar

Answer = TypeVar("Answer", bound=Hashable)


def pass_at_k(num_samples: int, num_right: int, k: int) -> float:
    """Estimate the chance that at least one of k answers is right (Chen et al., 2021).

        1 - C(n - c, k) / C(n, k)

    is the share of all choices of k out of the n sampled answers that contain a right
    one. It is unbiased.

    Args:
        num_samples: Number of answers that were sampled to one prompt, n; there may be
            many thousands.
        num_right: How many of them are right, c, from 0 to n.
        k: How many answers the estimate is for.

    Returns:
        The estimate, from 0 to 1.

    Raises:
        ValueError: If k is below 1 or above n.
    """
    # 1. Refuse a k that is below 1 or above n.
    # 2. The share of the choices that contain a right answer. math.comb is exact, and
    #    Python divides integers of any size.
    ### BEGIN SOLUTION
    if not 1 <= k <= num_samples:
        raise ValueError(f"k is {k}: choose from 1 to the {num_samples} samples")
    return 1 - comb(num_samples - num_right, k) / comb(num_samples, k)
    ### END SOLUTION


def majority_vote(answers: Sequence[Answer]) -> Answer:
    """Choose the most frequent answer, with no need to know which are right.

    Args:
        answers: Sampled answers to one prompt, at least one, in the order in which they
            were sampled. They can be of any hashable type, such as tuples of words.

    Returns:
        The answer that occurs most often. If several occur equally often, the one whose
        first occurrence is earliest.
    """
    # 1. How often each answer occurs.
    # 2. The most frequent one, and of several the one that came first.
    ### BEGIN SOLUTION
    counts = Counter(answers)
    return max(answers, key=counts.__getitem__)
    ### END SOLUTION
