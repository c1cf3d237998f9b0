"""Mistakes in `rnn_backward_step`, and right answers in other styles."""

import functools

import torch
from torch import nn

from autograder.checks.ch02_gates.rnn_backward_step import (
    alone,
    arguments,
    at_the_sum,
    backwards,
    both_gradients,
    in_chapter,
    of_a_batch,
    to_weights,
    types,
)
from autograder.judging.catalogue import forbidden, mistake, right


def from_sum(x, h_before, a_grad, input_weight, state_weight):
    """All five gradients of that at a_t; for the mistakes that are made before."""
    return a_grad @ input_weight, a_grad @ state_weight, a_grad.T @ x, a_grad.T @ h_before, a_grad.sum(0)


@right
def written_out(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    a_grad = (output_grad + later_grad) * (1 - h**2)
    return a_grad @ input_weight, a_grad @ state_weight, a_grad.T @ x, a_grad.T @ h_before, a_grad.sum(0)


@right
def usual(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    return from_sum(x, h_before, (output_grad + later_grad) * (1 - h**2), input_weight, state_weight)


@mistake(at_the_sum, "tanh′ is missing: the gradient at h_t is used as that at a_t")
def no_tanh(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    return from_sum(x, h_before, output_grad + later_grad, input_weight, state_weight)


mistake(at_the_sum, "the derivative of the tanh has the wrong sign").made_in(usual, wrong_sign={"1 - h**2": "h**2 - 1"})
mistake(
    at_the_sum, "the derivative of the tanh is computed from h_{t-1}, expected from h_t, which is its output"
).made_in(usual, tanh_of_before={"h**2": "h_before**2"})
mistake(at_the_sum, "the derivative is computed from tanh(h); but h_t is the tanh already").made_in(
    usual, tanh_of_tanh={"h**2": "h.tanh() ** 2"}
)
mistake(at_the_sum, "1 - h is used as the derivative of the tanh, expected another function of h").made_in(
    usual, not_squared={"h**2": "h"}
)
mistake(at_the_sum, "1 + h² is used as the derivative of the tanh, but no derivative of the tanh is above 1").made_in(
    usual, plus_for_minus={"1 - h**2": "1 + h**2"}
)
mistake(at_the_sum, "2h is used for h², * for **, in the derivative of the tanh").made_in(
    usual, twice_for_squared={"h**2": "h * 2"}
)
mistake(at_the_sum, "h² is used as the derivative of the tanh, which is 1 where h is 0").made_in(
    usual, square_alone={"1 - h**2": "h**2"}
)
mistake(
    at_the_sum, "the square of 1 - h is used as the derivative of the tanh, expected another function of h"
).made_in(usual, squared_outside={"1 - h**2": "(1 - h) ** 2"})
mistake(at_the_sum, "the gradient is divided by the derivative of the tanh, expected multiplied by it").made_in(
    usual, divided_by_the_derivative={"* (1 - h**2)": "/ (1 - h**2)"}
)
mistake(at_the_sum, "the gradient is multiplied by h_t itself, expected by the derivative of the tanh").made_in(
    usual, state_for_derivative={"(1 - h**2)": "h"}
)
mistake(at_the_sum, "the derivative of the tanh is computed from the gradient, expected from h_t").made_in(
    usual, derivative_at_the_gradient={"h**2": "(output_grad + later_grad).tanh() ** 2"}
)
mistake(at_the_sum, "h(1 - h) is the derivative of the sigmoid, expected that of the tanh").made_in(
    usual, of_the_sigmoid={"(1 - h**2)": "h * (1 - h)"}
)


@mistake(at_the_sum, "the gradient goes through tanh itself, expected a product with its derivative")
def through_tanh_itself(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    return from_sum(x, h_before, (output_grad + later_grad).tanh(), input_weight, state_weight)


@mistake(at_the_sum, "only one of the two gradients at h_t goes through the tanh: combine them first")
def one_before_the_tanh(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    return from_sum(x, h_before, output_grad * (1 - h**2) + later_grad, input_weight, state_weight)


@mistake(at_the_sum, "zeros are returned")
def zeros(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    return from_sum(x, h_before, torch.zeros_like(h), input_weight, state_weight)


@mistake(at_the_sum, "only the gradients of the weights are returned, expected five results")
def only_three(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    return from_sum(x, h_before, (output_grad + later_grad) * (1 - h**2), input_weight, state_weight)[2:]


@mistake(at_the_sum, "the gradients of the weights are returned first, expected those of x and h_before")
def weights_first(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    found = from_sum(x, h_before, (output_grad + later_grad) * (1 - h**2), input_weight, state_weight)
    return found[2:] + found[:2]


@mistake(at_the_sum, "the results are in a dict, expected in a tuple")
def a_dict(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    found = from_sum(x, h_before, (output_grad + later_grad) * (1 - h**2), input_weight, state_weight)
    return dict(zip(("x", "h_before", "input_weight", "state_weight", "bias"), found, strict=True))


@mistake(both_gradients, "only the gradient from the output at step t is used; later_grad is not added")
def only_output(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    return from_sum(x, h_before, output_grad * (1 - h**2), input_weight, state_weight)


@mistake(both_gradients, "only the gradient from step t + 1 is used; output_grad is not added")
def only_later(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    return from_sum(x, h_before, later_grad * (1 - h**2), input_weight, state_weight)


@mistake(both_gradients, "the mean of the two gradients is taken, expected their sum")
def mean_of_both(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    return from_sum(x, h_before, (output_grad + later_grad) / 2 * (1 - h**2), input_weight, state_weight)


@mistake(both_gradients, "later_grad goes through W_h here; it is the gradient at h_t already")
def later_through_weight(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    return from_sum(x, h_before, (output_grad + later_grad @ state_weight) * (1 - h**2), input_weight, state_weight)


@mistake(both_gradients, "later_grad is added to the gradient of h_before, expected to output_grad, before the tanh")
def adds_later_behind(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    found = from_sum(x, h_before, output_grad * (1 - h**2), input_weight, state_weight)
    return found[0], found[1] + later_grad, *found[2:]


mistake(backwards, "the matrices are the wrong way round, as in the forward direction").made_in(
    written_out, forwards={", a_grad @ state_weight": ".T, a_grad @ state_weight.T"}
)
mistake(backwards, "W_h is the wrong way round, as in the forward direction").made_in(
    written_out, state_weight_forwards={"a_grad @ state_weight": "a_grad @ state_weight.T"}
)
mistake(backwards, "W_x is the wrong way round, as in the forward direction").made_in(
    written_out, input_weight_forwards={"a_grad @ input_weight": "a_grad @ input_weight.T"}
)


@mistake(backwards, "the gradient of h_before starts from the gradient at h_t, without tanh′")
def states_without_tanh(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    h_grad = output_grad + later_grad
    a_grad = h_grad * (1 - h**2)
    return a_grad @ input_weight, h_grad @ state_weight, a_grad.T @ x, a_grad.T @ h_before, a_grad.sum(0)


mistake(backwards, "for h_before, tanh′ is multiplied after the matrix, expected before").made_in(
    states_without_tanh, tanh_behind_the_matrix={"h_grad @ state_weight": "h_grad @ state_weight * (1 - h**2)"}
)
mistake(backwards, "the gradient of h_before does not go through W_h").made_in(
    written_out, state_without_weight={" @ state_weight": ""}
)
mistake(backwards, "the gradient of h_before is returned first, expected that of x").made_in(
    written_out, state_first={"input_weight, a_grad @ state_weight": "state_weight, a_grad @ input_weight"}
)
mistake(
    to_weights, "the gradients of W_x and W_h are transposed; expected the shapes of the matrices themselves"
).made_in(
    written_out, weight_grads_transposed={"a_grad.T @ x, a_grad.T @ h_before": "x.T @ a_grad, h_before.T @ a_grad"}
)
mistake(to_weights, "the gradient of W_h is transposed").made_in(
    written_out, state_weight_grad_transposed={"a_grad.T @ h_before": "h_before.T @ a_grad"}
)
mistake(to_weights, "the gradient of W_h is computed with h, expected with h_before, which W_h multiplied").made_in(
    written_out, made_with_new_state={"a_grad.T @ h_before": "a_grad.T @ h"}
)


@mistake(to_weights, "the gradients of the matrices start from the gradient at h_t, expected from the one at a_t")
def weight_grads_without_tanh(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    h_grad = output_grad + later_grad
    a_grad = h_grad * (1 - h**2)
    return a_grad @ input_weight, a_grad @ state_weight, h_grad.T @ x, h_grad.T @ h_before, a_grad.sum(0)


mistake(to_weights, "the gradient of W_h is returned before that of W_x").made_in(
    written_out, state_weight_first={"x, a_grad.T @ h_before": "h_before, a_grad.T @ x"}
)


@mistake(of_a_batch, "the gradients of the weights are means over the batch, expected sums")
def mean_of_the_batch(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    a_grad = (output_grad + later_grad) * (1 - h**2)
    weights = a_grad.T @ x / len(x), a_grad.T @ h_before / len(x), a_grad.mean(0)
    return a_grad @ input_weight, a_grad @ state_weight, *weights


mistake(of_a_batch, "the gradient of b is not summed over the batch").made_in(written_out, bias_of_each={".sum(0)": ""})
mistake(of_a_batch, "the gradient of b is a mean over the batch, expected a sum").made_in(
    written_out, bias_mean={"sum(0)": "mean(0)"}
)


@mistake(of_a_batch, "the gradients of the matrices are not summed over the batch")
def matrices_of_each(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    a_grad = (output_grad + later_grad) * (1 - h**2)
    products = a_grad.unsqueeze(2) * x.unsqueeze(1), a_grad.unsqueeze(2) * h_before.unsqueeze(1)
    return a_grad @ input_weight, a_grad @ state_weight, *products, a_grad.sum(0)


@mistake(alone, "a dimension of size one is removed that belongs to the result")
def squeezes(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    a_grad = (output_grad + later_grad) * (1 - h**2)
    found = from_sum(x, h_before, a_grad, input_weight, state_weight)
    return found[0].squeeze(0), found[1].squeeze(0), *found[2:]


@mistake(alone, "for one sequence the gradient of b keeps the dimension of the batch")
def bias_of_one_not_summed(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    a_grad = (output_grad + later_grad) * (1 - h**2)
    found = from_sum(x, h_before, a_grad, input_weight, state_weight)
    return *found[:4], found[4] if len(x) > 1 else a_grad


@mistake(arguments, "the caller's output_grad is changed in place")
def adds_in_place(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    output_grad += later_grad
    return from_sum(x, h_before, output_grad * (1 - h**2), input_weight, state_weight)


@mistake(arguments, "the caller's later_grad is changed in place")
def multiplies_in_place(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    a_grad = later_grad.add_(output_grad).mul_(1 - h**2)
    return from_sum(x, h_before, a_grad, input_weight, state_weight)


@mistake(types, "the results are converted to float32")
def single_precision(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    a_grad = ((output_grad + later_grad) * (1 - h**2)).float()
    return from_sum(x.float(), h_before.float(), a_grad, input_weight.float(), state_weight.float())


@mistake(types, "the gradient of b is added up in a tensor of torch.zeros, which is float32")
def into_zeros(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    a_grad = (output_grad + later_grad) * (1 - h**2)
    bias_grad = torch.zeros(h.shape[1])
    for row in a_grad:
        bias_grad += row
    return *from_sum(x, h_before, a_grad, input_weight, state_weight)[:4], bias_grad


@mistake(at_the_sum, "the state is computed again, without the bias; expected the derivative from h as it is given")
def state_computed_anew(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    anew = (x @ input_weight.T + h_before @ state_weight.T).tanh()
    return from_sum(x, h_before, (output_grad + later_grad) * (1 - anew**2), input_weight, state_weight)


@mistake(
    backwards, "the gradient of h_before also goes through the tanh of step t - 1, which belongs to the previous step"
)
def earlier_tanh_too(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    inner = (output_grad + later_grad) * (1 - h**2)
    of_x, of_before, *rest = from_sum(x, h_before, inner, input_weight, state_weight)
    return of_x, of_before * (1 - h_before**2), *rest


@mistake(
    backwards, "later_grad is added to the gradient of h_before too; there it has already come through the tanh and W_h"
)
def later_twice(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    of_x, of_before, *rest = from_sum(x, h_before, (output_grad + later_grad) * (1 - h**2), input_weight, state_weight)
    return of_x, of_before + later_grad, *rest


@mistake(to_weights, "the gradient of W_x is transposed and then reshaped, which mixes up its numbers")
def reshaped(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    a_grad = (output_grad + later_grad) * (1 - h**2)
    of_x, of_before, _, *rest = from_sum(x, h_before, a_grad, input_weight, state_weight)
    return of_x, of_before, (x.T @ a_grad).reshape(input_weight.shape), *rest


@mistake(of_a_batch, "the gradients of W_x and W_h are those of the first sequence alone")
def first_sequence_alone(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    a_grad = (output_grad + later_grad) * (1 - h**2)
    of_x, of_before, *_, of_bias = from_sum(x, h_before, a_grad, input_weight, state_weight)
    return of_x, of_before, torch.outer(a_grad[0], x[0]), torch.outer(a_grad[0], h_before[0]), of_bias


@mistake(in_chapter, "the gradient is limited to a range, as in clipping")
def limited(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    a_grad = ((output_grad + later_grad) * (1 - h**2)).clamp(-5, 5)
    return from_sum(x, h_before, a_grad, input_weight, state_weight)


@right
def with_einsum(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    a_grad = output_grad.add(later_grad).mul(1 - h.square())
    x_grad = torch.einsum("bh,hd->bd", a_grad, input_weight)
    h_before_grad = torch.einsum("bj,ji->bi", a_grad, state_weight)
    input_weight_grad = torch.einsum("bh,bd->hd", a_grad, x)
    state_weight_grad = torch.einsum("bj,bi->ji", a_grad, h_before)
    return x_grad, h_before_grad, input_weight_grad, state_weight_grad, torch.einsum("bh->h", a_grad)


@mistake(at_the_sum, "the gradients are returned in a list, expected a tuple")
def listed(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    return list(with_einsum(x, h_before, h, output_grad, later_grad, input_weight, state_weight))


@right
def sequence_by_sequence(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    x_grads, h_grads = [], []
    input_weight_grad, state_weight_grad = torch.zeros_like(input_weight), torch.zeros_like(state_weight)
    bias_grad = h.new_zeros(h.shape[1])
    for b in range(len(x)):
        a_grad = (1 - h[b] * h[b]) * (output_grad[b] + later_grad[b])
        x_grads.append(input_weight.T @ a_grad)
        h_grads.append(state_weight.T @ a_grad)
        input_weight_grad += torch.outer(a_grad, x[b])
        state_weight_grad += torch.outer(a_grad, h_before[b])
        bias_grad += a_grad
    return torch.stack(x_grads), torch.stack(h_grads), input_weight_grad, state_weight_grad, bias_grad


@right
def by_the_jacobian(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    slope = torch.diag_embed(1 - h.pow(2))
    a_grad = ((output_grad + later_grad).unsqueeze(1) @ slope).squeeze(1)
    return (
        torch.matmul(a_grad, input_weight),
        torch.matmul(a_grad, state_weight),
        (a_grad.unsqueeze(2) * x.unsqueeze(1)).sum(dim=0),
        (a_grad.unsqueeze(2) @ h_before.unsqueeze(1)).sum(dim=0),
        torch.sum(a_grad, dim=0),
    )


@right
def side_by_side(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    sizes = [x.shape[1], h.shape[1]]
    weight, given = torch.cat([input_weight, state_weight], dim=1), torch.cat([x, h_before], dim=1)
    a_grad = (1 - h) * (1 + h) * (later_grad + output_grad)
    backwards, products = a_grad @ weight, a_grad.mT @ given
    return *backwards.split(sizes, dim=1), *products.split(sizes, dim=1), a_grad.sum(dim=-2)


class Back(nn.Module):
    """A module in the place of a function."""

    def forward(self, x, h_before, h, output_grad, later_grad, input_weight, state_weight):
        return with_einsum(x, h_before, h, output_grad, later_grad, input_weight, state_weight)


@forbidden
def by_autograd(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    bias = torch.zeros_like(h[0])
    leaves = [t.detach().clone().requires_grad_() for t in (x, h_before, input_weight, state_weight, bias)]
    a = leaves[0] @ leaves[2].T + leaves[1] @ leaves[3].T + leaves[4]
    slope = 1 - h**2
    return torch.autograd.grad(a, leaves, (output_grad + later_grad) * slope)


@forbidden
def backwards_of_torch(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    x = x.clone()
    x.requires_grad = True
    a = x @ input_weight.T
    a.backward((output_grad + later_grad) * (1 - h**2))
    return x.grad


right(Back())


right(functools.partial(side_by_side))


right(lambda x, p, h, o, n, w, u: from_sum(x, p, (o + n) - (o + n) * h * h, w, u))
