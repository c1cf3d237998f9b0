"""Whether one system is better than another, or was only lucky with the sentences of the test set."""

from collections.abc import Callable

from torch import Tensor


def paired_bootstrap(
    first: Tensor,
    second: Tensor,
    indices: Tensor,
    score: Callable[[Tensor], Tensor],
) -> tuple[Tensor, Tensor, float]:
    """Score two systems on many test sets that are drawn from one.

    Each new test set has sentences of the old one, some of them several times, and is the same for
    both systems (Koehn, 2004).

    Args:
        first: What is counted in each sentence's translation by the first system, shape (N, K):
            floats that can be added up over sentences.
        second: The same for the second system, shape (N, K).
        indices: The sentences of each of R new test sets, whole numbers from 0 to N - 1, shape
            (R, N).
        score: Takes sums over the sentences of a test set, shape (..., K); returns scores, (...).

    Returns:
        The first system's scores on the new test sets, shape (R,); the second's, shape (R,); and a
        plain number, the share of the new test sets, in percent, on which the first is better. A
        tie is no win.
    """
    # 1. For each system: its numbers of each new test set, added up over the sentences, (R, K);
    #    their scores, (R,).
    # 2. On how many of the R the first system's score is larger, in percent.
    ### BEGIN SOLUTION
    first_scores = score(first[indices].sum(dim=1))
    second_scores = score(second[indices].sum(dim=1))
    wins = 100 * (first_scores > second_scores).double().mean()
    return first_scores, second_scores, wins.item()
    ### END SOLUTION
