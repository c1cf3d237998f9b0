"""What goes into BERT's encoder: one vector for each piece, made of three."""

import torch
from torch import Tensor, nn


class BertEmbeddings(nn.Module):
    """Say in one vector which piece stands at a place, where the place is and in which sentence.

    The three are learned tables of Devlin et al. (2019): x_i = dropout(norm(E[token_i] + P[i] + G[segment_i])).

    Args:
        vocab_size: Number of pieces, V.
        d_model: Size of a vector.
        max_length: The longest sequence that there are positions for.
        dropout: Share of the numbers that is set to zero in training.
        eps: What the norm adds to the variance.
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
            segments: 0 in the first sentence, 1 in the second, shape (B, S).

        Returns:
            One vector for each place, shape (B, S, d_model).
        """
        # 1. The places 0 … S-1, made on the tokens' device: (S,).
        # 2. The sum of the three vectors of each place: (B, S, d_model).
        # 3. Through `norm`, then through `dropout`.
        ### BEGIN SOLUTION
        places = torch.arange(tokens.shape[1], device=tokens.device)
        states = self.token(tokens) + self.position(places) + self.segment(segments)
        return self.dropout(self.norm(states))
        ### END SOLUTION
