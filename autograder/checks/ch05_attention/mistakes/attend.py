"""Mistakes in `attend`, and right answers in other styles."""

import functools

import torch
from torch import nn

from autograder.checks.ch05_attention.attend import (
    alone,
    attend_gradient,
    in_chapter,
    mask_per_query,
    masked,
    one_position,
    weighted_sum,
    weights,
)
from autograder.judging.catalogue import forbidden, mistake, right


def attended(query, key, value, mask, score, masked_softmax):
    weights = masked_softmax(score(query, key), mask)
    return weights @ value, weights


mistake(one_position, "the context is the key, expected the value").made_in(
    attended, keys_for_values={"weights @ value": "weights @ key"}
)
mistake(one_position, "the context is the query, expected the value").made_in(
    attended, query_for_value={"weights @ value, weights": "(weights.sum(-1, keepdim=True) * query), weights"}
)
mistake(one_position, "the weights are returned before the context").made_in(
    attended, swapped_results={"return weights @ value, weights": "return weights, weights @ value"}
)


@mistake(one_position, "only the context is returned, expected the context and the weights")
def context_only(query, key, value, mask, score, masked_softmax):
    return masked_softmax(score(query, key), mask) @ value


mistake(one_position, "there is no return").made_in(
    attended, nothing_returned={"return weights @ value, weights": "weights @ value"}
)
mistake(weights, "the values are scored instead of the keys").made_in(
    attended, value_scored={"score(query, key)": "score(query, value)"}
)
mistake(weights, "the weights are divided by their sum; use them as masked_softmax returns them").made_in(
    attended, shares_weights_out={"return": "weights = weights / weights.sum(dim=-1, keepdim=True); return"}
)
mistake(weighted_sum, "the context is divided by the sum of the weights, expected the weighted sum alone").made_in(
    attended, shares_context_out={"weights @ value": "weights @ value / weights.sum(dim=-1, keepdim=True)"}
)
mistake(in_chapter, "the returned weights are detached, expected with their gradient").made_in(
    attended, returns_detached_weights={"value, weights": "value, weights.detach()"}
)
mistake(mask_per_query, "all queries share one mask, which is True where it is for any of them").made_in(
    attended, any_row_of_mask={"(score(query, key), mask)": "(score(query, key), mask.any(dim=1, keepdim=True))"}
)


@mistake(mask_per_query, "the mask is cut into sentences, but a mask (1, T, S) is for all of them")
def mask_of_each_sentence(query, key, value, mask, score, masked_softmax):
    found = [
        attended(query[b : b + 1], key[b : b + 1], value[b : b + 1], mask[b : b + 1], score, masked_softmax)
        for b in range(len(query))
    ]
    return torch.cat([context for context, _ in found]), torch.cat([weights for _, weights in found])


@mistake(one_position, "a list is returned, expected a tuple")
def a_list(query, key, value, mask, score, masked_softmax):
    return list(attended(query, key, value, mask, score, masked_softmax))


@mistake(weights, "score was called with key and query, expected query and key")
def keys_ask(query, key, value, mask, score, masked_softmax):
    scores = score(key, query)
    weights = masked_softmax(scores, mask)
    return (weights if weights.shape[-1] == value.shape[-2] else weights.transpose(1, 2)) @ value, weights


mistake(weights, "the scores are dot products; use the function score that is given as an argument").made_in(
    attended, own_score={"score(query, key)": "query @ key.transpose(1, 2)"}
)
mistake(weights, "the scores are divided by a scale factor, which is the business of score").made_in(
    attended, scaled_score={"score(query, key)": "score(query, key) / query.shape[-1] ** 0.5"}
)


@mistake(weights, "the weights come from another softmax; use the function masked_softmax that is given as an argument")
def own_softmax(query, key, value, mask, score, masked_softmax):
    scores = score(query, key).masked_fill(~mask, torch.finfo(query.dtype).min)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


@mistake(weights, "the second result is the scores, expected the weights")
def scores_for_weights(query, key, value, mask, score, masked_softmax):
    scores = score(query, key)
    return scores @ value, scores


mistake(weights, "the second result is the scores, expected the weights").made_in(
    scores_for_weights, returns_scores={"scores @ value": "masked_softmax(scores, mask) @ value"}
)


@mistake(weights, "masked_softmax is given the mask first; expected the scores, then the mask")
def mask_first(query, key, value, mask, score, masked_softmax):
    weights = masked_softmax(mask, score(query, key))
    return weights.to(value.dtype) @ value, weights


mistake(
    weighted_sum,
    "the context was divided by the number of positions, expected the weighted sum: the weights already sum to one",
).made_in(attended, mean_of_values={"weights @ value": "weights @ value / value.shape[1]"})
mistake(weighted_sum, "the weights are transposed before the product with the values").made_in(
    attended, transposed_weights={"weights @ value": "weights.transpose(1, 2) @ value"}
)


@mistake(weighted_sum, "only the value with the largest weight is used, expected the weighted sum of all values")
def best_value_only(query, key, value, mask, score, masked_softmax):
    weights = masked_softmax(score(query, key), mask)
    best = weights.argmax(dim=-1, keepdim=True).expand(-1, -1, value.shape[-1])
    return value.gather(1, best) * weights.amax(dim=-1, keepdim=True), weights


mistake(
    weighted_sum, "the weights went through another softmax before the sum; use them as masked_softmax returns them"
).made_in(attended, softmax_again={"weights @ value": "weights.softmax(dim=-1) @ value"})
mistake(masked, "the mask that masked_softmax gets hides nothing").made_in(
    attended, all_true={"(score(query, key), mask)": "(score(query, key), torch.ones_like(mask))"}
)
mistake(masked, "masked_softmax gets no mask").made_in(
    attended, without_mask={"(score(query, key), mask)": "(score(query, key), None)"}
)
mistake(masked, "the mask was inverted: True means that a position may be attended to").made_in(
    attended, inverted_mask={"(score(query, key), mask)": "(score(query, key), ~mask)"}
)
mistake(masked, "the mask is converted to numbers before it is passed on").made_in(
    attended, mask_as_numbers={"(score(query, key), mask)": "(score(query, key), mask.float())"}
)
mistake(mask_per_query, "the mask of the first query is used for all queries").made_in(
    attended, first_row_of_mask={"(score(query, key), mask)": "(score(query, key), mask[:, :1])"}
)
mistake(alone, "a dimension of size one is removed that belongs to the result").made_in(
    attended,
    squeezes_everything={"weights @ value": "(weights @ value).squeeze()"},
    squeezes_batch={"weights @ value, weights": "(weights @ value).squeeze(0), weights.squeeze(0)"},
    squeezes_query={"weights @ value": "(weights @ value).squeeze(1)"},
)
mistake(attend_gradient, "the weights are detached, so no gradient reaches query and key").made_in(
    attended, detached_weights={"weights @ value": "weights.detach() @ value"}
)


@mistake(attend_gradient, "everything is computed under no_grad, so no gradient comes back")
def no_gradient(query, key, value, mask, score, masked_softmax):
    with torch.no_grad():
        weights = masked_softmax(score(query, key), mask)
        return weights @ value, weights


mistake(
    weights, "score is called with key and query, and its result is transposed; expected score(query, key)"
).made_in(attended, score_the_other_way_round={"score(query, key)": "score(key, query).transpose(-2, -1)"})


@mistake(one_position, "the query is added to the context, expected the weighted sum of the values alone")
def query_added(query, key, value, mask, score, masked_softmax):
    context, weights = attended(query, key, value, mask, score, masked_softmax)
    return context + query if context.shape == query.shape else context, weights


@mistake(masked, "the scores are multiplied by the mask, and the mask that masked_softmax gets hides nothing")
def scores_times_mask(query, key, value, mask, score, masked_softmax):
    scores = score(query, key) * mask
    weights = masked_softmax(scores, torch.ones_like(scores, dtype=torch.bool))
    return weights @ value, weights


@mistake(masked, "a dimension is added to the mask, which has three already; pass it on as it is")
def one_dimension_more(query, key, value, mask, score, masked_softmax):
    return attended(query, key, value, mask.unsqueeze(1), score, masked_softmax)


@mistake(
    mask_per_query,
    "where nothing may be attended to, the context is the mean of the values, expected their weighted sum",
)
def mean_if_empty(query, key, value, mask, score, masked_softmax):
    context, weights = attended(query, key, value, mask, score, masked_softmax)
    return torch.where(weights.any(dim=-1, keepdim=True), context, value.mean(dim=1, keepdim=True)), weights


@right
def loops_over_positions(query, key, value, mask, score, masked_softmax):
    weights = masked_softmax(score(query, key), mask)
    context = value.new_zeros(*query.shape[:2], value.shape[-1])
    for position in range(key.shape[1]):
        context = context + weights[..., position, None] * value[:, None, position]
    return context, weights


@right
def loops_over_queries(query, key, value, mask, score, masked_softmax):
    contexts, rows = [], []
    for t in range(query.shape[1]):
        scores = score(query[:, t : t + 1], key)
        row = masked_softmax(scores, mask if mask.shape[1] == 1 else mask[:, t : t + 1])
        rows.append(row)
        contexts.append(row @ value)
    return torch.cat(contexts, dim=1), torch.cat(rows, dim=1)


@right
def loops_over_sentences(query, key, value, mask, score, masked_softmax):
    contexts, rows = [], []
    mask = mask.expand(len(query), -1, -1)
    for one in range(len(query)):
        part = slice(one, one + 1)
        row = masked_softmax(score(query[part], key[part]), mask[part])
        rows.append(row)
        contexts.append(row @ value[part])
    return torch.cat(contexts), torch.cat(rows)


@right
def with_einsum(query, key, value, mask, score, masked_softmax):
    weights = masked_softmax(score(query, key), mask)
    return torch.einsum("bts,bsd->btd", weights, value), weights


@right
def with_bmm(query, key, value, mask, score, masked_softmax):
    weights = masked_softmax(scores=score(query=query, key=key), mask=mask)
    return torch.bmm(weights, value), weights


@right
def multiplied_and_summed(query, key, value, mask, score, masked_softmax):
    weights = masked_softmax(score(query, key), mask)
    return (weights.unsqueeze(-1) * value.unsqueeze(1)).sum(dim=2), weights


@right
def expands_mask(query, key, value, mask, score, masked_softmax):
    scores = score(query, key)
    weights = masked_softmax(scores, mask.expand_as(scores))
    return weights.matmul(value), weights


@right
def masks_twice(query, key, value, mask, score, masked_softmax):
    scores = score(query, key).masked_fill(~mask, torch.finfo(query.dtype).min)
    weights = masked_softmax(scores, mask) * mask
    return weights @ value, weights


class Attend(nn.Module):
    """A module in the place of a function."""

    def forward(self, query, key, value, mask, score, masked_softmax):
        weights = masked_softmax(score(query, key), mask)
        return weights @ value, weights


def keyword_arguments(**given):
    """For a partial."""
    return with_einsum(**given)


def _by_position(function, *arguments):
    names = ("query", "key", "value", "mask", "score", "masked_softmax")
    return function(**dict(zip(names, arguments, strict=True)))


@forbidden
def torchs_own_function(query, key, value, mask, score, masked_softmax):
    weights = masked_softmax(score(query, key), mask)
    return nn.functional.scaled_dot_product_attention(query, key, value, mask), weights


@forbidden
def torchs_own_module(query, key, value, mask, score, masked_softmax):
    attention = nn.MultiheadAttention(query.shape[-1], 1, batch_first=True)
    return attention(query, key, value, attn_mask=~mask)


right(Attend())


right(functools.partial(_by_position, keyword_arguments))


right(lambda q, k, v, m, s, f: (f(s(q, k), m) @ v, f(s(q, k), m)))
