"""Word links: read off attention weights and compared with gold links."""

from torch import Tensor


def hard_alignment(weights: Tensor) -> set[tuple[int, int]]:
    """Link each target word to the source word with the largest weight.

    Args:
        weights: Attention weights of one sentence, shape (T, S): a row for each target
            word, without padding and end marks.

    Returns:
        One link (source index, target index) for each target word, as plain integers,
        counted from 0. If several weights tie for the largest, the first in the row
        counts; weights tie only if they are exactly equal.
    """
    # 1. For each target word t, the index i of the largest weight in row t.
    # 2. The links (i, t), in a set.
    ### BEGIN SOLUTION
    links = set()
    for t, row in enumerate(weights.tolist()):
        links.add((row.index(max(row)), t))
    return links
    ### END SOLUTION


def alignment_error_rate(
    predicted: list[set[tuple[int, int]]],
    sure: list[set[tuple[int, int]]],
    possible: list[set[tuple[int, int]]],
) -> float:
    """Compare predicted links A with gold links: 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|).

    Each of the four numbers of links is first summed over all sentences
    (Och and Ney, 2003).

    Args:
        predicted: The links A, one set for each sentence. Any set may be empty.
        sure: The sure links S, likewise.
        possible: The possible links P, likewise; they include all of S. There is at
            least one link in A or in S.

    Returns:
        The error rate, from 0, where all of A is in P and all of S in A, to 1, where A
        and P have no link in common.
    """
    # 1. The sums over the sentences of |A ∩ S| and |A ∩ P|, and of |A| and |S|.
    # 2. The formula, once.
    ### BEGIN SOLUTION
    right = total = 0
    for a, s, p in zip(predicted, sure, possible, strict=True):
        right += len(a & s) + len(a & p)
        total += len(a) + len(s)
    return 1 - right / total
    ### END SOLUTION
