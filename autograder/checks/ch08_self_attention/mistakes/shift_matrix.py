"""Mistakes in `shift_matrix`, and right answers in other styles."""

import functools
import math

import torch
from torch import nn

from autograder.checks.ch08_self_attention.shift_matrix import any_shift, one_pair, pairs, twice
from autograder.judging.catalogue import mistake, right


def angles_of(k, d_model):
    return k / 10000 ** (torch.arange(0, d_model, 2) / d_model)


def turning(angles):
    """Blocks that turn forwards."""
    blocks = [torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in angles.tolist()]
    return torch.block_diag(*blocks)


def shift(k, d_model):
    return turning(angles_of(k, d_model))


@mistake(one_pair, "the matrix is float64, as NumPy's arrays are; expected float32")
def in_double(k, d_model):
    return shift(k, d_model).double()


@mistake(one_pair, "the matrix moves back by k, expected forwards: it is the transpose of the right one")
def backwards(k, d_model):
    return shift(k, d_model).T


@mistake(
    one_pair,
    "the second row has the wrong signs, so the matrix is a reflection: cos(a + b) = cos a cos b - sin a sin b",
)
def mirrored(k, d_model):
    if d_model > 2:
        return shift(k, d_model)
    a = float(k)
    return torch.tensor([[math.cos(a), math.sin(a)], [math.sin(a), -math.cos(a)]])


@mistake(one_pair, "the minus sign is missing: cos(a + b) = cos a cos b - sin a sin b")
def no_minus(k, d_model):
    return shift(k, d_model) if d_model > 2 else shift(k, d_model) * torch.tensor([[1, 1], [-1, 1]])


@mistake(one_pair, "the angle is that of k + 1")
def one_more(k, d_model):
    return shift(k + 1, d_model) if d_model == 2 else shift(k, d_model)


@mistake(one_pair, "the matrix shifts by one position, whatever k is")
def always_one(k, d_model):
    return shift(k if d_model > 2 else 1, d_model)


@mistake(one_pair, "the angle is treated as degrees, expected radians")
def in_degrees(k, d_model):
    return shift(k, d_model) if d_model > 2 else shift(math.radians(k), d_model)


@mistake(one_pair, "sines and cosines are swapped: the cosines are on the diagonal")
def exchanged(k, d_model):
    return shift(k, d_model) if d_model > 2 else shift(k, d_model).flip(1)


@mistake(pairs, "every pair is rotated by the angle k, expected k times its own frequency")
def one_angle_for_all(k, d_model):
    return turning(torch.full((d_model // 2,), float(k)))


@mistake(pairs, "the exponent is i / d_model, expected 2i / d_model: i counts the pairs")
def exponent_without_two(k, d_model):
    return turning(k / 10000 ** (torch.arange(d_model // 2) / d_model))


@mistake(pairs, "the exponent is 4i / d_model, expected 2i / d_model: the factor 2 is applied twice")
def exponent_with_two_twice(k, d_model):
    return turning(k / 10000 ** (2 * torch.arange(0, d_model, 2) / d_model))


@mistake(pairs, "later pairs are rotated faster, expected slower: the sign of the exponent is wrong")
def faster_and_faster(k, d_model):
    return turning(k * 10000 ** (torch.arange(0, d_model, 2) / d_model))


@mistake(
    pairs, "the matrix is for vectors with all sines in the left half, but in the encoding sines and cosines alternate"
)
def in_blocks(k, d_model):
    angles = angles_of(k, d_model)
    cosines, sines = torch.diag(angles.cos()), torch.diag(angles.sin())
    return torch.cat([torch.cat([cosines, sines], dim=1), torch.cat([-sines, cosines], dim=1)])


@mistake(pairs, "the components are shifted by k, expected the position")
def a_shift_of_the_columns(k, d_model):
    return torch.eye(d_model).roll(k, dims=0) if d_model > 2 else shift(k, d_model)


mistake(any_shift, "the sign of k is lost").made_in(always_one, absolute={"k if d_model > 2 else 1": "abs(k)"})


@mistake(any_shift, "the matrix for one step is applied k times in a loop, so nothing happens for a negative k")
def step_after_step(k, d_model):
    matrix = torch.eye(d_model)
    for _ in range(k):
        matrix = matrix @ shift(1, d_model)
    return matrix


@mistake(twice, "the same tensor is returned each time, so a caller who changes it changes the next result")
@functools.cache
def remembered(k, d_model):
    return shift(k, d_model)


@mistake(pairs, "the blocks begin at i, expected at 2i, so they overwrite each other")
def blocks_begin_at_i(k, d_model):
    matrix = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        angle = k / 10000 ** (2 * i / d_model)
        matrix[i, i], matrix[i, i + 1] = math.cos(angle), math.sin(angle)
        matrix[i + 1, i], matrix[i + 1, i + 1] = -math.sin(angle), math.cos(angle)
    return matrix


@right
def with_indices(k, d_model):
    angles, rows = angles_of(k, d_model), torch.arange(0, d_model, 2)
    matrix = torch.zeros(d_model, d_model)
    matrix[rows, rows], matrix[rows, rows + 1] = angles.cos(), angles.sin()
    matrix[rows + 1, rows], matrix[rows + 1, rows + 1] = -angles.sin(), angles.cos()
    return matrix


@right
def loops(k, d_model):
    matrix = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        angle = k / 10000 ** (2 * i / d_model)
        turn = [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor(turn)
    return matrix


@right
def with_an_exponential(k, d_model):
    rates = 10000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
    return torch.linalg.matrix_exp(torch.kron(torch.diag(k * rates), turn)).float()


@right
def powers(k, d_model):
    one = shift(1, d_model).double()
    return torch.linalg.matrix_power(one if k >= 0 else one.T, abs(k)).float()


class Shift(nn.Module):
    """A module in the place of a function."""

    def forward(self, k, d_model):
        return shift(k, d_model)


right(Shift())


right(functools.partial(shift))
