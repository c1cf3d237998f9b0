"""What is asked of `DecoderLayer`, with fixed parts in the place of both attentions, feed-forward and norms."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch08_self_attention import dropping, parts
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
    """A mask of the target, no causal one, for each sentence or for all; and one of the source."""
    target_mask = draw.mask(batch, parts.TARGET, parts.TARGET)
    return target_mask, draw.padding_mask(parts.BATCH, parts.SOURCE).unsqueeze(1)


@probe("DecoderLayer", draws=2)
def residuals(layer_class, draw: Draw):
    """Norms that change nothing, and a cross-attention that finds the same whatever asks it, even the memory."""
    layer = built(layer_class, neutral=True, sees=(parts.SELF,))
    inputs, memory = sentences(draw, source=parts.TARGET)
    outputs, again = (run(layer, inputs.clone(), memory.clone()) for _ in range(2))
    return {"outputs": outputs, "again": again, "inputs": inputs}


@probe("DecoderLayer", draws=2)
def roles(layer_class, draw: Draw):
    """A cross-attention that sees its query and its memory; norms that change nothing."""
    inputs, memory = sentences(draw)
    layer = built(layer_class, neutral=True)
    layer.cross_attention.length = parts.TARGET
    return {"outputs": run(layer, inputs.clone(), memory.clone()), "inputs": inputs, "memory": memory}


@probe("DecoderLayer", draws=2)
def pre_norm(layer_class, draw: Draw):
    """Attentions that find the same whatever they are asked."""
    inputs, memory = sentences(draw)
    return {"outputs": run(built(layer_class, sees=()), inputs.clone(), memory.clone()), "inputs": inputs}


@probe("DecoderLayer", draws=2)
def normed(layer_class, draw: Draw):
    """Attentions that see their queries and their memories."""
    inputs, memory = sentences(draw)
    return {"outputs": run(built(layer_class), inputs.clone(), memory.clone()), "inputs": inputs, "memory": memory}


@probe("DecoderLayer", draws=2)
def post_norm(layer_class, draw: Draw):
    """The norms behind the sums."""
    inputs, memory = sentences(draw)
    outputs = run(built(layer_class, pre_norm=False), inputs.clone(), memory.clone())
    return {"outputs": outputs, "inputs": inputs, "memory": memory}


@probe("DecoderLayer", draws=2)
def both_masks(layer_class, draw: Draw):
    """Attentions that see their masks; in pre-norm one mask of the target is for all sentences, in post-norm each has its own."""
    inputs, memory = sentences(draw)
    outputs, given = [], []
    for flag, batch in zip(BOTH, (1, parts.BATCH), strict=True):
        target_mask, source_mask = masks(draw, batch)
        layer = built(layer_class, pre_norm=flag, neutral=True, masked=True)
        layer.self_attention.elsewhere = tuple(source_mask.shape)
        layer.cross_attention.elsewhere = tuple(target_mask.shape)
        outputs.append(run(layer, inputs.clone(), memory.clone(), target_mask.clone(), source_mask.clone()))
        given.append([target_mask, source_mask])
    return {"outputs": outputs, "inputs": inputs, "memory": memory, "masks": given}


@probe("DecoderLayer", draws=2)
def layer_dropout(layer_class, draw: Draw):
    """A dropout that leaves nothing, in training and in evaluation, and one that leaves half; norms that change nothing."""
    inputs, memory = sentences(draw)
    layers = [built(layer_class, pre_norm=flag, neutral=True, dropout=dropping.ALMOST_ALL) for flag in BOTH]
    evaluating = [run(layer, inputs.clone(), memory.clone()) for layer in layers]
    training = [run(layer.train(), inputs.clone(), memory.clone()) for layer in layers]
    masks = (torch.ones(8, 7, 7, dtype=torch.bool), torch.ones(8, 1, 5, dtype=torch.bool))
    half = list(
        dropping.half_dropped(layer_class, [parts.SELF, parts.CROSS], torch.zeros(8, 5, parts.WIDTH), *masks).values()
    )
    return {"training": training, "evaluating": evaluating, "half": half, "inputs": inputs, "memory": memory}


@probe("DecoderLayer", draws=2)
def layer_arguments(layer_class, draw: Draw):
    """The arguments as they are after the call."""
    sent = [*sentences(draw), *masks(draw, 1)]
    given = [[tensor.clone() for tensor in sent] for _ in BOTH]
    outputs = [run(built(layer_class, pre_norm=flag), *arguments) for flag, arguments in zip(BOTH, given, strict=True)]
    names = ("inputs", "memory", "target_mask", "source_mask")
    return {"outputs": outputs} | {name: list(tensors) for name, *tensors in zip(names, *given, strict=True)}


@probe("DecoderLayer", draws=2)
def layer_gradient(layer_class, draw: Draw):
    """What comes back to inputs and memory and to every part."""
    found = {}
    for name, flag in zip(("pre-norm", "post-norm"), BOTH, strict=True):
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
