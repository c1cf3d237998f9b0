"""A linear layer that learns through two thin matrices."""

import torch
from torch import Tensor, nn


class LoRALinear(nn.Module):
    """Add a product of two thin matrices to a frozen layer (Hu et al., 2022).

        y = W x + b + (α / r) B A x

    W and b are frozen. A has shape (r, in_features) and starts random, B has shape
    (out_features, r) and starts at zero, so that at the start the layer computes the
    same as the one that it wraps. All of it works in the weight's dtype and on its
    device.

    Args:
        linear: The layer to wrap, perhaps one without a bias; its weights are no longer
            trained.
        rank: Number of rows of A and of columns of B, r.
        alpha: The scale α.
    """

    def __init__(self, linear: nn.Linear, rank: int, alpha: float = 16.0) -> None:
        """Freeze the layer and make both matrices; the class explains the arguments."""
        # 1. Keep the layer itself, not a copy, as `self.linear`, and freeze its weight
        #    and its bias: no gradient for them.
        # 2. `self.down`, the parameter A: (rank, in_features), drawn from a standard
        #    normal and divided by the root of in_features.
        # 3. `self.up`, the parameter B: (out_features, rank), zeros. Both have the
        #    weight's dtype and device.
        # 4. `self.scale`, α / r.
        super().__init__()
        ### BEGIN SOLUTION
        self.linear = linear.requires_grad_(False)
        weight = linear.weight
        self.down = nn.Parameter(
            weight.new_empty(rank, linear.in_features).normal_()
            / linear.in_features**0.5
        )
        self.up = nn.Parameter(weight.new_zeros(linear.out_features, rank))
        self.scale = alpha / rank
        ### END SOLUTION

    def forward(self, inputs: Tensor) -> Tensor:
        """Compute W x + b + (α / r) B A x.

        Args:
            inputs: Shape (..., in_features), with any number of dimensions.

        Returns:
            Shape (..., out_features).
        """
        # First A, then B: the product B A, as large as W, is not needed.
        ### BEGIN SOLUTION
        return self.linear(inputs) + self.scale * (inputs @ self.down.T @ self.up.T)
        ### END SOLUTION

    @torch.no_grad()
    def merge(self) -> nn.Linear:
        """Make one ordinary linear layer that computes the same function.

        Returns:
            A new layer with the weight W + (α / r) B A and the bias b, if there is one.
            It shares no tensor with this module, which does not change.
        """
        # 1. A new nn.Linear of the same shape, dtype and device, with a bias only if
        #    the wrapped layer has one.
        # 2. Its weight, (out_features, in_features), and its bias. `copy_` fills a
        #    parameter.
        ### BEGIN SOLUTION
        linear = self.linear
        merged = nn.Linear(
            linear.in_features,
            linear.out_features,
            bias=linear.bias is not None,
            device=linear.weight.device,
            dtype=linear.weight.dtype,
        )
        merged.weight.copy_(linear.weight + self.scale * self.up @ self.down)
        if linear.bias is not None:
            merged.bias.copy_(linear.bias)
        return merged
        ### END SOLUTION
