"""What the checks of random results promise in the chapters on BERT and on post-training: right answers fail almost never, and mistakes at every draw."""

from functools import cache, partial
from math import comb

import pytest
import torch

from autograder.asking.probing import run_probe
from autograder.checks.ch10_bert import counts, make_nsp_pairs, mask_tokens
from autograder.checks.ch12_post_training import lora_linear, replay_batches
from autograder.declare import Check, key
from solutions import ch10_bert, ch12_post_training
from tests.students import answers_to

mask_students, pairs_students = answers_to("mask_tokens"), answers_to("make_nsp_pairs")
lora_students, replay_students = answers_to("LoRALinear"), answers_to("replay_batches")
MOST = 1e-7
TRIALS = 8

CHECKS = {
    (check.exercise, check.name): check
    for module in (mask_tokens, make_nsp_pairs)
    for check in vars(module).values()
    if isinstance(check, Check)
}
every_check = pytest.mark.parametrize(
    "check", CHECKS.values(), ids=[f"{exercise}: {name}" for exercise, name in CHECKS]
)

RIGHT = {"mask_tokens": mask_students.with_bernoulli, "make_nsp_pairs": pairs_students.until_it_is_another}
# Those that only counts can tell.
MISTAKES = [
    mask_students.no_label_where_kept,
    mask_students.the_same_for_every_row,
    mask_students.whole_rows,
    mask_students.a_share_of_each_row,
    mask_students.a_share_of_the_batch,
    mask_students.one_fate_for_a_row,
    mask_students.one_fate_for_a_column,
    mask_students.one_fate_for_all,
    mask_students.rate_ignored,
    mask_students.twice,
    mask_students.not_the_first_id,
    mask_students.not_the_first_position,
    mask_students.all_masked,
    mask_students.eighty_twenty,
    mask_students.eighty_and_kept,
    mask_students.eighty_are_random,
    mask_students.eighty_stay,
    mask_students.ten_of_the_rest,
    mask_students.one_draw_for_both,
    mask_students.in_order_of_place,
    mask_students.special_words,
    mask_students.one_beyond,
    mask_students.not_the_last_word,
    mask_students.not_the_first_word,
    mask_students.one_word_for_a_row,
    mask_students.one_word_for_a_column,
    mask_students.per_cents,
    mask_students.one_of_each_row,
    mask_students.eighty_five,
    mask_students.fifteen_and_five,
    mask_students.rounded_words,
    mask_students.normal_words,
    pairs_students.always_next,
    pairs_students.one_of_three,
    pairs_students.three_of_four,
    pairs_students.in_turn,
    pairs_students.in_turn_from_anywhere,
    pairs_students.drawn_once,
    pairs_students.drawn_for_each_document,
    pairs_students.just_half,
    pairs_students.of_all_sentences,
    pairs_students.of_any_document,
    pairs_students.anything_but_the_next,
    pairs_students.first_of_another,
    pairs_students.never_the_last,
    pairs_students.the_next_document,
    pairs_students.a_later_document,
    pairs_students.always_the_same,
    pairs_students.one_for_all,
    pairs_students.four_of_ten,
    pairs_students.with_memory,
    pairs_students.rounded_sentence,
    pairs_students.rounded_document,
    pairs_students.the_next_instead,
    pairs_students.the_one_before_instead,
    pairs_students.from_a_shuffled_list,
]


def more_often(generator, items, more):
    """One of three items, the first with a probability that is larger by so much than a third."""
    return generator.choices(items, [1 / 3 + more, 1 / 3 - more / 2, 1 / 3 - more / 2])[0]


def of_the_next(generator, documents, number, place):
    """A second sentence, of the next of four documents somewhat more often."""
    after = [documents[(number + steps) % len(documents)] for steps in range(1, len(documents))]
    return generator.choice(more_often(generator, after, 0.12) if len(after) == 3 else generator.choice(after))


def of_the_first(generator, documents, number, place):
    """A second sentence, the first of three somewhat more often."""
    document = generator.choice([document for other, document in enumerate(documents) if other != number])
    return more_often(generator, document, 0.12) if len(document) == 3 else generator.choice(document)


def raised_rate(tokens, special, generator, rate):
    """Words chosen with a rate that is larger by twice what is seen."""
    return mask_students.of_rate(
        tokens, special, generator, rate + (0.03 if rate < 0.1 else 0.06 if rate < 0.5 else 0.08)
    )


def often_the_first(tokens, special, size, generator):
    """Random words, the first ordinary id more often than its share by 0.16."""
    words = mask_students.any_word(tokens, special, size, generator)
    return torch.where(mask_students.drawn(tokens, generator) < 0.2, special, words)


def rarely_the_ends(new, old, share, batch_size, generator):
    """Batches in which the first and the last window of a text come a fifth as often as others."""

    def rows(text, number):
        weights = torch.ones(len(text)).index_fill(0, torch.tensor([0, len(text) - 1]), 0.2)
        return text[torch.multinomial(weights, number, replacement=True, generator=generator)]

    num_old = round(share * batch_size)
    while True:
        yield torch.cat([rows(new, batch_size - num_old), rows(old, num_old)])


class Wider(lora_students.Written):
    """A is wider by a tenth."""

    def begin(self):
        with torch.no_grad():
            self.down *= 1.1


class Shifted(lora_students.Written):
    """58 % of A is positive."""

    def begin(self):
        with torch.no_grad():
            self.down += 0.2 * self.linear.in_features**-0.5


TWICE = {
    "60 % of the pairs are true": (
        pairs_students.made(decide=lambda generator, *_: generator.random() < 0.6),
        make_nsp_pairs.halves,
    ),
    "the next document comes in 45 %": (pairs_students.made(second=of_the_next), make_nsp_pairs.others),
    "the first sentence comes in 45 %": (pairs_students.made(second=of_the_first), make_nsp_pairs.others),
    "86 % become [MASK]": (
        mask_students.made(show=partial(mask_students.by_fate, masked=0.86, other=0.93)),
        mask_tokens.eighty_ten_ten,
    ),
    "14 % become a random word": (
        mask_students.made(show=partial(mask_students.by_fate, other=0.94)),
        mask_tokens.eighty_ten_ten,
    ),
    "a larger rate": (mask_students.made(choose=raised_rate), mask_tokens.rates),
    "the first id is drawn more often": (mask_students.made(words=often_the_first), mask_tokens.words),
    "the ends of a text are drawn less often": (rarely_the_ends, replay_batches.drawn),
    "A is wider by a tenth": (Wider, lora_linear.start),
    "58 % of A is positive": (Shifted, lora_linear.start),
}
"""Answers that are off by twice what the docstring of a check's comparison says that it sees, with the check."""


def check_of(mistake):
    """The check that is to name the mistake."""
    for students in (mask_students, pairs_students):
        if mistake in students.WRONG:
            return CHECKS[students.EXERCISE, students.WRONG[mistake]]
    raise KeyError(mistake)


@cache
def wanted(name, seed):
    """What the probe of this name gives for the reference."""
    every = [*CHECKS.values(), *(check for _, check in TWICE.values())]
    probe = next(check.probe for check in every if key(check.probe) == name)
    chapter = ch10_bert if hasattr(ch10_bert, probe.exercise) else ch12_post_training
    return run_probe(probe, getattr(chapter, probe.exercise), seed)


class TestSize:
    @pytest.mark.parametrize(("draws", "probability"), [(1, 0.5), (7, 0.15), (30, 0.8), (40, 0.1), (60, 1 / 9)])
    def test_a_binomial_count_is_as_unlikely_as_it_seems_or_less(self, draws, probability):
        right = [comb(draws, k) * probability**k * (1 - probability) ** (draws - k) for k in range(draws + 1)]
        chances = [counts.binomial_chance(k, draws, probability) for k in range(draws + 1)]
        for k, found in enumerate(chances):
            assert found == pytest.approx(min(1.0, 2 * min(sum(right[: k + 1]), sum(right[k:]))), rel=1e-9)
        for level in chances:
            assert sum(p for p, found in zip(right, chances, strict=True) if found <= level) <= level * (1 + 1e-9)

    def test_a_count_beyond_all_draws_is_impossible(self):
        assert counts.binomial_chance(11, 10, 0.5) == counts.binomial_chance(-1, 10, 0.5) == 0.0

    def test_a_large_count_is_right_still(self):
        assert counts.binomial_chance(5000, 10_000, 0.5) == 1.0
        # Four standard deviations, of which a table says 6.3e-5.
        assert counts.binomial_chance(5200, 10_000, 0.5) == pytest.approx(6.5e-5, rel=0.05)

    @every_check
    def test_a_class_of_two_thousand_sees_no_right_answer_fail(self, check, monkeypatch):
        kinds = []

        def counted(of_kind):
            kinds.append(of_kind)
            return counts.most_unlikely(of_kind)

        for module in (mask_tokens, make_nsp_pairs):
            monkeypatch.setattr(module, "most_unlikely", counted)
        want = wanted(key(check.probe), 1)
        assert check.judge(want, want).ok
        assert len(kinds) * counts.ALPHA * check.probe.draws <= MOST

    def test_what_is_called_impossible_is_nearly_so(self):
        calls, rows, words = mask_tokens.CALLS, mask_tokens.ROWS, mask_tokens.WORDS
        likeliest = [comb(n, n // 2) / 2**n for n in (words, rows * words)]
        assert likeliest[0] ** (calls * rows - 1) < 1e-20  # As many words in each row.
        assert likeliest[1] ** (calls - 1) < 1e-20  # As many words at each call.
        pairs = make_nsp_pairs.DOCUMENTS * (make_nsp_pairs.SENTENCES - 1)
        assert (comb(pairs, pairs // 2) / 2**pairs) ** (make_nsp_pairs.CALLS - 1) < 1e-20  # As many true pairs.

    @every_check
    def test_right_answers_pass(self, check):
        for seed in range(TRIALS):
            want = wanted(key(check.probe), seed)
            assert check.judge(run_probe(check.probe, RIGHT[check.exercise], seed), want).ok, seed


class TestPower:
    @pytest.mark.parametrize("mistake", MISTAKES, ids=[mistake.__name__ for mistake in MISTAKES])
    def test_mistake_fails_at_every_draw(self, mistake):
        check = check_of(mistake)
        for seed in range(TRIALS):
            want = wanted(key(check.probe), seed)
            assert not check.judge(run_probe(check.probe, mistake, seed), want).ok, seed

    @pytest.mark.parametrize(("answer", "check"), TWICE.values(), ids=TWICE.keys())
    def test_twice_the_smallest_effect_fails_at_every_draw(self, answer, check):
        for seed in range(TRIALS):
            want = wanted(key(check.probe), seed)
            assert not check.judge(run_probe(check.probe, answer, seed), want).ok, seed

    def test_a_normal_start_passes_at_every_draw(self):
        for seed in range(20):
            want = wanted(key(lora_linear.start.probe), seed)
            assert lora_linear.start.judge(run_probe(lora_linear.start.probe, lora_students.Written, seed), want).ok, (
                seed
            )
