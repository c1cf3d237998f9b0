"""What is asked of `scaled_scores`."""

from autograder.checks.ch05_attention.probes.shapes import for_every_pair
from autograder.declare import probe
from autograder.draw import Draw


@probe("scaled_scores")
def dot_products(scaled_scores, draw: Draw):
    """As many keys as queries, so that rows and columns go through either way round; the scale is another check's business."""
    query, key = draw.normal(3, 4, 16), draw.normal(3, 4, 16)
    return {"scores": for_every_pair(scaled_scores(query, key), 3, 4, 4), "query": query, "key": key}


SIZES = {"d = 4": 4, "d = 100": 100}
BATCH, QUERIES, KEYS = 2, 3, 7


@probe("scaled_scores")
def scale(scaled_scores, draw: Draw):
    """Two sizes, neither with the root of another dimension's."""
    return {
        name: scaled_scores(draw.normal(BATCH, QUERIES, size), draw.normal(BATCH, KEYS, size))
        for name, size in SIZES.items()
    }


@probe("scaled_scores")
def alone(scaled_scores, draw: Draw):
    """A batch of one with one query, as when translating."""
    return {"scores": scaled_scores(draw.normal(1, 1, 9), draw.normal(1, 5, 9))}


@probe("scaled_scores")
def score_gradient(scaled_scores, draw: Draw):
    """What comes back to query and key."""
    query, key = draw.normal(2, 3, 9).requires_grad_(), draw.normal(2, 5, 9).requires_grad_()
    (scaled_scores(query, key) * draw.normal(2, 3, 5)).sum().backward()
    return {"query": query.grad, "key": key.grad}
