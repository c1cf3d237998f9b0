"""How the checks of `GRUCell` and `LSTMCell` make a cell with drawn weights."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import expect_weights, has_finite_gradients

BATCH, INPUT, STATE = 3, 5, 4
Weights = dict[str, Tensor]


def weights(draw: Draw, gates: int) -> Weights:
    """The state dict of a cell, such that its gates are neither shut nor open."""
    return {
        "weight_ih": draw.normal(gates * STATE, INPUT, scale=0.6),
        "weight_hh": draw.normal(gates * STATE, STATE, scale=0.7),
        "bias_ih": draw.normal(gates * STATE, scale=0.6),
        "bias_hh": draw.normal(gates * STATE, scale=0.6),
    }


def without_biases(given: Weights) -> Weights:
    """The weights of a cell that has no biases."""
    return {name: tensor for name, tensor in given.items() if name.startswith("weight")}


def alike(draw: Draw, gates: int) -> Weights:
    """Weights that are the same for all gates and do not look at the state, so that the order of the gates is nothing."""
    drawn = weights(draw, gates)
    for name in ("weight_ih", "bias_ih"):
        first = drawn[name][:STATE]
        drawn[name] = torch.cat([first] * gates)
    return drawn | {name: torch.zeros_like(drawn[name]) for name in ("weight_hh", "bias_hh")}


def built(cell_class, given: Weights) -> Any:
    """The student's cell with these weights, in their type."""
    cell = cell_class(INPUT, STATE) if "bias_ih" in given else cell_class(INPUT, STATE, bias=False)
    expect_weights(cell, {name: tensor.shape for name, tensor in given.items()}, kind="weights")
    cell.load_state_dict({name: tensor.clone() for name, tensor in given.items()}, strict=False)
    return cell.to(given["weight_ih"].dtype)


def gradients(cell, given: dict[str, Tensor]) -> dict[str, Any]:
    """What has come back to the cell's weights and to what it was given, by name."""
    return {name: tensor.grad for name, tensor in {**dict(cell.named_parameters()), **given}.items()}


def is_finite_far_from_zero(cell, *given: Any) -> bool:
    """Whether the gradients are finite of an input so large that gates and candidate are all the way open or shut."""
    results = cell(*given)
    return has_finite_gradients(results if isinstance(results, tuple) else [results], list(cell.parameters()))


FINITE = "the gradient far from zero is finite"


def far_from_zero(got: Any, want: Any) -> str | None:
    """What a gradient that is not finite tells."""
    if got[FINITE]:
        return None
    return (
        "for large inputs the gradient is NaN or infinite: torch.sigmoid and torch.tanh stay finite where exp overflows"
    )


def double(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The same in double precision."""
    return {name: tensor.double() for name, tensor in tensors.items()}
