"""The checks of `additive_scores`."""

from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import in_shape
from autograder.asking.usage import Use, in_use
from autograder.checks.ch05_attention.shapes import for_every_pair
from autograder.declare import Exercise, check
from autograder.judging.compare import up_to_a_factor

EXERCISE = Exercise("additive_scores", "scores from a small network with a tanh", minutes=20, difficulty=2)


@in_use()
def in_chapter(additive_scores, draw: Draw) -> Use:
    """A batch whose queries and keys are of different sizes, then sums so large that each tanh is 1 or -1."""

    def given(batch: int, queries: int, places: int, scale: float) -> tuple[Tensor, ...]:
        states = draw.normal(batch, queries, 6, scale=scale), draw.normal(batch, places, 7, scale=scale)
        return *states, draw.normal(5, 6), draw.normal(5, 7), draw.normal(5)

    return Use(additive_scores, given(3, 4, 21, 0.4), given(1, 1, 40, 50.0))


HIDDEN = 7


def weights(draw: Draw, query_size: int, key_size: int, hidden: int = HIDDEN) -> tuple[Tensor, Tensor, Tensor]:
    """W_q, W_k and w, such that tanh is neither a straight line nor flat where it is used."""
    return draw.normal(hidden, query_size, scale=0.5), draw.normal(hidden, key_size, scale=0.5), draw.normal(hidden)


@check(
    "for one query and one key the score is wᵀ tanh(W_q q + W_k k)",
    points=2,
    hint="Work from the inside out: project the query, project the key, add the two, take the tanh of the h "
    "components of the sum, and multiply by w to get one number. A weight stored as (out, in) is applied as in "
    "torch's layers: W x for one vector x, and the product with its transpose for rows of vectors.",
)
def one_pair(additive_scores, draw: Draw):
    """One query and one key, and all sizes equal, so that every weight goes through either way round and on either side."""
    query, key = draw.normal(3, 1, 4), draw.normal(3, 1, 4)
    return {"scores": in_shape(additive_scores(query, key, *weights(draw, 4, 4, 4)), 3, 1, 1)}


@check(
    "every key is scored against every query of its sentence",
    points=1,
    needs=one_pair,
    hint="The sums have shape (B, T, S, h): the h components of a query are the same for all keys, and those of a key "
    "are the same for all queries. Broadcasting does this if queries and keys each have a dimension of size one where "
    "the other has S or T.",
)
def every_pair(additive_scores, draw: Draw):
    """As many keys as queries, so that rows and columns go through either way round."""
    scores = additive_scores(draw.normal(3, 4, 5), draw.normal(3, 4, 5), *weights(draw, 5, 5))
    return {"scores": for_every_pair(scores, 3, 4, 4)}


@check(
    "the numbers and sizes of queries, keys and hidden units may all differ",
    points=1,
    needs=(one_pair, every_pair),
    compare=up_to_a_factor(),
    hint="T and S are the numbers of target and source words, and d_q, d_k and h are three different sizes. Take each "
    "from the shape of the tensor that has it.",
)
def sizes(additive_scores, draw: Draw):
    """No two sizes are equal."""
    return {"scores": additive_scores(draw.normal(2, 3, 4), draw.normal(2, 5, 6), *weights(draw, 4, 6))}


@check(
    "one sentence with one query keeps its dimensions",
    points=1,
    hidden=True,
    needs=(one_pair, every_pair, sizes),
    compare=up_to_a_factor(),
    hint="In translation B and T are 1, and the scores are still (1, 1, S). squeeze() removes every dimension of size "
    "one, even those that belong there; squeeze(-1) removes only the last.",
)
def alone(additive_scores, draw: Draw):
    """A batch of one with one query, as when translating."""
    return {"scores": additive_scores(draw.normal(1, 1, 4), draw.normal(1, 5, 6), *weights(draw, 4, 6))}


@check(
    "the gradient reaches query, key and all three weights",
    points=1,
    hidden=True,
    needs=(one_pair, every_pair, sizes),
    compare=up_to_a_factor(),
    hint="Use only torch operations on the tensors themselves: detach, .data, .item(), torch.tensor(...) and no_grad "
    "cut off the gradient, so that the weights cannot be learned. tanh_() on a view of an argument changes that "
    "argument.",
)
def score_gradient(additive_scores, draw: Draw):
    """What comes back to query, key and the three weights."""
    names = ("query", "key", "query_weight", "key_weight", "score_weight")
    given = (draw.normal(2, 3, 4), draw.normal(2, 5, 6), *weights(draw, 4, 6))
    for tensor in given:
        tensor.requires_grad_()
    (additive_scores(*given) * draw.normal(2, 3, 5)).sum().backward()
    return {name: tensor.grad for name, tensor in zip(names, given, strict=True)}


@check(
    "arguments may be slices or transposes of other tensors",
    points=1,
    needs=(one_pair, every_pair, sizes),
    compare=up_to_a_factor(),
    hint="One half of a bidirectional encoder's states is such a slice: it is not contiguous in memory, so view "
    "raises an error. unsqueeze, expand, @ and reshape work with any tensor.",
)
def slices(additive_scores, draw: Draw):
    """Arguments that are parts of larger tensors, or turned: their numbers do not lie side by side."""
    query, key = draw.normal(2, 4, 3).transpose(1, 2), draw.normal(2, 7, 5)[:, :-1].transpose(1, 2)
    query_weight, key_weight, score_weight = weights(draw, 4, 6)
    turned = query_weight.T.contiguous().T, key_weight.T.contiguous().T
    return {"scores": additive_scores(query, key, *turned, score_weight)}
