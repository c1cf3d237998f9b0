"""Weaves a chapter's text into its solved notebook.

An exercise cell of the text is an import; here it becomes the function's source from `solutions/`, with a line before it that
says what it is worth and a `check` cell behind it. Cell ids come from names and content: weaving twice gives the same bytes.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import re
import symtable
import textwrap
from collections import Counter
from collections.abc import Iterator

import jupytext
import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.declare import ExerciseChecks, load_checks
from autograder.house import House
from autograder.notebook import solution_source
from autograder.weaving.sources import source_hashes

DEMONSTRATION = "demonstration"
SELF_STUDY = "self-study"
_COMMENT = textwrap.TextWrapper(88, initial_indent="# ", subsequent_indent="#   ")
_IMPORT = re.compile(r"\s*from solutions\.(?P<chapter>\w+) import (?P<name>\w+)\s*")


class WeavingError(ValueError):
    """The text cannot be woven; the message says where and what to do."""


def weave(house: House, chapter: str) -> NotebookNode:
    """The chapter's solved notebook, not yet executed.

    Raises:
        WeavingError: The text, the solutions and the declarations do not fit together.
    """
    text = jupytext.read(house.text(chapter), fmt="md:myst")
    exercises = {found.exercise.name: found for found in load_checks(chapter)}
    weaver = _Weaver(house, chapter, exercises)
    cells = [woven for cell in text.cells for woven in weaver.weave(cell)]
    if weaver.waiting:
        raise WeavingError(f"{chapter}: no cell of the text is the exercise {', '.join(weaver.waiting)}")
    marks = Counter(cell.metadata.nbgrader.grade_id for cell in cells if "nbgrader" in cell.metadata)
    if marks and max(marks.values()) > 1:
        twice = ", ".join(name for name, times in marks.items() if times > 1)
        raise WeavingError(
            f"{chapter}: more than one cell would be called {twice}; each exercise and helper is shown once"
        )
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "course": {"sources": source_hashes(house, chapter, [c.source for c in cells if c.cell_type == "code"])},
        }
    )
    _name_cells(cells)
    nbformat.validate(notebook)
    return notebook


class _Weaver:
    """Weaves one cell after the other, and keeps the names that an exercise may use."""

    def __init__(self, house: House, chapter: str, exercises: dict[str, ExerciseChecks]) -> None:
        self._house, self._chapter = house, chapter
        self._exercises = exercises
        self._known: set[str] = set(dir(builtins))
        self.waiting = dict.fromkeys(exercises)

    def weave(self, cell: NotebookNode) -> Iterator[NotebookNode]:
        """The cells that one cell of the text becomes."""
        tags = cell.metadata.get("tags", [])
        if cell.cell_type != "code":
            yield new_markdown_cell(cell.source, metadata=cell.metadata)
        elif "exercise" in tags:
            yield from self._exercise(cell)
        elif "setup" in tags or "helper" in tags:
            names = self._names(cell.source)
            grade_id = f"{self._chapter}-setup" if "setup" in tags else f"helper-{min(names)}"
            self._known |= names
            yield _code(cell, grade_id, grade=False, solution=False)
        else:
            metadata = {**cell.metadata, "tags": [*tags, DEMONSTRATION]}
            yield new_code_cell(cell.source, metadata=metadata)

    def _names(self, source: str) -> set[str]:
        """What a set-up or helper cell binds."""
        try:
            names = bound_names(source)
        except SyntaxError as error:
            raise WeavingError(f"{self._chapter}: {error.msg} in the set-up or helper cell {source!r}") from error
        if not names:
            raise WeavingError(f"{self._chapter}: this set-up or helper cell defines nothing: {source!r}")
        return names

    def _exercise(self, cell: NotebookNode) -> Iterator[NotebookNode]:
        match = _IMPORT.fullmatch(cell.source)
        if not match or match["chapter"] != self._chapter or match["name"] not in self._exercises:
            raise WeavingError(
                f"{self._chapter}: an exercise cell is one line, `from solutions.{self._chapter} import NAME`, with a name "
                f"declared in exercises.py; this one is {cell.source!r}"
            )
        found = self._exercises[match["name"]]
        self.waiting.pop(found.exercise.name, None)
        try:
            source = solution_source(self._house.solutions / self._chapter, found.exercise.name, markers=True)
        except ValueError as error:
            raise WeavingError(f"{self._chapter}: {error}") from error
        if not source.count("### BEGIN SOLUTION") == source.count("### END SOLUTION") > 0:
            raise WeavingError(f"{found.exercise.name}: its source has no ### BEGIN SOLUTION … ### END SOLUTION")
        foreign = free_names(source) - self._known
        if foreign:
            raise WeavingError(
                f"{found.exercise.name} uses {', '.join(sorted(foreign))}: an exercise may use only names of the set-up cell, "
                "its arguments, and helpers that the chapter shows before it"
            )
        if found.exercise.forbids:
            rule = _COMMENT.fill(f"Not allowed here: {', '.join(found.exercise.forbids)}")
            source = f"{rule}\n{source}"
        name = found.exercise.name
        yield new_markdown_cell(_headline(found), metadata={"tags": ["exercise-head"]})
        yield _code(cell, f"{name}-answer", source=source, grade=False, solution=True)
        yield _code(
            cell, name, source=f"check({name})", grade=True, solution=False, points=found.points, tags=["check"]
        )
        yield new_markdown_cell(f"Stuck? `hint({name})` says what to think about next.", metadata={"tags": ["hint"]})
        yield new_markdown_cell(
            f"Done, or given up? `from autograder import solution` and `solution({name})` show ours.",
            metadata={"tags": [SELF_STUDY]},
        )


def bound_names(source: str) -> set[str]:
    """The names that code binds at its top level."""
    table = symtable.symtable(source, "cell", "exec")
    return {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}


def free_names(source: str) -> set[str]:
    """The global names that code reads and does not bind itself."""
    names: set[str] = set()
    tables = [symtable.symtable(source, "cell", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        names |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and s.is_global()}
        if table.get_type() == "module":
            names |= {s.get_name() for s in table.get_symbols() if s.is_referenced()}
    return names - bound_names(source)


def _headline(found: ExerciseChecks) -> str:
    exercise = found.exercise
    dots = "●" * exercise.difficulty + "○" * (3 - exercise.difficulty)
    return (
        f"### Exercise: `{exercise.name}`\n\n{exercise.title[:1].upper()}{exercise.title[1:]}. "
        f"**{found.points} points** · difficulty {dots} · about {exercise.minutes} minutes"
    )


def _code(
    cell: NotebookNode,
    grade_id: str,
    *,
    grade: bool,
    solution: bool,
    source: str | None = None,
    points: int | None = None,
    tags: list[str] | None = None,
) -> NotebookNode:
    mark = {
        "grade": grade,
        "grade_id": grade_id,
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
        **({"points": points} if grade else {}),
    }
    metadata = {**cell.metadata, "tags": tags or cell.metadata.get("tags", []), "nbgrader": mark}
    return new_code_cell(cell.source if source is None else source, metadata=metadata)


def _name_cells(cells: list[NotebookNode]) -> None:
    """Give each cell an id from its name, or from its content and how often that came before."""
    seen: dict[str, int] = {}
    for cell in cells:
        content = hashlib.sha256(f"{cell.cell_type}/{cell.source}".encode()).hexdigest()[:12]
        name = cell.metadata.get("nbgrader", {}).get("grade_id", content)
        seen[name] = seen.get(name, 0) + 1
        cell.id = name if seen[name] == 1 else f"{name}-{seen[name]}"


def top_level_definitions(source: str) -> set[str]:
    """The functions, classes and names that a cell defines, as far as it can be parsed."""
    try:
        ast.parse(source)
        return bound_names(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set(re.findall(r"^(?:def|class)\s+(\w+)", source, re.MULTILINE))
