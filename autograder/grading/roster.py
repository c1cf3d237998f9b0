"""Reads who is in a class from a CSV file, and enters it into the gradebook: all of it, or nothing where a row is wrong.

The columns are those that Canvas, Moodle and Blackboard export, nbgrader's own, and those of our `grades.csv`.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, Student
from traitlets.config import Config

from autograder.checkout import Course, CourseError
from autograder.grading.collect import as_given, as_id
from autograder.grading.csv_files import IDS, INVISIBLE, hold_valid, plainly, rows_of
from autograder.grading.gradebook import Patience, full_name, open_books
from autograder.grading.sanitize import printable

_COLUMNS = {
    "lms_user_id": ("lms user id", "lms id", "id number", "id", "student id"),
    "first_name": ("first name", "firstname", "given name"),
    "last_name": ("last name", "lastname", "surname", "family name"),
    "email": ("email", "email address", "e mail"),
}
_WHOLE_NAME = ("student", "student name", "name", "full name")
_POSTING = re.compile(r"(Muted|Manual Posting.*)?")
_JOINERS = "\u200c\u200d"
"""Joiners are not seen either, but several scripts spell names with them."""
_LONGEST = 128  # What nbgrader's columns hold.
_MAX_NAMED = 20
_MAX_MISSING = 10


@dataclass(frozen=True)
class Entered:
    """What a roster changed in the gradebook.

    Args:
        new: The ids of the students who were added.
        changed: What is different now, in a sentence for each student.
        same: How many were already as the file has them.
        missing: The ids of the students whom the gradebook has and the file has not.
        notes: What else to know, in sentences.
    """

    new: list[str]
    changed: list[str]
    same: int
    missing: list[str]
    notes: list[str]

    def closing(self) -> list[str]:
        """What the command says, in lines."""
        lines = [f"new: {_listed(self.new)}"] if self.new else []
        lines += [f"changed: {change}" for change in self.changed]
        if self.missing:
            lines.append(f"in the gradebook but not in the file: {_listed(self.missing)}. Nobody is deleted.")
        lines += self.notes
        total = f"{len(self.new)} new, {len(self.changed)} changed, {self.same} unchanged"
        return [*lines, f"{total}, {len(self.missing)} not in the file."]


def enter_roster(course: Course, file: Path) -> Entered:
    """Add the students of a file to the gradebook, or update them. An empty field changes nothing, and nobody is deleted.

    Args:
        course: The course.
        file: The roster.

    Raises:
        CourseError: The file cannot be read, or rows of it are wrong; then nothing has been changed.
    """
    students, notes = read_roster(file)
    with open_books(course) as book:

        def enter() -> Entered:
            try:
                known = {student.id: student for student in book.db.query(Student)}
                new, changed = [], []
                for name, fields in students.items():
                    if name not in known:
                        book.db.add(Student(id=name, **fields))
                        new.append(name)
                        continue
                    other = {key: value for key, value in fields.items() if value != getattr(known[name], key)}
                    if other:
                        was = {key: getattr(known[name], key) for key in other}
                        told = (f"{_name(key)} {_quoted(was[key])} is now {_quoted(other[key])}" for key in other)
                        changed.append(f"{name}: {', '.join(told)}")
                    for key, value in other.items():
                        setattr(known[name], key, value)
                book.db.commit()
            finally:
                book.db.rollback()
            missing = sorted(known.keys() - students.keys())
            return Entered(new, changed, len(students) - len(new) - len(changed), missing, notes)

        entered: Entered = Patience().run(enter)
    course.private.mkdir(exist_ok=True, mode=0o700)
    course.roster_entered.touch()
    return entered


@dataclass(frozen=True)
class Member:
    """A student of the class.

    Args:
        first_name: The first name, or empty.
        last_name: The last name, or empty.
        lms_user_id: The number by which the learning platform knows the student, or empty.
        email: The address, or empty.
    """

    first_name: str
    last_name: str
    lms_user_id: str
    email: str = ""

    @property
    def full_name(self) -> str:
        """Both names."""
        return full_name(self)


def members(course: Course, config: Config) -> dict[str, Member]:
    """The students in the gradebook by their ids.

    Args:
        course: The course.
        config: The course's configuration.
    """
    with open_books(course, config=config) as book:
        found: dict[str, Member] = Patience().run(lambda: members_in(book))
    return found


def is_complete(config: Config) -> bool:
    """Whether a roster says that the students in the gradebook are all that there are.

    Args:
        config: The course's configuration.
    """
    return not config.Autograde.get("create_student", True)


def members_in(book: Gradebook) -> dict[str, Member]:
    """The students in an open gradebook by their ids."""
    try:
        found = book.db.query(Student).order_by(Student.id)
        return {s.id: Member(s.first_name or "", s.last_name or "", s.lms_user_id or "", s.email or "") for s in found}
    finally:
        book.db.rollback()


def ids_of(student: str, member: Any) -> tuple[str, ...]:
    """What a student may give as their id: that of the course as it is or as it was entered, their number on the learning platform, or their address.

    Args:
        student: The student's id.
        member: The student in the gradebook or on the roster; None where neither has them.
    """
    others = (member.lms_user_id, member.email) if member else ()
    return (student, as_given(student), *filter(None, others))


def attendance(roster: Mapping[str, Member], chapter: str, handed_in: Collection[str]) -> list[str]:
    """How many of the class have handed a chapter in, and who has not, in lines.

    Args:
        roster: The students of the class by their ids.
        chapter: The chapter's name.
        handed_in: The names of the folders of all who handed it in.
    """
    strangers = [not_on_roster(name, roster, handed_in) for name in sorted(handed_in) if name not in roster]
    missing = [
        f"{name} ({one.full_name})" if one.full_name else name for name, one in roster.items() if name not in handed_in
    ]
    there = len(roster) - len(missing)
    have = "has" if there == 1 else "have"
    count = f"{there} of the {len(roster)} students on the roster {have} submitted {chapter}"
    absent = [f"Not submitted: {_listed(missing, _MAX_MISSING)}."] if missing else []
    more = [f"{len(strangers) - _MAX_MISSING} more are not on the roster."] if len(strangers) > _MAX_MISSING else []
    return [*strangers[:_MAX_MISSING], *more, f"{count}.", *absent]


def not_on_roster(student: str, roster: Collection[str], handed_in: Collection[str]) -> str:
    """What to say of a folder in `submitted/` that belongs to nobody in the class, with the nearest id.

    Args:
        student: The folder's name.
        roster: The ids of the class.
        handed_in: The names of all folders: a student without one is more likely to be meant.
    """
    told = f"submitted/{student} is not on the roster"
    missing = sorted(set(roster).difference(handed_in))
    near = next(
        (found for ids in (missing, sorted(roster)) for found in difflib.get_close_matches(student, ids, 1, 0.75)), ""
    )
    return f"{told}; did you mean {near}?" if near else f"{told}."


def read_roster(file: Path) -> tuple[dict[str, dict[str, str]], list[str]]:
    """The students of a file by their ids, with the fields that are not empty, and what else to know, in sentences.

    Raises:
        CourseError: The file cannot be read, has no column of ids, or has rows that are wrong, which the message names.
    """
    rows = rows_of(file)
    header = next(rows, (0, []))[1]
    columns = _columns(header, file)
    students: dict[str, dict[str, str]] = {}
    first: dict[str, int] = {}
    notes, wrong = [], []
    removed: Counter[str] = Counter()
    for line, row in rows:
        cells = [INVISIBLE.sub("", cell).strip() for cell in row]
        found = {letter for cell in row for letter in INVISIBLE.findall(cell)}
        for letter in found:
            removed[letter] += 1
        if not any(cells) or _is_of_canvas(cells):
            continue
        try:
            name, fields = _student(cells, columns, len(header))
            if students.setdefault(name, fields) != fields:
                raise ValueError(f"{name} is also in line {first[name]}, with different fields")
        except ValueError as error:
            wrong.append(f"line {line}: {error}")
            continue
        given = cells[columns["id"]]
        if name not in first and name != given:
            notes.append(f"{_quoted(given)} gets the ID {name} in this course, which also names the student's folder")
        first.setdefault(name, line)
    hold_valid(file, wrong)
    if not students:
        raise CourseError(f"{file} has no students")
    for letter, number in sorted(removed.items()):
        told = "1 row" if number == 1 else f"{number} rows"
        notes.append(f"an invisible {unicodedata.name(letter).lower()} (U+{ord(letter):04X}) was removed from {told}")
    return students, notes


def _columns(header: Sequence[str], file: Path) -> dict[str, int]:
    """Where the file has what a student's entry is made of."""
    at: dict[str, int] = {}
    for number, title in enumerate(header):
        plain = plainly(title)
        if at.setdefault(plain, number) != number and plain in (*IDS, *_WHOLE_NAME, *sum(_COLUMNS.values(), ())):
            raise CourseError(f"{file} has two columns named {title.strip()}")
    name = next((title for title in IDS if title in at), None)
    if name is None:
        there = ", ".join(filter(None, map(str.strip, header))) or "none"
        raise CourseError(
            f"{file} has no column of student IDs, which is named id, student_id, Username, or SIS Login ID; "
            f"its columns are {printable(there)}"
        )
    columns = {"id": at.pop(name)}
    for field, titles in {**_COLUMNS, "whole name": _WHOLE_NAME}.items():
        found = [at[title] for title in titles if title in at]
        if found:
            columns[field] = found[0]
    return columns


def _is_of_canvas(cells: Sequence[str]) -> bool:
    """Whether this is a row of Canvas's own: what assignments are worth, how they are posted, or its Test Student."""
    return cells[0] in ("Points Possible", "Student, Test") or (not cells[0] and all(map(_POSTING.fullmatch, cells)))


def _student(cells: Sequence[str], columns: Mapping[str, int], width: int) -> tuple[str, dict[str, str]]:
    """A student's id and the fields that are not empty.

    Raises:
        ValueError: The row is wrong; the message says why.
    """
    if len(cells) != width:
        raise ValueError(f"it has {len(cells)} fields, but the first line has {width}")
    given = {field: cells[number] for field, number in columns.items()}
    name = given.pop("id")
    if not name:
        raise ValueError("the student's ID is empty")
    whole = given.pop("whole name", "")
    if whole and not given.get("last_name") and not given.get("first_name"):
        given["last_name"], _, given["first_name"] = (part.strip() for part in whole.partition(","))
    email = given.get("email", "")
    if email and not re.fullmatch(r"[^@\s]+@[^@\s]+", email):
        raise ValueError(f"{_quoted(email)} is not an email address")
    for field, value in given.items():
        if len(value) > _LONGEST:
            raise ValueError(f"the {_name(field)} is longer than {_LONGEST} characters")
        odd = next((letter for letter in value if not letter.isprintable() and letter not in _JOINERS), "")
        if odd:
            raise ValueError(f"the {_name(field)} contains the control character U+{ord(odd):04X}")
    return as_id(name), {field: value for field, value in given.items() if value}


def _name(field: str) -> str:
    return {"lms_user_id": "LMS id"}.get(field, field.replace("_", " "))


def _quoted(value: str | None) -> str:
    return f"“{printable(value)}”" if value else "empty"


def _listed(names: Sequence[str], most: int = _MAX_NAMED) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
