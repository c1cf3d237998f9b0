"""Supervised training on the preferred answers at three times the highest learning rate of the grid, where its best rate lay for two seeds of three; run by `make sweeps`."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from . import sweep_preferences as chosen

NAME = "post_supervised"
SETTINGS: dict[str, Any] = {"rate": 3e-3}
VARIANTS = ("preferred",)
SEEDS = chosen.SEEDS


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one tuned GPT on the preferred answers; the table's row, and no weights."""
    model, reference, rate = chosen.start(seed), chosen.start(seed), SETTINGS["rate"]
    chosen.trained(model, reference, variant, chosen.pairs_of(variant, seed), seed, rate)
    return {
        "rate": rate,
        "valid": round(chosen.share_right(model, chosen.prompts("valid"), seed), 4),
        **chosen.measured(model, reference, seed),
    }, {}
