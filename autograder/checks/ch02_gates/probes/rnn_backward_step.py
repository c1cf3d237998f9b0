"""What is asked of `rnn_backward_step`.

The states are drawn and not computed: the step back takes them as they are, so that they need not fit the inputs.
"""

from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.probing import in_shape, unpack

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


@probe("rnn_backward_step")
def at_the_sum(rnn_backward_step, draw: Draw):
    """One sequence, whose gradient of the bias is that of a_t.

    The two gradients at h_t are multiples of each other and W_h is 1, so that how they are put together is only a factor.
    """
    arguments = step_back_arguments(draw, 1, STATE, STATE)
    arguments["later_grad"] = 2 * arguments["output_grad"]
    arguments["state_weight"] = torch.eye(STATE)
    gradient = step_back(rnn_backward_step, arguments)["gradient of b"]
    return {"gradient of b": in_shape(gradient, STATE), **arguments}


@probe("rnn_backward_step")
def both_gradients(rnn_backward_step, draw: Draw):
    """One sequence, and two gradients that differ."""
    arguments = step_back_arguments(draw, 1, STATE, STATE)
    gradient = step_back(rnn_backward_step, arguments)["gradient of b"]
    return {"gradient of b": in_shape(gradient, STATE), **arguments}


@probe("rnn_backward_step")
def backwards(rnn_backward_step, draw: Draw):
    """What comes back to x_t and h_{t-1}; D is H, so that both matrices go through either way round."""
    arguments = step_back_arguments(draw, BATCH, STATE, STATE)
    found = step_back(rnn_backward_step, arguments)
    return {**{name: found[name] for name in ("gradient of x", "gradient of h_before")}, **arguments}


@probe("rnn_backward_step")
def to_weights(rnn_backward_step, draw: Draw):
    """What comes back to the matrices from one sequence; D is H, so that both go through either way round."""
    arguments = step_back_arguments(draw, 1, STATE, STATE)
    found = step_back(rnn_backward_step, arguments)
    names = ("gradient of W_x", "gradient of W_h")
    return {**{name: in_shape(found[name], STATE, STATE) for name in names}, **arguments}


@probe("rnn_backward_step")
def of_a_batch(rnn_backward_step, draw: Draw):
    """What comes back to matrices and bias from a batch; no two sizes are equal."""
    arguments = step_back_arguments(draw, BATCH, INPUT, STATE)
    found = step_back(rnn_backward_step, arguments)
    names = ("gradient of W_x", "gradient of W_h", "gradient of b")
    return {**{name: found[name] for name in names}, **arguments}


@probe("rnn_backward_step")
def alone(rnn_backward_step, draw: Draw):
    """A batch of one keeps all its dimensions."""
    return step_back(rnn_backward_step, step_back_arguments(draw, 1, INPUT, STATE))


@probe("rnn_backward_step")
def types(rnn_backward_step, draw: Draw):
    """Double precision; every second row of larger tensors, whose numbers do not lie side by side."""
    given = {name: tensor.double() for name, tensor in step_back_arguments(draw, 2 * BATCH, INPUT, STATE).items()}
    for name in ("x", "h_before", "h", "output_grad", "later_grad"):
        given[name] = given[name][::2]
    return step_back(rnn_backward_step, given, copies=False)


@probe("rnn_backward_step")
def arguments(rnn_backward_step, draw: Draw):
    """The arguments as they are after the call."""
    given = step_back_arguments(draw, BATCH, INPUT, STATE)
    return {**step_back(rnn_backward_step, given, copies=False), **given}
