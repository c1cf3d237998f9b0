"""What the tests against torch's own modules have in common."""

import pytest
import torch

every_dtype = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])


def near(dtype):
    """As near as two orders of adding up can be."""
    return {"rtol": 1e-9, "atol": 1e-10} if dtype == torch.float64 else {"rtol": 1e-4, "atol": 2e-5}


def assert_near(got, want):
    torch.testing.assert_close(got, want, **near(want.dtype))
