"""What is right about `gradient_map`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.functional import jacobian

from autograder.checks.ch04_bottleneck.probes import gradient_map as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_NORM = "the entry of a word is the L2 norm of its gradient"
_GRAPH = "the embedded words may be part of a larger graph"
_STEPS = "each step has a row of its own, with nothing of other steps in it"


def _slopes(want: Any) -> Tensor:
    """The gradients themselves: (T, S, E)."""
    words, size = want["embedded"].shape
    log_probs_of = probes.reader(want["first"], want["second"], words, size)
    return jacobian(log_probs_of, want["embedded"])


@judge(
    _NORM,
    probe=probes.one_step,
    points=1,
    hint="The gradient of one step's log-probability has the shape of the source, (S, E): a vector for each word. Its L2 norm is the "
    "root of the sum of its squares, over the last dimension. torch.autograd.grad gives the gradient without storing it.",
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
        "the gradient's numbers were summed, signs and all, where their norm was expected: large numbers of both signs cancel": (
            slopes.sum(-1)
        ),
        "the gradient's numbers were summed and then made positive, expected their norm": slopes.sum(-1).abs(),
        "what came back is the L1 norm, the sum of absolute values; expected the L2 norm": slopes.abs().sum(-1),
        "what came back is the square of the L2 norm: the root is missing": right.square(),
        "what came back is the largest absolute value of each word's gradient, expected the L2 norm": slopes.abs().amax(
            -1
        ),
        "what came back is the mean of each word's gradient, expected the L2 norm": slopes.mean(-1),
        "what came back is the mean absolute value of each word's gradient, expected the L2 norm": slopes.abs().mean(
            -1
        ),
        "the root was taken of the mean of the squares, expected of their sum": right / size**0.5,
        "what came back is the first number of each word's gradient, expected the norm of all": slopes[..., 0],
        "each word's gradient was multiplied by its embedding; expected the norm of the gradient alone": (
            (slopes * embedded).sum(-1)
        ),
        "each word's gradient was multiplied by its embedding, and then the norm taken; expected the norm of the gradient alone": (
            (slopes * embedded).norm(dim=-1)
        ),
        "what was differentiated is the probability p, expected log p as log_probs_of gives it": right * probability,
        "the row was divided by its sum, expected the norms themselves": right / right.sum(-1, keepdim=True),
        "the row was divided by its largest entry, expected the norms themselves": right / right.amax(-1, keepdim=True),
        "the whole gradient has one norm here; expected one for each word": right.norm(dim=-1, keepdim=True).expand_as(
            right
        ),
        "what came back is the length of the embeddings and not of their gradients": embedded.norm(dim=-1).expand_as(
            right
        ),
        "what came back is the logarithm of the norms, expected the norms": right.log(),
        "no gradient came back: all entries are 0": torch.zeros_like(right),
    }
    for message, other in mistakes.items():
        if is_close(found, other):
            return failed(message)
    ratio = (found / right).flatten()
    if is_close(found, right, rtol=0.01, atol=1e-3):
        return failed(
            "all entries are nearly right and none is exact, as if small differences of values had been divided: ask torch for the "
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
    hint="backward() does not replace what is in .grad, it adds to it: by the second step the first one's gradient is still there. "
    "Empty it between the steps, or ask torch.autograd.grad, which stores nothing. One graph serves all steps if it is kept.",
)
def rows(got: Any, want: Any) -> Verdict:
    """Several steps: which gradient is in which row."""
    found, right = got["map"], want["map"]
    if is_close(found, right):
        return passed()
    slopes = _slopes(want)
    leak = "the gradients of the steps before it leak into each row: those of all steps so far were added up, and then the norm taken"
    mistakes = {
        leak + ". Was .grad emptied between the steps?": slopes.cumsum(0).norm(dim=-1),
        "the gradients of the steps after it leak into each row: those of all later steps were added": (
            slopes.flip(0).cumsum(0).flip(0).norm(dim=-1)
        ),
        "the norms of the steps before it were added to each row": right.cumsum(0),
        "every row is the gradient of all steps together, expected of its own step alone": (
            slopes.sum(0).norm(dim=-1).expand_as(right)
        ),
        "every row is the gradient of the mean over the steps, expected of its own step alone": (
            slopes.mean(0).norm(dim=-1).expand_as(right)
        ),
        "every row is the gradient of the first step": right[:1].expand_as(right),
        "every row is the gradient of the last step": right[-1:].expand_as(right),
        "every row is the mean of all rows": right.mean(0, keepdim=True).expand_as(right),
        "the steps stand in the opposite order": right.flip(0),
        "each column was divided by its sum, expected the norms themselves": right / right.sum(0, keepdim=True),
        "each column was divided by its largest entry, expected the norms themselves": right
        / right.amax(0, keepdim=True),
    }
    for message, other in mistakes.items():
        if is_close(found, other):
            return failed(message)
    if is_close(found[0], right[0]) and not any(is_close(found[t], right[t]) for t in range(1, len(right))):
        return failed("the row of the first step is right and no other is: what is left over from the step before?")
    return failed(f"map: {difference(found, right)}")


sizes = judge(
    "one word, one step and one number a word will do",
    probe=probes.sizes,
    points=1,
    hidden=True,
    needs=(_NORM, _STEPS),
    hint="The map is (T, S) with one word or one step too: squeeze() takes away every dimension of size one.",
)(close(rtol=1e-3, atol=1e-4))

inside_a_graph = judge(
    _GRAPH,
    probe=probes.inside_a_graph,
    points=1,
    needs=(_NORM, _STEPS),
    hint="Words that come out of an embedding layer have a graph behind them, and a clone of them has it too. Only a leaf gets a .grad: "
    "detach() makes one.",
)(close())

double = judge(
    "double precision stays double precision",
    probe=probes.double,
    points=1,
    hidden=True,
    needs=(_NORM, _STEPS),
    hint="A new tensor is float32 unless you say dtype=embedded.dtype; torch.stack keeps the type of what it stacks. And it is torch's "
    "gradient that is asked for: one made of small differences of values, or with a little added under the root, has fewer digits.",
)(close(rtol=1e-7, atol=1e-9))


@judge(
    "the embedded words are left as they were",
    probe=probes.left,
    points=1,
    arguments=True,
    needs=(_NORM, _STEPS, _GRAPH),
    hint="requires_grad_() on an argument changes the caller's tensor, and backward() fills the .grad of whatever stands before it. Work "
    "on a detached tensor of your own.",
)
def leaves_embedded(got: Any, want: Any) -> Verdict:
    """The caller's words have no gradient, and ask for none, afterwards."""
    told = {
        "asks for a gradient": "the embedded words ask for a gradient after the call: they are the caller's",
        "has a gradient": "the embedded words have something in .grad after the call",
        "its table has a gradient": "what the words were looked up in has something in .grad after the call",
    }
    for name, message in told.items():
        if got[name] != want[name]:
            return failed(message)
    return close("map", "embedded")(got, want)
