"""What students hand in for `rnn_step`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
exercise's rule.
"""

import functools

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "rnn_step"


def preactivation(x, h, input_weight, state_weight, bias):
    """What goes through the tanh."""
    return x @ input_weight.T + h @ state_weight.T + bias


def relu(x, h, input_weight, state_weight, bias):
    """relu for tanh."""
    return preactivation(x, h, input_weight, state_weight, bias).relu()


def sigmoid(x, h, input_weight, state_weight, bias):
    """The sigmoid for tanh."""
    return preactivation(x, h, input_weight, state_weight, bias).sigmoid()


def linear(x, h, input_weight, state_weight, bias):
    """No tanh."""
    return preactivation(x, h, input_weight, state_weight, bias)


def softmax(x, h, input_weight, state_weight, bias):
    """A softmax for tanh."""
    return preactivation(x, h, input_weight, state_weight, bias).softmax(-1)


def input_weight_transposed(x, h, input_weight, state_weight, bias):
    """W_x the wrong way round, as the formula x W has it."""
    return (x @ input_weight + h @ state_weight.T + bias).tanh()


def both_transposed(x, h, input_weight, state_weight, bias):
    """Both matrices the wrong way round."""
    return (x @ input_weight + h @ state_weight + bias).tanh()


def input_weight_reshaped(x, h, input_weight, state_weight, bias):
    """W_x is made to fit by a reshape."""
    return (x @ input_weight.reshape(x.shape[1], -1) + h @ state_weight.T + bias).tanh()


def tanh_of_input(x, h, input_weight, state_weight, bias):
    """The tanh in the wrong place."""
    return x.tanh() @ input_weight.T + h.tanh() @ state_weight.T + bias


def no_input(x, h, input_weight, state_weight, bias):
    """The input is not read."""
    return (h @ state_weight.T + bias).tanh()


def first_of_the_batch(x, h, input_weight, state_weight, bias):
    """Written for one sequence."""
    return torch.tanh(input_weight @ x[0] + state_weight @ h[0] + bias).expand_as(h)


def column_of_one(x, h, input_weight, state_weight, bias):
    """Written as on paper, where vectors are columns."""
    return torch.tanh(input_weight @ x + state_weight @ h + bias)


def columns_of_all(x, h, input_weight, state_weight, bias):
    """Columns, and not turned back."""
    return torch.tanh(input_weight @ x.T + state_weight @ h.T + bias.unsqueeze(1))


def returns_a_pair(x, h, input_weight, state_weight, bias):
    """Output and state, as torch.nn.RNN returns."""
    state = preactivation(x, h, input_weight, state_weight, bias).tanh()
    return state, state


def state_weight_transposed(x, h, input_weight, state_weight, bias):
    """W_h the wrong way round."""
    return (x @ input_weight.T + h @ state_weight + bias).tanh()


def no_state(x, h, input_weight, state_weight, bias):
    """The state before is not used."""
    return (x @ input_weight.T + bias).tanh()


def state_without_weight(x, h, input_weight, state_weight, bias):
    """The state is added as it is."""
    return (x @ input_weight.T + h + bias).tanh()


def state_outside(x, h, input_weight, state_weight, bias):
    """The state's part stands behind the tanh."""
    return (x @ input_weight.T + bias).tanh() + h @ state_weight.T


def residual(x, h, input_weight, state_weight, bias):
    """The state before is added behind the tanh."""
    return (x @ input_weight.T + bias).tanh() + h


def state_twice(x, h, input_weight, state_weight, bias):
    """The previous state is also added after the tanh."""
    return preactivation(x, h, input_weight, state_weight, bias).tanh() + h


def no_bias(x, h, input_weight, state_weight, bias):
    """The bias is forgotten."""
    return (x @ input_weight.T + h @ state_weight.T).tanh()


def bias_outside(x, h, input_weight, state_weight, bias):
    """The bias stands behind the tanh."""
    return (x @ input_weight.T + h @ state_weight.T).tanh() + bias


def bias_subtracted(x, h, input_weight, state_weight, bias):
    """The sign of the bias."""
    return (x @ input_weight.T + h @ state_weight.T - bias).tanh()


def bias_twice(x, h, input_weight, state_weight, bias):
    """One in each layer, as torch has two."""
    return torch.tanh(F.linear(x, input_weight, bias) + F.linear(h, state_weight, bias))


def squeezes(x, h, input_weight, state_weight, bias):
    """A batch of one loses its dimension."""
    return preactivation(x, h, input_weight, state_weight, bias).tanh().squeeze()


def without_gradient(x, h, input_weight, state_weight, bias):
    """Nothing can be learned."""
    with torch.no_grad():
        return preactivation(x, h, input_weight, state_weight, bias).tanh()


def detached_state(x, h, input_weight, state_weight, bias):
    """The gradient does not go back in time."""
    return preactivation(x, h.detach(), input_weight, state_weight, bias).tanh()


def through_numpy(x, h, input_weight, state_weight, bias):
    """The gradient does not go through numpy."""
    arrays = [tensor.detach().numpy() for tensor in (x, h, input_weight, state_weight, bias)]
    return torch.from_numpy(preactivation(*arrays)).tanh()


def single_precision(x, h, input_weight, state_weight, bias):
    """Everything is made float32."""
    return preactivation(*(t.float() for t in (x, h, input_weight, state_weight, bias))).tanh()


def into_zeros(x, h, input_weight, state_weight, bias):
    """The result is written into a new tensor of float32."""
    state = torch.zeros(h.shape)
    state[:] = preactivation(x, h, input_weight, state_weight, bias).tanh()
    return state


def overwrites_state(x, h, input_weight, state_weight, bias):
    """The new state takes the old one's place, also the caller's."""
    state = preactivation(x, h, input_weight, state_weight, bias).tanh()
    h.data.copy_(state)
    return state


def bias_in_place(x, h, input_weight, state_weight, bias):
    """The sum is made in the bias."""
    total = preactivation(x, h, input_weight, state_weight, bias)
    bias.data += total.detach().sum(0)
    return total.tanh()


_INPUT = "from a state of zeros, the new state is tanh(W_x x)"
_STATE = "the previous state enters through W_h"
_BIAS = "the bias is added"
_ALONE = "one sequence alone keeps its dimension"
_GRADIENT = "the gradient reaches all five arguments"
_TYPES = "the state has the floating-point type of its arguments"
_ARGUMENTS = "the arguments are left as they were"


def bias_through_weight(x, h, input_weight, state_weight, bias):
    """The bias is added to the state before."""
    return (x @ input_weight.T + (h + bias) @ state_weight.T).tanh()


def weights_swapped(x, h, input_weight, state_weight, bias):
    """Each matrix multiplies what is the other's."""
    return (x @ state_weight.T + h @ input_weight.T + bias).tanh()


def products_summed(x, h, input_weight, state_weight, bias):
    """Products number by number, which are rounded otherwise."""
    said = (x.unsqueeze(1) * input_weight).sum(dim=-1) + (h.unsqueeze(1) * state_weight).sum(dim=-1)
    return torch.tanh(said + bias)


WRONG = {
    relu: _INPUT,
    sigmoid: _INPUT,
    linear: _INPUT,
    softmax: _INPUT,
    input_weight_transposed: _INPUT,
    both_transposed: _INPUT,
    input_weight_reshaped: _INPUT,
    tanh_of_input: _INPUT,
    no_input: _INPUT,
    first_of_the_batch: _INPUT,
    column_of_one: _INPUT,
    columns_of_all: _INPUT,
    returns_a_pair: _INPUT,
    weights_swapped: _INPUT,
    state_weight_transposed: _STATE,
    no_state: _STATE,
    state_without_weight: _STATE,
    state_outside: _STATE,
    residual: _STATE,
    state_twice: _STATE,
    no_bias: _BIAS,
    bias_outside: _BIAS,
    bias_subtracted: _BIAS,
    bias_twice: _BIAS,
    bias_through_weight: _BIAS,
    squeezes: _ALONE,
    without_gradient: _GRADIENT,
    detached_state: _GRADIENT,
    through_numpy: _GRADIENT,
    single_precision: _TYPES,
    into_zeros: _TYPES,
    overwrites_state: _ARGUMENTS,
    bias_in_place: _ARGUMENTS,
}


def with_linear(x, h, input_weight, state_weight, bias):
    """torch's own linear, the bias in one of the two."""
    return torch.tanh(F.linear(x, input_weight, bias) + F.linear(h, state_weight))


def side_by_side(x, h, input_weight, state_weight, bias):
    """One product of [x; h] with [W_x W_h]."""
    both = torch.cat([x, h], dim=-1) @ torch.cat([input_weight, state_weight], dim=1).T
    return torch.tanh(both + bias)


def with_einsum(x, h, input_weight, state_weight, bias):
    """The sums by name."""
    a = torch.einsum("bd,hd->bh", x, input_weight) + torch.einsum("bk,hk->bh", h, state_weight)
    return a.add(bias).tanh()


def loops(x, h, input_weight, state_weight, bias):
    """Sequence after sequence, as on paper."""
    return torch.stack([torch.tanh(input_weight @ a + state_weight @ b + bias) for a, b in zip(x, h, strict=True)])


def columns(x, h, input_weight, state_weight, bias):
    """Vectors are columns, turned back at the end."""
    return torch.tanh(input_weight @ x.mT + state_weight @ h.mT + bias[:, None]).mT


def by_exponentials(x, h, input_weight, state_weight, bias):
    """tanh written as a sigmoid, on a tensor of its own."""
    a = torch.addmm(bias, x, input_weight.T)
    a = a + torch.mm(h, state_weight.T)
    return 2 * torch.sigmoid(2 * a) - 1


def in_place_on_its_own(x, h, input_weight, state_weight, bias):
    """A tensor of its own may be changed in place."""
    a = x @ input_weight.T
    a += h @ state_weight.T
    a += bias
    return a.tanh_()


class Step(nn.Module):
    """A module in the place of a function."""

    def forward(self, x, h, input_weight, state_weight, bias):
        return side_by_side(x, h, input_weight, state_weight, bias)


RIGHT = {
    "products summed": products_summed,
    "with linear": with_linear,
    "side by side": side_by_side,
    "with einsum": with_einsum,
    "loops": loops,
    "columns": columns,
    "by exponentials": by_exponentials,
    "in place on its own": in_place_on_its_own,
    "a module": Step(),
    "a partial": functools.partial(with_linear),
    "a lambda": lambda x, h, w, u, b: (x @ w.t() + h @ u.t() + b).tanh(),
}


def torchs_own(x, h, input_weight, state_weight, bias):
    """The rule is that this is not used."""
    cell = nn.RNNCell(x.shape[1], h.shape[1])
    weights = {"weight_ih": input_weight, "weight_hh": state_weight, "bias_ih": bias, "bias_hh": 0 * bias}
    return torch.func.functional_call(cell, weights, (x, h))


FORBIDDEN = (torchs_own,)
