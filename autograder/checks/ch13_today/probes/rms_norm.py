"""What is asked of `RMSNorm`."""

from typing import Any

import torch

from autograder.declare import probe
from autograder.draw import Draw
from autograder.probing import expect_weights

SMALL = 1e-12


def made(norm_class, size: int, eps: float, draw: Draw | None = None) -> Any:
    """The student's module, with a drawn weight if there is a draw."""
    norm = norm_class(size, eps)
    expect_weights(norm, {"weight": (size,)}, kind="weights")
    if draw is not None:
        norm.load_state_dict({"weight": draw.normal(size) + 1}, strict=False)
    return norm


@probe("RMSNorm")
def normalised(norm_class, draw: Draw):
    """Vectors beside zero; the weight is 1, as it was made."""
    inputs = 5 * draw.normal(3, 4, 6) + 3
    return {"outputs": made(norm_class, 6, SMALL)(inputs.clone()), "inputs": inputs}


@probe("RMSNorm")
def epsilon(norm_class, draw: Draw):
    """An ε that is as large as the squares."""
    eps = 0.5 + float(draw.normal(1).abs())
    inputs = draw.normal(2, 5, 4)
    return {"outputs": made(norm_class, 4, eps)(inputs.clone()), "inputs": inputs, "eps": eps}


@probe("RMSNorm")
def stretched(norm_class, draw: Draw):
    """The weight is drawn."""
    norm, inputs = made(norm_class, 6, SMALL, draw), 3 * draw.normal(2, 3, 6) + 1
    return {"outputs": norm(inputs.clone()), "inputs": inputs, "weight": norm.weight}


@probe("RMSNorm")
def shapes(norm_class, draw: Draw):
    """One vector alone, four dimensions, one sentence of one word; and the inputs as they are after the call."""
    answers = {}
    for name, shape in {"one vector": (5,), "four dimensions": (2, 3, 4, 5), "one word": (1, 1, 5)}.items():
        inputs = draw.normal(*shape) + 1
        with torch.no_grad():  # A change in place would be an error with a gradient.
            answers[name] = {"outputs": made(norm_class, 5, SMALL)(inputs), "inputs": inputs}
    return answers


@probe("RMSNorm")
def numbers(norm_class, draw: Draw):
    """Half and double precision, and a vector of zeros, which only ε keeps from a division by zero."""
    whole = draw.integers(-9, 9, 2, 3, 8)
    return {
        "half precision": made(norm_class, 8, 1e-3).half()(whole.half()),
        "double precision": made(norm_class, 8, 1e-5).double()(draw.normal(2, 3, 8).double()),
        "zeros": made(norm_class, 8, 1e-5)(torch.cat([torch.zeros(2, 1, 8), draw.normal(2, 1, 8)], dim=1)),
    }
