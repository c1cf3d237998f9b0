"""Mistakes in `dequantize_q4_1`, and right answers in other styles."""

import struct

import numpy as np
import torch

from autograder.checks.ch14_today.dequantize_q4_1 import extremes, one_number, order, several, shapes
from autograder.judging.catalogue import mistake, right


def read(blocks):
    """Scale, minimum, low and high numbers."""
    ends = blocks[..., :4].contiguous().view(torch.float16).float()
    return ends[..., :1], ends[..., 1:], blocks[..., 4:] & 15, blocks[..., 4:] >> 4


@right
def usual(blocks):
    scale, minimum, low, high = read(blocks)
    return scale * torch.cat([low, high], -1) + minimum


mistake(one_number, "the scale and the minimum are swapped").made_in(
    usual, ends_swapped={"return scale": "return minimum", "+ minimum": "+ scale"}
)
mistake(one_number, "the minimum is not used").made_in(
    usual, no_minimum={"scale, minimum": "scale, _", " + minimum": ""}
)
mistake(one_number, "the scale is not used").made_in(
    usual, no_scale={"scale, minimum": "_, minimum", "return scale * torch": "return torch"}
)
mistake(one_number, "the minimum is subtracted, expected added").made_in(
    usual, minimum_subtracted={"+ minimum": "- minimum"}
)
mistake(one_number, "the minimum is multiplied by the scale; expected it added as it is").made_in(
    usual, minimum_scaled={"torch.cat([low, high], -1) + minimum": "(torch.cat([low, high], -1) + minimum)"}
)
mistake(one_number, "8 is subtracted from the integers; in this format they range from 0 to 15").made_in(
    usual, signed={"scale * torch.cat([low, high], -1)": "scale * (torch.cat([low, high], -1).float() - 8)"}
)


@mistake(one_number, "8 is subtracted from the integers, as in the format Q4_0, which has no minimum")
def another_format(blocks):
    scale, _, low, high = read(blocks)
    return scale * (torch.cat([low, high], -1).float() - 8)


@mistake(
    one_number, "each of the first bytes is converted to a number; expected two bytes together, read as half precision"
)
def bytes_for_numbers(blocks):
    _, _, low, high = read(blocks)
    return blocks[..., :1].float() * torch.cat([low, high], -1) + blocks[..., 1:2].float()


mistake(one_number, "the two bytes of the scale and of the minimum are read in the wrong order").made_in(
    usual, big_endian={"read(blocks)": "read(torch.cat([blocks[..., [1, 0, 3, 2]], blocks[..., 4:]], -1))"}
)
mistake(order, "the high four bits are not shifted: shift them right by 4").made_in(
    usual, not_shifted={"high = read(blocks)": "_ = read(blocks)", "[low, high]": "[low, blocks[..., 4:] & 240]"}
)
mistake(order, "the high four bits come first, expected the low ones").made_in(
    usual, high_first={"[low, high]": "[high, low]"}
)
mistake(order, "low and high are interleaved; expected the low ones of all bytes, then the high ones").made_in(
    usual, interleaved={"torch.cat([low, high], -1)": "torch.stack([low, high], -1).flatten(-2)"}
)
mistake(order, "high and low are interleaved; expected the low ones of all bytes, then the high ones").made_in(
    usual, high_low_interleaved={"torch.cat([low, high], -1)": "torch.stack([high, low], -1).flatten(-2)"}
)
mistake(order, "the low four bits are used twice").made_in(
    usual, low_twice={"high = read(blocks)": "_ = read(blocks)", "[low, high]": "[low, low]"}
)
mistake(order, "the high four bits are used twice").made_in(
    usual, high_twice={"scale, minimum, low": "scale, minimum, _", "[low, high]": "[high, high]"}
)
mistake(order, "the bytes are read from the last to the first").made_in(
    usual, backwards={"[low, high]": "[low.flip(-1), high.flip(-1)]"}
)


@mistake(several, "all blocks get the scale and the minimum of the first")
def first_scale(blocks):
    scale, minimum, low, high = read(blocks)
    while scale.dim() > 1:
        scale, minimum = scale[0], minimum[0]
    return scale * torch.cat([low, high], -1) + minimum


mistake(shapes, "the blocks are flattened to two dimensions, and the weights keep that shape").made_in(
    usual, two_dimensions={"read(blocks)": "read(blocks.reshape(-1, 20))"}
)


@mistake(one_number, "the weights are computed in half precision, which rounds them; expected float32")
def in_half(blocks):
    ends = blocks[..., :4].contiguous().view(torch.float16)
    numbers = torch.cat([blocks[..., 4:] & 15, blocks[..., 4:] >> 4], -1)
    return (ends[..., :1] * numbers + ends[..., 1:]).float()


mistake(extremes, "a negative scale loses its sign").made_in(
    usual, positive_scale={"return scale": "return scale.abs()"}
)


@mistake(shapes, "the caller's bytes are changed in place")
def in_place(blocks):
    scale, minimum, _, high = read(blocks)
    blocks[..., 4:] &= 15
    return scale * torch.cat([blocks[..., 4:], high], -1) + minimum


@mistake(one_number, "the weights are in half precision, expected float32")
def half_back(blocks):
    scale, minimum, low, high = read(blocks)
    return (scale * torch.cat([low, high], -1) + minimum).half()


mistake(one_number, "the integer is divided by the scale, expected multiplied by it").made_in(
    usual, scale_divides={"scale * torch.cat([low, high], -1)": "torch.cat([low, high], -1) / scale"}
)


@mistake(one_number, "the two bytes are read as bfloat16, expected float16")
def other_half(blocks):
    _, _, low, high = read(blocks)
    ends = blocks[..., :4].contiguous().view(torch.bfloat16).float()
    return ends[..., :1] * torch.cat([low, high], -1) + ends[..., 1:]


mistake(one_number, "the two bytes are read as an integer, expected a number in half precision").made_in(
    other_half, ends_as_integers={"torch.bfloat16": "torch.int16"}
)
mistake(one_number, "the scale and the minimum are read from the last four bytes, expected the first").made_in(
    usual, ends_at_the_end={"read(blocks)": "read(blocks.roll(4, -1))"}
)


@mistake(order, "the low four bits are taken as the remainder of a division by 15, expected by 16")
def remainder_of_fifteen(blocks):
    scale, minimum, _, high = read(blocks)
    return scale * torch.cat([blocks[..., 4:] % 15, high], -1) + minimum


mistake(order, "the low four bits are masked with another number than 15, which keeps other bits").made_in(
    remainder_of_fifteen, masked_with_16={"% 15": "& 16"}, masked_with_7={"% 15": "& 7"}
)
mistake(order, "the high four bits are taken as the byte divided by 15, expected by 16").made_in(
    usual, divided_by_fifteen={"high = read(blocks)": "_ = read(blocks)", "[low, high]": "[low, blocks[..., 4:] // 15]"}
)
mistake(order, "the bytes are converted to signed integers, so the shift to the right keeps the sign").made_in(
    usual, signed_bytes={"high = read(": "_ = read(", "[low, high]": "[low, blocks[..., 4:].to(torch.int8) >> 4]"}
)
mistake(several, "low and high bits are concatenated along the blocks, expected along the last dimension").made_in(
    usual, along_the_blocks={"torch.cat([low, high], -1)": "torch.cat([low, high]).reshape(*blocks.shape[:-1], 32)"}
)


@mistake(
    shapes,
    "the bytes of a slice are read as another type, but they are not next to each other: .contiguous() is missing",
)
def not_contiguous(blocks):
    ends = blocks[..., :4].view(torch.float16).float()
    return ends[..., :1] * torch.cat([blocks[..., 4:] & 15, blocks[..., 4:] >> 4], -1) + ends[..., 1:]


mistake(one_number, "scale times integer is computed in half precision, which rounds it; expected float32").made_in(
    usual, product_in_half={"scale * torch.cat([low, high], -1)": "(scale.half() * torch.cat([low, high], -1)).float()"}
)


@right
def with_division(blocks):
    scale, minimum, _, _ = read(blocks)
    pairs = blocks[..., 4:].int()
    return scale * torch.cat([pairs % 16, pairs // 16], -1) + minimum


@right
def into_a_new_tensor(blocks):
    scale, minimum, low, high = read(blocks)
    weights = torch.empty(*blocks.shape[:-1], 32, device=blocks.device)
    weights[..., :16] = scale * low.float() + minimum
    weights[..., 16:] = torch.addcmul(minimum, scale, high.float())
    return weights


@right
def with_clones(blocks):
    scale = blocks[..., 0:2].clone(memory_format=torch.contiguous_format).view(torch.half).to(torch.float32)
    minimum = blocks[..., 2:4].clone(memory_format=torch.contiguous_format).view(torch.half).to(torch.float32)
    both = torch.stack([blocks[..., 4:].bitwise_and(0x0F), blocks[..., 4:].bitwise_right_shift(4)], dim=-2)
    return both.flatten(-2).float().mul(scale).add(minimum)


@right
def with_a_table(blocks):
    scale, minimum, _, _ = read(blocks)
    every = torch.arange(256, device=blocks.device)
    pairs = blocks[..., 4:].long()
    return scale * torch.cat([(every & 15)[pairs], (every >> 4)[pairs]], -1) + minimum


@right
def with_shifts(blocks):
    scale, minimum, _, _ = read(blocks)
    low = (blocks[..., 4:] << 4) >> 4
    return minimum + torch.cat((low, blocks[..., 4:] >> 4), dim=-1) * scale


@right
def with_struct(blocks):
    weights = []
    for block in blocks.reshape(-1, 20).tolist():
        scale, minimum = struct.unpack("=ee", bytes(block[:4]))
        weights.append(
            [scale * q + minimum for q in [byte % 16 for byte in block[4:]] + [byte // 16 for byte in block[4:]]]
        )
    return torch.tensor(weights, dtype=torch.float32, device=blocks.device).view(*blocks.shape[:-1], 32)


@right
def with_numpy(blocks):
    array = blocks.cpu().numpy()
    ends = np.ascontiguousarray(array[..., :4]).view(np.float16).astype(np.float32)
    numbers = np.concatenate([array[..., 4:] & 15, array[..., 4:] >> 4], axis=-1)
    return torch.from_numpy(ends[..., :1] * numbers + ends[..., 1:]).to(blocks.device)
