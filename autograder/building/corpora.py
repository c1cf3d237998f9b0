"""Stores the corpora that the chapters load: to draw one anew would take seconds in every kernel."""

from __future__ import annotations

import random
from collections.abc import Callable

from seqlab.corpus import draw_pairs, stored_corpus
from seqlab.pair_file import read_pairs, write_pairs

CORPORA = ((20_000, 40), (40_000, 7), (40_000, 10), (10_000, 20))
"""For each of them the number of pairs to learn from, and the largest number of words in an English sentence."""
_SEED, _VALID, _TEST = 0, 500, 1_000
_COMPARED = 500
"""How many of the pairs to learn from are drawn again to see whether the grammar is still the one that was drawn from."""


def store_corpora(say: Callable[[str], None]) -> None:
    """Draw the corpora that are not stored or that were drawn from another grammar.

    Args:
        say: Told what is being done.
    """
    for train, max_words in stale_corpora():
        say(f"drawing the corpus of {train} pairs of at most {max_words} words")
        pairs = draw_pairs(random.Random(_SEED), train, _VALID + _TEST, max_words)
        write_pairs(pairs, stored_corpus(_SEED, train, _VALID, _TEST, max_words))


def stale_corpora() -> list[tuple[int, int]]:
    """Those of `CORPORA` that are not stored, or whose first pairs the grammar would not draw today."""
    found = []
    for train, max_words in CORPORA:
        file = stored_corpus(_SEED, train, _VALID, _TEST, max_words)
        pairs = read_pairs(file) if file.is_file() else []
        drawn = draw_pairs(random.Random(_SEED), _COMPARED, _VALID + _TEST, max_words)
        if len(pairs) != train + _VALID + _TEST or pairs[: len(drawn)] != drawn:
            found.append((train, max_words))
    return found
