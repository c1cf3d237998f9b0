"""The Transformer, in four ways to train it, and the recurrent translator that attends, in equal seconds: run by `make sweeps`.

The steps of the two kinds are fixed so that both take about as long on one core; how long they took is a column of the table.
"""

from __future__ import annotations

import time
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from seqlab.corpus import Batch, Corpus, batches, load_corpus, make_batch
from seqlab.models import greedy_translate
from seqlab.scoring import bleu, bleu_by_length
from seqlab.training import pick_device, train
from seqlab.transformer import RecurrentTranslator, Translator

SETTINGS = {
    "size": 128,
    "num_heads": 4,
    "d_ff": 256,
    "num_layers": 2,
    "dropout": 0.0,
    "batch_size": 32,
    "recurrent_steps": 2250,
    "recurrent_rate": 4e-3,
    "steps": 1600,
    "rate": 3e-3,
    "warmup": 200,
    "epsilon": 0.1,
    "curve_every": 20,
}
VARIANTS = ("recurrent", "pre", "post", "post, no warm-up", "smoothed")
"""The last one is "pre", trained with label smoothing; of the four Transformers only "post" has a warm-up."""
SEEDS = (0, 1, 2)
KEPT = ("pre",)
"""The variants whose trained weights are stored."""

Model = RecurrentTranslator | Translator


def make_model(variant: str, corpus: Corpus) -> Model:
    """One of `VARIANTS`, not trained yet."""
    words, size = (
        (len(corpus.source_vocab), len(corpus.target_vocab)),
        int(SETTINGS["size"]),
    )
    if variant == "recurrent":
        return RecurrentTranslator(*words, size)
    return Translator(
        *words,
        size,
        int(SETTINGS["num_heads"]),
        int(SETTINGS["d_ff"]),
        int(SETTINGS["num_layers"]),
        SETTINGS["dropout"],
        pre_norm=not variant.startswith("post"),
    )


def rate_at(step: int, *, steps: int, rate: float, warmup: int) -> float:
    """Up to `rate` in a straight line over the warm-up, and down to zero in another over the rest."""
    return rate * min(step / max(1, warmup), (steps + 1 - step) / (steps - warmup))


def loss_of(model: Model, batch: Batch, epsilon: float = 0.0) -> Tensor:
    """The mean cross-entropy per real target token, in nats, with or without label smoothing."""
    real = batch.target_mask  # (B, T)
    return F.cross_entropy(
        model(batch)[real], batch.target_out[real], label_smoothing=epsilon
    )


@cache
def whole_corpus() -> Corpus:
    """The course's corpus, drawn once for all the runs of a process."""
    return load_corpus()


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant and measure it on the held-out pairs.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpus is always the same.

    Returns:
        The table's row, and the trained weights if they are to be kept.
    """
    device = pick_device()
    corpus = whole_corpus()
    torch.manual_seed(seed)
    model = make_model(variant, corpus).to(device)
    drawn = batches(
        corpus.train,
        corpus,
        batch_size=int(SETTINGS["batch_size"]),
        seed=seed,
        device=device,
    )
    kind = "recurrent_" if variant == "recurrent" else ""
    steps, rate = int(SETTINGS[f"{kind}steps"]), SETTINGS[f"{kind}rate"]
    start = time.process_time()
    losses = train(
        model,
        partial(loss_of, epsilon=SETTINGS["epsilon"] if variant == "smoothed" else 0.0),
        drawn,
        learning_rate=partial(
            rate_at,
            steps=steps,
            rate=rate,
            warmup=int(SETTINGS["warmup"]) if variant == "post" else 0,
        ),
        steps=steps,
    )
    every = int(SETTINGS["curve_every"])
    row = {
        "steps": len(losses),
        "seconds": round(time.process_time() - start, 1),
        "loss": round(_mean(losses[-50:]), 4),
        **measure(model, corpus, device),
        "curve": [
            round(_mean(losses[i : i + every]), 3) for i in range(0, len(losses), every)
        ],
    }
    return row, model.state_dict() if variant in KEPT else {}


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


@torch.no_grad()
def measure(model: Model, corpus: Corpus, device: torch.device) -> dict[str, Any]:
    """Translate the test pairs greedily, and predict their words with teacher forcing; the numbers of a row."""
    pairs = sorted(corpus.test, key=lambda pair: len(pair.source))
    translations: list[list[str]] = []
    nats, words = 0.0, 0
    for start in range(0, len(pairs), 100):
        batch = make_batch(pairs[start : start + 100], corpus, device)
        translations += greedy_translate(*model.search(batch), corpus.target_vocab)
        real = int(batch.target_mask.sum())
        nats += real * loss_of(model, batch).item()
        words += real
    right = sum(
        tuple(written) == pair.target
        for written, pair in zip(translations, pairs, strict=True)
    )
    return {
        "held_out": round(nats / words, 4),
        "bleu": round(bleu(translations, pairs), 2),
        "exact": round(100 * right / len(pairs), 2),
        "bleu_by_length": {
            name: round(value, 2)
            for name, value in bleu_by_length(translations, pairs).items()
        },
    }
