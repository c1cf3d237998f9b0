"""The parts of self-attention as later chapters use them: multi-head attention, the encoder layer, and what surrounds them.

The chapter on self-attention builds each of them by hand and shows that it equals torch's own. These differ from torch's in two
ways that later chapters need: every attention returns its weights, and its keys and values can be computed separately
from a look-up.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def causal_mask(length: int, device: torch.device | str | None = None) -> Tensor:
    """True where a position may look at itself and at earlier ones: row t, column i with i <= t, shape (length, length)."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def positional_encoding(length: int, d_model: int) -> Tensor:
    """The sines and cosines of Vaswani et al. (2017), interleaved.

    Args:
        length: Number of positions.
        d_model: Size of the vectors, an even number.

    Returns:
        One row for each position, shape (length, d_model), float32.

    Raises:
        ValueError: d_model is odd.
    """
    if d_model % 2:
        raise ValueError(f"d_model is {d_model}: sines and cosines come in pairs, choose an even number")
    frequencies = 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)  # (d_model / 2,)
    angles = torch.outer(torch.arange(length), frequencies)  # (length, d_model / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


class FeedForward(nn.Module):
    """W_2 relu(W_1 x + b_1) + b_2 at every position: (..., d_model) to the same.

    Args:
        d_model: Size of the vectors that come in and go out.
        d_ff: Size of the hidden layer.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        """Make the two layers; see the class for the arguments."""
        super().__init__()
        self.inner = nn.Linear(d_model, d_ff)
        self.outer = nn.Linear(d_ff, d_model)

    def forward(self, inputs: Tensor) -> Tensor:
        """Process each position separately."""
        return self.outer(self.inner(inputs).relu())


class MultiHeadAttention(nn.Module):
    """Scaled dot-product attention with several heads, in torch's convention: biases everywhere, heads in neighbouring columns.

    Args:
        d_model: Size of the vectors that come in and go out.
        num_heads: Number of heads, of size d_k = d_model / num_heads each.

    Raises:
        ValueError: d_model is not divisible by the number of heads.
    """

    def __init__(self, d_model: int, num_heads: int) -> None:
        """Make the four layers; see the class for the arguments."""
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"d_model is {d_model}: choose a multiple of the {num_heads} heads")
        self.num_heads = num_heads
        self.to_query = nn.Linear(d_model, d_model)
        self.to_key = nn.Linear(d_model, d_model)
        self.to_value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)

    def _heads(self, states: Tensor) -> Tensor:
        """(B, T, d_model) -> (B, num_heads, T, d_k)."""
        return states.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def keys_values(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """The keys and values of a memory (B, S, d_model), split into heads: (B, num_heads, S, d_k) each."""
        return self._heads(self.to_key(memory)), self._heads(self.to_value(memory))

    def look_up(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Let every head attend, and combine their outputs into one vector.

        Args:
            query: The vectors that attend, not yet projected, shape (B, T, d_model).
            key: Keys as `keys_values` gives them, shape (B, num_heads, S, d_k).
            value: Values, likewise.
            mask: None, or boolean, shape (B or 1, T or 1, S); True where a position may be attended to.

        Returns:
            The output, shape (B, T, d_model), and each head's weights, (B, num_heads, T, S). A query that may attend to
            nothing has weights of zero.
        """
        heads = self._heads(self.to_query(query))  # (B, num_heads, T, d_k)
        scores = heads @ key.transpose(-2, -1) / heads.shape[-1] ** 0.5  # (B, num_heads, T, S)
        if mask is not None:
            scores = scores.masked_fill(~mask.unsqueeze(1), torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask.unsqueeze(1), 0.0)
        found = weights @ value  # (B, num_heads, T, d_k)
        return self.output(found.transpose(1, 2).flatten(2)), weights

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Attend to a memory, (B, S, d_model); in self-attention it is the query itself. See `look_up`."""
        return self.look_up(query, *self.keys_values(memory), mask)


class EncoderLayer(nn.Module):
    """Self-attention and a feed-forward network, each added to what it was given, with the norms in front (pre-norm).

    Args:
        d_model: Size of a position's vector.
        num_heads: Number of attention heads.
        d_ff: Size of the feed-forward network's hidden layer.
        dropout: The share of each sublayer's output that is dropped in training.
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0) -> None:
        """Make the parts; see the class for the arguments."""
        super().__init__()
        self.feed_forward = FeedForward(d_model, d_ff)
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(2))
        self.dropout = nn.Dropout(dropout)

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """Run the layer over all positions at once.

        Args:
            inputs: Shape (B, S, d_model).
            mask: Boolean, shape (B or 1, S or 1, S); True where a position may be attended to.

        Returns:
            Outputs, shape (B, S, d_model).
        """
        normed = self.norms[0](inputs)
        states = inputs + self.dropout(self.self_attention(normed, normed, mask)[0])
        return states + self.dropout(self.feed_forward(self.norms[1](states)))
