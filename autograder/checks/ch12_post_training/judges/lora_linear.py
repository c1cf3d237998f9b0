"""What is right about `LoRALinear`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch12_post_training.probes import lora_linear as probes
from autograder.compare import close, difference, explained, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_START = "it starts as the layer that it wraps, with A random and B zero"
_PRODUCT = "it adds α / r times B A x to what the layer computes"
_FROZEN = "A and B train, and the wrapped layer does not"
_MERGE = "merge makes one new layer that computes the same"


@judge(
    _START,
    probe=probes.start,
    points=2,
    hint="A product with a zero matrix is zero, whatever the other matrix is. They must not both be zero, because then neither gets a gradient. "
    "The entries of A are standard normal, divided by the root of in_features.",
)
def starts_equal(got: Any, want: Any) -> Verdict:
    """The first outputs, and the two matrices."""
    if not is_close(got["weight"], want["weight"]):
        return failed("the wrapped layer's weight has changed")
    if got["up is zero"] and got["down is zero"]:
        return failed(
            "A and B are both zero: the gradient of each is a product with the other, so neither ever changes"
        )
    if got["down is zero"]:
        return failed("A is zero and B is random: expected A random, B zero")
    if not got["up is zero"]:
        return failed(
            "A and B are both random, so that their product changes the layer from the start: B starts at zero"
        )
    if not 0.8 < got["width of down"] < 1.2:
        return failed(
            f"the standard deviation of A is {got['width of down'] / probes.WIDE**0.5:.3g} for {probes.WIDE} in_features, expected "
            f"about {probes.WIDE**-0.5:.3g}, 1 over the root of {probes.WIDE}"
        )
    if got["all begin alike"]:
        return failed("two layers start with the same A: each layer has to draw its own, without setting a seed")
    layer = want["inputs"] @ want["weight"].T
    mistakes = {
        "the wrapped layer's bias is missing": layer,
        "the wrapped layer's outputs are missing": layer * 0,
        "the bias is added twice": layer + 2 * want["bias"],
        "the wrapped layer is added twice": 2 * (layer + want["bias"]),
        "the scale multiplies the layer's outputs too": want["alpha"] / probes.MANY * (layer + want["bias"]),
    }
    return explained(got["outputs"], want["outputs"], mistakes, "outputs")


@judge(
    _PRODUCT,
    probe=probes.product,
    points=2,
    needs=(_START,),
    hint="inputs @ A.T has shape (..., r); times B.T it has shape (..., out_features). The scale is α divided by r. All of it is added to what "
    "self.linear computes.",
)
def adds_product(got: Any, want: Any) -> Verdict:
    """The outputs with drawn matrices."""
    inputs, alpha = want["inputs"], want["alpha"]
    layer = inputs @ want["weight"].T + want["bias"]
    found = inputs @ want["down"].T @ want["up"].T
    rank = probes.RANK
    mistakes = {
        "the scale α / r is forgotten": layer + found,
        "the scale is α, expected α / r": layer + alpha * found,
        "the scale is α // r, rounded down, expected α / r": layer + alpha // rank * found,
        "the scale is applied twice": layer + (alpha / rank) ** 2 * found,
        "the scale is 1 / r, expected α / r": layer + found / rank,
        "the scale is α r, expected α / r": layer + alpha * rank * found,
        "the scale is r / α, expected α / r": layer + rank / alpha * found,
        "the scale is α over the root of r, expected α / r": layer + alpha / rank**0.5 * found,
        "α is 16, whatever was given": layer + 16 / rank * found,
        "the scale multiplies the layer's outputs too": alpha / rank * (layer + found),
        "the product makes no difference": layer,
        "the layer's outputs are missing: only the product came back": alpha / rank * found,
        "the bias is missing": layer - want["bias"] + alpha / rank * found,
        "the product is subtracted": layer - alpha / rank * found,
    }
    return explained(got["outputs"], want["outputs"], mistakes, "outputs")


@judge(
    _FROZEN,
    probe=probes.frozen,
    points=2,
    needs=(_START, _PRODUCT),
    hint="requires_grad_(False) freezes a parameter, or all of a module's. The gradient must still flow through the layer to its inputs: no "
    "detach and no no_grad in forward.",
)
def trains_two(got: Any, want: Any) -> Verdict:
    """Which weights ask for a gradient, and the gradients."""
    trains = got["trains"]
    for name in ("linear.weight", "linear.bias"):
        if trains[name]:
            return failed(f"{name} still trains: while all of W trains, the two thin matrices save nothing")
    if got["what was given trains"]:
        return failed(
            "the layer that was given still trains, because self.linear is a copy of it: expected the layer itself, frozen"
        )
    still = [name for name in ("down", "up") if not trains[name]]
    if still:
        return failed(f"{still[0]} does not train: it has to be a parameter that requires a gradient")
    for name, right in want["gradients"].items():
        found = got["gradients"][name]
        if name == "inputs" and is_close(found, right - want["through the layer"]):
            return failed(
                "no gradient comes back to the inputs through the wrapped layer: is there a no_grad or a detach in forward?"
            )
        if name == "inputs" and is_close(found, want["through the layer"]):
            return failed("no gradient comes back to the inputs through A and B: is there a detach in forward?")
        if not is_close(found, right):
            told = f": {difference(found, right)}" if found.any() else " is zero, or there is none"
            return failed(f"the gradient of {name}{told}")
    return passed()


@judge(
    _MERGE,
    probe=probes.merging,
    points=2,
    needs=(_START, _PRODUCT),
    hint="(W + (α / r) B A) x + b is what forward computes, for every x. B A has the shape of W, (out_features, in_features). The module stays as "
    "it is, so that it can be merged again.",
)
def one_layer(got: Any, want: Any) -> Verdict:
    """The merged weight and bias, and the module afterwards."""
    before, alpha, rank = want["before"], want["alpha"], probes.RANK
    if not got["is a new layer"]:
        return failed(
            "merge returned the wrapped layer itself, or the layer of another call: expected a new one each time"
        )
    if not got["has a bias of its own"]:
        return failed(
            "the merged layer and the wrapped one share their bias, so that training the one changes the other: copy it"
        )
    if not is_close(got["module after"], want["module after"]):
        return failed("merge changed the module: expected a new layer, and the module as it was")
    added = before["up"] @ before["down"]
    mistakes = {
        "the scale α / r is forgotten": before["weight"] + added,
        "the scale is α, expected α / r": before["weight"] + alpha * added,
        "the scale is α // r, rounded down, expected α / r": before["weight"] + alpha // rank * added,
        "the product is missing: it is the wrapped layer's weight": before["weight"],
        "the wrapped layer's weight is missing": alpha / rank * added,
        "the product is subtracted": before["weight"] - alpha / rank * added,
    }
    verdict = explained(got["weight"], want["weight"], mistakes, "the merged weight")
    if not verdict.ok:
        return verdict
    if not is_close(got["again"], want["again"]):
        return failed("merging a second time gives a different weight")
    if not got["bias"].any():
        return failed("the merged layer has no bias, although the wrapped one has one")
    if not is_close(got["bias"], want["bias"]):
        return failed("the merged layer's bias is not the wrapped layer's: a new nn.Linear begins with a random one")
    return passed()


@judge(
    "it works for inputs with any number of dimensions, for a layer without bias, and in any precision",
    probe=probes.any_shape,
    points=1,
    hidden=True,
    needs=(_START, _PRODUCT, _MERGE),
    hint="Transpose the matrices, not the inputs. Make A and B, and the merged layer, with the weight's dtype and device; a layer may have been made "
    "with bias=False.",
)
def general(got: Any, want: Any) -> Verdict:
    """Outputs of the module and of merged layers."""
    return close()(got, want)
