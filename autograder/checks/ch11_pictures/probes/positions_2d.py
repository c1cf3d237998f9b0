"""What is asked of `positions_2d`, with a drawn table in the place of the encodings of a sequence's positions."""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError

_MOST = 40


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


def asked(positions_2d, draw: Draw, height: int, width: int, d_model: int) -> dict[str, Any]:
    """The encodings of a grid, and the table that they are made of."""
    table = draw.normal(max(height, width), d_model // 2)
    return {"places": positions_2d(height, width, d_model, encodings(table)), "table": table}


@probe("positions_2d")
def one_row(positions_2d, draw: Draw):
    """A grid of one row: all cells share its encoding."""
    return asked(positions_2d, draw, 1, 4, 8)


@probe("positions_2d")
def grid(positions_2d, draw: Draw):
    """A grid that is wider than high, and one that is higher than wide."""
    return {"wide": asked(positions_2d, draw, 3, 5, 8), "high": asked(positions_2d, draw, 5, 3, 8)}


@probe("positions_2d")
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
    return {"refused": answers, "places": asked(positions_2d, draw, 2, 3, 4)["places"]}


@probe("positions_2d")
def sizes(positions_2d, draw: Draw):
    """One cell; one column; a square; many cells."""
    shapes = {"one cell": (1, 1, 4), "one column": (6, 1, 12), "a square": (4, 4, 8), "many cells": (30, 40, 16)}
    return {name: asked(positions_2d, draw, *shape)["places"] for name, shape in shapes.items()}
