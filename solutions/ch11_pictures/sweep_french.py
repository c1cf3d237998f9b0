"""Whether the first word of a pair decides how the pair is misread: the chapter's model with French captions; run by `make sweeps`.

The pictures are those of the English sweep. In French the digit comes before its colour.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from . import sweep

NAME = "pictures_french"
SETTINGS: dict[str, Any] = sweep.SETTINGS
VARIANTS = ("french",)
SEEDS = sweep.SEEDS


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train the model on French captions and measure it as the English one; the table's row, and no weights."""
    return sweep.run(variant, seed)
