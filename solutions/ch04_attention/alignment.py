"""Word links: read off attention weights, and compared with gold ones."""

from torch import Tensor


def hard_alignment(weights: Tensor) -> set[tuple[int, int]]:
    """Link each target word to the source word with the largest weight.

    Args:
        weights: Shape (T, S), of one sentence, without padding and end marks.

    Returns:
        One link (source index, target index) for each target word, counted from 0. Of equal
        weights the first counts.
    """
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
    """Compare predicted links with gold ones: 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|).

    The numbers of links are summed over all sentences first (Och and Ney, 2003).

    Args:
        predicted: The links A, a set for each sentence.
        sure: The sure gold links S, likewise.
        possible: The possible gold links P, likewise; the sure ones are among them.

    Returns:
        The error rate, from 0, which is perfect, to 1.
    """
    ### BEGIN SOLUTION
    right = total = 0
    for a, s, p in zip(predicted, sure, possible, strict=True):
        right += len(a & s) + len(a & p)
        total += len(a) + len(s)
    return 1 - right / total
    ### END SOLUTION
