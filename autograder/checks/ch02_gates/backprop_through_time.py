"""The checks of `backprop_through_time`."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, unpack
from autograder.asking.rules import AUTOGRAD
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import close

EXERCISE = Exercise(
    "backprop_through_time", "back-propagation through time", minutes=30, difficulty=3, forbids=(AUTOGRAD,)
)


@in_use(gradients=False)
def in_chapter(backprop_through_time, draw: Draw) -> Use:
    """A batch of long sequences, then a single one."""

    def given(batch: int, steps: int) -> tuple[Any, ...]:
        states = draw.state(batch, steps + 1, STATE)
        weights = draw.normal(STATE, INPUT), draw.normal(STATE, STATE)
        return draw.normal(batch, steps, INPUT), states, draw.normal(batch, steps, STATE), *weights, stand_in

    return Use(backprop_through_time, given(4, 21), given(1, 30))


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
    """In place of `rnn_backward_step`, with results of the same shapes: sines of sums and the like, which are no gradients.

    Only the one in place of the gradient of h_{t-1} depends on what comes from later, which may be one 0.
    """
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
    of_units = inner.exp().mean(dim=0)
    return (
        torch.sin(x - 2 * inner.mean(dim=1, keepdim=True) + input_weight.mean(dim=0)),
        fade(output_grad, later_grad),
        torch.sin(input_weight + x.mean(dim=0) + 3 * of_units.unsqueeze(1)),
        torch.cos(state_weight - h_before.mean(dim=0) + 2 * of_units.unsqueeze(1)),
        of_units,
    )


def _entangled(
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


def of_one_call(answer):
    """What one call is given on average, and how many steps there were: whoever takes one result at a time calls more often."""
    calls = answer["calls"]
    return {"steps": min(calls, STEPS), "given to one": answer["given to all"] / max(calls, 1)}


@check(
    "the loop goes back through every step, with its own input, states and gradient",
    reads=of_one_call,
    points=2,
    hint="states has one more position than inputs, because h_0 comes first. So which two of its positions belong to "
    "inputs[:, t]? And which one to output_grads[:, t]?",
)
def every_step(backprop_through_time, draw: Draw):
    """What the step back was called with: how often, and what all calls together were given."""
    calls = []

    def counting(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
        results = stand_in(x, h_before, h, output_grad, later_grad, input_weight, state_weight)
        calls.append(mixed(x, h_before, h, output_grad))
        return results

    walk_back(backprop_through_time, sequence(draw), counting)
    return {"calls": len(calls), "given to all": sum(calls, torch.zeros(BATCH, STATE))}


@every_step.explain
def how_often(got, want):
    """How many of the steps were visited."""
    calls, steps = got["calls"], want["calls"]
    if calls >= steps:
        return f"rnn_backward_step was called {calls} times for {steps} steps, but not with the x, h_before, h and output_grad of each"
    if calls:
        times = "once" if calls == 1 else f"{calls} times"
        return f"rnn_backward_step was called {times} for {steps} steps, expected once for each"
    return "rnn_backward_step was never called: use the function that is given as an argument"


@check(
    "the gradient of h_{t-1} is passed on to the previous step, and the last one is the gradient of h_0",
    points=2,
    needs=every_step,
    hint="Begin with the last step: nothing comes later, so its later_grad is zeros. The second result of each step "
    "is what the previous step needs as later_grad; after the first step it is the gradient of h_0.",
)
def handed_on(backprop_through_time, draw: Draw):
    """The gradient of h_0, which tells in which order the steps were taken and what each was handed."""
    found = walk_back(backprop_through_time, sequence(draw))
    return {"gradient of h_0": found["gradient of h_0"]}


@check(
    "the gradients of the weights are added up over all steps",
    points=2,
    needs=every_step,
    hint="The same matrix is used at every step, so its gradient is a sum with one term for each step. Start with zeros of "
    "its shape, and add to them at each step.",
)
def added_up(backprop_through_time, draw: Draw):
    """The gradients of the weights, which here do not depend on what comes from later."""
    found = walk_back(backprop_through_time, sequence(draw))
    return {name: found[name] for name in ("gradient of W_x", "gradient of W_h", "gradient of b")}


@check(
    "the gradients of the inputs are in the order of the inputs",
    points=1,
    needs=every_step,
    hint="You visit the steps from the last to the first, but the gradients have to be in order from the first to the last: "
    "one (B, D) for each step, put together along the dimension of the steps.",
)
def of_inputs(backprop_through_time, draw: Draw):
    """The gradients of the inputs, which here do not depend on what comes from later."""
    found = walk_back(backprop_through_time, sequence(draw))
    return {"gradient of inputs": found["gradient of inputs"]}


@check(
    "all results of a step come from the same later_grad",
    points=1,
    hidden=True,
    needs=(every_step, handed_on, added_up, of_inputs),
    hint="Call rnn_backward_step once for each step and take all five results from that call. Once later_grad has its new "
    "value, it belongs to the previous step.",
)
def together(backprop_through_time, draw: Draw):
    """All five gradients, each of which depends on what comes from later."""
    return walk_back(backprop_through_time, sequence(draw), _entangled)


@check(
    "a single step works, and so does a single sequence",
    points=1,
    hidden=True,
    needs=(every_step, handed_on, added_up, of_inputs),
    hint="T is 1 in the first case, B in the second; dimensions of size one stay. squeeze() removes them, even those that "
    "belong there.",
)
def numbers(backprop_through_time, draw: Draw):
    """One sequence alone, one step alone, and both."""
    sizes = {"one sequence": (1, STEPS), "one step": (BATCH, 1), "one step of one sequence": (1, 1)}
    return {name: walk_back(backprop_through_time, sequence(draw, *size)) for name, size in sizes.items()}


@check(
    "the arguments are left as they were",
    points=1,
    needs=(every_step, handed_on, added_up, of_inputs),
    arguments=True,
    hint="The caller still needs them. A part of a tensor, such as output_grads[:, t], is not a copy: += or an "
    "assignment to it changes the original tensor.",
)
def arguments(backprop_through_time, draw: Draw):
    """The arguments as they are after the call."""
    given = sequence(draw)
    return {**walk_back(backprop_through_time, given), **given}


@check(
    "in double precision the gradients are double",
    points=1,
    hidden=True,
    needs=(every_step, handed_on, added_up, of_inputs),
    compare=close(rtol=1e-09, atol=1e-09),
    hint="torch.zeros and torch.empty create float32 tensors unless you pass a dtype; zeros_like takes it from a "
    "tensor. And view needs a tensor that is contiguous in memory; reshape does not.",
)
def types(backprop_through_time, draw: Draw):
    """Double precision; what is given are parts of larger tensors, whose numbers do not lie side by side."""
    given = {name: tensor.double() for name, tensor in sequence(draw, 2 * BATCH).items()}
    for name in ("inputs", "states", "output_grads"):
        given[name] = given[name][::2]
    return walk_back(backprop_through_time, given)
