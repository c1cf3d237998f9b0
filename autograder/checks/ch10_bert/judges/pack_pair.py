"""What is right about `pack_pair`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch10_bert.probes import pack_pair as probes
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_SEQUENCE = "the sequence is [CLS], the first sentence, [SEP], the second sentence, [SEP]"
_SEGMENTS = "the segment is 0 up to the first [SEP] and 1 after it, up to the second"


def _named(tokens: list[int], want: Any) -> str:
    """The sequence in words."""
    names = {want["cls_id"]: "[CLS]", want["sep_id"]: "[SEP]"}
    names |= {word: f"a{place}" for place, word in enumerate(want["first"], 1)}
    names |= {word: f"b{place}" for place, word in enumerate(want["second"], 1)}
    return " ".join(names.get(token, "?") for token in tokens[:16]) + " …" * (len(tokens) > 16)


@judge(
    _SEQUENCE,
    probe=probes.sequence,
    points=1,
    any_length=True,
    hint="Write it down in the order given in the name of the check: three special ids, two sentences. Lists are "
    "joined with +.",
)
def in_order(got: Any, want: Any) -> Verdict:
    """The ids and their order."""
    tokens, right = got["tokens"], want["tokens"]
    if tokens == right:
        return passed()
    told = f"the pair (a1 …, b1 …) became {_named(tokens, want)}"
    marks = [want["cls_id"], *want["first"], want["sep_id"], *want["second"], want["sep_id"]]
    if set(tokens) == {0, 1}:
        return failed(f"the tokens are {tokens}: are the two results in the wrong order?")
    if "?" in told:
        return failed(f"{told}: at each ? is an id that was not given")
    if tokens == marks[:-1]:
        return failed(f"{told}: there is no [SEP] after the second sentence")
    if tokens == marks[1:]:
        return failed(f"{told}: [CLS] is missing")
    if tokens == [*marks[: len(want["first"]) + 1], *marks[len(want["first"]) + 2 :]]:
        return failed(f"{told}: there is no [SEP] after the first sentence")
    return failed(f"{told}, expected the special ids and the sentences in the order given in the name of the check")


@judge(
    _SEGMENTS,
    probe=probes.segments,
    points=2,
    needs=(_SEQUENCE,),
    any_length=True,
    hint="Each [SEP] belongs to the sentence that it ends. How many ids have segment 0, including [CLS] and the "
    "first [SEP]? And how many have segment 1?",
)
def one_for_each(got: Any, want: Any) -> Verdict:
    """A segment for each id."""
    found, right = got["segments"], want["segments"]
    if found == right:
        return passed() if got["tokens"] == want["tokens"] else failed("the sequence itself is wrong")
    first, second = want["lengths"]
    told = (
        f"for sentences of {first} and {second} ids, the segments are "
        f"{str(found[:24]).rstrip(']')}{', …' * (len(found) > 24)}]"
    )
    ones = len(right) - first - 2
    mistakes = [
        (right[:-1] + [0], "the second [SEP] has segment 0, expected that of the sentence that it ends"),
        (
            [0] * (first + 1) + [1] * (ones + 1),
            "the first [SEP] has segment 1, expected that of the sentence that it ends",
        ),
        ([1, *right[1:]], "[CLS] has segment 1, expected 0"),
        ([0] * len(right), "all segments are 0"),
        ([1] * len(right), "all segments are 1"),
        ([1 - segment for segment in right], "0 and 1 are swapped"),
        ([segment + 1 for segment in right], "the segments are 1 and 2, expected 0 and 1"),
        ([0] * first + [1] * second, "the special ids have no segments"),
    ]
    for wrong, message in mistakes:
        if found == wrong:
            return failed(f"{told}: {message}")
    if len(found) != len(right):
        return failed(f"{told}: {len(found)} segments, expected {len(right)}, one for each id of the sequence")
    return failed(told)


@judge(
    "the sentences are not changed",
    probe=probes.again,
    points=1,
    arguments=True,
    needs=(_SEQUENCE, _SEGMENTS),
    any_length=True,
    hint="A sentence is used in other pairs too. append, extend, insert and += change a list in place; + creates "
    "a new one.",
)
def leaves_sentences(got: Any, want: Any) -> Verdict:
    """The sentences after two calls, and what came back."""
    if got["sentences"] != want["sentences"]:
        return failed("a sentence that was given has changed")
    wrong = next((name for name in want if got[name] != want[name]), None)
    return passed() if wrong is None else failed(f"{wrong} of two pairs with a sentence in common are wrong")


@judge(
    "a sentence may be empty, or the same as the other",
    probe=probes.empty,
    points=1,
    hidden=True,
    needs=(_SEQUENCE, _SEGMENTS),
    any_length=True,
    hint="The order does not depend on the sentences: the three special ids are always there. Count with lengths "
    "rather than searching for an id.",
)
def of_any_length(got: Any, want: Any) -> Verdict:
    """Pairs at the end of what is allowed."""
    for name, right in want.items():
        if got[name] != right:
            shown = got[name] if len(str(got[name])) < 200 else "something long"
            return failed(f"where {name}, the tokens and segments are {shown}")
    return passed()
