"""What is asked of `rnn_step`."""

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw

BATCH, INPUT, STATE = 3, 5, 4


def step_arguments(draw: Draw, batch: int = BATCH, inputs: int = INPUT, size: int = STATE) -> dict[str, Tensor]:
    """The five arguments in order, such that the tanh is neither a straight line nor flat."""
    return {
        "x": draw.normal(batch, inputs),
        "h": draw.normal(batch, size, scale=0.5),
        "input_weight": draw.normal(size, inputs, scale=0.4),
        "state_weight": draw.normal(size, size, scale=0.6),
        "bias": draw.normal(size, scale=0.5),
    }


def _state_and(arguments: dict[str, Tensor], rnn_step) -> dict[str, Tensor]:
    """The new state, beside what it was made of."""
    return {"state": rnn_step(*(tensor.clone() for tensor in arguments.values())), **arguments}


@probe("rnn_step")
def of_input(rnn_step, draw: Draw):
    """The state and the bias are zero, and D is H, so that W_x goes through either way round."""
    arguments = step_arguments(draw, inputs=STATE)
    arguments["h"].zero_()
    arguments["bias"].zero_()
    return _state_and(arguments, rnn_step)


@probe("rnn_step")
def of_state(rnn_step, draw: Draw):
    """The bias is zero, and W_h, which is square, goes through either way round."""
    arguments = step_arguments(draw, inputs=STATE)
    arguments["bias"].zero_()
    return _state_and(arguments, rnn_step)


@probe("rnn_step")
def of_bias(rnn_step, draw: Draw):
    """Input and bias alone; no two sizes are equal."""
    arguments = step_arguments(draw)
    arguments["h"].zero_()
    return _state_and(arguments, rnn_step)


@probe("rnn_step")
def alone(rnn_step, draw: Draw):
    """A batch of one, as when a sentence is written."""
    return {"state": rnn_step(*step_arguments(draw, batch=1).values())}


@probe("rnn_step")
def step_gradient(rnn_step, draw: Draw):
    """What comes back to all five arguments."""
    arguments = step_arguments(draw)
    for tensor in arguments.values():
        tensor.requires_grad_()
    (rnn_step(*arguments.values()) * draw.normal(BATCH, STATE)).sum().backward()
    return {name: tensor.grad for name, tensor in arguments.items()}


@probe("rnn_step")
def types(rnn_step, draw: Draw):
    """Double and half precision; what is given are parts of larger tensors, whose numbers do not lie side by side."""
    states = {}
    for name, dtype in {"double precision": torch.float64, "half precision": torch.float16}.items():
        arguments = step_arguments(draw, batch=2 * BATCH, inputs=INPUT)
        arguments["x"], arguments["h"] = arguments["x"][::2], arguments["h"][::2]
        arguments["state_weight"] = arguments["state_weight"].T
        states[name] = rnn_step(*(tensor.to(dtype) for tensor in arguments.values()))
    return states


@probe("rnn_step")
def arguments(rnn_step, draw: Draw):
    """The arguments as they are after the call."""
    given = step_arguments(draw)
    return {"state": rnn_step(*given.values()), **given}
