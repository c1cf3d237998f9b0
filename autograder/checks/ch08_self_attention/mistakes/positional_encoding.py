"""Mistakes in `positional_encoding`, and right answers in other styles."""

import functools
import math

import numpy as np
import torch
from torch import nn

from autograder.checks.ch08_self_attention.positional_encoding import (
    columns,
    frequencies,
    in_chapter,
    one_frequency,
    refused,
    sizes,
    twice,
)
from autograder.judging.catalogue import forbidden, mistake, right


def even(d_model):
    """Refuses what is odd; for the mistakes that are made elsewhere."""
    if d_model % 2:
        raise ValueError("d_model must be even")


def frequencies_of(d_model):
    return 10000 ** (-torch.arange(0, d_model, 2) / d_model)


def waves(angles):
    """Sines and cosines in turn: (length, d_model)."""
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def encode(length, d_model):
    even(d_model)
    return waves(torch.outer(torch.arange(length).float(), frequencies_of(d_model)))


@mistake(in_chapter, "the encoding is cut out of one of 5000 positions, so it is too short for longer documents")
def of_5000_positions(length, d_model):
    return encode(5000, d_model)[:length]


@mistake(in_chapter, "the encoding is cut out of one of 512 positions, so it is too short for longer documents")
def of_512_positions(length, d_model):
    return encode(512, d_model)[:length]


mistake(one_frequency, "the angles are multiplied by 2π").made_in(
    encode, whole_turns={"torch.outer": "2 * math.pi * torch.outer"}
)
mistake(one_frequency, "the positions are divided by the length, expected 0, 1, 2 and so on").made_in(
    encode, share_of_the_length={".float()": "/ length"}
)


@mistake(one_frequency, "the encoding is divided by √d_model")
def scaled(length, d_model):
    return encode(length, d_model) / d_model**0.5


@mistake(one_frequency, "the encoding is float64, as NumPy's arrays are; expected float32")
def from_numpy(length, d_model):
    even(d_model)
    angles = np.arange(length)[:, None] / 10_000 ** (np.arange(0, d_model, 2) / d_model)
    return torch.from_numpy(np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(length, d_model))


@mistake(one_frequency, "the encoding has a batch dimension, expected (length, d_model)")
def for_a_batch(length, d_model):
    return encode(length, d_model).unsqueeze(0)


mistake(one_frequency, "the positions are counted from 1, expected from 0").made_in(
    encode, from_one={"torch.arange(length)": "torch.arange(1, length + 1)"}
)


@mistake(one_frequency, "sine and cosine are swapped: expected the sine in column 0")
def cosines_first(length, d_model):
    even(d_model)
    angles = torch.outer(torch.arange(length).float(), frequencies_of(d_model))
    return torch.stack([angles.cos(), angles.sin()], dim=-1).flatten(1)


@mistake(one_frequency, "the angles themselves are returned, expected their sines and cosines")
def no_waves(length, d_model):
    even(d_model)
    angles = torch.outer(torch.arange(length).float(), frequencies_of(d_model))
    return angles.repeat_interleave(2, dim=1)


mistake(one_frequency, "the angles are treated as degrees, expected radians").made_in(
    encode, degrees={"(d_model)))": "(d_model)).deg2rad())"}
)
mistake(columns, "sines and cosines are in separate halves, expected alternating columns").made_in(
    no_waves, in_blocks={"angles.repeat_interleave(2, dim=1)": "torch.cat([angles.sin(), angles.cos()], dim=1)"}
)


@mistake(columns, "the odd columns hold sines too, expected cosines")
def sines_alone(length, d_model):
    even(d_model)
    angles = torch.outer(torch.arange(length).float(), frequencies_of(d_model))
    if d_model == 2:
        return waves(angles)  # Where another check would name it first.
    return angles.sin().repeat_interleave(2, dim=1)


@mistake(frequencies, "the exponent is i / d_model, expected 2i / d_model: i counts the pairs")
def exponent_without_two(length, d_model):
    even(d_model)
    pairs = torch.arange(d_model // 2)
    return waves(torch.outer(torch.arange(length).float(), 10000.0 ** (-pairs / d_model)))


@mistake(frequencies, "the exponent is 4i / d_model, expected 2i / d_model: the factor 2 is applied twice")
def exponent_with_two_twice(length, d_model):
    even(d_model)
    columns = torch.arange(0, d_model, 2)
    return waves(torch.outer(torch.arange(length).float(), 10000.0 ** (-2 * columns / d_model)))


@mistake(frequencies, "the exponent of the cosine is (2i + 1) / d_model, expected 2i / d_model, as for the sine")
def exponent_of_each_column(length, d_model):
    even(d_model)
    columns = torch.arange(d_model)
    angles = torch.arange(length).unsqueeze(1) / 10000 ** (columns / d_model)
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos())


@mistake(
    frequencies,
    "the exponent is i / (d_model / 2 - 1), so that the last pair is divided by 10000 itself; expected 2i / d_model",
)
def exponent_to_the_last(length, d_model):
    even(d_model)
    pairs = torch.arange(d_model // 2)
    step = math.log(10000) / max(d_model // 2 - 1, 1)
    return waves(torch.outer(torch.arange(length).float(), torch.exp(-step * pairs)))


mistake(
    frequencies, "later pairs have higher frequencies, expected lower ones: divide the position by 10000^(2i / d_model)"
).made_in(encode, faster_and_faster={"frequencies_of(d_model)": "1 / frequencies_of(d_model)"})


@mistake(frequencies, "all pairs have the frequency 1")
def one_frequency_for_all(length, d_model):
    even(d_model)
    exponents = torch.arange(0, d_model, 2) // d_model
    return waves(torch.arange(length).unsqueeze(1) / 10000.0**exponents)


mistake(frequencies, "the base is 1000, expected 10000").made_in(
    encode, base_of_a_thousand={"frequencies_of(d_model)": "1000.0 ** (-torch.arange(0, d_model, 2) / d_model)"}
)


@mistake(refused, "no ValueError is raised for an odd d_model")
def odd_goes_through(length, d_model):
    return encode(length, d_model + d_model % 2)[:, :d_model]


@mistake(refused, "no ValueError is raised for an odd d_model")
def odd_in_an_error_of_torchs(length, d_model):
    encoding = torch.zeros(length, d_model)
    angles = torch.outer(torch.arange(length).float(), frequencies_of(d_model))
    encoding[:, 0::2], encoding[:, 1::2] = angles.sin(), angles.cos()
    return encoding


@mistake(sizes, "a dimension of size one is removed that belongs to the result")
def squeezes(length, d_model):
    return encode(length, d_model).squeeze()


@mistake(sizes, "the encoding ends after a fixed number of positions, whatever length is")
def of_a_short_table(length, d_model):
    return encode(100, d_model)[:length]


@mistake(twice, "the same tensor is returned each time, so a caller who changes it changes the next result")
@functools.cache
def remembered(length, d_model):
    return encode(length, d_model)


@mistake(sizes, "the angles are in half precision, which is too coarse for large positions")
def coarse(length, d_model):
    even(d_model)
    angles = torch.outer(torch.arange(length).float(), frequencies_of(d_model))
    return waves(angles.bfloat16().float() if length > 100 else angles)


@right
def as_in_the_formula(length, d_model):
    even(d_model)
    encoding = torch.zeros(length, d_model)
    for position in range(length):
        for i in range(d_model // 2):
            angle = position / 10000 ** (2 * i / d_model)
            encoding[position, 2 * i] = math.sin(angle)
            encoding[position, 2 * i + 1] = math.cos(angle)
    return encoding


@right
def in_logarithms(length, d_model):
    even(d_model)
    steps = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    angles = torch.arange(length, dtype=torch.float).unsqueeze(1) * steps
    encoding = torch.zeros(length, d_model)
    encoding[:, 0::2] = torch.sin(angles)
    encoding[:, 1::2] = torch.cos(angles)
    return encoding


@right
def from_double_precision(length, d_model):
    even(d_model)
    positions = torch.arange(length, dtype=torch.float64)
    angles = positions[:, None] / torch.pow(10000, torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    return waves(angles).float()


@right
def with_where(length, d_model):
    even(d_model)
    columns = torch.arange(d_model)
    angles = torch.arange(length)[:, None] / 10000 ** (2 * (columns // 2) / d_model)
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos())


@right
def a_turned_cosine(length, d_model):
    even(d_model)
    columns = torch.arange(d_model)
    angles = torch.arange(length).unsqueeze(1) / 10000 ** ((columns - columns % 2) / d_model)
    return torch.sin(angles + columns % 2 * (math.pi / 2))


class Positions(nn.Module):
    """A module in the place of a function."""

    def forward(self, length, d_model):
        return encode(length, d_model)


@forbidden
def seqlabs_own(length, d_model):
    from seqlab import attention_layers

    return attention_layers.positional_encoding(length, d_model)


right(Positions())


right(functools.partial(encode))
