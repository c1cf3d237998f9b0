"""What is asked of `shift_matrix`.

The matrix of one k is always the same: so it is also looked at through vectors that are drawn, which it multiplies.
"""

from typing import Any

from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw


def moved(shift_matrix, draw: Draw, k: int, d_model: int) -> dict[str, Any]:
    """The matrix, and what it makes of vectors: nothing if it is of another kind."""
    matrix, vectors = shift_matrix(k, d_model), draw.normal(3, d_model)
    fits = isinstance(matrix, Tensor) and matrix.dtype == vectors.dtype and matrix.shape == (d_model, d_model)
    return {"k": k, "matrix": matrix, "moved": vectors @ matrix.T if fits else vectors, "vectors": vectors}


@probe("shift_matrix")
def one_pair(shift_matrix, draw: Draw):
    """Two columns, whose frequency is 1."""
    return moved(shift_matrix, draw, int(draw.integers(1, 9, 1)), 2)


@probe("shift_matrix")
def pairs(shift_matrix, draw: Draw):
    """Six columns."""
    return moved(shift_matrix, draw, int(draw.integers(1, 9, 1)), 6)


@probe("shift_matrix")
def any_shift(shift_matrix, draw: Draw):
    """Backwards, not at all, and far; with more columns."""
    back, far = -int(draw.integers(1, 9, 1)), int(draw.integers(50, 90, 1))
    return {
        name: moved(shift_matrix, draw, k, 16) for name, k in {"backwards": back, "not at all": 0, "far": far}.items()
    }


@probe("shift_matrix")
def twice(shift_matrix, draw: Draw):
    """One asked for again, after the first was changed in place, as the caller may who owns it."""
    k = int(draw.integers(1, 9, 1))
    first = shift_matrix(k, 4)
    if isinstance(first, Tensor):
        first.zero_()
    return moved(shift_matrix, draw, k, 4)
