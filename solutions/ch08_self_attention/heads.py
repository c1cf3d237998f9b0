"""Heads: several attentions in parallel, each in its own part of the vectors."""

from collections.abc import Callable

from torch import Tensor, nn


def split_heads(states: Tensor, num_heads: int) -> Tensor:
    """Split each vector into one piece per head, with the heads next to the batch.

    Head h gets the h-th block of d_k = d_model / num_heads consecutive components.

    Args:
        states: Vectors, shape (B, T, d_model).
        num_heads: Number of heads.

    Returns:
        The pieces, shape (B, num_heads, T, d_k).

    Raises:
        ValueError: d_model is not divisible by the number of heads.
    """
    # 1. Raise an error if d_model is not divisible by num_heads.
    # 2. Split each vector into num_heads pieces of size d_k: (B, T, num_heads, d_k).
    # 3. Move the heads before the positions: (B, num_heads, T, d_k).
    ### BEGIN SOLUTION
    batch, length, d_model = states.shape
    if d_model % num_heads:
        raise ValueError(
            f"d_model is {d_model}: choose a multiple of the {num_heads} heads"
        )
    pieces = states.reshape(batch, length, num_heads, d_model // num_heads)
    return pieces.transpose(1, 2)
    ### END SOLUTION


def merge_heads(states: Tensor) -> Tensor:
    """Put the pieces of all heads back into one vector for each position.

    This undoes ``split_heads``: head 0's piece comes first.

    Args:
        states: The pieces, shape (B, num_heads, T, d_k).

    Returns:
        Vectors, shape (B, T, num_heads · d_k).
    """
    # 1. Move the heads back after the positions: (B, T, num_heads, d_k).
    # 2. Put all pieces of a position in one row: (B, T, num_heads · d_k).
    ### BEGIN SOLUTION
    return states.transpose(1, 2).flatten(start_dim=2)
    ### END SOLUTION


class MultiHeadAttention(nn.Module):
    """Attend with several heads at once.

    MultiHead(X, M) = Concat(head_1 … head_h) W_O, head_i = Attention(X W_i^Q, M W_i^K,
    M W_i^V). Each layer holds the matrices of all heads, one after the other, so that
    one product computes, for example, the queries of all heads.

    The three functions are your earlier exercises. Call them as
    ``self.attention``, ``self.split`` and ``self.merge``, and do not repeat their code
    here: a check passes other functions, which compute something else.

    Args:
        d_model: Size of the input and output vectors.
        num_heads: Number of heads.
        attention: Takes queries (B, num_heads, T, d_k), keys and values
            (B, num_heads, S, d_k) and a mask, or None, that broadcasts to
            (B, num_heads, T, S); returns the output (B, num_heads, T, d_k) and the
            weights (B, num_heads, T, S).
        split: Takes vectors (B, T, d_model) and the number of heads, and returns them
            split, (B, num_heads, T, d_k).
        merge: Takes split vectors and returns them merged, (B, T, d_model).
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        attention: Callable[
            [Tensor, Tensor, Tensor, Tensor | None], tuple[Tensor, Tensor]
        ],
        split: Callable[[Tensor, int], Tensor],
        merge: Callable[[Tensor], Tensor],
    ) -> None:
        """Make the four layers and keep the functions; see the class."""
        super().__init__()
        self.num_heads = num_heads
        self.to_query = nn.Linear(d_model, d_model)
        self.to_key = nn.Linear(d_model, d_model)
        self.to_value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)
        self.attention = attention
        self.split = split
        self.merge = merge

    def keys_values(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Compute the keys and the values of a memory, split into heads.

        Args:
            memory: Vectors, shape (B, S, d_model).

        Returns:
            The keys and the values, shape (B, num_heads, S, d_k) each.
        """
        # 1. Apply `to_key` to the memory and split the result with the function that
        #    you were given: (B, num_heads, S, d_k).
        # 2. Do the same with `to_value`.
        ### BEGIN SOLUTION
        key = self.split(self.to_key(memory), self.num_heads)
        value = self.split(self.to_value(memory), self.num_heads)
        return key, value
        ### END SOLUTION

    def look_up(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Let every head attend, and combine their outputs into one vector.

        Args:
            query: The vectors that attend, not yet projected, shape (B, T, d_model).
            key: Keys as ``keys_values`` returns them, shape (B, num_heads, S, d_k).
            value: Values, likewise.
            mask: None, or boolean, shape (B or 1, T or 1, S); True where a position may
                be attended to, perhaps nowhere. It is the same for all heads.

        Returns:
            The output, shape (B, T, d_model), and each head's weights,
            (B, num_heads, T, S).
        """
        # 1. Apply `to_query` to the query and split the result: (B, num_heads, T, d_k).
        # 2. If there is a mask, give it a dimension for the heads:
        #    (B or 1, 1, T or 1, S).
        # 3. Let all heads attend, with the function that you were given.
        # 4. Merge their outputs and apply `output`: (B, T, d_model).
        ### BEGIN SOLUTION
        heads = self.split(self.to_query(query), self.num_heads)
        if mask is not None:
            mask = mask.unsqueeze(1)
        found, weights = self.attention(heads, key, value, mask)
        return self.output(self.merge(found)), weights
        ### END SOLUTION

    def forward(
        self, query: Tensor, memory: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Attend to a memory; in self-attention the memory is the query itself.

        Args:
            query: The vectors that attend, shape (B, T, d_model).
            memory: The vectors that are attended to, shape (B, S, d_model).
            mask: As in ``look_up``.

        Returns:
            What ``look_up`` returns.
        """
        return self.look_up(query, *self.keys_values(memory), mask)
