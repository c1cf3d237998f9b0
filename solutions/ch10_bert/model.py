"""BERT for pre-training: one bidirectional encoder, and a head for each of the two tasks."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class BertForPreTraining(nn.Module):
    """Predict the masked pieces, and whether the second sentence follows the first.

    The word head's last matrix is the table of token embeddings E: logits =
    norm(gelu(transform(h))) Eᵀ + bias. The sentence head uses the first position only:
    logits = next_sentence(tanh(pooler(h_0))).

    Args:
        embeddings: Takes tokens and segments, (B, S) each; returns (B, S, d_model). Its
            `token` is an nn.Embedding of shape (V, d_model).
        encoder: Takes vectors (B, S, d_model) and a mask (B, S); returns the hidden
            states (B, S, d_model).
        d_model: Size of a hidden state.
        vocab_size: Number of pieces, V.
    """

    def __init__(
        self, embeddings: Any, encoder: nn.Module, d_model: int, vocab_size: int
    ) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        self.embeddings = embeddings
        self.encoder = encoder
        self.pooler = nn.Linear(d_model, d_model)
        self.next_sentence = nn.Linear(d_model, 2)
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(vocab_size))

    def encode(self, tokens: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """The hidden states h, (B, S, d_model), for the same arguments as `forward`."""
        states: Tensor = self.encoder(self.embeddings(tokens, segments), mask)
        return states

    def forward(
        self, tokens: Tensor, segments: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Compute logits of the pieces at each position, and of "not next" and "next".

        Args:
            tokens: Ids of the pieces, shape (B, S); the first of each row is [CLS].
            segments: 0 in the first sentence, 1 in the second, shape (B, S).
            mask: Boolean, shape (B, S); True on real pieces, False on padding.

        Returns:
            Logits of the pieces, (B, S, V), and of the pair, (B, 2): not the next
            sentence, the next sentence. B and S may be 1.
        """
        # 1. The hidden states: (B, S, d_model).
        # 2. Apply `transform`, gelu (the exact one) and `norm`: (B, S, d_model).
        # 3. The dot product of each with every row of the token embeddings, plus the
        #    bias: (B, S, V).
        # 4. Apply `pooler`, tanh and `next_sentence` to the state of the first
        #    position: (B, 2).
        ### BEGIN SOLUTION
        hidden = self.encode(tokens, segments, mask)
        transformed = self.norm(F.gelu(self.transform(hidden)))
        word_logits = transformed @ self.embeddings.token.weight.T + self.bias
        pooled = self.pooler(hidden[:, 0]).tanh()
        return word_logits, self.next_sentence(pooled)
        ### END SOLUTION
