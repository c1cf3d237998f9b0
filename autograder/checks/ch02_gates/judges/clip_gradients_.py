"""What is right about `clip_gradients_`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch02_gates.probes import clip_gradients_ as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_NORM = "the result is the norm of the gradient"
_CLIPPED = "a gradient whose norm is above max_norm is scaled down to max_norm, and keeps its direction"
_BEFORE = "the norm that is returned is the one before clipping"
_SHORT = "a gradient whose norm is small enough is left alone"
_TOGETHER = "all parameters share one norm and one factor"


@judge(
    _NORM,
    probe=probes.nothing_to_clip,
    points=1,
    hint="The norm of a gradient is the root of the sum of the squares of all its components, whatever its shape. Use p.grad, "
    "not p.",
)
def comes_back(got: Any, want: Any) -> Verdict:
    """The norm of one gradient that is short enough."""
    norm, grad = got["norm"], want["before"]
    if is_close(norm, want["norm"]):
        return passed()
    others = {
        "it is the square of the norm: the root is missing": grad.square().sum(),
        "it is the sum of the absolute values |g|, expected the root of the sum of the squares": grad.abs().sum(),
        "it is the largest of the absolute values |g|, expected the root of the sum of the squares": grad.abs().max(),
        "it is the root of the mean of the squares, expected of their sum": grad.square().mean().sqrt(),
        "it is the norm of the parameter itself, expected that of its gradient": want["values"].norm(),
        "it is the largest singular value of the matrix, expected the norm of all its numbers as one vector": (
            torch.linalg.matrix_norm(grad, ord=2)
        ),
        "it is the factor, expected the norm": torch.ones(()),
    }
    for message, value in others.items():
        if is_close(norm, float(value)):
            return failed(f"the norm: {message}")
    return failed(f"the norm {difference(norm, want['norm'])}")


@judge(
    _CLIPPED,
    probe=probes.too_long,
    points=2,
    needs=(_NORM,),
    hint="By what single number must you multiply all components of a vector of length 5 so that its length is 1? "
    "And so that it is max_norm? Change p.grad itself, in place.",
)
def shortened(got: Any, want: Any) -> Verdict:
    """Length and direction of one gradient that is too long."""
    grad, before, largest = got["grad"], want["before"], want["max_norm"]
    if is_close(grad, want["grad"]):
        return passed()
    norm = before.norm()
    others = {
        "it has not changed. Was p.grad itself changed, and not p or a copy? Is the comparison with max_norm the right way "
        "round?": before,
        "its length is 1, expected max_norm": before / norm,
        "it was multiplied by max_norm, expected by the factor that makes its length max_norm": before * largest,
        "it was divided by max_norm, expected to be multiplied by the factor that makes its length max_norm": before
        / largest,
        "the factor is inverted: it is longer now": before * norm / largest,
        "the factor was squared: it is too short now": before * (largest / norm) ** 2,
        "the factor was computed from the square of the norm: the root is missing": before * largest / norm**2,
        "it is zero: a gradient that is too large is scaled down, not dropped": before * 0,
        "each of its components was clipped to ±max_norm, which changes the direction; expected one factor for all of "
        "them": before.clamp(-largest, largest),
        "each row was scaled separately, which changes the direction; expected one factor for all of them": (
            before * (largest / before.norm(dim=1, keepdim=True)).clamp(max=1)
        ),
    }
    for message, values in others.items():
        if is_close(grad, values):
            return failed(f"the gradient: {message}")
    if is_close(grad.norm(), want["grad"].norm()):
        return failed("the gradient has the right length now, but its direction has changed")
    return failed(
        f"the gradient: {difference(grad, want['grad'])}; its norm is {grad.norm():.4g}, expected {largest:.4g}"
    )


@judge(
    _BEFORE,
    probe=probes.too_long,
    points=1,
    needs=(_NORM,),
    hint="During training, it is worth monitoring the norm of the gradient, so keep the one from before clipping.",
)
def before_clipping(got: Any, want: Any) -> Verdict:
    """The norm of one gradient that is too long."""
    norm = got["norm"]
    if is_close(norm, want["norm"]):
        return passed()
    if is_close(norm, want["max_norm"], rtol=1e-3):
        return failed("the result is the norm after clipping, which is max_norm, expected the one before")
    return failed(f"the norm {difference(norm, want['norm'])}")


@judge(
    _SHORT,
    probe=probes.nothing_to_clip,
    points=1,
    needs=(_NORM,),
    hint="Clipping sets an upper limit; it does not scale every gradient to the same norm. Is there anything to do when the "
    "norm is below max_norm?",
)
def left_alone(got: Any, want: Any) -> Verdict:
    """The gradient, where there is nothing to clip."""
    grad, before = got["grad"], want["before"]
    if is_close(grad, want["grad"]):
        return passed()
    grown = grad.norm() / before.norm()
    if is_close(grad, grown * before):
        how = "longer" if grown > 1 else "shorter"
        return failed(f"a gradient that was shorter than max_norm was made {how}: {grown:.3g} times as long as before")
    return failed(f"the gradient: {difference(grad, before)}")


@judge(
    _TOGETHER,
    probe=probes.several,
    points=2,
    needs=(_NORM, _CLIPPED, _BEFORE),
    hint="Think of all gradients laid end to end as one long vector. Its norm is the root of the sum of all squares, and one "
    "factor scales the whole vector, so that the step keeps its direction.",
)
def one_norm(got: Any, want: Any) -> Verdict:
    """Three gradients: each is short enough, and all of them together are not."""
    norm, grads, before, largest = got["norm"], got["grads"], want["before"], want["max_norm"]
    right = is_close(grads, want["grads"])
    if right and is_close(norm, want["norm"]):
        return passed()
    norms = torch.stack([grad.norm() for grad in before])
    others = {
        "the norms of the parameters were added up, expected the root of the sum of their squares": norms.sum(),
        "the largest of the parameters' norms was used as the norm of all": norms.max(),
        "the mean of the parameters' norms was used as the norm of all": norms.mean(),
        "only the norm of the first parameter was taken": norms[0],
        "only the norm of the last parameter was taken": norms[-1],
    }
    for message, total in others.items():
        if is_close(norm, float(total)) and is_close(grads, _scaled(before, float(total), largest)):
            return failed(message)
    if is_close(grads, before):
        return failed(
            "nothing was clipped: each gradient alone is shorter than max_norm, but all of them together are longer"
        )
    factors = [float((grad / old).mean()) for grad, old in zip(grads, before, strict=True)]
    scaled = [factor * old for factor, old in zip(factors, before, strict=True)]
    if max(factors) - min(factors) > 1e-3 and is_close(grads, scaled):
        told = ", ".join(f"{factor:.3f}" for factor in factors)
        return failed(f"the gradients of the three parameters were multiplied by {told}; expected one factor for all")
    if right:
        return failed(f"the gradients are right, but the norm {difference(norm, want['norm'])}")
    return failed(f"the gradients: {difference(grads, want['grads'])}")


def _scaled(grads: list[Tensor], norm: float, largest: float) -> list[Tensor]:
    return [grad * min(1.0, largest / norm) for grad in grads]


frozen = judge(
    "parameters without a gradient are skipped",
    probe=probes.without_gradient,
    points=1,
    hidden=True,
    needs=(_NORM, _CLIPPED, _TOGETHER),
    hint="The gradient of a frozen or unused parameter is None, which has no norm and cannot be scaled.",
)(close())

once = judge(
    "the parameters are iterated over only once",
    probe=probes.gone_through_once,
    points=1,
    hidden=True,
    needs=(_NORM, _CLIPPED, _TOGETHER),
    hint="module.parameters() is a generator: after one loop it is empty, and a second loop over it does nothing. "
    "Keep the parameters in a list if you need them again.",
)(close())

nothing = judge(
    "gradients of zeros, and no gradient at all, cause no errors",
    probe=probes.nothing_at_all,
    points=1,
    hidden=True,
    needs=(_NORM, _CLIPPED, _BEFORE, _SHORT),
    hint="If the norm is 0, you divide by 0, and 0 times infinity is NaN. Without any gradient, the norm is 0.",
)(close())

layouts = judge(
    "gradients of another dtype, or not contiguous in memory, are clipped too",
    probe=probes.layouts,
    points=1,
    hidden=True,
    needs=(_NORM, _CLIPPED, _TOGETHER),
    hint="view needs a tensor that is contiguous in memory; flatten and reshape do not. And parameters may have "
    "different dtypes, such as float32 and float64.",
)(close(rtol=1e-4, atol=1e-5))
