"""The checks of `MultiHeadAttention`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, expect_weights, unpack
from autograder.asking.rules import MULTI_HEAD
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use, weigh
from autograder.declare import Exercise, check

EXERCISE = Exercise("MultiHeadAttention", "several heads at once", minutes=30, difficulty=2, forbids=(MULTI_HEAD,))


_HEADS, _D_MODEL = 2, 12
"""The size of a head is 6, whose root is no whole number."""


@in_use()
def in_chapter(attention_class, draw: Draw) -> Use:
    """Its three methods on a padded batch, then on one sentence that asks itself."""
    module = weigh(attention_class(_D_MODEL, _HEADS, _attend, _split, _merge), draw)

    def call(query: Tensor, memory: Tensor, mask: Tensor) -> list[Any]:
        key, value = module.keys_values(memory)
        return [key, value, *module.look_up(query, key, value, mask), *module(query, memory)]

    def given(batch: int, queries: int, places: int) -> tuple[Tensor, Tensor, Tensor]:
        states = draw.normal(batch, queries, _D_MODEL), draw.normal(batch, places, _D_MODEL)
        return *states, draw.padding_mask(batch, places).unsqueeze(1)

    return Use(call, given(2, 3, 20), given(1, 4, 23), modules=(module,))


D_MODEL, HEADS = 6, 3
SIZE = D_MODEL // HEADS
LAYERS = ("to_query", "to_key", "to_value", "output")


def _mixed(states: Tensor, columns: int, which: float) -> Tensor:
    """Other numbers, each a mixture of all numbers of a vector: (..., columns)."""
    count = torch.arange(1, states.shape[-1] * columns + 1, dtype=torch.float64)
    return states @ torch.sin(which * count).reshape(-1, columns).to(states)


def _split(states: Tensor, num_heads: int) -> Tensor:
    """In place of `split_heads`, of any size: each head gets other mixtures of all numbers of a vector."""
    return torch.stack([_mixed(states, states.shape[-1] // num_heads, head + 1.3) for head in range(num_heads)], dim=1)


def _merge(states: Tensor) -> Tensor:
    """In place of `merge_heads`, of any size: a vector of mixtures of all that the heads have."""
    heads, size = states.shape[1], states.shape[-1]
    return sum((_mixed(states[:, head], heads * size, head + 1.7) for head in range(heads)), states.new_zeros(()))


def _attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """In place of an attention, of any size: sines instead of weights, and both results depend on all that is given."""
    asked, answered = query[..., :1] + 2 * query[..., 1:2], key[..., :1] - 3 * key[..., 1:2]
    weights = torch.sin((asked + answered.transpose(-2, -1)) / 4)
    if mask is not None:
        weights = torch.where(mask, weights, -2.0)
    common = (value * torch.cos(key)).mean(dim=-2, keepdim=True)
    return torch.tanh(common + query * weights.mean(dim=-1, keepdim=True)), weights


def split(states: Tensor, num_heads: int) -> Tensor:
    """In place of `split_heads`: each head gets other mixtures of all numbers of a vector."""
    if not isinstance(states, Tensor) or states.dim() != 3 or states.shape[-1] != D_MODEL:
        raise MisuseError(
            f"split was given {kind_of(states)}, expected vectors (B, T, d_model) and the number of heads. The "
            "keys and values in look_up are already split"
        )
    if not isinstance(num_heads, int) or D_MODEL % num_heads:
        raise MisuseError(f"split was given {num_heads!r:.40} as the number of heads, expected self.num_heads")
    return _split(states, num_heads)


def merge(states: Tensor) -> Tensor:
    """In place of `merge_heads`: a vector of mixtures of all that the heads have."""
    if not isinstance(states, Tensor) or states.dim() != 4 or states.shape[1] * states.shape[3] != D_MODEL:
        raise MisuseError(
            f"merge was given {kind_of(states)}, expected the outputs of the heads, (B, num_heads, T, d_k): the "
            "first result of attention"
        )
    return _merge(states)


def _look(query: Any, key: Any, value: Any) -> None:
    for name, tensor in {"queries": query, "keys": key, "values": value}.items():
        if not isinstance(tensor, Tensor):
            raise MisuseError(f"the {name} that attention was given are {kind_of(tensor)}, expected a tensor")
    if not query.shape[-1] == key.shape[-1] == value.shape[-1]:
        raise MisuseError(
            f"attention was given queries of shape {tuple(query.shape)}, keys of shape {tuple(key.shape)} and values of shape "
            f"{tuple(value.shape)}: their last sizes differ. Is each of them projected and split?"
        )
    if key.shape[-2] != value.shape[-2]:
        raise MisuseError("attention was given different numbers of keys and values: the order is query, key, value")


def shows_query(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """An attention whose weights tell which queries met which keys; what it finds depends on the values alone."""
    _look(query, key, value)
    weights = torch.sin(query[..., :1] + 2 * query[..., 1:2] + key[..., :1].transpose(-2, -1) * 1.5)
    return _found(query, value), weights


def shows_mask(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """An attention whose weights depend on keys and mask, not on the queries."""
    _look(query, key, value)
    weights = torch.cos(key[..., :1].transpose(-2, -1)).expand(*query.shape[:-1], key.shape[-2]).clone()
    if mask is None:
        return _found(query, value), weights
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        raise MisuseError(f"the mask that attention was given is {kind_of(mask)}, expected a bool tensor")
    try:
        masked = torch.where(mask, weights, -2.0)
    except RuntimeError:
        masked = weights[..., :0]
    if masked.shape != weights.shape:
        raise MisuseError(
            f"attention was given a mask of shape {tuple(mask.shape)}, which does not fit scores of shape {tuple(weights.shape)}. A mask "
            "(B, T, S) needs a dimension of size one for the heads"
        )
    return _found(query, value), masked


def _found(query: Tensor, value: Tensor) -> Tensor:
    """The same for every query: (..., T, d_k)."""
    return torch.tanh(value.amax(dim=-2, keepdim=True)).expand(query.shape).clone()


def built(attention_class, draw: Draw, attention, heads: int = HEADS) -> Any:
    """The student's module with drawn weights."""
    module = attention_class(D_MODEL, heads, attention, split, merge)
    shapes: dict[str, tuple[int, ...]] = {}
    for layer in LAYERS:
        shapes |= {f"{layer}.weight": (D_MODEL, D_MODEL), f"{layer}.bias": (D_MODEL,)}
    expect_weights(module, shapes)
    module.load_state_dict({name: draw.normal(*shape, scale=0.5) for name, shape in shapes.items()}, strict=False)
    return module


def look_up(module, query: Tensor, key: Tensor, value: Tensor, *mask: Tensor | None) -> dict[str, Any]:
    """The two results of `look_up` by name."""
    batch, length, _ = query.shape
    heads = key.shape[1]
    shapes = {"output": (batch, length, D_MODEL), "weights": (batch, heads, length, key.shape[2])}
    return dict(zip(shapes, unpack(module.look_up(query, key, value, *mask), **shapes), strict=True))


def _anywhere(query: Tensor, key: Tensor) -> Tensor:
    """A mask that hides nothing."""
    return torch.ones(len(query), 1, key.shape[-2], dtype=torch.bool)


@check(
    "keys and values each go through their own layer and are split",
    points=2,
    draws=2,
    hint="Return two things, first keys, then values. Each is the memory after its own layer, to_key or "
    "to_value, and then after self.split with self.num_heads.",
)
def keys_and_values(attention_class, draw: Draw):
    """What can be looked up."""
    module, memory = built(attention_class, draw, shows_query), draw.normal(2, 5, D_MODEL)
    shape = (2, HEADS, 5, SIZE)
    found = dict(zip(("key", "value"), unpack(module.keys_values(memory), key=shape, value=shape), strict=True))
    for name, tensor in found.items():
        if isinstance(tensor, Tensor) and tensor.shape == memory.shape:
            raise MisuseError(f"the {name}s have shape {tuple(tensor.shape)}: they are not split into heads")
    return found


@check(
    "the queries are projected and split, and the keys are used as they are given",
    points=1,
    draws=2,
    hint="The query is not projected yet: it goes through to_query, then through self.split. Key and value are "
    "already projected and split: pass them to self.attention unchanged, in the order query, key, value, "
    "mask. Return the output, then the weights as self.attention returns them. Use the functions that are given, "
    "whatever they compute.",
)
def queries(attention_class, draw: Draw):
    """Who asks whom, with one head, whose pieces are as large as the vectors: any projection goes through."""
    module = built(attention_class, draw, shows_query, heads=1)
    query, key, value = draw.normal(2, 4, D_MODEL), draw.normal(2, 1, 5, D_MODEL), draw.normal(2, 1, 5, D_MODEL)
    weights = look_up(module, query, key, value, _anywhere(query, key))["weights"]
    if isinstance(weights, Tensor) and weights.shape == (2, 4, 5):
        raise MisuseError("the weights have shape (2, 4, 5), expected (2, 1, 4, 5): those of each head, not their mean")
    return {"weights": weights}


@check(
    "the outputs of the heads are merged and go through the output layer",
    points=2,
    needs=queries,
    draws=2,
    hint="The first result of attention is the output of every head, (B, num_heads, T, d_k). It is merged with "
    "self.merge, and then goes through the layer `output`. Use the functions that are given, whatever they compute.",
)
def merged(attention_class, draw: Draw):
    """What becomes of what the heads found, which does not depend on the queries."""
    module = built(attention_class, draw, shows_query)
    query, key, value = draw.normal(2, 4, D_MODEL), draw.normal(2, HEADS, 5, SIZE), draw.normal(2, HEADS, 5, SIZE)
    return {"output": look_up(module, query, key, value, _anywhere(query, key))["output"]}


@check(
    "the mask is the same for all heads",
    points=2,
    needs=queries,
    draws=2,
    hint="The mask is (B, T, S) or (B, 1, S), the scores are (B, num_heads, T, S). Where do you have to insert a "
    "dimension of size one, so that all heads have the same mask?",
)
def masked(attention_class, draw: Draw):
    """A mask for each sentence; as many sentences as heads, so that the two can change places."""
    module = built(attention_class, draw, shows_mask)
    query, key, value = draw.normal(3, 4, D_MODEL), draw.normal(3, HEADS, 5, SIZE), draw.normal(3, HEADS, 5, SIZE)
    mask = draw.padding_mask(4, 5)[1:].unsqueeze(1)
    return {"weights": look_up(module, query, key, value, mask)["weights"]}


@check(
    "the mask may differ between queries, or be the same for all sentences",
    points=1,
    hidden=True,
    needs=(queries, masked),
    draws=2,
    hint="The mask may be (B, T, S), (1, T, S) or (1, 1, S). Insert the dimension for the heads after the "
    "sentences, and do not index the mask or take sizes from it.",
)
def any_mask(attention_class, draw: Draw):
    """A mask for each query, one for all sentences, one for all queries of all sentences, and one that hides all; as many queries as heads."""
    module = built(attention_class, draw, shows_mask)
    query, key, value = draw.normal(2, 3, D_MODEL), draw.normal(2, HEADS, 5, SIZE), draw.normal(2, HEADS, 5, SIZE)
    masks = {"(B, T, S)": draw.mask(2, 3, 5), "(1, T, S)": draw.mask(1, 3, 5), "(1, 1, S)": draw.mask(1, 1, 5)}
    masks["False everywhere"] = torch.zeros(2, 1, 5, dtype=torch.bool)
    return {name: look_up(module, query, key, value, mask)["weights"] for name, mask in masks.items()}


@check(
    "forward works with the query as memory, with another memory, and with a single query, without a mask",
    points=1,
    hidden=True,
    needs=(keys_and_values, queries, merged),
    draws=2,
    hint="If there is no mask, it is None, and attention gets None. During translation B and T are 1: squeeze() "
    "removes every dimension of size one. T and S differ if the memory is another tensor.",
)
def whole(attention_class, draw: Draw):
    """Vectors that look themselves up and that look up others, without a mask; one sentence with one query."""
    answers = {}
    for name, batch, length, memory_length in (("itself", 2, 4, None), ("another", 2, 4, 5), ("one query", 1, 1, 5)):
        module, query = built(attention_class, draw, shows_query), draw.normal(batch, length, D_MODEL)
        memory = query if memory_length is None else draw.normal(batch, memory_length, D_MODEL)
        found = unpack(
            module(query, memory), output=(batch, length, D_MODEL), weights=(batch, HEADS, length, memory.shape[1])
        )
        answers[name] = dict(zip(("output", "weights"), found, strict=True))
    return answers


@check(
    "the gradient reaches every layer, the query and the memory",
    points=1,
    hidden=True,
    needs=(keys_and_values, queries, merged),
    draws=2,
    hint="Use torch's operations on the tensors themselves: detach, .data and no_grad stop the gradient.",
)
def gradient(attention_class, draw: Draw):
    """What comes back to every weight, to the query and to the memory."""
    module = built(attention_class, draw, shows_query)
    query, memory = draw.normal(2, 4, D_MODEL).requires_grad_(), draw.normal(2, 5, D_MODEL).requires_grad_()
    result = module(query * 1, memory * 1, torch.ones(2, 1, 5, dtype=torch.bool))
    output, weights = unpack(result, output=(2, 4, D_MODEL), weights=(2, HEADS, 4, 5))
    (output * draw.normal(2, 4, D_MODEL)).mean().add((weights * draw.normal(2, HEADS, 4, 5)).mean()).backward()
    own = dict(module.named_parameters())
    of_layers = {f"{layer}.{part}": own[f"{layer}.{part}"].grad for layer in LAYERS for part in ("weight", "bias")}
    return {"query": query.grad, "memory": memory.grad, **of_layers}
