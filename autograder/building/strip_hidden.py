"""Takes the hidden checks out of what students get: how they are asked and judged stays with the instructor.

Of a hidden check, only what `check` and `hint` tell is left: its name, its points and its hint.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Container, Iterator

from autograder.declare import Check, chapters

_CHECKS = re.compile(r"autograder\.checks\.(\w+)\.\w+")
_IMPORT = "from autograder.declare import kept_back as _kept_back"


def without_hidden(module: str, text: str) -> str:
    """A module's text without the hidden checks, what explains them, and what private only these use.

    Args:
        module: The module's full name; one that declares no checks stays as it is.
        text: Its source.

    Raises:
        ValueError: A hidden check is not declared at the top level of its module.
    """
    found = _CHECKS.fullmatch(module)
    hidden = _hidden(module) if found and found[1] in chapters() else {}
    if not hidden:
        return text
    instead = {name: _left_of(name, check) for name, check in hidden.items()}
    instead |= dict.fromkeys(_explanations(text, hidden), "")
    text = _without(text, instead)
    if any(instead.values()):
        text = _with_import(text)
    while unused := _unused(text):
        text = _without(text, dict.fromkeys(unused, ""))
    return text


def _hidden(module: str) -> dict[str, Check]:
    """The hidden checks that a module declares, by their names in it."""
    declared = vars(importlib.import_module(module)).items()
    return {name: value for name, value in declared if isinstance(value, Check) and value.hidden}


def _explanations(text: str, hidden: Container[str]) -> list[str]:
    """The functions that only explain answers to hidden checks."""
    found = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            explained = [ast.unparse(decorator) for decorator in node.decorator_list]
            names = [name.removesuffix(".explain") for name in explained if name.endswith(".explain")]
            if names and all(name in hidden for name in names):
                found.append(node.name)
    return found


def _left_of(name: str, check: Check) -> str:
    """The line that takes a hidden check's place."""
    return f"{name} = _kept_back({check.exercise!r}, {check.name!r}, {check.points!r}, {check.hint!r})"


def _with_import(text: str) -> str:
    """The text with the import that the lines of `_left_of` need, after its first other import."""
    first = next(node for node in ast.parse(text).body if isinstance(node, (ast.Import, ast.ImportFrom)))
    lines = text.splitlines()
    return "\n".join([*lines[: first.end_lineno], _IMPORT, *lines[first.end_lineno :]]) + "\n"


def _unused(text: str) -> set[str]:
    """The private names that a module defines at its top level and does not use elsewhere."""
    tree = ast.parse(text)
    own = {name: node for name, node, _ in _definitions(tree) if name.startswith("_")}
    return {
        name for name, node in own.items() if not any(name in _names(other) for other in tree.body if other is not node)
    }


def _names(tree: ast.AST) -> set[str]:
    """The names that stand in a piece of code."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _without(text: str, instead: dict[str, str]) -> str:
    """The text with something else in the place of some definitions, of the comments above them and of the string below."""
    lines, spans = text.splitlines(), {}
    for name, node, last in _definitions(ast.parse(text)):
        decorators = node.decorator_list if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else []
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1
        while first and lines[first - 1].startswith("#"):
            first -= 1
        while not instead.get(name) and last < len(lines) and not lines[last]:
            last += 1
        spans[name] = slice(first, last)
    missing = instead.keys() - spans.keys()
    if missing:
        raise ValueError(f"{', '.join(sorted(missing))}: declare hidden checks and probes at the top level of a module")
    for name in sorted(instead, key=lambda one: spans[one].start, reverse=True):
        lines[spans[name]] = [instead[name]] if instead[name] else []
    return "\n".join(lines) + "\n"


def _definitions(tree: ast.Module) -> Iterator[tuple[str, ast.stmt, int]]:
    """What a module defines at its top level: the name, the statement, and the last line of it or of the string that explains it."""
    for node, following in zip(tree.body, [*tree.body[1:], None], strict=True):
        explained = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        last = following.end_lineno if explained and following else node.end_lineno
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, node, node.end_lineno or node.lineno
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if len(targets) == 1 and isinstance(targets[0], ast.Name):
                yield targets[0].id, node, last or node.lineno
