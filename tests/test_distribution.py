"""What the judge of random results promises: right draws pass as often as it says, and mistakes do not."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from autograder.asking.probing import run_probe, seeds
from autograder.checks.ch01_rnn_lm.sample_sentence import GROUPS, TIMES, as_often
from autograder.checks.ch06_decoding.sample_next import _SHARES, as_unlikely, plain, temperatures
from autograder.declare import Check
from autograder.judging.compare import chance, distribution
from solutions.ch06_decoding import sampling

DRAWS, WORDS, ROWS = 150, 8, 4
TRIALS = 400
CLASS = "a class's"

Distorted = Callable[[Tensor], Tensor]

MISTAKES: dict[str, Distorted] = {
    "the most probable word, always": lambda logits: (logits == logits.amax(dim=-1, keepdim=True)).double(),
    "all words equally often": torch.ones_like,
    "the softmax twice": lambda logits: logits.softmax(dim=-1).softmax(dim=-1),
    "sigmoid for softmax": torch.sigmoid,
    "the two most probable words alone": lambda logits: logits.softmax(-1) * (logits >= logits.topk(2)[0][:, -1:]),
    "a third of the temperature": lambda logits: (logits / 0.3).softmax(dim=-1),
    "never the third word": lambda logits: logits.softmax(-1) * (logits != logits.topk(3)[0][:, -1:]),
    "the probabilities of the other words": lambda logits: logits.softmax(dim=-1).flip(-1),
}


def logits_of(generator: torch.Generator) -> Tensor:
    """Logits as the probes of `sample_sentence` have them."""
    order = torch.rand(ROWS, WORDS, generator=generator, dtype=torch.float64).argsort(dim=-1)
    return torch.linspace(0, 4, WORDS, dtype=torch.float64)[order]


def counted(weights: Tensor, generator: torch.Generator, draws: int = DRAWS) -> Tensor:
    """How often each outcome comes in so many draws with such weights."""
    words = torch.multinomial(weights, draws, replacement=True, generator=generator)
    return torch.zeros(weights.shape, dtype=torch.long).scatter_add_(1, words, torch.ones_like(words))


class TestSize:
    @pytest.mark.parametrize(
        ("scale", "outcomes", "draws"), [(1.0, 8, 150), (4.0, 8, 150), (2.0, 40, 60), (3.0, 3, 20)]
    )
    def test_right_draws_are_as_unlikely_as_they_seem_or_less(self, scale, outcomes, draws):
        generator = torch.Generator().manual_seed(outcomes)
        chances = []
        for _ in range(TRIALS):
            weights = (scale * torch.randn(ROWS, outcomes, generator=generator)).softmax(dim=-1)
            chances.append(chance((counted(weights, generator, draws), counted(weights, generator, draws))))
        for level in (0.5, 0.1, 0.01):
            allowed = level + 4 * (level * (1 - level) / TRIALS) ** 0.5
            assert sum(found < level for found in chances) / TRIALS <= allowed, level
        assert min(chances) > 1e-6

    def test_a_class_of_two_thousand_sees_no_right_answer_fail(self):
        with pytest.raises(ValueError, match="choose one above 0 and up to 1e-07"):
            distribution(alpha=1e-4)
        with pytest.raises(ValueError, match="alpha is 0"):
            distribution(alpha=0.0)

    def test_chi_square_of_one_degree_of_freedom(self):
        # (70 - 50)^2 / 120 + (30 - 50)^2 / 80 = 8.33, of which a table says 0.0039.
        assert chance((torch.tensor([70, 30]), torch.tensor([50, 50]))) == pytest.approx(0.00389, rel=1e-2)

    def test_samples_of_several_rows_and_names_are_one_test(self):
        one = (torch.tensor([70, 30]), torch.tensor([50, 50]))
        both = (torch.stack([one[0], one[0]]), torch.stack([one[1], one[1]]))
        assert chance(one, one) == pytest.approx(chance(both))
        assert chance(one, one) < chance(one)

    def test_outcomes_that_are_rare_count_as_one(self):
        rare = torch.tensor([1000, *[1] * 8]), torch.tensor([1000, *[0] * 7, 8])
        assert chance(rare) == 1.0

    def test_one_outcome_is_no_test(self):
        assert chance((torch.tensor([20, 0]), torch.tensor([20, 0]))) == 1.0


class TestPower:
    @pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
    def test_mistake_fails_at_every_draw(self, mistake):
        generator = torch.Generator().manual_seed(0)
        judge = distribution("words")
        for _ in range(TRIALS // 4):
            logits = logits_of(generator)
            got, want = counted(mistake(logits), generator), counted(logits.softmax(dim=-1), generator)
            assert not judge({"words": got}, {"words": want}).ok

    def test_right_draws_pass(self):
        generator = torch.Generator().manual_seed(0)
        judge = distribution()
        for _ in range(TRIALS // 4):
            weights = logits_of(generator).softmax(dim=-1)
            assert judge({"words": counted(weights, generator)}, {"words": counted(weights, generator)}).ok


SHARES, SIZES = (torch.tensor(numbers, dtype=torch.float64) for numbers in zip(*GROUPS.values(), strict=True))
TWICE_AS_FAR_OFF: dict[str, Tensor] = {
    "a temperature of 0.9": SIZES * (SHARES / SIZES) ** (1 / 0.9),
    "a temperature of 1.12": SIZES * (SHARES / SIZES) ** (1 / 1.12),
    "the least probable 6 % left out": (SHARES - torch.tensor([0.0, 0.0, 0.0, 0.0, 0.03, 0.03])).clamp(min=0.0),
    "EOS with 0.4 of its probability": SHARES * torch.tensor([0.4, 1.0, 1.0, 1.0, 1.0, 1.0]),
}


class TestManyWords:
    """The check of `sample_sentence` that counts groups of words, whose docstring says which effects it sees."""

    def passes(self, shares: Tensor, generator: torch.Generator) -> bool:
        """Whether two draws of the check pass, of words that come with such probabilities."""
        want = {"draws": torch.tensor([[TIMES, 0, 0, 0, 0, 0]]), "shares": SHARES.unsqueeze(0), "groups": list(GROUPS)}
        drawn = (counted(shares.unsqueeze(0), generator, TIMES) for _ in range(2))
        return all(as_often({"draws": draws}, want).ok for draws in drawn)

    @pytest.mark.parametrize("shares", TWICE_AS_FAR_OFF.values(), ids=TWICE_AS_FAR_OFF.keys())
    def test_sees_what_is_twice_as_far_off(self, shares):
        generator = torch.Generator().manual_seed(0)
        assert sum(self.passes(shares, generator) for _ in range(TRIALS)) <= TRIALS // 100

    def test_right_draws_pass(self):
        generator = torch.Generator().manual_seed(0)
        assert all(self.passes(SHARES, generator) for _ in range(5 * TRIALS))


RIGHT = {"words": torch.tensor([[40, 60], [90, 10]])}


def ends(check: Check, sample: Callable[..., Tensor]) -> list[bool]:
    """Whether a check of `sample_next` passes a sampler, under thirty secrets."""
    probe = check.probe
    secrets = (f"{CLASS} {number}" for number in range(30))
    return [
        check.judge(*(run_probe(probe, asked, seeds(probe, secret)[0]) for asked in (sample, sampling.sample_next))).ok
        for secret in secrets
    ]


@pytest.mark.drawn
def test_twice_as_many_words_that_are_never_drawn_as_a_check_sees_fail_at_every_draw():
    def sample(logits, generator, temperature=1.0, keep=None):
        probabilities = logits.softmax(dim=-1)
        likely = probabilities.where(probabilities > 0.0019, 0.0)  # Of many words, 15 in 100 are below.
        return torch.multinomial(likely, 1, generator=generator)[:, 0]

    assert not any(ends(plain, sample))


@pytest.mark.drawn
class TestTemperature:
    """The checks of `sample_next` see a temperature that is 8 % off 99 times in 100, so one twice as far off practically always."""

    def ends(self, factor: float) -> list[bool]:
        def sample(logits, generator, temperature=1.0, keep=None):
            return torch.multinomial((logits / temperature / factor).softmax(dim=-1), 1, generator=generator)[:, 0]

        return ends(temperatures, sample)

    @pytest.mark.parametrize("factor", [0.84, 1.16])
    def test_twice_what_a_check_sees_fails_at_every_draw(self, factor):
        assert not any(self.ends(factor))

    def test_the_right_one_passes(self):
        assert all(self.ends(1.0))

    def test_right_draws_are_as_unlikely_as_they_seem_or_less(self):
        generator = torch.Generator().manual_seed(3)
        shares = torch.tensor([_SHARES, _SHARES[::-1]])
        chances = [as_unlikely(counted(shares, generator, 1000), shares) for _ in range(TRIALS)]
        for level in (0.5, 0.1, 0.01):  # Of two tests the smaller chance.
            assert sum(found < level for found in chances) / TRIALS <= 2 * level + 4 * (2 * level / TRIALS) ** 0.5
        assert min(chances) > 1e-6


class TestForged:
    @pytest.mark.parametrize(
        "got",
        [
            torch.tensor([[4, 6], [9, 1]]),
            torch.tensor([[40, 60], [90, 0]]),
            torch.tensor([[-10, 110], [90, 10]]),
            torch.tensor([[2**62, 100 - 2**62], [90, 10]]),
            torch.tensor([[80, 120], [45, 5]]),
            torch.zeros(2, 2, dtype=torch.long),
        ],
    )
    def test_other_numbers_of_draws_fail(self, got):
        assert distribution()({"words": got}, RIGHT).message == "words: these are not the counts of 200 draws"

    def test_says_which_outcome_came_too_often(self):
        told = distribution()({"words": torch.tensor([[100, 0], [90, 10]])}, RIGHT).message
        assert told == "words: outcome (0, 0) was drawn 100 times in 100 draws, expected about 40"

    def test_looks_at_the_names_that_it_is_given(self):
        got = {**RIGHT, "other": torch.zeros(1)}
        assert distribution("words")(got, {**RIGHT, "other": torch.ones(1)}).ok
