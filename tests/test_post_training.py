"""What surrounds the exercises on post-training: periods, batches, writing with a cache; and parity of the exercises with independent computations."""

import math

import pytest
import torch
from torch import nn

from seqlab.gpt import GPT
from seqlab.instruction_tuning import (
    answer_instructions,
    few_shot_prompts,
    greedy,
    instruction_batches,
    make_instruction_batch,
    next_log_probs,
    sampler,
    scores,
    write,
)
from seqlab.instructions import load_instructions
from seqlab.periods import (
    ANSWER,
    BOS,
    EOS,
    LAST_OLD_YEAR,
    PAD,
    load_periods,
    next_piece_loss,
    period_loss,
    show,
    window_batches,
)
from seqlab.presidents import load_speeches
from seqlab.wordpieces import load_pieces
from solutions.ch12_post_training import LoRALinear, answer_only_loss, dpo_loss, pack_instruction

PIECES = 4000


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return GPT(PIECES, 16, 2, 2).eval()


@pytest.fixture(scope="module")
def instructions():
    return load_instructions(train=60, valid=10, test=20, held_out=20)


class TestPeriods:
    def test_the_windows_are_the_running_text_of_their_years(self):
        periods, speeches = load_periods(), load_speeches()
        for name, is_old in (("old", True), ("new", False)):
            for part in ("train", "valid", "test"):
                years = [s for s in getattr(speeches, part) if (s.year <= LAST_OLD_YEAR) == is_old]
                windows = getattr(getattr(periods, name), part)
                assert (windows[:, 0] == BOS).all()
                first = [piece for sentence in years[0].sentences[:9] for piece in periods.pieces.encode(sentence)]
                assert windows[0, 1:].tolist() == first[: windows.shape[1] - 1]
                assert int((windows == EOS).sum()) in (len(years), len(years) - 1)
                assert not (windows == PAD).any()

    def test_batches_go_through_all_windows_once_a_round(self):
        windows = torch.arange(12).unsqueeze(1).repeat(1, 3)
        batches = window_batches(windows, batch_size=5, seed=1)
        seen = torch.cat([next(batches), next(batches)])[:, 0]
        assert len(set(seen.tolist())) == 10
        with pytest.raises(ValueError, match="batch_size is 13: choose from 1 to the 12 windows"):
            window_batches(windows, batch_size=13)

    def test_the_loss_is_the_mean_over_pieces_and_leaves_padding_out(self, model):
        windows = torch.randint(5, PIECES, (70, 9))
        padded = torch.cat([windows, torch.full((70, 4), PAD)], dim=1)
        torch.testing.assert_close(next_piece_loss(model, padded), next_piece_loss(model, windows))
        assert period_loss(model, windows) == pytest.approx(next_piece_loss(model, windows).item(), abs=1e-5)

    def test_ids_are_shown_with_their_names(self):
        pieces = load_pieces()
        ids = [BOS, *pieces.encode(["the", "hedgehog"]), ANSWER, EOS]
        assert show(pieces, ids) == "<bos> the hedgehog <answer> <eos>"


class TestInstructionBatches:
    def test_a_batch_is_padded_and_marked(self):
        batch = make_instruction_batch([([2, 7, 4, 8, 3], [False] * 3 + [True] * 2), ([2, 4, 3], [False] * 2 + [True])])
        assert batch.tokens.tolist() == [[2, 7, 4, 8, 3], [2, 4, 3, PAD, PAD]]
        assert batch.is_answer.tolist()[1] == [False, False, True, False, False]
        with pytest.raises(ValueError, match=r"packed\[0\] has 2 tokens and 1 marks"):
            make_instruction_batch([([2, 3], [True])])
        with pytest.raises(ValueError, match="packed is empty"):
            make_instruction_batch([])

    def test_a_round_has_every_instruction_once(self, instructions):
        pieces, some = load_pieces(), instructions.train[:50]
        batches = instruction_batches(some, pieces, pack_instruction, batch_size=16, seed=2)
        rows = [tuple(row[row != PAD].tolist()) for _ in range(4) for row in next(batches).tokens]
        wanted = [
            tuple(pack_instruction(pieces.encode(x.prompt), pieces.encode(x.answer), BOS, ANSWER, EOS)[0]) for x in some
        ]
        assert sorted(rows) == sorted(wanted)

    def test_solved_examples_stand_before_an_instruction(self, instructions):
        pieces = load_pieces()
        (prompt,) = few_shot_prompts(instructions.test[:1], instructions.train, pieces, 2)
        words = pieces.decode(prompt[1:])
        assert words.count("answer") == 3
        assert words[-3:] == [";", "answer", ":"]
        assert " ".join(instructions.test[0].prompt) in " ".join(words)


class TestWriting:
    def test_with_the_cache_it_writes_what_it_writes_without(self, model):
        prompts = [[BOS, *torch.randint(5, PIECES, (n,)).tolist(), ANSWER] for n in (3, 5, 3, 1)]
        written = write(model, prompts, most=6)
        for prompt, found in zip(prompts, written, strict=True):
            tokens = list(prompt)
            for piece in found:
                log_probs = next_log_probs(model, torch.tensor([tokens]))[0, -1].detach()
                assert log_probs[piece] == pytest.approx(log_probs.max().item(), abs=1e-5)
                tokens.append(piece)

    def test_it_stops_at_the_end_mark(self, model):
        def ends_in_the_third_step(log_probs):
            ends_in_the_third_step.step += 1
            return torch.full((len(log_probs),), EOS if ends_in_the_third_step.step == 3 else 9)

        ends_in_the_third_step.step = 0
        assert write(model, [[BOS, 8], [BOS, 7]], ends_in_the_third_step) == [[9, 9, EOS]] * 2

    def test_samples_follow_the_seed(self, model):
        prompts = [[BOS, 8]] * 6
        one, again, other = (write(model, prompts, sampler(seed), most=5) for seed in (1, 1, 2))
        assert one == again != other

    def test_log_probs_add_up_to_one(self, model):
        found = next_log_probs(model, torch.randint(5, PIECES, (2, 7)))
        torch.testing.assert_close(found.exp().sum(-1), torch.ones(2, 7))

    def test_an_answer_is_right_when_it_stops_and_is(self, model, instructions, monkeypatch):
        pieces, some = load_pieces(), instructions.test[:30]
        right = [[*pieces.encode(each.answer), EOS] for each in some]
        endless = [ids[:-1] for ids in right]
        for said, share in ((right, 1.0), (endless, 0.0)):
            monkeypatch.setattr("seqlab.instruction_tuning.write", lambda *_, said=said, **__: said)
            answers = answer_instructions(model, some, pieces)
            assert set(scores(some, answers).values()) == {share}
            assert all(answer.stopped == bool(share) for answer in answers)
            assert [answer.length for answer in answers] == [len(ids) - 1 for ids in right]


class TestParity:
    def test_lora_is_the_frozen_layer_at_the_start_and_its_merged_form_at_the_end(self):
        torch.manual_seed(0)
        linear = nn.Linear(7, 5).double()
        inputs, before = torch.randn(40, 7).double(), linear.weight.detach().clone()
        wanted = linear(inputs).detach()
        layer = LoRALinear(linear, rank=2, alpha=8.0)
        assert torch.equal(layer(inputs), wanted)
        optimizer = torch.optim.Adam(layer.parameters(), lr=0.05)
        target = torch.randn(40, 5).double()
        for _ in range(30):
            optimizer.zero_grad()
            (layer(inputs) - target).square().mean().backward()
            optimizer.step()
        assert torch.equal(layer.linear.weight, before)
        assert not torch.allclose(layer(inputs), wanted, atol=0.1)
        torch.testing.assert_close(layer.merge()(inputs), layer(inputs), rtol=1e-12, atol=1e-12)
        change = layer.merge().weight - before
        assert torch.linalg.matrix_rank(change) == 2

    def test_dpo_is_the_papers_formula(self):
        torch.manual_seed(0)
        policy, reference = torch.randn(2, 2, 6, 9).double().sub(3)
        mask = torch.rand(2, 6, 9) < 0.6
        total = 0.0
        for b in range(6):
            logs = []
            for which in (0, 1):
                pi = math.prod(math.exp(policy[which, b, t]) for t in range(9) if mask[which, b, t])
                ref = math.prod(math.exp(reference[which, b, t]) for t in range(9) if mask[which, b, t])
                logs.append(math.log(pi / ref))
            total += -math.log(1 / (1 + math.exp(-0.3 * (logs[0] - logs[1]))))
        assert dpo_loss(policy, reference, mask, 0.3).item() == pytest.approx(total / 6, rel=1e-12)

    def test_dpo_starts_at_log_two_and_its_gradient_is_the_papers(self):
        torch.manual_seed(1)
        reference = torch.randn(2, 4, 5).double()
        policy, mask = reference.clone().requires_grad_(), torch.ones(2, 4, 5, dtype=torch.bool)
        loss = dpo_loss(policy, reference, mask, 0.2)
        loss.backward()
        assert loss.item() == pytest.approx(math.log(2))
        torch.testing.assert_close(policy.grad[0], torch.full((4, 5), -0.2 * 0.5 / 4).double())
        torch.testing.assert_close(policy.grad[1], -policy.grad[0])

    def test_the_answer_loss_is_that_of_the_positions_that_count(self, model, instructions):
        pieces = load_pieces()
        batch = next(instruction_batches(instructions.train, pieces, pack_instruction, batch_size=12))
        whole = answer_only_loss(next_log_probs(model, batch.tokens), batch.tokens, batch.is_answer)
        states, _ = model(batch.tokens[:, :-1])
        wanted = batch.is_answer[:, 1:]
        torch.testing.assert_close(whole, model.output(states[wanted], batch.tokens[:, 1:][wanted]).loss)

    def test_greedy_takes_the_most_probable(self):
        assert greedy(torch.tensor([[0.1, 0.7, 0.2], [0.9, 0.0, 0.1]]).log()).tolist() == [1, 0]
