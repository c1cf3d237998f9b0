"""Rotary positions: each pair of components is rotated by an angle proportional to the position."""

import torch
from torch import Tensor


def rotate(vectors: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """Rotate neighbouring components by an angle proportional to the position.

    The pairs are (x_0, x_1), (x_2, x_3), … Pair i of a vector at position p is rotated
    by the angle φ = p · base^(-2i / d_k): it becomes (x_2i cos φ - x_2i+1 sin φ, x_2i
    sin φ + x_2i+1 cos φ) (Su et al., 2021).

    Args:
        vectors: Queries or keys, shape (..., T, d_k), with an even d_k and any number
            of dimensions.
        positions: The positions of the T vectors, integers of any size, shape (T,).
        base: The larger it is, the more slowly the last pairs rotate.

    Returns:
        The rotated vectors, shape (..., T, d_k), in the dtype of the vectors. The
        angles are computed in single precision or better, whatever that dtype is.
    """
    # 1. Compute the frequency of each pair, base^(-2i / d_k), on the device of the
    #    vectors: (d_k / 2,).
    # 2. Compute the angle of each pair at each position, (T, d_k / 2), and its cosine
    #    and sine, in the dtype of the vectors.
    # 3. Take the first and the second component of each pair: (..., T, d_k / 2) each.
    # 4. Rotate the pairs, (..., T, d_k / 2, 2), and put them one after the other:
    #    (..., T, d_k).
    ### BEGIN SOLUTION
    size = vectors.shape[-1]
    speeds = base ** (
        -torch.arange(0, size, 2, dtype=torch.float32, device=vectors.device) / size
    )
    angles = positions.unsqueeze(1) * speeds
    cos, sin = angles.cos().to(vectors.dtype), angles.sin().to(vectors.dtype)
    first, second = vectors[..., 0::2], vectors[..., 1::2]
    turned = torch.stack(
        [first * cos - second * sin, first * sin + second * cos], dim=-1
    )
    return turned.flatten(-2)
    ### END SOLUTION
