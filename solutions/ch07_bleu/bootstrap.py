"""Tests whether one system is better than another, or was only lucky with the sentences of the test set."""

from collections.abc import Callable

from torch import Tensor


def paired_bootstrap(
    first: Tensor,
    second: Tensor,
    indices: Tensor,
    score: Callable[[Tensor], Tensor],
) -> tuple[Tensor, Tensor, float]:
    """Score two systems on many test sets that are drawn from a single one.

    Each new test set consists of sentences from the old one, some of them repeated, and
    it is the same for both systems (Koehn, 2004).

    Args:
        first: For the first system, the K counts of each of the N translated sentences,
            shape (N, K): floats that can be added up over sentences.
        second: The same for the second system, shape (N, K).
        indices: The sentences in each of R new test sets, integers from 0 to N - 1,
            shape (R, N).
        score: Takes the sums over the sentences of a test set, shape (..., K), and
            returns scores, shape (...).

    Returns:
        The scores of the first system on the new test sets, shape (R,); the scores of
        the second, shape (R,); and a plain number, the percentage of the new test sets
        on which the first system is better. A tie does not count as a win.
    """
    # 1. For each system: the sums of its counts over the sentences of each new test
    #    set, (R, K); then the scores of these sums, (R,).
    # 2. The percentage of the R new test sets on which the first system's score is
    #    larger.
    ### BEGIN SOLUTION
    first_scores = score(first[indices].sum(dim=1))
    second_scores = score(second[indices].sum(dim=1))
    wins = 100 * (first_scores > second_scores).double().mean()
    return first_scores, second_scores, wins.item()
    ### END SOLUTION
