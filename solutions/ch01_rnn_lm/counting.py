"""A language model that counts: how often a word followed the two before it."""

from collections import Counter
from collections.abc import Iterable, Sequence


def count_ngrams(sentences: Iterable[Sequence[str]], bos: str, eos: str) -> Counter[tuple[str, ...]]:
    """Count the words of some sentences, and the pairs and triples of words in a row.

    Each sentence is read as ``bos bos w_1 … w_n eos``: so its first word too stands after two
    others, and its end counts as a word that follows.

    Args:
        sentences: Sentences as sequences of words.
        bos: What stands before a sentence.
        eos: What stands after it.

    Returns:
        How often each tuple of one, two or three words was seen; what was never seen counts 0,
        as in every Counter. Under the empty tuple stands N, the number of all words, with the
        ends of sentences and without their beginnings.
    """
    counts: Counter[tuple[str, ...]] = Counter()
    for sentence in sentences:
        words = [*sentence, eos]
        before = [bos, *sentence]
        further = [bos, *before[:-1]]
        counts.update(zip(words))
        counts.update(zip(before, words, strict=True))
        counts.update(zip(further, before, words, strict=True))
        counts.update({(): len(words), (bos,): 1, (bos, bos): 1})
    return counts


def interpolated_trigram(
    word: str,
    before: tuple[str, str],
    counts: Counter[tuple[str, ...]],
    weights: tuple[float, float, float, float],
    vocab_size: int,
) -> float:
    """Say how probable a word w is after two others, u and v, from how often they were seen.

    P(w | u v) = λ3 c(u v w) / c(u v) + λ2 c(v w) / c(v) + λ1 c(w) / N + λ0 / V, as in Jelinek
    and Mercer (1980). Where c(u v) or c(v) is zero, nothing was seen after this context: its
    term is left out, and the others are divided by the sum of their weights. So the
    probabilities of all V words sum to one after any two words. A word that was never seen
    keeps its part of λ0 / V.

    Args:
        word: The word w.
        before: The two words before it, (u, v).
        counts: How often each tuple of one to three words was seen, such as ``(u, v, w)``; N,
            the number of all words, stands under the empty tuple.
        weights: (λ0, λ1, λ2, λ3), with sum one; λ0 is above 0, and none is below.
        vocab_size: Number of words that there are, V.

    Returns:
        The probability, a number above 0.
    """
    # 1. The terms of λ0 and λ1, which are always there.
    # 2. The terms of λ2 and λ3, each only where its context was seen.
    # 3. The sum of the terms, over the sum of their weights.
    ### BEGIN SOLUTION
    u, v = before
    total, weight_left = weights[0] / vocab_size, weights[0]
    for weight, context in zip(weights[1:], [(), (v,), (u, v)], strict=True):
        if counts[context] > 0:
            total += weight * counts[(*context, word)] / counts[context]
            weight_left += weight
    return total / weight_left
    ### END SOLUTION
