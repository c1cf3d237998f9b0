"""What the chapter's smaller sweeps share: a model is trained on some pictures and writes captions of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from seqlab.models import greedy_translate
from seqlab.scenes import PictureBatch, Scene, Scenes
from seqlab.training import pick_device, train

from .pictures import SETTINGS, Captioner


def learn(
    model: Captioner,
    data: Scenes,
    seed: int,
    rate: float,
    steps: int,
    watch: Callable[[int], None] | None = None,
) -> float:
    """Train a model as the chapter's is, with a learning rate that decays to zero.

    Args:
        model: The model, on its device; its weights change in place.
        data: The pictures.
        seed: Of the order of the batches.
        rate: The first learning rate.
        steps: How many updates.
        watch: Called before each step with the number of steps that have been made; it leaves the model in training mode.

    Returns:
        The mean training loss of the last 100 steps.
    """
    done = 0

    def loss_of(model: Captioner, batch: PictureBatch) -> Tensor:
        nonlocal done
        if watch is not None:
            watch(done)
        done += 1
        return model.loss(batch)

    batches = data.batches(SETTINGS["batch_size"], seed, pick_device())
    losses = train(model, loss_of, batches, steps=steps, learning_rate=rate)
    return round(sum(losses[-100:]) / len(losses[-100:]), 4)


@torch.no_grad()
def captions(model: Captioner, data: Scenes, some: Sequence[Scene]) -> list[list[str]]:
    """A caption for each of some pictures, always the most likely word next."""
    device = next(model.parameters()).device
    written: list[list[str]] = []
    for start in range(0, len(some), 200):
        memory, state = model.encode(
            data.batch(some[start : start + 200], device=device).pictures
        )

        def step(
            word: Tensor, state: Tensor, memory: Tensor = memory
        ) -> tuple[Tensor, Tensor]:
            logits, _, state = model.step(word, state, memory)
            return logits, state

        written += greedy_translate(step, state, data.vocab, max_words=40)
    return written


def percent(hits: Sequence[bool]) -> float:
    """Which share of some is true, in percent."""
    return round(100 * sum(hits) / len(hits), 2)
