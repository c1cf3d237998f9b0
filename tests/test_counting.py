"""The counts of the trigram and of Kneser-Ney: by hand, as the chapter's text makes them, and such that every context's probabilities sum to one."""

import itertools
import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jupytext
import pytest

from autograder.judging.reference import load_reference
from seqlab import kneser_ney

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


def neighbours(text: list[list[str]]) -> tuple[dict[str, Counter[str]], dict[str, Counter[str]]]:
    """Followers and predecessors of each word."""
    followers: dict[str, Counter[str]] = {}
    predecessors: dict[str, Counter[str]] = {}
    for v, w in (pair for words in text for pair in itertools.pairwise([START, *words, END])):
        followers.setdefault(v, Counter())[w] += 1
        predecessors.setdefault(w, Counter())[v] += 1
    return followers, predecessors


@pytest.mark.parametrize("discount", [0.1, 0.66, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_kneser_ney_sums_to_one_after_any_word(seed, discount):
    given, vocabulary = neighbours(sentences(seed)), (*WORDS, END)
    for before in (START, *vocabulary):
        found = [REFERENCE.kneser_ney(word, before, *given, discount, len(vocabulary)) for word in vocabulary]
        assert min(found) > 0
        assert sum(found) == pytest.approx(1), before


def test_kneser_ney_by_hand():
    """San Francisco twice, and a word after two others: five different pairs, of which four different words come second."""
    given = neighbours([["san", "francisco"], ["san", "francisco"], ["pie"]])
    low = {"francisco": (1 - 0.5 + 0.5 * 4 / 10) / 5, END: (2 - 0.5 + 0.5 * 4 / 10) / 5, "zebra": 0.5 * 4 / 5 / 10}
    for word, share in low.items():
        assert REFERENCE.kneser_ney(word, "zebra", *given, 0.5, 10) == pytest.approx(share)
    assert REFERENCE.kneser_ney("francisco", "san", *given, 0.5, 10) == pytest.approx(
        1.5 / 2 + 0.5 / 2 * low["francisco"]
    )
    assert REFERENCE.kneser_ney(END, "san", *given, 0.5, 10) == pytest.approx(0.5 / 2 * low[END])


@pytest.mark.parametrize("discount", [0.3, 1.0])
def test_kneser_ney_is_the_baseline_of_order_two_with_one_discount(monkeypatch, discount):
    monkeypatch.setattr(kneser_ney, "discounts", lambda counts: (0.0, discount, discount, discount))
    text, vocabulary = sentences(1), (*WORDS, END)
    model, given = kneser_ney.KneserNey(text, 2, len(vocabulary)), neighbours(text)
    for before, word in itertools.product((START, *vocabulary), vocabulary):
        mine = REFERENCE.kneser_ney(word, before, *given, discount, len(vocabulary))
        assert mine == pytest.approx(model.probability(word, [before]))
