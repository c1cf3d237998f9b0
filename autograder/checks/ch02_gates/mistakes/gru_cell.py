"""Mistakes in `GRUCell`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch02_gates.gru_cell import (
    alone,
    arguments,
    cell_gradient,
    from_nothing,
    keeps,
    mixed,
    ordered,
    types,
    whole,
    without_bias,
)
from autograder.judging.catalogue import forbidden, mistake, right


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, input_size, hidden_size, bias=True):
        super().__init__()
        self.weight_ih = nn.Parameter(torch.empty(3 * hidden_size, input_size))
        self.weight_hh = nn.Parameter(torch.empty(3 * hidden_size, hidden_size))
        self.bias_ih = nn.Parameter(torch.empty(3 * hidden_size)) if bias else None
        self.bias_hh = nn.Parameter(torch.empty(3 * hidden_size)) if bias else None
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(hidden_size**-0.5), hidden_size**-0.5)

    def given(self, x, h):
        """The state, or zeros; for the mistakes that are made elsewhere."""
        return x.new_zeros(len(x), self.weight_hh.shape[1]) if h is None else h

    def parts(self, x, h):
        """What input and state say for r, z and n; for the mistakes that are made elsewhere."""
        return (
            F.linear(x, self.weight_ih, self.bias_ih).chunk(3, dim=1),
            F.linear(h, self.weight_hh, self.bias_hh).chunk(3, dim=1),
        )

    def gates(self, x, h):
        """r and z, and the two parts of n; for the mistakes that are made elsewhere."""
        i, s = self.parts(x, h)
        return (i[0] + s[0]).sigmoid(), (i[1] + s[1]).sigmoid(), i[2], s[2]

    def right(self, x, h=None):
        """The new state; for the mistakes that are made elsewhere."""
        h = self.given(x, h)
        r, z, i, s = self.gates(x, h)
        return (1 - z) * (i + r * s).tanh() + z * h


@right
class Usual(Given):
    def forward(self, x, h=None):
        h = self.given(x, h)
        r, z, i, s = self.gates(x, h)
        return (1 - z) * (i + r * s).tanh() + z * h


@right
class Whole(Given):
    def forward(self, x, h=None):
        return self.right(x, h)


mistake(mixed, "the candidate does not go through the tanh").made_in(Usual, NoTanh={".tanh()": ""})


@mistake(mixed, "the gates do not go through the sigmoid")
class NoSigmoid(Given):
    def forward(self, x, h=None):
        h = self.given(x, h)
        i, s = self.parts(x, h)
        r, z = i[0] + s[0], i[1] + s[1]
        return (1 - z) * (i[2] + r * s[2]).tanh() + z * h


mistake(mixed, "the gates go through the tanh, expected the sigmoid").made_in(
    NoSigmoid, TanhGates={"i[0] + s[0], i[1] + s[1]": "(i[0] + s[0]).tanh(), (i[1] + s[1]).tanh()"}
)
mistake(mixed, "the candidate goes through relu, expected the tanh").made_in(
    Usual, ReluCandidate={"(i + r * s).tanh": "(i + r * s).relu"}
)
mistake(mixed, "the candidate goes through the sigmoid, expected the tanh").made_in(
    Usual, SigmoidCandidate={"(i + r * s).tanh": "(i + r * s).sigmoid"}
)


@mistake(mixed, "bias_ih is missing")
class NoInputBias(Given):
    def forward(self, x, h=None):
        h = self.given(x, h)
        i = F.linear(x, self.weight_ih).chunk(3, dim=1)
        s = F.linear(h, self.weight_hh, self.bias_hh).chunk(3, dim=1)
        r, z = (i[0] + s[0]).sigmoid(), (i[1] + s[1]).sigmoid()
        return (1 - z) * (i[2] + r * s[2]).tanh() + z * h


mistake(mixed, "the previous state is returned as it is").made_in(Whole, Unchanged={"self.right": "self.given"})
mistake(mixed, "an output and a state are returned, expected only the new state").made_in(
    Whole, Pair={"return self.right(x, h)": "state = self.right(x, h); return state, state"}
)


@mistake(mixed, "the parameters that the class had were replaced by others")
class OtherLayers(Given):
    def __init__(self, input_size, hidden_size, bias=True):
        super().__init__(input_size, hidden_size, bias)
        del self.weight_ih, self.weight_hh
        self.read = nn.Linear(input_size, 3 * hidden_size, bias=bias)
        self.keep = nn.Linear(hidden_size, 3 * hidden_size, bias=bias)

    def forward(self, x, h=None):
        i, s = self.read(x).chunk(3, dim=1), self.keep(h).chunk(3, dim=1)
        r, z = (i[0] + s[0]).sigmoid(), (i[1] + s[1]).sigmoid()
        return (1 - z) * (i[2] + r * s[2]).tanh() + z * h


@mistake(mixed, "the weights are not transposed, so the shapes of the product do not fit")
class TransposedProduct(Given):
    def forward(self, x, h=None):
        _, z, n = (x @ self.weight_ih + h @ self.weight_hh).chunk(3, dim=1)
        return (1 - z.sigmoid()) * n.tanh() + z.sigmoid() * h


@mistake(mixed, "there is no forward")
class NoForward(Given):
    pass


mistake(keeps, "z and 1 - z are swapped: with torch's weights z is the share of the state that is kept").made_in(
    Usual, UpdateSwapped={"(1 - z) * (i + r * s).tanh() + z * h": "z * (i + r * s).tanh() + (1 - z) * h"}
)
mistake(keeps, "the previous state is not in the mixture").made_in(Usual, NoState={"tanh() + z * h": "tanh()"})
mistake(keeps, "the update gate is not used: the new state is the candidate alone").made_in(
    Usual, CandidateAlone={"r, z, i": "r, _, i", "(1 - z) * (i + r * s).tanh() + z * h": "(i + r * s).tanh()"}
)
mistake(keeps, "the whole candidate is added, expected 1 - z of it").made_in(
    Usual, CandidateWhole={"(1 - z) * (i + r * s).tanh()": "(i + r * s).tanh()"}
)
mistake(keeps, "the whole previous state is added, expected z of it").made_in(Usual, StateWhole={"z * h": "h"})
mistake(ordered, "the weights are read as those of z, r and n, expected r, z and n").made_in(
    Usual, UpdateFirst={"r, z, i": "z, r, i"}
)


@mistake(ordered, "the weights are read as those of n, r and z, expected r, z and n")
class CandidateFirst(Given):
    def forward(self, x, h=None):
        h = self.given(x, h)
        i, s = self.parts(x, h)
        r, z = (i[1] + s[1]).sigmoid(), (i[2] + s[2]).sigmoid()
        return (1 - z) * (i[0] + r * s[0]).tanh() + z * h


@mistake(ordered, "the gates do not use the state: W_hr h and W_hz h are missing")
class GatesWithoutState(Given):
    def forward(self, x, h=None):
        h = self.given(x, h)
        i, s = self.parts(x, h)
        return (1 - i[1].sigmoid()) * (i[2] + i[0].sigmoid() * s[2]).tanh() + i[1].sigmoid() * h


mistake(ordered, "bias_hh is missing").made_in(
    NoInputBias,
    NoStateBias={"self.weight_ih": "self.weight_ih, self.bias_ih", "self.weight_hh, self.bias_hh": "self.weight_hh"},
)


@mistake(ordered, "the matrices of weight_hh are transposed: row j of each gives component j of its gate")
class StateWeightsTurned(Given):
    def forward(self, x, h=None):
        h = self.given(x, h)
        i, _ = self.parts(x, h)
        s = [h @ weight for weight in self.weight_hh.chunk(3)]
        if self.bias_hh is not None:
            s = [part + bias for part, bias in zip(s, self.bias_hh.chunk(3), strict=True)]
        r, z = (i[0] + s[0]).sigmoid(), (i[1] + s[1]).sigmoid()
        return (1 - z) * (i[2] + r * s[2]).tanh() + z * h


@mistake(
    whole,
    "the reset gate multiplies the state before the product, as in Cho et al. (2014); with torch's weights it comes after: r ⊙ (W_hn h + b_hn)",
)
class ResetBefore(Given):
    def forward(self, x, h=None):
        h = self.given(x, h)
        r, z, i, _ = self.gates(x, h)
        _, s = self.parts(x, r * h)
        return (1 - z) * (i + s[2]).tanh() + z * h


@mistake(whole, "the bias b_hn is outside the reset gate, expected inside the brackets: r ⊙ (W_hn h + b_hn)")
class BiasOutside(Given):
    def forward(self, x, h=None):
        h = self.given(x, h)
        r, z, i, _ = self.gates(x, h)
        s = F.linear(h, self.weight_hh).chunk(3, dim=1)[2]
        bias = 0 if self.bias_hh is None else self.bias_hh.chunk(3)[2]
        return (1 - z) * (i + r * s + bias).tanh() + z * h


mistake(whole, "the reset gate is not used").made_in(Usual, NoReset={"r, z, i": "_, z, i", "r * s": "s"})
mistake(whole, "the reset gate is inverted: 1 - r is used instead of r").made_in(
    Usual, ResetUpsideDown={"r * s": "(1 - r) * s"}
)
mistake(whole, "the update gate is used instead of the reset gate").made_in(
    Usual, UpdateResets={"r, z, i": "_, z, i", "r * s": "z * s"}
)
mistake(whole, "the candidate does not use the state").made_in(
    Usual, CandidateWithoutState={"r, z, i, s": "_, z, i, _", "(i + r * s).tanh": "i.tanh"}
)
mistake(from_nothing, "h is no longer optional").made_in(Whole, NeedsState={"h=None": "h"})
mistake(from_nothing, "h is used even if it is None").made_in(Usual, NoneIsUsed={"h = self.given(x, h)": ""})
mistake(from_nothing, "without a state the cell starts from ones, expected zeros").made_in(
    Whole, FromOnes={"right(x, h)": "right(x, torch.ones_like(self.given(x, h)) if h is None else h)"}
)
mistake(from_nothing, "the zeros have the size of the input, expected that of the state").made_in(
    Whole, FromInputSize={"right(x, h)": "right(x, torch.zeros_like(x) if h is None else h)"}
)


@mistake(from_nothing, "without a state, the biases of the state's contributions are left out too")
class NoBiasFromNothing(Given):
    def forward(self, x, h=None):
        if h is not None:
            return self.right(x, h)
        _, z, n = F.linear(x, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        return (1 - z.sigmoid()) * n.tanh()


@mistake(from_nothing, "without a state only one sequence of the batch is used")
class FromOneRow(Given):
    def forward(self, x, h=None):
        if h is None:
            return self.right(x[:1], None)
        return self.right(x, h)


mistake(alone, "a dimension of size one is removed that belongs to the result").made_in(
    Whole, Squeezes={"right(x, h)": "right(x, h).squeeze(0)"}
)


@mistake(alone, "the state of the previous call is kept in self and used instead of h")
class KeepsState(Given):
    kept = None

    def forward(self, x, h=None):
        if h is not None and self.kept is not None and self.kept.shape == h.shape:
            h = self.kept
        state = self.right(x, h)
        self.kept = h
        return state


@mistake(without_bias, "the biases are used even if they are None")
class AddsNone(Given):
    def forward(self, x, h=None):
        h = self.given(x, h)
        i = (x @ self.weight_ih.T + self.bias_ih).chunk(3, dim=1)
        s = (h @ self.weight_hh.T + self.bias_hh).chunk(3, dim=1)
        r, z = (i[0] + s[0]).sigmoid(), (i[1] + s[1]).sigmoid()
        return (1 - z) * (i[2] + r * s[2]).tanh() + z * h


mistake(arguments, "the caller's state is changed in place").made_in(
    Usual,
    InPlace={"return (1 - z) * (i + r * s).tanh() + z * h": "h *= z; h += (1 - z) * (i + r * s).tanh(); return h"},
)


@mistake(cell_gradient, "everything is computed under no_grad, so no gradient comes back")
class NoGradient(Given):
    @torch.no_grad()
    def forward(self, x, h=None):
        return self.right(x, h)


mistake(cell_gradient, "the state is detached, so no gradient reaches earlier steps").made_in(
    Whole, DetachedState={"right(x, h)": "right(x, None if h is None else h.detach())"}
)
mistake(cell_gradient, "the weights are used as .data, so no gradient reaches them").made_in(
    NoInputBias,
    WeightsAsData={"self.weight_ih": "self.weight_ih.data, self.bias_ih", "self.weight_hh": "self.weight_hh.data"},
)
mistake(
    cell_gradient,
    "the sigmoid is written with exp, whose gradient is NaN where exp overflows; torch.sigmoid stays finite",
).made_in(
    NoSigmoid, SigmoidByExp={"i[0] + s[0], i[1] + s[1]": "(1 / (1 + torch.exp(-i[gate] - s[gate])) for gate in (0, 1))"}
)
mistake(types, "the zeros are float32, whatever the dtype of x").made_in(
    FromOneRow, SingleZeros={"return self.right(x[:1], None)": "h = torch.zeros(x.shape[0], self.weight_hh.shape[1])"}
)
mistake(types, "the result is converted to float32").made_in(
    Whole, SinglePrecision={"right(x, h)": "right(x, h).float()"}
)


@mistake(from_nothing, "if no state is given, the state of the last call is used, expected zeros")
class GoesOn(Given):
    last = None

    def forward(self, x, h=None):
        fits = self.last is not None and len(self.last) == len(x)
        self.last = self.right(x, self.last if h is None and fits else h).detach()
        return self.right(x, h) if h is not None or not fits else self.last


@mistake(
    mixed, "the 3 H rows are assigned one by one, r z n r z n …; expected three blocks of H, as chunk returns them"
)
class Interleaved(Given):
    def forward(self, x, h=None):
        h = self.given(x, h)
        i, s = (
            F.linear(given, weight, bias).view(len(x), -1, 3).unbind(-1)
            for given, weight, bias in ((x, self.weight_ih, self.bias_ih), (h, self.weight_hh, self.bias_hh))
        )
        r, z = (i[0] + s[0]).sigmoid(), (i[1] + s[1]).sigmoid()
        return (1 - z) * (i[2] + r * s[2]).tanh() + z * h


mistake(
    whole, "the reset gate also multiplies the input's contribution, expected only the state's contribution"
).made_in(Usual, ResetsAll={"(i + r * s).tanh": "(r * (i + s)).tanh"})
mistake(whole, "W_hn is missing: the candidate gets r ⊙ h").made_in(
    Usual, ResetStateAlone={"r, z, i, s": "r, z, i, _", "r * s": "r * h"}
)
mistake(mixed, "the sigmoid is written with exp, and ∞ / ∞ is NaN; torch.sigmoid stays finite").made_in(
    NoSigmoid,
    QuotientOfInfinities={
        "i[0] + s[0], i[1] + s[1]": "((a + b).exp() / ((a + b).exp() + 1) for a, b in zip(i[:2], s[:2], strict=True))"
    },
)
mistake(mixed, "the gates go through the hard sigmoid, which is straight in the middle; expected the sigmoid").made_in(
    NoSigmoid, HardSigmoid={"i[0] + s[0], i[1] + s[1]": "F.hardsigmoid(i[0] + s[0]), F.hardsigmoid(i[1] + s[1])"}
)
mistake(mixed, "there is a dropout in training, which the formulas do not have").made_in(
    Whole, DropsInTraining={"right(x, h)": "right(F.dropout(x, 0.1, self.training), h)"}
)
mistake(from_nothing, "h is used even if it is None").made_in(
    Whole, AsksForZeros={"right(x, h)": "right(x, h if h.any() else None)"}
)
mistake(from_nothing, "without a state the cell starts from random numbers, expected zeros").made_in(
    Whole, RandomStart={"right(x, h)": "right(x, torch.randn_like(self.given(x, None)) if h is None else h)"}
)


@mistake(cell_gradient, "weight_hh.data is used, so no gradient reaches weight_hh")
class DataOfStateWeights(Given):
    def parts(self, x, h):
        return (
            F.linear(x, self.weight_ih, self.bias_ih).chunk(3, dim=1),
            F.linear(h, self.weight_hh.data, self.bias_hh).chunk(3, dim=1),
        )

    def forward(self, x, h=None):
        return self.right(x, h)


@right
class Products(Given):
    def forward(self, x, h=None):
        size = self.weight_hh.size(1)
        if h is None:
            h = torch.zeros(x.size(0), size, dtype=x.dtype, device=x.device)
        i, s = x @ self.weight_ih.T, h @ self.weight_hh.T
        if self.bias_ih is not None:
            i, s = i + self.bias_ih, s + self.bias_hh
        reset = torch.sigmoid(i[:, :size] + s[:, :size])
        update = torch.sigmoid(i[:, size : 2 * size] + s[:, size : 2 * size])
        new = torch.tanh(i[:, 2 * size :] + reset * s[:, 2 * size :])
        return new + update * (h - new)


@right
class GateByGate(Given):
    def forward(self, x, h=None):
        h = self.given(x, h)

        def said(n):
            biases = [None if b is None else b.chunk(3)[n] for b in (self.bias_ih, self.bias_hh)]
            return F.linear(x, self.weight_ih.chunk(3)[n], biases[0]), F.linear(
                h, self.weight_hh.chunk(3)[n], biases[1]
            )

        reset, update = sum(said(0)).sigmoid(), sum(said(1)).sigmoid()
        read, kept = said(2)
        return torch.lerp(torch.tanh(read + reset * kept), h, update)


@right
class SequenceBySequence(Given):
    def forward(self, x, h=None):
        h = self.given(x, h)
        return torch.cat([self.right(x[b : b + 1], h[b : b + 1]) for b in range(len(x))])


@right
class WithEinsum(Given):
    def forward(self, x, h=None):
        h = self.given(x, h)
        size = h.shape[-1]
        i = torch.einsum("bd,ghd->gbh", x, self.weight_ih.view(3, size, -1))
        s = torch.einsum("bk,ghk->gbh", h, self.weight_hh.view(3, size, size))
        if self.bias_ih is not None:
            i, s = i + self.bias_ih.view(3, 1, size), s + self.bias_hh.view(3, 1, size)
        r, z = torch.sigmoid(i[:2] + s[:2])
        return (1 - z) * torch.tanh(i[2] + r * s[2]) + z * h


@right
class StoresMore(Given):
    def __init__(self, input_size, hidden_size, bias=True):
        super().__init__(input_size, hidden_size, bias)
        self.register_buffer("calls", torch.zeros(()))
        self.hidden_size = hidden_size

    def forward(self, x, h=None):
        self.calls += 1
        state = self.right(x, h)
        self.last = state.detach()
        return state


@right
def made_by_a_function(input_size, hidden_size, bias=True):
    return Products(input_size, hidden_size, bias)


@forbidden
class TorchsOwn(nn.GRUCell):
    pass


@forbidden
class TorchsFunction(Given):
    def forward(self, x, h=None):
        h = self.given(x, h)
        return torch.gru_cell(x, h, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


right(functools.partial(WithEinsum))
