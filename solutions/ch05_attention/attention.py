"""Attention itself: scores become weights, and weights select a mixture of values."""

from collections.abc import Callable

import torch
from torch import Tensor


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Turn scores into weights that sum to one over the positions not masked out.

    The weight of position i is exp(e_i) / Σ_j exp(e_j), where j runs over the positions
    whose mask is True. A row without any such position gets weights of zero.

    Args:
        scores: Shape (..., S), any floating-point type.
        mask: Boolean, broadcastable to the shape of ``scores``; True where a position
            may be attended to.

    Returns:
        Weights, shape (..., S), of the same type as ``scores``.
    """
    # 1. Scores that the softmax will ignore wherever the mask is False: (..., S).
    # 2. The softmax over the source positions: (..., S).
    # 3. Exact zeros wherever the mask is False, even in a fully masked row: (..., S).
    ### BEGIN SOLUTION
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    return weights.masked_fill(~mask, 0.0)
    ### END SOLUTION


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
    score: Callable[[Tensor, Tensor], Tensor],
    masked_softmax: Callable[[Tensor, Tensor], Tensor],
) -> tuple[Tensor, Tensor]:
    """Look up values by how well their keys match each query.

    For query t this is the context c_t = Vᵀ α_t, with α_t = softmax(e_t) and
    e_ti = score(q_t, k_i).

    Args:
        query: What is looked for, shape (B, T, d_q).
        key: What each query is compared with, shape (B, S, d_k).
        value: What each position contributes, shape (B, S, d_v).
        mask: Boolean, shape (B or 1, T or 1, S); True where a key may be attended to.
        score: Takes ``query`` and ``key``, returns scores, shape (B, T, S).
        masked_softmax: Takes scores and ``mask``, returns weights, shape (B, T, S).

    Returns:
        The context, shape (B, T, d_v), and the weights, shape (B, T, S).
    """
    # 1. How well each key matches each query: (B, T, S).
    # 2. The weights, with the function that you were given: (B, T, S).
    # 3. One weighted sum of the values for each query: (B, T, d_v).
    ### BEGIN SOLUTION
    scores = score(query, key)
    weights = masked_softmax(scores, mask)
    return weights @ value, weights
    ### END SOLUTION
