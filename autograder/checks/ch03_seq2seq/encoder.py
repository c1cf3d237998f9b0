"""The checks of `Encoder`."""

from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import PackedSequence

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, unpack
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use, weigh
from autograder.checks.ch03_seq2seq import inputs, weights
from autograder.declare import Exercise, check

EXERCISE = Exercise("Encoder", "a sentence read in both directions", minutes=25, difficulty=2)


@in_use()
def in_chapter(encoder_class, draw: Draw) -> Use:
    """Sentences of mixed lengths, one of them of one word, with padding behind the longest; then one alone, and another."""
    module = weigh(encoder_class(inputs.WORDS, inputs.EMBEDDING, inputs.HIDDEN), draw)
    source, lengths = inputs.sentences(draw, 9, 21, 14, 1, 17)
    first = torch.cat([source, torch.zeros(5, 3, dtype=torch.int64)], dim=1), lengths
    return Use(module, first, inputs.sentences(draw, 22), last=inputs.sentences(draw, 22))


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


@check(
    "the memory holds the states of both directions for each word",
    points=1,
    draws=2,
    hint="Embed the words, run the GRU over them, and return two things: first the memory, that is, the GRU's states at all words, and "
    "then the decoder's first state.",
)
def memory(encoder_class, draw: Draw):
    """The memory of sentences without padding."""
    encoder, (source, lengths) = built(encoder_class, draw), sentences(draw, 4, 4, 4)
    return {"memory": run(encoder, source, lengths)[0]}


@check(
    "the decoder's first state is computed from the last state of each direction",
    points=1,
    needs=memory,
    draws=2,
    hint="The GRU's second result is (2, B, H / 2): the last state of each direction, forward first. Concatenate the "
    "two states of each sentence, apply bridge and tanh, and add the dimension of layers, (1, B, H).",
)
def state(encoder_class, draw: Draw):
    """The decoder's first state from sentences without padding."""
    encoder, (source, lengths) = built(encoder_class, draw), sentences(draw, 4, 4, 4)
    return {"state": run(encoder, source, lengths)[1]}


@check(
    "padding does not change the decoder's first state",
    points=2,
    needs=state,
    draws=2,
    hint="The forward direction has to stop at each sentence's own last word, and the backward direction has to begin there. With a "
    "padded batch, a GRU reads the padding like words; with a packed batch, it does not see the padding.",
)
def state_of_padded(encoder_class, draw: Draw):
    """The decoder's first state from a padded batch, the longest sentence first; the word 0 in it is no padding."""
    encoder, (source, lengths) = built(encoder_class, draw), sentences(draw, 6, 4, 3, 1)
    source[0, 2] = 0
    return {"state": run(encoder, source, lengths)[1]}


@check(
    "padding does not change the memory at the words",
    points=1,
    needs=(memory, state_of_padded),
    draws=2,
    hint="The memory has to come from the same run as the state, in which the GRU did not see the padding. The backward direction "
    "begins at the end of the row.",
)
def memory_of_padded(encoder_class, draw: Draw):
    """The memory of the words of a padded batch, the longest sentence first."""
    encoder, (source, lengths) = built(encoder_class, draw), sentences(draw, 6, 4, 3, 1)
    return {"memory": at_words(run(encoder, source, lengths)[0], lengths)}


@check(
    "the memory has all S positions, with zeros at padding",
    points=1,
    hidden=True,
    needs=(memory, memory_of_padded),
    draws=2,
    hint="A batch may have more positions than its longest sentence has words. pad_packed_sequence returns only as many positions as that "
    "sentence needs, unless you pass total_length=...; it fills the padding with zeros.",
)
def memory_of_padding(encoder_class, draw: Draw):
    """The memory of a batch that has more places than its longest sentence has words."""
    encoder, (source, lengths) = built(encoder_class, draw), sentences(draw, 4, 3, 2, places=6)
    return {"memory": run(encoder, source, lengths)[0]}


@check(
    "the sentences may come in any order",
    points=1,
    hidden=True,
    needs=(state_of_padded, memory_of_padded),
    draws=2,
    hint="pack_padded_sequence expects the longest sentence first, unless you pass enforce_sorted=False. If you sort the sentences "
    "yourself, bring memory and state back into the original order.",
)
def any_order(encoder_class, draw: Draw):
    """A padded batch whose sentences are not sorted, such that sorting them twice does not bring them back."""
    encoder, (source, lengths) = built(encoder_class, draw), sentences(draw, 3, 2, 5)
    words, first = run(encoder, source, lengths)
    return {"memory": at_words(words, lengths), "state": first}


@check(
    "one sentence alone, and one word alone, keep their dimensions",
    points=1,
    hidden=True,
    needs=(memory, state),
    draws=2,
    hint="B and S can be 1. squeeze() removes every dimension of size one, including those that have to stay.",
)
def alone(encoder_class, draw: Draw):
    """One sentence, of three words and of one."""
    encoder = built(encoder_class, draw)
    answers = {}
    for name, length in {"one sentence": 3, "one word": 1}.items():
        words, first = run(encoder, *sentences(draw, length))
        answers[name] = {"memory": words, "state": first}
    return answers


@check(
    "the gradient reaches every weight",
    points=1,
    hidden=True,
    needs=(memory, state, state_of_padded, memory_of_padded),
    draws=2,
    hint="Encoder and decoder are trained together: use only torch operations on the tensors themselves. detach, .data, .tolist() "
    "and no_grad cut off the gradient.",
)
def encoder_gradient(encoder_class, draw: Draw):
    """What comes back to every weight from the memory and the state of a padded batch."""
    encoder, (source, lengths) = built(encoder_class, draw), sentences(draw, 5, 3, 2)
    words, first = run(encoder, source, lengths)
    outer = draw.normal(3, 5, HIDDEN), draw.normal(1, 3, HIDDEN)
    ((at_words(words, lengths) * outer[0]).sum() + (first * outer[1]).sum()).backward()
    return weights.gradients(encoder, _SHAPES)
