"""A language model that counts contexts: the number of different words that each word has followed."""

from collections import Counter


def kneser_ney(
    word: str,
    before: str,
    followers: dict[str, Counter[str]],
    predecessors: dict[str, Counter[str]],
    discount: float,
    vocab_size: int,
) -> float:
    """Compute P(w | v) by absolute discounting and continuation counts.

    P(w | v) = max(c(v w) - D, 0) / c(v ·) + D N1+(v ·) / c(v ·) · P_cont(w), the form
    that Chen and Goodman (1999) gave to the idea of Kneser and Ney (1995): D is
    subtracted from the count of each bigram that was seen, and the freed probability
    goes to P_cont. Here c(v ·) is the sum of the counts of all bigrams that begin with
    v, and N1+(v ·) is the number of such bigrams, which is the number of different
    words that followed v at least once.

    P_cont(w) = max(N1+(· w) - D, 0) / N1+(· ·) + D W / N1+(· ·) · 1 / V does the same
    with contexts in place of words: N1+(· w) is the number of different words that were
    seen before w, N1+(· ·) the number of all different bigrams, and W the number of
    different words that ever followed another word. If nothing ever followed v, then
    P(w | v) = P_cont(w).

    Args:
        word: The word w.
        before: The word before it, v.
        followers: For each word that was followed by others, how often each of them
            came right after it: ``followers[v][w]`` is c(v w).
        predecessors: The same bigrams by their second word: ``predecessors[w][v]`` is
            also c(v w).
        discount: How much is subtracted from each count, D, above 0 and at most 1.
        vocab_size: Number of words in the vocabulary, V, whether they were seen or not.

    Returns:
        The probability, a number above 0; the probabilities of all V words sum to one.
    """
    # 1. P_cont(w), from the predecessors; a word that never followed another has no
    #    predecessors.
    # 2. If nothing ever followed v, P_cont(w) is the result.
    # 3. Otherwise, the part that c(v w) keeps, plus w's share of the freed probability.
    ### BEGIN SOLUTION
    pairs = sum(len(words) for words in predecessors.values())
    kinds = len(predecessors.get(word, ()))
    continuation = (
        max(kinds - discount, 0) + discount * len(predecessors) / vocab_size
    ) / pairs
    if before not in followers:
        return continuation
    after = followers[before]
    return (
        max(after[word] - discount, 0) + discount * len(after) * continuation
    ) / after.total()
    ### END SOLUTION
