"""Convolution: the same small set of weights at every position of a picture."""

from torch import Tensor
from torch.nn import functional as F


def conv2d(
    inputs: Tensor, weight: Tensor, bias: Tensor, stride: int = 1, padding: int = 0
) -> Tensor:
    """Slide each of O kernels over a picture, and take a dot product at every position.

    For the padded picture x and the stride s, out[o, i, j] is
    b[o] + Σ_c Σ_u Σ_v w[o, c, u, v] x[c, s i + u, s j + v]. The kernel is not flipped.

    Args:
        inputs: Pictures, or feature maps, shape (B, C, H, W).
        weight: One kernel for each output channel, shape (O, C, K_h, K_w), perhaps a
            transposed tensor.
        bias: One number for each output channel, shape (O,).
        stride: How many pixels the kernel moves from one position to the next, in both
            directions.
        padding: Number of rows or columns of zeros that are added on each of the four
            sides.

    Returns:
        Feature maps, shape (B, O, H', W'), with H' = (H + 2 padding - K_h) // stride +
        1 and W' likewise.
    """
    # 1. The pixels under the kernel at each of the P = H' W' positions, as one vector
    #    of C K_h K_w values each: `F.unfold` gives them as columns, (B, C K_h K_w, P).
    # 2. Each kernel as a vector too, (O, C K_h K_w); its dot products with all columns,
    #    and the bias of its channel: (B, O, P).
    # 3. The P positions as rows and columns of a map: (B, O, H', W').
    ### BEGIN SOLUTION
    height, width = weight.shape[2:]
    columns = F.unfold(inputs, (height, width), padding=padding, stride=stride)
    maps = weight.flatten(1) @ columns + bias.unsqueeze(1)
    rows = (inputs.shape[2] + 2 * padding - height) // stride + 1
    return maps.unflatten(2, (rows, -1))
    ### END SOLUTION
