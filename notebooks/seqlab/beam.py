"""Beam search for one sentence, for chapters that need a better search than the greedy one but are about something else.

The chapter on decoding builds beam search for whole batches; this one keeps the k best beginnings of a single sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from seqlab.corpus import BOS, EOS, Vocabulary
from seqlab.search import first_tensor, take_rows


@torch.no_grad()
def beam_translate(
    step: Callable[[Tensor, Any], tuple[Tensor, Any]],
    state: Any,
    vocabulary: Vocabulary,
    width: int = 8,
    max_words: int = 30,
    batch_dim: int = 1,
) -> list[str]:
    """Write one sentence: of those that the beam completes, the one with the highest log-probability per word.

    Args:
        step: Takes the last words, shape (k, 1), and the state of k rows; returns logits (k, 1, V) and the next state.
        state: The state before the first word, of one row: a tensor, or a tuple of states.
        vocabulary: The words.
        width: How many beginnings are kept, including those that have ended.
        max_words: The largest number of steps; if nothing has ended by then, the best beginning is taken.
        batch_dim: The dimension of the state's tensors along which rows lie.

    Returns:
        The words, without the end mark.
    """
    device = first_tensor(state).device
    words, sums = torch.full((1, 1), BOS, device=device), torch.zeros(1, device=device)
    ended: list[tuple[float, list[int]]] = []
    for length in range(1, max_words + 1):
        logits, state = step(words[:, -1:], state)
        totals = sums.unsqueeze(1) + logits[:, 0].log_softmax(dim=-1)  # (k, V)
        sums, best = totals.flatten().topk(min(width - len(ended), totals.numel()))
        rows, word = best // totals.shape[1], best % totals.shape[1]
        words = torch.cat([words[rows], word.unsqueeze(1)], dim=1)
        ends = word == EOS
        ended += [(total / length, row) for total, row in zip(sums[ends].tolist(), words[ends].tolist(), strict=True)]
        words, sums, state = words[~ends], sums[~ends], take_rows(state, rows[~ends], batch_dim)
        if not len(words):
            break
    return vocabulary.decode(max(ended)[1] if ended else words[0])
