"""Scores: ways to say how well a key fits a query."""

from torch import Tensor


def multiplicative_scores(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
    """Score each key against each query through a matrix: e_ti = q_tᵀ W k_i.

    It is Luong et al.'s (2015) "general" score, also called bilinear. With W = I it is the
    dot product.

    Args:
        query: Shape (B, T, d_q).
        key: Shape (B, S, d_k).
        weight: W, shape (d_q, d_k).

    Returns:
        Scores, shape (B, T, S).
    """
    # 1. What each query looks like among the keys: (B, T, d_k).
    # 2. Its dot product with every key: (B, T, S).
    ### BEGIN SOLUTION
    return query @ weight @ key.transpose(1, 2)
    ### END SOLUTION


def additive_scores(
    query: Tensor,
    key: Tensor,
    query_weight: Tensor,
    key_weight: Tensor,
    score_weight: Tensor,
) -> Tensor:
    """Score each key against each query through a layer: e_ti = wᵀ tanh(W_q q_t + W_k k_i).

    It is the score of Bahdanau et al. (2015).

    Args:
        query: Shape (B, T, d_q).
        key: Shape (B, S, d_k).
        query_weight: W_q, shape (h, d_q).
        key_weight: W_k, shape (h, d_k).
        score_weight: w, shape (h,).

    Returns:
        Scores, shape (B, T, S).
    """
    # 1. The queries in the layer, (B, T, h), and the keys, (B, S, h).
    # 2. Every query with every key: (B, T, 1, h) and (B, 1, S, h) add up to (B, T, S, h).
    # 3. Through tanh, and down to one number a pair: (B, T, S).
    ### BEGIN SOLUTION
    queries = query @ query_weight.T
    keys = key @ key_weight.T
    together = queries.unsqueeze(2) + keys.unsqueeze(1)
    return together.tanh() @ score_weight
    ### END SOLUTION


def scaled_scores(query: Tensor, key: Tensor) -> Tensor:
    """Score each key against each query by the scaled dot product: e_ti = q_tᵀ k_i / √d_k.

    It is the score of Vaswani et al. (2017).

    Args:
        query: Shape (B, T, d_k).
        key: Shape (B, S, d_k).

    Returns:
        Scores, shape (B, T, S).
    """
    # 1. The dot products: (B, T, S).
    # 2. Divided by the square root of the size that the dot product sums over.
    ### BEGIN SOLUTION
    return query @ key.transpose(1, 2) / key.shape[-1] ** 0.5
    ### END SOLUTION
