"""Notebooks that we made, and what they say of themselves; nothing here needs nbgrader."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.building.weave import DEMONSTRATION, is_written
from autograder.settings import WRITTEN, in_words

RECORD = "application/papermill.record/text/plain"
EXTRA_CREDIT = "extra_credit"
"""Where the cell of a check says how many points of extra credit the exercise is worth, if it is extra credit."""


def read(path: Path) -> NotebookNode:
    """Read a notebook that we made."""
    return nbformat.read(path, as_version=4)


def recorded_numbers(notebook: NotebookNode) -> dict[str, float]:
    """What the notebook's cells recorded with `seqlab.record`, by name."""
    found = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            name = output.get("metadata", {}).get("scrapbook", {}).get("name")
            if name and RECORD in output.get("data", {}):
                found[name] = float(output.data[RECORD])
    return found


def is_demonstration(cell: NotebookNode) -> bool:
    """Whether our own notebook shows this cell only, so that grading need not run it."""
    return DEMONSTRATION in cell.metadata.get("tags", [])


def promised(notebook: NotebookNode) -> dict[str, str]:
    """What a notebook says that each exercise, and the written question, is worth, in words, as `worths` has it."""
    found = {}
    for cell in notebook.cells:
        mark = cell.metadata.get("nbgrader", {})
        if mark.get("grade"):
            name = WRITTEN if is_written(cell) else mark.grade_id
            found[name] = in_words(cell.metadata.get(EXTRA_CREDIT, mark.points), EXTRA_CREDIT in cell.metadata)
    return found


def promised_points(notebook: NotebookNode) -> dict[str, float]:
    """What a notebook says that each of its graded cells is worth, by name."""
    marks = [cell.metadata.get("nbgrader", {}) for cell in notebook.cells]
    return {mark.grade_id: mark.points for mark in marks if mark.get("grade")}
