"""The whole GPT of `without` and the one without residual connections with four times as many steps, for one seed: what more training would still change. Run by `make sweeps`."""

from __future__ import annotations

from math import exp
from typing import Any

import torch
from torch import Tensor

from seqlab.convergence import train_longer
from seqlab.stored import load_table

from . import without

SETTINGS: dict[str, Any] = {"times": 4}
VARIANTS = ("whole", "no residuals")
SEEDS = (0,)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one network at the rate of its row in the other table and measure it on the test sentences; the table's row, and no weights."""
    rows = load_table("without")
    model, found = train_longer(
        without.begin, rows, variant, seed, SETTINGS["times"], without.SETTINGS
    )
    with torch.no_grad():
        perplexity = exp(without.held_out_loss(model, "test"))
    return {**found, "perplexity": round(perplexity, 3)}, {}
