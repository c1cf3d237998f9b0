"""What is right about `cached_decode`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch08_self_attention.judges import sublayers
from autograder.checks.ch08_self_attention.probes import parts
from autograder.checks.ch09_transformer.probes import cached_decode as probes
from autograder.compare import close, explained, is_close, leaves_arguments, unless_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed

_RESIDUAL = "three sublayers run in their order, and what each found is added to what went into it"
_BACK = "the new position looks at the past and at itself"
_PAST = "the past that comes back has the new key and value behind the old ones"
_ACROSS = "the source is looked at as it was projected, under its mask"
_NORMED = "what each sublayer reads, and what keys and values are made of, is normed"
_ARGUMENTS = "new, past and source are left as they were"
_SENTENCE = "sentences grow word by word, each on its own past"

Keys = tuple[Tensor, Tensor]


def _added(states: Tensor, *steps: sublayers.Function) -> Tensor:
    """States through sublayers, each with a residual and no norm."""
    for step in steps:
        states = states + step(states)
    return states


def _pattern(place: str) -> sublayers.Function:
    """An attention that finds the same whatever it is asked."""
    attention = parts.Attention(place, sees=False)
    return lambda states: attention(states, states)[0].detach()


def _look(attention: parts.Attention, query: Tensor, keys: Keys, mask: Tensor | None = None) -> Tensor:
    """The output alone of a look-up."""
    return attention.look_up(query, *keys, mask)[0]


def _own(layer: probes.Layer, states: Tensor) -> Keys:
    """Key and value of a position."""
    return layer.self_attention.keys_values(states)


def _longer(past: Keys, own: Keys) -> Keys:
    """The past with one position more."""
    (key, value), (own_key, own_value) = past, own
    return torch.cat([key, own_key], dim=2), torch.cat([value, own_value], dim=2)


@judge(
    _RESIDUAL,
    probe=probes.residuals,
    points=1,
    hint="A decoder layer's three sublayers, in their order: each reads the sum behind the one before, and what it found is added to what it "
    "read. look_up returns two things, of which the first is its output.",
)
def residuals(got: Any, want: Any) -> Verdict:
    """The order and the residuals; the norms change nothing, and the attentions always find the same."""
    new = want["new"]
    think = parts.FeedForward().requires_grad_(requires_grad=False)
    look, across = _pattern(parts.SELF), _pattern(parts.CROSS)
    both = _added(new, look, across)
    mistakes = {
        "there is no residual around any sublayer": think(across(new)),
        "there is no residual around self-attention": _added(look(new), across, think),
        "there is no residual around cross-attention": _added(across(new), think),
        "there is no residual around feed-forward": think(both),
        "feed-forward stands in front of cross-attention, expected behind it": _added(new, look, think, across),
        "feed-forward runs first, expected last": _added(new, think, look, across),
        "feed-forward's outcome is added to the new position's vector, expected to what feed-forward read": new
        + think(both),
        "feed-forward reads the sum behind self-attention, expected the sum behind cross-attention": both
        + think(new + look(new)),
        "there is no feed-forward": both,
        "there is no cross-attention": _added(new, look, think),
        "there is no self-attention": _added(new, across, think),
    }
    return explained(got["output"], want["output"], mistakes, "outputs")


@judge(
    _BACK,
    probe=probes.looked_back,
    points=2,
    needs=(_RESIDUAL,),
    hint="As in the whole layer, a position sees those before it and itself. Its own key and value are made first, with keys_values, and "
    "put behind the past; then it looks the longer past up.",
)
@unless_close("output")
def looks_back(got: Any, want: Any) -> Verdict:
    """What self-attention looks up; the norms change nothing."""
    new, past = want["new"], (want["past"][0], want["past"][1])
    layer = probes.Layer(neutral=True, sees=(parts.SELF,))
    own = _own(layer, new)
    across = _pattern(parts.CROSS)
    key, value = past
    found = {
        "the new position looks at the past without itself": past,
        "the new position looks at itself alone, and not at the past": own,
        "keys and values are in each other's places": _longer(past, own)[::-1],
        "the new key is put where the new value belongs, and the other way round": _longer(past, own[::-1]),
        "the first position of the past is lost": _longer((key[:, :, 1:], value[:, :, 1:]), own),
        "the new position is in it twice": _longer(_longer(past, own), own),
    }
    mistakes = {
        told: _added(new + _look(layer.self_attention, new, keys), across, layer.feed_forward)
        for told, keys in found.items()
    }
    return explained(got["output"], want["output"], mistakes, "outputs")


@judge(
    _PAST,
    probe=probes.longer_past,
    points=1,
    needs=(_RESIDUAL,),
    hint="The next position needs what this one looked up: torch.cat along the positions, which are the third of the four dimensions, the "
    "older ones first.",
)
def hands_on_past(got: Any, want: Any) -> Verdict:
    """Key and value of all positions so far; the norms change nothing."""
    layer, before = probes.Layer(neutral=True), (want["before"][0], want["before"][1])
    own = _own(layer, want["new"])
    mistakes = {
        "the new key and value stand in front of the old ones, expected behind them": _longer(own, before),
        "value and key came back in each other's places, expected key first": _longer(before, own)[::-1],
        "the new key and value are put in each other's places": _longer(before, own[::-1]),
    }
    if is_close(got["past"], want["past"]):
        return close("past of the first position", "past")(got, want)
    for told, (key, value) in mistakes.items():
        if is_close(got["past"], [key, value]):
            return failed(told)
    return close("past")(got, want)


@judge(
    _ACROSS,
    probe=probes.looked_across,
    points=1,
    needs=(_RESIDUAL,),
    hint="source holds keys and values already: look_up takes them as they are, key first, with source_mask as it was given. What asks is the "
    "sum behind self-attention.",
)
def looks_across(got: Any, want: Any) -> Verdict:
    """What cross-attention looks up; the norms change nothing."""
    new, mask, source = want["new"], want["mask"], (want["source"][0], want["source"][1])
    layer = probes.Layer(neutral=True, sees=(parts.CROSS,), masked=True)
    look, cross = _pattern(parts.SELF), layer.cross_attention
    looked = new + look(new)
    found = {
        "the mask that cross-attention was given hides nothing, or is the first sentence's for all; expected source_mask": _look(
            cross, looked, source, torch.ones_like(mask)
        ),
        "source_mask went in the wrong way round: True means that a place may be attended": _look(
            cross, looked, source, ~mask
        ),
        "the source's key and value are in each other's places": _look(cross, looked, source[::-1], mask),
        "cross-attention is asked by the new position's vector, expected by the sum behind self-attention": _look(
            cross, new, source, mask
        ),
        "cross-attention is asked by what self-attention found, expected by its sum with the new vector": _look(
            cross, look(new), source, mask
        ),
    }
    mistakes = {told: _added(looked + crossed, layer.feed_forward) for told, crossed in found.items()}
    return explained(got["output"], want["output"], mistakes, "outputs")


@judge(
    _NORMED,
    probe=probes.normed,
    points=2,
    needs=(_RESIDUAL, _BACK, _PAST, _ACROSS),
    hint="The layer is a pre-norm one: x + sublayer(norm(x)), with a norm for each sublayer. In self-attention the normed vector asks, and "
    "key and value are made of it too.",
)
@unless_close("own", "output")
def norms_stand(got: Any, want: Any) -> Verdict:
    """Where the norms stand."""
    new, layer = want["new"], probes.Layer()
    past, source = (want["past"][0], want["past"][1]), (want["source"][0], want["source"][1])
    first = layer.norms[0]
    if not is_close(got["own"], want["own"]):
        made_of = {
            "the new vector as it was: there is no norm": new,
            "the new vector through norms[1], expected norms[0]": layer.norms[1](new),
            "the new vector through norms[2], expected norms[0]": layer.norms[2](new),
            "the new vector normed twice": first(first(new)),
        }
        for told, states in made_of.items():
            if is_close(got["own"], list(_own(layer, states))):
                return failed(f"the key and value that are kept are made of {told}")
        return failed("the key and value that are kept are not made of the new vector, normed by norms[0]")

    def looks(asks: Tensor, read: Tensor) -> Tensor:
        return _look(layer.self_attention, asks, _longer(past, _own(layer, read)))

    functions: dict[str, sublayers.Function] = {
        "self-attention": lambda states: looks(states, states),
        "cross-attention": lambda states: _look(layer.cross_attention, states, source),
        "feed-forward": layer.feed_forward,
    }
    norms = list(layer.norms)
    rest = list(functions.values())[1:], norms[1:], [sublayers.pre] * 2
    mistakes = {
        "self-attention asks with the new vector as it was, expected normed": sublayers.through(
            new + looks(new, first(new)), *rest
        ),
        "what self-attention looks up is made of the new vector as it was, expected normed": sublayers.through(
            new + looks(first(new), new), *rest
        ),
        **sublayers.misplaced(new, functions, norms, sublayers.pre, sublayers.OF_PRE),
        **sublayers.exchanged(new, functions, norms, sublayers.pre),
    }
    return explained(got["output"], want["output"], mistakes, "outputs")


arguments = judge(
    _ARGUMENTS,
    probe=probes.decode_arguments,
    points=1,
    arguments=True,
    needs=(_RESIDUAL, _BACK, _PAST, _ACROSS, _NORMED),
    hint="Several hypotheses of a beam go on from one past. torch.cat makes new tensors; += and methods that end in an underscore write into "
    "the caller's.",
)(leaves_arguments("output", "longer"))


grows = judge(
    _SENTENCE,
    probe=probes.word_by_word,
    points=1,
    hidden=True,
    needs=(_RESIDUAL, _BACK, _PAST, _ACROSS, _NORMED, _ARGUMENTS),
    hint="All that is kept of the positions before is in `past`. What is kept in the layer, or anywhere else, is still there when another "
    "sentence begins.",
)(close())


other_types = judge(
    "double precision stays double precision",
    probe=probes.double_precision,
    points=1,
    hidden=True,
    needs=(_RESIDUAL, _BACK, _PAST, _ACROSS, _NORMED),
    hint="A tensor that you make yourself is float32 unless you say dtype=, or make it from another one, as past[0].new_empty does.",
)(close())
