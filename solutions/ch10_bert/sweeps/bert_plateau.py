"""How long the loss stays on its plateau, with short sentences or long ones and with 32 pairs a step or 16: run by `make sweeps`, plotted in the chapter.

Each of the four reads as many pairs. Each is trained at both learning rates, so that none is judged by a rate that only suits another.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from seqlab.pretraining import warm_up
from seqlab.training import pick_device

from ._shared import FAR, LONG, SHORT, documents_of, masked_batches, measure, pretrain

SETTINGS: dict[str, Any] = {
    "read_pairs": 40_000,
    "warmup": 100,
    "hidden_share": 0.3,
    "rates": {"slow": 1e-3, "fast": 2e-3},
    "measured_pairs": 800,
}
VARIANTS = tuple(
    f"{length} {pairs} {rate}"
    for length in ("short", "long")
    for pairs in (32, 16)
    for rate in ("slow", "fast")
)
"""Sentences of at most `SHORT` or `LONG` pieces, pairs a step, and the learning rate."""
SEEDS = (0, 1, 2)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train on so many pairs, at a rate that stays.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights, of the pairs and of the masks.

    Returns:
        The table's row, with the largest share of a head at another place than its own for each point of the curve, and no weights.
    """
    device = pick_device()
    length, pairs, rate = variant.split()
    documents = documents_of("train", {"short": SHORT, "long": LONG}[length])
    model, row = pretrain(
        seed,
        masked_batches(documents, int(pairs), seed, SETTINGS["hidden_share"]),
        SETTINGS["read_pairs"] // int(pairs),
        warm_up(SETTINGS["rates"][rate], SETTINGS["warmup"]),
        device,
    )
    row["looks"] = [
        max(max(head[:FAR] + head[FAR + 1 :]) for head in heads)
        for heads in row["looks"]
    ]
    return row | measure(model, seed, SETTINGS["measured_pairs"], device), {}
