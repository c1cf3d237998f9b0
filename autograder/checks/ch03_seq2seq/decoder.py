"""The checks of `Decoder`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import unpack
from autograder.asking.usage import Use, in_use, weigh
from autograder.checks.ch03_seq2seq import inputs, weights
from autograder.declare import Exercise, check
from autograder.judging.compare import is_close

EXERCISE = Exercise("Decoder", "the next word from the hidden state", minutes=10, difficulty=1)


@in_use()
def in_chapter(decoder_class, draw: Draw) -> Use:
    """Padded sentences, as in training; then a single word, as in translating."""
    module = weigh(decoder_class(inputs.WORDS, inputs.EMBEDDING, inputs.HIDDEN), draw)

    def given(*lengths: int) -> tuple[Tensor, Tensor]:
        return inputs.sentences(draw, *lengths)[0], draw.state(1, len(lengths), inputs.HIDDEN)

    return Use(module, given(9, 30, 1), given(1), last=given(1))


VOCABULARY, EMBEDDING, HIDDEN = 11, 5, 6


_SHAPES = {
    "embedding.weight": (VOCABULARY, EMBEDDING),
    **weights.of_gru("rnn", EMBEDDING, HIDDEN),
    **weights.of_linear("output", HIDDEN, VOCABULARY),
}


def built(decoder_class, draw: Draw) -> Any:
    """The student's decoder with drawn weights."""
    return weights.with_drawn_weights(decoder_class(VOCABULARY, EMBEDDING, HIDDEN), _SHAPES, draw)


def run(decoder, tokens: Tensor, state: Tensor) -> tuple[Any, Any]:
    """The decoder's two results."""
    batch, length = tokens.shape
    result = decoder(tokens, state.clone())
    logits, last = unpack(result, logits=(batch, length, VOCABULARY), state=(1, batch, HIDDEN))
    return logits, last


@check(
    "a word is embedded, goes through the GRU, and comes out as logits",
    points=1,
    draws=2,
    hint="Three layers, one after the other: embedding, rnn, output. Return two things: the logits of all positions, then the last state.",
)
def one_word(decoder_class, draw: Draw):
    """The logits after one word, from a state of zeros."""
    decoder = built(decoder_class, draw)
    tokens, zeros = draw.integers(1, VOCABULARY, 4, 1), torch.zeros(1, 4, HIDDEN)
    return {"logits": run(decoder, tokens, zeros)[0]}


@one_word.explain
def whatever_is_read(got, want):
    """Other words give other logits."""
    logits = got["logits"]
    return "the logits are the same whatever word is read" if is_close(logits, logits[:1].expand_as(logits)) else None


@check(
    "the GRU starts from the encoder's state",
    points=2,
    needs=one_word,
    draws=2,
    hint="The decoder gets its information about the source from the given state only. The GRU takes it as its second argument; without it, "
    "it starts from zeros.",
)
def first_state(decoder_class, draw: Draw):
    """The logits after one word, from a state that the encoder may have handed over."""
    decoder = built(decoder_class, draw)
    tokens, given = draw.integers(1, VOCABULARY, 4, 1), draw.normal(1, 4, HIDDEN)
    return {"logits": run(decoder, tokens, given)[0]}


@check(
    "with several words, each is read at its own position",
    points=1,
    needs=one_word,
    draws=2,
    hint="In training all input words are given: at position t the decoder reads tokens[:, t], whatever it would have written "
    "itself. A GRU processes all of them in one call.",
)
def words_in_turn(decoder_class, draw: Draw):
    """The logits of five words at once, 0 among them, from a state of zeros."""
    decoder = built(decoder_class, draw)
    tokens, zeros = draw.integers(0, VOCABULARY, 3, 5), torch.zeros(1, 3, HIDDEN)
    tokens[1, 2] = 0
    return {"logits": run(decoder, tokens, zeros)[0]}


@check(
    "the state after the last word is returned",
    points=1,
    needs=(one_word, words_in_turn),
    draws=2,
    hint="The second result is the GRU's last state, (1, B, H): the next call starts from it.",
)
def last_state(decoder_class, draw: Draw):
    """The state that is handed back, from three sentences, from one, and from three words alone."""
    answers = {}
    for name, (batch, words) in {
        "state": (3, 4),
        "state of one sentence": (1, 4),
        "state after a single word": (3, 1),
    }.items():
        decoder, tokens = built(decoder_class, draw), draw.integers(0, VOCABULARY, batch, words)
        answers[name] = run(decoder, tokens, torch.zeros(1, batch, HIDDEN))[1]
    return answers


@check(
    "a sentence can be decoded word by word",
    points=1,
    hidden=True,
    needs=(one_word, first_state, last_state),
    draws=2,
    hint="In decoding, B and T may be 1, and each call starts from the state that the previous call returned. Keep dimensions of size one, "
    "and do not store anything in self from one call to the next.",
)
def word_by_word(decoder_class, draw: Draw):
    """One sentence, a word at a time, as when translating."""
    decoder, state, logits = built(decoder_class, draw), draw.normal(1, 1, HIDDEN), []
    for word in draw.integers(0, VOCABULARY, 1, 4).split(1, dim=1):
        of_word, state = run(decoder, word, state)
        logits.append(of_word)
    return {"logits": logits}


@check(
    "the gradient reaches every weight and the encoder's state",
    points=1,
    hidden=True,
    needs=(one_word, first_state, words_in_turn),
    draws=2,
    hint="The encoder learns through the state: without a gradient there, it would keep its initial weights. Use only torch operations "
    "on the tensors themselves: detach, .data and no_grad cut off the gradient.",
)
def decoder_gradient(decoder_class, draw: Draw):
    """What comes back to every weight and to the state that was given."""
    decoder = built(decoder_class, draw)
    tokens, given = draw.integers(0, VOCABULARY, 3, 4), draw.normal(1, 3, HIDDEN).requires_grad_()
    (run(decoder, tokens, given)[0] * draw.normal(3, 4, VOCABULARY)).sum().backward()
    return {"state": given.grad, **weights.gradients(decoder, _SHAPES)}
