"""The checks of `pack_pair`."""

from collections.abc import Callable
from typing import Any

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, note_slip
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.checks.ch10_bert.lists import in_form, plain_list, same_lists
from autograder.declare import Exercise, check

EXERCISE = Exercise("pack_pair", "two sentences as one sequence", minutes=5, difficulty=1)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(pack_pair, draw: Draw) -> Use:
    """Sentences in which pieces come again; then one longer than BERT reads beside a single piece, with 0 for a mark."""

    def call(first: list[int], second: list[int], cls_id: int, sep_id: int) -> dict[str, Any]:
        tokens, segments = packed(pack_pair, first, second, cls_id=cls_id, sep_id=sep_id)
        of = f"for sentences of {len(first)} and {len(second)} ids, some more than once"
        found: dict[str, Any] = {}
        for name, ids in {"tokens": plain_ids(tokens, "tokens"), "segments": plain_ids(segments, "segments")}.items():
            found[f"how many {name} there are {of}"] = len(ids)
            is_long = len(ids) > 100
            found[f"the {'first and the last ' * is_long}{name} {of}"] = ids[:20] + ids[-20:] if is_long else ids
        return found

    def ids(length: int) -> list[int]:
        return draw.integers(4, 9, length).tolist()

    return Use(call, (ids(12), ids(9), 2, 3), (ids(520), ids(1), 0, 1))


def _named(tokens: list[int], want: Any) -> str:
    """The sequence in words."""
    names = {want["cls_id"]: "[CLS]", want["sep_id"]: "[SEP]"}
    names |= {word: f"a{place}" for place, word in enumerate(want["first"], 1)}
    names |= {word: f"b{place}" for place, word in enumerate(want["second"], 1)}
    return " ".join(names.get(token, "?") for token in tokens[:16]) + " …" * (len(tokens) > 16)


Pair = tuple[list[int], list[int]]
_SPECIAL = 100
"""Ids below it are those of marks."""


def _pair(draw: Draw, first: int, second: int) -> Pair:
    """Two sentences of so many pieces, all of them different."""
    ids = (draw.normal(50).argsort()[: first + second] + _SPECIAL).tolist()
    return ids[:first], ids[first:]


def _marks(draw: Draw) -> dict[str, int]:
    """The ids of [CLS] and [SEP]."""
    cls_id, sep_id = draw.normal(_SPECIAL).argsort()[:2].tolist()
    return {"cls_id": cls_id, "sep_id": sep_id}


def packed(pack_pair: Callable[..., Any], first: list[int], second: list[int], **marks: int) -> tuple[Any, Any]:
    """The two results, as lists where they say lists in another form.

    Raises:
        MisuseError: They are not two.
    """
    result = pack_pair(first, second, marks["cls_id"], marks["sep_id"])
    if not isinstance(result, (list, tuple)) or len(result) != 2:
        raise MisuseError(f"what it returned is {kind_of(result)}, expected two lists: tokens, segments")
    if isinstance(result, list):
        note_slip("what it returned is a list, expected a tuple: return tokens, segments, without square brackets")
    tokens, segments = result
    return in_form(tokens, int, "tokens"), in_form(segments, int, "segments")


def plain_ids(result: Any, name: str) -> list[int]:
    """One of the two results.

    Raises:
        MisuseError: It is no list of integers.
    """
    return plain_list(result, int, name)


@check(
    "the sequence is [CLS], the first sentence, [SEP], the second sentence, [SEP]",
    points=1,
    compare=same_lists,
    any_length=True,
    hint="Write it down in the order given in the name of the check: three special ids, two sentences. Lists are "
    "joined with +.",
)
def sequence(pack_pair, draw: Draw):
    """The tokens of a pair."""
    first, second = _pair(draw, *draw.integers(2, 6, 2).tolist())
    marks = _marks(draw)
    tokens, _ = packed(pack_pair, list(first), list(second), **marks)
    return {"tokens": plain_ids(tokens, "tokens"), "first": first, "second": second, **marks}


@sequence.explain
def in_words(got, want):
    """The sequence, with the names of its pieces."""
    if set(got["tokens"]) == {0, 1}:
        return f"the tokens are {got['tokens']}: are the two results in the wrong order?"
    told = f"the pair (a1 …, b1 …) became {_named(got['tokens'], want)}"
    return f"{told}: at each ? is an id that was not given" if "?" in told else told


@check(
    "the segment is 0 up to the first [SEP] and 1 after it, up to the second",
    points=2,
    needs=sequence,
    compare=same_lists,
    any_length=True,
    hint="Each [SEP] belongs to the sentence that it ends. How many ids have segment 0, including [CLS] and the "
    "first [SEP]? And how many have segment 1?",
)
def segments(pack_pair, draw: Draw):
    """The segments of a pair whose sentences are not of one length."""
    few = int(draw.integers(2, 5))
    many = few + int(draw.integers(3, 6))
    first, second = _pair(draw, *((few, many) if draw.normal() > 0 else (many, few)))
    tokens, found = packed(pack_pair, list(first), list(second), **_marks(draw))
    return {
        "segments": plain_ids(found, "segments"),
        "tokens": plain_ids(tokens, "tokens"),
        "lengths": [len(first), len(second)],
    }


@segments.explain
def in_a_row(got, want):
    """The segments as they came back, and how many."""
    found, right = got["segments"], want["segments"]
    if found == right:
        return None
    first, second = want["lengths"]
    shown = f"{str(found[:24]).rstrip(']')}{', …' * (len(found) > 24)}]"
    told = f"for sentences of {first} and {second} ids, the segments are {shown}"
    wrong_number = f": {len(found)} segments, expected {len(right)}, one for each id of the sequence"
    return told + wrong_number * (len(found) != len(right))


@check(
    "the sentences are not changed",
    points=1,
    needs=(sequence, segments),
    compare=same_lists,
    any_length=True,
    arguments=True,
    hint="A sentence is used in other pairs too. append, extend, insert and += change a list in place; + creates "
    "a new one.",
)
def again(pack_pair, draw: Draw):
    """One sentence in two pairs, what they hold, and what became of the three sentences."""
    first, others = _pair(draw, 3, 9)
    second, third = others[:5], others[5:]
    marks = _marks(draw)
    one, other = packed(pack_pair, first, second, **marks), packed(pack_pair, second, third, **marks)
    return {
        "the first pair": [plain_ids(part, "a result") for part in one],
        "the second pair": [plain_ids(part, "a result") for part in other],
        "sentences": [list(first), list(second), list(third)],
    }


@again.explain
def changed(got, want):
    """What became of the sentences that were given."""
    return "a sentence that was given has changed" if got["sentences"] != want["sentences"] else None


@check(
    "a sentence may be empty, or the same as the other",
    points=1,
    hidden=True,
    needs=(sequence, segments),
    compare=same_lists,
    any_length=True,
    hint="The order does not depend on the sentences: the three special ids are always there. Count with lengths "
    "rather than searching for an id.",
)
def empty(pack_pair, draw: Draw):
    """Pairs in which one sentence, or each, has no pieces, and a sentence beside itself."""
    words, _ = _pair(draw, int(draw.integers(1, 5)), 0)
    marks = _marks(draw)
    cases = {
        "the first sentence is empty": ([], words),
        "the second sentence is empty": (words, []),
        "both sentences are empty": ([], []),
        "both sentences are the same": (words, words),
    }
    found = {name: packed(pack_pair, list(one), list(other), **marks) for name, (one, other) in cases.items()}
    return {name: [plain_ids(tokens, "tokens"), plain_ids(of, "segments")] for name, (tokens, of) in found.items()}
