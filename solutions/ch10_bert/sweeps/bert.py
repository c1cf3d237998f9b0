"""BERT's pre-training over three seeds, and what it is worth for a task with few labels: run by `make sweeps`, plotted in this chapter.

The chapter trains the same model in the same way, for less time. What is stored was measured on the test speeches.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import Any

from torch import Tensor

from seqlab.pretraining import warm_up_then_decay
from seqlab.training import pick_device

from ._few_labels import SETTINGS as WAYS
from ._few_labels import compare
from ._shared import (
    SHORT,
    documents_of,
    masked_batches,
    measure,
    pretrain,
    shares_by_distance,
)

SETTINGS: dict[str, Any] = {
    "short_pairs": 32,
    "short_steps": 1000,
    "pairs": 16,
    "steps": 24_000,
    "warmup": 100,
    "hidden_share": 0.3,
    "learning_rate": 2e-3,
    "measured_pairs": 3200,
}
VARIANTS = ("pre",)
SEEDS = (0, 1, 2)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Pre-train, measure, and learn from few labels.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights, of the pairs and masks, and of the labels that are drawn; the speeches are always the same.

    Returns:
        The table's row, and the weights.
    """
    device, share, steps = pick_device(), SETTINGS["hidden_share"], SETTINGS["steps"]
    short = masked_batches(
        documents_of("train", SHORT), SETTINGS["short_pairs"], seed, share
    )
    long = masked_batches(documents_of("train"), SETTINGS["pairs"], seed, share)
    model, row = pretrain(
        seed,
        chain(islice(short, SETTINGS["short_steps"]), long),
        steps,
        warm_up_then_decay(SETTINGS["learning_rate"], SETTINGS["warmup"], steps),
        device,
    )
    row |= {
        "distances": shares_by_distance(model, device),
        **measure(model, seed, SETTINGS["measured_pairs"], device),
    }
    model.encoder = model.encoder.encoder  # type: ignore[assignment]
    row["few"], row["chosen"] = compare(model, seed, WAYS, device)
    return row, model.state_dict()
