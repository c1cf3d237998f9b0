"""How each exercise of this chapter is used."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch08_self_attention import parts
from autograder.checks.ch09_transformer.probes.cached_decode import Layer
from autograder.checks.ch09_transformer.probes.cached_decode import run as run_cached
from autograder.checks.ch09_transformer.probes.warmup_schedule import plain_number
from autograder.draw import Draw
from autograder.in_use import Use, in_use


def _causal(length: int) -> Tensor:
    """A mask (1, T, T)."""
    return torch.ones(1, length, length, dtype=torch.bool).tril()


@in_use("DecoderLayer")
def decoder_layer(layer_class, draw: Draw) -> Use:
    """A layer of each kind over a padded batch, then over one sentence."""
    layers = [
        layer_class(
            parts.Attention(parts.SELF, masked=True),
            parts.Attention(parts.CROSS, masked=True),
            parts.FeedForward(),
            parts.norms(3),
            pre_norm=pre_norm,
        )
        for pre_norm in (True, False)
    ]

    def call(inputs: Tensor, memory: Tensor, target_mask: Tensor, source_mask: Tensor) -> list[Any]:
        return [layer(inputs, memory, target_mask, source_mask) for layer in layers]

    def given(batch: int, length: int, places: int) -> tuple[Tensor, ...]:
        states = draw.normal(batch, length, parts.WIDTH, scale=0.3), draw.normal(batch, places, parts.WIDTH, scale=0.3)
        return *states, _causal(length), draw.mask(batch, 1, places)

    return Use(call, given(2, 9, 20), given(1, 11, 11), modules=tuple(layers))


@in_use("label_smoothed_loss")
def label_smoothed_loss(label_smoothed_loss, draw: Draw) -> Use:
    """A padded batch, then logits of a model that is very sure, with a smoothing that is given."""

    def given(batch: int, length: int, scale: float) -> tuple[Tensor, Tensor, Tensor]:
        logits = draw.normal(batch, length, 11, scale=scale)
        return logits, draw.integers(0, 11, batch, length), draw.padding_mask(batch, length)

    return Use(label_smoothed_loss, given(4, 21, 1.0), (*given(1, 24, 40.0), 0.0))


@in_use("warmup_schedule", gradients=False, dtypes=False, devices=False)
def warmup_schedule(warmup_schedule, draw: Draw) -> Use:
    """The first steps, some near the top and one far behind it, after a shorter warm-up too; then with the usual one."""

    def call(steps: list[int], *sizes: int) -> list[float]:
        several = (sizes, (sizes[0], 300))
        return [1e3 * plain_number(warmup_schedule(step, *these)) for these in several for step in steps]

    near = draw.integers(300, 500, 4).tolist()
    return Use(call, ([1, 2, *near, 400, 401, 90_000], 96, 400), ([1, *near, 4000, 4001], 512))


@in_use("cached_decode", gradients=False)
def cached_decode(cached_decode, draw: Draw) -> Use:
    """A late word of two sentences, then the first of another one."""
    layer = Layer(masked=True)
    layer.self_attention.masked = layer.self_attention.optional = True

    def call(new: Tensor, past: tuple[Tensor, Tensor], source: tuple[Tensor, Tensor], mask: Tensor) -> Any:
        return run_cached(cached_decode, layer, new, past, source, mask)

    def given(batch: int, length: int, places: int) -> tuple[Any, ...]:
        def pair(long: int) -> tuple[Tensor, Tensor]:
            shape = batch, parts.HEADS, long, parts.HEAD_SIZE
            return draw.normal(*shape, scale=0.3), draw.normal(*shape, scale=0.3)

        mask = draw.padding_mask(batch, places).unsqueeze(1)
        return draw.normal(batch, 1, parts.WIDTH, scale=0.3), pair(length), pair(places), mask

    return Use(call, given(2, 80, 81), given(1, 0, 7), modules=(layer,))
