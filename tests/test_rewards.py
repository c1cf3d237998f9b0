"""Sampled answers with rewards, and the chapter's losses beside an independent computation in double precision."""

import itertools
import math

import pytest
import torch

from autograder.samples.seeds import drawn as seeded
from seqlab.gpt import GPT
from seqlab.instruction_tuning import write
from seqlab.instructions import load_instructions
from seqlab.periods import ANSWER, BOS, EOS, load_periods, make_gpt
from seqlab.rollouts import piece_log_probs, roll_out, rollouts, sample_answers
from seqlab.stored import load_weights
from solutions.ch13_rewards import (
    clipped_ratio_loss,
    group_advantages,
    kl_estimate,
    majority_vote,
    pass_at_k,
    policy_gradient_loss,
)


def certain_model():
    """A small model that is nearly certain of each piece, so that samples are what it would write greedily."""
    torch.manual_seed(0)
    model = GPT(1010, 16, 2, 2).eval()
    with torch.no_grad():
        model.output.head.weight.mul_(2000)
    return model


class TestSampling:
    PROMPTS = ([2, 7, 9, 4], [2, 8, 4], [2, 5, 6, 7, 8, 9, 10, 4])

    def test_prompts_of_any_length_run_together_as_each_would_alone(self):
        model, generator = certain_model(), torch.Generator().manual_seed(0)
        found = sample_answers(model, self.PROMPTS, generator, samples=3, most=12)
        wanted = write(model, self.PROMPTS, most=12)
        assert found == [answer for answer in wanted for _ in range(3)]

    def test_pieces_are_drawn_with_the_models_probabilities(self):
        torch.manual_seed(1)
        model = GPT(1010, 16, 2, 2).eval()
        with torch.no_grad():
            model.output.head.weight.mul_(6)
            states, _ = model(torch.tensor([self.PROMPTS[0]]))
            wanted = model.output.log_prob(states[:, -1]).exp()[0]
        number = 4000
        found = sample_answers(model, self.PROMPTS[:1], torch.Generator().manual_seed(1), samples=number, most=1)
        counts = torch.bincount(torch.tensor(found).flatten(), minlength=1010)
        assert counts.sum() == number
        deviations = (counts - number * wanted) / (number * wanted * (1 - wanted)).sqrt().clamp(min=1)
        assert deviations.abs().max() < 6
        assert wanted.max() > 0.02

    def test_the_same_generator_gives_the_same_answers(self):
        model = certain_model()
        first, second = (
            sample_answers(model, self.PROMPTS, torch.Generator().manual_seed(3), samples=2) for _ in range(2)
        )
        assert first == second

    def test_an_answer_ends_with_its_end_mark(self):
        torch.manual_seed(2)
        model = GPT(1010, 16, 2, 1).eval()
        answers = sample_answers(model, self.PROMPTS, torch.Generator().manual_seed(2), samples=300, most=9)
        assert all(EOS not in answer[:-1] for answer in answers)
        assert {len(answer) for answer in answers if answer[-1] != EOS} == {9}
        assert any(answer[-1] == EOS for answer in answers)


@pytest.fixture(scope="module")
def policy():
    model = make_gpt()
    model.load_state_dict(load_weights("post_instruct", "answer", 0))
    return model.eval()


class TestRollouts:
    def given(self):
        return [each for each in load_instructions().test if each.task == "write"][:3]

    def test_rewards_are_what_the_function_says_of_answers_that_ended(self, policy):
        pieces, generator = load_periods().pieces, torch.Generator().manual_seed(0)
        found = roll_out(policy, self.given(), pieces, generator, samples=4, reward=lambda each, words: 0.5)
        assert found.rewards.shape == found.right.shape == (3, 4)
        ended = [(tokens == EOS).any().item() for tokens in found.batch.tokens]
        assert found.rewards.flatten().tolist() == [0.5 * end for end in ended]
        assert len(found.words) == 12

    def test_the_sequences_are_prompts_with_their_answers(self, policy):
        pieces, generator = load_periods().pieces, torch.Generator().manual_seed(0)
        found = roll_out(policy, self.given(), pieces, generator, samples=2)
        for number, (tokens, marks) in enumerate(zip(found.batch.tokens, found.batch.is_answer, strict=True)):
            prompt = [BOS, *pieces.encode(self.given()[number // 2].prompt), ANSWER]
            assert tokens[: len(prompt)].tolist() == prompt
            assert not marks[: len(prompt)].any()
            said = [piece for piece in tokens[marks].tolist() if piece > ANSWER]
            assert tuple(pieces.decode(said)) == found.words[number]

    def test_log_probabilities_are_those_of_the_sampled_pieces(self, policy):
        pieces, generator = load_periods().pieces, torch.Generator().manual_seed(0)
        batch = roll_out(policy, self.given(), pieces, generator, samples=2).batch
        with torch.no_grad():
            found, mask = piece_log_probs(policy, batch)
            states, _ = policy(batch.tokens)
            every = policy.output.log_prob(states.flatten(0, 1)).unflatten(0, batch.tokens.shape)
        wanted = every[:, :-1].gather(2, batch.tokens[:, 1:].unsqueeze(-1)).squeeze(-1)
        torch.testing.assert_close(found, wanted.masked_fill(~mask, 0.0), atol=1e-4, rtol=1e-4)
        assert torch.equal(mask, batch.is_answer[:, 1:])

    def test_a_batch_is_sampled_from_the_model_as_it_is_then(self):
        model, pieces = certain_model_of_pieces(), load_periods().pieces
        batches = rollouts(model, self.given(), pieces, prompts=1, samples=1, seed=4)
        before = [next(batches).batch.tokens.tolist() for _ in range(2)]
        with torch.no_grad():
            model.output.head.weight.neg_()
        after = next(batches).batch.tokens.tolist()
        assert after not in before


def certain_model_of_pieces():
    torch.manual_seed(0)
    model = make_gpt(1).eval()
    with torch.no_grad():
        model.output.head.weight.mul_(2000)
    return model


@pytest.mark.drawn
class TestParity:
    """Plain Python in double precision, one answer and one piece after the other."""

    def drawn(self):
        generator = torch.Generator().manual_seed(seeded("rewards").getrandbits(60))
        now = -torch.rand(4, 6, generator=generator, dtype=torch.float64) * 3
        old = now + 0.4 * torch.randn(4, 6, generator=generator, dtype=torch.float64)
        mask = torch.rand(4, 6, generator=generator) < 0.7
        return now, old, mask, torch.randn(4, generator=generator, dtype=torch.float64)

    def test_policy_gradient(self):
        now, _, mask, advantages = self.drawn()
        wanted = -sum(
            advantages[n].item() * now[n, t].item() for n, t in itertools.product(range(4), range(6)) if mask[n, t]
        )
        assert policy_gradient_loss(now, mask, advantages).item() == pytest.approx(wanted / 4, rel=1e-12)

    def test_its_gradient_is_that_of_the_expected_reward_where_all_answers_are_known(self):
        logits = torch.tensor([1.0, 0.0, -1.0], dtype=torch.float64, requires_grad=True)
        rewards = torch.tensor([0.2, 1.0, 0.5], dtype=torch.float64)
        probabilities = logits.softmax(-1)
        (wanted,) = torch.autograd.grad((probabilities * rewards).sum(), logits, retain_graph=True)
        found = torch.zeros(3, dtype=torch.float64)
        for answer in range(3):
            loss = policy_gradient_loss(
                logits.log_softmax(-1)[answer].view(1, 1), torch.ones(1, 1, dtype=torch.bool), rewards[answer].view(1)
            )
            found -= probabilities[answer].detach() * torch.autograd.grad(loss, logits)[0]
        torch.testing.assert_close(found, wanted)

    def test_clipping(self):
        now, old, mask, advantages = self.drawn()
        wanted = 0.0
        for n, t in itertools.product(range(4), range(6)):
            ratio, advantage = math.exp(now[n, t] - old[n, t]), advantages[n].item()
            if mask[n, t]:
                wanted -= min(ratio * advantage, min(max(ratio, 0.8), 1.2) * advantage)
        assert clipped_ratio_loss(now, old, mask, advantages).item() == pytest.approx(wanted / 4, rel=1e-12)

    def test_clipping_has_the_gradient_of_reinforce_before_the_first_update(self):
        now, _, mask, advantages = self.drawn()
        now.requires_grad_()
        (clipped,) = torch.autograd.grad(clipped_ratio_loss(now, now.detach(), mask, advantages), now)
        (plain,) = torch.autograd.grad(policy_gradient_loss(now, mask, advantages), now)
        torch.testing.assert_close(clipped, plain)

    def test_kl(self):
        now, reference, mask, _ = self.drawn()
        wanted = 0.0
        for n, t in itertools.product(range(4), range(6)):
            difference = (reference[n, t] - now[n, t]).item()
            wanted += mask[n, t].item() * (math.exp(difference) - 1 - difference)
        assert kl_estimate(now, reference, mask).item() == pytest.approx(wanted / 4, rel=1e-9)

    def test_kl_is_right_on_average(self):
        policy, reference = (
            torch.tensor(each, dtype=torch.float64).log() for each in ([0.5, 0.3, 0.2], [0.2, 0.4, 0.4])
        )
        every = torch.ones(1, 1, dtype=torch.bool)
        found = sum(
            policy[i].exp() * kl_estimate(policy[i].view(1, 1), reference[i].view(1, 1), every) for i in range(3)
        )
        torch.testing.assert_close(found, (policy.exp() * (policy - reference)).sum())

    def test_scaled_advantages_are_trls_but_for_the_deviation_and_what_is_added_to_it(self):
        _, rewards, _, _ = self.drawn()
        theirs = (rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True) + 1e-4)
        torch.testing.assert_close(group_advantages(rewards, scale=True) * (5 / 6) ** 0.5, theirs, rtol=2e-3, atol=0)

    def test_pass_at_k_is_the_share_of_all_choices(self):
        for n, c in itertools.product(range(1, 7), range(7)):
            for k in range(1, n + 1):
                if c <= n:
                    choices = list(itertools.combinations(range(n), k))
                    wanted = sum(min(choice) < c for choice in choices) / len(choices)
                    assert pass_at_k(n, c, k) == pytest.approx(wanted)

    def test_a_vote_of_one_is_its_answer(self):
        assert majority_vote([("he", "saw")]) == ("he", "saw")
