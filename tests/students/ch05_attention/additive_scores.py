"""What students hand in for `additive_scores`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import torch
from torch import nn

EXERCISE = "additive_scores"


def pairs(queries, keys):
    """Every query beside every key: (B, T, 1, h) and (B, 1, S, h)."""
    return queries.unsqueeze(2), keys.unsqueeze(1)


def total(queries, keys):
    """The sum of every query with every key, (B, T, S, h)."""
    queries, keys = pairs(queries, keys)
    return queries + keys


def no_tanh(query, key, query_weight, key_weight, score_weight):
    """The tanh is forgotten, and the score of the query is the same for all keys."""
    return total(query @ query_weight.T, key @ key_weight.T) @ score_weight


def tanh_apart(query, key, query_weight, key_weight, score_weight):
    """The tanh of each part, and not of the sum."""
    return total((query @ query_weight.T).tanh(), (key @ key_weight.T).tanh()) @ score_weight


def tanh_last(query, key, query_weight, key_weight, score_weight):
    """The tanh of the score."""
    return (total(query @ query_weight.T, key @ key_weight.T) @ score_weight).tanh()


def tanh_twice(query, key, query_weight, key_weight, score_weight):
    """A tanh before w and one after it."""
    return (total(query @ query_weight.T, key @ key_weight.T).tanh() @ score_weight).tanh()


def query_projected_alone(query, key, query_weight, key_weight, score_weight):
    """W_k is forgotten."""
    return total(query @ query_weight.T, key).tanh() @ score_weight


def key_projected_alone(query, key, query_weight, key_weight, score_weight):
    """W_q is forgotten."""
    return total(query, key @ key_weight.T).tanh() @ score_weight


def nothing_projected(query, key, query_weight, key_weight, score_weight):
    """Both weights are forgotten."""
    return total(query, key).tanh() @ score_weight


def key_left_out(query, key, query_weight, key_weight, score_weight):
    """The key does not matter."""
    return total(query @ query_weight.T, torch.zeros_like(key @ key_weight.T)).tanh() @ score_weight


def query_left_out(query, key, query_weight, key_weight, score_weight):
    """The query does not matter."""
    return total(torch.zeros_like(query @ query_weight.T), key @ key_weight.T).tanh() @ score_weight


def query_weight_for_both(query, key, query_weight, key_weight, score_weight):
    """W_q projects the keys too."""
    return total(query @ query_weight.T, key @ query_weight.T).tanh() @ score_weight


def key_weight_for_both(query, key, query_weight, key_weight, score_weight):
    """W_k projects the queries too."""
    return total(query @ key_weight.T, key @ key_weight.T).tanh() @ score_weight


def weights_swapped(query, key, query_weight, key_weight, score_weight):
    """W_k projects the queries, and W_q the keys."""
    return total(query @ key_weight.T, key @ query_weight.T).tanh() @ score_weight


def weights_turned(query, key, query_weight, key_weight, score_weight):
    """The weights are taken for (in, out)."""
    return total(query @ query_weight, key @ key_weight).tanh() @ score_weight


def query_weight_turned(query, key, query_weight, key_weight, score_weight):
    """One of them is."""
    return total(query @ query_weight, key @ key_weight.T).tanh() @ score_weight


def key_weight_turned(query, key, query_weight, key_weight, score_weight):
    """The other is."""
    return total(query @ query_weight.T, key @ key_weight).tanh() @ score_weight


def multiplied(query, key, query_weight, key_weight, score_weight):
    """A product where the sum belongs."""
    queries, keys = pairs(query @ query_weight.T, key @ key_weight.T)
    return (queries * keys).tanh() @ score_weight


def summed_without_weight(query, key, query_weight, key_weight, score_weight):
    """w is forgotten."""
    return total(query @ query_weight.T, key @ key_weight.T).tanh().sum(dim=-1)


def averaged_without_weight(query, key, query_weight, key_weight, score_weight):
    """w is forgotten, and the mean is taken."""
    return total(query @ query_weight.T, key @ key_weight.T).tanh().mean(dim=-1)


def averaged(query, key, query_weight, key_weight, score_weight):
    """The mean for the sum."""
    return (total(query @ query_weight.T, key @ key_weight.T).tanh() * score_weight).mean(dim=-1)


def not_summed(query, key, query_weight, key_weight, score_weight):
    """The numbers of the layer are left as they are."""
    return total(query @ query_weight.T, key @ key_weight.T).tanh() * score_weight


def scaled(query, key, query_weight, key_weight, score_weight):
    """The scores are multiplied by a scale that is not part of this exercise."""
    scores = total(query @ query_weight.T, key @ key_weight.T).tanh() @ score_weight
    return scores / len(score_weight) ** 0.5


def with_relu(query, key, query_weight, key_weight, score_weight):
    """Another bend."""
    return total(query @ query_weight.T, key @ key_weight.T).relu() @ score_weight


def with_sigmoid(query, key, query_weight, key_weight, score_weight):
    """Another bend still."""
    return total(query @ query_weight.T, key @ key_weight.T).sigmoid() @ score_weight


def softmax_applied(query, key, query_weight, key_weight, score_weight):
    """Weights for scores."""
    return (total(query @ query_weight.T, key @ key_weight.T).tanh() @ score_weight).softmax(dim=-1)


def pairs_of_equal_place(query, key, query_weight, key_weight, score_weight):
    """Query t with key t alone, which broadcasting allows where T and S are equal."""
    return (query @ query_weight.T + key @ key_weight.T).tanh() @ score_weight


def pairs_on_one_axis(query, key, query_weight, key_weight, score_weight):
    """Both get their new axis in the same place."""
    queries, keys = (query @ query_weight.T).unsqueeze(2), (key @ key_weight.T).unsqueeze(2)
    return (queries + keys).tanh() @ score_weight


def pairs_of_equal_place_repeated(query, key, query_weight, key_weight, score_weight):
    """Query t with key t alone, spread out to the right shape."""
    scores = pairs_of_equal_place(query, key, query_weight, key_weight, score_weight)
    return scores.unsqueeze(2).expand(-1, -1, key.shape[1])


def rows_of_keys(query, key, query_weight, key_weight, score_weight):
    """A row for each key."""
    return total(key @ key_weight.T, query @ query_weight.T).tanh() @ score_weight


def keys_by_queries(query, key, query_weight, key_weight, score_weight):
    """Numbers dealt out in the wrong order of axes."""
    queries, keys = query @ query_weight.T, key @ key_weight.T
    count = keys.shape[1]
    repeated = queries.repeat(1, count, 1).reshape(len(query), queries.shape[1], count, -1)
    return (repeated + keys.unsqueeze(1)).tanh() @ score_weight


def as_many_keys_as_queries(query, key, query_weight, key_weight, score_weight):
    """T is used as the number of keys, expected S."""
    rows = []
    for t in range(query.shape[1]):
        layer = [(query[:, t] @ query_weight.T + key[:, i] @ key_weight.T).tanh() for i in range(query.shape[1])]
        rows.append(torch.stack(layer, dim=1) @ score_weight)
    return torch.stack(rows, dim=1)


def asserts_equal_sizes(query, key, query_weight, key_weight, score_weight):
    """One size for everything."""
    assert query.shape[-1] == key.shape[-1]
    return total(query @ query_weight.T, key @ key_weight.T).tanh() @ score_weight


def expands_to_the_other(query, key, query_weight, key_weight, score_weight):
    """Queries and keys are expanded to each other's number."""
    queries = (query @ query_weight.T).unsqueeze(2).expand(-1, -1, query.shape[1], -1)
    return (queries + (key @ key_weight.T).unsqueeze(1)).tanh() @ score_weight


def squeezes_everything(query, key, query_weight, key_weight, score_weight):
    """Dimensions of size one are lost."""
    layer = total(query @ query_weight.T, key @ key_weight.T).tanh()
    return (layer @ score_weight.unsqueeze(-1)).squeeze()


def squeezes_query(query, key, query_weight, key_weight, score_weight):
    """A single query loses its dimension."""
    return (total(query @ query_weight.T, key @ key_weight.T).tanh() @ score_weight).squeeze(1)


def weights_without_gradient(query, key, query_weight, key_weight, score_weight):
    """The weights cannot be learned."""
    layer = total(query @ query_weight.detach().T, key @ key_weight.detach().T).tanh()
    return layer @ torch.tensor(score_weight.tolist())


def no_gradient(query, key, query_weight, key_weight, score_weight):
    """All of it is computed without a gradient."""
    with torch.no_grad():
        return total(query @ query_weight.T, key @ key_weight.T).tanh() @ score_weight


def views(query, key, query_weight, key_weight, score_weight):
    """view takes nothing but numbers that lie side by side."""
    queries = query.view(-1, query.shape[-1]) @ query_weight.T
    keys = key.view(-1, key.shape[-1]) @ key_weight.T
    layer = total(queries.view(len(query), -1, len(score_weight)), keys.view(len(key), -1, len(score_weight)))
    return layer.tanh() @ score_weight


_PAIR = "for one query and one key the score is wᵀ tanh(W_q q + W_k k)"
_EVERY = "every key is scored against every query of its sentence"
_SIZES = "the numbers and sizes of queries, keys and hidden units may all differ"
_ALONE = "one sentence with one query keeps its dimensions"
_GRADIENT = "the gradient reaches query, key and all three weights"
_SLICES = "arguments may be slices or transposes of other tensors"

WRONG = {
    no_tanh: _PAIR,
    tanh_apart: _PAIR,
    tanh_last: _PAIR,
    tanh_twice: _PAIR,
    query_projected_alone: _PAIR,
    key_projected_alone: _PAIR,
    nothing_projected: _PAIR,
    key_left_out: _PAIR,
    query_left_out: _PAIR,
    query_weight_for_both: _PAIR,
    key_weight_for_both: _PAIR,
    weights_swapped: _PAIR,
    weights_turned: _PAIR,
    query_weight_turned: _PAIR,
    key_weight_turned: _PAIR,
    multiplied: _PAIR,
    summed_without_weight: _PAIR,
    averaged_without_weight: _PAIR,
    averaged: _PAIR,
    not_summed: _PAIR,
    scaled: _PAIR,
    with_relu: _PAIR,
    with_sigmoid: _PAIR,
    softmax_applied: _PAIR,
    pairs_of_equal_place: _EVERY,
    pairs_on_one_axis: _EVERY,
    pairs_of_equal_place_repeated: _EVERY,
    rows_of_keys: _EVERY,
    keys_by_queries: _EVERY,
    as_many_keys_as_queries: _SIZES,
    asserts_equal_sizes: _SIZES,
    expands_to_the_other: _SIZES,
    squeezes_everything: _ALONE,
    squeezes_query: _ALONE,
    weights_without_gradient: _GRADIENT,
    no_gradient: _GRADIENT,
    views: _SLICES,
}


def with_einsum(query, key, query_weight, key_weight, score_weight):
    """All products as einsum."""
    queries = torch.einsum("btd,hd->bth", query, query_weight)
    keys = torch.einsum("bsd,hd->bsh", key, key_weight)
    return torch.einsum("btsh,h->bts", torch.tanh(queries[:, :, None] + keys[:, None]), score_weight)


def loops(query, key, query_weight, key_weight, score_weight):
    """Pair by pair."""
    rows = []
    for t in range(query.shape[1]):
        row = []
        for i in range(key.shape[1]):
            layer = torch.tanh(query[:, t] @ query_weight.T + key[:, i] @ key_weight.T)
            row.append(layer @ score_weight)
        rows.append(torch.stack(row, dim=1))
    return torch.stack(rows, dim=1)


def one_vector_at_a_time(query, key, query_weight, key_weight, score_weight):
    """As the formula stands."""
    return torch.stack(
        [
            torch.stack(
                [torch.stack([score_weight @ (query_weight @ q + key_weight @ k).tanh() for k in ks]) for q in qs]
            )
            for qs, ks in zip(query, key, strict=True)
        ]
    )


def one_matrix(query, key, query_weight, key_weight, score_weight):
    """The other form: one matrix [W_q W_k] on [q; k]."""
    shape = (len(query), query.shape[1], key.shape[1])
    both = torch.cat(
        [query.unsqueeze(2).expand(*shape, -1), key.unsqueeze(1).expand(*shape, -1)],
        dim=-1,
    )
    weight = torch.cat([query_weight, key_weight], dim=1)
    return (both @ weight.T).tanh() @ score_weight


def with_linear(query, key, query_weight, key_weight, score_weight):
    """torch's linear for all three products."""
    queries = nn.functional.linear(query, query_weight)
    keys = nn.functional.linear(key, key_weight)
    layer = torch.tanh(queries.unsqueeze(-2) + keys.unsqueeze(-3))
    return nn.functional.linear(layer, score_weight.unsqueeze(0)).squeeze(-1)


def keys_before_queries(query, key, query_weight, key_weight, score_weight):
    """The sums as (B, S, T, h), turned at the end."""
    layer = (key @ key_weight.T).unsqueeze(2) + (query @ query_weight.T).unsqueeze(1)
    return (layer.tanh() * score_weight).sum(dim=-1).transpose(1, 2)


def query_by_query(query, key, query_weight, key_weight, score_weight):
    """One query after the other."""
    keys = key @ key_weight.T
    rows = [torch.tanh(q.unsqueeze(1) @ query_weight.T + keys) @ score_weight for q in query.unbind(dim=1)]
    return torch.stack(rows, dim=1)


def repeated(query, key, query_weight, key_weight, score_weight):
    """Copies where broadcasting would do, and a tanh in place on a tensor of its own."""
    queries = (query @ query_weight.T).repeat_interleave(key.shape[1], dim=1)
    keys = (key @ key_weight.T).repeat(1, query.shape[1], 1)
    layer = (queries + keys).tanh_()
    return (layer @ score_weight).reshape(len(query), query.shape[1], key.shape[1])


class AdditiveScores(nn.Module):
    """A module in the place of a function."""

    def forward(self, query, key, query_weight, key_weight, score_weight):
        return with_einsum(query, key, query_weight, key_weight, score_weight)


RIGHT = {
    "with einsum": with_einsum,
    "loops": loops,
    "one vector at a time": one_vector_at_a_time,
    "one matrix": one_matrix,
    "with linear": with_linear,
    "keys before queries": keys_before_queries,
    "query by query": query_by_query,
    "repeated": repeated,
    "a module": AdditiveScores(),
    "a lambda": lambda q, k, w_q, w_k, w: ((q @ w_q.T)[..., None, :] + (k @ w_k.T)[:, None]).tanh() @ w,
}
