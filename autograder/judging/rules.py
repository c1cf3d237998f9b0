"""The rules of an exercise that are read from its code and not from its results."""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator

# Characters. To parse a source made for it takes a time that grows with the square of its length: a second for 50,000.
_MAX_PARSED = 20_000
_MODULES = frozenset({"torch", "nn", "F"})
"""The modules that a chapter's set-up cell imports, by the names that it gives them."""


def forbidden_use(source: str, forbids: Iterable[str]) -> str:
    """The first forbidden thing that the source uses, or an empty string.

    It reads the syntax tree, so a mention in a comment or a string does not count as use, nor does a name that the
    source gives to a thing of its own. It is a rule of the exercise, not a barrier.

    Args:
        source: Python code; what cannot be parsed uses nothing. What is very long is not parsed but searched as it stands.
        forbids: Full names, such as `torch.nn.MultiheadAttention`; their last parts are looked for.
    """
    last = {name.rpartition(".")[2]: name for name in forbids}
    # The names that Python reads are in this form; most answers hold none of the words and need not be parsed.
    readable = unicodedata.normalize("NFKC", source)
    if not any(word in readable for word in last):
        return ""
    if len(source) > _MAX_PARSED:
        return next((last[word] for word in re.findall(r"\w+", readable) if word in last), "")
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    nodes = list(ast.walk(tree))
    own = {name for node in nodes for name in _given(node)}
    modules = _MODULES | {name for node in nodes for name in _imported(node)}
    for node in nodes:
        for name in _taken(node, modules):
            if name in last:
                return last[name]
        for name in _used(node):
            if name not in own and name.removeprefix(".") in last:
                return last[name.removeprefix(".")]
    return ""


def _imported(node: ast.AST) -> Iterator[str]:
    """The names under which this place in the code imports."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]


def _taken(node: ast.AST, modules: Collection[str]) -> Iterator[str]:
    """The names that it takes from a module: whatever the code's own things are called, these are the module's."""
    if isinstance(node, ast.alias):
        yield node.name.rpartition(".")[2]
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module.rpartition(".")[2]
    elif isinstance(node, ast.Attribute):
        root: ast.AST = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id in modules:
            yield node.attr


def _given(node: ast.AST) -> Iterator[str]:
    """The names that this place in the code gives; those of attributes begin with a dot."""
    if isinstance(node, ast.ClassDef):
        yield node.name
        yield from (f".{part.name}" for part in node.body if isinstance(part, ast.FunctionDef))
    elif isinstance(node, ast.FunctionDef):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield f".{node.attr}"


def _used(node: ast.AST) -> Iterator[str]:
    """The names that it uses; those of attributes begin with a dot."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield f".{node.attr}"
