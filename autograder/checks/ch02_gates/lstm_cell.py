"""The checks of `LSTMCell`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import unpack
from autograder.asking.rules import RECURRENT
from autograder.asking.usage import Use, in_use, weigh
from autograder.checks.ch02_gates.cells import (
    BATCH,
    FINITE,
    INPUT,
    STATE,
    Weights,
    alike,
    built,
    double,
    far_from_zero,
    gradients,
    is_finite_far_from_zero,
    weights,
    without_biases,
)
from autograder.checks.ch02_gates.hints import (
    ALONE_HINT,
    ARGUMENTS_HINT,
    BIAS_HINT,
    FROM_ZEROS_HINT,
    GRADIENT_HINT,
    TYPES_HINT,
)
from autograder.declare import Exercise, check
from autograder.judging.compare import close

EXERCISE = Exercise(
    "LSTMCell", "a cell with three gates and a separate memory", minutes=25, difficulty=2, forbids=(RECURRENT,)
)


_INPUT, _STATE = 5, 7


@in_use()
def in_chapter(cell_class, draw: Draw) -> Use:
    """With a state and without one; then one sequence whose sums are far from 0."""
    cell = weigh(cell_class(_INPUT, _STATE), draw)

    def call(x: Tensor, state: tuple[Tensor, Tensor]) -> list[Any]:
        return [cell(x, state), cell(x)]

    first = draw.normal(4, _INPUT), (draw.normal(4, _STATE), draw.normal(4, _STATE))
    later = draw.normal(1, _INPUT, scale=300.0), (draw.state(1, _STATE), draw.normal(1, _STATE, scale=30.0))
    return Use(call, first, later, modules=(cell,))


GATES = 4


def _given(draw: Draw, batch: int = BATCH) -> dict[str, Tensor]:
    """An input, a state and a cell."""
    return {"x": draw.normal(batch, INPUT), "h": draw.normal(batch, STATE), "cell": draw.normal(batch, STATE)}


def _halves(draw: Draw) -> Weights:
    """Weights for which all three gates are 1/2, which needs both biases: which of them is which, and whether it is turned round, does not matter."""
    drawn = weights(draw, GATES)
    for gate in (0, 1, 3):
        rows = slice(gate * STATE, (gate + 1) * STATE)
        drawn["weight_ih"][rows], drawn["weight_hh"][rows] = 0, 0
        drawn["bias_hh"][rows] = -drawn["bias_ih"][rows]
    return drawn


def step(cell, x: Tensor, state: tuple[Tensor, Tensor] | None) -> dict[str, Any]:
    """The two results by name."""
    result = cell(x, state)
    return dict(zip(("new h", "new cell"), unpack(result, h=(len(x), STATE), cell=(len(x), STATE)), strict=True))


def _stepped(cell_class, drawn: Weights, given: dict[str, Tensor]) -> dict[str, Any]:
    """The new state and cell, with weights that were drawn."""
    x, h, cell = given.values()
    return step(built(cell_class, drawn), x, (h, cell))


@check(
    "the cell forgets a part and takes in a part of the candidate: f ⊙ cell + i ⊙ g",
    reads=("new cell",),
    points=2,
    hint="i, f and o are between 0 and 1 and go through the sigmoid; the candidate g goes through the tanh. Input and output "
    "are pairs in the same order: first the state h, then the cell.",
)
def mixed(cell_class, draw: Draw):
    """The same weights for i, f, g and o, which do not look at the state: their order is nothing."""
    return _stepped(cell_class, alike(draw, GATES), _given(draw))


let_out = check(
    "the state is o ⊙ tanh(cell), with the new cell",
    reads=("new h",),
    points=1,
    needs=mixed,
    hint="The components of the cell may be larger than 1, but those of the state may not. Read the last line of the "
    "formula again.",
)(mixed)


@check(
    "the weights are those of i, f, g and o, in this order",
    points=1,
    needs=(mixed, let_out),
    hint="weight_ih has 4 H rows: the first H are W_ii, the next W_if, then W_ig, and the last H are W_io. Which of them is "
    "the candidate? And both biases are added.",
)
def ordered(cell_class, draw: Draw):
    """Other weights for each, which do not look at the state."""
    drawn = weights(draw, GATES)
    drawn["weight_hh"].zero_()
    return _stepped(cell_class, drawn, _given(draw))


@check(
    "the previous state enters every gate",
    points=1,
    needs=(mixed, let_out, ordered),
    hint="Every gate is computed from two products: of the input with weight_ih, and of the previous state h with weight_hh. "
    "The cell does not enter any of them.",
)
def whole(cell_class, draw: Draw):
    """Everything at once."""
    return _stepped(cell_class, weights(draw, GATES), _given(draw))


@check(
    "without a state it starts from zeros",
    points=1,
    needs=(mixed, let_out, ordered, whole),
    reads=("new cell", "new cell from None"),
    hint=FROM_ZEROS_HINT,
)
def from_nothing(cell_class, draw: Draw):
    """No state is given, or None. How the new state is computed from the new cell does not matter, here and below."""
    cell, x = built(cell_class, _halves(draw)), draw.normal(BATCH, INPUT)
    shape = BATCH, STATE
    of_none = dict(zip(("new h from None", "new cell from None"), unpack(cell(x), h=shape, cell=shape), strict=True))
    return {**step(cell, x, None), **of_none}


@check(
    "one sequence alone, step after step",
    points=1,
    hidden=True,
    needs=(mixed, let_out, ordered, whole),
    hint=ALONE_HINT,
)
def alone(cell_class, draw: Draw):
    """A batch of one, step after step; what comes back is handed on as it is."""
    cell, state, states = built(cell_class, weights(draw, GATES)), (draw.normal(1, STATE), draw.normal(1, STATE)), []
    for _ in range(3):
        found = step(cell, draw.normal(1, INPUT), state)
        state = found["new h"].clone(), found["new cell"].clone()
        states.append(found)
    return {"states": states}


@check(
    "it works without biases",
    points=1,
    needs=(mixed, let_out, ordered, whole),
    reads=("new cell",),
    hint=BIAS_HINT,
)
def without_bias(cell_class, draw: Draw):
    """A cell that has no biases."""
    return _stepped(cell_class, without_biases(_halves(draw)), _given(draw))


@check(
    "state, cell, input and weights are left as they were",
    points=1,
    needs=(mixed, let_out, ordered, whole),
    reads=("new cell", "weights"),
    arguments=True,
    hint=ARGUMENTS_HINT,
)
def arguments(cell_class, draw: Draw):
    """The weights as they are after the call."""
    cell, (x, h, memory) = built(cell_class, _halves(draw)), _given(draw).values()
    with torch.no_grad():
        found = step(cell, x, (h, memory))
    return {**found, "weights": dict(cell.named_parameters())}


@check(
    "the gradient reaches all weights, the input, the state and the cell",
    points=1,
    needs=(mixed, let_out, ordered, whole, arguments),
    hint=GRADIENT_HINT,
)
def cell_gradient(cell_class, draw: Draw):
    """What comes back to the weights, the input, the state and the cell."""
    cell, given = built(cell_class, weights(draw, GATES)), _given(draw)
    for tensor in given.values():
        tensor.requires_grad_()
    found = step(cell, given["x"], (given["h"], given["cell"]))
    sum((result * draw.normal(BATCH, STATE)).sum() for result in found.values()).backward()
    far = draw.normal(BATCH, INPUT, scale=400.0), (draw.normal(BATCH, STATE), draw.normal(BATCH, STATE))
    return {**gradients(cell, given), FINITE: is_finite_far_from_zero(cell, *far)}


cell_gradient.explain(far_from_zero)


@check(
    "in double precision state and cell are double",
    points=1,
    hidden=True,
    needs=(mixed, let_out, ordered, whole, from_nothing),
    reads=("new cell", "new cell from None"),
    compare=close(rtol=1e-09, atol=1e-09),
    hint=TYPES_HINT,
)
def types(cell_class, draw: Draw):
    """Double precision, with a state and without; what is given are parts of larger tensors."""
    cell, given = built(cell_class, double(_halves(draw))), double(_given(draw, 2 * BATCH))
    x, h, memory = (tensor[::2] for tensor in given.values())
    found = step(cell, x, (h, memory))
    return found | {f"{name} from None": tensor for name, tensor in step(cell, x, None).items()}
