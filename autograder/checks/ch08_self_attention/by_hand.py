"""Inputs small enough to do by hand, for questions about a reader's code."""

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.questions.given import Given, Layer, Stand, whole


def scaled_dot_product_attention(draw: Draw) -> Given:
    """Vectors of four numbers, and scores that are 0 or far from it."""
    query, key = 4 * whole(draw, 1, 1, 2, 4, low=0, high=2), whole(draw, 1, 1, 2, 4, low=-1)
    return Given(
        {"query": query, "key": key, "value": whole(draw, 1, 1, 2, 1, low=1, high=5), "mask": draw.mask(1, 1, 2, 2)}
    )


def _counted(*shape: int) -> Tensor:
    return torch.arange(torch.Size(shape).numel()).reshape(shape).float()


def split_heads(draw: Draw) -> Given:
    """Numbers that are counted, so that one can see where each goes."""
    length, size = int(draw.integers(2, 4)), 2 * int(draw.integers(1, 3))
    return Given({"states": _counted(1, length, size) + int(draw.integers(0, 5)), "num_heads": 2})


def merge_heads(draw: Draw) -> Given:
    """Numbers that are counted, so that one can see where each goes."""
    length, size = int(draw.integers(2, 4)), int(draw.integers(1, 3))
    return Given({"states": _counted(1, 2, length, size) + int(draw.integers(0, 5))})


def _found(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    weights = query.sum(dim=-1, keepdim=True) + key.sum(dim=-1).unsqueeze(-2)
    weights = weights if mask is None else weights * mask
    return weights.sum(dim=-1, keepdim=True) * value.sum(dim=-2, keepdim=True), weights


ATTENTION = Stand(
    _found,
    "the weight of a query and a key is the sum of all their numbers, or 0 where the mask is False;\n"
    "returns the sum of all values, times the sum of a query's weights, and the weights",
)
SPLIT = Stand(lambda states, heads: states.unsqueeze(1).repeat(1, heads, 1, 1), "repeats the states for each head")
MERGE = Stand(lambda states: states.sum(dim=1), "adds up the heads")


def MultiHeadAttention(draw: Draw) -> Given:
    """Vectors of two numbers, and a single query."""
    settings = {"d_model": 2, "num_heads": 2, "attention": ATTENTION, "split": SPLIT, "merge": MERGE}
    names = ("to_query", "to_key", "to_value", "output")
    weights = {f"{name}.weight": (1 + int(draw.integers(0, 3))) * torch.eye(2) for name in names}
    mask = draw.mask(1, 1, 3) if draw.integers(0, 2) else None
    return Given(
        {"query": whole(draw, 1, 1, 2), "memory": whole(draw, 1, 3, 2, low=0), "mask": mask},
        settings,
        weights,
        filled=0.0,
    )


def LayerNorm(draw: Draw) -> Given:
    """Rows whose numbers are as far above their mean as below it."""
    middle, width, signs = whole(draw, 2, 1), whole(draw, 2, 1, low=1, high=4), draw.normal(2, 4).argsort() % 2 * 2 - 1
    weights = {"weight": whole(draw, 4, low=1, high=4), "bias": whole(draw, 4, low=0)}
    return Given({"inputs": middle + width * signs}, {"size": 4}, weights)


def positional_encoding(draw: Draw) -> Given:
    """A few positions."""
    return Given({"length": int(draw.integers(2, 4)), "d_model": 2 * int(draw.integers(1, 3))})


def shift_matrix(draw: Draw) -> Given:
    """A small shift."""
    return Given({"k": int(draw.integers(0, 4)), "d_model": 2 * int(draw.integers(1, 3))})


def parts(draw: Draw, *attentions: str) -> dict[str, Stand | bool | float]:
    """The parts of a layer, each of which does something that one can do in one's head."""
    found: dict[str, Stand | bool | float] = {}
    for factor, name in enumerate(attentions, start=2):

        def attention(query: Tensor, memory: Tensor, mask: Tensor, factor: int = factor) -> tuple[Tensor, None]:
            return factor * query + (memory * mask.transpose(1, 2)).sum(dim=1, keepdim=True), None

        told = (
            f"returns {factor} times its query, plus the sum of the memory vectors at which the mask is True, and None"
        )
        found[name] = Stand(Layer(attention), told)
    found["feed_forward"] = Stand(Layer(lambda states: -states), "returns its input with the sign changed")
    norms = [Layer(lambda states, more=more: states + more) for more in (1, 10, 100)[: len(attentions) + 1]]
    found["norms"] = Stand(norms, f"these add {', '.join(('1', '10', '100')[: len(norms)])} to each number")
    return {**found, "dropout": 0.0, "pre_norm": bool(draw.integers(0, 2))}


def EncoderLayer(draw: Draw) -> Given:
    """Two positions of two numbers."""
    return Given({"inputs": whole(draw, 1, 2, 2), "mask": draw.mask(1, 1, 2)}, parts(draw, "self_attention"))
