"""What is asked of `LSTMCell`."""

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
from autograder.probing import unpack

GATES = 4


def _given(draw: Draw, batch: int = BATCH) -> dict[str, Tensor]:
    """An input, a state and a cell."""
    return {"x": draw.normal(batch, INPUT), "h": draw.normal(batch, STATE), "cell": draw.normal(batch, STATE)}


def step(cell, x: Tensor, state: tuple[Tensor, Tensor] | None) -> dict[str, Any]:
    """The two results by name."""
    result = cell(x, state)
    return dict(zip(("new h", "new cell"), unpack(result, h=(len(x), STATE), cell=(len(x), STATE)), strict=True))


def _stepped(cell_class, drawn: Weights, given: dict[str, Tensor]) -> dict[str, Any]:
    """The new state and cell, beside all that they were made of."""
    x, h, cell = (tensor.clone() for tensor in given.values())
    return {**step(built(cell_class, drawn), x, (h, cell)), **given, **drawn}


@probe("LSTMCell")
def mixed(cell_class, draw: Draw):
    """The same weights for i, f, g and o, which do not look at the state: their order is nothing."""
    return _stepped(cell_class, alike(draw, GATES), _given(draw))


@probe("LSTMCell")
def ordered(cell_class, draw: Draw):
    """Other weights for each, which do not look at the state."""
    drawn = weights(draw, GATES)
    drawn["weight_hh"].zero_()
    return _stepped(cell_class, drawn, _given(draw))


@probe("LSTMCell")
def whole(cell_class, draw: Draw):
    """Everything at once."""
    return _stepped(cell_class, weights(draw, GATES), _given(draw))


@probe("LSTMCell")
def from_nothing(cell_class, draw: Draw):
    """No state is given, or None."""
    cell, x = built(cell_class, weights(draw, GATES)), draw.normal(BATCH, INPUT)
    shape = BATCH, STATE
    of_none = dict(zip(("new h from None", "new cell from None"), unpack(cell(x), h=shape, cell=shape), strict=True))
    return {**step(cell, x, None), **of_none}


@probe("LSTMCell")
def alone(cell_class, draw: Draw):
    """A batch of one, step after step; what comes back is handed on as it is."""
    cell, state, states = built(cell_class, weights(draw, GATES)), (draw.normal(1, STATE), draw.normal(1, STATE)), []
    for _ in range(3):
        found = step(cell, draw.normal(1, INPUT), state)
        state = found["new h"].clone(), found["new cell"].clone()
        states.append(found)
    return {"states": states}


@probe("LSTMCell")
def without_bias(cell_class, draw: Draw):
    """A cell that has no biases."""
    x, h, cell = _given(draw).values()
    return step(built(cell_class, weights(draw, GATES, bias=False)), x, (h, cell))


@probe("LSTMCell")
def arguments(cell_class, draw: Draw):
    """Input, state and weights as they are after the call."""
    cell, given = built(cell_class, weights(draw, GATES)), _given(draw)
    with torch.no_grad():
        found = step(cell, given["x"], (given["h"], given["cell"]))
    return {**found, **given, **dict(cell.named_parameters())}


@probe("LSTMCell")
def cell_gradient(cell_class, draw: Draw):
    """What comes back to the weights, the input, the state and the cell."""
    cell, given = built(cell_class, weights(draw, GATES)), _given(draw)
    for tensor in given.values():
        tensor.requires_grad_()
    found = step(cell, given["x"], (given["h"], given["cell"]))
    sum((result * draw.normal(BATCH, STATE)).sum() for result in found.values()).backward()
    return gradients(cell, given)


@probe("LSTMCell")
def types(cell_class, draw: Draw):
    """Double precision, with a state and without; what is given are parts of larger tensors."""
    cell, given = built(cell_class, double(weights(draw, GATES))), double(_given(draw, 2 * BATCH))
    x, h, memory = (tensor[::2] for tensor in given.values())
    return {"with a state": step(cell, x, (h, memory)), "without": step(cell, x, None)}
