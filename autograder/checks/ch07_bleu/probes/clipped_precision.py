"""What is asked of `clipped_precision`.

A case is a candidate, its references and an n. Several n are asked of each candidate.
"""

from collections.abc import Callable
from typing import Any

from autograder.checks.ch07_bleu.probes.words import (
    as_tuples,
    copied,
    counts_of,
    sentence,
    without_repeats,
)
from autograder.declare import probe
from autograder.draw import Draw

Case = tuple[list[str], list[list[str]], int]


def _asked(clipped_precision: Callable[..., Any], cases: list[Case]) -> dict[str, Any]:
    """The counts of each case, and the cases, each sentence as a string with spaces between its words."""
    counts = [counts_of(clipped_precision(copied(c), copied(r), n)) for c, r, n in cases]
    return {"counts": counts, "cases": [[" ".join(c), [" ".join(words) for words in r], n] for c, r, n in cases]}


def _shared(draw: Draw, length: int) -> tuple[list[str], list[str]]:
    """Two sentences without repeated words that share a stretch; the second is longer, and begins with other words."""
    words = without_repeats(draw, length + 4)
    cut = int(draw.integers(1, 3))
    return words[:length], [*words[length : length + 3], *words[cut : length - 1], words[-1]]


@probe("clipped_precision", draws=2)
def without_repetition(clipped_precision, draw: Draw):
    """One reference, and no word stands twice in a sentence."""
    pairs = [_shared(draw, int(draw.integers(6, 10))) for _ in range(6)]
    words = [word for word in without_repeats(draw, 12) if word not in ("a", "la", "chat")]
    cut = int(draw.integers(2, 6))
    pairs.append(([*words[:-1], "a"], ["la", *words[:cut], "chat", *words[cut + 1 :]]))  # “a” is in “la”, as a letter.
    return _asked(clipped_precision, [(words, [other], n) for words, other in pairs for n in (1, 2, 3, 4, 5)])


@probe("clipped_precision", draws=2)
def repeated(clipped_precision, draw: Draw):
    """One reference. The candidate repeats a stretch more often than the reference does, and the reference repeats a word."""
    cases: list[Case] = []
    for _ in range(4):
        *stretch, other = without_repeats(draw, 4)
        tail = sentence(draw, int(draw.integers(0, 4)))
        candidate = [*stretch, *stretch, other, *sentence(draw, 3), other, *stretch, other, *tail]
        reference = [
            *sentence(draw, 2),
            *stretch,
            *sentence(draw, int(draw.integers(1, 3))),
            *stretch[:2],
            *[other] * 4,
        ]
        cases += [(candidate, [reference], n) for n in (1, 2, 3)]
    return _asked(clipped_precision, cases)


@probe("clipped_precision", draws=2)
def several(clipped_precision, draw: Draw):
    """Three references; what the candidate repeats stands in all of them, in some, or more often in one than in another."""
    cases: list[Case] = []
    for _ in range(4):
        a, b, c, *others = without_repeats(draw, 8)
        tails = [sentence(draw, int(draw.integers(0, 4))) for _ in range(3)]
        candidate = [a, b, a, b, c, others[0], a, b, c, others[1], c, *tails[0]]
        references = [
            [a, b, others[2], others[0], others[1], *tails[0][1:]],
            [others[3], a, b, others[2], a, b, c, *tails[1]],
            [c, others[0], a, b, others[4], *tails[2]],
        ]
        order = draw.normal(3).argsort().tolist()
        cases += [(candidate, [references[i] for i in order], n) for n in (1, 2, 3)]
    return _asked(clipped_precision, cases)


@probe("clipped_precision", draws=2)
def short(clipped_precision, draw: Draw):
    """Candidates and references that have fewer than n words, or none."""
    cases: list[Case] = []
    for length in (0, 1, 2, 3):
        words = sentence(draw, length, words=4)
        longer = [*words, *sentence(draw, int(draw.integers(3, 6)), words=4)]
        cases += [(words, [longer], n) for n in (1, 2, 3, 4)]
        cases += [(longer, [words], n) for n in (1, 2, 3, 4)]
        cases += [(longer, [words, sentence(draw, 6, words=4)], n) for n in (1, 2, 4)]
    return _asked(clipped_precision, cases)


@probe("clipped_precision", draws=2)
def whole_words(clipped_precision, draw: Draw):
    """Words that differ in nothing but case or an accent, words that are parts of others, and equal letters in other words."""
    lengths = draw.integers(5, 12, 5).tolist()
    others = [without_repeats(draw, length) for length in lengths]
    words = others[0]
    cut = int(draw.integers(1, len(words)))
    tricky = ["a", "ab", "b", "bc", "c", "abc", "A", "é", "e", "e.", "."]
    order = draw.normal(len(tricky)).argsort().tolist()
    row = [tricky[i] for i in order]
    pairs = [
        (["a", "bc", *words], ["ab", "c", *words[cut:]]),
        (["abc", words[0], "ab", "c"], ["a", "bc", words[0], "abc"]),
        ([*row, words[0]], [word.upper() for word in row]),
        (["E", words[1], "é"], ["e", words[1], "É"]),
        ([*words[2:], "b", "c"], [*words[:cut], "abc"]),
        *(([*row[: int(draw.integers(1, 9))], *other], [*words, *row]) for other in others[1:]),
    ]
    return _asked(clipped_precision, [(words, [other], n) for words, other in pairs for n in (1, 2)])


@probe("clipped_precision", draws=2)
def arguments(clipped_precision, draw: Draw):
    """Sentences as tuples and as lists, and the lists as they are after the calls."""
    answers: dict[str, Any] = {"tuples": [], "lists": [], "after": []}
    for _ in range(3):
        candidate = sentence(draw, 8, words=4)
        references = [sentence(draw, length, words=4) for length in (6, 9)]
        for n in (1, 2):
            answers["tuples"].append(counts_of(clipped_precision(as_tuples(candidate), as_tuples(references), n)))
            given = copied(candidate), copied(references)
            answers["lists"].append(counts_of(clipped_precision(*given, n)))
            answers["after"].append(str(given))
    return answers
