"""What students hand in for `multiplicative_scores`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools

import torch
from torch import nn

EXERCISE = "multiplicative_scores"


def dot_product(query, key, weight):
    """W is left out."""
    return query @ key.transpose(1, 2)


def transposed_weight(query, key, weight):
    """W goes in the wrong way round, as a layer's weight would."""
    return query @ weight.T @ key.transpose(1, 2)


def as_a_layer(query, key, weight):
    """torch's layers transpose their weight."""
    return nn.functional.linear(query, weight) @ key.transpose(1, 2)


def diagonal_of_weight(query, key, weight):
    """One letter of the einsum twice."""
    return torch.einsum("btd,dd,bsd->bts", query, weight, key)


def scaled(query, key, weight):
    """The scores are multiplied by a scale that is not part of this exercise."""
    return query @ weight @ key.transpose(1, 2) / key.shape[-1] ** 0.5


def averaged(query, key, weight):
    """The mean for the sum."""
    return ((query @ weight).unsqueeze(2) * key.unsqueeze(1)).mean(dim=-1)


def softmax_applied(query, key, weight):
    """Weights for scores."""
    return (query @ weight @ key.transpose(1, 2)).softmax(dim=-1)


def tanh_applied(query, key, weight):
    """A tanh that belongs to another score."""
    return (query @ weight @ key.transpose(1, 2)).tanh()


def query_on_both_sides(query, key, weight):
    """The query is scored against itself."""
    return query @ weight @ query.transpose(1, 2)


def key_on_both_sides(query, key, weight):
    """The key is scored against itself."""
    return key @ weight @ key.transpose(1, 2)


def not_summed(query, key, weight):
    """The products are not summed."""
    return (query @ weight).unsqueeze(2) * key.unsqueeze(1)


def nothing_returned(query, key, weight):
    """The return is missing."""
    query @ weight @ key.transpose(1, 2)


def rows_of_keys(query, key, weight):
    """A row for each key."""
    return key @ (query @ weight).transpose(1, 2)


def keys_reshaped(query, key, weight):
    """reshape in the place of transpose."""
    return query @ weight @ key.reshape(len(key), key.shape[2], key.shape[1])


def pairs_of_equal_place(query, key, weight):
    """Query t with key t alone."""
    return (query @ weight * key).sum(dim=-1)


def across_sentences(query, key, weight):
    """The keys of the first sentence serve all."""
    return query @ weight @ key[0].T


def as_many_keys_as_queries(query, key, weight):
    """T is used as the number of keys, expected S."""
    scores = query.new_zeros(len(query), query.shape[1], query.shape[1])
    for t in range(query.shape[1]):
        for i in range(query.shape[1]):
            scores[:, t, i] = (query[:, t] @ weight * key[:, i]).sum(dim=-1)
    return scores


def asserts_equal_sizes(query, key, weight):
    """Queries and keys of one size alone."""
    assert query.shape[-1] == key.shape[-1]
    return query @ weight @ key.transpose(1, 2)


def reshapes_by_query(query, key, weight):
    """d_q is taken for d_k."""
    projected = (query @ weight).reshape(len(query), -1, query.shape[-1])
    return projected @ key.reshape(len(key), -1, query.shape[-1]).transpose(1, 2)


def squeezes_everything(query, key, weight):
    """Dimensions of size one are lost."""
    return (query @ weight @ key.transpose(1, 2)).squeeze()


def squeezes_query(query, key, weight):
    """A single query loses its dimension."""
    return (query @ weight @ key.transpose(1, 2)).squeeze(1)


def squeezes_batch(query, key, weight):
    """A batch of one loses its batch."""
    return (query @ weight @ key.transpose(1, 2)).squeeze(0)


def weight_without_gradient(query, key, weight):
    """W cannot be learned."""
    return query @ weight.detach() @ key.transpose(1, 2)


def number_by_number(query, key, weight):
    """Numbers taken out of their tensors."""
    rows = [
        [[sum((q @ weight * k).tolist()) for k in keys] for q in queries]
        for queries, keys in zip(query, key, strict=True)
    ]
    return query.new_tensor(rows)


def no_gradient(query, key, weight):
    """All of it is computed without a gradient."""
    with torch.no_grad():
        return query @ weight @ key.transpose(1, 2)


def zeros_of_single_precision(query, key, weight):
    """The scores are put into a float32 tensor."""
    scores = torch.zeros(len(query), query.shape[1], key.shape[1])
    for i in range(key.shape[1]):
        scores[:, :, i] = (query @ weight * key[:, i : i + 1]).sum(dim=-1)
    return scores


def returns_single_precision(query, key, weight):
    """Everything is made float32."""
    return query.float() @ weight.float() @ key.float().transpose(1, 2)


def bent_queries(query, key, weight):
    """There is a tanh around the query, as in the additive score."""
    return (query @ weight).tanh() @ key.transpose(-2, -1)


def summed_over_the_batch(query, key, weight):
    """The keys of all sentences are summed."""
    return torch.einsum("btq,qk,csk->bts", query, weight, key)


def largest_taken_away(query, key, weight):
    """The largest score of each row is subtracted, which only the softmax should do."""
    scores = query @ weight @ key.transpose(-2, -1)
    return scores - scores.amax(dim=-1, keepdim=True)


_PAIR = "for one query and one key the score is qᵀ W k"
_EVERY = "every key is scored against every query of its sentence"
_SIZES = "queries and keys may differ in number and in size"
_ALONE = "one sentence with one query keeps its dimensions"
_GRADIENT = "the gradient reaches query, key and W"
_TYPES = "the scores have the floating-point type of their arguments"

WRONG = {
    bent_queries: _PAIR,
    summed_over_the_batch: _PAIR,
    largest_taken_away: _PAIR,
    dot_product: _PAIR,
    transposed_weight: _PAIR,
    as_a_layer: _PAIR,
    diagonal_of_weight: _PAIR,
    scaled: _PAIR,
    averaged: _PAIR,
    softmax_applied: _PAIR,
    tanh_applied: _PAIR,
    query_on_both_sides: _PAIR,
    key_on_both_sides: _PAIR,
    not_summed: _PAIR,
    nothing_returned: _PAIR,
    across_sentences: _PAIR,
    rows_of_keys: _EVERY,
    keys_reshaped: _EVERY,
    pairs_of_equal_place: _EVERY,
    as_many_keys_as_queries: _SIZES,
    asserts_equal_sizes: _SIZES,
    reshapes_by_query: _SIZES,
    squeezes_everything: _ALONE,
    squeezes_query: _ALONE,
    squeezes_batch: _ALONE,
    weight_without_gradient: _GRADIENT,
    number_by_number: _GRADIENT,
    no_gradient: _GRADIENT,
    zeros_of_single_precision: _TYPES,
    returns_single_precision: _TYPES,
}


def with_einsum(query, key, weight):
    """All of it in one call."""
    return torch.einsum("btd,de,bse->bts", query, weight, key)


def keys_first(query, key, weight):
    """W and the keys first."""
    return query.matmul(weight.matmul(key.mT))


def loops(query, key, weight):
    """Pair by pair."""
    rows = []
    for t in range(query.shape[1]):
        row = [(query[:, t] @ weight * key[:, i]).sum(dim=-1) for i in range(key.shape[1])]
        rows.append(torch.stack(row, dim=-1))
    return torch.stack(rows, dim=1)


def loops_over_sentences(query, key, weight):
    """Sentence by sentence."""
    return torch.stack([q @ weight @ k.T for q, k in zip(query, key, strict=True)])


def multiplied_and_summed(query, key, weight):
    """Broadcasting and a sum."""
    return ((query @ weight).unsqueeze(2) * key.unsqueeze(1)).sum(-1)


def with_linear(query, key, weight):
    """A layer on the keys: W k for each."""
    return torch.bmm(query, nn.functional.linear(key, weight).transpose(1, 2))


def torchs_bilinear(query, key, weight):
    """torch's own bilinear form, of every pair."""
    shape = (len(query), query.shape[1], key.shape[1])
    queries = query.unsqueeze(2).expand(*shape, -1).contiguous()
    keys = key.unsqueeze(1).expand(*shape, -1).contiguous()
    return nn.functional.bilinear(queries, keys, weight.unsqueeze(0)).squeeze(-1)


def filled_in(query, key, weight):
    """A tensor that is filled number by number, of the right type."""
    scores = torch.zeros(len(query), query.shape[1], key.shape[1], dtype=query.dtype, device=query.device)
    for b in range(scores.shape[0]):
        for t in range(scores.shape[1]):
            for i in range(scores.shape[2]):
                scores[b, t, i] = query[b, t] @ weight @ key[b, i]
    return scores


def flattened(query, key, weight):
    """All queries of the batch in one product."""
    projected = query.reshape(-1, query.shape[-1]) @ weight
    return projected.reshape(len(query), -1, key.shape[-1]) @ key.permute(0, 2, 1)


class MultiplicativeScores(nn.Module):
    """A module in the place of a function."""

    def forward(self, query, key, weight):
        return with_einsum(query, key, weight)


RIGHT = {
    "with einsum": with_einsum,
    "keys first": keys_first,
    "loops": loops,
    "loops over sentences": loops_over_sentences,
    "multiplied and summed": multiplied_and_summed,
    "with linear": with_linear,
    "torch's bilinear": torchs_bilinear,
    "filled in": filled_in,
    "flattened": flattened,
    "a module": MultiplicativeScores(),
    "a lambda": lambda q, k, w: q @ w @ k.transpose(-2, -1),
    "a partial": functools.partial(torch.einsum, "btd,bse,de->bts"),
}
