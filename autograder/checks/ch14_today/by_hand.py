"""Inputs small enough to do by hand, for questions about a reader's code."""

import torch

from autograder.asking.draw import Draw
from autograder.questions.given import Given, Stand, whole


def RMSNorm(draw: Draw) -> Given:
    """Rows in which all numbers are equally far from 0, or all but one are 0."""
    alike = whole(draw, 1, 1, low=1, high=5) * (2 * draw.integers(0, 2, 1, 4) - 1)
    single = torch.zeros(1, 4)
    single[0, int(draw.integers(0, 4))] = int(draw.integers(1, 5))
    rows = torch.cat([alike, single])
    return Given({"inputs": rows[draw.normal(2).argsort()]}, {"size": 4}, {"weight": whole(draw, 4, low=1, high=4)})


def rotate(draw: Draw) -> Given:
    """Pairs on an axis, at whole positions."""
    start = int(draw.integers(0, 3))
    return Given({"vectors": whole(draw, 1, 2, 2), "positions": torch.arange(start, start + 2)})


def GroupedQueryAttention(draw: Draw) -> Given:
    """Shapes alone, with and without earlier positions."""
    batch, length, past = 1 + int(draw.integers(0, 2)), int(draw.integers(2, 4)), int(draw.integers(0, 3))
    heads = int(draw.integers(1, 3))
    settings = {
        "d_model": 8,
        "num_heads": 4,
        "num_kv_heads": heads,
        "rotate": Stand(
            lambda vectors, positions: vectors + positions.unsqueeze(-1), "adds its position to each vector"
        ),
    }
    cache = (torch.zeros(batch, heads, past, 2),) * 2 if past else None
    told = Stand(cache, f"two tensors of shape ({batch}, {heads}, {past}, 2)") if cache else None
    inputs = Stand(draw.normal(batch, length, 8), f"a tensor of shape ({batch}, {length}, 8)")
    return Given({"inputs": inputs, "cache": told}, settings, filled=0.1, shapes_alone=True)


def SwiGLU(draw: Draw) -> Given:
    """Gates that are 0 or far from it."""
    weights = {
        "gate.weight": 4 * whole(draw, 2, 2, low=-1, high=2),
        "up.weight": whole(draw, 2, 2),
        "down.weight": whole(draw, 2, 2),
    }
    return Given({"inputs": whole(draw, 1, 2, low=-1)}, {"d_model": 2, "d_ff": 2}, weights)


def merge_byte_pairs(draw: Draw) -> Given:
    """Two letters, and a few pairs."""
    pairs = [("a", "b"), ("b", "a"), ("a", "a"), ("ab", "a"), ("b", "b"), ("ab", "ab"), ("aa", "b")]
    order = draw.normal(len(pairs)).argsort().tolist()[:4]
    symbols = ["ab"[n] for n in draw.integers(0, 2, int(draw.integers(4, 7))).tolist()]
    return Given({"symbols": symbols, "ranks": {pairs[n]: rank for rank, n in enumerate(order)}})


def dequantize_q4_1(draw: Draw) -> Given:
    """A block of two bytes of numbers, whose scale and minimum are halves."""
    scale, minimum = draw.integers(1, 5) / 2, draw.integers(-2, 3) / 1
    numbers = draw.integers(0, 256, 2)
    halves = torch.stack([scale, minimum]).to(torch.float16).view(torch.uint8)
    told = f"the bytes of {scale.item()} and {minimum.item()} as float16, then {', '.join(f'0x{n:02x}' for n in numbers.tolist())}"
    return Given({"blocks": Stand(torch.cat([halves, numbers.to(torch.uint8)]).unsqueeze(0), told)})
