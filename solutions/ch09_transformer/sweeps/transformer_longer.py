"""The chapter's two translators, trained for several times as long as its other table trains them: run by `make sweeps`, plotted in the chapter.

The recurrent one makes twice as many steps, which takes about as long on one core. Its learning rate is tuned in two ways: over the whole training, and
early, after 1,000 steps.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from seqlab.convergence import Training, train_at_best_rate
from seqlab.corpus import batches, make_batch
from seqlab.training import pick_device

from .transformer import SETTINGS as WHOLE
from .transformer import loss_of, make_model, measure, whole_corpus

SETTINGS: dict[str, Any] = {
    "rates": [2e-3, 4e-3],
    "tuning_steps": {"recurrent": 13_500, "recurrent, early": 1_000, "pre": 1_000},
    "tuning_seed": {"recurrent": 0, "recurrent, early": 3, "pre": 3},
    "steps": {"recurrent": 13_500, "recurrent, early": 13_500, "pre": 6_750},
    "warm_up": 0.1,
}
VARIANTS = tuple(SETTINGS["steps"])
SEEDS = (0, 1, 2)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant at its tuned rate and measure it on the test pairs.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpus is always the same.

    Returns:
        The table's row, and no weights. `held_out`, which is measured on the test pairs, is in nats per word.
    """
    own = {
        name: SETTINGS[name][variant]
        for name in ("tuning_steps", "tuning_seed", "steps")
    }
    settings = {**SETTINGS, **own, "most_steps": own["steps"]}
    model, found = train_at_best_rate(begin, variant, seed, settings)
    return {**found, **measure(model, whole_corpus(), pick_device())}, {}


def begin(variant: str, seed: int) -> Training:
    """Begin the training of one variant."""
    device, corpus = pick_device(), whole_corpus()
    torch.manual_seed(seed)
    model = make_model(variant.partition(",")[0], corpus)
    held_out = make_batch(corpus.valid, corpus, device)
    return Training(
        model.to(device),
        loss_of,
        batches(
            corpus.train,
            corpus,
            batch_size=int(WHOLE["batch_size"]),
            seed=seed,
            device=device,
        ),
        lambda m: loss_of(m, held_out).item(),
    )
