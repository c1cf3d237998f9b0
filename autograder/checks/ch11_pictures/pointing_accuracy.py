"""The checks of `pointing_accuracy`."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import plain_number
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check

EXERCISE = Exercise("pointing_accuracy", "whether the decoder looks at what it names", minutes=20, difficulty=2)


@in_use(gradients=False, devices=False)
def in_chapter(pointing_accuracy, draw: Draw) -> Use:
    """A test set with the chapter's grid, then the words of one caption."""
    return Use(partial(share_of, pointing_accuracy), drawn(draw, 307, 8, 8, 4), drawn(draw, 7, 5, 9, 8))


_WORDS = 211


def share_of(pointing_accuracy: Callable[..., Any], *given: Any) -> Any:
    """What comes back, where NumPy's floats are as good as Python's."""
    return plain_number(pointing_accuracy(*given))


def peaked(draw: Draw, words: int, rows: int, columns: int) -> tuple[Tensor, Tensor]:
    """Weights of each word, and the row and the column that were drawn for the largest of them, (N, 2)."""
    grids = draw.normal(words, rows, columns)
    place = torch.stack([draw.integers(0, rows, words), draw.integers(0, columns, words)], dim=1)
    grids[torch.arange(words), place[:, 0], place[:, 1]] = grids.amax(dim=(1, 2)) + 0.5
    return grids.flatten(1).softmax(dim=1), place


def drawn(
    draw: Draw, words: int, rows: int, columns: int, cell: int, *, between: bool = True
) -> tuple[Tensor, Tensor, int, int]:
    """Weights, boxes around the best cell or beside it, the number of columns and the size of a cell.

    With `between`, no edge of a box runs through the middle of a cell; else about half of the boxes have one that does.
    """
    weights, place = peaked(draw, words, rows, columns)
    if between:
        pixels = draw.integers(0, cell, words, 2)
        start = (place + draw.integers(-2, 1, words, 2)) * cell + torch.where(2 * pixels == cell, 0, pixels)
        size = draw.integers(1, 3, words, 2) * 2 * cell
    else:
        start = place * cell + draw.integers(-4, 3, words, 2)
        size = draw.integers(1, 4, words, 2) * 2
    return weights, torch.cat([start, start + size], dim=1), columns, cell


@check(
    "in a grid of one row, a word counts when the centre of its most attended cell is in its box",
    points=2,
    hint="Cell i begins at pixel i * cell, and its centre is half a cell further on. Compare in pixels, and "
    "average over the words.",
)
def one_row(pointing_accuracy, draw: Draw):
    """A grid of one row, so that a cell's number is its column; boxes that are as high as the picture."""
    weights, boxes, columns, cell = drawn(draw, _WORDS, 1, 9, 4)
    boxes[:, 0], boxes[:, 2] = 0, cell
    return {"share": share_of(pointing_accuracy, weights, boxes, columns, cell)}


@check(
    "the row and the column of a cell are computed from its number",
    points=2,
    needs=one_row,
    hint="The cells are counted row by row, and a row has `columns` of them: // gives the row, % the column. y belongs to top and bottom, x to left and right.",
)
def grid(pointing_accuracy, draw: Draw):
    """A grid that is not square."""
    return {"share": share_of(pointing_accuracy, *drawn(draw, _WORDS, 5, 8, 4))}


@check(
    "a box includes its top and left edges, but not its bottom and right ones",
    points=1,
    needs=grid,
    hint="A box that covers rows 2 and 3 has top 2 and bottom 4: a point at 4 is outside, and one at 2 is inside.",
)
def edges(pointing_accuracy, draw: Draw):
    """Boxes whose edges run through centres."""
    return {"share": share_of(pointing_accuracy, *drawn(draw, _WORDS, 6, 6, 2, between=False))}


@check(
    "if several weights are equal, the first cell counts",
    points=1,
    needs=grid,
    hint="Several weights can tie for the largest. Which of them does your code find?",
)
def ties(pointing_accuracy, draw: Draw):
    """Weights of which several are the largest, in some rows all."""
    rows, columns, cell = 4, 5, 4
    place = torch.stack([draw.integers(0, rows, _WORDS), draw.integers(0, columns, _WORDS)], dim=1)
    place[::5] = 0
    first = torch.zeros(_WORDS, rows, columns, dtype=torch.bool)
    first[torch.arange(_WORDS), place[:, 0], place[:, 1]] = True
    first = first.flatten(1)
    earlier, later = draw.integers(0, 2, *first.shape), draw.integers(0, 3, *first.shape)
    weights = torch.where(first.cumsum(dim=1) > 0, later, earlier).masked_fill(first, 2) / 32
    weights[::5] = 1 / 32
    start = (place + draw.integers(-1, 2, _WORDS, 1)) * cell + draw.integers(-1, 2, _WORDS, 2)
    return {"share": share_of(pointing_accuracy, weights, torch.cat([start, start + cell], dim=1), columns, cell)}


@check(
    "one word is enough, and the share of no words is NaN",
    points=1,
    needs=(one_row, grid, edges),
    hint="The mean of no words is NaN, and that is the expected result here: torch's own mean gives it.",
)
def few(pointing_accuracy, draw: Draw):
    """No word, and one word at a time."""
    weights, boxes, columns, cell = drawn(draw, _WORDS, 3, 4, 6)
    none = share_of(pointing_accuracy, weights[:0], boxes[:0], columns, cell)
    single = [share_of(pointing_accuracy, weights[i : i + 1], boxes[i : i + 1], columns, cell) for i in range(20)]
    return {"without words": f"{none}", "one word each": single}


@check(
    "cells of any size, boxes between pixels and weights of any precision work",
    points=1,
    hidden=True,
    needs=(one_row, grid, edges),
    hint="Half a cell need not be an integer number of pixels, and the edges of a box need not be integers either.",
)
def sizes(pointing_accuracy, draw: Draw):
    """Cells of odd sizes, boxes between pixels, and weights that only double precision tells apart."""
    weights, boxes, columns, cell = drawn(draw, _WORDS, 3, 4, 5)
    its_weights, place = peaked(draw, _WORDS, 3, 4)
    start = place * cell + 2 * draw.integers(0, 3, _WORDS, 2)
    through = torch.cat([start, start + 2 * draw.integers(1, 3, _WORDS, 2)], dim=1)
    between = [share_of(pointing_accuracy, its_weights, through + part, columns, cell) for part in (0.5, 0.75)]
    pixels, its_boxes, its_columns, _ = drawn(draw, _WORDS, 6, 3, 1)
    is_best = weights == weights.amax(dim=1, keepdim=True)
    nearly = torch.where(is_best, 1 / 16 + 2**-40, torch.tensor(1 / 16, dtype=torch.float64))
    return {
        "odd cells": share_of(pointing_accuracy, weights, boxes, columns, cell),
        "boxes between pixels": between,
        "weights that differ by little": share_of(pointing_accuracy, nearly, boxes, columns, cell),
        "cells of a pixel": share_of(pointing_accuracy, pixels, its_boxes, its_columns, 1),
    }
