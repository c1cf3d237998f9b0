"""Judges what running a submission gave."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from nbformat import NotebookNode

from autograder.asking.probing import Answer, Failure, probes_of, seeds
from autograder.checkout import Course
from autograder.declare import ExerciseChecks, key
from autograder.grading.plan import Job, secret_name
from autograder.grading.redaction import UNDEFINED
from autograder.grading.result import Result, known_outputs
from autograder.grading.worker import Run
from autograder.judging.catalogue import CausesUnder
from autograder.judging.outcomes import judge_exercise
from autograder.judging.reference import load_reference, reference_answer, reference_answers
from autograder.judging.verdict import Outcome, Status

one_at_a_time = threading.Lock()
"""Running the reference or a mistake changes what a process has only once, such as torch's generator."""


class Judge:
    """Holds the answers of the reference and of the listed mistakes in one chapter of one course, and judges runs by them.

    The reference is asked a submission's own draws when it is judged.
    """

    def __init__(self, course: Course, chapter: str, exercises: tuple[ExerciseChecks, ...]) -> None:
        self.exercises = exercises
        self._secret = course.secret(chapter)
        self._causes = CausesUnder(exercises, self._secret)
        self._reference = load_reference(course.solutions, chapter)
        with one_at_a_time:
            self._shared = reference_answers(self._reference, self.exercises, self._secret)

    def judge(self, notebook: NotebookNode, job: Job, run: Run) -> Result:
        """Judge what running one repaired submission gave. It may be called from several threads at once."""
        indices = _answer_indices(notebook)
        outcomes = {}
        for exercise in self.exercises:
            name = exercise.exercise.name
            index = indices.get(f"{name}-answer", -1)
            given = _answers(exercise, run, run.errors.get(index))
            with one_at_a_time:
                outcomes[name] = judge_exercise(
                    exercise,
                    given,
                    self._wanted(exercise, given, job.submission),
                    causes=partial(self._causes, submission=job.submission),
                    graded=True,
                )
        doubtful = (f"cell {at + 1}" if isinstance(at, int) else at.partition(".")[0] for at in run.doubtful)
        return Result(
            outcomes,
            known_outputs(run.outputs),
            dict(run.errors),
            secret_name(self._secret),
            run.seconds,
            run.memory,
            tuple(dict.fromkeys(doubtful)),
        )

    def _wanted(
        self, exercise: ExerciseChecks, given: Mapping[str, list[Answer]], submission: str
    ) -> dict[str, list[Any]]:
        """The reference's answers to what a submission was asked; not to its own draw where there is a failure to judge, and no answer."""
        want = {}
        for probe in probes_of(exercise.checks):
            *shared, last = self._shared[key(probe)]
            if not any(isinstance(answer, Failure) for answer in given.get(key(probe), ())):
                last = reference_answer(self._reference, probe, seeds(probe, self._secret, submission)[-1])
            want[key(probe)] = [*shared, last]
        return want

    def fault(self, exercises: Iterable[ExerciseChecks], message: str) -> Result:
        """The result when the grader itself failed."""
        outcomes = {
            e.exercise.name: [Outcome(c.name, c.points, "", c.hidden, Status.GRADER_FAULT, message) for c in e.checks]
            for e in exercises
        }
        return Result(outcomes, {}, {}, secret_name(self._secret), 0.0)


def _answers(exercise: ExerciseChecks, run: Run, error: str | None) -> Mapping[str, list[Answer]]:
    """The answers; where there was nothing to probe because its cell failed, that is said instead."""
    if error is None:
        return run.answers
    instead = _cell_failure(error)
    return {
        probe: [instead if _undefined(answer, exercise) else answer for answer in answers]
        for probe, answers in run.answers.items()
    }


def _answer_indices(notebook: NotebookNode) -> dict[str, int]:
    """Where each cell stands that nbgrader knows by a name."""
    marks = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    return {name: index for index, name in reversed([*enumerate(marks)]) if isinstance(name, str)}


def _undefined(answer: Answer, exercise: ExerciseChecks) -> bool:
    return isinstance(answer, Failure) and answer.message == UNDEFINED.format(exercise.exercise.name)


def _cell_failure(error: str) -> Failure:
    if error == Status.TIMEOUT:
        return Failure(Status.TIMEOUT, "its cell did not finish in time")
    if error in ("MemoryError", Status.OUT_OF_MEMORY.value):
        return Failure(Status.OUT_OF_MEMORY, "its cell asked for more memory than a submission may use")
    return Failure(Status.ERROR, f"its cell failed: {error}" if " " in error else f"its cell failed with {error}")
