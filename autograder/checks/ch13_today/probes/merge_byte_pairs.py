"""What is asked of `merge_byte_pairs`.

Every piece can be made by one merge only, and a merge of two pieces comes later than those that made them, as training leaves it.
"""

from typing import Any

from autograder.declare import probe
from autograder.draw import Draw

LETTERS = "abcdefghij"


def merges_of(draw: Draw, letters: str, number: int) -> dict[tuple[str, str], int]:
    """Ranks of so many merges at most."""
    pieces = list(letters)
    ranks: dict[tuple[str, str], int] = {}
    for first, second in draw.integers(0, 10_000, 4 * number, 2).tolist():
        pair = pieces[first % len(pieces)], pieces[second % len(pieces)]
        if len(ranks) < number and "".join(pair) not in pieces and len("".join(pair)) <= 6:
            ranks[pair] = len(ranks)
            pieces.append("".join(pair))
    return ranks


def word_of(draw: Draw, letters: str, length: int) -> list[str]:
    """Drawn letters."""
    return [letters[i] for i in draw.integers(0, len(letters), length).tolist()]


def asked(merge_byte_pairs, words: list[list[str]], ranks: dict[tuple[str, str], int]) -> dict[str, Any]:
    """The pieces of some words, with the words and the merges in order."""
    found = [merge_byte_pairs(list(word), dict(ranks)) for word in words]
    merges = [" ".join(pair) for pair in sorted(ranks, key=ranks.__getitem__)]
    return {"pieces": found, "words": [" ".join(word) for word in words], "merges": merges}


def _mixed(draw: Draw, letters: str) -> list[str]:
    order = draw.normal(len(letters)).argsort().tolist()
    return [letters[i] for i in order]


@probe("merge_byte_pairs")
def one_merge(merge_byte_pairs, draw: Draw):
    """Three letters of which the middle one could go either way; the ranks say which. Then both that may be merged."""
    a, b, c, d = _mixed(draw, LETTERS)[:4]
    ranks = {(d, d): 0, (b, c): 1, (a, b): 2, (c, d): 3}
    return asked(merge_byte_pairs, [[a, b, c], [a, b], [a, b, c, d], [a, c]], ranks)


@probe("merge_byte_pairs")
def again(merge_byte_pairs, draw: Draw):
    """Pieces that were merged are merged further."""
    a, b, c, d = _mixed(draw, LETTERS)[:4]
    ranks = {(a, b): 0, (c, d): 1, (a + b, c + d): 2, (a + b + c + d, a): 3}
    return asked(merge_byte_pairs, [[a, b, c, d], [a, b, c, d, a], [a, b, d, a, b]], ranks)


@probe("merge_byte_pairs")
def repeated(merge_byte_pairs, draw: Draw):
    """One letter several times: which two go together; and a pair that occurs twice."""
    a, b, c = _mixed(draw, LETTERS)[:3]
    ranks = {(a, a): 0, (b, c): 1, (a + a, b): 2}
    words = [[a, a, a], [a, a, a, a, a, b], [b, c, a, b, c, b, c]]
    return asked(merge_byte_pairs, words, ranks)


@probe("merge_byte_pairs")
def short(merge_byte_pairs, draw: Draw):
    """No symbol, one symbol, no merges; and what was given, after the call."""
    a, b, c = _mixed(draw, LETTERS)[:3]
    symbols, ranks = [a, b, c], {(b, c): 0}
    found = merge_byte_pairs(symbols, ranks)
    unmerged = [a, b]
    same = merge_byte_pairs(unmerged, {})
    return {
        "pieces": found,
        "a new list": same is not unmerged,
        "symbols": symbols,
        "ranks": [[*pair, rank] for pair, rank in ranks.items()],
        "none": merge_byte_pairs([], {(a, b): 0}),
        "one": merge_byte_pairs([a], {(a, a): 0}),
        "no merges": same,
    }


@probe("merge_byte_pairs", draws=2)
def long(merge_byte_pairs, draw: Draw):
    """Long words of few letters, with many merges."""
    letters = LETTERS[:6]
    ranks = merges_of(draw, letters, 150)
    return asked(
        merge_byte_pairs, [word_of(draw, letters, length) for length in (5, 12, 40, 80, 80, 80, 80, 80)], ranks
    )
