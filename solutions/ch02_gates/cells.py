"""Cells with gates, which can keep their state for longer: GRU and LSTM, with the same weights as torch's own."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class GRUCell(nn.Module):
    """One step of a GRU (Cho et al., 2014), with the weights of `torch.nn.GRUCell`.

    The components of the reset gate r and the update gate z are between 0 and 1, n is
    the candidate for the new state, and ⊙ multiplies component by component:

        r  = σ(W_ir x + b_ir + W_hr h + b_hr)
        z  = σ(W_iz x + b_iz + W_hz h + b_hz)
        n  = tanh(W_in x + b_in + r ⊙ (W_hn h + b_hn))
        h' = (1 - z) ⊙ n + z ⊙ h

    `weight_ih` stacks W_ir, W_iz and W_in on top of each other, in this order;
    `weight_hh`, `bias_ih` and `bias_hh` are stacked in the same way.

    Args:
        input_size: Size of the input x, D.
        hidden_size: Size of the state h, H.
        bias: Whether there are biases; if not, `bias_ih` and `bias_hh` are None.
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True) -> None:
        """Make the weights; see the class for the arguments."""
        super().__init__()
        self.weight_ih = nn.Parameter(torch.empty(3 * hidden_size, input_size))
        self.weight_hh = nn.Parameter(torch.empty(3 * hidden_size, hidden_size))
        self.bias_ih = nn.Parameter(torch.empty(3 * hidden_size)) if bias else None
        self.bias_hh = nn.Parameter(torch.empty(3 * hidden_size)) if bias else None
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(hidden_size**-0.5), hidden_size**-0.5)

    def forward(self, x: Tensor, h: Tensor | None = None) -> Tensor:
        """Compute the new state from one input and the previous state.

        Args:
            x: The input of each sequence, shape (B, D). Its numbers may be so large
                that a gate is exactly 0 or 1.
            h: The previous state, shape (B, H); zeros if none is given.

        Returns:
            The new state h', shape (B, H).
        """
        # 1. If no state is given, a state of zeros: (B, H).
        # 2. The contributions of the input and of the state to r, z and n, all three at
        #    once, (B, 3 H) each; then split into three of (B, H). `F.linear` accepts
        #    None as a bias.
        # 3. The two gates, the candidate, and the mixture of candidate and state:
        #    (B, H).
        ### BEGIN SOLUTION
        if h is None:
            h = x.new_zeros(len(x), self.weight_hh.shape[1])
        input_r, input_z, input_n = F.linear(x, self.weight_ih, self.bias_ih).chunk(
            3, dim=-1
        )
        state_r, state_z, state_n = F.linear(h, self.weight_hh, self.bias_hh).chunk(
            3, dim=-1
        )
        reset = (input_r + state_r).sigmoid()
        update = (input_z + state_z).sigmoid()
        candidate = (input_n + reset * state_n).tanh()
        return (1 - update) * candidate + update * h
        ### END SOLUTION


class LSTMCell(nn.Module):
    """One step of an LSTM (Hochreiter and Schmidhuber, 1997; Gers et al., 2000).

    It has the same weights as `torch.nn.LSTMCell`. The components of the gates i
    (input), f (forget) and o (output) are between 0 and 1, g is the candidate for the
    cell, and ⊙ multiplies component by component:

        i = σ(W_ii x + b_ii + W_hi h + b_hi)
        f = σ(W_if x + b_if + W_hf h + b_hf)
        g = tanh(W_ig x + b_ig + W_hg h + b_hg)
        o = σ(W_io x + b_io + W_ho h + b_ho)
        cell' = f ⊙ cell + i ⊙ g
        h'    = o ⊙ tanh(cell')

    `weight_ih` stacks W_ii, W_if, W_ig and W_io on top of each other, in this order;
    `weight_hh`, `bias_ih` and `bias_hh` are stacked in the same way.

    Args:
        input_size: Size of the input x, D.
        hidden_size: Size of the state h and of the cell, H.
        bias: Whether there are biases; if not, `bias_ih` and `bias_hh` are None.
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True) -> None:
        """Make the weights; see the class for the arguments."""
        super().__init__()
        self.weight_ih = nn.Parameter(torch.empty(4 * hidden_size, input_size))
        self.weight_hh = nn.Parameter(torch.empty(4 * hidden_size, hidden_size))
        self.bias_ih = nn.Parameter(torch.empty(4 * hidden_size)) if bias else None
        self.bias_hh = nn.Parameter(torch.empty(4 * hidden_size)) if bias else None
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(hidden_size**-0.5), hidden_size**-0.5)

    def forward(
        self, x: Tensor, state: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        """Compute the new pair of state and cell from one input and the previous pair.

        Args:
            x: The input of each sequence, shape (B, D). Its numbers may be so large
                that a gate is exactly 0 or 1.
            state: The previous pair (h, cell), shape (B, H) each; zeros if none is
                given.

        Returns:
            The new pair (h', cell'), shape (B, H) each.
        """
        # 1. If no state is given, a state and a cell of zeros: (B, H) each.
        # 2. The sum of the contributions of input and state to i, f, g and o, all four
        #    at once, (B, 4 H); then split into four of (B, H). `F.linear` accepts None
        #    as a bias.
        # 3. The three gates and the candidate, (B, H) each.
        # 4. The new cell, (B, H), and the new state: what the output gate lets through,
        #    (B, H).
        ### BEGIN SOLUTION
        if state is None:
            zeros = x.new_zeros(len(x), self.weight_hh.shape[1])
            state = zeros, zeros
        h, cell = state
        gates = F.linear(x, self.weight_ih, self.bias_ih) + F.linear(
            h, self.weight_hh, self.bias_hh
        )
        i, f, g, o = gates.chunk(4, dim=-1)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        h = o.sigmoid() * cell.tanh()
        return h, cell
        ### END SOLUTION
