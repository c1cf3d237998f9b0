"""The checks of `conv2d`."""

from typing import Any

from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.rules import CONVOLUTION
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check

EXERCISE = Exercise("conv2d", "the same kernel at every position", minutes=30, difficulty=2, forbids=(CONVOLUTION,))


@in_use()
def in_chapter(conv2d, draw: Draw) -> Use:
    """The chapter's first layer on some pictures, then a layer that keeps the size on a single one."""

    def given(batch: int, channels: int, size: int, kernel: int, stride: int) -> tuple[Any, ...]:
        weight = draw.normal(4, channels, kernel, kernel, scale=0.3)
        return draw.normal(batch, channels, size, size), weight, draw.normal(4), stride, 1

    return Use(conv2d, given(3, 3, 16, 4, 2), given(1, 2, 9, 3, 1))


def _drawn(draw: Draw, inputs: tuple[int, ...], weight: tuple[int, ...]) -> tuple[Tensor, Tensor, Tensor]:
    """Pictures, kernels and biases."""
    return draw.normal(*inputs), draw.normal(*weight), draw.normal(weight[0])


@check(
    "at one position it is the dot product of kernel and pixels, plus the bias",
    points=1,
    hint="Multiply each pixel by the weight at the same position, starting at the top left, and add the "
    "products. Flatten the kernel as `F.unfold` flattens the pixels: by channel, row, column.",
)
def one_place(conv2d, draw: Draw):
    """A kernel as large as the picture, of one channel: there is one place."""
    return {"maps": conv2d(*_drawn(draw, (2, 1, 3, 2), (1, 1, 3, 2)), 1, 0)}


@check(
    "a kernel sums over all input channels, and each output channel has its own",
    points=1,
    needs=one_place,
    hint="weight[o] has C planes, one for each input channel: the sum of all their products, plus the bias of o, "
    "is the value of output channel o.",
)
def channels(conv2d, draw: Draw):
    """Several channels on both sides, and still one place."""
    return {"maps": conv2d(*_drawn(draw, (2, 3, 2, 3), (4, 3, 2, 3)), 1, 0)}


@check(
    "the kernel visits every position, row by row",
    points=2,
    needs=(one_place, channels),
    hint="The map has H' rows and W' columns, and `F.unfold` lists its positions row by row. Print the shapes: "
    "which of them is H', which W'?",
)
def places(conv2d, draw: Draw):
    """Many places; neither picture nor kernel is square."""
    return {"maps": conv2d(*_drawn(draw, (2, 2, 5, 8), (3, 2, 2, 3)), 1, 0)}


@check(
    "the stride applies to rows and columns",
    points=1,
    needs=places,
    hint="The kernel moves by the stride from column to column, and by the stride from row to row. Pixels left over at the end, too few for a whole kernel, are ignored.",
)
def strided(conv2d, draw: Draw):
    """Steps of two and of three, which leave a rest."""
    given = _drawn(draw, (2, 2, 8, 9), (3, 2, 3, 2))
    return {"maps with stride 2": conv2d(*given, 2, 0), "maps with stride 3": conv2d(*given, 3, 0)}


@check(
    "zeros are added on all four sides",
    points=1,
    needs=places,
    hint="`padding` pixels of zeros are added above, below, left and right, so the picture grows by 2 · padding in "
    "height and in width.",
)
def padded(conv2d, draw: Draw):
    """Zeros around the picture, in steps of one."""
    given = _drawn(draw, (2, 2, 4, 5), (3, 2, 3, 3))
    return {"maps with padding 1": conv2d(*given, 1, 1), "maps with padding 2": conv2d(*given, 1, 2)}


@check(
    "stride, padding and kernels of any size work together",
    points=1,
    hidden=True,
    needs=(strided, padded),
    hint="Take every size from the arguments: the picture and the kernel need not be square, and some pixels may "
    "be left over at the end. H' = (H + 2 padding - K_h) // stride + 1. Kernels may be transposed, so reshape or flatten them: view fails.",
)
def both(conv2d, draw: Draw):
    """Steps and zeros together; a kernel of one pixel; a single picture; kernels that are transposed."""
    found = {
        "stride and padding": conv2d(*_drawn(draw, (2, 3, 7, 6), (2, 3, 4, 3)), 2, 1),
        "one pixel": conv2d(*_drawn(draw, (2, 3, 4, 5), (2, 3, 1, 1)), 3, 0),
        "one picture": conv2d(*_drawn(draw, (1, 1, 6, 4), (1, 1, 2, 2)), 2, 2),
    }
    found["by name"] = conv2d(*_drawn(draw, (1, 2, 5, 5), (2, 2, 3, 3)), padding=2, stride=3)
    found["as it is"] = conv2d(*_drawn(draw, (1, 2, 5, 5), (2, 2, 3, 3)))
    inputs, weight, bias = _drawn(draw, (1, 2, 5, 5), (2, 2, 3, 2))
    found["transposed kernels"] = conv2d(inputs, weight.mT, bias)
    return found


@check(
    "the gradient reaches pictures, kernels and biases",
    points=1,
    hidden=True,
    needs=(strided, padded),
    hint="Use torch's operations on the tensors themselves: detach, .data, .item() and no_grad stop the gradient.",
)
def conv_gradient(conv2d, draw: Draw):
    """What comes back to pictures, kernels and biases."""
    given = _drawn(draw, (2, 2, 5, 4), (3, 2, 3, 3))
    for tensor in given:
        tensor.requires_grad_()
    maps = conv2d(*given, 2, 1)
    (maps * draw.normal(2, 3, 3, 2)).sum().backward()
    return {name: tensor.grad for name, tensor in zip(("inputs", "weight", "bias"), given, strict=True)}
