"""The solution's BERT and Hugging Face's, which is the published one: with the same weights the same numbers and the same gradients.

Two things differ, and both are in `ours_of` and nowhere else: torch's encoder layers keep the weights of queries, keys and values in
one matrix, and the two logits of a pair stand the other way round, "is next" first in theirs and last in ours. What comes back at
padding is nobody's business and is left out.
"""

import pytest
import torch
import transformers
from torch.nn import functional as F

from seqlab.encoder import Encoder
from solutions.ch10_bert import BertEmbeddings, BertForPreTraining, masked_lm_loss
from tests.parity import every_dtype, near

PIECES, SIZE, HEADS, LAYERS, WIDE, PLACES = 23, 32, 4, 2, 64, 12
SEEDS = range(3)
BATCHES = {"one sequence": [7], "one without room": [PLACES], "padded": [9, 4, 12, 3]}
LAYER = {
    "attention.output.dense": "self_attn.out_proj",
    "attention.output.LayerNorm": "norm1",
    "intermediate.dense": "linear1",
    "output.dense": "linear2",
    "output.LayerNorm": "norm2",
}
NAMES = {
    "bert.embeddings.word_embeddings.weight": "embeddings.token.weight",
    "bert.embeddings.position_embeddings.weight": "embeddings.position.weight",
    "bert.embeddings.token_type_embeddings.weight": "embeddings.segment.weight",
    "cls.predictions.bias": "bias",
}
MODULES = {
    "bert.embeddings.LayerNorm": "embeddings.norm",
    "bert.pooler.dense": "pooler",
    "cls.predictions.transform.dense": "transform",
    "cls.predictions.transform.LayerNorm": "norm",
    "cls.seq_relationship": "next_sentence",
} | {
    f"bert.encoder.layer.{layer}.{theirs}": f"encoder.layers.{layer}.{own}"
    for layer in range(LAYERS)
    for theirs, own in LAYER.items()
}

every_batch = pytest.mark.parametrize("lengths", BATCHES.values(), ids=BATCHES.keys())


@pytest.fixture(autouse=True, params=SEEDS)
def seed(request):
    torch.manual_seed(request.param)


def ours_of(theirs):
    """Their weights, or what came back to each, by our names."""
    names = NAMES | {f"{module}.{end}": f"{own}.{end}" for module, own in MODULES.items() for end in ("weight", "bias")}
    ours = {own: theirs[name] for name, own in names.items()}
    for layer in range(LAYERS):
        for end in ("weight", "bias"):
            parts = [
                theirs[f"bert.encoder.layer.{layer}.attention.self.{part}.{end}"] for part in ("query", "key", "value")
            ]
            ours[f"encoder.layers.{layer}.self_attn.in_proj_{end}"] = torch.cat(parts)
    for end in ("weight", "bias"):
        ours[f"next_sentence.{end}"] = ours[f"next_sentence.{end}"].flip(0)
    return ours


def twins(dtype):
    """Theirs with random weights, all of them, and ours with the same ones."""
    config = transformers.BertConfig(
        vocab_size=PIECES,
        hidden_size=SIZE,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=WIDE,
        hidden_act="gelu",
        layer_norm_eps=1e-12,
        max_position_embeddings=PLACES,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pad_token_id=None,  # Else the row of [PAD] gets no gradient from the places where it stands.
    )
    theirs = transformers.BertForPreTraining(config)
    for weight in theirs.parameters():
        torch.nn.init.normal_(weight, std=0.3)
    embeddings = BertEmbeddings(PIECES, SIZE, PLACES, dropout=0.0)
    ours = BertForPreTraining(embeddings, Encoder(SIZE, HEADS, WIDE, LAYERS, dropout=0.0), SIZE, PIECES)
    ours.load_state_dict(ours_of(dict(theirs.named_parameters())))
    return ours.to(dtype).eval(), theirs.to(dtype).eval()


def sequences(lengths):
    """Tokens, segments of which each row has both, and a mask."""
    mask = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)
    segments = torch.arange(max(lengths)) >= torch.tensor([(length + 1) // 2 for length in lengths]).unsqueeze(1)
    return torch.randint(0, PIECES, mask.shape), segments.long(), mask


def labels_of(tokens, mask):
    """A label at about half of the places that are no padding and at the first of all, -100 at the others; and one for each pair."""
    chosen = (torch.rand(tokens.shape) < 0.5) & mask
    chosen[0, 0] = True
    return torch.randint(0, PIECES, tokens.shape).masked_fill(~chosen, -100), torch.randint(0, 2, tokens.shape[:1])


def by_theirs(theirs, tokens, segments, mask, **options):
    """What theirs gives."""
    return theirs(input_ids=tokens, token_type_ids=segments, attention_mask=mask.long(), **options)


def assert_same(own, right, dtype):
    assert own.dtype == right.dtype == dtype
    torch.testing.assert_close(own, right, **near(dtype))


class TestNumbers:
    def test_every_weight_of_theirs_has_a_place_in_ours(self):
        ours, theirs = twins(torch.float64)
        assert sum(weight.numel() for weight in ours.parameters()) == sum(
            weight.numel() for weight in theirs.parameters()
        )
        assert ours.state_dict().keys() == ours_of(dict(theirs.named_parameters())).keys()

    @every_dtype
    @every_batch
    def test_hidden_states_and_both_logits(self, lengths, dtype):
        """With a way back and without one: there torch runs an encoder layer in one piece of its own."""
        ours, theirs = twins(dtype)
        given = sequences(lengths)
        mask = given[-1]
        right = by_theirs(theirs, *given, output_hidden_states=True)
        for without in (False, True):
            with torch.inference_mode(without):
                embedded, hidden, (words, pairs) = ours.embeddings(*given[:2]), ours.encode(*given), ours(*given)
                assert_same(embedded[mask], right.hidden_states[0][mask], dtype)
                assert_same(hidden[mask], right.hidden_states[-1][mask], dtype)
                assert_same(words[mask], right.prediction_logits[mask], dtype)
                assert_same(pairs, right.seq_relationship_logits.flip(-1), dtype)

    @every_dtype
    def test_what_stands_at_padding_changes_nothing_elsewhere(self, dtype):
        ours, _ = twins(dtype)
        tokens, segments, mask = sequences(BATCHES["padded"])
        words, pairs = ours(tokens, segments, mask)
        others, other_pairs = ours(tokens.where(mask, (tokens + 1) % PIECES), segments.where(mask, 0), mask)
        assert_same(others[mask], words[mask], dtype)
        assert_same(other_pairs, pairs, dtype)


class TestLosses:
    @every_dtype
    @every_batch
    def test_loss_and_the_gradient_of_every_weight(self, lengths, dtype):
        ours, theirs = twins(dtype)
        given = sequences(lengths)
        labels, is_next = labels_of(given[0], given[-1])
        words, pairs = ours(*given)
        loss = masked_lm_loss(words, labels) + F.cross_entropy(pairs, is_next)
        right = by_theirs(theirs, *given, labels=labels, next_sentence_label=1 - is_next).loss
        assert_same(loss, right, dtype)
        loss.backward()
        right.backward()
        gradients = ours_of({name: weight.grad for name, weight in theirs.named_parameters()})
        for name, weight in ours.named_parameters():
            assert_same(weight.grad, gradients[name], dtype)

    @every_dtype
    def test_the_table_learns_from_both_its_ends(self, dtype):
        """From the word head comes a gradient to every piece, also to those that stand nowhere; the sum of both ends is theirs."""
        ours, theirs = twins(dtype)
        tokens, segments, mask = sequences([6, 4])
        tokens %= PIECES // 2
        labels, _ = labels_of(tokens, mask)
        table = ours.embeddings.token.weight
        masked_lm_loss(ours(tokens, segments, mask)[0], labels).backward()
        both, table.grad = table.grad, None

        hidden = ours.encode(tokens, segments, mask)
        masked_lm_loss(ours.norm(F.gelu(ours.transform(hidden))) @ table.detach().T + ours.bias, labels).backward()
        from_below = table.grad
        right = by_theirs(theirs, tokens, segments, mask).prediction_logits
        F.cross_entropy(right.transpose(1, 2), labels).backward()
        assert_same(both, theirs.get_input_embeddings().weight.grad, dtype)
        assert not from_below[PIECES // 2 :].any()
        assert (both[PIECES // 2 :] != 0).any(dim=1).all()

    def test_where_nothing_is_asked_theirs_is_no_number_and_ours_is_zero(self):
        ours, theirs = twins(torch.float32)
        given = sequences([5, 3])
        nothing = torch.full_like(given[0], -100)
        right = by_theirs(theirs, *given, labels=nothing, next_sentence_label=torch.zeros(2, dtype=torch.long)).loss
        assert right.isnan()
        loss = masked_lm_loss(ours(*given)[0], nothing)
        loss.backward()
        assert loss == 0
        assert not any(weight.grad.any() for weight in ours.parameters() if weight.grad is not None)
