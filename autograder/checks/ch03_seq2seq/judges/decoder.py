"""What is right about `Decoder`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch03_seq2seq.probes import decoder as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_WORD = "a word is embedded, goes through the GRU, and comes out as logits"
_GIVEN_STATE = "the GRU starts from the encoder's state"
_IN_TURN = "with several words, each is read at its own position"
_LAST_STATE = "the state after the last word is returned"


@judge(
    _WORD,
    probe=probes.one_word,
    points=1,
    hint="Three layers, one after the other: embedding, rnn, output. Return two things: the logits of all positions, then the last state.",
)
def one_word(got: Any, want: Any) -> Verdict:
    """One word, and no state to speak of."""
    logits, right = got["logits"], want["logits"]
    if is_close(logits, right):
        return passed()
    others = {
        "the logits are the same whatever word is read: the GRU is not given the embedded words": want[
            "without a word"
        ],
        "the logits are probabilities; leave the softmax to the loss": right.softmax(-1),
        "the logits are log-probabilities; leave the softmax to the loss": right.log_softmax(-1),
        "a tanh is applied after output, but the logits should have none": right.tanh(),
    }
    for message, values in others.items():
        if is_close(logits, values):
            return failed(message)
    return failed(f"after one word, from a state of zeros, logits: {difference(logits, right)}")


@judge(
    _GIVEN_STATE,
    probe=probes.first_state,
    points=2,
    needs=(_WORD,),
    hint="The decoder gets its information about the source from the given state only. The GRU takes it as its second argument; without it, "
    "it starts from zeros.",
)
def starts_from_given(got: Any, want: Any) -> Verdict:
    """The first state is not zero."""
    if is_close(got["logits"], want["logits"]):
        return passed()
    if is_close(got["logits"], want["from zeros"]):
        return failed(
            "the logits are the same as from a state of zeros: the translation would not depend on the source"
        )
    return failed(f"from a state that is not zero, logits: {difference(got['logits'], want['logits'])}")


@judge(
    _IN_TURN,
    probe=probes.words_in_turn,
    points=1,
    needs=(_WORD,),
    hint="In training all input words are given: at position t the decoder reads tokens[:, t], whatever it would have written "
    "itself. A GRU processes all of them in one call.",
)
def reads_each_word(got: Any, want: Any) -> Verdict:
    """Teacher forcing over several words."""
    logits = got["logits"]
    if is_close(logits, want["logits"]):
        return passed()
    others = {
        "the decoder read its own most likely words instead of the given tokens; that is right only at test time": "own words",
        "the first word was read at every position": "the first word again",
        "only the first word was read, and zeros at the other positions": "the first word alone",
        "each word was read from a state of zeros: the state after a word is not carried on to the next": "each from zeros",
    }
    for message, name in others.items():
        if is_close(logits, want[name]):
            return failed(message)
    return failed(f"with five words, logits: {difference(logits, want['logits'])}")


hands_back_state = judge(
    _LAST_STATE,
    probe=probes.last_state,
    points=1,
    hidden=True,
    needs=(_WORD, _IN_TURN),
    hint="The second result is the GRU's last state, (1, B, H): the next call starts from it.",
)(close())

continues = judge(
    "a sentence can be decoded word by word",
    probe=probes.word_by_word,
    points=1,
    hidden=True,
    needs=(_WORD, _GIVEN_STATE, _LAST_STATE),
    hint="In decoding, B and T may be 1, and each call starts from the state that the previous call returned. Keep dimensions of size one, "
    "and do not store anything in self from one call to the next.",
)(close())

decoder_gradient = judge(
    "the gradient reaches every weight and the encoder's state",
    probe=probes.decoder_gradient,
    points=1,
    hidden=True,
    needs=(_WORD, _GIVEN_STATE, _IN_TURN),
    hint="The encoder learns through the state: without a gradient there, it would keep its initial weights. Use only torch operations "
    "on the tensors themselves: detach, .data and no_grad cut off the gradient.",
)(close())
