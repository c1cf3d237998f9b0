"""What is right about `RMSNorm`, and what is said when it is not."""

from typing import Any

from torch import Tensor

from autograder.checks.ch13_today.probes import rms_norm as probes
from autograder.compare import close, difference, explained, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_SQUARES = "each vector is divided by the root of its mean square"
_EPS = "ε is added to the mean square, under the root"
_WEIGHT = "the result is multiplied by weight"


def _root(inputs: Tensor, eps: float = probes.SMALL, dim: Any = -1) -> Tensor:
    return (inputs.square().mean(dim=dim, keepdim=True) + eps).sqrt()


@judge(
    _SQUARES,
    probe=probes.normalised,
    points=2,
    hint="The mean of the squares is taken over the last dimension, for each vector separately; no mean is "
    "subtracted. keepdim=True keeps that dimension with size one, for broadcasting.",
)
def mean_square(got: Any, want: Any) -> Verdict:
    """Nothing but the division."""
    inputs = want["inputs"]
    centred = inputs - inputs.mean(dim=-1, keepdim=True)
    mistakes = {
        "the mean was subtracted, as in layer normalisation; expected the vectors as they are": centred
        / _root(centred),
        "the mean was subtracted before the division, but the squares are those of the inputs": centred / _root(inputs),
        "the variance was used instead of the mean square": inputs / _root(centred),
        "the vectors were divided by their length: the squares were summed, expected their mean": (
            inputs / inputs.norm(dim=-1, keepdim=True)
        ),
        "the vectors were divided by the mean square itself, expected its root": inputs / _root(inputs).square(),
        "the vectors were multiplied by the root, expected a division": inputs * _root(inputs),
        "the mean of the absolute values was used instead of the root of the mean square": (
            inputs / inputs.abs().mean(dim=-1, keepdim=True)
        ),
        "the outputs are twice as large: the weight is γ, which is 1 at the start, and not 1 + γ": 2
        * inputs
        / _root(inputs),
        "the squares were averaged over the positions, expected over the last dimension": inputs / _root(inputs, dim=1),
        "the squares were averaged over the sentences, expected over the last dimension": inputs / _root(inputs, dim=0),
        "the squares of the whole batch were averaged, expected those of each vector": inputs
        / _root(inputs, dim=(0, 1, 2)),
        "the squares were averaged over positions and components together": inputs / _root(inputs, dim=(1, 2)),
    }
    return explained(got["outputs"], want["outputs"], mistakes, "outputs")


@judge(
    _EPS,
    probe=probes.epsilon,
    points=1,
    needs=(_SQUARES,),
    hint="First add ε to the mean square, then take the root. Use self.eps.",
)
def under_the_root(got: Any, want: Any) -> Verdict:
    """A large ε."""
    inputs, eps = want["inputs"], want["eps"]
    root = _root(inputs, 0.0)
    mistakes = {
        "ε was added to the root, expected under it": inputs / (root + eps),
        "ε was not used, or it is a small number of your own; expected self.eps": inputs / root,
        "ε was squared under the root": inputs / _root(inputs, eps**2),
        "ε was used as a lower limit of the mean square; expected it added": inputs
        / root.square().clamp_min(eps).sqrt(),
    }
    return explained(got["outputs"], want["outputs"], mistakes, "outputs with a large ε")


@judge(
    _WEIGHT,
    probe=probes.stretched,
    points=1,
    needs=(_SQUARES,),
    hint="γ is self.weight, and it multiplies component by component. There is no bias.",
)
def multiplied(got: Any, want: Any) -> Verdict:
    """A drawn weight."""
    inputs, weight = want["inputs"], want["weight"]
    normal = inputs / _root(inputs)
    mistakes = {
        "the weight was not used": normal,
        "the weight was added, expected multiplied": normal + weight,
        "the outputs were divided by the weight, expected a product": normal / weight,
        "the inputs were multiplied by the weight before they were normalised": inputs
        * weight
        / _root(inputs * weight),
    }
    return explained(got["outputs"], want["outputs"], mistakes, "outputs")


@judge(
    "works with any number of dimensions and does not change its inputs",
    probe=probes.shapes,
    points=1,
    arguments=True,
    needs=(_SQUARES,),
    hint="Inputs are (..., d): one vector alone, or four dimensions. Count dimensions from the end. Methods that end in an underscore, and /=, change "
    "the caller's tensor.",
)
def any_shape(got: Any, want: Any) -> Verdict:
    """Outputs and inputs."""
    for name, right in want.items():
        if not is_close(got[name]["inputs"], right["inputs"]):
            return failed("the call changed its inputs")
        if not is_close(got[name]["outputs"], right["outputs"]):
            return failed(f"{name}: {difference(got[name]['outputs'], right['outputs'])}")
    return passed()


any_precision = judge(
    "half and double precision work, and so does a vector of zeros",
    probe=probes.numbers,
    points=1,
    hidden=True,
    needs=(_SQUARES, _EPS),
    hint="The outputs have the dtype of the inputs. The mean square of zeros is 0, so add ε before you divide.",
)(close())
