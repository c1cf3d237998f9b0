"""Weights rounded to a few bits, in blocks that share a scale: what a file of quantised weights would keep of them."""

from __future__ import annotations

import torch
from torch import Tensor


def rounded(weights: Tensor, bits: int, block: int = 32) -> Tensor:
    """Round weights to integers of a few bits, and turn them back into weights.

    Neighbours along the last dimension form blocks. For each block, the smallest weight and the step between two levels
    are kept in half precision; for each weight, the number of the nearest level.

    Args:
        weights: Shape (..., n), with n a multiple of the block size.
        bits: How many bits a weight has; there are 2 ** bits levels.
        block: How many weights share a minimum and a step.

    Returns:
        The weights as they would be read back, in single precision, shape (..., n).
    """
    blocks = weights.float().unflatten(-1, (-1, block))
    least, most = blocks.amin(dim=-1, keepdim=True), blocks.amax(dim=-1, keepdim=True)
    levels = 2**bits - 1
    step, least = ((most - least) / levels).half().float(), least.half().float()
    numbers = ((blocks - least) / step.clamp_min(torch.finfo(torch.float16).tiny)).round().clamp(0, levels)
    return (step * numbers + least).flatten(-2)


def relative_error(weights: Tensor, other: Tensor) -> float:
    """The root of the mean squared difference, relative to the root of the weights' own mean square."""
    return ((weights - other).square().mean() / weights.square().mean()).sqrt().item()
