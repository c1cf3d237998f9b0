"""Mistakes in `caption_step`, and right answers in other styles."""

import functools

import torch
from torch import nn

from autograder.checks.ch11_pictures.caption_step import in_chapter, logits, next_state, searched
from autograder.judging.catalogue import mistake, right


def _everything(cells):
    return torch.ones(cells.shape[:2], dtype=torch.bool, device=cells.device)


@mistake(
    logits, "the next state is a list, expected a tuple like the state that was given: a search takes rows of tuples"
)
def state_in_a_list(decoder, word, state):
    found, after = _right(decoder, word, state)
    return found, list(after)


@right
def _right(decoder, word, state):
    hidden, memory = state
    logits, _, hidden = decoder(word, hidden, memory[0], _everything(memory[0]))
    return logits, (hidden, memory)


mistake(logits, "the mask hides every cell: True means that a cell may be attended to").made_in(
    _right, hides_all={"_everything(memory[0])": "~_everything(memory[0])"}
)
mistake(logits, "the mask hides the cells whose vector is zero: every cell may be attended to").made_in(
    _right, hides_zeros={"_everything(memory[0])": "memory[0].any(dim=-1)"}
)
mistake(
    logits, "the mask hides every cell of a caption whose last word is number 0: every cell may be attended to"
).made_in(_right, hides_word_0={"_everything(memory[0])": "(word != 0).expand(-1, memory.shape[2])"})


@mistake(logits, "every caption gets the memory of the first one's picture")
def first_picture(decoder, word, state):
    hidden, memory = state
    cells = memory[0, :1].expand(memory.shape[1:])
    logits, _, hidden = decoder(word, hidden, cells, _everything(cells))
    return logits, (hidden, memory)


@mistake(in_chapter, "the new hidden state is detached, so that no gradient comes back through it")
def hidden_detached(decoder, word, state):
    found, (hidden, memory) = _right(decoder, word, state)
    return found, (hidden.detach(), memory)


mistake(logits, "the decoder gets no mask").made_in(
    _right, no_mask={"(word, hidden, memory[0], _everything(memory[0]))": "(word, hidden, memory[0], None)"}
)
mistake(logits, "the mask holds 1 and 0, expected True and False").made_in(
    _right, mask_of_numbers={"_everything(memory[0])": "torch.ones(memory.shape[1:3])"}
)
mistake(logits, "the mask has a dimension of queries, expected (N, S)").made_in(
    _right, mask_of_states={"(memory[0]))": "(memory[0]).unsqueeze(1))"}
)
mistake(logits, "the memory keeps its leading dimension, which the decoder does not take").made_in(
    _right, memory_as_it_is={"hidden, memory[0]": "hidden, memory"}
)
mistake(logits, "the hidden state loses its leading dimension, which the decoder needs").made_in(
    _right, state_without_layers={"word, hidden": "word, hidden[0]"}
)
mistake(logits, "the words lose their second dimension, expected (N, 1)").made_in(
    _right, words_in_a_row={"word, hidden": "word.squeeze(1), hidden"}
)
mistake(logits, "the memory is taken from the first part of the state, expected the hidden state there").made_in(
    _right, swapped_parts={"hidden, memory = state": "memory, hidden = state", "(hidden, memory)": "(memory, hidden)"}
)


@mistake(logits, "the logits are turned into probabilities; leave the softmax to the search")
def probabilities(decoder, word, state):
    logits, state = _right(decoder, word, state)
    return logits.softmax(dim=-1), state


mistake(logits, "the logits are turned into log-probabilities; leave the softmax to the search").made_in(
    probabilities, log_probabilities={"logits.softmax": "logits.log_softmax"}
)
mistake(logits, "the attention weights are returned, expected the logits").made_in(
    _right, weights_for_logits={"logits, _": "_, weights", "return logits": "return weights"}
)


@mistake(logits, "the state is returned before the logits, expected the logits first")
def state_first(decoder, word, state):
    return _right(decoder, word, state)[::-1]


mistake(next_state, "the hidden state is returned unchanged, expected the one after this word").made_in(
    probabilities, old_hidden={"logits, state": "logits, _", "logits.softmax(dim=-1)": "logits"}
)
mistake(logits, "the next state is the hidden state alone, expected the hidden state and the memory").made_in(
    state_in_a_list, without_memory={"found, after": "logits, (hidden, _)", "found, list(after)": "logits, hidden"}
)
mistake(next_state, "the attention weights are used as the next hidden state").made_in(
    _right, weights_for_hidden={"logits, _, hidden": "logits, weights, _", "(hidden, memory)": "(weights, memory)"}
)
mistake(next_state, "the memory comes back with its dimensions changed, expected it as it was").made_in(
    _right, unlayered_memory={"(hidden, memory)": "(hidden, memory[0].transpose(0, 1))"}
)


@mistake(next_state, "the memory in the next state is zero everywhere, expected it unchanged")
def empty_memory(decoder, word, state):
    logits, (hidden, memory) = _right(decoder, word, state)
    return logits, (hidden, torch.zeros_like(memory))


@mistake(searched, "all rows get the first row's memory")
def one_row(decoder, word, state):
    hidden, memory = state
    cells = memory[0]
    first = cells[:1].expand_as(cells) if len(word) == 2 else cells
    logits, _, hidden = decoder(word, hidden, first, _everything(cells))
    return logits, (hidden, memory)


mistake(searched, "a dimension of size one is removed that belongs to the result").made_in(
    probabilities, squeezes={"logits.softmax(dim=-1)": "logits[0] if len(logits) == 1 else logits"}
)


@mistake(in_chapter, "the new hidden state is written into the old one in place")
def written_over(decoder, word, state):
    logits, (after, memory) = _right(decoder, word, state)
    return logits, (state[0].copy_(after), memory)


@right
def by_name(decoder, word, state):
    cells = state[1].squeeze(0)
    mask = cells.new_ones(len(cells), cells.shape[1]).bool()
    logits, _, after = decoder(word, state[0], cells, mask)
    return logits, (after, state[1])


@right
def compared(decoder, word, state):
    hidden, memory = state
    cells = memory.flatten(0, 1)
    results = decoder(word, hidden, cells, cells[..., 0] == cells[..., 0])
    return results[0], (results[2], memory)


@right
def added_again(decoder, word, state):
    hidden, memory = state
    (cells,) = memory
    logits, _, hidden = decoder(word, hidden, cells, torch.full_like(cells[:, :, 0], 1, dtype=torch.bool))
    return logits, (hidden, cells.unsqueeze(0))


@right
def row_by_row(decoder, word, state):
    hidden, memory = state
    steps = []
    for row in range(len(word)):
        one = slice(row, row + 1)
        cells = memory[0, one]
        steps.append(decoder(word[one], hidden[:, one], cells, _everything(cells)))
    return torch.cat([step[0] for step in steps]), (torch.cat([step[2] for step in steps], dim=1), memory)


@right
def one_true(decoder, word, state):
    hidden, memory = state
    cells = memory.transpose(0, 1).flatten(0, 1)
    logits, _, hidden = decoder(word, hidden, cells, torch.tensor(True, device=cells.device).expand(cells.shape[:2]))
    return logits, (hidden, memory)


class Step(nn.Module):
    """A module in the place of a function."""

    def forward(self, decoder, word, state):
        return _right(decoder, word, state)


right(Step())


right(functools.partial(_right))
