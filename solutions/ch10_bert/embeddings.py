"""The inputs of BERT's encoder: one vector for each piece, the sum of three."""

import torch
from torch import Tensor, nn


class BertEmbeddings(nn.Module):
    """Encode a piece, its position and its segment in one vector.

    Each of the three is looked up in a learned table (Devlin et al., 2019):
    x_i = dropout(norm(E[token_i] + P[i] + G[segment_i])).

    Args:
        vocab_size: Number of pieces, V.
        d_model: Size of a vector.
        max_length: The length of the longest sequence, and so the number of positions.
        dropout: The probability with which components are set to zero in training.
        eps: The number that the norm adds to the variance.
    """

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        max_length: int,
        dropout: float = 0.1,
        eps: float = 1e-12,
    ) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.position = nn.Embedding(max_length, d_model)
        self.segment = nn.Embedding(2, d_model)
        self.norm = nn.LayerNorm(d_model, eps=eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tensor, segments: Tensor) -> Tensor:
        """Embed a batch of sequences.

        Args:
            tokens: Ids of the pieces, shape (B, S), S at most max_length.
            segments: 0 in the first sentence, 1 in the second, shape (B, S). Both may
                be parts of larger tensors.

        Returns:
            One vector for each position, shape (B, S, d_model).
        """
        # 1. The positions 0 … S-1, created on the tokens' device: (S,).
        # 2. The sum of the three vectors at each position: (B, S, d_model).
        # 3. Apply `norm`, then `dropout`.
        ### BEGIN SOLUTION
        places = torch.arange(tokens.shape[1], device=tokens.device)
        states = self.token(tokens) + self.position(places) + self.segment(segments)
        return self.dropout(self.norm(states))
        ### END SOLUTION
