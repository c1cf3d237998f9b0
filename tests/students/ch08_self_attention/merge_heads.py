"""What students hand in for `merge_heads`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools

import torch
from torch import nn

EXERCISE = "merge_heads"


def merge(states):
    return states.transpose(1, 2).flatten(start_dim=2)


def dealt_in_turn(states):
    """Every head's first number, then every head's second."""
    return states.permute(0, 2, 3, 1).flatten(start_dim=2)


def last_head_first(states):
    """The heads in the reverse order."""
    return merge(states.flip(1))


def mean_of_heads(states):
    """The heads are averaged, expected concatenated."""
    return states.mean(dim=1)


def not_merged(states):
    """The heads go behind the positions, and that is all."""
    return states.transpose(1, 2)


def view_without_transpose(states):
    """Reshaped to the right shape at once."""
    batch, heads, length, size = states.shape
    return states.reshape(batch, length, heads * size)


def view_of_a_transposed_tensor(states):
    """view needs numbers that lie side by side."""
    batch, heads, length, size = states.shape
    return states.transpose(1, 2).view(batch, length, heads * size)


def wrong_dimensions_turned(states):
    """The heads and the numbers of a piece change places."""
    batch, _, length, size = states.shape
    return states.transpose(1, 3).reshape(batch, size, -1) if length == size else merge(states)


def squeezes(states):
    """Dimensions of size one are lost."""
    return merge(states) if len(states) > 1 else merge(states).squeeze(0)


def one_head_as_it_is(states):
    """One head keeps its dimension."""
    return states if states.shape[1] == 1 else merge(states)


def always_single_precision(states):
    """Written into a new tensor of float32."""
    batch, heads, length, size = states.shape
    merged = torch.zeros(batch, length, heads * size)
    for h in range(heads):
        merged[..., h * size : (h + 1) * size] = states[:, h]
    return merged


def view_of_a_view(states):
    """Sentences and heads are joined by a view, which not every layout allows."""
    batch, heads, length, size = states.shape
    return merge(states.view(batch * heads, length, size).unflatten(0, (batch, heads)))


def detached(states):
    """The gradient is cut off."""
    return merge(states.detach())


def zeroes_its_argument(states):
    """The caller's tensor is emptied."""
    merged = merge(states).clone()
    states.data.zero_()
    return merged


def mean_repeated(heads):
    """The mean of the heads is repeated, once for each head."""
    return heads.mean(dim=1).repeat(1, 1, heads.shape[1])


_ORDER = "the pieces are concatenated, head 0's first"
_POSITIONS = "each position gets its own pieces"
_SIZES = "all sizes work: one sentence, one position, one head, heads of size one"
_KINDS = "integers, half precision and views work, there is a gradient, and the argument is not changed"

WRONG = {
    mean_repeated: _ORDER,
    dealt_in_turn: _ORDER,
    last_head_first: _ORDER,
    mean_of_heads: _ORDER,
    not_merged: _ORDER,
    view_without_transpose: _POSITIONS,
    view_of_a_transposed_tensor: _POSITIONS,
    wrong_dimensions_turned: _POSITIONS,
    squeezes: _SIZES,
    one_head_as_it_is: _SIZES,
    always_single_precision: _KINDS,
    view_of_a_view: _KINDS,
    detached: _KINDS,
    zeroes_its_argument: _KINDS,
}


def with_concatenation(states):
    """Head after head, side by side."""
    return torch.cat([states[:, h] for h in range(states.shape[1])], dim=-1)


def with_contiguous(states):
    """A permutation, laid out anew, and a view."""
    batch, heads, length, size = states.shape
    return states.permute(0, 2, 1, 3).contiguous().view(batch, length, heads * size)


def with_unbind(states):
    """The heads as a tuple."""
    return torch.cat(states.unbind(1), 2)


def sentence_after_sentence(states):
    """One position of one sentence after the other."""
    rows = [torch.stack([sentence[:, t].flatten() for t in range(sentence.shape[1])]) for sentence in states]
    return torch.stack(rows)


class Merge(nn.Module):
    """A module in the place of a function."""

    def forward(self, states):
        return states.swapaxes(1, 2).reshape(states.shape[0], states.shape[2], -1)


RIGHT = {
    "with a concatenation": with_concatenation,
    "with contiguous": with_contiguous,
    "with unbind": with_unbind,
    "sentence after sentence": sentence_after_sentence,
    "a module": Merge(),
    "a partial": functools.partial(lambda flag, states: merge(states), True),
    "a lambda": lambda states: states.transpose(1, 2).flatten(2),
}
