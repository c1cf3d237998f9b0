"""A sample class of 24 for `make demo`, the benchmark and the tests: `python -m autograder.samples.course FOLDER`.

The folder becomes a course of its own, with the released chapter and a submission of each student, no two alike.
"""

from __future__ import annotations

import copy
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from nbgrader.api import Gradebook
from rich.console import Console
from traitlets.config import Config

from autograder.building.notebook_files import read
from autograder.building.release import generate
from autograder.building.weave import is_written, written_id
from autograder.checkout import Course, course_config
from autograder.declare import ExerciseChecks, load_checks, load_exercises
from autograder.grading.run import grade_class
from autograder.judging.catalogue import load_catalogue, source_of
from autograder.samples import hostile
from autograder.samples.seeds import secret

ROOT = Path(__file__).parents[2]
CHAPTER = "ch05_attention"
_LISTED = {found.exercise.name: load_catalogue(found).module for found in load_checks(CHAPTER)}
attend, attention_decoder, masked_softmax = (_LISTED[name] for name in ("attend", "AttentionDecoder", "masked_softmax"))

GOOD_ANSWER = """\
In my map *the* of the source has no counterpart in French where the noun is possessed, and the end of the sentence has none
either. At such a word the weights spread over the neighbours and the full stop:

- the row is pale, its largest weight is about 0.4;
- the model says the word from its own state $s_t$, and the context hardly matters.
"""
SHORT_ANSWER = "The articles. It looks at the last word then."


def make_course(root: Path) -> Course:
    """Make an empty course in the folder, which is emptied, and release the chapter in it; its secret is that of every sample."""
    shutil.rmtree(root, ignore_errors=True)
    (root / "book").mkdir(parents=True)
    shutil.copy(ROOT / "nbgrader_config.py", root)
    shutil.copy(ROOT / "book" / "references.bib", root / "book")
    shutil.copytree(ROOT / "solutions", root / "solutions", ignore=shutil.ignore_patterns("__pycache__"))
    course = Course(root.resolve())
    generate(course_config(course.root), CHAPTER)
    secrets = course.private / "secrets"
    secrets.mkdir(parents=True, mode=0o700)
    (secrets / CHAPTER).write_text(f"{secret('course')}\n")
    (secrets / CHAPTER).chmod(0o600)
    return course


def plain_config(course: Course) -> Config:
    """The course's configuration with nbgrader's own way to read, run, score and validate a submission."""
    config = course_config(course.root)
    del config.Autograde, config.Exporter
    config.Execute.timeout = 300
    return config


def submit(course: Course, student: str, content: bytes | str | NotebookNode, name: str = CHAPTER) -> Path:
    """Hand something in for a student."""
    path = course.root / "submitted" / student / CHAPTER / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, NotebookNode):
        content = nbformat.writes(content)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def quietly(course: Course, **options: Any) -> Any:
    """Grade the class without showing progress; returns what `grade_class` does."""
    options = {"workers": 2, "box": "landlock", "scheduler": None, "console": Console(quiet=True), **options}
    return grade_class(course, CHAPTER, **options)


def read_by_hand(course: Course, student: str, points: float, comment: str) -> None:
    """What formgrader does when a person gives points to the written answer and writes a comment."""
    with Gradebook(course.database(course_config(course.root))) as book:
        grade = book.find_grade(written_id(CHAPTER), CHAPTER, CHAPTER, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        book.find_comment(written_id(CHAPTER), CHAPTER, CHAPTER, student).manual_comment = comment
        book.db.commit()


class Student:
    """Fills in the released notebook as a student does."""

    def __init__(self, course: Course) -> None:
        self._released = read(course.released(CHAPTER))
        solved = read(course.solved(CHAPTER))
        self._solutions = {
            cell.metadata.nbgrader.grade_id: cell.source
            for cell in solved.cells
            if cell.metadata.get("nbgrader", {}).get("solution")
        }
        self._stub = course_config(course.root).ClearSolutions.text_stub

    def notebook(self, *, written: str | None = SHORT_ANSWER, **answers: Any) -> NotebookNode:
        """A notebook with the reference's answers but for those given: source, a function or class, or None for the stub.

        Args:
            written: The answer to the written question, or None to leave it.
            answers: The answers to exercises.
        """
        notebook = copy.deepcopy(self._released)
        for cell in filter(is_written, notebook.cells):
            cell.source = cell.source.replace(self._stub, self._stub if written is None else written)
        for exercise in (found.name for found in load_exercises(CHAPTER)):
            answer = answers.get(exercise, self._solutions[f"{exercise}-answer"])
            if answer is not None:
                answer_cell(notebook, exercise).source = (
                    answer if isinstance(answer, str) else renamed(answer, exercise)
                )
        return notebook


def all_visible_points(exercise: ExerciseChecks) -> str:
    """The first line of the report that a right answer gets in a notebook."""
    waiting = exercise.points - exercise.visible.points
    return (
        f"{exercise.exercise.name}: {exercise.visible.points} of {exercise.points} points so far; "
        f"{waiting} more depend{'s' * (waiting == 1)} on hidden checks"
    )


def answer_cell(notebook: NotebookNode, exercise: str) -> NotebookNode:
    """The cell in which an exercise is answered."""
    return next(c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == f"{exercise}-answer")


def renamed(answer: Any, exercise: str) -> str:
    """The source of a listed answer, under the exercise's own name."""
    source = source_of(answer).replace(f" {answer.__name__}(", f" {exercise}(", 1)
    if isinstance(answer, type) and answer.__base__ is attention_decoder.Given:
        source = f"{source_of(attention_decoder.Given)}\n\n{source}"
    return source


def _before(notebook: NotebookNode, exercise: str, source: str) -> NotebookNode:
    """With a cell of the student's own before an exercise."""
    notebook.cells.insert(notebook.cells.index(answer_cell(notebook, exercise)), new_code_cell(source))
    return notebook


def _without(notebook: NotebookNode, exercise: str) -> NotebookNode:
    """With the cell of an exercise, and its check, deleted."""
    gone = (exercise, f"{exercise}-answer")
    notebook.cells = [c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") not in gone]
    return notebook


def _twice(notebook: NotebookNode, exercise: str) -> NotebookNode:
    """With the cell of an exercise duplicated; the first copy is filled in, the second is empty."""
    cell = answer_cell(notebook, exercise)
    empty = copy.deepcopy(cell)
    empty.source, empty.id = "", "copy"
    notebook.cells.insert(notebook.cells.index(cell) + 1, empty)
    return notebook


def _retyped(notebook: NotebookNode, exercise: str) -> NotebookNode:
    """With the cell of an exercise turned into text."""
    cell = answer_cell(notebook, exercise)
    cell.cell_type = "markdown"
    del cell["outputs"], cell["execution_count"]
    return notebook


def _skipping(notebook: NotebookNode) -> NotebookNode:
    """With every check tagged so that nbgrader does not run it."""
    for cell in notebook.cells:
        cell.metadata.tags = ["skip-execution"]
    return notebook


def submissions(student: Student) -> dict[str, Callable[[], bytes | str | NotebookNode]]:
    """What each of the class hands in, by their ids."""
    new = student.notebook
    stubs: dict[str, None] = dict.fromkeys([*(found.name for found in load_exercises(CHAPTER)), "written"])
    return {
        "ada-full-marks": lambda: new(written=GOOD_ANSWER),
        "blaise-loops": lambda: new(
            masked_softmax=masked_softmax.loops,
            attend=attend.loops_over_positions,
            AttentionDecoder=attention_decoder.WordAfterWord,
            written=GOOD_ANSWER,
        ),
        "clara-einsum": lambda: new(
            masked_softmax=masked_softmax.with_where, attend=attend.with_einsum, written=hostile.MARKUP
        ),
        "dmitri-first-only": lambda: new(**{**stubs, "masked_softmax": masked_softmax.by_hand}),
        "emmy-all-but-one": lambda: new(AttentionDecoder=None, written=None),
        "fatima-masks-late": lambda: new(masked_softmax=masked_softmax.softmax_then_mask),
        "george-wrong-axis": lambda: new(masked_softmax=masked_softmax.softmax_over_queries, written=None),
        "hedy-nan": lambda: new(masked_softmax=masked_softmax.nan_in_empty_row),
        "ivan-large-number": lambda: new(masked_softmax=masked_softmax.large_number_in_half),
        "joan-keys": lambda: new(attend=attend.keys_for_values),
        "kurt-state-first": lambda: new(AttentionDecoder=attention_decoder.StateFirst),
        "lise-state-before": lambda: new(AttentionDecoder=attention_decoder.StateBefore),
        "max-no-mask": lambda: new(AttentionDecoder=attention_decoder.NoMask),
        "noether-untouched": lambda: new(**stubs),
        "otto-crash": lambda: _before(new(attend="def attend(query, key"), "attend", "1 / 0"),
        "paul-endless": lambda: _before(new(attend=None), "attend", hostile.DEAF_ENDLESS),
        "quine-memory": lambda: _before(new(masked_softmax=None), "attend", hostile.EATS_MEMORY),
        "rosa-claims": lambda: _before(new(**stubs), "attend", hostile.CLAIMS_FULL_MARKS),
        "srini-burglar": lambda: _before(new(**stubs), "masked_softmax", hostile.READS_SOLUTIONS),
        "tove-deleted": lambda: _without(new(), "attend"),
        "ulam-duplicated": lambda: _twice(new(), "masked_softmax"),
        "vera-retyped": lambda: _retyped(new(attend=attend.with_bmm), "attend"),
        "wei-truncated": lambda: _truncated(new()),
        "yuri-skips": lambda: _skipping(new(masked_softmax=masked_softmax.inverted, attend=None)),
    }


def _truncated(notebook: NotebookNode) -> str:
    """Cut off in the middle of the last exercise."""
    text = nbformat.writes(notebook)
    return text[: text.index("AttentionDecoder-answer")]


def main(root: Path) -> None:
    """Make the course and hand everything in."""
    course = make_course(root)
    handed_in = submissions(Student(course))
    for student, make in handed_in.items():
        submit(course, student, make())
    print(f"{len(handed_in)} submissions are in {course.root / 'submitted'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
