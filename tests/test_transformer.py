"""What later chapters may rely on in seqlab's Transformer, in the translator that attends on torch's layers, and in the schedule's loop."""

from itertools import repeat

import pytest
import torch
from torch import Tensor, nn

from seqlab.corpus import BOS, Corpus, load_corpus, make_batch
from seqlab.models import greedy_translate
from seqlab.stored import load_weights
from seqlab.training import SMOKE_STEPS, train
from seqlab.transformer import RecurrentTranslator, Translator
from solutions.ch05_attention import AttentionDecoder, attend, masked_softmax, scaled_scores


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return load_corpus(train=50, valid=0, test=8)


@pytest.fixture(params=[True, False], ids=["pre-norm", "post-norm"])
def model(request: pytest.FixtureRequest, corpus: Corpus) -> Translator:
    torch.manual_seed(0)
    words = len(corpus.source_vocab), len(corpus.target_vocab)
    return Translator(*words, d_model=16, num_heads=2, d_ff=32, num_layers=2, pre_norm=request.param).eval()


class TestTranslator:
    def test_predicts_every_word_of_a_batch(self, model, corpus):
        batch = make_batch(corpus.test, corpus)
        assert model(batch).shape == (*batch.target_in.shape, len(corpus.target_vocab))

    def test_sees_no_later_word(self, model, corpus):
        batch = make_batch(corpus.test[:1], corpus)
        before = model(batch)
        batch.target_in[:, -1] = BOS
        after = model(batch)
        assert torch.allclose(after[:, :-1], before[:, :-1], atol=1e-6)
        assert not torch.allclose(after[:, -1], before[:, -1], atol=1e-3)

    def test_padding_changes_nothing(self, model, corpus):
        pairs = sorted(corpus.test, key=lambda pair: len(pair.source))
        alone, together = make_batch(pairs[:1], corpus), make_batch(pairs, corpus)
        length = alone.target_in.shape[1]
        assert together.source.shape[1] > alone.source.shape[1]
        assert torch.allclose(model(together)[:1, :length], model(alone), atol=1e-5)

    def test_order_counts_on_both_sides(self, model, corpus):
        batch = make_batch(corpus.test[:1], corpus)
        mask = batch.source_mask
        memory = model.encode(batch.source, mask)
        flipped = model.encode(batch.source.flip(1), mask).flip(1)
        assert not torch.allclose(memory, flipped, atol=1e-3)

    def test_layers_of_a_stack_start_different(self, model):
        first, second = model.encoder.layers
        assert not torch.equal(first.linear1.weight, second.linear1.weight)
        assert not torch.equal(first.self_attn.in_proj_weight, second.self_attn.in_proj_weight)

    def test_search_writes_what_teacher_forcing_predicts(self, model, corpus):
        pairs = sorted(corpus.test, key=lambda pair: len(pair.source))
        batch = make_batch(pairs, corpus)
        step, state = model.search(batch)
        found = []
        with torch.no_grad():
            expected = model(batch)
            for word in batch.target_in.unbind(1):
                logits, state = step(word.unsqueeze(1), state)
                found.append(logits)
        real = batch.target_mask
        assert torch.allclose(torch.cat(found, dim=1)[real], expected[real], atol=1e-5)
        assert len(greedy_translate(*model.search(batch), corpus.target_vocab, max_words=5)) == len(pairs)

    def test_looks_are_weights_over_the_source_words(self, model, corpus):
        batch = make_batch(corpus.test, corpus)
        before = model(batch)
        looks = model.looks(batch)
        assert looks.shape == (2, len(corpus.test), 2, batch.target_in.shape[1], batch.source.shape[1])
        assert torch.allclose(looks.sum(dim=-1), torch.ones(looks.shape[:-1]))
        assert looks.masked_select(~batch.source_mask[None, :, None, None]).abs().max() == 0
        assert torch.equal(model(batch), before)


class TestRecurrentTranslator:
    def test_is_chapter_4s_with_the_same_weights(self):
        weights = load_weights("attention", "keyed", 0)
        words = len(weights["encoder.embedding.weight"]), len(weights["decoder.embedding.weight"])
        size = weights["decoder.output.weight"].shape[1]
        ours = RecurrentTranslator(*words, size)
        names = {name: name.replace("decoder.", "").replace("attention.score.", "") for name in weights}
        ours.load_state_dict({names[name]: tensor for name, tensor in weights.items()})
        corpus = load_corpus(train=50, valid=0, test=8)
        batch = make_batch(corpus.test, corpus)

        def attention(query: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
            return attend(query, ours.to_key(memory), memory, mask, scaled_scores, masked_softmax)

        decoder = AttentionDecoder(words[1], size, size, size, attention)
        decoder.load_state_dict(
            {name[8:]: tensor for name, tensor in weights.items() if "decoder" in name and "score" not in name}
        )
        memory, state = ours.encoder(batch.source, batch.source_lengths)
        expected = decoder(batch.target_in, state, memory, batch.source_mask)[0]
        assert torch.allclose(ours(batch), expected, atol=1e-4)
        step, state = ours.search(batch)
        assert torch.allclose(step(batch.target_in[:, :1], state)[0], expected[:, :1], atol=1e-4)


def squared_error(model: nn.Linear, batch: tuple[Tensor, Tensor]) -> Tensor:
    inputs, targets = batch
    return (model(inputs) - targets).square().mean()


@pytest.fixture
def line() -> tuple[nn.Linear, repeat]:
    torch.manual_seed(0)
    inputs = torch.randn(16, 2)
    return nn.Linear(2, 1), repeat((inputs, inputs @ torch.tensor([[2.0], [-1.0]])))


class TestTrainingOnASchedule:
    @pytest.fixture(autouse=True)
    def full_budget(self, monkeypatch):
        monkeypatch.setenv("SEQLAB_BUDGET", "full")

    def test_asks_for_every_step_from_the_first(self, line):
        asked = []
        model, batches = line
        losses = train(model, squared_error, batches, learning_rate=lambda s: asked.append(s) or 0.1, steps=5)
        assert asked == [1, 2, 3, 4, 5]
        assert len(losses) == 5
        assert losses[-1] < losses[0]
        assert not model.training

    def test_does_what_train_does_at_the_same_rates(self, line):
        model, batches = line
        same = nn.Linear(2, 1)
        same.load_state_dict(model.state_dict())
        first = train(model, squared_error, batches, steps=10, learning_rate=0.1)
        second = train(same, squared_error, batches, learning_rate=lambda s: 0.1 * (11 - s) / 10, steps=10)
        assert first == pytest.approx(second, rel=1e-4)

    def test_a_rate_of_zero_moves_nothing(self, line):
        model, batches = line
        before = model.weight.clone()
        train(model, squared_error, batches, learning_rate=lambda s: 0.0, steps=3)
        assert torch.equal(model.weight, before)

    def test_stops_early_at_the_smoke_budget(self, line, monkeypatch):
        monkeypatch.setenv("SEQLAB_BUDGET", "smoke")
        assert len(train(*(line[0], squared_error, line[1]), learning_rate=lambda s: 0.1, steps=99)) == SMOKE_STEPS

    def test_names_what_went_wrong(self, line):
        model, batches = line
        with pytest.raises(ValueError, match="steps is 0"):
            train(model, squared_error, batches, learning_rate=lambda s: 0.1, steps=0)
        with pytest.raises(ValueError, match="ran out after 2 of 3"):
            train(model, squared_error, [next(batches)] * 2, learning_rate=lambda s: 0.1, steps=3)
        with pytest.raises(ValueError, match="the loss is nan at step 2.*1e\\+30|the loss is inf at step 2.*1e\\+30"):
            train(model, squared_error, batches, learning_rate=lambda s: 1e30, steps=9, clip=1e30)
