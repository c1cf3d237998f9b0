"""What is right about `run_bidirectional`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch02_gates.probes import run_bidirectional as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_FIRST = "the first half holds the states that forward_rnn computes"
_SECOND = "the second half is read from the end, and each state is at the position of its word"
_PADDED = "a sentence is read from its own last word, not from the padding"
_ZEROS = "the states at the padding are zeros"


@judge(
    _FIRST,
    probe=probes.no_padding,
    points=1,
    hint="forward_rnn takes the sentences as they are, the whole batch at once. Its states come first along the last "
    "dimension, and "
    "those of the other direction after them: (B, T, 2H).",
)
def reads_forward(got: Any, want: Any) -> Verdict:
    """The first H numbers of each state."""
    mine = got["first half"]
    if is_close(mine, want["first half"]):
        return passed()
    if not mine.any():
        return failed("it is all zeros, although there is no padding here: was the mask inverted?")
    both = torch.stack([want["first half"], want["second half"]], dim=-1).flatten(2)
    others = {
        "the components of the two states alternate, expected one state after the other": both[..., : mine.shape[-1]],
        "the first two dimensions are swapped, expected (B, T, 2H)": want["first half"].transpose(0, 1),
        "the halves are swapped: the states of the second direction come first": want["second half"],
        "the sentences were read by backward_rnn, expected by forward_rnn": want["backward"],
        "the sentences were given to forward_rnn in reverse order, expected as they are": want[
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
    hint="backward_rnn also reads from left to right, so give it the words in reverse order. Its first state is then that of "
    "the last word, so reverse the states once more, to put each of them at the position of its word.",
)
def reads_backward(got: Any, want: Any) -> Verdict:
    """The last H numbers of each state, where every sentence fills its row."""
    mine = got["second half"]
    if is_close(mine, want["second half"]):
        return passed()
    others = {
        "the states were not put back in order: that of the last word comes first": want["words turned"],
        "the words were given to backward_rnn from left to right, expected in reverse order": want["backward"],
        "the states were reversed, but backward_rnn was given the words from left to right": want["backward"].flip(1),
        "the order of the sentences was reversed, expected that of the words in each: they are along dimension 1": want[
            "sentences turned"
        ],
        "the components of each input were reversed, expected the words: they are along dimension 1": want[
            "numbers turned"
        ],
        "the sentences were read from the end by forward_rnn, expected by backward_rnn": want[
            "words turned for forward"
        ].flip(1),
        "the sentences were read from the end by forward_rnn, expected by backward_rnn; and its states were not put back in "
        "order": want["words turned for forward"],
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
    hint="Reverse each sentence within its own length n: word t goes to n - 1 - t, and the padding stays where it is. The "
    "states go back "
    "by the same rule. flip(1) reverses the whole row, and puts the padding first.",
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
            "the whole rows were reversed, including the padding, so backward_rnn read the padding before the words"
        )
    wrong = (mine - right).abs().amax(dim=(1, 2)) > 1e-4
    words = want["lengths"][wrong].tolist()
    if words and max(words) < right.shape[1]:
        return failed(
            f"the sentences with padding, of {', '.join(map(str, sorted(words)))} words in rows of {right.shape[1]}, are "
            f"wrong, and the one without padding is right"
        )
    return failed(f"second half: {difference(mine, right)}")


@judge(
    _ZEROS,
    probe=probes.with_padding,
    points=1,
    needs=(_FIRST, _SECOND, _PADDED),
    hint="A recurrence computes states for padding, too. Replace them by zeros at the end, in both halves.",
)
def zeros_at_padding(got: Any, want: Any) -> Verdict:
    """Both halves, everywhere."""
    for name in ("first half", "second half"):
        at_padding = torch.where(_real(want), 0.0, got[name])
        if not is_close(at_padding, torch.zeros_like(at_padding)):
            return failed(
                f"{name}: a state at the padding contains the number {_largest(at_padding):.3g}, expected zeros"
            )
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
    hint="squeeze() removes every dimension of size one. A batch of one sentence and a sentence of one word still have all "
    "three dimensions.",
)(close())

types = judge(
    "double precision and slices of other tensors work, and the arguments are left as they were",
    probe=probes.types,
    points=1,
    arguments=True,
    needs=(_SECOND, _PADDED, _ZEROS),
    hint="Do not create a tensor of another dtype on the way: torch.zeros gives float32 unless you pass dtype=. To reverse a "
    "sentence, make a new tensor: an assignment to inputs[...] changes the caller's.",
)(close())

state_gradient = judge(
    "the gradient reaches the inputs through both directions",
    probe=probes.state_gradient,
    points=1,
    hidden=True,
    needs=(_SECOND, _PADDED, _ZEROS),
    hint="Use only torch operations on the tensors themselves: detach, .data and no_grad cut off the gradient.",
)(close())
