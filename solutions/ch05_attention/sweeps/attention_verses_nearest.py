"""A translator of verses that does not learn: the French of the most similar English verse. Run by `make sweeps` after `make verses`, plotted in the chapter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from seqlab.corpus import UNK, Pair

from .attention_verses import corpus
from .attention_worth import scores_of

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
    return scores_of(written, verses.test), {}


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
