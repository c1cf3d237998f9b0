"""What is right about `rnn_backward_step`, and what is said when it is not."""

from typing import Any

from torch import Tensor

from autograder.checks.ch02_gates.probes import rnn_backward_step as probes
from autograder.compare import close, difference, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_TANH = "the gradient goes back through the tanh"
_BOTH = "the two gradients that come back to h_t are added"
_STATES = "from a_t, the gradient goes back through the matrices to x_t and h_{t-1}"
_WEIGHTS = "the gradient of a matrix is computed from the gradient at a_t and the vector that the matrix multiplied"
_BATCH = "the gradients of the weights are summed over the batch"
_ARGUMENTS = "the arguments are left as they were"
_FACTORS = (3, 1, 2, 1.5, -1)
"""Of a gradient and its double: their sum, each alone, their mean, and their difference."""


@judge(
    _TANH,
    probe=probes.at_the_sum,
    points=1,
    hint="You can compute the derivative of tanh at a from its value alone, which you have: h = tanh(a). For a single "
    "sequence, the gradient of the bias is the gradient at a_t, because a_t = … + b.",
)
def through_tanh(got: Any, want: Any) -> Verdict:
    """The factor of the tanh; how the two gradients were put together is another check's business."""
    gradient, h, one = got["gradient of b"], want["h"][0], want["output_grad"][0]
    before, slope = want["h_before"][0], 1 - h**2
    anew = (want["x"] @ want["input_weight"].T + want["h_before"] @ want["state_weight"].T)[0].tanh()
    if any(is_close(gradient, factor * one * slope) for factor in _FACTORS):
        return passed()
    others = {
        "tanh′ is missing: this is the gradient at h_t": one,
        "the derivative of the tanh has the wrong sign": -one * slope,
        "the derivative of the tanh was computed from h_{t-1}, expected from h_t, which is its output": one
        * (1 - before**2),
        "the derivative was taken at h_t, as 1 - tanh(h)²; but h_t is the tanh already": one * (1 - h.tanh() ** 2),
        "the derivative was computed from a recomputed state, without the bias; expected from h as it is given": one
        * (1 - anew**2),
        "1 - h was used as the derivative of the tanh, expected another function of h": one * (1 - h),
        "1 + h² was used as the derivative of the tanh; check its sign": one * (1 + h**2),
        "the gradient was multiplied by h² alone": one * h**2,
        "h(1 - h) is the derivative of the sigmoid, expected that of the tanh": one * h * (1 - h),
        "the gradient was multiplied by h itself, expected by the derivative": one * h,
        "the gradient was divided by the derivative of the tanh, expected multiplied by it": one / slope,
        "the gradient was multiplied by the derivative twice": one * slope**2,
        "the derivative of relu was used instead of that of tanh": one * (h > 0),
    }
    for message, values in others.items():
        if any(is_close(gradient, factor * values) for factor in _FACTORS):
            return failed(f"the gradient of b, for one sequence: {message}")
    if any(is_close(gradient, one * mixture) for mixture in (slope + 2, 1 + 2 * slope)):
        return failed("only one of the two gradients at h_t went through the tanh: combine them first")
    if any(is_close(gradient, (factor * one).tanh()) for factor in _FACTORS):
        return failed("the gradient went through tanh itself, expected a product with its derivative")
    if is_close(gradient, one * 2 * one * slope):
        return failed("the two gradients at h_t were multiplied by each other: check again how they are combined")
    if not gradient.any():
        return failed("the gradient of b is zero, although gradients came back to h_t")
    return failed(f"the gradient of b, for one sequence: {difference(gradient, want['gradient of b'])}")


@judge(
    _BOTH,
    probe=probes.both_gradients,
    points=1,
    needs=(_TANH,),
    hint="h_t is used in two places, by its own output and by the next step. When a number affects a loss along two "
    "paths, its gradient is the sum of the gradients along both.",
)
def both_added(got: Any, want: Any) -> Verdict:
    """What comes from the output and what comes from later."""
    gradient, slope = got["gradient of b"], 1 - want["h"][0] ** 2
    output, later = want["output_grad"][0], want["later_grad"][0]
    if is_close(gradient, want["gradient of b"]):
        return passed()
    others = {
        "only the gradient from the output at step t is used; the gradient from later steps, later_grad, is not "
        "added": output * slope,
        "only the gradient from step t + 1 is used; the gradient from the output at step t, output_grad, is not "
        "added": later * slope,
        "the mean of the two gradients was taken, expected their sum": (output + later) / 2 * slope,
        "one gradient was subtracted from the other, expected their sum": (output - later) * slope,
        "the gradient from step t + 1 went through W_h here; it is the gradient at h_t already": (
            output + later @ want["state_weight"]
        )
        * slope,
        "the gradient from step t + 1 went through W_h here, and the wrong way round; it is the gradient at h_t already": (
            output + later @ want["state_weight"].T
        )
        * slope,
    }
    for message, values in others.items():
        if is_close(gradient, values):
            return failed(message)
    return failed(f"the gradient of b, for one sequence: {difference(gradient, want['gradient of b'])}")


def _at_sum(want: Any) -> Tensor:
    """The gradient at a_t, of each sequence."""
    return (want["output_grad"] + want["later_grad"]) * (1 - want["h"] ** 2)


@judge(
    _STATES,
    probe=probes.backwards,
    points=2,
    needs=(_TANH, _BOTH),
    hint="Component i of h_{t-1} entered component j of a_t with the factor at row j, column i of W_h. On the way back, which "
    "components j contribute to i, and is that a sum over the rows or over the columns of W_h? In the forward direction it "
    "was the other one.",
)
def through_matrices(got: Any, want: Any) -> Verdict:
    """Each gradient against the matrix the wrong way round, the other matrix, and none."""
    names = ("gradient of x", "gradient of h_before")
    if [is_close(got[name], want[other]) for name, other in zip(names, reversed(names), strict=True)] == [True, True]:
        return failed("the gradient of h_before came first, expected that of x")
    inner, outer = _at_sum(want), want["output_grad"] + want["later_grad"]
    mine, other = want["input_weight"], want["state_weight"]
    for name, own, wrong, matrix in (
        ("gradient of x", mine, other, "W_x"),
        ("gradient of h_before", other, mine, "W_h"),
    ):
        if is_close(got[name], want[name]):
            continue
        others = {
            f"{matrix} is the wrong way round, as in the forward direction": inner @ own.T,
            f"it went through {'W_h' if matrix == 'W_x' else 'W_x'}, expected through {matrix}": inner @ wrong,
            f"it did not go through {matrix}: this is the gradient at a_t": inner,
            "it starts from the gradient at h_t, without tanh′": outer @ own,
            "tanh′ is multiplied after the matrix, expected before": (outer @ own) * (1 - want["h"] ** 2),
            f"only the gradient from the output is used, expected both: {matrix} comes after the sum": (
                want["output_grad"] * (1 - want["h"] ** 2)
            )
            @ own,
            "it is averaged over the components of a_t, expected their sum": inner @ own / len(own),
            (
                "later_grad is added to it, but later_grad is the gradient at h_t and is already part of the gradient "
                "at a_t"
            ): inner @ own + want["later_grad"],
            "it also went through the tanh of step t - 1, which belongs to the previous step": (inner @ own)
            * (1 - want["h_before"] ** 2),
        }
        for message, values in others.items():
            if is_close(got[name], values):
                return failed(f"{name}: {message}")
        return failed(f"{name}: {difference(got[name], want[name])}")
    return passed()


@judge(
    _WEIGHTS,
    probe=probes.to_weights,
    points=2,
    needs=(_TANH, _BOTH),
    hint="The weight at row j, column i of W_x multiplied component i of x on its way to component j of a. So its gradient is "
    "a product of two numbers: which ones? And where in the matrix of gradients does it belong?",
)
def to_matrices(got: Any, want: Any) -> Verdict:
    """Each gradient against its transpose, and against what another vector would give; of one sequence."""
    inner = _at_sum(want)
    for name, matrix, vector in (("gradient of W_x", "W_x", "x"), ("gradient of W_h", "W_h", "h_before")):
        if is_close(got[name], want[name]):
            continue
        if is_close(got[name], want[name].T):
            return failed(f"{name}: rows and columns are swapped; expected the shape of {matrix} itself, (H, …)")
        for other in ("x", "h_before", "h"):
            if other != vector and is_close(got[name], inner.T @ want[other]):
                return failed(f"{name}: it is computed with {other}, expected with {vector}, which {matrix} multiplied")
        outer = want["output_grad"] + want["later_grad"]
        if is_close(got[name], outer.T @ want[vector]):
            return failed(f"{name}: it starts from the gradient at h_t, without tanh′; expected the one at a_t")
        return failed(f"{name}, for one sequence: {difference(got[name], want[name])}")
    return passed()


@judge(
    _BATCH,
    probe=probes.of_a_batch,
    points=1,
    needs=(_TANH, _BOTH, _STATES, _WEIGHTS),
    hint="All sequences of the batch use the same weights, so the gradient of a weight is added up over the batch. If the "
    "loss is a mean, that is already in output_grad.",
)
def summed(got: Any, want: Any) -> Verdict:
    """A sum and not a mean; sizes that are not equal."""
    inner = _at_sum(want)
    batch, size = inner.shape
    for name in ("gradient of W_x", "gradient of W_h", "gradient of b"):
        if is_close(got[name], want[name]):
            continue
        if is_close(batch * got[name], want[name]):
            return failed(f"{name}: it is the mean over the {batch} sequences, expected their sum")
        if name == "gradient of b" and is_close(got[name], inner.mean(dim=-1).sum().expand(size)):
            return failed(f"{name}: it is also summed over the components of the state, expected only over the batch")
        return failed(f"{name}: {difference(got[name], want[name])}")
    return passed()


alone = judge(
    "one sequence alone keeps its dimensions",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_TANH, _BOTH, _STATES, _WEIGHTS, _BATCH),
    hint="With B = 1, the gradients of x and h_before are (1, D) and (1, H), and that of b is (H,). squeeze() removes every "
    "dimension of size one, even those that belong there.",
)(close())


arguments = judge(
    _ARGUMENTS,
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_TANH, _BOTH, _STATES, _WEIGHTS, _BATCH),
    hint="The caller still needs them, including the gradients: output_grad += later_grad changes the caller's tensor, "
    "output_grad + "
    "later_grad makes a new one.",
)(leaves_arguments("gradient of x", "gradient of h_before", "gradient of W_x", "gradient of W_h", "gradient of b"))


types = judge(
    "in double precision the gradients are double",
    probe=probes.types,
    points=1,
    hidden=True,
    needs=(_TANH, _BOTH, _STATES, _WEIGHTS, _BATCH),
    hint="torch.zeros and torch.empty create float32 tensors unless you pass a dtype; zeros_like takes it from a "
    "tensor. And view needs a tensor that is contiguous in memory; reshape does not.",
)(close(rtol=1e-9, atol=1e-9))
