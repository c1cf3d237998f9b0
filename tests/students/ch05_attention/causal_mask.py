"""What students hand in for `causal_mask`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools

import numpy as np
import torch
from torch import nn

EXERCISE = "causal_mask"


def ones(length, device):
    """A mask that hides nothing."""
    return torch.ones(length, length, dtype=torch.bool, device=device)


def hides_nothing(length, device=None):
    """The triangle is forgotten."""
    return ones(length, device)


def inverted(length, device=None):
    """True where a place is hidden, as torch's own layers have it."""
    return ones(length, device).triu(diagonal=1)


def transposed(length, device=None):
    """Rows and columns have changed places."""
    return ones(length, device).triu()


def sees_one_ahead(length, device=None):
    """Off by one: the next position is seen."""
    return ones(length, device).tril(diagonal=1)


def sees_the_last_alone(length, device=None):
    """Each position sees itself and the one before it."""
    return ones(length, device).tril() & ones(length, device).triu(diagonal=-1)


def itself_alone(length, device=None):
    """Each position sees itself and nothing else."""
    return torch.eye(length, dtype=torch.bool, device=device)


def of_numbers(length, device=None):
    """Ones and zeros for True and False."""
    return torch.ones(length, length, device=device).tril()


def of_infinities(length, device=None):
    """What is added to the scores elsewhere."""
    return nn.Transformer.generate_square_subsequent_mask(length, device=device)


def with_a_batch(length, device=None):
    """A batch that nobody asked for."""
    return ones(length, device).tril().unsqueeze(0)


def one_row(length, device=None):
    """The mask of the last position alone."""
    return torch.ones(length, dtype=torch.bool, device=device)


def nothing_returned(length, device=None):
    """The return is missing."""
    ones(length, device).tril()


def misses_the_position_before(length, device=None):
    """Off by two."""
    return ones(length, device).tril(diagonal=-2) | torch.eye(length, dtype=torch.bool, device=device)


def strict(length, device=None):
    """Off by one: no position sees itself."""
    return ones(length, device).tril(diagonal=-1)


def strict_but_for_the_first(length, device=None):
    """No position sees itself, but for the first, whose row would be empty."""
    mask = ones(length, device).tril(diagonal=-1)
    mask[0, 0] = True
    return mask


def squeezes(length, device=None):
    """One position alone has no dimensions."""
    return ones(length, device).tril().squeeze()


def of_one_length(length, device=None):
    """A mask of ten positions at most."""
    return ones(10, device).tril()[:length, :length]


_TABLE = torch.ones(64, 64, dtype=torch.bool).tril()


def part_of_a_table(length, device=None):
    """A table made once, and handed out in parts."""
    return _TABLE[:length, :length].to(device or "cpu")


@functools.cache
def remembered(length, device=None):
    """The same mask at every call."""
    return ones(length, device).tril()


def device_ignored(length, device=None):
    """The mask is made where torch makes tensors by itself."""
    return torch.ones(length, length, dtype=torch.bool).tril()


def no_device(length):
    """The argument is gone."""
    return torch.ones(length, length, dtype=torch.bool).tril()


def device_name_only(length, device=None):
    """A device that is an object is not looked at."""
    return torch.ones(length, length, dtype=torch.bool, device=device if isinstance(device, str) else None).tril()


def places_in_a_byte(length, device=None):
    """The positions are stored in a byte, which cannot exceed 255."""
    places = torch.arange(length, device=device).to(torch.uint8)
    return places <= places.unsqueeze(1)


_OTHERS = "each position may attend to all positions before it and to none after it"
_ITSELF = "each position may attend to itself"
_LENGTHS = "any length works, and each call returns a new mask"
_DEVICE = "the mask is made on the given device"

WRONG = {
    places_in_a_byte: "works as the chapter uses it",
    hides_nothing: _OTHERS,
    inverted: _OTHERS,
    transposed: _OTHERS,
    sees_one_ahead: _OTHERS,
    sees_the_last_alone: _OTHERS,
    itself_alone: _OTHERS,
    of_numbers: _OTHERS,
    of_infinities: _OTHERS,
    with_a_batch: _OTHERS,
    one_row: _OTHERS,
    nothing_returned: _OTHERS,
    misses_the_position_before: _OTHERS,
    strict: _ITSELF,
    strict_but_for_the_first: _ITSELF,
    squeezes: _LENGTHS,
    of_one_length: _LENGTHS,
    part_of_a_table: _LENGTHS,
    remembered: _LENGTHS,
    device_ignored: _DEVICE,
    no_device: _DEVICE,
    device_name_only: _DEVICE,
}


def compares(length, device=None):
    """i ≤ t as it stands."""
    places = torch.arange(length, device=device)
    return places.unsqueeze(0) <= places.unsqueeze(1)


def loops(length, device=None):
    """Place by place."""
    mask = torch.zeros(length, length, dtype=torch.bool, device=device)
    for t in range(length):
        for i in range(t + 1):
            mask[t, i] = True
    return mask


def rows_filled(length, device=None):
    """Row by row, in a slice."""
    mask = torch.zeros((length, length), dtype=torch.bool, device=device)
    for t in range(length):
        mask[t, : t + 1] = True
    return mask


def of_lists(length, device=None):
    """Lists within a list."""
    return torch.tensor([[i <= t for i in range(length)] for t in range(length)], device=device)


def not_the_future(length, device=None):
    """All but the future."""
    return ~torch.triu(torch.ones(length, length, device=device), diagonal=1).bool()


def cumulative(length, device=None):
    """The running sum of the unit matrix, turned."""
    return torch.eye(length, device=device).cumsum(dim=0) > 0


def by_numpy(length, device=None):
    """numpy's triangle."""
    return torch.from_numpy(np.tril(np.ones((length, length), dtype=bool))).to(device)


def at_indices(length, device=None):
    """The places of the triangle, set at once."""
    mask = torch.zeros(length, length, dtype=torch.bool, device=device)
    rows, columns = torch.tril_indices(length, length, device=device)
    mask[rows, columns] = True
    return mask


def torchs_own(length, device=None):
    """torch's mask is added to scores: zero where a place may be attended."""
    return nn.Transformer.generate_square_subsequent_mask(length, device=device) == 0


def in_place(length, device=None):
    """A tensor of its own may be changed in place."""
    return torch.ones(length, length, device=device).tril_().to(torch.bool)


def in_a_context(length, device=None):
    """The device for everything that is made."""
    with torch.device(device or "cpu"):
        return torch.ones(length, length).tril() == 1


RIGHT = {
    "in a context": in_a_context,
    "compares": compares,
    "loops": loops,
    "rows filled": rows_filled,
    "of lists": of_lists,
    "not the future": not_the_future,
    "cumulative": cumulative,
    "by numpy": by_numpy,
    "at indices": at_indices,
    "torch's own": torchs_own,
    "in place": in_place,
    "a lambda": lambda length, device=None: torch.tril(torch.full((length, length), True, device=device)),
}
