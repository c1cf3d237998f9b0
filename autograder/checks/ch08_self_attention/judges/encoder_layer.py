"""What is right about `EncoderLayer`, and what is said when it is not."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch08_self_attention.judges import sublayers
from autograder.checks.ch08_self_attention.probes import encoder_layer as probes
from autograder.checks.ch08_self_attention.probes import parts
from autograder.compare import close, explained, is_close, leaves_arguments, unless_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_RESIDUAL = "the output of each sublayer is added to its input"
_PRE = "pre-norm: the residual bypasses the norm, and feed-forward has the second norm"
_NORMED = "pre-norm: in self-attention, queries and memory are both the normalised inputs"
_POST = "post-norm: each sum is normalised"
_MASK = "self-attention gets the mask"
_DROPOUT = "dropout is applied to each sublayer's output, in training only"
_ARGUMENTS = "inputs and mask are not changed"


def _looking(*, sees: bool = True, masked: bool = False) -> Callable[..., Tensor]:
    """The output alone of the probes' attention."""
    attention = parts.Attention(parts.SELF, sees=sees, masked=masked)
    return lambda query, memory, mask=None: attention(query, memory, mask)[0].detach()


def _sublayers(*, sees: bool = True) -> dict[str, sublayers.Function]:
    """The two sublayers by the names that students know."""
    look = _looking(sees=sees)
    return {"self-attention": lambda states: look(states, states), "feed-forward": _FEED_FORWARD}


_FEED_FORWARD = parts.FeedForward().requires_grad_(requires_grad=False)
_NORMS = [norm.requires_grad_(requires_grad=False) for norm in parts.norms(2)]


@judge(
    _RESIDUAL,
    probe=probes.residuals,
    points=1,
    hint="The output of a sublayer is added to its input: inputs + self_attention(...), then that sum + "
    "feed_forward(that sum). self_attention returns two results; the first is its output.",
)
@unless_close("outputs")
def residuals(got: Any, want: Any) -> Verdict:
    """Both sublayers and both residuals; the norms change nothing."""
    inputs = want["inputs"]
    look, think = _sublayers().values()
    looked = inputs + look(inputs)
    if not is_close(got["outputs"], got["again"]):
        return failed(
            "two runs on the same inputs differ, although the layer is not training: pass training=self.training "
            "to F.dropout"
        )
    mistakes = {
        "there is no residual around either sublayer": think(look(inputs)),
        "there is no residual around self-attention": look(inputs) + think(look(inputs)),
        "there is no residual around feed-forward": think(looked),
        "the output of feed-forward is added to the inputs, expected to the sum after self-attention": inputs
        + think(looked),
        "the input of feed-forward is the layer's inputs, expected the sum after self-attention": looked
        + think(inputs),
        "the input of feed-forward is the output of self-attention, expected its sum with the inputs": looked
        + think(look(inputs)),
        "feed-forward is applied first, expected self-attention first": inputs
        + think(inputs)
        + look(inputs + think(inputs)),
        "there is no feed-forward": looked,
        "there is no self-attention": inputs + think(inputs),
        "the inputs were returned unchanged": inputs,
        "the inputs are added one time too many, at the end": inputs + looked + think(looked),
    }
    return explained(got["outputs"], want["outputs"], mistakes, "outputs")


@judge(
    _PRE,
    probe=probes.pre_norm,
    points=2,
    needs=(_RESIDUAL,),
    hint="In pre-norm x + dropout(sublayer(norm(x))): the norm is applied only to the input of the sublayer. The x "
    "before the + is not normalised, and each sublayer has its own norm.",
)
@unless_close("outputs")
def pre_norm(got: Any, want: Any) -> Verdict:
    """Where norms and residuals stand, if it does not matter what self-attention reads."""
    inputs, functions = want["inputs"], _sublayers(sees=False)
    mistakes = {
        **sublayers.misplaced(inputs, functions, _NORMS, sublayers.pre, sublayers.OF_PRE),
        **sublayers.exchanged(inputs, functions, _NORMS, sublayers.pre),
    }
    return explained(got["outputs"], want["outputs"], mistakes, "outputs")


@judge(
    _NORMED,
    probe=probes.normed,
    points=1,
    needs=(_RESIDUAL, _PRE),
    hint="In self-attention the queries and the memory are the same vectors. In pre-norm both are the normalised "
    "inputs.",
)
def normed_inputs(got: Any, want: Any) -> Verdict:
    """What self-attention reads."""
    inputs, look = want["inputs"], _looking()
    first, second = _NORMS
    found = {
        "self-attention has the normalised inputs as queries, but the inputs without the norm as memory": look(
            first(inputs), inputs
        ),
        "self-attention has the normalised inputs as memory, but the inputs without the norm as queries": look(
            inputs, first(inputs)
        ),
        "self-attention gets the inputs without a norm": look(inputs, inputs),
        "self-attention gets the inputs normalised by norms[1], expected norms[0]": look(
            second(inputs), second(inputs)
        ),
        "self-attention gets the inputs normalised twice": look(first(first(inputs)), first(first(inputs))),
    }
    mistakes = {message: sublayers.pre(inputs + looked, _FEED_FORWARD, second) for message, looked in found.items()}
    return explained(got["outputs"], want["outputs"], mistakes, "outputs")


@judge(
    _POST,
    probe=probes.post_norm,
    points=1,
    needs=(_RESIDUAL, _PRE, _NORMED),
    hint="With pre_norm=False the formula is norm(x + dropout(sublayer(x))): nothing is normalised before a "
    "sublayer, and each sum goes through its norm.",
)
@unless_close("outputs")
def post_norm(got: Any, want: Any) -> Verdict:
    """The norms behind the sums."""
    inputs, functions = want["inputs"], _sublayers()
    mistakes = {
        **sublayers.misplaced(inputs, functions, _NORMS, sublayers.post, sublayers.OF_POST),
        **sublayers.exchanged(inputs, functions, _NORMS, sublayers.post),
    }
    return explained(got["outputs"], want["outputs"], mistakes, "outputs")


@judge(
    _MASK,
    probe=probes.layer_mask,
    points=1,
    needs=(_RESIDUAL, _POST),
    hint="The mask is self_attention's third argument, unchanged, in pre-norm and in post-norm.",
)
def mask_reaches(got: Any, want: Any) -> Verdict:
    """The mask is handed on; the norms change nothing."""
    inputs, mask, look = want["inputs"], want["mask"], _looking(masked=True)
    masks = {
        "the mask that self-attention was given hides nothing, or the first sentence's mask is used for all; "
        "expected the layer's own mask": torch.ones_like(mask),
        "the mask is inverted: True means that a position may be attended to": ~mask,
    }
    mistakes = {}
    for told, other in masks.items():
        looked = inputs + look(inputs, inputs, other)
        mistakes[told] = looked + _FEED_FORWARD(looked)
    for name, outputs, wanted in zip(("pre-norm", "post-norm"), got["outputs"], want["outputs"], strict=True):
        verdict = explained(outputs, wanted, mistakes, "outputs")
        if not verdict.ok:
            return failed(f"in {name}, {verdict.message}")
    return passed()


@judge(
    _DROPOUT,
    probe=probes.layer_dropout,
    points=2,
    needs=(_RESIDUAL, _POST),
    hint="Apply self.dropout to each sublayer's output, before the +. Even if it dropped everything, the inputs "
    "would still get through.",
)
def dropout(got: Any, want: Any) -> Verdict:
    """Everything is dropped; the norms change nothing."""
    inputs = want["inputs"]
    functions = _sublayers()
    look, think = functions.values()
    looked, nothing = inputs + look(inputs), torch.zeros_like(inputs)
    mistakes = {
        "the output of feed-forward is not dropped": inputs + think(inputs),
        "the output of self-attention is not dropped": looked,
        "dropout is applied to the inputs of the sublayers, expected to their outputs": inputs
        + look(nothing)
        + think(nothing),
    }
    return sublayers.dropout(got, want, inputs, mistakes, list(functions))


arguments = judge(
    _ARGUMENTS,
    probe=probes.layer_arguments,
    points=1,
    arguments=True,
    needs=(_RESIDUAL, _PRE, _NORMED, _POST),
    hint="The caller still needs them. inputs += ... and methods that end in an underscore change the caller's tensor; inputs = inputs + ... "
    "makes a new one.",
)(leaves_arguments("outputs"))


layer_gradient = judge(
    "the gradient reaches the inputs and every part",
    probe=probes.layer_gradient,
    points=1,
    hidden=True,
    needs=(_RESIDUAL, _PRE, _NORMED, _POST, _ARGUMENTS),
    hint="Use torch's operations on the tensors themselves: detach, .data and no_grad stop the gradient.",
)(close())
