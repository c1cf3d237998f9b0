"""The quantities that BLEU counts: the n-grams that a translation shares with its references, and lengths."""

import math
from collections import Counter
from collections.abc import Sequence


def clipped_precision(
    candidate: Sequence[str],
    references: Sequence[Sequence[str]],
    n: int,
) -> tuple[int, int]:
    """Count a translation's n-grams, and how many also occur in its references.

    The two numbers are the numerator and the denominator of the modified n-gram
    precision of Papineni et al. (2002): an n-gram that occurs c times in the candidate
    adds min(c, m) to the numerator, where m is the largest number of times that it
    occurs in any single reference.

    Args:
        candidate: The words of the translation; it may be empty. Words are the same
            only if they are spelt exactly alike.
        references: The words of each of its references; there is at least one
            reference.
        n: The number of words in an n-gram, at least 1.

    Returns:
        The clipped number of matching n-grams, and the total number of n-grams in the
        candidate. Both are 0 if the candidate has fewer than n words.
    """

    # 1. How often each n-gram occurs in the candidate. (A Counter can only count
    #    hashable objects: tuples, not lists.)
    # 2. For each n-gram, the largest number of times that it occurs in any single
    #    reference.
    # 3. The sum of the clipped counts, and the total number of n-grams.
    ### BEGIN SOLUTION
    def count(words: Sequence[str]) -> Counter[tuple[str, ...]]:
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    counts, in_references = (
        count(candidate),
        [count(reference) for reference in references],
    )
    matches = sum(
        min(c, max(found[ngram] for found in in_references))
        for ngram, c in counts.items()
    )
    return matches, counts.total()
    ### END SOLUTION


def brevity_penalty(
    candidates: Sequence[Sequence[str]],
    references: Sequence[Sequence[Sequence[str]]],
) -> float:
    """Compute the factor by which BLEU penalises translations that are too short.

    Let c be the total number of words in all candidates, and r the total in their
    closest references. The factor is 1 where c ≥ r, and exp(1 - r / c) where c < r
    (Papineni et al., 2002).

    Args:
        candidates: The words of each translation.
        references: For each translation, the words of each of its references. The
            reference whose number of words is closest to the candidate's counts towards
            r; if two are equally close, the shorter one counts.

    Returns:
        The factor, from 0 to 1; it is 0 if the candidates have no words at all,
        whatever r is.
    """
    # 1. c, the total number of words in all candidates.
    # 2. r, the sum of the lengths of the closest references, one for each candidate.
    # 3. The factor.
    ### BEGIN SOLUTION
    c = sum(len(candidate) for candidate in candidates)
    r = 0
    for candidate, several in zip(candidates, references, strict=True):
        lengths = [len(reference) for reference in several]
        r += min(lengths, key=lambda length: (abs(length - len(candidate)), length))
    if c == 0:
        return 0.0
    return 1.0 if c >= r else math.exp(1 - r / c)
    ### END SOLUTION
