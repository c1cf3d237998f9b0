"""What is right about `pointing_accuracy`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch11_pictures.probes import pointing_accuracy as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_ROW = "in a grid of one row, a word counts when the centre of its most attended cell is in its box"
_GRID = "the row and the column of a cell are computed from its number"
_EDGES = "a box includes its top and left edges, but not its bottom and right ones"
_TIES = "if several weights are equal, the first cell counts"
_HEIGHT = "boxes were read as (top, left, height, width), expected (top, left, bottom, right)"
_SWAPPED = "rows and columns are swapped: y goes with top and bottom, x with left and right"


def _share(
    want: Any, *, best: Tensor | None = None, columns: int = 0, centre: float = 0.5, turned: bool = False
) -> float:
    """The share with something else in place of what is right."""
    weights, boxes, cell = want["weights"], want["boxes"], want["cell"]
    columns = columns or want["columns"]
    chosen = weights.argmax(dim=1) if best is None else best
    y, x = (chosen // columns + centre) * cell, (chosen % columns + centre) * cell
    return _inside(x, y, boxes) if turned else _inside(y, x, boxes)


def _inside(y: Tensor, x: Tensor, boxes: Tensor) -> float:
    """The share of points that are in their boxes."""
    top, left, bottom, right = boxes.unbind(dim=1)
    return ((top <= y) & (y < bottom) & (left <= x) & (x < right)).double().mean().item()


def _judged(got: Any, want: Any, mistakes: dict[str, float]) -> Verdict:
    """The share against the right one and against what each mistake makes of it."""
    if is_close(got["share"], want["share"]):
        return passed()
    for message, share in mistakes.items():
        if is_close(got["share"], share):
            return failed(message)
    return failed(f"of {len(want['weights'])} words: {difference(got['share'], want['share'])}")


@judge(
    _ROW,
    probe=probes.one_row,
    points=2,
    hint="Cell i begins at pixel i * cell, and its centre is half a cell further on. Compare in pixels, and "
    "average over the words.",
)
def in_one_row(got: Any, want: Any) -> Verdict:
    """Columns alone."""
    weights, boxes, cell = want["weights"], want["boxes"], want["cell"]
    number, share = len(weights), want["share"]
    best = (weights.argmax(dim=1) + 0.5) * cell
    x = (torch.arange(weights.shape[1]) + 0.5) * cell
    inside = (boxes[:, 1:2] <= x) & (x < boxes[:, 3:])
    mistakes = {
        "the result is the number of words that count, expected their share": share * number,
        "the result is in percent, expected a number from 0 to 1": 100 * share,
        "the result is the share of the words that do not count": 1 - share,
        "the cell with the smallest weight was taken": _share(want, best=weights.argmin(dim=1)),
        "the top left corner of the cell was compared, expected its centre": _share(want, centre=0.0),
        "the bottom right corner of the cell was compared, expected its centre": _share(want, centre=1.0),
        "cells were compared with boxes, which are in pixels: multiply by cell": _in_cells(want),
        _SWAPPED: _share(want, turned=True),
        "a cell counts when any part of it is in the box, expected its centre": _overlapping(want),
        "the result is the mean weight inside the boxes, expected how often the most attended cell is inside": (
            (weights * inside).sum(dim=1).mean().item()
        ),
        _HEIGHT: _share(want | {"boxes": _extended(boxes)}),
        "the number of columns was computed from the number of cells, as if the grid were a square: use `columns`": _share(
            want, columns=round(weights.shape[1] ** 0.5)
        ),
        "the row is a fraction: divide by `columns` with //": _inside(
            (weights.argmax(dim=1) / want["columns"] + 0.5) * cell, best, boxes
        ),
        "each cell was compared with the boxes of all words: shapes (N, 1) and (N,) broadcast to (N, N)": _inside(
            torch.full_like(best, cell / 2).unsqueeze(1), best.unsqueeze(1), boxes
        ),
        "every word counts, wherever its cell is: compare x with left and right too": 1.0,
        "the share was rounded": round(share, 2),
    }
    return _judged(got, want, mistakes)


def _in_cells(want: Any) -> float:
    """The share where centres are counted in cells and boxes in pixels."""
    best, (_, left, _, right) = want["weights"].argmax(dim=1) + 0.5, want["boxes"].unbind(dim=1)
    return ((left <= best) & (best < right)).double().mean().item()


def _overlapping(want: Any) -> float:
    """The share where a cell counts that the box only touches."""
    best, cell, (_, left, _, right) = want["weights"].argmax(dim=1), want["cell"], want["boxes"].unbind(dim=1)
    return ((left < (best + 1) * cell) & (best * cell < right)).double().mean().item()


@judge(
    _GRID,
    probe=probes.grid,
    points=2,
    needs=(_ROW,),
    hint="The cells are counted row by row, and a row has `columns` of them: // gives the row, % the column. y belongs to top and bottom, x to left and right.",
)
def in_a_grid(got: Any, want: Any) -> Verdict:
    """Rows and columns."""
    weights, columns = want["weights"], want["columns"]
    rows = weights.shape[1] // columns
    best = weights.argmax(dim=1)
    turned = want | {"boxes": want["boxes"][:, [1, 0, 3, 2]]}
    mistakes = {
        "the cells were counted column by column": _share(want, best=best % rows * columns + best // rows),
        "the number of rows was used instead of the number of columns": _share(want, columns=rows),
        _SWAPPED: _share(want, turned=True),
        "boxes were read as (left, top, right, bottom), expected (top, left, bottom, right)": _share(turned),
        _HEIGHT: _share(want | {"boxes": _extended(want["boxes"])}),
        "only left and right were compared": _share(want | {"boxes": _endless(want["boxes"], 0)}),
        "only top and bottom were compared": _share(want | {"boxes": _endless(want["boxes"], 1)}),
    }
    return _judged(got, want, mistakes)


def _extended(boxes: Tensor) -> Tensor:
    """The boxes with their last two numbers taken for a height and a width."""
    return torch.cat([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], dim=1)


def _endless(boxes: Tensor, axis: int) -> Tensor:
    """The boxes without ends along an axis."""
    wide = boxes.clone()
    wide[:, axis], wide[:, axis + 2] = -10_000, 10_000
    return wide


@judge(
    _EDGES,
    probe=probes.edges,
    points=1,
    needs=(_GRID,),
    hint="A box that covers rows 2 and 3 has top 2 and bottom 4: a point at 4 is outside, and one at 2 is inside.",
)
def half_open(got: Any, want: Any) -> Verdict:
    """Centres on edges."""
    boxes = want["boxes"]
    first, last = torch.tensor([0, 0, 1, 1]), torch.tensor([1, 1, 0, 0])
    mistakes = {
        "a centre on the bottom or right edge counts as inside": _share(want | {"boxes": boxes + first}),
        "a centre on the top or left edge counts as outside": _share(want | {"boxes": boxes + last}),
        "a centre on the top or left edge counts as outside, one on the bottom or right edge as inside": _share(
            want | {"boxes": boxes + 1}
        ),
    }
    return _judged(got, want, mistakes)


@judge(
    _TIES,
    probe=probes.ties,
    points=1,
    needs=(_GRID,),
    hint="Several weights can tie for the largest. Which of them does your code find?",
)
def first_of_equals(got: Any, want: Any) -> Verdict:
    """The lowest number on ties."""
    weights = want["weights"]
    last = weights.shape[1] - 1 - weights.flip(-1).argmax(dim=1)
    return _judged(
        got,
        want,
        {"if several weights are equal, the last cell was taken, expected the first": _share(want, best=last)},
    )


@judge(
    "one word, no word, and cells of any size work",
    probe=probes.few,
    points=1,
    hidden=True,
    needs=(_ROW, _GRID, _EDGES),
    hint="The mean of no words is NaN, and that is the expected result here. Half a cell need not be an integer "
    "number of pixels.",
)
def few_words(got: Any, want: Any) -> Verdict:
    """No word is NaN; all else is close."""
    if want["no word"] == want["no word"] or got["no word"] != got["no word"]:
        rest = [name for name in want if name != "no word"]
        return close(*rest)(got, want)
    return failed(f"without any word, the result is {got['no word']:.4g}, expected NaN")
