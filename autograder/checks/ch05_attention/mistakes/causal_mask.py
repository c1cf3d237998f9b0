"""Mistakes in `causal_mask`, and right answers in other styles."""

import functools

import numpy as np
import torch
from torch import nn

from autograder.checks.ch05_attention.causal_mask import device, in_chapter, itself, lengths, one_length
from autograder.judging.catalogue import mistake, right


def ones(length, device):
    """A mask that hides nothing."""
    return torch.ones(length, length, dtype=torch.bool, device=device)


_TABLE = torch.ones(512, 512, dtype=torch.bool).tril()


@mistake(in_chapter, "the mask is cut out of one of 512 positions, so it is too small for more; expected (T, T)")
def of_512_positions(length, device=None):
    return _TABLE[:length, :length].clone().to(device)


@mistake(one_length, "the mask hides nothing: every position may also attend to those after it")
def hides_nothing(length, device=None):
    return ones(length, device)


mistake(
    one_length,
    "the mask is the wrong way round: either rows and columns are swapped, or True is used for hidden positions",
).made_in(
    hides_nothing,
    inverted={"ones(length, device)": "ones(length, device).triu(diagonal=1)"},
    transposed={"ones(length, device)": "ones(length, device).triu()"},
)


@mistake(one_length, "each position may also attend to the one directly after it: the diagonal is shifted by one")
def sees_one_ahead(length, device=None):
    return ones(length, device).tril(diagonal=1)


@mistake(
    one_length, "each position may attend only to itself and to the one directly before it, expected to all before it"
)
def sees_the_last_alone(length, device=None):
    return ones(length, device).tril() & ones(length, device).triu(diagonal=-1)


@mistake(one_length, "each position may attend only to itself")
def itself_alone(length, device=None):
    return torch.eye(length, dtype=torch.bool, device=device)


@mistake(one_length, "the mask holds 1 and 0, expected True and False")
def of_numbers(length, device=None):
    return torch.ones(length, length, device=device).tril()


@mistake(one_length, "the mask holds 0 and -∞, to be added to scores; expected True and False")
def of_infinities(length, device=None):
    return nn.Transformer.generate_square_subsequent_mask(length, device=device)


@mistake(one_length, "the mask has a batch dimension, expected (T, T)")
def with_a_batch(length, device=None):
    return ones(length, device).tril().unsqueeze(0)


@mistake(one_length, "the result is the row of one position, expected a row for each")
def one_row(length, device=None):
    return torch.ones(length, dtype=torch.bool, device=device)


@mistake(one_length, "there is no return")
def nothing_returned(length, device=None):
    ones(length, device).tril()


@mistake(one_length, "no position may attend to the one directly before it; expected itself and all before it")
def misses_the_position_before(length, device=None):
    return ones(length, device).tril(diagonal=-2) | torch.eye(length, dtype=torch.bool, device=device)


@mistake(itself, "no position may attend to itself: i < t is used instead of i ≤ t")
def strict(length, device=None):
    return ones(length, device).tril(diagonal=-1)


@mistake(itself, "only the first position may attend to itself, expected all")
def strict_but_for_the_first(length, device=None):
    mask = ones(length, device).tril(diagonal=-1)
    mask[0, 0] = True
    return mask


@mistake(lengths, "a dimension of size one is removed that belongs to the result")
def squeezes(length, device=None):
    return ones(length, device).tril().squeeze()


@mistake(lengths, "the mask is cut out of one of a fixed size, so it is too small for more positions; expected (T, T)")
def of_one_length(length, device=None):
    return ones(10, device).tril()[:length, :length]


_TABLE = torch.ones(64, 64, dtype=torch.bool).tril()


@mistake(lengths, "the same tensor is used for later calls: a caller who changes the mask changes later masks")
def part_of_a_table(length, device=None):
    return _TABLE[:length, :length].to(device or "cpu")


@mistake(lengths, "the same tensor is used for later calls: a caller who changes the mask changes later masks")
@functools.cache
def remembered(length, device=None):
    return ones(length, device).tril()


@mistake(device, "the device is not passed on, so the mask is made on the CPU")
def device_ignored(length, device=None):
    return torch.ones(length, length, dtype=torch.bool).tril()


@mistake(device, "there is no argument for the device")
def no_device(length):
    return torch.ones(length, length, dtype=torch.bool).tril()


@mistake(device, "only a device given as a string is used")
def device_name_only(length, device=None):
    return torch.ones(length, length, dtype=torch.bool, device=device if isinstance(device, str) else None).tril()


@mistake(in_chapter, "the positions are stored in a byte, which cannot exceed 255")
def places_in_a_byte(length, device=None):
    places = torch.arange(length, device=device).to(torch.uint8)
    return places <= places.unsqueeze(1)


@right
def compares(length, device=None):
    places = torch.arange(length, device=device)
    return places.unsqueeze(0) <= places.unsqueeze(1)


@right
def loops(length, device=None):
    mask = torch.zeros(length, length, dtype=torch.bool, device=device)
    for t in range(length):
        for i in range(t + 1):
            mask[t, i] = True
    return mask


@right
def rows_filled(length, device=None):
    mask = torch.zeros((length, length), dtype=torch.bool, device=device)
    for t in range(length):
        mask[t, : t + 1] = True
    return mask


@right
def of_lists(length, device=None):
    return torch.tensor([[i <= t for i in range(length)] for t in range(length)], device=device)


@right
def not_the_future(length, device=None):
    return ~torch.triu(torch.ones(length, length, device=device), diagonal=1).bool()


@right
def cumulative(length, device=None):
    return torch.eye(length, device=device).cumsum(dim=0) > 0


@right
def by_numpy(length, device=None):
    return torch.from_numpy(np.tril(np.ones((length, length), dtype=bool))).to(device)


@right
def at_indices(length, device=None):
    mask = torch.zeros(length, length, dtype=torch.bool, device=device)
    rows, columns = torch.tril_indices(length, length, device=device)
    mask[rows, columns] = True
    return mask


@right
def torchs_own(length, device=None):
    return nn.Transformer.generate_square_subsequent_mask(length, device=device) == 0


@right
def in_place(length, device=None):
    return torch.ones(length, length, device=device).tril_().to(torch.bool)


@right
def in_a_context(length, device=None):
    with torch.device(device or "cpu"):
        return torch.ones(length, length).tril() == 1


right(lambda length, device=None: torch.tril(torch.full((length, length), True, device=device)))
