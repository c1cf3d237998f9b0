"""What is right about `shift_matrix`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch08_self_attention.probes import shift_matrix as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_PAIR = "a pair of columns is rotated forwards by its angle"
_BLOCKS = "every pair has its own angle and its own block on the diagonal"


def _frequencies(size: int) -> Tensor:
    return torch.as_tensor(10_000.0 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size))


def _matrix(angles: Tensor) -> Tensor:
    """Blocks on the diagonal that turn (sine, cosine) forwards by these angles."""
    angles = angles.double()
    blocks = torch.stack([angles.cos(), angles.sin(), -angles.sin(), angles.cos()], dim=-1).reshape(-1, 2, 2)
    return torch.block_diag(*blocks).float()


def _apart(matrix: Tensor) -> Tensor:
    """The same map for vectors whose sines stand before all cosines."""
    order = torch.cat([torch.arange(0, len(matrix), 2), torch.arange(1, len(matrix), 2)])
    return matrix[order][:, order]


@judge(
    _PAIR,
    probe=probes.one_pair,
    points=1,
    hint="With two columns the matrix is 2 by 2, and its first row computes sin(a + b) from the sine and the "
    "cosine of a. Which of the four numbers has a minus sign?",
)
def forwards(got: Any, want: Any) -> Verdict:
    """One block: direction, signs and angle."""
    matrix, k = got["matrix"], want["k"]
    if is_close(matrix, want["matrix"]):
        return passed() if is_close(got["moved"], want["moved"]) else failed(difference(got["moved"], want["moved"]))
    right = want["matrix"]
    cosine, sine = right[0]
    others = {
        "the matrix goes the wrong way: it moves back by k, expected forwards. It is the transpose of the right "
        "one": right.T,
        "the second row has the wrong signs, so the matrix is a reflection: cos(a + b) = cos a cos b - sin a sin b": (
            torch.tensor([[cosine, sine], [sine, -cosine]])
        ),
        "the minus sign is missing: cos(a + b) = cos a cos b - sin a sin b": torch.tensor(
            [[cosine, sine], [sine, cosine]]
        ),
        "sine and cosine are swapped: for k = 0 the matrix must be the identity": torch.tensor(
            [[sine, cosine], [cosine, -sine]]
        ),
        "the columns are swapped: the first of them is the sine": torch.tensor([[sine, cosine], [cosine, sine]]),
        "k has no effect: the angle is that of k = 1": _matrix(torch.ones(1)),
        "the matrix is the one for k + 1": _matrix(torch.tensor([k + 1.0])),
        "the angle is k / 10000, expected k: for this pair, i is 0": _matrix(torch.tensor([k / 10_000.0])),
    }
    for message, values in others.items():
        if is_close(matrix, values):
            return failed(message)
    return failed(f"matrix: {difference(matrix, right)}")


@judge(
    _BLOCKS,
    probe=probes.pairs,
    points=2,
    hint="Rows 2i and 2i + 1 are zero except in the columns 2i and 2i + 1: the sine and the cosine of a pair are "
    "next to each other. Pair i is rotated by the angle k / 10000^(2i / d_model).",
)
def a_block_for_each_pair(got: Any, want: Any) -> Verdict:
    """All blocks; their direction is another check's business."""
    matrix, k = got["matrix"], want["k"]
    size = len(matrix)
    moved, vectors = got["moved"], want["vectors"]
    for right in (want["matrix"], want["matrix"].T):
        if is_close(matrix, right):
            expected = vectors @ right.T
            return passed() if is_close(moved, expected) else failed(f"moved: {difference(moved, expected)}")
    pairs = torch.arange(size // 2)
    others = {
        "every pair is rotated by the angle k, expected k times its own frequency": torch.full((size // 2,), float(k)),
        "the exponent is i / d_model, expected 2i / d_model": k * 10_000.0 ** (-pairs / size),
        "the exponent is 4i / d_model, expected 2i / d_model: the factor 2 is applied twice": k
        * 10_000.0 ** (-4 * pairs / size),
        "later pairs are rotated faster, expected slower: the sign of the exponent is wrong": (
            k * 10_000.0 ** (2 * pairs / size)
        ),
        "the angles are those of k = 1": _frequencies(size),
    }
    for right in (want["matrix"], want["matrix"].T):
        if is_close(matrix, _apart(right)):
            return failed(
                "the matrix is for vectors with all sines in the left half, but in the encoding sines and "
                "cosines alternate"
            )
    for message, angles in others.items():
        for other in (_matrix(angles), _matrix(-angles)):
            if is_close(matrix, other, atol=1e-3) or is_close(matrix, _apart(other), atol=1e-3):
                return failed(message)
    return failed(f"matrix: {difference(matrix, want['matrix'])}")


@judge(
    "k may be negative, zero or large",
    probe=probes.any_shift,
    points=1,
    hidden=True,
    needs=(_PAIR, _BLOCKS),
    hint="The angle is k times the frequency for every k: sine and cosine accept negative angles, and for k = 0 "
    "the matrix is the identity.",
)
def any_shift(got: Any, want: Any) -> Verdict:
    """The matrices, and what they make of vectors."""
    for name, right in want.items():
        for part in ("matrix", "moved"):
            if not is_close(got[name][part], right[part], atol=1e-3):
                return failed(f"{name}: {difference(got[name][part], right[part])}")
    return passed()


twice = judge(
    "each call returns a new matrix",
    probe=probes.twice,
    points=1,
    hidden=True,
    needs=(_PAIR, _BLOCKS),
    hint="Create the matrix in each call: if a caller changes it in place, the next call must not return the "
    "changed one.",
)(close("matrix", "moved"))
