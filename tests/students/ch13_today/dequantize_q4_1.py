"""What students hand in for `dequantize_q4_1`: each mistake alone, and right answers of many styles."""

import torch

EXERCISE = "dequantize_q4_1"


def read(blocks):
    """Scale, minimum, low and high numbers."""
    ends = blocks[..., :4].contiguous().view(torch.float16).float()
    return ends[..., :1], ends[..., 1:], blocks[..., 4:] & 15, blocks[..., 4:] >> 4


def ends_swapped(blocks):
    """Scale and minimum are swapped."""
    scale, minimum, low, high = read(blocks)
    return minimum * torch.cat([low, high], -1) + scale


def no_minimum(blocks):
    """The minimum is forgotten."""
    scale, _, low, high = read(blocks)
    return scale * torch.cat([low, high], -1)


def minimum_subtracted(blocks):
    """The minimum is subtracted."""
    scale, minimum, low, high = read(blocks)
    return scale * torch.cat([low, high], -1) - minimum


def minimum_scaled(blocks):
    """The minimum is scaled too."""
    scale, minimum, low, high = read(blocks)
    return scale * (torch.cat([low, high], -1) + minimum)


def signed(blocks):
    """8 is subtracted, as in Q4_0."""
    scale, minimum, low, high = read(blocks)
    return scale * (torch.cat([low, high], -1).float() - 8) + minimum


def bytes_for_numbers(blocks):
    """Bytes are converted, not read together."""
    _, _, low, high = read(blocks)
    return blocks[..., :1].float() * torch.cat([low, high], -1) + blocks[..., 1:2].float()


def not_shifted(blocks):
    """The high bits stay where they are."""
    scale, minimum, low, _ = read(blocks)
    return scale * torch.cat([low, blocks[..., 4:] & 240], -1) + minimum


def high_first(blocks):
    """The high halves come first."""
    scale, minimum, low, high = read(blocks)
    return scale * torch.cat([high, low], -1) + minimum


def interleaved(blocks):
    """Low and high of each byte side by side."""
    scale, minimum, low, high = read(blocks)
    return scale * torch.stack([low, high], -1).flatten(-2) + minimum


def high_low_interleaved(blocks):
    """High and low of each byte side by side."""
    scale, minimum, low, high = read(blocks)
    return scale * torch.stack([high, low], -1).flatten(-2) + minimum


def low_twice(blocks):
    """The high halves are forgotten."""
    scale, minimum, low, _ = read(blocks)
    return scale * torch.cat([low, low], -1) + minimum


def backwards(blocks):
    """The bytes from the last to the first."""
    scale, minimum, low, high = read(blocks)
    return scale * torch.cat([low.flip(-1), high.flip(-1)], -1) + minimum


def first_scale(blocks):
    """Scale and minimum of the first block."""
    scale, minimum, low, high = read(blocks)
    while scale.dim() > 1:
        scale, minimum = scale[0], minimum[0]
    return scale * torch.cat([low, high], -1) + minimum


def two_dimensions(blocks):
    """The blocks are taken to have two dimensions."""
    scale, minimum, low, high = read(blocks.reshape(-1, 20))
    return scale * torch.cat([low, high], -1) + minimum


def in_half(blocks):
    """The product is computed in half precision."""
    ends = blocks[..., :4].contiguous().view(torch.float16)
    numbers = torch.cat([blocks[..., 4:] & 15, blocks[..., 4:] >> 4], -1)
    return (ends[..., :1] * numbers + ends[..., 1:]).float()


def positive_scale(blocks):
    """A scale below 0 loses its sign."""
    scale, minimum, low, high = read(blocks)
    return scale.abs() * torch.cat([low, high], -1) + minimum


def in_place(blocks):
    """The caller's bytes are cut down."""
    scale, minimum, _, high = read(blocks)
    blocks[..., 4:] &= 15
    return scale * torch.cat([blocks[..., 4:], high], -1) + minimum


def half_back(blocks):
    """The result is in half precision."""
    scale, minimum, low, high = read(blocks)
    return (scale * torch.cat([low, high], -1) + minimum).half()


def scale_divides(blocks):
    """The integers are divided by the scale."""
    scale, minimum, low, high = read(blocks)
    return torch.cat([low, high], -1) / scale + minimum


def other_half(blocks):
    """Scale and minimum are read as bfloat16."""
    _, _, low, high = read(blocks)
    ends = blocks[..., :4].contiguous().view(torch.bfloat16).float()
    return ends[..., :1] * torch.cat([low, high], -1) + ends[..., 1:]


def ends_as_integers(blocks):
    """Scale and minimum are read as integers of two bytes."""
    _, _, low, high = read(blocks)
    ends = blocks[..., :4].contiguous().view(torch.int16).float()
    return ends[..., :1] * torch.cat([low, high], -1) + ends[..., 1:]


def ends_at_the_end(blocks):
    """Scale and minimum are looked for in the last four bytes."""
    scale, minimum, low, high = read(blocks.roll(4, -1))
    return scale * torch.cat([low, high], -1) + minimum


def remainder_of_fifteen(blocks):
    """The low four bits are taken as the remainder of 15, not 16."""
    scale, minimum, _, high = read(blocks)
    return scale * torch.cat([blocks[..., 4:] % 15, high], -1) + minimum


def divided_by_fifteen(blocks):
    """The high four bits are taken as the byte divided by 15, not 16."""
    scale, minimum, low, _ = read(blocks)
    return scale * torch.cat([low, blocks[..., 4:] // 15], -1) + minimum


def signed_bytes(blocks):
    """The bytes are converted to signed integers, so shifting keeps the sign."""
    scale, minimum, low, _ = read(blocks)
    return scale * torch.cat([low, blocks[..., 4:].to(torch.int8) >> 4], -1) + minimum


def along_the_blocks(blocks):
    """Low and high are concatenated along the blocks."""
    scale, minimum, low, high = read(blocks)
    return scale * torch.cat([low, high]).reshape(*blocks.shape[:-1], 32) + minimum


_ENDS = "the scale and the minimum are read from the first four bytes"
_ORDER = "the low four bits come first, then the high four"
_SEVERAL = "each block has its own scale and minimum"
_SHAPES = "works with blocks of any number of dimensions and does not change the bytes"

WRONG = {
    ends_swapped: _ENDS,
    no_minimum: _ENDS,
    minimum_subtracted: _ENDS,
    minimum_scaled: _ENDS,
    signed: _ENDS,
    bytes_for_numbers: _ENDS,
    not_shifted: _ENDS,
    high_first: _ORDER,
    interleaved: _ORDER,
    high_low_interleaved: _ORDER,
    low_twice: _ORDER,
    backwards: _ORDER,
    first_scale: _SEVERAL,
    two_dimensions: _SHAPES,
    in_half: _ENDS,
    positive_scale: "it works for any scale and for every byte",
    in_place: _SHAPES,
    half_back: _ENDS,
    scale_divides: _ENDS,
    other_half: _ENDS,
    ends_as_integers: _ENDS,
    ends_at_the_end: _ENDS,
    remainder_of_fifteen: _ENDS,
    divided_by_fifteen: _ENDS,
    signed_bytes: _ENDS,
    along_the_blocks: _SEVERAL,
}


def with_division(blocks):
    """Remainders and divisions."""
    scale, minimum, _, _ = read(blocks)
    pairs = blocks[..., 4:].int()
    return scale * torch.cat([pairs % 16, pairs // 16], -1) + minimum


def into_a_new_tensor(blocks):
    """Written into halves of a new tensor."""
    scale, minimum, low, high = read(blocks)
    weights = torch.empty(*blocks.shape[:-1], 32, device=blocks.device)
    weights[..., :16] = scale * low.float() + minimum
    weights[..., 16:] = torch.addcmul(minimum, scale, high.float())
    return weights


def with_clones(blocks):
    """Two views of clones."""
    scale = blocks[..., 0:2].clone(memory_format=torch.contiguous_format).view(torch.half).to(torch.float32)
    minimum = blocks[..., 2:4].clone(memory_format=torch.contiguous_format).view(torch.half).to(torch.float32)
    both = torch.stack([blocks[..., 4:].bitwise_and(0x0F), blocks[..., 4:].bitwise_right_shift(4)], dim=-2)
    return both.flatten(-2).float().mul(scale).add(minimum)


def with_a_table(blocks):
    """All 256 bytes looked up in a table."""
    scale, minimum, _, _ = read(blocks)
    every = torch.arange(256, device=blocks.device)
    pairs = blocks[..., 4:].long()
    return scale * torch.cat([(every & 15)[pairs], (every >> 4)[pairs]], -1) + minimum


def with_shifts(blocks):
    """Shifted left and right in bytes."""
    scale, minimum, _, _ = read(blocks)
    low = (blocks[..., 4:] << 4) >> 4
    return minimum + torch.cat((low, blocks[..., 4:] >> 4), dim=-1) * scale


RIGHT = {
    "division": with_division,
    "into a new tensor": into_a_new_tensor,
    "clones": with_clones,
    "a table": with_a_table,
    "shifts": with_shifts,
}
FORBIDDEN = ()
