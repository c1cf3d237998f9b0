"""Mistakes in `shift_right`, and right answers in other styles."""

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch03_seq2seq.shift_right import arguments, behind_the_first, in_chapter, in_front, other_dtype
from autograder.judging.catalogue import mistake, right


def column(target, bos):
    """The start mark for each sentence."""
    return torch.full_like(target[:, :1], bos)


@right
def usual(target, bos):
    inputs = target.roll(1, dims=1)
    inputs[:, 0] = bos
    return inputs


@mistake(behind_the_first, "bos is added in front, but the last word is not dropped")
def keeps_the_last(target, bos):
    return torch.cat([column(target, bos), target], dim=1)


mistake(
    behind_the_first, "the words are moved to the left, so the decoder would read words that it has not written yet"
).made_in(keeps_the_last, shifted_left={"column(target, bos), target": "target[:, 1:], column(target, bos)"})
mistake(
    behind_the_first, "the words are moved to the left, so the decoder would read words that it has not written yet"
).made_in(usual, rolled_left={"(1, dims=1)": "(-1, dims=1)"})
mistake(
    behind_the_first,
    "the last word is kept and the words are not shifted: the decoder would read the very word that it has to write, and learn to copy it",
).made_in(usual, not_shifted={"roll(1, dims=1)": "clone()"})
mistake(
    behind_the_first,
    "the last word is kept and the words are not shifted: the decoder would read the very word that it has to write, and learn to copy it",
).made_in(
    keeps_the_last,
    as_it_was={"torch.cat([column(target, bos), target], dim=1)": "target.clone()"},
    without_the_first={"torch.cat([column(target, bos), target], dim=1)": "target[:, 1:]"},
)


@mistake(behind_the_first, "the rows are shifted, expected the words within each row to be shifted")
def rows_shifted(target, bos):
    return torch.cat([torch.full_like(target[:1], bos), target[:-1]], dim=0)


@mistake(behind_the_first, "the words are in reverse order")
def turned_round(target, bos):
    return torch.cat([column(target, bos), target.flip(1)[:, 1:]], dim=1)


@mistake(behind_the_first, "the words are shifted by two positions")
def two_places(target, bos):
    return torch.cat([column(target, bos), column(target, bos), target[:, :-2]], dim=1)


@mistake(behind_the_first, "the result is a list of lists, expected a tensor")
def lists(target, bos):
    return [[bos, *row[:-1]] for row in target.tolist()]


@mistake(behind_the_first, "the result has one dimension too many, expected the shape of the target")
def a_batch_too_many(target, bos):
    return torch.cat([column(target, bos), target[:, :-1]], dim=1).unsqueeze(0)


@mistake(behind_the_first, "there is no return")
def nothing_returned(target, bos):
    torch.cat([column(target, bos), target[:, :-1]], dim=1)


@mistake(in_front, "a sentence of one word is returned as it is, expected bos")
def one_word_as_it_is(target, bos):
    if target.shape[1] == 1:
        return target.clone()
    return torch.cat([torch.full_like(target[:, :1], bos), target[:, :-1]], dim=1)


@mistake(in_front, "bos is missing in front of the words")
def drops_bos(target, bos):
    return target[:, :-1]


@mistake(in_front, "the last word is moved to the first position, as roll does; expected bos there")
def rolled(target, bos):
    return target.roll(1, dims=1)


mistake(
    in_front,
    "roll without dims moves the last word of each row to the first position of the next row; expected bos there",
).made_in(drops_bos, rolled_over_the_rows={"target[:, :-1]": "torch.roll(target, 1)"})


@mistake(in_front, "the first word is still at the first position, expected bos there")
def first_word_twice(target, bos):
    return torch.cat([target[:, :1], target[:, :-1]], dim=1)


@mistake(in_front, "the first position holds 0, expected bos")
def zeros_in_front(target, bos):
    return torch.cat([torch.zeros_like(target[:, :1]), target[:, :-1]], dim=1)


@mistake(in_front, "the first position holds 1, expected bos")
def always_one(target, bos):
    return torch.cat([column(target, 1), target[:, :-1]], dim=1)


mistake(in_front, "only the first sentence gets its bos").made_in(
    usual, bos_of_the_first_sentence={"inputs[:, 0]": "inputs[0, 0]"}
)


@mistake(other_dtype, "a new tensor is int64 by default, expected the dtype of the target")
def always_int64(target, bos):
    first = torch.full((len(target), 1), bos, device=target.device)
    return torch.cat([first, target[:, :-1]], dim=1)


mistake(in_chapter.elsewhere, "a new tensor is created on the CPU, expected on the device of the target").made_in(
    always_int64, on_the_cpu={"device=target.device": "dtype=target.dtype"}
)


@mistake(in_chapter.elsewhere, "a new tensor is created on the CPU, expected on the device of the target")
def by_lists_on_the_cpu(target, bos):
    return torch.tensor([[bos, *row[:-1]] for row in target.tolist()], dtype=target.dtype)


@mistake(in_chapter.elsewhere, "a new tensor is created on the CPU, expected on the device of the target")
def filled_on_the_cpu(target, bos):
    inputs = torch.zeros(target.shape, dtype=target.dtype)
    inputs[:, 0] = bos
    inputs[:, 1:] = target[:, :-1]
    return inputs


@mistake(arguments, "the caller's target is changed in place")
def in_place(target, bos):
    target[:, 1:] = target[:, :-1].clone()
    target[:, 0] = bos
    return target


mistake(arguments, "the caller's target is changed in place").made_in(
    drops_bos, last_column_overwritten={"return target[:, :-1]": "target[:, -1] = bos; return target.roll(1, dims=1)"}
)


@mistake(
    behind_the_first, "the words are copied within one tensor, each from a position that has already been overwritten"
)
def copied_forwards(target, bos):
    inputs = target.clone()
    for t in range(1, target.shape[1]):
        inputs[:, t] = inputs[:, t - 1]
    inputs[:, 0] = bos
    return inputs


_BUFFERS = {}


@mistake(in_chapter, "the result shares memory with an earlier result, expected a new tensor")
def writes_into_one_buffer(target, bos):
    kept = _BUFFERS.setdefault((target.shape, target.dtype, target.device), torch.empty_like(target))
    kept[:, 0] = bos
    kept[:, 1:] = target[:, :-1]
    return kept


@mistake(
    behind_the_first, "the words are copied within one tensor, each from a position that has already been overwritten"
)
def mark_runs_through(target, bos):
    shifted = target.clone()
    shifted[:, 0] = bos
    for place in range(1, target.shape[1]):
        shifted[:, place] = shifted[:, place - 1]
    return shifted


@mistake(
    in_front, "the batch is shifted as if it were one row, so each row begins with the last word of the row before"
)
def the_batch_as_one_row(target, bos):
    return torch.cat([target.new_tensor([bos]), target.flatten()[:-1]]).view_as(target)


@mistake(behind_the_first, "bos is written into the first row, expected the first column")
def first_row_for_first_column(target, bos):
    shifted = target.roll(1, dims=1)
    shifted[0] = bos
    return shifted


@right
def side_by_side(target, bos):
    return torch.cat((target.new_full((target.size(0), 1), bos), target[:, :-1]), dim=-1)


@right
def rolled_and_set(target, bos):
    inputs = torch.roll(target, shifts=1, dims=1)
    inputs[:, 0] = bos
    return inputs


@right
def rolled_flat_and_set(target, bos):
    inputs = target.roll(1)
    inputs[:, 0] = bos
    return inputs


@right
def padded(target, bos):
    return F.pad(target, (1, 0), value=bos)[:, :-1]


@right
def filled(target, bos):
    inputs = torch.empty_like(target)
    inputs[:, 0] = bos
    inputs[:, 1:] = target[:, :-1]
    return inputs


@right
def loops(target, bos):
    inputs = target.clone()
    for b in range(target.shape[0]):
        for t in range(target.shape[1]):
            inputs[b, t] = bos if t == 0 else target[b, t - 1]
    return inputs


@right
def by_lists(target, bos):
    return torch.tensor([[bos, *row[:-1]] for row in target.tolist()], dtype=target.dtype, device=target.device)


@right
def sent_there(target, bos):
    first = torch.ones(target.shape[0], 1) * bos
    return torch.cat([first.to(target), target[:, :-1]], dim=1)


@right
def sent_to_the_device(target, bos):
    first = torch.tensor([bos]).repeat(len(target), 1).to(target.device).type_as(target)
    return torch.hstack([first, target[:, :-1]])


@right
def without_the_last_word_of_each(target, bos):
    inputs = torch.roll(target, 1, 1)
    inputs[:, 0] = bos
    return inputs.masked_fill(target == 0, 0)


@right
def gathered(target, bos):
    before = (torch.arange(target.shape[1], device=target.device) - 1).clamp(min=0)
    inputs = target[:, before]
    inputs[:, 0] = bos
    return inputs


@right
def each_sentence_alone(target, bos):
    return torch.vmap(lambda words: torch.cat([words.new_tensor([bos]), words[:-1]]))(target)


@right
def made_on_its_device(target, bos):
    with torch.device(target.device):
        first = torch.full((len(target), 1), bos, dtype=target.dtype)
    return torch.cat([first, target[:, :-1]], dim=1)


class Shift(nn.Module):
    """A module instead of a function."""

    def forward(self, target, bos):
        return side_by_side(target, bos)


@right
def moved_by_a_matrix(target, bos):
    length = target.shape[1]
    beside = torch.diag(torch.ones(length - 1, dtype=torch.double, device=target.device), 1)
    first = F.one_hot(torch.tensor(0, device=target.device), length) * bos
    return (target.double() @ beside + first).to(target.dtype)


right(Shift())


right(lambda target, bos: torch.cat([torch.full_like(target, bos)[:, :1], target[:, :-1]], 1))
