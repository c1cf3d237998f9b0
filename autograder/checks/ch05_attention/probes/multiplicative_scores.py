"""What is asked of `multiplicative_scores`."""

import torch
from torch import Tensor

from autograder.checks.ch05_attention.probes.shapes import for_every_pair
from autograder.declare import probe
from autograder.draw import Draw
from autograder.probing import in_shape


@probe("multiplicative_scores")
def one_pair(multiplicative_scores, draw: Draw):
    """One query and one key, of equal size, so that W goes through either way round."""
    query, key, weight = draw.normal(3, 1, 4), draw.normal(3, 1, 4), draw.normal(4, 4)
    scores = multiplicative_scores(query, key, weight)
    return {"scores": in_shape(scores, 3, 1, 1), "query": query, "key": key, "weight": weight}


@probe("multiplicative_scores")
def every_pair(multiplicative_scores, draw: Draw):
    """As many keys as queries, so that rows and columns go through either way round."""
    query, key, weight = draw.normal(3, 4, 5), draw.normal(3, 4, 5), draw.normal(5, 5)
    scores = multiplicative_scores(query, key, weight)
    return {"scores": for_every_pair(scores, 3, 4, 4), "query": query, "key": key, "weight": weight}


@probe("multiplicative_scores")
def sizes(multiplicative_scores, draw: Draw):
    """No two sizes are equal."""
    return {"scores": multiplicative_scores(draw.normal(2, 3, 4), draw.normal(2, 5, 6), draw.normal(4, 6))}


@probe("multiplicative_scores")
def alone(multiplicative_scores, draw: Draw):
    """A batch of one with one query, as when translating."""
    return {"scores": multiplicative_scores(draw.normal(1, 1, 4), draw.normal(1, 5, 6), draw.normal(4, 6))}


@probe("multiplicative_scores")
def score_gradient(multiplicative_scores, draw: Draw):
    """What comes back to query, key and W."""
    query, key, weight = draw.normal(2, 3, 4), draw.normal(2, 5, 6), draw.normal(4, 6)
    for tensor in (query, key, weight):
        tensor.requires_grad_()
    (multiplicative_scores(query, key, weight) * draw.normal(2, 3, 5)).sum().backward()
    return {"query": query.grad, "key": key.grad, "weight": weight.grad}


@probe("multiplicative_scores")
def types(multiplicative_scores, draw: Draw):
    """Half and double precision; small whole numbers, whose sums are exact in both."""

    def whole(*shape: int, dtype: torch.dtype) -> Tensor:
        return draw.integers(-3, 4, *shape).to(dtype)

    scores = {}
    for name, dtype in {"half precision": torch.float16, "double precision": torch.float64}.items():
        query, key, weight = whole(2, 3, 4, dtype=dtype), whole(2, 5, 6, dtype=dtype), whole(4, 6, dtype=dtype)
        scores[name] = multiplicative_scores(query, key, weight)
    return scores
