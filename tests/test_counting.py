"""The trigram's counts: by hand, as the chapter's text makes them, and such that every context's probabilities sum to one."""

import itertools
import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jupytext
import pytest

from autograder.reference import load_reference

ROOT = Path(__file__).parent.parent
REFERENCE = load_reference(ROOT / "solutions", "ch01_rnn_lm")
WORDS = ("he", "hit", "me", "with", "a", "pie")
START, END = "<bos>", "<eos>"
WEIGHTS = (0.05, 0.15, 0.35, 0.45)


def sentences(seed: int) -> list[list[str]]:
    chance = random.Random(seed)
    return [chance.choices(WORDS[:-1], range(1, 6), k=chance.randint(0, 6)) for _ in range(20)]


def counter_of_the_text() -> Any:
    """`count_ngrams` as the chapter shows it."""
    cells = jupytext.read(ROOT / "book" / "ch01_rnn_lm.md", fmt="md:myst").cells
    (source,) = (cell.source for cell in cells if cell.source.startswith("def count_ngrams("))
    names: dict[str, Any] = {"Counter": Counter, "Iterable": Iterable}
    exec(source, names)  # noqa: S102 - the chapter's own code
    return names["count_ngrams"]


def test_two_sentences_by_hand():
    counts = REFERENCE.count_ngrams([["he", "hit", "me"], ["he"]], START, END)
    assert counts[()] == 6
    assert counts[(START,)] == counts[(START, START)] == counts[(START, START, "he")] == 2
    assert counts[("he", "hit")] == counts[("hit", "me", END)] == 1
    assert counts[("me", "he")] == 0
    assert sum(len(words) == 3 for words in counts.elements()) == counts[()]


@pytest.mark.parametrize("seed", range(3))
def test_the_text_counts_alike(seed):
    assert counter_of_the_text()(sentences(seed), START, END) == REFERENCE.count_ngrams(sentences(seed), START, END)


@pytest.mark.parametrize("seed", range(3))
def test_probabilities_sum_to_one_after_any_two_words(seed):
    counts, vocabulary = REFERENCE.count_ngrams(sentences(seed), START, END), (*WORDS, END)
    for before in [(START, START), *itertools.product((START, *WORDS), WORDS)]:
        found = [REFERENCE.interpolated_trigram(word, before, counts, WEIGHTS, len(vocabulary)) for word in vocabulary]
        assert min(found) > 0
        assert sum(found) == pytest.approx(1), before
