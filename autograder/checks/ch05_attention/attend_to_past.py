"""The checks of `attend_to_past`."""

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, unpack
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.checks.ch05_attention.squares import beside_diagonal
from autograder.checks.ch05_attention.stand_ins import looked_up, overtones, phases
from autograder.declare import Exercise, check

EXERCISE = Exercise("attend_to_past", "each state attends to the states before it", minutes=15, difficulty=2)


@in_use()
def in_chapter(attend_to_past, draw: Draw) -> Use:
    """A batch, then one long text."""
    return Use(attend_to_past, (draw.normal(2, 21, 6), looked_up), (draw.normal(1, 530, 6), looked_up))


BATCH, LENGTH, SIZE = 2, 5, 3


def shows_its_mask(query: Tensor, memory: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """An attention whose weights depend on memory and mask, not on the query."""
    seen = _look_at(query, memory, mask)
    weights = memory[..., 0].exp().unsqueeze(1) * seen
    return overtones(weights, memory.shape[-1]), weights


def shows_its_query(query: Tensor, memory: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """An attention whose weights depend on query, memory and mask; its context is no weighted sum.

    What a state makes of itself is nothing, so that it does not matter here whether the mask lets it look.
    """
    seen = _look_at(query, memory, mask)
    looked_at = phases(memory).unsqueeze(1)
    weights = torch.sin(phases(query).unsqueeze(2) - looked_at) * looked_at * seen
    return overtones(weights, memory.shape[-1]), weights


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


def of_others(answer):
    """What each state sees of the others; of itself is another check's business."""
    return {"weights": beside_diagonal(answer["weights"])}


@check(
    "each state may attend to all states before it and to none after it",
    reads=of_others,
    points=1,
    hint="Row t of the mask says what state t may look at: it is True at the positions before t. Every state has a "
    "row, including the first one. Return two things, the context and the weights.",
)
def others(attend_to_past, draw: Draw):
    """The weights, with an attention that shows its mask: what each state sees of the others."""
    return {"weights": attended(attend_to_past, shows_its_mask, draw.normal(BATCH, LENGTH, SIZE))["weights"]}


@others.explain
def who_sees_whom(got, want):
    """Which state attends to one after it, or does not to one before it."""
    seen, past = (beside_diagonal(answer["weights"]) != 0 for answer in (got, want))
    if torch.equal(seen, past.mT):
        return "each state attends to the states after it and to none before it"
    wrong = (seen != past).any(0)
    if not wrong.any():
        return (
            "the weights are not those that the attention returns for the given states: is it called with all of them, and "
            "are its weights returned as they are?"
        )
    t, i = wrong.nonzero()[0].tolist()
    told = (
        f"attends to state {i}, which comes after it"
        if i > t
        else f"does not attend to state {i}, which comes before it"
    )
    return f"state {t} (counted from 0) {told}"


@check(
    "no state may attend to itself",
    points=2,
    needs=others,
    hint="i < t is false where i and t are equal: what is on the diagonal of your mask? The first state then attends "
    "to nothing, which is right: an attention returns zeros for an empty row.",
)
def itself(attend_to_past, draw: Draw):
    """The same: what each state sees of itself."""
    return {"weights": attended(attend_to_past, shows_its_mask, draw.normal(BATCH, LENGTH, SIZE))["weights"]}


@itself.explain
def who_sees_itself(got, want):
    """Which state attends to itself."""
    own = (got["weights"].diagonal(dim1=1, dim2=2) != 0).any(0)
    return f"state {own.nonzero()[0].item()} (counted from 0) attends to itself" if own.any() else None


@check(
    "the states are the queries, and also the memory",
    points=1,
    needs=others,
    hint="Pass all the states to the attention twice, unchanged, as queries and as memory; only the mask decides "
    "which state may attend to which. Return the results of the attention.",
)
def asked(attend_to_past, draw: Draw):
    """Context and weights, with an attention that shows who asks and what is looked at."""
    return attended(attend_to_past, shows_its_query, draw.normal(BATCH, LENGTH, SIZE))


@check(
    "the mask that the attention gets has a batch dimension",
    points=1,
    needs=(others, asked),
    hint="An attention takes a mask for each sentence, (B, T, T), or one mask for all of them, (1, T, T). "
    "unsqueeze(0) adds a dimension of size one in front.",
)
def batch_axis(attend_to_past, draw: Draw):
    """An attention that will not have a mask without its batch axis."""
    return attended(attend_to_past, wants_batch_axis, draw.normal(BATCH, LENGTH, SIZE))


@check(
    "any number of sentences and of states works",
    points=1,
    hidden=True,
    needs=(others, asked),
    hint="Take the length of the mask from the states at each call. With one sentence, or with one state that attends "
    "to nothing, context and weights keep all three dimensions: squeeze() removes those of size one.",
)
def numbers(attend_to_past, draw: Draw):
    """Other numbers of sentences and states, the last a slice of longer ones."""
    states = {"one state": draw.normal(1, 1, SIZE), "one sentence": draw.normal(1, 4, SIZE)}
    states["two sentences of two states"] = draw.normal(2, 2, SIZE)
    states["every second state of longer sentences"] = draw.normal(3, 14, SIZE)[:, ::2]
    return {name: attended(attend_to_past, shows_its_query, given) for name, given in states.items()}


@check(
    "the gradient reaches the states",
    points=1,
    hidden=True,
    needs=(others, asked),
    hint="Use only torch operations on the tensors themselves: detach, .data and no_grad cut off the gradient, and a "
    "state gets a gradient both as a query and as memory.",
)
def past_gradient(attend_to_past, draw: Draw):
    """What comes back to the states, who ask and are looked at."""
    states, outer = draw.normal(BATCH, LENGTH, SIZE).requires_grad_(), draw.normal(BATCH, LENGTH, SIZE)
    (attended(attend_to_past, shows_its_query, states)["context"] * outer).sum().backward()
    return {"states": states.grad}
