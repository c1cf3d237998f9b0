"""The networks of `gpt_long` with twice as many steps, for one seed: what more training would still change. Run by `make sweeps`."""

from __future__ import annotations

from math import exp
from typing import Any

from torch import Tensor

from seqlab.convergence import train_for
from seqlab.stored import load_table

from . import gpt_long

SETTINGS: dict[str, Any] = {"times": 2}
VARIANTS = gpt_long.VARIANTS
SEEDS = (0,)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one network at the rate of its row in the other table and measure it on the test speeches; the table's row, and no weights."""
    [row] = [
        row
        for row in load_table("gpt_long")
        if (row["variant"], row["seed"]) == (variant, seed)
    ]
    training, steps = gpt_long.begin(variant, seed), SETTINGS["times"] * row["steps"]
    curve = train_for(
        training,
        peak=row["rate"],
        steps=steps,
        warm_up=gpt_long.SETTINGS["warm_up"],
    )
    found = {
        "rate": row["rate"],
        "steps": steps,
        "curve": curve,
        "held_out": min(curve),
    }
    perplexity = exp(gpt_long.loss_on(training.model, "test"))
    return {**found, "perplexity": round(perplexity, 2)}, {}
