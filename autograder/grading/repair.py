"""Reads a submission, whatever state it is in, and puts it back into the shape of the notebook that was released.

What a student wrote is never lost: their answers are found again after a cell was renamed, retyped, duplicated or stripped of its
metadata, and cells that are the course's own are put back as they were. Every repair is said in a sentence.
"""

from __future__ import annotations

import base64
import contextlib
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

from autograder.weaving.weave import is_written, top_level_definitions

MAX_BYTES = 32 << 20
_MAX_CELLS = 2_000
_MAX_SOURCE = 1 << 20
_MAX_GAPS = 20
_CELL_START = re.compile(r'\{\s*"(?:cell_type|attachments)"\s*:')


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
        problems.append(f"the notebook has {-(-status.st_size >> 20)} MB, at most {MAX_BYTES >> 20} are read")
    else:
        try:
            return path.read_bytes()
        except OSError as error:
            problems.append(f"the notebook could not be read: {error.strerror}")
    return b""


def _cells(data: bytes, problems: list[str]) -> list[NotebookNode]:
    """The cells that can be read, in the notebook format's fourth version."""
    if not data:
        if not problems:
            problems.append("the notebook is an empty file")
        return []
    text = data.decode(json.detect_encoding(data), errors="replace")
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        tree = {"cells": _salvage(text)}
        problems.append(f"the file is damaged or cut off: {_count(tree['cells'])} could be read whole")
    found = tree.get("cells") if isinstance(tree, dict) else None
    if isinstance(tree, dict) and not isinstance(found, list) and isinstance(tree.get("worksheets"), list):
        found = _from_worksheets(tree["worksheets"])
        problems.append("the notebook was in a format of before 2015; it was converted")
    if not isinstance(found, list):
        problems.append("the file is not a notebook")
        return []
    if _is_foreign(tree.get("metadata")):
        problems.append("the notebook asked for a kernel of another language; it was graded with Python")
    if len(found) > _MAX_CELLS:
        problems.append(f"the notebook has {_count(found)}; the first {_MAX_CELLS} were read")
        found = found[:_MAX_CELLS]
    cells = [_clean(cell, problems) for cell in found]
    unread = [cell for cell in cells if cell is None]
    if unread:
        problems.append(f"{_count(unread)} could not be read")
    return [cell for cell in cells if cell is not None]


def _count(cells: Sequence[Any]) -> str:
    return "1 cell" if len(cells) == 1 else f"{len(cells)} cells"


def _salvage(text: str) -> list[Any]:
    """The whole cells of a damaged file; what is damaged between them is skipped."""
    start = re.search(r'"cells"\s*:\s*\[', text)
    decoder = json.JSONDecoder()
    cells: list[Any] = []
    at = start.end() if start else len(text)
    gaps = 0
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        try:
            cell, at = decoder.raw_decode(text, at)
            cells.append(cell)
        except (ValueError, RecursionError):
            gaps += 1
            following = _CELL_START.search(text, at + 1)
            # The bound is for files that are made to keep us searching.
            if following is None or gaps > _MAX_GAPS:
                return cells
            at = following.start()


def _from_worksheets(worksheets: list[Any]) -> list[Any]:
    """The cells of the notebook format's third version."""
    sheets = [sheet.get("cells") for sheet in worksheets if isinstance(sheet, dict)]
    return [cell for sheet in sheets if isinstance(sheet, list) for cell in sheet]


def _is_foreign(metadata: Any) -> bool:
    """Whether the notebook says that it is in another language than Python."""
    if not isinstance(metadata, dict):
        return False
    kernel, info = metadata.get("kernelspec"), metadata.get("language_info")
    language = kernel.get("language") if isinstance(kernel, dict) else None
    language = language or (info.get("name") if isinstance(info, dict) else None)
    return isinstance(language, str) and "python" not in language.lower()


def _clean(cell: Any, problems: list[str]) -> NotebookNode | None:
    """A cell with nothing but its type, source, id, the pictures in its text and the name that nbgrader gave it."""
    if not isinstance(cell, dict):
        return None
    kind = "markdown" if cell.get("cell_type") == "heading" else cell.get("cell_type")
    source = cell.get(
        "source", cell.get("input", "")
    )  # The third version of the format says `input`, and has headings.
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str) or kind not in ("code", "markdown", "raw"):
        return None
    if len(source) > _MAX_SOURCE:
        if kind == "code":
            return None
        source = source[:_MAX_SOURCE]
        problems.append(f"a cell of text is longer than {_MAX_SOURCE >> 20} MB; the rest of it was cut off")
    clean = NotebookNode(cell_type=kind, id=_cell_id(cell), metadata=NotebookNode())
    clean.source = source.encode("utf-8", errors="replace").decode()
    if clean.cell_type == "code":
        clean.outputs, clean.execution_count = [], None
    pictures = _pictures(cell.get("attachments"))
    if clean.cell_type == "markdown" and pictures:
        clean.attachments = pictures
    metadata = cell.get("metadata")
    mark = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = mark.get("grade_id") if isinstance(mark, dict) else None
    if isinstance(grade_id, str):
        clean.metadata.nbgrader = NotebookNode(grade_id=grade_id)
    return clean


def _pictures(attachments: Any) -> NotebookNode:
    """The pictures that were pasted into a text, by their names; whatever else is attached is left out."""
    found = NotebookNode()
    for name, kinds in attachments.items() if isinstance(attachments, dict) else ():
        for kind in ("image/png", "image/jpeg"):
            data = kinds.get(kind) if isinstance(kinds, dict) else None
            if isinstance(data, str) and name.isprintable():
                with contextlib.suppress(ValueError):
                    base64.b64decode(data, validate=True)
                    found[name] = NotebookNode({kind: data})
    return found


def _cell_id(cell: dict[str, Any]) -> str:
    name = cell.get("id")
    return name if isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) else "cell"


def _grade_id(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def _conform(cells: Sequence[NotebookNode], released: NotebookNode, problems: list[str]) -> NotebookNode:
    """The submitted cells in the shape of the release: ours in their order, each student's own behind the same one of ours."""
    ours = {_grade_id(cell): cell for cell in released.cells if _grade_id(cell)}
    for cell in cells:
        if _grade_id(cell) not in ours:
            cell.metadata.pop("nbgrader", None)
    answers: dict[str, NotebookNode] = {}
    standing_for: dict[int, list[str]] = {}
    for grade_id, original in ours.items():
        if is_written(original):
            found = _find_text(grade_id, original, cells, released, problems)
        else:
            find = _find_answer if _is_answer(original) else _find_given
            found = find(grade_id, original, cells, problems)
        if found is not None:
            standing_for.setdefault(id(found), []).append(grade_id)
            if _is_answer(original):
                answers[grade_id] = found
    order: list[str] = []
    behind: dict[str, list[NotebookNode]] = {"": []}
    for cell in cells:
        names = standing_for.get(id(cell), [])
        if _is_own(cell, names, ours):
            behind[order[-1] if order else ""].append(_unmarked(cell))
        order += names
        behind |= {name: [] for name in names}
    if order != [grade_id for grade_id in ours if grade_id in behind]:
        problems.append("cells stood in another order than they were given; they were put back in theirs")
    out: list[NotebookNode] = []
    own = behind[""]
    for grade_id, original in ours.items():
        cell = copy.deepcopy(original)
        if grade_id in behind:
            answer = answers.get(grade_id, original)
            cell.source = answer.source
            if "attachments" in answer:
                cell.attachments = answer.attachments
            out += [*own, cell]
            own = behind[grade_id]
        else:
            if cells:
                problems.append(f"the cell {grade_id} was deleted; it was put back as it was given")
            out.append(cell)
    out += own
    _make_ids_unique(out)
    metadata = {name: copy.deepcopy(released.metadata[name]) for name in ("kernelspec", "language_info")}
    return nbformat.v4.new_notebook(cells=out, metadata=metadata)


def _is_answer(original: NotebookNode) -> bool:
    return bool(original.metadata.nbgrader.solution)


def _is_filled(cell: NotebookNode, original: NotebookNode) -> bool:
    """Whether there is something in the cell that was not given."""
    return cell.source.strip() not in ("", original.source.strip())


def _is_own(cell: NotebookNode, names: Sequence[str], ours: dict[str, NotebookNode]) -> bool:
    """Whether the cell stays as the student's own, beside what it may stand for.

    What was written into one of our cells stays before it: an import that was added to the set-up cell, for example.
    """
    original = ours.get(_grade_id(cell))
    if any(_is_answer(ours[name]) for name in names):
        return False
    return not names if original is None else _is_filled(cell, original)


def _unmarked(cell: NotebookNode) -> NotebookNode:
    own = copy.deepcopy(cell)
    own.metadata.pop("nbgrader", None)
    return own


def _find_answer(
    grade_id: str, original: NotebookNode, cells: Sequence[NotebookNode], problems: list[str]
) -> NotebookNode | None:
    """The submitted cell that holds this answer."""
    marked = [cell for cell in cells if _grade_id(cell) == grade_id]
    if len(marked) > 1:
        problems.append(f"the cell {grade_id} is there {len(marked)} times; the last one that was filled in is graded")
    filled = [cell for cell in marked if _is_filled(cell, original)]
    if not filled:
        defining = _defining(top_level_definitions(original.source), grade_id, cells)
        filled = [cell for cell in defining if _is_filled(cell, original)]
        if filled and marked:
            problems.append(
                f"the cell {grade_id} was left as it was; what another cell defines was graded in its place"
            )
        elif defining and not marked:
            problems.append(f"the cell {grade_id} had lost its name; it was found by what it defines")
            marked = defining
    if not marked:
        return None
    chosen = (filled or marked)[-1]
    if chosen.cell_type != original.cell_type:
        problems.append(f"the cell {grade_id} was turned into a {chosen.cell_type} cell; it was turned back")
    return chosen


def _defining(names: set[str], grade_id: str, cells: Sequence[NotebookNode]) -> list[NotebookNode]:
    """The other cells that define one of the names; code comes last, and so is preferred."""
    likely = [cell for cell in cells if _grade_id(cell) != grade_id and any(name in cell.source for name in names)]
    found = [cell for cell in likely if names & top_level_definitions(cell.source)]
    return sorted(found, key=lambda cell: bool(cell.cell_type == "code"))


def _find_text(
    grade_id: str,
    original: NotebookNode,
    cells: Sequence[NotebookNode],
    released: NotebookNode,
    problems: list[str],
) -> NotebookNode | None:
    """The submitted cell that holds the written answer.

    One that says nothing of its own is given back as it was given, which nbgrader knows for no answer.
    """
    marked = [cell for cell in cells if _grade_id(cell) == grade_id]
    if len(marked) > 1:
        problems.append(f"the cell {grade_id} is there {len(marked)} times; the last one that was filled in is graded")
    filled = [cell for cell in marked if _is_filled(cell, original)]
    if not filled:
        nameless = _asking(grade_id, original, cells, released)
        filled = [cell for cell in nameless if _is_filled(cell, original)]
        if filled and marked:
            problems.append(f"the cell {grade_id} was left as it was; what another cell answers was taken instead")
        elif nameless and not marked:
            problems.append(f"the cell {grade_id} had lost its name; it was found by its text")
            marked = nameless
    behind = [] if filled else _texts_behind(original, marked, cells, released)
    if behind:
        problems.append(f"the answer {grade_id} was written into a cell behind its own; it was taken from there")
        filled = (marked or behind)[-1:]
        _take_in(filled[0], [original, *behind])
    if not (filled or marked):
        return None
    chosen = (filled or marked)[-1]
    if not filled:
        chosen.source = original.source
    if chosen.cell_type != original.cell_type:
        problems.append(f"the cell {grade_id} was turned into a {chosen.cell_type} cell; it was turned back")
    return chosen


def _asking(
    grade_id: str, original: NotebookNode, cells: Sequence[NotebookNode], released: NotebookNode
) -> list[NotebookNode]:
    """The cells without a name that have the written question's id, or its first paragraph."""
    question = original.source.strip().split("\n\n")[0]
    others = {cell.source for cell in released.cells if cell is not original}
    nameless = [cell for cell in cells if not _grade_id(cell) and cell.source not in others]
    return [cell for cell in nameless if cell.id == grade_id or question in cell.source]


def _texts_behind(
    original: NotebookNode, marked: Sequence[NotebookNode], cells: Sequence[NotebookNode], released: NotebookNode
) -> list[NotebookNode]:
    """The cells of text that a student put behind a written question, or behind its headline if it is not there."""
    headline = released.cells[released.cells.index(original) - 1]
    anchors = marked or [cell for cell in cells if cell.source == headline.source]
    if not anchors:
        return []
    ids, sources = {cell.id for cell in released.cells}, {cell.source for cell in released.cells}
    at = next(index for index, cell in enumerate(cells) if cell is anchors[-1])
    found = []
    for cell in cells[at + 1 :]:
        if cell.cell_type == "code" or _grade_id(cell) or cell.id in ids or cell.source in sources:
            break
        found += [cell] if cell.source.strip() else []
    return found


def _take_in(cell: NotebookNode, texts: Sequence[NotebookNode]) -> None:
    """Let a cell hold the texts of others, and their pictures."""
    pictures = {name: kinds for text in texts for name, kinds in text.get("attachments", {}).items()}
    cell.source = "\n\n".join(text.source for text in texts)
    if pictures:
        cell.attachments = NotebookNode(pictures)


def _find_given(
    grade_id: str, original: NotebookNode, cells: Sequence[NotebookNode], problems: list[str]
) -> NotebookNode | None:
    """The submitted cell that stands where this cell of ours was."""
    marked = [cell for cell in cells if _grade_id(cell) == grade_id]
    if not marked:
        same = [cell for cell in cells if not _grade_id(cell) and cell.source.strip() == original.source.strip()]
        if same:
            problems.append(f"the cell {grade_id} had lost its name; it was found by its text")
        return same[0] if same else None
    if len(marked) > 1:
        problems.append(f"the cell {grade_id} is there {len(marked)} times; it was graded once, as it was given")
    elif marked[0].source.strip() != original.source.strip() or marked[0].cell_type != original.cell_type:
        problems.append(f"the cell {grade_id} was changed; it was graded as it was given")
    return marked[0]


def _make_ids_unique(cells: list[NotebookNode]) -> None:
    """Give each cell an id of its own; our cells keep theirs."""
    seen = {cell.id for cell in cells if _grade_id(cell)}
    for cell in cells:
        if _grade_id(cell):
            continue
        name, number = cell.id, 1
        while name in seen:
            number += 1
            name = f"{cell.id[:50]}-{number}"
        cell.id = name
        seen.add(name)
