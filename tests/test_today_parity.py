"""The parts of the chapter on a model of today, put together, and the library transformers' own model with the same weights.

Small random weights are always tried, in every number of heads. SmolLM2's are tried where the package that carries them is installed.
"""

import pytest
import torch

from seqlab.llama import Llama, Parts, Shape, assemble, generate, to_halves
from seqlab.smollm import HOW_TO_GET, chat, dequantize_q8_0, find_smollm
from seqlab.stored import load_table
from solutions.ch14_today import RMSNorm, dequantize_q4_1, merge_byte_pairs, rotate
from solutions.ch14_today.model import PARTS, assembled, smollm
from solutions.ch14_today.sweeps.today_parity import theirs

needs_smollm = pytest.mark.skipif(find_smollm() is None, reason=HOW_TO_GET)
SHAPES = {
    "a head for each": Shape(37, 24, 2, 3, 3, 20),
    "groups of two": Shape(37, 32, 2, 4, 2, 20, base=500.0),
    "one for all": Shape(37, 24, 3, 3, 1, 32, eps=1e-3),
}
every_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())


def drawn(shape):
    """Random weights of a model, far from those that modules begin with."""
    torch.manual_seed(0)
    return {name: weight + 0.3 * torch.randn_like(weight) for name, weight in Llama(shape, PARTS).state_dict().items()}


def tokens_of(shape, length=11):
    torch.manual_seed(1)
    return torch.randint(0, shape.vocab_size, (2, length))


def halves(vectors, positions, base):
    """Rotary positions that pair component i with i + d_k / 2."""
    angles = positions.unsqueeze(1) * base ** (-torch.arange(0, vectors.shape[-1], 2) / vectors.shape[-1])
    first, second = vectors.chunk(2, dim=-1)
    return torch.cat(
        [first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()], dim=-1
    )


class TestSmall:
    @every_shape
    def test_logits_are_the_librarys(self, shape):
        weights, tokens = drawn(shape), tokens_of(shape)
        got, _ = assemble(shape, PARTS, weights)(tokens)
        with torch.no_grad():
            want = theirs(shape, weights)(tokens).logits
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)

    @every_shape
    def test_confusing_the_pairs_shows_in_the_logits(self, shape):
        weights, tokens = drawn(shape), tokens_of(shape)
        got, _ = assemble(shape, PARTS, weights)(tokens)
        with torch.no_grad():
            confused = theirs(shape, weights, permuted=False)(tokens).logits
        assert (got - confused).abs().max() > 0.05

    @every_shape
    def test_halves_with_reordered_rows_are_the_neighbours(self, shape):
        weights, tokens = drawn(shape), tokens_of(shape)
        heads = {"to_query": shape.num_heads, "to_key": shape.num_kv_heads}
        reordered = {
            name: to_halves(weight, heads[name.split(".")[-2]]) if name.split(".")[-2] in heads else weight
            for name, weight in weights.items()
        }
        other = Parts(PARTS.norm, PARTS.attention, PARTS.feed_forward, halves)
        torch.testing.assert_close(
            assemble(shape, other, reordered)(tokens)[0],
            assemble(shape, PARTS, weights)(tokens)[0],
            rtol=1e-4,
            atol=1e-4,
        )

    @every_shape
    def test_a_cache_changes_nothing(self, shape):
        model = assemble(shape, PARTS, drawn(shape))
        ids = tokens_of(shape)[0].tolist()
        assert list(generate(model, ids, max_tokens=12)) == list(generate(model, ids, max_tokens=12, cached=False))

    def test_generation_stops_at_the_mark_and_leaves_the_prompt_alone(self):
        shape = SHAPES["a head for each"]
        model, ids = assemble(shape, PARTS, drawn(shape)), [1, 2, 3]
        first, *_ = generate(model, ids, max_tokens=1)
        assert list(generate(model, ids, stop_id=first)) == []
        assert ids == [1, 2, 3]


class TestParts:
    def test_norm_is_torchs(self):
        torch.manual_seed(0)
        norm, inputs = RMSNorm(7, 1e-3), torch.randn(3, 5, 7)
        torch.nn.init.normal_(norm.weight)
        want = torch.nn.functional.rms_norm(inputs, (7,), norm.weight, 1e-3)
        torch.testing.assert_close(norm(inputs), want)

    def test_scores_depend_on_the_distance_alone(self):
        torch.manual_seed(0)
        query, key = torch.randn(20, 1, 16), torch.randn(20, 1, 16)

        def scores(p, q):
            return (rotate(query, torch.tensor([p])) * rotate(key, torch.tensor([q]))).sum(-1)

        torch.testing.assert_close(scores(5, 2), scores(905, 902), rtol=1e-3, atol=1e-3)
        assert (scores(5, 2) - scores(5, 3)).abs().max() > 0.1

    def test_blocks_are_ggufs(self):
        quants = pytest.importorskip("gguf.quants", reason="the package gguf is not installed")
        from gguf import GGMLQuantizationType

        weights = torch.randn(4, 96).numpy()
        for kind, size, mine in (("Q4_1", 20, dequantize_q4_1), ("Q8_0", 34, dequantize_q8_0)):
            stored = quants.quantize(weights, GGMLQuantizationType[kind])
            want = torch.from_numpy(quants.dequantize(stored, GGMLQuantizationType[kind]))
            got = mine(torch.from_numpy(stored).unflatten(1, (-1, size))).flatten(1)
            torch.testing.assert_close(got, want, rtol=1e-6, atol=1e-7)


@needs_smollm
class TestSmolLM:
    def test_logits_are_the_librarys(self):
        tokens = torch.tensor([smollm().encode(chat("What is the capital of France?"))])
        with torch.no_grad():
            want = theirs(smollm().shape, smollm().weights(dequantize_q4_1))(tokens).logits
        torch.testing.assert_close(assembled()(tokens)[0], want, rtol=1e-4, atol=1e-4)

    def test_logits_are_those_that_are_stored(self):
        (row,) = load_table("today_parity")
        for stored in row["prompts"]:
            assert smollm().encode(stored["prompt"]) == stored["tokens"]
            logits = assembled()(torch.tensor([stored["tokens"]]))[0][0, -1]
            torch.testing.assert_close(logits[stored["ids"]], torch.tensor(stored["logits"]), rtol=0, atol=1e-4)

    def test_it_says_paris(self):
        ids = generate(assembled(), smollm().encode(chat("What is the capital of France?")), stop_id=smollm().stop_id)
        assert smollm().decode(list(ids)) == "The capital of France is Paris."

    def test_template_is_the_files(self):
        jinja2 = pytest.importorskip("jinja2")
        turns = [("user", "Hello!"), ("assistant", "Yes?"), ("user", "Name three colors.")]
        messages = [{"role": role, "content": content} for role, content in turns]
        rendered = jinja2.Template(smollm().template).render(messages=messages, add_generation_prompt=True)
        assert rendered == chat(*(content for _, content in turns))

    def test_text_survives_the_tokenizer(self):
        for text in ("he hit me with a pie .", "  Élodie paid 1,024 €\n\n日本 🙂", "def f(x):\n\treturn x"):
            assert smollm().decode(smollm().encode(text)) == text

    def test_merges_make_the_tokenizers_pieces(self):
        ranks = {pair: rank for rank, pair in enumerate(smollm().merges)}
        for word in (" unbelievable", " Transformer", " entarté", "日本"):
            pieces = smollm().tokenizer.encode(word).tokens
            assert merge_byte_pairs(list("".join(pieces)), ranks) == pieces


def test_without_the_package_it_says_how_to_get_it(monkeypatch, capsys):
    from seqlab import smollm as module

    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    assert module.load_smollm() is None
    assert "make real" in capsys.readouterr().out
