"""Which half of an unseen pair is misread when the digit comes first: the chapter's model with French captions; run by `make sweeps`.

The pictures are those of the English sweep, and so is the learning rate.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from . import pictures

SETTINGS: dict[str, Any] = {**pictures.SETTINGS, "rates": [8e-3]}
VARIANTS = ("french",)
SEEDS = pictures.SEEDS


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train the model on French captions and measure it as the English one; the table's row, and no weights."""
    (rate,) = SETTINGS["rates"]
    model, found = pictures.train_one(variant, seed, rate, SETTINGS["steps"])
    return {"rate": rate, **found, **pictures.measure(model)}, {}
