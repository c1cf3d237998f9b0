"""Writing a translation when there is none to read from: every word that was written is read next."""

from collections.abc import Callable

import torch
from torch import Tensor


def greedy_decode(
    step: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]],
    state: Tensor,
    bos: int,
    eos: int,
    max_words: int,
) -> list[list[int]]:
    """Write a sentence for each row of a batch, always the likeliest word next.

    Each sentence goes on until its own mark of the end, or until it has max_words words; it does
    not wait for the others, nor stop with them. When all have ended, no further step is taken.

    Args:
        step: Takes the last words, shape (B, 1), and the state; returns the logits of the next
            words, shape (B, 1, V), and the next state.
        state: The state before the first word, shape (1, B, H).
        bos: The number of the mark of the beginning, which is read first.
        eos: The number of the mark of the end.
        max_words: The most words of a sentence, and so the most steps; at least 1.

    Returns:
        The words of each sentence, plain whole numbers, without the marks of beginning and end.
        Of equal logits the lowest number wins.
    """
    # 1. The first words to read, `bos` for each of the B sentences: (B, 1).
    # 2. Again and again: a step; the likeliest words, (B, 1), which are kept, and are what the
    #    next step reads; and which sentences have ended by now, (B, 1).
    # 3. Of each sentence what stands before its own mark of the end.
    ### BEGIN SOLUTION
    word = torch.full((state.shape[1], 1), bos, device=state.device)
    ended = torch.zeros_like(word, dtype=torch.bool)
    written = []
    for _ in range(max_words):
        logits, state = step(word, state)
        word = logits.argmax(dim=-1)
        written.append(word)
        ended |= word == eos
        if ended.all():
            break
    rows = torch.cat(written, dim=1).tolist()
    return [row[: row.index(eos)] if eos in row else row for row in rows]
    ### END SOLUTION
