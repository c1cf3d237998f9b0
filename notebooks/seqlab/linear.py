"""Simple classifiers of texts, to compare a network with: naive Bayes and logistic regression on a bag of pieces or on a mean of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

__all__ = ["LinearClassifier", "bag_of_pieces", "logistic_regression", "naive_bayes"]


@dataclass(frozen=True, slots=True)
class LinearClassifier:
    """Scores of classes that are linear in the features.

    Attributes:
        weight: Shape (C, F).
        bias: Shape (C,).
    """

    weight: Tensor
    bias: Tensor

    def classify(self, features: Tensor) -> Tensor:
        """The class with the highest score for each row of features (N, F): shape (N,)."""
        return (features @ self.weight.T + self.bias).argmax(dim=-1)


def bag_of_pieces(sequences: Sequence[Sequence[int]], vocab_size: int) -> Tensor:
    """How often each piece occurs in each sequence.

    Args:
        sequences: The ids of N sequences.
        vocab_size: Number of ids, V.

    Returns:
        Shape (N, V).
    """
    return torch.stack(
        [torch.tensor(ids, dtype=torch.long).bincount(minlength=vocab_size).float() for ids in sequences]
    )


def naive_bayes(counts: Tensor, classes: Tensor, smoothing: float) -> LinearClassifier:
    """Multinomial naive Bayes: log P(class) plus log P(piece | class) for each piece, as if pieces were independent in a class.

    Args:
        counts: How often each piece occurs in each text, shape (N, V).
        classes: The class of each, from 0 on, shape (N,).
        smoothing: What is added to the count of each piece in each class.
    """
    one_hot = F.one_hot(classes).float()  # (N, C)
    totals = one_hot.T @ counts + smoothing  # (C, V)
    return LinearClassifier((totals / totals.sum(dim=1, keepdim=True)).log(), one_hot.mean(dim=0).log())


def logistic_regression(features: Tensor, classes: Tensor, penalty: float, iterations: int = 100) -> LinearClassifier:
    """Multinomial logistic regression: the lowest mean cross-entropy plus the penalty times the sum of squared weights.

    Args:
        features: Shape (N, F).
        classes: The class of each, from 0 on, shape (N,).
        penalty: For large weights; the bias has none.
        iterations: The most iterations of L-BFGS.
    """
    weight = torch.zeros(int(classes.max()) + 1, features.shape[1], requires_grad=True)
    bias = torch.zeros(len(weight), requires_grad=True)
    optimizer = torch.optim.LBFGS([weight, bias], max_iter=iterations, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        value = F.cross_entropy(features @ weight.T + bias, classes) + penalty * weight.square().sum()
        value.backward()
        return value

    with torch.enable_grad():
        optimizer.step(loss)
    return LinearClassifier(weight.detach(), bias.detach())
