"""The checks of `positional_encoding`."""

from functools import partial
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.checks.ch08_self_attention.errors import error_of, not_refused
from autograder.declare import Exercise, check
from autograder.judging.compare import close, difference, is_close
from autograder.judging.verdict import Verdict, failed

EXERCISE = Exercise("positional_encoding", "a pattern for every position", minutes=20, difficulty=2)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(positional_encoding, draw: Draw) -> Use:
    """Some places of a sentence, then of a document; once as wide as a model is, and of the longest document two columns."""

    def call(length: int, d_model: int, places: list[int]) -> list[Tensor]:
        return [
            positional_encoding(length, d_model)[..., places, :],
            positional_encoding(length + 3000, 2)[..., -9:, :],
        ]

    first, later = draw.integers(0, 21, 5).tolist(), [*draw.integers(0, 700, 5).tolist(), 2201]
    return Use(call, (21, 96, first), (2202, 4, later))


def added(encoding: Any, draw: Draw, length: int, d_model: int) -> dict[str, Any]:
    """The encoding, and embeddings to which it is added, whatever its form; to them alone if it has another number of values."""
    embeddings = draw.normal(length, d_model)
    fits = isinstance(encoding, Tensor) and encoding.numel() == embeddings.numel()
    return {
        "encoding": encoding,
        "embeddings": embeddings + encoding.to(embeddings).reshape(embeddings.shape) if fits else embeddings,
    }


def drawn(answer: Any) -> Tensor:
    """The embeddings to which the encoding was added."""
    return answer["embeddings"] - answer["encoding"]


def sines_and_first_position(answer):
    """The column of sines and position 0: the frequency of the cosines is another check's business."""
    encoding = answer["encoding"]
    return {"column 0": encoding[:, 0], "position 0": encoding[0], "embeddings": drawn(answer)}


def alternates(got: Any, want: Any) -> Verdict:
    """Compares which columns are sines: at position 0 they are 0 and cosines are 1, or the squares of each pair add up to one."""
    encoding, right = got["encoding"], want["encoding"]
    squares = encoding[:, 0::2].square() + encoding[:, 1::2].square()
    if is_close(encoding[0], right[0]) or is_close(squares, torch.ones_like(squares), atol=1e-3):
        return close()(*({"embeddings": drawn(answer)} for answer in (got, want)))
    begins, expected = (" ".join(f"{number:.3g}" for number in row.tolist()) for row in (encoding[0], right[0]))
    return failed(f"position 0 is {begins}; expected {expected}")


def speeds(answer):
    """The products of all positions: they depend on the frequencies, and neither on the order of columns nor on the first position."""
    encoding = answer["encoding"]
    return {"products": encoding @ encoding.T, "embeddings": drawn(answer)}


def refused_and_sines(answer):
    """What was refused, and the column of sines where nothing was."""
    return {"refused": answer["refused"], "column 0": answer["encoding"][:, 0], "embeddings": drawn(answer)}


@check(
    "with two columns, they are the sine and the cosine of the position",
    points=1,
    reads=sines_and_first_position,
    hint="10000 to the power of 0 is 1. The first row is position 0, whose sine is 0 and whose cosine is 1.",
)
def one_frequency(positional_encoding, draw: Draw):
    """Two columns, whose frequency is 1 whatever the exponent."""
    return added(positional_encoding(6, 2), draw, 6, 2)


@check(
    "sines are in the even columns, cosines in the odd ones",
    points=1,
    needs=one_frequency,
    compare=alternates,
    hint="Pair i has the columns 2i and 2i + 1, next to each other: sine, cosine, sine, cosine, … A slice with a "
    "step, encoding[:, 0::2], is every second column.",
)
def columns(positional_encoding, draw: Draw):
    """Six columns: what stands where."""
    return added(positional_encoding(5, 6), draw, 5, 6)


@check(
    "column pair i has the frequency 1 / 10000^(2i / d_model)",
    points=2,
    needs=(one_frequency, columns),
    reads=speeds,
    hint="i runs over the pairs of columns, from 0 to d_model / 2 - 1, and 2i is the number of a pair's even column. Both columns of a pair have "
    "the same angle: the position divided by 10000^(2i / d_model).",
)
def frequencies(positional_encoding, draw: Draw):
    """Eight columns: how fast each pair of them turns."""
    return added(positional_encoding(7, 8), draw, 7, 8)


@frequencies.explain
def encoding_apart(got, want):
    """The encoding itself, as products of positions are in nobody's code."""
    return f"encoding: {difference(got['encoding'], want['encoding'])}"


@check(
    "an odd d_model raises an error",
    points=1,
    needs=(one_frequency, frequencies),
    reads=refused_and_sines,
    hint="Sines and cosines come in pairs. Raise ValueError with a message that says what was wrong.",
)
def refused(positional_encoding, draw: Draw):
    """Odd numbers of columns, and an even one."""
    answers = {f"d_model = {size}": error_of(partial(positional_encoding, 3, size)) for size in (1, 5)}
    return {"refused": answers, **added(positional_encoding(3, 2), draw, 3, 2)}


refused.explain(not_refused)


@check(
    "one position works, and so do many positions with many columns",
    points=1,
    hidden=True,
    needs=(one_frequency, columns, frequencies),
    compare=close(atol=0.001),
    hint="Take every size from the arguments, and keep the dimension even for one position. The angles become "
    "large: half precision cannot represent them.",
)
def sizes(positional_encoding, draw: Draw):
    """One position; many positions of many columns."""
    length, d_model = int(draw.integers(200, 400, 1)), 64
    return {
        "one position": added(positional_encoding(1, 4), draw, 1, 4),
        "many": added(positional_encoding(length, d_model), draw, length, d_model),
    }


@check(
    "each call returns a new encoding",
    points=1,
    hidden=True,
    needs=(one_frequency, columns, frequencies),
    hint="Create the encoding in each call: if a caller changes it in place, the next call must not return the "
    "changed one.",
)
def twice(positional_encoding, draw: Draw):
    """One asked for again, after the first was changed in place, as the caller may who owns it."""
    first = positional_encoding(6, 4)
    if isinstance(first, Tensor):
        first.zero_()
    return added(positional_encoding(6, 4), draw, 6, 4)
