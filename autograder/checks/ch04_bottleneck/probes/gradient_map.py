"""What is asked of `gradient_map`.

In the place of a translator stands a small network with drawn weights, whose every step sees every number of the source. It
can be differentiated in any way that torch knows.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError

_WORDS, _SIZE, _STEPS, _INNER = 5, 3, 4, 8


def reader(first: Tensor, second: Tensor, words: int, size: int) -> Callable[[Tensor], Tensor]:
    """Log-probabilities of the steps, (T,), for an embedded source (S, E): the weights are (S E, K) and (K, T)."""

    def log_probs_of(embedded: Tensor) -> Tensor:
        if not isinstance(embedded, Tensor) or tuple(embedded.shape) != (words, size):
            raise MisuseError(
                f"the argument of log_probs_of is {kind_of(embedded)}, expected the embedded source, (S, E), here "
                f"{(words, size)}"
            )
        inner = (embedded.reshape(1, -1) @ first).tanh()  # A matrix of one row: forward mode cannot batch vectors.
        return F.logsigmoid(inner @ second).squeeze(0)

    return log_probs_of


def _weights(
    draw: Draw, words: int, size: int, steps: int, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor]:
    first = draw.normal(words * size, _INNER, scale=(words * size) ** -0.5, dtype=dtype)
    return first, draw.normal(_INNER, steps, dtype=dtype)


def _mapped(gradient_map, draw: Draw, steps: int) -> dict[str, Any]:
    """The map, and what it is the map of."""
    first, second = _weights(draw, _WORDS, _SIZE, steps)
    embedded = draw.normal(_WORDS, _SIZE)
    found = gradient_map(reader(first, second, _WORDS, _SIZE), embedded.clone())
    return {"map": found, "first": first, "second": second, "embedded": embedded}


@probe("gradient_map")
def one_step(gradient_map, draw: Draw):
    """One step, so that no other step can be mixed into it."""
    return _mapped(gradient_map, draw, 1)


@probe("gradient_map")
def steps(gradient_map, draw: Draw):
    """Four steps."""
    return _mapped(gradient_map, draw, _STEPS)


@probe("gradient_map")
def sizes(gradient_map, draw: Draw):
    """One word, one step, one number a word, and all of these together."""
    found = {}
    for words, size, number in ((1, 3, 4), (5, 3, 1), (5, 1, 4), (1, 1, 1)):
        log_probs_of = reader(*_weights(draw, words, size, number), words, size)
        found[f"words {words}, numbers {size}, steps {number}"] = gradient_map(log_probs_of, draw.normal(words, size))
    return found


@probe("gradient_map")
def double(gradient_map, draw: Draw):
    """Everything in double precision."""
    first, second = _weights(draw, _WORDS, _SIZE, _STEPS, dtype=torch.float64)
    embedded = draw.normal(_WORDS, _SIZE, dtype=torch.float64)
    return {"map": gradient_map(reader(first, second, _WORDS, _SIZE), embedded)}


@probe("gradient_map")
def inside_a_graph(gradient_map, draw: Draw):
    """Embedded words that were looked up in a table that learns."""
    table = draw.normal(9, _SIZE).requires_grad_()
    embedded = F.embedding(draw.integers(0, 9, _WORDS), table)
    return {"map": gradient_map(reader(*_weights(draw, _WORDS, _SIZE, _STEPS), _WORDS, _SIZE), embedded)}


@probe("gradient_map")
def left(gradient_map, draw: Draw):
    """Embedded words as they are after the call, plain ones and some that were looked up in a table."""
    log_probs_of = reader(*_weights(draw, _WORDS, _SIZE, _STEPS), _WORDS, _SIZE)
    plain, table = draw.normal(_WORDS, _SIZE), draw.normal(_WORDS, _SIZE).requires_grad_()
    found = gradient_map(log_probs_of, plain)
    gradient_map(log_probs_of, F.embedding(torch.arange(_WORDS), table))
    return {
        "map": found,
        "embedded": plain,
        "asks for a gradient": plain.requires_grad,
        "has a gradient": plain.grad is not None,
        "its table has a gradient": table.grad is not None,
    }
