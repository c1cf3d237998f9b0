"""What is asked of `AttentionDecoder`."""

from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, expect_weights, unpack

VOCABULARY, EMBEDDING, HIDDEN, MEMORY, SOURCE = 11, 5, 6, 6, 7


def built(decoder_class, draw: Draw, attention, *, alike: bool = False):
    """The student's decoder with drawn weights.

    With `alike`, the two halves of `combine` are the same, so that the order of context and state makes no difference.
    """
    decoder = decoder_class(VOCABULARY, EMBEDDING, HIDDEN, MEMORY, attention)
    shapes = {
        "embedding.weight": (VOCABULARY, EMBEDDING),
        "rnn.weight_ih_l0": (3 * HIDDEN, EMBEDDING),
        "rnn.weight_hh_l0": (3 * HIDDEN, HIDDEN),
        "rnn.bias_ih_l0": (3 * HIDDEN,),
        "rnn.bias_hh_l0": (3 * HIDDEN,),
        "combine.weight": (HIDDEN, MEMORY + HIDDEN),
        "combine.bias": (HIDDEN,),
        "output.weight": (VOCABULARY, HIDDEN),
        "output.bias": (VOCABULARY,),
    }
    expect_weights(decoder, shapes)
    drawn = {name: draw.normal(*shape, scale=0.5) for name, shape in shapes.items()}
    if alike:
        drawn["combine.weight"] = drawn["combine.weight"][:, :MEMORY].repeat(1, 2)
    decoder.load_state_dict(drawn, strict=False)
    return decoder


def run(decoder, tokens: Tensor, state: Tensor, memory: Tensor, mask: Tensor | None = None) -> tuple[Any, ...]:
    """The decoder's three results; without a mask nothing is masked."""
    batch, length = tokens.shape
    if mask is None:
        mask = torch.ones(batch, SOURCE, dtype=torch.bool)
    result = decoder(tokens, state, memory, mask)
    return unpack(result, logits=(batch, length, VOCABULARY), weights=(batch, length, SOURCE), state=(1, batch, HIDDEN))


def sentences(draw: Draw, batch: int, length: int) -> tuple[Tensor, Tensor, Tensor]:
    """Tokens, a first state of zeros, and a memory."""
    tokens = draw.integers(0, VOCABULARY, batch, length)
    return tokens, torch.zeros(1, batch, HIDDEN), draw.normal(batch, SOURCE, MEMORY)


def states_of(decoder, tokens: Tensor, state: Tensor) -> Tensor:
    """What the GRU makes of the tokens."""
    with torch.no_grad():
        return decoder.rnn(decoder.embedding(tokens), state)[0]


def looks_at_first(query: Tensor, memory: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """An attention that takes the first position for every query, and shows the query in its weights alone."""
    _, weights = shows_its_query(query, memory)
    return memory[:, :1].expand(-1, query.shape[1], -1).clone(), weights


def shows_its_query(query: Tensor, memory: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """An attention whose weights are those of the query's first numbers."""
    _look_at_query(query, memory)
    weights = torch.sin(query[..., :1] + memory[..., :1].transpose(1, 2))
    return weights @ memory, weights


def shows_its_mask(query: Tensor, memory: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """An attention whose weights depend on memory and mask, not on the query."""
    _look_at_query(query, memory)
    batch, length, _ = query.shape
    if not isinstance(mask, Tensor):
        raise MisuseError(f"the mask passed to the attention is {kind_of(mask)}, expected one of shape (B, 1, S)")
    if mask.dtype != torch.bool or tuple(mask.shape) not in ((batch, 1, SOURCE), (batch, length, SOURCE)):
        raise MisuseError(
            f"the mask passed to the attention is {kind_of(mask)}, expected a bool tensor of shape (B, 1, S), here "
            f"({batch}, 1, {SOURCE})"
        )
    weights = torch.where(mask, memory[..., :1].transpose(1, 2), -2.0).expand(-1, length, -1).clone()
    return weights @ memory, weights


def _look_at_query(query: Tensor, memory: Tensor) -> None:
    if not isinstance(query, Tensor) or query.dim() != 3:
        raise MisuseError(f"the queries passed to the attention are {kind_of(query)}, expected (B, T, H)")
    if not isinstance(memory, Tensor) or memory.dim() != 3 or memory.shape[1] != SOURCE:
        raise MisuseError(
            f"the memory passed to attention(queries, memory, mask) is {kind_of(memory)}, expected (B, S, M), here with "
            f"S = {SOURCE}"
        )


@probe("AttentionDecoder", draws=2)
def combined(decoder_class, draw: Draw):
    """The logits, with an attention that does not depend on the query."""
    decoder = built(decoder_class, draw, looks_at_first)
    tokens, state, memory = sentences(draw, 2, 3)
    logits, _, _ = run(decoder, tokens, state, memory)
    return {
        "logits": logits,
        "states": states_of(decoder, tokens, state),
        "context": memory[:, :1].expand(-1, 3, -1),
        "combine": [decoder.combine.weight, decoder.combine.bias],
        "output": [decoder.output.weight, decoder.output.bias],
    }


@probe("AttentionDecoder", draws=2)
def given_state(decoder_class, draw: Draw):
    """A first state that is not zero, to be seen in the logits and in the weights: a mistake in one leaves the other."""
    decoder = built(decoder_class, draw, looks_at_first, alike=True)
    tokens, zeros, memory = sentences(draw, 2, 3)
    state = draw.normal(1, 2, HIDDEN)
    logits, weights, _ = run(decoder, tokens, state, memory)
    return {"logits": logits, "weights": weights, "from_zeros": run(decoder, tokens, zeros, memory)[0]}


@probe("AttentionDecoder", draws=2)
def queried(decoder_class, draw: Draw):
    """The weights, with an attention that shows which state it was asked with."""
    decoder = built(decoder_class, draw, shows_its_query)
    tokens, state, memory = sentences(draw, 3, 4)
    _, weights, _ = run(decoder, tokens, state, memory)
    return {"weights": weights, "states": states_of(decoder, tokens, state), "memory": memory}


@probe("AttentionDecoder", draws=2)
def decoder_mask(decoder_class, draw: Draw):
    """The weights, with an attention that shows its mask."""
    decoder = built(decoder_class, draw, shows_its_mask)
    tokens, state, memory = sentences(draw, 3, 2)
    mask = draw.padding_mask(3, SOURCE)
    _, weights, _ = run(decoder, tokens, state, memory, mask.clone())
    return {"weights": weights, "mask": mask, "memory": memory}


@probe("AttentionDecoder", draws=2)
def last_state(decoder_class, draw: Draw):
    """The state that is handed back, from three sentences and from one."""
    _, _, state = run(built(decoder_class, draw, looks_at_first), *sentences(draw, 3, 4))
    _, _, of_one = run(built(decoder_class, draw, looks_at_first), *sentences(draw, 1, 4))
    return {"state": state, "state of one sentence": of_one}


@probe("AttentionDecoder", draws=2)
def word_by_word(decoder_class, draw: Draw):
    """One sentence decoded a word at a time, as when translating; its states can be seen in two results, as above."""
    decoder = built(decoder_class, draw, looks_at_first, alike=True)
    tokens, _, memory = sentences(draw, 1, 3)
    state, logits, weights = draw.normal(1, 1, HIDDEN), [], []
    for word in tokens.split(1, dim=1):
        of_word, look, state = run(decoder, word, state, memory)
        logits.append(of_word)
        weights.append(look)
    return {"logits": logits, "weights": weights}


@probe("AttentionDecoder", draws=2)
def decoder_gradient(decoder_class, draw: Draw):
    """What comes back to every weight and to the memory; to `combine`, added up over its halves, which are alike."""
    decoder = built(decoder_class, draw, shows_its_query, alike=True)
    tokens, state, memory = sentences(draw, 2, 3)
    memory.requires_grad_()
    logits, _, _ = run(decoder, tokens, state, memory)
    (logits * draw.normal(2, 3, VOCABULARY)).sum().backward()
    layers = {"embedding": decoder.embedding, "rnn": decoder.rnn, "combine": decoder.combine, "output": decoder.output}
    of_layers = {name: [weight.grad for weight in layer.parameters()] for name, layer in layers.items()}
    if decoder.combine.weight.grad is not None:
        of_layers["combine"][0] = decoder.combine.weight.grad.view(HIDDEN, 2, MEMORY).sum(dim=1)
    return {"memory": memory.grad, **of_layers}
