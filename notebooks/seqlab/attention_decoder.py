"""The decoder with attention, on torch's own layers: the chapter on attention builds it, later ones give it another memory."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class KeyedAttention(nn.Module):
    """The scaled dot product with learned keys, the score that the chapter on attention trains with.

    Args:
        query_size: Size of a query, and of a key.
        memory_size: Size of a memory vector.
    """

    def __init__(self, query_size: int, memory_size: int) -> None:
        """Make the weights; see the class for the arguments."""
        super().__init__()
        self.to_key = nn.Linear(memory_size, query_size, bias=False)

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Look up: (B, T, d), (B, S, M), (B, 1, S) -> context (B, T, M) and weights (B, T, S)."""
        scores = query @ self.to_key(memory).transpose(1, 2) / query.shape[-1] ** 0.5
        weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(~mask, 0.0)
        return weights @ memory, weights


class AttentionDecoder(nn.Module):
    """Predict each next target word from the decoder's state and what it attends to, in Luong's order.

    Args:
        vocab_size: Number of target words, V.
        embed_dim: Size of a word's embedding.
        hidden_size: Size of the state, H.
        memory_size: Size of one memory vector, M.
    """

    def __init__(self, vocab_size: int, embed_dim: int, hidden_size: int, memory_size: int) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_size, batch_first=True)
        self.combine = nn.Linear(memory_size + hidden_size, hidden_size)
        self.output = nn.Linear(hidden_size, vocab_size)
        self.attention = KeyedAttention(hidden_size, memory_size)

    def forward(self, tokens: Tensor, state: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Run over T words.

        Args:
            tokens: Input words, shape (B, T).
            state: The state before the first of them, shape (1, B, H).
            memory: What may be attended to, shape (B, S, M).
            mask: Boolean, shape (B, S); True where it may.

        Returns:
            Logits (B, T, V), attention weights (B, T, S), and the last state (1, B, H).
        """
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        logits = self.output(self.combine(torch.cat([context, states], dim=-1)).tanh())
        return logits, weights, state
