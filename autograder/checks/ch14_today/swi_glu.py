"""The checks of `SwiGLU`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import expect_weights
from autograder.asking.usage import Use, in_use, weigh
from autograder.declare import Exercise, check
from autograder.judging.compare import close, largest
from autograder.judging.verdict import Verdict

EXERCISE = Exercise("SwiGLU", "a feed-forward network with a gate", minutes=10, difficulty=1)


@in_use()
def in_chapter(network_class, draw: Draw) -> Use:
    """A batch of sentences, one of them of vectors so large that exp of what the gate computes overflows; then one vector."""
    module = weigh(network_class(6, 16), draw)
    sizes = torch.tensor([1.0, 1.0, 200.0]).view(3, 1, 1)
    return Use(module, (draw.normal(3, 20, 6) * sizes,), (draw.normal(1, 6, scale=20.0),))


WIDTH, INNER = 5, 7


def made(network_class, draw: Draw, width: int = WIDTH, inner: int = INNER):
    """The student's network with drawn weights."""
    network = network_class(width, inner)
    shapes = {"gate.weight": (inner, width), "up.weight": (inner, width), "down.weight": (width, inner)}
    expect_weights(network, shapes)
    network.load_state_dict({name: draw.normal(*shape) for name, shape in shapes.items()}, strict=False)
    return network


def decided(network, draw: Draw, *front: int, far: float = 40.0) -> Tensor:
    """Inputs, (*front, width), for which each component of the gate is `far` or its negative; the network gets a gate that makes it so.

    There, nearly every activation is 0 or a multiple of what swish is, so a check that leaves one factor open does not judge which it is.
    """
    inner, width = network.gate.weight.shape
    weight = torch.zeros(inner, width)
    weight[:, 0] = far * (1 - 2 * (draw.normal(inner).argsort() % 2))
    network.load_state_dict({"gate.weight": weight}, strict=False)
    inputs = draw.normal(*front, width)
    inputs[..., 0] = 1 - 2 * draw.integers(0, 2, *front)
    return inputs


def _but_for_a_factor(got: Any, want: Any) -> Verdict:
    """Close, where all outputs may be too large by the same factor."""
    mine, right = (torch.cat([answer["outputs"][name].flatten() for name in want["outputs"]]) for answer in (got, want))
    scaled = mine * (mine @ right / (mine @ mine))
    return close(atol=1e-4 * largest(right))({"outputs": scaled}, {"outputs": right})


@check(
    "the gate goes through swish and multiplies the other half",
    points=2,
    hint="swish(z) = z σ(z), which torch calls F.silu. Apply it to self.gate(inputs), and multiply the result by self.up(inputs), component by "
    "component.",
)
def one_position(network_class, draw: Draw):
    """One vector, with a last layer that changes nothing."""
    network, inputs = made(network_class, draw, 6, 6), draw.normal(1, 1, 6)
    network.load_state_dict({"down.weight": torch.eye(6)}, strict=False)
    return {"outputs": network(inputs)}


@check(
    "each of the three layers is in its place",
    points=1,
    needs=one_position,
    compare=_but_for_a_factor,
    hint="`gate` and `up` are applied to the inputs, and `down` to their product.",
)
def square(network_class, draw: Draw):
    """Layers of one size, so that a layer in another's place does not show in the shapes."""
    network = made(network_class, draw, 6, 6)
    return {"outputs": {"a batch": network(decided(network, draw, 2, 3))}}


@check(
    "works with any number of dimensions and does not change its inputs",
    points=1,
    needs=(one_position, square),
    compare=_but_for_a_factor,
    arguments=True,
    hint="The layers act on the last dimension, so nothing has to be reshaped.",
)
def shapes(network_class, draw: Draw):
    """One vector alone, and four dimensions."""
    network, outputs = made(network_class, draw), {}
    for name, front in {"one vector": (), "four dimensions": (2, 1, 3)}.items():
        inputs = decided(network, draw, *front)
        with torch.no_grad():
            outputs[name] = network(inputs)
    return {"outputs": outputs}


@check(
    "large inputs work",
    points=1,
    hidden=True,
    needs=(one_position, square),
    compare=_but_for_a_factor,
    hint="exp overflows for large inputs: F.silu and torch.sigmoid avoid that.",
)
def large(network_class, draw: Draw):
    """Numbers of which swish is 0, or the number itself, and exp infinite."""
    network = made(network_class, draw)
    return {"outputs": {"a batch": network(decided(network, draw, 2, 3, far=300.0))}}
