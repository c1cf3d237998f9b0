"""A translator of `attention_worth` with four times as many steps, for one seed: what more training would still change. Run by `make sweeps`."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from seqlab.convergence import train_longer
from seqlab.stored import load_table

from . import attention_worth

SETTINGS: dict[str, Any] = {"times": 4}
VARIANTS = ("last",)
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
    rows = load_table("attention_worth")
    model, found = train_longer(
        attention_worth.begin,
        rows,
        variant,
        seed,
        SETTINGS["times"],
        attention_worth.SETTINGS,
    )
    corpus = attention_worth.corpus()
    measured = attention_worth.measure(model, corpus.test, corpus)
    return {**found, **measured}, {}
