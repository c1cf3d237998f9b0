"""A translator of `attention_worth` with four times as many steps, for one seed: what more training would still change. Run by `make sweeps`."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from seqlab.convergence import train_for
from seqlab.stored import load_table

from . import attention_worth

SETTINGS: dict[str, Any] = {"times": 4}
VARIANTS = ("last short",)
"""One of those of `attention_worth`."""
SEEDS = (0,)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant at the rate of its row in the other table, and translate the test pairs.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches.

    Returns:
        The table's row, and no weights.
    """
    [row] = [
        row
        for row in load_table("attention_worth")
        if (row["variant"], row["seed"]) == (variant, seed)
    ]
    training, steps = (
        attention_worth.begin(variant, seed),
        SETTINGS["times"] * row["steps"],
    )
    curve = train_for(
        training,
        peak=row["rate"],
        steps=steps,
        warm_up=attention_worth.SETTINGS["warm_up"],
    )
    found = {
        "rate": row["rate"],
        "steps": steps,
        "curve": curve,
        "held_out": min(curve),
    }
    corpus = attention_worth.corpus_of("short")
    measured = attention_worth.measure(training.model, corpus.test, corpus)
    return {**found, **measured}, {}
