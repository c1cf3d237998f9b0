"""What is asked of `Decoder`."""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks.ch03_seq2seq.probes import weights
from autograder.declare import probe
from autograder.draw import Draw
from autograder.probing import unpack

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


@torch.no_grad()
def logits_of(decoder, embedded: Tensor, state: Tensor) -> Tensor:
    """What layers with the student's weights make of embedded words (B, T, E), one after the other."""
    return scores_of(decoder, weights.gru_of(decoder, "rnn")(embedded, state)[0])


@torch.no_grad()
def scores_of(decoder, states: Tensor) -> Tensor:
    """What a linear layer with the student's weights makes of states."""
    return nn.functional.linear(states, decoder.output.weight, decoder.output.bias)


@probe("Decoder", draws=2)
def one_word(decoder_class, draw: Draw):
    """The logits after one word, from a state of zeros."""
    decoder = built(decoder_class, draw)
    tokens, zeros = draw.integers(0, VOCABULARY, 4, 1), torch.zeros(1, 4, HIDDEN)
    nothing = torch.zeros(4, 1, EMBEDDING)
    return {"logits": run(decoder, tokens, zeros)[0], "without a word": logits_of(decoder, nothing, zeros)}


@probe("Decoder", draws=2)
def first_state(decoder_class, draw: Draw):
    """The logits after one word, from a state that the encoder may have handed over."""
    decoder = built(decoder_class, draw)
    tokens, given = draw.integers(0, VOCABULARY, 4, 1), draw.normal(1, 4, HIDDEN)
    from_zeros = logits_of(decoder, weights.embedded(decoder, tokens), torch.zeros_like(given))
    return {"logits": run(decoder, tokens, given)[0], "from zeros": from_zeros}


@probe("Decoder", draws=2)
def words_in_turn(decoder_class, draw: Draw):
    """The logits of five words at once, from a state of zeros; and what other words would have given."""
    decoder = built(decoder_class, draw)
    tokens, zeros = draw.integers(0, VOCABULARY, 3, 5), torch.zeros(1, 3, HIDDEN)
    rnn, embedded = weights.gru_of(decoder, "rnn"), weights.embedded(decoder, tokens)
    own, word, state = [], tokens[:, :1], zeros
    with torch.no_grad():
        for _ in range(tokens.shape[1]):
            states, state = rnn(weights.embedded(decoder, word), state)
            own.append(scores_of(decoder, states))
            word = own[-1].argmax(dim=-1)
    first_alone = torch.cat([embedded[:, :1], torch.zeros_like(embedded[:, 1:])], dim=1)
    each = embedded.flatten(0, 1).unsqueeze(1)
    return {
        "logits": run(decoder, tokens, zeros)[0],
        "own words": torch.cat(own, dim=1),
        "the first word again": logits_of(decoder, embedded[:, :1].expand_as(embedded), zeros),
        "the first word alone": logits_of(decoder, first_alone, zeros),
        "each from zeros": logits_of(decoder, each, torch.zeros(1, 15, HIDDEN)).reshape(3, 5, VOCABULARY),
    }


@probe("Decoder", draws=2)
def last_state(decoder_class, draw: Draw):
    """The state that is handed back, from three sentences and from one."""
    answers = {}
    for name, batch in {"state": 3, "state of one sentence": 1}.items():
        decoder, tokens = built(decoder_class, draw), draw.integers(0, VOCABULARY, batch, 4)
        answers[name] = run(decoder, tokens, torch.zeros(1, batch, HIDDEN))[1]
    return answers


@probe("Decoder", draws=2)
def word_by_word(decoder_class, draw: Draw):
    """One sentence, a word at a time, as when translating."""
    decoder, state, logits = built(decoder_class, draw), draw.normal(1, 1, HIDDEN), []
    for word in draw.integers(0, VOCABULARY, 1, 4).split(1, dim=1):
        of_word, state = run(decoder, word, state)
        logits.append(of_word)
    return {"logits": logits}


@probe("Decoder", draws=2)
def decoder_gradient(decoder_class, draw: Draw):
    """What comes back to every weight and to the state that was given."""
    decoder = built(decoder_class, draw)
    tokens, given = draw.integers(0, VOCABULARY, 3, 4), draw.normal(1, 3, HIDDEN).requires_grad_()
    (run(decoder, tokens, given)[0] * draw.normal(3, 4, VOCABULARY)).sum().backward()
    return {"state": given.grad, **weights.gradients(decoder, _SHAPES)}
