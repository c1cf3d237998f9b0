"""What is right about `run_bidirectional`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch02_gates.probes import run_bidirectional as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_FIRST = "the first half is what forward_rnn makes of the sentences"
_SECOND = "the second half has read from the end, and each state stands at its word"
_PADDED = "a sentence is read from its own last word, and not from the padding"
_ZEROS = "the states of the padding are zeros"


@judge(
    _FIRST,
    probe=probes.no_padding,
    points=1,
    hint="forward_rnn takes the sentences as they are, the whole batch at once. Its states come first along the last dimension, and "
    "those of the other direction after them: (B, T, 2H).",
)
def reads_forward(got: Any, want: Any) -> Verdict:
    """The first H numbers of each state."""
    mine = got["first half"]
    if is_close(mine, want["first half"]):
        return passed()
    if not mine.any():
        return failed("it is all zeros, though there is no padding here: was the mask turned round?")
    both = torch.stack([want["first half"], want["second half"]], dim=-1).flatten(2)
    others = {
        "the numbers of the two states alternate, expected the one state behind the other": both[..., : mine.shape[-1]],
        "the first two dimensions have changed places, expected (B, T, 2H)": want["first half"].transpose(0, 1),
        "the halves have changed places: the states of the second direction stand first": want["second half"],
        "the sentences were read by backward_rnn, expected by forward_rnn": want["backward"],
        "the sentences were given to forward_rnn from the end, expected as they stand": want[
            "words turned for forward"
        ],
    }
    for message, states in others.items():
        if is_close(mine, states) or is_close(mine, states.flip(1)):
            return failed(message)
    return failed(f"first half: {difference(mine, want['first half'])}")


@judge(
    _SECOND,
    probe=probes.no_padding,
    points=2,
    needs=(_FIRST,),
    hint="backward_rnn too reads from left to right: so it is given the words in reverse order. Its first state is then that of the "
    "last word, and the states are turned once more, to stand where their words do.",
)
def reads_backward(got: Any, want: Any) -> Verdict:
    """The last H numbers of each state, where every sentence fills its row."""
    mine = got["second half"]
    if is_close(mine, want["second half"]):
        return passed()
    others = {
        "the states were not turned back: that of the last word stands first": want["words turned"],
        "the words were given to backward_rnn from left to right, expected in reverse order": want["backward"],
        "the states were turned, but backward_rnn was given the words from left to right": want["backward"].flip(1),
        "the order of the sentences was turned, expected that of the words in each: they lie along dimension 1": want[
            "sentences turned"
        ],
        "the numbers of each input were turned, expected the words: they lie along dimension 1": want["numbers turned"],
        "the sentences were read from the end by forward_rnn, expected by backward_rnn": want[
            "words turned for forward"
        ].flip(1),
        "the sentences were read from the end by forward_rnn, expected by backward_rnn; and its states were not turned back": want[
            "words turned for forward"
        ],
        "both halves are those of forward_rnn, from left to right": want["forward"],
    }
    for message, states in others.items():
        if is_close(mine, states):
            return failed(message)
    return failed(f"second half: {difference(mine, want['second half'])}")


def _real(want: Any) -> Tensor:
    """Where a word stands and no padding: (B, T, 1)."""
    places = torch.arange(want["first half"].shape[1])
    return (places < want["lengths"].unsqueeze(1)).unsqueeze(-1)


@judge(
    _PADDED,
    probe=probes.with_padding,
    points=2,
    needs=(_FIRST, _SECOND),
    hint="Turn each sentence within its own length n: word t goes to n - 1 - t, and the padding stays where it is. The states go back "
    "by the same rule. flip(1) turns the whole row, and puts the padding first.",
)
def reads_from_last_word(got: Any, want: Any) -> Verdict:
    """Both halves, at the words alone."""
    real, right = _real(want), want["second half"]
    first, mine = (torch.where(real, got[name], 0.0) for name in ("first half", "second half"))
    if is_close(first, want["first half"]) and is_close(mine, right):
        return passed()
    if not is_close(first, want["first half"]):
        return failed(f"first half: {difference(first, want['first half'])}")
    turned = torch.where(real, want["words turned"].flip(1), 0.0)
    if is_close(mine, turned):
        return failed(
            "the whole rows were turned, padding and all, so that backward_rnn has read the padding before the words"
        )
    wrong = (mine - right).abs().amax(dim=(1, 2)) > 1e-4
    words = want["lengths"][wrong].tolist()
    if words and max(words) < right.shape[1]:
        return failed(
            f"the sentences with padding are wrong, of {', '.join(map(str, sorted(words)))} words in rows of {right.shape[1]}, and "
            "the one without is right"
        )
    return failed(f"second half: {difference(mine, right)}")


@judge(
    _ZEROS,
    probe=probes.with_padding,
    points=1,
    needs=(_FIRST, _SECOND, _PADDED),
    hint="A recurrence makes states of padding too. Write zeros over them at the end, in both halves.",
)
def zeros_at_padding(got: Any, want: Any) -> Verdict:
    """Both halves, everywhere."""
    for name in ("first half", "second half"):
        at_padding = torch.where(_real(want), 0.0, got[name])
        if not is_close(at_padding, torch.zeros_like(at_padding)):
            return failed(f"{name}: a state at the padding has the number {_largest(at_padding):.3g}, expected zeros")
    return close("first half", "second half")(got, want)


def _largest(values: Tensor) -> float:
    """The number that is furthest from zero."""
    flat = values.flatten()
    return flat[flat.abs().argmax()].item()


alone = judge(
    "one sentence, or one word, keeps its dimensions",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_SECOND, _PADDED, _ZEROS),
    hint="squeeze() takes away every dimension of size one. A batch of one and a sentence of one word have all three dimensions still.",
)(close())

types = judge(
    "double precision and slices of other tensors work, and the arguments are left as they were",
    probe=probes.types,
    points=1,
    arguments=True,
    needs=(_SECOND, _PADDED, _ZEROS),
    hint="Make no tensor of another dtype on the way: torch.zeros gives float32 unless you say dtype=. To turn a sentence, make a new "
    "tensor: an assignment to inputs[...] changes the caller's.",
)(close())

state_gradient = judge(
    "the gradient reaches the inputs through both directions",
    probe=probes.state_gradient,
    points=1,
    hidden=True,
    needs=(_SECOND, _PADDED, _ZEROS),
    hint="Stay with torch's operations on the tensors themselves: detach, .data and no_grad cut the gradient off.",
)(close())
