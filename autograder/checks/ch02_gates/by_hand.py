"""Inputs small enough to do by hand, for questions about a reader's code."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from autograder.asking.draw import Draw
from autograder.questions.given import Given, Stand, whole


def rnn_backward_step(draw: Draw) -> Given:
    """One sequence, whose input has one number and whose state has two."""
    h = draw.integers(-1, 2, 1, 2) / 2
    grads = whole(draw, 1, 2), whole(draw, 1, 2, low=0, high=2)
    return Given(
        {
            "x": whole(draw, 1, 1, low=1),
            "h_before": whole(draw, 1, 2, low=-1, high=2) / 2,
            "h": h,
            "output_grad": grads[0],
            "later_grad": grads[1],
            "input_weight": whole(draw, 2, 1),
            "state_weight": whole(draw, 2, 2),
        }
    )


def _in_place_of_a_step(
    x: Tensor, h_before: Tensor, h: Tensor, output_grad: Tensor, later_grad: Tensor, *weights: Tensor
) -> tuple[Tensor, ...]:
    grad = output_grad + later_grad
    return grad, 2 * grad, grad * h_before, grad * h, grad[0]


def backprop_through_time(draw: Draw) -> Given:
    """Three steps of single numbers."""
    step = Stand(
        _in_place_of_a_step, "with g = output_grad + later_grad, it returns (g, 2 * g, g * h_before, g * h, g[0])"
    )
    return Given(
        {
            "inputs": whole(draw, 1, 3, 1),
            "states": whole(draw, 1, 4, 1, low=-1, high=2),
            "output_grads": whole(draw, 1, 3, 1, low=0),
            "input_weight": torch.ones(1, 1),
            "state_weight": torch.ones(1, 1),
            "rnn_backward_step": step,
        }
    )


def clip_gradients_(draw: Draw) -> Given:
    """Parameters whose gradients have norms that are whole numbers, and one that has none."""
    grads = [[3.0, 4.0], None, [[0.0, 0.0], [6.0, 8.0], [12.0, 0.0], [0.0, 12.0]][int(draw.integers(0, 4))]]
    parameters = []
    for grad in [grads[number] for number in draw.normal(3).argsort().tolist()]:
        parameters.append(nn.Parameter(torch.zeros(2)))
        parameters[-1].grad = None if grad is None else torch.tensor(grad)
    told = f"parameters whose gradients are {[None if p.grad is None else p.grad.tolist() for p in parameters]}"
    limit = (0.5, 5.0, 20.0)[int(draw.integers(0, 3))]

    def reads(norm: Any, arguments: Mapping[str, Any]) -> Any:
        return norm, [parameter.grad for parameter in arguments["parameters"]]

    return Given(
        {"parameters": Stand(parameters, told), "max_norm": limit},
        reads=reads,
        asked="what it returns, and the gradients after the call",
    )


def _cell(draw: Draw, gates: int, **arguments: Any) -> Given:
    """A cell of single numbers, whose gates are wide open, closed or half open."""
    names = {"weight_ih": (gates, 1), "weight_hh": (gates, 1), "bias_ih": (gates,), "bias_hh": (gates,)}
    weights = {name: 4.0 * draw.integers(-1, 2, *shape) for name, shape in names.items()}
    weights["bias_hh"] *= 0
    return Given(arguments, {"input_size": 1, "hidden_size": 1}, weights)


def GRUCell(draw: Draw) -> Given:
    """A state of a single number."""
    return _cell(draw, 3, x=whole(draw, 1, 1, low=0, high=2), h=whole(draw, 1, 1, low=-1, high=2))


def LSTMCell(draw: Draw) -> Given:
    """A state and a cell of a single number each."""
    state = whole(draw, 1, 1, low=-1, high=2), whole(draw, 1, 1)
    return _cell(draw, 4, x=whole(draw, 1, 1, low=0, high=2), state=state)


def run_bidirectional(draw: Draw) -> Given:
    """Two sentences of up to three words of a single number."""
    lengths = draw.integers(1, 4, 2)
    sums = Stand(lambda inputs: inputs.cumsum(dim=1), "its states are the sums of the inputs so far")
    tens = Stand(lambda inputs: 10 * inputs.cumsum(dim=1), "its states are 10 times the sums of the inputs so far")
    return Given(
        {"inputs": whole(draw, 2, 3, 1, low=1, high=4), "lengths": lengths, "forward_rnn": sums, "backward_rnn": tens}
    )
