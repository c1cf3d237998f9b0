"""The checks of `multiplicative_scores`."""

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import in_shape
from autograder.asking.usage import Use, in_use
from autograder.checks.ch05_attention.shapes import for_every_pair
from autograder.declare import Exercise, check
from autograder.judging.compare import close, up_to_a_factor

EXERCISE = Exercise("multiplicative_scores", "scores through a matrix between query and key", minutes=10, difficulty=1)


@in_use()
def in_chapter(multiplicative_scores, draw: Draw) -> Use:
    """A batch whose queries and keys are of different sizes, then one query over a long sentence."""

    def given(batch: int, queries: int, places: int) -> tuple[Tensor, ...]:
        return draw.normal(batch, queries, 6), draw.normal(batch, places, 7), draw.normal(6, 7)

    return Use(multiplicative_scores, given(3, 4, 21), given(1, 1, 40))


@check(
    "for one query and one key the score is qᵀ W k",
    points=1,
    hint="Read qᵀ W k from left to right: a row of d_q numbers, a matrix with d_q rows and d_k columns, and a column "
    "of d_k numbers. Their product is one number, and nothing more is done to it.",
)
def one_pair(multiplicative_scores, draw: Draw):
    """One query and one key, of equal size, so that W goes through either way round."""
    query, key, weight = draw.normal(3, 1, 4), draw.normal(3, 1, 4), draw.normal(4, 4)
    scores = multiplicative_scores(query, key, weight)
    return {"scores": in_shape(scores, 3, 1, 1)}


@check(
    "every key is scored against every query of its sentence",
    points=1,
    needs=one_pair,
    hint="The result has a row for each query and a column for each key, for every sentence. A matrix product sums "
    "over the last dimension of the left tensor and the second to last of the right one: which two dimensions of the "
    "keys have to be swapped?",
)
def every_pair(multiplicative_scores, draw: Draw):
    """As many keys as queries, so that rows and columns go through either way round."""
    query, key, weight = draw.normal(3, 4, 5), draw.normal(3, 4, 5), draw.normal(5, 5)
    scores = multiplicative_scores(query, key, weight)
    return {"scores": for_every_pair(scores, 3, 4, 4)}


@check(
    "queries and keys may differ in number and in size, and be transposes of other tensors",
    points=1,
    needs=(one_pair, every_pair),
    compare=up_to_a_factor(),
    hint="T and S are the numbers of target and source words, and d_q and d_k are the sizes of decoder and encoder "
    "states. Take each from the shape of the tensor that has it, and check which dimension of W is d_q. view needs a contiguous tensor, "
    "reshape works with any.",
)
def sizes(multiplicative_scores, draw: Draw):
    """No two sizes are equal, and the numbers of a vector do not lie side by side."""
    query, key = draw.normal(2, 4, 3).transpose(1, 2), draw.normal(2, 6, 5).transpose(1, 2)
    return {"scores": multiplicative_scores(query, key, draw.normal(4, 6))}


@check(
    "one sentence with one query keeps its dimensions",
    points=1,
    hidden=True,
    needs=(one_pair, every_pair, sizes),
    compare=up_to_a_factor(),
    hint="In translation B and T are 1, and the scores are still (1, 1, S). squeeze() removes every dimension of size "
    "one, even those that belong there.",
)
def alone(multiplicative_scores, draw: Draw):
    """A batch of one with one query, as when translating."""
    return {"scores": multiplicative_scores(draw.normal(1, 1, 4), draw.normal(1, 5, 6), draw.normal(4, 6))}


@check(
    "the gradient reaches query, key and W",
    points=1,
    hidden=True,
    needs=(one_pair, every_pair, sizes),
    compare=up_to_a_factor(),
    hint="Use only torch operations on the tensors themselves: detach, .data, .item(), torch.tensor(...) and no_grad "
    "cut off the gradient, so that W cannot be learned.",
)
def score_gradient(multiplicative_scores, draw: Draw):
    """What comes back to query, key and W."""
    query, key, weight = draw.normal(2, 3, 4), draw.normal(2, 5, 6), draw.normal(4, 6)
    for tensor in (query, key, weight):
        tensor.requires_grad_()
    (multiplicative_scores(query, key, weight) * draw.normal(2, 3, 5)).sum().backward()
    return {"query": query.grad, "key": key.grad, "weight": weight.grad}


@check(
    "the scores have the floating-point type of their arguments",
    points=1,
    hidden=True,
    needs=(one_pair, every_pair, sizes),
    compare=close(rtol=1e-09, atol=1e-09),
    hint="With arguments in half precision the scores are half, and with double they are double. torch.zeros and "
    "torch.empty create float32 tensors unless you pass a dtype; new_zeros of a tensor uses the dtype of that tensor.",
)
def types(multiplicative_scores, draw: Draw):
    """Half and double precision; small whole numbers, whose sums are exact in both."""

    def whole(*shape: int, dtype: torch.dtype) -> Tensor:
        return draw.integers(-3, 4, *shape).to(dtype)

    scores = {}
    for name, dtype in {"half precision": torch.float16, "double precision": torch.float64}.items():
        query, key, weight = whole(2, 3, 4, dtype=dtype), whole(2, 5, 6, dtype=dtype), whole(4, 6, dtype=dtype)
        scores[name] = multiplicative_scores(query, key, weight)
    return scores
