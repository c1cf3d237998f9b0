"""What is asked of `attend_to_past`."""

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, unpack

BATCH, LENGTH, SIZE = 2, 5, 3


def shows_its_mask(query: Tensor, memory: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """An attention whose weights depend on memory and mask, not on the query."""
    seen = _look_at(query, memory, mask)
    weights = memory[..., 0].exp().unsqueeze(1) * seen
    return weights @ memory, weights


def shows_its_query(query: Tensor, memory: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """An attention whose weights depend on query, memory and mask; its context is turned round.

    What a state makes of itself is nothing, so that it does not matter here whether the mask lets it look.
    """
    seen = _look_at(query, memory, mask)
    weights = torch.sin(query.sum(-1).unsqueeze(2) - memory.sum(-1).unsqueeze(1)) * seen
    return -(weights @ memory), weights


def wants_batch_axis(query: Tensor, memory: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """An attention that takes no mask but one of three dimensions."""
    if isinstance(mask, Tensor) and mask.dim() != 3:
        raise MisuseError(
            f"the mask passed to the attention has shape {tuple(mask.shape)}, expected (1, T, T), here (1, {LENGTH}, "
            f"{LENGTH}), with a batch dimension in front: one mask for all sentences"
        )
    return shows_its_query(query, memory, mask)


def _look_at(query: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
    """The mask in the weights' shape; a missing batch axis is another check's business."""
    if not isinstance(query, Tensor) or query.dim() != 3:
        raise MisuseError(f"the queries passed to the attention are {kind_of(query)}, expected (B, T, H)")
    if not isinstance(memory, Tensor) or memory.dim() != 3:
        raise MisuseError(
            f"the memory passed to attention(queries, memory, mask) is {kind_of(memory)}, expected (B, T, H)"
        )
    if memory.shape[0] != query.shape[0] or memory.shape[2] != query.shape[2]:
        raise MisuseError(
            f"the attention was given queries of shape {tuple(query.shape)} and a memory of shape "
            f"{tuple(memory.shape)}: both have to be the states (B, T, H) of the same sentences"
        )
    weights = (*query.shape[:2], memory.shape[1])
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        raise MisuseError(
            f"the mask passed to the attention is {kind_of(mask)}, expected a bool tensor of shape (1, T, T)"
        )
    from_the_last = zip(reversed(mask.shape), reversed(weights), strict=False)
    if mask.dim() not in (2, 3) or any(size not in (1, full) for size, full in from_the_last):
        raise MisuseError(
            f"the mask passed to the attention has shape {tuple(mask.shape)}, with {weights[1]} queries and a memory of "
            f"{weights[2]} states; expected (1, {weights[1]}, {weights[2]})"
        )
    return mask.expand(weights).clone()


def attended(attend_to_past, attention, states: Tensor) -> dict[str, Tensor]:
    """Context and weights of the states."""
    batch, length, size = states.shape
    result = attend_to_past(states, attention)
    context, weights = unpack(result, context=(batch, length, size), weights=(batch, length, length))
    return {"context": context, "weights": weights}


@probe("attend_to_past")
def others(attend_to_past, draw: Draw):
    """The weights, with an attention that shows its mask: what each state sees of the others."""
    return {"weights": attended(attend_to_past, shows_its_mask, draw.normal(BATCH, LENGTH, SIZE))["weights"]}


@probe("attend_to_past")
def itself(attend_to_past, draw: Draw):
    """The same: what each state sees of itself."""
    return {"weights": attended(attend_to_past, shows_its_mask, draw.normal(BATCH, LENGTH, SIZE))["weights"]}


@probe("attend_to_past")
def asked(attend_to_past, draw: Draw):
    """Context and weights, with an attention that shows who asks and what is looked at."""
    states = draw.normal(BATCH, LENGTH, SIZE)
    return {**attended(attend_to_past, shows_its_query, states.clone()), "states": states}


@probe("attend_to_past")
def batch_axis(attend_to_past, draw: Draw):
    """An attention that will not have a mask without its batch axis."""
    return attended(attend_to_past, wants_batch_axis, draw.normal(BATCH, LENGTH, SIZE))


@probe("attend_to_past")
def numbers(attend_to_past, draw: Draw):
    """Other numbers of sentences and states, the last a slice of longer ones."""
    states = {"one state": draw.normal(1, 1, SIZE), "one sentence": draw.normal(1, 4, SIZE)}
    states["two sentences of two states"] = draw.normal(2, 2, SIZE)
    states["every second state of longer sentences"] = draw.normal(3, 14, SIZE)[:, ::2]
    return {name: attended(attend_to_past, shows_its_query, given) for name, given in states.items()}


@probe("attend_to_past")
def past_gradient(attend_to_past, draw: Draw):
    """What comes back to the states, who ask and are looked at."""
    states, outer = draw.normal(BATCH, LENGTH, SIZE).requires_grad_(), draw.normal(BATCH, LENGTH, SIZE)
    (attended(attend_to_past, shows_its_query, states)["context"] * outer).sum().backward()
    return {"states": states.grad}
