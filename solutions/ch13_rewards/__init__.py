"""Reference solutions of this chapter: training on rewards that a program checks."""

from .losses import (
    clipped_ratio_loss,
    group_advantages,
    kl_estimate,
    policy_gradient_loss,
)
from .sampling import majority_vote, pass_at_k

__all__ = [
    "clipped_ratio_loss",
    "group_advantages",
    "kl_estimate",
    "majority_vote",
    "pass_at_k",
    "policy_gradient_loss",
]
