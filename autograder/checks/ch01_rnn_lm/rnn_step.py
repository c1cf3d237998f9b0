"""The checks of `rnn_step`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import has_finite_gradients
from autograder.asking.rules import RECURRENT
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import close
from autograder.judging.verdict import Verdict

EXERCISE = Exercise("rnn_step", "one step of the recurrence", minutes=10, difficulty=1, forbids=(RECURRENT,))


@in_use()
def in_chapter(rnn_step, draw: Draw) -> Use:
    """A batch, then one sequence whose sums are so large that the tanh is 1."""
    inputs, size = 5, 7

    def given(batch: int, scale: float) -> tuple[Tensor, ...]:
        state = draw.normal(batch, inputs, scale=scale), draw.state(batch, size)
        return *state, draw.normal(size, inputs), draw.normal(size, size), draw.normal(size)

    return Use(rnn_step, given(size, 0.3), given(1, 400.0))


BATCH, INPUT, STATE = 3, 5, 4
_FINITE = "the gradient far from zero is finite"


def step_arguments(draw: Draw, batch: int = BATCH, inputs: int = INPUT, size: int = STATE) -> dict[str, Tensor]:
    """The five arguments in order, such that the tanh is neither a straight line nor flat."""
    return {
        "x": draw.normal(batch, inputs),
        "h": draw.normal(batch, size, scale=0.5),
        "input_weight": draw.normal(size, inputs, scale=0.4),
        "state_weight": draw.normal(size, size, scale=0.6),
        "bias": draw.normal(size, scale=0.5),
    }


def _without_bias(arguments: dict[str, Tensor]) -> dict[str, Tensor]:
    """The arguments with a bias of zeros: what becomes of it is the business of `of_bias`."""
    return {**arguments, "bias": torch.zeros_like(arguments["bias"])}


def _symmetric(arguments: dict[str, Tensor], *names: str) -> dict[str, Tensor]:
    """The arguments with some square weights made symmetric: which way round they enter is the business of the first two checks."""
    return {**arguments, **{name: (arguments[name] + arguments[name].T) / 2 for name in names}}


@check(
    "from a state of zeros, the new state is tanh(W_x x)",
    points=1,
    hint="W_x has a row for each component of the state and a column for each component of the input. The inputs of a batch "
    "are rows, x (B, D): which way round must W_x be so that the product is (B, H)? And which function is applied to the "
    "whole sum?",
)
def of_input(rnn_step, draw: Draw):
    """The state and the bias are zero, and D is H, so that W_x goes through either way round."""
    arguments = step_arguments(draw, inputs=STATE)
    arguments["h"].zero_()
    arguments["bias"].zero_()
    return {"state": rnn_step(*arguments.values())}


@of_input.explain
def zero(got, want):
    """A state of zeros, although the input is not zero."""
    told = "the new state is zero, like the previous state and the bias here: does it depend on the input?"
    return None if got["state"].any() else told


@check(
    "the previous state enters through W_h",
    points=1,
    needs=of_input,
    hint="Both products are added inside a single tanh. W_h is square, so torch accepts it either way round: a row of it "
    "gives one component of the new state, as a row of W_x does.",
)
def of_state(rnn_step, draw: Draw):
    """The bias is zero, and W_h, which is square, goes through either way round."""
    arguments = _symmetric(step_arguments(draw, inputs=STATE), "input_weight")
    arguments["bias"].zero_()
    return {"state": rnn_step(*arguments.values())}


@check(
    "the bias is added",
    points=1,
    needs=of_input,
    hint="b, (H,), is added to the sum of each sequence, inside the tanh; torch broadcasts it over the batch.",
)
def of_bias(rnn_step, draw: Draw):
    """Input and bias alone."""
    arguments = _symmetric(step_arguments(draw, inputs=STATE), "input_weight")
    arguments["h"].zero_()
    return {"state": rnn_step(*arguments.values())}


@check(
    "one sequence alone keeps its dimension",
    points=1,
    hidden=True,
    needs=(of_input, of_state),
    hint="With B = 1, the state is still (1, H). squeeze() removes every dimension of size one, even those that belong there.",
)
def alone(rnn_step, draw: Draw):
    """A batch of one, as when a sentence is written, without a bias."""
    return {"state": rnn_step(*_without_bias(step_arguments(draw, batch=1)).values())}


@check(
    "the arguments are left as they were",
    points=1,
    needs=(of_input, of_state),
    arguments=True,
    hint="The backward pass will need every state again. Methods that end in an underscore, operators such as += and "
    "assignments to h[...] change the caller's tensor: make a new one.",
)
def arguments(rnn_step, draw: Draw):
    """The arguments, with a bias of zeros, as they are after the call."""
    given = _symmetric(_without_bias(step_arguments(draw, inputs=STATE)), "input_weight", "state_weight")
    return {"state": rnn_step(*given.values()), **given}


@check(
    "the gradient reaches all five arguments",
    points=1,
    needs=(of_input, of_state, of_bias, arguments),
    hint="Use only torch operations on the tensors themselves: detach, .data, .item(), torch.tensor(...) and no_grad cut off "
    "the gradient.",
)
def step_gradient(rnn_step, draw: Draw):
    """What comes back to all five arguments, and whether it is finite where the sums are far from zero."""
    arguments = step_arguments(draw)
    for tensor in arguments.values():
        tensor.requires_grad_()
    (rnn_step(*arguments.values()) * draw.normal(BATCH, STATE)).sum().backward()
    far = rnn_step(400 * arguments["x"], *list(arguments.values())[1:])
    found = {name: tensor.grad for name, tensor in arguments.items()}
    return {**found, _FINITE: has_finite_gradients([far], list(arguments.values()))}


@step_gradient.explain
def far_from_zero(got, want):
    """A gradient that is not finite."""
    if got[_FINITE]:
        return None
    return "for large inputs the gradient is NaN or infinite: torch.tanh stays finite where exp overflows"


def _near_in_each_type(got: Any, want: Any) -> Verdict:
    """Double precision to the last digits; in half precision it matters in which order the products are added up."""
    double = close("double precision", rtol=1e-9, atol=1e-9)(got, want)
    return close("half precision", atol=1e-2)(got, want) if double.ok else double


@check(
    "the state has the floating-point type of its arguments",
    points=1,
    compare=_near_in_each_type,
    needs=(of_input, of_state),
    hint="With arguments in half precision the state is half, with double it is double. torch.zeros and torch.empty create "
    "float32 tensors unless you pass a dtype; new_zeros of a tensor uses the dtype of that tensor.",
)
def types(rnn_step, draw: Draw):
    """Double and half precision; what is given are parts of larger tensors, whose numbers do not lie side by side."""
    states = {}
    for name, dtype in {"double precision": torch.float64, "half precision": torch.float16}.items():
        arguments = _without_bias(step_arguments(draw, batch=2 * BATCH, inputs=STATE))
        arguments = _symmetric(arguments, "input_weight", "state_weight")
        arguments["x"], arguments["h"] = arguments["x"][::2], arguments["h"][::2]
        arguments["state_weight"] = arguments["state_weight"].T
        states[name] = rnn_step(*(tensor.to(dtype) for tensor in arguments.values()))
    return states
