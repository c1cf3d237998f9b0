"""What students hand in for `scaled_scores`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import math

import numpy as np
import torch
from torch import nn

EXERCISE = "scaled_scores"


def dots(query, key):
    """The dot product of each query with each key."""
    return query @ key.transpose(1, 2)


def rows_of_keys(query, key):
    """A row for each key."""
    return key @ query.transpose(1, 2) / key.shape[-1] ** 0.5


def keys_reshaped(query, key):
    """reshape in the place of transpose."""
    return query @ key.reshape(len(key), key.shape[2], key.shape[1]) / key.shape[-1] ** 0.5


def pairs_of_equal_place(query, key):
    """Query t with key t alone."""
    if query.shape != key.shape:
        return dots(query, key) / key.shape[-1] ** 0.5
    return (query * key).sum(dim=-1) / key.shape[-1] ** 0.5


def softmax_applied(query, key):
    """Weights for scores."""
    return (dots(query, key) / key.shape[-1] ** 0.5).softmax(dim=-1)


def softmax_of_dots(query, key):
    """Weights for scores, and no scale."""
    return dots(query, key).softmax(dim=-1)


def cosine(query, key):
    """The lengths of the vectors for the root of their size."""
    return nn.functional.cosine_similarity(query.unsqueeze(2), key.unsqueeze(1), dim=-1)


def length_of_key(query, key):
    """|k| is read as the length of the vector k."""
    return dots(query, key) / key.norm(dim=-1).unsqueeze(1)


def queries_alone(query, key):
    """The keys do not come into it."""
    return dots(query, query) / query.shape[-1] ** 0.5


def unscaled(query, key):
    """No scale."""
    return dots(query, key)


def divided_by_size(query, key):
    """d for its root."""
    return dots(query, key) / key.shape[-1]


def divided_twice(query, key):
    """The root of d divides both."""
    scale = key.shape[-1] ** 0.5
    return dots(query / scale, key / scale)


def multiplied(query, key):
    """Multiplied by the root."""
    return dots(query, key) * key.shape[-1] ** 0.5


def fourth_root_once(query, key):
    """The fourth root divides the query, and nothing the key."""
    return dots(query / key.shape[-1] ** 0.25, key)


def root_of_keys(query, key):
    """The number of keys for their size."""
    return dots(query, key) / math.sqrt(key.shape[1])


def root_of_queries(query, key):
    """The number of queries for their size."""
    return dots(query, key) / math.sqrt(query.shape[1])


def root_of_batch(query, key):
    """The number of sentences for the size."""
    return dots(query, key) / math.sqrt(len(query))


def root_of_a_constant(query, key):
    """Right for the model that it was written for."""
    return dots(query, key) / 64**0.5


def squeezes_everything(query, key):
    """Dimensions of size one are lost."""
    return (dots(query, key) / key.shape[-1] ** 0.5).squeeze()


def squeezes_query(query, key):
    """A single query loses its dimension."""
    return (dots(query, key) / key.shape[-1] ** 0.5).squeeze(1)


def squeezes_batch(query, key):
    """A batch of one loses its batch."""
    return (dots(query, key) / key.shape[-1] ** 0.5).squeeze(0)


def key_without_gradient(query, key):
    """The keys cannot be learned."""
    return dots(query, key.detach()) / key.shape[-1] ** 0.5


def no_gradient(query, key):
    """All of it is computed without a gradient."""
    with torch.no_grad():
        return dots(query, key) / key.shape[-1] ** 0.5


def through_numpy(query, key):
    """The gradient does not go through numpy."""
    product = np.einsum("btd,bsd->bts", query.detach().numpy(), key.detach().numpy())
    return torch.from_numpy(product / np.float32(np.sqrt(key.shape[-1])))


def whole_root(query, key):
    """The square root of d is truncated to an integer."""
    return query @ key.transpose(1, 2) / int(math.sqrt(key.shape[-1]))


_USE = "works as the chapter uses it"
_DOT = "the scores are dot products, apart from their scale"
_SCALE = "the scores are divided by √d"
_ALONE = "one sentence with one query keeps its dimensions"
_GRADIENT = "the gradient reaches query and key"

WRONG = {
    whole_root: _USE,
    rows_of_keys: _DOT,
    keys_reshaped: _DOT,
    pairs_of_equal_place: _DOT,
    softmax_applied: _DOT,
    softmax_of_dots: _DOT,
    cosine: _DOT,
    length_of_key: _DOT,
    queries_alone: _DOT,
    unscaled: _SCALE,
    divided_by_size: _SCALE,
    divided_twice: _SCALE,
    multiplied: _SCALE,
    fourth_root_once: _SCALE,
    root_of_keys: _SCALE,
    root_of_queries: _SCALE,
    root_of_batch: _SCALE,
    root_of_a_constant: _SCALE,
    squeezes_everything: _ALONE,
    squeezes_query: _ALONE,
    squeezes_batch: _ALONE,
    key_without_gradient: _GRADIENT,
    no_gradient: _GRADIENT,
    through_numpy: _GRADIENT,
}


def with_einsum(query, key):
    """The product as einsum, the size by name."""
    d = query.size(-1)
    return torch.einsum("btd,bsd->bts", query, key).div(math.sqrt(d))


def query_scaled_first(query, key):
    """The query is scaled before the product."""
    return torch.bmm(query * query.shape[-1] ** -0.5, key.mT)


def fourth_root_twice(query, key):
    """Query and key share the scale."""
    root = query.shape[-1] ** 0.25
    return (query / root) @ (key / root).transpose(-1, -2)


def loops(query, key):
    """Pair by pair."""
    rows = []
    for t in range(query.shape[1]):
        row = [(query[:, t] * key[:, i]).sum(-1) / query.shape[-1] ** 0.5 for i in range(key.shape[1])]
        rows.append(torch.stack(row, dim=-1))
    return torch.stack(rows, dim=1)


def root_as_a_tensor(query, key):
    """The root of a tensor."""
    return dots(query, key) / torch.sqrt(torch.tensor(key.shape[-1], dtype=key.dtype))


def root_by_numpy(query, key):
    """The root of numpy."""
    return dots(query, key) / np.sqrt(key.shape[-1])


def in_place_on_its_own(query, key):
    """A tensor of its own may be changed in place."""
    scores = dots(query, key)
    scores /= query.shape[-1] ** 0.5
    return scores


def mean_times_root(query, key):
    """The mean of the products, times the root."""
    return (query.unsqueeze(2) * key.unsqueeze(1)).mean(-1) * key.shape[-1] ** 0.5


class ScaledScores(nn.Module):
    """A module in the place of a function."""

    def forward(self, query, key):
        return with_einsum(query, key)


RIGHT = {
    "with einsum": with_einsum,
    "query scaled first": query_scaled_first,
    "fourth root twice": fourth_root_twice,
    "loops": loops,
    "root as a tensor": root_as_a_tensor,
    "root by numpy": root_by_numpy,
    "in place on its own": in_place_on_its_own,
    "mean times root": mean_times_root,
    "a module": ScaledScores(),
    "a partial": functools.partial(with_einsum),
    "a lambda": lambda q, k: q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5,
}
