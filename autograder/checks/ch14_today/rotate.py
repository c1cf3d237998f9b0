"""The checks of `rotate`."""

from typing import Any

import torch

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import close, is_close

EXERCISE = Exercise("rotate", "an angle for every position", minutes=25, difficulty=2)


@in_use(dtypes=False)
def in_chapter(rotate, draw: Draw) -> Use:
    """The queries of a prompt, then the key of one later token, with the base of SmolLM2."""
    first = draw.normal(2, 9, 12, 16), torch.arange(12), 1e5
    return Use(rotate, first, (draw.normal(1, 3, 1, 8), draw.integers(12, 300, 1), 1e5))


@check(
    "a pair is rotated by an angle equal to its position",
    points=2,
    hint="With d_k = 2 there is one pair, and base^0 is 1, so the angle is p. The first component becomes x_0 cos φ - x_1 sin φ. At position 0 "
    "nothing changes.",
)
def one_pair(rotate, draw: Draw):
    """A single pair, whose angle is the position itself, and positions from 0 on."""
    vectors, positions = draw.normal(2, 3, 4, 2), torch.arange(4)
    return {"rotated": rotate(vectors, positions)}


@one_pair.explain
def no_rotation(got, want):
    """What no rotation does."""
    rotated, right = got["rotated"], want["rotated"]
    if not is_close(rotated[..., 0, :], right[..., 0, :]):
        return "the vector at position 0 is changed, although its angle is 0"
    lengths, expected = rotated.norm(dim=-1).flatten(), right.norm(dim=-1).flatten()
    wrong = (lengths - expected).abs() > 1e-3 * expected
    if not wrong.any():
        return None
    return f"a vector of length {expected[wrong][0]:.3g} has length {lengths[wrong][0]:.3g} afterwards; a rotation keeps the length"


@check(
    "neighbours form a pair, and each pair has its own frequency",
    points=2,
    needs=one_pair,
    hint="Pair i is (x_2i, x_2i+1), and it stays in its two places. Slices with a step of 2 select the first and the second components, and `stack` on a new "
    "last dimension followed by `flatten` puts them back. The exponent of pair i is -2i / d_k.",
)
def pairs(rotate, draw: Draw):
    """Several pairs, at the first positions."""
    vectors, positions = draw.normal(2, 3, 5, 8) + 1, torch.arange(5)
    return {"rotated": rotate(vectors, positions)}


pairs.explain(no_rotation)


def products(answer: Any) -> Any:
    """The products of the rotated vectors with each other: they do not change if all positions are shifted, which is another check's business."""
    return {f"{name}, vector times vector": each @ each.transpose(-1, -2) for name, each in answer.items()}


@check(
    "the given positions are used",
    points=1,
    needs=(one_pair, pairs),
    hint="With a cache, the vectors of a call do not begin at position 0. Use `positions`: the number of vectors does not tell where they are.",
)
def places(rotate, draw: Draw):
    """Positions that neither begin at 0 nor are consecutive."""
    vectors, positions = draw.normal(2, 3, 4, 6), draw.integers(3, 60, 4)
    return {"rotated": rotate(vectors, positions)}


@check(
    "the base sets how slowly the last pairs rotate",
    points=1,
    reads=products,
    needs=(one_pair, pairs, places),
    hint="`base` is an argument: SmolLM2 uses a different base from the paper.",
)
def other_base(rotate, draw: Draw):
    """Another base."""
    vectors, positions, base = draw.normal(2, 3, 5, 6), draw.integers(1, 40, 5), float(draw.integers(20, 900, 1))
    return {"rotated": rotate(vectors, positions, base)}


@check(
    "works with vectors of any number of dimensions and does not change its arguments",
    points=1,
    reads=products,
    needs=(one_pair, pairs, places),
    arguments=True,
    hint="Count dimensions from the end: the positions are in the second to last. Write into a new tensor, not into slices of the one that you were given.",
)
def shapes(rotate, draw: Draw):
    """One head without a batch, five dimensions, a single position."""
    sizes = {"no batch": (3, 4), "five dimensions": (2, 1, 2, 3, 4), "one position": (1, 1, 1, 6)}
    return {name: rotate(draw.normal(*shape), draw.integers(1, 30, shape[-2])) for name, shape in sizes.items()}


@check(
    "half precision keeps its dtype, and its angles are accurate",
    points=1,
    needs=(one_pair, pairs, places, other_base),
    compare=close(atol=0.002),
    hint="Compute the angles in single precision, also for vectors in half precision, which cannot represent every integer beyond 2,048. Convert cosine and sine to the dtype of "
    "the vectors afterwards.",
)
def numbers(rotate, draw: Draw):
    """Half precision, where integers beyond 2,048 are rounded."""
    vectors, positions = draw.normal(2, 2, 3, 8), draw.integers(2100, 4000, 3)
    return {"half precision": rotate(vectors.half(), positions)}


@check(
    "any position can be given",
    points=1,
    reads=products,
    hidden=True,
    needs=(one_pair, pairs, places, other_base),
    compare=close(atol=0.02),
    hint="Compute the angles of the positions that are given: a table that is made beforehand ends somewhere.",
)
def far(rotate, draw: Draw):
    """Positions as far away as a long text, with the base of SmolLM2."""
    positions = torch.cat([draw.integers(700, 1000, 2), draw.integers(8300, 9000, 1)])
    return {"rotated": rotate(draw.normal(2, 2, 3, 8), positions, 1e5)}
