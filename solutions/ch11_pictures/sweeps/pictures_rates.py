"""One learning rate beyond the grid, for the models whose best rate lay at its edge; run by `make sweeps`.

Everything else is as in the tuning of the chapter's sweep: the seed, the number of steps, and what is measured.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from . import pictures

SETTINGS: dict[str, Any] = {
    **pictures.SETTINGS,
    "rates": {"grid": 16e-3, "pooled": 16e-3, "dense": 1e-3, "patches": 1e-3},
}
VARIANTS = ("grid", "pooled", "dense", "patches")
SEEDS = (pictures.SETTINGS["tuning_seed"],)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant for as long as in tuning; the table's row, and no weights."""
    rate = SETTINGS["rates"][variant]
    return {
        "rate": rate,
        **pictures.train_one(variant, seed, rate, SETTINGS["tuning_steps"])[1],
    }, {}
