"""What `rewards_arms` leaves open: four times as many steps, other penalties on the KL divergence, and -1 instead of 0 for a wrong answer; run by `make sweeps`."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from . import rewards_arms

SETTINGS: dict[str, Any] = {"times": 4}
VARIANTS = (
    "group, longer",
    "none, longer",
    "distilled, longer",
    "minus",
    "group, KL 0.03",
    "group, KL 0.3",
)
"""Arms of `rewards_arms`; each has the rate that was tuned for it there, and "minus" one that is tuned in the same way."""
SEEDS = rewards_arms.SEEDS


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one GPT, and let it answer.

    Args:
        variant: One of `VARIANTS`.
        seed: Of that GPT and of all draws.

    Returns:
        The table's row, and no weights.
    """
    arm, _, how = variant.partition(", ")
    tuning = rewards_arms.tuned(arm)
    rate = max(tuning, key=lambda each: tuning[each])
    steps = rewards_arms.SETTINGS["steps"]
    if how == "longer":
        steps *= SETTINGS["times"]
    penalty = float(how.removeprefix("KL ")) if how.startswith("KL") else 0.0
    model, curve = rewards_arms.trained(arm, seed, seed, rate, penalty, steps)
    return {
        "rate": rate,
        "tuning": {
            str(each): round(share, 4) for each, share in sorted(tuning.items())
        },
        "steps": steps,
        "curve": curve,
        **rewards_arms.measured(model, seed),
    }, {}
