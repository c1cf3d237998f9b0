"""How a speller of numbers is trained until flat, on batches that mix the lengths."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from seqlab.corpus import Batch, Corpus, Pair, make_batch
from seqlab.models import token_loss
from seqlab.until_flat import train_until_flat

from .seq2seq import LONGEST, Model, measure


def mixed_batches(
    pairs: tuple[Pair, ...],
    corpus: Corpus,
    batch_size: int,
    seed: int,
    device: torch.device,
) -> Iterator[Batch]:
    """Yield batches of pairs without end, in a new order in each epoch, with all lengths in one batch."""
    everything = make_batch(pairs, corpus, device)
    generator, order = random.Random(seed), list(range(len(pairs)))
    while True:
        generator.shuffle(order)
        for start in range(0, len(order), batch_size):
            rows = torch.tensor(order[start : start + batch_size], device=device)
            yield Batch(
                everything.source[rows],
                everything.source_mask[rows],
                everything.source_lengths[rows],
                everything.target_in[rows],
                everything.target_out[rows],
                everything.target_mask[rows],
                pairs=(),
            )


def learn(
    model: Model,
    corpus: Corpus,
    settings: dict[str, int],
    rate: float,
    seed: int,
    device: torch.device,
) -> dict[str, Any]:
    """Train a speller until its held-out loss is flat.

    Args:
        model: The untrained speller.
        corpus: The numbers.
        settings: A sweep's.
        rate: The first learning rate.
        seed: Of the order of the batches.
        device: Where the model is.

    Returns:
        The row: what `train_until_flat` returns, the held-out loss after every `look_every` steps, seconds of computing, and exact matches.
    """
    valid, done = make_batch(corpus.valid, corpus, device), 0
    curve: list[float] = []

    @torch.no_grad()
    def held_out_loss(model: Model) -> float:
        return token_loss(model(valid), valid).item()

    def loss_of(model: Model, batch: Batch) -> Tensor:
        nonlocal done
        if done and done % settings["look_every"] == 0:
            curve.append(round(held_out_loss(model), 4))
        done += 1
        return token_loss(model(batch), batch)

    start = time.process_time()
    found = train_until_flat(
        model,
        loss_of,
        mixed_batches(corpus.train, corpus, settings["batch_size"], seed, device),
        held_out_loss,
        learning_rate=rate,
        window=settings["window"],
        least_steps=settings["least_steps"],
        most_steps=settings["most_steps"],
    )
    seconds = round(time.process_time() - start, 1)
    exact = {
        name: share
        for name, share in measure(model, corpus, LONGEST["number"], device).items()
        if "exact" in name
    }
    return {**found, "seconds": seconds, **exact, "curve": curve}
