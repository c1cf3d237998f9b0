"""What is asked of `GRUCell`."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch02_gates.probes.cells import (
    BATCH,
    INPUT,
    STATE,
    Weights,
    alike,
    built,
    double,
    gradients,
    weights,
)
from autograder.declare import probe
from autograder.draw import Draw

GATES = 3


def _given(draw: Draw, batch: int = BATCH) -> dict[str, Tensor]:
    """An input and a state."""
    return {"x": draw.normal(batch, INPUT), "h": draw.normal(batch, STATE)}


def _stepped(cell_class, drawn: Weights, given: dict[str, Tensor]) -> dict[str, Any]:
    """The new state, beside all that it was made of."""
    state = built(cell_class, drawn)(*(tensor.clone() for tensor in given.values()))
    return {"state": state, **given, **drawn}


@probe("GRUCell")
def mixed(cell_class, draw: Draw):
    """The same weights for r, z and n, which do not look at the state: their order is nothing, and so is the reset."""
    return _stepped(cell_class, alike(draw, GATES), _given(draw))


@probe("GRUCell")
def ordered(cell_class, draw: Draw):
    """Other weights for each; the candidate does not use the state, so that the reset gate is nothing."""
    drawn = weights(draw, GATES)
    for name in ("weight_hh", "bias_hh"):
        drawn[name][2 * STATE :] = 0
    return _stepped(cell_class, drawn, _given(draw))


@probe("GRUCell")
def whole(cell_class, draw: Draw):
    """Everything at once."""
    return _stepped(cell_class, weights(draw, GATES), _given(draw))


@probe("GRUCell")
def from_nothing(cell_class, draw: Draw):
    """No state is given, or None."""
    cell, x = built(cell_class, weights(draw, GATES)), draw.normal(BATCH, INPUT)
    return {"state": cell(x), "state from None": cell(x, None)}


@probe("GRUCell")
def alone(cell_class, draw: Draw):
    """A batch of one, step after step."""
    cell, state, states = built(cell_class, weights(draw, GATES)), draw.normal(1, STATE), []
    for _ in range(3):
        state = cell(draw.normal(1, INPUT), state.clone())
        states.append(state)
    return {"states": states}


@probe("GRUCell")
def without_bias(cell_class, draw: Draw):
    """A cell that has no biases."""
    return {"state": built(cell_class, weights(draw, GATES, bias=False))(*_given(draw).values())}


@probe("GRUCell")
def arguments(cell_class, draw: Draw):
    """Input, state and weights as they are after the call."""
    cell, given = built(cell_class, weights(draw, GATES)), _given(draw)
    with torch.no_grad():
        state = cell(*given.values())
    return {"state": state, **given, **dict(cell.named_parameters())}


@probe("GRUCell")
def cell_gradient(cell_class, draw: Draw):
    """What comes back to the weights, the input and the state."""
    cell, given = built(cell_class, weights(draw, GATES)), _given(draw)
    for tensor in given.values():
        tensor.requires_grad_()
    (cell(*given.values()) * draw.normal(BATCH, STATE)).sum().backward()
    return gradients(cell, given)


@probe("GRUCell")
def types(cell_class, draw: Draw):
    """Double precision, with a state and without; what is given are parts of larger tensors."""
    cell, given = built(cell_class, double(weights(draw, GATES))), double(_given(draw, 2 * BATCH))
    x, h = given["x"][::2], given["h"][::2]
    return {"state": cell(x, h), "state without one before": cell(x)}
