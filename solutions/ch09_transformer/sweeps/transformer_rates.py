"""The learning rates of the two translators that the chapter compares, each tuned on one grid: run by `make sweeps`.

Each is trained as long as in the comparison, on a seed that the comparison does not use, and measured on the validation pairs. The
comparison itself is in `transformer.py`, whose rates should be the best of the grid.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import torch
from torch import Tensor

from seqlab.corpus import batches, make_batch
from seqlab.training import pick_device, train

from .transformer import SETTINGS as WHOLE
from .transformer import loss_of, make_model, rate_at, whole_corpus

SETTINGS: dict[str, Any] = {
    "rates": [2e-3, 3e-3, 4e-3, 6e-3],
    "recurrent_steps": int(WHOLE["recurrent_steps"]),
    "pre_steps": int(WHOLE["steps"]),
}
VARIANTS = tuple(
    f"{kind} {rate}" for kind in ("recurrent", "pre") for rate in SETTINGS["rates"]
)
"""One of the variants of the comparison, and the learning rate that falls to zero."""
SEEDS = (3,)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant and measure it on the validation pairs.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpus is always the same.

    Returns:
        The table's row, with the loss on the validation pairs in nats per word, and no weights.
    """
    kind, rate = variant.split()
    device, corpus, steps = pick_device(), whole_corpus(), SETTINGS[f"{kind}_steps"]
    torch.manual_seed(seed)
    model = make_model(kind, corpus).to(device)
    drawn = batches(
        corpus.train,
        corpus,
        batch_size=int(WHOLE["batch_size"]),
        seed=seed,
        device=device,
    )
    start = time.process_time()
    train(
        model,
        loss_of,
        drawn,
        steps=steps,
        learning_rate=partial(rate_at, steps=steps, rate=float(rate), warmup=0),
    )
    seconds = round(time.process_time() - start, 1)
    pairs = sorted(corpus.valid, key=lambda pair: len(pair.source))
    nats, words = 0.0, 0
    with torch.no_grad():
        for first in range(0, len(pairs), 100):
            batch = make_batch(pairs[first : first + 100], corpus, device)
            real = int(batch.target_mask.sum())
            nats, words = nats + real * loss_of(model, batch).item(), words + real
    return {"steps": steps, "seconds": seconds, "held_out": round(nats / words, 4)}, {}
