"""The checks of `ResidualStack`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use, weigh
from autograder.checks.ch03_seq2seq import weights
from autograder.declare import Exercise, check

EXERCISE = Exercise("ResidualStack", "a residual connection around every layer", minutes=10, difficulty=1)


@in_use()
def in_chapter(stack_class, draw: Draw) -> Use:
    """A stack whose first layer is as wide as its inputs, and one whose is not."""
    alike, wider = (weigh(stack_class(size, 6, 2), draw) for size in (6, 5))

    def call(inputs: Tensor, narrow: Tensor) -> list[Tensor]:
        return [alike(inputs), wider(narrow)]

    def given(batch: int, length: int) -> tuple[Tensor, Tensor]:
        return draw.normal(batch, length, 6), draw.normal(batch, length, 5)

    return Use(call, given(3, 21), given(1, 1), modules=(alike, wider))


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


@check(
    "a layer whose input has another size returns the output of its GRU alone",
    points=1,
    draws=2,
    hint="A GRU returns two things; the first is its outputs, (B, T, H). Before you add, compare the last dimension of inputs and outputs: "
    "torch broadcasts a size of 1 without a warning, and raises an error for any other.",
)
def other_width(stack_class, draw: Draw):
    """One layer whose input is wider than its output, and one whose input is a single number."""
    answers = {}
    for size in (HIDDEN + 2, 1):
        stack = built(stack_class, draw, size, 1)
        answers[f"outputs with D = {size} and H = {HIDDEN}"] = run(stack, draw.normal(2, 5, size))
    return answers


@check(
    "a layer's input is added to its output",
    points=1,
    needs=other_width,
    draws=2,
    hint="Here D = H. The layer returns the sum of the output of its GRU and its own inputs.",
)
def one_layer(stack_class, draw: Draw):
    """One layer whose input is as wide as its output."""
    stack, inputs = built(stack_class, draw, HIDDEN, 1), draw.normal(2, 5, HIDDEN)
    return {"outputs": run(stack, inputs)}


@check(
    "each layer has its own residual connection, and reads the sum from the layer below",
    points=2,
    needs=one_layer,
    draws=2,
    hint="The sum that a layer returns is the input of the next layer, and this input is also added to that layer's outputs.",
)
def three_layers(stack_class, draw: Draw):
    """Three layers of one width."""
    stack, inputs = built(stack_class, draw, HIDDEN, 3), draw.normal(2, 5, HIDDEN)
    return {"outputs": run(stack, inputs)}


@check(
    "if D is not H, all layers but the first have a residual connection",
    points=1,
    hidden=True,
    needs=(other_width, three_layers),
    draws=2,
    hint="Whether the sizes agree is a question about each layer, not about the stack: after the first layer every vector has H "
    "dimensions.",
)
def three_layers_of_other_width(stack_class, draw: Draw):
    """Three layers, of which the first reads something wider."""
    stack = built(stack_class, draw, HIDDEN + 2, 3)
    return {"outputs": run(stack, draw.normal(2, 5, HIDDEN + 2))}


@check(
    "the inputs are not changed",
    points=1,
    needs=three_layers,
    draws=2,
    arguments=True,
    hint="An assignment such as inputs += ... changes the caller's tensor; inputs = inputs + ... creates a new one.",
)
def own_inputs(stack_class, draw: Draw):
    """What two layers make of the inputs, and the inputs as they are after the call."""
    stack, inputs = built(stack_class, draw, HIDDEN, 2), draw.normal(1, 5, HIDDEN)
    with torch.no_grad():  # A change in place would be an error with a gradient.
        outputs = run(stack, inputs)
    return {"outputs": outputs, "inputs": inputs}


@check(
    "the gradient flows through the layers and around them",
    points=1,
    hidden=True,
    needs=three_layers,
    draws=2,
    hint="A residual connection also carries the gradient. Use only torch operations on the tensors themselves: detach, .data and "
    "no_grad cut it off, and an in-place change may overwrite values that a GRU has saved for the backward pass.",
)
def stack_gradient(stack_class, draw: Draw):
    """What comes back to every weight and to the inputs."""
    stack, leaf = built(stack_class, draw, HIDDEN, 3), draw.normal(2, 5, HIDDEN).requires_grad_()
    (run(stack, leaf * 1) * draw.normal(2, 5, HIDDEN)).sum().backward()
    return {"inputs": leaf.grad, **weights.gradients(stack, _shapes(HIDDEN, 3))}
