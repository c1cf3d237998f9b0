"""Mistakes in `merge_heads`, and right answers in other styles."""

import functools

import torch
from torch import nn

from autograder.checks.ch08_self_attention.merge_heads import one_position, other_kinds, positions, sizes
from autograder.judging.catalogue import mistake, right


def merge(states):
    return states.transpose(1, 2).flatten(start_dim=2)


mistake(
    one_position,
    "the components of the heads alternate: the first of every head, then the second of every head; expected all of head 0 first",
).made_in(merge, dealt_in_turn={".transpose(1, 2)": ".permute(0, 2, 3, 1)"})


@mistake(one_position, "the heads are in reverse order")
def last_head_first(states):
    return merge(states.flip(1))


@mistake(one_position, "the heads are averaged, expected concatenated")
def mean_of_heads(states):
    return states.mean(dim=1)


@mistake(one_position, "the heads come after the positions, but are not flattened into one vector")
def not_merged(states):
    return states.transpose(1, 2)


@mistake(
    positions,
    "the states are reshaped without a transposition: a row holds one head at several positions, expected all heads at one position",
)
def view_without_transpose(states):
    batch, heads, length, size = states.shape
    return states.reshape(batch, length, heads * size)


mistake(positions, "view is called on a transposed tensor, which is not contiguous; reshape works").made_in(
    view_without_transpose, view_of_a_transposed_tensor={"states.reshape": "states.transpose(1, 2).view"}
)


@mistake(
    positions,
    "heads and components are swapped, expected heads and positions: a row holds one component of several positions",
)
def wrong_dimensions_turned(states):
    batch, _, length, size = states.shape
    return states.transpose(1, 3).reshape(batch, size, -1) if length == size else merge(states)


@mistake(sizes, "a dimension of size one is removed that belongs to the result")
def squeezes(states):
    return merge(states) if len(states) > 1 else merge(states).squeeze(0)


@mistake(sizes, "a single head is returned as it is, with its dimension of size one")
def one_head_as_it_is(states):
    return states if states.shape[1] == 1 else merge(states)


@mistake(other_kinds, "the result is written into a new tensor of float32, expected the dtype of the argument")
def always_single_precision(states):
    batch, heads, length, size = states.shape
    merged = torch.zeros(batch, length, heads * size)
    for h in range(heads):
        merged[..., h * size : (h + 1) * size] = states[:, h]
    return merged


@mistake(other_kinds, "view joins sentences and heads, which fails on a view of a larger tensor; reshape works")
def view_of_a_view(states):
    batch, heads, length, size = states.shape
    return merge(states.view(batch * heads, length, size).unflatten(0, (batch, heads)))


@mistake(other_kinds, "the argument is detached, so no gradient reaches it")
def detached(states):
    return merge(states.detach())


@mistake(other_kinds, "the caller's tensor is set to zero")
def zeroes_its_argument(states):
    merged = merge(states).clone()
    states.data.zero_()
    return merged


@mistake(one_position, "the mean of the heads is repeated, expected the heads concatenated")
def mean_repeated(heads):
    return heads.mean(dim=1).repeat(1, 1, heads.shape[1])


@mistake(one_position, "the heads are concatenated along the positions, expected along the components")
def along_the_positions(states):
    return torch.cat(states.unbind(1), dim=1)


@mistake(one_position, "the positions are the first dimension, expected the second, after the sentences")
def positions_first(states):
    return merge(states).transpose(0, 1)


@mistake(sizes, "a single head is squeezed, which removes every other dimension of size one too")
def squeezes_a_single_head(states):
    return states.squeeze() if states.shape[1] == 1 else merge(states)


@right
def with_concatenation(states):
    return torch.cat([states[:, h] for h in range(states.shape[1])], dim=-1)


@right
def with_contiguous(states):
    batch, heads, length, size = states.shape
    return states.permute(0, 2, 1, 3).contiguous().view(batch, length, heads * size)


@right
def with_unbind(states):
    return torch.cat(states.unbind(1), 2)


@right
def sentence_after_sentence(states):
    rows = [torch.stack([sentence[:, t].flatten() for t in range(sentence.shape[1])]) for sentence in states]
    return torch.stack(rows)


class Merge(nn.Module):
    """A module in the place of a function."""

    def forward(self, states):
        return states.swapaxes(1, 2).reshape(states.shape[0], states.shape[2], -1)


right(Merge())


right(functools.partial(lambda flag, states: merge(states), True))


right(lambda states: states.transpose(1, 2).flatten(2))
