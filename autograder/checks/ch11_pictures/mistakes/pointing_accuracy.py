"""Mistakes in `pointing_accuracy`, and right answers in other styles."""

import functools
import math

import numpy as np
import torch
from torch import nn

from autograder.checks.ch11_pictures.pointing_accuracy import edges, few, grid, one_row, sizes, ties
from autograder.judging.catalogue import mistake, right


def _inside(y, x, boxes):
    top, left, bottom, right = boxes.unbind(dim=1)
    return (top <= y) & (y < bottom) & (left <= x) & (x < right)


def _centre(best, columns, cell):
    return (best // columns + 0.5) * cell, (best % columns + 0.5) * cell


def _share(hits):
    return hits.float().mean().item()


@mistake(few, "the hits are divided by the number of words, which fails if there are none; expected NaN")
def divides_by_zero(weights, boxes, columns, cell):
    hits = _inside(*_centre(weights.argmax(dim=1), columns, cell), boxes).tolist()
    return sum(hits) / len(hits)


@mistake(edges, "the result is a tensor, expected a plain float")
def a_tensor(weights, boxes, columns, cell):
    return _inside(*_centre(weights.argmax(dim=1), columns, cell), boxes).float().mean()


@right
def _right(weights, boxes, columns, cell):
    return _share(_inside(*_centre(weights.argmax(dim=1), columns, cell), boxes))


@mistake(one_row, "the result is the number of words that count, expected their share")
def counted(weights, boxes, columns, cell):
    return _right(weights, boxes, columns, cell) * len(weights)


@mistake(one_row, "the result is the number of words that count, expected their share")
def whole_number(weights, boxes, columns, cell):
    return int(_inside(*_centre(weights.argmax(dim=1), columns, cell), boxes).sum())


@mistake(one_row, "the cells are counted from 1, expected from 0")
def from_one(weights, boxes, columns, cell):
    return _share(_inside(*_centre(weights.argmax(dim=1) + 1, columns, cell), boxes))


@mistake(one_row, "a centre counts if its row or its column is in the box, expected both")
def one_of_two(weights, boxes, columns, cell):
    y, x = _centre(weights.argmax(dim=1), columns, cell)
    top, left, bottom, right = boxes.unbind(dim=1)
    return _share((top <= y) & (y < bottom) | (left <= x) & (x < right))


@mistake(one_row, "the result is in percent, expected a number from 0 to 1")
def percent(weights, boxes, columns, cell):
    return 100 * _right(weights, boxes, columns, cell)


@mistake(one_row, "boxes are read as (top, left, height, width), expected (top, left, bottom, right)")
def height_and_width(weights, boxes, columns, cell):
    return _right(weights, torch.cat([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], dim=1), columns, cell)


@mistake(
    one_row, "the number of columns is computed from the number of cells, as if the grid were a square: use `columns`"
)
def square_grid(weights, boxes, columns, cell):
    return _right(weights, boxes, round(weights.shape[1] ** 0.5), cell)


@mistake(one_row, "the row is a fraction: divide by `columns` with //")
def divides_exactly(weights, boxes, columns, cell):
    best = weights.argmax(dim=1)
    return _share(_inside((best / columns + 0.5) * cell, (best % columns + 0.5) * cell, boxes))


@mistake(one_row, "each cell is compared with the boxes of all words: shapes (N, 1) and (N,) broadcast to (N, N)")
def all_pairs(weights, boxes, columns, cell):
    return _share(_inside(*_centre(weights.argmax(dim=1, keepdim=True), columns, cell), boxes))


@mistake(one_row, "only top and bottom are compared")
def only_down(weights, boxes, columns, cell):
    y, _ = _centre(weights.argmax(dim=1), columns, cell)
    return _share((boxes[:, 0] <= y) & (y < boxes[:, 2]))


@mistake(edges, "the share is rounded to two decimals")
def rounded(weights, boxes, columns, cell):
    return round(_right(weights, boxes, columns, cell), 2)


@mistake(one_row, "the result is the share of the words that do not count")
def misses(weights, boxes, columns, cell):
    return 1 - _right(weights, boxes, columns, cell)


@mistake(one_row, "the cell with the smallest weight is used, expected the largest")
def smallest(weights, boxes, columns, cell):
    return _right(-weights, boxes, columns, cell)


@mistake(one_row, "the top left corner of the cell is compared, expected its centre")
def corner(weights, boxes, columns, cell):
    best = weights.argmax(dim=1)
    return _share(_inside(best // columns * cell, best % columns * cell, boxes))


mistake(one_row, "the bottom right corner of the cell is compared, expected its centre").made_in(
    corner, last_corner={"best // columns": "(best // columns + 1)", "best % columns": "(best % columns + 1)"}
)


@mistake(one_row, "cells are compared with boxes, which are in pixels: multiply by cell")
def in_cells(weights, boxes, columns, cell):
    y, x = _centre(weights.argmax(dim=1), columns, 1)
    return _share(_inside(y * (weights.shape[1] > columns) + 0.5 * (weights.shape[1] == columns), x, boxes))


@mistake(one_row, "the result is the mean weight inside the boxes, expected how often the most attended cell is inside")
def mean_weight(weights, boxes, columns, cell):
    y, x = _centre(torch.arange(weights.shape[1]), columns, cell)
    inside = torch.stack([_inside(y, x, box.expand(len(y), 4)) for box in boxes]) if len(boxes) else weights > 0
    return (weights * inside).sum(dim=1).mean().item()


@mistake(one_row, "the cell with the largest weight over all words is used for every word")
def one_best(weights, boxes, columns, cell):
    best = weights.argmax() % weights.shape[1] if len(weights) else weights.new_zeros(0)
    return _share(_inside(*_centre(best.expand(len(weights)), columns, cell), boxes))


@mistake(grid, "the cells are counted column by column, expected row by row")
def column_by_column(weights, boxes, columns, cell):
    best, rows = weights.argmax(dim=1), weights.shape[1] // columns
    return _share(_inside((best % rows + 0.5) * cell, (best // rows + 0.5) * cell, boxes))


@mistake(grid, "the number of rows is used instead of the number of columns")
def rows_for_columns(weights, boxes, columns, cell):
    rows = weights.shape[1] // columns
    if rows == 1:
        return _right(weights, boxes, columns, cell)
    return _share(_inside(*_centre(weights.argmax(dim=1), rows, cell), boxes))


@mistake(grid, "rows and columns are swapped: y goes with top and bottom, x with left and right")
def turned(weights, boxes, columns, cell):
    y, x = _centre(weights.argmax(dim=1), columns, cell)
    return _share(_inside(x, y, boxes)) if weights.shape[1] > columns else _share(_inside(y, x, boxes))


@mistake(one_row, "rows and columns are swapped: y goes with top and bottom, x with left and right")
def swapped_axes(weights, boxes, columns, cell):
    y, x = _centre(weights.argmax(dim=1), columns, cell)
    return _share(_inside(x, y, boxes))


@mistake(one_row, "a cell counts if any part of it is in the box, expected its centre")
def overlapping(weights, boxes, columns, cell):
    best = weights.argmax(dim=1)
    y, x = best // columns * cell, best % columns * cell
    top, left, bottom, right = boxes.unbind(dim=1)
    return _share((top < y + cell) & (y < bottom) & (left < x + cell) & (x < right))


@mistake(grid, "boxes are read as (left, top, right, bottom), expected (top, left, bottom, right)")
def left_first(weights, boxes, columns, cell):
    boxes = boxes[:, [1, 0, 3, 2]] if weights.shape[1] > columns else boxes
    return _right(weights, boxes, columns, cell)


@mistake(grid, "only left and right are compared")
def only_along(weights, boxes, columns, cell):
    _, x = _centre(weights.argmax(dim=1), columns, cell)
    return _share((boxes[:, 1] <= x) & (x < boxes[:, 3]))


@mistake(edges, "a centre on the bottom or right edge counts as inside")
def closed(weights, boxes, columns, cell):
    y, x = _centre(weights.argmax(dim=1), columns, cell)
    top, left, bottom, right = boxes.unbind(dim=1)
    return _share((top <= y) & (y <= bottom) & (left <= x) & (x <= right))


@mistake(edges, "a centre on the top or left edge counts as outside")
def open_box(weights, boxes, columns, cell):
    y, x = _centre(weights.argmax(dim=1), columns, cell)
    top, left, bottom, right = boxes.unbind(dim=1)
    return _share((top < y) & (y < bottom) & (left < x) & (x < right))


mistake(edges, "a centre on the top or left edge counts as outside, one on the bottom or right edge as inside").made_in(
    closed, other_edge={"(top <= y)": "(top < y)", "(left <= x)": "(left < x)"}
)


@mistake(ties, "if several weights are equal, the last cell is used, expected the first")
def last_of_equals(weights, boxes, columns, cell):
    best = weights.shape[1] - 1 - weights.flip(1).argmax(dim=1)
    return _share(_inside(*_centre(best, columns, cell), boxes))


@mistake(
    ties, "if several weights are equal, a word counts if any of their cells is in the box; expected the first cell"
)
def any_of_equals(weights, boxes, columns, cell):
    largest = weights == weights.amax(dim=1, keepdim=True)
    y, x = _centre(torch.arange(weights.shape[1]), columns, cell)
    hits = [bool((row & _inside(y, x, box.expand(len(y), 4))).any()) for row, box in zip(largest, boxes, strict=True)]
    return sum(hits) / len(hits) if hits else math.nan


@mistake(few, "the result is 0 where there are no words, expected NaN")
def zero_without_words(weights, boxes, columns, cell):
    return _right(weights, boxes, columns, cell) if len(weights) else 0.0


@mistake(sizes, "half a cell is rounded down to whole pixels")
def whole_half(weights, boxes, columns, cell):
    best = weights.argmax(dim=1)
    return _share(_inside(best // columns * cell + cell // 2, best % columns * cell + cell // 2, boxes))


@mistake(ties, "words whose weights are all equal are left out")
def leaves_out_equals(weights, boxes, columns, cell):
    looks = weights.amax(dim=1) > weights.amin(dim=1) if len(weights) else torch.ones(0, dtype=torch.bool)
    return _right(weights[looks], boxes[looks], columns, cell)


@mistake(sizes, "the weights are rounded to float32, so weights that differ become equal")
def in_single_precision(weights, boxes, columns, cell):
    return _right(weights.float(), boxes, columns, cell)


@mistake(sizes, "the boxes are rounded to whole pixels")
def whole_boxes(weights, boxes, columns, cell):
    return _right(weights, boxes.long(), columns, cell)


@right
def loops(weights, boxes, columns, cell):
    if not len(weights):
        return float("nan")
    hits = 0
    for row, (top, left, bottom, end) in zip(weights.tolist(), boxes.tolist(), strict=True):
        best = row.index(max(row))
        y, x = (best // columns + 0.5) * cell, (best % columns + 0.5) * cell
        hits += top <= y < bottom and left <= x < end
    return hits / len(weights)


@right
def doubled(weights, boxes, columns, cell):
    best = weights.argmax(dim=1)
    y, x = (2 * (best // columns) + 1) * cell, (2 * (best % columns) + 1) * cell
    return _share(_inside(y, x, 2 * boxes))


@right
def by_divmod(weights, boxes, columns, cell):
    best = weights.max(dim=-1).indices
    rows = torch.div(best, columns, rounding_mode="floor")
    centres = cell * (torch.stack([rows, best - rows * columns], dim=1) + 0.5)
    hits = ((boxes[:, :2] <= centres) & (centres < boxes[:, 2:])).all(dim=1)
    return hits.double().mean().item()


@right
def on_a_map(weights, boxes, columns, cell):
    grids = weights.unflatten(1, (-1, columns))
    rows = torch.arange(grids.shape[1])
    best = grids.flatten(1).argmax(dim=1)
    which = torch.stack(torch.meshgrid(rows, torch.arange(columns), indexing="ij"), dim=-1).flatten(0, 1)[best]
    return _share(_inside(which[:, 0] * cell + cell / 2, which[:, 1] * cell + cell / 2, boxes))


@right
def whole_centres(weights, boxes, columns, cell):
    best = weights.sort(dim=1, descending=True, stable=True).indices[:, 0]
    centres = torch.stack(_centre(best, columns, cell), dim=1).to(boxes.dtype)
    return _share(((boxes[:, :2] <= centres) & (centres < boxes[:, 2:])).all(dim=1))


@right
def first_by_sum(weights, boxes, columns, cell):
    largest = weights == weights.amax(dim=1, keepdim=True)
    first = largest & (largest.cumsum(dim=1) == 1)
    return _share(_inside(*_centre((first * torch.arange(weights.shape[1])).sum(dim=1), columns, cell), boxes))


class Pointing(nn.Module):
    """A module in the place of a function."""

    def forward(self, weights, boxes, columns, cell):
        return _right(weights, boxes, columns, cell)


right(Pointing())


right(functools.partial(_right))


@right
def through_numpy(weights, boxes, columns, cell):
    rows, places = np.divmod(weights.numpy().argmax(axis=1), columns)
    y, x = (rows + 0.5) * cell, (places + 0.5) * cell
    top, left, bottom, right = boxes.numpy().T
    hits = (top <= y) & (y < bottom) & (left <= x) & (x < right)
    return hits.mean() if len(hits) else np.nan


@right
def by_vmap(weights, boxes, columns, cell):
    def is_inside(row, box):
        y, x = _centre(row.argmax(), columns, cell)
        return (box[0] <= y) & (y < box[2]) & (box[1] <= x) & (x < box[3])

    return _share(torch.vmap(is_inside)(weights, boxes)) if len(weights) else math.nan
