"""How each exercise of this chapter is used."""

from typing import Any

from torch import Tensor

from autograder.checks.ch08_self_attention.probes import parts
from autograder.draw import Draw
from autograder.in_use import Use, in_use, weigh

_HEADS, _D_MODEL = 2, 12
"""The size of a head is 6, whose root is no whole number."""


def _looked_up(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """In place of `scaled_dot_product_attention`, without its scale."""
    scores = query @ key.transpose(-2, -1) / 4
    weights = (scores if mask is None else scores.masked_fill(~mask, -1e4)).softmax(dim=-1)
    return weights @ value, weights


def _split(states: Tensor, num_heads: int) -> Tensor:
    """In place of `split_heads`: head h gets every h-th number."""
    batch, length, d_model = states.shape
    return states.reshape(batch, length, d_model // num_heads, num_heads).permute(0, 3, 1, 2).contiguous()


def _merge(states: Tensor) -> Tensor:
    """In place of `merge_heads`: it takes back what `_split` did."""
    return states.permute(0, 2, 3, 1).flatten(start_dim=2)


@in_use("scaled_dot_product_attention")
def scaled_dot_product_attention(attention, draw: Draw) -> Use:
    """Heads over padded sentences, one row of which may see nothing, with the mask and without; then far larger scores."""

    def call(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> list[Tensor]:
        return [*attention(query, key, value, mask), *attention(query, key, value)]

    def given(batch: int, queries: int, places: int, scale: float) -> tuple[Tensor, Tensor, Tensor]:
        front = batch, _HEADS
        query, key = draw.normal(*front, queries, 6, scale=scale), draw.normal(*front, places, 6)
        return query, key, draw.normal(*front, places, 5)

    mask = draw.padding_mask(2, 21)
    mask[1] = False
    return Use(call, (*given(2, 4, 21, 1.0), mask[:, None, None]), (*given(1, 1, 24, 8.0), draw.mask(1, 1, 1, 24)))


@in_use("split_heads")
def split_heads(split_heads, draw: Draw) -> Use:
    """Vectors that come transposed, as from a model whose batch is not first; then one long sentence, of an odd size."""
    return Use(split_heads, (draw.normal(21, 3, 12).transpose(0, 1), 4), (draw.normal(1, 24, 9), 3))


@in_use("merge_heads")
def merge_heads(merge_heads, draw: Draw) -> Use:
    """Pieces as `split_heads` gives them, which are a view; then one long sentence."""
    return Use(merge_heads, (draw.normal(3, 21, 4, 3).transpose(1, 2),), (draw.normal(1, 2, 24, 5),))


@in_use("MultiHeadAttention")
def multi_head_attention(attention_class, draw: Draw) -> Use:
    """Its three methods on a padded batch, then on one sentence that asks itself."""
    module = weigh(attention_class(_D_MODEL, _HEADS, _looked_up, _split, _merge), draw)

    def call(query: Tensor, memory: Tensor, mask: Tensor) -> list[Any]:
        key, value = module.keys_values(memory)
        return [key, value, *module.look_up(query, key, value, mask), *module(query, memory)]

    def given(batch: int, queries: int, places: int) -> tuple[Tensor, Tensor, Tensor]:
        states = draw.normal(batch, queries, _D_MODEL), draw.normal(batch, places, _D_MODEL)
        return *states, draw.padding_mask(batch, places).unsqueeze(1)

    return Use(call, given(2, 3, 20), given(1, 4, 23), modules=(module,))


@in_use("LayerNorm")
def layer_norm(norm_class, draw: Draw) -> Use:
    """Batches of sentences that lie far from zero, then one vector alone."""
    module = weigh(norm_class(10), draw)
    return Use(module, (draw.normal(4, 21, 10, scale=3.0) + 5,), (draw.normal(1, 10, scale=80.0),))


@in_use("positional_encoding", gradients=False, dtypes=False, devices=False)
def positional_encoding(positional_encoding, draw: Draw) -> Use:
    """Some places of a sentence, then of a document; once as wide as a model is."""

    def call(length: int, d_model: int, places: list[int]) -> Tensor:
        return positional_encoding(length, d_model)[places]

    first, later = draw.integers(0, 21, 5).tolist(), [*draw.integers(0, 700, 5).tolist(), 2201]
    return Use(call, (21, 96, first), (2202, 4, later))


@in_use("shift_matrix", gradients=False, dtypes=False, devices=False)
def shift_matrix(shift_matrix, draw: Draw) -> Use:
    """A step of a few places back, then one that is longer than a sentence."""
    return Use(shift_matrix, (-int(draw.integers(1, 9)), 14), (int(draw.integers(90, 130)), 10))


@in_use("EncoderLayer")
def encoder_layer(layer_class, draw: Draw) -> Use:
    """A layer of each kind over a padded batch, then over one sentence."""
    layers = [
        layer_class(parts.Attention(parts.SELF, masked=True), parts.FeedForward(), parts.norms(2), pre_norm=pre_norm)
        for pre_norm in (True, False)
    ]

    def call(inputs: Tensor, mask: Tensor) -> list[Any]:
        return [layer(inputs, mask) for layer in layers]

    def given(batch: int, places: int) -> tuple[Tensor, Tensor]:
        return draw.normal(batch, places, parts.WIDTH, scale=0.3), draw.mask(batch, 1, places)

    return Use(call, given(3, 20), given(1, 23), modules=tuple(layers))
