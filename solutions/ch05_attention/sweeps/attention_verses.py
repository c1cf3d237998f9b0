"""What attention is worth on real sentences: two translators of `attention_worth` on verses, English to French. Run by `make sweeps` after `make verses`."""

from __future__ import annotations

from functools import cache
from typing import Any

from torch import Tensor

from seqlab.convergence import Training, train_at_best_rate
from seqlab.corpus import Corpus, own_corpus
from seqlab.translation_training import begin_on_pairs

from .attention_worth import Translator, measure

SETTINGS: dict[str, Any] = {
    "corpus": "verses:en-fr",
    "max_words": 20,
    "train": 20_000,
    "valid": 500,
    "test": 1_000,
    "batch_size": 32,
    "rates": [2e-3, 4e-3],
    "tuning_steps": 1200,
    "tuning_seed": 3,
    "steps": 1200,
    "most_steps": 1200,
    "warm_up": 0.05,
}
"""The sizes are upper limits: there are fewer verses of so few words."""
VARIANTS = ("last", "attention")
"""What the decoder is given at each word: the encoder's last state, or attention to its states."""
SEEDS = (0, 1, 2)


@cache
def corpus() -> Corpus:
    """The verses, read once for all the runs of a process."""
    sizes = {name: SETTINGS[name] for name in ("train", "valid", "test", "max_words")}
    return own_corpus(SETTINGS["corpus"], seed=0, **sizes)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant at its tuned rate, and translate the test verses.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpus is always the same.

    Returns:
        The table's row, as in `attention_worth`, with the number of verses to learn from and the sizes of both vocabularies, and no weights.
    """
    model, found = train_at_best_rate(begin, variant, seed, SETTINGS)
    verses = corpus()
    row = {
        **found,
        "verses": len(verses.train),
        "vocabularies": [len(verses.source_vocab), len(verses.target_vocab)],
        **measure(model, verses.test, verses),
    }
    return row, {}


def begin(variant: str, seed: int) -> Training:
    """Begin the training of one variant."""
    return begin_on_pairs(
        lambda c: Translator(variant, c),
        corpus(),
        batch_size=SETTINGS["batch_size"],
        seed=seed,
    )
