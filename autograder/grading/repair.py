"""Reads a submission, whatever state it is in, and puts it back into the shape of the notebook that was released.

What a student wrote is never lost: their answers are found again after a cell was renamed, retyped, duplicated or stripped of its
metadata, and cells that are the course's own are put back as they were. Every repair is said in a sentence.
"""

from __future__ import annotations

import copy
import json
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.weaving.weave import top_level_definitions

MAX_BYTES = 32 << 20
_MAX_CELLS = 2_000
_MAX_SOURCE = 1 << 20


@dataclass
class Repaired:
    """A submission in the shape of its release.

    Args:
        notebook: The notebook, to be run and graded.
        problems: What was repaired or could not be, a sentence each.
    """

    notebook: NotebookNode
    problems: list[str] = field(default_factory=list)


def read_submission(path: Path, released: NotebookNode) -> Repaired:
    """Read one submitted notebook.

    Args:
        path: The file, which may be anything.
        released: The notebook that the class was given.
    """
    problems: list[str] = []
    return Repaired(_conform(_cells(_bytes(path, problems), problems), released, problems), problems)


def _bytes(path: Path, problems: list[str]) -> bytes:
    try:
        status = path.lstat()
    except OSError:
        problems.append("there is no such notebook")
        return b""
    if stat.S_ISLNK(status.st_mode):
        problems.append("the notebook is a symbolic link, which is not followed")
    elif not stat.S_ISREG(status.st_mode):
        problems.append("the notebook is not a regular file")
    elif status.st_size > MAX_BYTES:
        problems.append(f"the notebook has {status.st_size >> 20} MB, at most {MAX_BYTES >> 20} are read")
    else:
        return path.read_bytes()
    return b""


def _cells(data: bytes, problems: list[str]) -> list[NotebookNode]:
    """The cells that can be read, in the notebook format's fourth version."""
    if not data:
        if not problems:
            problems.append("the notebook is an empty file")
        return []
    text = data.decode("utf-8", errors="replace")
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        tree = {"nbformat": 4, "cells": _salvage(text)}
        problems.append(f"the file is damaged or cut off: {len(tree['cells'])} whole cells could be read")
    if isinstance(tree, dict) and isinstance(tree.get("worksheets"), list):
        tree = _upgraded(tree, problems)
    found = tree.get("cells") if isinstance(tree, dict) else None
    if not isinstance(found, list):
        problems.append("the file is not a notebook")
        return []
    cells = [cell for cell in map(_clean, found[:_MAX_CELLS]) if cell is not None]
    if len(cells) < len(found):
        problems.append(f"{len(found) - len(cells)} cells could not be read")
    return cells


def _salvage(text: str) -> list[Any]:
    """The whole cells at the start of a damaged file."""
    start = re.search(r'"cells"\s*:\s*\[', text)
    decoder = json.JSONDecoder()
    cells: list[Any] = []
    at = start.end() if start else len(text)
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        try:
            cell, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return cells
        cells.append(cell)


def _upgraded(tree: dict[str, Any], problems: list[str]) -> Any:
    try:
        return nbformat.convert(nbformat.from_dict(tree), 4)
    except Exception as error:  # noqa: BLE001 - nbformat raises what the file makes it
        problems.append(f"the notebook's old format could not be converted: {type(error).__name__}")
        return {}


def _clean(cell: Any) -> NotebookNode | None:
    """A cell with nothing but its type, source, id and the name that nbgrader gave it."""
    if not isinstance(cell, dict):
        return None
    source = cell.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str) or len(source) > _MAX_SOURCE:
        return None
    if cell.get("cell_type") not in ("code", "markdown", "raw"):
        return None
    clean = NotebookNode(cell_type=cell["cell_type"], id=_cell_id(cell), metadata=NotebookNode())
    clean.source = source.encode("utf-8", errors="replace").decode()
    if clean.cell_type == "code":
        clean.outputs, clean.execution_count = [], None
    metadata = cell.get("metadata")
    mark = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = mark.get("grade_id") if isinstance(mark, dict) else None
    if isinstance(grade_id, str):
        clean.metadata.nbgrader = NotebookNode(grade_id=grade_id)
    return clean


def _cell_id(cell: dict[str, Any]) -> str:
    name = cell.get("id")
    return name if isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) else "cell"


def _grade_id(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def _conform(cells: Sequence[NotebookNode], released: NotebookNode, problems: list[str]) -> NotebookNode:
    """The submitted cells in the shape of the release."""
    ours = {_grade_id(cell): cell for cell in released.cells if _grade_id(cell)}
    chosen = {
        grade_id: _choose(grade_id, cell, cells, ours, problems)
        for grade_id, cell in ours.items()
        if cell.metadata.nbgrader.solution
    }
    stubs = {cell.source for cell in ours.values() if cell.metadata.nbgrader.solution}
    out: list[NotebookNode] = []
    placed: set[str] = set()
    taken = {id(cell): grade_id for grade_id, cell in chosen.items() if cell is not None}
    for cell in cells:
        grade_id = taken.get(id(cell)) or _grade_id(cell)
        original = ours.get(grade_id)
        if id(cell) in taken:
            out.append(_answer(ours[grade_id], cell))
        elif original is not None and not original.metadata.nbgrader.solution and grade_id not in placed:
            if cell.source != original.source:
                problems.append(f"the cell {grade_id} was changed; it was graded as it was given")
            out.append(copy.deepcopy(original))
        elif original is None or (original.metadata.nbgrader.solution and cell.source not in stubs):
            cell.metadata.pop("nbgrader", None)
            out.append(cell)
            continue
        else:
            continue
        placed.add(grade_id)
    _put_back(out, placed, ours, problems if cells else [])
    _make_ids_unique(out)
    metadata = {name: copy.deepcopy(released.metadata[name]) for name in ("kernelspec", "language_info")}
    return nbformat.v4.new_notebook(cells=out, metadata=metadata)


def _choose(
    grade_id: str,
    original: NotebookNode,
    cells: Sequence[NotebookNode],
    ours: dict[str, NotebookNode],
    problems: list[str],
) -> NotebookNode | None:
    """The submitted cell that holds this answer."""
    marked = [cell for cell in cells if _grade_id(cell) == grade_id]
    if len(marked) > 1:
        problems.append(f"the cell {grade_id} is there {len(marked)} times; the last one that was filled in is graded")
    if not marked:
        wanted = top_level_definitions(original.source)
        loose = [cell for cell in cells if cell.cell_type == "code" and _grade_id(cell) not in ours]
        marked = [cell for cell in loose if wanted & top_level_definitions(cell.source)][-1:]
        if marked and original.cell_type == "code":
            problems.append(f"the cell {grade_id} had lost its name; it was found by what it defines")
    filled = [cell for cell in marked if cell.source != original.source]
    if not marked:
        return None
    chosen = (filled or marked)[-1]
    if chosen.cell_type != original.cell_type:
        problems.append(f"the cell {grade_id} was turned into a {chosen.cell_type} cell; it was turned back")
    return chosen


def _answer(original: NotebookNode, cell: NotebookNode) -> NotebookNode:
    answer = copy.deepcopy(original)
    answer.source = cell.source
    return answer


def _put_back(out: list[NotebookNode], placed: set[str], ours: dict[str, NotebookNode], problems: list[str]) -> None:
    """Insert what was deleted behind the cell of ours that comes before it."""
    before: str | None = None
    for grade_id, original in ours.items():
        if grade_id not in placed:
            problems.append(f"the cell {grade_id} was deleted; it was put back as it was given")
            names = [_grade_id(cell) for cell in out]
            out.insert(names.index(before) + 1 if before else 0, copy.deepcopy(original))
        before = grade_id


def _make_ids_unique(cells: list[NotebookNode]) -> None:
    seen: set[str] = set()
    for cell in cells:
        while cell.id in seen:
            cell.id = f"{cell.id[:50]}-{len(seen)}"
        seen.add(cell.id)
