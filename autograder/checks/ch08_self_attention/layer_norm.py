"""The checks of `LayerNorm`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import expect_weights
from autograder.asking.rules import NORMALIZATION
from autograder.asking.usage import Use, in_use, weigh
from autograder.declare import Exercise, check
from autograder.judging.compare import difference, is_close
from autograder.judging.verdict import JudgeFunction, Verdict, failed, passed

EXERCISE = Exercise(
    "LayerNorm", "bring every vector to mean zero and variance one", minutes=10, difficulty=1, forbids=(NORMALIZATION,)
)


@in_use()
def in_chapter(norm_class, draw: Draw) -> Use:
    """Batches of sentences that lie far from zero, then one vector alone.

    Sums from the left on are normalised: these have another mean when a vector is turned round.
    """
    module = weigh(norm_class(10), draw)

    def call(inputs: Tensor) -> Tensor:
        outputs: Tensor = module(inputs.cumsum(dim=-1))
        return outputs

    return Use(call, (draw.normal(4, 21, 10) + 2,), (draw.normal(1, 10, scale=40.0),), (module,))


SMALL = 1e-12


def made(norm_class, size: int, eps: float, draw: Draw | None = None) -> Any:
    """The student's module, with drawn weights if there is a draw."""
    norm = norm_class(size, eps)
    expect_weights(norm, {"weight": (size,), "bias": (size,)}, kind="weights")
    if draw is not None:
        norm.load_state_dict({"weight": draw.normal(size) + 1, "bias": draw.normal(size)}, strict=False)
    return norm


def _vectors(draw: Draw, *shape: int) -> Tensor:
    """Vectors that lie beside zero, each at its own place and of its own width, which is never small beside how far away it lies.

    Each is a ladder whose rungs are shuffled and a little uneven, so that its width need not be computed.
    """
    rungs = torch.linspace(-1.5, 1.5, shape[-1])[draw.normal(*shape).argsort(dim=-1)] + draw.state(*shape) / 2
    front = (*shape[:-1], 1)
    return 50 * (rungs * (0.5 + draw.normal(*front).abs()) + draw.normal(*front) + 1)


_OF_OTHER_VARIANCE = {4: 0.866025, 5: 0.894427, 6: 0.912871, 8: 0.935414}
"""By size, how much shorter vectors are with the variance that was not asked for, but for ε."""


def _either_variance(got: Tensor, want: Tensor, atol: float = 1e-5) -> bool:
    """Whether vectors are right up to what the squares are divided by, which is one check's business: it costs its points once."""
    atol = 5e-3 if want.dtype is torch.float16 else atol
    other = want * _OF_OTHER_VARIANCE[want.shape[-1]]
    return is_close(got, want, atol=atol) or is_close(got, other, rtol=1e-4, atol=atol)


def with_either_variance(*exact: str, atol: float = 1e-5) -> JudgeFunction:
    """A way to compare in which only the entries named by `exact` have to be right with the variance that was asked for."""

    def compare(got: Any, want: Any) -> Verdict:
        for name, right in want.items():
            if not (is_close(got[name], right) if name in exact else _either_variance(got[name], right, atol)):
                return failed(f"{name}: {difference(got[name], right)}")
        return passed()

    return compare


@check(
    "each vector has mean zero, and all have the same variance",
    points=2,
    compare=with_either_variance(),
    hint="Each vector is normalised separately, over its own d components in the last dimension: subtract their "
    "mean, divide by the square root of their variance. keepdim=True keeps a dimension of size one for "
    "broadcasting.",
)
def normalised(norm_class, draw: Draw):
    """γ is 1 and β is 0, as they were made."""
    return {"outputs": made(norm_class, 6, SMALL)(_vectors(draw, 3, 4, 6))}


@check(
    "the variance is the mean of the squares",
    points=1,
    needs=normalised,
    hint="σ² = (1/d) Σ_j (x_j - μ)². There is also a sample variance that divides by d - 1, and torch's var and "
    "std use it by default: look for `correction` in their documentation.",
)
def variance(norm_class, draw: Draw):
    """Short vectors, in which one number more or less makes a difference."""
    return {"outputs": made(norm_class, 4, SMALL)(_vectors(draw, 2, 5, 4))}


def adds_epsilon(got: Any, want: Any) -> Verdict:
    """Compares by how much a large ε shortens each vector, which is the same for either variance."""

    def added(answer: Any) -> Tensor:
        large, small = (answer[name].square().sum(dim=-1).reciprocal() for name in ("large", "small"))
        return large - small

    if _either_variance(got["small"], want["small"]) and is_close(added(got), added(want)):
        return passed()
    return failed(f"outputs with a large ε: {difference(got['large'], want['large'])}")


@check(
    "ε is added to the variance, under the square root",
    points=1,
    needs=normalised,
    compare=adds_epsilon,
    hint="√(σ² + ε): first the sum, then the square root. Use self.eps, whatever its value.",
)
def epsilon(norm_class, draw: Draw):
    """An ε that is as large as the variances, and one that is nearly nothing."""
    eps = 0.5 + float(draw.normal(1).abs())
    inputs = draw.normal(2, 5, 4) + 1
    return {name: made(norm_class, 4, each)(inputs.clone()) for name, each in (("large", eps), ("small", SMALL))}


def less_bias(answer):
    """The outputs without the bias, which does not depend on the variance."""
    return {"outputs less the bias": answer["outputs"] - answer["bias"]}


@check(
    "the result is multiplied by weight, and bias is added",
    points=1,
    needs=normalised,
    reads=less_bias,
    compare=with_either_variance(),
    hint="γ is self.weight, which multiplies component by component; β is self.bias, which is added last.",
)
def affine(norm_class, draw: Draw):
    """γ and β are drawn."""
    norm, inputs = made(norm_class, 6, SMALL, draw), _vectors(draw, 2, 3, 6)
    return {"outputs": norm(inputs), "bias": norm.bias}


@check(
    "any number of dimensions works, also of a transpose, and the inputs are not changed",
    points=1,
    needs=normalised,
    arguments=True,
    compare=with_either_variance("inputs"),
    hint="Inputs have the shape (..., d): a single vector, or four dimensions. Count dimensions from the end, "
    "and keep those of size one. view needs a contiguous tensor, reshape works with any. Methods that end in an underscore, and -=, change the caller's tensor.",
)
def shapes(norm_class, draw: Draw):
    """One vector alone, four dimensions, one sentence of one word, a transpose; and the inputs as they are after the call."""
    answers, given = {}, []
    cases = {"one vector": (5,), "four dimensions": (2, 3, 4, 5), "one word": (1, 1, 5), "a transpose": (3, 4, 5)}
    for name, shape in cases.items():
        given.append(_vectors(draw, *shape))
        if name == "a transpose":
            given[-1] = given[-1].transpose(0, 1)
        with torch.no_grad():  # A change in place would be an error with a gradient.
            answers[name] = made(norm_class, 5, SMALL)(given[-1])
    return {**answers, "inputs": given}


@check(
    "half and double precision work, and so do equal values and values far from zero",
    points=1,
    needs=(normalised, epsilon),
    compare=with_either_variance(atol=5e-4),
    hint="The outputs have the dtype of the inputs: convert nothing, and pass dtype= where you create a tensor. "
    "If all components are equal, the variance is 0, so ε must be added before the division. E[x²] - μ² is "
    "a small difference of large numbers: subtract the mean first.",
)
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


@check(
    "the gradient for inputs, weight and bias is right",
    points=1,
    hidden=True,
    needs=(normalised, affine, epsilon, numbers),
    compare=with_either_variance("bias"),
    hint="Mean and variance depend on the inputs too, and the gradient goes through them: detach, .data, .item() "
    "and no_grad stop it. The gradient of a square root at 0 is infinite, so add ε before you take the root.",
)
def gradient(norm_class, draw: Draw):
    """What comes back to the inputs, to γ and to β; and to a vector of equal values."""
    norm, leaf = made(norm_class, 6, SMALL, draw), _vectors(draw, 2, 3, 6).requires_grad_()
    (norm(leaf * 1) * draw.normal(2, 3, 6)).sum().backward()
    own = dict(norm.named_parameters())
    equal = torch.full((1, 1, 6), float(draw.integers(1, 9))).requires_grad_()
    (made(norm_class, 6, 1e-5)(equal * 1) * draw.normal(1, 1, 6)).sum().backward()
    return {"inputs": leaf.grad, "weight": own["weight"].grad, "bias": own["bias"].grad, "equal values": equal.grad}
