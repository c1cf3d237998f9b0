"""What is asked of `pack_pair`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, numbers_in

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


def plain_ids(result: Any, name: str) -> list[int]:
    """One of the two results, which should be a list of whole numbers.

    Raises:
        MisuseError: It is none.
    """
    result = numbers_in(result, f"expected lists of integers, but {name} is")
    if not isinstance(result, (list, tuple)):
        raise MisuseError(f"{name} is {kind_of(result)}, expected a list of integers")
    wrong = [item for item in result if isinstance(item, bool) or not isinstance(item, (int, np.integer))]
    if wrong:
        raise MisuseError(f"{name} is a list with an element that is {kind_of(wrong[0])}, expected integers")
    return [int(item) for item in result]


def packed(pack_pair: Callable[..., Any], first: list[int], second: list[int], **marks: int) -> tuple[Any, Any]:
    """The two results.

    Raises:
        MisuseError: They are not two.
    """
    result = pack_pair(first, second, marks["cls_id"], marks["sep_id"])
    if not isinstance(result, (list, tuple)) or len(result) != 2:
        raise MisuseError(f"what it returned is {kind_of(result)}, expected two lists: tokens, segments")
    return result[0], result[1]


@probe("pack_pair")
def sequence(pack_pair, draw: Draw):
    """The tokens of a pair."""
    first, second = _pair(draw, *draw.integers(2, 6, 2).tolist())
    marks = _marks(draw)
    tokens, _ = packed(pack_pair, list(first), list(second), **marks)
    return {"tokens": plain_ids(tokens, "tokens"), "first": first, "second": second, **marks}


@probe("pack_pair")
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


@probe("pack_pair")
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


@probe("pack_pair")
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
