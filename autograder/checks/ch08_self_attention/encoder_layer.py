"""The checks of `EncoderLayer`."""

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

EXERCISE = Exercise("EncoderLayer", "attention, then feed-forward", minutes=20, difficulty=2, forbids=(ATTENTION,))


@in_use()
def in_chapter(layer_class, draw: Draw) -> Use:
    """A layer of each kind over a padded batch, then over one sentence."""
    layers = [
        layer_class(parts.Attention(parts.SELF, masked=True), parts.FeedForward(), parts.norms(2), pre_norm=pre_norm)
        for pre_norm in parts.KINDS.values()
    ]

    def call(inputs: Tensor, mask: Tensor) -> list[Any]:
        return [layer(inputs, mask) for layer in layers]

    def given(batch: int, places: int) -> tuple[Tensor, Tensor]:
        return draw.normal(batch, places, parts.WIDTH, scale=0.3), draw.mask(batch, 1, places)

    return Use(call, given(3, 20), given(1, 23), modules=tuple(layers))


SUBLAYERS = ("self-attention", "feed-forward")
"""As they are called in messages."""


def built(
    layer_class,
    *,
    pre_norm: bool = True,
    neutral: bool = False,
    sees: bool = True,
    masked: bool = False,
    dropout: float = 0.0,
) -> Any:
    """The student's layer on fixed parts, not training."""
    attention = parts.Attention(parts.SELF, sees=sees, masked=masked)
    norms = parts.norms(2, neutral=neutral)
    return layer_class(attention, parts.FeedForward(), norms, dropout=dropout, pre_norm=pre_norm).eval()


def run(layer, inputs: Tensor, mask: Tensor | None = None) -> Any:
    """What the layer makes of the inputs; without a mask nothing is masked."""
    if mask is None:
        mask = torch.ones(len(inputs), 1, inputs.shape[1], dtype=torch.bool)
    result = layer(inputs, mask)
    if isinstance(result, (tuple, list)):
        raise MisuseError(
            f"what it returned is {kind_of(result)}, expected one tensor (B, S, d_model): attention returns two "
            "results, of which the first is its output"
        )
    return result


def sentences(draw: Draw) -> Tensor:
    """Inputs."""
    return draw.normal(parts.BATCH, parts.SOURCE, parts.WIDTH)


@check(
    "the output of each sublayer is added to its input",
    points=1,
    draws=2,
    reads=("outputs",),
    hint="The output of a sublayer is added to its input: inputs + self_attention(...), then that sum + "
    "feed_forward(that sum). self_attention returns two results; the first is its output.",
)
def residuals(layer_class, draw: Draw):
    """Norms that change nothing, so that it does not matter where they stand; run twice, to see whether chance has a part."""
    layer, inputs = built(layer_class, neutral=True), sentences(draw)
    return {"outputs": run(layer, inputs.clone()), "again": run(layer, inputs.clone())}


residuals.explain(dropping.random_outputs)


@check(
    "pre-norm: the residual bypasses the norm, and feed-forward has the second norm",
    points=2,
    needs=residuals,
    draws=2,
    hint="In pre-norm x + dropout(sublayer(norm(x))): the norm is applied only to the input of the sublayer. The x "
    "before the + is not normalised, and each sublayer has its own norm.",
)
def pre_norm(layer_class, draw: Draw):
    """An attention that finds the same whatever it is asked."""
    return {"outputs": run(built(layer_class, sees=False), sentences(draw))}


@check(
    "pre-norm: in self-attention, queries and memory are both the normalised inputs",
    points=1,
    needs=(residuals, pre_norm),
    draws=2,
    hint="In self-attention the queries and the memory are the same vectors. In pre-norm both are the normalised "
    "inputs.",
)
def normed(layer_class, draw: Draw):
    """An attention that sees its query and its memory."""
    return {"outputs": run(built(layer_class), sentences(draw))}


@check(
    "post-norm: each sum is normalised",
    points=1,
    needs=(residuals, pre_norm, normed),
    draws=2,
    hint="With pre_norm=False the formula is norm(x + dropout(sublayer(x))): nothing is normalised before a "
    "sublayer, and each sum goes through its norm.",
)
def post_norm(layer_class, draw: Draw):
    """The norms behind the sums."""
    return {"outputs": run(built(layer_class, pre_norm=False), sentences(draw))}


@check(
    "self-attention gets the mask",
    points=1,
    needs=(residuals, post_norm),
    draws=2,
    hint="The mask is self_attention's third argument, unchanged, in pre-norm and in post-norm.",
)
def layer_mask(layer_class, draw: Draw):
    """An attention that sees its mask, which hides something in every sentence, and norms that change nothing."""
    inputs, mask = sentences(draw), draw.padding_mask(parts.BATCH + 1, parts.SOURCE)[1:].unsqueeze(1)
    return {
        name: run(built(layer_class, pre_norm=flag, neutral=True, masked=True), inputs.clone(), mask.clone())
        for name, flag in parts.KINDS.items()
    }


def what_is_left(answer):
    """The outputs, and instead of those that are random what is wrong with them."""
    return dropping.what_is_left(answer, SUBLAYERS)


@check(
    "dropout is applied to each sublayer's output, in training only",
    points=2,
    needs=(residuals, post_norm),
    draws=2,
    reads=what_is_left,
    hint="Apply self.dropout to each sublayer's output, before the +. Even if it dropped everything, the inputs "
    "would still get through.",
)
def layer_dropout(layer_class, draw: Draw):
    """A dropout that leaves nothing, in training and in evaluation, and one that leaves half; norms that change nothing."""
    inputs = sentences(draw)
    layers = {
        name: built(layer_class, pre_norm=flag, neutral=True, dropout=dropping.ALMOST_ALL)
        for name, flag in parts.KINDS.items()
    }
    evaluating = {name: run(layer, inputs.clone()) for name, layer in layers.items()}
    training = {name: run(layer.train(), inputs.clone()) for name, layer in layers.items()}
    half = dropping.half_dropped(layer_class, [parts.SELF], torch.ones(8, 1, 7, dtype=torch.bool))
    return {"training": training, "evaluating": evaluating, "half": half}


@layer_dropout.explain
def dropout_apart(got, want):
    """When too much is dropped, or too little."""
    return dropping.explain(got, want, SUBLAYERS)


@check(
    "inputs and mask are not changed",
    points=1,
    needs=(residuals, pre_norm, normed, post_norm, layer_mask),
    draws=2,
    arguments=True,
    hint="The caller still needs them. inputs += ... and methods that end in an underscore change the caller's tensor; inputs = inputs + ... "
    "makes a new one.",
)
def layer_arguments(layer_class, draw: Draw):
    """The arguments as they are after the call."""
    inputs, mask = sentences(draw), draw.padding_mask(parts.BATCH, parts.SOURCE).unsqueeze(1)
    found = {}
    for name, flag in parts.KINDS.items():
        given = inputs.clone(), mask.clone()
        outputs = run(built(layer_class, pre_norm=flag), *given)
        found[name] = {"inputs": given[0], "mask": given[1], "outputs": outputs}
    return found


@check(
    "the gradient reaches the inputs and every part",
    points=1,
    hidden=True,
    needs=(residuals, pre_norm, normed, post_norm, layer_arguments),
    draws=2,
    hint="Use torch's operations on the tensors themselves: detach, .data and no_grad stop the gradient.",
)
def layer_gradient(layer_class, draw: Draw):
    """What comes back to the inputs and to every part."""
    found = {}
    for name, flag in parts.KINDS.items():
        layer, inputs = built(layer_class, pre_norm=flag), sentences(draw).requires_grad_()
        (run(layer, inputs) * sentences(draw)).mean().backward()
        found[name] = {
            "inputs": inputs.grad,
            "norms": parts.gradients(layer.norms),
            "self_attention": parts.gradients(layer.self_attention),
            "feed_forward": parts.gradients(layer.feed_forward),
        }
    return found
