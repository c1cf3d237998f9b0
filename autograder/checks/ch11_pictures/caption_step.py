"""The checks of `caption_step`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, note_slip, unpack
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check

EXERCISE = Exercise("caption_step", "one decoding step that any search can use", minutes=15, difficulty=1)


@in_use()
def in_chapter(caption_step, draw: Draw) -> Use:
    """A batch of captions, then a single one."""

    def call(word: Tensor, hidden: Tensor, memory: Tensor) -> list[Any]:
        logits, state = caption_step(decoder, word, (hidden, memory))
        return [logits, *state]

    def given(rows: int, cells: int) -> tuple[Tensor, ...]:
        return words(draw, rows), *first_state(draw, rows, cells)

    return Use(call, given(5, 16), given(1, 9))


WORDS, HIDDEN, MEMORY = 9, 5, 4


def decoder(word: Any, hidden: Any = None, memory: Any = None, mask: Any = None) -> tuple[Tensor, Tensor, Tensor]:
    """In place of a decoder: its numbers depend on the word, the state, the cells that are not masked, and on each row alone."""
    _look_at(word, hidden, memory, mask)
    weights = mask.unsqueeze(1) * torch.sigmoid(memory[..., :1]).transpose(1, 2)  # (N, 1, S)
    seen = (weights @ memory.cos()).sum(dim=-1, keepdim=True)  # (N, 1, 1); a cell of zeros counts as well
    after = torch.sin(hidden + 0.3 * word.view(1, -1, 1) + 0.2 * seen.transpose(0, 1))
    turns = torch.arange(1, WORDS + 1, dtype=hidden.dtype, device=hidden.device)
    return torch.cos(after.sum(dim=-1).view(-1, 1, 1) * turns + seen), weights, after


def _look_at(word: Any, hidden: Any, memory: Any, mask: Any) -> None:
    rows = word.shape[0] if isinstance(word, Tensor) and word.dim() == 2 else None
    if rows is None or word.shape[1] != 1 or word.is_floating_point():
        raise MisuseError(
            f"the words that the decoder was given are {kind_of(word)}, expected the words unchanged, (N, 1)"
        )
    if not isinstance(hidden, Tensor) or hidden.dim() != 3 or hidden.shape[:2] != (1, rows):
        raise MisuseError(
            f"the hidden state that the decoder was given is {kind_of(hidden)}, expected (1, N, H), here with N = {rows}"
        )
    if not isinstance(memory, Tensor) or memory.dim() != 3 or memory.shape[0] != rows:
        raise MisuseError(
            f"the memory that the decoder was given is {kind_of(memory)}, expected (N, S, M), here with N = {rows}"
        )
    wanted = tuple(memory.shape[:2])
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool or tuple(mask.shape) != wanted:
        raise MisuseError(
            f"the mask that the decoder was given is {kind_of(mask)}, expected a bool tensor of shape (N, S), here {wanted}"
        )


def first_state(draw: Draw, rows: int, cells: int = 6) -> tuple[Tensor, Tensor]:
    """A hidden state and a memory, in which one cell is zero, as a black part of a picture may be."""
    hidden, memory = draw.state(1, rows, HIDDEN), draw.state(1, rows, cells, MEMORY)
    memory[:, :, 1] = 0
    return hidden, memory


def words(draw: Draw, rows: int) -> Tensor:
    """The last words of some captions; the last of them is word 0."""
    last = draw.integers(0, WORDS, rows, 1)
    last[-1] = 0
    return last


def stepped(caption_step, word: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Any, Any, Any]:
    """Logits, the next hidden state and the memory that comes back.

    Raises:
        MisuseError: There are not as many results, or the state has not two parts.
    """
    rows = len(word)
    result = caption_step(decoder, word, state)
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise MisuseError(f"what it returned is {kind_of(result)}, expected two results: the logits and the next state")
    if isinstance(result, list):
        note_slip("what it returned is a list, expected a tuple: return logits, state, without square brackets")
    logits, after = result
    if isinstance(logits, (tuple, list)) and isinstance(after, Tensor):
        raise MisuseError("the results were returned in the order state, logits; expected the logits first")
    if not isinstance(after, (tuple, list)) or len(after) != 2:
        raise MisuseError(
            f"the next state is {kind_of(after)}, expected two parts, in this order: the hidden state (1, N, H) "
            "and the memory (1, N, S, M)"
        )
    if not isinstance(after, tuple):
        note_slip(
            f"the next state is {kind_of(after)}, expected a tuple like the state that was given: (hidden, memory)"
        )
    hidden, memory = unpack(after, hidden=(1, rows, HIDDEN), memory=tuple(state[1].shape))
    return logits, hidden, memory


@check(
    "the decoder gets the word, the hidden state and every cell",
    points=1,
    hint="decoder(word, hidden, cells, mask) returns logits, weights and the next hidden state. The memory in the state has a leading dimension that the decoder "
    "does not take, and the mask is True where a cell may be attended to.",
)
def logits(caption_step, draw: Draw):
    """One step of some captions."""
    found, _, _ = stepped(caption_step, words(draw, 4), first_state(draw, 4))
    return {"logits": found}


@check(
    "the next state is the new hidden state and the unchanged memory",
    points=1,
    needs=logits,
    hint="The next call gets what you return: the hidden state that the decoder returned, and the same memory, with its leading dimension of size 1.",
)
def next_state(caption_step, draw: Draw):
    """The state that comes back."""
    _, hidden, memory = stepped(caption_step, words(draw, 3), first_state(draw, 3))
    return {"hidden state": hidden, "memory": memory}


@check(
    "a search may repeat, reorder and drop rows",
    points=1,
    hidden=True,
    needs=(logits, next_state),
    hint="N may differ from call to call, and may be 1. Store nothing between calls outside the state, and lose "
    "no dimension of size one.",
)
def searched(caption_step, draw: Draw):
    """Steps between which rows are repeated, reordered and dropped, as a beam search does; the first has a single row."""
    word, state = words(draw, 1), first_state(draw, 1)
    found = []
    for rows in ([0, 0, 0], [2, 0, 1, 1], [3, 0], [1]):
        logits, hidden, memory = stepped(caption_step, word, state)
        found.append(logits)
        kept = torch.tensor(rows)
        state = hidden.index_select(1, kept), memory.index_select(1, kept) + 0.1 * draw.normal(1, len(rows), 6, MEMORY)
        word = words(draw, len(rows))
    return {f"step {number}": logits for number, logits in enumerate(found, start=1)}
