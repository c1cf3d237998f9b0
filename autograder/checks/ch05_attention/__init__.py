"""Attention and its variants."""

ORDER = (
    "masked_softmax",
    "attend",
    "multiplicative_scores",
    "additive_scores",
    "scaled_scores",
    "attention_decoder",
    "hard_alignment",
    "alignment_error_rate",
    "causal_mask",
    "attend_to_past",
)
