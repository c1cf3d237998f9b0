"""Reference solutions of this chapter: what changed in the Transformer since 2017, four-bit weights, and byte-pair encoding."""

from .attention import GroupedQueryAttention
from .feed_forward import SwiGLU
from .norm import RMSNorm
from .pairs import merge_byte_pairs
from .quantization import dequantize_q4_1
from .rotary import rotate

__all__ = [
    "GroupedQueryAttention",
    "RMSNorm",
    "SwiGLU",
    "dequantize_q4_1",
    "merge_byte_pairs",
    "rotate",
]
