"""A language model that counts contexts: after how many different words a word was seen."""

from collections import Counter


def kneser_ney(
    word: str,
    before: str,
    followers: dict[str, Counter[str]],
    predecessors: dict[str, Counter[str]],
    discount: float,
    vocab_size: int,
) -> float:
    """Say how probable a word w is after another, v, by absolute discounting and continuation counts.

    P(w | v) = max(c(v w) - D, 0) / c(v ·) + D N1+(v ·) / c(v ·) · P_cont(w), as in Kneser and Ney (1995): each pair that was
    seen gives up D of its count, and what is freed goes to P_cont. Here c(v ·) is the sum of the counts of all pairs that begin
    with v, and N1+(v ·) is the number of such pairs: the different words that followed v once or more.

    P_cont(w) = max(N1+(· w) - D, 0) / N1+(· ·) + D W / N1+(· ·) · 1 / V does the same with contexts in place of words: N1+(· w)
    is the number of different words that stood before w, N1+(· ·) the number of all different pairs, and W the number of
    different words that followed any. After a v that nothing ever followed, P(w | v) = P_cont(w).

    Args:
        word: The word w.
        before: The word before it, v.
        followers: For each word that was followed by others, how often each of them stood right after it:
            ``followers[v][w]`` is c(v w).
        predecessors: The same pairs by their second word: ``predecessors[w][v]`` is c(v w) too.
        discount: How much of each count is taken away, D, above 0 and at most 1.
        vocab_size: Number of words that there are, V, seen or not.

    Returns:
        The probability, a number above 0; those of all V words sum to one.
    """
    # 1. P_cont(w), from the predecessors; a word that followed nothing has none.
    # 2. P_cont(w) is all that is left where nothing ever followed v.
    # 3. What c(v w) keeps, and w's part of what was freed.
    ### BEGIN SOLUTION
    pairs = sum(len(words) for words in predecessors.values())
    kinds = len(predecessors.get(word, ()))
    continuation = (max(kinds - discount, 0) + discount * len(predecessors) / vocab_size) / pairs
    if before not in followers:
        return continuation
    after = followers[before]
    return (max(after[word] - discount, 0) + discount * len(after) * continuation) / after.total()
    ### END SOLUTION
