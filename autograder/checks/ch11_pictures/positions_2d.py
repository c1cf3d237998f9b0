"""The checks of `positions_2d`."""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check

EXERCISE = Exercise("positions_2d", "a row and a column for each cell", minutes=20, difficulty=2)


@in_use()
def in_chapter(positions_2d, draw: Draw) -> Use:
    """The chapter's grid, then one that is wider."""

    def call(height: int, width: int, table: Tensor) -> Tensor:
        return positions_2d(height, width, 2 * table.shape[1], lambda length, size: table[:length, :size])

    return Use(call, (8, 8, draw.normal(8, 12)), (3, 11, draw.normal(11, 6)))


def encodings(table: Tensor) -> Callable[[int, int], Tensor]:
    """In place of `positional_encoding`: a corner of a table."""

    def positional_encoding(length: Any, size: Any = None) -> Tensor:
        if not isinstance(length, int) or not isinstance(size, int):
            raise MisuseError(
                f"positional_encoding was given {kind_of(length)} and {kind_of(size)}, expected two integers: the "
                "number of positions, and the size of an encoding"
            )
        if length > len(table) or size > table.shape[1]:
            raise MisuseError(
                f"positional_encoding was called with {length} positions of size {size}; expected at most one for "
                "each row or column, of half of d_model"
            )
        return table[:length, :size].clone()

    return positional_encoding


def _asked(positions_2d, draw: Draw, height: int, width: int, d_model: int) -> Any:
    """The encodings of a grid, made of a drawn table."""
    table = draw.normal(max(height, width), d_model // 2)
    return positions_2d(height, width, d_model, encodings(table))


@check(
    "the first half is the row's encoding, and the second half is the column's",
    points=1,
    hint="Both encodings have size d_model / 2. Concatenate the row's and the column's along the last dimension; in a grid of one row the first half is the "
    "same for all cells.",
)
def one_row(positions_2d, draw: Draw):
    """A grid of one row: all cells share its encoding."""
    return {"positions": _asked(positions_2d, draw, 1, 4, 8)}


@check(
    "the cells are listed row by row",
    points=2,
    needs=one_row,
    hint="Cell (r, c) is number r * width + c: the first width rows of the result are the cells of the top row. "
    "Create a tensor (height, width, d_model) first, and flatten its first two dimensions.",
)
def grid(positions_2d, draw: Draw):
    """A grid that is wider than high, and one that is higher than wide."""
    return {
        "positions in a wide grid": _asked(positions_2d, draw, 3, 5, 8),
        "positions in a high grid": _asked(positions_2d, draw, 5, 3, 8),
    }


@check(
    "a d_model that is not a multiple of 4 raises an error",
    points=1,
    needs=(one_row, grid),
    hint="Each half itself consists of pairs of a sine and a cosine. Raise a ValueError with a message that says "
    "what was wrong.",
)
def refused(positions_2d, draw: Draw):
    """Sizes that are no multiples of 4, and one that is."""
    answers = {}
    for size in (2, 6, 7):
        try:
            positions_2d(2, 3, size, encodings(draw.normal(3, 8)))
        except MisuseError:
            raise
        except ValueError:
            answers[f"d_model = {size}"] = "ValueError"
        except Exception as error:  # noqa: BLE001 - whatever a student's code raises
            answers[f"d_model = {size}"] = type(error).__name__
        else:
            answers[f"d_model = {size}"] = "no error"
    return {"refused": answers, "positions": _asked(positions_2d, draw, 2, 3, 4)}


@refused.explain
def not_refused(got, want):
    """The first size that raised something else."""
    wrong = ((case, raised) for case, raised in got["refused"].items() if raised != "ValueError")
    return next((f"{case} raised {raised}, expected a ValueError of your own" for case, raised in wrong), None)


@check(
    "grids of any size have a row for each cell",
    points=1,
    hidden=True,
    needs=(one_row, grid),
    hint="Take every size from the arguments. A single row, column or cell keeps its dimension.",
)
def sizes(positions_2d, draw: Draw):
    """One cell; one column; a square; many cells."""
    shapes = {"one cell": (1, 1, 4), "one column": (6, 1, 12), "a square": (4, 4, 8), "many cells": (30, 40, 16)}
    return {name: _asked(positions_2d, draw, *shape) for name, shape in shapes.items()}
