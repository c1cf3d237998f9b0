"""The decoder-only Transformer that the chapter on self-attention trains, and that later chapters build on.

Its layers are those of `seqlab.attention_layers`, so its weights fit the class that the chapter builds from the reader's own parts.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from seqlab.attention_layers import EncoderLayer, causal_mask, positional_encoding


class GPT(nn.Module):
    """Predict each next word from a stack of self-attention layers that see only the words so far.

    Pre-norm, with sines and cosines for the positions. It is called as `seqlab.language_model.LanguageModel` is, and has the same output
    layer, so that `next_word_loss` and `word_log_probs` accept either.

    Args:
        vocab_size: Number of words, V.
        d_model: Size of a position's vector; even.
        num_heads: Heads of each attention.
        num_layers: Number of layers.
        d_ff: Size of the feed-forward network's hidden layer; four times `d_model` where none is given.
        dropout: The share of each sublayer's output that is dropped in training.
    """

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int | None = None,
        dropout: float = 0.0,
    ) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        shape = (d_model, num_heads, d_ff or 4 * d_model, dropout)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList(EncoderLayer(*shape) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.AdaptiveLogSoftmaxWithLoss(d_model, vocab_size, cutoffs=[1000], div_value=4)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(self, words: Tensor, state: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Run over T words.

        Args:
            words: Their ids, shape (B, T).
            state: The words before them, shape (B, t), all of which are read again; none where none is given.

        Returns:
            The last vectors at the T words, shape (B, T, d_model), and the next state: all words so far, shape (B, t + T).
        """
        read = words if state is None else torch.cat([state, words], dim=1)
        length, size = read.shape[1], self.embedding.embedding_dim
        places = positional_encoding(length, size).to(self.embedding.weight)
        states = self.embedding(read) * size**0.5 + places
        mask = causal_mask(length, read.device).unsqueeze(0)  # (1, t + T, t + T)
        for layer in self.layers:
            states = layer(states, mask)
        return self.norm(states)[:, -words.shape[1] :], read
