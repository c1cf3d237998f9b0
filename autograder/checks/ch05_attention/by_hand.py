"""Inputs small enough to do by hand, for questions about a reader's code."""

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.questions.given import Given, Stand, whole


def product_of_firsts(query: Tensor, key: Tensor) -> Tensor:
    """A score that is none of the chapter's: (B, T, S)."""
    return query[:, :, :1] * key[:, :, 0].unsqueeze(1)


FIRSTS = Stand(product_of_firsts, "the product of the first numbers of each query and each key, (B, T, S)")
KEPT = Stand(lambda scores, mask: scores * mask, "returns the scores, with 0 where the mask is False")
READ = Stand(
    lambda query, memory, mask: (
        product_of_firsts(query, memory) * mask @ memory,
        product_of_firsts(query, memory) * mask,
    ),
    "its weights are the products of the first numbers of each query and each memory vector, with 0 where the mask is False;\n"
    "returns the sum of the memory vectors with these weights, and the weights",
)


def masked_softmax(draw: Draw) -> Given:
    """Scores of which many are equal, and sometimes a row that is masked altogether."""
    mask = draw.mask(1, 2, 3)
    mask[0, 0] &= bool(draw.integers(0, 3))
    return Given({"scores": 2 * whole(draw, 1, 2, 3, low=0, high=3), "mask": mask})


def attend(draw: Draw) -> Given:
    """Two queries, three places."""
    query, key, value = whole(draw, 1, 2, 2), whole(draw, 1, 3, 2), whole(draw, 1, 3, 2)
    return Given(
        {
            "query": query,
            "key": key,
            "value": value,
            "mask": draw.mask(1, 1, 3),
            "score": FIRSTS,
            "masked_softmax": KEPT,
        }
    )


def multiplicative_scores(draw: Draw) -> Given:
    """Vectors of two and of three numbers."""
    return Given({"query": whole(draw, 1, 2, 2), "key": whole(draw, 1, 3, 1), "weight": whole(draw, 2, 1)})


def additive_scores(draw: Draw) -> Given:
    """Sums so far from 0 that their tanh is 1 or -1, or 0."""
    sizes = {"query": (1, 2, 1), "key": (1, 3, 1), "query_weight": (2, 1), "key_weight": (2, 1)}
    return Given(
        {
            **{name: 4 * whole(draw, *shape, low=-1, high=2) for name, shape in sizes.items()},
            "score_weight": whole(draw, 2),
        }
    )


def scaled_scores(draw: Draw) -> Given:
    """Vectors of four numbers."""
    return Given({"query": whole(draw, 1, 2, 4), "key": whole(draw, 1, 2, 4)})


def AttentionDecoder(draw: Draw) -> Given:
    """Shapes alone."""
    batch, length, places = (int(size) for size in draw.integers(1, 5, 3))
    settings = {"vocab_size": 7, "embed_dim": 3, "hidden_size": 5, "memory_size": 4, "attention": READ}
    return Given(
        {
            "tokens": draw.integers(0, 7, batch, length),
            "state": torch.ones(1, batch, 5),
            "memory": torch.ones(batch, places, 4),
            "mask": torch.ones(batch, places, dtype=torch.bool),
        },
        settings,
        filled=0.1,
        shapes_alone=True,
    )


def hard_alignment(draw: Draw) -> Given:
    """Weights in tenths, perhaps with two that are equal."""
    return Given({"weights": draw.integers(1, 6, 3, 4) / 10})


def alignment_error_rate(draw: Draw) -> Given:
    """A pair of sentences with few links."""
    links = [(s, t) for s in range(3) for t in range(2)]
    chosen = [links[i] for i in draw.normal(6).argsort().tolist()]
    cut = int(draw.integers(1, 3))
    sure = set(chosen[:cut])
    return Given({"predicted": [set(chosen[1:4])], "sure": [sure], "possible": [sure | set(chosen[2:3])]})


def causal_mask(draw: Draw) -> Given:
    """A few positions."""
    return Given({"length": int(draw.integers(2, 4))})


def attend_to_past(draw: Draw) -> Given:
    """Three states of two numbers."""
    return Given({"states": whole(draw, 1, 3, 2), "attention": READ})
