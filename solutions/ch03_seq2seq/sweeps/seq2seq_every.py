"""The encoding given once or at every step, on numbers: with bucketed and with shuffled batches, for few steps and until flat.

After equally few steps, the decoder that is given the encoding at every step once spelled numbers of three digits far worse than
those of four. This table shows what that came from: the same training with batches in which the lengths are mixed, and how it ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from seqlab.corpus import Batch, Corpus, batches, make_batch
from seqlab.models import greedy_translate, token_loss
from seqlab.training import pick_device, train

from ._shared import learn, mixed_batches
from .seq2seq import LONGEST, Model, corpus_of, measure

SETTINGS = {
    "size": 64,
    "steps": 800,
    "rate": 0.004,
    "steps_batch_size": 32,
    "share_every": 20,
    "batch_size": 64,
    "window": 100,
    "least_steps": 800,
    "most_steps": 2000,
    "look_every": 50,
}
VARIANTS = (
    "once bucketed",
    "every bucketed",
    "once shuffled",
    "every shuffled",
    "once 0.004",
    "every 0.004",
)
"""How the encoding is given, and either how batches are made, for few steps, or the learning rate, shuffled and until flat."""
SEEDS = (0, 1, 2)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant and measure it on the held-out numbers.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the numbers are always the same.

    Returns:
        The table's row, and no weights.
    """
    kind, _, how = variant.partition(" ")
    corpus, device = corpus_of("number"), pick_device()
    torch.manual_seed(seed)
    model = Model(kind, corpus, int(SETTINGS["size"])).to(device)
    if how not in ("bucketed", "shuffled"):
        settings = {name: int(value) for name, value in SETTINGS.items()}
        return learn(model, corpus, settings, float(how), seed, device), {}
    drawn: Iterator[Batch]
    if how == "bucketed":
        drawn = batches(
            corpus.train,
            corpus,
            batch_size=int(SETTINGS["steps_batch_size"]),
            seed=seed,
            device=device,
        )
    else:
        drawn = mixed_batches(
            corpus.train, corpus, int(SETTINGS["steps_batch_size"]), seed, device
        )
    shares: list[float] = []
    done = 0

    def loss_of(model: Model, batch: Batch) -> Tensor:
        nonlocal done
        if done % int(SETTINGS["share_every"]) == 0:
            shares.append(share_of_thousands(model, corpus, device))
        done += 1
        return token_loss(model(batch), batch)

    losses = train(
        model,
        loss_of,
        drawn,
        steps=int(SETTINGS["steps"]),
        learning_rate=float(SETTINGS["rate"]),
    )
    row = {"steps": len(losses), "loss": round(sum(losses[-50:]) / 50, 4)}
    exact = measure(model, corpus, LONGEST["number"], device)
    row |= {name: share for name, share in exact.items() if "exact" in name}
    return {
        **row,
        "thousands": share_of_thousands(model, corpus, device),
        "curve": shares,
    }, {}


@torch.no_grad()
def share_of_thousands(model: Model, corpus: Corpus, device: torch.device) -> float:
    """The share of three-digit test numbers that are written with the word mille, in %."""
    batch = make_batch(
        [pair for pair in corpus.test if len(pair.source) == 3], corpus, device
    )
    state = model.encoder(batch.source, batch.source_lengths)

    def step(
        word: Tensor, state: Tensor, encoding: Tensor = state[-1]
    ) -> tuple[Tensor, Tensor]:
        logits, state = model.decoder(word, state, encoding)
        return logits, state

    written = greedy_translate(step, state, corpus.target_vocab, max_words=9)
    return round(100 * sum("mille" in words for words in written) / len(written), 2)
