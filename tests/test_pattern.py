"""What numbers that differ have in common is told, and only that."""

import math

import pytest
import torch
from torch import Tensor

from autograder.judging.compare import difference

GENERATOR = torch.Generator().manual_seed(0)
ROWS = torch.randn(4, 5, generator=GENERATOR)
SQUARE = torch.randn(4, 4, generator=GENERATOR)
SHARES = ROWS.softmax(dim=-1)


@pytest.mark.parametrize(
    ("got", "want", "told"),
    [
        (ROWS * 0.25, ROWS, "every value had been multiplied by 0.25"),
        (ROWS + 0.7, ROWS, "0.7 had been added to every value"),
        (-ROWS, ROWS, "the sign were inverted"),
        (SHARES.log(), SHARES, "a logarithm had been taken"),
        (1 - SHARES, SHARES, "every value had been subtracted from 1"),
        (SQUARE.T, SQUARE, "the last two dimensions were swapped"),
        (ROWS.flip(0), ROWS, "the order along dimension 0 were reversed"),
        (ROWS.roll(1, 1), ROWS, "the values were shifted by one along dimension 1"),
        (ROWS[:, [0, 2, 1, 3, 4]], ROWS, "the right values were in a different order"),
        (SHARES * torch.arange(1.0, 5)[:, None], SHARES, "each row had been multiplied by a number of its own"),
        (ROWS.log_softmax(dim=-1), ROWS, "a number of its own had been added to each row"),
        (ROWS.round(decimals=3), ROWS, "rounded to 3 decimal places"),
        (ROWS.double(), ROWS.double() + 1e-7 * SHARES, "float64 values had been converted to float32 and back"),
        (math.exp(1.3), 1.3, "exp had been applied"),
        (1.3 / math.log(2), 1.3, "it had been divided by ln 2, as for a logarithm to base 2"),
        (0.33, 1 / 3, "rounded to 2 decimal places"),
        ([1.5, 2.0, 4.5], [3.0, 4.0, 9.0], "every value had been multiplied by 0.5"),
    ],
)
def test_a_pattern_is_told(got: Tensor | float, want: Tensor | float, told: str) -> None:
    assert difference(got, want).endswith(f", as if {told}")


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (ROWS + 0.1 * SQUARE[:, :1] * ROWS.square(), ROWS),
        (torch.zeros(4, 5), ROWS),
        (torch.full((4, 5), 0.2), SHARES),
        (ROWS.where(ROWS > 0, torch.nan), ROWS),
        (torch.tensor([2.0, 4.0]), torch.tensor([1.0, 2.0])),
        (torch.tensor([[1, 2], [3, 4]]), torch.tensor([[2, 4], [6, 8]])),
        (2.0, 4.0),
        (0.5, 0.25),
        (0.3, 0.09),
        (0.3, 1 / 3),
        (math.inf, 0.4),
    ],
    ids=[
        "different",
        "zeros",
        "uniform",
        "NaN",
        "two values",
        "integers",
        "whole",
        "short",
        "short in decimals",
        "one place",
        "infinite",
    ],
)
def test_no_pattern_is_told_where_there_is_none(got: Tensor | float, want: Tensor | float) -> None:
    assert "as if" not in difference(got, want)
