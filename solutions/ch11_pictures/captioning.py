"""One step of writing a caption, in the form in which every search calls it."""

from collections.abc import Callable

import torch
from torch import Tensor


def caption_step(
    decoder: Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor, Tensor]],
    word: Tensor,
    state: tuple[Tensor, Tensor],
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Predict the next words of N captions; return a state to continue from.

    A search repeats, reorders and drops rows of the state between two steps, so
    everything that belongs to a row has to be in the state, including the picture that
    the row describes. All tensors of a state have their rows along dimension 1, so the
    memory has a dimension of size 1 in front.

    Args:
        decoder: Takes words (N, 1), a hidden state (1, N, H), a memory (N, S, M) and a
            boolean mask (N, S), True at the cells that may be attended to; returns
            logits (N, 1, V), attention weights (N, 1, S) and the next hidden state
            (1, N, H).
        word: The last word of each caption, shape (N, 1).
        state: The hidden state, shape (1, N, H), and the memory, shape (1, N, S, M).
            Every cell of a picture may be attended to.

    Returns:
        The logits, shape (N, 1, V), and the next state, a tuple in the same form as
        ``state``. N may differ from call to call, and may be 1.
    """
    # 1. The two parts of the state; the memory without its first dimension: (N, S, M).
    # 2. A mask that hides no cell, on the memory's device: (N, S).
    # 3. One step of the decoder: logits (N, 1, V) and the next hidden state (1, N, H).
    # 4. The next state: the new hidden state, and the unchanged memory.
    ### BEGIN SOLUTION
    hidden, memory = state
    cells = memory[0]
    mask = torch.ones(cells.shape[:2], dtype=torch.bool, device=cells.device)
    logits, _, hidden = decoder(word, hidden, cells, mask)
    return logits, (hidden, memory)
    ### END SOLUTION
