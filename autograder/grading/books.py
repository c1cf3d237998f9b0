"""What is made from the gradebook: feedback and the grades as CSV. Both are nbgrader's own."""

from __future__ import annotations

from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.plugins.export import CsvExportPlugin

from autograder.bookkeeper import bookkeeper, cause_of
from autograder.house import Course, CourseError, course_config


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
