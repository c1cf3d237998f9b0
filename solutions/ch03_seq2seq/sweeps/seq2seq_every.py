"""The encoding given once or at every step, on numbers: with bucketed and with shuffled batches, for few steps and to convergence.

After equally few steps, the decoder that is given the encoding at every step once spelled numbers of three digits far worse than
those of four. This table shows what that came from: the same training with batches in which the lengths are mixed, and how it ends.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from seqlab.convergence import Training, train_at_best_rate
from seqlab.corpus import Batch, Corpus, Pair, batches, make_batch
from seqlab.models import greedy_translate, token_loss
from seqlab.training import pick_device, train

from .seq2seq import LONGEST, Model, corpus_of, measure

SETTINGS: dict[str, Any] = {
    "size": 64,
    "early_steps": 800,
    "early_rate": 0.004,
    "early_batch_size": 32,
    "share_every": 20,
    "batch_size": 64,
    "rates": [4e-3, 8e-3],
    "tuning_steps": 800,
    "tuning_seed": 3,
    "steps": 2400,
    "most_steps": 9600,
    "warm_up": 0.05,
}
VARIANTS = (
    "once bucketed",
    "every bucketed",
    "once shuffled",
    "every shuffled",
    "once converged",
    "every converged",
)
"""How the encoding is given, and either how batches are made, for few steps, or, on shuffled batches, to convergence."""
SEEDS = (0, 1, 2)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant and measure it on the held-out numbers.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the numbers are always the same.

    Returns:
        The table's row, and no weights.
    """
    kind, how = variant.split()
    corpus, device = corpus_of("number"), pick_device()
    if how == "converged":
        trained, found = train_at_best_rate(begin, kind, seed, SETTINGS)
        return {**found, **exact_matches(trained)}, {}
    torch.manual_seed(seed)
    model = Model(kind, corpus, SETTINGS["size"]).to(device)
    drawn: Iterator[Batch]
    if how == "bucketed":
        drawn = batches(
            corpus.train,
            corpus,
            batch_size=SETTINGS["early_batch_size"],
            seed=seed,
            device=device,
        )
    else:
        drawn = mixed_batches(
            corpus.train, corpus, SETTINGS["early_batch_size"], seed, device
        )
    shares: list[float] = []
    done = 0

    def loss_of(model: Model, batch: Batch) -> Tensor:
        nonlocal done
        if done % SETTINGS["share_every"] == 0:
            shares.append(share_of_thousands(model, corpus, device))
        done += 1
        return token_loss(model(batch), batch)

    losses = train(
        model,
        loss_of,
        drawn,
        steps=SETTINGS["early_steps"],
        learning_rate=SETTINGS["early_rate"],
    )
    row = {"steps": len(losses), "loss": round(sum(losses[-50:]) / 50, 4)}
    return {
        **row,
        **exact_matches(model),
        "thousands": share_of_thousands(model, corpus, device),
        "curve": shares,
    }, {}


def begin(kind: str, seed: int) -> Training:
    """Begin the training of one kind on shuffled batches."""
    corpus, device = corpus_of("number"), pick_device()
    torch.manual_seed(seed)
    held_out = make_batch(corpus.valid, corpus, device)
    return Training(
        Model(kind, corpus, SETTINGS["size"]).to(device),
        lambda m, batch: token_loss(m(batch), batch),
        mixed_batches(corpus.train, corpus, SETTINGS["batch_size"], seed, device),
        lambda m: token_loss(m(held_out), held_out).item(),
    )


def exact_matches(model: Model) -> dict[str, float]:
    """The shares of test numbers that are spelled exactly right, in %: of all, of three and of four digits."""
    found = measure(model, corpus_of("number"), LONGEST["number"], pick_device())
    return {name: share for name, share in found.items() if "exact" in name}


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
