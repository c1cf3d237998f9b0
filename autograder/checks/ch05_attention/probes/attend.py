"""What is asked of `attend`."""

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, in_shape, unpack


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
        raise MisuseError(f"the mask passed to masked_softmax is {kind_of(mask)}, expected the mask as it was given")
    if (
        mask.dtype != torch.bool
        or mask.shape[-1:] != scores.shape[-1:]
        or mask.shape[-2:-1] not in ((1,), scores.shape[-2:-1])
    ):
        raise MisuseError(
            f"masked_softmax was given scores of shape {tuple(scores.shape)} and a mask that is {kind_of(mask)}: pass "
            "on the mask as it was given"
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
            f"the scores passed to masked_softmax are {kind_of(scores)}, expected the scores (B, T, S) that "
            f"score(query, key) returns, here with S = {_POSITIONS}; the mask comes second"
        )


@probe("attend")
def one_position(attend, draw: Draw):
    """One query and a memory of one position: the weights have nothing to choose between."""
    query, key, value = draw.normal(2, 1, 4), draw.normal(2, 1, 4), draw.normal(2, 1, 4)
    mask = torch.ones(2, 1, 1, dtype=torch.bool)
    result = attend(query, key, value, mask, _one_score, _whole_weight)
    context, _ = unpack(result, context=(2, 1, 4), weights=(2, 1, 1))
    return {"context": in_shape(context, 2, 1, 4), "query": query, "key": key}


def _one_score(query: Tensor, key: Tensor) -> Tensor:
    return torch.ones(*query.shape[:-1], 1)


def _whole_weight(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    return torch.ones(scores.shape)


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
