"""The checks of `shift_matrix`."""

from typing import Any

from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import close
from autograder.judging.verdict import Verdict, passed

EXERCISE = Exercise("shift_matrix", "a bonus: a shift is a matrix", minutes=20, difficulty=3)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(shift_matrix, draw: Draw) -> Use:
    """A step of a few places back, then one that is longer than a sentence."""
    return Use(shift_matrix, (-int(draw.integers(1, 9)), 14), (int(draw.integers(90, 130)), 10))


def moved(shift_matrix, draw: Draw, k: int, d_model: int) -> dict[str, Any]:
    """The matrix, and what it makes of vectors, whatever its form: nothing if it has another number of values."""
    matrix, vectors = shift_matrix(k, d_model), draw.normal(3, d_model)
    fits = isinstance(matrix, Tensor) and matrix.numel() == d_model**2
    moved = vectors @ matrix.to(vectors).reshape(d_model, d_model).T if fits else vectors
    return {"matrix": matrix, "moved": moved, "vectors": vectors}


def in_either_direction(got: Any, want: Any) -> Verdict:
    """Compares with the matrix and with its transpose: the direction is another check's business."""
    turned = {"matrix": want["matrix"].T, "moved": want["vectors"] @ want["matrix"]}
    return passed() if close()(got, turned).ok else close()(got, want)


@check(
    "a pair of columns is rotated forwards by its angle",
    points=1,
    hint="With two columns the matrix is 2 by 2, and its first row computes sin(a + b) from the sine and the "
    "cosine of a. Which of the four numbers has a minus sign?",
)
def one_pair(shift_matrix, draw: Draw):
    """Two columns, whose frequency is 1."""
    return moved(shift_matrix, draw, int(draw.integers(1, 9, 1)), 2)


@check(
    "every pair has its own angle and its own block on the diagonal",
    points=2,
    compare=in_either_direction,
    hint="Rows 2i and 2i + 1 are zero except in the columns 2i and 2i + 1: the sine and the cosine of a pair are "
    "next to each other. Pair i is rotated by the angle k / 10000^(2i / d_model).",
)
def pairs(shift_matrix, draw: Draw):
    """Six columns."""
    return moved(shift_matrix, draw, int(draw.integers(1, 9, 1)), 6)


@check(
    "k may be negative, zero or large",
    points=1,
    hidden=True,
    needs=(one_pair, pairs),
    compare=close(atol=1e-3),
    hint="The angle is k times the frequency for every k: sine and cosine accept negative angles, and for k = 0 "
    "the matrix is the identity.",
)
def any_shift(shift_matrix, draw: Draw):
    """Backwards, not at all, and far; with more columns."""
    back, far = -int(draw.integers(1, 9, 1)), int(draw.integers(600, 900, 1))
    return {
        name: moved(shift_matrix, draw, k, 16) for name, k in {"backwards": back, "not at all": 0, "far": far}.items()
    }


@check(
    "each call returns a new matrix",
    points=1,
    hidden=True,
    needs=(one_pair, pairs),
    hint="Create the matrix in each call: if a caller changes it in place, the next call must not return the "
    "changed one.",
)
def twice(shift_matrix, draw: Draw):
    """One asked for again, after the first was changed in place, as the caller may who owns it."""
    k = int(draw.integers(1, 9, 1))
    first = shift_matrix(k, 4)
    if isinstance(first, Tensor):
        first.zero_()
    return moved(shift_matrix, draw, k, 4)
