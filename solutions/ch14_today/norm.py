"""Root-mean-square normalisation: layer normalisation without its mean and without its bias."""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    """Divide each vector by its root mean square, then multiply by a learned gain.

    y = γ ⊙ x / √((1/d) Σ_j x_j² + ε) (Zhang and Sennrich, 2019).

    Args:
        size: Dimension of a vector, d.
        eps: ε, which prevents a division by zero when all components are zero.
    """

    def __init__(self, size: int, eps: float = 1e-5) -> None:
        """Make the gain γ, called ``weight`` as in torch, with all components one."""
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, inputs: Tensor) -> Tensor:
        """Normalise each vector separately.

        Args:
            inputs: Vectors, shape (..., d), with any number of dimensions; a vector may
                be zero.

        Returns:
            The normalised vectors, shape (..., d).
        """
        # 1. Compute the mean of the squares of each vector's components: (..., 1).
        # 2. Apply the formula: (..., d).
        ### BEGIN SOLUTION
        mean_square = inputs.square().mean(dim=-1, keepdim=True)
        return self.weight * inputs / (mean_square + self.eps).sqrt()
        ### END SOLUTION
