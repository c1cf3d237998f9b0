"""A translator of verses that does not learn: the French of the most similar English verse. Run by `make sweeps` after `make verses`, plotted in the chapter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from seqlab.corpus import UNK, Pair
from seqlab.scoring import bleu, bleu_by_length

from .attention_verses import corpus

SETTINGS: dict[str, Any] = {"similarity": "cosine of tf-idf"}
VARIANTS = ("nearest",)
SEEDS = (0,)
"""Nothing is drawn."""


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Give each test verse the translation of the verse among those to learn from whose words are most similar.

    Args:
        variant: The only one.
        seed: Not used.

    Returns:
        The table's row, with the columns of `attention_verses` that it can have, and no weights.
    """
    verses = corpus()
    known, asked = counts(verses.train), counts(verses.test)  # (N, V), (M, V)
    rarity = (len(known) / (known > 0).sum(dim=0).clamp(min=1)).log()  # (V,)
    rarity[: UNK + 1] = 0.0
    near = F.normalize(asked * rarity) @ F.normalize(known * rarity).T  # (M, N)
    written = [verses.train[i].target for i in near.argmax(dim=1).tolist()]
    right = sum(
        words == pair.target for words, pair in zip(written, verses.test, strict=True)
    )
    by_length = bleu_by_length(written, verses.test)
    row = {
        "bleu": round(bleu(written, verses.test), 2),
        "exact": round(100 * right / len(written), 2),
        "bleu_by_length": {name: round(value, 2) for name, value in by_length.items()},
    }
    return row, {}


def counts(pairs: Sequence[Pair]) -> Tensor:
    """How often each source has each word of the vocabulary, (N, V)."""
    vocabulary = corpus().source_vocab
    found = [
        torch.bincount(
            torch.tensor(vocabulary.encode(pair.source)), minlength=len(vocabulary)
        )
        for pair in pairs
    ]
    return torch.stack(found).float()
