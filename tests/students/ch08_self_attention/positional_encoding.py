"""What students hand in for `positional_encoding`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
exercise's rule.
"""

import functools
import math

import torch
from torch import nn

EXERCISE = "positional_encoding"


def even(d_model):
    """Refuses what is odd; for the mistakes that are made elsewhere."""
    if d_model % 2:
        raise ValueError("d_model must be even")


def frequencies(d_model):
    return 10000 ** (-torch.arange(0, d_model, 2) / d_model)


def waves(angles):
    """Sines and cosines in turn: (length, d_model)."""
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def encode(length, d_model):
    even(d_model)
    return waves(torch.outer(torch.arange(length).float(), frequencies(d_model)))


def from_one(length, d_model):
    """The first position is 1."""
    even(d_model)
    return waves(torch.outer(torch.arange(1, length + 1).float(), frequencies(d_model)))


def cosines_first(length, d_model):
    """Sine and cosine have changed places."""
    even(d_model)
    angles = torch.outer(torch.arange(length).float(), frequencies(d_model))
    return torch.stack([angles.cos(), angles.sin()], dim=-1).flatten(1)


def no_waves(length, d_model):
    """The angles themselves."""
    even(d_model)
    angles = torch.outer(torch.arange(length).float(), frequencies(d_model))
    return angles.repeat_interleave(2, dim=1)


def degrees(length, d_model):
    """Sines of degrees."""
    even(d_model)
    return waves(torch.outer(torch.arange(length).float(), frequencies(d_model)).deg2rad())


def in_blocks(length, d_model):
    """All sines, then all cosines."""
    even(d_model)
    angles = torch.outer(torch.arange(length).float(), frequencies(d_model))
    return torch.cat([angles.sin(), angles.cos()], dim=1)


def sines_alone(length, d_model):
    """The odd columns keep what the even ones have."""
    even(d_model)
    angles = torch.outer(torch.arange(length).float(), frequencies(d_model))
    if d_model == 2:
        return waves(angles)  # Where another check would name it first.
    return angles.sin().repeat_interleave(2, dim=1)


def exponent_without_two(length, d_model):
    """i / d_model with i from 0 to d_model / 2."""
    even(d_model)
    pairs = torch.arange(d_model // 2)
    return waves(torch.outer(torch.arange(length).float(), 10000.0 ** (-pairs / d_model)))


def exponent_with_two_twice(length, d_model):
    """arange already steps by two."""
    even(d_model)
    columns = torch.arange(0, d_model, 2)
    return waves(torch.outer(torch.arange(length).float(), 10000.0 ** (-2 * columns / d_model)))


def exponent_of_each_column(length, d_model):
    """Every column has a frequency of its own."""
    even(d_model)
    columns = torch.arange(d_model)
    angles = torch.arange(length).unsqueeze(1) / 10000 ** (columns / d_model)
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos())


def exponent_to_the_last(length, d_model):
    """Frequencies from 1 to 1 / 10000, both ends included, as in a later library."""
    even(d_model)
    pairs = torch.arange(d_model // 2)
    step = math.log(10000) / max(d_model // 2 - 1, 1)
    return waves(torch.outer(torch.arange(length).float(), torch.exp(-step * pairs)))


def faster_and_faster(length, d_model):
    """Multiplied where it is divided."""
    even(d_model)
    return waves(torch.outer(torch.arange(length).float(), 1 / frequencies(d_model)))


def one_frequency_for_all(length, d_model):
    """A whole division, which makes every exponent 0."""
    even(d_model)
    exponents = torch.arange(0, d_model, 2) // d_model
    return waves(torch.arange(length).unsqueeze(1) / 10000.0**exponents)


def base_of_a_thousand(length, d_model):
    """A zero too few."""
    even(d_model)
    return waves(torch.outer(torch.arange(length).float(), 1000.0 ** (-torch.arange(0, d_model, 2) / d_model)))


def odd_goes_through(length, d_model):
    """One column more, and the last cut off."""
    return encode(length, d_model + d_model % 2)[:, :d_model]


def odd_in_an_error_of_torchs(length, d_model):
    """The shapes do not fit."""
    encoding = torch.zeros(length, d_model)
    angles = torch.outer(torch.arange(length).float(), frequencies(d_model))
    encoding[:, 0::2], encoding[:, 1::2] = angles.sin(), angles.cos()
    return encoding


def squeezes(length, d_model):
    """One position loses its dimension."""
    return encode(length, d_model).squeeze()


def of_a_short_table(length, d_model):
    """Ends at a hundred positions."""
    return encode(100, d_model)[:length]


@functools.cache
def remembered(length, d_model):
    """The same tensor each time."""
    return encode(length, d_model)


def coarse(length, d_model):
    """The angles are in half precision, which is too coarse for large positions."""
    even(d_model)
    angles = torch.outer(torch.arange(length).float(), frequencies(d_model))
    return waves(angles.bfloat16().float() if length > 100 else angles)


_FIRST = "with two columns, they are the sine and the cosine of the position"
_COLUMNS = "sines are in the even columns, cosines in the odd ones"
_FREQUENCIES = "column pair i has the frequency 1 / 10000^(2i / d_model)"
_ODD = "an odd d_model raises an error"
_SIZES = "one position works, and so do many positions with many columns"
_NEW = "each call returns a new encoding"

WRONG = {
    from_one: _FIRST,
    cosines_first: _FIRST,
    no_waves: _FIRST,
    degrees: _FIRST,
    in_blocks: _COLUMNS,
    sines_alone: _COLUMNS,
    exponent_without_two: _FREQUENCIES,
    exponent_with_two_twice: _FREQUENCIES,
    exponent_of_each_column: _FREQUENCIES,
    exponent_to_the_last: _FREQUENCIES,
    faster_and_faster: _FREQUENCIES,
    one_frequency_for_all: _FREQUENCIES,
    base_of_a_thousand: _FREQUENCIES,
    odd_goes_through: _ODD,
    odd_in_an_error_of_torchs: _ODD,
    squeezes: _SIZES,
    of_a_short_table: _SIZES,
    remembered: _NEW,
    coarse: _SIZES,
}


def as_in_the_formula(length, d_model):
    """Number by number."""
    even(d_model)
    encoding = torch.zeros(length, d_model)
    for position in range(length):
        for i in range(d_model // 2):
            angle = position / 10000 ** (2 * i / d_model)
            encoding[position, 2 * i] = math.sin(angle)
            encoding[position, 2 * i + 1] = math.cos(angle)
    return encoding


def in_logarithms(length, d_model):
    """exp of a logarithm, as many write it."""
    even(d_model)
    steps = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    angles = torch.arange(length, dtype=torch.float).unsqueeze(1) * steps
    encoding = torch.zeros(length, d_model)
    encoding[:, 0::2] = torch.sin(angles)
    encoding[:, 1::2] = torch.cos(angles)
    return encoding


def from_double_precision(length, d_model):
    """Computed in double precision, and rounded at the end."""
    even(d_model)
    positions = torch.arange(length, dtype=torch.float64)
    angles = positions[:, None] / torch.pow(10000, torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    return waves(angles).float()


def with_where(length, d_model):
    """Every column with the number of its pair."""
    even(d_model)
    columns = torch.arange(d_model)
    angles = torch.arange(length)[:, None] / 10000 ** (2 * (columns // 2) / d_model)
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos())


def a_turned_cosine(length, d_model):
    """A cosine is a sine a quarter of a turn later."""
    even(d_model)
    columns = torch.arange(d_model)
    angles = torch.arange(length).unsqueeze(1) / 10000 ** ((columns - columns % 2) / d_model)
    return torch.sin(angles + columns % 2 * (math.pi / 2))


class Positions(nn.Module):
    """A module in the place of a function."""

    def forward(self, length, d_model):
        return encode(length, d_model)


RIGHT = {
    "as in the formula": as_in_the_formula,
    "in logarithms": in_logarithms,
    "from double precision": from_double_precision,
    "with where": with_where,
    "a turned cosine": a_turned_cosine,
    "a module": Positions(),
    "a partial": functools.partial(encode),
}


def seqlabs_own(length, d_model):
    """The rule is that this is not used."""
    from seqlab import attention_layers

    return attention_layers.positional_encoding(length, d_model)


FORBIDDEN = (seqlabs_own,)
