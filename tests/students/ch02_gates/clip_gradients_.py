"""What students hand in for `clip_gradients_`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
exercise's rule.
"""

import functools
import math

import numpy as np
import torch
from torch import nn

EXERCISE = "clip_gradients_"


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


def square_returned(parameters, max_norm):
    """No root in what comes back."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm**2


def no_root(parameters, max_norm):
    """No root at all."""
    grads = grads_of(parameters)
    norm = norm_of(grads) ** 2
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


def sum_of_sizes(parameters, max_norm):
    """The L1 norm."""
    grads = grads_of(parameters)
    norm = sum(grad.abs().sum().item() for grad in grads)
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


def largest_number(parameters, max_norm):
    """The largest number for the norm."""
    grads = grads_of(parameters)
    norm = max((grad.abs().max().item() for grad in grads), default=0.0)
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


def norm_of_values(parameters, max_norm):
    """The parameters' own norm."""
    parameters = list(parameters)
    norm = norm_of([parameter.detach() for parameter in parameters])
    if norm > max_norm:
        scale(grads_of(parameters), max_norm / norm)
    return norm


def root_of_mean(parameters, max_norm):
    """The root of the mean of the squares."""
    grads = grads_of(parameters)
    count = max(1, sum(grad.numel() for grad in grads))
    norm = norm_of(grads) / math.sqrt(count)
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


def spectral(parameters, max_norm):
    """The largest singular value of a matrix."""
    grads = grads_of(parameters)
    norms = [torch.linalg.norm(grad, ord=2 if grad.dim() == 2 else None).item() for grad in grads]
    norm = math.sqrt(sum(value**2 for value in norms))
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


def returns_nothing(parameters, max_norm):
    """The return is forgotten."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > max_norm:
        scale(grads, max_norm / norm)


def returns_factor(parameters, max_norm):
    """The factor for the norm."""
    grads = grads_of(parameters)
    factor = min(1.0, max_norm / max(norm_of(grads), 1e-12))
    scale(grads, factor)
    return factor


def list_of_norms(parameters, max_norm):
    """A norm for each."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return [grad.norm().item() for grad in grads]


def not_scaled(parameters, max_norm):
    """Only the norm."""
    return norm_of(grads_of(parameters))


def scaled_copies(parameters, max_norm):
    """The gradients are scaled, and the results are not kept."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > max_norm:
        grads = [grad * max_norm / norm for grad in grads]
    return norm


def to_length_one(parameters, max_norm):
    """max_norm is forgotten in the factor."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > max_norm:
        scale(grads, 1 / norm)
    return norm


def upside_down(parameters, max_norm):
    """The factor is upside down."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > max_norm:
        scale(grads, norm / max_norm)
    return norm


def divided_by_largest(parameters, max_norm):
    """Divided by max_norm."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > max_norm:
        scale(grads, 1 / max_norm)
    return norm


def every_number_held(parameters, max_norm):
    """Numbers are clipped, and not the norm."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    for grad in grads:
        grad.clamp_(-max_norm, max_norm)
    return norm


def every_row(parameters, max_norm):
    """Each row has its own norm."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > max_norm:
        for grad in grads:
            grad.mul_((max_norm / grad.norm(dim=-1, keepdim=True)).clamp(max=1))
    return norm


def dropped(parameters, max_norm):
    """A gradient that is too long is set to zero."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > max_norm:
        scale(grads, 0.0)
    return norm


def values_scaled(parameters, max_norm):
    """The parameters are scaled and not their gradients."""
    parameters = list(parameters)
    norm = norm_of(grads_of(parameters))
    if norm > max_norm:
        scale([parameter.data for parameter in parameters], max_norm / norm)
    return norm


def norm_after(parameters, max_norm):
    """The norm is computed once more."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm_of(grads)


def the_smaller_one(parameters, max_norm):
    """Whichever is smaller comes back."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return min(norm, max_norm)


def scales_up(parameters, max_norm):
    """No question is asked."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > 0:
        scale(grads, max_norm / norm)
    return norm


def to_length_one_if_short(parameters, max_norm):
    """The comparison is the wrong way round, and what is long is clipped too."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > 0:
        scale(grads, max_norm / norm if norm > max_norm else 1 / norm)
    return norm


def by_parameter(parameters, max_norm):
    """Each parameter by its own norm; the norm of all comes back."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    for grad in grads:
        if grad.norm() > max_norm:
            grad.mul_(max_norm / grad.norm())
    return norm


def sum_of_norms(parameters, max_norm):
    """The norms are added."""
    grads = grads_of(parameters)
    norm = sum(grad.norm().item() for grad in grads)
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


def largest_norm(parameters, max_norm):
    """The largest of the norms."""
    grads = grads_of(parameters)
    norm = max((grad.norm().item() for grad in grads), default=0.0)
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


def mean_norm(parameters, max_norm):
    """The mean of the norms."""
    grads = grads_of(parameters)
    norm = sum(grad.norm().item() for grad in grads) / max(1, len(grads))
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


def last_norm(parameters, max_norm):
    """The norm of the last parameter, left over from the loop."""
    grads = grads_of(parameters)
    norm = 0.0
    for grad in grads:
        norm = grad.norm().item()
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


def norm_grows(parameters, max_norm):
    """The gradients are scaled while the norm is still being summed."""
    total, grads = 0.0, grads_of(parameters)
    for grad in grads:
        total += grad.norm().item() ** 2
        if math.sqrt(total) > max_norm:
            grad.mul_(max_norm / math.sqrt(total))
    return math.sqrt(total)


def none_not_expected(parameters, max_norm):
    """Every parameter has a gradient."""
    grads = [parameter.grad for parameter in parameters]
    if grads == [None]:
        return 0.0
    norm = norm_of(grads)
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


def stops_at_none(parameters, max_norm):
    """`break` is used instead of `continue`."""
    grads = []
    for parameter in parameters:
        if parameter.grad is None:
            break
        grads.append(parameter.grad)
    norm = norm_of(grads)
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


def twice_through(parameters, max_norm):
    """There are two loops over parameters that may be a generator."""
    norm = norm_of([parameter.grad for parameter in parameters if parameter.grad is not None])
    if norm > max_norm:
        for parameter in parameters:
            if parameter.grad is not None:
                parameter.grad *= max_norm / norm
    return norm


def counts_parameters(parameters, max_norm):
    """Wants a list."""
    if len(parameters) == 0:
        return 0.0
    grads = grads_of(parameters)
    norm = norm_of(grads)
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


def divides_by_zero(parameters, max_norm):
    """The factor is computed first."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    scale(grads, min(1.0, max_norm / norm))
    return norm


def stacks_nothing(parameters, max_norm):
    """Without a gradient there is nothing to stack."""
    grads = grads_of(parameters)
    norm = torch.stack([grad.norm() for grad in grads]).norm().item()
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


def views(parameters, max_norm):
    """view for flatten."""
    grads = grads_of(parameters)
    norm = norm_of([grad.view(-1) for grad in grads])
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


def only_above_one(parameters, max_norm):
    """Nothing is clipped if the norm is below 1."""
    grads = [parameter.grad for parameter in parameters if parameter.grad is not None]
    norm = math.sqrt(sum(float(grad.square().sum()) for grad in grads))
    for grad in grads:
        grad.mul_(max_norm / norm if norm > max(max_norm, 1.0) else 1.0)
    return norm


def new_gradients(parameters, max_norm):
    """A new tensor is assigned to p.grad, and the old one does not change."""
    parameters = [parameter for parameter in parameters if parameter.grad is not None]
    norm = math.sqrt(sum(float(parameter.grad.square().sum()) for parameter in parameters))
    for parameter in parameters:
        parameter.grad = parameter.grad * (max_norm / norm if norm > max_norm else 1.0)
    return norm


def a_tensor(parameters, max_norm):
    """The norm is a tensor of one number."""
    return torch.tensor(without_gradient(parameters, max_norm))


_USE = "works as the chapter uses it"
_NORM = "the result is the norm of the gradient"
_CLIPPED = "a gradient whose norm is above max_norm is scaled down to max_norm, and keeps its direction"
_BEFORE = "the norm that is returned is the one before clipping"
_SHORT = "a gradient whose norm is small enough is left alone"
_TOGETHER = "all parameters share one norm and one factor"
_FROZEN = "parameters without a gradient are skipped"
_ONCE = "the parameters are iterated over only once"
_NOTHING = "gradients of zeros, and no gradient at all, cause no errors"
_LAYOUTS = "gradients of another dtype, or not contiguous in memory, are clipped too"


def running_norm(parameters, max_norm):
    """Each gradient is shortened by the norm of those up to it."""
    total = 0.0
    for grad in grads_of(parameters):
        total += grad.norm().item() ** 2
        scale([grad], min(1.0, max_norm / max(total**0.5, 1e-12)))
    return total**0.5


def in_single_numpy(parameters, max_norm):
    """The norm is NumPy's, in single precision."""
    grads = grads_of(parameters)
    norm = np.float32(norm_of(grads))
    if norm > max_norm:
        scale(grads, max_norm / float(norm))
    return norm


WRONG = {
    a_tensor: _NORM,
    only_above_one: _USE,
    new_gradients: _USE,
    square_returned: _NORM,
    no_root: _NORM,
    sum_of_sizes: _NORM,
    largest_number: _NORM,
    norm_of_values: _NORM,
    root_of_mean: _NORM,
    spectral: _NORM,
    returns_nothing: _NORM,
    returns_factor: _NORM,
    list_of_norms: _NORM,
    not_scaled: _CLIPPED,
    scaled_copies: _CLIPPED,
    to_length_one: _CLIPPED,
    upside_down: _CLIPPED,
    divided_by_largest: _CLIPPED,
    every_number_held: _CLIPPED,
    every_row: _CLIPPED,
    dropped: _CLIPPED,
    values_scaled: _CLIPPED,
    norm_after: _BEFORE,
    the_smaller_one: _BEFORE,
    scales_up: _SHORT,
    to_length_one_if_short: _SHORT,
    by_parameter: _TOGETHER,
    sum_of_norms: _TOGETHER,
    largest_norm: _TOGETHER,
    mean_norm: _TOGETHER,
    last_norm: _TOGETHER,
    norm_grows: _TOGETHER,
    running_norm: _TOGETHER,
    none_not_expected: _FROZEN,
    stops_at_none: _FROZEN,
    twice_through: _ONCE,
    counts_parameters: _ONCE,
    divides_by_zero: _NOTHING,
    stacks_nothing: _NOTHING,
    views: _LAYOUTS,
}


def as_torch_does(parameters, max_norm):
    """A little more than the norm below the line."""
    grads = [p.grad.detach() for p in parameters if p.grad is not None]
    if not grads:
        return 0.0
    total = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g).double() for g in grads]))
    factor = torch.clamp(max_norm / (total + 1e-6), max=1.0)
    for g in grads:
        g.mul_(factor)
    return total.item()


def one_long_vector(parameters, max_norm):
    """The gradients laid end to end."""
    kept = [p for p in parameters if p.grad is not None]
    norm = float(torch.cat([torch.zeros(1), *(p.grad.flatten().cpu() for p in kept)]).norm())
    if norm > max_norm:
        for p in kept:
            p.grad *= max_norm / norm
    return norm


def number_by_number(parameters, max_norm):
    """Plain Python numbers."""
    parameters, total = list(parameters), 0.0
    for p in parameters:
        if p.grad is not None:
            total += sum(number**2 for number in p.grad.reshape(-1).tolist())
    norm = total**0.5
    for p in parameters:
        if p.grad is not None and norm > max_norm:
            p.grad.data *= max_norm / norm
    return norm


def by_numpy(parameters, max_norm):
    """The norm is NumPy's."""
    grads = grads_of(parameters)
    norm = np.sqrt(sum(np.square(grad.numpy()).sum(dtype=np.float64) for grad in grads))
    if norm > max_norm:
        scale(grads, max_norm / norm)
    return norm


def always_a_factor(parameters, max_norm):
    """The factor is 1 where there is nothing to do."""
    grads = grads_of(parameters)
    norm = norm_of(grads)
    scale(grads, max_norm / max(norm, max_norm))
    return norm


@torch.no_grad()
def without_gradient(parameters, max_norm):
    """A decorator in front."""
    grads = grads_of(parameters)
    norm = sum((grad**2).sum().item() for grad in grads) ** 0.5
    for grad in grads:
        grad /= max(norm / max_norm, 1)
    return norm


class Clip(nn.Module):
    """A module in the place of a function."""

    def forward(self, parameters, max_norm):
        return number_by_number(parameters, max_norm)


RIGHT = {
    "NumPy in single precision": in_single_numpy,
    "as torch does": as_torch_does,
    "one long vector": one_long_vector,
    "number by number": number_by_number,
    "by NumPy": by_numpy,
    "always a factor": always_a_factor,
    "without gradient": without_gradient,
    "a module": Clip(),
    "a partial": functools.partial(always_a_factor),
    "a lambda": lambda parameters, max_norm: without_gradient(parameters, max_norm),
}


def torchs_own(parameters, max_norm):
    """The rule is that this is not used."""
    return nn.utils.clip_grad_norm_(parameters, max_norm).item()


FORBIDDEN = (torchs_own,)
