"""What is taken from the gradebook: points for the table, feedback, and the grades as CSV. The books are nbgrader's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Grade, Gradebook, GradeCell, Notebook, Student, SubmittedAssignment, SubmittedNotebook
from nbgrader.plugins.export import CsvExportPlugin

from autograder.bookkeeper import bookkeeper, cause_of
from autograder.house import Course, CourseError, course_config
from autograder.weaving.weave import written_id


@dataclass(frozen=True)
class Entry:
    """What the gradebook has of one student's notebook.

    Args:
        points: All points so far, of the checks and those given by a person.
        waits: Whether there is a written answer that nobody has read.
        by_hand: The points that a person gave the written answer, or None.
    """

    points: float
    waits: bool
    by_hand: float | None


def entries(course: Course, chapter: str) -> dict[str, Entry]:
    """What the gradebook has of each student who handed the chapter in, by their ids."""
    with Gradebook(course.database(course_config(course.root))) as book:
        points = {found["student"]: float(found["score"]) for found in book.submission_dicts(chapter)}
        grades = (
            book.db.query(Student.id, Grade.auto_score, Grade.manual_score, Grade.score)
            .select_from(Grade)
            .join(GradeCell, GradeCell.id == Grade.cell_id)
            .join(SubmittedNotebook, SubmittedNotebook.id == Grade.notebook_id)
            .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
            .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
            .join(Student, Student.id == SubmittedAssignment.student_id)
            .filter(Notebook.name == chapter, GradeCell.name == written_id(chapter))
        )
        # nbgrader itself gives 0 for an answer that is as it was given, and leaves every other to a person.
        written = {
            student: (auto is None and manual is None, None if manual is None else float(score))
            for student, auto, manual, score in grades
        }
    return {student: Entry(total, *written.get(student, (False, None))) for student, total in points.items()}


def write_feedback(course: Course, chapter: str) -> Path:
    """Write the feedback pages of a chapter and return their folder.

    Raises:
        CourseError: nbgrader could not write them.
    """
    result = bookkeeper(course_config(course.root)).generate_feedback(chapter, force=True)
    if not result["success"]:
        raise CourseError(f"nbgrader could not write the feedback of {chapter}: {cause_of(result)}")
    return course.root / "feedback"


def export_grades(course: Course, to: Path) -> Path:
    """Write every student's grades with nbgrader's CSV exporter, and return the file."""
    plugin = CsvExportPlugin(to=str(to))
    with Gradebook(course.database(course_config(course.root))) as book:
        plugin.export(book)
    return to
