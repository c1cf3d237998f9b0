"""Mistakes in `rnn_step`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch01_rnn_lm.rnn_step import alone, arguments, of_bias, of_input, of_state, step_gradient, types
from autograder.judging.catalogue import forbidden, mistake, right


def preactivation(x, h, input_weight, state_weight, bias):
    """What goes through the tanh."""
    return x @ input_weight.T + h @ state_weight.T + bias


@mistake(of_input, "relu is used instead of tanh: a state has negative components, too")
def relu(x, h, input_weight, state_weight, bias):
    return preactivation(x, h, input_weight, state_weight, bias).relu()


@mistake(of_input, "the sigmoid is used instead of tanh: a state has negative components, too")
def sigmoid(x, h, input_weight, state_weight, bias):
    return preactivation(x, h, input_weight, state_weight, bias).sigmoid()


@mistake(of_input, "there is no tanh around the sum")
def linear(x, h, input_weight, state_weight, bias):
    return preactivation(x, h, input_weight, state_weight, bias)


@mistake(of_input, "a softmax is used instead of tanh")
def softmax(x, h, input_weight, state_weight, bias):
    return preactivation(x, h, input_weight, state_weight, bias).softmax(-1)


@mistake(of_input, "W_x is the wrong way round: row j of W_x gives component j of the state")
def input_weight_transposed(x, h, input_weight, state_weight, bias):
    return (x @ input_weight + h @ state_weight.T + bias).tanh()


@mistake(of_input, "reshape does not transpose W_x: expected W_x.T")
def input_weight_reshaped(x, h, input_weight, state_weight, bias):
    return (x @ input_weight.reshape(x.shape[1], -1) + h @ state_weight.T + bias).tanh()


@mistake(of_input, "the tanh is applied to the input alone, W_x tanh(x); expected to the whole sum")
def tanh_of_input(x, h, input_weight, state_weight, bias):
    return x.tanh() @ input_weight.T + h.tanh() @ state_weight.T + bias


@mistake(of_input, "the new state does not depend on the input")
def no_input(x, h, input_weight, state_weight, bias):
    return (h @ state_weight.T + bias).tanh()


@mistake(of_input, "only the first input of the batch is read")
def first_of_the_batch(x, h, input_weight, state_weight, bias):
    return torch.tanh(input_weight @ x[0] + state_weight @ h[0] + bias).expand_as(h)


@mistake(of_input, "the product is W_x x, as if x were a column; the inputs of a batch are rows")
def column_of_one(x, h, input_weight, state_weight, bias):
    return torch.tanh(input_weight @ x + state_weight @ h + bias)


@mistake(of_input, "the states are columns, (H, B); expected rows, (B, H)")
def columns_of_all(x, h, input_weight, state_weight, bias):
    return torch.tanh(input_weight @ x.T + state_weight @ h.T + bias.unsqueeze(1))


@mistake(of_input, "output and state are returned, as torch.nn.RNN does; expected the state alone")
def returns_a_pair(x, h, input_weight, state_weight, bias):
    state = preactivation(x, h, input_weight, state_weight, bias).tanh()
    return state, state


@mistake(of_state, "W_h is the wrong way round: row j of W_h gives component j of the state")
def state_weight_transposed(x, h, input_weight, state_weight, bias):
    return (x @ input_weight.T + h @ state_weight + bias).tanh()


@mistake(of_state, "the new state does not depend on the previous one")
def no_state(x, h, input_weight, state_weight, bias):
    return (x @ input_weight.T + bias).tanh()


@mistake(of_state, "the previous state is added as it is, without W_h")
def state_without_weight(x, h, input_weight, state_weight, bias):
    return (x @ input_weight.T + h + bias).tanh()


@mistake(of_state, "W_h h is added after the tanh, expected inside it")
def state_outside(x, h, input_weight, state_weight, bias):
    return (x @ input_weight.T + bias).tanh() + h @ state_weight.T


@mistake(of_state, "the previous state is added after the tanh, expected W_h h inside it")
def residual(x, h, input_weight, state_weight, bias):
    return (x @ input_weight.T + bias).tanh() + h


@mistake(of_state, "the previous state is also added after the tanh")
def state_twice(x, h, input_weight, state_weight, bias):
    return preactivation(x, h, input_weight, state_weight, bias).tanh() + h


@mistake(of_bias, "the bias is missing")
def no_bias(x, h, input_weight, state_weight, bias):
    return (x @ input_weight.T + h @ state_weight.T).tanh()


@mistake(of_bias, "the bias is added after the tanh, expected inside it")
def bias_outside(x, h, input_weight, state_weight, bias):
    return (x @ input_weight.T + h @ state_weight.T).tanh() + bias


@mistake(of_bias, "the bias is subtracted")
def bias_subtracted(x, h, input_weight, state_weight, bias):
    return (x @ input_weight.T + h @ state_weight.T - bias).tanh()


@mistake(of_bias, "the bias is added twice")
def bias_twice(x, h, input_weight, state_weight, bias):
    return torch.tanh(F.linear(x, input_weight, bias) + F.linear(h, state_weight, bias))


@mistake(alone, "a dimension of size one is removed that belongs to the result")
def squeezes(x, h, input_weight, state_weight, bias):
    return preactivation(x, h, input_weight, state_weight, bias).tanh().squeeze()


@mistake(step_gradient, "everything is computed under no_grad, so no gradient comes back")
def without_gradient(x, h, input_weight, state_weight, bias):
    with torch.no_grad():
        return preactivation(x, h, input_weight, state_weight, bias).tanh()


@mistake(step_gradient, "the previous state is detached, so no gradient reaches it")
def detached_state(x, h, input_weight, state_weight, bias):
    return preactivation(x, h.detach(), input_weight, state_weight, bias).tanh()


@mistake(step_gradient, "everything is computed in NumPy, so no gradient comes back")
def through_numpy(x, h, input_weight, state_weight, bias):
    arrays = [tensor.detach().numpy() for tensor in (x, h, input_weight, state_weight, bias)]
    return torch.from_numpy(preactivation(*arrays)).tanh()


@mistake(
    step_gradient, "the tanh is written with exp, whose gradient is NaN where exp overflows; torch.tanh stays finite"
)
def tanh_by_exp(x, h, input_weight, state_weight, bias):
    return 1 - 2 / (torch.exp(2 * preactivation(x, h, input_weight, state_weight, bias)) + 1)


@mistake(types, "a state in half precision is float32, expected the dtype of the arguments")
def single_for_half(x, h, input_weight, state_weight, bias):
    dtype = torch.promote_types(x.dtype, torch.float32)
    return preactivation(*(t.to(dtype) for t in (x, h, input_weight, state_weight, bias))).tanh()


@mistake(types, "everything is converted to float32")
def single_precision(x, h, input_weight, state_weight, bias):
    return preactivation(*(t.float() for t in (x, h, input_weight, state_weight, bias))).tanh()


@mistake(types, "the result is written into a new tensor of float32; pass dtype= or use new_zeros")
def into_zeros(x, h, input_weight, state_weight, bias):
    state = torch.zeros(h.shape)
    state[:] = preactivation(x, h, input_weight, state_weight, bias).tanh()
    return state


mistake(arguments, "the caller's previous state is overwritten with the new one").made_in(
    returns_a_pair, overwrites_state={"return state, state": "h.data.copy_(state); return state"}
)


@mistake(arguments, "the sum is added to the caller's bias")
def bias_in_place(x, h, input_weight, state_weight, bias):
    total = preactivation(x, h, input_weight, state_weight, bias)
    bias.data += total.detach().sum(0)
    return total.tanh()


@mistake(of_bias, "the bias goes through W_h, as if it were added to the previous state; expected as it is")
def bias_through_weight(x, h, input_weight, state_weight, bias):
    return (x @ input_weight.T + (h + bias) @ state_weight.T).tanh()


@mistake(of_input, "the input is multiplied by W_h, expected by W_x")
def weights_swapped(x, h, input_weight, state_weight, bias):
    return (x @ state_weight.T + h @ input_weight.T + bias).tanh()


@mistake(of_input, "the hard tanh is used, which is straight in the middle; expected tanh")
def hard_tanh(x, h, input_weight, state_weight, bias):
    return torch.nn.functional.hardtanh(preactivation(x, h, input_weight, state_weight, bias))


@right
def products_summed(x, h, input_weight, state_weight, bias):
    said = (x.unsqueeze(1) * input_weight).sum(dim=-1) + (h.unsqueeze(1) * state_weight).sum(dim=-1)
    return torch.tanh(said + bias)


@right
def with_linear(x, h, input_weight, state_weight, bias):
    return torch.tanh(F.linear(x, input_weight, bias) + F.linear(h, state_weight))


@right
def side_by_side(x, h, input_weight, state_weight, bias):
    both = torch.cat([x, h], dim=-1) @ torch.cat([input_weight, state_weight], dim=1).T
    return torch.tanh(both + bias)


@right
def with_einsum(x, h, input_weight, state_weight, bias):
    a = torch.einsum("bd,hd->bh", x, input_weight) + torch.einsum("bk,hk->bh", h, state_weight)
    return a.add(bias).tanh()


@right
def loops(x, h, input_weight, state_weight, bias):
    return torch.stack([torch.tanh(input_weight @ a + state_weight @ b + bias) for a, b in zip(x, h, strict=True)])


@right
def columns(x, h, input_weight, state_weight, bias):
    return torch.tanh(input_weight @ x.mT + state_weight @ h.mT + bias[:, None]).mT


@right
def by_exponentials(x, h, input_weight, state_weight, bias):
    a = torch.addmm(bias, x, input_weight.T)
    a = a + torch.mm(h, state_weight.T)
    return 2 * torch.sigmoid(2 * a) - 1


@right
def in_place_on_its_own(x, h, input_weight, state_weight, bias):
    a = x @ input_weight.T
    a += h @ state_weight.T
    a += bias
    return a.tanh_()


@right
def each_row_alone(x, h, input_weight, state_weight, bias):
    return torch.vmap(lambda x, h: torch.tanh(input_weight @ x + state_weight @ h + bias))(x, h)


class Step(nn.Module):
    """A module in the place of a function."""

    def forward(self, x, h, input_weight, state_weight, bias):
        return side_by_side(x, h, input_weight, state_weight, bias)


@forbidden
def torchs_own(x, h, input_weight, state_weight, bias):
    cell = nn.RNNCell(x.shape[1], h.shape[1])
    weights = {"weight_ih": input_weight, "weight_hh": state_weight, "bias_ih": bias, "bias_hh": 0 * bias}
    return torch.func.functional_call(cell, weights, (x, h))


right(Step())


right(functools.partial(with_linear))


right(lambda x, h, w, u, b: (x @ w.t() + h @ u.t() + b).tanh())
