"""Norms in front of the sublayers and after the sums, with a warm-up and without, at four learning rates: run by `make sweeps`.

The task is numbers, written a digit at a time, into French number words, because sentences would take hours with this many runs. The
stacks are as deep as in the original paper, six layers each, since depth is where the norm's place is said to matter. Within a seed and a
learning rate all four ways see the same batches in the same order, and their rates are equal after the warm-up.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import torch
from torch import Tensor

from seqlab.corpus import Batch, Corpus, batches, make_batch
from seqlab.models import greedy_translate, token_loss
from seqlab.numbers import load_numbers
from seqlab.training import pick_device, train
from seqlab.transformer import Translator

SETTINGS: dict[str, Any] = {
    "d_model": 64,
    "num_heads": 4,
    "d_ff": 128,
    "num_layers": 6,
    "batch_size": 32,
    "steps": 600,
    "warmup": 100,
    "rates": [5e-4, 1e-3, 2e-3, 4e-3],
    "curve_every": 20,
}
VARIANTS = tuple(
    f"{norm} {start} {rate}"
    for norm in ("pre", "post")
    for start in ("warm", "cold")
    for rate in SETTINGS["rates"]
)
"""Where the norms stand, whether there is a warm-up, and the largest learning rate."""
SEEDS = (0, 1, 2)


def rate_at(step: int, *, steps: int, rate: float, warmup: int) -> float:
    """Down to zero in a straight line; during the warm-up, the share `step / warmup` of that."""
    return rate * (steps + 1 - step) / steps * min(1.0, step / max(1, warmup))


@cache
def numbers() -> Corpus:
    """The numbers, drawn once for all the runs of a process."""
    return load_numbers()


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant and measure it on the held-out numbers.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the numbers are always the same.

    Returns:
        The table's row, and no weights. `loss` is the mean training loss of the last 50 steps, `held_out` the loss on the held-out
        numbers, both in nats per word; `exact` the share of these that is written without an error, in percent; `curve` the training
        loss, averaged over every `curve_every` steps.
    """
    norm, start, rate = variant.split()
    device, corpus, steps = pick_device(), numbers(), SETTINGS["steps"]
    torch.manual_seed(seed)
    model = Translator(  # type: ignore[misc]
        len(corpus.source_vocab),
        len(corpus.target_vocab),
        *(SETTINGS[name] for name in ("d_model", "num_heads", "d_ff", "num_layers")),
        pre_norm=norm == "pre",
    ).to(device)
    losses = train(
        model,
        loss_of,
        batches(
            corpus.train,
            corpus,
            batch_size=SETTINGS["batch_size"],
            seed=seed,
            device=device,
        ),
        steps=steps,
        learning_rate=partial(
            rate_at,
            steps=steps,
            rate=float(rate),
            warmup=SETTINGS["warmup"] if start == "warm" else 0,
        ),
    )
    every = SETTINGS["curve_every"]
    row = {
        "loss": round(_mean(losses[-50:]), 4),
        **measure(model, corpus, device),
        "curve": [
            round(_mean(losses[i : i + every]), 3) for i in range(0, len(losses), every)
        ],
    }
    return row, {}


def loss_of(model: Translator, batch: Batch) -> Tensor:
    """The mean cross-entropy per real target token, in nats."""
    return token_loss(model(batch), batch)


@torch.no_grad()
def measure(
    model: Translator, corpus: Corpus, device: torch.device
) -> dict[str, float]:
    """Predict the words of the held-out numbers with teacher forcing, and write them greedily."""
    batch = make_batch(corpus.test, corpus, device)
    written = greedy_translate(*model.search(batch), corpus.target_vocab)
    right = sum(
        tuple(words) == pair.target
        for words, pair in zip(written, corpus.test, strict=True)
    )
    return {
        "held_out": round(loss_of(model, batch).item(), 4),
        "exact": round(100 * right / len(written), 2),
    }


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
