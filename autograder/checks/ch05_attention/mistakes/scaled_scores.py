"""Mistakes in `scaled_scores`, and right answers in other styles."""

import functools
import math

import numpy as np
import torch
from torch import nn

from autograder.checks.ch05_attention.scaled_scores import alone, dot_products, in_chapter, scale, score_gradient
from autograder.judging.catalogue import mistake, right


def dots(query, key):
    """The dot product of each query with each key."""
    return query @ key.transpose(1, 2)


@mistake(dot_products, "rows and columns are swapped: expected a row for each query and a column for each key")
def rows_of_keys(query, key):
    return key @ query.transpose(1, 2) / key.shape[-1] ** 0.5


@mistake(dot_products, "the keys were reshaped, which mixes up their components; swap two of their dimensions instead")
def keys_reshaped(query, key):
    return query @ key.reshape(len(key), key.shape[2], key.shape[1]) / key.shape[-1] ** 0.5


@mistake(dot_products, "query t was scored against key t alone")
def pairs_of_equal_place(query, key):
    if query.shape != key.shape:
        return dots(query, key) / key.shape[-1] ** 0.5
    return (query * key).sum(dim=-1) / key.shape[-1] ** 0.5


@mistake(dot_products, "a softmax is applied; expected the scores, not the weights")
def softmax_applied(query, key):
    return (dots(query, key) / key.shape[-1] ** 0.5).softmax(dim=-1)


@mistake(dot_products, "a softmax is applied; expected the scores, not the weights")
def softmax_of_dots(query, key):
    return dots(query, key).softmax(dim=-1)


@mistake(
    dot_products,
    "each score is divided by the lengths of its query and its key, |q| and |k|; expected one divisor for all scores, the square root of their dimension",
)
def cosine(query, key):
    return nn.functional.cosine_similarity(query.unsqueeze(2), key.unsqueeze(1), dim=-1)


mistake(
    dot_products,
    "each score is divided by the length of its key, |k|; expected one divisor for all scores, the square root of its dimension",
).made_in(softmax_of_dots, length_of_key={".softmax(dim=-1)": " / key.norm(dim=-1).unsqueeze(1)"})


@mistake(dot_products, "the queries are scored against themselves, expected the keys")
def queries_alone(query, key):
    return dots(query, query) / query.shape[-1] ** 0.5


@mistake(scale, "the scores are plain dot products: they are not divided by anything")
def unscaled(query, key):
    return dots(query, key)


@mistake(scale, "the scores are divided by d itself, expected its square root")
def divided_by_size(query, key):
    return dots(query, key) / key.shape[-1]


@mistake(scale, "the scores are multiplied by √d, expected divided by it")
def multiplied(query, key):
    return dots(query, key) * key.shape[-1] ** 0.5


@mistake(scale, "the scores are divided by the fourth root of d, as if only one of query and key had been scaled")
def fourth_root_once(query, key):
    return dots(query / key.shape[-1] ** 0.25, key)


mistake(
    scale, "the scores are divided by √S, where S is the number of keys; expected the square root of their dimension"
).made_in(divided_by_size, root_of_keys={"key.shape[-1]": "math.sqrt(key.shape[1])"})
mistake(
    scale, "the scores are divided by √T, where T is the number of queries; expected the square root of their dimension"
).made_in(divided_by_size, root_of_queries={"key.shape[-1]": "math.sqrt(query.shape[1])"})


@mistake(scale, "the scores are divided by √B, where B is the number of sentences; expected √d")
def root_of_batch(query, key):
    return dots(query, key) / math.sqrt(len(query))


@mistake(scale, "the divisor is a constant, expected √d for vectors of size d")
def root_of_a_constant(query, key):
    return dots(query, key) / 64**0.5


mistake(alone, "a dimension of size one is removed that belongs to the result").made_in(
    unscaled,
    squeezes_everything={"dots(query, key)": "(dots(query, key) / key.shape[-1] ** 0.5).squeeze()"},
    squeezes_query={"dots(query, key)": "(dots(query, key) / key.shape[-1] ** 0.5).squeeze(1)"},
)


@mistake(alone, "a dimension of size one is removed that belongs to the result")
def squeezes_batch(query, key):
    return (dots(query, key) / key.shape[-1] ** 0.5).squeeze(0)


@mistake(score_gradient, "the keys are detached, so no gradient reaches them")
def key_without_gradient(query, key):
    return dots(query, key.detach()) / key.shape[-1] ** 0.5


@mistake(score_gradient, "everything is computed under no_grad, so no gradient comes back")
def no_gradient(query, key):
    with torch.no_grad():
        return dots(query, key) / key.shape[-1] ** 0.5


@mistake(score_gradient, "the scores are computed with NumPy, which cuts off the gradient")
def through_numpy(query, key):
    product = np.einsum("btd,bsd->bts", query.detach().numpy(), key.detach().numpy())
    return torch.from_numpy(product / np.float32(np.sqrt(key.shape[-1])))


@mistake(in_chapter, "the square root of d is truncated to an integer")
def whole_root(query, key):
    return query @ key.transpose(1, 2) / int(math.sqrt(key.shape[-1]))


@mistake(scale, "the scores are divided by √(S d), the root of the number of components of all keys; expected √d")
def root_of_all_components(query, key):
    return dots(query, key) / key[0].numel() ** 0.5


@mistake(in_chapter, "the square root of d is rounded to two decimals")
def rounded_root(query, key):
    return dots(query, key) / round(key.shape[-1] ** 0.5, 2)


@right
def with_einsum(query, key):
    d = query.size(-1)
    return torch.einsum("btd,bsd->bts", query, key).div(math.sqrt(d))


@right
def query_scaled_first(query, key):
    return torch.bmm(query * query.shape[-1] ** -0.5, key.mT)


@right
def fourth_root_twice(query, key):
    root = query.shape[-1] ** 0.25
    return (query / root) @ (key / root).transpose(-1, -2)


@right
def loops(query, key):
    rows = []
    for t in range(query.shape[1]):
        row = [(query[:, t] * key[:, i]).sum(-1) / query.shape[-1] ** 0.5 for i in range(key.shape[1])]
        rows.append(torch.stack(row, dim=-1))
    return torch.stack(rows, dim=1)


@right
def root_as_a_tensor(query, key):
    return dots(query, key) / torch.sqrt(torch.tensor(key.shape[-1], dtype=key.dtype))


@right
def root_by_numpy(query, key):
    return dots(query, key) / np.sqrt(key.shape[-1])


@right
def in_place_on_its_own(query, key):
    scores = dots(query, key)
    scores /= query.shape[-1] ** 0.5
    return scores


@right
def mean_times_root(query, key):
    return (query.unsqueeze(2) * key.unsqueeze(1)).mean(-1) * key.shape[-1] ** 0.5


@right
def each_sentence_alone(query, key):
    return torch.vmap(lambda query, key: query @ key.T / query.shape[-1] ** 0.5)(query, key)


class ScaledScores(nn.Module):
    """A module in the place of a function."""

    def forward(self, query, key):
        return with_einsum(query, key)


right(ScaledScores())


right(functools.partial(with_einsum))


right(lambda q, k: q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5)
