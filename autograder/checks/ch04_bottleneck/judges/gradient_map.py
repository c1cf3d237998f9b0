"""What is right about `gradient_map`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.functional import jacobian

from autograder.checks.ch04_bottleneck.probes import gradient_map as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_NORM = "the entry for a word is the L2 norm of its gradient"
_GRAPH = "the embedded words may be part of a larger graph"
_STEPS = "each step has a row of its own, without the gradients of other steps"


def _slopes(want: Any) -> Tensor:
    """The gradients themselves: (T, S, E)."""
    words, size = want["embedded"].shape
    log_probs_of = probes.reader(want["first"], want["second"], words, size)
    return jacobian(log_probs_of, want["embedded"])


@judge(
    _NORM,
    probe=probes.one_step,
    points=1,
    hint="The gradient of one step's log-probability has the shape of the source, (S, E): a vector for each word. The "
    "L2 norm of this vector is the square root of the sum of its squares, over the last dimension. "
    "torch.autograd.grad gives the gradient without storing it.",
)
def norms(got: Any, want: Any) -> Verdict:
    """One step: what becomes of its gradient."""
    found = got["map"]
    if is_close(found, want["map"]):
        return passed()
    slopes, right, embedded = _slopes(want), want["map"], want["embedded"]
    words, size = embedded.shape
    probability = probes.reader(want["first"], want["second"], words, size)(embedded).exp().unsqueeze(-1)
    mistakes = {
        (
            "the components of the gradient were summed with their signs, so that large ones cancel; expected their "
            "norm"
        ): (slopes.sum(-1)),
        "the result is the absolute value of the sum of the gradient's components, expected their norm": slopes.sum(
            -1
        ).abs(),
        "the result is the L1 norm, the sum of absolute values; expected the L2 norm": slopes.abs().sum(-1),
        "the result is the square of the L2 norm: the square root is missing": right.square(),
        "the result is the largest absolute value of each word's gradient, expected the L2 norm": slopes.abs().amax(-1),
        "the result is the mean of each word's gradient, expected the L2 norm": slopes.mean(-1),
        "the result is the mean absolute value of each word's gradient, expected the L2 norm": slopes.abs().mean(-1),
        "the result is the square root of the mean of the squares, expected of their sum": right / size**0.5,
        "the result is the first component of each word's gradient, expected the norm of all components": slopes[
            ..., 0
        ],
        "each word's gradient was multiplied by its embedding; expected the norm of the gradient alone": (
            (slopes * embedded).sum(-1)
        ),
        (
            "each word's gradient was multiplied by its embedding before the norm; expected the norm of the gradient "
            "alone"
        ): ((slopes * embedded).norm(dim=-1)),
        "this is the gradient of the probability p, expected that of log p, which log_probs_of returns": right
        * probability,
        "the row was divided by its sum, expected the norms themselves": right / right.sum(-1, keepdim=True),
        "the row was divided by its largest entry, expected the norms themselves": right / right.amax(-1, keepdim=True),
        "a single norm was computed for the whole gradient, expected one for each word": right.norm(
            dim=-1, keepdim=True
        ).expand_as(right),
        "the result is the norm of each embedding, expected the norm of its gradient": embedded.norm(dim=-1).expand_as(
            right
        ),
        "the result is the logarithm of the norms, expected the norms": right.log(),
        "all entries are 0: no gradient reached the embedded words": torch.zeros_like(right),
    }
    for message, other in mistakes.items():
        if is_close(found, other):
            return failed(message)
    ratio = (found / right).flatten()
    if is_close(found, right, rtol=0.01, atol=1e-3):
        return failed(
            "all entries are nearly right but none is exact, as with finite differences: let torch compute the "
            f"gradient. Map: {difference(found, right)}"
        )
    if ratio.isfinite().all() and is_close(ratio, ratio[:1].expand_as(ratio), rtol=1e-3):
        return failed(f"every entry is {ratio[0].item():.4g} times what was expected")
    return failed(f"map: {difference(found, right)}")


@judge(
    _STEPS,
    probe=probes.steps,
    points=2,
    needs=(_NORM,),
    hint="backward() adds to .grad instead of replacing it, so at the second step the gradient of the first is still "
    "there. Clear it between the steps, or use torch.autograd.grad, which stores nothing. The same graph can be used "
    "for all steps with retain_graph=True.",
)
def rows(got: Any, want: Any) -> Verdict:
    """Several steps: which gradient is in which row."""
    found, right = got["map"], want["map"]
    if is_close(found, right):
        return passed()
    slopes = _slopes(want)
    leak = (
        "each row also contains the gradients of earlier steps: the gradients of all steps so far were added up "
        "before the norm"
    )
    mistakes = {
        leak + ". Was .grad cleared between the steps?": slopes.cumsum(0).norm(dim=-1),
        "each row also contains the gradients of later steps: they were added before the norm": (
            slopes.flip(0).cumsum(0).flip(0).norm(dim=-1)
        ),
        "each row also contains the norms of earlier steps, which were added to it": right.cumsum(0),
        "every row is the gradient of all steps together, expected that of its own step": (
            slopes.sum(0).norm(dim=-1).expand_as(right)
        ),
        "every row is the gradient of the mean over the steps, expected that of its own step": (
            slopes.mean(0).norm(dim=-1).expand_as(right)
        ),
        "every row is the gradient of the first step": right[:1].expand_as(right),
        "every row is the gradient of the last step": right[-1:].expand_as(right),
        "every row is the mean of all rows": right.mean(0, keepdim=True).expand_as(right),
        "the rows are in reverse order, with the last step first": right.flip(0),
        "each column was divided by its sum, expected the norms themselves": right / right.sum(0, keepdim=True),
        "each column was divided by its largest entry, expected the norms themselves": right
        / right.amax(0, keepdim=True),
    }
    for message, other in mistakes.items():
        if is_close(found, other):
            return failed(message)
    if is_close(found[0], right[0]) and not any(is_close(found[t], right[t]) for t in range(1, len(right))):
        return failed("only the row of the first step is right: is something left over from the previous step?")
    return failed(f"map: {difference(found, right)}")


sizes = judge(
    "one word, one step and embeddings of size one work too",
    probe=probes.sizes,
    points=1,
    hidden=True,
    needs=(_NORM, _STEPS),
    hint="The map is (T, S) even with one word or one step: squeeze() removes every dimension of size one.",
)(close(rtol=1e-3, atol=1e-4))

inside_a_graph = judge(
    _GRAPH,
    probe=probes.inside_a_graph,
    points=1,
    needs=(_NORM, _STEPS),
    hint="Words that come out of an embedding layer are part of a graph, and so is a clone of them. Only a leaf "
    "tensor gets a .grad: detach() creates one.",
)(close())

double = judge(
    "in double precision the map is double",
    probe=probes.double,
    points=1,
    hidden=True,
    needs=(_NORM, _STEPS),
    hint="A new tensor is float32 unless you pass dtype=embedded.dtype; torch.stack keeps the type of the tensors "
    "that it stacks. And let torch compute the gradient: finite differences, or a small constant under the square "
    "root, cost precision.",
)(close(rtol=1e-7, atol=1e-9))


@judge(
    "the embedded words are not changed",
    probe=probes.left,
    points=1,
    arguments=True,
    needs=(_NORM, _STEPS, _GRAPH),
    hint="requires_grad_() on an argument changes the caller's tensor, and backward() fills the .grad of every leaf "
    "that the tensor depends on. Work on a detached tensor of your own.",
)
def leaves_embedded(got: Any, want: Any) -> Verdict:
    """The caller's words have no gradient, and ask for none, afterwards."""
    told = {
        "asks for a gradient": "the embedded words require a gradient after the call, but they belong to the caller",
        "has a gradient": "the embedded words have a .grad after the call, but they belong to the caller",
        "its table has a gradient": "the embedding table has a .grad after the call, but it belongs to the caller",
    }
    for name, message in told.items():
        if got[name] != want[name]:
            return failed(message)
    return close("map", "embedded")(got, want)
