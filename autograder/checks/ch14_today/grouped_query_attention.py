"""The checks of `GroupedQueryAttention`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, expect_weights, note_slip, unpack
from autograder.asking.rules import ATTENTION
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use, weigh
from autograder.declare import Exercise, check
from autograder.judging.compare import difference, is_close

EXERCISE = Exercise(
    "GroupedQueryAttention", "query heads that share keys and values", minutes=35, difficulty=3, forbids=(ATTENTION,)
)


@in_use(half=True)
def in_chapter(attention_class, draw: Draw) -> Use:
    """A prompt and one more token, then a longer prompt and three more."""
    module = weigh(attention_class(6 * WHOLE, 6, 2, turn), draw)

    def call(prompt: Tensor, tokens: Tensor) -> list[Any]:
        output, cache = module(prompt)
        after, cache = module(tokens, cache)
        return [output, after, *cache]

    def given(batch: int, length: int, more: int) -> tuple[Tensor, Tensor]:
        return draw.normal(batch, length, 6 * WHOLE), draw.normal(batch, more, 6 * WHOLE)

    return Use(call, given(2, 9, 1), given(1, 14, 3), modules=(module,))


HEAD = 3
"""The size of a head, whose root is no integer."""
WHOLE = 4
"""That of one whose root is the same in every precision, as in use it may be asked for in double."""


def turn(vectors: Any, positions: Any = None) -> Tensor:
    """In place of `rotate`: each vector is scaled by a function of its position and mixed with its shifted self."""
    if not isinstance(vectors, Tensor) or vectors.dim() < 2:
        raise MisuseError(
            f"self.rotate was given {kind_of(vectors)}, expected vectors (B, heads, T, d_k), then positions (T,)"
        )
    length = vectors.shape[-2]
    if not isinstance(positions, Tensor) or tuple(positions.shape) != (length,) or positions.is_floating_point():
        raise MisuseError(
            f"self.rotate was given vectors of shape {tuple(vectors.shape)} and positions that are {kind_of(positions)}, expected vectors "
            "(B, heads, T, d_k), and T positions, integers of shape (T,)"
        )
    if vectors.shape[-1] not in (HEAD, WHOLE):
        raise MisuseError(
            f"self.rotate was given vectors of size {vectors.shape[-1]}, expected those of each head, of size d_model / num_heads"
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
    if isinstance(result, list):
        note_slip("what it returned is a list, expected a tuple: return output, cache, without square brackets")
    output, after = result
    if not isinstance(after, (tuple, list)) or len(after) != 2:
        raise MisuseError(
            f"the cache that came back is {kind_of(after)}, expected two tensors: the keys and the values"
        )
    if not isinstance(after, tuple):
        note_slip(f"the cache that came back is {kind_of(after)}, expected a tuple: (keys, values)")
    shape = (batch, shared, before + length, HEAD)
    key, value = unpack(after, keys=shape, values=shape)
    return output, key, value


def asked(
    attention_class, draw: Draw, heads: int, shared: int, batch: int, length: int, before: int = 0
) -> dict[str, Any]:
    """What one call returns."""
    module, inputs = made(attention_class, draw, heads, shared), draw.normal(batch, length, heads * HEAD)
    cache = tuple(draw.normal(batch, shared, before, HEAD) for _ in range(2)) if before else None
    output, key, value = called(module, inputs, cache, shared)
    return {"output": output, "keys": key, "values": value}


@check(
    "with a single position, every head returns the value of that position",
    points=2,
    hint="One position attends to itself with weight 1, so only the values matter. Query heads 0 and 1 get the first head of values, 2 and 3 the second: "
    "compare repeat_interleave with repeat. Only queries and keys are rotated.",
)
def alone(attention_class, draw: Draw):
    """One position, which gets its own value whatever its scores are; four heads share two."""
    return {"output": asked(attention_class, draw, 4, 2, 2, 1)["output"]}


@check(
    "the scores come from rotated queries and rotated keys, divided by √d_k, and no position sees a later one",
    points=2,
    needs=alone,
    reads=("output",),
    hint="Both queries and keys go through self.rotate, with positions starting at 0. The scores are divided by √d_k, where d_k is the size of one head, "
    "and where a key is later than the query they become -inf before the softmax.",
)
def scores(attention_class, draw: Draw):
    """As many heads of keys as of queries, so that groups are not the question; the last position sees all."""
    return asked(attention_class, draw, 2, 2, 2, 4)


@scores.explain
def only_at_the_end(got, want):
    """Where only the last position is right, which may attend to all others."""
    if not is_close(got["output"][:, -1], want["output"][:, -1]):
        return None
    return "the output is right at the last position, which attends to all others, and wrong at earlier ones: what is masked?"


@check(
    "neighbouring query heads share a head of keys and values",
    points=2,
    needs=(alone, scores),
    hint="With six query heads and two heads of keys and values, query heads 0, 1, 2 attend to the first and 3, 4, 5 to the second, for keys and for values. "
    "The cache holds each head once.",
)
def groups(attention_class, draw: Draw):
    """Six query heads share two."""
    return asked(attention_class, draw, 6, 2, 2, 4)


@groups.explain
def kept(got, want):
    """What the cache holds."""
    for name in ("keys", "values"):
        if not is_close(got[name], want[name]):
            return f"the {name} in the cache: {difference(got[name], want[name])}. The cache holds rotated keys and plain values"


@check(
    "new keys come after the cache, and positions continue from it",
    points=2,
    needs=(alone, scores, groups),
    hint="With t positions in the cache the new ones are t, t + 1, …, for the rotation and for the mask. The keys of the cache are rotated already. They "
    "come first.",
)
def cached(attention_class, draw: Draw):
    """One position after five others."""
    return asked(attention_class, draw, 4, 2, 2, 1, 5)


cached.explain(kept)


@check(
    "the arguments are not changed",
    points=1,
    needs=(alone, scores, groups, cached),
    arguments=True,
    hint="`torch.cat` makes a new tensor. Methods that end in an underscore, and +=, change the caller's tensors.",
)
def unchanged(attention_class, draw: Draw):
    """What was given, after a call with a cache."""
    module, inputs = made(attention_class, draw, 2, 1), draw.normal(1, 1, 2 * HEAD)
    cache = draw.normal(1, 1, 3, HEAD), draw.normal(1, 1, 3, HEAD)
    with torch.no_grad():
        output, _, _ = called(module, inputs, cache, 1)
    return {"output": output, "inputs": inputs, "cached keys": cache[0], "cached values": cache[1]}


@check(
    "it works token by token or in parts, with a single head of keys and values, and with a batch of one",
    points=1,
    hidden=True,
    needs=(alone, scores, groups, cached),
    hint="Several positions may follow a cache, and then they need a mask too. Take every size from the inputs and from the cache, whose third dimension "
    "is its length. squeeze() also removes a batch of one.",
)
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
