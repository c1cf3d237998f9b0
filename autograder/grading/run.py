"""Grades a whole class: workers run and judge in parallel, one writer keeps nbgrader's books, one table tells what happened."""

from __future__ import annotations

import shutil
import textwrap
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from autograder.bookkeeper import bookkeeper, cause_of
from autograder.declare import ExerciseChecks
from autograder.grading import sandbox
from autograder.grading.books import Entry, entries
from autograder.grading.engine import run_job
from autograder.grading.plan import Job
from autograder.grading.plugin import Grader, grader
from autograder.grading.repair import read_submission
from autograder.grading.result import Result
from autograder.grading.worker import Run
from autograder.house import Course, CourseError, course_config
from autograder.judging import Outcome
from autograder.verdict import Status
from autograder.weaving.release import generate, read
from autograder.weaving.weave import is_written

WAITS = "waits"


@dataclass
class Row:
    """What the table says of one student.

    Args:
        student: The student's id.
        points: What was earned in all, as the gradebook has it.
        notes: What went wrong, in sentences.
        by_hand: What became of the written answer, in a word or its points.
    """

    student: str
    points: float = 0
    notes: list[str] = field(default_factory=list)
    by_hand: str = ""


@dataclass(frozen=True)
class Graded:
    """A graded class.

    Args:
        chapter: The chapter's name.
        exercises: Its exercises.
        rows: A row for each student, by their ids.
        written: The points of its written question, 0 if it has none.
    """

    chapter: str
    exercises: tuple[ExerciseChecks, ...]
    rows: list[Row]
    written: int

    @property
    def points(self) -> int:
        """What the chapter is worth."""
        return sum(exercise.points for exercise in self.exercises) + self.written

    @property
    def waiting(self) -> int:
        """How many written answers nobody has read yet."""
        return sum(row.by_hand == WAITS for row in self.rows)

    def table(self) -> Table:
        """Who got what, what waits for a person, and what went wrong."""
        out = Table(title=f"{self.chapter}: {self.points} points", title_justify="left", expand=True)
        out.add_column("student", no_wrap=True)
        out.add_column("points", justify="right", no_wrap=True)
        if self.written:
            out.add_column("by hand", justify="right", no_wrap=True)
        out.add_column("what went wrong", ratio=1)
        for row in self.rows:
            by_hand = [row.by_hand] if self.written else []
            out.add_row(escape(row.student), f"{row.points:g}", *by_hand, escape("\n".join(row.notes)))
        if self.waiting:
            answers = "1 written answer waits" if self.waiting == 1 else f"{self.waiting} written answers wait"
            out.caption = (
                f"{answers} to be read by a person, and {'counts' if self.waiting == 1 else 'count'} 0 until then: in the "
                f"formgrader (make formgrader), Manual Grading, {self.chapter}. The rubric is in the solved notebook."
            )
            out.caption_justify = "left"
        return out


def grade_class(
    course: Course, chapter: str, *, workers: int, box: str, scheduler: str | None, console: Console
) -> Graded:
    """Grade every submission of a chapter and write the gradebook.

    Args:
        course: The course.
        chapter: The chapter's name.
        workers: How many run at once.
        box: `landlock`, or `none` for no sandbox.
        scheduler: Address of a Dask scheduler, or None for threads of this machine.
        console: Where progress is shown.

    Raises:
        CourseError: There is nothing to grade, or the chapter has not been released.
        SandboxError: The sandbox cannot be had here.
    """
    reason = sandbox.why_not() if box != "none" and scheduler is None else ""
    if reason:
        raise sandbox.SandboxError(
            f"grading needs a sandbox and this machine has none: {reason}. `--sandbox none` runs students' code without one."
        )
    submissions = _submissions(course, chapter)
    config = course_config(course.root)
    config.ExecuteInSandbox.sandbox = box
    _ensure_released(course, chapter, config)
    found = grader(str(course.root), chapter, box, sandbox.Limits(**config.ExecuteInSandbox.get("limits", {})))
    rows, unwritten = [], set()
    with (
        _writer(course, chapter, config) as write,
        _executor(workers, scheduler) as executor,
        _progress(console) as bar,
    ):
        task = bar.add_task(chapter, total=len(submissions))
        for row in _results(found, submissions, executor):
            failure = write(row.student, submissions[row.student])
            if failure:
                row.notes += failure
                unwritten.add(row.student)
            rows.append(row)
            bar.advance(task)
    worth = sum(int(cell.metadata.nbgrader.points) for cell in read(found.released).cells if is_written(cell))
    kept = entries(course, chapter)
    for row in rows:
        if row.student not in unwritten:
            row.points = kept[row.student].points
            row.by_hand = _by_hand(kept[row.student], worth) if worth else ""
    return Graded(chapter, found.judge.exercises, sorted(rows, key=lambda row: row.student), worth)


def _by_hand(entry: Entry, worth: int) -> str:
    """What became of a written answer that is worth so many points."""
    if entry.waits:
        return WAITS
    return "no answer" if entry.by_hand is None else f"{entry.by_hand:g} of {worth}"


def _submissions(course: Course, chapter: str) -> dict[str, Path]:
    """The notebook of each student who handed the chapter in, under whatever name."""
    found = {}
    for folder in sorted(course.root.glob(f"submitted/*/{chapter}")):
        notebooks = sorted(path for path in folder.iterdir() if path.suffix == ".ipynb")
        exact = folder / f"{chapter}.ipynb"
        found[folder.parent.name] = exact if exact in notebooks or not notebooks else notebooks[-1]
    if not found:
        raise CourseError(f"nothing was handed in: expected {course.root}/submitted/STUDENT/{chapter}/{chapter}.ipynb")
    return found


def _ensure_released(course: Course, chapter: str, config: Config) -> None:
    """See to it that the gradebook knows the chapter, and that its released notebook is there and the one it knows."""
    with Gradebook(course.database(config)) as book:
        try:
            known = {cell.name for notebook in book.find_assignment(chapter).notebooks for cell in notebook.grade_cells}
        except MissingEntry:
            known = set()
    if not known or not course.released(chapter).is_file():
        generate(config, chapter)
        return
    marks = [cell.metadata.get("nbgrader", {}) for cell in read(course.released(chapter)).cells]
    different = known ^ {mark.grade_id for mark in marks if mark.get("grade")}
    if different:
        raise CourseError(
            f"{course.released(chapter)} is not the notebook that the gradebook knows: they differ in "
            f"{', '.join(sorted(different))}. Release it again, or put back the one that the class was given"
        )


def _results(found: Grader, submissions: dict[str, Path], executor: Executor) -> Iterator[Row]:
    """Grade the submissions and yield a row for each as it is done."""
    released = read(found.released)
    waiting: dict[Future[Run], tuple[Row, Any, Job]] = {}
    for student, path in submissions.items():
        repaired = read_submission(path, released)
        row = Row(student, notes=list(repaired.problems))
        if path.stem != found.planner.chapter and path.is_file():
            row.notes.append(f"the notebook was named {path.name}")
        job = found.planner.job(repaired.notebook)
        result = found.results.get(job)
        if result is None:
            waiting[executor.submit(run_job, job)] = row, repaired.notebook, job
        else:
            yield _filled(row, result)
    for future in as_completed(waiting):
        row, notebook, job = waiting.pop(future)
        try:
            result = found.judge.judge(notebook, job, future.result())
            found.results.put(job, result)
        except Exception as error:  # noqa: BLE001 - one submission never stops a class
            result = found.judge.fault(f"{type(error).__name__}: {error}")
        yield _filled(row, result)


def _filled(row: Row, result: Result) -> Row:
    row.points = sum(map(result.earned, result.outcomes))
    row.notes += [f"cell {index + 1} of the notebook: {error}" for index, error in result.errors.items()]
    row.notes += filter(None, (_note(name, outcomes) for name, outcomes in result.outcomes.items()))
    return row


def _note(exercise: str, outcomes: list[Outcome]) -> str:
    """What went wrong with one exercise, in a line: the first check that was missed, and how many more were."""
    missed = [outcome for outcome in outcomes if outcome.status is not Status.PASSED]
    if not missed:
        return ""
    first, more = missed[0], len(missed) - 1
    score = f"{exercise} {sum(o.earned for o in outcomes)}/{sum(o.points for o in outcomes)}"
    if first.status is Status.NOT_ATTEMPTED:
        return f"{score}: not attempted"
    what = first.message or first.name
    kind = "" if first.status is Status.FAILED else f"{first.status.value}: "
    return f"{score}: {kind}{textwrap.shorten(what, 160, placeholder=' …')}{f' (and {more} more)' if more else ''}"


@contextmanager
def _writer(course: Course, chapter: str, config: Config) -> Iterator[Callable[[str, Path], list[str]]]:
    """The one writer: nbgrader's own autograding of one student at a time, which finds each result in the store."""
    api = bookkeeper(config)
    submitted = api.coursedir.submitted_directory

    def write(student: str, path: Path) -> list[str]:
        api.coursedir.submitted_directory = submitted
        if path.stem != chapter or path.is_symlink() or not path.is_file():
            api.coursedir.submitted_directory = _stage(course, chapter, student, path)
        with warnings.catch_warnings(category=SAWarning, action="ignore"):  # nbgrader's own, on every first submission
            result = api.autograde(chapter, student, force=True)
        return [] if result["success"] else [f"graded, but nbgrader could not write it: {cause_of(result)}"]

    yield write
    shutil.rmtree(course.private / "staged", ignore_errors=True)


def _stage(course: Course, chapter: str, student: str, path: Path) -> str:
    """Give nbgrader a notebook of the name that it looks for; returns the folder that stands for `submitted`."""
    staged = course.private / "staged"
    folder = staged / student / chapter
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{chapter}.ipynb"
    if path.is_file() and not path.is_symlink():
        shutil.copyfile(path, target)
    else:
        target.write_bytes(b"")
    return str(staged.relative_to(course.root))


@contextmanager
def _executor(workers: int, scheduler: str | None) -> Iterator[Executor]:
    if scheduler is None:
        with ThreadPoolExecutor(workers, thread_name_prefix="grading") as pool:
            yield pool
    else:
        from distributed import Client

        with Client(scheduler) as client:
            yield client.get_executor()


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=console,
    )
