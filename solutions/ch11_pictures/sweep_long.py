"""Whether models are only unfinished: two of them trained for twice as many steps; run by `make sweeps`."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from . import sweep

NAME = "pictures_long"
RATES = {"pooled": 8e-3, "grid": 8e-3}
"""The rates that these models took in the chapter's sweep."""
SETTINGS: dict[str, Any] = {**sweep.SETTINGS, "steps": 4800, "rates": RATES}
VARIANTS = tuple(RATES)
SEEDS = (0,)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant for longer and measure it; the table's row, and no weights."""
    model, found = sweep.train_one(variant, seed, RATES[variant], SETTINGS["steps"])
    return {"rate": RATES[variant], **found, **sweep.measure(model)}, {}
