"""Translators that differ in one thing, the size k of the encoding, on sentences of at most seven words: run by `make sweeps`, plotted in the chapter.

The chapter's other table squeezes rows of random digits, where each has to pass through the encoding. A sentence has words that can be guessed from the
others, and each of its words carries more than a digit does.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from seqlab.convergence import Training, train_at_best_rate
from seqlab.corpus import Corpus, make_batch
from seqlab.scoring import bleu
from seqlab.training import pick_device
from seqlab.translation_training import begin_on_pairs, short_pairs

from ._squeezed import SqueezedTranslator

SETTINGS: dict[str, Any] = {
    "hidden_size": 128,
    "max_words": 7,
    "train": 40_000,
    "batch_size": 32,
    "rates": [2e-3, 4e-3],
    "tuning_steps": 24_000,
    "tuning_seed": 3,
    "steps": 24_000,
    "most_steps": 24_000,
    "warm_up": 0.05,
}
"""A rate is tried over as many steps as a run has: the widest encoding learns fastest at first at a rate with which it ends worse."""
VARIANTS = ("4", "16", "128")
"""k."""
SEEDS = (0, 1, 2)


def corpus() -> Corpus:
    """The pairs that all variants learn."""
    return short_pairs(SETTINGS["max_words"], SETTINGS["train"])


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant to convergence at its tuned rate, and translate the test pairs.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpus is always the same.

    Returns:
        The table's row, and no weights. `exact` and `pairs` are, by the number of words in the source, the share of translations that are exactly
        right, in %, and how many there are.
    """
    model, found = train_at_best_rate(begin, variant, seed, SETTINGS)
    return {**found, **measure(model)}, {}


def begin(variant: str, seed: int) -> Training:
    """Begin the training of one variant."""
    return begin_on_pairs(
        lambda c: SqueezedTranslator(c, SETTINGS["hidden_size"], int(variant)),
        corpus(),
        batch_size=SETTINGS["batch_size"],
        seed=seed,
    )


@torch.no_grad()
def measure(model: SqueezedTranslator) -> dict[str, Any]:
    """Translate the test pairs greedily; the numbers of a row."""
    pairs = sorted(corpus().test, key=lambda pair: len(pair.source))
    batch = make_batch(pairs, corpus(), pick_device())
    written = model.translate(batch, max_words=80)
    right: dict[int, list[bool]] = {}
    for words, pair in zip(written, pairs, strict=True):
        right.setdefault(len(pair.source), []).append(tuple(words) == pair.target)
    return {
        "bleu": round(bleu(written, pairs), 2),
        "exact": {n: round(100 * sum(r) / len(r), 1) for n, r in right.items()},
        "pairs": {n: len(r) for n, r in right.items()},
    }
