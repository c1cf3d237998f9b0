"""Four-bit weights: 32 numbers in 20 bytes."""

import torch
from torch import Tensor


def dequantize_q4_1(blocks: Tensor) -> Tensor:
    """Turn blocks of four-bit weights, in the format Q4_1, back into numbers.

    A block of 32 weights takes 20 bytes. Bytes 0 and 1 are the scale s, bytes 2 and 3
    the minimum m, both in half precision (``torch.float16``), in the machine's byte
    order. Each of the other 16 bytes holds two integers from 0 to 15: byte 4 + j has
    q_j in its low four bits and q_(j+16) in its high four bits. Weight j is s · q_j +
    m.

    Args:
        blocks: Bytes, ``torch.uint8``, shape (..., 20), with any number of dimensions.
            They may be a part of a larger tensor.

    Returns:
        The weights, computed and returned in single precision, shape (..., 32), on the
        device of the blocks.
    """
    # 1. Read the scale and the minimum of each block in half precision, and convert
    #    them to single precision: (..., 1) each. `Tensor.view(dtype)` reads the same
    #    bytes as another type; the bytes have to be contiguous.
    # 2. Take the low four bits of the other bytes, (..., 16), and the high ones,
    #    (..., 16).
    # 3. Put all 32 integers in order, scale them and shift them: (..., 32).
    ### BEGIN SOLUTION
    scale, minimum = (
        blocks[..., :4].contiguous().view(torch.float16).float().split(1, dim=-1)
    )
    pairs = blocks[..., 4:]
    numbers = torch.cat([pairs & 15, pairs >> 4], dim=-1)
    return scale * numbers + minimum
    ### END SOLUTION
