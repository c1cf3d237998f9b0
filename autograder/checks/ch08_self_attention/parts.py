"""Fixed parts for a layer: they stand where attention, feed-forward and norms stand, are none of these, and show what they are given."""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.asking.probing import MisuseError
from autograder.asking.serialization import kind_of

WIDTH, HEADS, HEAD_SIZE = 10, 2, 5
BATCH, TARGET, SOURCE = 3, 4, 6
KINDS = {"pre-norm": True, "post-norm": False}
"""The two kinds of layer, and what `pre_norm` is in each."""

SELF, CROSS = "self_attention", "cross_attention"
_PHASES = {SELF: 0.3, CROSS: 1.9}


def _pattern(*shape: int, phase: float) -> Tensor:
    """Numbers between -1 and 1 without a visible order, always the same."""
    count = torch.Size(shape).numel()
    return torch.sin(torch.arange(count) * 1.3 + phase).reshape(shape)


class Attention(nn.Module):
    """Something that takes and returns what an attention does: a sum over the memory, weighted by sines and not by a softmax.

    Args:
        place: What the student calls it.
        sees: Whether what it returns depends on what it was given; otherwise it is a fixed pattern.
        masked: Whether it looks at its mask.
    """

    def __init__(self, place: str, *, sees: bool = True, masked: bool = False) -> None:
        super().__init__()
        self.place, self.sees, self.masked = place, sees, masked
        self.elsewhere: tuple[int, ...] = ()
        """The shape of the mask that the layer's other attention is for."""
        self.optional = False
        """Whether it does without a mask where it would look at one."""
        self.length = 0
        """How many vectors there are to ask, if others must not."""
        phase = _PHASES[place]
        self.query_weight = nn.Parameter(_pattern(HEADS, WIDTH, HEAD_SIZE, phase=phase))
        self.key_weight = nn.Parameter(_pattern(HEADS, WIDTH, HEAD_SIZE, phase=phase + 1))
        self.value_weight = nn.Parameter(_pattern(HEADS, WIDTH, HEAD_SIZE, phase=phase + 2) / 3)
        self.output_weight = nn.Parameter(_pattern(HEADS, HEAD_SIZE, WIDTH, phase=phase + 3) / 3)

    def keys_values(self, memory: Any) -> tuple[Tensor, Tensor]:
        """Something of the shape of keys and values: (B, S, d_model) -> twice (B, num_heads, S, d_k)."""
        if isinstance(memory, Tensor) and memory.dim() == 4:
            if not self.sees:
                return memory, memory
            raise MisuseError(
                f"{self.place}.keys_values(memory) was given {kind_of(memory)}: these are already keys or values, "
                "which are computed once for all positions"
            )
        self._expect_vectors(memory, "memory")
        places = memory.unsqueeze(1)  # (B, 1, S, d_model)
        return places @ self.key_weight, places @ self.value_weight

    def look_up(self, query: Any, key: Any, value: Any, mask: Any = None, *more: Any) -> tuple[Tensor, Tensor]:
        """What the queries find, (B, T, d_model), and weights, (B, num_heads, T, S)."""
        if more:
            raise MisuseError(f"{self.place}.look_up(query, key, value, mask) was given {4 + len(more)} arguments")
        self._expect_vectors(query, "query")
        for name, given in (("key", key), ("value", value)):
            if not isinstance(given, Tensor) or given.dim() != 4 or given.shape[1::2] != (HEADS, HEAD_SIZE):
                raise MisuseError(
                    f"the {name} that {self.place}.look_up(query, key, value, mask) was given is "
                    f"{kind_of(given)}, expected (B, num_heads, S, d_k)"
                )
        return self._found(query, key, value, mask)

    def forward(self, query: Any, memory: Any, mask: Any = None, *more: Any) -> tuple[Tensor, Tensor]:
        """What the queries find in a memory, (B, T, d_model), and weights, (B, num_heads, T, S)."""
        if more:
            raise MisuseError(
                f"{self.place} was given {3 + len(more)} arguments, expected (query, memory, mask): it computes "
                "keys and values from the memory itself"
            )
        self._expect_vectors(query, "query")
        self._expect_vectors(memory, "memory")
        return self._found(query, *self.keys_values(memory), mask)

    def _found(self, query: Tensor, key: Tensor, value: Tensor, mask: Any) -> tuple[Tensor, Tensor]:
        if self.length and query.shape[1] != self.length:
            turned = ", and its memory is the target" * (key.shape[2] == self.length)
            raise MisuseError(
                f"the queries of {self.place} are the encoder's outputs{turned}; expected the other way round: "
                "the queries come from the target, and the output has the target's length"
            )
        weights = torch.sin(query.unsqueeze(1) @ self.query_weight @ key.transpose(2, 3))  # (B, num_heads, T, S)
        if self.masked and not (self.optional and mask is None):
            weights = weights * self._seen(mask, weights)
        if not self.sees:
            pattern = _pattern(query.shape[1], WIDTH, phase=_PHASES[self.place] + 4).to(query.dtype)
            return pattern.expand_as(query).clone(), weights
        return (weights @ value @ self.output_weight).sum(dim=1), weights

    def _seen(self, mask: Any, weights: Tensor) -> Tensor:
        """True where the mask, which is to be one for these weights, lets a query look; (B or 1, 1, T or 1, S)."""
        batch, _, length, places = weights.shape
        if isinstance(mask, Tensor) and self.elsewhere and tuple(mask.shape) == self.elsewhere != (batch, 1, places):
            raise MisuseError(
                f"{self.place} was given the mask of the layer's other attention, {kind_of(mask)}: are the two masks swapped?"
            )
        fits = isinstance(mask, Tensor) and mask.dtype == torch.bool and mask.dim() == 3
        if not fits or any(
            size not in (1, full) for size, full in zip(mask.shape, (batch, length, places), strict=True)
        ):
            raise MisuseError(
                f"the mask that {self.place} was given is {kind_of(mask)}, expected a bool tensor that broadcasts "
                f"to ({batch}, {length}, {places}): sentences, queries, keys"
            )
        seen: Tensor = mask.unsqueeze(1)
        return seen

    def _expect_vectors(self, given: Any, name: str) -> None:
        if (
            not isinstance(given, Tensor)
            or given.dim() != 3
            or given.shape[-1] != WIDTH
            or not given.is_floating_point()
        ):
            raise MisuseError(
                f"the {name} that {self.place} was given is {kind_of(given)}, expected vectors (B, S, d_model)"
            )


class Norm(nn.Module):
    """Something that changes every number of a vector, in a way of its own."""

    def __init__(self, phase: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(1.2 + 0.5 * _pattern(WIDTH, phase=phase))
        self.bias = nn.Parameter(0.5 * _pattern(WIDTH, phase=phase + 1))

    def forward(self, inputs: Tensor) -> Tensor:
        """Of any shape (..., d_model)."""
        return self.weight * inputs.tanh() + self.bias


class FeedForward(nn.Module):
    """Something that makes of every vector another one, and of zeros no zeros."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(_pattern(WIDTH, WIDTH, phase=0.7) / 2)

    def forward(self, inputs: Tensor) -> Tensor:
        """Of any shape (..., d_model)."""
        return torch.cos(inputs @ self.weight)


def norms(count: int, *, neutral: bool = False) -> list[nn.Module]:
    """As many norms, each another; or, neutral, such that change nothing, each its own module all the same."""
    return [nn.Identity() if neutral else Norm(0.4 + 2.3 * place) for place in range(count)]


def gradients(part: nn.Module) -> list[Tensor | None]:
    """What came back to the weights of a part."""
    return [weight.grad for weight in part.parameters()]
