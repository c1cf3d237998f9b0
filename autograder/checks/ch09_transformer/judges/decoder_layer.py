"""What is right about `DecoderLayer`, and what is said when it is not."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch08_self_attention import parts
from autograder.checks.ch09_transformer.judges import sublayers
from autograder.checks.ch09_transformer.probes import decoder_layer as probes
from autograder.compare import close, explained, is_close, leaves_arguments, unless_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_RESIDUAL = "three sublayers are applied in the right order, and the output of each is added to its input"
_ROLES = "in cross-attention the queries come from the target, and the keys and values from the memory"
_PRE = "pre-norm: the residual bypasses the norms, and feed-forward has the third norm"
_NORMED = "pre-norm: the target is normalised before each sublayer, the memory never"
_POST = "post-norm: each sum is normalised"
_MASKS = "each attention has its own mask"
_DROPOUT = "dropout is applied to each sublayer's output, in training only"
_ARGUMENTS = "inputs, memory and masks are not changed"


def _looking(place: str, *, sees: bool = True, masked: bool = False) -> Callable[..., Tensor]:
    """The output alone of one of the probes' attentions."""
    attention = parts.Attention(place, sees=sees, masked=masked)
    return lambda query, memory, mask=None: attention(query, memory, mask)[0].detach()


def _sublayers(memory: Tensor, *, sees: tuple[str, ...] = (parts.SELF, parts.CROSS)) -> dict[str, sublayers.Function]:
    """The three sublayers by the names that students know; `sees` as in the probes."""
    look, across = (_looking(place, sees=place in sees) for place in (parts.SELF, parts.CROSS))
    return {
        "self-attention": lambda states: look(states, states),
        "cross-attention": lambda states: across(states, memory),
        "feed-forward": _FEED_FORWARD,
    }


def _added(inputs: Tensor, *steps: sublayers.Function) -> Tensor:
    """Inputs through sublayers, each with a residual and no norm."""
    for step in steps:
        inputs = inputs + step(inputs)
    return inputs


_FEED_FORWARD = parts.FeedForward().requires_grad_(requires_grad=False)
_NORMS = [norm.requires_grad_(requires_grad=False) for norm in parts.norms(3)]


@judge(
    _RESIDUAL,
    probe=probes.residuals,
    points=1,
    hint="Self-attention, cross-attention, feed-forward: the input of each is the sum after the previous one, "
    "and its output is added to its input. An attention module returns two results; the first is its output.",
)
@unless_close("outputs")
def residuals(got: Any, want: Any) -> Verdict:
    """The order and the residuals; the norms change nothing, and it does not matter what cross-attention reads."""
    inputs = want["inputs"]
    look, across, think = _sublayers(inputs, sees=(parts.SELF,)).values()
    if not is_close(got["outputs"], got["again"]):
        return failed(
            "two runs on the same inputs differ, although the layer is not training: pass training=self.training "
            "to F.dropout"
        )
    looked = inputs + look(inputs)
    both = looked + across(looked)
    mistakes = {
        "there is no residual around any sublayer": think(across(look(inputs))),
        "there is no residual around self-attention": _added(look(inputs), across, think),
        "there is no residual around cross-attention": _added(across(looked), think),
        "there is no residual around feed-forward": think(both),
        "cross-attention comes before self-attention, expected after it": _added(inputs, across, look, think),
        "feed-forward comes before cross-attention, expected after it": _added(inputs, look, think, across),
        "feed-forward is applied first, expected last": _added(inputs, think, look, across),
        "the output of each sublayer is added to the layer's inputs, expected to the input of that sublayer": inputs
        + think(inputs + across(looked)),
        "the output of feed-forward is added to the layer's inputs, expected to the input of feed-forward": inputs
        + think(both),
        "the input of feed-forward is the sum after self-attention, expected the sum after cross-attention": both
        + think(looked),
        "the output of feed-forward is added to the sum after self-attention, expected to the input of "
        "feed-forward": looked + think(both),
        "all sublayers have the layer's inputs as their input": inputs + look(inputs) + across(inputs) + think(inputs),
        "there is no feed-forward": both,
        "there is no cross-attention": _added(inputs, look, think),
        "there is no self-attention": _added(inputs, across, think),
        "the inputs were returned unchanged": inputs,
    }
    return explained(got["outputs"], want["outputs"], mistakes, "outputs")


@judge(
    _ROLES,
    probe=probes.roles,
    points=1,
    needs=(_RESIDUAL,),
    hint="cross_attention(queries, memory, mask): the queries are the target's vectors after self-attention, and "
    "the memory is the encoder's outputs. The result has the length of the target.",
)
def target_asks(got: Any, want: Any) -> Verdict:
    """Who asks and who answers; the norms change nothing."""
    inputs, memory = want["inputs"], want["memory"]
    look, across = _looking(parts.SELF), _looking(parts.CROSS)
    looked = inputs + look(inputs, inputs)
    found = {
        "the memory of cross-attention is the target itself, expected the encoder's outputs": across(looked, looked),
        "the memory of cross-attention is the layer's inputs, expected the encoder's outputs": across(looked, inputs),
        "the queries of cross-attention are the layer's inputs, expected the sum after self-attention": across(
            inputs, memory
        ),
        "the queries of cross-attention are the output of self-attention, expected its sum with the inputs": across(
            look(inputs, inputs), memory
        ),
    }
    mistakes = {message: _added(looked + crossed, _FEED_FORWARD) for message, crossed in found.items()}
    looked = inputs + look(inputs, memory)
    mistakes["the memory of self-attention is the encoder's outputs, expected the target itself"] = _added(
        looked + across(looked, memory), _FEED_FORWARD
    )
    return explained(got["outputs"], want["outputs"], mistakes, "outputs")


@judge(
    _PRE,
    probe=probes.pre_norm,
    points=1,
    needs=(_RESIDUAL, _ROLES),
    hint="In pre-norm x + dropout(sublayer(norm(x))): the norm is applied only to the input of the sublayer. The x "
    "before the + is not normalised, and each sublayer has its own norm.",
)
@unless_close("outputs")
def pre_norm(got: Any, want: Any) -> Verdict:
    """Where norms and residuals stand, if it does not matter what the attentions read."""
    inputs = want["inputs"]
    functions = _sublayers(inputs, sees=())
    mistakes = {
        **sublayers.misplaced(inputs, functions, _NORMS, sublayers.pre, sublayers.OF_PRE),
        **sublayers.exchanged(inputs, functions, _NORMS, sublayers.pre),
    }
    return explained(got["outputs"], want["outputs"], mistakes, "outputs")


@judge(
    _NORMED,
    probe=probes.normed,
    points=1,
    needs=(_RESIDUAL, _ROLES, _PRE),
    hint="Both attentions get the target after their own norm, and in self-attention the same normalised vectors are "
    "the memory. Use the encoder's outputs unchanged.",
)
@unless_close("outputs")
def normed_target(got: Any, want: Any) -> Verdict:
    """What the attentions read."""
    inputs, memory = want["inputs"], want["memory"]
    look, across = _looking(parts.SELF), _looking(parts.CROSS)
    first, second, third = _NORMS

    def outputs(self_reads: Sequence[Tensor], crossing: Callable[[Tensor], Tensor]) -> Tensor:
        looked = inputs + look(*self_reads)
        return sublayers.pre(looked + crossing(looked), _FEED_FORWARD, third)

    def across_from(asking: sublayers.Function, looked_at: Tensor = memory) -> Callable[[Tensor], Tensor]:
        return lambda looked: across(asking(looked), looked_at)

    normed, right = [first(inputs)] * 2, across_from(second)
    mistakes = {
        "the memory is normalised by norms[1], expected unchanged": outputs(
            normed, across_from(second, second(memory))
        ),
        "the memory is normalised by norms[0], expected unchanged": outputs(normed, across_from(second, first(memory))),
        "the memory is normalised, and the queries are not; expected the other way round": outputs(
            normed, across_from(lambda states: states, second(memory))
        ),
        "self-attention has the normalised inputs as queries, but the inputs without the norm as memory": outputs(
            [first(inputs), inputs], right
        ),
        "self-attention has the normalised inputs as memory, but the inputs without the norm as queries": outputs(
            [inputs, first(inputs)], right
        ),
        "self-attention gets the inputs without a norm": outputs([inputs] * 2, right),
        "the queries of cross-attention are not normalised": outputs(normed, across_from(lambda states: states)),
        **sublayers.exchanged(inputs, _sublayers(memory), _NORMS, sublayers.pre),
    }
    return explained(got["outputs"], want["outputs"], mistakes, "outputs")


@judge(
    _POST,
    probe=probes.post_norm,
    points=1,
    needs=(_RESIDUAL, _ROLES, _PRE, _NORMED),
    hint="With pre_norm=False the formula is norm(x + dropout(sublayer(x))): nothing is normalised before a "
    "sublayer, and each sum goes through its norm.",
)
@unless_close("outputs")
def post_norm(got: Any, want: Any) -> Verdict:
    """The norms behind the sums."""
    inputs, memory = want["inputs"], want["memory"]
    functions = _sublayers(memory)
    last = [sublayers.bare, sublayers.bare, sublayers.post]
    mistakes = {
        "only the last sum is normalised, expected every sum": sublayers.through(
            inputs, list(functions.values()), _NORMS, last
        ),
        **sublayers.misplaced(inputs, functions, _NORMS, sublayers.post, sublayers.OF_POST),
        **sublayers.exchanged(inputs, functions, _NORMS, sublayers.post),
        "the memory is normalised by norms[1], expected unchanged": sublayers.through(
            inputs, list(_sublayers(_NORMS[1](memory)).values()), _NORMS, [sublayers.post] * 3
        ),
    }
    return explained(got["outputs"], want["outputs"], mistakes, "outputs")


@judge(
    _MASKS,
    probe=probes.both_masks,
    points=1,
    needs=(_RESIDUAL, _ROLES, _POST),
    hint="A mask belongs to the memory: pass target_mask, (1 or B, T, T), to self-attention and source_mask, (B, "
    "1, S), to cross-attention, both unchanged.",
)
def masks_reach(got: Any, want: Any) -> Verdict:
    """Both masks are handed on; the norms change nothing."""
    inputs, memory = want["inputs"], want["memory"]
    look, across = _looking(parts.SELF, masked=True), _looking(parts.CROSS, masked=True)

    def outputs(target_mask: Tensor, source_mask: Tensor) -> Tensor:
        looked = inputs + look(inputs, inputs, target_mask)
        return _added(looked + across(looked, memory, source_mask), _FEED_FORWARD)

    for at, name in enumerate(("pre-norm", "post-norm")):
        target_mask, source_mask = want["masks"][at]
        mistakes = {
            "self-attention was given a mask that hides nothing, or the first sentence's mask for all; expected "
            "target_mask": outputs(torch.ones_like(target_mask), source_mask),
            "cross-attention was given a mask that hides nothing, or the first sentence's mask for all; expected "
            "source_mask": outputs(target_mask, torch.ones_like(source_mask)),
            "both attentions were given masks that hide nothing, expected the layer's own masks": outputs(
                torch.ones_like(target_mask), torch.ones_like(source_mask)
            ),
            "self-attention was given a causal mask that the layer creates, expected target_mask": outputs(
                torch.ones_like(target_mask).tril(), source_mask
            ),
            "target_mask was transposed: each row is for one position that attends": outputs(
                target_mask.transpose(1, 2), source_mask
            ),
            "both masks are inverted: True means that a position may be attended to": outputs(
                ~target_mask, ~source_mask
            ),
            "target_mask is inverted: True means that a position may be attended to": outputs(
                ~target_mask, source_mask
            ),
            "source_mask is inverted: True means that a position may be attended to": outputs(
                target_mask, ~source_mask
            ),
        }
        verdict = explained(got["outputs"][at], want["outputs"][at], mistakes, "outputs")
        if not verdict.ok:
            return failed(f"in {name}, {verdict.message}")
    return passed()


@judge(
    _DROPOUT,
    probe=probes.layer_dropout,
    points=2,
    needs=(_RESIDUAL, _ROLES, _POST),
    hint="Apply self.dropout to each sublayer's output, before the +. Even if it dropped everything, the inputs "
    "would still get through.",
)
def dropout(got: Any, want: Any) -> Verdict:
    """Everything is dropped; the norms change nothing."""
    inputs, memory = want["inputs"], want["memory"]
    functions = _sublayers(memory)
    look, across, think = functions.values()
    nothing = torch.zeros_like(inputs)
    mistakes = {
        "the output of self-attention is not dropped": _added(inputs, look),
        "the output of cross-attention is not dropped": _added(inputs, across),
        "the output of feed-forward is not dropped": _added(inputs, think),
        "only the output of feed-forward is dropped": _added(inputs, look, across),
        "dropout is applied to the inputs of the sublayers, expected to their outputs": inputs
        + look(nothing)
        + across(nothing)
        + think(nothing),
    }
    return sublayers.dropout(got, want, inputs, mistakes, list(functions))


arguments = judge(
    _ARGUMENTS,
    probe=probes.layer_arguments,
    points=1,
    arguments=True,
    needs=(_RESIDUAL, _ROLES, _PRE, _NORMED, _POST),
    hint="The caller still needs them. inputs += ... and methods that end in an underscore change the caller's tensor; inputs = inputs + ... "
    "makes a new one.",
)(leaves_arguments("outputs"))


layer_gradient = judge(
    "the gradient reaches inputs, memory and every part",
    probe=probes.layer_gradient,
    points=1,
    hidden=True,
    needs=(_RESIDUAL, _ROLES, _PRE, _NORMED, _POST, _ARGUMENTS),
    hint="Use torch's operations on the tensors themselves: detach, .data and no_grad stop the gradient.",
)(close())
