"""The checks of `attend`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, in_shape, unpack
from autograder.asking.rules import ATTENTION
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.checks.ch05_attention.stand_ins import gates, sines
from autograder.declare import Exercise, check
from autograder.judging.compare import difference

EXERCISE = Exercise("attend", "scores, weights and weighted sum", minutes=15, difficulty=1, forbids=(ATTENTION,))


@in_use()
def in_chapter(attend, draw: Draw) -> Use:
    """A batch in which each query has a mask of its own, then one query over one sentence, as when translating."""

    def given(batch: int, queries: int, places: int) -> tuple[Any, ...]:
        mask = draw.mask(batch, queries, places)
        return (
            draw.normal(batch, queries, 6),
            draw.normal(batch, places, 6),
            draw.normal(batch, places, 9),
            mask,
            sines,
            gates,
        )

    return Use(attend, given(3, 7, 21), given(1, 1, 24))


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


@check(
    "with a memory of one position the context is its value",
    points=1,
    hint="Return two things: first the context, then the weights. The weights determine how much of each value goes "
    "into the context; the keys are used only for the scores.",
)
def one_position(attend, draw: Draw):
    """One query and a memory of one position: the weights have nothing to choose between."""
    query, key, value = draw.normal(2, 1, 4), draw.normal(2, 1, 4), draw.normal(2, 1, 4)
    mask = torch.ones(2, 1, 1, dtype=torch.bool)
    result = attend(query, key, value, mask, _one_score, _whole_weight)
    context, _ = unpack(result, context=(2, 1, 4), weights=(2, 1, 1))
    return {"context": in_shape(context, 2, 1, 4)}


def _one_score(query: Tensor, key: Tensor) -> Tensor:
    return torch.ones(*query.shape[:-1], 1)


def _whole_weight(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    return torch.ones(scores.shape)


@check(
    "the weights come from score(query, key)",
    points=1,
    needs=one_position,
    reads=("weights",),
    hint="Call score with query and key, pass the scores and the mask to masked_softmax, and return the weights that "
    "it returns.",
)
def weights(attend, draw: Draw):
    """The weights alone, with nothing masked, and as many queries as positions: any product of matrices goes through."""
    query, key, value = draw.normal(2, _POSITIONS, 4), draw.normal(2, _POSITIONS, 4), draw.normal(2, _POSITIONS, 7)
    mask = torch.ones(2, 1, _POSITIONS, dtype=torch.bool)
    called = {"score": False, "masked_softmax": False}

    def score(query: Tensor, key: Tensor) -> Tensor:
        called["score"] = True
        return stand_in_scores(query, key)

    def masked_softmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
        called["masked_softmax"] = True
        return softmax_without_mask(scores, mask)

    result = attend(query, key, value, mask, score, masked_softmax)
    _, weights = unpack(result, context=(2, _POSITIONS, 7), weights=(2, _POSITIONS, _POSITIONS))
    return {"weights": weights, "called": called}


@weights.explain
def made_by_both(got, want):
    """Which of the two functions was not called, or that something else was done besides."""
    unused = " and ".join(name for name, called in got["called"].items() if not called)
    told = f"{unused} was not called: use the functions that are given as arguments, whatever they compute"
    if not unused:
        told = (
            "both functions were called, but the weights are not what masked_softmax returns for score(query, key): are the "
            "arguments in this order, and are scores and weights passed on as they are?"
        )
    return f"{told}; {difference(got['weights'], want['weights'])}"


@check(
    "the context is the sum of the values, weighted by the weights",
    points=2,
    needs=(one_position, weights),
    hint="For each query, sum weight times value over the S positions. With weights (B, T, S) and values (B, S, d_v), "
    "one matrix product does this for all queries at once.",
)
def weighted_sum(attend, draw: Draw):
    """The context, with weights that do not depend on the score path."""
    query, key, value = draw.normal(2, 3, 4), draw.normal(2, _POSITIONS, 4), draw.normal(2, _POSITIONS, 4)
    mask = torch.ones(2, 1, _POSITIONS, dtype=torch.bool)
    result = attend(query, key, value, mask, scores_of_queries, scores_as_weights)
    context, _ = unpack(result, context=(2, 3, 4), weights=(2, 3, _POSITIONS))
    return {"context": context}


@check(
    "the mask reaches masked_softmax",
    points=1,
    needs=weights,
    hint="masked_softmax takes the scores and the mask; pass on the mask as it is.",
)
def masked(attend, draw: Draw):
    """A mask that changes the weights, and as many queries as positions."""
    query, key, value = draw.normal(3, _POSITIONS, 4), draw.normal(3, _POSITIONS, 4), draw.normal(3, _POSITIONS, 7)
    mask = draw.padding_mask(3, _POSITIONS).unsqueeze(1)
    result = attend(query, key, value, mask.clone(), scores_of_queries, stand_in_softmax)
    _, weights = unpack(result, context=(3, _POSITIONS, 7), weights=(3, _POSITIONS, _POSITIONS))
    return {"weights": weights}


@check(
    "every query may have a mask of its own, and all sentences may share one mask",
    points=1,
    hidden=True,
    needs=(weighted_sum, masked),
    hint="The mask is (B, 1, S), (B, T, S) or, for all sentences, (1, T, S). Pass it on as it is: do not squeeze it, expand it or select "
    "one of its rows.",
)
def mask_per_query(attend, draw: Draw):
    """Another mask for every query, of each sentence and of all sentences; one query has nothing to attend to."""
    found = {}
    for name, sentences in (("(B, T, S)", 2), ("(1, T, S)", 1)):
        query, key, value = draw.normal(2, 3, 4), draw.normal(2, _POSITIONS, 6), draw.normal(2, _POSITIONS, 7)
        mask = draw.mask(sentences, 3, _POSITIONS)
        mask[0, 1] = False
        result = attend(query, key, value, mask, scores_of_queries, stand_in_softmax)
        context, weights = unpack(result, context=(2, 3, 7), weights=(2, 3, _POSITIONS))
        found[f"with a mask {name}"] = {"context": context, "weights": weights}
    return found


@check(
    "one sentence and one query alone keep their dimensions",
    points=1,
    hidden=True,
    needs=(weighted_sum, masked),
    hint="In translation B and T are 1. squeeze() removes every dimension of size one, even those that belong there.",
)
def alone(attend, draw: Draw):
    """A batch of one with one query, as when translating."""
    query, key, value = draw.normal(1, 1, 4), draw.normal(1, _POSITIONS, 6), draw.normal(1, _POSITIONS, 7)
    result = attend(query, key, value, draw.mask(1, 1, _POSITIONS), scores_of_queries, stand_in_softmax)
    context, weights = unpack(result, context=(1, 1, 7), weights=(1, 1, _POSITIONS))
    return {"context": context, "weights": weights}


@check(
    "the gradient reaches query, key and value",
    points=1,
    hidden=True,
    needs=(weights, weighted_sum, masked),
    hint="Use only torch operations on the tensors themselves: detach, .data, .item() and no_grad cut off the gradient.",
)
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
