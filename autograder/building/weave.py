"""Weaves a chapter's text into its solved notebook.

An exercise cell of the text is an import; here it becomes the function's source from `solutions/`, with a line before
it that says what it is worth and a `check` cell after it. A written question becomes a cell that nbgrader lets a person
grade. Cell ids come from names and content: weaving twice gives the same bytes.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import itertools
import re
import symtable
import textwrap
from collections import Counter
from collections.abc import Iterator
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.building.plain_markdown import PlainError, fold
from autograder.building.sources import source_hashes
from autograder.checkout import Checkout
from autograder.declare import ELSEWHERE_NAME, USE_NAME, ExerciseChecks, chapters, load_checks
from autograder.notebook.commands import solution_source

DEMONSTRATION = "demonstration"
SELF_STUDY = "self-study"
WRITTEN = "written"
WRITTEN_POINTS = 5
IN_EVERY_EXERCISE = (
    "**In every exercise,** keep the signature as it is: your code may be called with the names of its arguments as keywords. Do not change the "
    "arguments, unless the name of the function ends in an underscore, and keep nothing from one call to the next. The result has the dtype of the "
    "arguments, unless the docstring says otherwise, and is on their device, and gradients flow from it back to the arguments and the weights. "
    f"Two checks test this: *{USE_NAME}* and *{ELSEWHERE_NAME}*. Any dimension may have size 1, and no such dimension is removed."
)
"""What no docstring repeats; it stands before a chapter's first exercise."""
_COMMENT = textwrap.TextWrapper(88, initial_indent="# ", subsequent_indent="#   ")
_IMPORT = re.compile(r"\s*from solutions\.(?P<chapter>\w+) import (?P<name>\w+)\s*")
_MARKS = ("<!-- BEGIN SOLUTION -->", "<!-- END SOLUTION -->")
_QUESTION = re.compile(r"\s*(?P<question>\S.*?)\n{}\n(?P<answer>.*\S.*)\n{}\s*".format(*_MARKS), re.DOTALL)
_MARK = re.compile(r"(?:BEGIN|END) SOLUTION")


class WeavingError(ValueError):
    """The text cannot be woven; the message says where and what to do."""


def weave(checkout: Checkout, chapter: str) -> NotebookNode:
    """The chapter's solved notebook, not yet executed.

    Raises:
        WeavingError: The text, the solutions and the declarations do not fit together.
    """
    text = jupytext.read(checkout.text(chapter), fmt="md:myst")
    exercises = {found.exercise.name: found for found in load_checks(chapter)}
    weaver = _Weaver(checkout, chapter, exercises)
    cells = [woven for cell in text.cells for woven in weaver.weave(cell)]
    if weaver.waiting:
        raise WeavingError(f"{chapter}: the text has no cell for the exercise {', '.join(weaver.waiting)}")
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
            "course": {"sources": source_hashes(checkout, chapter, [c.source for c in cells if c.cell_type == "code"])},
        }
    )
    _name_cells(cells)
    nbformat.validate(notebook)
    return notebook


class _Weaver:
    """Weaves one cell after the other, and keeps the names that an exercise may use."""

    def __init__(self, checkout: Checkout, chapter: str, exercises: dict[str, ExerciseChecks]) -> None:
        self._checkout, self._chapter = checkout, chapter
        self._exercises = exercises
        self._known: set[str] = set(dir(builtins))
        self._asked = False
        self.waiting = dict.fromkeys(exercises)

    def weave(self, cell: NotebookNode) -> Iterator[NotebookNode]:
        """The cells that one cell of the text becomes."""
        tags = cell.metadata.get("tags", [])
        if WRITTEN in tags:
            yield from self._written(cell)
        elif cell.cell_type != "code":
            if _MARK.search(cell.source):
                raise WeavingError(
                    f"{self._chapter}: this cell has the marks of a solution and is not tagged {WRITTEN}: begin it with "
                    f'the line `+++ {{"tags": ["{WRITTEN}"]}}`, and the next cell with `+++`; it is {cell.source[:80]!r}'
                )
            yield self._markdown(cell)
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

    def _markdown(self, cell: NotebookNode) -> NotebookNode:
        try:
            return new_markdown_cell(fold(cell.source), metadata=cell.metadata)
        except PlainError as error:
            raise WeavingError(f"{self._chapter}: {error}") from error

    def _names(self, source: str) -> set[str]:
        """What a set-up or helper cell binds."""
        try:
            names = bound_names(source)
        except SyntaxError as error:
            raise WeavingError(f"{self._chapter}: {error.msg} in the set-up or helper cell {source!r}") from error
        if not names:
            raise WeavingError(f"{self._chapter}: this set-up or helper cell defines nothing: {source!r}")
        return names

    def _written(self, cell: NotebookNode) -> list[NotebookNode]:
        if cell.cell_type != "markdown":
            raise WeavingError(
                f"{self._chapter}: only a markdown cell can be tagged {WRITTEN}; this is {cell.source!r}"
            )
        if self._asked:
            raise WeavingError(
                f"{self._chapter}: a second cell is tagged {WRITTEN}: a chapter asks one written question"
            )
        self._asked = True
        return written_question(self._chapter, cell)

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
            source = solution_source(self._checkout.solutions / self._chapter, found.exercise.name, markers=True)
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
            rule = _COMMENT.fill(f"Not allowed here: {'; '.join(rule.told for rule in found.exercise.forbids)}")
            source = f"{rule}\n{source}"
        name = found.exercise.name
        if len(self.waiting) == len(self._exercises) - 1 and self._chapter != chapters()[0]:
            # The first chapter says it at greater length, after its first report.
            yield new_markdown_cell(IN_EVERY_EXERCISE)
        yield new_markdown_cell(_headline(found), metadata={"tags": ["exercise-head"]})
        yield _code(cell, f"{name}-answer", source=source, grade=False, solution=True)
        # The cell imports what it calls: it runs in a restarted kernel, and says there what to do.
        source = f"from autograder import check\n\ncheck({name})"
        yield _code(cell, name, source=source, grade=True, solution=False, points=found.points, tags=["check"])
        yield new_markdown_cell(f"Stuck? `hint({name})` says what to think about next.", metadata={"tags": ["hint"]})
        yield new_markdown_cell(
            f"Done, or given up? `from autograder import solution` and `solution({name})` show ours.",
            metadata={"tags": [SELF_STUDY]},
        )


def written_id(chapter: str) -> str:
    """The name that nbgrader knows the chapter's written answer by."""
    return f"{chapter}-{WRITTEN}"


def is_written(cell: NotebookNode) -> bool:
    """Whether the cell, of ours or as it was released, is a written question."""
    return bool(cell.cell_type == "markdown" and cell.metadata.get("nbgrader", {}).get("solution"))


def written_question(chapter: str, cell: NotebookNode) -> list[NotebookNode]:
    """The cells that a written question becomes: a headline, the question, and where those who study alone find our answer.

    Raises:
        WeavingError: The question, the model answer or its rubric is not where it should be.
    """
    try:
        _, answer = split_written(cell.source)
    except ValueError as error:
        raise WeavingError(f"{chapter}: {error}") from error
    points = sum(line.startswith("- ") for line in rubric_of(answer).splitlines())
    if points != WRITTEN_POINTS:
        raise WeavingError(
            f"{chapter}: the rubric of the written question has {points} points and its answer is worth {WRITTEN_POINTS}: "
            f"end the solution with a list of {WRITTEN_POINTS} items that begin with `- `, one a point"
        )
    grade_id = written_id(chapter)
    mark = cell_mark(grade_id, grade=True, solution=True, points=WRITTEN_POINTS)
    headline = (
        f"### Written answer\n\nIn your own words, a few sentences. **{WRITTEN_POINTS} points** · read by a person"
    )
    told = (
        "Written? Compare it with a model answer and its rubric: on this chapter's page of the book, or in "
        f"`solutions/{chapter}/{chapter}.ipynb`."
    )
    return [
        new_markdown_cell(headline, metadata={"tags": ["exercise-head"]}),
        new_markdown_cell(cell.source, metadata={**cell.metadata, "nbgrader": mark}, id=grade_id),
        new_markdown_cell(told, metadata={"tags": [SELF_STUDY]}),
    ]


def split_written(source: str) -> tuple[str, str]:
    """The question, and the model answer with its rubric.

    Raises:
        ValueError: The text does not have this form.
    """
    match = _QUESTION.fullmatch(source)
    if not match or len(_MARK.findall(source)) != len(_MARKS):
        raise ValueError(
            f"a written question is the question, a line `{_MARKS[0]}`, the model answer with its rubric, and at last a line "
            f"`{_MARKS[1]}`, each mark once; what follows it begins with a line `+++`; this one is {source[:80]!r}"
        )
    return match["question"].rstrip(), match["answer"].strip("\n")


def rubric_of(answer: str) -> str:
    """The rubric of a model answer: the list that ends it, with what its items go on with and blank lines."""
    lines = itertools.takewhile(lambda line: line[:2] in ("", "- ", "  "), reversed(answer.splitlines()))
    return "\n".join(reversed(list(lines))).strip("\n")


def without_answer(source: str) -> str:
    """A written question with nothing left between its marks.

    Raises:
        ValueError: The text is not a written question.
    """
    question, _ = split_written(source)
    return "\n".join([question, "", *_MARKS])


def bound_names(source: str) -> set[str]:
    """The names that code binds at its top level."""
    table = symtable.symtable(source, "cell", "exec")
    return {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}


def free_names(source: str) -> set[str]:
    """The global names that code reads and does not bind itself."""
    return read_names(source) - bound_names(source)


def read_names(source: str) -> set[str]:
    """The global names that code reads."""
    names: set[str] = set()
    tables = [symtable.symtable(source, "cell", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        names |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and s.is_global()}
        if table.get_type() == "module":
            names |= {s.get_name() for s in table.get_symbols() if s.is_referenced()}
    return names


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
    points: float | None = None,
    tags: list[str] | None = None,
) -> NotebookNode:
    mark = cell_mark(grade_id, grade=grade, solution=solution, points=points)
    metadata = {**cell.metadata, "tags": tags or cell.metadata.get("tags", []), "nbgrader": mark}
    return new_code_cell(cell.source if source is None else source, metadata=metadata)


def cell_mark(grade_id: str, *, grade: bool, solution: bool, points: float | None = None) -> dict[str, Any]:
    """What nbgrader is told of a cell."""
    return {
        "grade": grade,
        "grade_id": grade_id,
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
        **({"points": points} if grade else {}),
    }


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
