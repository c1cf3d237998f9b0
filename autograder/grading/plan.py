"""Which parts of a submission are run, and which probes it is given."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
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
from autograder.building.weave import bound_names, read_names
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
        demonstrations: The cells that only demonstrate, each with its place among the course's own; one that was changed has none.
        definitions: For each name that the course's own demonstrations define, the places of those that it takes to define it.
        asked: The draws of the probes.
        limits: What may be used.
        box: The kind of sandbox.
        submission: A name for the code that is run; with the secret, its own draws are derived from it.
        key: What the result depends on, as a hash.
    """

    chapter: str
    steps: tuple[Step, ...]
    all_steps: tuple[Step, ...]
    demonstrations: Mapping[int, int | None]
    definitions: Mapping[str, frozenset[int]]
    asked: tuple[Asked, ...]
    limits: Limits
    box: str
    submission: str
    key: str

    def more_steps(self, steps: Sequence[Step], run: Run) -> tuple[Step, ...]:
        """What to run instead, because the student's code failed where it lacked a name that a demonstration cell defines.

        That is first what defines the name, since demonstrations may train for a minute, and then all of it.

        Args:
            steps: What was run.
            run: What came of it.

        Returns:
            More steps, or none if nothing was lacking that they could define.
        """
        lacking = run.lacking() & self.definitions.keys()
        if not lacking or len(steps) == len(self.all_steps):
            return ()
        places = {None}.union(*(self.definitions[name] for name in lacking))
        more = tuple(s for s in self.all_steps if self.demonstrations.get(s.cell, None) in places)
        return more if len(steps) == len(self.steps) < len(more) else self.all_steps


class Planner:
    """Makes the jobs of one chapter of one course."""

    def __init__(self, course: Course, chosen: Settings, limits: Limits, box: str) -> None:
        self.chapter = chapter = chosen.chapter
        self.limits, self._box, self._chosen = limits, box, chosen
        self._secret = course.secret(chapter)
        demonstrations = [cell for cell in read(course.solved(chapter)).cells if is_demonstration(cell)]
        demonstrations.append(install_cell(chapter))
        self._ids = {cell.id for cell in demonstrations}
        self._places = {cell.source: place for place, cell in enumerate(demonstrations)}
        self._definitions = _definitions([cell.source for cell in demonstrations])
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
            demonstrations=demonstrations,
            definitions=self._definitions,
            asked=_ask(self._exercises, self._secret, submission),
            limits=self.limits,
            box=self._box,
            submission=submission,
            key=self._key(steps, demonstrations),
        )

    @cached_property
    def _exercises(self) -> tuple[ExerciseChecks, ...]:
        return self._chosen.asked()

    def _steps(self, notebook: NotebookNode) -> tuple[list[Step], dict[int, int | None]]:
        """All steps of a submission, and the cells among them that only demonstrate, as in a `Job`."""
        steps: list[Step] = []
        demonstrations: dict[int, int | None] = {}
        for index, cell in enumerate(notebook.cells):
            mark = cell.metadata.get("nbgrader", {})
            if cell.cell_type != "code":
                continue
            if mark.get("grade") and not mark.get("solution"):
                steps.append(Step(index, subject=mark["grade_id"]))
            else:
                steps.append(Step(index, source=cell.source))
                if not mark and (cell.id in self._ids or cell.source in self._places):
                    demonstrations[index] = self._places.get(cell.source)
        return steps, demonstrations

    def _key(self, steps: Iterable[Step], demonstrations: Mapping[int, int | None]) -> str:
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


def _definitions(sources: Sequence[str]) -> dict[str, frozenset[int]]:
    """For each name that these cells bind, the places of those that it takes to define it: the last that binds it, and what that reads."""
    binding: dict[str, list[int]] = {}
    for place, source in enumerate(sources):
        for name in _names(bound_names, source):
            binding.setdefault(name, []).append(place)

    def needed(place: int) -> set[int]:
        """For each name that a cell reads, the last before it that binds it; for one that only later cells bind, such as a function may read, the last."""
        found = (binding.get(name, []) for name in _names(read_names, sources[place]))
        last = ([at for at in places if at < place] or places[-1:] * (place not in places) for places in found)
        return {places[-1] for places in last if places}

    reads = [needed(place) for place in range(len(sources))]

    def definition(place: int) -> frozenset[int]:
        found, waiting = set[int](), {place}
        while waiting:
            found |= waiting
            waiting = set[int]().union(*(reads[at] for at in waiting)) - found
        return frozenset(found)

    return {name: definition(places[-1]) for name, places in binding.items()}


def _names(kind: Callable[[str], set[str]], source: str) -> set[str]:
    try:
        return kind(source)
    except SyntaxError:
        return set()
