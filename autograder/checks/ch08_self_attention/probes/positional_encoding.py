"""What is asked of `positional_encoding`.

The encoding of one size is always the same, and a right one could be written down number by number: so each is also looked at
added to embeddings that are drawn, as the model does.
"""

from typing import Any

from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw


def added(encoding: Any, draw: Draw, length: int, d_model: int) -> dict[str, Any]:
    """The encoding, and embeddings to which it is added; to them alone if it is of another kind."""
    embeddings = draw.normal(length, d_model)
    fits = isinstance(encoding, Tensor) and encoding.dtype == embeddings.dtype and encoding.shape == embeddings.shape
    return {"encoding": encoding, "embeddings": embeddings + encoding if fits else embeddings}


@probe("positional_encoding")
def one_frequency(positional_encoding, draw: Draw):
    """Two columns, whose frequency is 1 whatever the exponent."""
    return added(positional_encoding(6, 2), draw, 6, 2)


@probe("positional_encoding")
def columns(positional_encoding, draw: Draw):
    """Six columns: what stands where."""
    return added(positional_encoding(5, 6), draw, 5, 6)


@probe("positional_encoding")
def frequencies(positional_encoding, draw: Draw):
    """Eight columns: how fast each pair of them turns."""
    return added(positional_encoding(7, 8), draw, 7, 8)


@probe("positional_encoding")
def sizes(positional_encoding, draw: Draw):
    """One position; many positions of many columns."""
    length, d_model = int(draw.integers(200, 400, 1)), 64
    return {
        "one position": added(positional_encoding(1, 4), draw, 1, 4),
        "many": added(positional_encoding(length, d_model), draw, length, d_model),
    }


@probe("positional_encoding")
def twice(positional_encoding, draw: Draw):
    """One asked for again, after the first was changed in place, as the caller may who owns it."""
    first = positional_encoding(6, 4)
    if isinstance(first, Tensor):
        first.zero_()
    return added(positional_encoding(6, 4), draw, 6, 4)


@probe("positional_encoding")
def refused(positional_encoding, draw: Draw):
    """Odd numbers of columns, and an even one."""
    answers = {}
    for size in (1, 5):
        try:
            positional_encoding(3, size)
        except ValueError:
            answers[f"d_model = {size}"] = "ValueError"
        except Exception as error:  # noqa: BLE001 - whatever a student's code raises
            answers[f"d_model = {size}"] = type(error).__name__
        else:
            answers[f"d_model = {size}"] = "no error"
    return {"refused": answers, **added(positional_encoding(3, 2), draw, 3, 2)}
