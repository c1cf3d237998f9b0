"""The Transformer's parts, from the solutions, and torch's own: the same weights give the same numbers and the same gradients, wherever there is a word.

Then what the chapters say of them: nothing sees the future, order comes from positions alone, and a cache changes nothing.
"""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from seqlab.transformer import Translator
from solutions.ch05_attention import causal_mask
from solutions.ch06_decoding import beam_search
from solutions.ch08_self_attention import (
    EncoderLayer,
    LayerNorm,
    MultiHeadAttention,
    merge_heads,
    positional_encoding,
    scaled_dot_product_attention,
    shift_matrix,
    split_heads,
)
from solutions.ch09_transformer import DecoderLayer, cached_decode, label_smoothed_loss, warmup_schedule
from tests.parity import assert_near, every_dtype

WIDTH, HEADS, INNER, WORDS = 12, 3, 20, 11
SEEDS = range(2)
BATCHES = {"one word": [1], "one sentence": [5], "in any order": [2, 6, 1, 4]}

every_batch = pytest.mark.parametrize("lengths", BATCHES.values(), ids=BATCHES.keys())
every_place = pytest.mark.parametrize("pre_norm", [True, False], ids=["pre-norm", "post-norm"])


@pytest.fixture(autouse=True, params=SEEDS)
def seed(request):
    torch.manual_seed(request.param)


def sentences(lengths, dtype):
    """Vectors of sentences, (B, S, d_model), and where there are words, (B, S)."""
    mask = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)
    return torch.randn(*mask.shape, WIDTH, dtype=dtype), mask


def attention_of(theirs):
    """Ours with the weights of torch's, which keeps those of query, key and value in one tensor."""
    ours = MultiHeadAttention(WIDTH, HEADS, scaled_dot_product_attention, split_heads, merge_heads)
    ours.to(theirs.in_proj_weight.dtype)
    layers = (ours.to_query, ours.to_key, ours.to_value)
    with torch.no_grad():
        for layer, weight, bias in zip(
            layers, theirs.in_proj_weight.chunk(3), theirs.in_proj_bias.chunk(3), strict=True
        ):
            layer.weight.copy_(weight)
            layer.bias.copy_(bias)
        ours.output.load_state_dict(theirs.out_proj.state_dict())
    return ours


def twin(ours, theirs):
    """A module of ours with the state dict of torch's."""
    ours.load_state_dict(theirs.state_dict())
    return ours.to(next(theirs.parameters()).dtype)


def drawn(module, dtype):
    """The module with weights that are all random: torch's biases begin as zeros, its gains as ones."""
    for weight in module.parameters():
        nn.init.normal_(weight, std=0.4)
    return module.to(dtype)


def feed_forward_of(theirs):
    inner = nn.Sequential(nn.Linear(WIDTH, INNER), nn.ReLU(), nn.Linear(INNER, WIDTH))
    inner[0].load_state_dict(theirs.linear1.state_dict())
    inner[2].load_state_dict(theirs.linear2.state_dict())
    return inner.to(theirs.linear1.weight.dtype)


def norms_of(theirs, count):
    own = [getattr(theirs, f"norm{at}") for at in range(1, count + 1)]
    return [twin(LayerNorm(WIDTH, eps=norm.eps), norm) for norm in own]


def encoder_layer_of(theirs, pre_norm):
    return EncoderLayer(
        attention_of(theirs.self_attn), feed_forward_of(theirs), norms_of(theirs, 2), theirs.dropout.p, pre_norm
    )


def decoder_layer_of(theirs, pre_norm):
    attentions = attention_of(theirs.self_attn), attention_of(theirs.multihead_attn)
    return DecoderLayer(*attentions, feed_forward_of(theirs), norms_of(theirs, 3), theirs.dropout.p, pre_norm)


def torchs_layer(layer_class, dtype, pre_norm):
    shape = {"d_model": WIDTH, "nhead": HEADS, "dim_feedforward": INNER, "dropout": 0.0}
    return drawn(layer_class(**shape, batch_first=True, norm_first=pre_norm), dtype)


def weights_of_attention(ours, theirs):
    """Pairs of a gradient of ours and one of torch's, for all weights of an attention."""
    layers = (ours.to_query, ours.to_key, ours.to_value)
    yield torch.cat([layer.weight.grad for layer in layers]), theirs.in_proj_weight.grad
    yield torch.cat([layer.bias.grad for layer in layers]), theirs.in_proj_bias.grad
    yield from zip(
        (w.grad for w in ours.output.parameters()), (w.grad for w in theirs.out_proj.parameters()), strict=True
    )


def weights_of_layer(ours, theirs):
    """The same of a whole layer."""
    yield from weights_of_attention(ours.self_attention, theirs.self_attn)
    if isinstance(ours, DecoderLayer):
        yield from weights_of_attention(ours.cross_attention, theirs.multihead_attn)
    inner = [*theirs.linear1.parameters(), *theirs.linear2.parameters()]
    yield from zip((w.grad for w in ours.feed_forward.parameters()), (w.grad for w in inner), strict=True)
    for at, norm in enumerate(ours.norms, start=1):
        own = getattr(theirs, f"norm{at}")
        yield from ((norm.weight.grad, own.weight.grad), (norm.bias.grad, own.bias.grad))


def leaves(*tensors):
    """The same numbers twice, each with gradients of its own."""
    return [[tensor.clone().requires_grad_() for tensor in tensors] for _ in range(2)]


def assert_gradients(ours, theirs, results, places, given, pairs_of):
    """What comes back from the given places of both results, to what was given and to every weight."""
    outer = torch.randn_like(results[0][places])
    for result in results:
        (result[places] * outer).sum().backward()
    for mine, other in zip(*given, strict=True):
        assert_near(mine.grad, other.grad)
    pairs = list(pairs_of(ours, theirs))
    assert sum(mine.numel() for mine, _ in pairs) == sum(weight.numel() for weight in theirs.parameters())
    for mine, other in pairs:
        assert_near(mine, other)


class TestAttention:
    @every_dtype
    @pytest.mark.parametrize("masked", ["nothing", "places", "pairs"])
    @pytest.mark.parametrize("front", [(), (2,), (2, 3)], ids=["no batch", "sentences", "sentences and heads"])
    def test_it_is_torchs(self, front, masked, dtype):
        query, key = torch.randn(*front, 4, 5, dtype=dtype), torch.randn(*front, 6, 5, dtype=dtype)
        value = torch.randn(*front, 6, 3, dtype=dtype)
        mask = None if masked == "nothing" else torch.rand(*front, 4 if masked == "pairs" else 1, 6) < 0.5
        if mask is not None:
            mask[..., 0] = True
        given = leaves(query, key, value)
        results = scaled_dot_product_attention(*given[0], mask)[0], F.scaled_dot_product_attention(*given[1], mask)
        assert_near(*results)
        outer = torch.randn_like(results[0])
        for result in results:
            (result * outer).sum().backward()
        for ours, theirs in zip(*given, strict=True):
            assert_near(ours.grad, theirs.grad)

    @every_dtype
    def test_weights_add_up_to_one_over_what_may_be_attended(self, dtype):
        query, key = torch.randn(2, 4, 5, dtype=dtype), torch.randn(2, 6, 5, dtype=dtype)
        mask = causal_mask(6)[2:]
        _, weights = scaled_dot_product_attention(query, key, key, mask)
        assert_near(weights.sum(dim=-1), torch.ones(2, 4, dtype=dtype))
        assert not weights[:, ~mask].any()

    @every_dtype
    def test_a_row_of_nothing_gives_zeros_and_in_torchs_module_nan(self, dtype):
        states, mask = sentences([4, 4], dtype)
        mask[1] = False
        given = states.requires_grad_()
        output, weights = scaled_dot_product_attention(given, given, given, mask.unsqueeze(1))
        assert not output[1].any()
        assert not weights[1].any()
        assert not F.scaled_dot_product_attention(given, given, given, mask.unsqueeze(1))[1].any()
        output.sum().backward()
        assert given.grad.isfinite().all()

        theirs = drawn(nn.MultiheadAttention(WIDTH, HEADS, batch_first=True), dtype)
        found, _ = attention_of(theirs)(states, states, mask.unsqueeze(1))
        assert_near(found[1], theirs.out_proj.bias.expand(4, -1))
        from_torch, _ = theirs(states, states, states, key_padding_mask=~mask)
        assert from_torch[1].isnan().all()
        assert_near(found[0], from_torch[0])

    def test_heads_are_runs_of_neighbours_and_come_back_as_they_were(self):
        states = torch.randn(2, 5, WIDTH)
        heads = split_heads(states, HEADS)
        for head, piece in enumerate(states.chunk(HEADS, dim=-1)):
            assert torch.equal(heads[:, head], piece)
        assert torch.equal(merge_heads(heads), states)

    @every_dtype
    @every_batch
    @pytest.mark.parametrize("masked", ["nothing", "padding", "future", "padding and future"])
    def test_several_heads_over_the_own_sentence_are_torchs(self, masked, lengths, dtype):
        theirs = drawn(nn.MultiheadAttention(WIDTH, HEADS, batch_first=True), dtype)
        ours, (states, words) = attention_of(theirs), sentences(lengths, dtype)
        mask, hidden, length = None, {}, states.shape[1]
        if "padding" in masked:
            mask, hidden["key_padding_mask"] = words.unsqueeze(1), ~words
        if "future" in masked:
            hidden["attn_mask"] = ~causal_mask(length)
            mask = causal_mask(length) if mask is None else mask & causal_mask(length)
            mask = mask if mask.dim() == 3 else mask.unsqueeze(0)
        given = leaves(states)
        (mine, look), (other, their_look) = (
            ours(*given[0], *given[0], mask),
            theirs(*given[1] * 3, average_attn_weights=False, **hidden),
        )
        places = words if "padding" in masked else torch.ones_like(words)
        assert_near(mine[places], other[places])
        assert_near(look.transpose(1, 2)[places], their_look.transpose(1, 2)[places])
        assert_gradients(ours, theirs, (mine, other), places, given, weights_of_attention)

    @every_dtype
    @every_batch
    @pytest.mark.parametrize("masked", [False, True], ids=["nothing", "padding"])
    def test_several_heads_over_another_sentence_are_torchs(self, masked, lengths, dtype):
        theirs = drawn(nn.MultiheadAttention(WIDTH, HEADS, batch_first=True), dtype)
        ours, (memory, words) = attention_of(theirs), sentences(lengths, dtype)
        given = leaves(torch.randn(len(lengths), 3, WIDTH, dtype=dtype), memory)
        mine, look = ours(*given[0], words.unsqueeze(1) if masked else None)
        query, memory = given[1]
        hidden = {"key_padding_mask": ~words} if masked else {}
        other, their_look = theirs(query, memory, memory, average_attn_weights=False, **hidden)
        assert_near(mine, other)
        assert_near(look, their_look)
        everywhere = torch.ones(mine.shape[:2], dtype=torch.bool)
        assert_gradients(ours, theirs, (mine, other), everywhere, given, weights_of_attention)

    @every_dtype
    def test_keys_and_values_may_be_kept(self, dtype):
        attention = attention_of(drawn(nn.MultiheadAttention(WIDTH, HEADS, batch_first=True), dtype))
        (query, _), (memory, words) = sentences([2, 2], dtype), sentences([5, 3], dtype)
        key, value = attention.keys_values(memory)
        assert key.shape == value.shape == (2, HEADS, 5, WIDTH // HEADS)
        kept = attention.look_up(query, key, value, words.unsqueeze(1))
        for once, again in zip(kept, attention(query, memory, words.unsqueeze(1)), strict=True):
            assert torch.equal(once, again)


class TestNorm:
    @every_dtype
    @pytest.mark.parametrize("eps", [1e-5, 0.1])
    @pytest.mark.parametrize("shape", [(), (4,), (2, 3)], ids=["one vector", "vectors", "sentences"])
    def test_it_is_torchs(self, shape, eps, dtype):
        theirs = drawn(nn.LayerNorm(WIDTH, eps=eps), dtype)
        ours = twin(LayerNorm(WIDTH, eps=eps), theirs)
        assert list(ours.state_dict()) == list(theirs.state_dict())
        given = leaves(3 * torch.randn(*shape, WIDTH, dtype=dtype) + 1)
        results = ours(*given[0]), theirs(*given[1])
        assert_near(*results)
        outer = torch.randn_like(results[0])
        for result in results:
            (result * outer).sum().backward()
        assert_near(given[0][0].grad, given[1][0].grad)
        for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
            assert_near(mine.grad, other.grad)


class TestLayers:
    @every_place
    @every_dtype
    @every_batch
    def test_an_encoder_layer_is_torchs(self, lengths, dtype, pre_norm):
        theirs = torchs_layer(nn.TransformerEncoderLayer, dtype, pre_norm)
        ours, (states, words) = encoder_layer_of(theirs, pre_norm), sentences(lengths, dtype)
        given = leaves(states)
        results = ours(*given[0], words.unsqueeze(1)), theirs(*given[1], src_key_padding_mask=~words)
        assert_near(results[0][words], results[1][words])
        assert_gradients(ours, theirs, results, words, given, weights_of_layer)

    @every_place
    @every_batch
    def test_an_encoder_layer_is_torchs_in_evaluation(self, lengths, pre_norm):
        theirs = torchs_layer(nn.TransformerEncoderLayer, torch.float32, pre_norm).eval()
        ours, (states, words) = encoder_layer_of(theirs, pre_norm).eval(), sentences(lengths, torch.float32)
        with torch.no_grad():
            assert_near(ours(states, words.unsqueeze(1))[words], theirs(states, src_key_padding_mask=~words)[words])

    @every_place
    @every_dtype
    @every_batch
    def test_a_decoder_layer_is_torchs(self, lengths, dtype, pre_norm):
        theirs = torchs_layer(nn.TransformerDecoderLayer, dtype, pre_norm)
        ours, (memory, words) = decoder_layer_of(theirs, pre_norm), sentences(lengths, dtype)
        inputs, target_words = sentences(lengths[::-1], dtype)
        given = leaves(inputs, memory)
        future = causal_mask(inputs.shape[1])
        mine = ours(*given[0], future.unsqueeze(0), words.unsqueeze(1))
        other = theirs(*given[1], tgt_mask=~future, memory_key_padding_mask=~words)
        assert_near(mine[target_words], other[target_words])
        assert_gradients(ours, theirs, (mine, other), target_words, given, weights_of_layer)

    @every_place
    def test_a_target_may_have_a_mask_for_each_sentence(self, pre_norm):
        theirs = torchs_layer(nn.TransformerDecoderLayer, torch.float64, pre_norm)
        ours, (memory, words) = decoder_layer_of(theirs, pre_norm), sentences([3, 5], torch.float64)
        inputs, target_words = sentences([4, 2], torch.float64)
        mask = causal_mask(4) & target_words.unsqueeze(1)
        mine = ours(inputs, memory, mask, words.unsqueeze(1))
        hidden = {"tgt_mask": ~causal_mask(4), "tgt_key_padding_mask": ~target_words}
        other = theirs(inputs, memory, memory_key_padding_mask=~words, **hidden)
        assert_near(mine[target_words], other[target_words])

    @every_place
    def test_a_dropout_of_all_leaves_the_residuals(self, pre_norm):
        theirs = torchs_layer(nn.TransformerDecoderLayer, torch.float32, pre_norm)
        layer, (inputs, words) = decoder_layer_of(theirs, pre_norm), sentences([4, 2], torch.float32)
        layer.dropout.p = 1.0
        outputs = inputs
        for norm in [] if pre_norm else layer.norms:
            outputs = norm(outputs)
        mask = causal_mask(4).unsqueeze(0)
        assert torch.equal(layer.train()(inputs, inputs, mask, words.unsqueeze(1)), outputs)
        assert not torch.allclose(layer.eval()(inputs, inputs, mask, words.unsqueeze(1)), outputs)


class TestWhatASequenceKnows:
    @every_place
    def test_no_future_word_changes_an_earlier_output(self, pre_norm):
        layer = decoder_layer_of(torchs_layer(nn.TransformerDecoderLayer, torch.float64, pre_norm), pre_norm)
        (inputs, _), (memory, words) = sentences([6, 6], torch.float64), sentences([5, 3], torch.float64)
        masks = causal_mask(6).unsqueeze(0), words.unsqueeze(1)
        outputs = layer(inputs, memory, *masks)
        for t in range(1, 6):
            changed = inputs.clone()
            changed[:, t:] = torch.randn(2, 6 - t, WIDTH, dtype=torch.float64)
            again = layer(changed, memory, *masks)
            assert torch.equal(again[:, :t], outputs[:, :t])
            assert not torch.isclose(again[:, t:], outputs[:, t:]).all(dim=-1).any()

    @every_place
    def test_what_stands_at_padding_changes_no_word(self, pre_norm):
        layer = encoder_layer_of(torchs_layer(nn.TransformerEncoderLayer, torch.float64, pre_norm), pre_norm)
        states, words = sentences([6, 2, 4], torch.float64)
        changed = torch.where(words.unsqueeze(-1), states, 1e3)
        outputs, again = (layer(given, words.unsqueeze(1)) for given in (states, changed))
        assert_near(again[words], outputs[words])
        longer = F.pad(states, (0, 0, 0, 3)), F.pad(words, (0, 3)).unsqueeze(1)
        assert_near(layer(*longer)[:, :6][words], outputs[words])

    @every_place
    def test_order_comes_from_positions_alone(self, pre_norm):
        layer = encoder_layer_of(torchs_layer(nn.TransformerEncoderLayer, torch.float64, pre_norm), pre_norm)
        (states, words), order = sentences([7, 7], torch.float64), torch.tensor([3, 0, 6, 1, 5, 2, 4])
        mask = words.unsqueeze(1)
        assert_near(layer(states[:, order], mask), layer(states, mask)[:, order])
        placed = states + positional_encoding(7, WIDTH)
        again = layer(states[:, order] + positional_encoding(7, WIDTH), mask)
        assert not torch.allclose(again, layer(placed, mask)[:, order], rtol=0.01, atol=0.01)

    @pytest.mark.parametrize("k", [0, 1, 7, -1, -19])
    def test_a_shift_is_a_matrix(self, k):
        encoding = positional_encoding(60, WIDTH)
        shifted = encoding[20:40] @ shift_matrix(k, WIDTH).T
        torch.testing.assert_close(shifted, encoding[20 + k : 40 + k], rtol=1e-4, atol=2e-5)

    def test_shifts_add_up_and_keep_lengths(self):
        two, three, five = (shift_matrix(k, WIDTH) for k in (2, 3, 5))
        assert_near(two @ three, five)
        assert_near(two @ two.T, torch.eye(WIDTH))
        assert_near(two.T, shift_matrix(-2, WIDTH))


class TestTraining:
    @every_dtype
    @every_batch
    @pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0])
    def test_the_smoothed_loss_is_torchs(self, epsilon, lengths, dtype):
        _, mask = sentences(lengths, dtype)
        targets = torch.randint(WORDS, mask.shape)
        given = leaves(2 * torch.randn(*mask.shape, WORDS, dtype=dtype))
        ignored = targets.masked_fill(~mask, -100).flatten()
        results = (
            label_smoothed_loss(*given[0], targets, mask, epsilon),
            F.cross_entropy(given[1][0].flatten(0, 1), ignored, label_smoothing=epsilon),
        )
        assert_near(*results)
        for result in results:
            result.backward()
        assert_near(given[0][0].grad, given[1][0].grad)
        assert not given[0][0].grad[~mask].any()

    def test_the_smoothed_loss_is_least_where_the_prediction_is_the_target(self):
        targets, mask, epsilon = torch.tensor([[4]]), torch.ones(1, 1, dtype=torch.bool), 0.2
        target = torch.full((WORDS,), epsilon / WORDS)
        target[4] += 1 - epsilon
        best = label_smoothed_loss(target.log().view(1, 1, -1), targets, mask, epsilon)
        assert_near(best, -(target * target.log()).sum())
        for _ in range(20):
            near = target.log() + 0.1 * torch.randn(WORDS)
            assert label_smoothed_loss(near.view(1, 1, -1), targets, mask, epsilon) > best

    @pytest.mark.parametrize("warmup_steps", [1, 50, 4000])
    def test_the_rate_rises_to_its_peak_and_falls(self, warmup_steps):
        d_model = int(torch.randint(16, 600, ()))
        peak = warmup_schedule(warmup_steps, d_model, warmup_steps)
        assert peak == pytest.approx((d_model * warmup_steps) ** -0.5)
        for step in torch.randint(1, 3 * warmup_steps + 2, (20,)).tolist():
            rate = warmup_schedule(step, d_model, warmup_steps)
            share = step / warmup_steps
            assert rate == pytest.approx(peak * (share if share < 1 else share**-0.5))
            assert rate <= peak * (1 + 1e-12)
        assert warmup_schedule(4000, 512) == pytest.approx(7e-4, rel=0.01)  # of the paper's base model

    @pytest.mark.parametrize("step", [0, -3])
    def test_there_is_no_step_before_the_first(self, step):
        with pytest.raises(ValueError, match="first step"):
            warmup_schedule(step, 512)


def decoder_of(theirs, pre_norm=True):
    """Our layers and last norm, with the weights of torch's stack."""
    layers = [decoder_layer_of(layer, pre_norm) for layer in theirs.layers]
    return layers, twin(LayerNorm(WIDTH), theirs.norm) if theirs.norm is not None else nn.Identity()


def small_translator(dtype=torch.float32, pre_norm=True, sharpness=1.0):
    """A translator of `seqlab` with random weights, whose logits are `sharpness` times as far apart."""
    model = drawn(Translator(WORDS, WORDS, WIDTH, HEADS, INNER, 2, pre_norm=pre_norm), dtype).eval()
    with torch.no_grad():
        model.output.weight.mul_(sharpness)
    return model.requires_grad_(requires_grad=False)


def run_cached(layers, vector, pasts, sources, source_mask):
    """One new position through a stack: its vector and the longer pasts."""
    longer = []
    for layer, past, source in zip(layers, pasts, sources, strict=True):
        vector, past = cached_decode(layer, vector, past, source, source_mask)
        longer.append(past)
    return vector, tuple(longer)


def no_past(rows, dtype=torch.float32):
    return tuple(torch.empty(rows, HEADS, 0, WIDTH // HEADS, dtype=dtype) for _ in range(2))


class TestCache:
    @every_dtype
    @every_batch
    def test_step_by_step_a_layer_gives_what_it_gives_at_once(self, lengths, dtype):
        layer = decoder_layer_of(torchs_layer(nn.TransformerDecoderLayer, dtype, pre_norm=True), pre_norm=True)
        memory, words = sentences(lengths, dtype)
        length = int(torch.randint(1, 9, ()))
        inputs, _ = sentences([length] * len(lengths), dtype)
        at_once = layer(inputs, memory, causal_mask(length).unsqueeze(0), words.unsqueeze(1))
        past, source = no_past(len(lengths), dtype), layer.cross_attention.keys_values(memory)
        for t in range(length):
            before, kept = past, [tensor.clone() for tensor in past]
            output, past = cached_decode(layer, inputs[:, t : t + 1], past, source, words.unsqueeze(1))
            assert_near(output, at_once[:, t : t + 1])
            assert past[0].shape == past[1].shape == (len(lengths), HEADS, t + 1, WIDTH // HEADS)
            assert all(torch.equal(tensor, copy) for tensor, copy in zip(before, kept, strict=True))
        key, value = layer.self_attention.keys_values(layer.norms[0](inputs))
        assert_near(past[0], key)
        assert_near(past[1], value)

    def test_two_sentences_go_on_from_one_past(self):
        layer = decoder_layer_of(torchs_layer(nn.TransformerDecoderLayer, torch.float64, pre_norm=True), pre_norm=True)
        (memory, words), (inputs, _) = sentences([5], torch.float64), sentences([3], torch.float64)
        source, past = layer.cross_attention.keys_values(memory), no_past(1, torch.float64)
        for t in range(2):
            _, past = cached_decode(layer, inputs[:, t : t + 1], past, source, words.unsqueeze(1))
        for _ in range(2):
            inputs = torch.cat([inputs[:, :2], torch.randn(1, 1, WIDTH, dtype=torch.float64)], dim=1)
            output, _ = cached_decode(layer, inputs[:, 2:], past, source, words.unsqueeze(1))
            at_once = layer(inputs, memory, causal_mask(3).unsqueeze(0), words.unsqueeze(1))
            assert_near(output, at_once[:, 2:])

    @pytest.mark.parametrize("width", [1, 3])
    def test_beam_search_finds_the_same_with_and_without(self, width):
        lengths, most, bos, eos = [2, 6, 4], 6, 1, 2
        model = small_translator(sharpness=3.0)
        layers, norm = decoder_of(model.decoder)
        _, mask = sentences(lengths, torch.float32)
        memory = model.encode(torch.randint(WORDS, mask.shape), mask)
        waves = positional_encoding(most, WIDTH)

        def embed(words, start):
            return model.target_embedding(words) * WIDTH**0.5 + waves[start : start + words.shape[1]]

        def uncached(word, state):
            words, memory, mask = state
            words = torch.cat([words, word], dim=1)
            vectors, future = embed(words, 0), causal_mask(words.shape[1]).unsqueeze(0)
            for layer in layers:
                vectors = layer(vectors, memory, future, mask)
            return model.output(norm(vectors[:, -1:])), (words, memory, mask)

        def cached(word, state):
            pasts, sources, mask = state
            vector, pasts = run_cached(layers, embed(word, pasts[0][0].shape[2]), pasts, sources, mask)
            return model.output(norm(vector)), (pasts, sources, mask)

        mask = mask.unsqueeze(1)
        sources = tuple(layer.cross_attention.keys_values(memory) for layer in layers)
        pasts = tuple(no_past(len(lengths)) for _ in layers)
        nothing = torch.empty(len(lengths), 0, dtype=torch.int64)
        found = [
            beam_search(step, state, bos, eos, width, most, batch_dim=0)
            for step, state in ((uncached, (nothing, memory, mask)), (cached, (pasts, sources, mask)))
        ]
        for of_one, of_other in zip(*found, strict=True):
            assert [words for words, _ in of_one] == [words for words, _ in of_other]
            assert [score for _, score in of_one] == pytest.approx([score for _, score in of_other], rel=1e-4)


class TestWholeStack:
    """The stored weights of `seqlab`'s translator, in the parts that the chapter builds."""

    @every_place
    @every_dtype
    @every_batch
    def test_the_parts_give_the_logits_of_the_translator(self, lengths, dtype, pre_norm):
        model = small_translator(dtype, pre_norm)
        encoder = [encoder_layer_of(layer, pre_norm) for layer in model.encoder.layers]
        last = twin(LayerNorm(WIDTH), model.encoder.norm) if pre_norm else nn.Identity()
        decoder, norm = decoder_of(model.decoder, pre_norm)
        _, words = sentences(lengths, dtype)
        _, target_words = sentences(lengths[::-1], dtype)
        source, target = torch.randint(WORDS, words.shape), torch.randint(WORDS, target_words.shape)

        def embed(embedding, tokens):
            return embedding(tokens) * WIDTH**0.5 + positional_encoding(tokens.shape[1], WIDTH)

        memory = embed(model.source_embedding, source)
        for layer in encoder:
            memory = layer(memory, words.unsqueeze(1))
        memory = last(memory)
        states, future = embed(model.target_embedding, target), causal_mask(target.shape[1]).unsqueeze(0)
        for layer in decoder:
            states = layer(states, memory, future, words.unsqueeze(1))
        logits = model.output(norm(states))

        theirs = model.encode(source, words)
        torch.testing.assert_close(memory[words], theirs[words], rtol=1e-4, atol=1e-4)
        wanted = model.output(model.decode(target, theirs, words))
        torch.testing.assert_close(logits[target_words], wanted[target_words], rtol=1e-4, atol=1e-4)
