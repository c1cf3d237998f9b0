"""The chapter's model on scenes that are hard for a program, beside the scenes as they were, trained to convergence: run by `make sweeps`, plotted in the chapter.

Both kinds have the same digits, captions and numbers of scenes. The learning rate is tuned for each on a seed of its own.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import torch
from torch import Tensor

from seqlab.convergence import Training, train_at_best_rate
from seqlab.hard_scenes import harder
from seqlab.scene_captions import describes
from seqlab.scenes import Scenes
from seqlab.training import pick_device

from . import pictures
from ._shared import captions, percent

SETTINGS: dict[str, Any] = {
    "harder": {"spread": 2, "clutter": 2, "ground": 60, "noise": 20},
    "rates": [4e-3, 8e-3],
    "tuning_steps": 6000,
    "tuning_seed": 3,
    "steps": 6000,
    "most_steps": 12_000,
    "warm_up": 0.05,
}
VARIANTS = ("as they were", "harder")
SEEDS = (0, 1, 2)


@cache
def scenes(variant: str) -> Scenes:
    """The scenes of one variant, composed once for all the runs of a process."""
    data = pictures.scenes()
    if variant == "as they were":
        return data
    train, valid, test = (
        tuple(harder(part, **SETTINGS["harder"], seed=i))
        for i, part in enumerate((data.train, data.valid, data.test))
    )
    return replace(data, train=train, valid=valid, test=test)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train the model on one kind of scenes, and let it describe the test scenes.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the scenes are always the same.

    Returns:
        The table's row, and no weights. `exact` is the share of true captions in percent, and `exact_of` the same by number of digits.
    """
    model, found = train_at_best_rate(begin, variant, seed, SETTINGS)
    data = scenes(variant)
    true: dict[int, list[bool]] = {}
    for words, scene in zip(captions(model, data, data.test), data.test, strict=True):
        number = len(scene.things)
        true.setdefault(number, []).append(describes(words, scene.things))
    exact = {
        "exact": percent([each for some in true.values() for each in some]),
        "exact_of": {
            str(number): percent(some) for number, some in sorted(true.items())
        },
    }
    return found | exact, {}


def begin(variant: str, seed: int) -> Training:
    """Begin the training on one kind of scenes."""
    device, data = pick_device(), scenes(variant)
    torch.manual_seed(seed)
    model = pictures.Captioner("grid", len(data.vocab))
    held_out = [
        data.batch(data.valid, [scene.captions[i] for scene in data.valid], device)
        for i in range(2)
    ]
    return Training(
        model.to(device),
        lambda m, batch: m.loss(batch),
        data.batches(pictures.SETTINGS["batch_size"], seed, device),
        lambda m: sum(m.loss(batch).item() for batch in held_out) / len(held_out),
    )
