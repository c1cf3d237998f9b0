"""The checks of `cached_decode`."""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, note_slip
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.checks.ch08_self_attention import parts
from autograder.declare import Exercise, check
from autograder.judging.compare import is_close

EXERCISE = Exercise("cached_decode", "a new word without repeating old work", minutes=30, difficulty=3)


@in_use(gradients=False)
def in_chapter(cached_decode, draw: Draw) -> Use:
    """A late word of two sentences, then the first of another one."""
    layer = Layer(masked=True)
    layer.self_attention.masked = layer.self_attention.optional = True

    def call(new: Tensor, past: tuple[Tensor, Tensor], source: tuple[Tensor, Tensor], mask: Tensor) -> Any:
        return run(cached_decode, layer, new, past, source, mask)

    def given(batch: int, length: int, places: int) -> tuple[Any, ...]:
        def pair(long: int) -> tuple[Tensor, Tensor]:
            shape = batch, parts.HEADS, long, parts.HEAD_SIZE
            return draw.normal(*shape, scale=0.3), draw.normal(*shape, scale=0.3)

        mask = draw.padding_mask(batch, places).unsqueeze(1)
        return draw.normal(batch, 1, parts.WIDTH, scale=0.3), pair(length), pair(places), mask

    return Use(call, given(2, 300, 81), given(1, 0, 7), modules=(layer,))


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
    if isinstance(new_past, list):
        note_slip(
            f"the past that it returned is a list, {_WANTED}, in a tuple: the rows of a list cannot be put into another order"
        )
    if isinstance(result, list):
        note_slip(f"what it returned is a list, {_WANTED}, in a tuple")
    return output, list(new_past)


def kept(draw: Draw, length: int) -> Pair:
    """Key and value of so many positions."""
    key, value = (draw.normal(parts.BATCH, parts.HEADS, length, parts.HEAD_SIZE) for _ in range(2))
    return key, value


def word(draw: Draw) -> Tensor:
    """The vector of a new position."""
    return draw.normal(parts.BATCH, 1, parts.WIDTH)


@check(
    "three sublayers are applied in the right order, and the output of each is added to its input",
    points=1,
    draws=2,
    hint="A decoder layer has three sublayers in a fixed order: the input of each is the sum after the previous "
    "one, and its output is added to its input. look_up returns two results; the first is its output.",
)
def residuals(cached_decode, draw: Draw):
    """The first position; attentions that find the same whatever they are asked, and norms that change nothing."""
    layer = Layer(neutral=True, sees=())
    output, _ = run(cached_decode, layer, word(draw), kept(draw, 0), kept(draw, parts.SOURCE))
    return {"output": output}


@check(
    "the new position attends to the past and to itself",
    points=2,
    needs=residuals,
    draws=2,
    hint="As in the whole layer, a position attends to the earlier ones and to itself. Compute its own key and "
    "value first, with keys_values, and append them to the past; then call look_up with the longer past.",
)
def looked_back(cached_decode, draw: Draw):
    """A self-attention that sees what it is given, a mask too if there is one; norms that change nothing."""
    layer = Layer(neutral=True, sees=(parts.SELF,))
    layer.self_attention.masked = layer.self_attention.optional = True
    output, _ = run(cached_decode, layer, word(draw), kept(draw, PAST), kept(draw, parts.SOURCE))
    return {"output": output}


@check(
    "the new past has the new key and value after the old ones",
    points=1,
    needs=(residuals, looked_back),
    draws=2,
    hint="The next position needs everything that this one attended to: torch.cat along the positions, the third "
    "of the four dimensions, with the older positions first.",
)
def longer_past(cached_decode, draw: Draw):
    """The past that comes back, of one position and of more; norms that change nothing."""
    found = {}
    for name, length in (("past of the first position", 0), ("past", PAST)):
        layer = Layer(neutral=True, sees=(parts.SELF,))
        _, found[name] = run(cached_decode, layer, word(draw), kept(draw, length), kept(draw, parts.SOURCE))
    return found


@check(
    "cross-attention uses the projected source unchanged, with its mask",
    points=1,
    needs=residuals,
    draws=2,
    hint="`source` already holds keys and values: pass them to look_up unchanged, key first, together with "
    "source_mask. The query is the sum after self-attention.",
)
def looked_across(cached_decode, draw: Draw):
    """A cross-attention that sees what it is given, its mask too, which hides something in every sentence; norms that change nothing."""
    new, past, source = word(draw), kept(draw, PAST), kept(draw, parts.SOURCE)
    mask = draw.padding_mask(parts.BATCH + 1, parts.SOURCE)[1:].unsqueeze(1)
    output, _ = run(cached_decode, Layer(neutral=True, sees=(parts.CROSS,), masked=True), new, past, source, mask)
    return {"output": output}


@check(
    "the input of each sublayer is normalised, also for keys and values",
    points=2,
    needs=(residuals, looked_back, longer_past, looked_across),
    draws=2,
    hint="The layer is a pre-norm one: x + sublayer(norm(x)), with a norm for each sublayer. In self-attention, "
    "query, key and value are all computed from the normalised vector.",
)
def normed(cached_decode, draw: Draw):
    """The output and the own key and value of a new position, in a layer whose norms change everything."""
    output, (key, value) = run(cached_decode, Layer(), word(draw), kept(draw, PAST), kept(draw, parts.SOURCE))
    own = [tensor[:, :, -1:] if isinstance(tensor, Tensor) and tensor.dim() == 4 else tensor for tensor in (key, value)]
    return {"output": output, "own key and value": own}


@normed.explain
def own_key_and_value(got, want):
    """What comes back as key and value of the new position."""
    told = "the returned key and value are not computed from the new vector, normalised by norms[0]"
    return None if is_close(got["own key and value"], want["own key and value"]) else told


@check(
    "new, past and source are not changed",
    points=1,
    needs=(residuals, looked_back, longer_past, looked_across, normed),
    draws=2,
    arguments=True,
    hint="Several hypotheses of a beam continue from the same past. torch.cat creates new tensors; += and "
    "methods that end in an underscore change the caller's tensors.",
)
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


@check(
    "sentences grow word by word, each with its own past",
    points=1,
    hidden=True,
    needs=(residuals, looked_back, longer_past, looked_across, normed, decode_arguments),
    draws=2,
    hint="Everything about earlier positions is in `past`. Anything that you store in the layer, or elsewhere, "
    "is still there when another sentence begins.",
)
def word_by_word(cached_decode, draw: Draw):
    """Two sentences that go on from one past, word by word, each on the past that came back; the second after the first.

    The rows change places from word to word, as those of a beam do.
    """
    layer, source, first = Layer(), kept(draw, parts.SOURCE), kept(draw, 1)
    found = {}
    for name in ("one sentence", "another"):
        past, outputs = first, []
        for _ in range(3):
            output, (key, value) = run(cached_decode, layer, word(draw), past, source)
            past = key.flip(0), value.flip(0)
            outputs.append(output)
        found[name] = outputs
    return found


@check(
    "double precision stays double precision",
    points=1,
    hidden=True,
    needs=(residuals, looked_back, longer_past, looked_across, normed),
    draws=2,
    hint="A tensor that you create yourself is float32, unless you pass dtype= or create it from another one, as "
    "past[0].new_empty does.",
)
def double_precision(cached_decode, draw: Draw):
    """Everything in float64."""
    layer = Layer().double()
    (new, *tensors) = (tensor.double() for tensor in (word(draw), *kept(draw, PAST), *kept(draw, parts.SOURCE)))
    output, past = run(cached_decode, layer, new, (tensors[0], tensors[1]), (tensors[2], tensors[3]))
    return {"output": output, "past": past}
