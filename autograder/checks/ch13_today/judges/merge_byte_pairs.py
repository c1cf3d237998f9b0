"""What is right about `merge_byte_pairs`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch13_today.probes import merge_byte_pairs as probes
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_RANK = "the pair with the lowest rank is merged first"
_AGAIN = "merged pieces are merged further"
_REPEATED = "every occurrence is merged, from left to right"


def _shown(pieces: Any) -> str:
    text = (
        " ".join(pieces)
        if isinstance(pieces, list) and all(isinstance(piece, str) for piece in pieces)
        else str(pieces)
    )
    return text if len(text) < 80 else f"{text[:80]}…"


def _judged(got: Any, want: Any, told: str) -> Verdict:
    """All words; the first that is wrong is shown."""
    if got["pieces"] == want["pieces"]:
        return passed()
    for found, word, right in zip(got["pieces"], want["words"], want["pieces"], strict=False):
        if found == right:
            continue
        merges = ", ".join(want["merges"][:6]) + ", …" * (len(want["merges"]) > 6)
        start = f"{word} became {_shown(found)}, with the merges {merges} in the order of their ranks"
        if "".join(found) != word.replace(" ", ""):
            return failed(f"{start}: joined together, the pieces do not give the word")
        if found == word.split():
            return failed(f"{start}: nothing was merged")
        if len(found) == 1 and len(right) > 1:
            return failed(f"{start}: pairs that have no rank were merged")
        return failed(f"{start}: {told}")
    return failed(f"{len(got['pieces'])} answers came back for {len(want['words'])} words")


@judge(
    _RANK,
    probe=probes.one_merge,
    points=2,
    any_length=True,
    hint="Look at all neighbouring pairs of the word, and take the one with the lowest rank. It need not be the first from the left, and "
    "a pair without a rank is never merged.",
)
def lowest_first(got: Any, want: Any) -> Verdict:
    """Which of two merges."""
    return _judged(got, want, "of all pairs in the word, the one that comes first in this order is merged first")


@judge(
    _AGAIN,
    probe=probes.again,
    points=2,
    any_length=True,
    needs=(_RANK,),
    hint="A merge creates new neighbouring pairs. Look again, until no pair has a rank.",
)
def goes_on(got: Any, want: Any) -> Verdict:
    """Merges of merged pieces."""
    return _judged(got, want, "look at the pairs again after each merge, until none of them has a rank")


@judge(
    _REPEATED,
    probe=probes.repeated,
    points=1,
    any_length=True,
    needs=(_RANK,),
    hint="In `a a a`, the first two are merged and the third is left over. After a merge, continue after both of its "
    "pieces.",
)
def left_to_right(got: Any, want: Any) -> Verdict:
    """Occurrences that overlap, and several of one pair."""
    return _judged(got, want, "go from left to right, and merge every occurrence that does not overlap the one before")


@judge(
    "works with short words and without merges, and does not change its arguments",
    probe=probes.short,
    points=1,
    arguments=True,
    any_length=True,
    needs=(_RANK,),
    hint="min() of an empty sequence is an error: first see whether any pair has a rank. list(symbols) makes a list of your own.",
)
def short_words(got: Any, want: Any) -> Verdict:
    """Empty words and arguments."""
    for name in ("symbols", "ranks"):
        if got[name] != want[name]:
            return failed(f"the call changed its argument {name}")
    if not got["a new list"]:
        return failed("where nothing was merged, the given list itself was returned; expected a new one")
    told = {"pieces": "a word with one merge", "none": "no symbols", "one": "one symbol", "no merges": "no merges"}
    for name, case in told.items():
        if got[name] != want[name]:
            return failed(
                f"{case}: {_shown(got[name]) or 'nothing'} came back, expected {_shown(want[name]) or 'an empty list'}"
            )
    return passed()


@judge(
    "long words with many merges",
    probe=probes.long,
    points=1,
    hidden=True,
    any_length=True,
    needs=(_RANK, _AGAIN, _REPEATED),
    hint="At every step, merge the pair with the lowest rank, even if pairs with higher ranks were possible earlier.",
)
def long_words(got: Any, want: Any) -> Verdict:
    """Realistic sizes."""
    return _judged(got, want, "at every step, the pair with the lowest rank is merged")
