"""The points of a viva, which a person enters: in a table of the class, from which they go into the gradebook as an assignment of their own.

That assignment is called `ch05_attention-viva`. It is there once points have been entered, if the configuration gives the viva any.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nbgrader.api import Gradebook

from autograder.checkout import Course, CourseError, course_config, read_mapping, write_whole
from autograder.declare import added, told_points
from autograder.grading.csv_files import rows_of
from autograder.grading.gradebook import Patience, open_books
from autograder.grading.report_parts import told_students
from autograder.settings import viva_name, viva_points

if TYPE_CHECKING:
    from autograder.grading.viva_pages import Sheet  # It imports torch, which an export does without.

FORM = "points.csv"


@dataclass(frozen=True)
class Entered:
    """What was entered of a class.

    Args:
        number: Of how many students there are points.
        worth: What the viva is worth.
        empty: Of how many there are none.
    """

    number: int
    worth: float
    empty: int

    def closing(self) -> Iterator[str]:
        """What is said at the end."""
        whose = told_students(self.number)
        if self.worth:
            yield f"The points of {whose} are in the gradebook, out of {told_points(self.worth)}."
        else:
            yield f"The points of {whose} are kept for the report. They do not count: c.Exercises.viva gives the viva points."
        if self.empty:
            yield f"{'1 row has' if self.empty == 1 else f'{self.empty} rows have'} no points."


def write_form(course: Course, chapter: str, folder: Path, sheets: Sequence[Sheet]) -> Path:
    """Write the table to enter points in: a row for each sheet, and a column for each question. What was typed into it stays.

    Args:
        course: The course.
        chapter: The chapter's name.
        folder: Where it is written.
        sheets: The sheets.
    """
    path = folder / FORM
    typed = {row[0]: row for _, row in _rows(path)} if path.is_file() else {}
    number = max((len(sheet.items) for sheet in sheets), default=0)
    for sheet in sheets:
        before = typed.get(sheet.student, [])[2:]
        typed[sheet.student] = [sheet.student, sheet.called, *before, *[""] * (number - len(before))]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["student", "name", *(f"question_{place}" for place in range(1, number + 1))])
    writer.writerows(row for _, row in sorted(typed.items()))
    write_whole(path, text.getvalue().encode())
    asked = read_mapping(_asked(course, chapter)) or {}
    asked |= {sheet.student: [item.exercise for item in sheet.items] for sheet in sheets}
    _keep(_asked(course, chapter), asked)
    return path


def enter_points(course: Course, chapter: str, file: Path) -> Entered:
    """Enter what was typed into the table.

    Args:
        course: The course.
        chapter: The chapter's name.
        file: The table.

    Raises:
        CourseError: A row is not as it should be, and nothing was entered; or the gradebook cannot be written.
    """
    worth = viva_points(course_config(course.root))
    asked = read_mapping(_asked(course, chapter)) or {}
    with open_books(course) as book:
        known = Patience().run(lambda: {student.id for student in book.students})
        marks: dict[str, list[float]] = {}
        empty = 0
        for line, (student, _, *points) in _rows(file):
            if not any(points):
                empty += 1
                continue
            if student not in asked or (worth and student not in known):
                raise CourseError(
                    f"{file}, line {line}: {student} has no sheet of {chapter}, or is not in the gradebook"
                )
            number = len(asked[student])
            marks[student] = [_share(file, line, each) for each in points[:number]]
            if len(points) < number or any(points[number:]):
                raise CourseError(f"{file}, line {line}: {student} was asked {number} questions")
        if worth:
            shares = {student: sum(each) / len(each) for student, each in marks.items()}
            Patience().run(
                lambda: _write(book, chapter, {s: added([worth * share]) for s, share in shares.items()}, worth)
            )
    kept = read_marks(course, chapter)
    found = {
        student: [[name, mark] for name, mark in zip(asked[student], each, strict=True)]
        for student, each in marks.items()
    }
    _keep(_marks(course, chapter), {**kept, **found})
    return Entered(len(marks), worth, empty)


def read_marks(course: Course, chapter: str) -> Mapping[str, Sequence[tuple[str, float]]]:
    """What each student earned at each question, from 0 to 1, with the exercise that it was about."""
    found = read_mapping(_marks(course, chapter)) or {}
    return {student: [(str(name), float(mark)) for name, mark in each] for student, each in found.items()}


def _rows(file: Path) -> list[tuple[int, list[str]]]:
    """The rows of the table with their lines, without its head.

    Raises:
        CourseError: It is no such table.
    """
    rows = rows_of(file)
    if next(rows, (1, []))[1][:2] != ["student", "name"]:
        raise CourseError(f"{file} is not a table of points: its first columns are not student and name")
    return [(line, [cell.strip() for cell in row]) for line, row in rows if len(row) > 1]


def _share(file: Path, line: int, text: str) -> float:
    """The points of one question.

    Raises:
        CourseError: It is not a number from 0 to 1.
    """
    try:
        share = float(text.replace(",", ".") or 0)
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1:
        raise CourseError(f"{file}, line {line}: {text!r} is not a number from 0 to 1, the points of a question")
    return share


def _write(book: Gradebook, chapter: str, points: Mapping[str, float], worth: float) -> None:
    """Put the points into the gradebook, in one transaction after the rows that they belong to."""
    name = viva_name(chapter)
    book.update_or_create_assignment(name)
    book.update_or_create_notebook(name, name)
    book.update_or_create_grade_cell(name, name, name, max_score=worth, cell_type="markdown")
    for student in points:
        book.update_or_create_submission(name, student)
    for student, number in points.items():
        grade = book.find_grade(name, name, name, student)
        grade.manual_score, grade.needs_manual_grade = number, False
    book.db.commit()


def _asked(course: Course, chapter: str) -> Path:
    """Where it is kept which exercises each student was asked about."""
    return course.private / "viva" / f"{chapter}-asked.json"


def _marks(course: Course, chapter: str) -> Path:
    """Where it is kept what each student earned at each question."""
    return course.private / "viva" / f"{chapter}-marks.json"


def _keep(path: Path, tree: Mapping[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(path, json.dumps(tree, ensure_ascii=False).encode())
