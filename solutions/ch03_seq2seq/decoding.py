"""Greedy decoding: without a reference, the decoder reads each word that it has just written."""

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
    """Write a sentence for each row of a batch, always by the most likely next word.

    Each sentence ends at its own end mark, or when it has max_words words, no matter
    when the other sentences end. Once all sentences have ended, no further step is
    taken.

    Args:
        step: Takes the last words, shape (B, 1), and the state; returns the logits of
            the next words, shape (B, 1, V), and the next state.
        state: The state before the first word, shape (1, B, H).
        bos: The id of the start mark, which is read first.
        eos: The id of the end mark.
        max_words: The maximum number of words in a sentence, and so of steps; at least
            1.

    Returns:
        A list for each sentence, perhaps empty, with its word ids as Python integers,
        without the start mark and the end mark. If several logits are equally large,
        the lowest id wins.
    """
    # 1. The first words to read, `bos` for each of the B sentences: (B, 1).
    # 2. Repeat: take a step; choose the most likely words, (B, 1), store them, and let
    #    the next step read them; note which sentences have ended, (B, 1).
    # 3. For each sentence, the words before its own end mark.
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
