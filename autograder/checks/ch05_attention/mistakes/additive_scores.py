"""Mistakes in `additive_scores`, and right answers in other styles."""

import torch
from torch import nn

from autograder.checks.ch05_attention.additive_scores import alone, every_pair, one_pair, score_gradient, sizes, slices
from autograder.judging.catalogue import mistake, right


def pairs(queries, keys):
    """Every query beside every key: (B, T, 1, h) and (B, 1, S, h)."""
    return queries.unsqueeze(2), keys.unsqueeze(1)


def total(queries, keys):
    """The sum of every query with every key, (B, T, S, h)."""
    queries, keys = pairs(queries, keys)
    return queries + keys


@mistake(one_pair, "there is no tanh: the scores are wᵀ(W_q q + W_k k)")
def no_tanh(query, key, query_weight, key_weight, score_weight):
    return total(query @ query_weight.T, key @ key_weight.T) @ score_weight


@mistake(one_pair, "the tanh is applied to W_q q and to W_k k separately; expected to their sum")
def tanh_apart(query, key, query_weight, key_weight, score_weight):
    return total((query @ query_weight.T).tanh(), (key @ key_weight.T).tanh()) @ score_weight


@mistake(one_pair, "the tanh is applied to the whole score, expected before the product with w")
def tanh_last(query, key, query_weight, key_weight, score_weight):
    return (total(query @ query_weight.T, key @ key_weight.T) @ score_weight).tanh()


@mistake(one_pair, "the tanh is applied twice, before the product with w and after it")
def tanh_twice(query, key, query_weight, key_weight, score_weight):
    return (total(query @ query_weight.T, key @ key_weight.T).tanh() @ score_weight).tanh()


@mistake(one_pair, "only the query is projected: W_k is not used")
def query_projected_alone(query, key, query_weight, key_weight, score_weight):
    return total(query @ query_weight.T, key).tanh() @ score_weight


@mistake(one_pair, "only the key is projected: W_q is not used")
def key_projected_alone(query, key, query_weight, key_weight, score_weight):
    return total(query, key @ key_weight.T).tanh() @ score_weight


@mistake(one_pair, "neither W_q nor W_k is used")
def nothing_projected(query, key, query_weight, key_weight, score_weight):
    return total(query, key).tanh() @ score_weight


@mistake(one_pair, "the scores do not depend on the key")
def key_left_out(query, key, query_weight, key_weight, score_weight):
    return total(query @ query_weight.T, torch.zeros_like(key @ key_weight.T)).tanh() @ score_weight


@mistake(one_pair, "the scores do not depend on the query")
def query_left_out(query, key, query_weight, key_weight, score_weight):
    return total(torch.zeros_like(query @ query_weight.T), key @ key_weight.T).tanh() @ score_weight


@mistake(one_pair, "W_q projects both the query and the key; expected W_k for the key")
def query_weight_for_both(query, key, query_weight, key_weight, score_weight):
    return total(query @ query_weight.T, key @ query_weight.T).tanh() @ score_weight


@mistake(one_pair, "W_k projects both the query and the key; expected W_q for the query")
def key_weight_for_both(query, key, query_weight, key_weight, score_weight):
    return total(query @ key_weight.T, key @ key_weight.T).tanh() @ score_weight


@mistake(one_pair, "W_q and W_k are swapped")
def weights_swapped(query, key, query_weight, key_weight, score_weight):
    return total(query @ key_weight.T, key @ query_weight.T).tanh() @ score_weight


@mistake(one_pair, "W_q and W_k are the wrong way round: a weight (h, d) is stored as in torch's layers, (out, in)")
def weights_turned(query, key, query_weight, key_weight, score_weight):
    return total(query @ query_weight, key @ key_weight).tanh() @ score_weight


@mistake(one_pair, "W_q is the wrong way round: a weight (h, d) is stored as in torch's layers, (out, in)")
def query_weight_turned(query, key, query_weight, key_weight, score_weight):
    return total(query @ query_weight, key @ key_weight.T).tanh() @ score_weight


@mistake(one_pair, "W_k is the wrong way round: a weight (h, d) is stored as in torch's layers, (out, in)")
def key_weight_turned(query, key, query_weight, key_weight, score_weight):
    return total(query @ query_weight.T, key @ key_weight).tanh() @ score_weight


@mistake(one_pair, "W_q q and W_k k are multiplied, expected their sum")
def multiplied(query, key, query_weight, key_weight, score_weight):
    queries, keys = pairs(query @ query_weight.T, key @ key_weight.T)
    return (queries * keys).tanh() @ score_weight


@mistake(one_pair, "w is not used: the h components are summed without weights")
def summed_without_weight(query, key, query_weight, key_weight, score_weight):
    return total(query @ query_weight.T, key @ key_weight.T).tanh().sum(dim=-1)


@mistake(one_pair, "w is not used: the h components are averaged")
def averaged_without_weight(query, key, query_weight, key_weight, score_weight):
    return total(query @ query_weight.T, key @ key_weight.T).tanh().mean(dim=-1)


@mistake(one_pair, "the h components are averaged after the product with w, expected their sum")
def averaged(query, key, query_weight, key_weight, score_weight):
    return (total(query @ query_weight.T, key @ key_weight.T).tanh() * score_weight).mean(dim=-1)


@mistake(one_pair, "the products with the components of w are not summed")
def not_summed(query, key, query_weight, key_weight, score_weight):
    return total(query @ query_weight.T, key @ key_weight.T).tanh() * score_weight


@mistake(one_pair, "the scores are divided by √h, but this formula has no scale factor")
def scaled(query, key, query_weight, key_weight, score_weight):
    scores = total(query @ query_weight.T, key @ key_weight.T).tanh() @ score_weight
    return scores / len(score_weight) ** 0.5


@mistake(one_pair, "a ReLU is used instead of the tanh")
def with_relu(query, key, query_weight, key_weight, score_weight):
    return total(query @ query_weight.T, key @ key_weight.T).relu() @ score_weight


@mistake(one_pair, "a sigmoid is used instead of the tanh")
def with_sigmoid(query, key, query_weight, key_weight, score_weight):
    return total(query @ query_weight.T, key @ key_weight.T).sigmoid() @ score_weight


@mistake(one_pair, "a softmax is applied; expected the scores, not the weights")
def softmax_applied(query, key, query_weight, key_weight, score_weight):
    return (total(query @ query_weight.T, key @ key_weight.T).tanh() @ score_weight).softmax(dim=-1)


@mistake(
    every_pair, "query t was scored against key t alone: without new dimensions, broadcasting pairs them by position"
)
def pairs_of_equal_place(query, key, query_weight, key_weight, score_weight):
    return (query @ query_weight.T + key @ key_weight.T).tanh() @ score_weight


@mistake(
    every_pair, "query t is scored against key t alone: queries and keys have their new dimension at the same position"
)
def pairs_on_one_axis(query, key, query_weight, key_weight, score_weight):
    queries, keys = (query @ query_weight.T).unsqueeze(2), (key @ key_weight.T).unsqueeze(2)
    return (queries + keys).tanh() @ score_weight


@mistake(every_pair, "query t was scored against key t alone, and this score was repeated for all pairs")
def pairs_of_equal_place_repeated(query, key, query_weight, key_weight, score_weight):
    scores = pairs_of_equal_place(query, key, query_weight, key_weight, score_weight)
    return scores.unsqueeze(2).expand(-1, -1, key.shape[1])


@mistake(every_pair, "rows and columns are swapped: expected a row for each query and a column for each key")
def rows_of_keys(query, key, query_weight, key_weight, score_weight):
    return total(key @ key_weight.T, query @ query_weight.T).tanh() @ score_weight


@mistake(
    every_pair,
    "the queries were repeated in the wrong order, so a row belongs to several queries; expected one query for each row",
)
def keys_by_queries(query, key, query_weight, key_weight, score_weight):
    queries, keys = query @ query_weight.T, key @ key_weight.T
    count = keys.shape[1]
    repeated = queries.repeat(1, count, 1).reshape(len(query), queries.shape[1], count, -1)
    return (repeated + keys.unsqueeze(1)).tanh() @ score_weight


@mistake(sizes, "T is used as the number of keys, expected S")
def as_many_keys_as_queries(query, key, query_weight, key_weight, score_weight):
    rows = []
    for t in range(query.shape[1]):
        layer = [(query[:, t] @ query_weight.T + key[:, i] @ key_weight.T).tanh() for i in range(query.shape[1])]
        rows.append(torch.stack(layer, dim=1) @ score_weight)
    return torch.stack(rows, dim=1)


@mistake(sizes, "queries and keys of different sizes are refused")
def asserts_equal_sizes(query, key, query_weight, key_weight, score_weight):
    assert query.shape[-1] == key.shape[-1]
    return total(query @ query_weight.T, key @ key_weight.T).tanh() @ score_weight


@mistake(sizes, "the queries are expanded to T keys, expected S")
def expands_to_the_other(query, key, query_weight, key_weight, score_weight):
    queries = (query @ query_weight.T).unsqueeze(2).expand(-1, -1, query.shape[1], -1)
    return (queries + (key @ key_weight.T).unsqueeze(1)).tanh() @ score_weight


@mistake(alone, "a dimension of size one is removed that belongs to the result")
def squeezes_everything(query, key, query_weight, key_weight, score_weight):
    layer = total(query @ query_weight.T, key @ key_weight.T).tanh()
    return (layer @ score_weight.unsqueeze(-1)).squeeze()


@mistake(alone, "a dimension of size one is removed that belongs to the result")
def squeezes_query(query, key, query_weight, key_weight, score_weight):
    return (total(query @ query_weight.T, key @ key_weight.T).tanh() @ score_weight).squeeze(1)


@mistake(score_gradient, "the weights are detached or copied into a new tensor, so no gradient reaches them")
def weights_without_gradient(query, key, query_weight, key_weight, score_weight):
    layer = total(query @ query_weight.detach().T, key @ key_weight.detach().T).tanh()
    return layer @ torch.tensor(score_weight.tolist())


@mistake(score_gradient, "everything is computed under no_grad, so no gradient comes back")
def no_gradient(query, key, query_weight, key_weight, score_weight):
    with torch.no_grad():
        return total(query @ query_weight.T, key @ key_weight.T).tanh() @ score_weight


@mistake(slices, "view needs a contiguous tensor; reshape works with any")
def views(query, key, query_weight, key_weight, score_weight):
    queries = query.view(-1, query.shape[-1]) @ query_weight.T
    keys = key.view(-1, key.shape[-1]) @ key_weight.T
    layer = total(queries.view(len(query), -1, len(score_weight)), keys.view(len(key), -1, len(score_weight)))
    return layer.tanh() @ score_weight


@right
def with_einsum(query, key, query_weight, key_weight, score_weight):
    queries = torch.einsum("btd,hd->bth", query, query_weight)
    keys = torch.einsum("bsd,hd->bsh", key, key_weight)
    return torch.einsum("btsh,h->bts", torch.tanh(queries[:, :, None] + keys[:, None]), score_weight)


@right
def loops(query, key, query_weight, key_weight, score_weight):
    rows = []
    for t in range(query.shape[1]):
        row = []
        for i in range(key.shape[1]):
            layer = torch.tanh(query[:, t] @ query_weight.T + key[:, i] @ key_weight.T)
            row.append(layer @ score_weight)
        rows.append(torch.stack(row, dim=1))
    return torch.stack(rows, dim=1)


@right
def one_vector_at_a_time(query, key, query_weight, key_weight, score_weight):
    return torch.stack(
        [
            torch.stack(
                [torch.stack([score_weight @ (query_weight @ q + key_weight @ k).tanh() for k in ks]) for q in qs]
            )
            for qs, ks in zip(query, key, strict=True)
        ]
    )


@right
def one_matrix(query, key, query_weight, key_weight, score_weight):
    shape = (len(query), query.shape[1], key.shape[1])
    both = torch.cat([query.unsqueeze(2).expand(*shape, -1), key.unsqueeze(1).expand(*shape, -1)], dim=-1)
    weight = torch.cat([query_weight, key_weight], dim=1)
    return (both @ weight.T).tanh() @ score_weight


@right
def with_linear(query, key, query_weight, key_weight, score_weight):
    queries = nn.functional.linear(query, query_weight)
    keys = nn.functional.linear(key, key_weight)
    layer = torch.tanh(queries.unsqueeze(-2) + keys.unsqueeze(-3))
    return nn.functional.linear(layer, score_weight.unsqueeze(0)).squeeze(-1)


@right
def keys_before_queries(query, key, query_weight, key_weight, score_weight):
    layer = (key @ key_weight.T).unsqueeze(2) + (query @ query_weight.T).unsqueeze(1)
    return (layer.tanh() * score_weight).sum(dim=-1).transpose(1, 2)


@right
def query_by_query(query, key, query_weight, key_weight, score_weight):
    keys = key @ key_weight.T
    rows = [torch.tanh(q.unsqueeze(1) @ query_weight.T + keys) @ score_weight for q in query.unbind(dim=1)]
    return torch.stack(rows, dim=1)


@right
def repeated(query, key, query_weight, key_weight, score_weight):
    queries = (query @ query_weight.T).repeat_interleave(key.shape[1], dim=1)
    keys = (key @ key_weight.T).repeat(1, query.shape[1], 1)
    layer = (queries + keys).tanh_()
    return (layer @ score_weight).reshape(len(query), query.shape[1], key.shape[1])


class AdditiveScores(nn.Module):
    """A module in the place of a function."""

    def forward(self, query, key, query_weight, key_weight, score_weight):
        return with_einsum(query, key, query_weight, key_weight, score_weight)


right(AdditiveScores())


right(lambda q, k, w_q, w_k, w: ((q @ w_q.T)[..., None, :] + (k @ w_k.T)[:, None]).tanh() @ w)
