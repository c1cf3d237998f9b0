"""Finds answers that are more alike than chance: they share runs of tokens that nearly nobody else in the class wrote.

In an exercise of ten lines most right answers look alike, so how much two answers share says little. What the reference, the stub or many
students wrote is left out, and only what is rare in the class counts: a run of tokens as they stand, or with every name replaced by its
place, so that renaming variables does not hide a copy. It is a reason to look, and no proof.
"""

from __future__ import annotations

import io
import keyword
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

_RUN = 8
"""How many tokens a run has as they stand; with names replaced it has twice as many."""
_RARE = 3
"""A run counts if at most so many students wrote it."""
_LEAST = 20
"""How many rare runs two students must share, over all exercises."""
_SHARE = 0.4
"""What share of the rare runs of the one with fewer of them they must share."""
_LAYOUT = frozenset(
    {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}
)

Run = tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """Two students whose answers share what is rare.

    Args:
        students: Their ids.
        shared: How many rare runs they share.
        share: What share that is of the rare runs of the one who has fewer.
        exercises: The exercises in which they share some, the most shared first.
    """

    students: tuple[str, str]
    shared: int
    share: float
    exercises: tuple[str, ...]


def alike(answers: Mapping[str, Mapping[str, str]], given: Iterable[str]) -> list[Pair]:
    """The pairs of students who share what is rare, the most first.

    Args:
        answers: The code of each student by exercise.
        given: Code that everyone has: stubs, given cells, the reference.
    """
    known = {run for source in given for run in _runs(source)}
    rare = {student: dict(_rare_parts(of_one, known)) for student, of_one in answers.items()}
    writers: dict[tuple[str, Run], list[str]] = defaultdict(list)
    for student, parts in rare.items():
        for exercise, runs in parts.items():
            for run in runs:
                writers[exercise, run].append(student)
    number: dict[str, int] = defaultdict(int)
    shared: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for (exercise, _), students in writers.items():
        if len(students) <= _RARE:
            for student in students:
                number[student] += 1
            for one, other in combinations(sorted(students), 2):
                shared[one, other][exercise] += 1
    found = []
    for (one, other), by_exercise in shared.items():
        total = sum(by_exercise.values())
        share = total / min(number[one], number[other])
        if total >= _LEAST and share >= _SHARE:
            most = sorted(by_exercise, key=lambda exercise: -by_exercise[exercise])
            found.append(Pair((one, other), total, share, tuple(most)))
    return sorted(found, key=lambda pair: (-pair.shared, pair.students))


def _rare_parts(answers: Mapping[str, str], known: set[Run]) -> Iterator[tuple[str, set[Run]]]:
    for exercise, source in answers.items():
        yield exercise, set(_runs(source)) - known


def _runs(source: str) -> Iterator[Run]:
    """The runs of a piece of code, as they stand and with names replaced."""
    tokens = list(_tokens(source))
    for start in range(len(tokens) - _RUN + 1):
        yield tuple(text for _, text in tokens[start : start + _RUN])
    for start in range(len(tokens) - 2 * _RUN + 1):
        yield _nameless(tokens[start : start + 2 * _RUN])


def _tokens(source: str) -> Iterator[tuple[int, str]]:
    """Kinds and texts of the tokens, comments among them, as far as the code can be read."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type not in _LAYOUT:
                yield token.type, " ".join(token.string.split())
    except (tokenize.TokenError, SyntaxError):
        return


def _nameless(tokens: list[tuple[int, str]]) -> Run:
    """The run with every name replaced by the place at which it came first, and without what comments say."""
    places: dict[str, str] = {}
    out = ["without names"]
    for kind, text in tokens:
        if kind == tokenize.NAME and not keyword.iskeyword(text):
            out.append(places.setdefault(text, f"name {len(places)}"))
        else:
            out.append("#" if kind == tokenize.COMMENT else text)
    return tuple(out)
