"""What is asked of `Encoder`."""

from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import PackedSequence

from autograder.checks.ch03_seq2seq.probes import weights
from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, unpack

VOCABULARY, EMBEDDING, HIDDEN = 11, 5, 6
_SHAPES = {
    "embedding.weight": (VOCABULARY, EMBEDDING),
    **weights.of_gru("rnn", EMBEDDING, HIDDEN // 2, both_ways=True),
    **weights.of_linear("bridge", HIDDEN, HIDDEN),
}


def built(encoder_class, draw: Draw) -> Any:
    """The student's encoder with drawn weights."""
    return weights.with_drawn_weights(encoder_class(VOCABULARY, EMBEDDING, HIDDEN), _SHAPES, draw)


def sentences(draw: Draw, *lengths: int, places: int = 0) -> tuple[Tensor, Tensor]:
    """Source words and the lengths; as many places as the longest has, or more. At padding stands any word: the lengths alone tell."""
    return draw.integers(1, VOCABULARY, len(lengths), places or max(lengths)), torch.tensor(lengths)


def run(encoder, source: Tensor, lengths: Tensor) -> tuple[Any, Any]:
    """The encoder's two results."""
    batch, places = source.shape
    memory, state = unpack(encoder(source, lengths.clone()), memory=(batch, places, HIDDEN), state=(1, batch, HIDDEN))
    if isinstance(memory, PackedSequence):
        raise MisuseError("the memory is still packed: pad_packed_sequence turns it into a tensor (B, S, H)")
    if isinstance(memory, tuple):
        raise MisuseError(
            f"the memory is {kind_of(memory)}, expected a tensor (B, S, H): pad_packed_sequence returns states and lengths"
        )
    return memory, state


def at_words(memory: Any, lengths: Tensor) -> Any:
    """The memory with zeros at padding: what was there is another check's business."""
    if not isinstance(memory, Tensor) or memory.dim() != 3 or memory.shape[0] != len(lengths):
        return memory
    real = torch.arange(memory.shape[1]) < lengths.unsqueeze(1)
    return memory.masked_fill(~real.unsqueeze(-1), 0.0)


@torch.no_grad()
def over_all_places(encoder, source: Tensor) -> dict[str, Tensor]:
    """What a GRU with these weights makes of all places of the batch, padding or not: its states, and the last of each direction."""
    states, last = weights.gru_of(encoder, "rnn", both_ways=True)(weights.embedded(encoder, source))
    return {"states": states, "last": last}


def _bridge(encoder) -> list[Tensor]:
    return [encoder.bridge.weight, encoder.bridge.bias]


@probe("Encoder", draws=2)
def memory(encoder_class, draw: Draw):
    """The memory of sentences without padding."""
    encoder, (source, lengths) = built(encoder_class, draw), sentences(draw, 4, 4, 4)
    return {"memory": run(encoder, source, lengths)[0], **over_all_places(encoder, source)}


@probe("Encoder", draws=2)
def state(encoder_class, draw: Draw):
    """The decoder's first state from sentences without padding."""
    encoder, (source, lengths) = built(encoder_class, draw), sentences(draw, 4, 4, 4)
    return {
        "state": run(encoder, source, lengths)[1],
        **over_all_places(encoder, source),
        "bridge": _bridge(encoder),
    }


@probe("Encoder", draws=2)
def state_of_padded(encoder_class, draw: Draw):
    """The decoder's first state from a padded batch, the longest sentence first."""
    encoder, (source, lengths) = built(encoder_class, draw), sentences(draw, 6, 4, 3, 1)
    return {
        "state": run(encoder, source, lengths)[1],
        **over_all_places(encoder, source),
        "bridge": _bridge(encoder),
        "lengths": lengths,
    }


@probe("Encoder", draws=2)
def memory_of_padded(encoder_class, draw: Draw):
    """The memory of the words of a padded batch, the longest sentence first."""
    encoder, (source, lengths) = built(encoder_class, draw), sentences(draw, 6, 4, 3, 1)
    return {
        "memory": at_words(run(encoder, source, lengths)[0], lengths),
        "over all places": at_words(over_all_places(encoder, source)["states"], lengths),
    }


@probe("Encoder", draws=2)
def memory_of_padding(encoder_class, draw: Draw):
    """The memory of a batch that has more places than its longest sentence has words."""
    encoder, (source, lengths) = built(encoder_class, draw), sentences(draw, 4, 3, 2, places=6)
    return {"memory": run(encoder, source, lengths)[0]}


@probe("Encoder", draws=2)
def any_order(encoder_class, draw: Draw):
    """A padded batch whose sentences are not sorted, such that sorting them twice does not bring them back."""
    encoder, (source, lengths) = built(encoder_class, draw), sentences(draw, 3, 2, 5)
    words, first = run(encoder, source, lengths)
    return {"memory": at_words(words, lengths), "state": first}


@probe("Encoder", draws=2)
def alone(encoder_class, draw: Draw):
    """One sentence, of three words and of one."""
    encoder = built(encoder_class, draw)
    answers = {}
    for name, length in {"one sentence": 3, "one word": 1}.items():
        words, first = run(encoder, *sentences(draw, length))
        answers[name] = {"memory": words, "state": first}
    return answers


@probe("Encoder", draws=2)
def encoder_gradient(encoder_class, draw: Draw):
    """What comes back to every weight from the memory and the state of a padded batch."""
    encoder, (source, lengths) = built(encoder_class, draw), sentences(draw, 5, 3, 2)
    words, first = run(encoder, source, lengths)
    outer = draw.normal(3, 5, HIDDEN), draw.normal(1, 3, HIDDEN)
    ((at_words(words, lengths) * outer[0]).sum() + (first * outer[1]).sum()).backward()
    return weights.gradients(encoder, _SHAPES)
