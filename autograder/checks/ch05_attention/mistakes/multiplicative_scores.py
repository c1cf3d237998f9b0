"""Mistakes in `multiplicative_scores`, and right answers in other styles."""

import functools

import torch
from torch import nn

from autograder.checks.ch05_attention.multiplicative_scores import (
    alone,
    every_pair,
    one_pair,
    score_gradient,
    sizes,
    types,
)
from autograder.judging.catalogue import mistake, right


@mistake(sizes, "view needs a contiguous tensor; reshape works with any")
def views(query, key, weight):
    batch, length, size = query.shape
    return (query.view(batch * length, size) @ weight).view(batch, length, -1) @ key.transpose(1, 2)


@mistake(one_pair, "W is not used: the scores are the dot product qᵀ k")
def dot_product(query, key, weight):
    return query @ key.transpose(1, 2)


@mistake(one_pair, "W is the wrong way round: the scores are qᵀ Wᵀ k, which is kᵀ W q")
def transposed_weight(query, key, weight):
    return query @ weight.T @ key.transpose(1, 2)


@mistake(
    one_pair,
    "only the diagonal of W is used: the scores are Σ_j q_j W_jj k_j, expected a sum over all rows and columns of W",
)
def diagonal_of_weight(query, key, weight):
    return torch.einsum("btd,dd,bsd->bts", query, weight, key)


@mistake(one_pair, "the scores are divided by the root of a size, but this formula has no scale factor")
def scaled(query, key, weight):
    return query @ weight @ key.transpose(1, 2) / key.shape[-1] ** 0.5


@mistake(one_pair, "the products are averaged over the components, expected their sum")
def averaged(query, key, weight):
    return ((query @ weight).unsqueeze(2) * key.unsqueeze(1)).mean(dim=-1)


@mistake(one_pair, "a softmax is applied; expected the scores, not the weights")
def softmax_applied(query, key, weight):
    return (query @ weight @ key.transpose(1, 2)).softmax(dim=-1)


@mistake(one_pair, "the scores went through a tanh, which this formula does not have")
def tanh_applied(query, key, weight):
    return (query @ weight @ key.transpose(1, 2)).tanh()


@mistake(one_pair, "the query is on both sides, qᵀ W q")
def query_on_both_sides(query, key, weight):
    return query @ weight @ query.transpose(1, 2)


@mistake(one_pair, "the key is on both sides, kᵀ W k")
def key_on_both_sides(query, key, weight):
    return key @ weight @ key.transpose(1, 2)


mistake(one_pair, "the products are not summed").made_in(averaged, not_summed={".mean(dim=-1)": ""})


@mistake(one_pair, "there is no return")
def nothing_returned(query, key, weight):
    query @ weight @ key.transpose(1, 2)


@mistake(every_pair, "rows and columns are swapped: expected a row for each query and a column for each key")
def rows_of_keys(query, key, weight):
    return key @ (query @ weight).transpose(1, 2)


@mistake(every_pair, "the keys were reshaped, which mixes up their components; swap two of their dimensions instead")
def keys_reshaped(query, key, weight):
    return query @ weight @ key.reshape(len(key), key.shape[2], key.shape[1])


@mistake(every_pair, "query t was scored against key t alone")
def pairs_of_equal_place(query, key, weight):
    return (query @ weight * key).sum(dim=-1)


@mistake(one_pair, "every query is scored against the key of the first sentence, expected the key of its own sentence")
def across_sentences(query, key, weight):
    return query @ weight @ key[0].T


@mistake(sizes, "T is used as the number of keys, expected S")
def as_many_keys_as_queries(query, key, weight):
    scores = query.new_zeros(len(query), query.shape[1], query.shape[1])
    for t in range(query.shape[1]):
        for i in range(query.shape[1]):
            scores[:, t, i] = (query[:, t] @ weight * key[:, i]).sum(dim=-1)
    return scores


@mistake(sizes, "queries and keys of different sizes are refused")
def asserts_equal_sizes(query, key, weight):
    assert query.shape[-1] == key.shape[-1]
    return query @ weight @ key.transpose(1, 2)


@mistake(sizes, "d_q is used as the size of the keys, expected d_k")
def reshapes_by_query(query, key, weight):
    projected = (query @ weight).reshape(len(query), -1, query.shape[-1])
    return projected @ key.reshape(len(key), -1, query.shape[-1]).transpose(1, 2)


mistake(alone, "a dimension of size one is removed that belongs to the result").made_in(
    tanh_applied, squeezes_everything={".tanh()": ".squeeze()"}, squeezes_query={".tanh()": ".squeeze(1)"}
)


@mistake(alone, "a dimension of size one is removed that belongs to the result")
def squeezes_batch(query, key, weight):
    return (query @ weight @ key.transpose(1, 2)).squeeze(0)


@mistake(score_gradient, "W is detached, so no gradient reaches it")
def weight_without_gradient(query, key, weight):
    return query @ weight.detach() @ key.transpose(1, 2)


@mistake(score_gradient, "the numbers are taken out of their tensors, which cuts off the gradient")
def number_by_number(query, key, weight):
    rows = [
        [[sum((q @ weight * k).tolist()) for k in keys] for q in queries]
        for queries, keys in zip(query, key, strict=True)
    ]
    return query.new_tensor(rows)


@mistake(score_gradient, "everything is computed under no_grad, so no gradient comes back")
def no_gradient(query, key, weight):
    with torch.no_grad():
        return query @ weight @ key.transpose(1, 2)


@mistake(types, "the scores are written into a float32 tensor, whatever the dtype of the arguments is")
def zeros_of_single_precision(query, key, weight):
    scores = torch.zeros(len(query), query.shape[1], key.shape[1])
    for i in range(key.shape[1]):
        scores[:, :, i] = (query @ weight * key[:, i : i + 1]).sum(dim=-1)
    return scores


@mistake(types, "the scores are float32, whatever the dtype of the arguments is")
def returns_single_precision(query, key, weight):
    return query.float() @ weight.float() @ key.float().transpose(1, 2)


@mistake(one_pair, "there is a tanh around the query, as in the additive score")
def bent_queries(query, key, weight):
    return (query @ weight).tanh() @ key.transpose(-2, -1)


@mistake(one_pair, "the keys of all sentences are summed")
def summed_over_the_batch(query, key, weight):
    return torch.einsum("btq,qk,csk->bts", query, weight, key)


@mistake(one_pair, "the largest score of each row is subtracted, which only the softmax should do")
def largest_taken_away(query, key, weight):
    scores = query @ weight @ key.transpose(-2, -1)
    return scores - scores.amax(dim=-1, keepdim=True)


@mistake(one_pair, "only the first sentence is scored, expected each of the batch")
def first_sentence_alone(query, key, weight):
    return query[:1] @ weight @ key[:1].transpose(1, 2)


@mistake(one_pair, "key.T reverses all dimensions, that of the sentences too; swap the last two")
def all_dimensions_reversed(query, key, weight):
    return query @ weight @ key.permute(2, 1, 0)


@right
def with_einsum(query, key, weight):
    return torch.einsum("btd,de,bse->bts", query, weight, key)


@right
def keys_first(query, key, weight):
    return query.matmul(weight.matmul(key.mT))


@right
def loops(query, key, weight):
    rows = []
    for t in range(query.shape[1]):
        row = [(query[:, t] @ weight * key[:, i]).sum(dim=-1) for i in range(key.shape[1])]
        rows.append(torch.stack(row, dim=-1))
    return torch.stack(rows, dim=1)


@right
def loops_over_sentences(query, key, weight):
    return torch.stack([q @ weight @ k.T for q, k in zip(query, key, strict=True)])


@right
def multiplied_and_summed(query, key, weight):
    return ((query @ weight).unsqueeze(2) * key.unsqueeze(1)).sum(-1)


@right
def with_linear(query, key, weight):
    return torch.bmm(query, nn.functional.linear(key, weight).transpose(1, 2))


@right
def torchs_bilinear(query, key, weight):
    shape = (len(query), query.shape[1], key.shape[1])
    queries = query.unsqueeze(2).expand(*shape, -1).contiguous()
    keys = key.unsqueeze(1).expand(*shape, -1).contiguous()
    return nn.functional.bilinear(queries, keys, weight.unsqueeze(0)).squeeze(-1)


@right
def filled_in(query, key, weight):
    scores = torch.zeros(len(query), query.shape[1], key.shape[1], dtype=query.dtype, device=query.device)
    for b in range(scores.shape[0]):
        for t in range(scores.shape[1]):
            for i in range(scores.shape[2]):
                scores[b, t, i] = query[b, t] @ weight @ key[b, i]
    return scores


@right
def flattened(query, key, weight):
    projected = query.reshape(-1, query.shape[-1]) @ weight
    return projected.reshape(len(query), -1, key.shape[-1]) @ key.permute(0, 2, 1)


class MultiplicativeScores(nn.Module):
    """A module in the place of a function."""

    def forward(self, query, key, weight):
        return with_einsum(query, key, weight)


right(MultiplicativeScores())


right(lambda q, k, w: q @ w @ k.transpose(-2, -1))


right(functools.partial(torch.einsum, "btd,bse,de->bts"))
