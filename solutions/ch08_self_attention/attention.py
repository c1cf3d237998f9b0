"""Attention itself: any number of queries with the same keys, in one product."""

import torch
from torch import Tensor


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Average the values by how keys match queries: softmax(Q Kᵀ / √d_k) V.

    This is `attend` with the scaled score, for any number of leading dimensions:
    sentences, or sentences and heads. A query that may attend to nothing has weights of
    zero and an output of zeros.

    Args:
        query: Q, shape (..., T, d_k), any floating-point type; like the others, it may
            have numbers that are far from zero.
        key: K, shape (..., S, d_k).
        value: V, shape (..., S, d_v).
        mask: Boolean, broadcastable to (..., T, S); True where a position may be
            attended to. Without a mask, every position may be.

    Returns:
        The output, shape (..., T, d_v), and the weights, shape (..., T, S).
    """
    # 1. The score of each query with each key, scaled: (..., T, S).
    # 2. The softmax over the positions that may be attended to: (..., T, S). It must
    #    work in any precision, and for a query without any such position. Do again what
    #    `masked_softmax` did.
    # 3. One weighted sum of the values for each query: (..., T, d_v).
    ### BEGIN SOLUTION
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ value, weights
    ### END SOLUTION
