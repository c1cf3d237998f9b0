"""What is asked of `ResidualStack`."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch03_seq2seq.probes import weights
from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError

HIDDEN = 4


def _shapes(input_size: int, num_layers: int) -> weights.Shapes:
    sizes = [input_size] + [HIDDEN] * (num_layers - 1)
    shapes: weights.Shapes = {}
    for layer, size in enumerate(sizes):
        shapes |= weights.of_gru(f"layers.{layer}", size, HIDDEN)
    return shapes


def built(stack_class, draw: Draw, input_size: int, num_layers: int) -> Any:
    """The student's stack with drawn weights."""
    stack = stack_class(input_size, HIDDEN, num_layers)
    return weights.with_drawn_weights(stack, _shapes(input_size, num_layers), draw)


def run(stack, inputs: Tensor) -> Any:
    """What the stack makes of the inputs."""
    result = stack(inputs)
    if isinstance(result, (tuple, list)):
        raise MisuseError(
            f"what it returned is {kind_of(result)}, expected one tensor (B, T, H): of the two things that a GRU returns, the "
            "first is its outputs"
        )
    return result


@torch.no_grad()
def outputs_of(stack, inputs: Tensor, layer: int = 0) -> Tensor:
    """What a GRU with the weights of one layer makes of the inputs."""
    outputs: Tensor = weights.gru_of(stack, f"layers.{layer}")(inputs)[0]
    return outputs


@torch.no_grad()
def _state_handed_up(stack, inputs: Tensor) -> Tensor:
    """What comes out if each layer but the first starts from the last state of the one below."""
    state = None
    for layer in range(3):
        outputs, state = weights.gru_of(stack, f"layers.{layer}")(inputs, state)
        inputs = outputs + inputs
    return inputs


@probe("ResidualStack", draws=2)
def other_width(stack_class, draw: Draw):
    """One layer whose input is wider than its output, and one whose input is a single number."""
    answers = {}
    for name, size in {"wider": HIDDEN + 2, "one number": 1}.items():
        stack, inputs = built(stack_class, draw, size, 1), draw.normal(2, 5, size)
        answers[name] = {"outputs": run(stack, inputs.clone()), "inputs": inputs}
    return answers


@probe("ResidualStack", draws=2)
def one_layer(stack_class, draw: Draw):
    """One layer whose input is as wide as its output."""
    stack, inputs = built(stack_class, draw, HIDDEN, 1), draw.normal(2, 5, HIDDEN)
    return {"outputs": run(stack, inputs.clone()), "inputs": inputs, "of the layer": outputs_of(stack, inputs)}


@probe("ResidualStack", draws=2)
def three_layers(stack_class, draw: Draw):
    """Three layers of one width."""
    stack, inputs = built(stack_class, draw, HIDDEN, 3), draw.normal(2, 5, HIDDEN)
    first = outputs_of(stack, inputs)
    second = outputs_of(stack, first, 1)
    plain = outputs_of(stack, second, 2)
    again = inputs
    for layer in range(3):
        again = outputs_of(stack, again, layer) + inputs
    return {
        "state handed up": _state_handed_up(stack, inputs),
        "outputs": run(stack, inputs.clone()),
        "plain": plain,
        "around all": plain + inputs,
        "the first inputs again": again,
        "added at the end": plain + second,
        "the first layer alone": first + inputs,
    }


@probe("ResidualStack", draws=2)
def three_layers_of_other_width(stack_class, draw: Draw):
    """Three layers, of which the first reads something wider."""
    stack = built(stack_class, draw, HIDDEN + 2, 3)
    return {"outputs": run(stack, draw.normal(2, 5, HIDDEN + 2))}


@probe("ResidualStack", draws=2)
def own_inputs(stack_class, draw: Draw):
    """What two layers make of the inputs, and the inputs as they are after the call."""
    stack, inputs = built(stack_class, draw, HIDDEN, 2), draw.normal(1, 5, HIDDEN)
    with torch.no_grad():  # A change in place would be an error with a gradient.
        outputs = run(stack, inputs)
    return {"outputs": outputs, "inputs": inputs}


@probe("ResidualStack", draws=2)
def stack_gradient(stack_class, draw: Draw):
    """What comes back to every weight and to the inputs."""
    stack, leaf = built(stack_class, draw, HIDDEN, 3), draw.normal(2, 5, HIDDEN).requires_grad_()
    (run(stack, leaf * 1) * draw.normal(2, 5, HIDDEN)).sum().backward()
    return {"inputs": leaf.grad, **weights.gradients(stack, _shapes(HIDDEN, 3))}
