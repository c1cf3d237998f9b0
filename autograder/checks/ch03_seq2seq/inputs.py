"""Inputs as the chapter gives them, for the exercises that share them."""

import torch
from torch import Tensor

from autograder.asking.draw import Draw

WORDS, EMBEDDING, HIDDEN = 13, 10, 12


def sentences(draw: Draw, *lengths: int) -> tuple[Tensor, Tensor]:
    """Words, 0 among them, with padding of 0 behind them, (B, S), and the lengths."""
    real = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)
    return draw.integers(0, WORDS, *real.shape) * real, torch.tensor(lengths)


def scored(draw: Draw, batch: int, length: int, scale: float) -> tuple[Tensor, Tensor]:
    """Logits (B, T, V) and words (B, T), 0 among them."""
    return draw.normal(batch, length, WORDS, scale=scale), draw.integers(0, WORDS, batch, length)
