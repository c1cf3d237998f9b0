"""How fast the beam search of the chapter on decoding is beside `generate` of Hugging Face's transformers.

Both search with one and the same module, so that they differ in the search alone. It is a translator that transformers
brought itself, a Marian, with its own cache of keys and values: `generate` has no recurrent translators, and one that was
fitted to it here might be slower for that reason.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
import transformers
from torch import Tensor

from seqlab.corpus import BOS, PAD
from solutions.ch06_decoding import beam_search

SHAPE = {"source_words": 854, "target_words": 1873, "size": 128, "layers": 2, "heads": 4}
"""The vocabularies and the size are those of the translator in the chapter on decoding; two layers are the fewest that are several."""
BATCH, BEAM, SOURCE_LENGTH, WORDS = 50, 8, 10, 30
"""What the chapter on decoding does: fifty sources of at most ten words, eight places for each, at most thirty steps."""
REPEATS = 21
NO_END = -1
"""It is no word, so that no sentence ends and both write as many words."""


def beam() -> dict[str, Any]:
    """Words a second of both, and how many times as fast ours is, for a batch and for one sentence."""
    model = translator(**SHAPE)
    batch = _compare(model, BATCH)
    return {
        "ratio": batch["ratio"],
        "shape": SHAPE,
        "beam": BEAM,
        "source_length": SOURCE_LENGTH,
        "words": WORDS,
        "threads": torch.get_num_threads(),
        "tokens_a_second": {"batch": batch, "one_sentence": _compare(model, 1)},
    }


def translator(
    *,
    source_words: int,
    target_words: int,
    size: int,
    layers: int,
    heads: int,
    sharpness: float = 12.0,
    end: int | None = None,
    seed: int = 0,
) -> transformers.MarianMTModel:
    """A translator with random weights, which writes something else for every source.

    Its logits are normal with a standard deviation of `sharpness`. With 12 it is about as sure of its next word as the
    translator in the chapter on decoding. Were it not, the beam would be full of sentences that are nearly equally probable, as it never is in practice.
    """
    torch.manual_seed(seed)
    config = transformers.MarianConfig(
        vocab_size=source_words,
        decoder_vocab_size=target_words,
        share_encoder_decoder_embeddings=False,
        tie_word_embeddings=False,
        d_model=size,
        encoder_layers=layers,
        decoder_layers=layers,
        encoder_attention_heads=heads,
        decoder_attention_heads=heads,
        encoder_ffn_dim=4 * size,
        decoder_ffn_dim=4 * size,
        max_position_embeddings=64,
        init_std=size**-0.5,
        scale_embedding=True,
        pad_token_id=PAD,
        decoder_start_token_id=BOS,
        eos_token_id=end,
        forced_eos_token_id=None,
    )
    model = transformers.MarianMTModel(config).eval()
    with torch.no_grad():
        model.lm_head.weight.mul_(sharpness)
    return model


def sources(number: int, length: int, words: int) -> tuple[Tensor, Tensor]:
    """Sentences of random words, half as long to as long as `length`, and where they are words: (number, length) each."""
    lengths = torch.randint((length + 1) // 2, length + 1, (number, 1))
    lengths[0] = length
    mask = torch.arange(length) < lengths
    return torch.randint(BOS + 1, words, mask.shape).masked_fill(~mask, PAD), mask.long()


def cached_step(word: Tensor, state: Any, model: transformers.MarianMTModel) -> tuple[Tensor, Any]:
    """One step of `beam_search` with the model's cache, whose tensors are the state; their rows lie along dimension 0.

    At first the state is the mask of the source and the encoder's states; later the mask and, for each layer, keys and values
    of the words and of the source. The encoder's states are then asked for their length alone.
    """
    mask, *layers = state
    if isinstance(layers[0], Tensor):
        memory, layers = layers[0], []
    else:
        memory = layers[0][2][:, 0]
    own, crossed = _cache([layer[:2] for layer in layers]), _cache([layer[2:] for layer in layers])
    outputs = model(
        encoder_outputs=(memory,),
        attention_mask=mask,
        decoder_input_ids=word,
        past_key_values=transformers.EncoderDecoderCache(own, crossed),
        use_cache=True,
    )
    pairs = zip(own.layers, crossed.layers, strict=True)
    return outputs.logits, (mask, *((one.keys, one.values, two.keys, two.values) for one, two in pairs))


def _cache(layers: list[tuple[Tensor, Tensor]]) -> transformers.DynamicCache:
    """A cache that holds these keys and values themselves; its constructor would copy them."""
    cache = transformers.DynamicCache()
    for keys, values in layers:
        layer = transformers.cache_utils.DynamicLayer()
        layer.lazy_initialization(keys, values)
        layer.keys, layer.values = keys, values
        cache.layers.append(layer)
    return cache


@torch.inference_mode()
def ours(
    model: transformers.MarianMTModel,
    source: Tensor,
    mask: Tensor,
    width: int,
    words: int,
    end: int = NO_END,
    gamma: float = 0.0,
) -> list[list[tuple[list[int], float]]]:
    """Encode and search with `beam_search`."""
    memory = model.get_encoder()(source, attention_mask=mask).last_hidden_state

    def step(word: Tensor, state: Any) -> tuple[Tensor, Any]:
        return cached_step(word, state, model)

    return beam_search(step, (mask, memory), BOS, end, width, words, gamma, batch_dim=0)


def theirs(
    model: transformers.MarianMTModel, source: Tensor, mask: Tensor, width: int, words: int, **options: Any
) -> Any:
    """Encode and search with `generate`, which has a cache, inference mode and no end of its own unless the model has."""
    options = {"early_stopping": True, "length_penalty": 0.0} | options if width > 1 else options
    return model.generate(
        input_ids=source, attention_mask=mask, num_beams=width, max_new_tokens=words, do_sample=False, **options
    )


def _compare(model: transformers.MarianMTModel, number: int) -> dict[str, float]:
    """Both search for translations of the same sources, in turns; words of the best translations a second.

    Seconds are the processor's, so that what else runs on the machine hardly counts.
    """
    torch.manual_seed(0)
    given = (model, *sources(number, SOURCE_LENGTH, model.config.vocab_size), BEAM, WORDS)
    best = [hypotheses[0][0] for hypotheses in ours(*given)]
    if best != theirs(*given)[:, 1:].tolist():
        raise RuntimeError("the two searches find different sentences, so that their speeds say nothing")
    seconds: dict[Callable[..., Any], list[float]] = {ours: [], theirs: []}
    for repeat in range(REPEATS):
        for search in (ours, theirs) if repeat % 2 else (theirs, ours):
            started = time.process_time()
            search(*given)
            seconds[search].append(time.process_time() - started)
    ratios = [slow / fast for slow, fast in zip(seconds[theirs], seconds[ours], strict=True)]
    return {
        "sources": number,
        "ours": round(number * WORDS / statistics.median(seconds[ours])),
        "transformers": round(number * WORDS / statistics.median(seconds[theirs])),
        "ratio": round(statistics.median(ratios), 2),
    }
