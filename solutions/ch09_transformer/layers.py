"""The layer from which the decoder's stack is built."""

from torch import Tensor, nn


class DecoderLayer(nn.Module):
    """Let target positions attend to earlier ones and to the source, then process both.

    The layer has three sublayers: self-attention over the target, cross-attention to
    the encoder's outputs, and feed-forward. Residual, dropout and norm are placed as in
    the encoder layer.

    Args:
        self_attention: Takes queries, a memory and a mask; returns the output, which
            has the shape of the queries, and the weights.
        cross_attention: The same.
        feed_forward: Takes and returns (B, T, d_model).
        norms: Three modules that take and return (B, T, d_model): for self-attention,
            for cross-attention and for feed-forward.
        dropout: The probability with which components of each sublayer's output are
            dropped in training.
        pre_norm: Whether the norm is before the sublayer (True) or after the sum
            (False).
    """

    def __init__(
        self,
        self_attention: nn.Module,
        cross_attention: nn.Module,
        feed_forward: nn.Module,
        norms: list[nn.Module],
        dropout: float = 0.0,
        pre_norm: bool = True,
    ) -> None:
        """Keep the parts; see the class for the arguments."""
        super().__init__()
        self.self_attention = self_attention
        self.cross_attention = cross_attention
        self.feed_forward = feed_forward
        self.norms = nn.ModuleList(norms)
        self.dropout = nn.Dropout(dropout)
        self.pre_norm = pre_norm

    def forward(
        self, inputs: Tensor, memory: Tensor, target_mask: Tensor, source_mask: Tensor
    ) -> Tensor:
        """Run the layer over all target positions at once, as in training.

        Args:
            inputs: Shape (B, T, d_model).
            memory: The encoder's outputs, shape (B, S, d_model). The encoder's stack
                has already normalised them; do not normalise them again here.
            target_mask: Boolean, shape (1, T, T) or (B, T, T); True where a target
                position may attend to a target position.
            source_mask: Boolean, shape (B, 1, S); True on real source words.

        Returns:
            Outputs, shape (B, T, d_model).
        """
        # 1. A sublayer over the target itself: (B, T, d_model), with residual, dropout
        #    and norm as in the encoder layer.
        # 2. A sublayer in which the target attends to the memory, with its own norm.
        # 3. Feed-forward, with the third norm.
        ### BEGIN SOLUTION
        if self.pre_norm:
            normed = self.norms[0](inputs)
            states = inputs + self.dropout(
                self.self_attention(normed, normed, target_mask)[0]
            )
            states = states + self.dropout(
                self.cross_attention(self.norms[1](states), memory, source_mask)[0]
            )
            return states + self.dropout(self.feed_forward(self.norms[2](states)))
        states = self.norms[0](
            inputs + self.dropout(self.self_attention(inputs, inputs, target_mask)[0])
        )
        states = self.norms[1](
            states + self.dropout(self.cross_attention(states, memory, source_mask)[0])
        )
        return self.norms[2](states + self.dropout(self.feed_forward(states)))
        ### END SOLUTION
