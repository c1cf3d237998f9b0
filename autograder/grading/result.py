"""What grading one submission gave, and where it is kept so that it need not be done again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from autograder.checkout import Course, write_mapping
from autograder.declare import ExerciseChecks, added, worth_as
from autograder.judging.verdict import Outcome, Status


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


def known_outputs(outputs: Mapping[int, Sequence[Any]]) -> dict[int, list[dict[str, Any]]]:
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

    def get(self, key: str) -> Result | None:
        """The result that is stored under this key, or None."""
        path = self._folder / f"{key}.json"
        try:
            return _from_tree(json.loads(path.read_text(encoding="utf-8")), self._exercises)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self.damaged.append(path.name)
            return None

    def put(self, key: str, result: Result) -> None:
        """Keep a result under its key, unless the grader itself failed. One that cannot be kept is run again next time."""
        if result.faulty:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_mapping(self._folder / f"{key}.json", asdict(result))
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
    outputs = known_outputs({int(index): items for index, items in tree["outputs"].items()})
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
