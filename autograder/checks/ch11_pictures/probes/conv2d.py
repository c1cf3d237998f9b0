"""What is asked of `conv2d`."""

from typing import Any

from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw


def drawn(draw: Draw, inputs: tuple[int, ...], weight: tuple[int, ...]) -> tuple[Tensor, Tensor, Tensor]:
    """Pictures, kernels and biases."""
    return draw.normal(*inputs), draw.normal(*weight), draw.normal(weight[0])


def convolved(conv2d, given: tuple[Tensor, Tensor, Tensor], stride: int = 1, padding: int = 0) -> dict[str, Any]:
    """The maps, and what they were made of."""
    maps = conv2d(*(tensor.clone() for tensor in given), stride, padding)
    inputs, weight, bias = given
    return {"maps": maps, "inputs": inputs, "weight": weight, "bias": bias, "stride": stride, "padding": padding}


@probe("conv2d")
def one_place(conv2d, draw: Draw):
    """A kernel as large as the picture, of one channel: there is one place."""
    return convolved(conv2d, drawn(draw, (2, 1, 3, 2), (1, 1, 3, 2)))


@probe("conv2d")
def channels(conv2d, draw: Draw):
    """Several channels on both sides, and still one place."""
    return convolved(conv2d, drawn(draw, (2, 3, 2, 3), (4, 3, 2, 3)))


@probe("conv2d")
def places(conv2d, draw: Draw):
    """Many places; neither picture nor kernel is square."""
    return convolved(conv2d, drawn(draw, (2, 2, 5, 8), (3, 2, 2, 3)))


@probe("conv2d")
def strided(conv2d, draw: Draw):
    """Steps of two and of three, which leave a rest."""
    given = drawn(draw, (2, 2, 8, 9), (3, 2, 3, 2))
    return {"by two": convolved(conv2d, given, stride=2), "by three": convolved(conv2d, given, stride=3)}


@probe("conv2d")
def padded(conv2d, draw: Draw):
    """Zeros around the picture, in steps of one."""
    given = drawn(draw, (2, 2, 4, 5), (3, 2, 3, 3))
    return {"by one": convolved(conv2d, given, padding=1), "by two": convolved(conv2d, given, padding=2)}


@probe("conv2d")
def both(conv2d, draw: Draw):
    """Steps and zeros together; a kernel of one pixel; a single picture."""
    found = {
        "stride and padding": conv2d(*drawn(draw, (2, 3, 7, 6), (2, 3, 4, 3)), 2, 1),
        "one pixel": conv2d(*drawn(draw, (2, 3, 4, 5), (2, 3, 1, 1)), 3, 0),
        "one picture": conv2d(*drawn(draw, (1, 1, 6, 4), (1, 1, 2, 2)), 2, 2),
    }
    found["by name"] = conv2d(*drawn(draw, (1, 2, 5, 5), (2, 2, 3, 3)), padding=2, stride=3)
    found["as it is"] = conv2d(*drawn(draw, (1, 2, 5, 5), (2, 2, 3, 3)))
    return found


@probe("conv2d")
def conv_gradient(conv2d, draw: Draw):
    """What comes back to pictures, kernels and biases."""
    given = drawn(draw, (2, 2, 5, 4), (3, 2, 3, 3))
    for tensor in given:
        tensor.requires_grad_()
    maps = conv2d(*given, 2, 1)
    (maps * draw.normal(2, 3, 3, 2)).sum().backward()
    return {name: tensor.grad for name, tensor in zip(("inputs", "weight", "bias"), given, strict=True)}
