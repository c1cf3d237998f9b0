"""A sequence that attends to its own past, as in a language model."""

from collections.abc import Callable

import torch
from torch import Tensor


def causal_mask(length: int, device: torch.device | str | None = None) -> Tensor:
    """Let each position attend to itself and to those before it, but to none after it.

    Args:
        length: Number of positions, T.
        device: Where to make the mask, as in torch's own functions.

    Returns:
        A new boolean mask, shape (T, T): True at (t, i) where position t may attend to
        position i, that is, where i ≤ t.
    """
    # 1. A row for each position t that attends, a column for each position i: (T, T).
    ### BEGIN SOLUTION
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()
    ### END SOLUTION


def attend_to_past(
    states: Tensor,
    attention: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]],
) -> tuple[Tensor, Tensor]:
    """Let each state look back at the states before it, and not at itself.

    The first state has no past. Its row of the mask is empty, and an attention returns
    a context of zeros for an empty row.

    Args:
        states: The states s_1 … s_T of a language model, shape (B, T, H).
        attention: Takes queries (B, T, H), a memory (B, T, H) and a boolean mask
            (1, T, T); returns the context (B, T, H) and the weights (B, T, T).

    Returns:
        The context of each s_t over s_1 … s_{t-1}, shape (B, T, H), and the weights,
        shape (B, T, T).
    """
    # 1. A mask, True at (t, i) where s_t may look at s_i: (1, T, T).
    # 2. A context for each state, (B, T, H), and its weights, (B, T, T).
    ### BEGIN SOLUTION
    length = states.shape[1]
    everywhere = torch.ones(length, length, dtype=torch.bool, device=states.device)
    past = everywhere.tril(diagonal=-1)
    return attention(states, states, past.unsqueeze(0))
    ### END SOLUTION
