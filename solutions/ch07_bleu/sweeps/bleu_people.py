"""What people score: BLEU of three English translations of the Bible, each judged by the others. Run by `make sweeps` after `make verses`."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from typing import Any

from torch import Tensor

from seqlab.own_corpus import tokenize
from seqlab.verses import verse_chapters

from ..counting import brevity_penalty, clipped_precision
from ..scores import corpus_bleu

SETTINGS: dict[str, Any] = {"verses": 1000}
VARIANTS = ("web", "kjv", "bbe")
"""The translation that is judged; by their names in `seqlab.verses`."""
SEEDS = (0, 1, 2)
"""Each draws its verses."""

Words = tuple[str, ...]


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Judge one translation by each of the others, and by both.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the verses that are drawn.

    Returns:
        The table's row: BLEU by the names of the references, and the number of verses. No weights.
    """
    drawn = random.Random(seed).sample(verses(), SETTINGS["verses"])
    candidates = [verse[variant] for verse in drawn]
    first, second = (name for name in VARIANTS if name != variant)
    scores = {
        " and ".join(names): round(
            corpus_bleu(
                candidates,
                [[verse[name] for name in names] for verse in drawn],
                clipped_precision,
                brevity_penalty,
            ),
            2,
        )
        for names in ((first,), (second,), (first, second))
    }
    return {"bleu": scores, "verses": len(drawn)}, {}


@cache
def verses() -> list[dict[str, Words]]:
    """The verses that all three have, except those whose text in the first translation occurs more than once."""
    first, *others = VARIANTS
    found: dict[str, dict[str, Words]] = {}
    seen: Counter[str] = Counter()
    for other in others:
        for chapter in verse_chapters(f"verses:{first}-{other}"):
            for text, its in chapter:
                verse = found.setdefault(text, {first: tokenize(text)})
                verse[other] = tokenize(its)
                seen[text] += 1
    return [
        verse
        for text, verse in found.items()
        if seen[text] == len(others) and all(verse.get(name) for name in VARIANTS)
    ]
