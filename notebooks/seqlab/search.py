"""What every search over a decoder needs: the rows of a state, and the best of many candidates.

A decoder's state may be a tensor or a tuple of tensors, and a search copies and reorders its rows without knowing what it means.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor


def first_tensor(state: Any) -> Tensor:
    """The first tensor of a state, which says how many rows the state has and where it is.

    Args:
        state: A tensor, or a tuple of states.

    Raises:
        TypeError: If there is no tensor at its beginning.
    """
    while isinstance(state, tuple) and state:
        state = state[0]
    if not isinstance(state, Tensor):
        raise TypeError(f"the state is of type {type(state).__name__}: give a tensor, or a tuple that begins with one")
    return state


def take_rows(state: Any, rows: Tensor, batch_dim: int = 1) -> Any:
    """A state of the rows that are named, in their order; a row may be named more than once, or not at all.

    Args:
        state: A tensor, or a tuple of states; it is left as it is.
        rows: Numbers of rows, shape (N,).
        batch_dim: The dimension of each tensor along which its rows lie; 1 in torch's recurrent networks, (layers, rows, H).

    Returns:
        A state of the same form with N rows.
    """
    if isinstance(state, tuple):
        return tuple(take_rows(part, rows, batch_dim) for part in state)
    return state.index_select(batch_dim, rows)


def largest(scores: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k largest scores of each row, the largest first; of equal ones, the first comes first.

    `torch.topk` does the same except for equal scores, which it gives in any order. They are rare, and only a row that
    has some is sorted, which takes far longer.

    Args:
        scores: Shape (B, N).
        k: How many, from 1 to N.

    Returns:
        The scores and their positions in the row, shape (B, k) each. Where a row has fewer than k scores above minus
        infinity, the places after them mean nothing.
    """
    values, places = scores.topk(min(k + 1, scores.shape[1]))
    equal = ((values[:, 1:] == values[:, :-1]) & values[:, 1:].isfinite()).any(dim=1)  # (B,)
    if equal.any():
        in_order, origins = scores[equal].sort(dim=1, descending=True, stable=True)
        values[equal], places[equal] = in_order[:, : k + 1], origins[:, : k + 1]
    return values[:, :k], places[:, :k]
