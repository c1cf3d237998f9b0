"""What makes a masked language model train faster: heads only where a piece is to be predicted, and a learning rate that rises before it falls."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

__all__ = ["AtPlaces", "places_of", "warm_up", "warm_up_then_decay"]


class AtPlaces(nn.Module):
    """An encoder that returns the states of some places only, if it is told which: the word head is the most expensive part of a small BERT.

    Attributes:
        encoder: The encoder inside.
        places: The places of each row, shape (B, M), or None for all of them.
    """

    def __init__(self, encoder: nn.Module) -> None:
        """Wrap an encoder.

        Args:
            encoder: Takes vectors (B, S, d_model) and a mask (B, S); returns states (B, S, d_model).
        """
        super().__init__()
        self.encoder = encoder
        self.places: Tensor | None = None

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Encode, and pick the places.

        Args:
            states: One vector for each position, shape (B, S, d_model).
            mask: True where there is a piece, shape (B, S).

        Returns:
            The states of `places`, shape (B, M, d_model); without places, all of them, (B, S, d_model).
        """
        encoded: Tensor = self.encoder(states, mask)
        if self.places is None:
            return encoded
        rows = torch.arange(len(encoded), device=encoded.device).unsqueeze(1)
        return encoded[rows, self.places]


def places_of(labels: Tensor) -> Tensor:
    """The first place of each row and those where a piece is asked for.

    Args:
        labels: The pieces that are asked for, and -100 where none is, shape (B, S).

    Returns:
        Shape (B, 1 + M), where M is the largest number of a row; rows that have fewer are filled up with places where nothing is asked.
    """
    chosen = labels != -100
    found = chosen.int().topk(int(chosen.sum(dim=1).max()), dim=1).indices  # (B, M)
    return F.pad(found, (1, 0))


def warm_up(peak: float, steps: int) -> Callable[[int], float]:
    """A learning rate that rises in a straight line and then stays.

    Args:
        peak: The highest learning rate.
        steps: The step that reaches it.

    Returns:
        The learning rate of a step, counted from 1.
    """
    return lambda step: peak * min(step / steps, 1.0)


def warm_up_then_decay(peak: float, warmup: int, steps: int) -> Callable[[int], float]:
    """A learning rate that rises in a straight line and then falls to zero in another.

    Args:
        peak: The highest learning rate.
        warmup: The step that reaches it.
        steps: The number of steps: the one after the last would have the rate zero.

    Returns:
        The learning rate of a step, counted from 1.
    """
    return lambda step: peak * min(step / warmup, (steps + 1 - step) / (steps + 1 - warmup))
