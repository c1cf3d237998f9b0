"""Tensors of heads, and what is asked of any function that only moves numbers about."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw


def turned(states: Tensor) -> Tensor:
    """The same numbers in the same places, laid out in memory the other way round."""
    order = list(reversed(range(states.dim())))
    return states.permute(order).contiguous().permute(order)


def of_other_kinds(moves: Any, draw: Draw, *shape: int) -> dict[str, Any]:
    """What the function makes of integers, of half precision, of a view, and what comes back to its argument."""
    leaf = draw.normal(*shape).requires_grad_()
    moved = moves(leaf * 1)
    factors = draw.normal(*shape)
    if isinstance(moved, Tensor) and moved.numel() == factors.numel():
        (moved * factors.reshape(moved.shape)).sum().backward()
    return {
        "integers": moves(draw.integers(0, 1000, *shape)),
        "half precision": moves(draw.normal(*shape, dtype=torch.float16)),
        "a view": moves(turned(draw.normal(*shape))),
        "gradient": leaf.grad,
    }
