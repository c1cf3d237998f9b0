"""What is asked of `cached_decode`, with a stand-in for the layer whose parts are fixed."""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks.ch08_self_attention import parts
from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, note_slip

PAST = 4
_WANTED = "expected two results: the output, and the past, which is a pair of key and value"

Pair = tuple[Tensor, Tensor]


class Layer(nn.Module):
    """What a decoder layer keeps, and no more: it cannot be run.

    Args:
        neutral: Whether its norms change nothing.
        sees: The attentions whose output depends on what they are given.
        masked: Whether cross-attention looks at its mask.
    """

    def __init__(
        self,
        *,
        neutral: bool = False,
        sees: tuple[str, ...] = (parts.SELF, parts.CROSS),
        masked: bool = False,
    ) -> None:
        super().__init__()
        self.self_attention = parts.Attention(parts.SELF, sees=parts.SELF in sees)
        self.cross_attention = parts.Attention(parts.CROSS, sees=parts.CROSS in sees, masked=masked)
        self.feed_forward = parts.FeedForward()
        self.norms = nn.ModuleList(parts.norms(3, neutral=neutral))
        self.dropout = nn.Dropout(0.5)
        self.pre_norm = True
        self.eval().requires_grad_(requires_grad=False)

    def forward(self, *given: Any) -> None:
        """Of one new position alone it would give something else."""
        raise MisuseError("the whole layer was called, expected its parts, one after the other")


def run(cached_decode, layer: Layer, new: Tensor, past: Pair, source: Pair, source_mask: Tensor | None = None) -> Any:
    """The output and the new past, as a list of key and value; without a mask nothing is masked."""
    if source_mask is None:
        source_mask = torch.ones(len(new), 1, parts.SOURCE, dtype=torch.bool)
    result = cached_decode(layer, new, past, source, source_mask)
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise MisuseError(f"what it returned is {kind_of(result)}, {_WANTED}")
    output, new_past = result
    if isinstance(output, (tuple, list)) and isinstance(new_past, Tensor):
        note_slip(f"the results came back in the wrong order; {_WANTED}, in this order")
        output, new_past = new_past, output
    if isinstance(new_past, Tensor) and len(new_past) == 2:
        note_slip(f"the past that it returned is {kind_of(new_past)}, {_WANTED}")
        new_past = new_past.unbind()
    if not isinstance(new_past, (tuple, list)) or len(new_past) != 2:
        raise MisuseError(f"the past that it returned is {kind_of(new_past)}, {_WANTED}")
    return output, list(new_past)


def kept(draw: Draw, length: int) -> Pair:
    """Key and value of so many positions."""
    key, value = (draw.normal(parts.BATCH, parts.HEADS, length, parts.HEAD_SIZE) for _ in range(2))
    return key, value


def word(draw: Draw) -> Tensor:
    """The vector of a new position."""
    return draw.normal(parts.BATCH, 1, parts.WIDTH)


def copies(pair: Pair) -> Pair:
    """The same, in tensors of their own."""
    key, value = pair
    return key.clone(), value.clone()


@probe("cached_decode", draws=2)
def residuals(cached_decode, draw: Draw):
    """The first position; attentions that find the same whatever they are asked, and norms that change nothing."""
    new, layer = word(draw), Layer(neutral=True, sees=())
    output, _ = run(cached_decode, layer, new.clone(), kept(draw, 0), kept(draw, parts.SOURCE))
    return {"output": output, "new": new}


@probe("cached_decode", draws=2)
def looked_back(cached_decode, draw: Draw):
    """A self-attention that sees what it is given, a mask too if there is one; norms that change nothing."""
    new, past, source = word(draw), kept(draw, PAST), kept(draw, parts.SOURCE)
    layer = Layer(neutral=True, sees=(parts.SELF,))
    layer.self_attention.masked = layer.self_attention.optional = True
    output, _ = run(cached_decode, layer, new.clone(), copies(past), source)
    return {"output": output, "new": new, "past": list(past)}


@probe("cached_decode", draws=2)
def longer_past(cached_decode, draw: Draw):
    """The past that comes back, of one position and of more; norms that change nothing."""
    found = {}
    for name, length in (("past of the first position", 0), ("past", PAST)):
        layer = Layer(neutral=True, sees=(parts.SELF,))
        new, past = word(draw), kept(draw, length)
        _, found[name] = run(cached_decode, layer, new.clone(), copies(past), kept(draw, parts.SOURCE))
    return found | {"new": new, "before": list(past)}


@probe("cached_decode", draws=2)
def looked_across(cached_decode, draw: Draw):
    """A cross-attention that sees what it is given, its mask too; norms that change nothing."""
    new, past, source = word(draw), kept(draw, PAST), kept(draw, parts.SOURCE)
    mask = draw.padding_mask(parts.BATCH, parts.SOURCE).unsqueeze(1)
    layer = Layer(neutral=True, sees=(parts.CROSS,), masked=True)
    output, _ = run(cached_decode, layer, new.clone(), past, copies(source), mask.clone())
    return {"output": output, "new": new, "source": list(source), "mask": mask}


@probe("cached_decode", draws=2)
def normed(cached_decode, draw: Draw):
    """The output and the own key and value of a new position, in a layer whose norms change everything."""
    new, past, source = word(draw), kept(draw, PAST), kept(draw, parts.SOURCE)
    output, (key, value) = run(cached_decode, Layer(), new.clone(), copies(past), copies(source))
    own = [tensor[:, :, -1:] if isinstance(tensor, Tensor) and tensor.dim() == 4 else tensor for tensor in (key, value)]
    return {"output": output, "own": own, "new": new, "past": list(past), "source": list(source)}


@probe("cached_decode", draws=2)
def word_by_word(cached_decode, draw: Draw):
    """Two sentences that go on from one past, word by word, each on the past that came back; the second after the first."""
    layer, source, first = Layer(), kept(draw, parts.SOURCE), kept(draw, 1)
    found = {}
    for name in ("one sentence", "another"):
        past, outputs = first, []
        for _ in range(3):
            output, (key, value) = run(cached_decode, layer, word(draw), past, source)
            past = key, value
            outputs.append(output)
        found[name] = outputs
    return found


@probe("cached_decode", draws=2)
def double_precision(cached_decode, draw: Draw):
    """Everything in float64."""
    layer = Layer().double()
    (new, *tensors) = (tensor.double() for tensor in (word(draw), *kept(draw, PAST), *kept(draw, parts.SOURCE)))
    output, past = run(cached_decode, layer, new, (tensors[0], tensors[1]), (tensors[2], tensors[3]))
    return {"output": output, "past": past}


@probe("cached_decode", draws=2)
def decode_arguments(cached_decode, draw: Draw):
    """The arguments as they are after the call."""
    new, past, source = word(draw), kept(draw, PAST), kept(draw, parts.SOURCE)
    mask = draw.padding_mask(parts.BATCH, parts.SOURCE).unsqueeze(1)
    output, longer = run(cached_decode, Layer(), new, past, source, mask)
    return {
        "output": output,
        "longer": longer,
        "new": new,
        "past": list(past),
        "source": list(source),
        "source_mask": mask,
    }
