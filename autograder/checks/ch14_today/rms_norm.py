"""The checks of `RMSNorm`."""

from contextlib import suppress
from typing import Any

import torch

from autograder.asking.draw import Draw
from autograder.asking.probing import expect_weights
from autograder.asking.rules import NORMALIZATION
from autograder.asking.usage import Use, in_use, weigh
from autograder.declare import Exercise, check
from autograder.judging.compare import up_to_a_factor

EXERCISE = Exercise(
    "RMSNorm", "bring every vector to mean square one", minutes=10, difficulty=1, forbids=(NORMALIZATION,)
)


@in_use()
def in_chapter(norm_class, draw: Draw) -> Use:
    """Batches of sentences, then a large vector and one that is as small as ε."""
    module = weigh(norm_class(10), draw)
    apart = draw.normal(2, 10) * torch.tensor([[80.0], [0.003]])
    return Use(module, (draw.normal(4, 21, 10, scale=3.0) + 1,), (apart,))


SMALL = 1e-12


def made(norm_class, size: int, eps: float, draw: Draw | None = None) -> Any:
    """The student's module, with a drawn weight if there is a draw."""
    norm = norm_class(size, eps)
    expect_weights(norm, {"weight": (size,)}, kind="weights")
    if draw is not None:
        norm.load_state_dict({"weight": draw.normal(size) + 1}, strict=False)
    return norm


@check(
    "each vector is divided by the root of its mean square",
    points=2,
    hint="The mean of the squares is taken over the last dimension, for each vector separately; no mean is "
    "subtracted. keepdim=True keeps that dimension with size one, for broadcasting.",
)
def normalised(norm_class, draw: Draw):
    """Vectors beside zero; the weight is 1, as it was made."""
    inputs = 5 * draw.normal(3, 4, 6) + 3
    return {"outputs": made(norm_class, 6, SMALL)(inputs)}


@normalised.explain
def mean_square(got, want):
    """A vector whose mean square is not one."""
    found = got["outputs"].square().mean(dim=-1).flatten()
    wrong = found[(found - 1).abs() > 1e-3].tolist()
    return f"the mean square of a vector is {wrong[0]:.3g}, expected 1" if wrong else None


@check(
    "ε is added to the mean square, under the root",
    points=1,
    needs=normalised,
    hint="First add ε to the mean square, then take the root, once. Use self.eps.",
)
def epsilon(norm_class, draw: Draw):
    """An ε that is as large as the squares; and a vector of zeros among others, and whether what comes back to it is a number."""
    eps = 0.5 + float(draw.normal(1).abs())
    inputs = draw.normal(2, 5, 4)
    inputs[0, 2] = 0
    norm, leaf = made(norm_class, 4, eps), inputs.clone().requires_grad_()
    outputs = norm(inputs)
    with suppress(RuntimeError):  # Where no gradient comes back, or what was given is changed, is for others to see.
        norm(leaf * 1).sum().backward()
    return {"outputs": outputs, "the gradient is NaN": leaf.grad is not None and bool(leaf.grad.isnan().any())}


@epsilon.explain
def at_zero(got, want):
    """What comes back to a vector of zeros where a root of 0 is taken."""
    if not got["the gradient is NaN"] or got["outputs"].isnan().any():
        return None
    return (
        "the gradient for a vector of zeros is NaN, although the output is a number: the slope of a root at 0 is infinite, and "
        "∞ · 0 is NaN. Add ε before you take any root"
    )


@check(
    "the result is multiplied by weight",
    points=1,
    needs=normalised,
    compare=up_to_a_factor(),
    hint="γ is self.weight, and it multiplies component by component. There is no bias.",
)
def stretched(norm_class, draw: Draw):
    """The weight is drawn."""
    norm, inputs = made(norm_class, 6, SMALL, draw), 3 * draw.normal(2, 3, 6) + 1
    return {"outputs": norm(inputs)}


@check(
    "works with any number of dimensions and does not change its inputs",
    points=1,
    needs=normalised,
    compare=up_to_a_factor(),
    arguments=True,
    hint="Inputs are (..., d): one vector alone, or four dimensions. Count dimensions from the end. Methods that end in an underscore, and /=, change "
    "the caller's tensor.",
)
def shapes(norm_class, draw: Draw):
    """One vector alone, four dimensions, one sentence of one word; and the inputs as they are after the call."""
    outputs, after = {}, {}
    for name, shape in {"one vector": (5,), "four dimensions": (2, 3, 4, 5), "one word": (1, 1, 5)}.items():
        inputs = draw.normal(*shape) + 1
        with torch.no_grad():  # A change in place would be an error with a gradient.
            outputs[name], after[name] = made(norm_class, 5, SMALL)(inputs), inputs
    return {"outputs": outputs, "the inputs after the call": after}


@check(
    "half and double precision work, and so does a vector of zeros",
    points=1,
    hidden=True,
    needs=(normalised, epsilon),
    compare=up_to_a_factor(),
    hint="The outputs have the dtype of the inputs. The mean square of zeros is 0, so add ε before you divide.",
)
def numbers(norm_class, draw: Draw):
    """Half and double precision, and a vector of zeros, which only ε keeps from a division by zero."""
    whole = draw.integers(-9, 9, 2, 3, 8)
    return {
        "half precision": made(norm_class, 8, 1e-3).half()(whole.half()),
        "double precision": made(norm_class, 8, SMALL).double()(draw.normal(2, 3, 8).double()),
        "zeros": made(norm_class, 8, 1e-5)(torch.cat([torch.zeros(2, 1, 8), draw.normal(2, 1, 8)], dim=1)),
    }
