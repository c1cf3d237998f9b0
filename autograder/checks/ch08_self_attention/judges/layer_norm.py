"""What is right about `LayerNorm`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch08_self_attention.probes import layer_norm as probes
from autograder.compare import difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_NORMALISED = "each vector has mean zero, and all have the same variance"
_VARIANCE = "the variance is the mean of the squares"
_EPS = "ε is added to the variance, under the square root"
_AFFINE = "the result is multiplied by weight, and bias is added"


def _spread(inputs: Tensor, eps: float = probes.SMALL, correction: int = 0, dim: tuple[int, ...] = (-1,)) -> Tensor:
    return (inputs.var(dim=dim, correction=correction, keepdim=True) + eps).sqrt()


def _normal(inputs: Tensor, eps: float = probes.SMALL, correction: int = 0, dim: tuple[int, ...] = (-1,)) -> Tensor:
    """The inputs normalised over some dimensions; a correction of 1 divides the sum of squares by one less than their number."""
    return (inputs - inputs.mean(dim=dim, keepdim=True)) / _spread(inputs, eps, correction, dim)


def _either_variance(got: Tensor, want: Tensor, size: int, atol: float = 1e-5) -> bool:
    """Whether the normalised vectors are right up to the variance: a wrong one costs its points once."""
    other = want * ((size - 1) / size) ** 0.5  # But for ε.
    return is_close(got, want, atol=atol) or is_close(got, other, rtol=1e-4, atol=atol)


@judge(
    _NORMALISED,
    probe=probes.normalised,
    points=2,
    hint="Each vector is normalised separately, over its own d components in the last dimension: subtract their "
    "mean, divide by the square root of their variance. keepdim=True keeps a dimension of size one for "
    "broadcasting.",
)
def every_vector_by_itself(got: Any, want: Any) -> Verdict:
    """Mean and width, up to one factor for all vectors."""
    outputs, inputs = got["outputs"], want["inputs"]
    size = inputs.shape[-1]
    if _either_variance(outputs, want["outputs"], size):
        return passed()
    if outputs.isnan().any():
        return failed(f"{int(outputs.isnan().sum())} of {outputs.numel()} values are NaN")
    over = {
        "over the positions, dimension 1": (1,),
        "over the sentences, dimension 0": (0,),
        "over sentences and positions, as in batch normalisation": (0, 1),
        "over positions and components together, with one mean for a sentence": (1, 2),
        "over all values of the batch together": (0, 1, 2),
    }
    for correction in (0, 1):
        for name, dim in over.items():
            if is_close(outputs, _normal(inputs, correction=correction, dim=dim)):
                return failed(f"mean and variance are taken {name}; expected for each vector, over the last dimension")
        centred = inputs - inputs.mean(dim=-1, keepdim=True)
        spread = _spread(inputs, correction=correction)
        others = {
            "the mean is subtracted, but nothing is divided by the square root of the variance": centred,
            "the vectors are divided by the variance itself, expected by its square root": centred / spread.square(),
            "the vectors are multiplied by the square root of the variance, expected a division": centred * spread,
            "the mean is not subtracted": inputs / spread,
            "the mean is added, expected subtracted": (inputs + inputs.mean(dim=-1, keepdim=True)) / spread,
            "the mean is subtracted after the division, expected before it": inputs / spread
            - inputs.mean(dim=-1, keepdim=True),
            "the vectors are divided by their norm, expected by the square root of the mean of the squares": centred
            / centred.norm(dim=-1, keepdim=True),
            "the vectors are divided by the square root of the mean of their squares, and the mean is not "
            "subtracted": inputs / inputs.square().mean(dim=-1, keepdim=True).sqrt(),
        }
        for message, values in others.items():
            if is_close(outputs, values):
                return failed(message)
    return failed(f"outputs: {difference(outputs, want['outputs'])}")


@judge(
    _VARIANCE,
    probe=probes.variance,
    points=1,
    needs=(_NORMALISED,),
    hint="σ² = (1/d) Σ_j (x_j - μ)². There is also a sample variance that divides by d - 1, and torch's var and "
    "std use it by default: look for `correction` in their documentation.",
)
def divided_by_size(got: Any, want: Any) -> Verdict:
    """The variance by d, not by d - 1."""
    outputs, inputs = got["outputs"], want["inputs"]
    if is_close(outputs, want["outputs"]):
        return passed()
    if is_close(outputs, _normal(inputs, correction=1)):
        return failed("the sum of the squares is divided by d - 1, expected by d")
    return failed(f"outputs: {difference(outputs, want['outputs'])}")


@judge(
    _EPS,
    probe=probes.epsilon,
    points=1,
    needs=(_NORMALISED,),
    hint="√(σ² + ε): first the sum, then the square root. Use self.eps, whatever its value.",
)
def under_the_root(got: Any, want: Any) -> Verdict:
    """ε, with either variance."""
    outputs, inputs, eps = got["outputs"], want["inputs"], want["eps"]
    if any(is_close(outputs, _normal(inputs, eps, correction)) for correction in (0, 1)):
        return passed()
    centred = inputs - inputs.mean(dim=-1, keepdim=True)
    for correction in (0, 1):
        spread = _spread(inputs, 0.0, correction)
        others = {
            "ε is added after the square root, σ + ε; expected under it, √(σ² + ε)": centred / (spread + eps),
            "ε has no effect, or it is a constant of your own; expected self.eps": centred / spread,
            "ε is squared under the square root, expected ε itself": _normal(inputs, eps**2, correction),
            "the square root of ε is added to σ; expected ε under the same square root as σ²": centred
            / (spread + eps**0.5),
            "ε is subtracted from the variance, expected added": centred / (spread.square() - eps).sqrt(),
            "ε is used as the minimum of the variance, expected added to it": centred
            / spread.square().clamp_min(eps).sqrt(),
            "ε is used as the minimum of σ, expected added to the variance": centred / spread.clamp_min(eps),
        }
        for message, values in others.items():
            if is_close(outputs, values):
                return failed(message)
    return failed(f"outputs with a large ε: {difference(outputs, want['outputs'])}")


@judge(
    _AFFINE,
    probe=probes.affine,
    points=1,
    needs=(_NORMALISED,),
    hint="γ is self.weight, which multiplies component by component; β is self.bias, which is added last.",
)
def stretched_and_shifted(got: Any, want: Any) -> Verdict:
    """The affine map, with either variance."""
    outputs, inputs, weight, bias = got["outputs"], want["inputs"], want["weight"], want["bias"]
    if is_close(outputs, want["outputs"]):
        return passed()
    if is_close(outputs, _normal(inputs, correction=1) * weight + bias):
        return passed()
    for correction in (0, 1):
        normal = _normal(inputs, correction=correction)
        others = {
            "weight and bias have no effect": normal,
            "the bias has no effect": normal * weight,
            "the weight has no effect": normal + bias,
            "the bias is added before the multiplication by the weight, expected after it": (normal + bias) * weight,
            "weight and bias are swapped": normal * bias + weight,
            "the values are divided by the weight, expected a product": normal / weight + bias,
            "the weight is added, expected a multiplication": normal + weight + bias,
        }
        for message, values in others.items():
            if is_close(outputs, values):
                return failed(message)
    return failed(f"outputs: {difference(outputs, want['outputs'])}")


@judge(
    "any number of dimensions works, and the inputs are not changed",
    probe=probes.shapes,
    points=1,
    arguments=True,
    needs=(_NORMALISED,),
    hint="Inputs have the shape (..., d): a single vector, or four dimensions. Count dimensions from the end, "
    "and keep those of size one. Methods that end in an underscore, and -=, change the caller's tensor.",
)
def any_shape(got: Any, want: Any) -> Verdict:
    """The outputs, with either variance, and the inputs."""
    for name, right in want.items():
        if not is_close(got[name]["inputs"], right["inputs"]):
            return failed("the call changed its inputs")
        if not _either_variance(got[name]["outputs"], right["outputs"], right["inputs"].shape[-1]):
            return failed(f"{name}: {difference(got[name]['outputs'], right['outputs'])}")
    return passed()


@judge(
    "half and double precision work, and so do equal values and values far from zero",
    probe=probes.numbers,
    points=1,
    hidden=True,
    needs=(_NORMALISED, _EPS),
    hint="The outputs have the dtype of the inputs: convert nothing, and pass dtype= where you create a tensor. "
    "If all components are equal, the variance is 0, so ε must be added before the division. E[x²] - μ² is "
    "a small difference of large numbers: subtract the mean first.",
)
def any_precision(got: Any, want: Any) -> Verdict:
    """The outputs, with either variance."""
    for name, right in want.items():
        rounding = 5e-3 if right.dtype is torch.float16 else 5e-4
        if not _either_variance(got[name], right, right.shape[-1], atol=rounding):
            return failed(f"{name}: {difference(got[name], right)}")
    return passed()


@judge(
    "the gradient for inputs, weight and bias is right",
    probe=probes.gradient,
    points=1,
    hidden=True,
    needs=(_NORMALISED, _AFFINE),
    hint="Mean and variance depend on the inputs too, and the gradient goes through them: detach, .data, .item() "
    "and no_grad stop it.",
)
def whole_gradient(got: Any, want: Any) -> Verdict:
    """The three gradients, with either variance: a factor of the normalised vectors is one of their gradients."""
    size = want["weight"].numel()
    for name, right in want.items():
        fits = is_close(got[name], right) if name == "bias" else _either_variance(got[name], right, size)
        if not fits:
            return failed(f"{name}: {difference(got[name], right)}")
    return passed()
