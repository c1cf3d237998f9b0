"""Sees in numbers that differ what they still have in common, such as a factor or another order: it often names a mistake that is not in any list."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

_NEAR = 1e-4
_FEWEST = 3
"""How many different values it takes to see a pattern in them."""
MOST_PLACES = 6
"""To how many decimal places numbers may be rounded and be taken for rounded ones."""
_THROUGH_FLOAT32 = 1e-5
"""How far off numbers of double precision are at most that went through float32."""
_FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "exp had been applied": torch.exp,
    "a logarithm had been taken": torch.log,
    "a logarithm to base 2 had been taken": torch.log2,
    "a square root had been taken": torch.sqrt,
    "it had been squared": torch.square,
    "it had been subtracted from 1": lambda x: 1 - x,
    "it had been divided by ln 2, as for a logarithm to base 2": lambda x: x / math.log(2),
    "it had been divided by ln 10, as for a logarithm to base 10": lambda x: x / math.log(10),
    "it had been multiplied by ln 2": lambda x: x * math.log(2),
    "it had been given in per cent": lambda x: 100 * x,
    "it had been divided by 100": lambda x: x / 100,
}
"""What may have been done to a single number, too, where it or the result has many digits: then it is hardly by chance."""


def pattern(got: Tensor, want: Tensor) -> str:
    """What numbers have in common with those that were expected, to follow what came back: ", as if …"; empty where nothing is seen.

    Args:
        got: What came back, floating point.
        want: What was expected, of the same shape, not the same.
    """
    exact = want.dtype is torch.float64
    got, want = got.double(), want.double()
    finite = want.isfinite()
    if not torch.equal(got.isfinite(), finite) or not torch.equal(got[~finite], want[~finite]):
        return ""
    if exact and want.dim() and _near(got, want, _THROUGH_FLOAT32):
        return ", as if float64 values had been converted to float32 and back"
    found = _rounded(got[finite], want[finite])
    if not found and _near(got[finite], want[finite]):
        return ""
    found = found or _changed(got[finite], want[finite])
    if not found and finite.all():
        found = _moved(got, want) or _by_row(got, want)
    return f", as if {found}" if found else ""


def _rounded(got: Tensor, want: Tensor) -> str:
    """That the values were rounded: of a single one, two places at least, since many a wrong number is short."""
    if want.unique().numel() < _FEWEST and want.numel() > 1:
        return ""
    for places in range(1 if want.numel() > 1 else 2, MOST_PLACES + 1):
        if got.any() and torch.allclose(got, want.round(decimals=places), rtol=1e-7, atol=10.0**-places / 1000):
            return f"rounded to {places} decimal place{'s' * (places > 1)}"
    return ""


def _changed(got: Tensor, want: Tensor) -> str:
    """What was done to each of the values, (N,)."""
    several = want.unique().numel() >= _FEWEST
    if several or (want.numel() == 1 and not (_is_short(got) and _is_short(want))):
        for name, function in _FUNCTIONS.items():
            if _near(got, function(want)):
                return name.replace("it had", "every value had") if several else name
        if _near(got, -want):
            return "the sign were inverted"
    if not several:
        return ""
    factor = (got @ want / (want @ want)).item()
    if factor and _near(got, factor * want):
        return f"every value had been multiplied by {factor:.4g}"
    offset = (got - want).mean().item()
    if _near(got, want + offset):
        return f"{offset:.4g} had been added to every value"
    return ""


def _moved(got: Tensor, want: Tensor) -> str:
    """How the values were moved to other places."""
    if want.unique().numel() < _FEWEST or not _near(got.flatten().sort().values, want.flatten().sort().values):
        return ""
    if want.dim() > 1 and want.shape[-1] == want.shape[-2] and _near(got, want.mT):
        return "the last two dimensions were swapped"
    for dim in range(want.dim()):
        if _near(got, want.flip(dim)):
            return f"the order along dimension {dim} were reversed"
        for step in (1, -1):
            if _near(got, want.roll(step, dim)):
                return f"the values were shifted by one along dimension {dim}"
    return "the right values were in a different order"


def _by_row(got: Tensor, want: Tensor) -> str:
    """What was done to each row, with another number in each."""
    if want.dim() < 2 or want.shape[-1] < _FEWEST or want[..., 0].numel() < 2:
        return ""
    factor = (got * want).sum(dim=-1, keepdim=True) / want.square().sum(dim=-1, keepdim=True)
    if factor.all() and _near(got, factor * want):
        return "each row had been multiplied by a number of its own"
    offset = (got - want).mean(dim=-1, keepdim=True)
    if _near(got, want + offset):
        return "a number of its own had been added to each row"
    return ""


def _is_short(values: Tensor) -> bool:
    """Whether they have two decimal places at most: between such numbers, many a pattern is there by chance."""
    return torch.equal(values, values.round(decimals=2))


def _near(got: Tensor, want: Tensor, tolerance: float = _NEAR) -> bool:
    """Whether they agree, by the size of the largest."""
    return bool(want.isfinite().all()) and torch.allclose(
        got, want, rtol=tolerance, atol=tolerance * min(1.0, want.abs().max().item()) / 10
    )
