"""The Transformer's encoder on torch's own layers: the chapter on self-attention builds its parts, and BERT is what it is trained for."""

from __future__ import annotations

from torch import Tensor, nn


class Encoder(nn.Module):
    """A stack of layers, each with self-attention and a feed-forward network, both followed by a normalisation as in BERT.

    Devlin et al. (2019): post-norm, GELU, and nothing after the last layer.

    Args:
        d_model: Size of the vector at each position.
        num_heads: Number of attention heads, of size `d_model / num_heads` each.
        d_ff: Size of the hidden layer of each feed-forward network.
        num_layers: Number of layers.
        dropout: The dropout probability in training, for the attention weights and for the output of each part.
        eps: What layer normalisation adds to the variance.
    """

    def __init__(
        self, d_model: int, num_heads: int, d_ff: int, num_layers: int, dropout: float = 0.1, eps: float = 1e-12
    ) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        layers = [
            nn.TransformerEncoderLayer(
                d_model,
                num_heads,
                d_ff,
                dropout,
                activation="gelu",
                layer_norm_eps=eps,
                batch_first=True,
                norm_first=False,
            )
            for _ in range(num_layers)
        ]
        self.layers = nn.ModuleList(layers)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Let every position look at every word.

        Args:
            states: One vector for each position, shape (B, S, d_model).
            mask: True where there is a word, shape (B, S); torch's layers expect the opposite.

        Returns:
            The states after the last layer, shape (B, S, d_model).
        """
        for layer in self.layers:
            states = layer(states, src_key_padding_mask=~mask)
        return states
