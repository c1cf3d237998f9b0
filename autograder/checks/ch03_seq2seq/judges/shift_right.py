"""What is right about `shift_right`, and what is said when it is not."""

from typing import Any

import torch

from autograder.checks.ch03_seq2seq.probes import shift_right as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_WORDS = "each position but the first holds the previous word"
_BOS = "the first position holds bos"


@judge(
    _WORDS,
    probe=probes.behind_the_first,
    points=1,
    hint="Write it down for one target of three words: the decoder writes y_1, y_2, y_3, and before it writes y_2 it has read y_1. "
    "As many words are read as are written.",
)
def one_word_late(got: Any, want: Any) -> Verdict:
    """Each word has moved one place to the right."""
    words, target, mask = got["input words"], want["target"], want["mask"][:, 1:]
    if is_close(words, want["input words"]):
        return passed()
    if is_close(words, target[:, 1:] * mask):
        if got["places"] < want["places"]:
            return failed("the first word was dropped and the last one kept, expected bos and all words but the last")
        return failed(
            "the words were not shifted: the decoder would read the very word that it has to write, and learn to copy it"
        )
    if is_close(words[:, :-1] * mask[:, 1:], target[:, 2:] * mask[:, 1:]):
        return failed("the words moved to the left, so the decoder would read words that it has not written yet")
    if is_close(words, target[:, :1] * mask):
        return failed(
            "every position holds the first word: each word was copied from a position that had already been overwritten"
        )
    if is_close(words[1:], (target[:-1, 1:] * mask[1:])):
        return failed("the rows were shifted, expected the words within each row to be shifted")
    return failed(f"input words after the first: {difference(words, want['input words'])}")


@judge(
    _BOS,
    probe=probes.in_front,
    points=1,
    needs=(_WORDS,),
    hint="Before the decoder writes the first word, it reads the start mark, in every sentence. Its id is given "
    "as an argument.",
)
def begins_with_bos(got: Any, want: Any) -> Verdict:
    """The mark of the beginning is there."""
    first, target, bos = got["first input words"], want["target"], want["bos"]
    if is_close(first, want["first input words"]):
        return passed()
    if is_close(first, target[:, 0]):
        return failed("the first word is still at the first position, expected bos there")
    if is_close(first, target[:, -1]) or is_close(first, target[:, -1].roll(1)):
        return failed("the last word was moved to the first position, as roll does; expected bos there")
    if (first == first[0]).all():
        return failed(f"each sentence begins with {int(first[0])}, expected bos, which is {bos} here")
    return failed(f"first input words: {difference(first, want['first input words'])}")


@judge(
    "the result has the target's dtype and is on its device",
    probe=probes.same_kind,
    points=1,
    hidden=True,
    needs=(_WORDS, _BOS),
    hint="A new tensor of integers is int64 and on the CPU by default. torch.full_like(other, value) creates a tensor with the "
    "shape, dtype and device of another; new_full also takes dtype and device from it.",
)
def kind_is_kept(got: Any, want: Any) -> Verdict:
    """The type and the device."""
    if not got["is on the device"]:
        return failed("the result is on the CPU, and the target was on another device")
    return close("int32", "device")(got, want)


@judge(
    "the target is not changed",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_WORDS, _BOS),
    hint="The loss needs the target afterwards. An assignment such as target[:, 0] = ... changes the caller's "
    "tensor; create a new one.",
)
def leaves_target(got: Any, want: Any) -> Verdict:
    """The words are right and the target is the caller's still."""
    if not torch.equal(got["target"], want["target"]):
        return failed("the call changed its argument target")
    return close("input words")(got, want)
