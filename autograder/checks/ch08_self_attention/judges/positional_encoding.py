"""What is right about `positional_encoding`, and what is said when it is not."""

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch08_self_attention.probes import positional_encoding as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_FIRST = "with two columns, they are the sine and the cosine of the position"
_COLUMNS = "sines are in the even columns, cosines in the odd ones"
_FREQUENCIES = "column pair i has the frequency 1 / 10000^(2i / d_model)"

# The exponent of 10000 in pair i, for its sine (0) or its cosine (1), with so many columns.
_Exponent = Callable[[Tensor, int, int], Tensor]


def _right(i: Tensor, cosine: int, size: int) -> Tensor:
    return 2 * i / size


_OTHERS: dict[str, _Exponent] = {
    "the exponent is i / d_model, expected 2i / d_model: i counts the pairs": lambda i, cosine, size: i / size,
    "the exponent is 4i / d_model, expected 2i / d_model: the factor 2 is applied twice": lambda i, cosine, size: (
        4 * i / size
    ),
    "sine and cosine of a pair have different frequencies: the exponent of the cosine is (2i + 1) / d_model, expected 2i / d_model, as "
    "for the sine": lambda i, cosine, size: (2 * i + cosine) / size,
    "the exponents are 2j / d_model, where j is the number of the column; expected 2i / d_model, where i is the "
    "number of the pair, for both columns": lambda i, cosine, size: (4 * i + 2 * cosine) / size,
    "the exponent is i / (d_model / 2 - 1), so that the last pair is divided by 10000 itself; expected 2i / d_model": (
        lambda i, cosine, size: i / max(size / 2 - 1, 1)
    ),
    "the exponent is 2(i + 1) / d_model; count the pairs from 0": lambda i, cosine, size: 2 * (i + 1) / size,
    "later pairs have higher frequencies, expected lower ones: the position is divided by 10000^(2i / d_model)": (
        lambda i, cosine, size: -2 * i / size
    ),
    "all pairs have the frequency 1": lambda i, cosine, size: 0 * i,
    "the base is 1000, expected 10000": lambda i, cosine, size: 1.5 * i / size,
    "the base is e, expected 10000": lambda i, cosine, size: 2 * i / size / math.log(10_000),
}


def _encoding(length: int, size: int, exponent: _Exponent = _right, start: int = 0, swapped: bool = False) -> Tensor:
    """An encoding, interleaved: right, or with mistakes."""
    positions = torch.arange(start, start + length, dtype=torch.float64).unsqueeze(1)
    i = torch.arange(size // 2, dtype=torch.float64)
    sines, cosines = (positions / 10_000.0 ** exponent(i, cosine, size) for cosine in (0, 1))
    columns = [cosines.cos(), sines.sin()] if swapped else [sines.sin(), cosines.cos()]
    return torch.stack(columns, dim=2).reshape(length, size).float()


def _in_blocks(encoding: Tensor) -> Tensor:
    """What stands in the even columns, then what stands in the odd ones."""
    return torch.cat([encoding[:, 0::2], encoding[:, 1::2]], dim=1)


def _with_other_mistakes(length: int, size: int, exponent: _Exponent) -> Iterator[Tensor]:
    """Encodings of this exponent, with and without the mistakes that are other checks' business, interleaved."""
    for start, swapped in product((0, 1), (False, True)):
        yield _encoding(length, size, exponent, start, swapped)


@judge(
    _FIRST,
    probe=probes.one_frequency,
    points=1,
    hint="10000 to the power of 0 is 1. The first row is position 0, whose sine is 0 and whose cosine is 1.",
)
def sine_and_cosine(got: Any, want: Any) -> Verdict:
    """Positions and order, at one frequency."""
    encoding = got["encoding"]
    if is_close(encoding, want["encoding"]):
        return close("embeddings")(got, want)
    length, size = encoding.shape
    if any(is_close(encoding, _encoding(length, size, exponent)) for exponent in _OTHERS.values()):
        return passed()  # Its exponent is another check's business.
    others = {
        "the positions are counted from 1, expected from 0": _encoding(length, size, start=1),
        "sine and cosine are swapped: expected the sine in column 0": _encoding(length, size, swapped=True),
        "sine and cosine are swapped, and the positions are counted from 1": _encoding(
            length, size, start=1, swapped=True
        ),
        "both columns are sines": _encoding(length, size)[:, :1].expand(-1, 2),
        "both columns are cosines": _encoding(length, size)[:, 1:].expand(-1, 2),
        "these are the angles themselves, not their sines and cosines": torch.arange(length)
        .unsqueeze(1)
        .expand(-1, 2)
        .float(),
        "the positions are treated as degrees, expected radians": torch.stack(
            [torch.arange(length).deg2rad().sin(), torch.arange(length).deg2rad().cos()], dim=1
        ),
    }
    for message, values in others.items():
        if is_close(encoding, values):
            return failed(message)
    return failed(f"encoding: {difference(encoding, want['encoding'])}")


@judge(
    _COLUMNS,
    probe=probes.columns,
    points=1,
    needs=(_FIRST,),
    hint="Pair i has the columns 2i and 2i + 1, next to each other: sine, cosine, sine, cosine, … A slice with a "
    "step, encoding[:, 0::2], is every second column.",
)
def interleaved(got: Any, want: Any) -> Verdict:
    """What stands where; frequencies, positions and the order within a pair are other checks' business."""
    encoding = got["encoding"]
    if is_close(encoding, want["encoding"]):
        return close("embeddings")(got, want)
    length, size = encoding.shape
    for exponent in (_right, *_OTHERS.values()):
        for other in _with_other_mistakes(length, size, exponent):
            if is_close(encoding, _in_blocks(other)):
                return failed("sines and cosines are in separate halves; expected alternating columns")
            if is_close(encoding, other):
                return passed()
    if is_close(encoding[:, 0::2], want["encoding"][:, 0::2]):
        return failed("the even columns are right, but the odd ones are not: expected the cosines there")
    pairs = encoding[:, 0::2].square() + encoding[:, 1::2].square()
    if is_close(pairs, torch.ones_like(pairs), atol=1e-3) and not is_close(encoding[0], encoding[-1]):
        return passed()  # Sine and cosine of one angle stand side by side.
    return failed(f"encoding: {difference(encoding, want['encoding'])}")


@judge(
    _FREQUENCIES,
    probe=probes.frequencies,
    points=2,
    needs=(_FIRST, _COLUMNS),
    hint="i runs over the pairs of columns, from 0 to d_model / 2 - 1, and 2i is the number of a pair's even column. Both columns of a pair have "
    "the same angle: the position divided by 10000^(2i / d_model).",
)
def slower_and_slower(got: Any, want: Any) -> Verdict:
    """The frequencies; positions, order and layout are other checks' business."""
    encoding = got["encoding"]
    length, size = encoding.shape
    for other in _with_other_mistakes(length, size, _right):
        if is_close(encoding, other) or is_close(encoding, _in_blocks(other)):
            drawn, mine = want["embeddings"] - want["encoding"], got["embeddings"] - encoding
            return passed() if is_close(mine, drawn) else failed(f"embeddings: {difference(mine, drawn)}")
    for message, exponent in _OTHERS.items():
        for other in _with_other_mistakes(length, size, exponent):
            if is_close(encoding, other, atol=1e-3) or is_close(encoding, _in_blocks(other), atol=1e-3):
                return failed(message)
    return failed(f"encoding: {difference(encoding, want['encoding'])}")


@judge(
    "an odd d_model raises an error",
    probe=probes.refused,
    points=1,
    needs=(_FIRST, _FREQUENCIES),
    hint="Sines and cosines come in pairs. Raise ValueError with a message that says what was wrong.",
)
def refuses(got: Any, want: Any) -> Verdict:
    """A ValueError where it is due, and none where it is not."""
    for case, raised in got["refused"].items():
        if raised == "no error":
            return failed(f"{case} raised no error, expected a ValueError")
        if raised != "ValueError":
            return failed(
                f"{case} raised {raised}, expected a ValueError of your own with a message that says what was wrong"
            )
    sines = [answer["embeddings"][:, 0] for answer in (got, want)]
    return passed() if is_close(*sines) else failed(f"for an even d_model, column 0: {difference(*sines)}")


sizes = judge(
    "one position works, and so do many positions with many columns",
    probe=probes.sizes,
    points=1,
    hidden=True,
    needs=(_FIRST, _COLUMNS, _FREQUENCIES),
    hint="Take every size from the arguments, and keep the dimension even for one position. The angles become "
    "large: half precision cannot represent them.",
)(close(atol=1e-3))

twice = judge(
    "each call returns a new encoding",
    probe=probes.twice,
    points=1,
    hidden=True,
    needs=(_FIRST, _COLUMNS, _FREQUENCIES),
    hint="Create the encoding in each call: if a caller changes it in place, the next call must not return the "
    "changed one.",
)(close())
