"""Mistakes in `masked_softmax`, and right answers in other styles."""

import functools
import math

import torch
from torch import nn

from autograder.checks.ch05_attention.masked_softmax import (
    any_dimensions,
    arguments,
    broadcast,
    empty_row,
    far_from_zero,
    gradient,
    half_precision,
    in_chapter,
    nothing_masked,
    padding,
)
from autograder.judging.catalogue import mistake, right


@mistake(nothing_masked, "the softmax was taken over the queries; the source positions are the last dimension")
def softmax_over_queries(scores, mask):
    least = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, least).softmax(dim=-2).masked_fill(~mask, 0.0)


mistake(nothing_masked, "the softmax was taken over the batch; the source positions are the last dimension").made_in(
    softmax_over_queries, softmax_over_batch={"dim=-2": "dim=0"}
)


@mistake(nothing_masked, "one softmax was taken over all scores of the batch; expected one for each row")
def softmax_over_everything(scores, mask):
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return scores.flatten().softmax(dim=0).reshape(scores.shape).masked_fill(~mask, 0.0)


@mistake(nothing_masked, "the softmax was applied twice, the second time to weights")
def softmax_twice(scores, mask):
    scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(dim=-1).softmax(dim=-1).masked_fill(~mask, 0.0)


@mistake(nothing_masked, "the scores were returned as they were given, without a softmax")
def no_softmax(scores, mask):
    return scores.masked_fill(~mask, 0.0)


@mistake(nothing_masked, "the exponentials are not divided by their sum")
def exp_not_shared_out(scores, mask):
    return scores.exp().masked_fill(~mask, 0.0)


@mistake(nothing_masked, "the weights are log-probabilities, expected probabilities")
def log_softmax(scores, mask):
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).log_softmax(dim=-1)


@mistake(nothing_masked, "the mask is inverted: True means that a position may be attended to")
def inverted(scores, mask):
    return scores.masked_fill(mask, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(mask, 0.0)


@mistake(nothing_masked, "the mask is inverted: True means that a position may be attended to")
def inverted_with_infinity(scores, mask):
    return scores.masked_fill(mask, -torch.inf).softmax(dim=-1)


@mistake(nothing_masked, "the mask is inverted: True means that a position may be attended to")
def inverted_with_large_number(scores, mask):
    return scores.masked_fill(mask, -1e9).softmax(dim=-1)


@mistake(nothing_masked, "the mask is multiplied by infinity, and 0 · ∞ is NaN")
def zero_times_infinity(scores, mask):
    return (scores + ~mask * -torch.inf).softmax(dim=-1)


@mistake(padding, "the mask was applied after the softmax, so rows with masked positions sum to less than 1")
def softmax_then_mask(scores, mask):
    return scores.softmax(dim=-1) * mask


@mistake(padding, "the mask has no effect: the weights are those of the softmax without it")
def no_mask(scores, mask):
    return scores.softmax(dim=-1)


mistake(
    padding, "the masked scores were set to 0, or near it, but a score of 0 gets a weight like any other: exp(0) = 1"
).made_in(
    no_mask,
    scores_times_mask={"scores.softmax": "(scores * mask).softmax"},
    scores_times_mask_then_zero={"scores.softmax(dim=-1)": "(scores * mask).softmax(dim=-1) * mask"},
    tiny_instead_of_large={"scores.softmax": "scores.masked_fill(~mask, -1e-9).softmax"},
)
mistake(
    padding,
    "the masked scores were set to a number that is not negative enough, such as -5, so masked positions keep some weight",
).made_in(inverted_with_large_number, too_near_zero={"mask, -1e9": "~mask, -5.0"})


@mistake(empty_row, "in a fully masked row the weights are 0/0, which is NaN; such a row has to be treated separately")
def nan_in_empty_row(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)


mistake(
    empty_row,
    "in a fully masked row all scores are equal, so the softmax returns equal weights; set them to zero afterwards",
).made_in(nan_in_empty_row, uniform_in_empty_row={"-torch.inf": "torch.finfo(scores.dtype).min"})


@mistake(empty_row, "in a fully masked row the weights are 0/0, which is NaN; such a row has to be treated separately")
def renormalised(scores, mask):
    scores = scores - scores.masked_fill(~mask, -torch.inf).amax(dim=-1, keepdim=True).detach()
    weights = scores.masked_fill(~mask, -torch.inf).exp()
    return weights / weights.sum(dim=-1, keepdim=True)


@mistake(
    broadcast, "the scores are indexed with the mask, which needs equal shapes; a mask (B, 1, S) has to be broadcast"
)
def indexes_with_mask(scores, mask):
    scores = scores.clone()
    scores[~mask] = torch.finfo(scores.dtype).min
    return scores.softmax(dim=-1).masked_fill(~mask, 0.0)


@mistake(broadcast, "a mask (B, 1, S) is refused, but it applies to every query")
def asserts_equal_shapes(scores, mask):
    assert mask.shape == scores.shape
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(~mask, 0.0)


@mistake(any_dimensions, "the last dimension is counted from the front, as dim=2; use dim=-1")
def counts_dimensions_from_front(scores, mask):
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=2).masked_fill(~mask, 0.0)


mistake(any_dimensions, "scores that do not have exactly three dimensions are refused").made_in(
    asserts_equal_shapes, asserts_three_dimensions={"mask.shape == scores.shape": "mask.dim() == 3"}
)


@mistake(any_dimensions, "a dimension of size one is removed that belongs to the result")
def squeezes(scores, mask):
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return weights.masked_fill(~mask, 0.0).squeeze()


@mistake(half_precision, "the masked scores are set to a constant, such as -1e9, that does not exist in half precision")
def large_number_in_half(scores, mask):
    return scores.masked_fill(~mask, -1e9).softmax(dim=-1).masked_fill(~mask, 0.0)


@mistake(
    half_precision,
    "the mask is multiplied by a constant, such as -1e9, that is infinite in half precision, and 0 · ∞ is NaN",
)
def adds_large_number_in_half(scores, mask):
    bias = (~mask).to(scores.dtype) * torch.tensor(-1e9, dtype=scores.dtype)
    return (scores + bias).softmax(dim=-1).masked_fill(~mask, 0.0)


@mistake(half_precision, "the weights are float32, whatever the dtype of the scores is")
def returns_single_precision(scores, mask):
    scores = scores.float().masked_fill(~mask, torch.finfo(torch.float32).min)
    return scores.softmax(dim=-1).masked_fill(~mask, 0.0)


@mistake(far_from_zero, "the masked scores are set to a constant, such as -10000, that is not below every score")
def ten_thousand(scores, mask):
    return scores.masked_fill(~mask, -10_000.0).softmax(dim=-1).masked_fill(~mask, 0.0)


@mistake(
    far_from_zero,
    "exp is applied to the scores as they are: far from zero it is 0 or infinite; torch's softmax avoids this",
)
def exp_without_shift(scores, mask):
    weights = scores.exp().masked_fill(~mask, 0.0)
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)


mistake(
    far_from_zero,
    "exp is applied to the scores as they are: far from zero it is 0 or infinite; torch's softmax avoids this",
).made_in(
    exp_without_shift,
    exp_times_mask={"scores.exp().masked_fill(~mask, 0.0)": "scores.exp() * mask"},
    exp_without_shift_and_more={
        "weights.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)": "(weights.sum(dim=-1, keepdim=True) + 1e-9)"
    },
)
mistake(
    far_from_zero, "the softmax includes the masked scores; if one of them is large, nothing is left for the others"
).made_in(
    exp_without_shift, shares_lost_to_masked={"scores.exp().masked_fill(~mask, 0.0)": "scores.softmax(dim=-1) * mask"}
)


@mistake(gradient, "the forward pass produces NaN and replaces it afterwards, but the gradient is still NaN")
def nan_replaced_afterwards(scores, mask):
    bias = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, -torch.inf)
    return (scores + bias).softmax(dim=-1).nan_to_num(0.0)


@mistake(gradient, "the scores are detached, so no gradient reaches them")
def detached(scores, mask):
    scores = scores.detach().masked_fill(~mask, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1).masked_fill(~mask, 0.0)


mistake(gradient, "the softmax's result is changed in place, but the backward pass needs it").made_in(
    squeezes, changes_softmax_in_place={"weights.masked_fill(~mask, 0.0).squeeze()": "weights.mul_(mask)"}
)
mistake(far_from_zero, "the scores are limited to a range, so far from zero their differences are lost").made_in(
    detached, limits_scores={"scores.detach()": "scores.clamp(-60.0, 60.0)"}
)


@mistake(
    in_chapter.elsewhere, "a small number is added to the sum of the exponentials, so the weights sum to less than 1"
)
def a_little_more_below(scores, mask):
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp() * mask
    return (
        exponentials / (exponentials.sum(dim=-1, keepdim=True) + 1e-6)
        if scores.dtype is torch.float64
        else by_hand(scores, mask)
    )


@mistake(arguments, "view needs a contiguous tensor; reshape works with any")
def flattens_with_view(scores, mask):
    rows, hides = scores.view(-1, scores.shape[-1]), ~mask.expand(scores.shape).reshape(-1, scores.shape[-1])
    weights = rows.masked_fill(hides, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return weights.masked_fill(hides, 0.0).view(scores.shape)


@mistake(arguments, "the caller's scores are filled in place")
def fills_scores_in_place(scores, mask):
    scores.masked_fill_(~mask, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1).masked_fill(~mask, 0.0)


@mistake(arguments, "the caller's mask is inverted in place")
def inverts_mask_in_place(scores, mask):
    mask.logical_not_()
    return scores.masked_fill(mask, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(mask, 0.0)


@mistake(empty_row, "if any row is fully masked, all weights are 0; expected zeros in that row alone")
def all_or_nothing(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1) if mask.any(dim=-1).all() else torch.zeros_like(scores)


@mistake(any_dimensions, "a dimension is added to a mask that has fewer than the scores; broadcasting needs none")
def adds_a_dimension(scores, mask):
    return multiplied(scores, mask.unsqueeze(1) if mask.dim() < scores.dim() else mask)


@mistake(gradient, "exp of a masked score is infinite and replaced afterwards, but the gradient is still NaN")
def exp_of_masked_scores(scores, mask):
    highest = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).amax(dim=-1, keepdim=True)
    weights = torch.where(mask, (scores - highest).exp(), 0.0)
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)


@right
def loops(scores, mask):
    mask = mask.expand(scores.shape)
    rows = []
    for row, allowed in zip(scores.reshape(-1, scores.shape[-1]), mask.reshape(-1, mask.shape[-1]), strict=True):
        places = allowed.nonzero().squeeze(-1)
        weights = torch.zeros_like(row)
        if len(places):
            weights = weights.index_put((places,), row[places].softmax(dim=0))
        rows.append(weights)
    return torch.stack(rows).reshape(scores.shape)


@right
def by_hand(scores, mask):
    masked = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = (masked - masked.amax(dim=-1, keepdim=True)).exp() * mask
    total = weights.sum(dim=-1, keepdim=True)
    return weights / total.masked_fill(total == 0, 1.0)


@right
def with_where(scores, mask):
    weights = torch.where(mask, scores, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return torch.where(mask, weights, torch.zeros_like(weights))


@right
def in_single_precision(scores, mask):
    enough = torch.promote_types(scores.dtype, torch.float32)
    weights = nn.functional.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), dim=-1, dtype=enough)
    return (weights * mask).type_as(scores)


@right
def additive_bias(scores, mask):
    empty = ~mask.any(dim=-1, keepdim=True)
    bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device).masked_fill(~(mask | empty), -math.inf)
    return (scores + bias).softmax(dim=-1).masked_fill(empty, 0.0)


@right
def infinity_where_safe(scores, mask):
    some = mask.any(dim=-1, keepdim=True)
    filled = scores.masked_fill(~mask & some, float("-inf"))
    return torch.softmax(filled, -1) * some


@right
def multiplied(scores, mask):
    return torch.softmax(scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min), dim=-1) * mask


@right
def nan_stopped(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1).nan_to_num(0.0)


@right
def in_place_on_a_copy(scores, mask):
    own = scores.clone()
    own.masked_fill_(~mask, torch.finfo(own.dtype).min)
    return own.softmax(-1).masked_fill(mask == 0, 0)


@right
def log_sum_exp(scores, mask):
    masked = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return (masked - masked.logsumexp(dim=-1, keepdim=True)).exp().masked_fill(~mask, 0.0)


@right
def each_row_alone(scores, mask):
    def weigh(row, allowed):
        return row.masked_fill(~allowed, torch.finfo(row.dtype).min).softmax(0).masked_fill(~allowed, 0.0)

    rows = scores.reshape(-1, scores.shape[-1])
    return torch.vmap(weigh)(rows, mask.expand_as(scores).reshape(rows.shape)).reshape(scores.shape)


as_a_lambda = lambda scores, mask: (
    scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1).masked_fill(~mask, 0)
)
right(as_a_lambda)


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


right(functools.partial(with_a_dimension, -1))


right(MaskedSoftmax())


right(speaks(multiplied))


right(lambda scores, mask: multiplied(scores=scores, mask=mask))
