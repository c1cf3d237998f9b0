"""Scores: measures of how well a key matches a query."""

from torch import Tensor


def multiplicative_scores(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
    """Score each key against each query through a matrix: e_ti = q_tᵀ W k_i.

    Luong et al. (2015) call it the "general" score, and others call it bilinear. With W
    = I it is the dot product.

    Args:
        query: What is looked for, shape (B, T, d_q).
        key: What each query is compared with, shape (B, S, d_k).
        weight: W, shape (d_q, d_k).

    Returns:
        Scores, shape (B, T, S).
    """
    # 1. Each query, mapped to the dimension of a key: (B, T, d_k).
    # 2. Its dot product with each key: (B, T, S).
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
    """Score keys against queries by a hidden layer: wᵀ tanh(W_q q_t + W_k k_i).

    It is the score of Bahdanau et al. (2015).

    Args:
        query: What is looked for, shape (B, T, d_q).
        key: What each query is compared with, shape (B, S, d_k).
        query_weight: W_q, shape (h, d_q), that is, (out, in) as in torch's layers.
        key_weight: W_k, shape (h, d_k).
        score_weight: w, shape (h,).

    Returns:
        Scores, shape (B, T, S).
    """
    # 1. The projected queries, (B, T, h), and the projected keys, (B, S, h).
    # 2. The sum of each query with each key: (B, T, S, h).
    # 3. The tanh, and one number for each pair: (B, T, S).
    ### BEGIN SOLUTION
    queries = query @ query_weight.T
    keys = key @ key_weight.T
    pairs = queries.unsqueeze(2) + keys.unsqueeze(1)
    return pairs.tanh() @ score_weight
    ### END SOLUTION


def scaled_scores(query: Tensor, key: Tensor) -> Tensor:
    """Score each key against each query by the scaled dot product, q_tᵀ k_i / √d.

    It is the score of Vaswani et al. (2017).

    Args:
        query: What is looked for, shape (B, T, d).
        key: What each query is compared with, shape (B, S, d).

    Returns:
        Scores, shape (B, T, S).
    """
    # 1. The dot product of each query with each key: (B, T, S).
    # 2. The same, scaled: (B, T, S).
    ### BEGIN SOLUTION
    return query @ key.transpose(1, 2) / key.shape[-1] ** 0.5
    ### END SOLUTION
