"""What students hand in for `rnn_backward_step`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
exercise's rule.
"""

import functools

import torch
from torch import nn

EXERCISE = "rnn_backward_step"


def from_sum(x, h_before, a_grad, input_weight, state_weight):
    """All five gradients of that at a_t; for the mistakes that are made before."""
    return a_grad @ input_weight, a_grad @ state_weight, a_grad.T @ x, a_grad.T @ h_before, a_grad.sum(0)


def no_tanh(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The derivative of the tanh is forgotten."""
    return from_sum(x, h_before, output_grad + later_grad, input_weight, state_weight)


def wrong_sign(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """h² - 1."""
    return from_sum(x, h_before, (output_grad + later_grad) * (h**2 - 1), input_weight, state_weight)


def tanh_of_before(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """h_{t-1} for h_t."""
    return from_sum(x, h_before, (output_grad + later_grad) * (1 - h_before**2), input_weight, state_weight)


def tanh_of_tanh(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The tanh is taken once more."""
    return from_sum(x, h_before, (output_grad + later_grad) * (1 - h.tanh() ** 2), input_weight, state_weight)


def not_squared(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """1 - h."""
    return from_sum(x, h_before, (output_grad + later_grad) * (1 - h), input_weight, state_weight)


def of_the_sigmoid(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """h (1 - h)."""
    return from_sum(x, h_before, (output_grad + later_grad) * h * (1 - h), input_weight, state_weight)


def through_tanh_itself(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The function for its derivative."""
    return from_sum(x, h_before, (output_grad + later_grad).tanh(), input_weight, state_weight)


def one_before_the_tanh(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """Only the gradient from the output goes through the tanh."""
    return from_sum(x, h_before, output_grad * (1 - h**2) + later_grad, input_weight, state_weight)


def zeros(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The right shapes."""
    return from_sum(x, h_before, torch.zeros_like(h), input_weight, state_weight)


def only_three(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The gradients of the weights alone."""
    return from_sum(x, h_before, (output_grad + later_grad) * (1 - h**2), input_weight, state_weight)[2:]


def weights_first(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The results in another order."""
    found = from_sum(x, h_before, (output_grad + later_grad) * (1 - h**2), input_weight, state_weight)
    return found[2:] + found[:2]


def a_dict(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The results by name."""
    found = from_sum(x, h_before, (output_grad + later_grad) * (1 - h**2), input_weight, state_weight)
    return dict(zip(("x", "h_before", "input_weight", "state_weight", "bias"), found, strict=True))


def only_output(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """What comes back from later is not added."""
    return from_sum(x, h_before, output_grad * (1 - h**2), input_weight, state_weight)


def only_later(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """What comes back from the output is not added."""
    return from_sum(x, h_before, later_grad * (1 - h**2), input_weight, state_weight)


def mean_of_both(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """Their mean."""
    return from_sum(x, h_before, (output_grad + later_grad) / 2 * (1 - h**2), input_weight, state_weight)


def later_through_weight(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """What comes back from later goes through W_h a second time."""
    return from_sum(x, h_before, (output_grad + later_grad @ state_weight) * (1 - h**2), input_weight, state_weight)


def adds_later_behind(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """What comes back from later is added to the result and not to the gradient at h_t."""
    found = from_sum(x, h_before, output_grad * (1 - h**2), input_weight, state_weight)
    return found[0], found[1] + later_grad, *found[2:]


def forwards(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """Both matrices the wrong way round, as on the way forwards: an error where D is not H."""
    a_grad = (output_grad + later_grad) * (1 - h**2)
    return a_grad @ input_weight.T, a_grad @ state_weight.T, a_grad.T @ x, a_grad.T @ h_before, a_grad.sum(0)


def state_weight_forwards(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """W_h the wrong way round."""
    a_grad = (output_grad + later_grad) * (1 - h**2)
    return a_grad @ input_weight, a_grad @ state_weight.T, a_grad.T @ x, a_grad.T @ h_before, a_grad.sum(0)


def input_weight_forwards(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """W_x the wrong way round."""
    a_grad = (output_grad + later_grad) * (1 - h**2)
    return a_grad @ input_weight.T, a_grad @ state_weight, a_grad.T @ x, a_grad.T @ h_before, a_grad.sum(0)


def states_without_tanh(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The gradient at h_t goes back to h_{t-1} without the tanh."""
    h_grad = output_grad + later_grad
    a_grad = h_grad * (1 - h**2)
    return a_grad @ input_weight, h_grad @ state_weight, a_grad.T @ x, a_grad.T @ h_before, a_grad.sum(0)


def tanh_behind_the_matrix(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The derivative and the matrix in the wrong order."""
    h_grad = output_grad + later_grad
    a_grad = h_grad * (1 - h**2)
    return a_grad @ input_weight, h_grad @ state_weight * (1 - h**2), a_grad.T @ x, a_grad.T @ h_before, a_grad.sum(0)


def state_without_weight(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """h_{t-1} gets the gradient at a_t."""
    a_grad = (output_grad + later_grad) * (1 - h**2)
    return a_grad @ input_weight, a_grad, a_grad.T @ x, a_grad.T @ h_before, a_grad.sum(0)


def state_first(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The gradients of x and h_{t-1} are swapped."""
    a_grad = (output_grad + later_grad) * (1 - h**2)
    return a_grad @ state_weight, a_grad @ input_weight, a_grad.T @ x, a_grad.T @ h_before, a_grad.sum(0)


def weight_grads_transposed(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """In before out."""
    a_grad = (output_grad + later_grad) * (1 - h**2)
    return a_grad @ input_weight, a_grad @ state_weight, x.T @ a_grad, h_before.T @ a_grad, a_grad.sum(0)


def state_weight_grad_transposed(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The square one in before out."""
    a_grad = (output_grad + later_grad) * (1 - h**2)
    return a_grad @ input_weight, a_grad @ state_weight, a_grad.T @ x, h_before.T @ a_grad, a_grad.sum(0)


def made_with_new_state(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """h_t for h_{t-1}."""
    a_grad = (output_grad + later_grad) * (1 - h**2)
    return a_grad @ input_weight, a_grad @ state_weight, a_grad.T @ x, a_grad.T @ h, a_grad.sum(0)


def weight_grads_without_tanh(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The matrices' gradients are made of the gradient at h_t."""
    h_grad = output_grad + later_grad
    a_grad = h_grad * (1 - h**2)
    return a_grad @ input_weight, a_grad @ state_weight, h_grad.T @ x, h_grad.T @ h_before, a_grad.sum(0)


def state_weight_first(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The gradients of the two matrices are swapped."""
    a_grad = (output_grad + later_grad) * (1 - h**2)
    return a_grad @ input_weight, a_grad @ state_weight, a_grad.T @ h_before, a_grad.T @ x, a_grad.sum(0)


def mean_of_the_batch(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The mean for the sum."""
    a_grad = (output_grad + later_grad) * (1 - h**2)
    weights = a_grad.T @ x / len(x), a_grad.T @ h_before / len(x), a_grad.mean(0)
    return a_grad @ input_weight, a_grad @ state_weight, *weights


def bias_of_each(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The gradient of the bias is not summed."""
    a_grad = (output_grad + later_grad) * (1 - h**2)
    return a_grad @ input_weight, a_grad @ state_weight, a_grad.T @ x, a_grad.T @ h_before, a_grad


def bias_mean(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The mean for the bias alone."""
    a_grad = (output_grad + later_grad) * (1 - h**2)
    return a_grad @ input_weight, a_grad @ state_weight, a_grad.T @ x, a_grad.T @ h_before, a_grad.mean(0)


def matrices_of_each(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The gradients of the matrices are not summed."""
    a_grad = (output_grad + later_grad) * (1 - h**2)
    products = a_grad.unsqueeze(2) * x.unsqueeze(1), a_grad.unsqueeze(2) * h_before.unsqueeze(1)
    return a_grad @ input_weight, a_grad @ state_weight, *products, a_grad.sum(0)


def squeezes(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """A batch of one loses its dimension."""
    a_grad = (output_grad + later_grad) * (1 - h**2)
    found = from_sum(x, h_before, a_grad, input_weight, state_weight)
    return found[0].squeeze(0), found[1].squeeze(0), *found[2:]


def bias_of_one_not_summed(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """A batch of one keeps its dimension where it should not."""
    a_grad = (output_grad + later_grad) * (1 - h**2)
    found = from_sum(x, h_before, a_grad, input_weight, state_weight)
    return *found[:4], found[4] if len(x) > 1 else a_grad


def adds_in_place(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The caller's gradient is changed."""
    output_grad += later_grad
    return from_sum(x, h_before, output_grad * (1 - h**2), input_weight, state_weight)


def multiplies_in_place(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The caller's gradient is changed, another one."""
    a_grad = later_grad.add_(output_grad).mul_(1 - h**2)
    return from_sum(x, h_before, a_grad, input_weight, state_weight)


def single_precision(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """Everything is made float32."""
    a_grad = ((output_grad + later_grad) * (1 - h**2)).float()
    return from_sum(x.float(), h_before.float(), a_grad, input_weight.float(), state_weight.float())


def into_zeros(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The gradient of the bias is added up in a new tensor of float32."""
    a_grad = (output_grad + later_grad) * (1 - h**2)
    bias_grad = torch.zeros(h.shape[1])
    for row in a_grad:
        bias_grad += row
    return *from_sum(x, h_before, a_grad, input_weight, state_weight)[:4], bias_grad


_TANH = "the gradient goes back through the tanh"
_BOTH = "the two gradients that come back to h_t are added"
_STATES = "from a_t, the gradient goes back through the matrices to x_t and h_{t-1}"
_WEIGHTS = "the gradient of a matrix is computed from the gradient at a_t and the vector that the matrix multiplied"
_BATCH = "the gradients of the weights are summed over the batch"
_ALONE = "one sequence alone keeps its dimensions"
_ARGUMENTS = "the arguments are left as they were"
_TYPES = "in double precision the gradients are double"


def state_computed_anew(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The state is computed once more, and the bias is not there."""
    anew = (x @ input_weight.T + h_before @ state_weight.T).tanh()
    return from_sum(x, h_before, (output_grad + later_grad) * (1 - anew**2), input_weight, state_weight)


def earlier_tanh_too(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The gradient of h_(t-1) goes through the tanh of the step before as well."""
    inner = (output_grad + later_grad) * (1 - h**2)
    of_x, of_before, *rest = from_sum(x, h_before, inner, input_weight, state_weight)
    return of_x, of_before * (1 - h_before**2), *rest


WRONG = {
    no_tanh: _TANH,
    wrong_sign: _TANH,
    tanh_of_before: _TANH,
    tanh_of_tanh: _TANH,
    not_squared: _TANH,
    of_the_sigmoid: _TANH,
    through_tanh_itself: _TANH,
    one_before_the_tanh: _TANH,
    zeros: _TANH,
    only_three: _TANH,
    weights_first: _TANH,
    a_dict: _TANH,
    state_computed_anew: _TANH,
    only_output: _BOTH,
    only_later: _BOTH,
    mean_of_both: _BOTH,
    later_through_weight: _BOTH,
    adds_later_behind: _BOTH,
    forwards: _STATES,
    state_weight_forwards: _STATES,
    input_weight_forwards: _STATES,
    states_without_tanh: _STATES,
    tanh_behind_the_matrix: _STATES,
    state_without_weight: _STATES,
    state_first: _STATES,
    earlier_tanh_too: _STATES,
    weight_grads_transposed: _WEIGHTS,
    state_weight_grad_transposed: _WEIGHTS,
    made_with_new_state: _WEIGHTS,
    weight_grads_without_tanh: _WEIGHTS,
    state_weight_first: _WEIGHTS,
    mean_of_the_batch: _BATCH,
    bias_of_each: _BATCH,
    bias_mean: _BATCH,
    matrices_of_each: _BATCH,
    squeezes: _ALONE,
    bias_of_one_not_summed: _ALONE,
    adds_in_place: _ARGUMENTS,
    multiplies_in_place: _ARGUMENTS,
    single_precision: _TYPES,
    into_zeros: _TYPES,
}


def with_einsum(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The sums by name, in a list."""
    a_grad = output_grad.add(later_grad).mul(1 - h.square())
    x_grad = torch.einsum("bh,hd->bd", a_grad, input_weight)
    h_before_grad = torch.einsum("bj,ji->bi", a_grad, state_weight)
    input_weight_grad = torch.einsum("bh,bd->hd", a_grad, x)
    state_weight_grad = torch.einsum("bj,bi->ji", a_grad, h_before)
    return [x_grad, h_before_grad, input_weight_grad, state_weight_grad, torch.einsum("bh->h", a_grad)]


def sequence_by_sequence(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """As on paper: columns, outer products, and sums in a loop."""
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


def by_the_jacobian(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The derivative as a diagonal matrix for each sequence."""
    slope = torch.diag_embed(1 - h.pow(2))
    a_grad = ((output_grad + later_grad).unsqueeze(1) @ slope).squeeze(1)
    return (
        torch.matmul(a_grad, input_weight),
        torch.matmul(a_grad, state_weight),
        (a_grad.unsqueeze(2) * x.unsqueeze(1)).sum(dim=0),
        (a_grad.unsqueeze(2) @ h_before.unsqueeze(1)).sum(dim=0),
        torch.sum(a_grad, dim=0),
    )


def side_by_side(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """Both matrices as one."""
    sizes = [x.shape[1], h.shape[1]]
    weight, given = torch.cat([input_weight, state_weight], dim=1), torch.cat([x, h_before], dim=1)
    a_grad = (1 - h) * (1 + h) * (later_grad + output_grad)
    backwards, products = a_grad @ weight, a_grad.mT @ given
    return *backwards.split(sizes, dim=1), *products.split(sizes, dim=1), a_grad.sum(dim=-2)


class Back(nn.Module):
    """A module in the place of a function."""

    def forward(self, x, h_before, h, output_grad, later_grad, input_weight, state_weight):
        return with_einsum(x, h_before, h, output_grad, later_grad, input_weight, state_weight)


RIGHT = {
    "with einsum": with_einsum,
    "sequence by sequence": sequence_by_sequence,
    "by the Jacobian": by_the_jacobian,
    "side by side": side_by_side,
    "a module": Back(),
    "a partial": functools.partial(side_by_side),
    "a lambda": lambda x, p, h, o, n, w, u: from_sum(x, p, (o + n) - (o + n) * h * h, w, u),
}


def by_autograd(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """The rule is that this is not used."""
    bias = torch.zeros_like(h[0])
    leaves = [t.detach().clone().requires_grad_() for t in (x, h_before, input_weight, state_weight, bias)]
    a = leaves[0] @ leaves[2].T + leaves[1] @ leaves[3].T + leaves[4]
    slope = 1 - h**2
    return torch.autograd.grad(a, leaves, (output_grad + later_grad) * slope)


def backwards_of_torch(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
    """Nor this."""
    x = x.clone()
    x.requires_grad = True
    a = x @ input_weight.T
    a.backward((output_grad + later_grad) * (1 - h**2))
    return x.grad


FORBIDDEN = (by_autograd, backwards_of_torch)
