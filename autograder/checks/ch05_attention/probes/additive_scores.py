"""What is asked of `additive_scores`."""

from torch import Tensor

from autograder.checks.ch05_attention.probes.shapes import for_every_pair
from autograder.declare import probe
from autograder.draw import Draw
from autograder.probing import in_shape

HIDDEN = 7


def weights(draw: Draw, query_size: int, key_size: int, hidden: int = HIDDEN) -> tuple[Tensor, Tensor, Tensor]:
    """W_q, W_k and w, such that tanh is neither a straight line nor flat where it is used."""
    return draw.normal(hidden, query_size, scale=0.5), draw.normal(hidden, key_size, scale=0.5), draw.normal(hidden)


@probe("additive_scores")
def one_pair(additive_scores, draw: Draw):
    """One query and one key, and all sizes equal, so that every weight goes through either way round and on either side."""
    query, key = draw.normal(3, 1, 4), draw.normal(3, 1, 4)
    query_weight, key_weight, score_weight = weights(draw, 4, 4, 4)
    scores = additive_scores(query, key, query_weight, key_weight, score_weight)
    return {
        "scores": in_shape(scores, 3, 1, 1),
        "query": query,
        "key": key,
        "query_weight": query_weight,
        "key_weight": key_weight,
        "score_weight": score_weight,
    }


@probe("additive_scores")
def every_pair(additive_scores, draw: Draw):
    """As many keys as queries, so that rows and columns go through either way round."""
    scores = additive_scores(draw.normal(3, 4, 5), draw.normal(3, 4, 5), *weights(draw, 5, 5))
    return {"scores": for_every_pair(scores, 3, 4, 4)}


@probe("additive_scores")
def sizes(additive_scores, draw: Draw):
    """No two sizes are equal."""
    return {"scores": additive_scores(draw.normal(2, 3, 4), draw.normal(2, 5, 6), *weights(draw, 4, 6))}


@probe("additive_scores")
def alone(additive_scores, draw: Draw):
    """A batch of one with one query, as when translating."""
    return {"scores": additive_scores(draw.normal(1, 1, 4), draw.normal(1, 5, 6), *weights(draw, 4, 6))}


@probe("additive_scores")
def score_gradient(additive_scores, draw: Draw):
    """What comes back to query, key and the three weights."""
    names = ("query", "key", "query_weight", "key_weight", "score_weight")
    given = (draw.normal(2, 3, 4), draw.normal(2, 5, 6), *weights(draw, 4, 6))
    for tensor in given:
        tensor.requires_grad_()
    (additive_scores(*given) * draw.normal(2, 3, 5)).sum().backward()
    return {name: tensor.grad for name, tensor in zip(names, given, strict=True)}


@probe("additive_scores")
def slices(additive_scores, draw: Draw):
    """Arguments that are parts of larger tensors, or turned: their numbers do not lie side by side."""
    query, key = draw.normal(2, 3, 9)[..., :4], draw.normal(2, 6, 5).transpose(1, 2)
    query_weight, key_weight, score_weight = weights(draw, 4, 6)
    turned = query_weight.T.contiguous().T, key_weight.T.contiguous().T
    return {"scores": additive_scores(query, key, *turned, score_weight)}
