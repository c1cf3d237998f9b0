"""What is made from the gradebook: feedback and the grades as CSV. Both are nbgrader's own."""

from __future__ import annotations

import logging
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins.export import CsvExportPlugin

from autograder.house import Course, CourseError, course_config


def write_feedback(course: Course, chapter: str) -> Path:
    """Write the feedback pages of a chapter and return their folder.

    Raises:
        CourseError: nbgrader could not write them.
    """
    config = course_config(course.root)
    api = NbGraderAPI(CourseDirectory(config=config), config=config)
    api.log.setLevel(logging.ERROR)
    result = api.generate_feedback(chapter, force=True)
    if not result["success"]:
        raise CourseError(
            f"nbgrader could not write the feedback of {chapter}:\n{result.get('log') or result.get('error')}"
        )
    return course.root / "feedback"


def export_grades(course: Course, to: Path) -> Path:
    """Write every student's grades with nbgrader's CSV exporter, and return the file."""
    plugin = CsvExportPlugin(to=str(to))
    with Gradebook(course.database(course_config(course.root))) as book:
        plugin.export(book)
    return to
