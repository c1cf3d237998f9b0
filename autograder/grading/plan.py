"""Which parts of a submission are run, and which probes it is given."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbformat import NotebookNode

import autograder
import seqlab
from autograder.building.notebook_files import is_demonstration, read
from autograder.building.release import install_cell
from autograder.building.weave import bound_names
from autograder.checkout import Course
from autograder.declare import ExerciseChecks, key
from autograder.grading.sandbox import Limits
from autograder.settings import Settings

if TYPE_CHECKING:
    from autograder.grading.worker import Run


MAX_CELL = 100_000
"""Characters of a cell that is run; the longest of the course has some thousands."""


@dataclass(frozen=True)
class Step:
    """One thing to do in order: run a cell, or take the subject of an exercise from the namespace.

    Args:
        cell: Index of the cell in the notebook.
        source: The code to run; empty to take a subject.
        subject: The exercise whose subject is taken.
    """

    cell: int
    source: str = ""
    subject: str = ""


@dataclass(frozen=True)
class Asked:
    """One draw of one probe.

    Args:
        key: The probe's key.
        exercise: The exercise that is probed.
        seed: What is drawn from.
        visible: Whether a visible check looks at it. Those are asked first: what their failures say holds nothing of the others.
    """

    key: str
    exercise: str
    seed: int
    visible: bool = False


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

    def __init__(self, course: Course, chosen: Settings, limits: Limits, box: str) -> None:
        self.chapter = chapter = chosen.chapter
        self.limits, self._box, self._chosen = limits, box, chosen
        self._secret = course.secret(chapter)
        demonstrations = [cell for cell in read(course.solved(chapter)).cells if is_demonstration(cell)]
        demonstrations.append(install_cell(chapter))
        self._ids = {cell.id for cell in demonstrations}
        self._sources = {cell.source for cell in demonstrations}
        self._names = frozenset(name for cell in demonstrations for name in _bound(cell.source))
        self.basis = _basis(course, chapter, limits, box, self._secret)
        """A hash of all that results depend on besides the submission."""

    def key(self, notebook: NotebookNode) -> str:
        """What the result of one repaired submission depends on, as a hash."""
        return self._key(*self._steps(notebook))

    def job(self, notebook: NotebookNode) -> Job:
        """The job for one repaired submission."""
        steps, demonstrations = self._steps(notebook)
        submission = _hash([step.source or step.subject for step in steps])
        return Job(
            chapter=self.chapter,
            steps=tuple(step for step in steps if step.cell not in demonstrations),
            all_steps=tuple(steps),
            demonstrated=self._names,
            asked=_ask(self._exercises, self._secret, submission),
            limits=self.limits,
            box=self._box,
            submission=submission,
            key=self._key(steps, demonstrations),
        )

    @cached_property
    def _exercises(self) -> tuple[ExerciseChecks, ...]:
        return self._chosen.asked()

    def _steps(self, notebook: NotebookNode) -> tuple[list[Step], set[int]]:
        """All steps of a submission, and the cells among them that only demonstrate."""
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
        return steps, demonstrations

    def _key(self, steps: Iterable[Step], demonstrations: Container[int]) -> str:
        return _hash(
            [self.basis, [[step.cell, step.source, step.subject, step.cell in demonstrations] for step in steps]]
        )


def _ask(exercises: Iterable[ExerciseChecks], secret: str, submission: str) -> tuple[Asked, ...]:
    from autograder.asking.probing import probes_of, seeds  # It imports torch, and a key needs none of it.

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
    return _hash([[path.read_text(encoding="utf-8") for path in files], version("torch")])


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
