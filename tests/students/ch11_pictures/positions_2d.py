"""What students hand in for `positions_2d`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools

import torch
from torch import nn

EXERCISE = "positions_2d"


def _refuse(d_model):
    if d_model % 4:
        raise ValueError("d_model must be a multiple of 4")


def _halves(height, width, d_model, positional_encoding):
    """Rows and columns for each cell: (height, width, d_model / 2) each."""
    half = d_model // 2
    rows = positional_encoding(height, half)[:, None].expand(height, width, half)
    columns = positional_encoding(width, half)[None].expand(height, width, half)
    return rows, columns


def _right(height, width, d_model, positional_encoding):
    _refuse(d_model)
    return torch.cat(_halves(height, width, d_model, positional_encoding), dim=-1).flatten(0, 1)


def column_first(height, width, d_model, positional_encoding):
    """The column's half comes before the row's."""
    _refuse(d_model)
    rows, columns = _halves(height, width, d_model, positional_encoding)
    return torch.cat([columns, rows], dim=-1).flatten(0, 1)


def in_turn(height, width, d_model, positional_encoding):
    """Row and column alternate."""
    _refuse(d_model)
    return torch.stack(_halves(height, width, d_model, positional_encoding), dim=-1).flatten(2).flatten(0, 1)


def columns_twice(height, width, d_model, positional_encoding):
    """The row is forgotten."""
    _refuse(d_model)
    _, columns = _halves(height, width, d_model, positional_encoding)
    return torch.cat([columns, columns], dim=-1).flatten(0, 1)


def rows_twice(height, width, d_model, positional_encoding):
    """The column is forgotten."""
    _refuse(d_model)
    rows, _ = _halves(height, width, d_model, positional_encoding)
    return torch.cat([rows, rows], dim=-1).flatten(0, 1)


def added(height, width, d_model, positional_encoding):
    """The row's and the column's encodings are added, expected side by side."""
    _refuse(d_model)
    rows, columns = _halves(height, width, d_model, positional_encoding)
    return torch.cat([rows + columns, rows + columns], dim=-1).flatten(0, 1)


def whole_size(height, width, d_model, positional_encoding):
    """Each half is asked for at the whole size."""
    _refuse(d_model)
    return _right(height, width, 2 * d_model, positional_encoding)


def one_sequence(height, width, d_model, positional_encoding):
    """The cells are numbered in one sequence, like words."""
    _refuse(d_model)
    return positional_encoding(height * width, d_model)


def column_by_column(height, width, d_model, positional_encoding):
    """The cells are listed column by column."""
    _refuse(d_model)
    rows, columns = _halves(height, width, d_model, positional_encoding)
    return torch.cat([rows, columns], dim=-1).transpose(0, 1).flatten(0, 1)


def swapped(height, width, d_model, positional_encoding):
    """Height and width are swapped."""
    _refuse(d_model)
    half, cells = d_model // 2, torch.arange(height * width)
    rows, columns = positional_encoding(max(height, width), half), positional_encoding(max(height, width), half)
    if height == 1:
        return _right(height, width, d_model, positional_encoding)
    return torch.cat([rows[cells // height % len(rows)], columns[cells % height]], dim=1)


def modulo_height(height, width, d_model, positional_encoding):
    """The row of cell i is computed as i % height."""
    _refuse(d_model)
    number = torch.arange(height * width)
    rows, columns = positional_encoding(height, d_model // 2), positional_encoding(width, d_model // 2)
    return torch.cat([rows[number % height], columns[number % width]], dim=1)


def not_flat(height, width, d_model, positional_encoding):
    """Rows and columns are left as two dimensions."""
    places = _right(height, width, d_model, positional_encoding)
    return places if height == 1 else places.unflatten(0, (height, width))


def any_even_size(height, width, d_model, positional_encoding):
    """Only odd sizes are refused."""
    if d_model % 2:
        raise ValueError("d_model must be even")
    return _right(height, width, 4 * (d_model // 4) or 4, positional_encoding)


def asserted(height, width, d_model, positional_encoding):
    """An assertion is used in place of a ValueError."""
    assert d_model % 4 == 0
    return _right(height, width, d_model, positional_encoding)


def squeezes(height, width, d_model, positional_encoding):
    """A single cell loses its dimension."""
    return _right(height, width, d_model, positional_encoding).squeeze()


def of_a_byte(height, width, d_model, positional_encoding):
    """The cells are counted in a byte."""
    places = _right(height, width, d_model, positional_encoding)
    return places[torch.arange(height * width).to(torch.uint8).long()]


def from_the_bottom(height, width, d_model, positional_encoding):
    """The rows are counted from the bottom."""
    _refuse(d_model)
    rows, columns = _halves(height, width, d_model, positional_encoding)
    return torch.cat([rows.flip(0), columns], dim=-1).flatten(0, 1)


def without_gradient(height, width, d_model, positional_encoding):
    """Encodings that are learned get no gradient."""
    return _right(height, width, d_model, positional_encoding).detach()


_HALVES = "the first half is the row's encoding, and the second half is the column's"
_ORDER = "the cells are listed row by row"
_REFUSED = "a d_model that is not a multiple of 4 raises an error"
_SIZES = "grids of any size have a row for each cell"
_USE = "works as the chapter uses it"

WRONG = {
    column_first: _HALVES,
    in_turn: _HALVES,
    columns_twice: _HALVES,
    rows_twice: _HALVES,
    added: _HALVES,
    whole_size: _HALVES,
    one_sequence: _HALVES,
    column_by_column: _ORDER,
    swapped: _ORDER,
    modulo_height: _ORDER,
    not_flat: _ORDER,
    from_the_bottom: _ORDER,
    any_even_size: _REFUSED,
    asserted: _REFUSED,
    squeezes: _SIZES,
    of_a_byte: _SIZES,
    without_gradient: _USE,
}


def loops(height, width, d_model, positional_encoding):
    """Cell by cell."""
    _refuse(d_model)
    rows, columns = positional_encoding(height, d_model // 2), positional_encoding(width, d_model // 2)
    return torch.stack([torch.cat([rows[r], columns[c]]) for r in range(height) for c in range(width)])


def repeated(height, width, d_model, positional_encoding):
    """Repeated and tiled."""
    _refuse(d_model)
    rows = positional_encoding(height, d_model // 2).repeat_interleave(width, dim=0)
    columns = positional_encoding(width, d_model // 2).repeat(height, 1)
    return torch.cat([rows, columns], dim=1)


def by_index(height, width, d_model, positional_encoding):
    """The number of a cell says its row and its column."""
    _refuse(d_model)
    number = torch.arange(height * width)
    rows, columns = positional_encoding(height, d_model // 2), positional_encoding(width, d_model // 2)
    return torch.hstack([rows[number // width], columns[number % width]])


def one_table(height, width, d_model, positional_encoding):
    """One table serves rows and columns."""
    _refuse(d_model)
    table = positional_encoding(max(height, width), d_model // 2)
    rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    return torch.cat([table[rows], table[columns]], dim=-1).reshape(-1, d_model)


def filled(height, width, d_model, positional_encoding):
    """Halves written into a new tensor."""
    _refuse(d_model)
    half = d_model // 2
    rows = positional_encoding(height, half)
    places = rows.new_empty(height, width, d_model)
    places[..., :half] = rows.unsqueeze(1)
    places[..., half:] = positional_encoding(width, half)
    return places.view(-1, d_model)


class Positions(nn.Module):
    """A module in the place of a function."""

    def forward(self, height, width, d_model, positional_encoding):
        return _right(height, width, d_model, positional_encoding)


RIGHT = {
    "halves": _right,
    "loops": loops,
    "repeated": repeated,
    "by index": by_index,
    "one table": one_table,
    "filled": filled,
    "a module": Positions(),
    "a partial": functools.partial(_right),
}
