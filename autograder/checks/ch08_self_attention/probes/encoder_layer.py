"""What is asked of `EncoderLayer`, with fixed parts in the place of attention, feed-forward and norms."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch08_self_attention.probes import parts
from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError

BOTH = (True, False)
"""Pre-norm, then post-norm."""


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


@probe("EncoderLayer", draws=2)
def residuals(layer_class, draw: Draw):
    """Norms that change nothing, so that it does not matter where they stand; run twice, to see whether chance has a part."""
    layer, inputs = built(layer_class, neutral=True), sentences(draw)
    return {"outputs": run(layer, inputs.clone()), "again": run(layer, inputs.clone()), "inputs": inputs}


@probe("EncoderLayer", draws=2)
def pre_norm(layer_class, draw: Draw):
    """An attention that finds the same whatever it is asked."""
    inputs = sentences(draw)
    return {"outputs": run(built(layer_class, sees=False), inputs.clone()), "inputs": inputs}


@probe("EncoderLayer", draws=2)
def normed(layer_class, draw: Draw):
    """An attention that sees its query and its memory."""
    inputs = sentences(draw)
    return {"outputs": run(built(layer_class), inputs.clone()), "inputs": inputs}


@probe("EncoderLayer", draws=2)
def post_norm(layer_class, draw: Draw):
    """The norms behind the sums."""
    inputs = sentences(draw)
    return {"outputs": run(built(layer_class, pre_norm=False), inputs.clone()), "inputs": inputs}


@probe("EncoderLayer", draws=2)
def layer_mask(layer_class, draw: Draw):
    """An attention that sees its mask, and norms that change nothing."""
    inputs, mask = sentences(draw), draw.padding_mask(parts.BATCH, parts.SOURCE).unsqueeze(1)
    outputs = [
        run(built(layer_class, pre_norm=flag, neutral=True, masked=True), inputs.clone(), mask.clone()) for flag in BOTH
    ]
    return {"outputs": outputs, "inputs": inputs, "mask": mask}


@probe("EncoderLayer", draws=2)
def layer_dropout(layer_class, draw: Draw):
    """A dropout that leaves nothing, in training and in evaluation, and one that leaves half; norms that change nothing."""
    inputs = sentences(draw)
    layers = [built(layer_class, pre_norm=flag, neutral=True, dropout=parts.ALMOST_ALL) for flag in BOTH]
    evaluating = [run(layer, inputs.clone()) for layer in layers]
    training = [run(layer.train(), inputs.clone()) for layer in layers]
    half = parts.half_dropped(layer_class, [parts.SELF], torch.ones(8, 1, 7, dtype=torch.bool))
    return {"training": training, "evaluating": evaluating, "half": half, "inputs": inputs}


@probe("EncoderLayer", draws=2)
def layer_arguments(layer_class, draw: Draw):
    """The arguments as they are after the call."""
    inputs, mask = sentences(draw), draw.padding_mask(parts.BATCH, parts.SOURCE).unsqueeze(1)
    given = [(inputs.clone(), mask.clone()) for _ in BOTH]
    outputs = [run(built(layer_class, pre_norm=flag), *arguments) for flag, arguments in zip(BOTH, given, strict=True)]
    return {"outputs": outputs, "inputs": [inputs for inputs, _ in given], "mask": [mask for _, mask in given]}


@probe("EncoderLayer", draws=2)
def layer_gradient(layer_class, draw: Draw):
    """What comes back to the inputs and to every part."""
    found = {}
    for name, flag in zip(("pre-norm", "post-norm"), BOTH, strict=True):
        layer, inputs = built(layer_class, pre_norm=flag), sentences(draw).requires_grad_()
        (run(layer, inputs) * sentences(draw)).mean().backward()
        found[name] = {
            "inputs": inputs.grad,
            "norms": parts.gradients(layer.norms),
            "self_attention": parts.gradients(layer.self_attention),
            "feed_forward": parts.gradients(layer.feed_forward),
        }
    return found
