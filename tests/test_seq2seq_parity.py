"""The solutions of the chapter on sequence to sequence and their twins in `seqlab`, from which later chapters start: the same weights give the same numbers."""

import pytest
import torch

from seqlab.corpus import BOS, EOS, PAD, Batch, Vocabulary
from seqlab.models import Decoder as TwinDecoder
from seqlab.models import Encoder as TwinEncoder
from seqlab.models import greedy_translate, token_loss
from solutions.ch03_seq2seq import (
    Decoder,
    Encoder,
    ResidualStack,
    greedy_decode,
    masked_cross_entropy,
    sequence_log_prob,
    shift_right,
)
from tests.parity import every_dtype

WORDS, EMBEDDING, HIDDEN = 12, 5, 6
SEEDS = range(3)
BATCHES = {"one word": [1], "one sentence": [4], "sorted": [5, 3, 1], "in any order": [2, 6, 1, 4]}

every_batch = pytest.mark.parametrize("lengths", BATCHES.values(), ids=BATCHES.keys())


@pytest.fixture(autouse=True, params=SEEDS)
def seed(request):
    torch.manual_seed(request.param)


def padded(lengths):
    """Words with PAD behind them, and where they are words."""
    mask = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)
    return torch.randint(EOS + 1, WORDS, mask.shape).masked_fill(~mask, PAD), mask


def twins(ours, theirs, dtype=torch.float32):
    """One of each class, with the same weights."""
    one, other = ours(WORDS, EMBEDDING, HIDDEN).to(dtype), theirs(WORDS, EMBEDDING, HIDDEN).to(dtype)
    other.load_state_dict(one.state_dict())
    return one, other


def gradients(module, results, outers):
    """The gradient of each weight, if each result is multiplied with numbers of its own and all are added up."""
    sum((result * outer).sum() for result, outer in zip(results, outers, strict=True)).backward()
    return {name: weight.grad for name, weight in module.named_parameters()}


def assert_alike(one, other, run):
    """Two modules give the same results, and the same gradients, for what `run` does with each."""
    results, others = run(one), run(other)
    for result, twin in zip(results, others, strict=True):
        torch.testing.assert_close(result, twin)
    outers = [torch.randn_like(result) for result in results]
    torch.testing.assert_close(gradients(one, results, outers), gradients(other, others, outers))


class TestModels:
    @pytest.mark.parametrize(("ours", "theirs"), [(Encoder, TwinEncoder), (Decoder, TwinDecoder)])
    def test_state_dicts_load_into_each_other(self, ours, theirs):
        one, other = ours(WORDS, EMBEDDING, HIDDEN), theirs(WORDS, EMBEDDING, HIDDEN)
        assert list(one.state_dict()) == list(other.state_dict())
        other.load_state_dict(one.state_dict())
        one.load_state_dict(theirs(WORDS, EMBEDDING, HIDDEN).state_dict())

    @every_dtype
    @every_batch
    def test_encoders_are_alike(self, lengths, dtype):
        source, _ = padded(lengths)
        assert_alike(*twins(Encoder, TwinEncoder, dtype), lambda encoder: encoder(source, torch.tensor(lengths)))

    @every_dtype
    @every_batch
    def test_decoders_are_alike(self, lengths, dtype):
        tokens, _ = padded(lengths)
        state = torch.randn(1, len(lengths), HIDDEN, dtype=dtype)
        assert_alike(*twins(Decoder, TwinDecoder, dtype), lambda decoder: decoder(tokens, state))

    @every_dtype
    @every_batch
    def test_a_sentence_is_encoded_in_company_as_alone(self, lengths, dtype):
        encoder = Encoder(WORDS, EMBEDDING, HIDDEN).to(dtype)
        source, mask = padded(lengths)
        wider = torch.cat([source, torch.full_like(source[:, :2], PAD)], dim=1)
        memory, state = encoder(wider, torch.tensor(lengths))
        assert memory.shape == (*wider.shape, HIDDEN)
        assert not memory[:, : source.shape[1]][~mask].any()
        assert not memory[:, source.shape[1] :].any()
        for row, length in enumerate(lengths):
            alone, own_state = encoder(source[row : row + 1, :length], torch.tensor([length]))
            torch.testing.assert_close(memory[row, :length], alone[0])
            torch.testing.assert_close(state[:, row], own_state[:, 0])

    @every_dtype
    def test_a_stack_whose_layers_give_zeros_gives_back_its_inputs(self, dtype):
        stack = ResidualStack(HIDDEN, HIDDEN, 8).to(dtype)
        for weight in stack.parameters():
            torch.nn.init.zeros_(weight)
        inputs = torch.randn(2, 5, HIDDEN, dtype=dtype)
        torch.testing.assert_close(stack(inputs), inputs)

    @every_dtype
    def test_a_stack_of_one_layer_of_another_width_is_a_gru(self, dtype):
        stack, gru = ResidualStack(3, HIDDEN, 1).to(dtype), torch.nn.GRU(3, HIDDEN, batch_first=True).to(dtype)
        assert [f"layers.0.{name}" for name in gru.state_dict()] == list(stack.state_dict())
        stack.load_state_dict({f"layers.0.{name}": weight for name, weight in gru.state_dict().items()})
        inputs = torch.randn(2, 5, 3, dtype=dtype)
        torch.testing.assert_close(stack(inputs), gru(inputs)[0])


def batch_of(lengths):
    """A batch whose target sentences have these lengths, the end included, and the logits of a model."""
    words, mask = padded(lengths)
    ends = torch.arange(words.shape[1]) == torch.tensor(lengths).unsqueeze(1) - 1
    target_out = words.masked_fill(ends, EOS)
    first = torch.full_like(words[:, :1], BOS)
    target_in = torch.cat([first, words[:, :-1].masked_fill(ends[:, :-1], PAD)], dim=1)
    batch = Batch(words, mask, mask.sum(dim=1), target_in, target_out, mask, ())
    return batch, torch.randn(*words.shape, WORDS)


class TestTraining:
    @every_batch
    def test_the_batch_reads_what_the_target_shifted_gives(self, lengths):
        batch, _ = batch_of(lengths)
        shifted = shift_right(batch.target_out, BOS)
        assert torch.equal(shifted[batch.target_mask], batch.target_in[batch.target_mask])

    @every_batch
    def test_the_loss_is_that_of_seqlab(self, lengths):
        batch, logits = batch_of(lengths)
        loss = masked_cross_entropy(logits, batch.target_out, batch.target_mask)
        torch.testing.assert_close(loss, token_loss(logits, batch))

    @every_batch
    def test_log_probabilities_of_sentences_add_up_to_the_loss(self, lengths):
        batch, logits = batch_of(lengths)
        total = sequence_log_prob(logits, batch.target_out, EOS).sum()
        loss = masked_cross_entropy(logits, batch.target_out, batch.target_mask)
        torch.testing.assert_close(-total / batch.target_mask.sum(), loss)


class TestDecoding:
    @pytest.mark.parametrize("max_words", [1, 8])
    @pytest.mark.parametrize("sentences", [1, 16])
    def test_writes_what_seqlab_writes(self, sentences, max_words):
        vocabulary = Vocabulary([[f"word{i}"] for i in range(WORDS - 4)])
        decoder = Decoder(len(vocabulary), EMBEDDING, HIDDEN)
        with torch.no_grad():
            decoder.output.weight.mul_(5)  # So that different states write different words.
            decoder.output.bias[[PAD, BOS]] = -1e4
            state = torch.randn(1, sentences, HIDDEN)
            written = greedy_decode(decoder, state, BOS, EOS, max_words)
        assert [vocabulary.decode(row) for row in written] == greedy_translate(decoder, state, vocabulary, max_words)
        assert {len(row) for row in written} <= set(range(max_words + 1))
