"""Makes the mutants of a solution, each with the key by which lists know it."""

from __future__ import annotations

import ast
import difflib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.mutants.operators import OPERATORS, Operator
from autograder.mutants.scope import Scope, definition, written

_LEFT_ALONE = (ast.JoinedStr, ast.Raise)
"""What is told in an error is for people to read, and checks do not hold it to the letter."""

_KEYWORDS = ("dim", "strict")
"""An axis has an operator of its own, and `strict` only raises where arguments break the exercise's promise."""
_TYPES = ("annotation", "returns")

At = tuple[Scope, ast.AST, str, int]
"""What may be changed: its scope, its parent, the parent's field, and the index in that or -1."""


@dataclass(frozen=True)
class Mutant:
    """One change to a solution.

    Args:
        exercise: The exercise that the solution is of.
        operator: The operator that made it.
        source: The changed function or class.
        original: The one as it was, as its tree is written out.
    """

    exercise: str
    operator: str
    source: str
    original: str

    @property
    def diff(self) -> str:
        """The change as a unified diff, without the names of files."""
        lines = difflib.unified_diff(self.original.splitlines(), self.source.splitlines(), lineterm="")
        return "\n".join(list(lines)[2:])

    @property
    def key(self) -> str:
        """Its changed lines, by which it is known as long as they stay."""
        lines = difflib.ndiff(self.original.splitlines(), self.source.splitlines())
        return " ".join(f"{line[0]} {line[2:].strip()}" for line in lines if line[0] in "+-")


def mutants_of(exercise: str, subject: Any) -> dict[str, Mutant]:
    """All mutants of a solution by their keys; of those that are the same, one.

    Args:
        exercise: The exercise's name.
        subject: The reference solution of it, a function or a class.
    """
    tree, lines = definition(subject)
    original = ast.unparse(tree)
    seen = {original}
    found: dict[str, Mutant] = {}
    for operator, source in changes(tree, lines):
        if source not in seen and _compiles(source):
            seen.add(source)
            mutant = Mutant(exercise, operator, source, original)
            twins = (f"{mutant.key} #{number}" for number in itertools.count(2))
            key = mutant.key
            while key in found:
                key = next(twins)
            found[key] = mutant
    return found


def changes(
    tree: ast.FunctionDef | ast.ClassDef,
    lines: list[str],
    operators: Sequence[Operator] = OPERATORS,
    arranged: Callable[[list[At]], list[At]] = list,
) -> Iterator[tuple[str, str]]:
    """The name of an operator and what it makes of the source, for each change at each place.

    Args:
        tree: The function or class.
        lines: The lines of its file, for the marks around what a student writes; without them, all is changed.
        operators: What to change.
        arranged: Puts the places in the order in which they are changed.
    """
    starts = list(written(tree, lines))
    places = [(scope, *place) for scope, parent, field, index in starts for place in _places(parent, field, index)]
    for scope, parent, field, index in arranged(places):
        holder = getattr(parent, field)
        node = holder if index < 0 else holder[index]
        for operator in operators:
            for new in operator(node, scope):
                if index < 0:
                    setattr(parent, field, new)
                else:
                    news = new if isinstance(new, list) else [new]
                    setattr(parent, field, [*holder[:index], *news, *holder[index + 1 :]])
                source = ast.unparse(tree)
                setattr(parent, field, holder)
                yield operator.__name__, source


def _places(parent: ast.AST, field: str, index: int = -1) -> Iterator[tuple[ast.AST, str, int]]:
    """Where a node stands, and where each node in it does: its parent, the field, and the index in that or -1."""
    yield parent, field, index
    node = getattr(parent, field) if index < 0 else getattr(parent, field)[index]
    if isinstance(node, _LEFT_ALONE) or (isinstance(node, ast.keyword) and node.arg in _KEYWORDS):
        return
    for name, value in ast.iter_fields(node):
        if name in _TYPES:
            continue
        if isinstance(value, ast.AST):
            yield from _places(node, name)
        elif isinstance(value, list):
            for number, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield from _places(node, name, number)


def _compiles(source: str) -> bool:
    try:
        compile(source, "<mutant>", "exec")
    except (SyntaxError, ValueError):
        return False
    return True
