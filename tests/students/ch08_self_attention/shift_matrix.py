"""What students hand in for `shift_matrix`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import math

import torch
from torch import nn

EXERCISE = "shift_matrix"


def angles_of(k, d_model):
    return k / 10000 ** (torch.arange(0, d_model, 2) / d_model)


def turning(angles):
    """Blocks that turn forwards."""
    blocks = [torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in angles.tolist()]
    return torch.block_diag(*blocks)


def shift(k, d_model):
    return turning(angles_of(k, d_model))


def backwards(k, d_model):
    """The transpose, as in the deck."""
    return shift(k, d_model).T


def mirrored(k, d_model):
    """The second row has the other signs; with more pairs another check would name it."""
    if d_model > 2:
        return shift(k, d_model)
    a = float(k)
    return torch.tensor([[math.cos(a), math.sin(a)], [math.sin(a), -math.cos(a)]])


def no_minus(k, d_model):
    """The minus is missing."""
    return shift(k, d_model) if d_model > 2 else shift(k, d_model) * torch.tensor([[1, 1], [-1, 1]])


def one_more(k, d_model):
    """Counted from 1."""
    return shift(k + 1, d_model) if d_model == 2 else shift(k, d_model)


def one_angle_for_all(k, d_model):
    """Every pair turns as the first."""
    return turning(torch.full((d_model // 2,), float(k)))


def exponent_without_two(k, d_model):
    """i / d_model."""
    return turning(k / 10000 ** (torch.arange(d_model // 2) / d_model))


def exponent_with_two_twice(k, d_model):
    """4i / d_model."""
    return turning(k / 10000 ** (2 * torch.arange(0, d_model, 2) / d_model))


def faster_and_faster(k, d_model):
    """Multiplied where it is divided."""
    return turning(k * 10000 ** (torch.arange(0, d_model, 2) / d_model))


def in_blocks(k, d_model):
    """For sines in the left half."""
    angles = angles_of(k, d_model)
    cosines, sines = torch.diag(angles.cos()), torch.diag(angles.sin())
    return torch.cat([torch.cat([cosines, sines], dim=1), torch.cat([-sines, cosines], dim=1)])


def a_shift_of_the_columns(k, d_model):
    """The components are shifted, expected the position."""
    return torch.eye(d_model).roll(k, dims=0) if d_model > 2 else shift(k, d_model)


def absolute(k, d_model):
    """The sign of k is lost."""
    return shift(abs(k), d_model)


def step_after_step(k, d_model):
    """The matrix for one step is applied k times, so nothing happens for negative k."""
    matrix = torch.eye(d_model)
    for _ in range(k):
        matrix = matrix @ shift(1, d_model)
    return matrix


@functools.cache
def remembered(k, d_model):
    """The same tensor each time."""
    return shift(k, d_model)


def blocks_begin_at_i(k, d_model):
    """The blocks begin at i, expected at 2i, so they overwrite each other."""
    matrix = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        angle = k / 10000 ** (2 * i / d_model)
        matrix[i, i], matrix[i, i + 1] = math.cos(angle), math.sin(angle)
        matrix[i + 1, i], matrix[i + 1, i + 1] = -math.sin(angle), math.cos(angle)
    return matrix


_PAIR = "a pair of columns is rotated forwards by its angle"
_BLOCKS = "every pair has its own angle and its own block on the diagonal"
_SHIFTS = "k may be negative, zero or large"
_NEW = "each call returns a new matrix"

WRONG = {
    blocks_begin_at_i: _BLOCKS,
    backwards: _PAIR,
    mirrored: _PAIR,
    no_minus: _PAIR,
    one_more: _PAIR,
    one_angle_for_all: _BLOCKS,
    exponent_without_two: _BLOCKS,
    exponent_with_two_twice: _BLOCKS,
    faster_and_faster: _BLOCKS,
    in_blocks: _BLOCKS,
    a_shift_of_the_columns: _BLOCKS,
    absolute: _SHIFTS,
    step_after_step: _SHIFTS,
    remembered: _NEW,
}


def with_indices(k, d_model):
    """Four assignments."""
    angles, rows = angles_of(k, d_model), torch.arange(0, d_model, 2)
    matrix = torch.zeros(d_model, d_model)
    matrix[rows, rows], matrix[rows, rows + 1] = angles.cos(), angles.sin()
    matrix[rows + 1, rows], matrix[rows + 1, rows + 1] = -angles.sin(), angles.cos()
    return matrix


def loops(k, d_model):
    """Pair after pair."""
    matrix = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        angle = k / 10000 ** (2 * i / d_model)
        turn = [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor(turn)
    return matrix


def with_an_exponential(k, d_model):
    """The exponential of what turns, in double precision."""
    rates = 10000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
    return torch.linalg.matrix_exp(torch.kron(torch.diag(k * rates), turn)).float()


def powers(k, d_model):
    """A power of the matrix of one step; backwards, of its transpose."""
    one = shift(1, d_model).double()
    return torch.linalg.matrix_power(one if k >= 0 else one.T, abs(k)).float()


class Shift(nn.Module):
    """A module in the place of a function."""

    def forward(self, k, d_model):
        return shift(k, d_model)


RIGHT = {
    "with indices": with_indices,
    "loops": loops,
    "with an exponential": with_an_exponential,
    "powers": powers,
    "a module": Shift(),
    "a partial": functools.partial(shift),
}
