"""What students hand in for `pointing_accuracy`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import math

import torch
from torch import nn

EXERCISE = "pointing_accuracy"


def _inside(y, x, boxes):
    top, left, bottom, right = boxes.unbind(dim=1)
    return (top <= y) & (y < bottom) & (left <= x) & (x < right)


def _centre(best, columns, cell):
    return (best // columns + 0.5) * cell, (best % columns + 0.5) * cell


def _share(hits):
    return hits.float().mean().item()


def _right(weights, boxes, columns, cell):
    return _share(_inside(*_centre(weights.argmax(dim=1), columns, cell), boxes))


def counted(weights, boxes, columns, cell):
    """How many, not which share."""
    return _right(weights, boxes, columns, cell) * len(weights)


def percent(weights, boxes, columns, cell):
    """The share in percent."""
    return 100 * _right(weights, boxes, columns, cell)


def height_and_width(weights, boxes, columns, cell):
    """Boxes are read as corner and size."""
    return _right(weights, torch.cat([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], dim=1), columns, cell)


def square_grid(weights, boxes, columns, cell):
    """The grid is taken for a square."""
    return _right(weights, boxes, round(weights.shape[1] ** 0.5), cell)


def divides_exactly(weights, boxes, columns, cell):
    """The row is a fraction."""
    best = weights.argmax(dim=1)
    return _share(_inside((best / columns + 0.5) * cell, (best % columns + 0.5) * cell, boxes))


def all_pairs(weights, boxes, columns, cell):
    """Every cell is compared with every box."""
    return _share(_inside(*_centre(weights.argmax(dim=1, keepdim=True), columns, cell), boxes))


def only_down(weights, boxes, columns, cell):
    """Left and right are not compared."""
    y, _ = _centre(weights.argmax(dim=1), columns, cell)
    return _share((boxes[:, 0] <= y) & (y < boxes[:, 2]))


def rounded(weights, boxes, columns, cell):
    """The share is rounded."""
    return round(_right(weights, boxes, columns, cell), 2)


def misses(weights, boxes, columns, cell):
    """The share of misses."""
    return 1 - _right(weights, boxes, columns, cell)


def smallest(weights, boxes, columns, cell):
    """argmin for argmax."""
    return _right(-weights, boxes, columns, cell)


def corner(weights, boxes, columns, cell):
    """A cell's first pixel for its centre."""
    best = weights.argmax(dim=1)
    return _share(_inside(best // columns * cell, best % columns * cell, boxes))


def last_corner(weights, boxes, columns, cell):
    """A cell's last pixel for its centre."""
    best = weights.argmax(dim=1)
    return _share(_inside((best // columns + 1) * cell, (best % columns + 1) * cell, boxes))


def in_cells(weights, boxes, columns, cell):
    """Cells are compared with pixels."""
    y, x = _centre(weights.argmax(dim=1), columns, 1)
    return _share(_inside(y * (weights.shape[1] > columns) + 0.5 * (weights.shape[1] == columns), x, boxes))


def mean_weight(weights, boxes, columns, cell):
    """The weight in the box in the place of the best cell."""
    y, x = _centre(torch.arange(weights.shape[1]), columns, cell)
    inside = torch.stack([_inside(y, x, box.expand(len(y), 4)) for box in boxes]) if len(boxes) else weights > 0
    return (weights * inside).sum(dim=1).mean().item()


def one_best(weights, boxes, columns, cell):
    """The cell with the largest weight over all words is used for every word."""
    best = weights.argmax() % weights.shape[1] if len(weights) else weights.new_zeros(0)
    return _share(_inside(*_centre(best.expand(len(weights)), columns, cell), boxes))


def column_by_column(weights, boxes, columns, cell):
    """The cells are counted column by column."""
    best, rows = weights.argmax(dim=1), weights.shape[1] // columns
    return _share(_inside((best % rows + 0.5) * cell, (best // rows + 0.5) * cell, boxes))


def rows_for_columns(weights, boxes, columns, cell):
    """Divided by the number of rows."""
    rows = weights.shape[1] // columns
    if rows == 1:
        return _right(weights, boxes, columns, cell)
    return _share(_inside(*_centre(weights.argmax(dim=1), rows, cell), boxes))


def turned(weights, boxes, columns, cell):
    """x and y are swapped."""
    y, x = _centre(weights.argmax(dim=1), columns, cell)
    return _share(_inside(x, y, boxes)) if weights.shape[1] > columns else _share(_inside(y, x, boxes))


def swapped_axes(weights, boxes, columns, cell):
    """x comes from the row of a cell, y from its column."""
    y, x = _centre(weights.argmax(dim=1), columns, cell)
    return _share(_inside(x, y, boxes))


def overlapping(weights, boxes, columns, cell):
    """A cell counts if it overlaps the box."""
    best = weights.argmax(dim=1)
    y, x = best // columns * cell, best % columns * cell
    top, left, bottom, right = boxes.unbind(dim=1)
    return _share((top < y + cell) & (y < bottom) & (left < x + cell) & (x < right))


def left_first(weights, boxes, columns, cell):
    """Boxes as (left, top, right, bottom)."""
    boxes = boxes[:, [1, 0, 3, 2]] if weights.shape[1] > columns else boxes
    return _right(weights, boxes, columns, cell)


def only_along(weights, boxes, columns, cell):
    """Only left and right are compared."""
    _, x = _centre(weights.argmax(dim=1), columns, cell)
    return _share((boxes[:, 1] <= x) & (x < boxes[:, 3]))


def closed(weights, boxes, columns, cell):
    """Both edges belong to the box."""
    y, x = _centre(weights.argmax(dim=1), columns, cell)
    top, left, bottom, right = boxes.unbind(dim=1)
    return _share((top <= y) & (y <= bottom) & (left <= x) & (x <= right))


def open_box(weights, boxes, columns, cell):
    """No edge belongs to the box."""
    y, x = _centre(weights.argmax(dim=1), columns, cell)
    top, left, bottom, right = boxes.unbind(dim=1)
    return _share((top < y) & (y < bottom) & (left < x) & (x < right))


def other_edge(weights, boxes, columns, cell):
    """The wrong edges belong to the box."""
    y, x = _centre(weights.argmax(dim=1), columns, cell)
    top, left, bottom, right = boxes.unbind(dim=1)
    return _share((top < y) & (y <= bottom) & (left < x) & (x <= right))


def last_of_equals(weights, boxes, columns, cell):
    """The last of equal weights is taken."""
    best = weights.shape[1] - 1 - weights.flip(1).argmax(dim=1)
    return _share(_inside(*_centre(best, columns, cell), boxes))


def any_of_equals(weights, boxes, columns, cell):
    """A word counts if any of the cells that tie for the largest weight is in the box."""
    largest = weights == weights.amax(dim=1, keepdim=True)
    y, x = _centre(torch.arange(weights.shape[1]), columns, cell)
    hits = [bool((row & _inside(y, x, box.expand(len(y), 4))).any()) for row, box in zip(largest, boxes, strict=True)]
    return sum(hits) / len(hits) if hits else math.nan


def zero_without_words(weights, boxes, columns, cell):
    """Without words the share is 0."""
    return _right(weights, boxes, columns, cell) if len(weights) else 0.0


def whole_half(weights, boxes, columns, cell):
    """Half a cell is rounded down."""
    best = weights.argmax(dim=1)
    return _share(_inside(best // columns * cell + cell // 2, best % columns * cell + cell // 2, boxes))


def leaves_out_equals(weights, boxes, columns, cell):
    """Words whose weights are all equal are left out."""
    looks = weights.amax(dim=1) > weights.amin(dim=1) if len(weights) else torch.ones(0, dtype=torch.bool)
    return _right(weights[looks], boxes[looks], columns, cell)


def in_single_precision(weights, boxes, columns, cell):
    """The weights are rounded to float32, which makes ties of weights that differ."""
    return _right(weights.float(), boxes, columns, cell)


def whole_boxes(weights, boxes, columns, cell):
    """The boxes are cut to whole pixels."""
    return _right(weights, boxes.long(), columns, cell)


_ROW = "in a grid of one row, a word counts when the centre of its most attended cell is in its box"
_GRID = "the row and the column of a cell are computed from its number"
_EDGES = "a box includes its top and left edges, but not its bottom and right ones"
_TIES = "if several weights are equal, the first cell counts"
_FEW = "one word, no word, and cells of any size work"

WRONG = {
    height_and_width: _ROW,
    square_grid: _ROW,
    divides_exactly: _ROW,
    all_pairs: _ROW,
    only_down: _ROW,
    rounded: _ROW,
    counted: _ROW,
    percent: _ROW,
    misses: _ROW,
    smallest: _ROW,
    corner: _ROW,
    last_corner: _ROW,
    in_cells: _ROW,
    swapped_axes: _ROW,
    overlapping: _ROW,
    mean_weight: _ROW,
    one_best: _ROW,
    column_by_column: _GRID,
    rows_for_columns: _GRID,
    turned: _GRID,
    left_first: _GRID,
    only_along: _GRID,
    closed: _EDGES,
    open_box: _EDGES,
    other_edge: _EDGES,
    last_of_equals: _TIES,
    any_of_equals: _TIES,
    leaves_out_equals: _TIES,
    zero_without_words: _FEW,
    whole_half: _FEW,
    in_single_precision: _FEW,
    whole_boxes: _FEW,
}


def loops(weights, boxes, columns, cell):
    """Word by word."""
    if not len(weights):
        return float("nan")
    hits = 0
    for row, (top, left, bottom, right) in zip(weights.tolist(), boxes.tolist(), strict=True):
        best = row.index(max(row))
        y, x = (best // columns + 0.5) * cell, (best % columns + 0.5) * cell
        hits += top <= y < bottom and left <= x < right
    return hits / len(weights)


def doubled(weights, boxes, columns, cell):
    """Everything twice as large, in whole numbers."""
    best = weights.argmax(dim=1)
    y, x = (2 * (best // columns) + 1) * cell, (2 * (best % columns) + 1) * cell
    return _share(_inside(y, x, 2 * boxes))


def by_divmod(weights, boxes, columns, cell):
    """Centres as pairs."""
    best = weights.max(dim=-1).indices
    rows = torch.div(best, columns, rounding_mode="floor")
    centres = cell * (torch.stack([rows, best - rows * columns], dim=1) + 0.5)
    hits = ((boxes[:, :2] <= centres) & (centres < boxes[:, 2:])).all(dim=1)
    return hits.double().mean().item()


def on_a_map(weights, boxes, columns, cell):
    """The weights as a map."""
    grids = weights.unflatten(1, (-1, columns))
    rows = torch.arange(grids.shape[1])
    best = grids.flatten(1).argmax(dim=1)
    which = torch.stack(torch.meshgrid(rows, torch.arange(columns), indexing="ij"), dim=-1).flatten(0, 1)[best]
    return _share(_inside(which[:, 0] * cell + cell / 2, which[:, 1] * cell + cell / 2, boxes))


def whole_centres(weights, boxes, columns, cell):
    """Centres in the dtype of the boxes: between whole edges, half a pixel less is in the same boxes."""
    best = weights.sort(dim=1, descending=True, stable=True).indices[:, 0]
    centres = torch.stack(_centre(best, columns, cell), dim=1).to(boxes.dtype)
    return _share(((boxes[:, :2] <= centres) & (centres < boxes[:, 2:])).all(dim=1))


def first_by_sum(weights, boxes, columns, cell):
    """The first of equals by a running sum, its number by a product."""
    largest = weights == weights.amax(dim=1, keepdim=True)
    first = largest & (largest.cumsum(dim=1) == 1)
    return _share(_inside(*_centre((first * torch.arange(weights.shape[1])).sum(dim=1), columns, cell), boxes))


class Pointing(nn.Module):
    """A module in the place of a function."""

    def forward(self, weights, boxes, columns, cell):
        return _right(weights, boxes, columns, cell)


RIGHT = {
    "plain": _right,
    "loops": loops,
    "twice as large": doubled,
    "pairs": by_divmod,
    "on a map": on_a_map,
    "whole centres": whole_centres,
    "first by a sum": first_by_sum,
    "a module": Pointing(),
    "a partial": functools.partial(_right),
}
