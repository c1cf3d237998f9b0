"""What is asked of `LayerNorm`.

Where ε is not the question it is so small, and the vectors are so wide, that it makes no difference, wherever it stands.
"""

from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.probing import expect_weights

SMALL = 1e-12


def made(norm_class, size: int, eps: float, draw: Draw | None = None) -> Any:
    """The student's module, with drawn weights if there is a draw."""
    norm = norm_class(size, eps)
    expect_weights(norm, {"weight": (size,), "bias": (size,)}, kind="weights")
    if draw is not None:
        norm.load_state_dict({"weight": draw.normal(size) + 1, "bias": draw.normal(size)}, strict=False)
    return norm


def _vectors(draw: Draw, *shape: int) -> Tensor:
    """Vectors that lie beside zero, each at its own place and of its own width, which is never small beside how far away it lies."""
    front = (*shape[:-1], 1)
    drawn = draw.normal(*shape)
    wide = (drawn - drawn.mean(dim=-1, keepdim=True)) / drawn.std(dim=-1, keepdim=True)
    return 50 * (wide * (0.5 + draw.normal(*front).abs()) + draw.normal(*front) + 1)


@probe("LayerNorm")
def normalised(norm_class, draw: Draw):
    """γ is 1 and β is 0, as they were made."""
    inputs = _vectors(draw, 3, 4, 6)
    return {"outputs": made(norm_class, 6, SMALL)(inputs.clone()), "inputs": inputs}


@probe("LayerNorm")
def variance(norm_class, draw: Draw):
    """Short vectors, in which one number more or less makes a difference."""
    inputs = _vectors(draw, 2, 5, 4)
    return {"outputs": made(norm_class, 4, SMALL)(inputs.clone()), "inputs": inputs}


@probe("LayerNorm")
def epsilon(norm_class, draw: Draw):
    """An ε that is as large as the variances."""
    eps = 0.5 + float(draw.normal(1).abs())
    inputs = draw.normal(2, 5, 4) + 1
    return {"outputs": made(norm_class, 4, eps)(inputs.clone()), "inputs": inputs, "eps": eps}


@probe("LayerNorm")
def affine(norm_class, draw: Draw):
    """γ and β are drawn."""
    norm, inputs = made(norm_class, 6, SMALL, draw), _vectors(draw, 2, 3, 6)
    outputs = norm(inputs.clone())
    return {"outputs": outputs, "inputs": inputs, "weight": norm.weight, "bias": norm.bias}


@probe("LayerNorm")
def shapes(norm_class, draw: Draw):
    """One vector alone, four dimensions, one sentence of one word; and the inputs as they are after the call."""
    answers = {}
    for name, shape in {"one vector": (5,), "four dimensions": (2, 3, 4, 5), "one word": (1, 1, 5)}.items():
        inputs = _vectors(draw, *shape)
        with torch.no_grad():  # A change in place would be an error with a gradient.
            answers[name] = {"outputs": made(norm_class, 5, SMALL)(inputs), "inputs": inputs}
    return answers


@probe("LayerNorm")
def numbers(norm_class, draw: Draw):
    """Half and double precision; a vector of equal numbers, which only ε keeps from a division by zero; one that lies far from zero."""
    whole = draw.integers(-20, 20, 2, 3, 8)  # Their means are exact in half precision.
    whole[..., 0] += 50
    equal = draw.integers(-9, 9, 2, 3, 1).expand(2, 3, 8)
    return {
        "half precision": made(norm_class, 8, 1e-5).half()(whole.half()),
        "double precision": made(norm_class, 8, 1e-5).double()(_vectors(draw, 2, 3, 8).double()),
        "equal values": made(norm_class, 8, 1e-5)(equal.float()),
        "values around 200 that differ by 1": made(norm_class, 8, 1e-5)(draw.normal(2, 3, 8) + 200),
    }


@probe("LayerNorm")
def gradient(norm_class, draw: Draw):
    """What comes back to the inputs, to γ and to β."""
    norm, leaf = made(norm_class, 6, SMALL, draw), _vectors(draw, 2, 3, 6).requires_grad_()
    (norm(leaf * 1) * draw.normal(2, 3, 6)).sum().backward()
    own = dict(norm.named_parameters())
    return {"inputs": leaf.grad, "weight": own["weight"].grad, "bias": own["bias"].grad}
