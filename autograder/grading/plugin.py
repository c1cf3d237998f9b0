"""What nbgrader is given by configuration, so that its command line and formgrader read, run and score as we do."""

from __future__ import annotations

import base64
import logging
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbformat.notebooknode import from_dict
from nbformat.v4 import new_markdown_cell
from nbgrader.api import Gradebook
from nbgrader.preprocessors import LimitOutput, NbGraderPreprocessor, OverwriteCells, SaveAutoGrades
from traitlets import Dict, Enum
from traitlets.config import Config

from autograder.building.notebook_files import read
from autograder.checkout import Course
from autograder.declare import ExerciseChecks
from autograder.grading.config_drift import hold_as_graded
from autograder.grading.engine import run_job
from autograder.grading.gradebook import Known, enter
from autograder.grading.grader import Grader, grader
from autograder.grading.repair import Repaired, read_submission
from autograder.grading.result import Result
from autograder.grading.roster import ids_of, members_in
from autograder.grading.sandbox import SandboxError
from autograder.grading.sanitize import as_markdown, sanitize
from autograder.notebook.report import as_html, as_tree

_NOTES = "autograder"


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
        return super().from_notebook_node(_prepared(repaired, released), resources=resources, **kw)


def _prepared(repaired: Repaired, released: NotebookNode) -> NotebookNode:
    """A repaired submission as it goes into the autograded notebook: safe to show, with what was repaired in its metadata."""
    sanitize(repaired.notebook, (cell.source for cell in released.cells))
    repaired.notebook.metadata[_NOTES] = {"problems": repaired.problems}
    return repaired.notebook


class ExecuteInSandbox(NbGraderPreprocessor):  # type: ignore[misc]
    """Replaces nbgrader's `Execute`: fills in outputs and reports, and passes the result on."""

    sandbox = Enum(["landlock", "none"], default_value="landlock", help="What boxes a student's code.").tag(config=True)
    limits = Dict({}, help="What one submission may use: the fields of autograder.grading.sandbox.Limits.").tag(
        config=True
    )

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Run and judge one notebook.

        Raises:
            SandboxError: The grader itself failed, so that there is no grade to write.
        """
        course, chapter = Course(Path(self.parent.parent.coursedir.root).resolve()), resources["nbgrader"]["assignment"]
        hold_as_graded(course, chapter, self.config)
        found = grader(course, chapter, self.config, self.sandbox)
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as book:
            ids = ids_of(names["student"], members_in(book).get(names["student"]))
        result = found.grade(nb, run_job, ids)
        if not result.judged:
            raise SandboxError(next(o.message for outcomes in result.outcomes.values() for o in outcomes))
        resources["autograder"] = result
        _fill(nb, result, found.exercises)
        return nb, resources


class SaveJudgedGrades(SaveAutoGrades):  # type: ignore[misc]
    """Writes the judged points, and not what a cell shows, into the gradebook: all of a submission's at once."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Preprocess one notebook."""
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as book:
            enter(book, names["assignment"], names["student"], nb, resources["autograder"])
        return nb, resources


class Composer:
    """Makes autograded notebooks without nbgrader's converter, whose preprocessors read the gradebook for every cell."""

    def __init__(self, found: Grader, known: Known, kernelspec: dict[str, Any], config: Config) -> None:
        """Prepare what all submissions share.

        Args:
            found: The chapter's grader.
            known: The chapter's cells as the gradebook knows them.
            kernelspec: The kernel with which the chapter was released.
            config: The course's configuration.
        """
        self._found, self._kernelspec = found, kernelspec
        self._overwrite, self._limit = OverwriteCells(config=config), LimitOutput(config=config)
        self._overwrite.gradebook = known
        self._overwrite.notebook_id = self._overwrite.assignment_id = found.planner.chapter
        self._overwrite.log.setLevel(logging.ERROR)

    def prepared(self, repaired: Repaired) -> NotebookNode:
        """The submission as nbgrader has it when it is about to run it: safe to show, our own cells as they were released."""
        notebook = _prepared(repaired, self._found.released)
        if self._kernelspec:
            notebook.metadata["kernelspec"] = self._kernelspec
        for index, cell in enumerate(notebook.cells):
            self._overwrite.preprocess_cell(cell, {}, index)
        return notebook

    def autograded(self, notebook: NotebookNode, result: Result) -> str:
        """The text of the autograded notebook; `notebook` is filled in."""
        _fill(notebook, result, self._found.exercises)
        for index, cell in enumerate(notebook.cells):
            self._limit.preprocess_cell(cell, {}, index)
        return str(nbformat.v4.writes(notebook)) + "\n"


def _fill(notebook: NotebookNode, result: Result, exercises: tuple[ExerciseChecks, ...]) -> None:
    """Fill in what cells printed and what was judged, and put what was repaired at the top."""
    by_name = {found.exercise.name: found for found in exercises}
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        cell.outputs, cell.execution_count = [], None
        mark = cell.metadata.get("nbgrader", {})
        name = mark.get("grade_id")
        if mark.get("grade") and not mark.get("solution"):
            shown = {
                "text/html": as_html(by_name[name], result.outcomes[name]),
                "text/plain": str(float(result.earned(name))),
            }
            report = {_NOTES: as_tree(by_name[name], result.outcomes[name])}
            result_of_check = {
                "output_type": "execute_result",
                "execution_count": None,
                "metadata": report,
                "data": shown,
            }
            cell.outputs = [from_dict(result_of_check)]
        elif index in result.outputs:
            cell.outputs = [_output(output) for output in result.outputs[index]]
    problems = notebook.metadata.get(_NOTES, {}).get("problems", [])
    if problems:
        text = "**Notes from grading**\n\n" + "\n".join(f"- {as_markdown(problem)}" for problem in problems)
        notebook.cells.insert(0, new_markdown_cell(text, id="notes-from-grading"))


def _output(output: dict[str, Any]) -> Any:
    """One output of a student's cell, whose form is known to be right; an image that is none becomes a sentence."""
    made = from_dict(output)
    for kind in ("image/png", "image/jpeg"):
        if kind in made.get("data", {}):
            try:
                base64.b64decode(made.data[kind], validate=True)
            except ValueError:
                made.data = from_dict({"text/plain": "[an image that cannot be read]"})
    return made
