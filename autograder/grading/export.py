"""Grades for a gradebook elsewhere: a row for each student and assignment, or the columns that Canvas, Moodle and Blackboard read.

A grade that is not there is an empty field and never 0: a student who has not handed in, an assignment that has not been graded,
and, in a file for a learning platform, a grade that is still waiting for a person to read the written answer.
"""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from nbgrader.api import Assignment, Grade, Gradebook, GradeCell, Student, SubmittedAssignment

from autograder.checkout import Course, CourseError, write_whole
from autograder.declare import chapters, load_exercises
from autograder.grading.collect import as_given, has_notebook
from autograder.grading.gradebook import Entry, Patience, chapter_rows, entries, open_books
from autograder.settings import is_viva


class Standing(StrEnum):
    """The state of a student's assignment; the first of these that is true."""

    MISSING = "missing"
    NOT_GRADED = "not graded"
    UNREADABLE = "unreadable"
    WAITING = "waiting"
    LATE = "late"
    GRADED = "graded"


@dataclass(frozen=True)
class Line:
    """What the gradebook has of one student and one assignment.

    Args:
        student: The student as the gradebook knows them.
        assignment: The assignment's name, which is the chapter's.
        worth: The points of the assignment.
        due: When it was due for this student, with their extension (UTC).
        handed_in: When it was handed in (UTC), if that is known.
        standing: Its state.
        parts: The points of each part that has been graded, by the names of the cells.
        points: All points, before a penalty for late work; None where there is no grade.
        penalty: The points that late work cost; None where there is no grade.
    """

    student: Student
    assignment: str
    worth: float
    due: datetime | None
    handed_in: datetime | None
    standing: Standing
    parts: Mapping[str, float]
    points: float | None
    penalty: float | None

    @property
    def is_late(self) -> bool:
        """Whether it was handed in after it was due."""
        return self.late_by > timedelta(0)

    @property
    def late_by(self) -> timedelta:
        """How long after it was due it was handed in; 0 if it was in time."""
        return max(timedelta(0), self.handed_in - self.due) if self.handed_in and self.due else timedelta(0)

    @property
    def score(self) -> float | None:
        """What counts: the points without what was lost by being late."""
        return None if self.points is None else max(0.0, self.points - (self.penalty or 0.0))


def read_lines(course: Course, chapter: str | None = None) -> list[Line]:
    """The lines of an assignment, or of all that the gradebook knows, by assignment and then by student.

    Args:
        course: The course.
        chapter: The chapter, or None for all.

    Raises:
        CourseError: The gradebook cannot be read, or does not know the assignment.
    """
    with open_books(course) as book:
        found: list[Line] = Patience().run(lambda: list(lines_of(course, book, chapter)))
    return found


def lines_of(course: Course, book: Gradebook, chapter: str | None) -> Iterator[Line]:
    """What `read_lines` reads, of a gradebook that is open."""
    assignments = [found for found in book.assignments if chapter in (None, found.name)]
    if chapter is not None and not assignments:
        raise CourseError(f"the gradebook has no {chapter}: run `autograder release {chapter}` first")
    for assignment in sorted(assignments, key=lambda found: found.name):
        yield from _of_assignment(course, book, assignment)


def _of_assignment(course: Course, book: Gradebook, assignment: Assignment) -> Iterator[Line]:
    name = assignment.name
    kept, parts = entries(book, name), _parts(book, name)
    columns = (SubmittedAssignment.timestamp, SubmittedAssignment.score, SubmittedAssignment.late_submission_penalty)
    rows = book.db.query(SubmittedAssignment.student_id, *columns).filter_by(assignment_id=assignment.id)
    submitted = {student: rest for student, *rest in rows}
    for student in sorted(book.students, key=lambda found: found.id):
        timestamp, points, penalty = submitted.get(student.id, (None, None, None))
        entry = kept.get(student.id)
        if entry is None and is_viva(name):
            continue
        due = assignment.duedate
        if due and entry and entry.extension:
            due += entry.extension
        standing = _standing(course, student.id, name, entry, bool(timestamp and due and timestamp > due))
        graded = standing not in (Standing.MISSING, Standing.NOT_GRADED, Standing.UNREADABLE)
        yield Line(
            student,
            name,
            assignment.max_score,
            due,
            timestamp,
            standing,
            parts.get(student.id, {}) if graded else {},
            points if graded else None,
            penalty if graded else None,
        )


def _standing(course: Course, student: str, chapter: str, entry: Entry | None, late: bool) -> Standing:
    # An extension makes nbgrader's rows before anything is handed in.
    folder = course.root / "submitted" / student / chapter
    if entry is None or (entry.by_hand is None and all(points is None for points in entry.auto.values())):
        return Standing.NOT_GRADED if folder.is_dir() else Standing.MISSING
    if not (entry.points or entry.manual) and folder.is_dir() and not has_notebook(course, student, chapter):
        return Standing.UNREADABLE
    if entry.waits:
        return Standing.WAITING
    return Standing.LATE if late else Standing.GRADED


def _parts(book: Gradebook, chapter: str) -> dict[str, dict[str, float]]:
    """The points of each graded part by student and cell; a part that waits for a person is left out."""
    columns = (GradeCell.name, Grade.auto_score, Grade.manual_score, Grade.score)
    found: dict[str, dict[str, float]] = {}
    for student, cell, auto, manual, score in chapter_rows(book, chapter, *columns):
        if auto is not None or manual is not None:
            found.setdefault(student, {})[cell] = float(score)
    return found


Table = list[list[Any]]


def _plain(lines: Sequence[Line]) -> Table:
    """A row for each line, with a column for each part of the assignments."""
    parts = _columns(lines)
    head = ["assignment", "student_id", "last_name", "first_name", "email", "status", "due", "handed_in"]
    head += ["points", "late_penalty", "score", "max_score", *parts]
    return [head, *(_row(line, parts) for line in lines)]


def _row(line: Line, parts: Sequence[str]) -> list[Any]:
    who = line.student
    return [
        *(line.assignment, as_given(who.id), who.last_name, who.first_name, who.email, line.standing.value),
        *(line.due, line.handed_in, line.points, line.penalty, line.score, line.worth),
        *(line.parts.get(part) for part in parts),
    ]


def _columns(lines: Sequence[Line]) -> list[str]:
    """The parts of the assignments, in the order of the chapters; parts that are no exercise come last."""
    present = {part for line in lines for part in line.parts}
    known = [exercise.name for chapter in chapters() for exercise in load_exercises(chapter)]
    return [*filter(present.__contains__, known), *sorted(present.difference(known))]


def _canvas(lines: Sequence[Line]) -> Table:
    """What Canvas's gradebook exports and imports: a column for each assignment, and a row with what it is worth."""
    worth = _worth(lines)
    table: Table = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *worth]]
    table.append(["    Points Possible", "", "", "", "", *worth.values()])
    for who, scores in _by_student(lines):
        name = ", ".join(filter(None, (who.last_name, who.first_name))) or who.id
        table.append([name, who.lms_user_id, "", as_given(who.id), "", *map(scores.get, worth)])
    return table


def _moodle(lines: Sequence[Line]) -> Table:
    """What Moodle's grade import maps: users by their name, ID number or address, and a column for each assignment."""
    worth = _worth(lines)
    table: Table = [["Username", "ID number", "First name", "Last name", "Email address", *worth]]
    for who, scores in _by_student(lines):
        names = (as_given(who.id), who.lms_user_id, who.first_name, who.last_name, who.email)
        table.append([*names, *map(scores.get, worth)])
    return table


def _blackboard(lines: Sequence[Line]) -> Table:
    """What Blackboard's grade centre uploads: users by their name, and columns that say what they are worth."""
    worth = _worth(lines)
    columns = [f"{name} [Total Pts: {_number(points)} Score]" for name, points in worth.items()]
    table: Table = [["Last Name", "First Name", "Username", "Student ID", *columns]]
    for who, scores in _by_student(lines):
        table.append([who.last_name, who.first_name, as_given(who.id), who.lms_user_id, *map(scores.get, worth)])
    return table


FORMATS: dict[str, Callable[[Sequence[Line]], Table]] = {
    "csv": _plain,
    "canvas": _canvas,
    "moodle": _moodle,
    "blackboard": _blackboard,
}
"""How the lines become a table, by the name of the format."""


def _worth(lines: Sequence[Line]) -> dict[str, float]:
    return {line.assignment: line.worth for line in lines}


def _by_student(lines: Sequence[Line]) -> Iterator[tuple[Student, dict[str, float | None]]]:
    """Each student with the scores that are final, by assignment."""
    scores: dict[str, dict[str, float | None]] = defaultdict(dict)
    for line in lines:
        if line.standing in (Standing.LATE, Standing.GRADED):
            scores[line.student.id][line.assignment] = line.score
    students = {line.student.id: line.student for line in lines}
    for name, student in sorted(students.items()):
        yield student, scores[name]


def write_grades(lines: Sequence[Line], form: str, to: Path, *, provisional: bool = False) -> list[str]:
    """Write a table of grades, whole or not at all.

    Args:
        lines: What the gradebook has.
        form: One of `FORMATS`.
        to: The file.
        provisional: Whether a platform's file has the points so far where an answer is unread; its column then says so.

    Returns:
        What to know about the file, in sentences.

    Raises:
        CourseError: The file cannot be written.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL if form == "blackboard" else csv.QUOTE_MINIMAL)
    shown = _so_far(lines) if provisional and form != "csv" else lines
    writer.writerows([map(_field, row) for row in FORMATS[form](shown)])
    try:
        write_whole(to, text.getvalue().encode())
    except OSError as error:
        raise CourseError(f"{to} cannot be written: {error.strerror or error}") from error
    return [*_left_empty(lines, form, provisional=provisional)]


def _so_far(lines: Sequence[Line]) -> list[Line]:
    """The lines with the points so far as if they were final, under a name that tells how many are not."""
    unread = Counter(line.assignment for line in lines if line.standing is Standing.WAITING)
    return [
        replace(
            line,
            assignment=f"{line.assignment} (provisional, {number} unread)"
            if (number := unread[line.assignment])
            else line.assignment,
            standing=Standing.GRADED if line.standing is Standing.WAITING else line.standing,
        )
        for line in lines
    ]


def _field(value: Any) -> str:
    if value is None:
        return ""
    return _number(value) if isinstance(value, (int, float)) else str(value)


def _number(points: float) -> str:
    return f"{points:.10g}"


def _left_empty(lines: Sequence[Line], form: str, *, provisional: bool) -> Iterator[str]:
    """Which grades are not in the file, or not yet whole, and why."""
    count = Counter(line.standing for line in lines)
    if number := count[Standing.MISSING]:
        yield f"{_grades(number)} empty: nothing was handed in."
    if number := count[Standing.NOT_GRADED]:
        yield f"{_grades(number)} empty: handed in, but not graded yet. Run `autograder grade`."
    if number := count[Standing.UNREADABLE]:
        yield f"{_grades(number)} empty: handed in, but without a notebook that can be read. Ask for it again."
    if number := count[Standing.WAITING]:
        state = "without the written answer" if form == "csv" or provisional else "empty"
        yield f"{_grades(number)} {state}: nobody has read the written answer yet."


def _grades(number: int) -> str:
    return "1 grade is" if number == 1 else f"{number} grades are"
