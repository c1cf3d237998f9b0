"""Rows of handwritten digits, read out as French number words by the chapter's model; run by `make sweeps`."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import torch
from torch import Tensor

from seqlab.number_rows import load_number_rows
from seqlab.scenes import Scenes, handwriting, split_digits
from seqlab.training import pick_device

from . import pictures
from ._shared import captions, learn, percent

SETTINGS: dict[str, Any] = {
    **pictures.SETTINGS,
    "train": 4_000,
    "steps": 1_500,
    "rates": [8e-3],
    "test": 1_000,
}
"""The rate is that of the chapter's model; it was not tuned again."""
VARIANTS = ("grid",)
SEEDS = (0, 1, 2)


@cache
def rows() -> Scenes:
    """The rows, composed once for all the runs of a process."""
    return load_number_rows(train=SETTINGS["train"], test=SETTINGS["test"])


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train the model on rows and count the numbers that it reads right.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the rows are always the same.

    Returns:
        The table's row, and the weights of the first seed. `seen` and `unseen` are the shares of rows that are read right in every word, in
        percent, of numbers that were in training and of others; `_frequent` is the same for the answer that is most frequent in training.
        `nearest` is the share of held-out images of digits whose nearest image to learn from is of the same digit.
    """
    data = rows()
    torch.manual_seed(seed)
    model = pictures.Captioner("grid", len(data.vocab)).to(pick_device())
    loss = learn(model, data, seed, SETTINGS["rates"][0], SETTINGS["steps"])
    ((frequent, _),) = Counter(row.references[0] for row in data.train).most_common(1)
    found: dict[str, Any] = {
        "rate": SETTINGS["rates"][0],
        "steps": SETTINGS["steps"],
        "loss": loss,
    }
    for name, some in (("seen", data.test), ("unseen", data.unseen)):
        written = captions(model, data, some)
        found[name] = percent(
            [
                tuple(words) in row.references
                for words, row in zip(written, some, strict=True)
            ]
        )
        found[f"{name}_frequent"] = percent(
            [frequent in row.references for row in some]
        )
    return found | {"nearest": nearest()}, model.state_dict() if seed == SEEDS[
        0
    ] else {}


@cache
def nearest() -> float:
    """How good a classifier of single digits is that knows the images to learn from by heart, in percent of the images for the tests."""
    images, digits = handwriting()
    learnt, _, held_out = (
        [image for images in part for image in images] for part in split_digits(0)
    )
    closest = torch.cdist(
        images[held_out].flatten(1), images[learnt].flatten(1)
    ).argmin(dim=1)
    return percent((digits[learnt][closest] == digits[held_out]).tolist())
