"""A linear probe: what a linear layer can read from a vector."""

import torch
from torch import Tensor
from torch.nn import functional as F


def position_probe(
    features: Tensor, labels: Tensor, train: Tensor, ridge: float
) -> float:
    """Read labels from features by ridge regression; measure accuracy on new rows.

    The weights W (H, C) and the intercept b (C,) are fitted on the training rows, where
    they minimise Σ_n ‖y_n - (Wᵀ x_n + b)‖² + ridge · ‖W‖²; y_n is the one-hot label of
    row n. The intercept is not penalised. The prediction for a row is the class with
    the largest entry in Wᵀ x_n + b.

    Args:
        features: The vectors to read from, shape (N, H).
        labels: The class of each row, integers from 0, shape (N,). Some numbers may not
            occur, and some classes only in rows to test.
        train: Boolean, shape (N,); True on the rows to fit on.
        ridge: The penalty on large weights, λ, more than 0.

    Returns:
        The share of the other rows that are predicted correctly, from 0 to 1.
    """
    # 1. One-hot labels, (N, C), in the type of the features.
    # 2. The means of the training rows: of their features, (H,), and their labels,
    #    (C,).
    # 3. The weights W (H, C), from the centred training rows.
    # 4. A prediction for each of the other rows, and the share that are right.
    ### BEGIN SOLUTION
    one_hot = F.one_hot(labels).to(features.dtype)
    feature_mean, label_mean = features[train].mean(dim=0), one_hot[train].mean(dim=0)
    x, y = features[train] - feature_mean, one_hot[train] - label_mean
    penalty = ridge * torch.eye(x.shape[1], dtype=x.dtype, device=x.device)
    weight = torch.linalg.solve(x.T @ x + penalty, x.T @ y)
    scores = (features[~train] - feature_mean) @ weight + label_mean
    right = scores.argmax(dim=-1) == labels[~train]
    return right.float().mean().item()
    ### END SOLUTION
