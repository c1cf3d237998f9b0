"""What is asked of `GroupedQueryAttention`, with a stand-in for `rotate`."""

from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, expect_weights, unpack

HEAD = 3
"""The size of a head, whose root is no integer."""


def turn(vectors: Any, positions: Any = None) -> Tensor:
    """In place of `rotate`: each vector is scaled by a function of its position and mixed with its shifted self."""
    if not isinstance(vectors, Tensor) or vectors.dim() < 2:
        raise MisuseError(
            f"self.rotate was given {kind_of(vectors)}, expected vectors (B, heads, T, d_k), then positions (T,)"
        )
    length = vectors.shape[-2]
    if not isinstance(positions, Tensor) or tuple(positions.shape) != (length,) or positions.is_floating_point():
        raise MisuseError(
            f"the positions that self.rotate was given are {kind_of(positions)}, expected integers of shape (T,): {length} of them for "
            f"vectors of shape {tuple(vectors.shape)}"
        )
    if vectors.shape[-1] != HEAD:
        raise MisuseError(
            f"self.rotate was given vectors of size {vectors.shape[-1]}, expected those of each head, of size {HEAD}"
        )
    return vectors * (1.5 + torch.sin(positions)).unsqueeze(1).to(vectors) + vectors.roll(1, -1) * 0.5


def made(attention_class, draw: Draw, heads: int, shared: int):
    """The student's module with drawn weights."""
    d_model = heads * HEAD
    module = attention_class(d_model, heads, shared, turn)
    shapes = {
        "to_query.weight": (d_model, d_model),
        "to_key.weight": (shared * HEAD, d_model),
        "to_value.weight": (shared * HEAD, d_model),
        "output.weight": (d_model, d_model),
    }
    expect_weights(module, shapes)
    module.load_state_dict({name: draw.normal(*shape, scale=0.5) for name, shape in shapes.items()}, strict=False)
    return module


def called(module, inputs: Tensor, cache: Any, shared: int) -> tuple[Any, Any, Any]:
    """The output, the keys and the values.

    Raises:
        MisuseError: There are not as many results.
    """
    batch, length, _d_model = inputs.shape
    before = 0 if cache is None else cache[0].shape[2]
    result = module(inputs) if cache is None else module(inputs, cache)
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise MisuseError(f"what it returned is {kind_of(result)}, expected two results: the output and the cache")
    output, after = result
    if not isinstance(after, (tuple, list)) or len(after) != 2:
        raise MisuseError(
            f"the cache that came back is {kind_of(after)}, expected two tensors: the keys and the values"
        )
    shape = (batch, shared, before + length, HEAD)
    key, value = unpack(after, keys=shape, values=shape)
    return output, key, value


def asked(
    attention_class, draw: Draw, heads: int, shared: int, batch: int, length: int, before: int = 0
) -> dict[str, Any]:
    """One call, and what a judge needs to make it again with a mistake."""
    module, inputs = made(attention_class, draw, heads, shared), draw.normal(batch, length, heads * HEAD)
    cache = tuple(draw.normal(batch, shared, before, HEAD) for _ in range(2)) if before else None
    given = None if cache is None else tuple(tensor.clone() for tensor in cache)
    output, key, value = called(module, inputs.clone(), given, shared)
    weights = {name.removesuffix(".weight"): weight for name, weight in module.named_parameters()}
    return {
        "output": output,
        "keys": key,
        "values": value,
        "inputs": inputs,
        "weights": weights,
        "cache": [] if cache is None else list(cache),
        "heads": heads,
        "shared": shared,
    }


@probe("GroupedQueryAttention")
def alone(attention_class, draw: Draw):
    """One position, which gets its own value whatever its scores are; four heads share two."""
    return asked(attention_class, draw, 4, 2, 2, 1)


@probe("GroupedQueryAttention")
def scores(attention_class, draw: Draw):
    """As many heads of keys as of queries, so that groups are not the question; the last position sees all."""
    return asked(attention_class, draw, 2, 2, 2, 4)


@probe("GroupedQueryAttention")
def groups(attention_class, draw: Draw):
    """Six query heads share two."""
    return asked(attention_class, draw, 6, 2, 2, 4)


@probe("GroupedQueryAttention")
def cached(attention_class, draw: Draw):
    """One position after five others."""
    return asked(attention_class, draw, 4, 2, 2, 1, 5)


@probe("GroupedQueryAttention")
def unchanged(attention_class, draw: Draw):
    """What was given, after a call with a cache."""
    module, inputs = made(attention_class, draw, 2, 1), draw.normal(1, 1, 2 * HEAD)
    cache = draw.normal(1, 1, 3, HEAD), draw.normal(1, 1, 3, HEAD)
    with torch.no_grad():
        output, _, _ = called(module, inputs, cache, 1)
    return {"output": output, "inputs": inputs, "cached keys": cache[0], "cached values": cache[1]}


@probe("GroupedQueryAttention")
def in_steps(attention_class, draw: Draw):
    """A sentence read token by token, one read in three parts, and a long one; one head for all; batch of one."""
    answers = {}
    sentences = (("steps", 4, 1, 1, [1] * 5), ("parts", 6, 3, 2, [3, 1, 4]), ("long", 2, 1, 1, [120, 1, 30]))
    for name, heads, shared, batch, parts in sentences:
        module, cache, found = made(attention_class, draw, heads, shared), None, []
        for length in parts:
            output, key, value = called(module, draw.normal(batch, length, heads * HEAD), cache, shared)
            cache = key, value
            found.append(output)
        answers[name] = found
    return answers
