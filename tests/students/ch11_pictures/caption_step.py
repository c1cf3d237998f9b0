"""What students hand in for `caption_step`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools

import torch
from torch import nn

EXERCISE = "caption_step"


def _everything(cells):
    return torch.ones(cells.shape[:2], dtype=torch.bool, device=cells.device)


def _right(decoder, word, state):
    hidden, memory = state
    logits, _, hidden = decoder(word, hidden, memory[0], _everything(memory[0]))
    return logits, (hidden, memory)


def hides_all(decoder, word, state):
    """The mask hides every cell."""
    hidden, memory = state
    logits, _, hidden = decoder(word, hidden, memory[0], ~_everything(memory[0]))
    return logits, (hidden, memory)


def hides_zeros(decoder, word, state):
    """Cells whose vector is zero are taken for padding."""
    hidden, memory = state
    logits, _, hidden = decoder(word, hidden, memory[0], memory[0].any(dim=-1))
    return logits, (hidden, memory)


def hides_word_0(decoder, word, state):
    """Captions whose last word is number 0 are taken for padding."""
    hidden, memory = state
    logits, _, hidden = decoder(word, hidden, memory[0], (word != 0).expand(-1, memory.shape[2]))
    return logits, (hidden, memory)


def no_mask(decoder, word, state):
    """No mask at all."""
    hidden, memory = state
    logits, _, hidden = decoder(word, hidden, memory[0], None)
    return logits, (hidden, memory)


def mask_of_numbers(decoder, word, state):
    """The mask is made of ones, not of True."""
    hidden, memory = state
    logits, _, hidden = decoder(word, hidden, memory[0], torch.ones(memory.shape[1:3]))
    return logits, (hidden, memory)


def mask_of_states(decoder, word, state):
    """The mask has a query axis already."""
    hidden, memory = state
    logits, _, hidden = decoder(word, hidden, memory[0], _everything(memory[0]).unsqueeze(1))
    return logits, (hidden, memory)


def memory_as_it_is(decoder, word, state):
    """The memory keeps its first dimension."""
    hidden, memory = state
    logits, _, hidden = decoder(word, hidden, memory, _everything(memory[0]))
    return logits, (hidden, memory)


def state_without_layers(decoder, word, state):
    """The hidden state loses its first dimension."""
    hidden, memory = state
    logits, _, hidden = decoder(word, hidden[0], memory[0], _everything(memory[0]))
    return logits, (hidden, memory)


def words_in_a_row(decoder, word, state):
    """The words lose their second dimension."""
    hidden, memory = state
    logits, _, hidden = decoder(word.squeeze(1), hidden, memory[0], _everything(memory[0]))
    return logits, (hidden, memory)


def swapped_parts(decoder, word, state):
    """The memory is taken for the first part."""
    memory, hidden = state
    logits, _, hidden = decoder(word, hidden, memory[0], _everything(memory[0]))
    return logits, (memory, hidden)


def probabilities(decoder, word, state):
    """The logits become probabilities."""
    logits, state = _right(decoder, word, state)
    return logits.softmax(dim=-1), state


def log_probabilities(decoder, word, state):
    """The logits become log-probabilities."""
    logits, state = _right(decoder, word, state)
    return logits.log_softmax(dim=-1), state


def weights_for_logits(decoder, word, state):
    """The attention weights, the decoder's second result, are returned in place of the logits."""
    hidden, memory = state
    _, weights, hidden = decoder(word, hidden, memory[0], _everything(memory[0]))
    return weights, (hidden, memory)


def state_first(decoder, word, state):
    """The results are returned in the wrong order."""
    return _right(decoder, word, state)[::-1]


def old_hidden(decoder, word, state):
    """The hidden state is returned as it came."""
    logits, _ = _right(decoder, word, state)
    return logits, state


def without_memory(decoder, word, state):
    """Only the hidden state is returned."""
    logits, (hidden, _) = _right(decoder, word, state)
    return logits, hidden


def weights_for_hidden(decoder, word, state):
    """The attention weights, the decoder's second result, are used as the next hidden state."""
    hidden, memory = state
    logits, weights, _ = decoder(word, hidden, memory[0], _everything(memory[0]))
    return logits, (weights, memory)


def unlayered_memory(decoder, word, state):
    """The memory comes back without its first dimension, beside a hidden state of another shape."""
    hidden, memory = state
    logits, _, hidden = decoder(word, hidden, memory[0], _everything(memory[0]))
    return logits, (hidden, memory[0].transpose(0, 1))


def empty_memory(decoder, word, state):
    """The memory is made anew."""
    logits, (hidden, memory) = _right(decoder, word, state)
    return logits, (hidden, torch.zeros_like(memory))


def one_row(decoder, word, state):
    """The first row's picture serves all."""
    hidden, memory = state
    cells = memory[0]
    first = cells[:1].expand_as(cells) if len(word) == 2 else cells
    logits, _, hidden = decoder(word, hidden, first, _everything(cells))
    return logits, (hidden, memory)


def squeezes(decoder, word, state):
    """A single row loses its dimension."""
    logits, state = _right(decoder, word, state)
    return (logits[0] if len(logits) == 1 else logits), state


def written_over(decoder, word, state):
    """The new hidden state is written into the old one."""
    logits, (after, memory) = _right(decoder, word, state)
    return logits, (state[0].copy_(after), memory)


_LOGITS = "the decoder gets the word, the hidden state and every cell"
_STATE = "the next state is the new hidden state and the unchanged memory"
_SEARCH = "a search may repeat, reorder and drop rows"
_USE = "works as the chapter uses it"

WRONG = {
    hides_all: _LOGITS,
    hides_zeros: _LOGITS,
    hides_word_0: _LOGITS,
    no_mask: _LOGITS,
    mask_of_numbers: _LOGITS,
    mask_of_states: _LOGITS,
    memory_as_it_is: _LOGITS,
    state_without_layers: _LOGITS,
    words_in_a_row: _LOGITS,
    swapped_parts: _LOGITS,
    probabilities: _LOGITS,
    log_probabilities: _LOGITS,
    weights_for_logits: _LOGITS,
    state_first: _LOGITS,
    without_memory: _LOGITS,
    old_hidden: _STATE,
    weights_for_hidden: _STATE,
    unlayered_memory: _STATE,
    empty_memory: _STATE,
    one_row: _SEARCH,
    squeezes: _SEARCH,
    written_over: _USE,
}


def by_name(decoder, word, state):
    """Parts of the state by number."""
    cells = state[1].squeeze(0)
    mask = cells.new_ones(len(cells), cells.shape[1]).bool()
    logits, _, after = decoder(word, state[0], cells, mask)
    return logits, (after, state[1])


def compared(decoder, word, state):
    """A mask from a comparison."""
    hidden, memory = state
    cells = memory.flatten(0, 1)
    results = decoder(word, hidden, cells, cells[..., 0] == cells[..., 0])
    return results[0], (results[2], memory)


def added_again(decoder, word, state):
    """The memory gets its dimension back."""
    hidden, memory = state
    (cells,) = memory
    logits, _, hidden = decoder(word, hidden, cells, torch.full_like(cells[:, :, 0], 1, dtype=torch.bool))
    return [logits, [hidden, cells.unsqueeze(0)]]


def row_by_row(decoder, word, state):
    """One caption at a time."""
    hidden, memory = state
    steps = []
    for row in range(len(word)):
        one = slice(row, row + 1)
        cells = memory[0, one]
        steps.append(decoder(word[one], hidden[:, one], cells, _everything(cells)))
    return torch.cat([step[0] for step in steps]), (torch.cat([step[2] for step in steps], dim=1), memory)


def one_true(decoder, word, state):
    """The mask is a single True, expanded."""
    hidden, memory = state
    cells = memory.transpose(0, 1).flatten(0, 1)
    logits, _, hidden = decoder(word, hidden, cells, torch.tensor(True, device=cells.device).expand(cells.shape[:2]))
    return logits, (hidden, memory)


class Step(nn.Module):
    """A module in the place of a function."""

    def forward(self, decoder, word, state):
        return _right(decoder, word, state)


RIGHT = {
    "plain": _right,
    "by number": by_name,
    "a comparison": compared,
    "a dimension again": added_again,
    "row by row": row_by_row,
    "one True": one_true,
    "a module": Step(),
    "a partial": functools.partial(_right),
}
