"""Whether a model can tell left from right, with and without positions, measured while it is trained; run by `make sweeps`."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor

from seqlab.scenes import PictureBatch, load_scenes
from seqlab.training import pick_device

from . import sweep
from .sweeping import learn, percent

NAME = "pictures_places"
SETTINGS: dict[str, Any] = {
    **sweep.SETTINGS,
    "rates": {"grid": 8e-3, "patches": 2e-3},
    "steps": 800,
    "every": 100,
    "test": 2_400,
}
VARIANTS = ("patches", "patches without", "grid without")
"""The encoder over patches, with and without positions, and the chapter's convolutions without."""
SEEDS = (0, 1, 2)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant, and ask again and again for the one word, *left* or *right*.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the scenes are always the same.

    Returns:
        The table's row, and no weights. `curve` has, before training, after every so many steps and at the end, the share of test captions of
        two digits side by side in which the model, given the words before it, finds the right one of *left* and *right* more likely, in percent.
    """
    kind, _, without = variant.partition(" ")
    data, device = sweep.scenes(), pick_device()
    torch.manual_seed(seed)
    model = sweep.Captioner(kind, len(data.vocab)).to(device)
    if without:
        setattr(model.encoder, "positions", None if kind == "patches" else no_places)  # noqa: B010
    curve: list[float] = []

    def watch(done: int) -> None:
        if done % SETTINGS["every"] == 0:
            model.eval()
            curve.append(told_apart(model))
            model.train()

    rate, steps = SETTINGS["rates"][kind], SETTINGS["steps"]
    loss = learn(model, data, seed, rate, steps, watch)
    return {
        "rate": rate,
        "steps": steps,
        "loss": loss,
        "asked": len(asked()[1]),
        "curve": [*curve, told_apart(model)],
    }, {}


def no_places(height: int, width: int, channels: int) -> Tensor:
    """The same encoding for every cell: none."""
    return torch.zeros(height * width, channels)


@cache
def asked() -> tuple[PictureBatch, list[tuple[int, int, str]]]:
    """Test scenes of two digits side by side, each with two captions, and each caption's row, which of its words is *left* or *right*, and which it is."""
    made = load_scenes(train=1, valid=0, test=SETTINGS["test"], most_things=SETTINGS["most_things"])
    sides = [
        scene for scene in made.test if len(scene.things) == 2 and scene.things[0].place[0] == scene.things[1].place[0]
    ]
    batch = sweep.scenes().batch(
        [*sides, *sides], [scene.captions[i] for i in range(2) for scene in sides], pick_device()
    )
    words = enumerate(caption.words for caption in batch.captions)
    return batch, [(row, at, word) for row, said in words for at, word in enumerate(said) if word in ("left", "right")]


@torch.no_grad()
def told_apart(model: sweep.Captioner) -> float:
    """In which share of the captions the right word is the more likely one of the two, in percent."""
    batch, places = asked()
    memory, state = model.encode(batch.pictures)
    logits = model.step(batch.target_in, state, memory)[0]
    left, right = sweep.scenes().vocab.encode(("left", "right"))
    return percent(
        [bool(logits[row, at, left] > logits[row, at, right]) == (word == "left") for row, at, word in places]
    )
