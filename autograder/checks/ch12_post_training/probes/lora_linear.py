"""What is asked of `LoRALinear`.

Where what it computes is the question, the four weights are drawn and set by their names, so that it matters not how they begin.
"""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, expect_weights

IN, OUT, RANK = 6, 5, 2
WIDE = 15
"""The in_features of a layer whose A is large enough for its width to be seen; its root is far from whole."""
MANY = 40
"""Its rank."""


def wrapped(draw: Draw, size: int = IN, out: int = OUT, *, bias: bool = True) -> nn.Linear:
    """A layer to wrap, with drawn weights."""
    linear = nn.Linear(size, out, bias=bias)
    with torch.no_grad():
        for weight in linear.parameters():
            weight.copy_(draw.normal(*weight.shape))
    return linear


def made(lora_class, linear: nn.Linear, rank: int, alpha: float) -> Any:
    """The student's module around a layer.

    Raises:
        MisuseError: It has not the weights that its docstring says.
    """
    out, size = linear.weight.shape
    module = lora_class(linear, rank, alpha)
    expect(module, {"down": (rank, size), "up": (out, rank), "linear.weight": (out, size)})
    return module


def expect(module: Any, shapes: dict[str, tuple[int, ...]]) -> None:
    """See to it that the module has these parameters, and no others but a bias.

    Raises:
        MisuseError: One is missing, or has another shape, or is one too many.
    """
    expect_weights(module, {})
    own = {name: tuple(weight.shape) for name, weight in module.named_parameters()}
    for name, shape in shapes.items():
        if name not in own:
            raise MisuseError(
                f"it has no parameter {name}: linear, down and up are attributes, and down and up are of type nn.Parameter"
            )
        if own[name] != shape:
            raise MisuseError(f"{name} has shape {own[name]}, expected {shape}")
    surplus = own.keys() - shapes.keys() - {"linear.bias"}
    if surplus:
        raise MisuseError(f"it has a parameter {min(surplus)}: expected only linear, down and up")


def drawn(
    lora_class, draw: Draw, size: int = IN, out: int = OUT, *, rank: int = RANK, alpha: float, bias: bool = True
) -> Any:
    """The module with A and B drawn too."""
    return filled(made(lora_class, wrapped(draw, size, out, bias=bias), rank, alpha), draw)


def filled(module: Any, draw: Draw) -> Any:
    """The module with drawn A and B."""
    with torch.no_grad():
        module.down.copy_(draw.normal(*module.down.shape))
        module.up.copy_(draw.normal(*module.up.shape))
    return module


def alpha_of(draw: Draw) -> float:
    """From 4.5 to 5.9: neither the usual one, nor the rank, nor a multiple of it."""
    return 4.5 + int(draw.integers(0, 140)) / 100


def weights_of(module: Any) -> dict[str, Tensor]:
    """The four weights, as the class names them."""
    found = {"weight": module.linear.weight, "down": module.down, "up": module.up}
    return found if module.linear.bias is None else found | {"bias": module.linear.bias}


def merged(module: Any) -> nn.Linear:
    """The layer that `merge` made.

    Raises:
        MisuseError: It is none.
    """
    result = module.merge()
    if not isinstance(result, nn.Linear):
        raise MisuseError(f"merge returned {kind_of(result)}, expected an nn.Linear")
    return result


@probe("LoRALinear")
def start(lora_class, draw: Draw):
    """What it computes as it is made, how its two matrices begin, and the wrapped layer's weights; and how those of another begin."""
    linear, inputs, alpha = wrapped(draw, WIDE, 30), draw.normal(3, WIDE), alpha_of(draw)
    module, other = made(lora_class, linear, MANY, alpha), made(lora_class, wrapped(draw, WIDE, 30), MANY, alpha)
    return {
        "outputs": module(inputs),
        "up is zero": not bool(module.up.any()),
        "down is zero": not bool(module.down.any()),
        "width of down": float(module.down.detach().std()) * WIDE**0.5,
        "all begin alike": torch.equal(module.down, other.down),
        "weight": linear.weight,
        "inputs": inputs,
        "bias": linear.bias,
        "alpha": alpha,
    }


@probe("LoRALinear")
def product(lora_class, draw: Draw):
    """What it computes with drawn matrices."""
    alpha = alpha_of(draw)
    module, inputs = drawn(lora_class, draw, alpha=alpha), draw.normal(4, IN)
    return {"outputs": module(inputs), "inputs": inputs, "alpha": alpha, **weights_of(module)}


@probe("LoRALinear")
def frozen(lora_class, draw: Draw):
    """Which weights train, and the gradients that come back to those that should, and to the inputs."""
    linear, alpha, leaf = wrapped(draw), alpha_of(draw), draw.normal(4, IN).requires_grad_()
    module = filled(made(lora_class, linear, RANK, alpha), draw)
    outputs, sent = module(leaf), draw.normal(4, OUT)
    trains = {name: weight.requires_grad for name, weight in module.named_parameters()}
    if outputs.requires_grad:
        (outputs * sent).sum().backward()
    leaves = {"down": module.down, "up": module.up, "inputs": leaf}
    return {
        "trains": trains,
        "what was given trains": any(weight.requires_grad for weight in linear.parameters()),
        "through the layer": sent @ linear.weight,
        "gradients": {
            name: torch.zeros_like(each) if each.grad is None else each.grad for name, each in leaves.items()
        },
    }


@probe("LoRALinear")
def merging(lora_class, draw: Draw):
    """The layer that comes of merging, twice; and the module before and after."""
    alpha = alpha_of(draw)
    module = drawn(lora_class, draw, alpha=alpha)
    before = {name: weight.detach().clone() for name, weight in weights_of(module).items()}
    first, second = merged(module), merged(module)
    biases = [layer.bias.data_ptr() for layer in (module.linear, first, second) if layer.bias is not None]
    kept = {module.linear.weight.data_ptr(), second.weight.data_ptr()}
    return {
        "weight": first.weight,
        "bias": torch.zeros(OUT) if first.bias is None else first.bias,
        "again": second.weight,
        "is a new layer": first.weight.data_ptr() not in kept,
        "has a bias of its own": len(set(biases)) == len(biases),
        "module after": weights_of(module),
        "before": before,
        "alpha": alpha,
    }


@probe("LoRALinear")
def any_shape(lora_class, draw: Draw):
    """One vector, four dimensions, no bias, rank 1, and double precision."""
    alpha, found = alpha_of(draw), {}
    for name, shape in {"one vector": (IN,), "four dimensions": (2, 3, 1, IN)}.items():
        found[name] = drawn(lora_class, draw, alpha=alpha)(draw.normal(*shape))
    bare = drawn(lora_class, draw, alpha=alpha, rank=1, bias=False)
    inputs = draw.normal(3, IN)
    found["no bias"] = bare(inputs)
    layer = merged(bare)
    found["no bias, merged"] = layer(inputs)
    found["merged, it has no bias"] = layer.bias is None
    module = filled(made(lora_class, wrapped(draw).double(), RANK, alpha), draw)
    inputs = draw.normal(3, IN, dtype=torch.float64)
    found["double precision"] = module(inputs)
    found["double precision, merged"] = merged(module)(inputs)
    return found
