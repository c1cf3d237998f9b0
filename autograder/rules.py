"""The rules of an exercise that are read from its code and not from its results."""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterable, Iterator

# Characters. To parse a source made for it takes a time that grows with the square of its length: a second for 50,000.
_MAX_PARSED = 20_000


def forbidden_use(source: str, forbids: Iterable[str]) -> str:
    """The first forbidden thing that the source uses, or an empty string.

    It reads the syntax tree, so a mention in a comment or a string is no use, nor is a name that the source gives to a thing of
    its own. It is a rule of the exercise and not a wall.

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
    for node in nodes:
        for name in _used(node):
            if name not in own and name.rpartition(".")[2] in last:
                return last[name.rpartition(".")[2]]
    return ""


def _given(node: ast.AST) -> Iterator[str]:
    """The names that this place in the code gives; those of attributes begin with a dot."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield f".{node.attr}"


def _used(node: ast.AST) -> Iterator[str]:
    """The names that it uses; those of attributes and of what is imported begin with a dot."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield f".{node.attr}"
    elif isinstance(node, ast.alias):
        yield f".{node.name}"
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield f".{node.module}"
