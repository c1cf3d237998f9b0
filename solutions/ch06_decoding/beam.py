"""Beam search: the most probable sentence, or nearly so, for every source of a batch at once."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from seqlab.search import first_tensor, largest, take_rows


def beam_search(
    step: Callable[[Tensor, Any], tuple[Tensor, Any]],
    state: Any,
    bos: int,
    eos: int,
    beam_width: int,
    max_words: int,
    gamma: float = 1.0,
    batch_dim: int = 1,
) -> list[list[tuple[list[int], float]]]:
    """Search for each source's best sentences, with beam_width hypotheses for each.

    A hypothesis is the beginning of a sentence, and its sum is the sum of the
    log-probabilities of its words. At first each source has one hypothesis, without
    words. At each step every hypothesis that has not ended is extended by each of the V
    words. The extensions with the largest sums stay on the beam, which has k places:
    the largest sum takes the first, the next the second, and so on. If sums are equal,
    the one whose parent has the earlier place comes first, and for the same parent, the
    word with the lower id. An extension with probability zero is never kept. A
    hypothesis whose last word is eos has ended: it keeps its place to the end, is no
    longer extended, and is no longer compared with the others. The others share the
    places that are left, and a source is done when all its places are taken by
    hypotheses that have ended, or after max_words steps. Sources do not wait for each
    other, and no source affects the results of another.

    Args:
        step: Takes the last words, shape (N, 1), and the state of N rows; returns
            logits, shape (N, 1, V), and the next state. Rows do not depend on each
            other; N may be any number.
        state: The state before the first word, of B rows, one for each source: a
            tensor, or a tuple of tensors, or of such tuples.
        bos: The word that is read first. It does not begin the sentences that are
            returned; where step makes it possible, a hypothesis is extended by it as by
            any other word.
        eos: The word that ends a sentence, one of the V words.
        beam_width: The number of hypotheses on the beam of a source, k; with 1 the
            search is greedy.
        max_words: The largest number of steps.
        gamma: The exponent of the length in a score, sum / T'^gamma, where T' counts
            the words of the hypothesis and, if it has ended, eos. At 0 the score is log
            P itself.
        batch_dim: The dimension along which the rows of each of the state's tensors
            lie.

    Returns:
        For each source the hypotheses on the beam at the end, at most k: their words,
        without bos and eos, and their scores. Those that have ended come first, sorted
        from the best score down; then, sorted in the same way, those that had not ended
        after max_words steps. If scores are equal, the one that ended earlier comes
        first, then the one with the earlier place.
    """
    # 1. One row for each of the B sources: the hypothesis without words, its sum,
    #    (B, 1), and bos as the word to read. After the first step there are up to k
    #    adjacent rows for each source.
    # 2. In a loop: a step; the sums of all hypotheses, each extended by each word,
    #    (B, k V).
    # 3. The best k of these, (B, k) each: their sums, parents and words. Keep only as
    #    many as there are places left.
    # 4. The words of the new hypotheses, (B, k, t). Put those that end here aside, with
    #    their scores.
    # 5. The rows of the state that belong to the parents; the next words to read,
    #    (B k, 1).
    # 6. For each source the hypotheses put aside, the best first, then those still on
    #    the beam.
    ### BEGIN SOLUTION
    first = first_tensor(state)
    sources, device = first.shape[batch_dim], first.device
    source = torch.arange(sources, device=device).unsqueeze(1)  # (B, 1)
    word = torch.full((sources, 1), bos, device=device)
    written = word[:, :0]  # (B k, t), nothing as yet
    sums = torch.zeros(sources, 1, device=device)
    ended: list[list[tuple[list[int], float]]] = [[] for _ in range(sources)]
    for length in range(1, max_words + 1):
        logits, state = step(word, state)
        log_probs = logits[:, 0].log_softmax(dim=-1)  # (B k, V)
        totals = sums.view(-1, 1) + log_probs
        first_row = source * sums.shape[1]
        sums, places = largest(
            totals.view(sources, -1), beam_width
        )  # (B, k), or all there are
        parents, words = places // totals.shape[1], places % totals.shape[1]
        left = torch.tensor([beam_width - len(found) for found in ended], device=device)
        beyond = torch.arange(sums.shape[1], device=device) >= left.unsqueeze(1)
        sums = sums.masked_fill(beyond, float("-inf"))
        rows = (first_row + parents).flatten()
        state, word = take_rows(state, rows, batch_dim), words.view(-1, 1)
        written = torch.cat([written[rows], word], dim=1)
        ends = (words == eos) & sums.isfinite()
        for b, place in ends.nonzero().tolist():
            score = sums[b, place].item() / length**gamma
            ended[b].append((written[b * sums.shape[1] + place, :-1].tolist(), score))
        sums = sums.masked_fill(ends, float("-inf"))
        if not sums.isfinite().any():
            break
    found = [sorted(hypotheses, key=lambda found: -found[1]) for hypotheses in ended]
    for b, place in sums.isfinite().nonzero().tolist():
        score = sums[b, place].item() / length**gamma
        found[b].append((written[b * sums.shape[1] + place].tolist(), score))
    return found
    ### END SOLUTION
