"""Whether a model can tell left from right, with and without positions, measured while it is trained; run by `make sweeps`."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor

from seqlab.scenes import PictureBatch, Scenes, load_scenes
from seqlab.training import pick_device

from . import pictures
from ._shared import learn, percent

SETTINGS: dict[str, Any] = {
    **pictures.SETTINGS,
    "most_things": 2,
    "rates": [2e-3],
    "steps": 1_600,
    "every": 200,
    "test": 1_600,
}
"""The rate is the one that the encoder over patches took in the chapter's sweep."""
VARIANTS = ("with", "without")
"""The encoder over patches, with and without positions."""
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
    data = scenes()
    torch.manual_seed(seed)
    model = pictures.Captioner("patches", len(data.vocab)).to(pick_device())
    if variant == "without":
        model.encoder.register_buffer("positions", None)
    curve: list[float] = []

    def watch(done: int) -> None:
        if done % SETTINGS["every"] == 0:
            model.eval()
            curve.append(told_apart(model))
            model.train()

    (rate,), steps = SETTINGS["rates"], SETTINGS["steps"]
    loss = learn(model, data, seed, rate, steps, watch)
    return {
        "rate": rate,
        "steps": steps,
        "loss": loss,
        "asked": len(asked()[1]),
        "curve": [*curve, told_apart(model)],
    }, {}


@cache
def scenes() -> Scenes:
    """Scenes of one and two digits, composed once for all the runs of a process."""
    return load_scenes(
        train=SETTINGS["train"],
        test=SETTINGS["test"],
        most_things=SETTINGS["most_things"],
    )


@cache
def asked() -> tuple[PictureBatch, list[tuple[int, int, str]]]:
    """Test scenes of two digits side by side, each with two captions, and each caption's row, which of its words is *left* or *right*, and which it is."""
    data = scenes()
    sides = [
        scene
        for scene in data.test
        if len(scene.things) == 2
        and scene.things[0].place[0] == scene.things[1].place[0]
    ]
    batch = data.batch(
        [*sides, *sides],
        [scene.captions[i] for i in range(2) for scene in sides],
        pick_device(),
    )
    words = enumerate(caption.words for caption in batch.captions)
    return batch, [
        (row, at, word)
        for row, said in words
        for at, word in enumerate(said)
        if word in ("left", "right")
    ]


@torch.no_grad()
def told_apart(model: pictures.Captioner) -> float:
    """In which share of the captions the right word is the more likely one of the two, in percent."""
    batch, places = asked()
    memory, state = model.encode(batch.pictures)
    logits = model.step(batch.target_in, state, memory)[0]
    left, right = scenes().vocab.encode(("left", "right"))
    return percent(
        [
            bool(logits[row, at, left] > logits[row, at, right]) == (word == "left")
            for row, at, word in places
        ]
    )
