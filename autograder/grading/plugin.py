"""What nbgrader is given by configuration, so that its command line and formgrader read, run and score as we do."""

from __future__ import annotations

import base64
from functools import lru_cache
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_output
from nbgrader.preprocessors import GetGrades, NbGraderPreprocessor, SaveAutoGrades
from traitlets import Dict, Enum

from autograder.declare import ExerciseChecks
from autograder.grading.engine import run_job
from autograder.grading.harmless import make_harmless
from autograder.grading.plan import Planner
from autograder.grading.repair import read_submission
from autograder.grading.result import Judge, Result, Results
from autograder.grading.sandbox import Limits, SandboxError, readable_folders
from autograder.house import Course, CourseError
from autograder.report import as_html
from autograder.weaving.release import read

_NOTES = "autograder"
_UNREAD = "Nobody has read this answer yet. Its points are still to come."


class SubmissionExporter(NotebookExporter):
    """Reads what a student handed in, whatever state it is in."""

    def from_filename(self, filename: str, resources: Any = None, **kw: Any) -> Any:
        """Read, repair and convert one notebook."""
        converter = self.parent
        if converter is None or not converter._sanitizing:
            return super().from_filename(filename, resources=resources, **kw)
        course, chapter = Course(Path(converter.coursedir.root)), resources["nbgrader"]["assignment"]
        released = read(course.released(chapter))
        repaired = read_submission(Path(filename), released)
        make_harmless(repaired.notebook, (cell.source for cell in released.cells))
        repaired.notebook.metadata[_NOTES] = {"problems": repaired.problems}
        return super().from_notebook_node(repaired.notebook, resources=resources, **kw)


class Grader:
    """Plans, runs and judges the submissions of one chapter of one course."""

    def __init__(self, course: Course, chapter: str, box: str, limits: Limits) -> None:
        if box != "none":
            _hold_apart(course)
        self.released = course.released(chapter)
        self.planner = Planner(course, chapter, limits, box)
        self.judge = Judge(course, chapter)
        _hold_points(read(self.released), self.judge.exercises, chapter)
        self.results = Results(course)

    def grade(self, notebook: NotebookNode) -> Result:
        """The result of one repaired submission, from the store or by running it here."""
        job = self.planner.job(notebook)
        result = self.results.get(job)
        if result is None:
            try:
                result = self.judge.judge(notebook, job, run_job(job))
            except SandboxError as error:
                return self.judge.fault(str(error))
            self.results.put(job, result)
        return result


def _hold_apart(course: Course) -> None:
    """Hold that the course is not in a folder that the sandbox lets students' code read."""
    inside = [folder for folder in readable_folders() if course.root.resolve().is_relative_to(folder.resolve())]
    if inside:
        raise CourseError(
            f"the course {course.root} lies in {inside[0]}, which students' code may read: move it elsewhere"
        )


def _hold_points(released: NotebookNode, exercises: tuple[ExerciseChecks, ...], chapter: str) -> None:
    """Hold the points that the class was promised against those of today's checks."""
    marks = [cell.metadata.nbgrader for cell in released.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    promised = {mark.grade_id: mark.points for mark in marks}
    for found in exercises:
        name = found.exercise.name
        if promised.get(name) != found.points:
            raise CourseError(
                f"{chapter} was released with {promised.get(name, 'no')} points for {name}, whose checks are now worth "
                f"{found.points}: release it again, or grade with the version that the class was given"
            )


@lru_cache(maxsize=8)
def grader(root: str, chapter: str, box: str, limits: Limits) -> Grader:
    """The grader of a chapter, kept for the life of the process."""
    return Grader(Course(Path(root)), chapter, box, limits)


class ExecuteInSandbox(NbGraderPreprocessor):  # type: ignore[misc]
    """Takes the place of nbgrader's `Execute`: fills in outputs and reports, and hands the result on."""

    sandbox = Enum(["landlock", "none"], default_value="landlock", help="What boxes a student's code.").tag(config=True)
    limits = Dict({}, help="What one submission may use: the fields of autograder.grading.sandbox.Limits.").tag(
        config=True
    )

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Run and judge one notebook."""
        root, chapter = str(Path(self.parent.parent.coursedir.root).resolve()), resources["nbgrader"]["assignment"]
        found = grader(root, chapter, self.sandbox, Limits(**self.limits))
        result = found.grade(nb)
        resources["autograder"] = result
        _fill(nb, result, {e.exercise.name: e for e in found.judge.exercises})
        problems = nb.metadata.get(_NOTES, {}).get("problems", [])
        if problems:
            nb.cells.insert(0, new_markdown_cell("**Notes from grading**\n\n" + "\n".join(f"- {p}" for p in problems)))
        return nb, resources


class SaveJudgedGrades(SaveAutoGrades):  # type: ignore[misc]
    """Writes the judged points, and not what a cell shows, into the gradebook."""

    def _add_score(self, cell: NotebookNode, resources: Any) -> None:
        mark = cell.metadata["nbgrader"]
        if mark.get("solution"):
            super()._add_score(cell, resources)
            return
        grade = self.gradebook.find_grade(mark["grade_id"], self.notebook_id, self.assignment_id, self.student_id)
        grade.auto_score = float(resources["autograder"].earned(mark["grade_id"]))
        grade.needs_manual_grade = grade.manual_score is not None
        self.gradebook.db.commit()


class GetGradesSoFar(GetGrades):  # type: ignore[misc]
    """Says in a student's feedback when a written answer has not been read, which nbgrader shows as no points."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Preprocess one notebook."""
        self._missing = 0.0
        nb, resources = super().preprocess(nb, resources)
        if self._missing:
            note = (
                f"**Not all has been read yet.** The score lacks your written answer, worth {self._missing:g} points."
            )
            nb.cells.insert(0, new_markdown_cell(note))
        return nb, resources

    def _get_score(self, cell: NotebookNode, resources: Any) -> None:
        super()._get_score(cell, resources)
        mark = cell.metadata.nbgrader
        grade = self.gradebook.find_grade(mark.grade_id, self.notebook_id, self.assignment_id, self.student_id)
        if grade.auto_score is None and grade.manual_score is None:
            self._missing += grade.max_score
            mark.comment = "\n\n".join(filter(None, [mark.get("comment"), _UNREAD]))


def _fill(notebook: NotebookNode, result: Result, exercises: dict[str, ExerciseChecks]) -> None:
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        cell.outputs, cell.execution_count = [], None
        mark = cell.metadata.get("nbgrader", {})
        name = mark.get("grade_id")
        if mark.get("grade") and not mark.get("solution"):
            shown = {
                "text/html": as_html(exercises[name], result.outcomes[name]),
                "text/plain": str(float(result.earned(name))),
            }
            cell.outputs = [new_output("execute_result", shown)]
        elif index in result.outputs:
            cell.outputs = [_output(output) for output in result.outputs[index]]


def _output(output: dict[str, Any]) -> NotebookNode:
    """One output of a student's cell; an image that is none becomes a sentence."""
    more = {name: value for name, value in output.items() if name != "output_type"}
    for kind in ("image/png", "image/jpeg"):
        if kind in more.get("data", {}):
            try:
                base64.b64decode(more["data"][kind], validate=True)
            except ValueError:
                more["data"] = {"text/plain": "[an image that cannot be read]"}
    return new_output(output["output_type"], **more)
