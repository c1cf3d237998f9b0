"""Mistakes in `cached_decode`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch09_transformer.cached_decode import (
    decode_arguments,
    double_precision,
    in_chapter,
    longer_past,
    looked_across,
    looked_back,
    normed,
    residuals,
    word_by_word,
)
from autograder.judging.catalogue import mistake, right


def longer(past, own):
    """Key and value with those of a new position behind them."""
    return tuple(torch.cat(pair, dim=2) for pair in zip(past, own, strict=True))


def behind_self(layer, states, source, source_mask):
    """The two other sublayers; for the mistakes that are made elsewhere."""
    states = states + layer.cross_attention.look_up(layer.norms[1](states), *source, source_mask)[0]
    return states + layer.feed_forward(layer.norms[2](states))


def looking(layer, new, past):
    """The first sublayer with its residual, and the longer past; likewise."""
    normed = layer.norms[0](new)
    past = longer(past, layer.self_attention.keys_values(normed))
    return new + layer.self_attention.look_up(normed, *past)[0], past


@right
def usual(layer, new, past, source, source_mask):
    states, past = looking(layer, new, past)
    return behind_self(layer, states, source, source_mask), past


@right
def written_out(layer, new, past, source, source_mask):
    states, past = looking(layer, new, past)
    states = states + layer.cross_attention.look_up(layer.norms[1](states), *source, source_mask)[0]
    return states + layer.feed_forward(layer.norms[2](states)), past


@mistake(residuals, "the past is returned as a list, expected a tuple: take_rows treats a list as a tensor")
def past_in_a_list(layer, new, past, source, source_mask):
    states, past = looking(layer, new, past)
    return behind_self(layer, states, source, source_mask), list(past)


@mistake(residuals, "a list is returned, expected a tuple")
def all_in_a_list(layer, new, past, source, source_mask):
    states, past = looking(layer, new, past)
    return [behind_self(layer, states, source, source_mask), past]


mistake(in_chapter, "only the last positions of the past are kept, expected all").made_in(
    usual, last_positions={"(layer, new, past)": "(layer, new, tuple(part[:, :, -256:] for part in past))"}
)


@mistake(
    decode_arguments, "the source's key and value are set to zero at padding, expected unchanged: the mask is for that"
)
def zeroes_padding(layer, new, past, source, source_mask):
    states, past = looking(layer, new, past)
    real = source_mask.transpose(1, 2).unsqueeze(1)
    return behind_self(layer, states, [part * real for part in source], source_mask), past


mistake(residuals, "there is a dropout, which has no part in evaluation mode").made_in(
    usual, drops={"layer, states": "layer, F.dropout(states, 0.1)"}
)


@mistake(residuals, "with an empty past, attention is left out; the first position attends to itself and to the source")
def first_position_apart(layer, new, past, source, source_mask):
    states, longer_past = looking(layer, new, past)
    if not past[0].shape[2]:
        return new + layer.feed_forward(layer.norms[2](new)), longer_past
    return behind_self(layer, states, source, source_mask), longer_past


@mistake(residuals, "there is no residual around any sublayer")
def no_residuals(layer, new, past, source, source_mask):
    normed = layer.norms[0](new)
    past = longer(past, layer.self_attention.keys_values(normed))
    states = layer.self_attention.look_up(normed, *past)[0]
    states = layer.cross_attention.look_up(layer.norms[1](states), *source, source_mask)[0]
    return layer.feed_forward(layer.norms[2](states)), past


@mistake(
    longer_past, "the key and value in the past are computed from the output, expected from the new position's input"
)
def past_of_the_output(layer, new, past, source, source_mask):
    states, _ = looking(layer, new, past)
    output = behind_self(layer, states, source, source_mask)
    return output, longer(past, layer.self_attention.keys_values(layer.norms[0](output)))


mistake(
    normed, "norms[0] is used for both attentions and norms[1] for feed-forward: each sublayer has its own norm"
).made_in(written_out, first_norm_twice={"layer.norms[1]": "layer.norms[0]", "layer.norms[2]": "layer.norms[1]"})
mistake(residuals, "there is no residual around self-attention").made_in(
    usual, no_residual_around_self_attention={"layer, states": "layer, states - new"}
)
mistake(residuals, "there is no residual around cross-attention").made_in(
    written_out, no_residual_around_cross_attention={"states = states + layer": "states = layer"}
)
mistake(residuals, "there is no residual around feed-forward").made_in(
    written_out, no_residual_around_feed_forward={"return states + layer": "return layer"}
)


@mistake(residuals, "there is no cross-attention")
def no_cross_attention(layer, new, past, source, source_mask):
    states, past = looking(layer, new, past)
    return states + layer.feed_forward(layer.norms[2](states)), past


@mistake(residuals, "there is no feed-forward")
def no_feed_forward(layer, new, past, source, source_mask):
    states, past = looking(layer, new, past)
    return states + layer.cross_attention.look_up(layer.norms[1](states), *source, source_mask)[0], past


@mistake(residuals, "both results of look_up are used together: the output is the first of them")
def not_unpacked(layer, new, past, source, source_mask):
    normed = layer.norms[0](new)
    past = longer(past, layer.self_attention.keys_values(normed))
    return behind_self(layer, new + layer.self_attention.look_up(normed, *past), source, source_mask), past


mistake(residuals, "only the output is returned, expected the output and the past").made_in(
    usual, output_alone={"(layer, states, source, source_mask), past": "(layer, states, source, source_mask)"}
)
mistake(residuals, "key and value are returned separately, expected a pair as the second result").made_in(
    usual, three_results={"(layer, states, source, source_mask), past": "(layer, states, source, source_mask), *past"}
)


@mistake(residuals, "the past is returned before the output, expected the output first")
def past_first(layer, new, past, source, source_mask):
    states, past = looking(layer, new, past)
    return past, behind_self(layer, states, source, source_mask)


@mistake(residuals, "the layer itself is called on the new position, expected its parts")
def whole_layer(layer, new, past, source, source_mask):
    return layer(new, source, None, source_mask), past


mistake(
    residuals, "cross_attention is called with the source's keys as memory, expected look_up with key and value"
).made_in(written_out, source_as_memory={".look_up": "", "*source": "source[0]"})


@mistake(looked_back, "the new position attends to the past, but not to itself")
def without_itself(layer, new, past, source, source_mask):
    normed = layer.norms[0](new)
    states = new + layer.self_attention.look_up(normed, *past)[0]
    return behind_self(layer, states, source, source_mask), longer(past, layer.self_attention.keys_values(normed))


@mistake(looked_back, "the new position attends only to itself, not to the past")
def itself_alone(layer, new, past, source, source_mask):
    normed = layer.norms[0](new)
    own = layer.self_attention.keys_values(normed)
    states = new + layer.self_attention.look_up(normed, *own)[0]
    return behind_self(layer, states, source, source_mask), longer(past, own)


@mistake(looked_back, "keys and values are swapped: look_up takes query, key, value, mask")
def exchanged_in_the_look_up(layer, new, past, source, source_mask):
    normed = layer.norms[0](new)
    key, value = longer(past, layer.self_attention.keys_values(normed))
    states = new + layer.self_attention.look_up(normed, value, key)[0]
    return behind_self(layer, states, source, source_mask), (key, value)


@mistake(looked_back, "keys and values are swapped: keys_values returns the keys first")
def exchanged_from_the_start(layer, new, past, source, source_mask):
    normed = layer.norms[0](new)
    past = longer(past, layer.self_attention.keys_values(normed)[::-1])
    states = new + layer.self_attention.look_up(normed, *past)[0]
    return behind_self(layer, states, source, source_mask), past


@mistake(looked_back, "self-attention gets source_mask too, but it needs no mask")
def source_mask_for_both(layer, new, past, source, source_mask):
    normed = layer.norms[0](new)
    past = longer(past, layer.self_attention.keys_values(normed))
    states = new + layer.self_attention.look_up(normed, *past, source_mask)[0]
    return behind_self(layer, states, source, source_mask), past


@mistake(looked_back, "the new position attends to the past, but not to itself")
def mask_of_the_past(layer, new, past, source, source_mask):
    normed = layer.norms[0](new)
    past = longer(past, layer.self_attention.keys_values(normed))
    mask = torch.ones(1, 1, past[0].shape[2], dtype=torch.bool)
    mask[..., -1] = past[0].shape[2] == 1
    states = new + layer.self_attention.look_up(normed, *past, mask)[0]
    return behind_self(layer, states, source, source_mask), past


@mistake(residuals, "the new key and value are concatenated along the heads, expected along the positions")
def along_the_heads(layer, new, past, source, source_mask):
    normed = layer.norms[0](new)
    own = layer.self_attention.keys_values(normed)
    past = tuple(torch.cat(pair, dim=1) for pair in zip(past, own, strict=True))
    states = new + layer.self_attention.look_up(normed, *past)[0]
    return behind_self(layer, states, source, source_mask), past


mistake(longer_past, "the past is returned unchanged, expected with the new key and value").made_in(
    usual, past_not_longer={"states, past": "states, _"}
)
mistake(longer_past, "only the new key and value are returned, expected after the old ones").made_in(
    past_in_a_list, own_alone={"list(past)": "tuple(tensor[:, :, -1:] for tensor in past)"}
)
mistake(longer_past, "the new key and value come before the old ones, expected after them").made_in(
    exchanged_from_the_start,
    in_front={"past, layer.self_attention.keys_values(normed)[::-1]": "layer.self_attention.keys_values(normed), past"},
)
mistake(longer_past, "value and key are returned in the wrong order, expected key first").made_in(
    past_in_a_list, value_first={"states, past": "states, (key, value)", "list(past)": "(value, key)"}
)
mistake(residuals, "key and value are returned as one tensor, expected a pair").made_in(
    past_in_a_list, stacked={"list(past)": "torch.stack(past)"}
)
mistake(looked_across, "cross-attention gets no mask, so it attends to padding").made_in(
    written_out, mask_left_out={"*source, source_mask": "*source"}
)
mistake(looked_across, "source_mask is inverted: True means that a position may be attended to").made_in(
    usual, mask_inverted={"states, source, source_mask": "states, source, ~source_mask"}
)
mistake(looked_across, "cross-attention gets a mask that hides nothing, expected source_mask").made_in(
    usual, mask_of_ones={"states, source, source_mask": "states, source, torch.ones_like(source_mask)"}
)
mistake(looked_across, "the mask gets a dimension for the heads, which look_up inserts itself").made_in(
    usual, mask_for_heads={"states, source, source_mask": "states, source, source_mask.unsqueeze(1)"}
)
mistake(looked_across, "keys_values is called with the source's keys, but these are already projected").made_in(
    usual, projected_again={"states, source": "states, layer.cross_attention.keys_values(source[0])"}
)
mistake(looked_across, "the mask of the first sentence is used for all").made_in(
    usual, mask_of_the_first_sentence={"states, source, source_mask": "states, source, source_mask[:1]"}
)
mistake(looked_across, "the source's key and value are swapped").made_in(
    usual, source_exchanged={"states, source": "states, source[::-1]"}
)
mistake(
    looked_across,
    "the query of cross-attention is the vector of the new position, expected the sum after self-attention",
).made_in(written_out, new_asks_across={"layer.norms[1](states)": "layer.norms[1](new)"})


@mistake(normed, "there are no norms")
def no_norms(layer, new, past, source, source_mask):
    past = longer(past, layer.self_attention.keys_values(new))
    states = new + layer.self_attention.look_up(new, *past)[0]
    states = states + layer.cross_attention.look_up(states, *source, source_mask)[0]
    return states + layer.feed_forward(states), past


@mistake(
    normed, "the key and value of the new position are computed without a norm, expected from the normalised vector"
)
def keys_not_normed(layer, new, past, source, source_mask):
    past = longer(past, layer.self_attention.keys_values(new))
    states = new + layer.self_attention.look_up(layer.norms[0](new), *past)[0]
    return behind_self(layer, states, source, source_mask), past


@mistake(normed, "the query of self-attention is the new vector without a norm, expected normalised")
def query_not_normed(layer, new, past, source, source_mask):
    past = longer(past, layer.self_attention.keys_values(layer.norms[0](new)))
    states = new + layer.self_attention.look_up(new, *past)[0]
    return behind_self(layer, states, source, source_mask), past


@mistake(
    normed,
    "the residual of self-attention adds the normalised vector: norm(x) + sublayer(norm(x)), expected x + sublayer(norm(x))",
)
def around_normed(layer, new, past, source, source_mask):
    new = layer.norms[0](new)
    past = longer(past, layer.self_attention.keys_values(new))
    states = new + layer.self_attention.look_up(new, *past)[0]
    return behind_self(layer, states, source, source_mask), past


@mistake(normed, "norms[1] and norms[2] are swapped")
def norms_exchanged(layer, new, past, source, source_mask):
    states, past = looking(layer, new, past)
    states = states + layer.cross_attention.look_up(layer.norms[2](states), *source, source_mask)[0]
    return states + layer.feed_forward(layer.norms[1](states)), past


@mistake(normed, "norms[0] is used for every sublayer: each has its own norm")
def one_norm(layer, new, past, source, source_mask):
    norm = layer.norms[0]
    states, past = looking(layer, new, past)
    states = states + layer.cross_attention.look_up(norm(states), *source, source_mask)[0]
    return states + layer.feed_forward(norm(states)), past


@mistake(normed, "each sum is normalised, as in post-norm, expected the input of each sublayer")
def post_norm(layer, new, past, source, source_mask):
    first, second, third = layer.norms
    past = longer(past, layer.self_attention.keys_values(new))
    states = first(new + layer.self_attention.look_up(new, *past)[0])
    states = second(states + layer.cross_attention.look_up(states, *source, source_mask)[0])
    return third(states + layer.feed_forward(states)), past


mistake(normed, "there is no norm before cross-attention").made_in(
    written_out, no_norm_before_cross_attention={"layer.norms[1](states)": "states"}
)


@mistake(
    normed,
    "the residual of cross-attention adds its normalised input: norm(x) + sublayer(norm(x)), expected x + sublayer(norm(x))",
)
def cross_around_normed(layer, new, past, source, source_mask):
    states, past = looking(layer, new, past)
    states = layer.norms[1](states)
    states = states + layer.cross_attention.look_up(states, *source, source_mask)[0]
    return states + layer.feed_forward(layer.norms[2](states)), past


@mistake(normed, "the sum after feed-forward is normalised too, expected only the input of each sublayer")
def normed_at_the_end(layer, new, past, source, source_mask):
    states, past = looking(layer, new, past)
    return layer.norms[2](behind_self(layer, states, source, source_mask)), past


@mistake(
    word_by_word, "the past that the layer kept is used, expected the one that is passed, whose rows may have moved"
)
def past_of_the_layer(layer, new, past, source, source_mask):
    kept = getattr(layer, "kept", past)
    states, layer.kept = looking(layer, new, kept if kept[0].shape == past[0].shape else past)
    return behind_self(layer, states, source, source_mask), layer.kept


@mistake(decode_arguments, "the sum is written into the caller's vector")
def adds_in_place(layer, new, past, source, source_mask):
    normed = layer.norms[0](new)
    past = longer(past, layer.self_attention.keys_values(normed))
    new += layer.self_attention.look_up(normed, *past)[0]
    return behind_self(layer, new, source, source_mask), past


@mistake(decode_arguments, "the caller's past is extended in place")
def grows_in_place(layer, new, past, source, source_mask):
    states, grown = looking(layer, new, past)
    for tensor, whole in zip(past, grown, strict=True):
        tensor.set_(whole)
    return behind_self(layer, states, source, source_mask), past


@mistake(decode_arguments, "the caller's past is set to zero")
def clears_in_place(layer, new, past, source, source_mask):
    states, grown = looking(layer, new, past)
    for tensor in past:
        tensor.zero_()
    return behind_self(layer, states, source, source_mask), grown


@mistake(word_by_word, "the past is stored in the layer, so the next sentence continues from it")
def kept_in_the_layer(layer, new, past, source, source_mask):
    if hasattr(layer, "past"):
        past = layer.past
    states, layer.past = looking(layer, new, past)
    return behind_self(layer, states, source, source_mask), layer.past


@mistake(double_precision, "the longer past is a new tensor of float32, expected the dtype of the past")
def buffer_in_single_precision(layer, new, past, source, source_mask):
    normed = layer.norms[0](new)
    grown = []
    for old, own in zip(past, layer.self_attention.keys_values(normed), strict=True):
        buffer = torch.zeros(*old.shape[:2], old.shape[2] + 1, old.shape[3])
        buffer[:, :, :-1], buffer[:, :, -1:] = old, own
        grown.append(buffer)
    states = new + layer.self_attention.look_up(normed, *(buffer.to(new.dtype) for buffer in grown))[0]
    return behind_self(layer, states, source, source_mask), tuple(grown)


@mistake(looked_back, "the first row of a causal mask is used, so the new position attends only to the first one")
def first_row_of_a_causal_mask(layer, new, past, source, source_mask):
    normed = layer.norms[0](new)
    past = longer(past, layer.self_attention.keys_values(normed))
    seen = torch.ones(1, 1, past[0].shape[2], dtype=torch.bool, device=new.device).tril()
    states = new + layer.self_attention.look_up(normed, *past, seen)[0]
    return behind_self(layer, states, source, source_mask), past


@right
def in_a_buffer(layer, new, past, source, source_mask):
    normed = layer.norms[0](new)
    grown = []
    for old, own in zip(past, layer.self_attention.keys_values(normed), strict=True):
        buffer = old.new_empty(old.shape[0], old.shape[1], old.shape[2] + 1, old.shape[3])
        buffer[:, :, : old.shape[2]] = old
        buffer[:, :, old.shape[2] :] = own
        grown.append(buffer)
    states = new + layer.self_attention.look_up(normed, *grown)[0]
    return behind_self(layer, states, source, source_mask), tuple(grown)


@right
def with_padding(layer, new, past, source, source_mask):
    normed = layer.norms[0](new)
    own_key, own_value = layer.self_attention.keys_values(normed)
    key, value = (F.pad(tensor, (0, 0, 0, 1)) for tensor in past)
    key[:, :, -1], value[:, :, -1] = own_key[:, :, 0], own_value[:, :, 0]
    found, _ = layer.self_attention.look_up(query=normed, key=key, value=value, mask=None)
    return behind_self(layer, new + found, source, source_mask), (key, value)


@right
def with_the_layers_dropout(layer, new, past, source, source_mask):
    asks = layer.norms[0](new)
    key, value = (
        torch.cat((old, own), -2) for old, own in zip(past, layer.self_attention.keys_values(asks), strict=True)
    )
    x = new + layer.dropout(layer.self_attention.look_up(asks, key, value)[0])
    x = x + layer.dropout(layer.cross_attention.look_up(layer.norms[1](x), source[0], source[1], source_mask)[0])
    return x + layer.dropout(layer.feed_forward(layer.norms[2](x))), (key, value)


@right
@torch.no_grad()
def without_a_gradient(layer, new, past, source, source_mask):
    states, past = looking(layer, new, past)
    states = torch.add(states, F.dropout(torch.zeros_like(states), layer.dropout.p, layer.training))
    return behind_self(layer, states, source, source_mask), past


@right
def mask_of_all(layer, new, past, source, source_mask):
    first, second, third = layer.norms
    normed = first(new)
    key, value = longer(past, layer.self_attention.keys_values(normed))
    mask = torch.ones(len(new), 1, key.shape[2], dtype=torch.bool, device=new.device)
    states = new + layer.self_attention.look_up(normed, key, value, mask)[0]
    states = states + layer.cross_attention.look_up(second(states), *source, mask=source_mask)[0]
    return states + layer.feed_forward(third(states)), (key, value)


@right
def itself_in_front_in_the_look_up(layer, new, past, source, source_mask):
    normed = layer.norms[0](new)
    own = layer.self_attention.keys_values(normed)
    states = new + layer.self_attention.look_up(normed, *longer(own, past))[0]
    return behind_self(layer, states, source, source_mask), longer(past, own)


@right
def in_a_loop(layer, new, past, source, source_mask):
    grown = []

    def look_back(x):
        grown.extend(longer(past, layer.self_attention.keys_values(x)))
        return layer.self_attention.look_up(x, *grown)[0]

    def look_across(x):
        return layer.cross_attention.look_up(x, *source, source_mask)[0]

    for norm, sublayer in zip(layer.norms, (look_back, look_across, layer.feed_forward), strict=True):
        new = new + sublayer(norm(new))
    return new, (grown[0], grown[1])


class Decode(nn.Module):
    """A module in the place of a function."""

    def forward(self, layer, new, past, source, source_mask):
        return in_a_loop(layer, new, past, source, source_mask)


right(Decode())


right(functools.partial(in_a_loop))


right(lambda layer, new, past, source, source_mask: in_a_buffer(layer, new, past, source, source_mask))
