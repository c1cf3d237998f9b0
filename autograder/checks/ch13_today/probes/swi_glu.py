"""What is asked of `SwiGLU`."""

import torch

from autograder.declare import probe
from autograder.draw import Draw
from autograder.probing import expect_weights

WIDTH, INNER = 5, 7


def made(network_class, draw: Draw, width: int = WIDTH, inner: int = INNER):
    """The student's network with drawn weights."""
    network = network_class(width, inner)
    shapes = {"gate.weight": (inner, width), "up.weight": (inner, width), "down.weight": (width, inner)}
    expect_weights(network, shapes)
    network.load_state_dict({name: draw.normal(*shape) for name, shape in shapes.items()}, strict=False)
    return network


@probe("SwiGLU")
def one_position(network_class, draw: Draw):
    """One vector, with a last layer that changes nothing."""
    network, inputs = made(network_class, draw, 6, 6), draw.normal(1, 1, 6)
    network.load_state_dict({"down.weight": torch.eye(6)}, strict=False)
    return {"outputs": network(inputs.clone()), "inputs": inputs, "weights": dict(network.named_parameters())}


@probe("SwiGLU")
def square(network_class, draw: Draw):
    """Layers of one size, so that a layer in another's place does not show in the shapes."""
    network, inputs = made(network_class, draw, 6, 6), draw.normal(2, 3, 6)
    return {"outputs": network(inputs.clone()), "inputs": inputs, "weights": dict(network.named_parameters())}


@probe("SwiGLU")
def shapes(network_class, draw: Draw):
    """One vector alone, four dimensions; and the inputs after the call."""
    answers = {}
    for name, shape in {"one vector": (WIDTH,), "four dimensions": (2, 1, 3, WIDTH)}.items():
        inputs = draw.normal(*shape)
        with torch.no_grad():
            answers[name] = {"outputs": made(network_class, draw)(inputs), "inputs": inputs}
    return answers


@probe("SwiGLU")
def large(network_class, draw: Draw):
    """Inputs of which swish is 0, or the number itself."""
    return {"outputs": made(network_class, draw)(draw.normal(2, 3, WIDTH, scale=80.0))}
