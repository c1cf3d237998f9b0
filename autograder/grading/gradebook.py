"""The gradebook: waited for while it is locked, written one submission at a time, and read for the table. The tables are nbgrader's own.

nbgrader commits each score by itself, so that a kill leaves half of a student's grades. Here a submission is one transaction.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from nbformat import NotebookNode
from nbgrader.api import (
    Comment,
    Grade,
    Gradebook,
    GradeCell,
    MissingEntry,
    Notebook,
    SolutionCell,
    SourceCell,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    new_uuid,
)
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import compute_checksum, determine_grade
from sqlalchemy import Connection, Engine, insert, select, update
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError
from traitlets.config import Config

from autograder.building.weave import written_id
from autograder.checkout import Course, CourseError, course_config
from autograder.grading.collect import as_given
from autograder.grading.manual_points import Mark, Marks

if TYPE_CHECKING:
    from autograder.grading.result import Result  # It imports torch, which the feedback does without.

PATIENCE = 60.0
"""Seconds for which a gradebook that another process has locked is waited for."""

_BLINK = 0.2


class BooksError(CourseError):
    """The gradebook cannot be read or written; the message says why and what to do."""


@dataclass(frozen=True)
class Patience:
    """Waits for a gradebook that another process has locked.

    Args:
        say: Told once that it is waiting.
        gives_up: Asked now and then whether to stop waiting.
    """

    say: Callable[[str], None] = lambda _: None
    gives_up: Callable[[], Any] = lambda: False

    def run(self, action: Callable[[], Any]) -> Any:
        """Do something with the gradebook, trying again for as long as it is locked.

        Args:
            action: What is done. It leaves nothing behind when it fails.

        Raises:
            BooksError: The gradebook stayed locked, its disk is full, or it cannot be used at all.
            CourseError: The gradebook refused what was to be done.
        """
        until = time.monotonic() + PATIENCE
        told = False
        while True:
            try:
                return action()
            except DBAPIError as error:
                cause = str(error.orig)
                if "full" in cause or "disk I/O" in cause:
                    raise BooksError(
                        f"the gradebook cannot be written ({cause}): free some space on its disk"
                    ) from error
                if isinstance(error, (IntegrityError, DataError)):
                    raise CourseError(f"the gradebook rejected the grade: {cause}") from error
                if "locked" not in cause:
                    raise BooksError(
                        f"the course's gradebook cannot be used ({cause}): restore it from a backup, or move it away "
                        f"and grade again, which restores everything except points given by hand"
                    ) from error
                if time.monotonic() > until or self.gives_up():
                    raise BooksError(
                        "the gradebook is locked by another process: close the program that is writing to it"
                    ) from error
            if not told:
                self.say("The gradebook is locked by another process. Waiting …")
                told = True
            time.sleep(_BLINK)


@contextmanager
def open_books(course: Course, patience: Patience | None = None, config: Config | None = None) -> Iterator[Gradebook]:
    """The course's gradebook, once it is available.

    Args:
        course: The course.
        patience: How it is waited for.
        config: The course's configuration, where it has been loaded.

    Raises:
        BooksError: It cannot be opened.
    """
    config = config or course_config(course.root)
    url = make_url(course.database(config))
    if url.get_backend_name() == "sqlite":
        # SQLite waits where no signal is heard; `Patience` waits where one is.
        url = url.update_query_dict({"timeout": str(_BLINK)})
    course_id = str(config.CourseDirectory.get("course_id", ""))
    opened: Gradebook = (patience or Patience()).run(
        lambda: Gradebook(url.render_as_string(hide_password=False), course_id)
    )
    with opened as book:
        yield book


@dataclass(frozen=True)
class Entry:
    """What the gradebook has of one student's notebook.

    Args:
        points: All points so far, of the checks and those given by a person.
        waits: Whether there is a written answer that nobody has read.
        by_hand: The points that a person gave the written answer, or None.
        auto: What grading itself gave, by the names of the cells.
        extension: How much longer the student had.
        manual: The names of the cells to which a person gave points.
    """

    points: float
    waits: bool
    by_hand: float | None
    auto: Mapping[str, float | None]
    extension: timedelta | None
    manual: Collection[str] = ()


def full_name(student: Any) -> str:
    """The first and last name of one of the gradebook's students, as far as it has them."""
    return " ".join(filter(None, (student.first_name, student.last_name)))


def called(student: Any) -> str:
    """What people are shown of one of the gradebook's students: the name, if it has one, and the login."""
    name, login = full_name(student), as_given(student.id)
    return f"{name} ({login})" if name else login


def chapter_rows(book: Gradebook, chapter: str, *columns: Any, student: str | None = None) -> Sequence[Any]:
    """Columns of each of a chapter's submitted notebooks, the student's id first.

    Args:
        book: The open gradebook.
        chapter: The chapter's name.
        columns: What is asked; columns of grades come with those of graded cells, comments with those of solution cells.
        student: One student's id, or None for all.
    """
    asked = (
        select(Student.id, *columns)
        .select_from(SubmittedNotebook)
        .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(Student, Student.id == SubmittedAssignment.student_id)
        .where(Notebook.name == chapter)
    )
    for table, cells in ((Grade, GradeCell), (Comment, SolutionCell)):
        if any(column.class_ is table for column in columns):
            asked = asked.join(table, table.notebook_id == SubmittedNotebook.id).join(cells, cells.id == table.cell_id)
    if student is not None:
        asked = asked.where(Student.id == student)
    with book.engine.connect() as connection:
        return connection.execute(asked).all()


def entries(book: Gradebook, chapter: str) -> dict[str, Entry]:
    """What the gradebook has of each student who handed the chapter in, by their ids."""
    columns = (SubmittedAssignment.extension, GradeCell.name, Grade.auto_score, Grade.manual_score, Grade.score)
    found: dict[str, dict[str, Any]] = {}
    for student, extension, cell, auto, manual, score in chapter_rows(book, chapter, *columns):
        blank = {"points": 0.0, "waits": False, "by_hand": None, "auto": {}, "extension": extension, "manual": []}
        entry = found.setdefault(student, blank)
        entry["points"] += float(score)
        entry["auto"][cell] = auto
        if manual is not None:
            entry["manual"].append(cell)
        if cell in (written_id(chapter), chapter):  # The only part of a viva has the viva's own name.
            # nbgrader itself gives 0 for an answer that is as it was given, and leaves every other to a person.
            entry["waits"] = auto is None and manual is None
            entry["by_hand"] = None if manual is None else float(score)
    return {student: Entry(**entry) for student, entry in found.items()}


@dataclass(frozen=True)
class _Sheet:
    """A notebook of an assignment as the gradebook knows it, with the ids of its cells by their names."""

    id: str
    name: str
    graded: Mapping[str, str]
    commented: Mapping[str, str]


Earned = tuple[str, datetime | None, Mapping[str, "Score"], Mapping[str, str | None]]
"""A submission that can be written: student, time (UTC), what its graded cells earned, and what is said of its answers."""


class Writer:
    """Writes what a chapter's submissions earned, each in one transaction."""

    def __init__(
        self, book: Gradebook, chapter: str, config: Config, patience: Patience, marks: Marks | None = None
    ) -> None:
        """Read what the gradebook knows of the chapter.

        Args:
            book: The open gradebook.
            chapter: The chapter, which has been released.
            config: The course's configuration.
            patience: How the gradebook is waited for.
            marks: How much counts of the points that were given by hand, where submissions are written.
        """
        self._engine: Engine = book.engine
        self._marks = marks
        self._patience, self._chapter = patience, chapter
        self._known = (
            None if config.Autograde.get("create_student", True) else {name for (name,) in book.db.query(Student.id)}
        )
        self._late = AssignLatePenalties(config=config)
        self._late.init_plugin()
        assignment = book.find_assignment(chapter)
        self._assignment, self.due = assignment.id, assignment.duedate
        self._sheets = [_sheet(notebook) for notebook in assignment.notebooks]
        self._main = next((sheet.id for sheet in self._sheets if sheet.name == chapter), "")
        self.kernelspec: dict[str, Any] = json.loads(book.find_notebook(chapter, chapter).kernelspec or "{}")
        self.known = Known(book, chapter)

    def may_enter(self, student: str) -> bool:
        """Whether the gradebook has this student, or may add them: with a roster, it has all that there are."""
        return self._known is None or student in self._known

    def write(
        self,
        student: str,
        timestamp: datetime | None,
        earned: Mapping[str, Score],
        said: Mapping[str, str | None],
        place: Callable[[], Any],
        same: Collection[str] = (),
    ) -> None:
        """Write one submission's grades and comments, all or none.

        Args:
            student: The id of a student who `may_enter`.
            timestamp: When it was handed in (UTC), if that is known.
            earned: What its graded cells earned, from `scores`.
            said: What is said of its answers, from `remarks`.
            place: Puts the autograded notebook where it belongs; called just before the transaction is committed.
            same: The cells whose answers are what they were: if a person has marked one, it need not be read again.

        Raises:
            BooksError: The gradebook cannot be written.
            CourseError: It refused what was written.
            OSError: The notebook could not be put where it belongs.
        """
        self._patience.run(lambda: self._write(student, timestamp, earned, said, place, same))

    def _write(
        self,
        student: str,
        timestamp: datetime | None,
        earned: Mapping[str, Score],
        said: Mapping[str, str | None],
        place: Callable[[], Any],
        same: Collection[str],
    ) -> None:
        with self._engine.begin() as connection:
            marks = self._write_rows(connection, student, timestamp, earned, said, same)
            if self._marks:
                self._marks.remember(student, marks)
            place()
        if self._marks:
            self._marks.forget(student, marks)

    def rehearse(self, submissions: Iterable[Earned]) -> tuple[dict[str, tuple[float, float]], dict[str, list[Mark]]]:
        """What students would have if these submissions were written. Nothing is written.

        Args:
            submissions: The submissions, as `write` is given them.

        Returns:
            By the students' ids, points and penalty for late work, and the points given by hand that would count otherwise.

        Raises:
            BooksError: The gradebook cannot be used.
        """

        def act() -> tuple[dict[str, tuple[float, float]], dict[str, list[Mark]]]:
            columns = SubmittedAssignment.student_id, SubmittedNotebook.score, SubmittedNotebook.late_submission_penalty
            asked = (
                select(*columns)
                .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
                .where(SubmittedNotebook.notebook_id == self._main)
            )
            with self._engine.connect() as connection:
                try:
                    marks = {each[0]: self._write_rows(connection, *each) for each in submissions}
                    self._penalise_all(connection)
                    return {name: (points, late or 0.0) for name, points, late in connection.execute(asked)}, marks
                finally:
                    connection.rollback()

        found: tuple[dict[str, tuple[float, float]], dict[str, list[Mark]]] = self._patience.run(act)
        return found

    def _write_rows(
        self,
        connection: Connection,
        student: str,
        timestamp: datetime | None,
        earned: Mapping[str, Score],
        said: Mapping[str, str | None],
        same: Collection[str] = (),
    ) -> list[Mark]:
        """Write a submission's rows; returns what counts otherwise of the points that were given by hand."""
        self._ensure_student(connection, student)
        marks: list[Mark] = []
        submission, extension = self._submission(connection, student, timestamp)
        for sheet in self._sheets:
            paper = _found_or_added(connection, SubmittedNotebook, assignment_id=submission, notebook_id=sheet.id)
            if sheet.id == self._main:
                _enter(connection, paper, sheet, earned, said, same)
                marks = self._count(connection, student, paper, sheet)
                self._penalise(connection, student, paper, timestamp, extension)
            else:
                _enter(connection, paper, sheet, dict.fromkeys(sheet.graded, Score(0.0)), {})
        return marks

    def _count(self, connection: Connection, student: str, paper: str, sheet: _Sheet) -> list[Mark]:
        """Let the points that were given by hand count as far as the exercises are worth so many; returns what changes."""
        if not self._marks:
            return []
        rows = _rows(connection, Grade, paper, sheet.graded, "manual_score")
        given = {name: row.manual_score for name, row in rows.items() if row.manual_score is not None}
        marks = self._marks.changed(student, given)
        table = Grade.__table__
        for mark in marks:
            found = table.c.id == rows[mark.exercise].id
            connection.execute(update(table).where(found).values(manual_score=mark.counts, needs_manual_grade=True))
        return marks

    def _ensure_student(self, connection: Connection, student: str) -> None:
        known = connection.execute(select(Student.__table__.c.id).where(Student.__table__.c.id == student)).first()
        if known is None:
            connection.execute(insert(Student.__table__).values(id=student))

    def _submission(self, connection: Connection, student: str, timestamp: datetime | None) -> tuple[str, Any]:
        table = SubmittedAssignment.__table__
        found = _found_or_added(connection, SubmittedAssignment, assignment_id=self._assignment, student_id=student)
        connection.execute(update(table).where(table.c.id == found).values(timestamp=timestamp))
        extension = connection.execute(select(table.c.extension).where(table.c.id == found)).scalar_one()
        return found, extension

    def penalise_again(self) -> None:
        """Bring the penalties for late work up to date: points that a person gave since change them.

        Raises:
            BooksError: The gradebook cannot be written.
        """

        def act() -> None:
            with self._engine.begin() as connection:
                self._penalise_all(connection)

        self._patience.run(act)

    def _penalise_all(self, connection: Connection) -> None:
        columns = (SubmittedAssignment.student_id, SubmittedNotebook.id)
        asked = (
            select(*columns, SubmittedAssignment.timestamp, SubmittedAssignment.extension)
            .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            .where(SubmittedNotebook.notebook_id == self._main)
        )
        for student, paper, timestamp, extension in connection.execute(asked).all():
            self._penalise(connection, student, paper, timestamp, extension)

    def _penalise(
        self, connection: Connection, student: str, paper: str, timestamp: datetime | None, extension: Any
    ) -> None:
        """What nbgrader's own preprocessor does with the class's plugin for late work."""
        due = self.due + extension if self.due and extension else self.due
        late = max(0.0, (timestamp - due).total_seconds()) if timestamp and due else 0.0
        penalty = None
        if late:
            score = connection.execute(select(SubmittedNotebook.score).where(SubmittedNotebook.id == paper)).scalar()
            penalty = self._late.plugin_inst.late_submission_penalty(student, score, late)
            if penalty is not None:
                penalty = self._late._check_late_penalty(SimpleNamespace(score=score), penalty)
        table = SubmittedNotebook.__table__
        differs = table.c.late_submission_penalty.is_distinct_from(penalty)
        connection.execute(update(table).where(table.c.id == paper, differs).values(late_submission_penalty=penalty))


class Known:
    """The cells of a chapter as the gradebook knows them; it stands for the gradebook in nbgrader's `OverwriteCells`."""

    def __init__(self, book: Gradebook, chapter: str) -> None:
        notebook = book.find_notebook(chapter, chapter)
        self._sources = {cell.name: _copied(cell, SourceCell) for cell in notebook.source_cells}
        self._graded = {
            cell.name: SimpleNamespace(max_score=cell.max_score)
            for cell in [*notebook.grade_cells, *notebook.task_cells]
        }

    def find_source_cell(self, name: str, *_: str) -> Any:
        """The cell as it was released."""
        if name not in self._sources:
            raise MissingEntry(name)
        return self._sources[name]

    def find_graded_cell(self, name: str, *_: str) -> Any:
        """The cell with what it is worth."""
        return self._graded[name]


def _copied(row: Any, kind: Any) -> SimpleNamespace:
    """A row's columns, free of the session that read them."""
    return SimpleNamespace(**{column.name: getattr(row, column.name) for column in kind.__table__.columns})


def _sheet(notebook: Notebook) -> _Sheet:
    graded = [*notebook.grade_cells, *notebook.task_cells]
    commented = [*notebook.solution_cells, *notebook.task_cells]
    return _Sheet(
        notebook.id,
        notebook.name,
        {cell.name: cell.id for cell in graded},
        {cell.name: cell.id for cell in commented},
    )


@dataclass(frozen=True)
class Score:
    """What a graded cell earned by itself.

    Args:
        points: The points, or None where only a person can tell.
        doubtful: Whether a person should look at it although there are points.
    """

    points: float | None
    doubtful: bool = False


def scores(notebook: NotebookNode, result: Result) -> dict[str, Score]:
    """What each graded cell of an autograded notebook earned, by its name: judged for a check, for a text what nbgrader says."""
    found = {}
    for cell in notebook.cells:
        mark = cell.metadata.get("nbgrader", {})
        if mark.get("grade") and mark.get("solution"):
            found[mark["grade_id"]] = Score(determine_grade(cell)[0])
        elif mark.get("grade"):
            name = mark["grade_id"]
            found[name] = Score(float(result.earned(name)), result.is_faulty(name))
    return found


def remarks(notebook: NotebookNode) -> dict[str, str | None]:
    """Nbgrader's own comment on each cell in which something was to be written, by its name."""
    marks = [(cell, cell.metadata.get("nbgrader", {})) for cell in notebook.cells]
    return {
        mark["grade_id"]: "No response." if mark.get("checksum") == compute_checksum(cell) else None
        for cell, mark in marks
        if mark.get("solution")
    }


def enter(book: Gradebook, chapter: str, student: str, notebook: NotebookNode, result: Result) -> None:
    """Enter what one submission earned, at once, where nbgrader has already made its rows.

    Args:
        book: The open gradebook.
        chapter: The chapter.
        student: The student's id.
        notebook: The autograded notebook.
        result: What it earned.
    """
    paper = book.find_submission_notebook(chapter, chapter, student).id
    sheet = _sheet(book.find_notebook(chapter, chapter))
    book.db.commit()
    with book.engine.begin() as connection:
        _enter(connection, paper, sheet, scores(notebook, result), remarks(notebook))


def _enter(
    connection: Connection,
    paper: str,
    sheet: _Sheet,
    earned: Mapping[str, Score],
    said: Mapping[str, str | None],
    same: Collection[str] = (),
) -> None:
    """Enter scores and comments, as nbgrader's `SaveAutoGrades` does; what a person gave stays."""
    grades = _rows(connection, Grade, paper, sheet.graded, "manual_score", "needs_manual_grade")
    for name, score in earned.items():
        row = grades[name]
        if row.manual_score is None:
            waits = score.points is None or score.doubtful
        else:
            waits = row.needs_manual_grade or name not in same
        values = {"auto_score": score.points, "needs_manual_grade": waits}
        connection.execute(update(Grade.__table__).where(Grade.__table__.c.id == row.id).values(values))
    comments = _rows(connection, Comment, paper, sheet.commented, "auto_comment")
    for name, text in said.items():
        if comments[name].auto_comment != text:
            table = Comment.__table__
            connection.execute(update(table).where(table.c.id == comments[name].id).values(auto_comment=text))


def _rows(connection: Connection, kind: Any, paper: str, cells: Mapping[str, str], *columns: str) -> dict[str, Any]:
    """The rows of a submitted notebook by the names of their cells; a cell that had none gets one."""
    table = kind.__table__
    query = select(table.c.id, table.c.cell_id, *(table.c[column] for column in columns)).where(
        table.c.notebook_id == paper
    )
    found = {row.cell_id: row for row in connection.execute(query)}
    missing = [cell for cell in cells.values() if cell not in found]
    if missing:
        connection.execute(insert(table), [{"notebook_id": paper, "cell_id": cell} for cell in missing])
        found = {row.cell_id: row for row in connection.execute(query)}
    return {name: found[cell] for name, cell in cells.items()}


def _found_or_added(connection: Connection, kind: Any, **columns: str) -> str:
    """The id of the row with these values, which is added if there is none."""
    table = kind.__table__
    alike = [table.c[name] == value for name, value in columns.items()]
    found = connection.execute(select(table.c.id).where(*alike)).scalar()
    if found is None:
        found = new_uuid()
        connection.execute(insert(table).values(id=found, **columns))
    return str(found)
