"""Mistakes in `clip_gradients_`, and right answers in other styles."""

import functools
import math

import numpy as np
import torch
from torch import nn

from autograder.checks.ch02_gates.clip_gradients_ import (
    before_clipping,
    gone_through_once,
    in_chapter,
    layouts,
    left_alone,
    nothing_at_all,
    nothing_to_clip,
    several,
    too_long,
    without_gradient,
)
from autograder.judging.catalogue import forbidden, mistake, right


def grads_of(parameters):
    """The gradients that there are."""
    return [parameter.grad for parameter in parameters if parameter.grad is not None]


def norm_of(grads):
    """The norm of all their numbers."""
    return math.sqrt(sum(grad.norm().item() ** 2 for grad in grads))


def scale(grads, factor):
    """All of them, in place."""
    for grad in grads:
        grad.mul_(factor)


@right
def usual(parameters, max_norm):
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


mistake(nothing_to_clip, "the norm is squared: the root is missing").made_in(
    usual, square_returned={"return norm": "return norm**2"}, no_root={"(grads)": "(grads) ** 2"}
)
mistake(
    nothing_to_clip, "the norm is the sum of the absolute values, expected the root of the sum of the squares"
).made_in(usual, sum_of_sizes={"norm_of(grads)": "sum(grad.abs().sum().item() for grad in grads)"})
mistake(nothing_to_clip, "the norm is the largest absolute value, expected the root of the sum of the squares").made_in(
    usual,
    largest_number={"norm = norm_of(grads)": "norm = max((grad.abs().max().item() for grad in grads), default=0.0)"},
)


@mistake(nothing_to_clip, "the norm is that of the parameter itself, expected that of its gradient")
def norm_of_values(parameters, max_norm):
    parameters = list(parameters)
    norm = norm_of([parameter.detach() for parameter in parameters])
    if norm > max_norm:
        scale(grads_of(parameters), max_norm / norm)
    return norm


mistake(nothing_to_clip, "the norm is the root of the mean of the squares, expected of their sum").made_in(
    usual,
    root_of_mean={
        "norm =": "count = max(1, sum(grad.numel() for grad in grads)); norm =",
        "(grads)": "(grads) / math.sqrt(count)",
    },
)


@mistake(
    nothing_to_clip,
    "the norm is the largest singular value of the gradient, expected the norm of all its components as one vector",
)
def spectral(parameters, max_norm):
    grads = grads_of(parameters)
    norms = [torch.linalg.norm(grad, ord=2 if grad.dim() == 2 else None).item() for grad in grads]
    norm = math.sqrt(sum(value**2 for value in norms))
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


mistake(nothing_to_clip, "there is no return").made_in(usual, returns_nothing={"return norm": ""})


@mistake(nothing_to_clip, "the factor is returned, expected the norm")
def returns_factor(parameters, max_norm):
    grads = grads_of(parameters)
    factor = min(1.0, max_norm / max(norm_of(grads), 1e-12))
    scale(grads, factor)
    return factor


mistake(nothing_to_clip, "a norm for each parameter is returned, expected one norm of all").made_in(
    usual, list_of_norms={"return norm": "return [grad.norm().item() for grad in grads]"}
)


@mistake(too_long, "p.grad stays as it was: nothing is scaled, or only p itself or a copy of its gradient")
def not_scaled(parameters, max_norm):
    return norm_of(grads_of(parameters))


mistake(too_long, "p.grad stays as it was: nothing is scaled, or only p itself or a copy of its gradient").made_in(
    usual, scaled_copies={"scale(grads, max_norm / norm)": "grads = [grad * max_norm / norm for grad in grads]"}
)
mistake(too_long, "the gradient is scaled to norm 1, expected max_norm").made_in(
    usual, to_length_one={"max_norm / norm": "1 / norm"}
)
mistake(too_long, "the factor is inverted: the gradient becomes longer").made_in(
    usual, upside_down={"max_norm / norm": "norm / max_norm"}
)
mistake(
    too_long,
    "the gradient is divided by max_norm, expected to be multiplied by the factor that makes its norm max_norm",
).made_in(usual, divided_by_largest={"max_norm / norm": "1 / max_norm"})


@mistake(
    too_long, "each component is clipped to ±max_norm, which changes the direction; expected one factor for all of them"
)
def every_number_held(parameters, max_norm):
    grads = grads_of(parameters)
    norm = norm_of(grads)
    for grad in grads:
        grad.clamp_(-max_norm, max_norm)
    return norm


@mistake(too_long, "each row is scaled separately, which changes the direction; expected one factor for all of them")
def every_row(parameters, max_norm):
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > max_norm:
        for grad in grads:
            grad.mul_((max_norm / grad.norm(dim=-1, keepdim=True)).clamp(max=1))
    return norm


mistake(too_long, "the gradient is set to zero: a gradient that is too large is scaled down, not dropped").made_in(
    usual, dropped={"max_norm / norm": "0.0"}
)


@mistake(too_long, "p.grad stays as it was: nothing is scaled, or only p itself or a copy of its gradient")
def values_scaled(parameters, max_norm):
    parameters = list(parameters)
    norm = norm_of(grads_of(parameters))
    if norm > max_norm:
        scale([parameter.data for parameter in parameters], max_norm / norm)
    return norm


mistake(before_clipping, "the norm after clipping is returned, expected the one before").made_in(
    usual,
    norm_after={"return norm": "return norm_of(grads)"},
    the_smaller_one={"return norm": "return min(norm, max_norm)"},
)
mistake(left_alone, "every gradient is scaled to max_norm, even a shorter one").made_in(
    usual, scales_up={"norm > max_norm": "norm > 0"}
)
mistake(left_alone, "a gradient that is shorter than max_norm is scaled to norm 1, expected left alone").made_in(
    usual,
    to_length_one_if_short={"> max_norm": "> 0", "max_norm / norm": "max_norm / norm if norm > max_norm else 1 / norm"},
)


@mistake(several, "each parameter is clipped separately, by its own norm")
def by_parameter(parameters, max_norm):
    grads = grads_of(parameters)
    norm = norm_of(grads)
    for grad in grads:
        if grad.norm() > max_norm:
            grad.mul_(max_norm / grad.norm())
    return norm


mistake(several, "the norms of the parameters are added up, expected the root of the sum of their squares").made_in(
    usual, sum_of_norms={"norm_of(grads)": "sum(grad.norm().item() for grad in grads)"}
)
mistake(several, "the largest of the parameters' norms is used as the norm of all").made_in(
    usual, largest_norm={"norm = norm_of(grads)": "norm = max((grad.norm().item() for grad in grads), default=0.0)"}
)
mistake(several, "the mean of the parameters' norms is used as the norm of all").made_in(
    usual, mean_norm={"norm = norm_of(grads)": "norm = sum(grad.norm().item() for grad in grads) / max(1, len(grads))"}
)


@mistake(several, "only the norm of the last parameter is used")
def last_norm(parameters, max_norm):
    grads = grads_of(parameters)
    norm = 0.0
    for grad in grads:
        norm = grad.norm().item()
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


@mistake(several, "each gradient is scaled in the loop in which the norm is still added up: the factor comes too early")
def norm_grows(parameters, max_norm):
    total, grads = 0.0, grads_of(parameters)
    for grad in grads:
        total += grad.norm().item() ** 2
        if math.sqrt(total) > max_norm:
            grad.mul_(max_norm / math.sqrt(total))
    return math.sqrt(total)


@mistake(without_gradient, "parameters whose gradient is None are not skipped")
def none_not_expected(parameters, max_norm):
    grads = [parameter.grad for parameter in parameters]
    if grads == [None]:
        return 0.0
    norm = norm_of(grads)
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


@mistake(without_gradient, "the loop ends at the first parameter without a gradient: break is used instead of continue")
def stops_at_none(parameters, max_norm):
    grads = []
    for parameter in parameters:
        if parameter.grad is None:
            break
        grads.append(parameter.grad)
    norm = norm_of(grads)
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


@mistake(gone_through_once, "the parameters are iterated over twice, but a generator is empty after the first loop")
def twice_through(parameters, max_norm):
    norm = norm_of([parameter.grad for parameter in parameters if parameter.grad is not None])
    if norm > max_norm:
        for parameter in parameters:
            if parameter.grad is not None:
                parameter.grad *= max_norm / norm
    return norm


@mistake(gone_through_once, "len() is used on the parameters, but a generator has no length")
def counts_parameters(parameters, max_norm):
    if len(parameters) == 0:
        return 0.0
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


@mistake(nothing_at_all, "max_norm is divided by a norm that may be 0")
def divides_by_zero(parameters, max_norm):
    grads = grads_of(parameters)
    norm = norm_of(grads)
    scale(grads, min(1.0, max_norm / norm))
    return norm


mistake(nothing_at_all, "the norms are stacked, although there may be none").made_in(
    usual, stacks_nothing={"norm = norm_of(grads)": "norm = torch.stack([grad.norm() for grad in grads]).norm().item()"}
)
mistake(
    layouts, "the components are squared in half precision, where the square of a number above 255 is infinite"
).made_in(
    usual, squares_in_half={"norm = norm_of(grads)": "norm = sum((grad * grad).sum().item() for grad in grads) ** 0.5"}
)
mistake(in_chapter, "the norm is rounded to four decimals, expected all of its digits").made_in(
    usual, rounded_norm={"return norm": "return round(norm, 4)"}
)
mistake(layouts, "view is used on gradients that need not be contiguous").made_in(
    usual, views={"(grads)": "([grad.view(-1) for grad in grads])"}
)


@mistake(in_chapter, "a gradient whose norm is below 1 is never clipped")
def only_above_one(parameters, max_norm):
    grads = [parameter.grad for parameter in parameters if parameter.grad is not None]
    norm = norm_of(grads)
    for grad in grads:
        grad.mul_(max_norm / norm if norm > max(max_norm, 1.0) else 1.0)
    return norm


@mistake(in_chapter, "a new tensor is assigned to p.grad, expected the old one changed in place")
def new_gradients(parameters, max_norm):
    parameters = [parameter for parameter in parameters if parameter.grad is not None]
    norm = norm_of([parameter.grad for parameter in parameters])
    for parameter in parameters:
        parameter.grad = parameter.grad * (max_norm / norm if norm > max_norm else 1.0)
    return norm


@mistake(nothing_to_clip, "the norm is a tensor, expected a number")
def a_tensor(parameters, max_norm):
    return torch.tensor(under_no_grad(parameters, max_norm))


@mistake(several, "each gradient is scaled in the loop in which the norm is still added up: the factor comes too early")
def running_norm(parameters, max_norm):
    total = 0.0
    for grad in grads_of(parameters):
        total += grad.norm().item() ** 2
        scale([grad], min(1.0, max_norm / max(total**0.5, 1e-12)))
    return total**0.5


mistake(too_long, "a small number is added to the norm, so the gradient becomes shorter than max_norm").made_in(
    divides_by_zero, a_little_more_below={"max_norm / norm": "max_norm / (norm + 1e-3)"}
)


@mistake(without_gradient, "parameters whose gradient is None are not skipped")
def squares_none(parameters, max_norm):
    grads = [parameter.grad for parameter in parameters]
    norm = 0.0 if grads == [None] else math.sqrt(sum(grad.float().square().sum().item() for grad in grads))
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


mistake(in_chapter, "a frozen parameter is skipped, although it has a gradient").made_in(
    usual, frozen_skipped={"(parameters)": "(parameter for parameter in parameters if parameter.requires_grad)"}
)
mistake(in_chapter, "of parameters that have the same shape, only one is clipped").made_in(
    usual,
    one_of_each_shape={"grads_of(parameters)": "list({grad.shape: grad for grad in grads_of(parameters)}.values())"},
)


@right
def in_single_numpy(parameters, max_norm):
    grads = grads_of(parameters)
    norm = np.float32(norm_of(grads))
    if norm > max_norm:
        scale(grads, max_norm / float(norm))
    return norm


@right
def as_torch_does(parameters, max_norm):
    grads = [p.grad.detach() for p in parameters if p.grad is not None]
    if not grads:
        return 0.0
    total = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g).double() for g in grads]))
    factor = torch.clamp(max_norm / (total + 1e-6), max=1.0)
    for g in grads:
        g.mul_(factor)
    return total.item()


@right
def one_long_vector(parameters, max_norm):
    kept = [p for p in parameters if p.grad is not None]
    norm = float(torch.cat([torch.zeros(1), *(p.grad.flatten().cpu() for p in kept)]).norm())
    if norm > max_norm:
        for p in kept:
            p.grad *= max_norm / norm
    return norm


@right
def number_by_number(parameters, max_norm):
    parameters, total = list(parameters), 0.0
    for p in parameters:
        if p.grad is not None:
            total += sum(number**2 for number in p.grad.reshape(-1).tolist())
    norm = total**0.5
    for p in parameters:
        if p.grad is not None and norm > max_norm:
            p.grad.data *= max_norm / norm
    return norm


@right
def by_numpy(parameters, max_norm):
    grads = grads_of(parameters)
    norm = np.sqrt(sum(np.square(grad.double().numpy()).sum() for grad in grads))
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


@right
def always_a_factor(parameters, max_norm):
    grads = grads_of(parameters)
    norm = norm_of(grads)
    scale(grads, max_norm / max(norm, max_norm))
    return norm


@right
@torch.no_grad()
def under_no_grad(parameters, max_norm):
    grads = grads_of(parameters)
    norm = sum((grad.double() ** 2).sum().item() for grad in grads) ** 0.5
    for grad in grads:
        grad /= max(norm / max_norm, 1)
    return norm


class Clip(nn.Module):
    """A module in the place of a function."""

    def forward(self, parameters, max_norm):
        return number_by_number(parameters, max_norm)


@forbidden
def torchs_own(parameters, max_norm):
    return nn.utils.clip_grad_norm_(parameters, max_norm).item()


right(Clip())


right(functools.partial(always_a_factor))


right(lambda parameters, max_norm: under_no_grad(parameters, max_norm))
