"""What is right about `positions_2d`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch11_pictures.probes import positions_2d as probes
from autograder.compare import close, difference, explained, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_HALVES = "the first half is the row's encoding, and the second half is the column's"
_ORDER = "the cells are listed row by row"


@judge(
    _HALVES,
    probe=probes.one_row,
    points=1,
    hint="Both encodings have size d_model / 2. Concatenate the row's and the column's along the last dimension; in a grid of one row the first half is the "
    "same for all cells.",
)
def row_first(got: Any, want: Any) -> Verdict:
    """One row of cells."""
    places, table = want["places"], want["table"]
    rows, columns = table[:1].expand_as(table), table
    mistakes = {
        "the column's encoding comes before the row's, expected the row's first": torch.cat([columns, rows], dim=1),
        "the values of the row and the column alternate, expected two halves": torch.stack(
            [rows, columns], dim=-1
        ).flatten(1),
        "both halves are the column's encoding, expected the row's first": torch.cat([columns, columns], dim=1),
        "both halves are the row's encoding, expected the column's second": torch.cat([rows, rows], dim=1),
        "the two encodings are swapped: the row's comes from the column, and the column's from the row": torch.cat(
            [columns, rows], dim=1
        ),
    }
    return explained(got["places"], places, mistakes, "places")


def _by_columns(places: Tensor, height: int, width: int) -> Tensor:
    """The same cells, column by column."""
    return places.unflatten(0, (height, width)).transpose(0, 1).flatten(0, 1)


@judge(
    _ORDER,
    probe=probes.grid,
    points=2,
    needs=(_HALVES,),
    hint="Cell (r, c) is number r * width + c: the first width rows of the result are the cells of the top row. "
    "Create a tensor (height, width, d_model) first, and flatten its first two dimensions.",
)
def raster(got: Any, want: Any) -> Verdict:
    """Grids that are not square."""
    for name, (height, width) in {"wide": (3, 5), "high": (5, 3)}.items():
        places, table = want[name]["places"], want[name]["table"]
        counted = torch.arange(height * width)
        halves = table[counted // height % len(table)], table[counted % height]
        mistakes = {
            "the cells are listed column by column, expected row by row": _by_columns(places, height, width),
            "height and width are swapped": torch.cat(halves, dim=1),
            "the row of cell i is i % height, expected i // width": torch.cat(
                [table[counted % height], table[counted % width]], dim=1
            ),
        }
        verdict = explained(got[name]["places"], places, mistakes, f"positions in a {name} grid")
        if not verdict.ok:
            return verdict
    return passed()


@judge(
    "a d_model that is not a multiple of 4 raises an error",
    probe=probes.refused,
    points=1,
    needs=(_HALVES, _ORDER),
    hint="Each half itself consists of pairs of a sine and a cosine. Raise a ValueError with a message that says "
    "what was wrong.",
)
def refuses(got: Any, want: Any) -> Verdict:
    """A ValueError where it is due, and none where it is not."""
    for case, raised in got["refused"].items():
        if raised == "no error":
            return failed(f"{case} raised no error, expected a ValueError")
        if raised != "ValueError":
            return failed(
                f"{case} raised {raised}, expected a ValueError of your own with a message that says what was wrong"
            )
    same = is_close(got["places"], want["places"])
    return passed() if same else failed(f"positions: {difference(got['places'], want['places'])}")


any_size = judge(
    "grids of any size have a row for each cell",
    probe=probes.sizes,
    points=1,
    hidden=True,
    needs=(_HALVES, _ORDER),
    hint="Take every size from the arguments. A single row, column or cell keeps its dimension.",
)(close())
