"""The layer from which a stack of self-attention is built: attention, then a feed-forward network."""

from torch import Tensor, nn


class EncoderLayer(nn.Module):
    """Let every position attend to all others, then transform each position separately.

    The layer has two sublayers, self-attention and feed-forward, each with a residual
    connection: x + dropout(sublayer(norm(x))) in pre-norm, norm(x +
    dropout(sublayer(x))) in post-norm, as in Vaswani et al. (2017).

    Args:
        self_attention: Takes queries (B, S, d_model), a memory (B, S, d_model) and a
            mask (B, 1, S); returns the output (B, S, d_model) and the weights.
        feed_forward: Takes and returns (B, S, d_model).
        norms: Two modules that take and return (B, S, d_model): the first for
            self-attention, the second for feed-forward.
        dropout: The probability with which components of each sublayer's output are
            dropped in training.
        pre_norm: Whether the norm is before the sublayer (True) or after the sum
            (False).
    """

    def __init__(
        self,
        self_attention: nn.Module,
        feed_forward: nn.Module,
        norms: list[nn.Module],
        dropout: float = 0.0,
        pre_norm: bool = True,
    ) -> None:
        """Keep the parts; see the class for the arguments."""
        super().__init__()
        self.self_attention = self_attention
        self.feed_forward = feed_forward
        self.norms = nn.ModuleList(norms)
        self.dropout = nn.Dropout(dropout)
        self.pre_norm = pre_norm

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """Run the layer over all positions at once.

        Args:
            inputs: Shape (B, S, d_model).
            mask: Boolean, shape (B, 1, S); True on real words.

        Returns:
            Outputs, shape (B, S, d_model).
        """
        # 1. In pre-norm: self-attention of the normalised inputs, with the mask:
        #    (B, S, d_model). Apply dropout to its output and add it to the inputs,
        #    without the norm. Apply the second norm, feed_forward and dropout to this
        #    sum, and add the result to the sum.
        # 2. In post-norm: apply the same two sublayers without a norm before them, and
        #    apply the norm to each sum instead.
        ### BEGIN SOLUTION
        if self.pre_norm:
            normed = self.norms[0](inputs)
            states = inputs + self.dropout(self.self_attention(normed, normed, mask)[0])
            return states + self.dropout(self.feed_forward(self.norms[1](states)))
        states = self.norms[0](
            inputs + self.dropout(self.self_attention(inputs, inputs, mask)[0])
        )
        return self.norms[1](states + self.dropout(self.feed_forward(states)))
        ### END SOLUTION
