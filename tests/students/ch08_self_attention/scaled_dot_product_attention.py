"""What students hand in for `scaled_dot_product_attention`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
exercise's rule.
"""

import functools
import math

import torch
from torch import nn

EXERCISE = "scaled_dot_product_attention"


def weigh(scores, mask):
    """The weights, for the mistakes that are made elsewhere."""
    if mask is None:
        return scores.softmax(dim=-1)
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(~mask, 0.0)


def scored(query, key):
    """The scores, likewise."""
    return query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5


def keys_for_values(query, key, value, mask=None):
    """The keys are summed."""
    weights = weigh(scored(query, key), mask)
    return weights @ key, weights


def values_and_keys_swapped(query, key, value, mask=None):
    """The arguments are taken in the order query, value, key."""
    return keys_and_values(query, value, key, mask)


def keys_and_values(query, key, value, mask=None):
    weights = weigh(scored(query, key), mask)
    return weights @ value, weights


def weights_first(query, key, value, mask=None):
    """The results in the other order."""
    return keys_and_values(query, key, value, mask)[::-1]


def output_only(query, key, value, mask=None):
    """One result for two, as torch's own function has it."""
    return keys_and_values(query, key, value, mask)[0]


def scores_for_weights(query, key, value, mask=None):
    """The softmax is missing."""
    scores = scored(query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, 0.0)
    return scores @ value, scores


def needs_a_mask(query, key, value, mask=None):
    """None is treated as a mask."""
    scores = scored(query, key).masked_fill(~mask, torch.finfo(query.dtype).min)
    weights = scores.softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ value, weights


def returns_scores(query, key, value, mask=None):
    """The scores are returned beside the output."""
    scores = scored(query, key)
    return weigh(scores, mask) @ value, scores


def softmax_over_queries(query, key, value, mask=None):
    """The softmax runs over the queries."""
    scores = scored(query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-2)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ value, weights


def equal_weights(query, key, value, mask=None):
    """Every key counts alike."""
    weights = weigh(0 * scored(query, key), mask)
    return weights @ value, weights


def softmax_over_sentences(query, key, value, mask=None):
    """The softmax runs over the first dimension."""
    scores = scored(query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=0)
    return weights @ value, weights


def softmax_twice(query, key, value, mask=None):
    """The weights go through a second softmax."""
    weights = weigh(scored(query, key), mask).softmax(dim=-1)
    return weights @ value, weights


def keys_ask(query, key, value, mask=None):
    """Rows and columns have changed places, as far as the shapes allow."""
    scores = scored(key, query) if query.shape == key.shape else scored(query, key)
    weights = weigh(scores, mask)
    return weights @ value, weights


def key_reshaped(query, key, value, mask=None):
    """The keys are reshaped in the place of a transposition."""
    turned = key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])
    weights = weigh(query @ turned / query.shape[-1] ** 0.5, mask)
    return weights @ value, weights


def no_scale(query, key, value, mask=None):
    """The scale is forgotten."""
    weights = weigh(query @ key.transpose(-2, -1), mask)
    return weights @ value, weights


def scale_without_root(query, key, value, mask=None):
    """Divided by d_k."""
    weights = weigh(query @ key.transpose(-2, -1) / query.shape[-1], mask)
    return weights @ value, weights


def scale_by_values(query, key, value, mask=None):
    """Divided by √d_v."""
    weights = weigh(query @ key.transpose(-2, -1) / value.shape[-1] ** 0.5, mask)
    return weights @ value, weights


def scale_by_length(query, key, value, mask=None):
    """Divided by √S."""
    weights = weigh(query @ key.transpose(-2, -1) / key.shape[-2] ** 0.5, mask)
    return weights @ value, weights


def scale_multiplied(query, key, value, mask=None):
    """Multiplied by √d_k."""
    weights = weigh(query @ key.transpose(-2, -1) * query.shape[-1] ** 0.5, mask)
    return weights @ value, weights


def scale_of_the_query_alone(query, key, value, mask=None):
    """The fourth root, once."""
    weights = weigh(query / query.shape[-1] ** 0.25 @ key.transpose(-2, -1), mask)
    return weights @ value, weights


def weights_turned(query, key, value, mask=None):
    """The weights are turned before the sum, where the shapes allow it."""
    weights = weigh(scored(query, key), mask)
    turned = weights.transpose(-2, -1) if weights.shape[-1] == weights.shape[-2] else weights
    return turned @ value, weights


def mean_of_values(query, key, value, mask=None):
    """The weighted values are averaged."""
    weights = weigh(scored(query, key), mask)
    return weights @ value / max(1, key.shape[-2]), weights


def best_value_alone(query, key, value, mask=None):
    """A hard choice for a mixture."""
    weights = weigh(scored(query, key), mask)
    best = weights.argmax(dim=-1, keepdim=True).expand(*weights.shape[:-1], value.shape[-1])
    return value.gather(-2, best), weights


def summed_after_a_second_softmax(query, key, value, mask=None):
    """The weights that are returned are right, those of the sum are not."""
    weights = weigh(scored(query, key), mask)
    return weights.softmax(dim=-1) @ value, weights


def softmax_then_mask(query, key, value, mask=None):
    """The mask is applied to the weights."""
    weights = scored(query, key).softmax(dim=-1)
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights


def mask_not_used(query, key, value, mask=None):
    """The mask is not used."""
    return keys_and_values(query, key, value)


def mask_inverted(query, key, value, mask=None):
    """True is taken for a place that is hidden."""
    return keys_and_values(query, key, value, None if mask is None else ~mask)


def scores_times_mask(query, key, value, mask=None):
    """Masked scores become 0."""
    scores = scored(query, key)
    weights = (scores if mask is None else scores * mask).softmax(dim=-1)
    return weights @ value, weights


def mask_added(query, key, value, mask=None):
    """The mask is added as it is, as if it were one of floats."""
    scores = scored(query, key)
    weights = (scores if mask is None else scores + mask).softmax(dim=-1)
    return weights @ value, weights


def zero_times_infinity(query, key, value, mask=None):
    """The mask is multiplied by minus infinity, and 0 · ∞ is NaN."""
    scores = scored(query, key)
    weights = (scores if mask is None else scores + ~mask * -torch.inf).softmax(dim=-1)
    return weights @ value, weights


def masks_what_is_returned(query, key, value, mask=None):
    """The weights that are returned are masked, those of the sum are not."""
    scores = scored(query, key)
    return scores.softmax(dim=-1) @ value, weigh(scores, mask)


def nan_in_empty_rows(query, key, value, mask=None):
    """Minus infinity, and nothing besides."""
    scores = scored(query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


def equal_weights_in_empty_rows(query, key, value, mask=None):
    """The least number, and nothing besides."""
    scores = scored(query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


def zeros_in_the_weights_alone(query, key, value, mask=None):
    """The output of an empty row is that of the weights before they were mended."""
    scores = scored(query, key)
    if mask is None:
        return keys_and_values(query, key, value)
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return weights @ value, weights.masked_fill(~mask, 0.0)


def transposed_by_the_wrong_axes(query, key, value, mask=None):
    """As with three dimensions."""
    turned = key.transpose(1, 2) if key.dim() > 2 else key.T
    weights = weigh(query @ turned / query.shape[-1] ** 0.5, mask)
    return weights @ value, weights


def softmax_over_dimension_2(query, key, value, mask=None):
    """As with three dimensions, in the softmax."""
    scores = scored(query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=min(2, scores.dim() - 1))
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ value, weights


def three_dimensions_alone(query, key, value, mask=None):
    """The product is one that takes three dimensions."""
    weights = weigh(torch.bmm(query, key.transpose(-2, -1)) / query.shape[-1] ** 0.5, mask)
    return torch.bmm(weights, value), weights


def mask_as_an_index(query, key, value, mask=None):
    """Assigns where the mask says; the shapes must be equal for that."""
    scores = scored(query, key)
    if mask is not None:
        scores[~mask] = torch.finfo(scores.dtype).min
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ value, weights


def mask_of_the_first_sentence(query, key, value, mask=None):
    """With four dimensions, one mask is used for all sentences."""
    if mask is not None and mask.dim() == 4:
        mask = mask[:1]
    return keys_and_values(query, key, value, mask)


def large_constant(query, key, value, mask=None):
    """-1e9, which half precision does not hold."""
    scores = scored(query, key)
    if mask is None:
        return keys_and_values(query, key, value)
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ value, weights


def small_constant(query, key, value, mask=None):
    """-1e4, which is large beside some scores."""
    scores = scored(query, key)
    if mask is None:
        return keys_and_values(query, key, value)
    weights = scores.masked_fill(~mask, -1e4).softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ value, weights


def exp_without_care(query, key, value, mask=None):
    """The softmax by hand, which overflows."""
    raised = scored(query, key).exp()
    if mask is not None:
        raised = raised.masked_fill(~mask, 0.0)
    weights = raised / raised.sum(dim=-1, keepdim=True).clamp_min(1e-6)
    return weights @ value, weights


def always_single_precision(query, key, value, mask=None):
    """The result is always float32, whatever the dtype of the inputs."""
    return keys_and_values(query.float(), key.float(), value.float(), mask)


def no_gradient(query, key, value, mask=None):
    """All of it is computed without a gradient."""
    with torch.no_grad():
        return keys_and_values(query, key, value, mask)


def detached_weights(query, key, value, mask=None):
    """The weights are detached, so they get no gradient."""
    weights = weigh(scored(query, key), mask)
    return weights.detach() @ value, weights


def nan_replaced(query, key, value, mask=None):
    """A NaN is produced and then replaced, but the backward pass still gets it."""
    scores = scored(query, key)
    if mask is not None:
        scores = scores + torch.zeros_like(scores).masked_fill(~mask, -torch.inf)
    weights = scores.softmax(dim=-1).nan_to_num(0.0)
    return weights @ value, weights


def squeezes(query, key, value, mask=None):
    """Dimensions of size one are lost."""
    output, weights = keys_and_values(query, key, value, mask)
    return output.squeeze(), weights.squeeze() if weights.shape[-1] > 1 else weights


def flattened_with_view(query, key, value, mask=None):
    """What is in front is flattened with view, which views of larger tensors do not allow."""
    front = query.shape[:-2]
    q, k = (tensor.view(-1, *tensor.shape[-2:]) for tensor in (query, key))
    scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1])
    weights = weigh(scores.view(*front, *scores.shape[-2:]), mask)
    return weights @ value, weights


def scales_the_query_in_place(query, key, value, mask=None):
    """The caller's query is divided."""
    query.data /= query.shape[-1] ** 0.5
    weights = weigh(query @ key.transpose(-2, -1), mask)
    return weights @ value, weights


_VALUE = "with a single key the output is its value"
_WEIGHTS = "each query's weights are a softmax of its scores over the keys"
_SCALE = "the scores are divided by √d_k"
_SUM = "the output is the weighted sum of the values"
_MASK = "masked positions have weight zero, and the other weights of the row sum to one"
_EMPTY = "a query with nothing to attend to gets zeros"
_HEADS = "there may be leading dimensions for sentences and heads"
_BROADCAST = "one mask can be shared by all queries, heads and sentences"
_NUMBERS = "any precision works, and scores far from zero are handled correctly"
_GRADIENT = "the gradient for query, key and value is right and never NaN"
_VIEWS = "views, one query and no batch dimension work, and the arguments are not changed"

WRONG = {
    keys_for_values: _VALUE,
    values_and_keys_swapped: _VALUE,
    weights_first: _VALUE,
    output_only: _VALUE,
    scores_for_weights: _VALUE,
    needs_a_mask: _VALUE,
    returns_scores: _WEIGHTS,
    softmax_over_queries: _WEIGHTS,
    softmax_over_sentences: _WEIGHTS,
    equal_weights: _WEIGHTS,
    softmax_twice: _WEIGHTS,
    keys_ask: _WEIGHTS,
    key_reshaped: _WEIGHTS,
    no_scale: _SCALE,
    scale_without_root: _SCALE,
    scale_by_values: _SCALE,
    scale_by_length: _SCALE,
    scale_multiplied: _SCALE,
    scale_of_the_query_alone: _SCALE,
    weights_turned: _SUM,
    mean_of_values: _SUM,
    best_value_alone: _SUM,
    summed_after_a_second_softmax: _SUM,
    softmax_then_mask: _MASK,
    mask_not_used: _MASK,
    mask_inverted: _MASK,
    scores_times_mask: _MASK,
    mask_added: _MASK,
    zero_times_infinity: _MASK,
    masks_what_is_returned: _MASK,
    nan_in_empty_rows: _EMPTY,
    equal_weights_in_empty_rows: _EMPTY,
    zeros_in_the_weights_alone: _EMPTY,
    transposed_by_the_wrong_axes: _HEADS,
    softmax_over_dimension_2: _HEADS,
    three_dimensions_alone: _HEADS,
    mask_as_an_index: _BROADCAST,
    mask_of_the_first_sentence: _BROADCAST,
    large_constant: _NUMBERS,
    small_constant: _NUMBERS,
    exp_without_care: _NUMBERS,
    always_single_precision: _NUMBERS,
    no_gradient: _GRADIENT,
    detached_weights: _GRADIENT,
    nan_replaced: _GRADIENT,
    squeezes: _VIEWS,
    flattened_with_view: _VIEWS,
    scales_the_query_in_place: _VIEWS,
}


def with_einsum(query, key, value, mask=None):
    """Both products as einsum."""
    scores = torch.einsum("...td,...sd->...ts", query, key) / math.sqrt(key.size(-1))
    weights = weigh(scores, mask)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights


def loops(query, key, value, mask=None):
    """One query after the other, one sentence or head after the other."""
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


def with_baddbmm(query, key, value, mask=None):
    """Torch's product and sum in one, in three dimensions and back."""
    front = query.shape[:-2]
    q, k = (tensor.reshape(-1, *tensor.shape[-2:]) for tensor in (query, key))
    bias = q.new_zeros(len(q), q.shape[1], k.shape[1])
    scores = torch.baddbmm(bias, q, k.mT, beta=0, alpha=q.shape[-1] ** -0.5)
    scores = scores.reshape(*front, *scores.shape[1:])
    weights = weigh(scores, mask)
    return weights.matmul(value), weights


def softmax_by_hand(query, key, value, mask=None):
    """The greatest score that counts is taken away before exp."""
    if mask is None:
        mask = torch.ones((), dtype=torch.bool)
    scores = torch.where(mask, scored(query, key), torch.finfo(query.dtype).min)
    raised = (scores - scores.amax(dim=-1, keepdim=True)).exp() * mask
    total = raised.sum(dim=-1, keepdim=True)
    weights = raised / torch.where(total > 0, total, 1)
    return weights @ value, weights


def where_and_zeroed(query, key, value, mask=None):
    """The scale on the query, `where`, and empty rows set to zero afterwards; a list for a tuple."""
    scores = (query * query.shape[-1] ** -0.5).matmul(key.swapaxes(-1, -2))
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    least = torch.tensor(torch.finfo(scores.dtype).min, dtype=scores.dtype)
    weights = torch.softmax(torch.where(mask, scores, least), dim=-1)
    weights = torch.where(mask.any(dim=-1, keepdim=True), weights, torch.zeros_like(weights))
    return [weights @ value, weights]


def fourth_root_on_both(query, key, value, mask=None):
    """Query and key are scaled before the product."""
    root = math.sqrt(math.sqrt(query.shape[-1]))
    scores = (query / root) @ (key / root).transpose(-1, -2)
    weights = weigh(scores, mask)
    return weights @ value, weights


def infinity_with_empty_rows_opened(query, key, value, mask=None):
    """Minus infinity, but an empty row is opened before the softmax and closed after it."""
    scores = scored(query, key)
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        some = mask.any(dim=-1, keepdim=True)
        weights = scores.masked_fill(~(mask | ~some), float("-inf")).softmax(dim=-1) * some
    return weights @ value, weights


def infinity_and_nan_to_num(query, key, value, mask=None):
    """A NaN is made and replaced, and what fills the masked places lets no gradient through."""
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


RIGHT = {
    "with einsum": with_einsum,
    "loops": loops,
    "with baddbmm": with_baddbmm,
    "softmax by hand": softmax_by_hand,
    "where, then zeros": where_and_zeroed,
    "fourth root on both": fourth_root_on_both,
    "minus infinity, empty rows opened": infinity_with_empty_rows_opened,
    "minus infinity, NaN replaced": infinity_and_nan_to_num,
    "a module": Attention(),
    "a partial": functools.partial(with_a_flag, True),
    "a lambda": lambda q, k, v, m=None: (weigh(scored(q, k), m) @ v, weigh(scored(q, k), m)),
}


def torchs_own_function(query, key, value, mask=None):
    """The rule is that this is not used."""
    weights = weigh(scored(query, key), mask)
    return nn.functional.scaled_dot_product_attention(query, key, value, mask), weights


def torchs_own_module(query, key, value, mask=None):
    """The rule is that this is not used."""
    attention = nn.MultiheadAttention(query.shape[-1], 1, batch_first=True)
    return attention(query, key, value, attn_mask=~mask)


def seqlabs_own(query, key, value, mask=None):
    """Nor this, the library's."""
    from seqlab.attention_layers import MultiHeadAttention

    return MultiHeadAttention(query.shape[-1], 1).look_up(query, key, value, mask)


FORBIDDEN = (torchs_own_function, torchs_own_module, seqlabs_own)
