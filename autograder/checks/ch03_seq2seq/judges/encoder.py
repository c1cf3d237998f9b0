"""What is right about `Encoder`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch03_seq2seq.probes import encoder as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_MEMORY = "the memory holds the states of both directions for each word"
_STATE = "the decoder's first state is computed from the last state of each direction"
_PADDED_STATE = "padding does not change the decoder's first state"
_PADDED_MEMORY = "padding does not change the memory at the words"


@judge(
    _MEMORY,
    probe=probes.memory,
    points=1,
    hint="Embed the words, run the GRU over them, and return two things: first the memory, that is, the GRU's states at all words, and "
    "then the decoder's first state.",
)
def states_of_all_words(got: Any, want: Any) -> Verdict:
    """The memory, with no padding in the batch."""
    memory = got["memory"]
    if is_close(memory, want["memory"]):
        return passed()
    if is_close(memory, want["memory"].roll(probes.HIDDEN // 2, dims=-1)):
        return failed(
            "in the memory the backward half comes first, expected the forward half first, as the GRU returns it"
        )
    return failed(f"memory: {difference(memory, want['memory'])}")


def _to_state(both: Tensor, bridge: list[Tensor]) -> Tensor:
    """What bridge and tanh make of a vector for each sentence, (B, H)."""
    return torch.nn.functional.linear(both, *bridge).tanh().unsqueeze(0)


@judge(
    _STATE,
    probe=probes.state,
    points=1,
    needs=(_MEMORY,),
    hint="The GRU's second result is (2, B, H / 2): the last state of each direction, forward first. Concatenate the "
    "two states of each sentence, apply bridge and tanh, and add the dimension of layers, (1, B, H).",
)
def made_of_last_states(got: Any, want: Any) -> Verdict:
    """The bridge from the encoder to the decoder."""
    state, states, last, bridge = got["state"], want["states"], want["last"], want["bridge"]
    if is_close(state, want["state"]):
        return passed()
    both = torch.cat([last[0], last[1]], dim=-1)
    others = {
        "the tanh after bridge is missing": torch.nn.functional.linear(both, *bridge).unsqueeze(0),
        "the tanh is applied before bridge, expected after it": torch.nn.functional.linear(
            both.tanh(), *bridge
        ).unsqueeze(0),
        "both halves of the input to bridge are the forward direction's state": _to_state(
            torch.cat([last[0], last[0]], dim=-1), bridge
        ),
        "both halves of the input to bridge are the backward direction's state": _to_state(
            torch.cat([last[1], last[1]], dim=-1), bridge
        ),
        "bridge was left out: the state is the concatenation of the two last states": both.unsqueeze(0),
        "bridge was left out: the state is the tanh of the two last states": both.tanh().unsqueeze(0),
        "the backward direction's state came first, expected the forward one first": _to_state(
            torch.cat([last[1], last[0]], dim=-1), bridge
        ),
        "the state is computed from the GRU's states at the last word, where the backward direction has only begun to read; its last "
        "state is that of the first word": _to_state(states[:, -1], bridge),
        "the state is computed from the GRU's states at the first word, where the forward direction has only begun to read": _to_state(
            states[:, 0], bridge
        ),
        "the state is computed from the mean of all states": _to_state(states.mean(dim=1), bridge),
        "the last states of different sentences were concatenated: reshape and view read the values in the order in which "
        "they are stored, first all of one direction. Concatenate last[0] and last[1]": _to_state(
            last.reshape(len(both), -1), bridge
        ),
    }
    for message, values in others.items():
        if is_close(state, values):
            return failed(message)
    return failed(f"state: {difference(state, want['state'])}")


@judge(
    _PADDED_STATE,
    probe=probes.state_of_padded,
    points=2,
    needs=(_STATE,),
    hint="The forward direction has to stop at each sentence's own last word, and the backward direction has to begin there. With a "
    "padded batch, a GRU reads the padding like words; with a packed batch, it does not see the padding.",
)
def state_without_padding(got: Any, want: Any) -> Verdict:
    """The last state is that of the last word."""
    state, states, last, bridge = got["state"], want["states"], want["last"], want["bridge"]
    if is_close(state, want["state"]):
        return passed()
    at_last_word = states[torch.arange(len(states)), want["lengths"] - 1]  # (B, H)
    half = states.shape[-1] // 2
    others = {
        "the GRU ran over the padding too, so the last state of its forward direction is the one after the padding": _to_state(
            torch.cat([last[0], last[1]], dim=-1), bridge
        ),
        "the forward direction's state is the one at each last word, but the backward direction read the padding first": _to_state(
            torch.cat([at_last_word[:, :half], last[1]], dim=-1), bridge
        ),
        "both directions' states were taken at the last word, where the backward direction has only read padding and that "
        "word": _to_state(at_last_word, bridge),
    }
    for message, values in others.items():
        if is_close(state, values):
            return failed(message)
    return failed(f"with padding in the batch, state: {difference(state, want['state'])}")


@judge(
    _PADDED_MEMORY,
    probe=probes.memory_of_padded,
    points=1,
    needs=(_MEMORY, _PADDED_STATE),
    hint="The memory has to come from the same run as the state, in which the GRU did not see the padding. The backward direction "
    "begins at the end of the row.",
)
def memory_without_padding(got: Any, want: Any) -> Verdict:
    """The states of words do not depend on padding."""
    memory = got["memory"]
    if is_close(memory, want["memory"]):
        return passed()
    if is_close(memory, want["over all places"]):
        return failed("the backward direction read the padding before the words, which changes all its states")
    return failed(f"at the words of a padded batch, memory: {difference(memory, want['memory'])}")


zeros_at_padding = judge(
    "the memory has all S positions, with zeros at padding",
    probe=probes.memory_of_padding,
    points=1,
    hidden=True,
    needs=(_MEMORY, _PADDED_MEMORY),
    hint="A batch may have more positions than its longest sentence has words. pad_packed_sequence returns only as many positions as that "
    "sentence needs, unless you pass total_length=...; it fills the padding with zeros.",
)(close("memory"))

lengths_in_any_order = judge(
    "the sentences may come in any order",
    probe=probes.any_order,
    points=1,
    hidden=True,
    needs=(_PADDED_STATE, _PADDED_MEMORY),
    hint="pack_padded_sequence expects the longest sentence first, unless you pass enforce_sorted=False. If you sort the sentences "
    "yourself, bring memory and state back into the original order.",
)(close())

one_sentence = judge(
    "one sentence alone, and one word alone, keep their dimensions",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_MEMORY, _STATE),
    hint="B and S can be 1. squeeze() removes every dimension of size one, including those that have to stay.",
)(close())

encoder_gradient = judge(
    "the gradient reaches every weight",
    probe=probes.encoder_gradient,
    points=1,
    hidden=True,
    needs=(_MEMORY, _STATE, _PADDED_STATE, _PADDED_MEMORY),
    hint="Encoder and decoder are trained together: use only torch operations on the tensors themselves. detach, .data, .tolist() "
    "and no_grad cut off the gradient.",
)(close())
