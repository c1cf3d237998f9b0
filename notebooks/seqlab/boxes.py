"""Gold boxes in a scene, and how much attention lies in one: with them, the chapter on pictures measures where a decoder looks."""

from torch import Tensor

Box = tuple[int, int, int, int]
"""Top, left, bottom and right, in pixels."""


def share_in_box(weights: Tensor, columns: int, cell: float, box: Box) -> float:
    """The share of the attention that lies in a box, if the weight of a cell is spread evenly over its pixels.

    Args:
        weights: The weights of one look, shape (S,), row by row.
        columns: Number of columns of the grid.
        cell: Height and width of a cell, in pixels.
        box: Top, left, bottom and right, in pixels.
    """
    top, left, bottom, right = box
    total = 0.0
    for place, weight in enumerate(weights.tolist()):
        y, x = place // columns * cell, place % columns * cell
        high, wide = min(bottom, y + cell) - max(top, y), min(right, x + cell) - max(left, x)
        total += weight * max(0.0, high) * max(0.0, wide) / cell**2
    return float(total)
