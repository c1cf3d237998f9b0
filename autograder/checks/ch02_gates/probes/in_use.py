"""How each exercise of this chapter is used."""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks.ch02_gates.probes import backprop_through_time as walk
from autograder.checks.ch02_gates.probes.clip_gradients_ import clipped
from autograder.draw import Draw
from autograder.in_use import Use, in_use, weigh

_INPUT, _STATE = 5, 7


@in_use("rnn_backward_step", gradients=False)
def rnn_backward_step(rnn_backward_step, draw: Draw) -> Use:
    """A batch, then one sequence, some of whose states are 1 or -1: nothing comes back through these."""

    def given(batch: int, scale: float) -> tuple[Tensor, ...]:
        h_before, h = draw.state(batch, _STATE), draw.state(batch, _STATE, scale=scale)
        grads = draw.normal(batch, _STATE), draw.normal(batch, _STATE)
        return draw.normal(batch, _INPUT), h_before, h, *grads, draw.normal(_STATE, _INPUT), draw.normal(_STATE, _STATE)

    return Use(rnn_backward_step, given(4, 1.0), given(1, 40.0))


@in_use("backprop_through_time", gradients=False)
def backprop_through_time(backprop_through_time, draw: Draw) -> Use:
    """A batch of long sequences, then a single one."""

    def given(batch: int, steps: int) -> tuple[Any, ...]:
        states = draw.state(batch, steps + 1, walk.STATE)
        weights = draw.normal(walk.STATE, walk.INPUT), draw.normal(walk.STATE, walk.STATE)
        return (
            draw.normal(batch, steps, walk.INPUT),
            states,
            draw.normal(batch, steps, walk.STATE),
            *weights,
            walk.stand_in,
        )

    return Use(backprop_through_time, given(4, 21), given(1, 30))


@in_use("clip_gradients_", gradients=False, devices=False)
def clip_gradients_(clip_gradients_, draw: Draw) -> Use:
    """A norm below 1 that is too long all the same, one above 1 that is a little too long, one that is short enough.

    The gradients stay the same tensors. One of the parameters has no gradient, one is frozen, and two have the same shape, as those of a recurrent network do.
    """

    def call(max_norm: float, *grads: Tensor) -> dict[str, Any]:
        parameters: list[Any] = [torch.zeros_like(grad, requires_grad=True) for grad in grads]
        for parameter, grad in zip(parameters, grads, strict=True):
            parameter.grad = grad.clone()
        parameters[-1].requires_grad_(requires_grad=False)
        parameters.insert(2, torch.zeros(4, requires_grad=True))
        held = [(parameter, parameter.grad) for parameter in parameters if parameter.grad is not None]
        norm = clipped(clip_gradients_, iter(parameters), max_norm)
        whole = sum(float(grad.square().sum()) for grad in grads) ** 0.5
        return {
            "the norm": torch.tensor(norm),
            "each grad is the tensor that it was, changed in place": all(p.grad is grad for p, grad in held),
            f"the gradients, of norm {whole:.4g} where {max_norm:g} is allowed": [
                grad.float()
                for _, grad in held  # Torch's own adds 1e-6 to the norm.
            ],
        }

    def of_norm(norm: float) -> list[Tensor]:
        grads = [draw.normal(*shape) for shape in ((3, 5), (7,), (7,), (2, 2, 2), (5, 3), (7, 3), (1,))]
        whole = sum(float(grad.square().sum()) for grad in grads) ** 0.5
        return [grad * (norm / whole) for grad in grads]

    return Use(call, (0.4, *of_norm(0.6)), (20.0, *of_norm(23.0)), last=(20.0, *of_norm(9.0)))


@in_use("GRUCell")
def gru_cell(cell_class, draw: Draw) -> Use:
    """With a state and without one; then one sequence whose sums are far from 0."""
    cell = weigh(cell_class(_INPUT, _STATE), draw)

    def call(x: Tensor, h: Tensor) -> list[Tensor]:
        return [cell(x, h), cell(x)]

    first = draw.normal(4, _INPUT), draw.normal(4, _STATE)
    return Use(call, first, (draw.normal(1, _INPUT, scale=300.0), draw.state(1, _STATE)), modules=(cell,))


@in_use("LSTMCell")
def lstm_cell(cell_class, draw: Draw) -> Use:
    """With a state and without one; then one sequence whose sums are far from 0."""
    cell = weigh(cell_class(_INPUT, _STATE), draw)

    def call(x: Tensor, state: tuple[Tensor, Tensor]) -> list[Any]:
        return [cell(x, state), cell(x)]

    first = draw.normal(4, _INPUT), (draw.normal(4, _STATE), draw.normal(4, _STATE))
    later = draw.normal(1, _INPUT, scale=300.0), (draw.state(1, _STATE), draw.normal(1, _STATE))
    return Use(call, first, later, modules=(cell,))


class _Reads(nn.Module):
    """In place of a direction: a recurrence without a bend."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.zeros(_INPUT, 3)), nn.Parameter(torch.zeros(3))

    def forward(self, inputs: Tensor) -> Tensor:
        """All states (B, T, H), one after the other."""
        states = [(inputs @ self.weight + self.bias)[:, 0]]
        for x in inputs.unbind(dim=1)[1:]:
            states.append(0.7 * states[-1] + x @ self.weight + self.bias)
        return torch.stack(states, dim=1)


@in_use("run_bidirectional")
def run_bidirectional(run_bidirectional, draw: Draw) -> Use:
    """Sentences of mixed lengths, one of a single word, then a long one alone."""
    forward, backward = weigh(_Reads(), draw), weigh(_Reads(), draw)
    first = draw.normal(4, 21, _INPUT), torch.tensor([9, 21, 1, 14])
    later = draw.normal(1, 24, _INPUT), torch.tensor([24])
    return Use(run_bidirectional, (*first, forward, backward), (*later, forward, backward), modules=(forward, backward))
