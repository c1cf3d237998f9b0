"""What is right about `cached_decode`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch08_self_attention import parts
from autograder.checks.ch09_transformer.judges import sublayers
from autograder.checks.ch09_transformer.probes import cached_decode as probes
from autograder.compare import close, explained, is_close, leaves_arguments, unless_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed

_RESIDUAL = "three sublayers are applied in the right order, and the output of each is added to its input"
_BACK = "the new position attends to the past and to itself"
_PAST = "the new past has the new key and value after the old ones"
_ACROSS = "cross-attention uses the projected source unchanged, with its mask"
_NORMED = "the input of each sublayer is normalised, also for keys and values"
_ARGUMENTS = "new, past and source are not changed"
_SENTENCE = "sentences grow word by word, each with its own past"

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
    hint="A decoder layer has three sublayers in a fixed order: the input of each is the sum after the previous "
    "one, and its output is added to its input. look_up returns two results; the first is its output.",
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
        "feed-forward comes before cross-attention, expected after it": _added(new, look, think, across),
        "feed-forward is applied first, expected last": _added(new, think, look, across),
        "the output of feed-forward is added to the vector of the new position, expected to the input of "
        "feed-forward": new + think(both),
        "the input of feed-forward is the sum after self-attention, expected the sum after cross-attention": both
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
    hint="As in the whole layer, a position attends to the earlier ones and to itself. Compute its own key and "
    "value first, with keys_values, and append them to the past; then call look_up with the longer past.",
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
        "the new position attends to the past, but not to itself": past,
        "the new position attends only to itself, not to the past": own,
        "keys and values are swapped": _longer(past, own)[::-1],
        "the new key is appended to the values, and the new value to the keys": _longer(past, own[::-1]),
        "the new key is appended to the keys and to the values": _longer(past, (own[0], own[0])),
        "the new value is appended to the keys and to the values": _longer(past, (own[1], own[1])),
        "the new key and value are computed by cross_attention, expected by self_attention": _longer(
            past, layer.cross_attention.keys_values(new)
        ),
        "the first position of the past is lost": _longer((key[:, :, 1:], value[:, :, 1:]), own),
        "the new position occurs twice": _longer(_longer(past, own), own),
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
    hint="The next position needs everything that this one attended to: torch.cat along the positions, the third "
    "of the four dimensions, with the older positions first.",
)
def hands_on_past(got: Any, want: Any) -> Verdict:
    """Key and value of all positions so far; the norms change nothing."""
    layer, before = probes.Layer(neutral=True), (want["before"][0], want["before"][1])
    own = _own(layer, want["new"])
    mistakes = {
        "the new key and value come before the old ones, expected after them": _longer(own, before),
        "value and key were returned in the wrong order, expected key first": _longer(before, own)[::-1],
        "the new key and value are swapped": _longer(before, own[::-1]),
        "the new key is appended to the keys and to the values": _longer(before, (own[0], own[0])),
        "the new value is appended to the keys and to the values": _longer(before, (own[1], own[1])),
        "the new key and value are computed by cross_attention, expected by self_attention": _longer(
            before, layer.cross_attention.keys_values(want["new"])
        ),
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
    hint="`source` already holds keys and values: pass them to look_up unchanged, key first, together with "
    "source_mask. The query is the sum after self-attention.",
)
def looks_across(got: Any, want: Any) -> Verdict:
    """What cross-attention looks up; the norms change nothing."""
    new, mask, source = want["new"], want["mask"], (want["source"][0], want["source"][1])
    layer = probes.Layer(neutral=True, sees=(parts.CROSS,), masked=True)
    look, cross = _pattern(parts.SELF), layer.cross_attention
    looked = new + look(new)
    found = {
        "the mask that cross-attention was given hides nothing, or the first sentence's mask is used for all; "
        "expected source_mask": _look(cross, looked, source, torch.ones_like(mask)),
        "source_mask is inverted: True means that a position may be attended to": _look(cross, looked, source, ~mask),
        "the source's key and value are swapped": _look(cross, looked, source[::-1], mask),
        "the query of cross-attention is the vector of the new position, expected the sum after self-attention": _look(
            cross, new, source, mask
        ),
        "the query of cross-attention is the output of self-attention, expected its sum with the new vector": _look(
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
    hint="The layer is a pre-norm one: x + sublayer(norm(x)), with a norm for each sublayer. In self-attention, "
    "query, key and value are all computed from the normalised vector.",
)
@unless_close("own", "output")
def norms_stand(got: Any, want: Any) -> Verdict:
    """Where the norms stand."""
    new, layer = want["new"], probes.Layer()
    past, source = (want["past"][0], want["past"][1]), (want["source"][0], want["source"][1])
    first = layer.norms[0]
    if not is_close(got["own"], want["own"]):
        made_of = {
            "the new vector without a norm": new,
            "the new vector normalised by norms[1], expected norms[0]": layer.norms[1](new),
            "the new vector normalised by norms[2], expected norms[0]": layer.norms[2](new),
            "the new vector normalised twice": first(first(new)),
        }
        for told, states in made_of.items():
            if is_close(got["own"], list(_own(layer, states))):
                return failed(f"the returned key and value are computed from {told}")
        return failed("the returned key and value are not computed from the new vector, normalised by norms[0]")

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
        "the query of self-attention is the new vector without a norm, expected normalised": sublayers.through(
            new + looks(new, first(new)), *rest
        ),
        "the keys and values of self-attention are computed from the new vector without a norm, expected normalised": sublayers.through(
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
    hint="Several hypotheses of a beam continue from the same past. torch.cat creates new tensors; += and "
    "methods that end in an underscore change the caller's tensors.",
)(leaves_arguments("output", "longer"))


grows = judge(
    _SENTENCE,
    probe=probes.word_by_word,
    points=1,
    hidden=True,
    needs=(_RESIDUAL, _BACK, _PAST, _ACROSS, _NORMED, _ARGUMENTS),
    hint="Everything about earlier positions is in `past`. Anything that you store in the layer, or elsewhere, "
    "is still there when another sentence begins.",
)(close())


other_types = judge(
    "double precision stays double precision",
    probe=probes.double_precision,
    points=1,
    hidden=True,
    needs=(_RESIDUAL, _BACK, _PAST, _ACROSS, _NORMED),
    hint="A tensor that you create yourself is float32, unless you pass dtype= or create it from another one, as "
    "past[0].new_empty does.",
)(close())
