"""Mistakes in `positions_2d`, and right answers in other styles."""

import functools

import torch
from torch import nn

from autograder.checks.ch11_pictures.positions_2d import grid, in_chapter, one_row, refused, sizes
from autograder.judging.catalogue import mistake, right


def _refuse(d_model):
    if d_model % 4:
        raise ValueError("d_model must be a multiple of 4")


def _halves(height, width, d_model, positional_encoding):
    """Rows and columns for each cell: (height, width, d_model / 2) each."""
    half = d_model // 2
    rows = positional_encoding(height, half)[:, None].expand(height, width, half)
    columns = positional_encoding(width, half)[None].expand(height, width, half)
    return rows, columns


@right
def usual(height, width, d_model, positional_encoding):
    _refuse(d_model)
    rows, columns = _halves(height, width, d_model, positional_encoding)
    return torch.cat([rows, columns], dim=-1).flatten(0, 1)


@right
def _right(height, width, d_model, positional_encoding):
    _refuse(d_model)
    return torch.cat(_halves(height, width, d_model, positional_encoding), dim=-1).flatten(0, 1)


mistake(one_row, "the column's encoding comes before the row's, expected the row's first").made_in(
    usual, column_first={"[rows, columns]": "[columns, rows]"}
)


mistake(one_row, "height and width are swapped").made_in(
    usual, sides_swapped={"_halves(height, width": "_halves(width, height"}
)
mistake(one_row, "rows and columns are left as two dimensions, expected one dimension of cells").made_in(
    usual, never_flat={".flatten(0, 1)": ""}
)


@mistake(one_row, "the values of the row and the column alternate, expected two halves")
def in_turn(height, width, d_model, positional_encoding):
    _refuse(d_model)
    return torch.stack(_halves(height, width, d_model, positional_encoding), dim=-1).flatten(2).flatten(0, 1)


mistake(one_row, "both halves are the column's encoding, expected the row's first").made_in(
    usual, columns_twice={"rows, columns = _halves": "_, columns = _halves", "[rows, columns]": "[columns, columns]"}
)
mistake(one_row, "both halves are the row's encoding, expected the column's second").made_in(
    usual, rows_twice={"rows, columns = _halves": "rows, _ = _halves", "[rows, columns]": "[rows, rows]"}
)


@mistake(one_row, "the encodings are divided by √2, expected as they are")
def divided(height, width, d_model, positional_encoding):
    return _right(height, width, d_model, positional_encoding) / 2**0.5


mistake(one_row, "the row's and the column's encodings are added, expected side by side").made_in(
    usual, added={"[rows, columns]": "[rows + columns, rows + columns]"}
)


@mistake(one_row, "each half has size d_model, expected d_model / 2")
def whole_size(height, width, d_model, positional_encoding):
    _refuse(d_model)
    return _right(height, width, 2 * d_model, positional_encoding)


@mistake(one_row, "the cells are numbered in one sequence, like words; expected a row and a column for each")
def one_sequence(height, width, d_model, positional_encoding):
    _refuse(d_model)
    return positional_encoding(height * width, d_model)


mistake(grid, "the cells are listed column by column, expected row by row").made_in(
    usual, column_by_column={"flatten(0, 1)": "transpose(0, 1).flatten(0, 1)"}
)


@mistake(grid, "height and width are swapped")
def swapped(height, width, d_model, positional_encoding):
    _refuse(d_model)
    half, cells = d_model // 2, torch.arange(height * width)
    rows, columns = positional_encoding(max(height, width), half), positional_encoding(max(height, width), half)
    if height == 1:
        return _right(height, width, d_model, positional_encoding)
    return torch.cat([rows[cells // height % len(rows)], columns[cells % height]], dim=1)


@mistake(grid, "the row of cell i is i % height, expected i // width")
def modulo_height(height, width, d_model, positional_encoding):
    _refuse(d_model)
    number = torch.arange(height * width)
    rows, columns = positional_encoding(height, d_model // 2), positional_encoding(width, d_model // 2)
    return torch.cat([rows[number % height], columns[number % width]], dim=1)


@mistake(grid, "rows and columns are left as two dimensions, expected one dimension of cells")
def not_flat(height, width, d_model, positional_encoding):
    places = _right(height, width, d_model, positional_encoding)
    return places if height == 1 else places.unflatten(0, (height, width))


@mistake(refused, "any even d_model is allowed, expected only multiples of 4")
def any_even_size(height, width, d_model, positional_encoding):
    if d_model % 2:
        raise ValueError("d_model must be even")
    return _right(height, width, 4 * (d_model // 4) or 4, positional_encoding)


mistake(refused, "an assertion fails, expected a ValueError").made_in(
    whole_size, asserted={"_refuse(d_model)": "assert d_model % 4 == 0", "2 * d_model": "d_model"}
)


@mistake(sizes, "a dimension of size one is removed that belongs to the result")
def squeezes(height, width, d_model, positional_encoding):
    return _right(height, width, d_model, positional_encoding).squeeze()


@mistake(sizes, "the cells are counted in uint8, which goes only up to 255")
def of_a_byte(height, width, d_model, positional_encoding):
    places = _right(height, width, d_model, positional_encoding)
    return places[torch.arange(height * width).to(torch.uint8).long()]


mistake(grid, "the rows are counted from the bottom, expected from the top").made_in(
    usual, from_the_bottom={"[rows, columns]": "[rows.flip(0), columns]"}
)


@mistake(in_chapter, "the result is detached, so no gradient reaches the encodings")
def without_gradient(height, width, d_model, positional_encoding):
    return _right(height, width, d_model, positional_encoding).detach()


@right
def loops(height, width, d_model, positional_encoding):
    _refuse(d_model)
    rows, columns = positional_encoding(height, d_model // 2), positional_encoding(width, d_model // 2)
    return torch.stack([torch.cat([rows[r], columns[c]]) for r in range(height) for c in range(width)])


@right
def repeated(height, width, d_model, positional_encoding):
    _refuse(d_model)
    rows = positional_encoding(height, d_model // 2).repeat_interleave(width, dim=0)
    columns = positional_encoding(width, d_model // 2).repeat(height, 1)
    return torch.cat([rows, columns], dim=1)


@right
def by_index(height, width, d_model, positional_encoding):
    _refuse(d_model)
    number = torch.arange(height * width)
    rows, columns = positional_encoding(height, d_model // 2), positional_encoding(width, d_model // 2)
    return torch.hstack([rows[number // width], columns[number % width]])


@right
def one_table(height, width, d_model, positional_encoding):
    _refuse(d_model)
    table = positional_encoding(max(height, width), d_model // 2)
    rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    return torch.cat([table[rows], table[columns]], dim=-1).reshape(-1, d_model)


@right
def filled(height, width, d_model, positional_encoding):
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


right(Positions())


right(functools.partial(_right))
