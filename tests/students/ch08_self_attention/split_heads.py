"""What students hand in for `split_heads`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools

import torch
from torch import nn

EXERCISE = "split_heads"


def shared_out(states, num_heads):
    """Refuses what cannot be shared out; for the mistakes that are made elsewhere."""
    if states.shape[-1] % num_heads:
        raise ValueError("d_model must be a multiple of num_heads")
    return states.shape[-1] // num_heads


def split(states, num_heads):
    size = shared_out(states, num_heads)
    return states.reshape(*states.shape[:2], num_heads, size).transpose(1, 2)


def dealt_out(states, num_heads):
    """The numbers go to the heads in turn."""
    size = shared_out(states, num_heads)
    return states.reshape(*states.shape[:2], size, num_heads).permute(0, 3, 1, 2)


def last_head_first(states, num_heads):
    """The pieces are put in front one by one."""
    heads = []
    for piece in states.split(shared_out(states, num_heads), dim=-1):
        heads.insert(0, piece)
    return torch.stack(heads, dim=1)


def first_piece_for_all(states, num_heads):
    """Every head gets the first piece."""
    size = shared_out(states, num_heads)
    return torch.stack([states[..., :size]] * num_heads, dim=1)


def sizes_swapped(states, num_heads):
    """d_k heads of num_heads numbers each."""
    return split(states, shared_out(states, num_heads))


def view_without_transpose(states, num_heads):
    """Reshaped to the right shape at once."""
    batch, length, _ = states.shape
    return states.reshape(batch, num_heads, length, shared_out(states, num_heads))


def no_transpose(states, num_heads):
    """The heads stay behind the positions."""
    size = shared_out(states, num_heads)
    return states.reshape(*states.shape[:2], num_heads, size)


def heads_last(states, num_heads):
    """The heads stand behind everything."""
    return split(states, num_heads).permute(0, 2, 3, 1)


def pieces_turned(states, num_heads):
    """One dimension too many changes places."""
    return split(states, num_heads).transpose(2, 3).reshape(split(states, num_heads).shape)


def heads_before_sentences(states, num_heads):
    """Each head a batch of its own, in front."""
    return torch.stack(states.split(shared_out(states, num_heads), dim=-1))


def not_refused(states, num_heads):
    """view raises an error of its own."""
    batch, length, d_model = states.shape
    return states.reshape(batch, length, num_heads, d_model // num_heads).transpose(1, 2)


def cut_short(states, num_heads):
    """What is left over is thrown away."""
    size = states.shape[-1] // num_heads
    return split(states[..., : size * num_heads], num_heads) if size else states.unsqueeze(1)


def asserted(states, num_heads):
    """An assertion in the place of the error."""
    assert states.shape[-1] % num_heads == 0
    return split(states, num_heads)


def refuses_the_wrong_way_round(states, num_heads):
    """The check asks for the remainder of num_heads by d_model."""
    if num_heads % states.shape[-1] == 0 and num_heads != states.shape[-1]:
        raise ValueError("d_model must be a multiple of num_heads")
    return not_refused(states, num_heads)


def squeezes(states, num_heads):
    """Dimensions of size one are lost."""
    heads = split(states, num_heads)
    return heads if len(states) > 1 else heads.squeeze()


def one_head_as_it_is(states, num_heads):
    """One head needs no cut, and so it gets no dimension."""
    return states if num_heads == 1 else split(states, num_heads)


def always_single_precision(states, num_heads):
    """Written into a new tensor of float32."""
    size = shared_out(states, num_heads)
    heads = torch.zeros(len(states), num_heads, states.shape[1], size)
    for h in range(num_heads):
        heads[:, h] = states[..., h * size : (h + 1) * size]
    return heads


def made_of_lists(states, num_heads):
    """The gradient is lost on the way."""
    return torch.tensor(split(states, num_heads).tolist(), dtype=states.dtype)


def flat_view(states, num_heads):
    """A view that joins sentences and positions, which not every layout allows."""
    batch, length, _ = states.shape
    pieces = states.view(batch * length, num_heads, shared_out(states, num_heads))
    return pieces.view(batch, length, num_heads, -1).transpose(1, 2)


def zeroes_its_argument(states, num_heads):
    """The caller's tensor is emptied."""
    heads = split(states, num_heads).clone()
    states.data.zero_()
    return heads


def heads_in_front_reshaped(states, num_heads):
    """The heads are stacked before the batch dimension and reshaped, which is right only for a single sentence."""
    batch, length, size = states.shape
    if size % num_heads:
        raise ValueError("d_model is no multiple of num_heads")
    heads = torch.stack(states.chunk(num_heads, dim=-1))
    return heads.reshape(batch, num_heads, length, size // num_heads)


_CUT = "head h gets the h-th block of consecutive components"
_POSITIONS = "every position keeps its own components, and the heads come before the positions"
_REFUSED = "a d_model that is not divisible by num_heads raises an error"
_SIZES = "all sizes work: one sentence, one position, one head, heads of size one"
_KINDS = "integers, half precision and views work, there is a gradient, and the argument is not changed"

WRONG = {
    heads_in_front_reshaped: _CUT,
    dealt_out: _CUT,
    last_head_first: _CUT,
    first_piece_for_all: _CUT,
    sizes_swapped: _CUT,
    heads_before_sentences: _CUT,
    no_transpose: _CUT,
    heads_last: _CUT,
    view_without_transpose: _POSITIONS,
    pieces_turned: _POSITIONS,
    not_refused: _REFUSED,
    cut_short: _REFUSED,
    asserted: _REFUSED,
    refuses_the_wrong_way_round: _REFUSED,
    squeezes: _SIZES,
    one_head_as_it_is: _SIZES,
    always_single_precision: _KINDS,
    made_of_lists: _KINDS,
    flat_view: _KINDS,
    zeroes_its_argument: _KINDS,
}


def with_chunks(states, num_heads):
    """Chunks, stacked."""
    shared_out(states, num_heads)
    return torch.stack(states.chunk(num_heads, dim=-1), dim=1)


def with_unflatten(states, num_heads):
    """Torch's word for it."""
    shared_out(states, num_heads)
    return states.unflatten(-1, (num_heads, -1)).transpose(-3, -2)


def with_permute(states, num_heads):
    """A view and a permutation, in one layout."""
    size = shared_out(states, num_heads)
    return states.contiguous().view(len(states), -1, num_heads, size).permute(0, 2, 1, 3).contiguous()


def loops(states, num_heads):
    """Slice by slice."""
    size = shared_out(states, num_heads)
    return torch.cat([states[:, None, :, h * size : (h + 1) * size] for h in range(num_heads)], dim=1)


def with_einsum(states, num_heads):
    """einsum only moves dimensions here."""
    size = shared_out(states, num_heads)
    return torch.einsum("bthd->bhtd", states.reshape(*states.shape[:2], num_heads, size))


def turned_first(states, num_heads):
    """The vectors are turned first, and then a reshape is right."""
    size = shared_out(states, num_heads)
    turned = states.transpose(1, 2)
    return turned.reshape(len(states), num_heads, size, -1).transpose(2, 3)


class Split(nn.Module):
    """A module in the place of a function."""

    def forward(self, states, num_heads):
        return split(states, num_heads)


RIGHT = {
    "with chunks": with_chunks,
    "with unflatten": with_unflatten,
    "with permute": with_permute,
    "loops": loops,
    "with einsum": with_einsum,
    "turned first": turned_first,
    "a module": Split(),
    "a partial": functools.partial(lambda flag, states, num_heads: split(states, num_heads), True),
    "a lambda": lambda states, num_heads: split(states, num_heads),
}
