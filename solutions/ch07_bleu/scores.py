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

    The precision p_n is taken of all sentences together: matching n-grams of all of them, divided
    by all n-grams of all of them (Papineni et al., 2002). There is no smoothing.

    Args:
        candidates: The words of each translation.
        references: For each translation, the words of each of its references.
        clipped_precision: Takes one candidate, its references and n; returns the numbers of
            matching n-grams and of all n-grams.
        brevity_penalty: Takes all candidates and all references; returns the factor.

    Returns:
        The score, from 0 to 100. Where no n-gram of some n matches, it is 0.
    """
    # 1. For each n the numbers of matching n-grams and of all n-grams, each added up over the
    #    sentences.
    # 2. If nothing matches for some n, the score is 0.
    # 3. Otherwise the geometric mean of the four precisions, times the penalty, times 100.
    ### BEGIN SOLUTION
    logs = []
    for n in range(1, 5):
        counts = [clipped_precision(c, r, n) for c, r in zip(candidates, references, strict=True)]
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

    Effective order: n goes up to 4, but only as far as the candidate has n-grams; the geometric
    mean is over these n alone. Exponential smoothing, sacreBLEU's "exp": the first n without a
    match counts as half a match, 1 / (2 · total), the second as a quarter of one, 1 / (4 · total),
    and so on.

    Args:
        candidate: The words of the translation; there may be none.
        references: The words of each of its references.
        clipped_precision: Takes one candidate, its references and n; returns the numbers of
            matching n-grams and of all n-grams.
        brevity_penalty: Takes a list of candidates and a list with the references of each; returns
            the factor.

    Returns:
        The score, from 0 to 100. Where not even a word matches, it is 0.
    """
    # 1. For n = 1, 2, 3, 4, as long as there are n-grams: matches and total.
    # 2. Where nothing matches, half a match the first time, a quarter the second time, and so on.
    # 3. The geometric mean of as many precisions as there are, times the penalty, times 100. It is
    #    0 if nothing matched at all.
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
    return 100 * brevity_penalty([candidate], [references]) * math.exp(sum(logs) / len(logs))
    ### END SOLUTION
