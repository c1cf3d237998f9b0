"""What students hand in for `cached_decode`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "cached_decode"


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


def no_residuals(layer, new, past, source, source_mask):
    """Sublayer after sublayer."""
    normed = layer.norms[0](new)
    past = longer(past, layer.self_attention.keys_values(normed))
    states = layer.self_attention.look_up(normed, *past)[0]
    states = layer.cross_attention.look_up(layer.norms[1](states), *source, source_mask)[0]
    return layer.feed_forward(layer.norms[2](states)), past


def past_of_the_output(layer, new, past, source, source_mask):
    """The key and value in the past are computed from the layer's output."""
    states, _ = looking(layer, new, past)
    output = behind_self(layer, states, source, source_mask)
    return output, longer(past, layer.self_attention.keys_values(layer.norms[0](output)))


def first_norm_twice(layer, new, past, source, source_mask):
    """The first norm serves both attentions, and the second feed-forward."""
    states, past = looking(layer, new, past)
    states = states + layer.cross_attention.look_up(layer.norms[0](states), *source, source_mask)[0]
    return states + layer.feed_forward(layer.norms[1](states)), past


def no_residual_around_self_attention(layer, new, past, source, source_mask):
    """The first residual is forgotten."""
    states, past = looking(layer, new, past)
    return behind_self(layer, states - new, source, source_mask), past


def no_residual_around_cross_attention(layer, new, past, source, source_mask):
    """The second residual is forgotten."""
    states, past = looking(layer, new, past)
    states = layer.cross_attention.look_up(layer.norms[1](states), *source, source_mask)[0]
    return states + layer.feed_forward(layer.norms[2](states)), past


def no_residual_around_feed_forward(layer, new, past, source, source_mask):
    """The third residual is forgotten."""
    states, past = looking(layer, new, past)
    states = states + layer.cross_attention.look_up(layer.norms[1](states), *source, source_mask)[0]
    return layer.feed_forward(layer.norms[2](states)), past


def no_cross_attention(layer, new, past, source, source_mask):
    """The source is not looked at."""
    states, past = looking(layer, new, past)
    return states + layer.feed_forward(layer.norms[2](states)), past


def no_feed_forward(layer, new, past, source, source_mask):
    """The last sublayer is forgotten."""
    states, past = looking(layer, new, past)
    return states + layer.cross_attention.look_up(layer.norms[1](states), *source, source_mask)[0], past


def not_unpacked(layer, new, past, source, source_mask):
    """look_up returns two things."""
    normed = layer.norms[0](new)
    past = longer(past, layer.self_attention.keys_values(normed))
    return behind_self(layer, new + layer.self_attention.look_up(normed, *past), source, source_mask), past


def output_alone(layer, new, past, source, source_mask):
    """The past does not come back."""
    states, past = looking(layer, new, past)
    return behind_self(layer, states, source, source_mask)


def three_results(layer, new, past, source, source_mask):
    """Key and value come back one by one."""
    states, past = looking(layer, new, past)
    return behind_self(layer, states, source, source_mask), *past


def past_first(layer, new, past, source, source_mask):
    """The two results stand in the wrong order."""
    states, past = looking(layer, new, past)
    return past, behind_self(layer, states, source, source_mask)


def whole_layer(layer, new, past, source, source_mask):
    """The layer itself is run on the new position."""
    return layer(new, source, None, source_mask), past


def source_as_memory(layer, new, past, source, source_mask):
    """Cross-attention is called as a whole, on keys."""
    states, past = looking(layer, new, past)
    states = states + layer.cross_attention(layer.norms[1](states), source[0], source_mask)[0]
    return states + layer.feed_forward(layer.norms[2](states)), past


def without_itself(layer, new, past, source, source_mask):
    """The past is looked at before the new position is put behind it."""
    normed = layer.norms[0](new)
    states = new + layer.self_attention.look_up(normed, *past)[0]
    return behind_self(layer, states, source, source_mask), longer(past, layer.self_attention.keys_values(normed))


def itself_alone(layer, new, past, source, source_mask):
    """The past is kept and not looked at."""
    normed = layer.norms[0](new)
    own = layer.self_attention.keys_values(normed)
    states = new + layer.self_attention.look_up(normed, *own)[0]
    return behind_self(layer, states, source, source_mask), longer(past, own)


def exchanged_in_the_look_up(layer, new, past, source, source_mask):
    """Value before key."""
    normed = layer.norms[0](new)
    key, value = longer(past, layer.self_attention.keys_values(normed))
    states = new + layer.self_attention.look_up(normed, value, key)[0]
    return behind_self(layer, states, source, source_mask), (key, value)


def source_mask_for_both(layer, new, past, source, source_mask):
    """Self-attention is given the mask of the source."""
    normed = layer.norms[0](new)
    past = longer(past, layer.self_attention.keys_values(normed))
    states = new + layer.self_attention.look_up(normed, *past, source_mask)[0]
    return behind_self(layer, states, source, source_mask), past


def mask_of_the_past(layer, new, past, source, source_mask):
    """A mask that hides the new position from itself."""
    normed = layer.norms[0](new)
    past = longer(past, layer.self_attention.keys_values(normed))
    mask = torch.ones(1, 1, past[0].shape[2], dtype=torch.bool)
    mask[..., -1] = past[0].shape[2] == 1
    states = new + layer.self_attention.look_up(normed, *past, mask)[0]
    return behind_self(layer, states, source, source_mask), past


def along_the_heads(layer, new, past, source, source_mask):
    """torch.cat along the wrong dimension."""
    normed = layer.norms[0](new)
    own = layer.self_attention.keys_values(normed)
    past = tuple(torch.cat(pair, dim=1) for pair in zip(past, own, strict=True))
    states = new + layer.self_attention.look_up(normed, *past)[0]
    return behind_self(layer, states, source, source_mask), past


def past_not_longer(layer, new, past, source, source_mask):
    """The past is returned unchanged."""
    states, _ = looking(layer, new, past)
    return behind_self(layer, states, source, source_mask), past


def own_alone(layer, new, past, source, source_mask):
    """Only the new key and value are returned."""
    states, past = looking(layer, new, past)
    return behind_self(layer, states, source, source_mask), tuple(tensor[:, :, -1:] for tensor in past)


def in_front(layer, new, past, source, source_mask):
    """The new position stands in front."""
    normed = layer.norms[0](new)
    past = longer(layer.self_attention.keys_values(normed), past)
    states = new + layer.self_attention.look_up(normed, *past)[0]
    return behind_self(layer, states, source, source_mask), past


def value_first(layer, new, past, source, source_mask):
    """Key and value come back in each other's places."""
    states, (key, value) = looking(layer, new, past)
    return behind_self(layer, states, source, source_mask), (value, key)


def stacked(layer, new, past, source, source_mask):
    """Key and value come back as one tensor."""
    states, past = looking(layer, new, past)
    return behind_self(layer, states, source, source_mask), torch.stack(past)


def mask_left_out(layer, new, past, source, source_mask):
    """The source's padding is looked at."""
    states, past = looking(layer, new, past)
    states = states + layer.cross_attention.look_up(layer.norms[1](states), *source)[0]
    return states + layer.feed_forward(layer.norms[2](states)), past


def mask_inverted(layer, new, past, source, source_mask):
    """The mask goes in the wrong way round."""
    states, past = looking(layer, new, past)
    return behind_self(layer, states, source, ~source_mask), past


def mask_of_ones(layer, new, past, source, source_mask):
    """A mask that hides nothing."""
    states, past = looking(layer, new, past)
    return behind_self(layer, states, source, torch.ones_like(source_mask)), past


def mask_for_heads(layer, new, past, source, source_mask):
    """The mask gets an axis for the heads, which look_up gives it itself."""
    states, past = looking(layer, new, past)
    return behind_self(layer, states, source, source_mask.unsqueeze(1)), past


def projected_again(layer, new, past, source, source_mask):
    """Keys are made of keys."""
    states, past = looking(layer, new, past)
    return behind_self(layer, states, layer.cross_attention.keys_values(source[0]), source_mask), past


def source_exchanged(layer, new, past, source, source_mask):
    """The source's value before its key."""
    states, past = looking(layer, new, past)
    return behind_self(layer, states, source[::-1], source_mask), past


def new_asks_across(layer, new, past, source, source_mask):
    """Cross-attention does not know what self-attention found."""
    states, past = looking(layer, new, past)
    states = states + layer.cross_attention.look_up(layer.norms[1](new), *source, source_mask)[0]
    return states + layer.feed_forward(layer.norms[2](states)), past


def no_norms(layer, new, past, source, source_mask):
    """No norm anywhere."""
    past = longer(past, layer.self_attention.keys_values(new))
    states = new + layer.self_attention.look_up(new, *past)[0]
    states = states + layer.cross_attention.look_up(states, *source, source_mask)[0]
    return states + layer.feed_forward(states), past


def keys_not_normed(layer, new, past, source, source_mask):
    """Key and value are made of the new vector as it was."""
    past = longer(past, layer.self_attention.keys_values(new))
    states = new + layer.self_attention.look_up(layer.norms[0](new), *past)[0]
    return behind_self(layer, states, source, source_mask), past


def query_not_normed(layer, new, past, source, source_mask):
    """The new vector asks as it was."""
    past = longer(past, layer.self_attention.keys_values(layer.norms[0](new)))
    states = new + layer.self_attention.look_up(new, *past)[0]
    return behind_self(layer, states, source, source_mask), past


def around_normed(layer, new, past, source, source_mask):
    """The residual starts behind the norm."""
    new = layer.norms[0](new)
    past = longer(past, layer.self_attention.keys_values(new))
    states = new + layer.self_attention.look_up(new, *past)[0]
    return behind_self(layer, states, source, source_mask), past


def norms_exchanged(layer, new, past, source, source_mask):
    """The second and the third norm in each other's places."""
    states, past = looking(layer, new, past)
    states = states + layer.cross_attention.look_up(layer.norms[2](states), *source, source_mask)[0]
    return states + layer.feed_forward(layer.norms[1](states)), past


def one_norm(layer, new, past, source, source_mask):
    """The first norm everywhere."""
    norm = layer.norms[0]
    states, past = looking(layer, new, past)
    states = states + layer.cross_attention.look_up(norm(states), *source, source_mask)[0]
    return states + layer.feed_forward(norm(states)), past


def post_norm(layer, new, past, source, source_mask):
    """The norms behind the sums."""
    first, second, third = layer.norms
    past = longer(past, layer.self_attention.keys_values(new))
    states = first(new + layer.self_attention.look_up(new, *past)[0])
    states = second(states + layer.cross_attention.look_up(states, *source, source_mask)[0])
    return third(states + layer.feed_forward(states)), past


def no_norm_before_cross_attention(layer, new, past, source, source_mask):
    """One norm is forgotten."""
    states, past = looking(layer, new, past)
    states = states + layer.cross_attention.look_up(states, *source, source_mask)[0]
    return states + layer.feed_forward(layer.norms[2](states)), past


def normed_at_the_end(layer, new, past, source, source_mask):
    """The norm that belongs behind a whole stack."""
    states, past = looking(layer, new, past)
    return layer.norms[2](behind_self(layer, states, source, source_mask)), past


def adds_in_place(layer, new, past, source, source_mask):
    """The sum is made in the caller's vector."""
    normed = layer.norms[0](new)
    past = longer(past, layer.self_attention.keys_values(normed))
    new += layer.self_attention.look_up(normed, *past)[0]
    return behind_self(layer, new, source, source_mask), past


def grows_in_place(layer, new, past, source, source_mask):
    """The caller's past is made longer."""
    states, grown = looking(layer, new, past)
    for tensor, whole in zip(past, grown, strict=True):
        tensor.set_(whole)
    return behind_self(layer, states, source, source_mask), past


def clears_in_place(layer, new, past, source, source_mask):
    """What was copied is thought not to be needed any more."""
    states, grown = looking(layer, new, past)
    for tensor in past:
        tensor.zero_()
    return behind_self(layer, states, source, source_mask), grown


def kept_in_the_layer(layer, new, past, source, source_mask):
    """The past is kept in the layer too, and what is given is used only once."""
    if hasattr(layer, "past"):
        past = layer.past
    states, layer.past = looking(layer, new, past)
    return behind_self(layer, states, source, source_mask), layer.past


def buffer_in_single_precision(layer, new, past, source, source_mask):
    """A buffer is made without a dtype."""
    normed = layer.norms[0](new)
    grown = []
    for old, own in zip(past, layer.self_attention.keys_values(normed), strict=True):
        buffer = torch.zeros(*old.shape[:2], old.shape[2] + 1, old.shape[3])
        buffer[:, :, :-1], buffer[:, :, -1:] = old, own
        grown.append(buffer)
    states = new + layer.self_attention.look_up(normed, *(buffer.to(new.dtype) for buffer in grown))[0]
    return behind_self(layer, states, source, source_mask), tuple(grown)


def first_row_of_a_causal_mask(layer, new, past, source, source_mask):
    """The first row of a causal mask is used, so only the first position is visible."""
    normed = layer.norms[0](new)
    past = longer(past, layer.self_attention.keys_values(normed))
    seen = torch.ones(1, 1, past[0].shape[2], dtype=torch.bool, device=new.device).tril()
    states = new + layer.self_attention.look_up(normed, *past, seen)[0]
    return behind_self(layer, states, source, source_mask), past


_RESIDUAL = "three sublayers are applied in the right order, and the output of each is added to its input"
_BACK = "the new position attends to the past and to itself"
_PAST = "the new past has the new key and value after the old ones"
_ACROSS = "cross-attention uses the projected source unchanged, with its mask"
_NORMED = "the input of each sublayer is normalised, also for keys and values"
_ARGUMENTS = "new, past and source are not changed"
_SENTENCE = "sentences grow word by word, each with its own past"
_DOUBLE = "double precision stays double precision"

WRONG = {
    first_row_of_a_causal_mask: _BACK,
    no_residuals: _RESIDUAL,
    no_residual_around_self_attention: _RESIDUAL,
    no_residual_around_cross_attention: _RESIDUAL,
    no_residual_around_feed_forward: _RESIDUAL,
    no_cross_attention: _RESIDUAL,
    no_feed_forward: _RESIDUAL,
    not_unpacked: _RESIDUAL,
    output_alone: _RESIDUAL,
    three_results: _RESIDUAL,
    past_first: _RESIDUAL,
    stacked: _RESIDUAL,
    whole_layer: _RESIDUAL,
    source_as_memory: _RESIDUAL,
    along_the_heads: _RESIDUAL,
    without_itself: _BACK,
    itself_alone: _BACK,
    exchanged_in_the_look_up: _BACK,
    source_mask_for_both: _BACK,
    mask_of_the_past: _BACK,
    past_not_longer: _PAST,
    past_of_the_output: _PAST,
    own_alone: _PAST,
    in_front: _PAST,
    value_first: _PAST,
    mask_left_out: _ACROSS,
    mask_inverted: _ACROSS,
    mask_of_ones: _ACROSS,
    mask_for_heads: _ACROSS,
    projected_again: _ACROSS,
    source_exchanged: _ACROSS,
    new_asks_across: _ACROSS,
    no_norms: _NORMED,
    keys_not_normed: _NORMED,
    query_not_normed: _NORMED,
    around_normed: _NORMED,
    norms_exchanged: _NORMED,
    first_norm_twice: _NORMED,
    one_norm: _NORMED,
    post_norm: _NORMED,
    no_norm_before_cross_attention: _NORMED,
    normed_at_the_end: _NORMED,
    adds_in_place: _ARGUMENTS,
    grows_in_place: _ARGUMENTS,
    clears_in_place: _ARGUMENTS,
    kept_in_the_layer: _SENTENCE,
    buffer_in_single_precision: _DOUBLE,
}


def in_a_buffer(layer, new, past, source, source_mask):
    """The new past is a buffer that is filled."""
    normed = layer.norms[0](new)
    grown = []
    for old, own in zip(past, layer.self_attention.keys_values(normed), strict=True):
        buffer = old.new_empty(old.shape[0], old.shape[1], old.shape[2] + 1, old.shape[3])
        buffer[:, :, : old.shape[2]] = old
        buffer[:, :, old.shape[2] :] = own
        grown.append(buffer)
    states = new + layer.self_attention.look_up(normed, *grown)[0]
    return behind_self(layer, states, source, source_mask), tuple(grown)


def with_padding(layer, new, past, source, source_mask):
    """F.pad makes the room."""
    normed = layer.norms[0](new)
    own_key, own_value = layer.self_attention.keys_values(normed)
    key, value = (F.pad(tensor, (0, 0, 0, 1)) for tensor in past)
    key[:, :, -1], value[:, :, -1] = own_key[:, :, 0], own_value[:, :, 0]
    found, _ = layer.self_attention.look_up(query=normed, key=key, value=value, mask=None)
    return behind_self(layer, new + found, source, source_mask), (key, value)


def with_the_layers_dropout(layer, new, past, source, source_mask):
    """As in the whole layer, dropout included."""
    asks = layer.norms[0](new)
    key, value = (
        torch.cat((old, own), -2) for old, own in zip(past, layer.self_attention.keys_values(asks), strict=True)
    )
    x = new + layer.dropout(layer.self_attention.look_up(asks, key, value)[0])
    x = x + layer.dropout(layer.cross_attention.look_up(layer.norms[1](x), source[0], source[1], source_mask)[0])
    return x + layer.dropout(layer.feed_forward(layer.norms[2](x))), (key, value)


@torch.no_grad()
def without_a_gradient(layer, new, past, source, source_mask):
    """It is for translating only; the results are a list, and so is the past."""
    states, past = looking(layer, new, past)
    states = torch.add(states, F.dropout(torch.zeros_like(states), layer.dropout.p, layer.training))
    return [behind_self(layer, states, source, source_mask), list(past)]


def mask_of_all(layer, new, past, source, source_mask):
    """A mask that hides nothing, though none is needed."""
    first, second, third = layer.norms
    normed = first(new)
    key, value = longer(past, layer.self_attention.keys_values(normed))
    mask = torch.ones(len(new), 1, key.shape[2], dtype=torch.bool, device=new.device)
    states = new + layer.self_attention.look_up(normed, key, value, mask)[0]
    states = states + layer.cross_attention.look_up(second(states), *source, mask=source_mask)[0]
    return states + layer.feed_forward(third(states)), (key, value)


def itself_in_front_in_the_look_up(layer, new, past, source, source_mask):
    """A look-up does not ask in which order its places stand."""
    normed = layer.norms[0](new)
    own = layer.self_attention.keys_values(normed)
    states = new + layer.self_attention.look_up(normed, *longer(own, past))[0]
    return behind_self(layer, states, source, source_mask), longer(past, own)


def in_a_loop(layer, new, past, source, source_mask):
    """The sublayers one after the other."""
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


RIGHT = {
    "in a buffer": in_a_buffer,
    "with padding": with_padding,
    "with the layer's dropout": with_the_layers_dropout,
    "without a gradient": without_a_gradient,
    "a mask of all": mask_of_all,
    "itself in front in the look-up": itself_in_front_in_the_look_up,
    "in a loop": in_a_loop,
    "a module": Decode(),
    "a partial": functools.partial(in_a_loop),
    "a lambda": lambda layer, new, past, source, source_mask: in_a_buffer(layer, new, past, source, source_mask),
}
