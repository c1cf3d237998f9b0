"""What is asked of `rotate`."""

import torch

from autograder.declare import probe
from autograder.draw import Draw


@probe("rotate")
def one_pair(rotate, draw: Draw):
    """A single pair, whose angle is the position itself, and positions from 0 on."""
    vectors, positions = draw.normal(2, 3, 4, 2), torch.arange(4)
    return {
        "rotated": rotate(vectors.clone(), positions.clone()),
        "vectors": vectors,
        "positions": positions,
        "base": 1e4,
    }


@probe("rotate")
def pairs(rotate, draw: Draw):
    """Several pairs, at the first positions."""
    vectors, positions = draw.normal(2, 3, 5, 8) + 1, torch.arange(5)
    return {
        "rotated": rotate(vectors.clone(), positions.clone()),
        "vectors": vectors,
        "positions": positions,
        "base": 1e4,
    }


@probe("rotate")
def places(rotate, draw: Draw):
    """Positions that neither begin at 0 nor are consecutive."""
    vectors, positions = draw.normal(2, 3, 4, 6), draw.integers(3, 60, 4)
    return {
        "rotated": rotate(vectors.clone(), positions.clone()),
        "vectors": vectors,
        "positions": positions,
        "base": 1e4,
    }


@probe("rotate")
def other_base(rotate, draw: Draw):
    """Another base."""
    vectors, positions, base = draw.normal(2, 3, 5, 6), draw.integers(1, 40, 5), float(draw.integers(20, 900, 1))
    rotated = rotate(vectors.clone(), positions.clone(), base)
    return {"rotated": rotated, "vectors": vectors, "positions": positions, "base": base}


@probe("rotate")
def shapes(rotate, draw: Draw):
    """One head without a batch, five dimensions, a single position; and what was given, after the call."""
    answers = {}
    for name, shape in {"no batch": (3, 4), "five dimensions": (2, 1, 2, 3, 4), "one position": (1, 1, 1, 6)}.items():
        vectors, positions = draw.normal(*shape), draw.integers(1, 30, shape[-2])
        answers[name] = {"rotated": rotate(vectors, positions), "vectors": vectors, "positions": positions}
    return answers


@probe("rotate")
def numbers(rotate, draw: Draw):
    """Half precision, where integers beyond 2,048 are rounded, and far positions."""
    vectors, positions = draw.normal(2, 2, 3, 8), draw.integers(2100, 4000, 3)
    far = rotate(draw.normal(2, 2, 3, 8), draw.integers(700, 1000, 3), 1e5)
    return {"half precision": rotate(vectors.half(), positions), "far positions": far}
