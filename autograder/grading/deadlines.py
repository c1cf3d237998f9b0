"""When a chapter is due: for the class, and for a student who has an extension. The gradebook's own fields, in UTC."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from difflib import get_close_matches
from typing import Any
from zoneinfo import ZoneInfo

from nbgrader.api import Assignment, Gradebook, Student, SubmittedAssignment
from sqlalchemy import select

from autograder.checkout import Course, CourseError
from autograder.grading.collect import as_id
from autograder.grading.gradebook import Patience, has_books, open_books

_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(w|d|h|m|weeks?|days?|hours?|minutes?|min)?", re.ASCII | re.IGNORECASE)
_UNITS = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes"}
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


@dataclass(frozen=True)
class Deadlines:
    """When a chapter is due.

    Args:
        due: For the class, in UTC without a time zone; None where there is no due date.
        extensions: How much longer a student has, by ids.
        graded: How many submissions have been graded already.
    """

    due: datetime | None
    extensions: dict[str, timedelta]
    graded: int

    def closing(self, chapter: str, zone: tzinfo | None, *, changed: bool) -> list[str]:
        """What a command says of it, in lines.

        Args:
            chapter: The chapter's name.
            zone: The time zone in which dates are shown, or None for this machine's.
            changed: Whether the command has just changed it.
        """
        if self.due is None:
            lines = [f"{chapter} has no due date."]
        else:
            lines = [f"{chapter} is due {_told(self.due, zone)}."]
            for student, longer in sorted(self.extensions.items()):
                lines.append(
                    f"{student} has an extension of {spelled(longer)}, until {_told(self.due + longer, zone)}."
                )
        if changed and self.graded:
            count = "1 submission has" if self.graded == 1 else f"{self.graded} submissions have"
            lines.append(f"{count} been graded already: run `autograder grade {chapter}` to apply the change.")
        return lines


def zone_named(name: str) -> tzinfo | None:
    """The time zone of that name; empty for this machine's, which is None.

    Raises:
        CourseError: There is none.
    """
    try:
        return ZoneInfo(name) if name else None
    except (KeyError, ValueError, OSError) as error:
        raise CourseError(
            f"there is no time zone {name}: expected a name such as Europe/Paris or America/New_York"
        ) from error


def moment(text: str, zone: tzinfo | None) -> datetime:
    """The moment that a date and a time name, in UTC without a time zone. A date alone means the end of that day.

    Args:
        text: Such as `2026-12-01 18:00`; with its own offset, such as `2026-12-01 18:00+01:00`, it does not need the
            zone.
        zone: The time zone, or None for this machine's.

    Raises:
        CourseError: It is not a date, or it is a time that this zone skips.
    """
    given = text.strip()
    try:
        local = datetime.fromisoformat(f"{given} 23:59:59" if _DATE.fullmatch(given) else given)
    except ValueError as error:
        raise CourseError(f"{text!r} is not a date: expected one such as 2026-12-01 18:00") from error
    try:
        if local.tzinfo is None:
            aware = local.replace(tzinfo=zone) if zone else local.astimezone()
            if aware.astimezone(UTC).astimezone(aware.tzinfo if zone else None).replace(tzinfo=None) != local:
                raise CourseError(f"there is no {text} in this time zone, because the clocks go forward then")
        else:
            aware = local
        return aware.astimezone(UTC).replace(tzinfo=None)
    except OverflowError as error:
        raise CourseError(f"{text!r} is out of range") from error


def deadlines(course: Course, chapter: str) -> Deadlines:
    """When a chapter is due, and who has longer.

    Raises:
        CourseError: The gradebook cannot be read, or does not know the chapter.
    """
    found: Deadlines = _with_assignment(course, chapter, lambda book, assignment: _read(assignment))
    return found


def due_date(course: Course, chapter: str) -> datetime | None:
    """When a chapter is due for the class, in UTC; None where there is no due date, or the chapter was not released.

    Raises:
        CourseError: The gradebook cannot be read.
    """
    with open_books(course) as book:
        asked = select(Assignment.duedate).where(Assignment.name == chapter)
        found: datetime | None = Patience().run(lambda: book.db.execute(asked).scalar())
    return found


def due_in_words(course: Course, chapter: str, zone: tzinfo | None) -> str:
    """When a chapter is due for the class, as students read it; empty where there is no due date, or no gradebook yet.

    Args:
        course: The course.
        chapter: The chapter's name.
        zone: The time zone in which it is told, or None for this machine's.

    Raises:
        CourseError: The gradebook cannot be read.
    """
    if not has_books(course):
        return ""
    due = due_date(course, chapter)
    return _told(due, zone) if due else ""


def set_due(course: Course, chapter: str, due: datetime | None) -> Deadlines:
    """Say when a chapter is due, or that it has no due date. Extensions stay as long as they were.

    Raises:
        CourseError: The gradebook cannot be written, or does not know the chapter.
    """

    def change(book: Gradebook, assignment: Assignment) -> Deadlines:
        assignment.duedate = due
        book.db.commit()
        return _read(assignment)

    found: Deadlines = _with_assignment(course, chapter, change)
    return found


def extend(course: Course, chapter: str, student: str, until: str, zone: tzinfo | None) -> Deadlines:
    """Give a student longer, replacing any extension that there was; 0 removes it.

    Args:
        course: The course.
        chapter: The chapter's name.
        student: The student's id, or the login from which it was made.
        until: How much longer than the class, such as `3`, `3 days` or `36h`, or a date and a time.
        zone: The time zone of a date, or None for this machine's.

    Raises:
        CourseError: There is no such student, no due date, or no such date, or the gradebook cannot be written.
    """
    student = as_id(student)

    def change(book: Gradebook, assignment: Assignment) -> Deadlines:
        if assignment.duedate is None:
            raise CourseError(f"{chapter} has no due date to extend: set one with `autograder due {chapter} DATE`")
        known = [name for (name,) in book.db.query(Student.id)]
        if student not in known:
            like = get_close_matches(student, known, n=1)
            hint = f"did you mean {like[0]}?" if like else "add students with `autograder roster FILE.csv`"
            raise CourseError(f"the gradebook has no student {student}: {hint}")
        span = _span(until, assignment.duedate, zone)
        asked = {"assignment_id": assignment.id, "student_id": student}
        if span and not book.db.query(SubmittedAssignment).filter_by(**asked).count():
            with book.db.no_autoflush:
                book.add_submission(chapter, student)
        for submission in book.db.query(SubmittedAssignment).filter_by(**asked):
            submission.extension = span or None
        book.db.commit()
        return _read(assignment)

    found: Deadlines = _with_assignment(course, chapter, change)
    return found


def _span(until: str, due: datetime, zone: tzinfo | None) -> timedelta:
    short = _SPAN.fullmatch(until.strip())
    if short:
        try:
            return timedelta(**{_UNITS[(short[2] or "d")[0].lower()]: float(short[1])})
        except OverflowError as error:
            raise CourseError(f"{until} is too long") from error
    if not _DATE.match(until.strip()):
        raise CourseError(
            f"{until!r} is not an extension: expected a number of days, such as 3, a span, such as 36h, or a date, such as 2026-12-04 18:00"
        )
    span = moment(until, zone) - due
    if span < timedelta(0):
        raise CourseError(f"{until} is before the class's own due date, {_told(due, zone)}")
    return span


def _read(assignment: Assignment) -> Deadlines:
    submissions = list(assignment.submissions)
    return Deadlines(
        assignment.duedate,
        {found.student_id: found.extension for found in submissions if found.extension},
        sum(
            any(grade.auto_score is not None for sheet in found.notebooks for grade in sheet.grades)
            for found in submissions
        ),
    )


def _with_assignment(course: Course, chapter: str, action: Callable[[Gradebook, Assignment], Any]) -> Any:
    with open_books(course) as book:

        def act() -> Any:
            try:
                assignment = book.db.query(Assignment).filter_by(name=chapter).one_or_none()
                if assignment is None:
                    raise CourseError(f"the gradebook has no {chapter}: run `autograder release {chapter}` first")
                return action(book, assignment)
            finally:
                book.db.rollback()

        return Patience().run(act)


def _told(when: datetime, zone: tzinfo | None) -> str:
    """A moment as a person reads it: in the zone, and in UTC where that is another time."""
    utc = when.replace(tzinfo=UTC)
    local = utc.astimezone(zone)
    shown = f"{local:%Y-%m-%d %H:%M} {zone or local.tzname()}"
    return shown if local.utcoffset() == timedelta(0) else f"{shown} ({utc:%Y-%m-%d %H:%M} UTC)"


def spelled(span: timedelta) -> str:
    """A span of time in its two largest units, such as `2 days 3 hours`."""
    minutes = max(1, round(span.total_seconds() / 60))
    parts = []
    for unit, size in (("day", 1440), ("hour", 60), ("minute", 1)):
        count, minutes = divmod(minutes, size)
        if count:
            parts.append(f"{count} {unit}{'s' * (count != 1)}")
    return " ".join(parts[:2])
