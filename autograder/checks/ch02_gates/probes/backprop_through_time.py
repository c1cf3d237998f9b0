"""What is asked of `backprop_through_time`.

The step back is a stand-in, another one for each question; none of them is the derivative of anything.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, unpack

BATCH, STEPS, INPUT, STATE = 3, 4, 5, 2
Step = Callable[..., tuple[Tensor, ...]]


def fade(output_grad: Tensor, later_grad: Tensor) -> Tensor:
    """The gradient of h_{t-1} of all stand-ins: a sum that tells the two apart."""
    return 0.7 * output_grad - 0.5 * later_grad


def mixed(x: Tensor, h_before: Tensor, h: Tensor, output_grad: Tensor) -> Tensor:
    """One tensor (B, H) of all that a step is given for itself, other for any other order of it."""
    return torch.sin(x.sum(dim=-1, keepdim=True) + 2 * h_before - h + 3 * output_grad)


def _is_single(value: Any) -> bool:
    """Whether it is a tensor of shape ()."""
    return isinstance(value, Tensor) and value.dim() == 0


def stand_in(
    x: Tensor,
    h_before: Tensor,
    h: Tensor,
    output_grad: Tensor,
    later_grad: Tensor,
    input_weight: Tensor,
    state_weight: Tensor,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """In place of `rnn_backward_step`: only the gradient of h_{t-1} depends on what comes from later, which may be one 0."""
    if isinstance(h, Tensor) and (isinstance(later_grad, (int, float)) or _is_single(later_grad)):
        later_grad = torch.full_like(h, float(later_grad))
    rows = {"x": x, "h_before": h_before, "h": h, "output_grad": output_grad, "later_grad": later_grad}
    for name, tensor in rows.items():
        expected = (h.shape[0], INPUT if name == "x" else STATE) if isinstance(h, Tensor) and h.dim() else ()
        if not isinstance(tensor, Tensor) or tensor.shape != expected:
            wanted = "(B, D)" if name == "x" else "(B, H)"
            raise MisuseError(
                f"for {name}, rnn_backward_step was given {kind_of(tensor)}, expected a tensor of shape {wanted}, here with "
                f"D = {INPUT} and H = {STATE}: that of one step"
            )
    for name, tensor, shape in (
        ("input_weight", input_weight, (STATE, INPUT)),
        ("state_weight", state_weight, (STATE, STATE)),
    ):
        if not isinstance(tensor, Tensor) or tensor.shape != shape:
            raise MisuseError(f"for {name}, rnn_backward_step was given {kind_of(tensor)}, expected shape {shape}")
    inner = mixed(x, h_before, h, output_grad)
    return (
        inner @ input_weight + x,
        fade(output_grad, later_grad),
        inner.T @ x,
        inner.T @ h_before + state_weight,
        inner.sum(dim=0),
    )


def entangled(
    x: Tensor,
    h_before: Tensor,
    h: Tensor,
    output_grad: Tensor,
    later_grad: Tensor,
    input_weight: Tensor,
    state_weight: Tensor,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """A stand-in of which every result depends on what comes from later."""
    return stand_in(x, h_before, h, output_grad + 2 * later_grad, later_grad, input_weight, state_weight)


def sequence(draw: Draw, batch: int = BATCH, steps: int = STEPS) -> dict[str, Tensor]:
    """The five tensors in order."""
    return {
        "inputs": draw.normal(batch, steps, INPUT),
        "states": draw.normal(batch, steps + 1, STATE),
        "output_grads": draw.normal(batch, steps, STATE),
        "input_weight": draw.normal(STATE, INPUT, scale=0.5),
        "state_weight": draw.normal(STATE, STATE, scale=0.5),
    }


def walk_back(backprop_through_time, given: dict[str, Tensor], step: Step = stand_in) -> dict[str, Any]:
    """The five gradients by name."""
    batch, steps, _ = given["inputs"].shape
    result = backprop_through_time(*given.values(), step)
    shapes: dict[str, tuple[int, ...]] = {
        "gradient of inputs": (batch, steps, INPUT),
        "gradient of h_0": (batch, STATE),
        "gradient of W_x": (STATE, INPUT),
        "gradient of W_h": (STATE, STATE),
        "gradient of b": (STATE,),
    }
    return dict(zip(shapes, unpack(result, **shapes), strict=True))


def copies(given: dict[str, Tensor]) -> dict[str, Tensor]:
    """The same numbers in tensors of their own."""
    return {name: tensor.clone() for name, tensor in given.items()}


@probe("backprop_through_time")
def every_step(backprop_through_time, draw: Draw):
    """What the step back was called with: how often, and what all calls together were given."""
    calls = []

    def counting(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
        results = stand_in(x, h_before, h, output_grad, later_grad, input_weight, state_weight)
        calls.append(mixed(x, h_before, h, output_grad))
        return results

    given = sequence(draw)
    walk_back(backprop_through_time, copies(given), counting)
    return {"calls": len(calls), "given to all": sum(calls, torch.zeros(BATCH, STATE)), **given}


@probe("backprop_through_time")
def handed_on(backprop_through_time, draw: Draw):
    """The gradient of h_0, which tells in which order the steps were taken and what each was handed."""
    given = sequence(draw)
    found = walk_back(backprop_through_time, copies(given))
    shown = {name: given[name] for name in ("output_grads", "state_weight")}
    return {"gradient of h_0": found["gradient of h_0"], **shown}


@probe("backprop_through_time")
def added_up(backprop_through_time, draw: Draw):
    """The gradients of the weights, which here do not depend on what comes from later."""
    given = sequence(draw)
    found = walk_back(backprop_through_time, copies(given))
    return {**{name: found[name] for name in ("gradient of W_x", "gradient of W_h", "gradient of b")}, **given}


@probe("backprop_through_time")
def of_inputs(backprop_through_time, draw: Draw):
    """The gradients of the inputs, which here do not depend on what comes from later."""
    found = walk_back(backprop_through_time, sequence(draw))
    return {"gradient of inputs": found["gradient of inputs"]}


@probe("backprop_through_time")
def together(backprop_through_time, draw: Draw):
    """All five gradients, each of which depends on what comes from later."""
    return walk_back(backprop_through_time, sequence(draw), entangled)


@probe("backprop_through_time")
def numbers(backprop_through_time, draw: Draw):
    """One sequence alone, one step alone, and both."""
    sizes = {"one sequence": (1, STEPS), "one step": (BATCH, 1), "one step of one sequence": (1, 1)}
    return {name: walk_back(backprop_through_time, sequence(draw, *size)) for name, size in sizes.items()}


@probe("backprop_through_time")
def arguments(backprop_through_time, draw: Draw):
    """The arguments as they are after the call."""
    given = sequence(draw)
    return {**walk_back(backprop_through_time, given), **given}


@probe("backprop_through_time")
def types(backprop_through_time, draw: Draw):
    """Double precision; what is given are parts of larger tensors, whose numbers do not lie side by side."""
    given = {name: tensor.double() for name, tensor in sequence(draw, 2 * BATCH).items()}
    for name in ("inputs", "states", "output_grads"):
        given[name] = given[name][::2]
    return walk_back(backprop_through_time, given)
