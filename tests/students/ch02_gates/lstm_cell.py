"""What students hand in for `LSTMCell`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
exercise's rule. The constructor is given with the exercise, so each stands on `Given`.
"""

import functools

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "LSTMCell"


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


class CandidateWithoutTanh(Given):
    """The candidate as it is."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, g, o = self.sums(x, h)
        cell = f.sigmoid() * cell + i.sigmoid() * g
        return o.sigmoid() * cell.tanh(), cell


class AllSigmoids(Given):
    """The candidate is taken for a gate."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, g, o = (part.sigmoid() for part in self.sums(x, h))
        cell = f * cell + i * g
        return o * cell.tanh(), cell


class AllTanh(Given):
    """The gates are taken for candidates."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, g, o = (part.tanh() for part in self.sums(x, h))
        cell = f * cell + i * g
        return o * cell.tanh(), cell


class NoSigmoid(Given):
    """The gates as they are."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, g, o = self.sums(x, h)
        cell = f * cell + i * g.tanh()
        return o * cell.tanh(), cell


class NothingForgotten(Given):
    """The LSTM of 1997."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, _, g, o = self.gates(x, h)
        cell = cell + i * g
        return o * cell.tanh(), cell


class NoOldCell(Given):
    """The old cell is dropped."""

    def forward(self, x, state=None):
        h, _ = self.given(x, state)
        i, _, g, o = self.gates(x, h)
        cell = i * g
        return o * cell.tanh(), cell


class NoInputGate(Given):
    """The candidate is taken in whole."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        _, f, g, o = self.gates(x, h)
        cell = f * cell + g
        return o * cell.tanh(), cell


class Coupled(Given):
    """1 - f for i."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        _, f, g, o = self.gates(x, h)
        cell = f * cell + (1 - f) * g
        return o * cell.tanh(), cell


class ForgetUpsideDown(Given):
    """1 - f for f."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, g, o = self.gates(x, h)
        cell = (1 - f) * cell + i * g
        return o * cell.tanh(), cell


class ForgetBias(Given):
    """1 is added for the forget gate."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, g, o = self.sums(x, h)
        cell = (f + 1).sigmoid() * cell + i.sigmoid() * g.tanh()
        return o.sigmoid() * cell.tanh(), cell


class TanhOfCellKept(Given):
    """The tanh goes into the cell that is kept."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, g, o = self.gates(x, h)
        cell = (f * cell + i * g).tanh()
        return o * cell, cell


class CellFirst(Given):
    """The pair that is given is read as cell and state."""

    def forward(self, x, state=None):
        cell, h = self.given(x, state)
        i, f, g, o = self.gates(x, h)
        cell = f * cell + i * g
        return o * cell.tanh(), cell


class ReturnsCellFirst(Given):
    """The pair that comes back is cell and state."""

    def forward(self, x, state=None):
        h, cell = self.right(x, state)
        return cell, h


class StateOnly(Given):
    """The cell does not come back."""

    def forward(self, x, state=None):
        return self.right(x, state)[0]


class OutputAndPair(Given):
    """As torch.nn.LSTM returns."""

    def forward(self, x, state=None):
        h, cell = self.right(x, state)
        return h, (h, cell)


class OldCellBack(Given):
    """The cell comes back as it was."""

    def forward(self, x, state=None):
        return self.right(x, state)[0], self.given(x, state)[1]


class NoInputBias(Given):
    """bias_ih is forgotten."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, g, o = (F.linear(x, self.weight_ih) + F.linear(h, self.weight_hh, self.bias_hh)).chunk(4, dim=1)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        return o.sigmoid() * cell.tanh(), cell


class ThreeArguments(Given):
    """State and cell are two arguments."""

    def forward(self, x, h=None, cell=None):
        i, f, g, o = self.gates(x, h)
        cell = f * cell + i * g
        return o * cell.tanh(), cell


class CellWithoutTanh(Given):
    """The tanh of the cell is forgotten."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, g, o = self.gates(x, h)
        cell = f * cell + i * g
        return o * cell, cell


class OldCellOut(Given):
    """The old cell is let out."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        _, _, _, o = self.gates(x, h)
        return o * cell.tanh(), self.right(x, state)[1]


class NoOutputGate(Given):
    """The output gate is not used."""

    def forward(self, x, state=None):
        _, cell = self.right(x, state)
        return cell.tanh(), cell


class TanhOfBoth(Given):
    """The output gate stands inside the tanh."""

    def forward(self, x, state=None):
        h, _ = self.given(x, state)
        _, cell = self.right(x, state)
        return (self.gates(x, h)[3] * cell).tanh(), cell


class SigmoidOfCell(Given):
    """The sigmoid for the tanh."""

    def forward(self, x, state=None):
        h, _ = self.given(x, state)
        _, cell = self.right(x, state)
        return self.gates(x, h)[3] * cell.sigmoid(), cell


class OutputThirdOrder(Given):
    """i, f, o, g."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, o, g = self.sums(x, h)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        return o.sigmoid() * cell.tanh(), cell


class ForgetFirstOrder(Given):
    """f, i, g, o."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        f, i, g, o = self.gates(x, h)
        cell = f * cell + i * g
        return o * cell.tanh(), cell


class InputForgets(Given):
    """i and f are swapped in the cell's line."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, g, o = self.gates(x, h)
        cell = i * cell + f * g
        return o * cell.tanh(), cell


class CandidateSecondOrder(Given):
    """i, g, f, o: the order of other libraries."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, g, f, o = self.sums(x, h)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        return o.sigmoid() * cell.tanh(), cell


class NoStateBias(Given):
    """bias_hh is forgotten."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, g, o = (F.linear(x, self.weight_ih, self.bias_ih) + F.linear(h, self.weight_hh)).chunk(4, dim=1)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        return o.sigmoid() * cell.tanh(), cell


class NoState(Given):
    """The gates read the input alone."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, g, o = self.gates(x, torch.zeros_like(h))
        cell = f * cell + i * g
        return o * cell.tanh(), cell


class CellIntoGates(Given):
    """The cell goes through weight_hh."""

    def forward(self, x, state=None):
        _, cell = self.given(x, state)
        i, f, g, o = self.gates(x, cell)
        cell = f * cell + i * g
        return o * cell.tanh(), cell


class CandidateWithoutState(Given):
    """The candidate reads the input alone."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, _, o = self.gates(x, h)
        cell = f * cell + i * self.gates(x, torch.zeros_like(h))[2]
        return o * cell.tanh(), cell


class StateWeightsTurned(Given):
    """The square matrices of weight_hh the wrong way round."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        read = F.linear(x, self.weight_ih, self.bias_ih).chunk(4, dim=1)
        kept = [h @ weight for weight in self.weight_hh.chunk(4)]
        if self.bias_hh is not None:
            kept = [part + bias for part, bias in zip(kept, self.bias_hh.chunk(4), strict=True)]
        i, f, g, o = (a + b for a, b in zip(read, kept, strict=True))
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        return o.sigmoid() * cell.tanh(), cell


class NeedsState(Given):
    """The state is not optional any more."""

    def forward(self, x, state):
        return self.right(x, state)


class NoneIsUsed(Given):
    """The state that is None is used."""

    def forward(self, x, state=None):
        h, cell = state
        return self.right(x, (h, cell))


class OneOfOnes(Given):
    """The cell starts from ones."""

    def forward(self, x, state=None):
        if state is None:
            h, cell = self.given(x, None)
            state = h, torch.ones_like(cell)
        return self.right(x, state)


class RandomState(Given):
    """The state starts from random numbers."""

    def forward(self, x, state=None):
        if state is None:
            h, cell = self.given(x, None)
            state = torch.randn_like(h), torch.randn_like(cell)
        return self.right(x, state)


class Squeezes(Given):
    """A batch of one loses its dimension."""

    def forward(self, x, state=None):
        h, cell = self.right(x, state)
        return h.squeeze(0), cell.squeeze(0)


class KeepsCell(Given):
    """The cell is kept from call to call, and a given cell is used only in the first call."""

    kept = None

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        if state is not None and self.kept is not None and self.kept.shape == cell.shape:
            cell = self.kept
        self.kept = cell
        return self.right(x, (h, cell))


class AddsNone(Given):
    """The biases are always there."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        both = x @ self.weight_ih.T + h @ self.weight_hh.T + self.bias_ih + self.bias_hh
        i, f, g, o = both.chunk(4, dim=1)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        return o.sigmoid() * cell.tanh(), cell


class InPlace(Given):
    """The caller's cell is changed."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        i, f, g, o = self.gates(x, h)
        cell *= f
        cell += i * g
        return o * cell.tanh(), cell


class NoGradient(Given):
    """All of it is computed without a gradient."""

    @torch.no_grad()
    def forward(self, x, state=None):
        return self.right(x, state)


class DetachedCell(Given):
    """The gradient does not go back along the cell."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        return self.right(x, (h, cell.detach()))


class DetachedState(Given):
    """The gradient does not go back along the state."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        return self.right(x, (h.detach(), cell))


class SingleZeros(Given):
    """Zeros of float32."""

    def forward(self, x, state=None):
        if state is None:
            zeros = torch.zeros(x.shape[0], self.weight_hh.shape[1])
            state = zeros, zeros
        return self.right(x, state)


class SinglePrecision(Given):
    """The results are made float32."""

    def forward(self, x, state=None):
        h, cell = self.right(x, state)
        return h.float(), cell.float()


class GoesOn(Given):
    """If no state is given, the cell continues from the state of its last call."""

    last = None

    def forward(self, x, state=None):
        if state is None and self.last is not None and len(self.last[0]) == len(x):
            state = self.last
        found = self.right(x, state)
        self.last = tuple(part.detach() for part in found)
        return found


_CELL = "the cell forgets a part and takes in a part of the candidate: f ⊙ cell + i ⊙ g"
_OUTPUT = "the state is o ⊙ tanh(cell), with the new cell"
_ORDER = "the weights are those of i, f, g and o, in this order"
_STATE = "the previous state enters every gate"
_ZEROS = "without a state it starts from zeros"
_ALONE = "one sequence alone, step after step"
_BIAS = "it works without biases"
_ARGUMENTS = "state, cell, input and weights are left as they were"
_GRADIENT = "the gradient reaches all weights, the input, the state and the cell"
_TYPES = "in double precision state and cell are double"

WRONG = {
    GoesOn: _ZEROS,
    CandidateWithoutTanh: _CELL,
    AllSigmoids: _CELL,
    AllTanh: _CELL,
    NoSigmoid: _CELL,
    NothingForgotten: _CELL,
    NoOldCell: _CELL,
    NoInputGate: _CELL,
    Coupled: _CELL,
    ForgetUpsideDown: _CELL,
    ForgetBias: _CELL,
    TanhOfCellKept: _CELL,
    CellFirst: _CELL,
    ReturnsCellFirst: _CELL,
    StateOnly: _CELL,
    OutputAndPair: _CELL,
    OldCellBack: _CELL,
    NoInputBias: _CELL,
    ThreeArguments: _CELL,
    CellWithoutTanh: _OUTPUT,
    OldCellOut: _OUTPUT,
    NoOutputGate: _OUTPUT,
    TanhOfBoth: _OUTPUT,
    SigmoidOfCell: _OUTPUT,
    OutputThirdOrder: _ORDER,
    ForgetFirstOrder: _ORDER,
    InputForgets: _ORDER,
    CandidateSecondOrder: _ORDER,
    NoStateBias: _ORDER,
    NoState: _STATE,
    CellIntoGates: _STATE,
    CandidateWithoutState: _STATE,
    StateWeightsTurned: _STATE,
    NeedsState: _ZEROS,
    NoneIsUsed: _ZEROS,
    OneOfOnes: _ZEROS,
    RandomState: _ZEROS,
    Squeezes: _ALONE,
    KeepsCell: _ALONE,
    AddsNone: _BIAS,
    InPlace: _ARGUMENTS,
    NoGradient: _GRADIENT,
    DetachedCell: _GRADIENT,
    DetachedState: _GRADIENT,
    SingleZeros: _TYPES,
    SinglePrecision: _TYPES,
}


class Products(Given):
    """Products of matrices and slices, the biases where there are any."""

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


class GateByGate(Given):
    """Each gate by itself, and a list back."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)

        def said(n):
            biases = [None if b is None else b.chunk(4)[n] for b in (self.bias_ih, self.bias_hh)]
            return F.linear(x, self.weight_ih.chunk(4)[n], biases[0]) + F.linear(
                h, self.weight_hh.chunk(4)[n], biases[1]
            )

        cell = said(1).sigmoid() * cell + said(0).sigmoid() * said(2).tanh()
        return [said(3).sigmoid() * cell.tanh(), cell]


class SideBySide(Given):
    """Input and state as one vector, both matrices as one."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        weight = torch.cat([self.weight_ih, self.weight_hh], dim=1)
        bias = None if self.bias_ih is None else self.bias_ih + self.bias_hh
        i, f, g, o = F.linear(torch.cat([x, h], dim=1), weight, bias).reshape(len(x), 4, -1).unbind(1)
        cell = F.sigmoid(f) * cell + F.sigmoid(i) * F.tanh(g)
        return F.sigmoid(o) * F.tanh(cell), cell


class SequenceBySequence(Given):
    """As on paper, one after the other."""

    def forward(self, x, state=None):
        h, cell = self.given(x, state)
        pairs = [self.right(x[b : b + 1], (h[b : b + 1], cell[b : b + 1])) for b in range(len(x))]
        return tuple(torch.cat(parts) for parts in zip(*pairs, strict=True))


class StoresMore(Given):
    """A buffer and what it last saw are kept beside the weights."""

    def __init__(self, input_size, hidden_size, bias=True):
        super().__init__(input_size, hidden_size, bias)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x, state=None):
        self.calls += 1
        h, cell = self.right(x, state)
        self.last = cell.detach()
        return h, cell


def made_by_a_function(input_size, hidden_size, bias=True):
    """A function that builds one."""
    return Products(input_size, hidden_size, bias)


RIGHT = {
    "products": Products,
    "gate by gate": GateByGate,
    "side by side": SideBySide,
    "sequence by sequence": SequenceBySequence,
    "stores more": StoresMore,
    "made by a function": made_by_a_function,
    "a partial": functools.partial(SideBySide),
}


class TorchsOwn(nn.LSTMCell):
    """The rule is that this is not used."""


class TorchsFunction(Given):
    """Nor this."""

    def forward(self, x, state=None):
        return torch.lstm_cell(x, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


FORBIDDEN = (TorchsOwn, TorchsFunction)
