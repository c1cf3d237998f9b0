"""The probes of chapter 4: what is asked of a student's code. They hold no answers.

An exercise that builds on another is given a stand-in for it: fixed, of the right shapes, and not the right function.
"""

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw


@probe("masked_softmax")
def nothing_masked(masked_softmax, draw: Draw):
    """Every place may be attended: this is the softmax alone."""
    scores = draw.normal(2, 3, 5)
    weights = masked_softmax(scores.clone(), torch.ones(2, 3, 5, dtype=torch.bool))
    return {"weights": weights, "scores": scores}


@probe("masked_softmax")
def padding(masked_softmax, draw: Draw):
    """Some places are masked, none of the rows wholly."""
    scores, mask = draw.normal(3, 4, 6), draw.mask(3, 4, 6)
    return {"weights": masked_softmax(scores.clone(), mask.clone()), "scores": scores, "mask": mask}


@probe("masked_softmax")
def empty_row(masked_softmax, draw: Draw):
    """One row has no place to attend to."""
    scores, mask = draw.normal(2, 3, 5), draw.mask(2, 3, 5)
    mask[1, 2] = False
    return {"weights": masked_softmax(scores.clone(), mask.clone())}


@probe("masked_softmax")
def broadcast(masked_softmax, draw: Draw):
    """One mask for all the queries of a sentence."""
    return {"weights": masked_softmax(draw.normal(3, 4, 6), draw.padding_mask(3, 6).unsqueeze(1))}


@probe("masked_softmax")
def half_precision(masked_softmax, draw: Draw):
    """Half precision holds no number beyond 65504."""
    mask = draw.mask(2, 3, 5)
    mask[0, 0] = False
    return {"weights": masked_softmax(draw.normal(2, 3, 5, dtype=torch.float16), mask)}


@probe("masked_softmax")
def very_negative(masked_softmax, draw: Draw):
    """All scores lie far below zero, where a fixed small number would stand above them."""
    return {"weights": masked_softmax(draw.normal(2, 3, 5, dtype=torch.float64) - 1e5, draw.mask(2, 3, 5))}


@probe("masked_softmax")
def gradient(masked_softmax, draw: Draw):
    """What comes back to the scores, with an empty row among them."""
    scores, mask, outer = draw.normal(2, 3, 5), draw.mask(2, 3, 5), draw.normal(2, 3, 5)
    mask[0, 1] = False
    scores.requires_grad_()
    (masked_softmax(scores, mask) * outer).sum().backward()
    return {"gradient": scores.grad}


@probe("masked_softmax")
def arguments(masked_softmax, draw: Draw):
    """The arguments as they are after the call."""
    scores, mask = draw.normal(2, 3, 5), draw.mask(2, 3, 5)
    weights = masked_softmax(scores, mask).clone()
    return {"weights": weights, "scores": scores, "mask": mask}


def stand_in_scores(query: Tensor, key: Tensor) -> Tensor:
    """In place of a score function: `(B, T, S)` from the first numbers of each vector."""
    return torch.sin(query[..., :1] * 2 + key[..., :1].transpose(1, 2)) + key[..., 1:2].transpose(1, 2)


def stand_in_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """In place of `masked_softmax`: its rows need not sum to one."""
    return torch.sigmoid(scores) * torch.where(mask, 1.0, -0.5)


@probe("attend")
def one_position(attend, draw: Draw):
    """A memory of one position: the weights have nothing to choose between."""
    query, key, value = draw.normal(2, 3, 4), draw.normal(2, 1, 4), draw.normal(2, 1, 4)
    context, _ = attend(query, key, value, torch.ones(2, 1, 1, dtype=torch.bool), stand_in_scores, _all_alike)
    return {"context": context, "key": key}


def _all_alike(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.ones_like(scores) / scores.shape[-1]


@probe("attend")
def weights(attend, draw: Draw):
    """The weights alone."""
    query, key, value = draw.normal(2, 3, 4), draw.normal(2, 5, 6), draw.normal(2, 5, 7)
    mask = torch.ones(2, 1, 5, dtype=torch.bool)
    _, weights = attend(query, key, value, mask, stand_in_scores, stand_in_softmax)
    return {"weights": weights, "scores": stand_in_scores(query, key)}


@probe("attend")
def weighted_sum(attend, draw: Draw):
    """The context from weights that are given."""
    query, key, value = draw.normal(2, 3, 4), draw.normal(2, 5, 4), draw.normal(2, 5, 4)
    given = draw.normal(2, 3, 5)
    mask = torch.ones(2, 1, 5, dtype=torch.bool)
    context, _ = attend(query, key, value, mask, stand_in_scores, lambda scores, mask: given)
    return {"context": context, "of_keys": given @ key}


@probe("attend")
def masked(attend, draw: Draw):
    """A mask that changes the weights."""
    query, key, value = draw.normal(3, 2, 4), draw.normal(3, 5, 6), draw.normal(3, 5, 7)
    mask = draw.padding_mask(3, 5).unsqueeze(1)
    _, weights = attend(query, key, value, mask, stand_in_scores, stand_in_softmax)
    _, unmasked = attend(query, key, value, torch.ones_like(mask), stand_in_scores, stand_in_softmax)
    return {"weights": weights, "unmasked": unmasked}


@probe("attend")
def mask_per_query(attend, draw: Draw):
    """Another mask for every query, in a batch of one."""
    query, key, value = draw.normal(1, 4, 3), draw.normal(1, 4, 2), draw.normal(1, 4, 5)
    context, weights = attend(query, key, value, draw.mask(1, 4, 4), stand_in_scores, stand_in_softmax)
    return {"context": context, "weights": weights}


@probe("attend")
def attend_gradient(attend, draw: Draw):
    """What comes back to query, key and value."""
    query, key, value = draw.normal(2, 3, 4), draw.normal(2, 5, 4), draw.normal(2, 5, 4)
    for tensor in (query, key, value):
        tensor.requires_grad_()
    mask = draw.padding_mask(2, 5).unsqueeze(1)
    context, _ = attend(query, key, value, mask, stand_in_scores, stand_in_softmax)
    (context * draw.normal(2, 3, 4)).sum().backward()
    return {"query": query.grad, "key": key.grad, "value": value.grad}


VOCABULARY, EMBEDDING, HIDDEN, MEMORY = 11, 5, 6, 6


def built(decoder_class, draw: Draw, attention) -> torch.nn.Module:
    """The student's decoder with drawn weights."""
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
    decoder.load_state_dict({name: draw.normal(*shape, scale=0.5) for name, shape in shapes.items()})
    return decoder


def inputs(draw: Draw, batch: int, length: int, source: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Tokens, first state, memory and a mask that hides nothing."""
    tokens = draw.integers(0, VOCABULARY, batch, length)
    state, memory = draw.normal(1, batch, HIDDEN), draw.normal(batch, source, MEMORY)
    return tokens, state, memory, torch.ones(batch, source, dtype=torch.bool)


def looks_at_first(query: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """An attention that takes the first position for every query."""
    context = memory[:, :1].expand(-1, query.shape[1], -1)
    return context, torch.zeros(query.shape[0], query.shape[1], memory.shape[1])


def shows_its_query(query: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """An attention whose weights are those of the query's first numbers."""
    weights = torch.sin(query[..., :1] + memory[..., :1].transpose(1, 2))
    return weights @ memory, weights


def shows_its_mask(query: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """An attention whose weights depend on memory and mask, not on the query."""
    weights = torch.where(mask, memory[..., :1].transpose(1, 2), -2.0).expand(-1, query.shape[1], -1)
    return weights @ memory, weights


@probe("AttentionDecoder")
def combined(decoder_class, draw: Draw):
    """The logits, with an attention that does not depend on the query."""
    decoder = built(decoder_class, draw, looks_at_first)
    tokens, state, memory, mask = inputs(draw, 2, 3, 4)
    logits, _, _ = decoder(tokens, state, memory, mask)
    return {"logits": logits, "swapped": _with_halves_swapped(decoder, tokens, state, memory, mask)}


def _with_halves_swapped(decoder, tokens, state, memory, mask) -> Tensor:
    """The logits that come of the other order in front of `combine`."""
    weight = decoder.combine.weight
    context_part, state_part = weight[:, :MEMORY], weight[:, MEMORY:]
    with torch.no_grad():
        decoder.combine.weight.copy_(torch.cat([state_part, context_part], dim=1).clone())
        return decoder(tokens, state, memory, mask)[0]


@probe("AttentionDecoder")
def queried(decoder_class, draw: Draw):
    """The weights, with an attention that shows which state it was asked with."""
    decoder = built(decoder_class, draw, shows_its_query)
    tokens, state, memory, mask = inputs(draw, 3, 4, 5)
    _, weights, _ = decoder(tokens, state, memory, mask)
    states, _ = decoder.rnn(decoder.embedding(tokens), state)
    before = torch.cat([state.transpose(0, 1), states[:, :-1]], dim=1)
    return {"weights": weights, "of_the_state_before": shows_its_query(before, memory, mask)[1]}


@probe("AttentionDecoder")
def decoder_mask(decoder_class, draw: Draw):
    """The weights, with an attention that shows its mask."""
    decoder = built(decoder_class, draw, shows_its_mask)
    tokens, state, memory, _ = inputs(draw, 3, 2, 5)
    _, weights, _ = decoder(tokens, state, memory, draw.padding_mask(3, 5))
    return {"weights": weights}


@probe("AttentionDecoder")
def last_state(decoder_class, draw: Draw):
    """The state that is handed back, in a batch of one."""
    decoder = built(decoder_class, draw, looks_at_first)
    _, _, state = decoder(*inputs(draw, 1, 4, 5))
    return {"state": state}


@probe("AttentionDecoder")
def word_by_word(decoder_class, draw: Draw):
    """A sentence decoded in two pieces, as when translating."""
    decoder = built(decoder_class, draw, shows_its_query)
    tokens, state, memory, _ = inputs(draw, 2, 5, 4)
    mask = draw.padding_mask(2, 4)
    first, _, state = decoder(tokens[:, :2], state, memory, mask)
    second, _, _ = decoder(tokens[:, 2:], state, memory, mask)
    return {"logits": torch.cat([first, second], dim=1)}


@probe("AttentionDecoder")
def decoder_gradient(decoder_class, draw: Draw):
    """What comes back to every weight and to the memory."""
    decoder = built(decoder_class, draw, shows_its_query)
    tokens, state, memory, mask = inputs(draw, 2, 3, 4)
    memory.requires_grad_()
    logits, _, _ = decoder(tokens, state, memory, mask)
    (logits * draw.normal(2, 3, VOCABULARY)).sum().backward()
    return {"memory": memory.grad, **{name: weight.grad for name, weight in decoder.named_parameters()}}
