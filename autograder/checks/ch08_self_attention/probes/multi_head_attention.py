"""What is asked of `MultiHeadAttention`, with stand-ins for attention, split and merge.

A stand-in takes any number of dimensions in front where that makes no difference, so that heads may also be run one by one.
"""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, expect_weights, unpack

D_MODEL, HEADS = 6, 3
SIZE = D_MODEL // HEADS
LAYERS = ("to_query", "to_key", "to_value", "output")


def _mixture(rows: int, columns: int, which: float = 1.0) -> Tensor:
    """A fixed matrix: (rows, columns)."""
    return torch.sin(which * torch.arange(1, rows * columns + 1, dtype=torch.float32)).reshape(rows, columns)


def split(states: Tensor, num_heads: int) -> Tensor:
    """In place of `split_heads`: each head gets other mixtures of all numbers of a vector."""
    if not isinstance(states, Tensor) or states.dim() != 3 or states.shape[-1] != D_MODEL:
        raise MisuseError(
            f"split was given {kind_of(states)}, expected vectors (B, T, d_model) and the number of heads. The "
            "keys and values in look_up are already split"
        )
    if not isinstance(num_heads, int) or D_MODEL % num_heads:
        raise MisuseError(f"split was given {num_heads!r:.40} as the number of heads, expected self.num_heads")
    pieces = [states @ _mixture(D_MODEL, D_MODEL // num_heads, head + 1.3) for head in range(num_heads)]
    return torch.stack(pieces, dim=1)


def merge(states: Tensor) -> Tensor:
    """In place of `merge_heads`: a vector of mixtures of all that the heads have."""
    if not isinstance(states, Tensor) or states.dim() != 4 or states.shape[1] * states.shape[3] != D_MODEL:
        raise MisuseError(
            f"merge was given {kind_of(states)}, expected the outputs of the heads, (B, num_heads, T, d_k): the "
            "first result of attention"
        )
    heads, size = states.shape[1], states.shape[3]
    return sum((states[:, head] @ _mixture(size, D_MODEL, head + 1.7) for head in range(heads)), states.new_zeros(()))


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


@torch.no_grad()
def projected(module, vectors: Tensor) -> dict[str, Tensor]:
    """What each of the layers makes of the vectors, and the vectors themselves."""
    own = dict(module.named_parameters())
    linear = nn.functional.linear
    made = {name: linear(vectors, own[f"{name}.weight"], own[f"{name}.bias"]) for name in LAYERS}
    return {**made, "none": vectors}


def look_up(module, query: Tensor, key: Tensor, value: Tensor, *mask: Tensor | None) -> dict[str, Any]:
    """The two results of `look_up` by name."""
    batch, length, _ = query.shape
    heads = key.shape[1]
    shapes = {"output": (batch, length, D_MODEL), "weights": (batch, heads, length, key.shape[2])}
    return dict(zip(shapes, unpack(module.look_up(query, key, value, *mask), **shapes), strict=True))


def _anywhere(query: Tensor, key: Tensor) -> Tensor:
    """A mask that hides nothing."""
    return torch.ones(len(query), 1, key.shape[-2], dtype=torch.bool)


@probe("MultiHeadAttention", draws=2)
def keys_and_values(attention_class, draw: Draw):
    """What can be looked up."""
    module, memory = built(attention_class, draw, shows_query), draw.normal(2, 5, D_MODEL)
    shape = (2, HEADS, 5, SIZE)
    found = dict(zip(("key", "value"), unpack(module.keys_values(memory), key=shape, value=shape), strict=True))
    for name, tensor in found.items():
        if isinstance(tensor, Tensor) and tensor.shape == memory.shape:
            raise MisuseError(f"the {name}s have shape {tuple(tensor.shape)}: they are not split into heads")
    return {**found, "projected": projected(module, memory)}


@probe("MultiHeadAttention", draws=2)
def queries(attention_class, draw: Draw):
    """Who asks whom, with one head, whose pieces are as large as the vectors: any projection goes through."""
    module = built(attention_class, draw, shows_query, heads=1)
    query, key, value = draw.normal(2, 4, D_MODEL), draw.normal(2, 1, 5, D_MODEL), draw.normal(2, 1, 5, D_MODEL)
    weights = look_up(module, query, key, value, _anywhere(query, key))["weights"]
    if isinstance(weights, Tensor) and weights.shape == (2, 4, 5):
        raise MisuseError("the weights have shape (2, 4, 5), expected (2, 1, 4, 5): those of each head, not their mean")
    return {
        "weights": weights,
        "projected": projected(module, query),
        "key": key,
        "key projected": projected(module, key),
        "value": value,
    }


@probe("MultiHeadAttention", draws=2)
def merged(attention_class, draw: Draw):
    """What becomes of what the heads found, which does not depend on the queries."""
    module = built(attention_class, draw, shows_query)
    query, key, value = draw.normal(2, 4, D_MODEL), draw.normal(2, HEADS, 5, SIZE), draw.normal(2, HEADS, 5, SIZE)
    output = look_up(module, query, key, value, _anywhere(query, key))["output"]
    asked = query.unsqueeze(1).expand(-1, HEADS, -1, -1)[..., :SIZE]
    return {
        "output": output,
        "found": _found(asked, value),
        "merged": projected(module, merge(_found(asked, value))),
        "output layer": [module.output.weight, module.output.bias],
        "of the keys": projected(module, merge(_found(asked, key))),
    }


@probe("MultiHeadAttention", draws=2)
def masked(attention_class, draw: Draw):
    """A mask for each sentence; as many sentences as heads, so that the two can change places."""
    module = built(attention_class, draw, shows_mask)
    query, key, value = draw.normal(3, 4, D_MODEL), draw.normal(3, HEADS, 5, SIZE), draw.normal(3, HEADS, 5, SIZE)
    mask = draw.padding_mask(4, 5)[1:].unsqueeze(1)
    return {"weights": look_up(module, query, key, value, mask.clone())["weights"], "key": key, "mask": mask}


@probe("MultiHeadAttention", draws=2)
def any_mask(attention_class, draw: Draw):
    """A mask for each query, one for all sentences, one for all queries of all sentences; as many queries as heads."""
    module = built(attention_class, draw, shows_mask)
    query, key, value = draw.normal(2, 3, D_MODEL), draw.normal(2, HEADS, 5, SIZE), draw.normal(2, HEADS, 5, SIZE)
    masks = {"(B, T, S)": draw.mask(2, 3, 5), "(1, T, S)": draw.mask(1, 3, 5), "(1, 1, S)": draw.mask(1, 1, 5)}
    return {name: look_up(module, query, key, value, mask)["weights"] for name, mask in masks.items()}


@probe("MultiHeadAttention", draws=2)
def whole(attention_class, draw: Draw):
    """Vectors that look themselves up and that look up others, without a mask; one sentence with one query."""
    answers = {}
    for name, batch, length, memory_length in (("itself", 2, 4, None), ("another", 2, 4, 5), ("one query", 1, 1, 5)):
        module, query = built(attention_class, draw, shows_query), draw.normal(batch, length, D_MODEL)
        memory = query if memory_length is None else draw.normal(batch, memory_length, D_MODEL)
        found = unpack(
            module(query, memory),
            output=(batch, length, D_MODEL),
            weights=(batch, HEADS, length, memory.shape[1]),
        )
        answers[name] = dict(zip(("output", "weights"), found, strict=True))
    return answers


@probe("MultiHeadAttention", draws=2)
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
