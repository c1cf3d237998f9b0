"""Mistakes in `split_heads`, and right answers in other styles."""

import functools

import torch
from torch import nn

from autograder.checks.ch08_self_attention.split_heads import one_position, other_kinds, positions, refused, sizes
from autograder.judging.catalogue import mistake, right


def shared_out(states, num_heads):
    """Refuses what cannot be shared out; for the mistakes that are made elsewhere."""
    if states.shape[-1] % num_heads:
        raise ValueError("d_model must be a multiple of num_heads")
    return states.shape[-1] // num_heads


def split(states, num_heads):
    size = shared_out(states, num_heads)
    return states.reshape(*states.shape[:2], num_heads, size).transpose(1, 2)


@mistake(
    one_position, "the components alternate between the heads, expected a block of consecutive components for each"
)
def dealt_out(states, num_heads):
    size = shared_out(states, num_heads)
    return states.reshape(*states.shape[:2], size, num_heads).permute(0, 3, 1, 2)


@mistake(one_position, "the heads are in reverse order")
def last_head_first(states, num_heads):
    heads = []
    for piece in states.split(shared_out(states, num_heads), dim=-1):
        heads.insert(0, piece)
    return torch.stack(heads, dim=1)


@mistake(one_position, "every head gets the first block of components")
def first_piece_for_all(states, num_heads):
    size = shared_out(states, num_heads)
    return torch.stack([states[..., :size]] * num_heads, dim=1)


@mistake(one_position, "num_heads and d_k are swapped")
def sizes_swapped(states, num_heads):
    return split(states, shared_out(states, num_heads))


@mistake(
    positions,
    "the states are reshaped without a transposition: a head gets whole vectors of some positions, expected its components of every position",
)
def view_without_transpose(states, num_heads):
    batch, length, _ = states.shape
    return states.reshape(batch, num_heads, length, shared_out(states, num_heads))


mistake(one_position, "the heads are not moved before the positions").made_in(
    split, no_transpose={".transpose(1, 2)": ""}
)


@mistake(one_position, "the heads are the last dimension, expected the second")
def heads_last(states, num_heads):
    return split(states, num_heads).permute(0, 2, 3, 1)


@mistake(positions, "the last two dimensions are swapped, expected (B, num_heads, T, d_k)")
def pieces_turned(states, num_heads):
    return split(states, num_heads).transpose(2, 3).reshape(split(states, num_heads).shape)


@mistake(one_position, "the heads are the first dimension, expected the second, after the sentences")
def heads_before_sentences(states, num_heads):
    return torch.stack(states.split(shared_out(states, num_heads), dim=-1))


@mistake(refused, "no ValueError is raised for a d_model that is not divisible by num_heads")
def not_refused(states, num_heads):
    batch, length, d_model = states.shape
    return states.reshape(batch, length, num_heads, d_model // num_heads).transpose(1, 2)


@mistake(refused, "a d_model that is not divisible by num_heads is truncated, expected an error")
def cut_short(states, num_heads):
    size = states.shape[-1] // num_heads
    return split(states[..., : size * num_heads], num_heads) if size else states.unsqueeze(1)


@mistake(refused, "assert raises an AssertionError, expected a ValueError")
def asserted(states, num_heads):
    assert states.shape[-1] % num_heads == 0
    return split(states, num_heads)


@mistake(
    refused, "the remainder of num_heads divided by d_model is checked, expected that of d_model divided by num_heads"
)
def refuses_the_wrong_way_round(states, num_heads):
    if num_heads % states.shape[-1] == 0 and num_heads != states.shape[-1]:
        raise ValueError("d_model must be a multiple of num_heads")
    return not_refused(states, num_heads)


@mistake(sizes, "a dimension of size one is removed that belongs to the result")
def squeezes(states, num_heads):
    heads = split(states, num_heads)
    return heads if len(states) > 1 else heads.squeeze()


@mistake(sizes, "a single head is returned without its dimension")
def one_head_as_it_is(states, num_heads):
    return states if num_heads == 1 else split(states, num_heads)


@mistake(other_kinds, "the result is written into a new tensor of float32, expected the dtype of the argument")
def always_single_precision(states, num_heads):
    size = shared_out(states, num_heads)
    heads = torch.zeros(len(states), num_heads, states.shape[1], size)
    for h in range(num_heads):
        heads[:, h] = states[..., h * size : (h + 1) * size]
    return heads


@mistake(other_kinds, "the result is made from lists, so no gradient reaches the argument")
def made_of_lists(states, num_heads):
    return torch.tensor(split(states, num_heads).tolist(), dtype=states.dtype)


@mistake(other_kinds, "view joins sentences and positions, which fails on a view of a larger tensor; reshape works")
def flat_view(states, num_heads):
    batch, length, _ = states.shape
    pieces = states.view(batch * length, num_heads, shared_out(states, num_heads))
    return pieces.view(batch, length, num_heads, -1).transpose(1, 2)


@mistake(other_kinds, "the caller's tensor is set to zero")
def zeroes_its_argument(states, num_heads):
    heads = split(states, num_heads).clone()
    states.data.zero_()
    return heads


@mistake(
    one_position, "the heads are stacked before the sentences and reshaped, which is right only for a single sentence"
)
def heads_in_front_reshaped(states, num_heads):
    batch, length, size = states.shape
    if size % num_heads:
        raise ValueError("d_model is no multiple of num_heads")
    heads = torch.stack(states.chunk(num_heads, dim=-1))
    return heads.reshape(batch, num_heads, length, size // num_heads)


@right
def with_chunks(states, num_heads):
    shared_out(states, num_heads)
    return torch.stack(states.chunk(num_heads, dim=-1), dim=1)


@right
def with_unflatten(states, num_heads):
    shared_out(states, num_heads)
    return states.unflatten(-1, (num_heads, -1)).transpose(-3, -2)


@right
def with_permute(states, num_heads):
    size = shared_out(states, num_heads)
    return states.contiguous().view(len(states), -1, num_heads, size).permute(0, 2, 1, 3).contiguous()


@right
def loops(states, num_heads):
    size = shared_out(states, num_heads)
    return torch.cat([states[:, None, :, h * size : (h + 1) * size] for h in range(num_heads)], dim=1)


@right
def with_einsum(states, num_heads):
    size = shared_out(states, num_heads)
    return torch.einsum("bthd->bhtd", states.reshape(*states.shape[:2], num_heads, size))


@right
def turned_first(states, num_heads):
    size = shared_out(states, num_heads)
    turned = states.transpose(1, 2)
    return turned.reshape(len(states), num_heads, size, -1).transpose(2, 3)


@right
def each_sentence_alone(states, num_heads):
    size = shared_out(states, num_heads)
    return torch.vmap(lambda one: one.reshape(-1, num_heads, size).transpose(0, 1))(states)


class Split(nn.Module):
    """A module in the place of a function."""

    def forward(self, states, num_heads):
        return split(states, num_heads)


right(Split())


right(functools.partial(lambda flag, states, num_heads: split(states, num_heads), True))


right(lambda states, num_heads: split(states, num_heads))
