"""Reads a submission, whatever state it is in, and puts it back into the shape of the notebook that was released.

What a student wrote is never lost: their answers are found again after a cell was renamed, retyped, duplicated or stripped of its
metadata, and cells that are the course's own are put back as they were. Every repair is said in a sentence. A file may also be made
to be slow to read or large to keep: every step here is linear in the file's size, and what is kept of it has a limit.
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
import stat
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from autograder.building.weave import is_written, top_level_definitions

MAX_BYTES = 32 << 20
MAX_TEXT = 4 << 20
MAX_PICTURES = 8 << 20
_MAX_VALUES = 2_000_000
_MAX_CELLS = 2_000
_MAX_SOURCE = 1 << 20
_MAX_FOUND = 200_000
_MAX_PARSED = 10_000
_MAX_PARSED_IN_ALL = 200_000
_CELL_LIST = re.compile(r'"cells"\s*:\s*\[')
_CELL_START = re.compile(r'\{\s*"(?:cell_type|attachments)"\s*:')
_BETWEEN_CELLS = re.compile(r"[ \t\r\n,]*")
_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_WORTH = re.compile(r"(?:, points=[\d.]+)?(?:, extra_credit=True)?\)")
_MAX_CALL = 200
_DEFINITION = re.compile(
    r"^(?:(?:async[ \t]++)?def|class)[ \t]++(\w++)|^(\w++)[ \t]*+(?::[^=\n]*+)?=(?!=)", re.MULTILINE
)


@dataclass
class Repaired:
    """A submission in the shape of its release.

    Args:
        notebook: The notebook, to be run and graded.
        problems: What was repaired or could not be, a sentence each.
    """

    notebook: NotebookNode
    problems: list[str] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class _Cell:
    """What is read of a submitted cell.

    Args:
        kind: code, markdown or raw.
        id: Its id, if that is one.
        source: What is in it.
        grade_id: The name that nbgrader gave it, or an empty string.
        pictures: The pictures in its text, by their names.
    """

    kind: str
    id: str
    source: str
    grade_id: str
    pictures: dict[str, dict[str, str]]

    def node(self) -> NotebookNode:
        """The cell as a student's own in a notebook."""
        node = NotebookNode(cell_type=self.kind, id=self.id, metadata=NotebookNode(), source=self.source)
        if self.kind == "code":
            node["outputs"], node["execution_count"] = [], None
        if self.pictures and self.kind == "markdown":
            node["attachments"] = _copied(self.pictures)
        return node


class _Release:
    """The notebook that the class was given, and what is looked for in a submission of it."""

    def __init__(self, notebook: NotebookNode) -> None:
        self.cells = notebook.cells
        self.metadata = notebook.metadata
        self.ours = {mark["grade_id"]: cell for cell in notebook.cells if (mark := cell["metadata"].get("nbgrader"))}
        self.answers = {name for name, cell in self.ours.items() if cell["metadata"]["nbgrader"]["solution"]}
        self.stripped = {name: _stripped(cell.source) for name, cell in self.ours.items()}


def read_submission(path: Path, released: NotebookNode) -> Repaired:
    """Read one submitted notebook.

    The result depends on nothing but the file and the release.

    Args:
        path: The file, which may be anything.
        released: The notebook that the class was given.
    """
    problems: list[str] = []
    release = _Release(released)
    cells = _cells(_bytes(path, problems), release.ours, problems)
    return Repaired(_Conformer(cells, release, problems).notebook(), problems)


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
        problems.append(f"the notebook has {-(-status.st_size >> 20)} MB; at most {MAX_BYTES >> 20} MB are read")
    else:
        try:
            return path.read_bytes()
        except OSError as error:
            problems.append(f"the notebook could not be read: {error.strerror}")
    return b""


def _stripped(source: str) -> str:
    """What is in a cell, without blanks around it, and without what a call of `check` at its end is told of the points.

    These may have changed since the student was given the notebook.
    """
    before, check, call = source.strip().rpartition("check(")
    return before + check + (_WORTH.sub(")", call) if check and len(call) < _MAX_CALL else call)


def _cells(data: bytes, ours: Container[str], problems: list[str]) -> list[_Cell]:
    """The cells that can be read, those of the course's own names at any rate."""
    if not data:
        if not problems:
            problems.append("the notebook is an empty file")
        return []
    # The memory that a tree of JSON takes: brackets and short strings are what bombs are made of.
    if data.count(b"[") + data.count(b"{") + data.count(b'"') // 3 > _MAX_VALUES:
        problems.append(
            f"the notebook contains more than {_MAX_VALUES:,} values, more than any real notebook; it was not read"
        )
        return []
    text = _text(data)
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        tree = {"cells": _salvage(text)}
        problems.append(f"the file is damaged or incomplete: {_count(tree['cells'])} could be read")
    found = tree.get("cells") if isinstance(tree, dict) else None
    if isinstance(tree, dict) and not isinstance(found, list) and isinstance(tree.get("worksheets"), list):
        found = _from_worksheets(tree["worksheets"])
        problems.append("the notebook was in a format from before 2015; it was converted")
    if not isinstance(found, list):
        problems.append("the file is not a notebook")
        return []
    if _is_foreign(tree.get("metadata")):
        problems.append("the notebook asked for a kernel of another language; it was graded with Python")
    if len(found) > _MAX_CELLS:
        problems.append(f"the notebook has {_count(found)}; {_MAX_CELLS} were read, starting with the course's own")
        chosen = sorted(_course_first([_name_in(cell) for cell in found], ours)[:_MAX_CELLS])
        found = [found[at] for at in chosen]
    cells = [_clean(cell, problems) for cell in found]
    unread = sum(cell is None for cell in cells)
    if unread:
        problems.append("1 cell could not be read" if unread == 1 else f"{unread} cells could not be read")
    return _within_limits([cell for cell in cells if cell is not None], ours, problems)


def _text(data: bytes) -> str:
    """The text of a file in whatever of JSON's encodings; in another than UTF-8, what comes before the first damage."""
    encoding = json.detect_encoding(data)
    if encoding.startswith("utf-8"):
        return data.decode(encoding, errors="replace")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        return data[: error.start].decode(encoding)


def _course_first(names: Sequence[str], ours: Container[str]) -> list[int]:
    """Where cells stand, the most important first: the last of each of the course's own names, the others of them, all others."""
    last = set({name: at for at, name in enumerate(names) if name in ours}.values())
    return sorted(range(len(names)), key=lambda at: (at not in last, names[at] not in ours, at))


def _within_limits(cells: list[_Cell], ours: Container[str], problems: list[str]) -> list[_Cell]:
    """The cells without what is more than a notebook may hold in all."""
    if sum(len(cell.source) for cell in cells) <= MAX_TEXT and not any(cell.pictures for cell in cells):
        return cells
    text, pictures = MAX_TEXT, MAX_PICTURES
    left_out, without_pictures = set(), 0
    for at in _course_first([cell.grade_id for cell in cells], ours):
        cell = cells[at]
        if len(cell.source) > text:
            left_out.add(at)
            continue
        text -= len(cell.source)
        size = sum(len(data) for kinds in cell.pictures.values() for data in kinds.values())
        if size > pictures:
            cell.pictures = {}
            without_pictures += 1
        else:
            pictures -= size
    if left_out:
        problems.append(
            f"the notebook contains more than {MAX_TEXT >> 20} MB of text: {_count(sorted(left_out))} of it were left out"
        )
    if without_pictures:
        problems.append(f"the pictures in its text take up more than {MAX_PICTURES >> 20} MB: some were left out")
    return [cell for at, cell in enumerate(cells) if at not in left_out]


def _count(cells: Sequence[Any]) -> str:
    return "1 cell" if len(cells) == 1 else f"{len(cells)} cells"


def _salvage(text: str) -> list[Any]:
    """The whole cells of a damaged file; what is damaged between them is skipped."""
    start = _CELL_LIST.search(text)
    decoder = json.JSONDecoder()
    cells: list[Any] = []
    at = start.end() if start else len(text)
    # What may be read more than once: the bound is for files that are made to keep us searching.
    again = len(text)
    while again >= 0 and len(cells) <= 2 * _MAX_CELLS:
        at = _BETWEEN_CELLS.match(text, at).end()  # type: ignore[union-attr]
        try:
            cell, at = decoder.raw_decode(text, at)
            cells.append(cell)
        except (ValueError, RecursionError) as error:
            again -= (error.pos if isinstance(error, json.JSONDecodeError) else len(text)) - at
            following = _CELL_START.search(text, at + 1)
            if following is None:
                break
            at = following.start()
    return cells


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


def _clean(cell: Any, problems: list[str]) -> _Cell | None:
    """A cell with nothing but its type, source, id, the pictures in its text and the name that nbgrader gave it."""
    if not isinstance(cell, dict):
        return None
    kind = "markdown" if cell.get("cell_type") == "heading" else cell.get("cell_type")
    # The third version of the format says `input`, and has headings.
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str) or kind not in ("code", "markdown", "raw"):
        return None
    if len(source) > _MAX_SOURCE:
        if kind == "code":
            return None
        source = source[:_MAX_SOURCE]
        problem = f"a cell of text is longer than {_MAX_SOURCE >> 20} MB; the rest of it was cut off"
        if problem not in problems:
            problems.append(problem)
    if not source.isascii():
        source = source.encode("utf-8", errors="replace").decode()
    name = cell.get("id")
    is_id = isinstance(name, str) and _CELL_ID.fullmatch(name)
    return _Cell(kind, str(name) if is_id else "cell", source, _name_in(cell), _pictures(cell.get("attachments")))


def _name_in(cell: Any) -> str:
    """The name that nbgrader gave a cell of a file, or an empty string."""
    metadata = cell.get("metadata") if isinstance(cell, dict) else None
    mark = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    name = mark.get("grade_id") if isinstance(mark, dict) else None
    return name if isinstance(name, str) else ""


def _pictures(attachments: Any) -> dict[str, dict[str, str]]:
    """The pictures that were pasted into a text, by their names; whatever else is attached is left out."""
    found: dict[str, dict[str, str]] = {}
    for name, kinds in attachments.items() if isinstance(attachments, dict) else ():
        for kind in ("image/png", "image/jpeg", "image/gif", "image/webp"):
            data = kinds.get(kind) if isinstance(kinds, dict) else None
            if isinstance(data, str) and name.isprintable():
                data = "".join(data.split())
                with contextlib.suppress(ValueError):
                    base64.b64decode(data, validate=True)
                    found[name] = {kind: data}
    return found


def _copied(value: Any) -> Any:
    """A deep copy of what a notebook is made of, several times as fast as the general one."""
    if isinstance(value, dict):
        return NotebookNode({name: _copied(inner) for name, inner in value.items()})
    return [_copied(inner) for inner in value] if isinstance(value, list) else value


class _Conformer:
    """Puts submitted cells into the shape of the release: ours in their order, each student's own behind the same one of ours."""

    def __init__(self, cells: list[_Cell], release: _Release, problems: list[str]) -> None:
        self._cells, self._release, self._problems = cells, release, problems
        self._stripped: dict[_Cell, str] = {}
        self._defined: dict[str, set[str]] = {}
        self._to_parse = _MAX_PARSED_IN_ALL
        self._marked: dict[str, list[_Cell]] = {}
        self._nameless: list[_Cell] = []
        for cell in cells:
            if cell.grade_id not in release.ours:
                cell.grade_id = ""
                self._nameless.append(cell)
            else:
                self._marked.setdefault(cell.grade_id, []).append(cell)

    def notebook(self) -> NotebookNode:
        """The notebook; call it once."""
        ours = self._release.ours
        answers: dict[str, _Cell] = {}
        standing_for: dict[_Cell, list[str]] = {}
        for grade_id, original in ours.items():
            found = self._find(grade_id, original)
            if found is not None:
                standing_for.setdefault(found, []).append(grade_id)
                if grade_id in self._release.answers:
                    answers[grade_id] = found
        order: list[str] = []
        behind: dict[str, list[NotebookNode]] = {"": []}
        for cell in self._cells:
            names = standing_for.get(cell, [])
            if self._is_own(cell, names):
                behind[order[-1] if order else ""].append(cell.node())
            order += names
            behind |= {name: [] for name in names}
        if order != [grade_id for grade_id in ours if grade_id in behind]:
            self._problems.append("the cells were in a different order; the original order was restored")
        out: list[NotebookNode] = []
        own = behind[""]
        for grade_id, original in ours.items():
            cell = _copied(original)
            if grade_id in behind:
                if grade_id in answers:
                    _fill_in(cell, answers[grade_id])
                out += [*own, cell]
                own = behind[grade_id]
            else:
                if self._cells:
                    self._problems.append(f"the cell {grade_id} was deleted; the original was restored")
                out.append(cell)
        out += own
        _make_ids_unique(out)
        metadata = {name: _copied(self._release.metadata[name]) for name in ("kernelspec", "language_info")}
        return NotebookNode(nbformat=4, nbformat_minor=5, metadata=NotebookNode(metadata), cells=out)

    def _find(self, grade_id: str, original: NotebookNode) -> _Cell | None:
        """The submitted cell that stands for this one of ours."""
        if is_written(original):
            return self._find_text(grade_id, original)
        if grade_id in self._release.answers:
            return self._find_answer(grade_id, original)
        return self._find_given(grade_id, original)

    def _text_of(self, cell: _Cell) -> str:
        """What is in the cell, to be compared."""
        if cell not in self._stripped:
            self._stripped[cell] = _stripped(cell.source)
        return self._stripped[cell]

    def _is_filled(self, cell: _Cell, grade_id: str) -> bool:
        """Whether there is something in the cell that was not given."""
        return self._text_of(cell) not in ("", self._release.stripped[grade_id])

    def _is_own(self, cell: _Cell, names: Sequence[str]) -> bool:
        """Whether the cell stays as the student's own, beside what it may stand for.

        What was written into one of our cells stays before it: an import that was added to the set-up cell, for example.
        """
        if not self._release.answers.isdisjoint(names):
            return False
        return self._is_filled(cell, cell.grade_id) if cell.grade_id else not names

    def _say_times(self, grade_id: str, marked: Sequence[_Cell]) -> None:
        if len(marked) > 1:
            self._problems.append(
                f"the cell {grade_id} occurs {len(marked)} times; the last one that was filled in was graded"
            )

    def _chosen(self, chosen: _Cell, grade_id: str) -> _Cell:
        if chosen.kind != self._release.ours[grade_id]["cell_type"]:
            self._problems.append(f"the cell {grade_id} was changed to a {chosen.kind} cell; it was changed back")
        return chosen

    def _bearing(
        self, grade_id: str, others: Callable[[], list[_Cell]], instead: str, found_by: str
    ) -> tuple[list[_Cell], list[_Cell]]:
        """The submitted cells that stand for one of ours, and those in which something was written.

        Args:
            grade_id: The name of our cell.
            others: Finds cells of another name or none, for where nothing was written into those of this name.
            instead: What is said when one of them was filled in.
            found_by: By what they are found where no cell has the name.
        """
        marked = self._marked.get(grade_id, [])
        self._say_times(grade_id, marked)
        filled = [cell for cell in marked if self._is_filled(cell, grade_id)]
        if not filled:
            found = others()
            filled = [cell for cell in found if self._is_filled(cell, grade_id)]
            if filled and marked:
                self._problems.append(f"the cell {grade_id} was not filled in; {instead}")
            elif found and not marked:
                self._problems.append(f"the cell {grade_id} had lost its name; it was found by {found_by}")
                marked = found
        return marked, filled

    def _find_answer(self, grade_id: str, original: NotebookNode) -> _Cell | None:
        """The submitted cell that holds this answer."""
        marked, filled = self._bearing(
            grade_id,
            lambda: self._defining(self._definitions(original.source), grade_id),
            "the definition in another cell was graded instead",
            "what it defines",
        )
        return self._chosen((filled or marked)[-1], grade_id) if marked else None

    def _defining(self, names: set[str], grade_id: str) -> list[_Cell]:
        """The other cells that define one of the names; code comes last, and so is preferred."""
        likely = (
            cell
            for cell in self._cells
            if cell.grade_id != grade_id
            and len(cell.source) <= _MAX_FOUND
            and any(name in cell.source for name in names)
        )
        found = [cell for cell in likely if names & self._definitions(cell.source)]
        return sorted(found, key=lambda cell: cell.kind == "code")

    def _definitions(self, source: str) -> set[str]:
        """What a cell defines at its top level; of what is too long to be parsed, what its lines look like."""
        if source not in self._defined:
            if len(source) <= min(_MAX_PARSED, self._to_parse):
                self._to_parse -= len(source)
                self._defined[source] = top_level_definitions(source)
            else:
                self._defined[source] = {match[1] or match[2] for match in _DEFINITION.finditer(source)}
        return self._defined[source]

    def _find_text(self, grade_id: str, original: NotebookNode) -> _Cell | None:
        """The submitted cell that holds the written answer.

        One that says nothing of its own is given back as it was given, which nbgrader knows for no answer.
        """
        marked, filled = self._bearing(
            grade_id,
            lambda: self._asking(grade_id, original),
            "the answer in another cell was graded instead",
            "its text",
        )
        behind = [] if filled else self._texts_behind(original, marked)
        if behind:
            self._problems.append(f"the answer {grade_id} was written in a later cell; it was taken from there")
            filled = (marked or behind)[-1:]
            _take_in(filled[0], original.source, behind)
        if not (filled or marked):
            return None
        chosen = (filled or marked)[-1]
        if not filled:
            chosen.source = original.source
        return self._chosen(chosen, grade_id)

    def _asking(self, grade_id: str, original: NotebookNode) -> list[_Cell]:
        """The cells without a name that have the written question's id, or its first paragraph."""
        question = self._release.stripped[grade_id].split("\n\n")[0]
        others = {cell.source for cell in self._release.cells if cell is not original}
        nameless = [cell for cell in self._nameless if cell.source not in others]
        return [cell for cell in nameless if cell.id == grade_id or question in cell.source]

    def _texts_behind(self, original: NotebookNode, marked: Sequence[_Cell]) -> list[_Cell]:
        """The cells of text that a student put behind a written question, or behind its headline if it is not there."""
        given = self._release.cells
        headline = given[given.index(original) - 1].source
        anchors = marked or [cell for cell in self._cells if cell.source == headline]
        if not anchors:
            return []
        ids, sources = {cell.id for cell in given}, {cell.source for cell in given}
        found = []
        for cell in self._cells[self._cells.index(anchors[-1]) + 1 :]:
            if cell.kind == "code" or cell.grade_id or cell.id in ids or cell.source in sources:
                break
            found += [cell] if self._text_of(cell) else []
        return found

    def _find_given(self, grade_id: str, original: NotebookNode) -> _Cell | None:
        """The submitted cell that stands where this cell of ours was."""
        marked = self._marked.get(grade_id, [])
        given = self._release.stripped[grade_id]
        if not marked:
            same = next((cell for cell in self._nameless if self._text_of(cell) == given), None)
            if same:
                self._problems.append(f"the cell {grade_id} had lost its name; it was found by its text")
            return same
        if len(marked) > 1:
            self._problems.append(f"the cell {grade_id} occurs {len(marked)} times; the original was graded once")
        elif self._text_of(marked[0]) != given or marked[0].kind != original.cell_type:
            self._problems.append(f"the cell {grade_id} was changed; the original was graded")
        return marked[0]


def _fill_in(cell: NotebookNode, answer: _Cell) -> None:
    """Put a student's answer into a cell of ours."""
    cell["source"] = answer.source
    if answer.pictures and cell.cell_type == "markdown":
        cell["attachments"] = _copied(answer.pictures)


def _take_in(cell: _Cell, question: str, texts: Sequence[_Cell]) -> None:
    """Let a cell hold the question and the texts of others, and their pictures."""
    cell.pictures = {name: kinds for text in texts for name, kinds in text.pictures.items()} or cell.pictures
    cell.source = "\n\n".join([question, *(text.source for text in texts)])


def _make_ids_unique(cells: Sequence[NotebookNode]) -> None:
    """Give each cell an id of its own; our cells keep theirs."""
    seen = {cell["id"] for cell in cells if "nbgrader" in cell["metadata"]}
    numbers: dict[str, int] = {}
    for cell in cells:
        if "nbgrader" in cell["metadata"]:
            continue
        name, stem = cell["id"], cell["id"][:50]
        while name in seen:
            numbers[stem] = numbers.get(stem, 1) + 1
            name = f"{stem}-{numbers[stem]}"
        cell["id"] = name
        seen.add(name)
