"""Whether the models that learn least are only slow: trained for twice as many steps, one at a lower rate; run by `make sweeps`."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from . import sweep

NAME = "pictures_slow"
RATES = {"once": 4e-3, "dense": 1e-3}
"""The rate that `once` took in the chapter's sweep; `dense` took the lowest there, and has half of that here."""
SETTINGS: dict[str, Any] = {**sweep.SETTINGS, "steps": 4800, "rates": RATES}
VARIANTS = tuple(RATES)
SEEDS = (0,)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant for longer and measure it; the table's row, and no weights."""
    model, found = sweep.train_one(variant, seed, RATES[variant], SETTINGS["steps"])
    return {"rate": RATES[variant], **found, **sweep.measure(model)}, {}
