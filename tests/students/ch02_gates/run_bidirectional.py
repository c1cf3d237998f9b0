"""What students hand in for `run_bidirectional`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

EXERCISE = "run_bidirectional"


def turn(inputs, lengths):
    """Each sentence from its own end, with the padding where it was."""
    rows = [torch.cat([row[:n].flip(0), row[n:]]) for row, n in zip(inputs, lengths.tolist(), strict=True)]
    return torch.stack(rows)


def at_words(states, lengths):
    """Zeros at the padding."""
    real = torch.arange(states.shape[1], device=states.device) < lengths.unsqueeze(1)
    return states.masked_fill(~real.unsqueeze(-1), 0.0)


def right(inputs, lengths, forward_rnn, backward_rnn):
    """Turned, read, and turned back."""
    backward = turn(backward_rnn(turn(inputs, lengths)), lengths)
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


def halves_swapped(inputs, lengths, forward_rnn, backward_rnn):
    """The second direction stands first."""
    backward = turn(backward_rnn(turn(inputs, lengths)), lengths)
    return at_words(torch.cat([backward, forward_rnn(inputs)], dim=-1), lengths)


def rnns_swapped(inputs, lengths, forward_rnn, backward_rnn):
    """Each direction reads the other way."""
    return right(inputs, lengths, backward_rnn, forward_rnn)


def backward_for_both(inputs, lengths, forward_rnn, backward_rnn):
    """forward_rnn is not used."""
    return right(inputs, lengths, backward_rnn, backward_rnn)


def forward_turned_too(inputs, lengths, forward_rnn, backward_rnn):
    """Both read from the end."""
    turned = turn(inputs, lengths)
    states = torch.cat([forward_rnn(turned), backward_rnn(turned)], dim=-1)
    return at_words(turn(states, lengths), lengths)


def summed(inputs, lengths, forward_rnn, backward_rnn):
    """The sum for the concatenation."""
    return at_words(forward_rnn(inputs) + turn(backward_rnn(turn(inputs, lengths)), lengths), lengths)


def one_after_the_other(inputs, lengths, forward_rnn, backward_rnn):
    """Along the words."""
    return torch.cat([forward_rnn(inputs), turn(backward_rnn(turn(inputs, lengths)), lengths)], dim=1)


def two_results(inputs, lengths, forward_rnn, backward_rnn):
    """A pair for one tensor."""
    return forward_rnn(inputs), turn(backward_rnn(turn(inputs, lengths)), lengths)


def last_states(inputs, lengths, forward_rnn, backward_rnn):
    """One state for each sentence."""
    return right(inputs, lengths, forward_rnn, backward_rnn)[:, -1]


def word_by_word(inputs, lengths, forward_rnn, backward_rnn):
    """The words are read one at a time, each from a state of zeros."""
    words = [right(word, torch.ones_like(lengths), forward_rnn, backward_rnn) for word in inputs.split(1, dim=1)]
    return at_words(torch.cat(words, dim=1), lengths)


def words_without_batch(inputs, lengths, forward_rnn, backward_rnn):
    """The directions are given (B, D)."""
    states = [torch.cat([forward_rnn(word), backward_rnn(word)], dim=-1) for word in inputs.unbind(dim=1)]
    return torch.stack(states, dim=1)


def nothing_returned(inputs, lengths, forward_rnn, backward_rnn):
    """The return is missing."""
    right(inputs, lengths, forward_rnn, backward_rnn)


def not_turned(inputs, lengths, forward_rnn, backward_rnn):
    """Both directions read from left to right."""
    return at_words(torch.cat([forward_rnn(inputs), backward_rnn(inputs)], dim=-1), lengths)


def not_turned_back(inputs, lengths, forward_rnn, backward_rnn):
    """The state of the last word stands first."""
    return at_words(torch.cat([forward_rnn(inputs), backward_rnn(turn(inputs, lengths))], dim=-1), lengths)


def turned_back_alone(inputs, lengths, forward_rnn, backward_rnn):
    """The states are turned, and the words are not."""
    return at_words(torch.cat([forward_rnn(inputs), turn(backward_rnn(inputs), lengths)], dim=-1), lengths)


def sentences_turned(inputs, lengths, forward_rnn, backward_rnn):
    """The wrong dimension, and back."""
    return at_words(torch.cat([forward_rnn(inputs), backward_rnn(inputs.flip(0)).flip(0)], dim=-1), lengths)


def sentences_turned_once(inputs, lengths, forward_rnn, backward_rnn):
    """The wrong dimension, and not back."""
    return at_words(torch.cat([forward_rnn(inputs), backward_rnn(inputs.flip(0))], dim=-1), lengths)


def numbers_turned(inputs, lengths, forward_rnn, backward_rnn):
    """The last dimension."""
    return at_words(torch.cat([forward_rnn(inputs), backward_rnn(inputs.flip(-1))], dim=-1), lengths)


def everything_turned(inputs, lengths, forward_rnn, backward_rnn):
    """All dimensions are reversed, expected only that of the words."""
    backward = backward_rnn(inputs.flip(0, 1, 2)).flip(0, 1, 2)
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


def forward_for_both(inputs, lengths, forward_rnn, backward_rnn):
    """backward_rnn is not used."""
    return right(inputs, lengths, forward_rnn, forward_rnn)


def states_turned_in_their_numbers(inputs, lengths, forward_rnn, backward_rnn):
    """The states are reversed along the wrong dimension."""
    backward = backward_rnn(turn(inputs, lengths)).flip(-1)
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


def forward_states_read(inputs, lengths, forward_rnn, backward_rnn):
    """The second direction reads the states of the first, as in a deep network."""
    forward = forward_rnn(inputs)
    padded = nn.functional.pad(forward, (0, inputs.shape[-1] - forward.shape[-1]))
    return at_words(torch.cat([forward, turn(backward_rnn(turn(padded, lengths)), lengths)], dim=-1), lengths)


def padding_turned(inputs, lengths, forward_rnn, backward_rnn):
    """The whole row is turned, and the padding read first."""
    return at_words(torch.cat([forward_rnn(inputs), backward_rnn(inputs.flip(1)).flip(1)], dim=-1), lengths)


def padding_turned_once(inputs, lengths, forward_rnn, backward_rnn):
    """The words go by their lengths, and the states by the whole row."""
    backward = backward_rnn(turn(inputs, lengths)).flip(1)
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


def padding_turned_there(inputs, lengths, forward_rnn, backward_rnn):
    """The words go by the whole row, and the states by their lengths."""
    backward = turn(backward_rnn(inputs.flip(1)), lengths)
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


def zeros_read_first(inputs, lengths, forward_rnn, backward_rnn):
    """The padding is made zero and read all the same."""
    turned = at_words(inputs, lengths).flip(1)
    return at_words(torch.cat([forward_rnn(inputs), backward_rnn(turned).flip(1)], dim=-1), lengths)


def shifted_by_one(inputs, lengths, forward_rnn, backward_rnn):
    """n - t for n - 1 - t, which the longest sentence does not feel."""
    places = torch.arange(inputs.shape[1], device=inputs.device)
    order = (lengths.unsqueeze(1) - places).clamp(0, inputs.shape[1] - 1)
    full = lengths.unsqueeze(1) == inputs.shape[1]
    order = torch.where(full, inputs.shape[1] - 1 - places, order)
    rows = torch.arange(len(inputs)).unsqueeze(1)
    backward = backward_rnn(inputs[rows, order])[rows, order]
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


def sorted_by_length(inputs, lengths, forward_rnn, backward_rnn):
    """The sentences are returned sorted by length."""
    order = lengths.argsort(descending=True, stable=True)
    return right(inputs[order], lengths[order], forward_rnn, backward_rnn)


def no_zeros(inputs, lengths, forward_rnn, backward_rnn):
    """The padding has states too."""
    backward = turn(backward_rnn(turn(inputs, lengths)), lengths)
    return torch.cat([forward_rnn(inputs), backward], dim=-1)


def zeros_in_the_second_half(inputs, lengths, forward_rnn, backward_rnn):
    """The first direction's padding is left."""
    backward = at_words(turn(backward_rnn(turn(inputs, lengths)), lengths), lengths)
    return torch.cat([forward_rnn(inputs), backward], dim=-1)


def zeros_in_the_inputs(inputs, lengths, forward_rnn, backward_rnn):
    """Zeros go in, and no zeros come out: there is a bias, and a state to keep."""
    inputs = at_words(inputs, lengths)
    return torch.cat([forward_rnn(inputs), turn(backward_rnn(turn(inputs, lengths)), lengths)], dim=-1)


def squeezes_one_sentence(inputs, lengths, forward_rnn, backward_rnn):
    """A batch of one loses its dimension."""
    return right(inputs, lengths, forward_rnn, backward_rnn).squeeze(0)


def squeezes_one_word(inputs, lengths, forward_rnn, backward_rnn):
    """One word loses its dimension."""
    return right(inputs, lengths, forward_rnn, backward_rnn).squeeze(1)


def as_long_as_the_longest(inputs, lengths, forward_rnn, backward_rnn):
    """Padding that nobody needs is cut off."""
    return right(inputs, lengths, forward_rnn, backward_rnn)[:, : lengths.max()]


def in_single_precision(inputs, lengths, forward_rnn, backward_rnn):
    """The states are written into a tensor of float32."""
    states = right(inputs, lengths, forward_rnn, backward_rnn)
    kept = torch.zeros(states.shape)
    kept += states
    return kept


def turns_in_place(inputs, lengths, forward_rnn, backward_rnn):
    """The caller's sentences are turned."""
    forward = forward_rnn(inputs)
    for b, n in enumerate(lengths.tolist()):
        inputs[b, :n] = inputs[b, :n].flip(0)
    backward = turn(backward_rnn(inputs), lengths)
    return at_words(torch.cat([forward, backward], dim=-1), lengths)


def zeros_in_place(inputs, lengths, forward_rnn, backward_rnn):
    """The caller's padding is wiped."""
    real = torch.arange(inputs.shape[1], device=inputs.device) < lengths.unsqueeze(1)
    inputs[~real] = 0.0
    return right(inputs, lengths, forward_rnn, backward_rnn)


def lengths_in_place(inputs, lengths, forward_rnn, backward_rnn):
    """The caller's lengths become last places."""
    lengths -= 1
    return right(inputs, lengths + 1, forward_rnn, backward_rnn)


def views(inputs, lengths, forward_rnn, backward_rnn):
    """view takes nothing but numbers that lie side by side."""
    batch, length, size = inputs.shape
    places = torch.arange(length)
    order = torch.where(places < lengths.unsqueeze(1), lengths.unsqueeze(1) - 1 - places, places)
    flat = (order + length * torch.arange(batch).unsqueeze(1)).view(-1)
    turned = inputs.view(-1, size)[flat].view(batch, length, size)
    states = backward_rnn(turned)
    backward = states.reshape(batch * length, -1)[flat].view(batch, length, -1)
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


def no_gradient(inputs, lengths, forward_rnn, backward_rnn):
    """All of it is computed without a gradient."""
    with torch.no_grad():
        states = right(inputs, lengths, forward_rnn, backward_rnn)
    return states


def backward_without_gradient(inputs, lengths, forward_rnn, backward_rnn):
    """No gradient goes back through the second direction."""
    backward = turn(backward_rnn(turn(inputs.detach(), lengths)), lengths)
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


def one_place_too_far(inputs, lengths, forward_rnn, backward_rnn):
    """Position t goes to n - t, expected n - 1 - t: the first word that is read is padding."""
    places = torch.arange(inputs.shape[1], device=inputs.device)
    count = lengths.unsqueeze(1)
    to = torch.where(places < count, count - places, places).clamp(max=inputs.shape[1] - 1)
    rows = torch.arange(len(inputs), device=inputs.device).unsqueeze(1)
    backward = backward_rnn(inputs[rows, to])[rows, to]
    return at_words(torch.cat([forward_rnn(inputs), backward], dim=-1), lengths)


_FIRST = "the first half holds the states that forward_rnn computes"
_SECOND = "the second half is read from the end, and each state is at the position of its word"
_PADDED = "a sentence is read from its own last word, not from the padding"
_ZEROS = "the states at the padding are zeros"
_ALONE = "one sentence, or one word, keeps its dimensions"
_TYPES = "double precision and slices of other tensors work, and the arguments are left as they were"
_GRADIENT = "the gradient reaches the inputs through both directions"

WRONG = {
    one_place_too_far: _SECOND,
    halves_swapped: _FIRST,
    rnns_swapped: _FIRST,
    backward_for_both: _FIRST,
    forward_turned_too: _FIRST,
    summed: _FIRST,
    one_after_the_other: _FIRST,
    two_results: _FIRST,
    last_states: _FIRST,
    word_by_word: _FIRST,
    words_without_batch: _FIRST,
    nothing_returned: _FIRST,
    not_turned: _SECOND,
    not_turned_back: _SECOND,
    turned_back_alone: _SECOND,
    sentences_turned: _SECOND,
    sentences_turned_once: _SECOND,
    numbers_turned: _SECOND,
    everything_turned: _SECOND,
    forward_for_both: _SECOND,
    states_turned_in_their_numbers: _SECOND,
    forward_states_read: _SECOND,
    padding_turned: _PADDED,
    padding_turned_once: _PADDED,
    padding_turned_there: _PADDED,
    zeros_read_first: _PADDED,
    shifted_by_one: _PADDED,
    sorted_by_length: _PADDED,
    no_zeros: _ZEROS,
    zeros_in_the_second_half: _ZEROS,
    zeros_in_the_inputs: _ZEROS,
    squeezes_one_sentence: _ALONE,
    squeezes_one_word: _ALONE,
    as_long_as_the_longest: _ALONE,
    in_single_precision: _TYPES,
    turns_in_place: _TYPES,
    zeros_in_place: _TYPES,
    lengths_in_place: _TYPES,
    views: _TYPES,
    no_gradient: _GRADIENT,
    backward_without_gradient: _GRADIENT,
}


def with_gather(inputs, lengths, forward_rnn, backward_rnn):
    """Places to gather from, for words and for states."""
    places = torch.arange(inputs.shape[1], device=inputs.device).expand(len(inputs), -1)
    real = places < lengths[:, None]
    order = torch.where(real, lengths[:, None] - 1 - places, places)[..., None]
    turned = inputs.gather(1, order.expand_as(inputs))
    states = backward_rnn(turned)
    states = states.gather(1, order.expand_as(states))
    return torch.cat([forward_rnn(inputs), states], dim=2) * real[..., None]


def sentence_by_sentence(inputs, lengths, forward_rnn, backward_rnn):
    """Each sentence alone, without its padding."""
    found = []
    for row, n in zip(inputs, lengths.tolist(), strict=True):
        words = row[:n].unsqueeze(0)
        backward = backward_rnn(words.flip(1)).flip(1)
        states = torch.cat([forward_rnn(words), backward], dim=2)[0]
        found.append(nn.functional.pad(states, (0, 0, 0, inputs.shape[1] - n)))
    return torch.stack(found)


def filled_in(inputs, lengths, forward_rnn, backward_rnn):
    """Copies that are written into."""
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


def rolled(inputs, lengths, forward_rnn, backward_rnn):
    """The whole row is turned and then rolled, so that the padding comes last."""
    gap = (inputs.shape[1] - lengths).tolist()
    turned = torch.stack([row.flip(0).roll(-k, 0) for row, k in zip(inputs, gap, strict=True)])
    states = torch.stack([row.roll(k, 0).flip(0) for row, k in zip(backward_rnn(turned), gap, strict=True)])
    return at_words(torch.cat((forward_rnn(inputs), states), -1), lengths)


def padded_again(inputs, lengths, forward_rnn, backward_rnn):
    """torch pads the turned sentences, to the longest of them."""
    turned = pad_sequence([row[:n].flip(0) for row, n in zip(inputs, lengths, strict=True)], batch_first=True)
    states = backward_rnn(turned)
    back = pad_sequence([row[:n].flip(0) for row, n in zip(states, lengths, strict=True)], batch_first=True)
    back = nn.functional.pad(back, (0, 0, 0, inputs.shape[1] - back.shape[1]))
    return at_words(torch.cat([forward_rnn(inputs), back], dim=-1), lengths)


def with_a_matrix(inputs, lengths, forward_rnn, backward_rnn):
    """A permutation of each sentence's places, as a product; it is its own inverse."""
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


RIGHT = {
    "turned and turned back": right,
    "with gather": with_gather,
    "sentence by sentence": sentence_by_sentence,
    "filled in": filled_in,
    "rolled": rolled,
    "padded again": padded_again,
    "with a matrix": with_a_matrix,
    "a module": RunBidirectional(),
    "a partial": functools.partial(with_a_reader, rolled),
    "typed names": lambda inputs, lengths, forward_rnn, backward_rnn: right(
        lengths=lengths, inputs=inputs, backward_rnn=backward_rnn, forward_rnn=forward_rnn
    ),
}
