"""Positions in a picture: a pattern of waves that encodes the row and the column of a cell."""

from collections.abc import Callable

import torch
from torch import Tensor


def positions_2d(
    height: int,
    width: int,
    d_model: int,
    positional_encoding: Callable[[int, int], Tensor],
) -> Tensor:
    """Encode each cell's place in a grid: its row in one half, its column in the other.

    The cell in row r and column c gets [PE(r); PE(c)], where PE is the encoding of a
    position in a sequence, of size d_model / 2.

    Args:
        height: Number of rows.
        width: Number of columns.
        d_model: Size of the vectors, a multiple of 4.
        positional_encoding: Takes a number of positions and an even size; returns their
            encodings, shape (positions, size).

    Returns:
        The encodings, shape (height * width, d_model), row by row: cell (r, c) is
        number r * width + c. Their dtype and device are those of PE's encodings.

    Raises:
        ValueError: d_model is not a multiple of 4.
    """
    # 1. Raise an error if d_model is not a multiple of 4.
    # 2. Encodings of all rows, (height, d_model / 2), and of all columns,
    #    (width, d_model / 2).
    # 3. For each cell, the encoding of its row, then that of its column:
    #    (height, width, d_model).
    # 4. The cells in one dimension, row by row: (height * width, d_model).
    ### BEGIN SOLUTION
    if d_model % 4:
        raise ValueError(
            f"d_model is {d_model}: each half holds pairs of sine and cosine, "
            "choose a multiple of 4"
        )
    rows = positional_encoding(height, d_model // 2).unsqueeze(1).expand(-1, width, -1)
    columns = positional_encoding(width, d_model // 2).expand(height, -1, -1)
    return torch.cat([rows, columns], dim=-1).flatten(0, 1)
    ### END SOLUTION
