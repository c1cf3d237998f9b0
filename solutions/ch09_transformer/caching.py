"""One new word in a decoder layer, with a cache of the words before it."""

from typing import Any

import torch
from torch import Tensor


def cached_decode(
    layer: Any,
    new: Tensor,
    past: tuple[Tensor, Tensor],
    source: tuple[Tensor, Tensor],
    source_mask: Tensor,
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Run one new position through a pre-norm decoder layer, to decode word by word.

    The keys and values of the earlier positions were computed when those positions were
    new, and are in ``past``. No causal mask is needed, because nothing in ``past``
    comes later than the new position. Decoding needs no gradients.

    Args:
        layer: A ``DecoderLayer`` in evaluation mode. It has ``self_attention`` and
            ``cross_attention``, each with the methods ``keys_values(memory)`` and
            ``look_up(query, key, value, mask)``, as well as ``norms`` and
            ``feed_forward``.
        new: The vector of the new position, shape (B, 1, d_model).
        past: Key and value of the t positions before it, each (B, num_heads, t, d_k); t
            may be 0. The caller may still need them, so do not change them.
        source: Key and value of the encoder's outputs, projected by the layer's
            ``cross_attention`` before the first word, each (B, num_heads, S, d_k).
        source_mask: Boolean, shape (B, 1, S); True on real source words.

    Returns:
        The layer's output for the new position, shape (B, 1, d_model), and the past for
        the next position: key and value, followed by those of the new position, each
        (B, num_heads, t + 1, d_k).
    """
    # 1. Normalise the new position, and compute its key and value:
    #    (B, num_heads, 1, d_k) each.
    # 2. Build the new past, in new tensors: (B, num_heads, t + 1, d_k) each.
    # 3. Let the new position attend to the past and to itself, without a mask, with the
    #    residual: (B, 1, d_model).
    # 4. Let it attend to the source, with the source's mask, then apply feed-forward,
    #    each with its norm and residual.
    ### BEGIN SOLUTION
    normed = layer.norms[0](new)
    own_key, own_value = layer.self_attention.keys_values(normed)
    key = torch.cat([past[0], own_key], dim=2)
    value = torch.cat([past[1], own_value], dim=2)
    states = new + layer.self_attention.look_up(normed, key, value)[0]
    states = (
        states
        + layer.cross_attention.look_up(layer.norms[1](states), *source, source_mask)[0]
    )
    output = states + layer.feed_forward(layer.norms[2](states))
    return output, (key, value)
    ### END SOLUTION
