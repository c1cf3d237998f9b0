"""Reference solutions of this chapter: the parts of the Transformer, from one product under a mask to a layer of the decoder."""

from .attention import scaled_dot_product_attention
from .caching import cached_decode
from .heads import MultiHeadAttention, merge_heads, split_heads
from .layers import DecoderLayer, EncoderLayer
from .losses import label_smoothed_loss
from .norms import LayerNorm
from .positions import positional_encoding, shift_matrix
from .schedules import warmup_schedule

__all__ = [
    "DecoderLayer",
    "EncoderLayer",
    "LayerNorm",
    "MultiHeadAttention",
    "cached_decode",
    "label_smoothed_loss",
    "merge_heads",
    "positional_encoding",
    "scaled_dot_product_attention",
    "shift_matrix",
    "split_heads",
    "warmup_schedule",
]
