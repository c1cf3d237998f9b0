"""Scenes of one to four digits, described by the chapter's model; run by `make sweeps`.

Everything but the scenes and the captions is as in the chapter's sweep, and so are the learning rates.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor

from seqlab.scene_captions import describes
from seqlab.scenes import Scenes, load_scenes
from seqlab.training import pick_device

from . import pictures
from ._shared import captions, learn, percent

SETTINGS: dict[str, Any] = {
    **pictures.SETTINGS,
    "most_things": 4,
    "rates": [8e-3],
    "test": 800,
}
"""The rate is the one that both models took in the chapter's sweep."""
VARIANTS = ("grid",)
SEEDS = (0, 1, 2)


@cache
def scenes() -> Scenes:
    """The scenes, composed once for all the runs of a process."""
    return load_scenes(
        train=SETTINGS["train"],
        test=SETTINGS["test"],
        most_things=SETTINGS["most_things"],
    )


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant on scenes of one to four digits; the table's row, with the share of true captions by number of digits, and no weights."""
    data, (rate,) = scenes(), SETTINGS["rates"]
    torch.manual_seed(seed)
    model = pictures.Captioner(variant, len(data.vocab)).to(pick_device())
    loss = learn(model, data, seed, rate, SETTINGS["steps"])
    true: dict[int, list[bool]] = {
        number: [] for number in range(1, SETTINGS["most_things"] + 1)
    }
    for words, scene in zip(captions(model, data, data.test), data.test, strict=True):
        true[len(scene.things)].append(describes(words, scene.things))
    exact_of = {str(number): percent(found) for number, found in true.items()}
    return {
        "rate": rate,
        "steps": SETTINGS["steps"],
        "loss": loss,
        "exact_of": exact_of,
    }, {}
