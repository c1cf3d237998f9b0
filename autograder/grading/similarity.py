"""Finds answers that are more alike than chance, whatever their names, comments, layout and order of statements.

In an exercise of ten lines most right answers look alike, so how much two answers share says little. What the given code has, or more
than a few of the class wrote, is left out, and only what is rare in the class counts. Two things are signs:

- the same answers in several exercises: each weighs as much as its form is rare, ln(students / students who wrote it), and together
  they must weigh more than chance would bring about in any pair of a class of this size;
- the same words: runs of tokens with names in them that the two chose themselves.

One long piece that is the same apart from its names is no sign: in a large class, several honest students write such a
piece. It is a reason to look, not proof.
"""

from __future__ import annotations

import ast
import contextlib
import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

_RARE, _RARE_SHARE = 3, 20
"""What at most so many students wrote is rare; of whole answers in a large class, what one in so many wrote."""
_BEYOND_CHANCE = 7.0
"""By how much the weight of equal answers must exceed that of the rarest coincidence among all pairs, twice the logarithm of the class."""
_RUN, _LEAST = 8, 30
"""How many tokens a run has, and how many rare ones two students must share."""
_SHARE = 0.5
"""What share of the rare runs of the one with fewer of them they must share."""
_MAX_COMPARED = 20_000
"""Characters of an answer that is compared: many times what an answer takes."""
_TOKEN = re.compile(r"""(\.?)("(?:\\.|[^"\\])*+"?|'(?:\\.|[^'\\])*+'?|\d[\w.]*|\w+|\S)""")
"""A token, and the dot before it: what comes after one is no name of the answer's own. A quote that does not end takes the rest of the line."""
_COMMENT = re.compile(r"#.*")

Member = TypeVar("Member", bound=Hashable)
Token = tuple[str, bool]
"""Its text, and whether it is a name that the answer itself binds."""
Part = tuple[str, int]
"""An exercise and the hash of something in an answer to it."""


@dataclass(frozen=True)
class Pair:
    """Two students whose answers share what is rare.

    Args:
        students: Their ids.
        same: The exercises in which they wrote the same, apart from names, comments, layout and order, and few others
            did.
        share: What share of the rare runs of the one who has fewer they share; 0 where these are too few to say anything.
        exercises: The exercises in which they share something rare, the most telling first.
    """

    students: tuple[str, str]
    same: tuple[str, ...]
    share: float
    exercises: tuple[str, ...]


@dataclass(frozen=True)
class _Answer:
    """An answer without comments, docstrings, annotations and layout.

    Args:
        form: A hash of its statements in any order, with their names replaced.
        words: Hashes of its runs that hold a name of its own choice, as they stand.
    """

    form: int
    words: frozenset[int]


class _Shared:
    """What is rare of one kind, and who shares it."""

    def __init__(self, parts: Mapping[str, Iterable[Part]], rare: int) -> None:
        """Find it.

        Args:
            parts: What each student has.
            rare: How many students may have it.
        """
        self.writers: dict[Part, list[str]] = defaultdict(list)
        for student, found in parts.items():
            for part in found:
                self.writers[part].append(student)
        self.writers = {part: students for part, students in self.writers.items() if len(students) <= rare}
        self._number: dict[str, int] = defaultdict(int)
        self.by_exercise: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for (exercise, _), students in self.writers.items():
            for student in students:
                self._number[student] += 1
            for one, other in combinations(sorted(students), 2):
                self.by_exercise[one, other][exercise] += 1

    def share(self, pair: tuple[str, str], least: int) -> float:
        """What share of the rare parts of the one who has fewer the pair shares; 0 if it shares fewer than so many."""
        shared = sum(self.by_exercise[pair].values()) if pair in self.by_exercise else 0
        return shared / min(self._number[student] for student in pair) if shared >= least else 0.0


def alike(answers: Mapping[str, Mapping[str, str]], given: Iterable[str]) -> list[Pair]:
    """The pairs of students who share what is rare, the most telling first.

    What is too long for an answer is not compared.

    Args:
        answers: The code of each student by exercise.
        given: Code that everyone has: stubs, given cells, the reference.
    """
    everyones = [statement for source in given for statement in _statements(source)]
    names = {text for statement in everyones for text, bound in statement if bound}
    forms = {_read(part, names).form for source in given for part in _definitions(source)}
    sources = {source for of_one in answers.values() for source in of_one.values()}
    read = {source: _read(source, names) for source in sources if len(source) <= _MAX_COMPARED}

    def parts(of_one: Mapping[str, str], of: Callable[[_Answer], Iterable[int]]) -> Iterator[Part]:
        return ((exercise, part) for exercise, source in of_one.items() if source in read for part in of(read[source]))

    same = _Shared(
        {student: parts(of_one, lambda answer: {answer.form} - forms) for student, of_one in answers.items()},
        max(_RARE, len(answers) // _RARE_SHARE),
    )
    words = _Shared({student: parts(of_one, lambda answer: answer.words) for student, of_one in answers.items()}, _RARE)
    weight: dict[tuple[str, str], float] = defaultdict(float)
    for students in same.writers.values():
        for one, other in combinations(sorted(students), 2):
            weight[one, other] += math.log(len(answers) / len(students))
    enough = 2 * math.log(max(1, len(answers))) + _BEYOND_CHANCE
    found = []
    for pair in {*weight, *words.by_exercise}:
        share = words.share(pair, _LEAST)
        if weight[pair] >= enough or share >= _SHARE:
            telling = words.by_exercise.get(pair, {})
            equal = same.by_exercise.get(pair, {})
            exercises = sorted({*telling, *equal}, key=lambda name: (-telling.get(name, 0), name))
            found.append(
                (weight[pair], Pair(pair, tuple(filter(equal.__contains__, exercises)), share, tuple(exercises)))
            )
    return [pair for _, pair in sorted(found, key=lambda each: (-each[0], -each[1].share, each[1].students))]


def joined(members: Iterable[Member], links: Iterable[Iterable[Member]]) -> list[set[Member]]:
    """The members in groups, each linked to another of its group; who is linked to nobody is a group.

    Args:
        members: Such as students' ids.
        links: Members who belong together.
    """
    group = {member: {member} for member in members}
    for linked in links:
        together = set().union(*(group[member] for member in linked))
        group.update(dict.fromkeys(together, together))
    return list({id(found): found for found in group.values()}.values())


def _read(source: str, names: Collection[str]) -> _Answer:
    """What of an answer is compared.

    Args:
        source: Its code.
        names: The names in the given code, which nobody chose.
    """
    statements = list(_statements(source))
    tokens = [token for statement in statements for token in statement]
    runs = (tokens[start : start + _RUN] for start in range(len(tokens) - _RUN + 1))
    return _Answer(
        hash(tuple(sorted(_nameless(statement) for statement in statements))),
        frozenset(
            hash(tuple(text for text, _ in run))
            for run in runs
            if any(bound and text not in names for text, bound in run)
        ),
    )


def _nameless(tokens: Iterable[Token]) -> tuple[str, ...]:
    """The tokens with every name that the answer binds replaced by the place at which it came first."""
    places: dict[str, str] = {}
    return tuple(places.setdefault(text, f"name {len(places)}") if bound else text for text, bound in tokens)


def _statements(source: str) -> Iterator[list[Token]]:
    """The tokens of each statement or head of one, without comments, docstrings, annotations, imports and layout.

    Of code that is no Python, or nested too deeply to be read, the tokens of each line.
    """
    tree = _parsed(source)
    bound, text = set[str](), _COMMENT.sub("", source)
    if tree:
        with contextlib.suppress(RecursionError):
            bound, text = set(_bound(tree)), ast.unparse(_Bare().visit(tree))
    for line in text.splitlines():
        statement = [(token, token in bound and not after) for after, token in _TOKEN.findall(line)]
        if statement and statement != [("pass", False)]:
            yield statement


def _parsed(source: str) -> ast.Module | None:
    """The code as a tree, without the lines that only a notebook understands; None where it is no Python."""
    lines = ("pass" if line.startswith(("%", "!")) else line for line in source.splitlines())
    try:
        return ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _definitions(source: str) -> Iterator[str]:
    """Each function and class in the code, by itself."""
    tree = _parsed(source)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield ast.unparse(node)


def _bound(tree: ast.Module) -> Iterator[str]:
    """The names that the code binds itself; others, such as those of functions of torch, mean the same to everyone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.split(".")[0]


class _Bare(ast.NodeTransformer):
    """Takes away what says nothing of how an answer works."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self._without_docstring(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._without_docstring(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_Import(self, node: ast.Import) -> ast.AST:
        return ast.Pass()

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        return ast.Pass()

    def _without_docstring(self, node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)
