"""The probes of chapter 4: what is asked of a student's code. They hold no answers.

An exercise that builds on another is given a stand-in for it: fixed, of the right shapes, and not the right function. A
stand-in tells the student when it is called otherwise than the exercise promises.
"""

from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, unpack


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
    """One row has no place to attend to, and the others are whole."""
    scores, mask = draw.normal(2, 3, 5), torch.ones(2, 3, 5, dtype=torch.bool)
    mask[1, 2] = False
    return {"weights": masked_softmax(scores.clone(), mask.clone())}


@probe("masked_softmax")
def broadcast(masked_softmax, draw: Draw):
    """One mask for all the queries of a sentence."""
    return {"weights": masked_softmax(draw.normal(3, 4, 6), draw.padding_mask(3, 6).unsqueeze(1))}


@probe("masked_softmax")
def any_dimensions(masked_softmax, draw: Draw):
    """One row alone, a batch of one, and four dimensions."""
    shapes = {"one row": (5,), "a batch of one": (1, 1, 5), "four dimensions": (2, 2, 3, 5)}
    return {name: masked_softmax(draw.normal(*shape), draw.mask(*shape)) for name, shape in shapes.items()}


@probe("masked_softmax")
def half_precision(masked_softmax, draw: Draw):
    """Half precision holds no number beyond 65504."""
    return {"weights": masked_softmax(draw.normal(2, 3, 5, dtype=torch.float16), draw.mask(2, 3, 5))}


@probe("masked_softmax")
def far_from_zero(masked_softmax, draw: Draw):
    """Rows of scores far below and far above zero, whose masked places stand above the rest."""
    mask = draw.mask(2, 3, 5)
    away = draw.integers(2, 5, 2, 3, 1) * 10_000.0
    away[0] *= -1
    return {"weights": masked_softmax(draw.normal(2, 3, 5) + away + 1_000.0 * ~mask, mask)}


@probe("masked_softmax")
def gradient(masked_softmax, draw: Draw):
    """What comes back to the scores, with an empty row among them."""
    leaf, mask, outer = draw.normal(2, 3, 5).requires_grad_(), draw.mask(2, 3, 5), draw.normal(2, 3, 5)
    mask[0, 1] = False
    scores = leaf * 1  # No leaf, so that a change in place is not an error: another check looks for that.
    (masked_softmax(scores, mask) * outer).sum().backward()
    return {"gradient": leaf.grad}


@probe("masked_softmax")
def arguments(masked_softmax, draw: Draw):
    """The arguments as they are after the call."""
    scores, mask = draw.normal(2, 3, 5), draw.mask(2, 3, 5)
    weights = masked_softmax(scores, mask)
    return {"weights": weights, "scores": scores, "mask": mask}


def stand_in_scores(query: Tensor, key: Tensor) -> Tensor:
    """In place of a score function: `(B, T, S)` from the first numbers of each vector."""
    return torch.sin(query[..., :1] * 2 + key[..., :1].transpose(-2, -1)) + key[..., 1:2].transpose(-2, -1)


def scores_of_queries(query: Tensor, key: Tensor) -> Tensor:
    """In place of a score function where the score path is not the question: it asks the queries alone."""
    return torch.sin(query[..., :1] * torch.arange(1, key.shape[-2] + 1))


def stand_in_softmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """In place of `masked_softmax`: its rows need not sum to one."""
    _look_at_scores(scores)
    if not isinstance(mask, Tensor):
        raise MisuseError(f"the mask that masked_softmax was given is {kind_of(mask)}, expected the mask as it came")
    if (
        mask.dtype != torch.bool
        or mask.shape[-1:] != scores.shape[-1:]
        or mask.shape[-2:-1] not in ((1,), scores.shape[-2:-1])
    ):
        raise MisuseError(
            f"masked_softmax was given scores of shape {tuple(scores.shape)} and for their mask {kind_of(mask)}: "
            "hand the mask on as it came"
        )
    return torch.sigmoid(scores) * mask


def softmax_without_mask(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """In place of `masked_softmax` where the mask is not the question."""
    _look_at_scores(scores)
    return torch.sigmoid(scores)


def scores_as_weights(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """In place of `masked_softmax` where the sum is the question."""
    _look_at_scores(scores)
    return scores


_POSITIONS = 5


def _look_at_scores(scores: Tensor) -> None:
    if not isinstance(scores, Tensor) or not scores.is_floating_point() or scores.shape[-1:] != (_POSITIONS,):
        raise MisuseError(
            f"the scores that masked_softmax was given are {kind_of(scores)}, expected the (B, T, S) that "
            f"score(query, key) gives, here with S = {_POSITIONS}; the mask comes second"
        )


@probe("attend")
def one_position(attend, draw: Draw):
    """One query and a memory of one position: the weights have nothing to choose between."""
    query, key, value = draw.normal(2, 1, 4), draw.normal(2, 1, 4), draw.normal(2, 1, 4)
    mask = torch.ones(2, 1, 1, dtype=torch.bool)
    result = attend(query, key, value, mask, _one_score, _whole_weight)
    context, _ = unpack(result, context=(2, 1, 4), weights=(2, 1, 1))
    return {"context": _in_shape(context, 2, 1, 4), "query": query, "key": key}


def _one_score(query: Tensor, key: Tensor) -> Tensor:
    return torch.ones(*query.shape[:-1], 1)


def _whole_weight(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    return torch.ones(scores.shape)


def _in_shape(tensor, *shape: int):
    """The tensor in this shape if it has as many numbers: a lost dimension is another check's business."""
    same = isinstance(tensor, Tensor) and tensor.numel() == torch.Size(shape).numel()
    return tensor.reshape(shape) if same else tensor


@probe("attend")
def weights(attend, draw: Draw):
    """The weights alone, with nothing masked, and as many queries as positions: any product of matrices goes through."""
    query, key, value = draw.normal(2, _POSITIONS, 4), draw.normal(2, _POSITIONS, 4), draw.normal(2, _POSITIONS, 7)
    mask = torch.ones(2, 1, _POSITIONS, dtype=torch.bool)
    result = attend(query, key, value, mask, stand_in_scores, softmax_without_mask)
    _, weights = unpack(result, context=(2, _POSITIONS, 7), weights=(2, _POSITIONS, _POSITIONS))
    return {"weights": weights, "scores": stand_in_scores(query, key), "swapped": stand_in_scores(key, query)}


@probe("attend")
def weighted_sum(attend, draw: Draw):
    """The context, with weights that do not depend on the score path."""
    query, key, value = draw.normal(2, 3, 4), draw.normal(2, _POSITIONS, 4), draw.normal(2, _POSITIONS, 4)
    mask = torch.ones(2, 1, _POSITIONS, dtype=torch.bool)
    result = attend(query, key, value, mask, scores_of_queries, scores_as_weights)
    context, _ = unpack(result, context=(2, 3, 4), weights=(2, 3, _POSITIONS))
    return {"context": context, "weights": scores_of_queries(query, key), "value": value}


@probe("attend")
def masked(attend, draw: Draw):
    """A mask that changes the weights, and as many queries as positions."""
    query, key, value = draw.normal(3, _POSITIONS, 4), draw.normal(3, _POSITIONS, 4), draw.normal(3, _POSITIONS, 7)
    mask = draw.padding_mask(3, _POSITIONS).unsqueeze(1)
    result = attend(query, key, value, mask.clone(), scores_of_queries, stand_in_softmax)
    _, weights = unpack(result, context=(3, _POSITIONS, 7), weights=(3, _POSITIONS, _POSITIONS))
    return {"weights": weights, "unmasked": torch.sigmoid(scores_of_queries(query, key)), "mask": mask}


@probe("attend")
def mask_per_query(attend, draw: Draw):
    """Another mask for every query."""
    query, key, value = draw.normal(2, 3, 4), draw.normal(2, _POSITIONS, 6), draw.normal(2, _POSITIONS, 7)
    result = attend(query, key, value, draw.mask(2, 3, _POSITIONS), scores_of_queries, stand_in_softmax)
    context, weights = unpack(result, context=(2, 3, 7), weights=(2, 3, _POSITIONS))
    return {"context": context, "weights": weights}


@probe("attend")
def alone(attend, draw: Draw):
    """A batch of one with one query, as when translating."""
    query, key, value = draw.normal(1, 1, 4), draw.normal(1, _POSITIONS, 6), draw.normal(1, _POSITIONS, 7)
    result = attend(query, key, value, draw.mask(1, 1, _POSITIONS), scores_of_queries, stand_in_softmax)
    context, weights = unpack(result, context=(1, 1, 7), weights=(1, 1, _POSITIONS))
    return {"context": context, "weights": weights}


@probe("attend")
def attend_gradient(attend, draw: Draw):
    """What comes back to query, key and value."""
    query, key, value = draw.normal(2, 3, 4), draw.normal(2, _POSITIONS, 4), draw.normal(2, _POSITIONS, 4)
    for tensor in (query, key, value):
        tensor.requires_grad_()
    mask = draw.padding_mask(2, _POSITIONS).unsqueeze(1)
    result = attend(query, key, value, mask, stand_in_scores, stand_in_softmax)
    context, _ = unpack(result, context=(2, 3, 4), weights=(2, 3, _POSITIONS))
    (context * draw.normal(2, 3, 4)).sum().backward()
    return {"query": query.grad, "key": key.grad, "value": value.grad}


VOCABULARY, EMBEDDING, HIDDEN, MEMORY, SOURCE = 11, 5, 6, 6, 7


def built(decoder_class, draw: Draw, attention):
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
    own = dict(decoder.named_parameters())
    wrong = [name for name, shape in shapes.items() if name not in own or own[name].shape != shape]
    if wrong:
        raise MisuseError(
            f"its layers are not those that __init__ was given with: {wrong[0]} is missing or has another shape than "
            f"{shapes[wrong[0]]}. Leave __init__ as it was and write forward"
        )
    drawn = {name: draw.normal(*shape, scale=0.5) for name, shape in shapes.items()}
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
    """An attention that takes the first position for every query."""
    _look_at_query(query, memory)
    batch, length, _ = query.shape
    return memory[:, :1].expand(-1, length, -1), torch.zeros(batch, length, SOURCE)


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
        raise MisuseError(f"the mask that the attention was given is {kind_of(mask)}, expected one of shape (B, 1, S)")
    if mask.dtype != torch.bool or tuple(mask.shape) not in ((batch, 1, SOURCE), (batch, length, SOURCE)):
        raise MisuseError(
            f"the mask that the attention was given is {kind_of(mask)}, expected a bool tensor of shape (B, 1, S), "
            f"here ({batch}, 1, {SOURCE})"
        )
    weights = torch.where(mask, memory[..., :1].transpose(1, 2), -2.0).expand(-1, length, -1)
    return weights @ memory, weights


def _look_at_query(query: Tensor, memory: Tensor) -> None:
    if not isinstance(query, Tensor) or query.dim() != 3:
        raise MisuseError(f"the queries that the attention was given are {kind_of(query)}, expected (B, T, H)")
    if not isinstance(memory, Tensor) or memory.dim() != 3 or memory.shape[1] != SOURCE:
        raise MisuseError(
            f"attention(queries, memory, mask) was given for its memory {kind_of(memory)}, expected (B, S, M), "
            f"here with S = {SOURCE}"
        )


@probe("AttentionDecoder")
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


@probe("AttentionDecoder")
def given_state(decoder_class, draw: Draw):
    """The logits from a first state that is not zero."""
    decoder = built(decoder_class, draw, looks_at_first)
    tokens, zeros, memory = sentences(draw, 2, 3)
    state = draw.normal(1, 2, HIDDEN)
    logits, _, _ = run(decoder, tokens, state, memory)
    return {"logits": logits, "from_zeros": run(decoder, tokens, zeros, memory)[0]}


@probe("AttentionDecoder")
def queried(decoder_class, draw: Draw):
    """The weights, with an attention that shows which state it was asked with."""
    decoder = built(decoder_class, draw, shows_its_query)
    tokens, state, memory = sentences(draw, 3, 4)
    _, weights, _ = run(decoder, tokens, state, memory)
    return {"weights": weights, "states": states_of(decoder, tokens, state), "memory": memory}


@probe("AttentionDecoder")
def decoder_mask(decoder_class, draw: Draw):
    """The weights, with an attention that shows its mask."""
    decoder = built(decoder_class, draw, shows_its_mask)
    tokens, state, memory = sentences(draw, 3, 2)
    mask = draw.padding_mask(3, SOURCE)
    _, weights, _ = run(decoder, tokens, state, memory, mask.clone())
    return {"weights": weights, "mask": mask, "memory": memory}


@probe("AttentionDecoder")
def last_state(decoder_class, draw: Draw):
    """The state that is handed back, from three sentences and from one."""
    _, _, state = run(built(decoder_class, draw, looks_at_first), *sentences(draw, 3, 4))
    _, _, of_one = run(built(decoder_class, draw, looks_at_first), *sentences(draw, 1, 4))
    return {"state": state, "state of one sentence": of_one}


@probe("AttentionDecoder")
def word_by_word(decoder_class, draw: Draw):
    """One sentence decoded a word at a time, as when translating."""
    decoder = built(decoder_class, draw, shows_its_query)
    tokens, _, memory = sentences(draw, 1, 3)
    state, logits = draw.normal(1, 1, HIDDEN), []
    for word in tokens.split(1, dim=1):
        of_word, _, state = run(decoder, word, state, memory)
        logits.append(of_word)
    return {"logits": logits}


@probe("AttentionDecoder")
def decoder_gradient(decoder_class, draw: Draw):
    """What comes back to every weight and to the memory."""
    decoder = built(decoder_class, draw, shows_its_query)
    tokens, state, memory = sentences(draw, 2, 3)
    memory.requires_grad_()
    logits, _, _ = run(decoder, tokens, state, memory)
    (logits * draw.normal(2, 3, VOCABULARY)).sum().backward()
    layers = {"embedding": decoder.embedding, "rnn": decoder.rnn, "combine": decoder.combine, "output": decoder.output}
    of_layers = {name: [weight.grad for weight in layer.parameters()] for name, layer in layers.items()}
    return {"memory": memory.grad, **of_layers}
