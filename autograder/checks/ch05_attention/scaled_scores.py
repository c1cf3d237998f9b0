"""The checks of `scaled_scores`."""

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.checks.ch05_attention.shapes import for_every_pair
from autograder.declare import Exercise, check
from autograder.judging.compare import is_close

EXERCISE = Exercise("scaled_scores", "the scaled dot product", minutes=10, difficulty=1)


@in_use()
def in_chapter(scaled_scores, draw: Draw) -> Use:
    """Vectors whose size has no whole root, then such of one number, which is large."""
    later = draw.normal(1, 3, 1, scale=9.0), draw.normal(1, 5, 1, scale=9.0)
    return Use(scaled_scores, (draw.normal(3, 4, 6), draw.normal(3, 21, 6)), later)


def but_for_scale(answer):
    """Tensors over their lengths, which takes a common factor away: the scale is another check's business."""
    return {name: tensor / tensor.norm() for name, tensor in answer.items()}


@check(
    "the scores are dot products, apart from their scale",
    points=1,
    reads=but_for_scale,
    hint="The result has a row for each query and a column for each key, for every sentence. A matrix product sums "
    "over the last dimension of the left tensor and the second to last of the right one: which two dimensions of the "
    "keys have to be swapped?",
)
def dot_products(scaled_scores, draw: Draw):
    """As many keys as queries, so that rows and columns go through either way round; the scale is another check's business."""
    query, key = draw.normal(3, 4, 16), draw.normal(3, 4, 16)
    return {"scores": for_every_pair(scaled_scores(query, key), 3, 4, 4)}


SIZES = {"d = 4": 4, "d = 100": 100}


BATCH, QUERIES, KEYS = 2, 3, 7


@check(
    "the scores are divided by √d",
    points=2,
    needs=dot_products,
    hint="A sum of d products of independent numbers with variance 1 has variance d. By what must the sum be divided "
    "so that its variance is 1, whatever d is? And which dimension of the arguments is d?",
)
def scale(scaled_scores, draw: Draw):
    """Two sizes, neither with the root of another dimension's."""
    return {
        name: scaled_scores(draw.normal(BATCH, QUERIES, size), draw.normal(BATCH, KEYS, size))
        for name, size in SIZES.items()
    }


@scale.explain
def factor(got, want):
    """Scores that are right but for a factor."""
    factors = {name: float((got[name] * right).sum() / (right * right).sum()) for name, right in want.items()}
    if not all(is_close(got[name], factors[name] * right) for name, right in want.items()):
        return None
    told = " and ".join(f"{factor:.5g} with {name}" for name, factor in factors.items())
    return f"the scores are the right ones multiplied by a factor of {told}, expected 1"


@check(
    "one sentence with one query keeps its dimensions",
    points=1,
    hidden=True,
    needs=dot_products,
    reads=but_for_scale,
    hint="In translation B and T are 1, and the scores are still (1, 1, S). squeeze() removes every dimension of size "
    "one, even those that belong there.",
)
def alone(scaled_scores, draw: Draw):
    """A batch of one with one query, as when translating."""
    return {"scores": scaled_scores(draw.normal(1, 1, 9), draw.normal(1, 5, 9))}


@check(
    "the gradient reaches query and key",
    points=1,
    hidden=True,
    needs=dot_products,
    reads=but_for_scale,
    hint="Use only torch operations on the tensors themselves: detach, .data, .item(), torch.tensor(...) and no_grad "
    "cut off the gradient. It has to flow back through the division too.",
)
def score_gradient(scaled_scores, draw: Draw):
    """What comes back to query and key."""
    query, key = draw.normal(2, 3, 9).requires_grad_(), draw.normal(2, 5, 9).requires_grad_()
    (scaled_scores(query, key) * draw.normal(2, 3, 5)).sum().backward()
    return {"query": query.grad, "key": key.grad}
