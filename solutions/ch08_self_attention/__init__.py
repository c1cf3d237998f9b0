"""Reference solutions of this chapter: self-attention, from one product under a mask to a layer of the encoder."""

from .attention import scaled_dot_product_attention
from .heads import MultiHeadAttention, merge_heads, split_heads
from .layers import EncoderLayer
from .norms import LayerNorm
from .positions import positional_encoding, shift_matrix

__all__ = [
    "EncoderLayer",
    "LayerNorm",
    "MultiHeadAttention",
    "merge_heads",
    "positional_encoding",
    "scaled_dot_product_attention",
    "shift_matrix",
    "split_heads",
]
