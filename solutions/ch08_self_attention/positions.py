"""Positions: a pattern of waves that encodes where a word is."""

import torch
from torch import Tensor


def positional_encoding(length: int, d_model: int) -> Tensor:
    """Encode each position with sines and cosines of d_model / 2 frequencies.

    PE[pos, 2i] = sin(pos / 10000^(2i / d_model)) and PE[pos, 2i + 1] = cos of the same,
    for pos = 0 … length - 1 and i = 0 … d_model / 2 - 1 (Vaswani et al., 2017).

    Args:
        length: Number of positions.
        d_model: Size of the vectors, an even number.

    Returns:
        The encodings, shape (length, d_model), float32: one row for each position.

    Raises:
        ValueError: d_model is odd.
    """
    # 1. Raise an error if d_model is odd.
    # 2. One frequency for each pair of columns: (d_model / 2,).
    # 3. The angle of each position at each frequency: (length, d_model / 2).
    # 4. Its sine in column 2i, its cosine in column 2i + 1: (length, d_model).
    ### BEGIN SOLUTION
    if d_model % 2:
        raise ValueError(
            f"d_model is {d_model}: sines and cosines come in pairs, "
            "choose an even number"
        )
    positions = torch.arange(length).unsqueeze(1)
    frequencies = 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    angles = positions * frequencies
    encoding = torch.empty(length, d_model)
    encoding[:, 0::2] = angles.sin()
    encoding[:, 1::2] = angles.cos()
    return encoding
    ### END SOLUTION


def shift_matrix(k: int, d_model: int) -> Tensor:
    """Return the matrix that shifts every position by k: M_k PE[pos] = PE[pos + k].

    It is the same for every pos. The sine and the cosine of frequency w_i are rotated
    together, by the angle k w_i, with w_i = 1 / 10000^(2i / d_model): sin(a + b) = sin
    a cos b + cos a sin b and cos(a + b) = cos a cos b - sin a sin b.

    Args:
        k: By how many positions to shift, forwards or, if negative, backwards.
        d_model: Size of an encoding, an even number.

    Returns:
        M_k, shape (d_model, d_model), float32, zero except for blocks of 2 by 2 on its
        diagonal.
    """
    # 1. The angle of each pair of columns: (d_model / 2,).
    # 2. The coefficients of the pair's old sine and cosine in its new sine, in row 2i,
    #    and in its new cosine, in row 2i + 1.
    ### BEGIN SOLUTION
    angles = k * 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    sines = torch.arange(0, d_model, 2)
    cosines = sines + 1
    matrix = torch.zeros(d_model, d_model)
    matrix[sines, sines] = angles.cos()
    matrix[sines, cosines] = angles.sin()
    matrix[cosines, sines] = -angles.sin()
    matrix[cosines, cosines] = angles.cos()
    return matrix
    ### END SOLUTION
