"""Which parts of a submission are run, and which probes it is given."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from nbformat import NotebookNode

import autograder
import seqlab
from autograder.asking.probing import probes_of, seeds
from autograder.building.notebook_files import is_demonstration, read
from autograder.building.release import install_cell
from autograder.building.weave import bound_names
from autograder.checkout import Course
from autograder.declare import ExerciseChecks, key
from autograder.grading.sandbox import Limits
from autograder.grading.worker import Asked, Run, Step


@dataclass(frozen=True)
class Job:
    """What a worker is told: no answer, no judge and no secret are in it.

    Args:
        chapter: The chapter's name.
        steps: The cells to run and the subjects to take.
        all_steps: The same with the demonstration cells.
        demonstrated: The names that demonstration cells bind.
        asked: The draws of the probes.
        limits: What may be used.
        box: The kind of sandbox.
        submission: A name for the code that is run; with the secret, its own draws are derived from it.
        key: What the result depends on, as a hash.
    """

    chapter: str
    steps: tuple[Step, ...]
    all_steps: tuple[Step, ...]
    demonstrated: frozenset[str]
    asked: tuple[Asked, ...]
    limits: Limits
    box: str
    submission: str
    key: str

    def needs_demonstrations(self, run: Run) -> bool:
        """Whether the student's code failed because it lacked a name that a demonstration cell defines."""
        return bool(run.lacking() & self.demonstrated)


class Planner:
    """Makes the jobs of one chapter of one course."""

    def __init__(
        self, course: Course, chapter: str, exercises: Iterable[ExerciseChecks], limits: Limits, box: str
    ) -> None:
        self.chapter = chapter
        self.limits, self._box = limits, box
        self._secret = course.secret(chapter)
        demonstrations = [cell for cell in read(course.solved(chapter)).cells if is_demonstration(cell)]
        demonstrations.append(install_cell(chapter))
        self._ids = {cell.id for cell in demonstrations}
        self._sources = {cell.source for cell in demonstrations}
        self._names = frozenset(name for cell in demonstrations for name in _bound(cell.source))
        self._exercises = tuple(exercises)
        self.basis = _basis(course, chapter, limits, box, self._secret)
        """A hash of all that results depend on besides the submission."""

    def job(self, notebook: NotebookNode) -> Job:
        """The job for one repaired submission."""
        steps: list[Step] = []
        demonstrations: set[int] = set()
        for index, cell in enumerate(notebook.cells):
            mark = cell.metadata.get("nbgrader", {})
            if cell.cell_type != "code":
                continue
            if mark.get("grade") and not mark.get("solution"):
                steps.append(Step(index, subject=mark["grade_id"]))
            else:
                steps.append(Step(index, source=cell.source))
                if not mark and (cell.id in self._ids or cell.source in self._sources):
                    demonstrations.add(index)
        submission = _hash([step.source or step.subject for step in steps])
        code = [[step.cell, step.source, step.subject, step.cell in demonstrations] for step in steps]
        return Job(
            chapter=self.chapter,
            steps=tuple(step for step in steps if step.cell not in demonstrations),
            all_steps=tuple(steps),
            demonstrated=self._names,
            asked=_ask(self._exercises, self._secret, submission),
            limits=self.limits,
            box=self._box,
            submission=submission,
            key=_hash([self.basis, code]),
        )


def _ask(exercises: Iterable[ExerciseChecks], secret: str, submission: str) -> tuple[Asked, ...]:
    return tuple(
        Asked(key(probe), exercise.exercise.name, seed, probe in probes_of(exercise.visible.checks))
        for exercise in exercises
        for probe in probes_of(exercise.checks)
        for seed in seeds(probe, secret, submission)
    )


def _basis(course: Course, chapter: str, limits: Limits, box: str, secret: str) -> str:
    """The hash of all that a result depends on besides the submission."""
    files = sorted((course.solutions / chapter).rglob("*.py"))
    settings = {"limits": {name: float(most) for name, most in asdict(limits).items()}, "box": box}  # 10 is 10.0.
    return _hash([installed(), [path.read_text(encoding="utf-8") for path in files], settings, secret_name(secret)])


def installed() -> str:
    """A hash of what is installed here of the course, and of torch: results depend on it."""
    folders = [Path(autograder.__file__).parent, Path(seqlab.__file__).parent]
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return _hash([[path.read_text(encoding="utf-8") for path in files], torch.__version__])


def secret_name(secret: str) -> str:
    """A name for the secret that does not give it away; recorded with each result."""
    return hashlib.sha256(f"name of {secret}".encode()).hexdigest()[:12]


def _hash(tree: Any) -> str:
    return hashlib.sha256(json.dumps(tree, sort_keys=True).encode()).hexdigest()[:32]


def _bound(source: str) -> set[str]:
    try:
        return bound_names(source)
    except SyntaxError:
        return set()
