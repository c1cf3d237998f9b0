"""Reference solutions of chapter 4: attention, from the softmax under a mask to a decoder."""

from .attention import attend, masked_softmax
from .decoder import AttentionDecoder

__all__ = ["AttentionDecoder", "attend", "masked_softmax"]
