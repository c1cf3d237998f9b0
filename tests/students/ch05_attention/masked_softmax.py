"""What students hand in for `masked_softmax`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import math

import torch
from torch import nn

EXERCISE = "masked_softmax"


def softmax_over_queries(scores, mask):
    """The softmax runs over the queries."""
    least = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, least).softmax(dim=-2).masked_fill(~mask, 0.0)


def softmax_over_batch(scores, mask):
    """The softmax runs over the batch."""
    least = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, least).softmax(dim=0).masked_fill(~mask, 0.0)


def softmax_over_everything(scores, mask):
    """One softmax over all the numbers of the batch."""
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return scores.flatten().softmax(dim=0).reshape(scores.shape).masked_fill(~mask, 0.0)


def softmax_twice(scores, mask):
    """The weights go through a second softmax."""
    scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(dim=-1).softmax(dim=-1).masked_fill(~mask, 0.0)


def no_softmax(scores, mask):
    """The mask is applied to the scores, and that is all."""
    return scores.masked_fill(~mask, 0.0)


def exp_not_shared_out(scores, mask):
    """The exponentials are not divided by their sum."""
    return scores.exp().masked_fill(~mask, 0.0)


def log_softmax(scores, mask):
    """Log-probabilities for probabilities."""
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).log_softmax(dim=-1)


def inverted(scores, mask):
    """True in the mask is taken for a place that is hidden; zeros come of it."""
    return scores.masked_fill(mask, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(mask, 0.0)


def inverted_with_infinity(scores, mask):
    """True in the mask is taken for a place that is hidden; NaN comes of it."""
    return scores.masked_fill(mask, -torch.inf).softmax(dim=-1)


def inverted_with_large_number(scores, mask):
    """True in the mask is taken for a place that is hidden; equal weights come of it."""
    return scores.masked_fill(mask, -1e9).softmax(dim=-1)


def zero_times_infinity(scores, mask):
    """The mask is multiplied by minus infinity, and 0 · ∞ is NaN."""
    return (scores + ~mask * -torch.inf).softmax(dim=-1)


def softmax_then_mask(scores, mask):
    """The mask is applied to the weights."""
    return scores.softmax(dim=-1) * mask


def no_mask(scores, mask):
    """The mask is not used."""
    return scores.softmax(dim=-1)


def scores_times_mask(scores, mask):
    """Masked scores become 0, which is a score like any other."""
    return (scores * mask).softmax(dim=-1)


def scores_times_mask_then_zero(scores, mask):
    """Masked scores become 0, and their weights too, so that the rest of the row is too small."""
    return (scores * mask).softmax(dim=-1) * mask


def tiny_instead_of_large(scores, mask):
    """The fill is -1e-9 where -1e9 was meant."""
    return scores.masked_fill(~mask, -1e-9).softmax(dim=-1)


def too_near_zero(scores, mask):
    """The fill is -5, which leaves a masked place some weight."""
    return scores.masked_fill(~mask, -5.0).softmax(dim=-1)


def nan_in_empty_row(scores, mask):
    """Minus infinity, and nothing done about a row that is wholly masked."""
    return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)


def uniform_in_empty_row(scores, mask):
    """The least number, and nothing done about a row that is wholly masked."""
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1)


def renormalised(scores, mask):
    """Softmax, mask, and a division by what is left: 0/0 in a row that is wholly masked."""
    scores = scores - scores.masked_fill(~mask, -torch.inf).amax(dim=-1, keepdim=True).detach()
    weights = scores.masked_fill(~mask, -torch.inf).exp()
    return weights / weights.sum(dim=-1, keepdim=True)


def indexes_with_mask(scores, mask):
    """A mask of one row cannot index scores of many."""
    scores = scores.clone()
    scores[~mask] = torch.finfo(scores.dtype).min
    return scores.softmax(dim=-1).masked_fill(~mask, 0.0)


def asserts_equal_shapes(scores, mask):
    """A mask of one row is refused."""
    assert mask.shape == scores.shape
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(~mask, 0.0)


def counts_dimensions_from_front(scores, mask):
    """dim=2 is the last dimension of a batch alone."""
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=2).masked_fill(~mask, 0.0)


def asserts_three_dimensions(scores, mask):
    """Anything but a batch of queries is refused."""
    assert mask.dim() == 3
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(~mask, 0.0)


def squeezes(scores, mask):
    """Dimensions of size one are lost."""
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return weights.masked_fill(~mask, 0.0).squeeze()


def large_number_in_half(scores, mask):
    """-1e9 does not exist in half precision."""
    return scores.masked_fill(~mask, -1e9).softmax(dim=-1).masked_fill(~mask, 0.0)


def adds_large_number_in_half(scores, mask):
    """-1e9 is infinite in half precision, and 0 times it is NaN."""
    bias = (~mask).to(scores.dtype) * torch.tensor(-1e9, dtype=scores.dtype)
    return (scores + bias).softmax(dim=-1).masked_fill(~mask, 0.0)


def returns_single_precision(scores, mask):
    """The weights are not of the type of the scores."""
    scores = scores.float().masked_fill(~mask, torch.finfo(torch.float32).min)
    return scores.softmax(dim=-1).masked_fill(~mask, 0.0)


def ten_thousand(scores, mask):
    """-10000 is not below every score."""
    return scores.masked_fill(~mask, -10_000.0).softmax(dim=-1).masked_fill(~mask, 0.0)


def exp_without_shift(scores, mask):
    """The exponential of a score far from zero is 0 or infinite."""
    weights = scores.exp().masked_fill(~mask, 0.0)
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)


def shares_lost_to_masked(scores, mask):
    """What is left after the mask is shared out anew, but a large masked score has left nothing."""
    weights = scores.softmax(dim=-1) * mask
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)


def nan_replaced_afterwards(scores, mask):
    """There is no NaN in the forward pass, but there is one in the backward pass."""
    bias = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, -torch.inf)
    return (scores + bias).softmax(dim=-1).nan_to_num(0.0)


def detached(scores, mask):
    """No gradient comes back."""
    scores = scores.detach().masked_fill(~mask, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1).masked_fill(~mask, 0.0)


def changes_softmax_in_place(scores, mask):
    """The backward pass needs the softmax's result, which is gone."""
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return weights.mul_(mask)


def fills_scores_in_place(scores, mask):
    """The caller's scores are changed."""
    scores.masked_fill_(~mask, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1).masked_fill(~mask, 0.0)


def inverts_mask_in_place(scores, mask):
    """The caller's mask is changed."""
    mask.logical_not_()
    return scores.masked_fill(mask, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(mask, 0.0)


_SOFTMAX = "with nothing masked the result is the softmax of each row"
_MASKED = "masked positions get no weight and the rest of the row sums to one"
_EMPTY = "a fully masked row gives zeros"
_BROADCAST = "one mask works for all queries of a sentence"
_DIMENSIONS = "scores may have any number of dimensions"
_HALF = "half precision works"
_FAR = "scores far from zero are handled correctly"
_GRADIENT = "the gradient with respect to the scores is right and never NaN"
_ARGUMENTS = "scores and mask are not changed"

WRONG = {
    softmax_over_queries: _SOFTMAX,
    softmax_over_batch: _SOFTMAX,
    softmax_over_everything: _SOFTMAX,
    softmax_twice: _SOFTMAX,
    no_softmax: _SOFTMAX,
    exp_not_shared_out: _SOFTMAX,
    log_softmax: _SOFTMAX,
    inverted: _SOFTMAX,
    inverted_with_infinity: _SOFTMAX,
    inverted_with_large_number: _SOFTMAX,
    zero_times_infinity: _SOFTMAX,
    softmax_then_mask: _MASKED,
    no_mask: _MASKED,
    scores_times_mask: _MASKED,
    scores_times_mask_then_zero: _MASKED,
    tiny_instead_of_large: _MASKED,
    too_near_zero: _MASKED,
    nan_in_empty_row: _EMPTY,
    uniform_in_empty_row: _EMPTY,
    renormalised: _EMPTY,
    indexes_with_mask: _BROADCAST,
    asserts_equal_shapes: _BROADCAST,
    counts_dimensions_from_front: _DIMENSIONS,
    asserts_three_dimensions: _DIMENSIONS,
    squeezes: _DIMENSIONS,
    large_number_in_half: _HALF,
    adds_large_number_in_half: _HALF,
    returns_single_precision: _HALF,
    ten_thousand: _FAR,
    exp_without_shift: _FAR,
    shares_lost_to_masked: _FAR,
    nan_replaced_afterwards: _GRADIENT,
    detached: _GRADIENT,
    changes_softmax_in_place: _GRADIENT,
    fills_scores_in_place: _ARGUMENTS,
    inverts_mask_in_place: _ARGUMENTS,
}


def loops(scores, mask):
    """Row by row, over the places that count."""
    mask = mask.expand(scores.shape)
    rows = []
    for row, allowed in zip(scores.reshape(-1, scores.shape[-1]), mask.reshape(-1, mask.shape[-1]), strict=True):
        places = allowed.nonzero().squeeze(-1)
        weights = torch.zeros_like(row)
        if len(places):
            weights = weights.index_put((places,), row[places].softmax(dim=0))
        rows.append(weights)
    return torch.stack(rows).reshape(scores.shape)


def by_hand(scores, mask):
    """Exponentials of the scores less the greatest, over their sum."""
    masked = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = (masked - masked.amax(dim=-1, keepdim=True)).exp() * mask
    total = weights.sum(dim=-1, keepdim=True)
    return weights / total.masked_fill(total == 0, 1.0)


def with_where(scores, mask):
    """torch.where on both sides of the softmax."""
    weights = torch.where(mask, scores, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return torch.where(mask, weights, torch.zeros_like(weights))


def in_single_precision(scores, mask):
    """Computed in float32 at least, and given back in the type of the scores."""
    enough = torch.promote_types(scores.dtype, torch.float32)
    weights = nn.functional.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), dim=-1, dtype=enough)
    return (weights * mask).type_as(scores)


def additive_bias(scores, mask):
    """Minus infinity is added where the mask is False, except in rows that would have nothing else."""
    empty = ~mask.any(dim=-1, keepdim=True)
    bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device).masked_fill(~(mask | empty), -math.inf)
    return (scores + bias).softmax(dim=-1).masked_fill(empty, 0.0)


def infinity_where_safe(scores, mask):
    """Minus infinity, with rows that are wholly masked left alone until the end."""
    some = mask.any(dim=-1, keepdim=True)
    filled = scores.masked_fill(~mask & some, float("-inf"))
    return torch.softmax(filled, -1) * some


def multiplied(scores, mask):
    """The weights are multiplied by the mask."""
    return torch.softmax(scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min), dim=-1) * mask


def nan_stopped(scores, mask):
    """A NaN that masked_fill stops on its way back: it hands no gradient to the places that it filled."""
    return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1).nan_to_num(0.0)


def in_place_on_a_copy(scores, mask):
    """A copy of its own may be changed in place."""
    own = scores.clone()
    own.masked_fill_(~mask, torch.finfo(own.dtype).min)
    return own.softmax(-1).masked_fill(mask == 0, 0)


def log_sum_exp(scores, mask):
    """The softmax as exp(e - log Σ exp(e))."""
    masked = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return (masked - masked.logsumexp(dim=-1, keepdim=True)).exp().masked_fill(~mask, 0.0)


as_a_lambda = lambda scores, mask: (
    scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1).masked_fill(~mask, 0)
)


def with_a_dimension(dim, scores, mask):
    """For a partial: the dimension comes first."""
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim).masked_fill(~mask, 0)


class MaskedSoftmax(nn.Module):
    """A module in the place of a function."""

    def forward(self, scores, mask):
        return as_a_lambda(scores, mask)


def speaks(function):
    """A decorator that prints the shapes."""

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        print("shapes:", [tuple(arg.shape) for arg in args])
        return function(*args, **kwargs)

    return wrapped


RIGHT = {
    "loops": loops,
    "by hand": by_hand,
    "with where": with_where,
    "in single precision": in_single_precision,
    "additive bias": additive_bias,
    "infinity where safe": infinity_where_safe,
    "multiplied": multiplied,
    "NaN stopped": nan_stopped,
    "in place on a copy": in_place_on_a_copy,
    "log-sum-exp": log_sum_exp,
    "a lambda": as_a_lambda,
    "a partial": functools.partial(with_a_dimension, -1),
    "a module": MaskedSoftmax(),
    "decorated": speaks(multiplied),
    "typed names": lambda scores, mask: multiplied(scores=scores, mask=mask),
}
