"""What a chapter's notebook was made from, and whether that has changed since.

Python sources count by their syntax trees without docstrings, so that a better wording does not ask for a new execution.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from pathlib import Path

from autograder.house import House

TEXT = "text"


def source_hashes(house: House, chapter: str, code: Iterable[str]) -> dict[str, str]:
    """The hash of each thing that the chapter's notebook depends on, by its path in the clone.

    Args:
        house: The clone.
        chapter: The chapter's name.
        code: The sources of the notebook's code cells, whose imports of `seqlab` count.
    """
    files = [
        *(house.solutions / chapter).glob("*.py"),
        *house.checks(chapter).rglob("*.py"),
        *_library_files(house, code),
    ]
    hashes = {str(path.relative_to(house.root)): code_hash(path.read_text(encoding="utf-8")) for path in sorted(files)}
    hashes[TEXT] = _digest(house.text(chapter).read_text(encoding="utf-8"))
    return hashes


def code_hash(source: str) -> str:
    """The hash of Python code without its comments, layout and docstrings; magics count as text."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return _digest(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and ast.get_docstring(
            node
        ):
            node.body = node.body[1:]
    return _digest(ast.dump(tree))


def _library_files(house: House, code: Iterable[str]) -> set[Path]:
    """The modules of `seqlab` that the code imports, and those that they import."""
    found: set[Path] = set()
    waiting = list(code)
    while waiting:
        for module in _imported(waiting.pop()):
            parts = module.split(".")
            path = house.library.joinpath(*parts[1:]).with_suffix(".py")
            if parts[0] == "seqlab" and len(parts) > 1 and path.is_file() and path not in found:
                found.add(path)
                waiting.append(path.read_text(encoding="utf-8"))
    return found


def _imported(source: str) -> list[str]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # Only modules of `seqlab` itself import from beside them.
            module = ".".join(filter(None, ["seqlab" if node.level else "", node.module]))
            names += [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return names


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
