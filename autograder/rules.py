"""The rules of an exercise that are read from its code and not from its results."""

from __future__ import annotations

import ast
from collections.abc import Iterable


def forbidden_use(source: str, forbids: Iterable[str]) -> str:
    """The first forbidden name that the source uses, or an empty string.

    It reads the syntax tree, so a mention in a comment or a string is no use, nor is a name that the source gives to a thing of
    its own. It is a rule of the exercise and not a wall.

    Args:
        source: Python code; what cannot be parsed uses nothing.
        forbids: Last parts of names, such as `MultiheadAttention`.
    """
    names = set(forbids)
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    own |= {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for node in ast.walk(tree):
        used = ""
        if isinstance(node, ast.Attribute):
            used = node.attr
        elif isinstance(node, ast.Name) and node.id not in own:
            used = node.id
        elif isinstance(node, ast.alias):
            used = node.name.rpartition(".")[2]
        if used in names:
            return used
    return ""
