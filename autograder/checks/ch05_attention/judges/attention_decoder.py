"""What is right about `AttentionDecoder`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch05_attention.probes import attention_decoder as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_COMBINED = "context and state are combined in the order [c_t; s_t]"
_GIVEN_STATE = "the GRU starts from the given state"
_QUERY = "the query of step t is the state s_t"
_HIDES = "the mask of the source reaches the attention"
_LAST_STATE = "the state after the last token is returned, even for one sentence alone"


def _shows_states(got: Any, want: Any) -> bool:
    """Whether the states were right, which the logits show, and the weights too; another check is for what hides them."""
    return is_close(got["logits"], want["logits"]) or is_close(got["weights"], want["weights"])


@judge(
    _COMBINED,
    probe=probes.combined,
    points=2,
    hint="Follow the numbered steps: concatenate the context and the state, in this order, along the last dimension; "
    "then apply combine, tanh and output. Return three things: logits, weights, state.",
)
def context_first(got: Any, want: Any) -> Verdict:
    """The order in front of `combine`, and what follows it."""
    logits, context, states = got["logits"], want["context"], want["states"]
    if is_close(logits, want["logits"]):
        return passed()
    combined = _linear(torch.cat([context, states], dim=-1), want["combine"])
    others = {
        "the state was put before the context, [s_t; c_t]; expected [c_t; s_t]": _linear(
            _linear(torch.cat([states, context], dim=-1), want["combine"]).tanh(), want["output"]
        ),
        "there is no tanh between combine and output": _linear(combined, want["output"]),
        "the tanh is applied after output, expected between combine and output": _linear(
            combined, want["output"]
        ).tanh(),
        "the logits do not depend on the context: the states went straight to output": _linear(states, want["output"]),
        "the logits are probabilities; leave the softmax to the loss": want["logits"].softmax(-1),
    }
    for message, values in others.items():
        if is_close(logits, values):
            return failed(message)
    return failed(f"logits: {difference(logits, want['logits'])}")


def _linear(values: Tensor, layer: list[Tensor]) -> Tensor:
    """What a layer, its weight and its bias, makes of the values."""
    return torch.nn.functional.linear(values, *layer)


@judge(
    _GIVEN_STATE,
    probe=probes.given_state,
    points=1,
    needs=(_COMBINED,),
    hint=(
        "The first state comes from the encoder. The GRU takes it as its second argument; without it, the GRU starts "
        "from zeros."
    ),
)
def starts_from_given(got: Any, want: Any) -> Verdict:
    """The first state is not zero."""
    if _shows_states(got, want):
        return passed()
    if is_close(got["logits"], want["from_zeros"]):
        return failed("the logits are the same as from a state of zeros")
    return failed(f"logits: {difference(got['logits'], want['logits'])}")


@judge(
    _QUERY,
    probe=probes.queried,
    points=2,
    needs=(_COMBINED,),
    hint="Run the GRU over the tokens first. It returns s_1 to s_T at once, and these states are the queries.",
)
def current_state_asks(got: Any, want: Any) -> Verdict:
    """The current state asks, not the one before."""
    weights, states, memory = got["weights"], want["states"], want["memory"]
    if is_close(weights, want["weights"]):
        return passed()
    before = torch.cat([torch.zeros_like(states[:, :1]), states[:, :-1]], dim=1)
    others = {
        "the query was the previous state, s_(t-1), which is Bahdanau's order; expected s_t": before,
        "every query was the first state, before any word; expected s_t": torch.zeros_like(states),
        "every query was the state after the last word; expected s_t": states[:, -1:].expand_as(states),
    }
    for message, query in others.items():
        if is_close(weights, probes.shows_its_query(query, memory)[1]):
            return failed(message)
    return failed(f"the queries are not the states s_1 … s_T; {difference(weights, want['weights'])}")


@judge(
    _HIDES,
    probe=probes.decoder_mask,
    points=1,
    needs=(_COMBINED,),
    hint="The decoder's mask is (B, S), but the attention takes (B, 1, S), one row for all queries.",
)
def masks_source(got: Any, want: Any) -> Verdict:
    """The mask is handed to the attention in its shape."""
    weights, mask, memory = got["weights"], want["mask"].unsqueeze(1), want["memory"]
    if is_close(weights, want["weights"]):
        return passed()
    length = weights.shape[1]
    query = torch.zeros(len(memory), length, memory.shape[-1])
    if is_close(weights, probes.shows_its_mask(query, memory, torch.ones_like(mask))[1]):
        return failed(
            "the attention was given a mask that hides nothing, or the first sentence's mask for all sentences; "
            "expected the mask of the source"
        )
    if is_close(weights, probes.shows_its_mask(query, memory, ~mask)[1]):
        return failed("the mask was inverted: True means that a position may be attended to")
    return failed(f"the weights are not those for the given mask; {difference(weights, want['weights'])}")


hands_back_state = judge(
    _LAST_STATE,
    probe=probes.last_state,
    points=1,
    hidden=True,
    needs=(_COMBINED,),
    hint="The third result is the GRU's last state, (1, B, H): the next call continues from it.",
)(close())


@judge(
    "a sentence can be decoded word by word",
    probe=probes.word_by_word,
    points=1,
    hidden=True,
    needs=(_COMBINED, _GIVEN_STATE, _LAST_STATE),
    hint="In translation B and T are 1, and each call continues from the state that the previous call returned. Keep "
    "dimensions of size one, and do not store anything in self from one call to the next.",
)
def continues(got: Any, want: Any) -> Verdict:
    """Each call goes on from the state of the one before."""
    return passed() if _shows_states(got, want) else failed(f"logits: {difference(got['logits'], want['logits'])}")


decoder_gradient = judge(
    "the gradient reaches every weight and the memory",
    probe=probes.decoder_gradient,
    points=1,
    hidden=True,
    needs=(_COMBINED, _QUERY),
    hint="Use only torch operations on the tensors themselves: detach, .data and no_grad cut off the gradient.",
)(close())
