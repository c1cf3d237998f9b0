"""Whether models with one vector are only slower: the same models trained for twice as many steps; run by `make sweeps`."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from . import sweep

NAME = "pictures_long"
SETTINGS: dict[str, Any] = {**sweep.SETTINGS, "steps": 4800}
VARIANTS = ("dense", "pooled", "once", "grid")
SEEDS = (0,)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant for longer and measure it; the table's row, and no weights."""
    found, model = sweep.run_for(variant, seed, SETTINGS["steps"])
    return found | sweep.measure(model), {}
