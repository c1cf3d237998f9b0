"""Whether the model with one vector is only unfinished: trained for twice as many steps; run by `make sweeps`."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from . import pictures

SETTINGS: dict[str, Any] = {**pictures.SETTINGS, "steps": 4800, "rates": [8e-3]}
"""The rate is the one that this model took in the chapter's sweep."""
VARIANTS = ("pooled",)
SEEDS = (0,)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant for longer and measure it; the table's row, and no weights."""
    (rate,) = SETTINGS["rates"]
    model, found = pictures.train_one(variant, seed, rate, SETTINGS["steps"])
    return {"rate": rate, **found, **pictures.measure(model)}, {}
