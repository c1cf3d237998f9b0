"""What becomes of the chosen pieces, and how many are chosen, judged after fine-tuning: run by `make sweeps`, plotted in the chapter.

Pre-trainings that are shorter than the chapter's, and otherwise like it.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import Any

from torch import Tensor

from seqlab.pretraining import warm_up_then_decay
from seqlab.training import pick_device

from ._few_labels import compare
from ._shared import SHORT, documents_of, masked_batches, measure, pretrain

SETTINGS: dict[str, Any] = {
    "short_pairs": 32,
    "short_steps": 1000,
    "pairs": 16,
    "steps": 3000,
    "warmup": 100,
    "learning_rate": 2e-3,
    "measured_pairs": 1600,
    "variants": {
        "80/10/10, 30": (0.3, False),
        "[MASK], 30": (0.3, True),
        "80/10/10, 15": (0.15, False),
    },
}
"""Of each variant the share of pieces that are chosen, and whether all of them become [MASK]."""
VARIANTS = ("80/10/10, 30", "[MASK], 30", "80/10/10, 15")
SEEDS = (0, 1, 2)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Pre-train, and learn from few labels with all weights and with a frozen encoder.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights, of the pairs and masks, and of the labels that are drawn.

    Returns:
        The table's row, and no weights.
    """
    device, steps = pick_device(), SETTINGS["steps"]
    share, always = SETTINGS["variants"][variant]
    short = masked_batches(
        documents_of("train", SHORT),
        SETTINGS["short_pairs"],
        seed,
        share,
        always=always,
    )
    long = masked_batches(
        documents_of("train"), SETTINGS["pairs"], seed, share, always=always
    )
    model, row = pretrain(
        seed,
        chain(islice(short, SETTINGS["short_steps"]), long),
        steps,
        warm_up_then_decay(SETTINGS["learning_rate"], SETTINGS["warmup"], steps),
        device,
    )
    row |= measure(model, seed, SETTINGS["measured_pairs"], device)
    del row["looks"]
    model.encoder = model.encoder.encoder  # type: ignore[assignment]
    row["few"], row["chosen"] = compare(
        model, seed, ("vectors", "frozen", "tuned"), device
    )
    return row, {}
