"""Drawn weights for the layers of a student's class, which `__init__`, as it is given, has made."""

from typing import Any

from torch import nn

from autograder.asking.draw import Draw
from autograder.asking.probing import expect_weights

Shapes = dict[str, tuple[int, ...]]


def of_gru(name: str, inputs: int, hidden: int, *, both_ways: bool = False) -> Shapes:
    """The weights of a GRU of one layer by their names in the state dict."""
    one_way = {
        "weight_ih_l0": (3 * hidden, inputs),
        "weight_hh_l0": (3 * hidden, hidden),
        "bias_ih_l0": (3 * hidden,),
        "bias_hh_l0": (3 * hidden,),
    }
    endings = ("", "_reverse") if both_ways else ("",)
    return {f"{name}.{weight}{ending}": shape for ending in endings for weight, shape in one_way.items()}


def of_linear(name: str, inputs: int, outputs: int) -> Shapes:
    """The weights of a linear layer by their names in the state dict."""
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def with_drawn_weights(module: Any, shapes: Shapes, draw: Draw) -> Any:
    """The module with new weights in the place of those that it was made with.

    Args:
        module: What a student's class made.
        shapes: The shape of each weight that it should have.
        draw: Where the new ones come from.

    Raises:
        MisuseError: It is no module, or a weight is missing or has another shape.
    """
    expect_weights(module, shapes)
    drawn = {name: draw.normal(*shape, scale=0.5) for name, shape in shapes.items()}
    module.load_state_dict(drawn, strict=False)
    return module


def gradients(module: nn.Module, shapes: Shapes) -> dict[str, Any]:
    """What came back to each of these weights."""
    own = dict(module.named_parameters())
    return {name: own[name].grad for name in shapes}
