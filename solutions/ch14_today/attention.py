"""Grouped-query attention: several query heads share one head of keys and values."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

Cache = tuple[Tensor, Tensor]
"""The keys and the values of all positions so far, (B, num_kv_heads, t, d_k) each."""


class GroupedQueryAttention(nn.Module):
    """Causal self-attention in which neighbouring query heads share keys and values.

    With g = num_heads / num_kv_heads, query heads 0 … g - 1 attend to the first head of
    keys and values, the next g to the second, and so on (Ainslie et al., 2023). The
    cache holds the keys after rotation, once for each group.

    Args:
        d_model: Dimension of the inputs and of the outputs.
        num_heads: Number of query heads; d_k = d_model / num_heads.
        num_kv_heads: Number of heads of keys and values, a divisor of num_heads.
        rotate: Takes vectors (..., T, d_k) and their positions (T,), returns the
            rotated vectors. Call it as ``self.rotate``, because the checks pass a
            function of their own.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        num_kv_heads: int,
        rotate: Callable[[Tensor, Tensor], Tensor],
    ) -> None:
        """Make the four layers, all without bias; the class explains the arguments."""
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_size = d_model // num_heads
        self.to_query = nn.Linear(d_model, num_heads * self.head_size, bias=False)
        self.to_key = nn.Linear(d_model, num_kv_heads * self.head_size, bias=False)
        self.to_value = nn.Linear(d_model, num_kv_heads * self.head_size, bias=False)
        self.output = nn.Linear(num_heads * self.head_size, d_model, bias=False)
        self.rotate = rotate

    def forward(
        self, inputs: Tensor, cache: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Let T positions attend to themselves and to all positions before them.

        Args:
            inputs: The vectors of T new positions, shape (B, T, d_model).
            cache: The rotated keys and the values of the t positions before them, shape
                (B, num_kv_heads, t, d_k) each; None if there are none, so that t = 0.

        Returns:
            The output, shape (B, T, d_model), and the cache with the new positions
            after the old ones, a tuple of two new tensors, shape (B, num_kv_heads, t +
            T, d_k) each. B, T and num_kv_heads may be 1.
        """
        # 1. Compute queries, keys and values and split them into heads:
        #    (B, num_heads, T, d_k) for the queries, (B, num_kv_heads, T, d_k) for the
        #    keys and for the values.
        # 2. Rotate the queries and the keys, at the positions t … t + T - 1.
        # 3. Append the keys and values to those of the cache: (B, num_kv_heads, t + T,
        #    d_k).
        # 4. Repeat each head of keys and values for each query head of its group:
        #    (B, num_heads, t + T, d_k).
        # 5. Divide the scores by √d_k, (B, num_heads, T, t + T), mask those in which
        #    the key's position is later than the query's, apply the softmax, and
        #    compute the weighted sums of the values.
        # 6. Concatenate the heads, head 0 first, and apply `output`: (B, T, d_model).
        ### BEGIN SOLUTION
        batch, length, _ = inputs.shape
        query = (
            self.to_query(inputs)
            .view(batch, length, self.num_heads, self.head_size)
            .transpose(1, 2)
        )
        key = (
            self.to_key(inputs)
            .view(batch, length, self.num_kv_heads, self.head_size)
            .transpose(1, 2)
        )
        value = (
            self.to_value(inputs)
            .view(batch, length, self.num_kv_heads, self.head_size)
            .transpose(1, 2)
        )

        before = 0 if cache is None else cache[0].shape[2]
        places = torch.arange(before + length, device=inputs.device)
        query, key = (
            self.rotate(query, places[before:]),
            self.rotate(key, places[before:]),
        )
        if cache is not None:
            key, value = (
                torch.cat([cache[0], key], dim=2),
                torch.cat([cache[1], value], dim=2),
            )

        group = self.num_heads // self.num_kv_heads
        keys, values = (
            key.repeat_interleave(group, dim=1),
            value.repeat_interleave(group, dim=1),
        )
        scores = query @ keys.transpose(-2, -1) / self.head_size**0.5
        is_later = places > places[before:].unsqueeze(1)  # (T, t + T)
        weights = scores.masked_fill(is_later, float("-inf")).softmax(dim=-1)
        found = (weights @ values).transpose(1, 2).flatten(2)
        return self.output(found), (key, value)
        ### END SOLUTION
