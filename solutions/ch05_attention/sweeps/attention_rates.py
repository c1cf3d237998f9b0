"""Attention's variants at several learning rates: run by `make sweeps`, told in this chapter.

In the table `attention` all of them have one learning rate. Here each has that rate, half and twice of it, in half of the steps: so it can be said which of them
another rate would have served better, and how much the second half of the steps still gave them.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from seqlab.corpus import batches, make_batch
from seqlab.models import token_loss
from seqlab.training import pick_device, train

from .attention import SETTINGS as COMPARED
from .attention import Translator, measure, whole_corpus

SETTINGS: dict[str, Any] = {
    "rates": [1e-3, 2e-3, 4e-3],
    "steps": int(COMPARED["steps"]) // 2,
}
VARIANTS = ("none", "keyed", "dot", "scaled", "multiplicative", "additive")
"""Those of the variants that are ranked."""
SEEDS = (9,)
"""None of those that are compared."""


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant at each rate and measure it on the held-out pairs.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpus is always the same.

    Returns:
        The table's row, with an entry for each of the rates: `loss`, the mean training loss of the last 50 steps, `held_out`, the loss on the
        validation pairs, and `bleu` on the test pairs. No weights.
    """
    device, corpus = pick_device(), whole_corpus()
    row: dict[str, Any] = {"loss": [], "held_out": [], "bleu": []}
    for rate in SETTINGS["rates"]:
        torch.manual_seed(seed)
        model = Translator(variant, corpus).to(device)
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
            steps=SETTINGS["steps"],
            learning_rate=rate,
        )
        valid = make_batch(corpus.valid, corpus, device)
        with torch.no_grad():
            held_out = token_loss(model(valid), valid).item()
        row["loss"].append(round(sum(losses[-50:]) / 50, 4))
        row["held_out"].append(round(held_out, 4))
        row["bleu"].append(measure(model, corpus, device)["bleu"])
    return row, {}
