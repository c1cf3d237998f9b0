"""What is asked of `scaled_dot_product_attention`.

Where the scale is not the question, a key has one number: its root is 1, and so is the number itself.
"""

from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.probing import unpack

Given = tuple[Tensor, Tensor, Tensor]

SIZES = {"d_k = 4": 4, "d_k = 25": 25}
BATCH, QUERIES, KEYS, VALUE = 2, 3, 7, 6


def looked_up(attention, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> dict[str, Any]:
    """The two results by name; without a mask the function is given three arguments."""
    given = (query, key, value) if mask is None else (query, key, value, mask)
    shapes = {
        "output": (*query.shape[:-1], value.shape[-1]),
        "weights": (*query.shape[:-1], key.shape[-2]),
    }
    return dict(zip(shapes, unpack(attention(*given), **shapes), strict=True))


def _drawn(draw: Draw, *front: int, queries: int, keys: int, value: int, size: int = 1) -> Given:
    """Query, key and value; the scores are neither all alike nor so far apart that one of them takes all."""
    return (
        draw.normal(*front, queries, size, scale=0.8),
        draw.normal(*front, keys, size, scale=0.8),
        draw.normal(*front, keys, value),
    )


@probe("scaled_dot_product_attention")
def one_key(attention, draw: Draw):
    """One query and one key: the weights have nothing to choose between. A lost dimension is another check's business."""
    query, key, value = draw.normal(1, 1, 4), draw.normal(1, 1, 4), draw.normal(1, 1, 4)
    output = looked_up(attention, query, key, value)["output"]
    if isinstance(output, Tensor) and output.numel() == value.numel():
        output = output.reshape(value.shape)
    return {"output": output, "query": query, "key": key}


@probe("scaled_dot_product_attention")
def every_key(attention, draw: Draw):
    """As many keys as queries, so that rows and columns go through either way round; the scale is another check's business."""
    query, key, value = _drawn(draw, 3, queries=4, keys=4, value=5, size=16)
    return {"weights": looked_up(attention, query, key, value)["weights"], "query": query, "key": key}


@probe("scaled_dot_product_attention")
def scale(attention, draw: Draw):
    """Two sizes of the keys, neither with the root of another dimension's."""
    weights = {}
    for name, size in SIZES.items():
        query, key, value = _drawn(draw, BATCH, queries=QUERIES, keys=KEYS, value=VALUE, size=size)
        weights[name] = looked_up(attention, query, key, value)["weights"]
    return weights


@probe("scaled_dot_product_attention")
def weighted_sum(attention, draw: Draw):
    """The output, with as many keys as queries."""
    query, key, value = _drawn(draw, 3, queries=4, keys=4, value=5)
    return {**looked_up(attention, query, key, value), "query": query, "key": key, "value": value}


@probe("scaled_dot_product_attention")
def masked(attention, draw: Draw):
    """Some places are masked, none of the rows wholly."""
    query, key, value = _drawn(draw, 3, queries=5, keys=5, value=3)
    mask = draw.mask(3, 5, 5)
    found = looked_up(attention, query, key, value, mask.clone())
    return {**found, "scores": query @ key.transpose(1, 2), "value": value, "mask": mask}


@probe("scaled_dot_product_attention")
def empty_row(attention, draw: Draw):
    """One query has nothing to attend to, and the others are free."""
    query, key, value = _drawn(draw, 2, queries=3, keys=5, value=4)
    mask = torch.ones(2, 3, 5, dtype=torch.bool)
    mask[1, 2] = False
    return looked_up(attention, query, key, value, mask)


@probe("scaled_dot_product_attention")
def heads(attention, draw: Draw):
    """Sentences and heads in front; as many heads as queries, keys and numbers, so that any two dimensions can change places."""
    query, key, value = _drawn(draw, 2, 3, queries=3, keys=3, value=3, size=3)
    return {**looked_up(attention, query, key, value), "query": query, "key": key, "value": value}


@probe("scaled_dot_product_attention")
def broadcast(attention, draw: Draw):
    """Masks that serve several rows."""
    masks = {
        "(B, 1, 1, S)": draw.mask(2, 1, 1, 5),
        "(B, 1, T, S)": draw.mask(2, 1, 4, 5),
        "(T, S)": draw.mask(4, 5),
        "(S,)": draw.mask(5),
    }
    given = _drawn(draw, 2, 3, queries=4, keys=5, value=6)
    return {name: looked_up(attention, *given, mask) for name, mask in masks.items()}


@probe("scaled_dot_product_attention")
def numbers(attention, draw: Draw):
    """Half and double precision, and scores far below and far above zero whose masked places stand above the rest."""
    query, key, value = _drawn(draw, 2, queries=3, keys=5, value=4)
    mask = draw.mask(2, 3, 5)
    mask[0, 1] = False
    found = {}
    for name, dtype in {"half precision": torch.float16, "double precision": torch.float64}.items():
        positive = value.abs().to(dtype)  # Without signs no sum is a small rest.
        found[name] = looked_up(attention, query.to(dtype), key.to(dtype), positive, mask)
    places = draw.mask(2, 1, 5)
    places[:, :, :2] = torch.tensor([True, False])[
        draw.normal(2, 1, 2).argsort(dim=-1)
    ]  # Each sentence hides a place and shows one.
    places = places.expand(-1, 3, -1)
    away = torch.tensor([-1, 1]).reshape(2, 1, 1) * draw.integers(2, 5, 2, 1, 1) * 10_000.0
    far = draw.normal(2, 5, 1) + away + 1_000.0 * ~places[:, :1].transpose(1, 2)
    found["scores far from zero"] = looked_up(attention, torch.ones(2, 3, 1), far, value, places)
    return found


@probe("scaled_dot_product_attention")
def gradient(attention, draw: Draw):
    """What comes back to query, key and value, with an empty row among them."""
    query, key, value = leaves = _drawn(draw, 2, queries=3, keys=5, value=4)
    mask = draw.mask(2, 3, 5)
    mask[0, 1] = False
    for leaf in leaves:
        leaf.requires_grad_()
    found = looked_up(attention, query * 1, key * 1, value * 1, mask)
    (found["output"] * draw.normal(2, 3, 4)).sum().backward()
    return {"query": query.grad, "key": key.grad, "value": value.grad}


@probe("scaled_dot_product_attention")
def views(attention, draw: Draw):
    """Views of larger tensors, as heads are; one sentence with one query; nothing in front. And the arguments after the call."""
    split = tuple(tensor.transpose(1, 2) for tensor in _drawn(draw, 2, 5, queries=3, keys=3, value=6, size=4))
    one = _drawn(draw, 1, 2, queries=1, keys=5, value=6, size=4)
    alone = _drawn(draw, queries=3, keys=5, value=6, size=4)
    answers = {}
    for name, (query, key, value) in {"views": split, "one query": one, "no batch dimension": alone}.items():
        mask = torch.ones(*query.shape[:-1], key.shape[-2], dtype=torch.bool)
        found = looked_up(attention, query, key, value, mask)
        answers[name] = {**found, "query": query, "key": key, "value": value, "mask": mask}
    return answers
