"""The Kneser-Ney baseline: sums to one after any context, agrees with the formula worked out the slow way, and beats simpler counts."""

import itertools
import random
from collections import Counter
from math import exp, log
from pathlib import Path

import pytest

from autograder.judging.reference import load_reference
from seqlab.kneser_ney import USUAL_DISCOUNTS, KneserNey, discounts
from seqlab.presidents import load_speeches, sentences_of

REFERENCE = load_reference(Path(__file__).parent.parent / "solutions", "ch01_rnn_lm")
WORDS = ("he", "hit", "me", "with", "a", "pie")
START, END, NEVER = "<bos>", "<eos>", "zebra"
FOLLOW = (*WORDS, END, NEVER)


def sentences(seed: int, number: int = 40) -> list[list[str]]:
    chance = random.Random(seed)
    return [chance.choices(WORDS, (1, 2, 3, 5, 9, 16), k=chance.randint(0, 7)) for _ in range(number)]


class ByDefinition:
    """Every count found anew by looking through the text, and every sum taken over the whole vocabulary."""

    def __init__(self, text: list[list[str]], order: int, vocabulary: tuple[str, ...]) -> None:
        self.rows = [[START, *sentence, END] for sentence in text]
        self.order, self.vocabulary = order, vocabulary
        self.taken = [self.estimated(size) for size in range(1, order + 1)]

    def windows(self, size: int) -> list[tuple[str, ...]]:
        return [tuple(row[i : i + size]) for row in self.rows for i in range(len(row) - size + 1)]

    def count(self, ngram: tuple[str, ...]) -> int:
        if len(ngram) == self.order or ngram[0] == START:
            return self.windows(len(ngram)).count(ngram)
        return len({longer[0] for longer in self.windows(len(ngram) + 1) if longer[1:] == ngram})

    def estimated(self, size: int) -> list[float]:
        of = Counter(self.count(ngram) for ngram in set(self.windows(size)) - {(START,)})
        if any(of[i] == 0 for i in range(1, 5)):
            return [0, 0.5, 1, 1.5]
        y = of[1] / (of[1] + 2 * of[2])
        found = [0, 1 - 2 * y * of[2] / of[1], 2 - 3 * y * of[3] / of[2], 3 - 4 * y * of[4] / of[3]]
        return [0, 0.5, 1, 1.5] if min(found) < 0 else found

    def probability(self, word: str, before: tuple[str, ...], size: int) -> float:
        if size == 0:
            return 1 / len(self.vocabulary)
        context = before[len(before) - size + 1 :]
        lower = self.probability(word, before, size - 1)
        if len(context) < size - 1:
            return lower
        following = {other: self.count((*context, other)) for other in self.vocabulary}
        total = sum(following.values())
        if total == 0:
            return lower
        of = Counter(min(count, 3) for count in following.values() if count)
        freed = sum(self.taken[size - 1][i] * of[i] for i in (1, 2, 3))
        kept = max(following[word] - self.taken[size - 1][min(following[word], 3)], 0)
        return (kept + freed * lower) / total


def contexts(order: int) -> list[tuple[str, ...]]:
    """Seen, partly seen and unseen ones, at the start of a sentence and in it."""
    found: list[tuple[str, ...]] = [(), (START,), (NEVER,), (START, NEVER), (NEVER, "pie")]
    found += itertools.product((START, "he", "pie", NEVER), WORDS[-2:], WORDS)
    found += [(START, *some) for some in itertools.product(WORDS[-3:], repeat=3)]
    return [*found, tuple(random.Random(order).choices((*WORDS, NEVER), k=8))]


@pytest.mark.parametrize("number", [3, 40, 400])
@pytest.mark.parametrize("order", range(1, 6))
def test_probabilities_sum_to_one_after_any_context(order, number):
    model = KneserNey(sentences(order, number), order, len(FOLLOW))
    for before in contexts(order):
        found = [model.probability(word, before) for word in FOLLOW]
        assert min(found) > 0, before
        assert sum(found) == pytest.approx(1), before


@pytest.mark.parametrize(("order", "number"), [(1, 20), (2, 2), (2, 60), (3, 1), (3, 100), (4, 100), (5, 60)])
def test_agrees_with_the_formula(order, number):
    text = sentences(7 * order + number, number)
    model, slow = KneserNey(text, order, len(FOLLOW)), ByDefinition(text, order, FOLLOW)
    own = [taken != USUAL_DISCOUNTS for taken in model.discounts]
    assert any(own) == (number >= 60), "those of a text, and of a tiny one the usual ones"
    assert model.discounts[1:] == [pytest.approx(taken) for taken in slow.taken]
    for before in random.Random(number).sample(contexts(order), 12):
        for word in FOLLOW:
            assert model.probability(word, before) == pytest.approx(slow.probability(word, before, order)), before


def test_a_sentence_is_the_product_of_its_words():
    model = KneserNey(sentences(1), 3, len(FOLLOW))
    row = [START, "he", NEVER, "me", END]
    wanted = [log(model.probability(row[i], row[:i])) for i in range(1, len(row))]
    assert model.log_probs(row[1:-1]) == pytest.approx(wanted)
    assert model.log_probs(tuple(row[1:-1])) == model.log_probs(row[1:-1])
    assert len(model.log_probs([])) == 1


def test_counts_by_hand():
    """San Francisco twice, and a word after two others."""
    text = [["in", "san", "francisco"], ["san", "francisco", "pie"], ["a", "pie"]]
    counts = KneserNey(text, 3, 20).counts
    assert counts[3][("san", "francisco", "pie")] == 1
    assert counts[2][("san", "francisco")] == 2, "after <bos> and after in"
    assert counts[2][(START, "san")] == 1, "a beginning keeps its own count"
    assert counts[1][("francisco",)] == 1, "only ever after san"
    assert counts[1][("pie",)] == counts[1][(END,)] == 2
    assert (START,) not in counts[1]


class TestDiscounts:
    def test_by_hand(self):
        counts = [1] * 8 + [2] * 4 + [3] * 2 + [4]
        y = 8 / 16
        assert discounts(counts) == pytest.approx((0, 1 - 2 * y * 4 / 8, 2 - 3 * y * 2 / 4, 3 - 4 * y * 1 / 2))

    @pytest.mark.parametrize("missing", [1, 2, 3, 4])
    def test_without_one_of_the_counts_of_counts_they_are_the_usual_ones(self, missing):
        assert discounts(i for i in (1, 1, 1, 2, 2, 3, 4) if i != missing) == USUAL_DISCOUNTS

    def test_one_below_zero_makes_them_the_usual_ones(self):
        assert discounts([1, 1, 1, 2, *[3] * 9, 4]) == USUAL_DISCOUNTS

    def test_of_nothing(self):
        assert discounts([]) == USUAL_DISCOUNTS


class TestErrors:
    def test_order(self):
        with pytest.raises(ValueError, match="order is 0: ask for at least 1"):
            KneserNey([["pie"]], 0, 5)

    def test_no_sentences(self):
        for order in (1, 2, 4):
            with pytest.raises(ValueError, match="sentences is empty"):
                KneserNey([], order, 5)

    def test_marks_in_a_sentence(self):
        for sentence in ([START, "pie"], ["pie", END]):
            with pytest.raises(ValueError, match="leave the marks out"):
                KneserNey([sentence], 2, 5)

    def test_more_words_than_there_are(self):
        with pytest.raises(ValueError, match="vocab_size is 3, and the sentences have 4 different words"):
            KneserNey([["a", "b", "c"]], 2, 3)


def test_beats_simpler_counts_on_speeches():
    """Of two thousand sentences: perplexity falls from one word to two and to three, and below that of the interpolated trigram."""
    speeches = load_speeches()
    train, test = sentences_of(speeches.train)[::20], sentences_of(speeches.test)[::20]
    known = {word for word, number in Counter(word for words in train for word in words).items() if number > 1}
    train, test = ([[w if w in known else "<unk>" for w in words] for words in part] for part in (train, test))
    size = len(known) + 2

    def perplexity(log_probs):
        return exp(-sum(log_probs) / len(log_probs))

    found = {}
    for order in (1, 2, 3):
        model = KneserNey(train, order, size)
        found[order] = perplexity([p for words in test for p in model.log_probs(words)])
    counts = REFERENCE.count_ngrams(train, START, END)
    rows = [[START, START, *words, END] for words in test]
    mixed = [
        log(REFERENCE.interpolated_trigram(w, (u, v), counts, (0.03, 0.13, 0.55, 0.29), size))
        for row in rows
        for u, v, w in zip(row, row[1:], row[2:], strict=False)
    ]
    assert found[1] > 1.5 * found[2]
    assert found[2] > 1.02 * found[3]
    assert found[3] < 0.95 * perplexity(mixed)
