"""A language model that counts how often a word followed the two words before it."""

from collections import Counter
from collections.abc import Iterable, Sequence


def count_ngrams(
    sentences: Iterable[Sequence[str]], bos: str, eos: str
) -> Counter[tuple[str, ...]]:
    """Count the unigrams, bigrams and trigrams of some sentences.

    Each sentence is read as ``bos bos w_1 … w_n eos``, so that its first word also
    comes after two others, and its end counts as a word.

    Args:
        sentences: Sentences as sequences of words.
        bos: The token before the beginning of a sentence.
        eos: The token after its end.

    Returns:
        How often each tuple of one, two or three words was seen; the count of a tuple
        that was never seen is 0, as in every Counter. The count of the empty tuple is
        N, the number of all words, including the ends of sentences but not their
        beginnings.
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
    """Compute the probability of a word w after two others, u and v, from counts.

    P(w | u v) = λ3 c(u v w) / c(u v) + λ2 c(v w) / c(v) + λ1 c(w) / N + λ0 / V, as in
    Jelinek and Mercer (1980). If c(u v) or c(v) is zero, nothing was seen after this
    context: its term is left out, and the sum of the others is divided by the sum of
    their weights. So the probabilities of all V words sum to one after any two words.
    For a word that was never seen, the term λ0 / V remains.

    Args:
        word: The word w.
        before: The two words before it, (u, v); at the beginning of a sentence, one or
            both are a start mark, which is counted like a word.
        counts: How often each tuple of one to three words was seen, such as
            ``(u, v, w)``; the count of the empty tuple is N, the number of all words,
            which is above 0.
        weights: (λ0, λ1, λ2, λ3), with sum one; λ0 is positive, and none is negative.
        vocab_size: Number of words in the vocabulary, V.

    Returns:
        The probability, a number above 0, which is tiny in a large vocabulary.
    """
    # 1. The terms of λ0 and λ1, which are always used.
    # 2. The terms of λ2 and λ3, each only if its context was seen.
    # 3. The sum of the terms, divided by the sum of their weights.
    ### BEGIN SOLUTION
    u, v = before
    total, weight_left = weights[0] / vocab_size, weights[0]
    for weight, context in zip(weights[1:], [(), (v,), (u, v)], strict=True):
        if counts[context] > 0:
            total += weight * counts[(*context, word)] / counts[context]
            weight_left += weight
    return total / weight_left
    ### END SOLUTION
