"""What a chapter's notebook and a stored table were made from, and whether that has changed since.

Python sources count by their syntax trees without docstrings, so that a better wording does not ask for a new
execution. A chapter's number does not count: a new number does not ask for one either.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from autograder.checkout import Checkout

TEXT = "text"
_NUMBER = re.compile(r"(?<![^\W_])ch\d\d_(?=[a-z])")


def source_hashes(checkout: Checkout, chapter: str, code: Iterable[str]) -> dict[str, str]:
    """The hash of each thing that the chapter's notebook depends on, by its path in the clone.

    Args:
        checkout: The clone.
        chapter: The chapter's name.
        code: The sources of the notebook's code cells: what they import of `seqlab` counts, and the tables they load. Listed mistakes do
            not: no right answer shows them.
    """
    cells = list(code)
    imported = _imports(checkout, cells, "")
    hashes = _hashes(
        checkout, [*(checkout.solutions / chapter).glob("*.py"), *checkout.checks(chapter).glob("*.py"), *imported]
    )
    # A module's script lies beside it, under its name, and is in what the module shows.
    for script in sorted(path.with_suffix(".js") for path in imported):
        if script.is_file():
            hashes[str(script.relative_to(checkout.root))] = _digest(script.read_text(encoding="utf-8"))
    for name in sorted({name for cell in cells for name in _tables(cell)}):
        table = checkout.table(name)
        if not table.is_file():
            raise ValueError(f"{chapter} loads the stored table {name!r}, which is not there: run `make sweeps`")
        hashes[str(table.relative_to(checkout.root))] = _digest(table.read_text(encoding="utf-8"))
    hashes[TEXT] = _digest(checkout.text(chapter).read_text(encoding="utf-8"))
    return hashes


def sweep_hashes(checkout: Checkout, path: Path) -> dict[str, str]:
    """The hash of a sweep's module and of each module that it imports, by its path in the clone.

    Which variants and seeds the sweep asks for does not count: each row is made without looking at the others.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if not _assigns(node, {"VARIANTS", "SEEDS"})]
    source = ast.unparse(tree)
    package = ".".join(path.parent.relative_to(checkout.root).parts)
    hashes = _hashes(checkout, _imports(checkout, [source], package))
    return {**hashes, str(path.relative_to(checkout.root)): code_hash(source)}


@cache
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


def _hashes(checkout: Checkout, files: Iterable[Path]) -> dict[str, str]:
    return {str(path.relative_to(checkout.root)): code_hash(path.read_text(encoding="utf-8")) for path in sorted(files)}


def _imports(checkout: Checkout, sources: Iterable[str], package: str) -> set[Path]:
    """The modules of `seqlab` and of `solutions` that the sources import, and those that these import.

    Args:
        checkout: The clone.
        sources: Python code.
        package: The package that the code belongs to, which its relative imports start from.
    """
    found: set[Path] = set()
    waiting = [(source, package) for source in sources]
    while waiting:
        for module in imported_names(*waiting.pop()):
            path = _path(checkout, module)
            if path is not None and path not in found:
                found.add(path)
                waiting.append((path.read_text(encoding="utf-8"), module.rpartition(".")[0]))
    return found


def _path(checkout: Checkout, module: str) -> Path | None:
    root, *parts = module.split(".")
    folder = {checkout.library.name: checkout.library, checkout.solutions.name: checkout.solutions}.get(root)
    path = folder.joinpath(*parts).with_suffix(".py") if folder and parts else None
    return path if path and path.is_file() else None


@cache
def imported_names(source: str, package: str) -> list[str]:
    """The full names of the modules that code imports, and of what it takes from them.

    Args:
        source: Python code.
        package: The package that the code belongs to, which its relative imports start from.
    """
    names = []
    for node in parsed(source):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            module = ".".join(filter(None, [*above, node.module]))
            names += [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return names


@cache
def _tables(source: str) -> set[str]:
    """The names of the stored tables that the code loads, or whose weights it loads: a table says which weights are its own."""
    calls = [node for node in parsed(source) if isinstance(node, ast.Call) and node.args]
    return {
        str(call.args[0].value)
        for call in calls
        if isinstance(call.func, ast.Name)
        and call.func.id in ("load_table", "load_weights")
        and isinstance(call.args[0], ast.Constant)
    }


def parsed(source: str) -> list[ast.AST]:
    """All nodes of the code's syntax tree; none where it is no plain Python, as with magics."""
    try:
        return list(ast.walk(ast.parse(source)))
    except SyntaxError:
        return []


def _assigns(node: ast.stmt, names: set[str]) -> bool:
    return isinstance(node, ast.Assign) and all(
        isinstance(target, ast.Name) and target.id in names for target in node.targets
    )


def _digest(text: str) -> str:
    return hashlib.sha256(_NUMBER.sub("ch_", text).encode()).hexdigest()[:16]
