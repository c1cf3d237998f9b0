"""What is right about `dequantize_q4_1`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch13_today.probes import dequantize_q4_1 as probes
from autograder.compare import close, difference, explained, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_ENDS = "the scale and the minimum are read from the first four bytes"
_ORDER = "the low four bits come first, then the high four"
_SEVERAL = "each block has its own scale and minimum"


def _read(blocks: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Scale, minimum, low and high numbers."""
    ends = blocks[..., :4].contiguous().view(torch.float16).float()
    pairs = blocks[..., 4:].float()
    high = (pairs / 16).floor()
    return ends[..., :1], ends[..., 1:], pairs - 16 * high, high


def _with_ends(blocks: Tensor, dtype: torch.dtype, numbers: Tensor) -> Tensor:
    """The weights, if scale and minimum are read as another type."""
    ends = blocks[..., :4].contiguous().view(dtype).float()
    return ends[..., :1] * numbers + ends[..., 1:]


def _last_four(blocks: Tensor) -> Tensor:
    """The weights, if a block ends with scale and minimum."""
    scale, minimum, low, high = _read(blocks.roll(4, dims=-1))
    return scale * torch.cat([low, high], dim=-1) + minimum


@judge(
    _ENDS,
    probe=probes.one_number,
    points=2,
    hint="blocks[..., :2] holds the two bytes of one number in half precision: .view(torch.float16) reads them as that number, while .to(torch.float16) "
    "would convert each byte by itself. A weight is scale times integer plus minimum.",
)
def scale_and_minimum(got: Any, want: Any) -> Verdict:
    """Equal integers."""
    blocks = want["blocks"]
    scale, minimum, low, _ = _read(blocks)
    swapped = blocks[..., [1, 0, 3, 2]].view(torch.float16).float()
    numbers = low[..., :1].expand(*blocks.shape[:-1], 32)
    mistakes = {
        "scale and minimum were swapped": minimum * numbers + scale,
        "the minimum was not used": scale * numbers,
        "the minimum was subtracted, expected added": scale * numbers - minimum,
        "the minimum was multiplied by the scale; expected it added as it is": scale * (numbers + minimum),
        "the integer was divided by the scale, expected multiplied by it": numbers / scale + minimum,
        "the two bytes were read as bfloat16, expected float16": _with_ends(blocks, torch.bfloat16, numbers),
        "the two bytes were read as an integer, expected a number in half precision": _with_ends(
            blocks, torch.int16, numbers
        ),
        "scale and minimum were read from the last four bytes, expected the first": _last_four(blocks),
        "8 was subtracted from the integers, as in the format Q4_0, which has no minimum": scale * (numbers - 8),
        "8 was subtracted from the integers; in this format they range from 0 to 15": scale * (numbers - 8) + minimum,
        "the scale was not used": numbers + minimum,
        "the two bytes of the scale and of the minimum were read in the wrong order": swapped[..., :1] * numbers
        + swapped[..., 1:],
        "each of the first bytes was converted to a number; expected two bytes together, read as half precision": blocks[
            ..., :1
        ].float()
        * numbers
        + blocks[..., 1:2].float(),
        "whole bytes were used as integers, expected four bits each": scale * 17 * numbers + minimum,
        "the high four bits were not shifted: shift them right by 4": torch.cat(
            [scale * numbers[..., :16], scale * 16 * numbers[..., 16:]], dim=-1
        )
        + minimum,
    }
    return explained(got["weights"], want["weights"], mistakes, "weights")


@judge(
    _ORDER,
    probe=probes.order,
    points=2,
    needs=(_ENDS,),
    hint="Byte 4 + j holds weights j and j + 16: the low halves of all 16 bytes give the first 16 weights, and the high halves the other 16.",
)
def low_then_high(got: Any, want: Any) -> Verdict:
    """Which integer is where."""
    scale, minimum, low, high = _read(want["blocks"])

    def mapped(*parts: Tensor) -> Tensor:
        return scale * torch.cat(parts, dim=-1) + minimum

    mistakes = {
        "the high four bits came first, expected the low ones": mapped(high, low),
        "low and high were interleaved; expected the low ones of all bytes, then the high ones": scale
        * torch.stack([low, high], dim=-1).flatten(-2)
        + minimum,
        "high and low were interleaved; expected the low ones of all bytes, then the high ones": scale
        * torch.stack([high, low], dim=-1).flatten(-2)
        + minimum,
        "the low four bits were used twice": mapped(low, low),
        "the high four bits were used twice": mapped(high, high),
        "the bytes were read from the last to the first": mapped(low.flip(-1), high.flip(-1)),
    }
    return explained(got["weights"], want["weights"], mistakes, "weights")


@judge(
    _SEVERAL,
    probe=probes.several,
    points=1,
    needs=(_ENDS, _ORDER),
    hint="With shape (..., 1), the scale and the minimum broadcast over the 32 integers of their own block.",
)
def each_its_own(got: Any, want: Any) -> Verdict:
    """Five blocks."""
    scale, minimum, low, high = _read(want["blocks"])
    numbers = torch.cat([low, high], dim=-1)
    mistakes = {
        "all blocks got the scale and the minimum of the first": scale[:1] * numbers + minimum[:1],
        "low and high bits were concatenated along the blocks, expected along the last dimension": scale
        * torch.cat([low, high]).reshape(numbers.shape)
        + minimum,
    }
    return explained(got["weights"], want["weights"], mistakes, "weights")


@judge(
    "works with blocks of any number of dimensions and does not change the bytes",
    probe=probes.shapes,
    points=1,
    arguments=True,
    needs=(_ENDS, _ORDER, _SEVERAL),
    hint="One block has shape (20,), and a matrix has rows of blocks. The bytes of a slice need not be contiguous: .contiguous() makes them so. &= and "
    ">>= change the caller's bytes.",
)
def any_shape(got: Any, want: Any) -> Verdict:
    """Weights and bytes."""
    for name, right in want.items():
        if not is_close(got[name]["blocks"], right["blocks"]):
            return failed("the call changed its argument blocks")
        if not is_close(got[name]["weights"], right["weights"]):
            return failed(f"{name}: {difference(got[name]['weights'], right['weights'])}")
    return passed()


extremes = judge(
    "it works for any scale and for every byte",
    probe=probes.extremes,
    points=1,
    hidden=True,
    needs=(_ENDS, _ORDER, _SEVERAL),
    hint="Convert the scale and the minimum to single precision before you multiply: half precision overflows beyond 65,504, and it rounds.",
)(close(rtol=1e-6, atol=1e-9))
