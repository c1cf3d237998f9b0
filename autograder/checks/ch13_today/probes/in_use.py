"""How each exercise of this chapter is used."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch13_today.probes import grouped_query_attention as attentions
from autograder.checks.ch13_today.probes.dequantize_q4_1 import blocks_of
from autograder.checks.ch13_today.probes.merge_byte_pairs import merges_of, word_of
from autograder.draw import Draw
from autograder.in_use import Use, in_use, weigh


@in_use("RMSNorm")
def rms_norm(norm_class, draw: Draw) -> Use:
    """Batches of sentences, then one vector alone."""
    module = weigh(norm_class(10), draw)
    return Use(module, (draw.normal(4, 21, 10, scale=3.0) + 1,), (draw.normal(1, 10, scale=80.0),))


@in_use("rotate", dtypes=False)
def rotate(rotate, draw: Draw) -> Use:
    """The queries of a prompt, then the key of one later token, with the base of SmolLM2."""
    first = draw.normal(2, 9, 12, 16), torch.arange(12), 1e5
    return Use(rotate, first, (draw.normal(1, 3, 1, 8), draw.integers(12, 300, 1), 1e5))


@in_use("GroupedQueryAttention")
def grouped_query_attention(attention_class, draw: Draw) -> Use:
    """A prompt and one more token, then a longer prompt and three more."""
    module = weigh(attention_class(6 * attentions.HEAD, 6, 2, attentions.turn), draw)

    def call(prompt: Tensor, tokens: Tensor) -> list[Any]:
        output, cache = module(prompt)
        after, cache = module(tokens, cache)
        return [output, after, *cache]

    def given(batch: int, length: int, more: int) -> tuple[Tensor, Tensor]:
        return draw.normal(batch, length, 6 * attentions.HEAD), draw.normal(batch, more, 6 * attentions.HEAD)

    return Use(call, given(2, 9, 1), given(1, 14, 3), modules=(module,))


@in_use("SwiGLU")
def swi_glu(network_class, draw: Draw) -> Use:
    """A batch of sentences, then one vector."""
    module = weigh(network_class(6, 16), draw)
    return Use(module, (draw.normal(3, 20, 6),), (draw.normal(1, 6, scale=20.0),))


@in_use("dequantize_q4_1", gradients=False, dtypes=False)
def dequantize_q4_1(dequantize_q4_1, draw: Draw) -> Use:
    """A matrix, then a row."""
    return Use(dequantize_q4_1, (blocks_of(draw, 24, 6),), (blocks_of(draw, 3),))


@in_use("merge_byte_pairs", gradients=False, dtypes=False, devices=False)
def merge_byte_pairs(merge_byte_pairs, draw: Draw) -> Use:
    """Words of one set of merges, then of another."""

    def given(number: int, length: int) -> tuple[list[str], dict[tuple[str, str], int]]:
        return word_of(draw, "abcde", length), merges_of(draw, "abcde", number)

    return Use(merge_byte_pairs, given(12, 9), given(8, 6))
