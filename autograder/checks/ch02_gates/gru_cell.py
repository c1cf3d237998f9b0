"""The checks of `GRUCell`."""

from itertools import permutations
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import note_slip
from autograder.asking.rules import RECURRENT
from autograder.asking.usage import Use, in_use, weigh
from autograder.checks.ch02_gates.cells import (
    BATCH,
    FINITE,
    INPUT,
    STATE,
    Weights,
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
from autograder.judging.compare import close, is_close
from autograder.judging.verdict import passed

EXERCISE = Exercise("GRUCell", "a cell with two gates", minutes=25, difficulty=2, forbids=(RECURRENT,))


_INPUT, _STATE = 5, 7


@in_use()
def in_chapter(cell_class, draw: Draw) -> Use:
    """With a state and without one; then one sequence whose sums are far from 0."""
    cell = weigh(cell_class(_INPUT, _STATE), draw)
    cell.register_forward_hook(_alone)

    def call(x: Tensor, h: Tensor) -> list[Tensor]:
        return [cell(x, h), cell(x)]

    first = draw.normal(4, _INPUT), draw.normal(4, _STATE)
    return Use(call, first, (draw.normal(1, _INPUT, scale=300.0), draw.state(1, _STATE)), modules=(cell,))


def _alone(_module: Any, _given: Any, result: Any) -> Any:
    """The new state, where it came back twice, as torch's recurrent networks have it: that is a slip."""
    if isinstance(result, (tuple, list)) and len(result) == 2 and result[0] is result[1]:
        note_slip("what it returned is a pair, expected the new state alone")
        return result[0]
    return result


def _built(cell_class, given: Weights) -> Any:
    """The student's cell with these weights."""
    cell = built(cell_class, given)
    cell.register_forward_hook(_alone)
    return cell


GATES = 3
Block = tuple[Tensor, Tensor]
"""The weights and the bias of the input for one of r, z and n."""


def fixed(value: float) -> Block:
    """Gives the same sum for every input."""
    return torch.zeros(STATE, INPUT), torch.full((STATE,), value)


LOW, MIDDLE, HIGH = fixed(-400.0), fixed(0.0), fixed(400.0)
"""A gate is then 0, 1/2 or 1, and a candidate -1, 0 or 1."""
OF_CANDIDATE, OF_GATE, OF_BOTH = "state with z = 1/2", "state with n = -1 and h = 1/2", "state with n = -1"


def _given(draw: Draw, batch: int = BATCH) -> dict[str, Tensor]:
    """An input and a state."""
    return {"x": draw.normal(batch, INPUT), "h": draw.normal(batch, STATE)}


def in_each_order(cell_class, blocks: tuple[Block, ...], x: Tensor, h: Tensor) -> list[Tensor]:
    """The new states (B, H) if r, z and n have these blocks, first in this order, then in the others; the state has no weights."""
    states = []
    for order in permutations(blocks):
        weight, bias = (torch.cat(parts) for parts in zip(*order, strict=True))
        of_state = {"weight_hh": torch.zeros(GATES * STATE, STATE), "bias_hh": torch.zeros(GATES * STATE)}
        states.append(_built(cell_class, {"weight_ih": weight, "bias_ih": bias, **of_state})(x.clone(), h.clone()))
    return states


def _scaled(states: Tensor) -> Tensor:
    return states / states.norm().clamp(min=1e-9)


def is_varied_alike(one: Tensor, other: Tensor) -> bool:
    """Whether states vary in the same way, but for a factor, or do not vary at all."""
    one, other = one - one.mean(), other - other.mean()
    return bool(one.abs().max() < 1e-4) or any(is_close(_scaled(one), sign * _scaled(other)) for sign in (1, -1))


def _halves(draw: Draw) -> Weights:
    """Weights for which both gates are 1/2: which gate is which, and what each multiplies, then does not matter.

    Both biases are needed for that. Of the candidate, that of the state is 0, so it does not matter either whether the reset gate multiplies it.
    """
    drawn = weights(draw, GATES)
    for name in ("weight_ih", "weight_hh"):
        drawn[name][: 2 * STATE] = 0
    drawn["bias_hh"] = torch.cat([-drawn["bias_ih"][: 2 * STATE], torch.zeros(STATE)])
    return drawn


def whatever_mixture(got, want):
    """Whether candidate and gate are right in some order of the weights, however they are mixed: other checks look at these."""
    candidate, gate = want[OF_CANDIDATE][0], want[OF_GATE][0]
    for mine, other in zip(got[OF_CANDIDATE], got[OF_GATE], strict=True):
        if is_close(_scaled(mine), _scaled(candidate)) and is_varied_alike(other, gate):
            return passed()
    return close()(got, want)


def whatever_order(got, want):
    """Whether the state is right in some order of the weights: another check looks at the order."""
    right = any(is_close(state, want[OF_BOTH][0]) for state in got[OF_BOTH])
    return passed() if right else close()(got, want)


@check(
    "the gates go through the sigmoid, the candidate through the tanh",
    reads=(OF_CANDIDATE, OF_GATE),
    compare=whatever_mixture,
    points=1,
    hint="The components of a gate are between 0 and 1, those of a candidate are between -1 and 1. Check which of the two "
    "functions gives which range, and return only the new state.",
)
def mixed(cell_class, draw: Draw):
    """What varies with the candidate alone, as z is 1/2, or with the update gate alone, as the candidate is -1; r is always 1."""
    drawn = draw.normal(STATE, INPUT, scale=0.6), draw.normal(STATE, scale=0.6)
    x, h = _given(draw).values()
    return {
        OF_CANDIDATE: in_each_order(cell_class, (HIGH, MIDDLE, drawn), x, torch.zeros_like(h)),
        OF_GATE: in_each_order(cell_class, (HIGH, drawn, LOW), x, torch.full_like(h, 0.5)),
        OF_BOTH: in_each_order(cell_class, (HIGH, drawn, LOW), x, h),
    }


keeps = check(
    "the update gate is the share of the state that is kept",
    reads=(OF_BOTH,),
    compare=whatever_order,
    points=1,
    needs=mixed,
    hint="Read the last line of the formula again: what is multiplied by z, and what by 1 - z?",
)(mixed)


@check(
    "the weights are those of r, z and n, in this order",
    points=1,
    needs=(mixed, keeps),
    hint="weight_ih has 3 H rows: the first H are W_ir, the next H are W_iz, the last H are W_in, and the same holds for "
    "weight_hh and the biases. Each gate is computed from the contributions of the input and of the state.",
)
def ordered(cell_class, draw: Draw):
    """Other weights for each; r is 1, and the candidate 1 or -1, wherever the reset gate stands."""
    drawn = weights(draw, GATES)
    drawn["bias_ih"][:STATE] = 400.0
    drawn["bias_ih"][2 * STATE :] = 400.0 * draw.normal(STATE).sign()
    for name in ("weight_hh", "bias_hh"):
        drawn[name][2 * STATE :] = 0
    return {"state": _built(cell_class, drawn)(*_given(draw).values())}


@check(
    "the reset gate multiplies the state's contribution to the candidate, including its bias",
    points=2,
    needs=(mixed, keeps, ordered),
    hint="In the formula of n, look at what is inside the brackets after r: a product of a matrix and a vector, and a bias. "
    "The gate multiplies both.",
)
def whole(cell_class, draw: Draw):
    """Everything at once."""
    return {"state": _built(cell_class, weights(draw, GATES))(*_given(draw).values())}


@check("without a state it starts from zeros", points=1, needs=(mixed, keeps, ordered, whole), hint=FROM_ZEROS_HINT)
def from_nothing(cell_class, draw: Draw):
    """No state is given, or None."""
    cell, x = _built(cell_class, _halves(draw)), draw.normal(BATCH, INPUT)
    return {"state": cell(x), "state from None": cell(x, None)}


@check(
    "one sequence alone, step after step", points=1, hidden=True, needs=(mixed, keeps, ordered, whole), hint=ALONE_HINT
)
def alone(cell_class, draw: Draw):
    """A batch of one, step after step."""
    cell, state, states = _built(cell_class, _halves(draw)), draw.normal(1, STATE), []
    for _ in range(3):
        state = cell(draw.normal(1, INPUT), state.clone())
        states.append(state)
    return {"states": states}


@check("it works without biases", points=1, needs=(mixed, keeps, ordered, whole), hint=BIAS_HINT)
def without_bias(cell_class, draw: Draw):
    """A cell that has no biases."""
    return {"state": _built(cell_class, without_biases(_halves(draw)))(*_given(draw).values())}


@check(
    "state, input and weights are left as they were",
    points=1,
    needs=(mixed, keeps, ordered, whole),
    arguments=True,
    hint=ARGUMENTS_HINT,
)
def arguments(cell_class, draw: Draw):
    """Input, state and weights as they are after the call."""
    cell, given = _built(cell_class, _halves(draw)), _given(draw)
    with torch.no_grad():
        state = cell(*given.values())
    return {"state": state, **given, **dict(cell.named_parameters())}


@check(
    "the gradient reaches all weights, the input and the state",
    points=1,
    needs=(mixed, keeps, ordered, whole, arguments),
    hint=GRADIENT_HINT,
)
def cell_gradient(cell_class, draw: Draw):
    """What comes back to the weights, the input and the state."""
    cell, given = _built(cell_class, weights(draw, GATES)), _given(draw)
    for tensor in given.values():
        tensor.requires_grad_()
    (cell(*given.values()) * draw.normal(BATCH, STATE)).sum().backward()
    far = draw.normal(BATCH, INPUT, scale=400.0), draw.normal(BATCH, STATE)
    return {**gradients(cell, given), FINITE: is_finite_far_from_zero(cell, *far)}


cell_gradient.explain(far_from_zero)


@check(
    "in double precision the state is double",
    points=1,
    hidden=True,
    needs=(mixed, keeps, ordered, whole, from_nothing),
    compare=close(rtol=1e-09, atol=1e-09),
    hint=TYPES_HINT,
)
def types(cell_class, draw: Draw):
    """Double precision, with a state and without; what is given are parts of larger tensors."""
    cell, given = _built(cell_class, double(_halves(draw))), double(_given(draw, 2 * BATCH))
    x, h = given["x"][::2], given["h"][::2]
    return {"state": cell(x, h), "state without one before": cell(x)}
