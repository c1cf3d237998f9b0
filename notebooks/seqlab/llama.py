"""A language model of today, put together from parts that are given, such as the reader's: the architecture that is called Llama.

The parts are arguments, so that the chapter, the stored experiments and the tests assemble one model from whatever parts they have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

Cache = list[tuple[Tensor, Tensor]]
"""For each layer the keys and the values of the positions so far, (B, num_kv_heads, t, d_k) each."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a model.

    Attributes:
        vocab_size: Number of tokens, V.
        d_model: Size of a position's vector.
        num_layers: Number of layers.
        num_heads: Query heads of each attention.
        num_kv_heads: Heads of keys and values.
        d_ff: Size of the feed-forward network's hidden layer.
        base: That of the rotary positions.
        eps: That of the norms.
    """

    vocab_size: int
    d_model: int
    num_layers: int
    num_heads: int
    num_kv_heads: int
    d_ff: int
    base: float = 10_000.0
    eps: float = 1e-5


@dataclass(frozen=True, slots=True)
class Parts:
    """What a model is assembled from; each part is called as the chapter's exercise of that name.

    Attributes:
        norm: `RMSNorm`.
        attention: `GroupedQueryAttention`.
        feed_forward: `SwiGLU`.
        rotate: `rotate`.
    """

    norm: Callable[[int, float], nn.Module]
    attention: Callable[[int, int, int, Callable[[Tensor, Tensor], Tensor]], nn.Module]
    feed_forward: Callable[[int, int], nn.Module]
    rotate: Callable[[Tensor, Tensor, float], Tensor]


class Block(nn.Module):
    """One layer: attention, then a feed-forward network, each after a norm and inside a residual connection."""

    def __init__(self, shape: Shape, parts: Parts) -> None:
        """Make the four parts."""
        super().__init__()
        self.attention_norm = parts.norm(shape.d_model, shape.eps)
        self.attention = parts.attention(
            shape.d_model,
            shape.num_heads,
            shape.num_kv_heads,
            lambda vectors, positions: parts.rotate(vectors, positions, shape.base),
        )
        self.feed_forward_norm = parts.norm(shape.d_model, shape.eps)
        self.feed_forward = parts.feed_forward(shape.d_model, shape.d_ff)

    def forward(self, states: Tensor, cache: tuple[Tensor, Tensor] | None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Vectors (B, T, d_model) to vectors, and the layer's cache with T more positions."""
        found, cache = self.attention(self.attention_norm(states), cache)
        states = states + found
        return states + self.feed_forward(self.feed_forward_norm(states)), cache


class Llama(nn.Module):
    """A decoder-only Transformer whose output layer is its embedding.

    Args:
        shape: The sizes.
        parts: What the layers are made of.
    """

    def __init__(self, shape: Shape, parts: Parts) -> None:
        """Make the layers, with random weights."""
        super().__init__()
        self.embedding = nn.Embedding(shape.vocab_size, shape.d_model)
        self.layers = nn.ModuleList(Block(shape, parts) for _ in range(shape.num_layers))
        self.norm = parts.norm(shape.d_model, shape.eps)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        """Predict the next token at each of T positions.

        Args:
            tokens: Their ids, shape (B, T).
            cache: What an earlier call returned for the t tokens before them; None where there are none.

        Returns:
            The logits, shape (B, T, V), and the cache of t + T positions.
        """
        states, after = self.embedding(tokens), []
        for number, layer in enumerate(self.layers):
            states, its_cache = layer(states, cache[number] if cache else None)
            after.append(its_cache)
        return F.linear(self.norm(states), self.embedding.weight), after


def assemble(shape: Shape, parts: Parts, weights: dict[str, Tensor]) -> Llama:
    """Put parts together and load weights into them.

    Args:
        shape: The sizes.
        parts: The parts.
        weights: By the names of the model's own parameters.

    Returns:
        The model, in evaluation mode. Its parameters are the given tensors themselves, not copies.
    """
    with torch.device("meta"):  # The random weights would only be thrown away.
        model = Llama(shape, parts)
    model.load_state_dict(weights, assign=True)
    return model.requires_grad_(False).eval()


@torch.no_grad()
def generate(
    model: Llama,
    ids: Sequence[int],
    choose: Callable[[Tensor], int] = lambda logits: int(logits.argmax()),
    *,
    max_tokens: int = 64,
    stop_id: int | None = None,
    cached: bool = True,
) -> Iterator[int]:
    """Continue a sequence of tokens, one token at a time.

    Args:
        model: Predicts the next token.
        ids: The tokens so far.
        choose: Takes logits (V,), returns the next token; without it the most likely one.
        max_tokens: The most tokens.
        stop_id: The token at which to stop, which is not returned.
        cached: Whether keys and values are kept; without them all tokens are read again at each step.

    Yields:
        The tokens, each as soon as it is chosen.
    """
    read, cache = list(ids), None
    new = read
    for _ in range(max_tokens):
        logits, after = model(torch.tensor([new]), cache)
        token = choose(logits[0, -1])
        if token == stop_id:
            return
        yield token
        read.append(token)
        new, cache = ([token], after) if cached else (read, None)


def to_halves(weight: Tensor, num_heads: int) -> Tensor:
    """Reorder the rows of a layer of queries or keys for code that pairs component i with i + d_k / 2.

    Args:
        weight: For code that pairs neighbours, shape (num_heads * d_k, d_model).
        num_heads: Number of heads in its rows.

    Returns:
        The same rows: of each head first those with an even number, then those with an odd one.
    """
    return weight.unflatten(0, (num_heads, -1, 2)).transpose(1, 2).flatten(0, 2)
