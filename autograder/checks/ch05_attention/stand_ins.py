"""What stands in for the parts that an exercise builds on: sines, which are neither a score, a softmax nor an attention."""

import torch
from torch import Tensor


def phases(vectors: Tensor) -> Tensor:
    """One number for each vector, `(B, T)`, which depends on all its numbers and on their order."""
    return vectors.cumsum(dim=-1).sin().mean(dim=-1)


def sines(query: Tensor, key: Tensor) -> Tensor:
    """In place of a score function: `(B, T, S)`."""
    return torch.sin(phases(query).unsqueeze(2) + phases(key).unsqueeze(1))


def gates(scores: Tensor, mask: Tensor) -> Tensor:
    """In place of `masked_softmax`: each position for itself, so a row need not sum to one."""
    return torch.where(mask, torch.sigmoid(scores), 0.0)


def overtones(weights: Tensor, size: int) -> Tensor:
    """In place of a context, `(B, T, size)`: zeros where all weights are zero."""
    return torch.sin(weights.sum(dim=-1, keepdim=True) * torch.arange(1, size + 1, device=weights.device) / size)


def looked_up(query: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """In place of an attention, whose memory may have vectors of another size than the queries."""
    weights = torch.where(mask, sines(query, memory) / 16, 0.0)
    return overtones(weights, memory.shape[-1]), weights
