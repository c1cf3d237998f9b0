"""Sequence to sequence."""

ORDER = (
    "sequence_log_prob",
    "encoder",
    "decoder",
    "shift_right",
    "masked_cross_entropy",
    "greedy_decode",
    "residual_stack",
)
