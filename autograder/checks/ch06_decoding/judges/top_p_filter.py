"""What is right about `top_p_filter`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch06_decoding.judges.filters import GONE, any_type, misuse, which
from autograder.checks.ch06_decoding.probes import top_p_filter as probes
from autograder.compare import close, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_REACH = "the most probable words stay until their sum reaches p, including the word that reaches it"


def _with_more(given: Tensor, right: Tensor, more: int) -> Tensor:
    """What is right, with some more or fewer words in each row."""
    number = (right > GONE).sum(dim=-1, keepdim=True) + more
    place = given.argsort(dim=-1, descending=True).argsort(dim=-1)
    return given.masked_fill(place >= number, GONE)


@judge(
    _REACH,
    probe=probes.rows,
    points=3,
    hint="Sort the probabilities of a row from the largest down and add them up. A word stays if the sum before it is less than p. The "
    "result is in sorted order: bring it back to the original order of the words. (torch takes the arguments of a stable sort by name: "
    "dim=..., descending=..., stable=....)",
)
def keeps_up_to_p(got: Any, want: Any) -> Verdict:
    """Rows of different steepness."""
    mine, right, given, p = got["logits"], want["logits"], want["given"], want["p"]
    if is_close(mine, right):
        return passed()
    told = misuse(mine, right, given)
    if told:
        return told
    others = {
        "the word with which the sum reaches p was removed, but it has to stay": _with_more(given, right, -1),
        "one word too many stays in each row: the one with which the sum reaches p is the last": _with_more(
            given, right, 1
        ),
        "the sum begins with the least probable word, expected with the most probable one": _upwards(given, p),
        "the probabilities were added in the order of the words, expected from the most probable one down": _unsorted(
            given, p
        ),
        "a word stays if its own probability is p or more, expected if the sum before it is less than p": given.masked_fill(
            given.softmax(dim=-1) < p, GONE
        ),
    }
    for message, other in others.items():
        if is_close(mine, other):
            return failed(message)
    kept, wanted = ((logits > GONE).sum(dim=-1) for logits in (mine, right))
    if not torch.equal(kept, wanted):
        at = int((kept != wanted).long().argmax())
        return failed(f"with p = {p:.2f}, row {at} keeps {int(kept[at])} words, expected {int(wanted[at])}")
    if ((mine > GONE) != (right > GONE)).any():
        return failed(
            "each row has the right number of words left, but the wrong words: is the result back in the original order?"
        )
    return which(mine, right)


def _upwards(given: Tensor, p: float) -> Tensor:
    """From the least probable word up."""
    probabilities, order = given.softmax(dim=-1).sort(dim=-1)
    before = probabilities.cumsum(dim=-1) - probabilities
    kept = torch.empty_like(given, dtype=torch.bool).scatter(-1, order, before < p)
    return given.masked_fill(~kept, GONE)


def _unsorted(given: Tensor, p: float) -> Tensor:
    """From the first word on."""
    probabilities = given.softmax(dim=-1)
    return given.masked_fill(probabilities.cumsum(dim=-1) - probabilities >= p, GONE)


@judge(
    "the most probable word stays, however small p is",
    probe=probes.small,
    points=1,
    needs=(_REACH,),
    hint="The sum before the first word is 0, which is less than p. If you shift a mask by one place, do not lose the first word.",
)
def keeps_one(got: Any, want: Any) -> Verdict:
    """Rows of which one word stays."""
    for name in want:
        if is_close(got[name], want[name]):
            continue
        left = (got[name] > GONE).sum(dim=-1)
        if (left == 0).any():
            return failed("a row has no word left at all: its softmax would be NaN")
        return failed(f"a row has {int(left.max())} words left, expected only the most probable one")
    return passed()


any_shape = judge(
    "a single row and any number of leading dimensions work too, each row separately",
    probe=probes.shapes,
    points=1,
    needs=(_REACH,),
    hint=(
        "The words are along the last dimension, whatever dimensions come before it: use dim=-1 everywhere, and "
        "scatter to undo the sorting."
    ),
)(close())

all_of_it = judge(
    "with p = 1 all words stay",
    probe=probes.whole,
    points=1,
    hidden=True,
    needs=(_REACH,),
    hint="The sum of all probabilities may be 0.9999999 or 1.0000001, so a search for the first sum above p may find none.",
)(close())


@judge(
    "of equally probable words, the one with the lower id comes first",
    probe=probes.ties,
    points=1,
    needs=(_REACH,),
    hint="A stable sort keeps equal values in order. An ascending sort that is reversed afterwards does not, and neither does a threshold.",
)
def first_of_equals(got: Any, want: Any) -> Verdict:
    """Rows with equal logits."""
    mine, right, given = got["logits"], want["logits"], want["given"]
    if is_close(mine, right):
        return passed()
    if torch.equal((mine > GONE).sum(dim=-1), (right > GONE).sum(dim=-1)):
        return failed(
            "each row keeps the right number of words, but of equally probable ones not those that come first: sort with "
            "descending=True and stable=True"
        )
    least = right.masked_fill(right == GONE, -GONE).amin(dim=-1, keepdim=True)
    if is_close(mine, given.masked_fill(given < least, GONE)):
        return failed("all words as probable as the last one kept stay too: a threshold cannot tell equal ones apart")
    return which(mine, right)


of_any_type = judge(
    "any floating-point type works, and the argument is not changed",
    probe=probes.half,
    points=1,
    arguments=True,
    needs=(_REACH,),
    hint="float('-inf') exists in every floating-point type, -1e9 does not. Methods that end in an underscore and assignments to "
    "logits[...] change the model's own tensor; masked_fill returns a new one.",
)(any_type)
