"""Encoders of sentences at several learning rates: run by `make sweeps`, reported in this chapter.

In the table `seq2seq` all of them have one learning rate. Here each has that rate, twice and four times of it, in half of the steps: so it can be said at which rate
each is best, what is left of their differences then, and how much the second half of the steps still gave them.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from seqlab.corpus import batches, make_batch
from seqlab.models import token_loss
from seqlab.training import pick_device, train

from .seq2seq import LONGEST, TASKS, Model, corpus_of, measure, with_sources_reversed
from .seq2seq import SETTINGS as COMPARED

SETTINGS: dict[str, Any] = {"factors": [1.0, 2.0, 4.0], "share_of_steps": 0.5}
VARIANTS = tuple(TASKS)
SEEDS = (0, 1, 2)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant at each rate and measure it on the held-out pairs.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpora are always the same.

    Returns:
        The table's row, with an entry for each of the rates: `rate`; `loss`, the mean training loss of the last 50 steps; `held_out`, the loss
        on the validation pairs; and `bleu` on the test pairs. `steps` is how many were made. No weights.
    """
    task, device = TASKS[variant], pick_device()
    corpus = corpus_of(task)
    if variant == "reversed":
        corpus = with_sources_reversed(corpus)
    steps = int(SETTINGS["share_of_steps"] * COMPARED[f"{task}_steps"])
    row: dict[str, Any] = {
        "steps": steps,
        "rate": [],
        "loss": [],
        "held_out": [],
        "bleu": [],
    }
    valid = make_batch(corpus.valid, corpus, device)
    for factor in SETTINGS["factors"]:
        rate = factor * COMPARED[f"{task}_rate"]
        torch.manual_seed(seed)
        model = Model(variant, corpus, int(COMPARED[f"{task}_size"])).to(device)
        drawn = batches(
            corpus.train,
            corpus,
            batch_size=int(COMPARED["batch_size"]),
            seed=seed,
            device=device,
        )
        losses = train(
            model,
            lambda m, batch: token_loss(m(batch), batch),
            drawn,
            steps=steps,
            learning_rate=rate,
        )
        with torch.no_grad():
            held_out = token_loss(model(valid), valid).item()
        row["rate"].append(rate)
        row["loss"].append(round(sum(losses[-50:]) / 50, 4))
        row["held_out"].append(round(held_out, 4))
        row["bleu"].append(measure(model, corpus, LONGEST[task], device)["bleu"])
    return row, {}
