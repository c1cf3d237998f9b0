"""The checks of `LoRALinear`."""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, expect_weights
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.checks.ch10_bert.counts import most_unlikely
from autograder.declare import Exercise, check
from autograder.judging.compare import is_close

EXERCISE = Exercise("LoRALinear", "a linear layer that learns through two thin matrices", minutes=25, difficulty=2)


class _Both(nn.Module):
    """The student's module, and what its merged layer computes. The wrapped layer's weights are not among its own, so that none of them is trained here."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.lora = module

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, nn.Parameter]]:
        """A and B."""
        every = super().named_parameters(*args, **kwargs)
        return ((name, weight) for name, weight in every if not name.startswith("lora.linear."))

    def forward(self, inputs: Tensor) -> list[Tensor]:
        """Both outputs."""
        return [self.lora(inputs), merged(self.lora)(inputs)]


@in_use(devices=False)
def in_chapter(lora_class, draw: Draw) -> Use:
    """A layer as wide as the chapter's over a batch of sequences, then over single vectors."""
    module = _Both(filled(made(lora_class, wrapped(draw, 32, 24), 4), draw))
    return Use(module, (draw.normal(3, 9, 32, scale=0.2),), (draw.normal(5, 32, scale=0.2),))


IN, OUT, RANK = 6, 5, 2
WIDE, MANY = 150, 60
"""The in_features of a layer whose A is large enough for its distribution to be seen, whose root is far from whole, and its rank."""


def wrapped(draw: Draw, size: int = IN, out: int = OUT, *, bias: bool = True) -> nn.Linear:
    """A layer to wrap, with drawn weights."""
    linear = nn.Linear(size, out, bias=bias)
    with torch.no_grad():
        for weight in linear.parameters():
            weight.copy_(draw.normal(*weight.shape))
    return linear


def made(lora_class, linear: nn.Linear, rank: int, *alpha: float) -> Any:
    """The student's module around a layer, with the usual α or another.

    Raises:
        MisuseError: It has not the weights that its docstring says.
    """
    out, size = linear.weight.shape
    module = lora_class(linear, rank, *alpha)
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


def direction(tensor: Tensor) -> Tensor:
    """The tensor with length one; zeros stay."""
    return tensor / tensor.norm().clamp(min=1e-9)


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


def random_apart(answer: Any) -> Any:
    """A is random: of its entries only whether their width, and how many are positive or far out, may be chance is compared.

    Of 9,000 entries, a width that is off by a twentieth is seen, a share of positive ones that is off by 0.04, and one beyond two widths, of
    1/22, that is off by 0.02. How far off a width is, in steps of a sixth, tells mistakes apart.
    """
    width, entries = answer["width of A"], answer["entries"]
    counts = {"positive": 0.5, "far out": math.erfc(2**0.5)}
    signs = {
        name: (answer[name] > entries * share) - (answer[name] < entries * share)
        if most_unlikely([(name, answer[name], entries, share)])
        else 0
        for name, share in counts.items()
    }
    is_off = (width > 1.05) - (width < 0.95)
    return {**answer, "width of A": is_off, "steps off": is_off and round(math.log(width + 1e-9) / 0.17), **signs}


@check(
    "it starts as the layer that it wraps, with A random and B zero",
    points=2,
    reads=random_apart,
    hint="A product with a zero matrix is zero, whatever the other matrix is. They must not both be zero, because then neither gets a gradient. "
    "The entries of A are standard normal, divided by the root of in_features.",
)
def start(lora_class, draw: Draw):
    """What it computes as it is made, how its two matrices begin, and the wrapped layer's weights; and how those of another begin."""
    linear, inputs, alpha = wrapped(draw, WIDE, 30), draw.normal(3, WIDE), alpha_of(draw)
    module, other = made(lora_class, linear, MANY, alpha), made(lora_class, wrapped(draw, WIDE, 30), MANY, alpha)
    entries = module.down.detach() * WIDE**0.5
    return {
        "outputs": module(inputs),
        "up is zero": not bool(module.up.any()),
        "down is zero": not bool(module.down.any()),
        "width of A": float(entries.square().mean()) ** 0.5,
        "positive": int((entries > 0).sum()),
        "far out": int((entries.abs() > 2).sum()),
        "entries": entries.numel(),
        "rows are alike": bool((entries == entries[:1]).all()),
        "all begin alike": torch.equal(module.down, other.down),
        "weight": linear.weight,
    }


@start.explain
def two_matrices(got, want):
    """How A and B begin."""
    if got["down is zero"]:
        return "A is zero at the start, expected random numbers"
    if not got["up is zero"]:
        return "B is not zero at the start"
    if got["rows are alike"]:
        return "all rows of A are the same"
    width, near = got["width of A"] / WIDE**0.5, WIDE**-0.5
    if abs(got["width of A"] - 1) > 0.05:
        return (
            f"the root mean square of A's entries is {width:.4g} for {WIDE} in_features, expected about {near:.4g}, "
            f"1 over the root of {WIDE}"
        )
    for name, told in (("positive", "above 0"), ("far out", f"beyond ±{2 * near:.3f}")):
        if random_apart(got)[name] != random_apart(want)[name]:
            share, expected = got[name] / got["entries"], want[name] / want["entries"]
            return f"{share:.1%} of A's entries are {told}, expected about {expected:.1%}: they are not normally distributed"
    if got["all begin alike"]:
        return "two layers start with the same A: is a seed set?"
    return None if is_close(got["weight"], want["weight"]) else "the wrapped layer's weight has changed"


@check(
    "it adds α / r times B A x to what the layer computes",
    points=2,
    needs=start,
    hint="inputs @ A.T has shape (..., r); times B.T it has shape (..., out_features). The scale is α divided by r. All of it is added to what "
    "self.linear computes.",
)
def product(lora_class, draw: Draw):
    """What it computes with drawn matrices."""
    module, inputs = drawn(lora_class, draw, alpha=alpha_of(draw)), draw.normal(4, IN)
    return {"outputs": module(inputs)}


@check(
    "A and B train, and the wrapped layer does not",
    points=2,
    needs=(start, product),
    hint="requires_grad_(False) freezes a parameter, or all of a module's. The gradient must still flow through the layer to its inputs: no "
    "detach and no no_grad in forward.",
)
def frozen(lora_class, draw: Draw):
    """Which weights train, and in which direction the gradients of those that should point: their scale is not asked here.

    What comes back to the inputs is held against how the module's own outputs change with them, of which they are a linear function.
    """
    linear, alpha, leaf = wrapped(draw), alpha_of(draw), draw.normal(4, IN).requires_grad_()
    given = list(linear.parameters())
    module = filled(made(lora_class, linear, RANK, alpha), draw)
    outputs, sent, step = module(leaf), draw.normal(4, OUT), draw.normal(4, IN)
    trains = {name: weight.requires_grad for name, weight in module.named_parameters()}
    if outputs.requires_grad:
        (outputs * sent).sum().backward()
    found = {
        name: torch.zeros_like(each) if each.grad is None else each.grad
        for name, each in {"down": module.down, "up": module.up, "inputs": leaf}.items()
    }
    with torch.no_grad():
        change = ((module(leaf + step) - module(leaf)) * sent).sum()
    flows = (found["inputs"] * step).sum() - change
    return {
        "trains": trains,
        "what was given trains": any(weight.requires_grad for weight in given),
        "directions of the gradients": {name: direction(found[name]) for name in ("down", "up")},
        "a gradient comes back to the inputs": bool(found["inputs"].any()),
        "what is missing of it": float(flows / (1 + change.abs())),
    }


@frozen.explain
def trained(got, want):
    """Which weights train that should not, or the other way round."""
    for name, should in want["trains"].items():
        if got["trains"][name] != should:
            return f"{name} does not train" if should else f"{name} still trains"
    return "the layer that was given still trains" if got["what was given trains"] else None


@frozen.explain
def no_gradient(got, want):
    """What no gradient comes back to."""
    silent = [name for name, gradient in got["directions of the gradients"].items() if not gradient.any()]
    silent += ["the inputs"] * (not got["a gradient comes back to the inputs"])
    if silent:
        return f"no gradient comes back to {silent[0]}"
    if is_close(got["what is missing of it"], want["what is missing of it"]):
        return None
    return "the gradient that comes back to the inputs is not that of the outputs: a part of it is cut off"


@check(
    "merge makes one new layer that computes the same",
    points=2,
    needs=(start, product),
    hint="(W + (α / r) B A) x + b is what forward computes, for every x. B A has the shape of W, (out_features, in_features). The module stays as "
    "it is, so that it can be merged again.",
)
def merging(lora_class, draw: Draw):
    """The layer that comes of merging, twice; the module before and after; and the layer that comes of one without bias.

    The scale is not asked here: of the change of the weight only its direction is looked at, and whether the layer computes the same as the module.
    """
    alpha, inputs = alpha_of(draw), draw.normal(4, IN)
    module = drawn(lora_class, draw, alpha=alpha)
    first, second = merged(module), merged(module)
    biases = [layer.bias.data_ptr() for layer in (module.linear, first, second) if layer.bias is not None]
    weights = {layer.weight.data_ptr() for layer in (module.linear, first, second)}
    other = drawn(lora_class, draw, alpha=alpha, bias=False)
    bare = merged(other)
    with torch.no_grad():
        pairs = [(each(inputs), layer(inputs)) for each, layer in ((module, first), (module, second), (other, bare))]
    apart = [float((found - right).norm() / right.norm()) for right, found in pairs]
    return {
        "direction of the change": direction(first.weight - module.linear.weight),
        "how far the outputs are from those of the module": apart,
        "bias": torch.zeros(OUT) if first.bias is None else first.bias,
        "is a new layer": first is not module.linear and first is not second,
        "in_features and out_features": [first.in_features, first.out_features],
        "has a weight of its own": len(weights) == 3,
        "has a bias of its own": len(set(biases)) == len(biases),
        "module after": weights_of(module),
        "no bias where there was none": bare.bias is None,
    }


@merging.explain
def not_a_layer_of_its_own(got, want):
    """What the new layer shares with another, and what it changes."""
    if not got["is a new layer"]:
        return "merge returned the wrapped layer itself, or the layer of another call"
    for name in ("weight", "bias"):
        if not got[f"has a {name} of its own"]:
            return (
                f"the merged layer and the wrapped one, or two merged layers, share their {name}: copy_ copies numbers"
            )
    if not is_close(got["module after"], want["module after"]):
        return "merge changed the module"
    if not got["no bias where there was none"]:
        return "the merged layer has a bias, although the wrapped one has none"
    sizes = "in_features and out_features"
    if got[sizes] != want[sizes]:
        return "in_features and out_features of the merged layer are not those of the wrapped one"
    if not got["bias"].any():
        return "the merged layer has no bias, although the wrapped one has one"
    apart = max(got["how far the outputs are from those of the module"])
    return f"the outputs of the merged layer differ from those of forward by {apart:.0%}" if apart > 1e-3 else None


@check(
    "it works for inputs with any number of dimensions, for a layer without bias, and in any precision",
    points=1,
    hidden=True,
    needs=(start, product, merging),
    hint="Transpose the matrices, not the inputs. Make A and B, and the merged layer, with the weight's dtype and device; a layer may have been made "
    "with bias=False.",
)
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
