"""Layer normalisation: every vector on a common scale."""

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Bring each vector to mean 0 and variance 1, then apply a learned scale and shift.

    y = γ ⊙ (x - μ) / √(σ² + ε) + β, where μ and σ² = (1/d) Σ_j (x_j - μ)² are the mean
    and the variance of the vector's own d components (Ba et al., 2016).

    Args:
        size: Dimension of a vector, d.
        eps: ε, which prevents a division by zero when all components are equal.
    """

    def __init__(self, size: int, eps: float = 1e-5) -> None:
        """Create γ, ``weight`` as in torch, of ones, and β, ``bias``, of zeros."""
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size))
        self.bias = nn.Parameter(torch.zeros(size))

    def forward(self, inputs: Tensor) -> Tensor:
        """Normalise each vector separately.

        Args:
            inputs: Vectors in the last dimension, shape (..., d); they may be far from
                zero.

        Returns:
            The normalised vectors, shape (..., d).
        """
        # 1. The mean of each vector, (..., 1), and the differences from it: (..., d).
        # 2. The mean of the squares of these differences, which is the variance:
        #    (..., 1).
        # 3. Apply the formula: (..., d).
        ### BEGIN SOLUTION
        centred = inputs - inputs.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)
        return self.weight * centred / (variance + self.eps).sqrt() + self.bias
        ### END SOLUTION
