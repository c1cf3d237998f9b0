"""The checks of `merge_byte_pairs`."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from autograder.asking.draw import Draw
from autograder.asking.probing import in_list
from autograder.asking.rules import TOKENIZERS
from autograder.asking.usage import Use, in_use
from autograder.checks.ch10_bert.lists import same_lists
from autograder.declare import Exercise, check

EXERCISE = Exercise("merge_byte_pairs", "split a word into pieces", minutes=25, difficulty=2, forbids=(TOKENIZERS,))


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(merge_byte_pairs, draw: Draw) -> Use:
    """Words of one set of merges, then of another."""

    def given(number: int, length: int) -> tuple[list[str], Ranks]:
        return word_of(draw, "abcde", length), merges_of(draw, "abcde", number)

    return Use(partial(cut, merge_byte_pairs), given(12, 9), given(8, 6))


LETTERS = "abcdefghij"
Ranks = dict[tuple[str, str], int]
_WANTED = "expected a list of strings, the pieces, but what it returned is"


def cut(merge_byte_pairs: Callable[..., Any], symbols: Sequence[str], ranks: Ranks) -> Any:
    """The pieces of a word. The merges are given in the opposite order of their ranks, so that only the ranks tell which comes first."""
    result = merge_byte_pairs(symbols, dict(sorted(ranks.items(), key=lambda merge: -merge[1])))
    return in_list(result, _WANTED)


def _shown(pieces: list[str]) -> str:
    text = " ".join(pieces)
    return text if len(text) < 80 else f"{text[:80]}…"


def merges_of(draw: Draw, letters: str, number: int) -> Ranks:
    """Ranks of so many merges at most."""
    pieces = list(letters)
    ranks: Ranks = {}
    for first, second in draw.integers(0, 10_000, 4 * number, 2).tolist():
        pair = pieces[first % len(pieces)], pieces[second % len(pieces)]
        if len(ranks) < number and "".join(pair) not in pieces and len("".join(pair)) <= 6:
            ranks[pair] = len(ranks)
            pieces.append("".join(pair))
    return ranks


def word_of(draw: Draw, letters: str, length: int) -> list[str]:
    """Drawn letters."""
    return [letters[i] for i in draw.integers(0, len(letters), length).tolist()]


def asked(merge_byte_pairs, words: list[list[str]], ranks: Ranks) -> dict[str, Any]:
    """The pieces of some words, with the words and the merges in order."""
    found = [cut(merge_byte_pairs, list(word), ranks) for word in words]
    merges = [" ".join(pair) for pair in sorted(ranks, key=ranks.__getitem__)]
    return {"pieces": found, "words": [" ".join(word) for word in words], "merges": merges}


def _mixed(draw: Draw, letters: str) -> list[str]:
    order = draw.normal(len(letters)).argsort().tolist()
    return [letters[i] for i in order]


@check(
    "the pair with the lowest rank is merged first",
    points=2,
    reads=("pieces",),
    compare=same_lists,
    any_length=True,
    hint="Look at all neighbouring pairs of the word, and take the one with the lowest rank. It need not be the first from the left, and "
    "a pair without a rank is never merged.",
)
def one_merge(merge_byte_pairs, draw: Draw):
    """Three letters of which the middle one could go either way; the ranks say which. Then both that may be merged."""
    a, b, c, d = _mixed(draw, LETTERS)[:4]
    ranks = {(d, d): 0, (b, c): 1, (a, b): 2, (c, d): 3}
    return asked(merge_byte_pairs, [[a, b, c], [a, b], [a, b, c, d], [a, c], [b, c, d], [d, d]], ranks)


@one_merge.explain
def first_wrong(got, want):
    """The first word that is wrong, with the merges."""
    for found, word, right in zip(got["pieces"], want["words"], want["pieces"], strict=False):
        if found == right:
            continue
        merges = ", ".join(want["merges"][:6]) + ", …" * (len(want["merges"]) > 6)
        told = f"{_shown(word.split())} became {_shown(found)}, expected {_shown(right)}, with the merges {merges} in the order of their ranks"
        if "".join(found) != "".join(right):
            return f"{told}: joined together, the pieces do not give the word"
        return told


@check(
    "merged pieces are merged further",
    points=2,
    needs=one_merge,
    reads=("pieces",),
    compare=same_lists,
    any_length=True,
    hint="A merge creates new neighbouring pairs. Look again, until no pair has a rank.",
)
def again(merge_byte_pairs, draw: Draw):
    """Pieces that were merged are merged further; and two pieces of which no merge is known, though they join to one that another merge makes."""
    a, b, c, d = _mixed(draw, LETTERS)[:4]
    ranks = {(a, b): 0, (c, d): 1, (a + b, c + d): 2, (a + b + c + d, a): 3, (b, a): 4, (d, c): 5, (d + c, d): 6}
    words = [[a, b, c, d], [a, b, c, d, a], [a, b, d, a, b], [a, b, a, d, b, a], [d, c, d]]
    return asked(merge_byte_pairs, words, ranks)


again.explain(first_wrong)


@check(
    "every occurrence is merged, from left to right",
    points=1,
    needs=one_merge,
    reads=("pieces",),
    compare=same_lists,
    any_length=True,
    hint="In `a a a`, the first two are merged and the third is left over. After a merge, continue after both of its "
    "pieces.",
)
def repeated(merge_byte_pairs, draw: Draw):
    """One letter several times: which two go together; and a pair that occurs twice."""
    a, b, c = _mixed(draw, LETTERS)[:3]
    ranks = {(a, a): 0, (b, c): 1, (a + a, b): 2}
    words = [[a, a, a], [a, a, a, a, a, b], [b, c, a, b, c, b, c]]
    return asked(merge_byte_pairs, words, ranks)


repeated.explain(first_wrong)


@check(
    "works with short words, in a list, a tuple or a string, and does not change its arguments",
    points=1,
    needs=one_merge,
    compare=same_lists,
    any_length=True,
    arguments=True,
    hint="min() of an empty sequence is an error: first see whether any pair has a rank. list(symbols) makes a list of your own, of a tuple "
    "or a string too.",
)
def short(merge_byte_pairs, draw: Draw):
    """No symbol, one symbol, no merges; symbols in a tuple and in a string; and what was given, after the call."""
    a, b, c = _mixed(draw, LETTERS)[:3]
    symbols, ranks = [a, b, c], {(b, c): 0}
    found = in_list(merge_byte_pairs(symbols, ranks), _WANTED)
    unmerged = [a, b]
    same = merge_byte_pairs(unmerged, {})
    return {
        "symbols after the call": symbols,
        "ranks after the call": [[*pair, rank] for pair, rank in ranks.items()],
        "is it a new list": same is not unmerged,
        "one merge": found,
        "no symbols": cut(merge_byte_pairs, [], {(a, b): 0}),
        "one symbol": cut(merge_byte_pairs, [a], {(a, a): 0}),
        "no merges": in_list(same, _WANTED),
        "symbols in a tuple": cut(merge_byte_pairs, (a, b, c), ranks),
        "symbols in a string": cut(merge_byte_pairs, a + b + c, {}),
    }


@check(
    "long words with many merges",
    points=1,
    hidden=True,
    needs=(one_merge, again, repeated),
    draws=2,
    reads=("pieces",),
    compare=same_lists,
    any_length=True,
    hint="At every step, merge the pair with the lowest rank, even if pairs with higher ranks were possible earlier.",
)
def long(merge_byte_pairs, draw: Draw):
    """Long words of few letters, with many merges."""
    letters = LETTERS[:6]
    ranks = merges_of(draw, letters, 150)
    return asked(
        merge_byte_pairs, [word_of(draw, letters, length) for length in (5, 12, 40, 80, 80, 80, 80, 80)], ranks
    )


long.explain(first_wrong)
