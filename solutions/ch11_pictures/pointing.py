"""Whether the decoder looks at the thing that it names."""

from torch import Tensor


def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """Compute the share of words whose most attended cell is centred in their gold box.

    Cell i of the grid, counted row by row from 0, covers the pixels of row i // columns
    and column i % columns in squares of ``cell`` by ``cell`` pixels. The centre of the
    first cell is at (cell / 2, cell / 2), and a box (top, left, bottom, right) holds
    the points with top <= y < bottom and left <= x < right.

    Args:
        weights: Attention weights, a row for each word that names a thing, shape
            (N, S), with S cells of a grid, in any precision.
        boxes: The gold box of each word, in pixels, shape (N, 4): top, left, bottom,
            right, which need not be whole numbers.
        columns: Number of columns of the grid.
        cell: Height and width of a cell, in pixels, even or odd.

    Returns:
        The share, a plain float from 0 to 1. If several weights are equal, the first
        one counts. With no words, it is NaN.
    """
    # 1. For each word the number of the cell with the largest weight, the first one if
    #    several are equal: (N,).
    # 2. The centre of that cell, y and x, in pixels: (N,) each.
    # 3. Whether it is in the word's box: (N,). The mean of that, as a plain float.
    ### BEGIN SOLUTION
    best = weights.argmax(dim=1)
    y = (best // columns + 0.5) * cell
    x = (best % columns + 0.5) * cell
    top, left, bottom, right = boxes.unbind(dim=1)
    hits = (top <= y) & (y < bottom) & (left <= x) & (x < right)
    return hits.float().mean().item()
    ### END SOLUTION
