"""Judges the questions that a student alone was asked: by what is written in the notebook, and by who handed it in.

Nothing of the notebook is run for it, so that no code can have a part in the answers.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from pathlib import Path

from nbformat import NotebookNode

from autograder.asking.probing import own_settings
from autograder.declare import ExerciseChecks
from autograder.grading.judge import one_at_a_time
from autograder.grading.plan import MAX_CELL
from autograder.grading.sanitize import printable
from autograder.judging.reference import load_reference
from autograder.judging.verdict import Outcome, Status
from autograder.questions.given import inputs_of
from autograder.questions.trace import given_to, is_right, normal, numbers_of, read_numbers
from autograder.questions.traced import NAME
from autograder.questions.values import plain, text_of

_VARIABLE = "my_trace"
_LONGEST = 2_000
"""How many characters of an answer are read: ten times what one takes."""


def judge_own(
    found: ExerciseChecks,
    notebook: NotebookNode,
    released: NotebookNode,
    ids: Collection[str] | None,
    solutions: Path,
) -> list[Outcome]:
    """How a student answered their own questions.

    Args:
        found: The questions, as an exercise.
        notebook: What was handed in, repaired.
        released: The notebook that the class was given, which says what the questions are about.
        ids: What the student may be called; None where nobody knows who handed it in.
        solutions: The folder of the reference solutions.
    """
    written = _written(_source(notebook, f"{NAME}-answer"))
    answers = [written.get(f"question {number}", "")[:_LONGEST] for number, _ in enumerate(found.checks, start=1)]
    if not any(map(str.strip, answers)):
        return [
            Outcome(c.name, c.points, "", False, Status.NOT_ATTEMPTED, "no question was answered") for c in found.checks
        ]
    student = normal(written.get("student", ""))
    if ids is not None and student not in map(normal, ids):
        told = (
            f"the answers are to the questions of “{printable(student)}”, which is not your id"
            if student
            else "your id is missing in the cell of the answers"
        )
        return [Outcome(check.name, check.points, "", False, Status.FAILED, told) for check in found.checks]
    outcomes, reference = [], load_reference(solutions, found.chapter)
    for number, (check, name, text) in enumerate(zip(found.checks, _names(released), answers, strict=True), start=1):
        inputs = inputs_of(found.chapter, name)
        assert inputs is not None, f"{name} has no inputs"
        with one_at_a_time, own_settings():
            value = plain(given_to(student, inputs, number).call(getattr(reference, name)))
        if is_right(read_numbers(text), numbers_of(value)):
            outcomes.append(Outcome(check.name, check.points, "", False, Status.PASSED))
        else:
            told = f"`{name}` returns other numbers for your inputs\n{text_of(value)}"
            outcomes.append(Outcome(check.name, check.points, "", False, Status.FAILED, told))
    return outcomes


def _source(notebook: NotebookNode, name: str) -> str:
    """What is in the cell that nbgrader knows by a name."""
    marked = (cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == name)
    return str(next(marked).source)


def _written(source: str) -> dict[str, str]:
    """The texts that a student wrote, by what they are called; none where the cell cannot be read."""
    try:
        body = ast.parse(source[:MAX_CELL]).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    given = [node.value for node in body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == _VARIABLE]
    if not given or not isinstance(given[-1], ast.Dict):
        return {}
    texts = [
        (key.value, value.value)
        for key, value in zip(given[-1].keys, given[-1].values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(value, ast.Constant)
    ]
    return {key: value for key, value in texts if isinstance(key, str) and isinstance(value, str)}


def _names(released: NotebookNode) -> list[str]:
    """The exercises that the questions are about."""
    (call,) = (node for node in ast.walk(ast.parse(_source(released, NAME))) if isinstance(node, ast.Call))
    return [str(ast.literal_eval(argument)) for argument in call.args[1:]]
