"""Reference solutions of this chapter: from the softmax under a mask to a decoder that attends, and how well it aligns."""

from .alignment import alignment_error_rate, hard_alignment
from .attention import attend, masked_softmax
from .decoder import AttentionDecoder
from .past import attend_to_past, causal_mask
from .scores import additive_scores, multiplicative_scores, scaled_scores

__all__ = [
    "AttentionDecoder",
    "additive_scores",
    "alignment_error_rate",
    "attend",
    "attend_to_past",
    "causal_mask",
    "hard_alignment",
    "masked_softmax",
    "multiplicative_scores",
    "scaled_scores",
]
