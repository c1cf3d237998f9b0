"""Batches of padded pairs, as the chapter's models get them."""

import torch
from torch import Tensor

from autograder.asking.draw import Draw


def padded_pairs(draw: Draw, pieces: int, batch: int, length: int) -> tuple[Tensor, Tensor]:
    """Tokens with [PAD], which is 0, behind them, and the segments: of 0 alone in the first row, of both in others."""
    real = draw.padding_mask(batch, length)
    tokens = draw.integers(1, pieces, batch, length) * real
    seconds = torch.arange(length) >= draw.integers(1, length, batch).unsqueeze(1)
    seconds[0] = False
    return tokens, (seconds & real).long()
