"""What students submit for `shift_right`: each mistake alone, and right answers in many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "shift_right"


def column(target, bos):
    """The start mark for each sentence."""
    return torch.full_like(target[:, :1], bos)


def keeps_the_last(target, bos):
    """bos is added in front, and no word is dropped."""
    return torch.cat([column(target, bos), target], dim=1)


def shifted_left(target, bos):
    """Shifted in the wrong direction: the next word is read."""
    return torch.cat([target[:, 1:], column(target, bos)], dim=1)


def rolled_left(target, bos):
    """Shifted in the wrong direction, with roll."""
    inputs = target.roll(-1, dims=1)
    inputs[:, 0] = bos
    return inputs


def not_shifted(target, bos):
    """bos overwrites the first word, and the others are not shifted."""
    inputs = target.clone()
    inputs[:, 0] = bos
    return inputs


def as_it_was(target, bos):
    """The target itself is returned."""
    return target.clone()


def drops_the_first(target, bos):
    """The first word is dropped instead of the last."""
    return torch.cat([column(target, bos), target[:, 1:]], dim=1)


def without_the_first(target, bos):
    """The first word is dropped and nothing is added in front."""
    return target[:, 1:]


def rows_shifted(target, bos):
    """The sentences are shifted, and not their words."""
    return torch.cat([torch.full_like(target[:1], bos), target[:-1]], dim=0)


def turned_round(target, bos):
    """The words are reversed."""
    return torch.cat([column(target, bos), target.flip(1)[:, 1:]], dim=1)


def two_places(target, bos):
    """The words are shifted twice."""
    return torch.cat([column(target, bos), column(target, bos), target[:, :-2]], dim=1)


def lists(target, bos):
    """Lists instead of a tensor."""
    return [[bos, *row[:-1]] for row in target.tolist()]


def a_batch_too_many(target, bos):
    """One dimension too many."""
    return torch.cat([column(target, bos), target[:, :-1]], dim=1).unsqueeze(0)


def nothing_returned(target, bos):
    """The return statement is missing."""
    torch.cat([column(target, bos), target[:, :-1]], dim=1)


def drops_bos(target, bos):
    """The start mark is missing from the input words."""
    return target[:, :-1]


def rolled(target, bos):
    """The last word wraps around to the front."""
    return target.roll(1, dims=1)


def rolled_over_the_rows(target, bos):
    """The last word of the previous sentence comes first."""
    return torch.roll(target, 1)


def first_word_twice(target, bos):
    """The first word instead of bos."""
    return torch.cat([target[:, :1], target[:, :-1]], dim=1)


def zeros_in_front(target, bos):
    """Padding instead of bos."""
    return torch.cat([torch.zeros_like(target[:, :1]), target[:, :-1]], dim=1)


def always_one(target, bos):
    """bos is assumed to have the id that it has in the course's vocabulary."""
    return torch.cat([column(target, 1), target[:, :-1]], dim=1)


def bos_of_the_first_sentence(target, bos):
    """Only the first sentence gets its bos."""
    inputs = target.roll(1, dims=1)
    inputs[0, 0] = bos
    return inputs


def always_int64(target, bos):
    """A new tensor with torch's default dtype."""
    first = torch.full((len(target), 1), bos, device=target.device)
    return torch.cat([first, target[:, :-1]], dim=1)


def on_the_cpu(target, bos):
    """A new tensor on torch's default device."""
    first = torch.full((len(target), 1), bos, dtype=target.dtype)
    return torch.cat([first, target[:, :-1]], dim=1)


def by_lists_on_the_cpu(target, bos):
    """Converted to lists, and back to a tensor on torch's default device."""
    return torch.tensor([[bos, *row[:-1]] for row in target.tolist()], dtype=target.dtype)


def filled_on_the_cpu(target, bos):
    """A new tensor is filled on torch's default device."""
    inputs = torch.zeros(target.shape, dtype=target.dtype)
    inputs[:, 0] = bos
    inputs[:, 1:] = target[:, :-1]
    return inputs


def in_place(target, bos):
    """The caller's target is overwritten."""
    target[:, 1:] = target[:, :-1].clone()
    target[:, 0] = bos
    return target


def last_column_overwritten(target, bos):
    """The caller's last word is overwritten."""
    target[:, -1] = bos
    return target.roll(1, dims=1)


def copied_forwards(target, bos):
    """Each word is copied from a position that has already been overwritten."""
    inputs = target.clone()
    for t in range(1, target.shape[1]):
        inputs[:, t] = inputs[:, t - 1]
    inputs[:, 0] = bos
    return inputs


_BUFFERS = {}


def writes_into_one_buffer(target, bos):
    """All calls write into the same tensor."""
    kept = _BUFFERS.setdefault((target.shape, target.dtype, target.device), torch.empty_like(target))
    kept[:, 0] = bos
    kept[:, 1:] = target[:, :-1]
    return kept


def mark_runs_through(target, bos):
    """The words are copied from left to right within one tensor, so the start mark fills the whole row."""
    shifted = target.clone()
    shifted[:, 0] = bos
    for place in range(1, target.shape[1]):
        shifted[:, place] = shifted[:, place - 1]
    return shifted


def the_batch_as_one_row(target, bos):
    """The batch is shifted as if it were one row, so each row begins with the last word of the row above."""
    return torch.cat([target.new_tensor([bos]), target.flatten()[:-1]]).view_as(target)


def first_row_for_first_column(target, bos):
    """The start mark is written into the first row instead of the first column."""
    shifted = target.roll(1, dims=1)
    shifted[0] = bos
    return shifted


_WORDS = "each position but the first holds the previous word"
_BOS = "the first position holds bos"
_KIND = "the result has the target's dtype and is on its device"
_TARGET = "the target is not changed"

WRONG = {
    mark_runs_through: _WORDS,
    the_batch_as_one_row: _BOS,
    first_row_for_first_column: _WORDS,
    writes_into_one_buffer: "works as the chapter uses it",
    keeps_the_last: _WORDS,
    shifted_left: _WORDS,
    rolled_left: _WORDS,
    not_shifted: _WORDS,
    as_it_was: _WORDS,
    drops_the_first: _WORDS,
    without_the_first: _WORDS,
    rows_shifted: _WORDS,
    turned_round: _WORDS,
    two_places: _WORDS,
    lists: _WORDS,
    a_batch_too_many: _WORDS,
    nothing_returned: _WORDS,
    copied_forwards: _WORDS,
    drops_bos: _BOS,
    rolled: _BOS,
    rolled_over_the_rows: _BOS,
    first_word_twice: _BOS,
    zeros_in_front: _BOS,
    always_one: _BOS,
    bos_of_the_first_sentence: _BOS,
    always_int64: _KIND,
    on_the_cpu: _KIND,
    by_lists_on_the_cpu: _KIND,
    filled_on_the_cpu: _KIND,
    in_place: _TARGET,
    last_column_overwritten: _TARGET,
}


def side_by_side(target, bos):
    """bos and all words but the last."""
    return torch.cat((target.new_full((target.size(0), 1), bos), target[:, :-1]), dim=-1)


def rolled_and_set(target, bos):
    """roll makes a new tensor, which may be changed."""
    inputs = torch.roll(target, shifts=1, dims=1)
    inputs[:, 0] = bos
    return inputs


def rolled_flat_and_set(target, bos):
    """What comes round from the sentence before is overwritten."""
    inputs = target.roll(1)
    inputs[:, 0] = bos
    return inputs


def padded(target, bos):
    """bos as padding on the left."""
    return F.pad(target, (1, 0), value=bos)[:, :-1]


def filled(target, bos):
    """An empty tensor that is filled."""
    inputs = torch.empty_like(target)
    inputs[:, 0] = bos
    inputs[:, 1:] = target[:, :-1]
    return inputs


def loops(target, bos):
    """Word by word."""
    inputs = target.clone()
    for b in range(target.shape[0]):
        for t in range(target.shape[1]):
            inputs[b, t] = bos if t == 0 else target[b, t - 1]
    return inputs


def by_lists(target, bos):
    """Through lists, and back to where the target is."""
    return torch.tensor([[bos, *row[:-1]] for row in target.tolist()], dtype=target.dtype, device=target.device)


def sent_there(target, bos):
    """Made where torch makes tensors, and sent to the target."""
    first = torch.ones(target.shape[0], 1) * bos
    return torch.cat([first.to(target), target[:, :-1]], dim=1)


def sent_to_the_device(target, bos):
    """Made where torch makes tensors, and sent to the target's device."""
    first = torch.tensor([bos]).repeat(len(target), 1).to(target.device).type_as(target)
    return torch.hstack([first, target[:, :-1]])


def without_the_last_word_of_each(target, bos):
    """There is padding after the last real word, in the input words as in the target; nothing counts after the end mark."""
    inputs = torch.roll(target, 1, 1)
    inputs[:, 0] = bos
    return inputs.masked_fill(target == 0, 0)


def gathered(target, bos):
    """The index of the word before."""
    before = (torch.arange(target.shape[1], device=target.device) - 1).clamp(min=0)
    inputs = target[:, before]
    inputs[:, 0] = bos
    return inputs


class Shift(nn.Module):
    """A module instead of a function."""

    def forward(self, target, bos):
        return side_by_side(target, bos)


def moved_by_a_matrix(target, bos):
    """A product with a matrix whose ones are next to the diagonal."""
    length = target.shape[1]
    beside = torch.diag(torch.ones(length - 1, dtype=torch.double, device=target.device), 1)
    first = F.one_hot(torch.tensor(0, device=target.device), length) * bos
    return (target.double() @ beside + first).to(target.dtype)


RIGHT = {
    "side by side": side_by_side,
    "rolled and set": rolled_and_set,
    "rolled flat and set": rolled_flat_and_set,
    "padded": padded,
    "filled": filled,
    "loops": loops,
    "by lists": by_lists,
    "sent there": sent_there,
    "sent to the device": sent_to_the_device,
    "padding behind the end": without_the_last_word_of_each,
    "gathered": gathered,
    "a module": Shift(),
    "a lambda": lambda target, bos: torch.cat([torch.full_like(target, bos)[:, :1], target[:, :-1]], 1),
    "moved by a matrix": moved_by_a_matrix,
}
