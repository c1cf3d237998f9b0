"""What BLEU counts: n-grams that a translation shares with its references, and lengths."""

import math
from collections import Counter
from collections.abc import Sequence


def clipped_precision(
    candidate: Sequence[str],
    references: Sequence[Sequence[str]],
    n: int,
) -> tuple[int, int]:
    """Count the n-grams of a translation, and how many of them its references have too.

    This is the modified n-gram precision of Papineni et al. (2002), as the two numbers of the
    fraction: an n-gram that stands c times in the candidate counts min(c, m) times above the line,
    where m is the most times that it stands in any single reference.

    Args:
        candidate: The words of the translation; there may be none.
        references: The words of each of its references, of which there is at least one.
        n: The number of words of an n-gram, at least 1.

    Returns:
        The clipped number of matching n-grams, and the number of all n-grams of the candidate.
        Both are 0 if it has fewer than n words.
    """

    # 1. How often each n-gram stands in the candidate. (What a Counter counts is hashable: a
    #    tuple, not a list.)
    # 2. For each of them, the most times that it stands in any single reference.
    # 3. The clipped counts, added up; and the number of n-grams.
    ### BEGIN SOLUTION
    def count(words: Sequence[str]) -> Counter[tuple[str, ...]]:
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    counts, in_references = count(candidate), [count(reference) for reference in references]
    matches = sum(min(c, max(found[ngram] for found in in_references)) for ngram, c in counts.items())
    return matches, counts.total()
    ### END SOLUTION


def brevity_penalty(
    candidates: Sequence[Sequence[str]],
    references: Sequence[Sequence[Sequence[str]]],
) -> float:
    """Compute the factor with which BLEU pays for translations that are too short.

    With c for the words of all candidates together and r for those of their closest references, it
    is 1 where c ≥ r, and exp(1 - r / c) where c < r (Papineni et al., 2002).

    Args:
        candidates: The words of each translation.
        references: For each translation, the words of each of its references. The one whose number
            of words is closest to the candidate's goes into r, and of two that are equally close
            the shorter one.

    Returns:
        The factor, from 0 to 1; it is 0 if the candidates have no words at all, whatever r is.
    """
    # 1. c, the number of words of all candidates.
    # 2. r, the sum of the lengths of the closest references: one for each candidate.
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
