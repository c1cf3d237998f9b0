"""The layers from which the two stacks of a Transformer are built: look around, look across, then think."""

from torch import Tensor, nn


class EncoderLayer(nn.Module):
    """Let every position look at all others, then think about what it saw.

    The layer has two sublayers, self-attention and feed-forward. Around each there is a residual:
    x + dropout(sublayer(norm(x))) in pre-norm, norm(x + dropout(sublayer(x))) in post-norm, as in
    Vaswani et al. (2017).

    Args:
        self_attention: Takes queries (B, S, d_model), a memory (B, S, d_model) and a mask (B, 1, S);
            returns the output (B, S, d_model) and the weights.
        feed_forward: Takes and returns (B, S, d_model).
        norms: Two, each takes and returns (B, S, d_model): the first for self-attention, the second
            for feed-forward.
        dropout: The share of each sublayer's output that is dropped in training.
        pre_norm: Whether the norm stands in front of the sublayer, or behind the sum.
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
        # 1. In pre-norm: the inputs, normed, look at themselves under the mask: (B, S, d_model).
        #    Through dropout, and onto the inputs as they were before the norm.
        #    The sum so far, normed by the second norm, through feed_forward and dropout, and onto
        #    the sum.
        # 2. In post-norm: the same two sublayers without a norm in front; each sum is normed instead.
        ### BEGIN SOLUTION
        if self.pre_norm:
            normed = self.norms[0](inputs)
            states = inputs + self.dropout(self.self_attention(normed, normed, mask)[0])
            return states + self.dropout(self.feed_forward(self.norms[1](states)))
        states = self.norms[0](inputs + self.dropout(self.self_attention(inputs, inputs, mask)[0]))
        return self.norms[1](states + self.dropout(self.feed_forward(states)))
        ### END SOLUTION


class DecoderLayer(nn.Module):
    """Let every target position look back, then at the source, then think.

    The layer has three sublayers: self-attention over the target, cross-attention to the encoder's
    outputs, and feed-forward. Residual, dropout and norm stand as in the encoder's layer.

    Args:
        self_attention: Takes queries, a memory and a mask; returns the output, of the queries'
            shape, and the weights.
        cross_attention: The same.
        feed_forward: Takes and returns (B, T, d_model).
        norms: Three, each takes and returns (B, T, d_model): for self-attention, for
            cross-attention and for feed-forward.
        dropout: The share of each sublayer's output that is dropped in training.
        pre_norm: Whether the norm stands in front of the sublayer, or behind the sum.
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

    def forward(self, inputs: Tensor, memory: Tensor, target_mask: Tensor, source_mask: Tensor) -> Tensor:
        """Run the layer over all target positions at once, as in training.

        Args:
            inputs: Shape (B, T, d_model).
            memory: The encoder's outputs, shape (B, S, d_model). They are normed where they come
                from, and not again here.
            target_mask: Boolean, shape (1, T, T) or (B, T, T); True where a target position may
                look at a target position.
            source_mask: Boolean, shape (B, 1, S); True on real source words.

        Returns:
            Outputs, shape (B, T, d_model).
        """
        # 1. A sublayer over the target itself: (B, T, d_model), its residual, dropout and norm as in
        #    the encoder's layer.
        # 2. A sublayer in which the target asks and the memory answers, with its own norm.
        # 3. Feed-forward, with the third norm.
        ### BEGIN SOLUTION
        if self.pre_norm:
            normed = self.norms[0](inputs)
            states = inputs + self.dropout(self.self_attention(normed, normed, target_mask)[0])
            states = states + self.dropout(self.cross_attention(self.norms[1](states), memory, source_mask)[0])
            return states + self.dropout(self.feed_forward(self.norms[2](states)))
        states = self.norms[0](inputs + self.dropout(self.self_attention(inputs, inputs, target_mask)[0]))
        states = self.norms[1](states + self.dropout(self.cross_attention(states, memory, source_mask)[0]))
        return self.norms[2](states + self.dropout(self.feed_forward(states)))
        ### END SOLUTION
