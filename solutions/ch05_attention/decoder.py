"""A recurrent decoder that looks back at the source for every word it writes."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class AttentionDecoder(nn.Module):
    """Predict each next target word from the decoder's state and what it attends to.

    The order is that of Luong et al. (2015): the state s_t is computed first and is the
    query; then o_t = W_o tanh(W_c [c_t; s_t] + b_c) + b_o are the logits of word t.

    Args:
        vocab_size: Number of target words, V.
        embed_dim: Size of a word's embedding.
        hidden_size: Size of the state s_t, H.
        memory_size: Size of one memory vector, M.
        attention: Takes queries (B, T, H), the memory (B, S, M) and a mask (B, 1, S);
            returns the context (B, T, M) and the weights (B, T, S).
    """

    def __init__(
        self,
        vocab_size: int,
        embed_dim: int,
        hidden_size: int,
        memory_size: int,
        attention: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]],
    ) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_size, batch_first=True)
        self.combine = nn.Linear(memory_size + hidden_size, hidden_size)
        self.output = nn.Linear(hidden_size, vocab_size)
        self.attention = attention

    def forward(
        self,
        tokens: Tensor,
        state: Tensor,
        memory: Tensor,
        mask: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Run over T words at once, as in training, or over one, as in translation.

        Args:
            tokens: Input words y_0 … y_{T-1}, shape (B, T).
            state: The state before the first of them, shape (1, B, H).
            memory: The encoder's states h_1 … h_S, shape (B, S, M).
            mask: Boolean, shape (B, S); True on real source words.

        Returns:
            Logits (B, T, V), attention weights (B, T, S), and the last state (1, B, H).
        """
        # 1. The states s_1 … s_T, (B, T, H), and the last one, (1, B, H).
        # 2. A context for each state, (B, T, M), and its weights, (B, T, S); the mask
        #    needs a query axis: (B, 1, S).
        # 3. Context and state side by side, the context first: (B, T, M + H).
        # 4. Through `combine`, tanh and `output`: (B, T, V).
        ### BEGIN SOLUTION
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        combined = torch.cat([context, states], dim=-1)
        logits = self.output(self.combine(combined).tanh())
        return logits, weights, state
        ### END SOLUTION
