"""What is asked of `dequantize_q4_1`."""

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw


def blocks_of(draw: Draw, *front: int) -> Tensor:
    """Blocks with drawn scales, minima and integers: (*front, 20) bytes."""
    ends = torch.stack([draw.normal(*front).abs() / 8 + 0.02, draw.normal(*front) - 0.5], dim=-1).half()
    return torch.cat([ends.view(torch.uint8), draw.integers(0, 256, *front, 16).to(torch.uint8)], dim=-1)


@probe("dequantize_q4_1")
def one_number(dequantize_q4_1, draw: Draw):
    """A block of 32 equal integers, in which their order does not matter.

    The scale is an odd multiple of 2^-11, the minimum is from 1 to 2, and the integer is odd, so that half precision rounds every weight.
    It is above 8, where the highest bit of a byte is set.
    """
    blocks = blocks_of(draw, 1)
    ends = torch.stack([(41 + 2 * draw.integers(0, 112, 1)) / 2**11, 1 + draw.integers(0, 1024, 1) / 1024], dim=-1)
    blocks[:, :4] = ends.half().view(torch.uint8)
    blocks[:, 4:] = 17 * (9 + 2 * int(draw.integers(0, 4, 1)))
    return {"weights": dequantize_q4_1(blocks.clone()), "blocks": blocks}


@probe("dequantize_q4_1")
def order(dequantize_q4_1, draw: Draw):
    """A block of drawn integers."""
    blocks = blocks_of(draw, 1)
    return {"weights": dequantize_q4_1(blocks.clone()), "blocks": blocks}


@probe("dequantize_q4_1")
def several(dequantize_q4_1, draw: Draw):
    """Several blocks."""
    blocks = blocks_of(draw, 5)
    return {"weights": dequantize_q4_1(blocks.clone()), "blocks": blocks}


@probe("dequantize_q4_1")
def shapes(dequantize_q4_1, draw: Draw):
    """One block alone, the rows of a matrix, bytes that are not contiguous; and the bytes after the call."""
    answers = {}
    apart = blocks_of(draw, 4).t().contiguous().t()
    for name, blocks in {"one block": blocks_of(draw, 1)[0], "a matrix": blocks_of(draw, 3, 2), "apart": apart}.items():
        answers[name] = {"weights": dequantize_q4_1(blocks), "blocks": blocks.contiguous()}
    return answers


@probe("dequantize_q4_1")
def extremes(dequantize_q4_1, draw: Draw):
    """A scale of 0, a negative one, the smallest and a large one, with every byte that there is."""
    ends = torch.tensor([[0.0, 0.25], [-0.5, 1.0], [6e-8, -6e-8], [3000.0, -20000.0]]).half().repeat(4, 1)
    numbers = draw.normal(256).argsort().view(16, 16).to(torch.uint8)
    return {"weights": dequantize_q4_1(torch.cat([ends.view(torch.uint8), numbers], dim=-1))}
