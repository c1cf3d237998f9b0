"""Cells with gates, which keep what they hold for longer: GRU and LSTM, with the weights of torch's own."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class GRUCell(nn.Module):
    """One step of a gated recurrent unit (Cho et al., 2014), with the weights of `torch.nn.GRUCell`.

    The reset gate r and the update gate z are numbers from 0 to 1, n is the candidate for the
    new state, and ⊙ multiplies number by number:

        r  = σ(W_ir x + b_ir + W_hr h + b_hr)
        z  = σ(W_iz x + b_iz + W_hz h + b_hz)
        n  = tanh(W_in x + b_in + r ⊙ (W_hn h + b_hn))
        h' = (1 - z) ⊙ n + z ⊙ h

    `weight_ih` holds W_ir, W_iz and W_in one below the other, in this order; `weight_hh`,
    `bias_ih` and `bias_hh` hold theirs likewise.

    Args:
        input_size: Size of the input x, D.
        hidden_size: Size of the state h, H.
        bias: Whether there are biases; without, `bias_ih` and `bias_hh` are None.
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
        """Read one input into the state.

        Args:
            x: The input of each sequence, shape (B, D).
            h: The state before it, shape (B, H); zeros where none is given.

        Returns:
            The new state h', shape (B, H).
        """
        # 1. Without a state, one of zeros: (B, H).
        # 2. What the input says, and what the state says, for r, z and n at once, (B, 3 H)
        #    each; then cut into three of (B, H). `F.linear` takes None for a bias.
        # 3. The two gates, the candidate, and the mixture of candidate and state: (B, H).
        ### BEGIN SOLUTION
        if h is None:
            h = x.new_zeros(len(x), self.weight_hh.shape[1])
        input_r, input_z, input_n = F.linear(x, self.weight_ih, self.bias_ih).chunk(3, dim=-1)
        state_r, state_z, state_n = F.linear(h, self.weight_hh, self.bias_hh).chunk(3, dim=-1)
        reset = (input_r + state_r).sigmoid()
        update = (input_z + state_z).sigmoid()
        candidate = (input_n + reset * state_n).tanh()
        return (1 - update) * candidate + update * h
        ### END SOLUTION


class LSTMCell(nn.Module):
    """One step of a long short-term memory (Hochreiter and Schmidhuber, 1997; Gers et al., 2000).

    Its weights are those of `torch.nn.LSTMCell`. The gates i (input), f (forget) and o (output)
    are numbers from 0 to 1, g is the candidate for the cell, and ⊙ multiplies number by number:

        i = σ(W_ii x + b_ii + W_hi h + b_hi)
        f = σ(W_if x + b_if + W_hf h + b_hf)
        g = tanh(W_ig x + b_ig + W_hg h + b_hg)
        o = σ(W_io x + b_io + W_ho h + b_ho)
        cell' = f ⊙ cell + i ⊙ g
        h'    = o ⊙ tanh(cell')

    `weight_ih` holds W_ii, W_if, W_ig and W_io one below the other, in this order; `weight_hh`,
    `bias_ih` and `bias_hh` hold theirs likewise.

    Args:
        input_size: Size of the input x, D.
        hidden_size: Size of the state h and of the cell, H.
        bias: Whether there are biases; without, `bias_ih` and `bias_hh` are None.
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

    def forward(self, x: Tensor, state: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        """Read one input into the state.

        Args:
            x: The input of each sequence, shape (B, D).
            state: The pair (h, cell) before it, shape (B, H) each; zeros where none is given.

        Returns:
            The new pair (h', cell'), shape (B, H) each.
        """
        # 1. Without a state, two of zeros: (B, H) each.
        # 2. What input and state say together for i, f, g and o at once, (B, 4 H); then cut
        #    into four of (B, H). `F.linear` takes None for a bias.
        # 3. The three gates and the candidate, (B, H) each.
        # 4. The new cell, (B, H), and what the output gate lets out of it, (B, H).
        ### BEGIN SOLUTION
        if state is None:
            zeros = x.new_zeros(len(x), self.weight_hh.shape[1])
            state = zeros, zeros
        h, cell = state
        gates = F.linear(x, self.weight_ih, self.bias_ih) + F.linear(h, self.weight_hh, self.bias_hh)
        i, f, g, o = gates.chunk(4, dim=-1)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        h = o.sigmoid() * cell.tanh()
        return h, cell
        ### END SOLUTION
