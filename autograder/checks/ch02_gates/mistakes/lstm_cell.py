"""Mistakes in `LSTMCell`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch02_gates.lstm_cell import (
    alone,
    arguments,
    cell_gradient,
    from_nothing,
    in_chapter,
    let_out,
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
        self.weight_ih = nn.Parameter(torch.empty(4 * hidden_size, input_size))
        self.weight_hh = nn.Parameter(torch.empty(4 * hidden_size, hidden_size))
        self.bias_ih = nn.Parameter(torch.empty(4 * hidden_size)) if bias else None
        self.bias_hh = nn.Parameter(torch.empty(4 * hidden_size)) if bias else None
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(hidden_size**-0.5), hidden_size**-0.5)

    def given(self, x, state):
        """State and cell, or zeros; for the mistakes that are made elsewhere."""
        zeros = x.new_zeros(len(x), self.weight_hh.shape[1])
        return (zeros, zeros) if state is None else state

    def sums(self, x, h):
        """What goes into i, f, g and o; for the mistakes that are made elsewhere."""
        both = F.linear(x, self.weight_ih, self.bias_ih) + F.linear(h, self.weight_hh, self.bias_hh)
        return both.chunk(4, dim=1)

    def gates(self, x, h):
        """i, f, g and o; for the mistakes that are made elsewhere."""
        i, f, g, o = self.sums(x, h)
        return i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()

    def right(self, x, state=None):
        """New state and cell; for the mistakes that are made elsewhere."""
        h, cell = self.given(x, state)
        i, f, g, o = self.gates(x, h)
        cell = f * cell + i * g
        return o * cell.tanh(), cell


@right
class Usual(Given):
    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, g, o = self.gates(x, h)
        cell = f * cell + i * g
        return o * cell.tanh(), cell


@right
class Whole(Given):
    def forward(self, x, state=None):
        return self.right(x, state)


@right
class FromSums(Given):
    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, g, o = self.sums(x, h)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        return o.sigmoid() * cell.tanh(), cell


@right
class GivenState(Given):
    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        return self.right(x, (h, cell))


mistake(mixed, "the candidate g does not go through the tanh").made_in(FromSums, CandidateWithoutTanh={"g.tanh()": "g"})
mistake(mixed, "the candidate g goes through the sigmoid, expected the tanh").made_in(
    Usual, AllSigmoids={"self.gates(x, h)": "(part.sigmoid() for part in self.sums(x, h))"}
)
mistake(mixed, "the gates go through the tanh, expected the sigmoid").made_in(
    Usual, AllTanh={"self.gates(x, h)": "(part.tanh() for part in self.sums(x, h))"}
)
mistake(mixed, "the gates do not go through the sigmoid").made_in(
    Usual, NoSigmoid={"self.gates": "self.sums", "cell + i * g": "cell + i * g.tanh()"}
)
mistake(mixed, "the forget gate is not used: the whole old cell is in the new one").made_in(
    Usual, NothingForgotten={"i, f, g": "i, _, g", "f * cell": "cell"}
)


@mistake(mixed, "the old cell is not in the new one")
class NoOldCell(Given):
    def forward(self, x, state=None):
        h, _ = self.given(x, state)
        i, _, g, o = self.gates(x, h)
        cell = i * g
        return o * cell.tanh(), cell


mistake(mixed, "the input gate is not used: the whole candidate is in the new cell").made_in(
    Usual, NoInputGate={"i, f, g": "_, f, g", "cell + i * g": "cell + g"}
)
mistake(mixed, "1 - f is used instead of i; the input gate has weights of its own").made_in(
    Usual, Coupled={"i, f, g": "_, f, g", "cell + i * g": "cell + (1 - f) * g"}
)
mistake(mixed, "1 - f is used instead of f").made_in(Usual, ForgetUpsideDown={"f * cell": "(1 - f) * cell"})
mistake(mixed, "1 - i is used instead of f; the forget gate has weights of its own").made_in(
    Usual, ForgetFromInput={"i, f, g": "i, _, g", "f * cell": "(1 - i) * cell"}
)
mistake(mixed, "1 - i is used instead of i").made_in(Usual, InputUpsideDown={"cell + i * g": "cell + (1 - i) * g"})
mistake(
    mixed, "1 is added inside the forget gate, as some libraries do; with torch's weights it belongs in the bias"
).made_in(FromSums, ForgetBias={"f.sigmoid": "(f + 1).sigmoid"})
mistake(mixed, "the new cell itself goes through a tanh, which belongs only in the new state").made_in(
    GivenState,
    TanhOfCellKept={
        "return self.right(x, (h, cell))": "i, f, g, o = self.gates(x, h); cell = (f * cell + i * g).tanh(); return o * cell, cell"
    },
)
mistake(mixed, "the state is read as a pair (cell, h), expected (h, cell)").made_in(
    Usual, CellFirst={"h, cell": "cell, h"}
)
mistake(mixed, "the results are returned in the order cell, h; expected h, cell").made_in(
    Whole, ReturnsCellFirst={"return self.right(x, state)": "h, cell = self.right(x, state); return cell, h"}
)
mistake(mixed, "only the new state is returned, expected h and cell").made_in(
    Whole, StateOnly={"(x, state)": "(x, state)[0]"}
)
mistake(mixed, "an output and a pair are returned, as torch.nn.LSTM does; expected h and cell").made_in(
    GivenState, OutputAndPair={"self.given": "self.right", "self.right(x, (h, cell))": "h, (h, cell)"}
)
mistake(mixed, "the old cell is returned, expected the new one").made_in(
    Whole, OldCellBack={"(x, state)": "(x, state)[0], self.given(x, state)[1]"}
)


@mistake(mixed, "bias_ih is missing")
class NoInputBias(Given):
    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, g, o = (F.linear(x, self.weight_ih) + F.linear(h, self.weight_hh, self.bias_hh)).chunk(4, dim=1)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        return o.sigmoid() * cell.tanh(), cell


mistake(mixed, "state and cell are two arguments, expected one pair").made_in(
    Usual, ThreeArguments={"state=None": "h=None, cell=None", "h, cell = self.given(x, state)": ""}
)
mistake(let_out, "the tanh of the cell is missing: the new state is o ⊙ cell").made_in(
    Usual, CellWithoutTanh={".tanh()": ""}
)


@mistake(let_out, "the new state is computed from the old cell, expected from the new one")
class OldCellOut(Given):
    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        _, _, _, o = self.gates(x, h)
        return o * cell.tanh(), self.right(x, state)[1]


mistake(let_out, "the output gate is missing: the new state is tanh(cell)").made_in(
    Whole, NoOutputGate={"return self.right(x, state)": "_, cell = self.right(x, state); return cell.tanh(), cell"}
)


@mistake(let_out, "the output gate is inside the tanh, expected outside: o ⊙ tanh(cell)")
class TanhOfBoth(Given):
    def forward(self, x, state=None):
        h, _ = self.given(x, state)
        _, cell = self.right(x, state)
        return (self.gates(x, h)[3] * cell).tanh(), cell


mistake(let_out, "the cell goes through the sigmoid on its way into the state, expected the tanh").made_in(
    TanhOfBoth, SigmoidOfCell={"(self.gates(x, h)[3] * cell).tanh()": "self.gates(x, h)[3] * cell.sigmoid()"}
)
mistake(ordered, "the weights are read as those of i, f, o and g, expected i, f, g and o").made_in(
    FromSums, OutputThirdOrder={"i, f, g, o": "i, f, o, g"}
)
mistake(ordered, "the weights are read as those of f, i, g and o, expected i, f, g and o").made_in(
    Usual, ForgetFirstOrder={"i, f, g": "f, i, g"}, InputForgets={"f * cell + i * g": "i * cell + f * g"}
)
mistake(ordered, "the weights are read as those of i, g, f and o, expected i, f, g and o").made_in(
    FromSums, CandidateSecondOrder={"i, f, g": "i, g, f"}
)
mistake(ordered, "bias_hh is missing").made_in(
    NoInputBias,
    NoStateBias={"self.weight_ih": "self.weight_ih, self.bias_ih", "self.weight_hh, self.bias_hh": "self.weight_hh"},
)
mistake(whole, "the gates do not use the state: weight_hh is not used").made_in(
    Usual, NoState={"gates(x, h)": "gates(x, torch.zeros_like(h))"}
)
mistake(whole, "weight_hh multiplies the cell, expected the state h").made_in(
    Usual, CellIntoGates={"h, cell": "_, cell", "gates(x, h)": "gates(x, cell)"}
)
mistake(whole, "the state does not enter g").made_in(
    Usual,
    CandidateWithoutState={"i, f, g": "i, f, _", "cell + i * g": "cell + i * self.gates(x, torch.zeros_like(h))[2]"},
)


@mistake(whole, "the matrices of weight_hh are transposed: row j of each gives component j of its gate")
class StateWeightsTurned(Given):
    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        read = F.linear(x, self.weight_ih, self.bias_ih).chunk(4, dim=1)
        kept = [h @ weight for weight in self.weight_hh.chunk(4)]
        if self.bias_hh is not None:
            kept = [part + bias for part, bias in zip(kept, self.bias_hh.chunk(4), strict=True)]
        i, f, g, o = (a + b for a, b in zip(read, kept, strict=True))
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        return o.sigmoid() * cell.tanh(), cell


mistake(from_nothing, "the state is no longer optional").made_in(Whole, NeedsState={"state=None": "state"})
mistake(from_nothing, "the state is used even if it is None").made_in(
    GivenState, NoneIsUsed={"h, cell = self.given(x, state)": "h, cell = state"}
)


@mistake(from_nothing, "without a state the cell starts from ones, expected zeros")
class OneOfOnes(Given):
    def forward(self, x, state=None):
        if state is None:
            h, cell = self.given(x, None)
            state = h, torch.ones_like(cell)
        return self.right(x, state)


mistake(from_nothing, "without a state the cell starts from random numbers, expected zeros").made_in(
    OneOfOnes, RandomState={"h, torch.ones_like(cell)": "torch.randn_like(h), torch.randn_like(cell)"}
)
mistake(alone, "a dimension of size one is removed that belongs to the result").made_in(
    Whole,
    Squeezes={"return self.right(x, state)": "h, cell = self.right(x, state); return h.squeeze(0), cell.squeeze(0)"},
)


@mistake(alone, "the cell is kept in self from call to call, and a cell that is given is ignored")
class KeepsCell(Given):
    kept = None

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        if state is not None and self.kept is not None and self.kept.shape == cell.shape:
            cell = self.kept
        self.kept = cell
        return self.right(x, (h, cell))


mistake(without_bias, "the biases are used even if they are None").made_in(
    FromSums,
    AddsNone={
        "i,": "both = x @ self.weight_ih.T + h @ self.weight_hh.T + self.bias_ih + self.bias_hh; i,",
        "self.sums(x, h)": "both.chunk(4, dim=1)",
    },
)
mistake(arguments, "the caller's cell is changed in place").made_in(
    Usual, InPlace={"cell = f * cell + i": "cell *= f; cell += i"}
)


@mistake(cell_gradient, "everything is computed under no_grad, so no gradient comes back")
class NoGradient(Given):
    @torch.no_grad()
    def forward(self, x, state=None):
        return self.right(x, state)


mistake(cell_gradient, "the cell is detached, so no gradient reaches earlier cells").made_in(
    GivenState, DetachedCell={"(x, (h, cell))": "(x, (h, cell.detach()))"}
)
mistake(cell_gradient, "the state is detached, so no gradient reaches earlier states").made_in(
    GivenState, DetachedState={"(h, cell)": "(h.detach(), cell)"}
)


@mistake(
    cell_gradient,
    "the sigmoid is written with exp, whose gradient is NaN where exp overflows; torch.sigmoid stays finite",
)
class SigmoidByExp(Given):
    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        sums = self.sums(x, h)
        i, f, o = (1 / (1 + torch.exp(-sums[gate])) for gate in (0, 1, 3))
        cell = f * cell + i * sums[2].tanh()
        return o * cell.tanh(), cell


mistake(in_chapter, "the cell is kept between -10 and 10, expected it as large as it becomes").made_in(
    Whole, LimitedCell={"return self.right(x, state)": "h, cell = self.right(x, state); return h, cell.clamp(-10, 10)"}
)
mistake(let_out, "state and cell are returned in a list, expected a tuple").made_in(
    Whole, Listed={"self.right(x, state)": "list(self.right(x, state))"}
)


@mistake(types, "the zeros are float32, whatever the dtype of x")
class SingleZeros(Given):
    def forward(self, x, state=None):
        if state is None:
            zeros = torch.zeros(x.shape[0], self.weight_hh.shape[1])
            state = zeros, zeros
        return self.right(x, state)


mistake(types, "the results are converted to float32").made_in(
    Whole,
    SinglePrecision={"return self.right(x, state)": "h, cell = self.right(x, state); return h.float(), cell.float()"},
)


@mistake(from_nothing, "if no state is given, the state of the last call is used, expected zeros")
class GoesOn(Given):
    last = None

    def forward(self, x, state=None):
        if state is None and self.last is not None and len(self.last[0]) == len(x):
            state = self.last
        found = self.right(x, state)
        self.last = tuple(part.detach() for part in found)
        return found


mistake(mixed, "the forget gate multiplies the candidate too, expected the old cell alone").made_in(
    Usual, ForgetsCandidate={"cell + i * g": "(cell + i * g)"}
)


@mistake(
    mixed, "the 4 H rows are assigned one by one, i f g o i f g o …; expected four blocks of H, as chunk returns them"
)
class RowsOneByOne(Given):
    def sums(self, x, h):
        return torch.cat(super().sums(x, h), dim=1).unflatten(1, (-1, 4)).unbind(-1)

    def forward(self, x, state=None):
        return self.right(x, state)


mistake(mixed, "h is used as the cell, expected the second tensor of the state").made_in(
    GivenState, StateAsCell={"h, cell = self": "h, _ = self", "(h, cell)": "(h, h)"}
)


@mistake(mixed, "bias_ih is added twice, expected bias_ih and bias_hh")
class InputBiasTwice(Given):
    def sums(self, x, h):
        return (F.linear(x, self.weight_ih, self.bias_ih) + F.linear(h, self.weight_hh, self.bias_ih)).chunk(4, dim=1)

    def forward(self, x, state=None):
        return self.right(x, state)


@mistake(
    let_out, "the output gate goes through the tanh and the cell through the sigmoid, expected the other way round"
)
class TanhAndSigmoidSwapped(Given):
    def forward(self, x, state=None):
        h, _ = self.given(x, state)
        *_, o = self.sums(x, h)
        _, cell = self.right(x, state)
        return o.tanh() * cell.sigmoid(), cell


@right
class Products(Given):
    def forward(self, x, state=None):
        size = self.weight_hh.size(1)
        if state is None:
            h = torch.zeros(x.size(0), size, dtype=x.dtype, device=x.device)
            cell = torch.zeros_like(h)
        else:
            h, cell = state
        both = x @ self.weight_ih.T + h @ self.weight_hh.T
        if self.bias_ih is not None:
            both = both + self.bias_ih + self.bias_hh
        i, f = torch.sigmoid(both[:, :size]), torch.sigmoid(both[:, size : 2 * size])
        g, o = torch.tanh(both[:, 2 * size : 3 * size]), torch.sigmoid(both[:, 3 * size :])
        cell = torch.addcmul(f * cell, i, g)
        return o * torch.tanh(cell), cell


@right
class GateByGate(Given):
    def forward(self, x, state=None):
        h, cell = self.given(x, state)

        def said(n):
            biases = [None if b is None else b.chunk(4)[n] for b in (self.bias_ih, self.bias_hh)]
            return F.linear(x, self.weight_ih.chunk(4)[n], biases[0]) + F.linear(
                h, self.weight_hh.chunk(4)[n], biases[1]
            )

        cell = said(1).sigmoid() * cell + said(0).sigmoid() * said(2).tanh()
        return said(3).sigmoid() * cell.tanh(), cell


@right
class SideBySide(Given):
    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        weight = torch.cat([self.weight_ih, self.weight_hh], dim=1)
        bias = None if self.bias_ih is None else self.bias_ih + self.bias_hh
        i, f, g, o = F.linear(torch.cat([x, h], dim=1), weight, bias).reshape(len(x), 4, -1).unbind(1)
        cell = F.sigmoid(f) * cell + F.sigmoid(i) * F.tanh(g)
        return F.sigmoid(o) * F.tanh(cell), cell


@right
class SequenceBySequence(Given):
    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        pairs = [self.right(x[b : b + 1], (h[b : b + 1], cell[b : b + 1])) for b in range(len(x))]
        return tuple(torch.cat(parts) for parts in zip(*pairs, strict=True))


@right
class StoresMore(Given):
    def __init__(self, input_size, hidden_size, bias=True):
        super().__init__(input_size, hidden_size, bias)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x, state=None):
        self.calls += 1
        h, cell = self.right(x, state)
        self.last = cell.detach()
        return h, cell


@right
def made_by_a_function(input_size, hidden_size, bias=True):
    return Products(input_size, hidden_size, bias)


@forbidden
class TorchsOwn(nn.LSTMCell):
    pass


@forbidden
class TorchsFunction(Given):
    def forward(self, x, state=None):
        return torch.lstm_cell(x, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


right(functools.partial(SideBySide))
