"""What is right about `caption_step`, and what is said when it is not."""

from typing import Any

import torch

from autograder.checks.ch11_pictures.probes import caption_step as probes
from autograder.compare import close, difference, explained, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_LOGITS = "the decoder gets the word, the hidden state and every cell"
_STATE = "the next state is the new hidden state and the unchanged memory"


@judge(
    _LOGITS,
    probe=probes.logits,
    points=1,
    hint="decoder(word, hidden, cells, mask) returns logits, weights and the next hidden state. The memory in the state has a leading dimension that the decoder "
    "does not take, and the mask is True where a cell may be attended to.",
)
def asks_decoder(got: Any, want: Any) -> Verdict:
    """The logits of one step."""
    logits = got["logits"]
    mistakes = {
        "the mask hides every cell: it has to be True where a cell may be attended to": want["hides all"],
        "the mask hides the cells whose vector is zero: every cell may be attended to": want["hides zeros"],
        "the mask hides every cell of a caption whose last word is number 0: every cell may be attended to": want[
            "hides word 0"
        ],
        "the logits are probabilities; leave the softmax to the search": want["logits"].softmax(-1),
        "the logits are log-probabilities; leave the softmax to the search": want["logits"].log_softmax(-1),
    }
    return explained(logits, want["logits"], mistakes, "logits")


@judge(
    _STATE,
    probe=probes.next_state,
    points=1,
    needs=(_LOGITS,),
    hint="The next call gets what you return: the hidden state that the decoder returned, and the same memory, with its leading dimension of size 1.",
)
def hands_on(got: Any, want: Any) -> Verdict:
    """The two parts of the state."""
    if is_close(got["hidden"], want["before"]):
        return failed("the hidden state was returned unchanged, expected the one after this word")
    if not is_close(got["hidden"], want["hidden"]):
        return failed(f"hidden state: {difference(got['hidden'], want['hidden'])}")
    if is_close(got["memory"], want["memory"]):
        return passed()
    if not torch.any(got["memory"]):
        return failed("the memory in the next state is zero everywhere, expected it unchanged")
    return failed(f"memory: {difference(got['memory'], want['memory'])}")


goes_on = judge(
    "a search may repeat, reorder and drop rows",
    probe=probes.searched,
    points=1,
    hidden=True,
    needs=(_LOGITS, _STATE),
    hint="N may differ from call to call, and may be 1. Store nothing between calls outside the state, and lose "
    "no dimension of size one.",
)(close())
