"""The networks of `gpt_long` with twice as many steps, for one seed: what more training would still change. Run by `make sweeps`."""

from __future__ import annotations

from math import exp
from typing import Any

from torch import Tensor

from seqlab.convergence import train_longer
from seqlab.stored import load_table

from . import gpt_long

SETTINGS: dict[str, Any] = {"times": 2}
VARIANTS = gpt_long.VARIANTS
SEEDS = (0,)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one network at the rate of its row in the other table and measure it on the test speeches; the table's row, and no weights."""
    rows = load_table("gpt_long")
    model, found = train_longer(
        gpt_long.begin, rows, variant, seed, SETTINGS["times"], gpt_long.SETTINGS
    )
    perplexity = exp(gpt_long.loss_on(model, "test"))
    return {**found, "perplexity": round(perplexity, 2)}, {}
