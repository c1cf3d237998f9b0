"""BLEU of a whole test set, and of a single sentence."""

import math
from collections.abc import Callable, Sequence


def corpus_bleu(
    candidates: Sequence[Sequence[str]],
    references: Sequence[Sequence[Sequence[str]]],
    clipped_precision: Callable[..., tuple[int, int]],
    brevity_penalty: Callable[..., float],
) -> float:
    """Compute BLEU of a whole test set: BP · exp(¼ Σ log p_n), over n = 1, 2, 3 and 4.

    The precision p_n is computed over all sentences together: the number of matching
    n-grams in all sentences, divided by the number of n-grams in all sentences
    (Papineni et al., 2002). There is no smoothing.

    Args:
        candidates: The words of each translation.
        references: For each translation, the words of each of its references.
        clipped_precision: Takes one candidate, its references and n; returns the number
            of matching n-grams and the total number of n-grams.
        brevity_penalty: Takes all candidates and all references; returns the factor.

    Returns:
        The score, from 0 to 100. It is 0 if for some n no n-gram matches.
    """
    # 1. For each n, the number of matching n-grams and the total number of n-grams,
    #    each added up over the sentences.
    # 2. If nothing matches for some n, the score is 0.
    # 3. Otherwise the geometric mean of the four precisions, times the penalty, times
    #    100.
    ### BEGIN SOLUTION
    logs = []
    for n in range(1, 5):
        counts = [
            clipped_precision(c, r, n)
            for c, r in zip(candidates, references, strict=True)
        ]
        matches, total = sum(m for m, _ in counts), sum(t for _, t in counts)
        if matches == 0:
            return 0.0
        logs.append(math.log(matches / total))
    return 100 * brevity_penalty(candidates, references) * math.exp(sum(logs) / 4)
    ### END SOLUTION


def sentence_bleu(
    candidate: Sequence[str],
    references: Sequence[Sequence[str]],
    clipped_precision: Callable[..., tuple[int, int]],
    brevity_penalty: Callable[..., float],
) -> float:
    """Compute BLEU of one sentence, with exponential smoothing and effective order.

    Effective order: n goes up to 4, but only as far as the candidate has n-grams, and
    the geometric mean is taken over these n alone. Exponential smoothing, called "exp"
    in sacreBLEU: the first n without a match counts as half a match, so its precision
    is 1 / (2 · total), the second as a quarter of a match, 1 / (4 · total), and so on.

    Args:
        candidate: The words of the translation; it may be empty.
        references: The words of each of its references.
        clipped_precision: Takes one candidate, its references and n; returns the number
            of matching n-grams and the total number of n-grams.
        brevity_penalty: Takes a list of candidates and a list with the references of
            each candidate; returns the factor.

    Returns:
        The score, from 0 to 100. It is 0 if not even a single word matches.
    """
    # 1. For n = 1, 2, 3, 4, as long as there are n-grams: the matches and the total.
    # 2. Where nothing matches, count half a match the first time, a quarter the second
    #    time, and so on.
    # 3. The geometric mean of as many precisions as there are, times the penalty, times
    #    100. The score is 0 if nothing matched at all.
    ### BEGIN SOLUTION
    logs: list[float] = []
    share = 1.0
    for n in range(1, 5):
        matches, total = clipped_precision(candidate, references, n)
        if total == 0:
            break
        if matches == 0 and n == 1:
            return 0.0
        if matches == 0:
            share /= 2
        logs.append(math.log((matches or share) / total))
    if not logs:
        return 0.0
    return (
        100
        * brevity_penalty([candidate], [references])
        * math.exp(sum(logs) / len(logs))
    )
    ### END SOLUTION
