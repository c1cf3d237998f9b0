"""What grading one submission gave, and where it is kept so that it need not be done again."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nbformat import NotebookNode

from autograder.declare import ExerciseChecks, load_checks
from autograder.grading.plan import Job, secret_name
from autograder.grading.worker import Run
from autograder.house import Course
from autograder.judging import Outcome, judge_exercise
from autograder.probing import Answer, Failure
from autograder.reference import load_reference, reference_answers
from autograder.rules import forbidden_use
from autograder.verdict import Status


@dataclass(frozen=True)
class Result:
    """What grading one submission gave.

    Args:
        outcomes: By exercise.
        outputs: Of the cells that were run, by cell index.
        errors: What cells raised, by cell index.
        secret: The name of the secret under which the hidden checks were drawn.
        seconds: How long running it took.
    """

    outcomes: dict[str, list[Outcome]]
    outputs: dict[int, list[dict[str, Any]]]
    errors: dict[int, str]
    secret: str
    seconds: float

    def earned(self, exercise: str) -> int:
        """The points of one exercise."""
        return sum(outcome.earned for outcome in self.outcomes[exercise])

    @property
    def faulty(self) -> bool:
        """Whether the grader itself failed somewhere: such a result is never kept."""
        return any(o.status is Status.GRADER_FAULT for outcomes in self.outcomes.values() for o in outcomes)


class Judge:
    """Holds the reference's answers of one chapter of one course, and judges runs by them."""

    def __init__(self, course: Course, chapter: str) -> None:
        self.exercises = load_checks(chapter)
        secret = course.secret(chapter)
        self._secret = secret_name(secret)
        self._want = reference_answers(load_reference(course.solutions, chapter), self.exercises, secret)

    def judge(self, notebook: NotebookNode, job: Job, run: Run) -> Result:
        """Judge what running one repaired submission gave."""
        answers = {exercise.exercise.name: self._answers(exercise, notebook, run) for exercise in self.exercises}
        outcomes = {
            e.exercise.name: judge_exercise(
                e, answers[e.exercise.name], self._want_of(e), forbidden=_forbidden(e, notebook)
            )
            for e in self.exercises
        }
        return Result(outcomes, _known_outputs(run.outputs), dict(run.errors), self._secret, run.seconds)

    def fault(self, message: str) -> Result:
        """The result when the grader itself failed."""
        outcomes = {
            e.exercise.name: [Outcome(c.name, c.points, "", c.hidden, Status.GRADER_FAULT, message) for c in e.checks]
            for e in self.exercises
        }
        return Result(outcomes, {}, {}, self._secret, 0.0)

    def _want_of(self, exercise: ExerciseChecks) -> dict[str, list[Any]]:
        return {name: answers for name, answers in self._want.items() if name.startswith(f"{exercise.exercise.name}.")}

    def _answers(self, exercise: ExerciseChecks, notebook: NotebookNode, run: Run) -> Mapping[str, list[Answer]]:
        """The answers; where there was nothing to probe because its cell failed, that is said instead."""
        error = run.errors.get(_answer_index(exercise, notebook))
        if error is None:
            return run.answers
        instead = _cell_failure(error)
        return {
            probe: [instead if _undefined(answer, exercise) else answer for answer in answers]
            for probe, answers in run.answers.items()
        }


def _answer_index(exercise: ExerciseChecks, notebook: NotebookNode) -> int:
    """Where the exercise's answer cell is, or -1."""
    name = f"{exercise.exercise.name}-answer"
    marks = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    return marks.index(name) if name in marks else -1


def _forbidden(exercise: ExerciseChecks, notebook: NotebookNode) -> str:
    index = _answer_index(exercise, notebook)
    return forbidden_use(notebook.cells[index].source, exercise.exercise.forbids) if index >= 0 else ""


def _undefined(answer: Answer, exercise: ExerciseChecks) -> bool:
    return isinstance(answer, Failure) and answer.message == f"nothing named {exercise.exercise.name} was defined"


def _cell_failure(error: str) -> Failure:
    if error == Status.TIMEOUT:
        return Failure(Status.TIMEOUT, "its cell did not end in time")
    if error in ("MemoryError", Status.OUT_OF_MEMORY.value):
        return Failure(Status.OUT_OF_MEMORY, "its cell asked for more memory than a submission may use")
    return Failure(Status.ERROR, f"its cell ended in {error}")


def _known_outputs(outputs: Mapping[int, Sequence[Any]]) -> dict[int, list[dict[str, Any]]]:
    """The outputs whose form is right: they come from a process that may be hostile."""
    return {index: [output for output in items if _is_output(output)] for index, items in outputs.items()}


def _is_output(output: Any) -> bool:
    if not isinstance(output, dict):
        return False
    kind = output.get("output_type")
    if kind == "stream":
        return output.keys() == {"output_type", "name", "text"} and all(isinstance(v, str) for v in output.values())
    if kind == "error":
        texts = output.get("traceback")
        named = isinstance(output.get("ename"), str) and isinstance(output.get("evalue"), str)
        return named and isinstance(texts, list) and all(isinstance(line, str) for line in texts) and len(output) == 4
    if kind in ("display_data", "execute_result"):
        data = output.get("data")
        if not isinstance(data, dict) or not data.keys() <= {"text/plain", "image/png", "image/jpeg"}:
            return False
        counted = kind == "display_data" or isinstance(output.get("execution_count"), int)
        return counted and all(isinstance(v, str) for v in data.values()) and output.get("metadata") == {}
    return False


class Results:
    """Results on disk, by the hash of all that they depend on."""

    def __init__(self, course: Course) -> None:
        self._folder = course.private / "results"

    def get(self, job: Job) -> Result | None:
        """The stored result of this job, or None."""
        path = self._folder / f"{job.key}.json"
        try:
            tree = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        outcomes = {
            name: [Outcome(**{**o, "status": Status(o["status"])}) for o in found]
            for name, found in tree["outcomes"].items()
        }
        outputs = {int(index): items for index, items in tree["outputs"].items()}
        errors = {int(index): error for index, error in tree["errors"].items()}
        return Result(outcomes, outputs, errors, tree["secret"], tree["seconds"])

    def put(self, job: Job, result: Result) -> None:
        """Keep a result, unless the grader itself failed."""
        if result.faulty:
            return
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile("w", dir=self._folder, delete=False, encoding="utf-8") as file:
            json.dump(asdict(result), file)
        os.replace(file.name, self._folder / f"{job.key}.json")
