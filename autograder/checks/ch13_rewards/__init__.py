"""The checks of the chapter on rewards that a program checks."""

ORDER = (
    "policy_gradient_loss",
    "group_advantages",
    "clipped_ratio_loss",
    "kl_estimate",
    "pass_at_k",
    "majority_vote",
)
