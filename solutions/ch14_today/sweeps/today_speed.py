"""How fast SmolLM2 writes with a cache and without, and with 9 or 3 heads of keys and values; run by `make sweeps`.

With nine heads the model computes the same: each of the three is there three times. All times of a row are of one thread and taken in turns,
and only their ratios are quoted.
"""

from __future__ import annotations

import time
from dataclasses import replace
from statistics import median
from typing import Any

import torch
from torch import Tensor

from seqlab.llama import Cache, Llama, assemble, generate

from ..model import PARTS, assembled, smollm
from ..quantization import dequantize_q4_1

SETTINGS: dict[str, Any] = {
    "prompt": 64,
    "tokens": 16,
    "lengths": [128, 2048, 8000],
    "repeats": 7,
}
VARIANTS = ("turns",)
SEEDS = (0,)


@torch.no_grad()
def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Take all the times; the table's row, and no weights.

    Args:
        variant: The only one.
        seed: Of the tokens of the prompt and of the numbers that fill the caches.

    Returns:
        `seconds` for some tokens with a cache and without; `milliseconds` of one token after so many positions, with 3 heads and with 9; `bytes` of
        the cache for each position; and `gap`, the largest difference between the logits with 3 heads and with 9.
    """
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    three, nine = assembled(), more_heads()
    prompt = torch.randint(3, smollm().shape.vocab_size, (SETTINGS["prompt"],)).tolist()
    seconds: dict[str, float] = {}
    for name, cached in (("cached", True), ("uncached", False)):
        start = time.perf_counter()
        for _ in generate(three, prompt, max_tokens=SETTINGS["tokens"], cached=cached):
            pass
        seconds[name] = round(time.perf_counter() - start, 2)
    milliseconds, bytes_per = {}, {}
    for length in SETTINGS["lengths"]:
        taken: dict[str, list[float]] = {"3": [], "9": []}
        for _ in range(SETTINGS["repeats"]):
            for name, model in (("3", three), ("9", nine)):
                cache = filled(int(name), length)
                start = time.perf_counter()
                model(torch.tensor([prompt[:1]]), cache)
                taken[name].append(1000 * (time.perf_counter() - start))
                bytes_per[name] = (
                    sum(4 * t.numel() for pair in cache for t in pair) // length
                )
                del cache
        milliseconds[str(length)] = {
            name: round(median(times), 1) for name, times in taken.items()
        }
    tokens = torch.tensor([prompt])
    gap = (three(tokens)[0] - nine(tokens)[0]).abs().max().item()
    return {
        "seconds": seconds,
        "milliseconds": milliseconds,
        "bytes": bytes_per,
        "gap": gap,
    }, {}


def more_heads() -> Llama:
    """The model with a head of keys and values for each query head, which computes the same."""
    shape, weights = smollm().shape, smollm().weights(dequantize_q4_1)
    group = shape.num_heads // shape.num_kv_heads
    for name, weight in weights.items():
        if name.endswith(("to_key.weight", "to_value.weight")):
            heads = weight.unflatten(0, (shape.num_kv_heads, -1))
            weights[name] = heads.repeat_interleave(group, dim=0).flatten(0, 1)
    return assemble(replace(shape, num_kv_heads=shape.num_heads), PARTS, weights)


def filled(heads: int, length: int) -> Cache:
    """A cache of so many positions with any numbers: what a step costs does not depend on them."""
    shape = smollm().shape
    size = 1, heads, length, shape.d_model // shape.num_heads
    return [(torch.randn(size), torch.randn(size)) for _ in range(shape.num_layers)]
