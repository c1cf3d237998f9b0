"""What students hand in for `attend`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
exercise's rule.
"""

import functools

import torch
from torch import nn

EXERCISE = "attend"


def keys_for_values(query, key, value, mask, score, masked_softmax):
    """The keys are summed."""
    weights = masked_softmax(score(query, key), mask)
    return weights @ key, weights


def query_for_value(query, key, value, mask, score, masked_softmax):
    """The query is summed, as far as its shape allows."""
    weights = masked_softmax(score(query, key), mask)
    return (weights.sum(-1, keepdim=True) * query), weights


def swapped_results(query, key, value, mask, score, masked_softmax):
    """The weights are returned first."""
    weights = masked_softmax(score(query, key), mask)
    return weights, weights @ value


def context_only(query, key, value, mask, score, masked_softmax):
    """One result for two."""
    return masked_softmax(score(query, key), mask) @ value


def nothing_returned(query, key, value, mask, score, masked_softmax):
    """The return is missing."""
    weights = masked_softmax(score(query, key), mask)
    weights @ value


def value_scored(query, key, value, mask, score, masked_softmax):
    """The values are scored instead of the keys."""
    weights = masked_softmax(score(query, value), mask)
    return weights @ value, weights


def keys_ask(query, key, value, mask, score, masked_softmax):
    """score gets its arguments in the wrong order."""
    scores = score(key, query)
    weights = masked_softmax(scores, mask)
    return (weights if weights.shape[-1] == value.shape[-2] else weights.transpose(1, 2)) @ value, weights


def own_score(query, key, value, mask, score, masked_softmax):
    """The dot product is used instead of the given score."""
    weights = masked_softmax(query @ key.transpose(1, 2), mask)
    return weights @ value, weights


def scaled_score(query, key, value, mask, score, masked_softmax):
    """The scores are multiplied by a scale that is not part of this exercise."""
    weights = masked_softmax(score(query, key) / query.shape[-1] ** 0.5, mask)
    return weights @ value, weights


def own_softmax(query, key, value, mask, score, masked_softmax):
    """A softmax of its own in the place of the given one."""
    scores = score(query, key).masked_fill(~mask, torch.finfo(query.dtype).min)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


def scores_for_weights(query, key, value, mask, score, masked_softmax):
    """The scores are taken for weights."""
    scores = score(query, key)
    return scores @ value, scores


def returns_scores(query, key, value, mask, score, masked_softmax):
    """The context is right, and the scores are returned beside it."""
    scores = score(query, key)
    return masked_softmax(scores, mask) @ value, scores


def mask_first(query, key, value, mask, score, masked_softmax):
    """masked_softmax gets its arguments in the wrong order."""
    weights = masked_softmax(mask, score(query, key))
    return weights.to(value.dtype) @ value, weights


def mean_of_values(query, key, value, mask, score, masked_softmax):
    """The weighted values are averaged."""
    weights = masked_softmax(score(query, key), mask)
    return weights @ value / value.shape[1], weights


def transposed_weights(query, key, value, mask, score, masked_softmax):
    """The weights are turned before the product."""
    weights = masked_softmax(score(query, key), mask)
    return weights.transpose(1, 2) @ value, weights


def best_value_only(query, key, value, mask, score, masked_softmax):
    """Only the value with the largest weight is used."""
    weights = masked_softmax(score(query, key), mask)
    best = weights.argmax(dim=-1, keepdim=True).expand(-1, -1, value.shape[-1])
    return value.gather(1, best) * weights.amax(dim=-1, keepdim=True), weights


def softmax_again(query, key, value, mask, score, masked_softmax):
    """The weights of the sum went through a second softmax."""
    weights = masked_softmax(score(query, key), mask)
    return weights.softmax(dim=-1) @ value, weights


def all_true(query, key, value, mask, score, masked_softmax):
    """A mask that hides nothing."""
    weights = masked_softmax(score(query, key), torch.ones_like(mask))
    return weights @ value, weights


def without_mask(query, key, value, mask, score, masked_softmax):
    """masked_softmax gets no mask."""
    weights = masked_softmax(score(query, key), None)
    return weights @ value, weights


def inverted_mask(query, key, value, mask, score, masked_softmax):
    """The mask goes in the wrong way round."""
    weights = masked_softmax(score(query, key), ~mask)
    return weights @ value, weights


def mask_as_numbers(query, key, value, mask, score, masked_softmax):
    """The mask becomes a float on the way."""
    weights = masked_softmax(score(query, key), mask.float())
    return weights @ value, weights


def first_row_of_mask(query, key, value, mask, score, masked_softmax):
    """The mask of the first query is used for all queries."""
    weights = masked_softmax(score(query, key), mask[:, :1])
    return weights @ value, weights


def squeezes_everything(query, key, value, mask, score, masked_softmax):
    """Dimensions of size one are lost."""
    weights = masked_softmax(score(query, key), mask)
    return (weights @ value).squeeze(), weights


def squeezes_batch(query, key, value, mask, score, masked_softmax):
    """A batch of one loses its batch."""
    weights = masked_softmax(score(query, key), mask)
    return (weights @ value).squeeze(0), weights.squeeze(0)


def squeezes_query(query, key, value, mask, score, masked_softmax):
    """A single query loses its dimension."""
    weights = masked_softmax(score(query, key), mask)
    return (weights @ value).squeeze(1), weights


def detached_weights(query, key, value, mask, score, masked_softmax):
    """The gradient through the weights is cut off."""
    weights = masked_softmax(score(query, key), mask)
    return weights.detach() @ value, weights


def no_gradient(query, key, value, mask, score, masked_softmax):
    """All of it is computed without a gradient."""
    with torch.no_grad():
        weights = masked_softmax(score(query, key), mask)
        return weights @ value, weights


def score_the_other_way_round(query, key, value, mask, score, masked_softmax):
    """score is called with (key, query), and its result is transposed."""
    weights = masked_softmax(score(key, query).transpose(-2, -1), mask)
    return weights @ value, weights


_VALUE = "with a memory of one position the context is its value"
_WEIGHTS = "the weights come from score(query, key)"
_SUM = "the context is the sum of the values, weighted by the weights"
_MASK = "the mask reaches masked_softmax"
_PER_QUERY = "every query may have a mask of its own"
_ALONE = "one sentence and one query alone keep their dimensions"
_GRADIENT = "the gradient reaches query, key and value"

WRONG = {
    score_the_other_way_round: _WEIGHTS,
    keys_for_values: _VALUE,
    query_for_value: _VALUE,
    swapped_results: _VALUE,
    context_only: _VALUE,
    nothing_returned: _VALUE,
    value_scored: _WEIGHTS,
    keys_ask: _WEIGHTS,
    own_score: _WEIGHTS,
    scaled_score: _WEIGHTS,
    own_softmax: _WEIGHTS,
    scores_for_weights: _WEIGHTS,
    returns_scores: _WEIGHTS,
    mask_first: _WEIGHTS,
    mean_of_values: _SUM,
    transposed_weights: _SUM,
    best_value_only: _SUM,
    softmax_again: _SUM,
    all_true: _MASK,
    without_mask: _MASK,
    inverted_mask: _MASK,
    mask_as_numbers: _MASK,
    first_row_of_mask: _PER_QUERY,
    squeezes_everything: _ALONE,
    squeezes_batch: _ALONE,
    squeezes_query: _ALONE,
    detached_weights: _GRADIENT,
    no_gradient: _GRADIENT,
}


def loops_over_positions(query, key, value, mask, score, masked_softmax):
    """The sum, one position after the other."""
    weights = masked_softmax(score(query, key), mask)
    context = value.new_zeros(*query.shape[:2], value.shape[-1])
    for position in range(key.shape[1]):
        context = context + weights[..., position, None] * value[:, None, position]
    return context, weights


def loops_over_queries(query, key, value, mask, score, masked_softmax):
    """One query after the other."""
    contexts, rows = [], []
    for t in range(query.shape[1]):
        scores = score(query[:, t : t + 1], key)
        row = masked_softmax(scores, mask if mask.shape[1] == 1 else mask[:, t : t + 1])
        rows.append(row)
        contexts.append(row @ value)
    return torch.cat(contexts, dim=1), torch.cat(rows, dim=1)


def loops_over_sentences(query, key, value, mask, score, masked_softmax):
    """One sentence after the other."""
    contexts, rows = [], []
    for one in range(len(query)):
        part = slice(one, one + 1)
        row = masked_softmax(score(query[part], key[part]), mask[part])
        rows.append(row)
        contexts.append(row @ value[part])
    return torch.cat(contexts), torch.cat(rows)


def with_einsum(query, key, value, mask, score, masked_softmax):
    """The sum as einsum."""
    weights = masked_softmax(score(query, key), mask)
    return torch.einsum("bts,bsd->btd", weights, value), weights


def with_bmm(query, key, value, mask, score, masked_softmax):
    """The sum as a batched product."""
    weights = masked_softmax(scores=score(query=query, key=key), mask=mask)
    return torch.bmm(weights, value), weights


def multiplied_and_summed(query, key, value, mask, score, masked_softmax):
    """The sum with broadcasting, and a list for a tuple."""
    weights = masked_softmax(score(query, key), mask)
    return [(weights.unsqueeze(-1) * value.unsqueeze(1)).sum(dim=2), weights]


def expands_mask(query, key, value, mask, score, masked_softmax):
    """The mask is expanded to the shape of the scores before it is handed on."""
    scores = score(query, key)
    weights = masked_softmax(scores, mask.expand_as(scores))
    return weights.matmul(value), weights


def masks_twice(query, key, value, mask, score, masked_softmax):
    """The scores and the weights are masked besides, which changes nothing."""
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


RIGHT = {
    "loops over positions": loops_over_positions,
    "loops over queries": loops_over_queries,
    "loops over sentences": loops_over_sentences,
    "with einsum": with_einsum,
    "with bmm": with_bmm,
    "multiplied and summed": multiplied_and_summed,
    "expands the mask": expands_mask,
    "masks twice": masks_twice,
    "a module": Attend(),
    "a partial": functools.partial(_by_position, keyword_arguments),
    "a lambda": lambda q, k, v, m, s, f: (f(s(q, k), m) @ v, f(s(q, k), m)),
}


def torchs_own_function(query, key, value, mask, score, masked_softmax):
    """The rule is that this is not used."""
    weights = masked_softmax(score(query, key), mask)
    return nn.functional.scaled_dot_product_attention(query, key, value, mask), weights


def torchs_own_module(query, key, value, mask, score, masked_softmax):
    """The rule is that this is not used."""
    attention = nn.MultiheadAttention(query.shape[-1], 1, batch_first=True)
    return attention(query, key, value, attn_mask=~mask)


FORBIDDEN = (torchs_own_function, torchs_own_module)
