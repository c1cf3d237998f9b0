"""What grading one submission gave, and where it is kept so that it need not be done again."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from nbformat import NotebookNode

from autograder.asking.probing import Answer, Failure, probes_of, seeds
from autograder.checkout import Course, write_whole
from autograder.declare import ExerciseChecks, added, key
from autograder.grading.plan import Job, secret_name
from autograder.grading.redaction import UNDEFINED
from autograder.grading.worker import Run
from autograder.judging.catalogue import CausesUnder
from autograder.judging.outcomes import Outcome, judge_exercise, worth_as
from autograder.judging.reference import load_reference, reference_answer, reference_answers
from autograder.judging.verdict import Status

_one_at_a_time = threading.Lock()
"""Running the reference or a mistake changes what a process has only once, such as torch's generator."""


@dataclass(frozen=True)
class Result:
    """What grading one submission gave.

    Args:
        outcomes: By exercise.
        outputs: Of the cells that were run, by cell index.
        errors: What cells raised, by cell index.
        secret: The name of the secret under which the hidden checks were drawn.
        seconds: For how long it computed.
        memory: The most bytes that it took beyond what the interpreter had; None if that was not measured.
        doubtful: The exercises and cells that took too long in one run, and not in another, which counts.
    """

    outcomes: dict[str, list[Outcome]]
    outputs: dict[int, list[dict[str, Any]]]
    errors: dict[int, str]
    secret: str
    seconds: float
    memory: int | None = None
    doubtful: tuple[str, ...] = ()

    def earned(self, exercise: str) -> float:
        """The points of one exercise."""
        return added(outcome.earned for outcome in self.outcomes[exercise])

    def worth_as(self, exercises: Iterable[ExerciseChecks]) -> Result:
        """The same result with the points that the checks are worth in these exercises."""
        outcomes = {found.exercise.name: worth_as(self.outcomes[found.exercise.name], found) for found in exercises}
        return replace(self, outcomes=outcomes)

    def is_faulty(self, exercise: str) -> bool:
        """Whether the grader itself failed at one exercise."""
        return any(outcome.status is Status.GRADER_FAULT for outcome in self.outcomes[exercise])

    @property
    def faulty(self) -> bool:
        """Whether the grader itself failed somewhere: such a result is never kept."""
        return any(map(self.is_faulty, self.outcomes))

    @property
    def judged(self) -> bool:
        """Whether anything was judged; where nothing was, there is no grade to write."""
        return any(o.status is not Status.GRADER_FAULT for outcomes in self.outcomes.values() for o in outcomes)


class Judge:
    """Holds the answers of the reference and of the listed mistakes in one chapter of one course, and judges runs by them.

    The reference is asked a submission's own draws when it is judged.
    """

    def __init__(self, course: Course, chapter: str, exercises: tuple[ExerciseChecks, ...]) -> None:
        self.exercises = exercises
        self._secret = course.secret(chapter)
        self._causes = CausesUnder(exercises, self._secret)
        self._reference = load_reference(course.solutions, chapter)
        with _one_at_a_time:
            self._shared = reference_answers(self._reference, self.exercises, self._secret)

    def judge(self, notebook: NotebookNode, job: Job, run: Run) -> Result:
        """Judge what running one repaired submission gave. It may be called from several threads at once."""
        indices = _answer_indices(notebook)
        outcomes = {}
        for exercise in self.exercises:
            name = exercise.exercise.name
            index = indices.get(f"{name}-answer", -1)
            given = _answers(exercise, run, run.errors.get(index))
            with _one_at_a_time:
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
            _known_outputs(run.outputs),
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

    def fault(self, message: str) -> Result:
        """The result when the grader itself failed."""
        outcomes = {
            e.exercise.name: [Outcome(c.name, c.points, "", c.hidden, Status.GRADER_FAULT, message) for c in e.checks]
            for e in self.exercises
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

    def __init__(self, course: Course, exercises: Sequence[ExerciseChecks]) -> None:
        self._folder, self._exercises = course.private / "results", exercises
        self.damaged: list[str] = []
        """Names of the stored files that could not be read, which were as if they were not there."""
        self.unkept = ""
        """Why a result could not be kept, or empty."""

    def get(self, job: Job) -> Result | None:
        """The stored result of this job, or None."""
        path = self._folder / f"{job.key}.json"
        try:
            return _from_tree(json.loads(path.read_text(encoding="utf-8")), self._exercises)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self.damaged.append(path.name)
            return None

    def put(self, job: Job, result: Result) -> None:
        """Keep a result, unless the grader itself failed. One that cannot be kept is run again next time."""
        if result.faulty:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self._folder / f"{job.key}.json", json.dumps(asdict(result)).encode())
        except OSError as error:
            self.unkept = error.strerror or str(error)


def _from_tree(tree: Any, exercises: Sequence[ExerciseChecks]) -> Result:
    """The result that was stored.

    Raises:
        ValueError, TypeError, KeyError, AttributeError: It is not one, or not of these checks.
    """
    outcomes = {
        name: [Outcome(**{**o, "status": Status(o["status"])}) for o in found]
        for name, found in tree["outcomes"].items()
    }
    checks = {e.exercise.name: [(c.name, c.points) for c in e.checks] for e in exercises}
    if {name: [(o.name, o.points) for o in found] for name, found in outcomes.items()} != checks:
        raise ValueError("its checks have changed since")
    outputs = _known_outputs({int(index): items for index, items in tree["outputs"].items()})
    errors = {int(index): str(error) for index, error in tree["errors"].items()}
    memory = tree.get("memory")  # It was not always measured.
    return Result(
        outcomes,
        outputs,
        errors,
        str(tree["secret"]),
        float(tree["seconds"]),
        None if memory is None else int(memory),
        tuple(map(str, tree.get("doubtful", ()))),
    )
