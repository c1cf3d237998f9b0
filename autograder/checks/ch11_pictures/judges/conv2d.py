"""What is right about `conv2d`, and what is said when it is not."""

from typing import Any

from torch import Tensor
from torch.nn import functional as F

from autograder.checks.ch11_pictures.probes import conv2d as probes
from autograder.compare import close, explained
from autograder.declare import judge
from autograder.verdict import Verdict, passed

_DOT = "at one position it is the dot product of kernel and pixels, plus the bias"
_CHANNELS = "a kernel sums over all input channels, and each output channel has its own"
_PLACES = "the kernel visits every position, row by row"
_STRIDE = "the stride applies to rows and columns"
_PADDING = "zeros are added on all four sides"


def _maps(want: dict[str, Any], **others: Any) -> Tensor:
    """The maps of what was given, with something else in its place."""
    given = {**want, **others}
    return F.conv2d(given["inputs"], given["weight"], given["bias"], given["stride"], given["padding"])


@judge(
    _DOT,
    probe=probes.one_place,
    points=1,
    hint="Multiply each pixel by the weight at the same position, starting at the top left, and add the "
    "products. Flatten the kernel as `F.unfold` flattens the pixels: by channel, row, column.",
)
def dot_product(got: Any, want: Any) -> Verdict:
    """One place, one channel."""
    weight, bias = want["weight"], want["bias"]
    mistakes = {
        "the kernel is flipped, as in a mathematical convolution; expected it unchanged": _maps(
            want, weight=weight.flip(2, 3)
        ),
        "the kernel's columns are flipped": _maps(want, weight=weight.flip(3)),
        "the bias is missing": _maps(want, bias=None),
        "the bias is subtracted": _maps(want, bias=-bias),
        "the products are averaged, expected their sum": _maps(want, bias=None) / weight[0].numel()
        + bias.view(1, -1, 1, 1),
    }
    return explained(got["maps"], want["maps"], mistakes, "maps")


@judge(
    _CHANNELS,
    probe=probes.channels,
    points=1,
    needs=(_DOT,),
    hint="weight[o] has C planes, one for each input channel: the sum of all their products, plus the bias of o, "
    "is the value of output channel o.",
)
def all_channels(got: Any, want: Any) -> Verdict:
    """Several channels, one place."""
    first = want["weight"].clone()
    first[:, 1:] = 0
    mistakes = {
        "only the first input channel counts": _maps(want, weight=first),
        "every output channel has the bias of the first": _maps(want, bias=want["bias"][:1].expand(4)),
        "every output channel was computed with the first kernel": _maps(
            want, weight=want["weight"][:1].expand(4, -1, -1, -1)
        ),
        "the input channels are averaged, expected their sum": _maps(want, bias=None) / 3
        + want["bias"].view(1, -1, 1, 1),
    }
    return explained(got["maps"], want["maps"], mistakes, "maps")


@judge(
    _PLACES,
    probe=probes.places,
    points=2,
    needs=(_DOT, _CHANNELS),
    hint="The map has H' rows and W' columns, and `F.unfold` lists its positions row by row. Print the shapes: "
    "which of them is H', which W'?",
)
def every_place(got: Any, want: Any) -> Verdict:
    """Many places."""
    maps = want["maps"]
    batch, kernels, rows, columns = maps.shape
    mistakes = {
        "the positions are listed column by column, expected row by row": maps.transpose(2, 3).reshape(maps.shape),
        "positions and output channels are mixed up: the values were reshaped where dimensions had to be swapped": maps.flatten(
            2
        )
        .transpose(1, 2)
        .reshape(batch, kernels, rows, columns),
        "every position has the value of the first position": maps[..., :1, :1].expand_as(maps),
    }
    return explained(got["maps"], maps, mistakes, "maps")


@judge(
    _STRIDE,
    probe=probes.strided,
    points=1,
    needs=(_PLACES,),
    hint="The kernel moves by the stride from column to column, and by the stride from row to row. Pixels left over at the end, too few for a whole kernel, are ignored.",
)
def moves_by_stride(got: Any, want: Any) -> Verdict:
    """A stride of two and of three."""
    for name, given in want.items():
        one_axis = {
            "the stride applies along the rows but not down the columns": (1, given["stride"]),
            "the stride applies down the columns but not along the rows": (given["stride"], 1),
        }
        rows, columns = given["maps"].shape[2:]
        dense = _maps(given, stride=1)
        mistakes = {told: _maps(given, stride=stride)[..., :rows, :columns] for told, stride in one_axis.items()}
        mistakes["the stride is ignored"] = dense[..., :rows, :columns]
        verdict = explained(got[name]["maps"], given["maps"], mistakes, f"maps, {name}")
        if not verdict.ok:
            return verdict
    return passed()


@judge(
    _PADDING,
    probe=probes.padded,
    points=1,
    needs=(_PLACES,),
    hint="`padding` pixels of zeros are added above, below, left and right, so the picture grows by 2 · padding in "
    "height and in width.",
)
def pads_all_sides(got: Any, want: Any) -> Verdict:
    """Padding of one and of two."""
    for name, given in want.items():
        size, inputs = given["padding"], given["inputs"]
        moved = {
            "all zeros were added below and to the right, expected half of them above and to the left": (
                0,
                2 * size,
                0,
                2 * size,
            ),
            "all zeros were added above and to the left, expected half of them below and to the right": (
                2 * size,
                0,
                2 * size,
                0,
            ),
        }
        mistakes = {told: _maps(given, inputs=F.pad(inputs, sides), padding=0) for told, sides in moved.items()}
        mistakes["the edge was repeated around the picture, expected zeros"] = _maps(
            given, inputs=F.pad(inputs, (size,) * 4, mode="replicate"), padding=0
        )
        verdict = explained(got[name]["maps"], given["maps"], mistakes, f"maps, {name}")
        if not verdict.ok:
            return verdict
    return passed()


together = judge(
    "stride, padding and kernels of any size work together",
    probe=probes.both,
    points=1,
    hidden=True,
    needs=(_STRIDE, _PADDING),
    hint="Take every size from the arguments: the picture and the kernel need not be square, and some pixels may "
    "be left over at the end. H' = (H + 2 padding - K_h) // stride + 1.",
)(close())

conv_gradient = judge(
    "the gradient reaches pictures, kernels and biases",
    probe=probes.conv_gradient,
    points=1,
    hidden=True,
    needs=(_STRIDE, _PADDING),
    hint="Use torch's operations on the tensors themselves: detach, .data, .item() and no_grad stop the gradient.",
)(close())
