"""What is right about `backprop_through_time`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch02_gates.probes import backprop_through_time as probes
from autograder.compare import close, difference, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_STEPS = "the loop goes back through every step, with its own input, states and gradient"
_HANDED = "the gradient of h_{t-1} is passed on to the previous step, and the last one is the gradient of h_0"
_ADDED = "the gradients of the weights are added up over all steps"
_INPUTS = "the gradients of the inputs are in the order of the inputs"
_ARGUMENTS = "the arguments are left as they were"


@judge(
    _STEPS,
    probe=probes.every_step,
    points=2,
    hint="states has one more position than inputs, because h_0 comes first. So which two of its positions belong to "
    "inputs[:, t]? And which one to output_grads[:, t]?",
)
def every_step(got: Any, want: Any) -> Verdict:
    """How often the step back was called, and with what, in whatever order."""
    calls, steps = got["calls"], want["calls"]
    if calls == 0:
        return failed("rnn_backward_step was never called: use the function that is given as an argument")
    if calls < steps:
        told = "once" if calls == 1 else f"{calls} times"
        return failed(f"rnn_backward_step was called {told} for {steps} steps, expected once for each")
    given = got["given to all"] * steps / calls  # Whoever takes one result at a time calls it more often.
    if is_close(given, want["given to all"]):
        return passed()
    x, states, output = want["inputs"], want["states"], want["output_grads"]
    before, after = states[:, :-1], states[:, 1:]
    others = {
        "h_before and h are swapped": (x, after, before, output),
        "step t was given the states one position too early, as if states began with h_1: h_0 comes first": (
            x,
            states[:, [-1, *range(steps - 1)]],
            before,
            output,
        ),
        "step t was given h_{t-1} for h as well": (x, before, before, output),
        "step t was given h_t for h_before as well": (x, after, after, output),
        "every step was given the last state for h": (x, before, states[:, -1:].expand_as(after), output),
        "the states do not belong to the same steps as the inputs and the gradients: one or the other was reversed": (
            x,
            before.flip(1),
            after.flip(1),
            output,
        ),
        "the gradients from the outputs belong to the wrong steps: they were reversed": (
            x,
            before,
            after,
            output.flip(1),
        ),
        "every step was given the gradient from the last output": (x, before, after, output[:, -1:].expand_as(output)),
        "the inputs belong to the wrong steps: they were reversed": (x.flip(1), before, after, output),
        "only the last step was given its output_grad; every step has one of its own": (
            x,
            before,
            after,
            torch.cat([torch.zeros_like(output[:, 1:]), output[:, -1:]], dim=1),
        ),
        "output_grad and later_grad are swapped": (x, before, after, _swapped(output)),
        "later_grad was added to output_grad before the call: the step is given both, and adds them itself": (
            x,
            before,
            after,
            _summed(output, later_too=False),
        ),
        "later_grad was added to output_grad before the call and then given again: the step adds them itself": (
            x,
            before,
            after,
            _summed(output, later_too=True),
        ),
    }
    for message, arguments in others.items():
        if is_close(given, probes.mixed(*arguments).sum(dim=1)):
            return failed(message)
    return failed(
        f"rnn_backward_step was called {calls} times for {steps} steps, but not with the x, h_before, h and output_grad of each"
    )


def _summed(outputs: Tensor, *, later_too: bool) -> Tensor:
    """What each step is given for output_grad when both gradients are added up before, (B, T, H)."""
    later = none = torch.zeros_like(outputs[:, 0])
    given: list[Tensor] = []
    for output in reversed(outputs.unbind(dim=1)):
        given.insert(0, output + later)
        later = probes.fade(given[0], later if later_too else none)
    return torch.stack(given, dim=1)


def _swapped(outputs: Tensor) -> Tensor:
    """What each step is given for output_grad when the two gradients have changed places, (B, T, H)."""
    later = torch.zeros_like(outputs[:, 0])
    given: list[Tensor] = []
    for output in reversed(outputs.unbind(dim=1)):
        given.insert(0, later)
        later = probes.fade(later, output)
    return torch.stack(given, dim=1)


@judge(
    _HANDED,
    probe=probes.handed_on,
    points=2,
    needs=(_STEPS,),
    hint="Begin with the last step: nothing comes later, so its later_grad is zeros. The second result of each step "
    "is what the previous step needs as later_grad; after the first step it is the gradient of h_0.",
)
def handed_on(got: Any, want: Any) -> Verdict:
    """The order of the steps, and what goes from one to the next."""
    gradient, outputs, weight = got["gradient of h_0"], list(want["output_grads"].unbind(dim=1)), want["state_weight"]
    if is_close(gradient, want["gradient of h_0"]):
        return passed()
    none = torch.zeros_like(gradient)
    others = {
        "the steps were taken from the first to the last; the way back starts at the last": _chain(outputs[::-1], none),
        "every step was given zeros for later_grad: nothing is passed on to the previous step": probes.fade(
            outputs[0], none
        ),
        "this is the gradient from the last step alone, at h_{T-1}": probes.fade(outputs[-1], none),
        "the last step was given its own output_grad for later_grad too, expected zeros: nothing comes later": _chain(
            outputs, outputs[-1]
        ),
        "the last step was given ones for later_grad, expected zeros: nothing comes later": _chain(
            outputs, torch.ones_like(none)
        ),
        "the gradient was multiplied by W_h before it was passed on, but the step has already done this": _chain(
            outputs, none, weight=weight
        ),
        "the gradient was multiplied by W_h before it was passed on, and the wrong way round; the step has already done "
        "this": _chain(outputs, none, weight=weight.T),
        "the gradient of h_0 is a sum over the steps, expected only the gradient from the first step": _sum(outputs),
        "the gradient was added to the old later_grad, expected to replace it": _chain(outputs, none, added=True),
        "this is the gradient at h_1, before the last step of the loop": _chain(outputs[1:], none),
        "every step was given the output_grad of the step after it for later_grad, expected the gradient that came "
        "back from that step": probes.fade(outputs[0], outputs[1]),
    }
    for message, values in others.items():
        if is_close(gradient, values):
            return failed(message)
    if not gradient.any():
        return failed("the gradient of h_0 is zero")
    return failed(f"gradient of h_0: {difference(gradient, want['gradient of h_0'])}")


def _chain(outputs: list[Tensor], later: Tensor, *, added: bool = False, weight: Tensor | None = None) -> Tensor:
    """What comes back of the steps, the last of them first; `weight` multiplies it once more."""
    for output in reversed(outputs):
        back = probes.fade(output, later)
        back = back if weight is None else back @ weight
        later = later + back if added else back
    return later


def _sum(outputs: list[Tensor]) -> Tensor:
    """All that comes back from any step."""
    later = total = torch.zeros_like(outputs[0])
    for output in reversed(outputs):
        later = probes.fade(output, later)
        total = total + later
    return total


@judge(
    _ADDED,
    probe=probes.added_up,
    points=2,
    needs=(_STEPS,),
    hint="The same matrix is used at every step, so its gradient is a sum with one term for each step. Start with zeros of "
    "its shape, and add to them at each step.",
)
def added_up(got: Any, want: Any) -> Verdict:
    """A sum over the steps, and not one of its terms."""
    rows = zip(
        want["inputs"].unbind(1),
        want["states"][:, :-1].unbind(1),
        want["states"][:, 1:].unbind(1),
        want["output_grads"].unbind(1),
        strict=True,
    )
    weights = want["input_weight"], want["state_weight"]
    of_steps = [probes.stand_in(*row, torch.zeros_like(row[1]), *weights)[2:] for row in rows]
    names = ("gradient of W_x", "gradient of W_h", "gradient of b")
    for name, weight, terms in zip(names, (*weights, 1.0), zip(*of_steps, strict=True), strict=True):
        if is_close(got[name], want[name]):
            continue
        steps, batch = len(terms), len(want["inputs"])
        others = {
            "it is that of the first step alone: each step replaced the result of the one before": terms[0],
            "it is that of the last step alone, expected the sum over all steps": terms[-1],
            f"it is the mean over the {steps} steps, expected their sum": want[name] / steps,
            f"it is divided by {batch}, the number of sequences: each step has summed over the batch, and no mean is needed": want[
                name
            ]
            / batch,
            "the sum starts from the weights themselves, expected from zeros": want[name] + weight,
            "the last step is missing from the sum": want[name] - terms[-1],
            "the first step is missing from the sum": want[name] - terms[0],
            "the last step was counted twice": want[name] + terms[-1],
            "the first step was counted twice": want[name] + terms[0],
        }
        for message, values in others.items():
            if is_close(got[name], values):
                return failed(f"{name}: {message}")
        return failed(f"{name}: {difference(got[name], want[name])}")
    return passed()


@judge(
    _INPUTS,
    probe=probes.of_inputs,
    points=1,
    needs=(_STEPS,),
    hint="You visit the steps from the last to the first, but the gradients have to be in order from the first to the last: "
    "one (B, D) for each step, put together along the dimension of the steps.",
)
def in_order(got: Any, want: Any) -> Verdict:
    """Which gradient stands where."""
    gradients, right = got["gradient of inputs"], want["gradient of inputs"]
    if is_close(gradients, right):
        return passed()
    if is_close(gradients, right.flip(1)):
        return failed("they are in the order in which the steps were visited, from the last to the first")
    if is_close(gradients, right.transpose(0, 1).reshape(right.shape)):
        return failed("they were put together step by step and then reshaped, which mixes up their numbers")
    if is_close(gradients, right.sum(dim=1, keepdim=True).expand_as(right)):
        return failed("they are summed over the steps; every step has an input of its own")
    return failed(f"gradient of inputs: {difference(gradients, right)}")


together = judge(
    "all results of a step come from the same later_grad",
    probe=probes.together,
    points=1,
    hidden=True,
    needs=(_STEPS, _HANDED, _ADDED, _INPUTS),
    hint="Call rnn_backward_step once for each step and take all five results from that call. Once later_grad has its new "
    "value, it belongs to the previous step.",
)(close())

numbers = judge(
    "a single step works, and so does a single sequence",
    probe=probes.numbers,
    points=1,
    hidden=True,
    needs=(_STEPS, _HANDED, _ADDED, _INPUTS),
    hint="T is 1 in the first case, B in the second; dimensions of size one stay. squeeze() removes them, even those that "
    "belong there.",
)(close())


arguments = judge(
    _ARGUMENTS,
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_STEPS, _HANDED, _ADDED, _INPUTS),
    hint="The caller still needs them. A part of a tensor, such as output_grads[:, t], is not a copy: += or an "
    "assignment to it changes the original tensor.",
)(leaves_arguments("gradient of inputs", "gradient of h_0", "gradient of W_x", "gradient of W_h", "gradient of b"))


types = judge(
    "in double precision the gradients are double",
    probe=probes.types,
    points=1,
    hidden=True,
    needs=(_STEPS, _HANDED, _ADDED, _INPUTS),
    hint="torch.zeros and torch.empty create float32 tensors unless you pass a dtype; zeros_like takes it from a "
    "tensor. And view needs a tensor that is contiguous in memory; reshape does not.",
)(close(rtol=1e-9, atol=1e-9))
