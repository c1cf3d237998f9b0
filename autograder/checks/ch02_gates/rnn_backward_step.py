"""The checks of `rnn_backward_step`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import in_shape, unpack
from autograder.asking.rules import AUTOGRAD
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import close

EXERCISE = Exercise(
    "rnn_backward_step", "one step of back-propagation, by hand", minutes=30, difficulty=3, forbids=(AUTOGRAD,)
)


_INPUT, _STATE = 5, 7


@in_use(gradients=False)
def in_chapter(rnn_backward_step, draw: Draw) -> Use:
    """A batch, then one sequence, some of whose states are 1 or -1: nothing comes back through these; large gradients."""

    def given(batch: int, scale: float) -> tuple[Tensor, ...]:
        h_before, h = draw.state(batch, _STATE), draw.state(batch, _STATE, scale=scale)
        grads = draw.normal(batch, _STATE, scale=20.0), draw.normal(batch, _STATE, scale=20.0)
        return draw.normal(batch, _INPUT), h_before, h, *grads, draw.normal(_STATE, _INPUT), draw.normal(_STATE, _STATE)

    return Use(rnn_backward_step, given(4, 1.0), given(1, 40.0))


BATCH, INPUT, STATE = 3, 5, 4


def step_back_arguments(draw: Draw, batch: int, inputs: int, size: int) -> dict[str, Tensor]:
    """The seven arguments in order."""
    return {
        "x": draw.normal(batch, inputs),
        "h_before": draw.state(batch, size),
        "h": draw.state(batch, size),
        "output_grad": draw.normal(batch, size),
        "later_grad": draw.normal(batch, size),
        "input_weight": draw.normal(size, inputs, scale=0.5),
        "state_weight": draw.normal(size, size, scale=0.5),
    }


def step_back(rnn_backward_step, arguments: dict[str, Tensor], *, copies: bool = True) -> dict[str, Any]:
    """The five gradients by name; without `copies` the arguments themselves are handed over."""
    (batch, inputs), size = arguments["x"].shape, arguments["h"].shape[1]
    shapes: dict[str, tuple[int, ...]] = {
        "gradient of x": (batch, inputs),
        "gradient of h_before": (batch, size),
        "gradient of W_x": (size, inputs),
        "gradient of W_h": (size, size),
        "gradient of b": (size,),
    }
    result = rnn_backward_step(*(tensor.clone() if copies else tensor for tensor in arguments.values()))
    return dict(zip(shapes, unpack(result, **shapes), strict=True))


def direction(answer):
    """Gradients over their lengths, which takes a common factor away: the sum of two gradients is another check's business."""
    return {name: tensor / tensor.norm().clamp(min=1e-9) for name, tensor in answer.items()}


@check(
    "the gradient goes back through the tanh",
    reads=direction,
    points=1,
    hint="You can compute the derivative of tanh at a from its value alone, which you have: h = tanh(a). For a single "
    "sequence, the gradient of the bias is the gradient at a_t, because a_t = … + b.",
)
def at_the_sum(rnn_backward_step, draw: Draw):
    """One sequence, whose gradient of the bias is that of a_t.

    The two gradients at h_t are multiples of each other and W_h is 1, so that how they are put together is only a factor.
    """
    arguments = step_back_arguments(draw, 1, STATE, STATE)
    arguments["later_grad"] = arguments["output_grad"] / 2
    arguments["state_weight"] = torch.eye(STATE)
    gradient = step_back(rnn_backward_step, arguments)["gradient of b"]
    return {"gradient of b": in_shape(gradient, STATE)}


@at_the_sum.explain
def nothing_back(got, want):
    """Some gradient always comes back."""
    return None if got["gradient of b"].any() else "the gradient of b is zero, although gradients came back to h_t"


@check(
    "the two gradients that come back to h_t are added",
    points=1,
    needs=at_the_sum,
    hint="h_t is used in two places, by its own output and by the next step. When a number affects a loss along two "
    "paths, its gradient is the sum of the gradients along both.",
)
def both_gradients(rnn_backward_step, draw: Draw):
    """One sequence, and two gradients that differ."""
    gradient = step_back(rnn_backward_step, step_back_arguments(draw, 1, STATE, STATE))["gradient of b"]
    return {"gradient of b": in_shape(gradient, STATE)}


@check(
    "from a_t, the gradient goes back through the matrices to x_t and h_{t-1}",
    points=2,
    needs=(at_the_sum, both_gradients),
    hint="Component i of h_{t-1} entered component j of a_t with the factor at row j, column i of W_h. On the way back, which "
    "components j contribute to i, and is that a sum over the rows or over the columns of W_h? In the forward direction it "
    "was the other one.",
)
def backwards(rnn_backward_step, draw: Draw):
    """What comes back to x_t and h_{t-1}; D is H, so that both matrices go through either way round."""
    found = step_back(rnn_backward_step, step_back_arguments(draw, BATCH, STATE, STATE))
    return {name: found[name] for name in ("gradient of x", "gradient of h_before")}


@check(
    "the gradient of a matrix is computed from the gradient at a_t and the vector that the matrix multiplied",
    points=2,
    needs=(at_the_sum, both_gradients),
    hint="The weight at row j, column i of W_x multiplied component i of x on its way to component j of a. So its gradient is "
    "a product of two numbers: which ones? And where in the matrix of gradients does it belong?",
)
def to_weights(rnn_backward_step, draw: Draw):
    """What comes back to the matrices from one sequence; D is H, so that both go through either way round."""
    found = step_back(rnn_backward_step, step_back_arguments(draw, 1, STATE, STATE))
    return {name: in_shape(found[name], STATE, STATE) for name in ("gradient of W_x", "gradient of W_h")}


@check(
    "the gradients of the weights are summed over the batch",
    points=1,
    needs=(at_the_sum, both_gradients, backwards, to_weights),
    hint="All sequences of the batch use the same weights, so the gradient of a weight is added up over the batch. If the "
    "loss is a mean, that is already in output_grad.",
)
def of_a_batch(rnn_backward_step, draw: Draw):
    """What comes back to matrices and bias from a batch; no two sizes are equal."""
    found = step_back(rnn_backward_step, step_back_arguments(draw, BATCH, INPUT, STATE))
    return {name: found[name] for name in ("gradient of W_x", "gradient of W_h", "gradient of b")}


@check(
    "one sequence alone keeps its dimensions",
    points=1,
    hidden=True,
    needs=(at_the_sum, both_gradients, backwards, to_weights, of_a_batch),
    hint="With B = 1, the gradients of x and h_before are (1, D) and (1, H), and that of b is (H,). squeeze() removes every "
    "dimension of size one, even those that belong there.",
)
def alone(rnn_backward_step, draw: Draw):
    """A batch of one keeps all its dimensions."""
    return step_back(rnn_backward_step, step_back_arguments(draw, 1, INPUT, STATE))


@check(
    "the arguments are left as they were",
    points=1,
    needs=(at_the_sum, both_gradients, backwards, to_weights, of_a_batch),
    arguments=True,
    hint="The caller still needs them, including the gradients: output_grad += later_grad changes the caller's tensor, "
    "output_grad + "
    "later_grad makes a new one.",
)
def arguments(rnn_backward_step, draw: Draw):
    """The arguments as they are after the call."""
    given = step_back_arguments(draw, BATCH, INPUT, STATE)
    return {**step_back(rnn_backward_step, given, copies=False), **given}


@check(
    "in double precision the gradients are double",
    points=1,
    hidden=True,
    needs=(at_the_sum, both_gradients, backwards, to_weights, of_a_batch),
    compare=close(rtol=1e-09, atol=1e-09),
    hint="torch.zeros and torch.empty create float32 tensors unless you pass a dtype; zeros_like takes it from a "
    "tensor. And view needs a tensor that is contiguous in memory; reshape does not.",
)
def types(rnn_backward_step, draw: Draw):
    """Double precision; every second row of larger tensors, whose numbers do not lie side by side."""
    given = {name: tensor.double() for name, tensor in step_back_arguments(draw, 2 * BATCH, INPUT, STATE).items()}
    for name in ("x", "h_before", "h", "output_grad", "later_grad"):
        given[name] = given[name][::2]
    return step_back(rnn_backward_step, given, copies=False)
