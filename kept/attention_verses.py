"""Attention on real sentences: the same translators on verses, English to French. Run by `make sweeps` after `make verses`, plotted in the chapter."""

from __future__ import annotations

from functools import cache
from typing import Any

from torch import Tensor

from seqlab.convergence import Training, train_at_best_rate
from seqlab.corpus import Corpus, own_corpus

from .attention_worth import begin_on, measure

SETTINGS: dict[str, Any] = {
    "corpus": "verses:en-fr",
    "max_words": 30,
    "train": 20_000,
    "valid": 500,
    "test": 1_500,
    "rates": [4e-3, 8e-3],
    "tuning_steps": 800,
    "tuning_seed": 3,
    "steps": 1600,
    "most_steps": 3200,
    "warm_up": 0.05,
}
VARIANTS = ("last", "attention")
"""What the decoder is given at each word: the encoder's last state, or attention to its states."""
SEEDS = (0, 1, 2)


@cache
def corpus() -> Corpus:
    """The verses, read once for all the runs of a process."""
    sizes = {name: SETTINGS[name] for name in ("train", "valid", "test", "max_words")}
    return own_corpus(SETTINGS["corpus"], seed=0, **sizes)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant to convergence at its tuned rate, and translate the test verses.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpus is always the same.

    Returns:
        The table's row, as in `attention_worth`, with the number of verses to learn from, and no weights.
    """
    model, found = train_at_best_rate(begin, variant, seed, SETTINGS)
    learned = {"verses": len(corpus().train)}
    return {**found, **learned, **measure(model, corpus().test, corpus())}, {}


def begin(variant: str, seed: int) -> Training:
    """Begin the training of one variant."""
    return begin_on(corpus(), variant, seed)
