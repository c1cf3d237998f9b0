"""What is right about `shift_right`, and what is said when it is not."""

from typing import Any

import torch

from autograder.checks.ch03_seq2seq.probes import shift_right as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_WORDS = "at each place but the first stands the word before"
_BOS = "at the first place stands bos"


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
            return failed("the first word fell away and the last one stayed, expected bos and all words but the last")
        return failed(
            "each word stands where it stood: the decoder would read the very word that it is to write, and learn to copy it"
        )
    if is_close(words[:, :-1] * mask[:, 1:], target[:, 2:] * mask[:, 1:]):
        return failed("the words moved to the left, so that the decoder would read what it has not written yet")
    if is_close(words, target[:, :1] * mask):
        return failed(
            "at every place stands the first word: each word was copied from a place that had been overwritten"
        )
    if is_close(words[1:], (target[:-1, 1:] * mask[1:])):
        return failed("the rows moved, each sentence to the place of the next; expected the words of each row to move")
    return failed(f"input words behind the first: {difference(words, want['input words'])}")


@judge(
    _BOS,
    probe=probes.in_front,
    points=1,
    needs=(_WORDS,),
    hint="Before the decoder writes the first word it has read the mark of the beginning, in every sentence. Which number that is "
    "comes as an argument.",
)
def begins_with_bos(got: Any, want: Any) -> Verdict:
    """The mark of the beginning is there."""
    first, target, bos = got["first input words"], want["target"], want["bos"]
    if is_close(first, want["first input words"]):
        return passed()
    if is_close(first, target[:, 0]):
        return failed("the first word stands at the first place still, expected bos there")
    if is_close(first, target[:, -1]) or is_close(first, target[:, -1].roll(1)):
        return failed("the last word came round to the first place, as roll does it; expected bos there")
    if (first == first[0]).all():
        return failed(f"each sentence begins with {int(first[0])}, expected bos, which is {bos} here")
    return failed(f"first input words: {difference(first, want['first input words'])}")


@judge(
    "the result is of the target's type and on its device",
    probe=probes.same_kind,
    points=1,
    hidden=True,
    needs=(_WORDS, _BOS),
    hint="A new tensor is of type int64 and on the CPU unless you say otherwise. torch.full_like(other, value) makes one of the "
    "shape and type of another and on its device, and so does new_full.",
)
def kind_is_kept(got: Any, want: Any) -> Verdict:
    """The type and the device."""
    if not got["is on the device"]:
        return failed("the result is on the CPU, and the target was on another device")
    return close("int32", "device")(got, want)


@judge(
    "the target is left as it was",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_WORDS, _BOS),
    hint="The target is what the loss compares with afterwards. An assignment such as target[:, 0] = ... changes the caller's "
    "tensor; make a new one.",
)
def leaves_target(got: Any, want: Any) -> Verdict:
    """The words are right and the target is the caller's still."""
    if not torch.equal(got["target"], want["target"]):
        return failed("the call changed its argument target")
    return close("input words")(got, want)
