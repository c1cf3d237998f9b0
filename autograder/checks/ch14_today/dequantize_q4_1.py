"""The checks of `dequantize_q4_1`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import close, is_close
from autograder.judging.verdict import JudgeFunction, Verdict

EXERCISE = Exercise("dequantize_q4_1", "32 weights from 20 bytes", minutes=25, difficulty=2)


@in_use(gradients=False, dtypes=False)
def in_chapter(dequantize_q4_1, draw: Draw) -> Use:
    """A matrix, then a row."""
    return Use(dequantize_q4_1, (blocks_of(draw, 24, 6),), (blocks_of(draw, 3),))


def blocks_of(draw: Draw, *front: int) -> Tensor:
    """Blocks with drawn scales, minima and integers: (*front, 20) bytes."""
    ends = torch.stack([draw.normal(*front).abs() / 8 + 0.02, draw.normal(*front) - 0.5], dim=-1).half()
    return torch.cat([ends.view(torch.uint8), draw.integers(0, 256, *front, 16).to(torch.uint8)], dim=-1)


def _equal_blocks_of(draw: Draw, *front: int) -> Tensor:
    """Blocks of 32 equal integers each, in which their order does not matter."""
    blocks = blocks_of(draw, *front)
    blocks[..., 4:] = (17 * draw.integers(0, 16, *front, 1)).to(torch.uint8)
    return blocks


def _in_either_half(compare: JudgeFunction) -> JudgeFunction:
    """A judge that wants the weights of the low bits, or those of the high bits: how these are taken from a byte is another check's business."""

    def either(got: Any, want: Any) -> Verdict:
        for half in (slice(16), slice(16, None)):
            verdict = compare(*({name: each[..., half] for name, each in answer.items()} for answer in (got, want)))
            if verdict.ok:
                return verdict
        return compare(got, want)

    return either


@check(
    "the scale and the minimum are read from the first four bytes",
    points=2,
    compare=_in_either_half(close()),
    hint="blocks[..., :2] holds the two bytes of one number in half precision: .view(torch.float16) reads them as that number, while .to(torch.float16) "
    "would convert each byte by itself. A weight is scale times integer plus minimum.",
)
def one_number(dequantize_q4_1, draw: Draw):
    """A block of equal integers.

    The scale is an odd multiple of 2^-11, from 0.1 up, the minimum is from 1 to 2, and the integer is odd and above 8, where the highest bit of a
    byte is set: half precision rounds their product, and every weight.
    """
    blocks = _equal_blocks_of(draw, 1)
    ends = torch.stack([(229 + 2 * draw.integers(0, 112, 1)) / 2**11, 1 + draw.integers(0, 1024, 1) / 1024], dim=-1)
    blocks[:, :4] = ends.half().view(torch.uint8)
    blocks[:, 4:] = 17 * (9 + 2 * int(draw.integers(0, 4, 1)))
    return {"weights": dequantize_q4_1(blocks)}


@one_number.explain
def rounded(got, want):
    """Weights that are accurate to three digits."""
    is_near = is_close(got["weights"], want["weights"], rtol=1e-3)
    return "the weights are right to three digits only: is anything computed in half precision?" if is_near else None


@one_number.explain
def not_all_equal(got, want):
    """Equal integers have equal weights."""
    weights = got["weights"]
    equal = is_close(weights, weights[:, :1].expand_as(weights))
    return None if equal else "all integers of this block are equal, but the weights are not"


_BUT_FOR_ROUNDING = close(rtol=2e-3, atol=2e-3)
"""What is computed in half precision is for the first check to say."""


@check(
    "each byte holds two integers: the low four bits come first, then the high four",
    points=2,
    needs=one_number,
    compare=_BUT_FOR_ROUNDING,
    hint="Byte 4 + j holds weights j and j + 16: the low halves of all 16 bytes give the first 16 weights, and the high halves the other 16.",
)
def order(dequantize_q4_1, draw: Draw):
    """A block of drawn integers."""
    blocks = blocks_of(draw, 1)
    return {"weights": dequantize_q4_1(blocks)}


@order.explain
def another_order(got, want):
    """Weights that are right, and only stand elsewhere in their block."""
    is_moved = is_close(got["weights"].sort().values, want["weights"].sort().values)
    return "the weights are right, but in a different order" if is_moved else None


@check(
    "each block has its own scale and minimum",
    points=1,
    needs=one_number,
    compare=_in_either_half(_BUT_FOR_ROUNDING),
    hint="With shape (..., 1), the scale and the minimum broadcast over the 32 integers of their own block.",
)
def several(dequantize_q4_1, draw: Draw):
    """Several blocks."""
    return {"weights": dequantize_q4_1(_equal_blocks_of(draw, 5))}


@check(
    "works with blocks of any number of dimensions and does not change the bytes",
    points=1,
    needs=(one_number, several),
    compare=_in_either_half(_BUT_FOR_ROUNDING),
    arguments=True,
    hint="One block has shape (20,), and a matrix has rows of blocks. The bytes of a slice need not be contiguous: .contiguous() makes them so. &= and "
    ">>= change the caller's bytes.",
)
def shapes(dequantize_q4_1, draw: Draw):
    """One block alone, the rows of a matrix, bytes that are not contiguous."""
    one, matrix = _equal_blocks_of(draw, 1)[0], _equal_blocks_of(draw, 3, 2)
    apart = _equal_blocks_of(draw, 4).t().contiguous().t()
    return {
        name: dequantize_q4_1(blocks) for name, blocks in {"one block": one, "a matrix": matrix, "apart": apart}.items()
    }


@check(
    "it works for any scale and for every byte",
    points=1,
    hidden=True,
    needs=(one_number, order, several),
    compare=close(rtol=1e-06, atol=1e-09),
    hint="Convert the scale and the minimum to single precision before you multiply: half precision overflows beyond 65,504, and it rounds.",
)
def extremes(dequantize_q4_1, draw: Draw):
    """A scale of 0, a negative one, the smallest and a large one, with every byte that there is."""
    ends = torch.tensor([[0.0, 0.25], [-0.5, 1.0], [6e-8, -6e-8], [3000.0, -20000.0]]).half().repeat(4, 1)
    numbers = draw.normal(256).argsort().view(16, 16).to(torch.uint8)
    return {"weights": dequantize_q4_1(torch.cat([ends.view(torch.uint8), numbers], dim=-1))}
