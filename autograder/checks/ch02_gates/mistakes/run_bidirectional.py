"""Mistakes in `run_bidirectional`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from autograder.checks.ch02_gates.run_bidirectional import (
    alone,
    no_padding,
    reads_backward,
    state_gradient,
    types,
    with_padding,
    zeros_at_padding,
)
from autograder.judging.catalogue import mistake, right


def turn(inputs, lengths):
    """Each sentence from its own end, with the padding where it was."""
    rows = [torch.cat([row[:n].flip(0), row[n:]]) for row, n in zip(inputs, lengths.tolist(), strict=True)]
    return torch.stack(rows)


def at_words(states, lengths):
    """Zeros at the padding."""
    real = torch.arange(states.shape[1], device=states.device) < lengths.unsqueeze(1)
    return states.masked_fill(~real.unsqueeze(-1), 0.0)


@right
def read_both(inputs, lengths, forward_rnn, backward_rnn):
    backward = turn(backward_rnn(turn(inputs, lengths)), lengths)
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


@mistake(no_padding, "the two halves are interleaved, number by number; expected one after the other")
def interleaved(inputs, lengths, forward_rnn, backward_rnn):
    return read_both(inputs, lengths, forward_rnn, backward_rnn).unflatten(2, (2, -1)).mT.flatten(2)


@mistake(no_padding, "the places have the size of the inputs, D, and gather needs that of the states, H")
def places_of_inputs(inputs, lengths, forward_rnn, backward_rnn):
    t = torch.arange(inputs.shape[1], device=inputs.device)
    places = torch.where(t < lengths[:, None], lengths[:, None] - 1 - t, t)[:, :, None].expand_as(inputs)
    return torch.cat([forward_rnn(inputs), backward_rnn(inputs.gather(1, places)).gather(1, places)], dim=-1)


@mistake(reads_backward, "every word gets the state of the second direction at the first word, expected its own")
def last_state_for_all(inputs, lengths, forward_rnn, backward_rnn):
    backward = turn(backward_rnn(turn(inputs, lengths)), lengths)[:, :1].expand(-1, inputs.shape[1], -1)
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


@mistake(reads_backward, "every word gets the second direction's state of the word after it, expected its own")
def state_of_the_next(inputs, lengths, forward_rnn, backward_rnn):
    backward = turn(backward_rnn(turn(inputs, lengths)), lengths)
    backward = torch.cat([backward[:, 1:], torch.zeros_like(backward[:, :1])], dim=1)
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


@mistake(with_padding, "all sentences get the length of the first one, expected each its own")
def length_of_the_first(inputs, lengths, forward_rnn, backward_rnn):
    return read_both(inputs, lengths[:1].expand_as(lengths), forward_rnn, backward_rnn)


@mistake(zeros_at_padding, "the first position of the padding counts as a word, because of <= instead of <")
def one_position_too_many(inputs, lengths, forward_rnn, backward_rnn):
    states = torch.cat([forward_rnn(inputs), turn(backward_rnn(turn(inputs, lengths)), lengths)], dim=-1)
    return at_words(states, lengths + 1)


mistake(no_padding, "the halves are swapped: the states of the second direction come first").made_in(
    read_both, halves_swapped={"[forward_rnn(inputs), backward]": "[backward, forward_rnn(inputs)]"}
)


@mistake(no_padding, "the sentences are read forwards by backward_rnn, expected by forward_rnn")
def rnns_swapped(inputs, lengths, forward_rnn, backward_rnn):
    return read_both(inputs, lengths, backward_rnn, forward_rnn)


@mistake(no_padding, "the sentences are read forwards by backward_rnn, expected by forward_rnn")
def backward_for_both(inputs, lengths, forward_rnn, backward_rnn):
    return read_both(inputs, lengths, backward_rnn, backward_rnn)


@mistake(no_padding, "forward_rnn gets the sentences in reverse order, expected as they are")
def forward_turned_too(inputs, lengths, forward_rnn, backward_rnn):
    turned = turn(inputs, lengths)
    states = torch.cat([forward_rnn(turned), backward_rnn(turned)], dim=-1)
    return at_words(turn(states, lengths), lengths)


@mistake(no_padding, "the states of the two directions are added, expected concatenated")
def summed(inputs, lengths, forward_rnn, backward_rnn):
    return at_words(forward_rnn(inputs) + turn(backward_rnn(turn(inputs, lengths)), lengths), lengths)


@mistake(no_padding, "the states are concatenated along the words, expected along the last dimension")
def one_after_the_other(inputs, lengths, forward_rnn, backward_rnn):
    return torch.cat([forward_rnn(inputs), turn(backward_rnn(turn(inputs, lengths)), lengths)], dim=1)


@mistake(no_padding, "the states of the two directions are returned as a pair, expected concatenated")
def two_results(inputs, lengths, forward_rnn, backward_rnn):
    return forward_rnn(inputs), turn(backward_rnn(turn(inputs, lengths)), lengths)


@mistake(no_padding, "only one state for each sentence is returned, expected one for each word")
def last_states(inputs, lengths, forward_rnn, backward_rnn):
    return read_both(inputs, lengths, forward_rnn, backward_rnn)[:, -1]


@mistake(no_padding, "the words are read one at a time, each from a state of zeros; expected the whole batch at once")
def word_by_word(inputs, lengths, forward_rnn, backward_rnn):
    words = [read_both(word, torch.ones_like(lengths), forward_rnn, backward_rnn) for word in inputs.split(1, dim=1)]
    return at_words(torch.cat(words, dim=1), lengths)


@mistake(no_padding, "the directions get single words, (B, D), expected the whole batch, (B, T, D)")
def words_without_batch(inputs, lengths, forward_rnn, backward_rnn):
    states = [torch.cat([forward_rnn(word), backward_rnn(word)], dim=-1) for word in inputs.unbind(dim=1)]
    return torch.stack(states, dim=1)


@mistake(no_padding, "there is no return")
def nothing_returned(inputs, lengths, forward_rnn, backward_rnn):
    read_both(inputs, lengths, forward_rnn, backward_rnn)


@mistake(reads_backward, "backward_rnn gets the words from left to right, expected in reverse order")
def not_turned(inputs, lengths, forward_rnn, backward_rnn):
    return at_words(torch.cat([forward_rnn(inputs), backward_rnn(inputs)], dim=-1), lengths)


@mistake(reads_backward, "the states are not put back in order: that of the last word comes first")
def not_turned_back(inputs, lengths, forward_rnn, backward_rnn):
    return at_words(torch.cat([forward_rnn(inputs), backward_rnn(turn(inputs, lengths))], dim=-1), lengths)


@mistake(reads_backward, "the states are reversed, but backward_rnn got the words from left to right")
def turned_back_alone(inputs, lengths, forward_rnn, backward_rnn):
    return at_words(torch.cat([forward_rnn(inputs), turn(backward_rnn(inputs), lengths)], dim=-1), lengths)


mistake(
    reads_backward,
    "the order of the sentences is reversed, expected that of the words in each, which are along dimension 1",
).made_in(
    not_turned,
    sentences_turned={"backward_rnn(inputs)": "backward_rnn(inputs.flip(0)).flip(0)"},
    sentences_turned_once={"backward_rnn(inputs)": "backward_rnn(inputs.flip(0))"},
)


@mistake(reads_backward, "the components of each input are reversed, expected the words, which are along dimension 1")
def numbers_turned(inputs, lengths, forward_rnn, backward_rnn):
    return at_words(torch.cat([forward_rnn(inputs), backward_rnn(inputs.flip(-1))], dim=-1), lengths)


@mistake(reads_backward, "all dimensions are reversed, expected only that of the words")
def everything_turned(inputs, lengths, forward_rnn, backward_rnn):
    backward = backward_rnn(inputs.flip(0, 1, 2)).flip(0, 1, 2)
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


@mistake(reads_backward, "the sentences are read from the end by forward_rnn, expected by backward_rnn")
def forward_for_both(inputs, lengths, forward_rnn, backward_rnn):
    return read_both(inputs, lengths, forward_rnn, forward_rnn)


@mistake(reads_backward, "the components of the states are reversed, expected their order along the words")
def states_turned_in_their_numbers(inputs, lengths, forward_rnn, backward_rnn):
    backward = backward_rnn(turn(inputs, lengths)).flip(-1)
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


@mistake(reads_backward, "backward_rnn gets the states of forward_rnn, as in a deep network; expected the inputs")
def forward_states_read(inputs, lengths, forward_rnn, backward_rnn):
    forward = forward_rnn(inputs)
    padded = nn.functional.pad(forward, (0, inputs.shape[-1] - forward.shape[-1]))
    return at_words(torch.cat([forward, turn(backward_rnn(turn(padded, lengths)), lengths)], dim=-1), lengths)


@mistake(with_padding, "the whole rows are reversed, so backward_rnn reads the padding before the words")
def padding_turned(inputs, lengths, forward_rnn, backward_rnn):
    return at_words(torch.cat([forward_rnn(inputs), backward_rnn(inputs.flip(1)).flip(1)], dim=-1), lengths)


mistake(
    with_padding, "the states are put back by reversing the whole rows, expected each sentence within its own length"
).made_in(states_turned_in_their_numbers, padding_turned_once={".flip(-1)": ".flip(1)"})
mistake(
    with_padding, "backward_rnn gets whole rows in reverse order, so it reads the padding before the words"
).made_in(read_both, padding_turned_there={"turn(inputs, lengths)": "inputs.flip(1)"})


@mistake(with_padding, "the padding is set to zero, but backward_rnn still reads it before the words")
def zeros_read_first(inputs, lengths, forward_rnn, backward_rnn):
    turned = at_words(inputs, lengths).flip(1)
    return at_words(torch.cat([forward_rnn(inputs), backward_rnn(turned).flip(1)], dim=-1), lengths)


@mistake(with_padding, "in sentences with padding, word t goes to n - t, expected n - 1 - t")
def shifted_by_one(inputs, lengths, forward_rnn, backward_rnn):
    places = torch.arange(inputs.shape[1], device=inputs.device)
    order = (lengths.unsqueeze(1) - places).clamp(0, inputs.shape[1] - 1)
    full = lengths.unsqueeze(1) == inputs.shape[1]
    order = torch.where(full, inputs.shape[1] - 1 - places, order)
    rows = torch.arange(len(inputs)).unsqueeze(1)
    backward = backward_rnn(inputs[rows, order])[rows, order]
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


@mistake(with_padding, "the sentences are returned sorted by length, expected in the given order")
def sorted_by_length(inputs, lengths, forward_rnn, backward_rnn):
    order = lengths.argsort(descending=True, stable=True)
    return read_both(inputs[order], lengths[order], forward_rnn, backward_rnn)


@mistake(zeros_at_padding, "the states at the padding are not replaced by zeros")
def no_zeros(inputs, lengths, forward_rnn, backward_rnn):
    backward = turn(backward_rnn(turn(inputs, lengths)), lengths)
    return torch.cat([forward_rnn(inputs), backward], dim=-1)


@mistake(zeros_at_padding, "only the second half is zero at the padding")
def zeros_in_the_second_half(inputs, lengths, forward_rnn, backward_rnn):
    backward = at_words(turn(backward_rnn(turn(inputs, lengths)), lengths), lengths)
    return torch.cat([forward_rnn(inputs), backward], dim=-1)


@mistake(zeros_at_padding, "the inputs are set to zero at the padding, expected the states")
def zeros_in_the_inputs(inputs, lengths, forward_rnn, backward_rnn):
    inputs = at_words(inputs, lengths)
    return torch.cat([forward_rnn(inputs), turn(backward_rnn(turn(inputs, lengths)), lengths)], dim=-1)


mistake(alone, "a dimension of size one is removed that belongs to the result").made_in(
    last_states, squeezes_one_sentence={"[:, -1]": ".squeeze(0)"}, squeezes_one_word={"[:, -1]": ".squeeze(1)"}
)


@mistake(alone, "padding that all sentences share is cut off; expected as many positions as in inputs")
def as_long_as_the_longest(inputs, lengths, forward_rnn, backward_rnn):
    return read_both(inputs, lengths, forward_rnn, backward_rnn)[:, : lengths.max()]


@mistake(types, "the states are written into a tensor of torch.zeros, which is float32")
def in_single_precision(inputs, lengths, forward_rnn, backward_rnn):
    states = read_both(inputs, lengths, forward_rnn, backward_rnn)
    kept = torch.zeros(states.shape)
    kept += states
    return kept


@mistake(types, "states in half precision are converted to float32, expected the dtype of the inputs")
def from_half_to_float(inputs, lengths, forward_rnn, backward_rnn):
    states = read_both(inputs, lengths, forward_rnn, backward_rnn)
    return states.to(torch.promote_types(states.dtype, torch.float32))


@mistake(types, "the caller's inputs are reversed in place")
def turns_in_place(inputs, lengths, forward_rnn, backward_rnn):
    forward = forward_rnn(inputs)
    for b, n in enumerate(lengths.tolist()):
        inputs[b, :n] = inputs[b, :n].flip(0)
    backward = turn(backward_rnn(inputs), lengths)
    return at_words(torch.cat([forward, backward], dim=-1), lengths)


@mistake(types, "the caller's inputs are set to zero at the padding")
def zeros_in_place(inputs, lengths, forward_rnn, backward_rnn):
    real = torch.arange(inputs.shape[1], device=inputs.device) < lengths.unsqueeze(1)
    inputs[~real] = 0.0
    return read_both(inputs, lengths, forward_rnn, backward_rnn)


@mistake(types, "the caller's lengths are changed in place")
def lengths_in_place(inputs, lengths, forward_rnn, backward_rnn):
    lengths -= 1
    return read_both(inputs, lengths + 1, forward_rnn, backward_rnn)


@mistake(types, "view is used on inputs that need not be contiguous")
def views(inputs, lengths, forward_rnn, backward_rnn):
    batch, length, size = inputs.shape
    places = torch.arange(length)
    order = torch.where(places < lengths.unsqueeze(1), lengths.unsqueeze(1) - 1 - places, places)
    flat = (order + length * torch.arange(batch).unsqueeze(1)).view(-1)
    turned = inputs.view(-1, size)[flat].view(batch, length, size)
    states = backward_rnn(turned)
    backward = states.reshape(batch * length, -1)[flat].view(batch, length, -1)
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


@mistake(state_gradient, "everything is computed under no_grad, so no gradient comes back")
def no_gradient(inputs, lengths, forward_rnn, backward_rnn):
    with torch.no_grad():
        states = read_both(inputs, lengths, forward_rnn, backward_rnn)
    return states


mistake(
    state_gradient, "the inputs of backward_rnn are detached, so no gradient goes back through the second direction"
).made_in(read_both, backward_without_gradient={"turn(inputs, lengths)": "turn(inputs.detach(), lengths)"})


@mistake(reads_backward, "word t goes to n - t, expected n - 1 - t, so the first word that is read is padding")
def one_place_too_far(inputs, lengths, forward_rnn, backward_rnn):
    places = torch.arange(inputs.shape[1], device=inputs.device)
    count = lengths.unsqueeze(1)
    to = torch.where(places < count, count - places, places).clamp(max=inputs.shape[1] - 1)
    rows = torch.arange(len(inputs), device=inputs.device).unsqueeze(1)
    backward = backward_rnn(inputs[rows, to])[rows, to]
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


@right
def with_gather(inputs, lengths, forward_rnn, backward_rnn):
    places = torch.arange(inputs.shape[1], device=inputs.device).expand(len(inputs), -1)
    real = places < lengths[:, None]
    order = torch.where(real, lengths[:, None] - 1 - places, places)[..., None]
    turned = inputs.gather(1, order.expand_as(inputs))
    states = backward_rnn(turned)
    states = states.gather(1, order.expand_as(states))
    return torch.cat([forward_rnn(inputs), states], dim=2) * real[..., None]


@right
def sentence_by_sentence(inputs, lengths, forward_rnn, backward_rnn):
    found = []
    for row, n in zip(inputs, lengths.tolist(), strict=True):
        words = row[:n].unsqueeze(0)
        backward = backward_rnn(words.flip(1)).flip(1)
        states = torch.cat([forward_rnn(words), backward], dim=2)[0]
        found.append(nn.functional.pad(states, (0, 0, 0, inputs.shape[1] - n)))
    return torch.stack(found)


@right
def filled_in(inputs, lengths, forward_rnn, backward_rnn):
    turned = inputs.clone()
    for b in range(len(inputs)):
        for t in range(lengths[b]):
            turned[b, t] = inputs[b, lengths[b] - 1 - t]
    forward, states = forward_rnn(inputs), backward_rnn(turned)
    result = torch.zeros_like(torch.cat([forward, states], dim=-1))
    size = forward.shape[-1]
    for b, n in enumerate(lengths):
        result[b, :n, :size] = forward[b, :n]
        result[b, :n, size:] = states[b, :n].flip(0)
    return result


@right
def rolled(inputs, lengths, forward_rnn, backward_rnn):
    gap = (inputs.shape[1] - lengths).tolist()
    turned = torch.stack([row.flip(0).roll(-k, 0) for row, k in zip(inputs, gap, strict=True)])
    states = torch.stack([row.roll(k, 0).flip(0) for row, k in zip(backward_rnn(turned), gap, strict=True)])
    return at_words(torch.cat((forward_rnn(inputs), states), -1), lengths)


@right
def padded_again(inputs, lengths, forward_rnn, backward_rnn):
    turned = pad_sequence([row[:n].flip(0) for row, n in zip(inputs, lengths, strict=True)], batch_first=True)
    states = backward_rnn(turned)
    back = pad_sequence([row[:n].flip(0) for row, n in zip(states, lengths, strict=True)], batch_first=True)
    back = nn.functional.pad(back, (0, 0, 0, inputs.shape[1] - back.shape[1]))
    return at_words(torch.cat([forward_rnn(inputs), back], dim=-1), lengths)


@right
def with_a_matrix(inputs, lengths, forward_rnn, backward_rnn):
    places = torch.arange(inputs.shape[1], device=inputs.device)
    real = places < lengths.unsqueeze(1)
    order = torch.where(real, lengths.unsqueeze(1) - 1 - places, places)
    swap = nn.functional.one_hot(order, inputs.shape[1]).to(inputs.dtype)
    backward = swap @ backward_rnn(swap @ inputs)
    return torch.cat([forward_rnn(inputs), backward], dim=-1) * real.unsqueeze(-1)


class RunBidirectional(nn.Module):
    """A module in the place of a function."""

    def forward(self, inputs, lengths, forward_rnn, backward_rnn):
        return with_gather(inputs, lengths, forward_rnn, backward_rnn)


def with_a_reader(reader, inputs, lengths, forward_rnn, backward_rnn):
    """For a partial."""
    return reader(inputs, lengths, forward_rnn, backward_rnn)


right(RunBidirectional())


right(functools.partial(with_a_reader, rolled))


right(
    lambda inputs, lengths, forward_rnn, backward_rnn: read_both(
        lengths=lengths, inputs=inputs, backward_rnn=backward_rnn, forward_rnn=forward_rnn
    )
)
