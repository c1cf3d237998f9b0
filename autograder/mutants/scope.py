"""What of a solution a student writes, and what of it an operator has to know."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


@dataclass(frozen=True)
class Scope:
    """What an operator may ask about the function that it changes.

    Args:
        owner: What lives on from call to call: the function's own name, or `self`.
        tensors: The parameters that are tensors.
        changeable: Those, and the parameters that are lists.
        loops: The names that `for` gives in turn.
        bound: How often each name is bound, the parameters included.
        gives_tensors: Whether it returns a tensor, among other things.
        first: The first statement that a student writes.
        last: The last one.
    """

    owner: str
    tensors: tuple[str, ...]
    changeable: tuple[str, ...]
    loops: frozenset[str]
    bound: Counter[str]
    gives_tensors: bool
    first: ast.stmt
    last: ast.stmt


def definition(subject: Any) -> tuple[ast.FunctionDef | ast.ClassDef, list[str]]:
    """The tree of a solution's function or class, and the lines of its file."""
    source = Path(str(sys.modules[subject.__module__].__file__)).read_text()
    return next(
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == subject.__name__
    ), source.splitlines()


def written(tree: ast.FunctionDef | ast.ClassDef, lines: list[str]) -> Iterator[tuple[Scope, ast.AST, str, int]]:
    """The statements that a student writes: between the marks, or the whole body of each function that has none.

    Args:
        tree: The function or class.
        lines: The lines of its file.

    Yields:
        The scope of a statement, and where it stands: its parent, the parent's field, and the index in that.
    """
    functions = (
        [tree] if isinstance(tree, ast.FunctionDef) else [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    )
    marked = any(_marks(function, lines) for function in functions)
    for function in functions:
        marks = _marks(function, lines)
        if not marks and marked:
            continue
        first, last = marks or (function.lineno, function.end_lineno or function.lineno)
        theirs = [s for s in function.body if first <= s.lineno <= last and not _is_docstring(s)]
        scope = _scope(function, theirs, "self" if isinstance(tree, ast.ClassDef) else function.name)
        for statement in theirs:
            yield scope, function, "body", function.body.index(statement)


def _marks(function: ast.FunctionDef, lines: list[str]) -> tuple[int, int] | None:
    """The numbers of the lines that hold the marks; None where there are none."""
    numbers = range(function.lineno, (function.end_lineno or function.lineno) + 2)  # A comment may end the body.
    found = [n for n in numbers if n <= len(lines) and lines[n - 1].strip() in (BEGIN, END)]
    return (found[0], found[-1]) if len(found) > 1 else None


def _scope(function: ast.FunctionDef, theirs: list[ast.stmt], owner: str) -> Scope:
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    types = {a.arg: ast.unparse(a.annotation) for a in arguments if a.annotation is not None}
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    loops = [node.target for node in ast.walk(function) if isinstance(node, ast.For | ast.comprehension)]
    return Scope(
        owner,
        tuple(name for name, of in types.items() if of in ("Tensor", "Tensor | None")),
        tuple(name for name, of in types.items() if of.startswith(("Tensor", "list"))),
        frozenset(n.id for loop in loops for n in ast.walk(loop) if isinstance(n, ast.Name)),
        Counter([a.arg for a in arguments] + [n.id for n in names]),
        function.returns is not None and "Tensor" in ast.unparse(function.returns),
        theirs[0],
        theirs[-1],
    )


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
