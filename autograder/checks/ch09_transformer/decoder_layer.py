"""The checks of `DecoderLayer`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError
from autograder.asking.rules import ATTENTION
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.checks.ch08_self_attention import dropping, parts
from autograder.declare import Exercise, check

EXERCISE = Exercise(
    "DecoderLayer", "look back, look across, then process", minutes=20, difficulty=2, forbids=(ATTENTION,)
)


@in_use()
def in_chapter(layer_class, draw: Draw) -> Use:
    """A layer of each kind over a padded batch, then over one sentence; the target's mask is no causal one."""
    layers = [
        layer_class(
            parts.Attention(parts.SELF, masked=True),
            parts.Attention(parts.CROSS, masked=True),
            parts.FeedForward(),
            parts.norms(3),
            pre_norm=pre_norm,
        )
        for pre_norm in parts.KINDS.values()
    ]

    def call(inputs: Tensor, memory: Tensor, target_mask: Tensor, source_mask: Tensor) -> list[Any]:
        return [layer(inputs, memory, target_mask, source_mask) for layer in layers]

    def given(batch: int, length: int, places: int) -> tuple[Tensor, ...]:
        states = draw.normal(batch, length, parts.WIDTH, scale=0.3), draw.normal(batch, places, parts.WIDTH, scale=0.3)
        return *states, draw.mask(1, length, length), draw.mask(batch, 1, places)

    return Use(call, given(2, 9, 20), given(1, 11, 11), modules=tuple(layers))


SUBLAYERS = ("self-attention", "cross-attention", "feed-forward")
"""As they are called in messages."""


def built(
    layer_class,
    *,
    pre_norm: bool = True,
    neutral: bool = False,
    sees: tuple[str, ...] = (parts.SELF, parts.CROSS),
    masked: bool = False,
    dropout: float = 0.0,
) -> Any:
    """The student's layer on fixed parts, not training; `sees` names the attentions that look at what they are given."""
    attentions = [parts.Attention(place, sees=place in sees, masked=masked) for place in (parts.SELF, parts.CROSS)]
    norms = parts.norms(3, neutral=neutral)
    return layer_class(*attentions, parts.FeedForward(), norms, dropout=dropout, pre_norm=pre_norm).eval()


def run(
    layer, inputs: Tensor, memory: Tensor, target_mask: Tensor | None = None, source_mask: Tensor | None = None
) -> Any:
    """What the layer makes of target and source; without masks nothing is masked."""
    batch, length, _ = inputs.shape
    if target_mask is None:
        target_mask = torch.ones(1, length, length, dtype=torch.bool)
    if source_mask is None:
        source_mask = torch.ones(batch, 1, memory.shape[1], dtype=torch.bool)
    result = layer(inputs, memory, target_mask, source_mask)
    if isinstance(result, (tuple, list)):
        raise MisuseError(
            f"what it returned is {kind_of(result)}, expected one tensor (B, T, d_model): an attention module "
            "returns two results, of which the first is its output"
        )
    return result


def sentences(draw: Draw, source: int = parts.SOURCE) -> tuple[Tensor, Tensor]:
    """Inputs and a memory."""
    inputs = draw.normal(parts.BATCH, parts.TARGET, parts.WIDTH)
    return inputs, draw.normal(parts.BATCH, source, parts.WIDTH)


def masks(draw: Draw, batch: int) -> tuple[Tensor, Tensor]:
    """A mask of the target, no causal one, for each sentence or for all; and one of the source, which hides something in every sentence."""
    target_mask = draw.mask(batch, parts.TARGET, parts.TARGET)
    return target_mask, draw.padding_mask(parts.BATCH + 1, parts.SOURCE)[1:].unsqueeze(1)


@check(
    "three sublayers are applied in the right order, and the output of each is added to its input",
    points=1,
    draws=2,
    reads=("outputs",),
    hint="Self-attention, cross-attention, feed-forward: the input of each is the sum after the previous one, "
    "and its output is added to its input. An attention module returns two results; the first is its output.",
)
def residuals(layer_class, draw: Draw):
    """Norms that change nothing, and a cross-attention that finds the same whatever asks it, even the memory."""
    layer = built(layer_class, neutral=True, sees=(parts.SELF,))
    inputs, memory = sentences(draw, source=parts.TARGET)
    outputs, again = (run(layer, inputs.clone(), memory.clone()) for _ in range(2))
    return {"outputs": outputs, "again": again}


residuals.explain(dropping.random_outputs)


@check(
    "in cross-attention the queries come from the target, and the keys and values from the memory",
    points=1,
    needs=residuals,
    draws=2,
    hint="cross_attention(queries, memory, mask): the queries are the target's vectors after self-attention, and "
    "the memory is the encoder's outputs. The result has the length of the target.",
)
def roles(layer_class, draw: Draw):
    """A cross-attention that sees its query and its memory; norms that change nothing."""
    layer = built(layer_class, neutral=True)
    layer.cross_attention.length = parts.TARGET
    return {"outputs": run(layer, *sentences(draw))}


@check(
    "pre-norm: the residual bypasses the norms, and feed-forward has the third norm",
    points=1,
    needs=(residuals, roles),
    draws=2,
    hint="In pre-norm x + dropout(sublayer(norm(x))): the norm is applied only to the input of the sublayer. The x "
    "before the + is not normalised, and each sublayer has its own norm.",
)
def pre_norm(layer_class, draw: Draw):
    """Attentions that find the same whatever they are asked."""
    return {"outputs": run(built(layer_class, sees=()), *sentences(draw))}


@check(
    "pre-norm: the target is normalised before each sublayer, the memory never",
    points=1,
    needs=(residuals, roles, pre_norm),
    draws=2,
    hint="Both attentions get the target after their own norm, and in self-attention the same normalised vectors are "
    "the memory. Use the encoder's outputs unchanged.",
)
def normed(layer_class, draw: Draw):
    """Attentions that see their queries and their memories."""
    return {"outputs": run(built(layer_class), *sentences(draw))}


@check(
    "post-norm: each sum is normalised",
    points=1,
    needs=(residuals, roles, pre_norm, normed),
    draws=2,
    hint="With pre_norm=False the formula is norm(x + dropout(sublayer(x))): nothing is normalised before a "
    "sublayer, and each sum goes through its norm.",
)
def post_norm(layer_class, draw: Draw):
    """The norms behind the sums."""
    return {"outputs": run(built(layer_class, pre_norm=False), *sentences(draw))}


@check(
    "each attention has its own mask",
    points=1,
    needs=(residuals, roles, post_norm),
    draws=2,
    hint="A mask belongs to the memory: pass target_mask, (1 or B, T, T), to self-attention and source_mask, (B, "
    "1, S), to cross-attention, both unchanged.",
)
def both_masks(layer_class, draw: Draw):
    """Attentions that see their masks; in pre-norm one mask of the target is for all sentences, in post-norm each has its own."""
    inputs, memory = sentences(draw)
    outputs = {}
    for (name, flag), batch in zip(parts.KINDS.items(), (1, parts.BATCH), strict=True):
        target_mask, source_mask = masks(draw, batch)
        layer = built(layer_class, pre_norm=flag, neutral=True, masked=True)
        layer.self_attention.elsewhere = tuple(source_mask.shape)
        layer.cross_attention.elsewhere = tuple(target_mask.shape)
        outputs[name] = run(layer, inputs.clone(), memory.clone(), target_mask, source_mask)
    return outputs


def what_is_left(answer):
    """The outputs, and instead of those that are random what is wrong with them."""
    return dropping.what_is_left(answer, SUBLAYERS)


@check(
    "dropout is applied to each sublayer's output, in training only",
    points=2,
    needs=(residuals, roles, post_norm),
    draws=2,
    reads=what_is_left,
    hint="Apply self.dropout to each sublayer's output, before the +. Even if it dropped everything, the inputs "
    "would still get through.",
)
def layer_dropout(layer_class, draw: Draw):
    """A dropout that leaves nothing, in training and in evaluation, and one that leaves half; norms that change nothing."""
    inputs, memory = sentences(draw)
    layers = {
        name: built(layer_class, pre_norm=flag, neutral=True, dropout=dropping.ALMOST_ALL)
        for name, flag in parts.KINDS.items()
    }
    evaluating = {name: run(layer, inputs.clone(), memory.clone()) for name, layer in layers.items()}
    training = {name: run(layer.train(), inputs.clone(), memory.clone()) for name, layer in layers.items()}
    masks = (torch.ones(8, 7, 7, dtype=torch.bool), torch.ones(8, 1, 5, dtype=torch.bool))
    memory = torch.full((8, 5, parts.WIDTH), dropping.FULL)
    half = dropping.half_dropped(layer_class, [parts.SELF, parts.CROSS], memory, *masks)
    return {"training": training, "evaluating": evaluating, "half": half}


@layer_dropout.explain
def dropout_apart(got, want):
    """When too much is dropped, or too little."""
    return dropping.explain(got, want, SUBLAYERS)


@check(
    "inputs, memory and masks are not changed",
    points=1,
    needs=(residuals, roles, pre_norm, normed, post_norm),
    draws=2,
    arguments=True,
    hint="The caller still needs them. inputs += ... and methods that end in an underscore change the caller's tensor; inputs = inputs + ... "
    "makes a new one.",
)
def layer_arguments(layer_class, draw: Draw):
    """The arguments as they are after the call."""
    sent, found = [*sentences(draw), *masks(draw, 1)], {}
    for name, flag in parts.KINDS.items():
        given = [tensor.clone() for tensor in sent]
        outputs = run(built(layer_class, pre_norm=flag), *given)
        found[name] = dict(zip(("inputs", "memory", "target_mask", "source_mask"), given, strict=True))
        found[name]["outputs"] = outputs
    return found


@check(
    "the gradient reaches inputs, memory and every part",
    points=1,
    hidden=True,
    needs=(residuals, roles, pre_norm, normed, post_norm, layer_arguments),
    draws=2,
    hint="Use torch's operations on the tensors themselves: detach, .data and no_grad stop the gradient.",
)
def layer_gradient(layer_class, draw: Draw):
    """What comes back to inputs and memory and to every part."""
    found = {}
    for name, flag in parts.KINDS.items():
        layer, (inputs, memory) = built(layer_class, pre_norm=flag), sentences(draw)
        inputs.requires_grad_(), memory.requires_grad_()
        (run(layer, inputs, memory) * draw.normal(*inputs.shape)).mean().backward()
        found[name] = {
            "inputs": inputs.grad,
            "memory": memory.grad,
            "norms": parts.gradients(layer.norms),
            "self_attention": parts.gradients(layer.self_attention),
            "cross_attention": parts.gradients(layer.cross_attention),
            "feed_forward": parts.gradients(layer.feed_forward),
        }
    return found
