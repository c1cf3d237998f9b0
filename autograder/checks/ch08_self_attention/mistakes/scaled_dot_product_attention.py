"""Mistakes in `scaled_dot_product_attention`, and right answers in other styles."""

import functools
import math

import torch
from torch import nn

from autograder.checks.ch08_self_attention.scaled_dot_product_attention import (
    broadcast,
    empty_row,
    every_key,
    gradient,
    heads,
    in_chapter,
    masked,
    numbers,
    one_key,
    scale,
    views,
    weighted_sum,
)
from autograder.judging.catalogue import forbidden, mistake, right


def weigh(scores, mask):
    """The weights, for the mistakes that are made elsewhere."""
    if mask is None:
        return scores.softmax(dim=-1)
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(~mask, 0.0)


def scored(query, key):
    """The scores, likewise."""
    return query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5


def keys_and_values(query, key, value, mask=None):
    weights = weigh(scored(query, key), mask)
    return weights @ value, weights


@mistake(
    broadcast, "a mask (num_heads, T, S) is treated as one for each sentence: broadcasting aligns the last dimensions"
)
def inserts_heads_if_possible(query, key, value, mask=None):
    if mask is not None and mask.dim() == 3 and query.dim() == 4 and len(mask) == len(query):
        mask = mask.unsqueeze(1)
    weights = weigh(scored(query, key), mask)
    return weights @ value, weights


@mistake(
    broadcast, "a mask (num_heads, T, S) is treated as one for each sentence: broadcasting aligns the last dimensions"
)
def inserts_heads(query, key, value, mask=None):
    is_of_sentences = mask is not None and mask.dim() == 3 < query.dim()
    weights = weigh(scored(query, key), mask.unsqueeze(1) if is_of_sentences else mask)
    return weights @ value, weights


mistake(one_key, "a list is returned, expected a tuple").made_in(
    keys_and_values, a_list={"weights @ value, weights": "[weights @ value, weights]"}
)
mistake(one_key, "the output is a weighted sum of the keys, expected of the values").made_in(
    keys_and_values, keys_for_values={"weights @ value": "weights @ key"}
)


@mistake(one_key, "the output is a weighted sum of the keys, expected of the values")
def values_and_keys_swapped(query, key, value, mask=None):
    return keys_and_values(query, value, key, mask)


@mistake(one_key, "the weights are returned before the output, expected the output first")
def weights_first(query, key, value, mask=None):
    return keys_and_values(query, key, value, mask)[::-1]


@mistake(one_key, "only the output is returned, expected output and weights")
def output_only(query, key, value, mask=None):
    return keys_and_values(query, key, value, mask)[0]


@mistake(one_key, "the values are multiplied by the scores, expected by the weights after the softmax")
def scores_for_weights(query, key, value, mask=None):
    scores = scored(query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, 0.0)
    return scores @ value, scores


@mistake(one_key, "a mask of None is treated as a tensor, but it means that there is no mask")
def needs_a_mask(query, key, value, mask=None):
    scores = scored(query, key).masked_fill(~mask, torch.finfo(query.dtype).min)
    weights = scores.softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ value, weights


@mistake(every_key, "the second result is the scores, expected the weights")
def returns_scores(query, key, value, mask=None):
    scores = scored(query, key)
    return weigh(scores, mask) @ value, scores


@mistake(every_key, "the softmax runs over the queries, expected over the keys: each row must sum to 1")
def softmax_over_queries(query, key, value, mask=None):
    scores = scored(query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-2)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ value, weights


mistake(every_key, "all keys have the same weight").made_in(
    keys_and_values, equal_weights={"scored(query, key)": "0 * scored(query, key)"}
)


@mistake(
    every_key,
    "the softmax runs over the first dimension, the sentences; expected over the keys: each row must sum to 1",
)
def softmax_over_sentences(query, key, value, mask=None):
    scores = scored(query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=0)
    return weights @ value, weights


mistake(every_key, "the softmax is applied twice, the second time to weights").made_in(
    keys_and_values, softmax_twice={"(scored(query, key), mask)": "(scored(query, key), mask).softmax(dim=-1)"}
)


@mistake(every_key, "rows and columns are swapped: expected a row for each query and a column for each key")
def keys_ask(query, key, value, mask=None):
    scores = scored(key, query) if query.shape == key.shape else scored(query, key)
    weights = weigh(scores, mask)
    return weights @ value, weights


@mistake(
    every_key, "the keys are reshaped, which mixes up their components: transpose their last two dimensions instead"
)
def key_reshaped(query, key, value, mask=None):
    turned = key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])
    weights = weigh(query @ turned / query.shape[-1] ** 0.5, mask)
    return weights @ value, weights


mistake(scale, "the scores are plain dot products, expected divided by √d_k").made_in(
    keys_and_values, no_scale={"scored(query, key)": "query @ key.transpose(-2, -1)"}
)
mistake(scale, "the scores are divided by d_k itself, expected by its square root").made_in(
    keys_and_values, scale_without_root={"scored(query, key)": "query @ key.transpose(-2, -1) / query.shape[-1]"}
)
mistake(scale, "the scores are divided by √d_v, where d_v is the size of the values; expected √d_k").made_in(
    keys_and_values, scale_by_values={"scored(query, key)": "query @ key.transpose(-2, -1) / value.shape[-1] ** 0.5"}
)
mistake(scale, "the scores are divided by √S, where S is the number of keys; expected √d_k").made_in(
    keys_and_values, scale_by_length={"scored(query, key)": "query @ key.transpose(-2, -1) / key.shape[-2] ** 0.5"}
)
mistake(scale, "the scores are multiplied by √d_k, expected divided").made_in(
    keys_and_values, scale_multiplied={"scored(query, key)": "query @ key.transpose(-2, -1) * query.shape[-1] ** 0.5"}
)


@mistake(scale, "the scores are divided by the fourth root of d_k, as if only one of query and key had been scaled")
def scale_of_the_query_alone(query, key, value, mask=None):
    weights = weigh(query / query.shape[-1] ** 0.25 @ key.transpose(-2, -1), mask)
    return weights @ value, weights


@mistake(
    weighted_sum, "the weights are transposed before the sum, which then runs over the queries, expected over the keys"
)
def weights_turned(query, key, value, mask=None):
    weights = weigh(scored(query, key), mask)
    turned = weights.transpose(-2, -1) if weights.shape[-1] == weights.shape[-2] else weights
    return turned @ value, weights


mistake(weighted_sum, "the output is the mean over the keys, expected the sum: the weights already sum to 1").made_in(
    keys_and_values, mean_of_values={"weights @ value": "weights @ value / max(1, key.shape[-2])"}
)


@mistake(weighted_sum, "every query gets only the value with the largest weight, expected the weighted sum")
def best_value_alone(query, key, value, mask=None):
    weights = weigh(scored(query, key), mask)
    best = weights.argmax(dim=-1, keepdim=True).expand(*weights.shape[:-1], value.shape[-1])
    return value.gather(-2, best), weights


mistake(weighted_sum, "another softmax is applied to the weights before the sum").made_in(
    keys_and_values, summed_after_a_second_softmax={"weights @ value": "weights.softmax(dim=-1) @ value"}
)


@mistake(masked, "the mask is applied after the softmax, so rows with masked positions sum to less than 1")
def softmax_then_mask(query, key, value, mask=None):
    weights = scored(query, key).softmax(dim=-1)
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights


@mistake(masked, "the mask is not used")
def mask_not_used(query, key, value, mask=None):
    return keys_and_values(query, key, value)


@mistake(masked, "the mask is inverted: True means that a position may be attended to")
def mask_inverted(query, key, value, mask=None):
    return keys_and_values(query, key, value, None if mask is None else ~mask)


@mistake(masked, "the masked scores become 0, but a score of 0 still gets a weight: exp(0) = 1")
def scores_times_mask(query, key, value, mask=None):
    scores = scored(query, key)
    weights = (scores if mask is None else scores * mask).softmax(dim=-1)
    return weights @ value, weights


mistake(
    masked, "the mask is added to the scores as ones and zeros, but it is Boolean and says which positions count"
).made_in(scores_times_mask, mask_added={"scores * mask": "scores + mask"})
mistake(
    masked, "the inverted mask is multiplied by minus infinity, but 0 times infinity is NaN: use masked_fill or where"
).made_in(scores_times_mask, zero_times_infinity={"scores * mask": "scores + ~mask * -torch.inf"})


@mistake(masked, "only the returned weights are masked: the output is computed with the weights before masking")
def masks_what_is_returned(query, key, value, mask=None):
    scores = scored(query, key)
    return scores.softmax(dim=-1) @ value, weigh(scores, mask)


mistake(
    empty_row,
    "the softmax is NaN where all positions are masked, because all scores are minus infinity; expected zeros",
).made_in(softmax_over_sentences, nan_in_empty_rows={"torch.finfo(scores.dtype).min": "-torch.inf", "dim=0": "dim=-1"})
mistake(
    empty_row, "a softmax of equal scores gives equal weights, expected zeros where all positions are masked"
).made_in(softmax_over_sentences, equal_weights_in_empty_rows={"scores.softmax(dim=0)": "scores.softmax(dim=-1)"})


@mistake(empty_row, "the output is computed before the weights of a fully masked row are set to zero")
def zeros_in_the_weights_alone(query, key, value, mask=None):
    scores = scored(query, key)
    if mask is None:
        return keys_and_values(query, key, value)
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return weights @ value, weights.masked_fill(~mask, 0.0)


@mistake(
    heads,
    "dimensions 1 and 2 of the keys are swapped, which are the last two only where there are three: count from the end",
)
def transposed_by_the_wrong_axes(query, key, value, mask=None):
    turned = key.transpose(1, 2) if key.dim() > 2 else key.T
    weights = weigh(query @ turned / query.shape[-1] ** 0.5, mask)
    return weights @ value, weights


mistake(
    heads,
    "the softmax runs over dimension 2, which is the keys only where there are three dimensions: count from the end",
).made_in(softmax_over_queries, softmax_over_dimension_2={"dim=-2": "dim=min(2, scores.dim() - 1)"})


@mistake(heads, "torch.bmm takes three dimensions only, but with heads there are four")
def three_dimensions_alone(query, key, value, mask=None):
    weights = weigh(torch.bmm(query, key.transpose(-2, -1)) / query.shape[-1] ** 0.5, mask)
    return torch.bmm(weights, value), weights


@mistake(broadcast, "the scores are indexed with the mask, which needs equal shapes: let torch broadcast it")
def mask_as_an_index(query, key, value, mask=None):
    scores = scored(query, key)
    if mask is not None:
        scores[~mask] = torch.finfo(scores.dtype).min
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ value, weights


@mistake(broadcast, "with four dimensions, every sentence gets the mask of the first sentence")
def mask_of_the_first_sentence(query, key, value, mask=None):
    if mask is not None and mask.dim() == 4:
        mask = mask[:1]
    return keys_and_values(query, key, value, mask)


@mistake(numbers, "masked scores become -1e9, which half precision cannot represent")
def large_constant(query, key, value, mask=None):
    scores = scored(query, key)
    if mask is None:
        return keys_and_values(query, key, value)
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ value, weights


mistake(
    numbers, "masked scores become -1e4, which is not low enough where the other scores are very negative too"
).made_in(large_constant, small_constant={"scores.masked_fill(~mask, -1e9)": "scores.masked_fill(~mask, -1e4)"})


mistake(masked, "the masked scores become 0, but a score of 0 still gets a weight: exp(0) = 1").made_in(
    large_constant, zero_as_the_constant={"-1e9": "0.0"}
)


@mistake(numbers, "the softmax is written with exp, which overflows for large scores")
def exp_without_care(query, key, value, mask=None):
    raised = scored(query, key).exp()
    if mask is not None:
        raised = raised.masked_fill(~mask, 0.0)
    weights = raised / raised.sum(dim=-1, keepdim=True).clamp_min(1e-6)
    return weights @ value, weights


mistake(numbers, "the softmax is written with exp, which overflows for large scores").made_in(
    exp_without_care, exp_times_mask={"raised.masked_fill(~mask, 0.0)": "raised * mask"}
)
mistake(
    numbers, "the sum of exponentials is clamped to at least a number, such as 1e-9, that is 0 in half precision"
).made_in(
    exp_without_care,
    too_small_for_half={"1e-6": "1e-9"},
    exp_times_mask_and_too_small={"raised.masked_fill(~mask, 0.0)": "raised * mask", "1e-6": "1e-9"},
)


@mistake(numbers, "the results are always float32, expected the dtype of the arguments")
def always_single_precision(query, key, value, mask=None):
    return keys_and_values(query.float(), key.float(), value.float(), mask)


@mistake(gradient, "everything is computed under no_grad, so no gradient comes back")
def no_gradient(query, key, value, mask=None):
    with torch.no_grad():
        return keys_and_values(query, key, value, mask)


mistake(gradient, "the weights are detached, so no gradient reaches query and key").made_in(
    keys_and_values, detached_weights={"weights @ value": "weights.detach() @ value"}
)


@mistake(gradient, "NaN is computed and then replaced, but the backward pass still gets it")
def nan_replaced(query, key, value, mask=None):
    scores = scored(query, key)
    if mask is not None:
        scores = scores + torch.zeros_like(scores).masked_fill(~mask, -torch.inf)
    weights = scores.softmax(dim=-1).nan_to_num(0.0)
    return weights @ value, weights


@mistake(views, "a dimension of size one is removed that belongs to the result")
def squeezes(query, key, value, mask=None):
    output, weights = keys_and_values(query, key, value, mask)
    return output.squeeze(), weights.squeeze() if weights.shape[-1] > 1 else weights


@mistake(views, "view flattens the leading dimensions, which fails on a view of a larger tensor; reshape works")
def flattened_with_view(query, key, value, mask=None):
    front = query.shape[:-2]
    q, k = (tensor.view(-1, *tensor.shape[-2:]) for tensor in (query, key))
    scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1])
    weights = weigh(scores.view(*front, *scores.shape[-2:]), mask)
    return weights @ value, weights


@mistake(views, "the caller's query is divided in place")
def scales_the_query_in_place(query, key, value, mask=None):
    query.data /= query.shape[-1] ** 0.5
    weights = weigh(query @ key.transpose(-2, -1), mask)
    return weights @ value, weights


mistake(scale, "the root of d_k is rounded down to an integer").made_in(
    keys_and_values, whole_root={"scored(query, key)": "query @ key.transpose(-2, -1) / math.isqrt(query.shape[-1])"}
)
mistake(in_chapter, "the returned weights are detached, expected with their gradient").made_in(
    keys_and_values, detached_result={"value, weights": "value, weights.detach()"}
)


@mistake(in_chapter, "a key of zeros counts as padding, but only the mask says what is hidden")
def zero_keys_hidden(query, key, value, mask=None):
    real = key.any(dim=-1).unsqueeze(-2)
    weights = weigh(scored(query, key), real if mask is None else mask & real)
    return weights @ value, weights


@mistake(masked, "the values of masked positions are left out, but the returned weights are those without a mask")
def weights_without_the_mask(query, key, value, mask=None):
    weights = scored(query, key).softmax(dim=-1)
    return (weights if mask is None else weights * mask) @ value, weights


@right
def with_einsum(query, key, value, mask=None):
    scores = torch.einsum("...td,...sd->...ts", query, key) / math.sqrt(key.size(-1))
    weights = weigh(scores, mask)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights


@right
def loops(query, key, value, mask=None):
    if mask is not None:
        mask = mask.expand(*query.shape[:-1], key.shape[-2])
    if query.dim() > 2:
        masks = [None] * len(query) if mask is None else mask
        both = [loops(*one) for one in zip(query, key, value, masks, strict=True)]
        return torch.stack([output for output, _ in both]), torch.stack([weights for _, weights in both])
    rows = []
    for t, asks in enumerate(query):
        scores = torch.stack([asks @ offers for offers in key]) / key.shape[-1] ** 0.5
        rows.append(weigh(scores, None if mask is None else mask[t]))
    weights = torch.stack(rows)
    return torch.stack([sum(weight * v for weight, v in zip(row, value, strict=True)) for row in rows]), weights


@right
def with_baddbmm(query, key, value, mask=None):
    front = query.shape[:-2]
    q, k = (tensor.reshape(-1, *tensor.shape[-2:]) for tensor in (query, key))
    bias = q.new_zeros(len(q), q.shape[1], k.shape[1])
    scores = torch.baddbmm(bias, q, k.mT, beta=0, alpha=q.shape[-1] ** -0.5)
    scores = scores.reshape(*front, *scores.shape[1:])
    weights = weigh(scores, mask)
    return weights.matmul(value), weights


@right
def softmax_by_hand(query, key, value, mask=None):
    if mask is None:
        mask = torch.ones((), dtype=torch.bool)
    scores = torch.where(mask, scored(query, key), torch.finfo(query.dtype).min)
    raised = (scores - scores.amax(dim=-1, keepdim=True)).exp() * mask
    total = raised.sum(dim=-1, keepdim=True)
    weights = raised / torch.where(total > 0, total, 1)
    return weights @ value, weights


@right
def where_and_zeroed(query, key, value, mask=None):
    scores = (query * query.shape[-1] ** -0.5).matmul(key.swapaxes(-1, -2))
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    least = torch.tensor(torch.finfo(scores.dtype).min, dtype=scores.dtype)
    weights = torch.softmax(torch.where(mask, scores, least), dim=-1)
    weights = torch.where(mask.any(dim=-1, keepdim=True), weights, torch.zeros_like(weights))
    return weights @ value, weights


@right
def fourth_root_on_both(query, key, value, mask=None):
    root = math.sqrt(math.sqrt(query.shape[-1]))
    scores = (query / root) @ (key / root).transpose(-1, -2)
    weights = weigh(scores, mask)
    return weights @ value, weights


@right
def infinity_with_empty_rows_opened(query, key, value, mask=None):
    scores = scored(query, key)
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        some = mask.any(dim=-1, keepdim=True)
        weights = scores.masked_fill(~(mask | ~some), float("-inf")).softmax(dim=-1) * some
    return weights @ value, weights


@right
def infinity_and_nan_to_num(query, key, value, mask=None):
    scores = scored(query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(dim=-1).nan_to_num()
    return weights @ value, weights


class Attention(nn.Module):
    """A module in the place of a function."""

    def forward(self, query, key, value, mask=None):
        return keys_and_values(query, key, value, mask)


def with_a_flag(flag, query, key, value, mask=None):
    """For a partial."""
    return keys_and_values(query, key, value, mask)


@forbidden
def torchs_own_function(query, key, value, mask=None):
    weights = weigh(scored(query, key), mask)
    return nn.functional.scaled_dot_product_attention(query, key, value, mask), weights


@forbidden
def torchs_own_module(query, key, value, mask=None):
    attention = nn.MultiheadAttention(query.shape[-1], 1, batch_first=True)
    return attention(query, key, value, attn_mask=~mask)


@forbidden
def seqlabs_own(query, key, value, mask=None):
    from seqlab.attention_layers import MultiHeadAttention

    return MultiHeadAttention(query.shape[-1], 1).look_up(query, key, value, mask)


right(Attention())


right(functools.partial(with_a_flag, True))


right(lambda q, k, v, m=None: (weigh(scored(q, k), m) @ v, weigh(scored(q, k), m)))
