"""How fast submissions are graded, and the slowest check of a notebook.

Speed is given as ratios against nbgrader's own autograding of the same submissions on the same machine in the same run: by the time that
passes, and by the seconds for which processors compute, which depend much less on what else runs on the machine.
"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from rich.console import Console

from autograder.building.notebook_files import is_demonstration, read
from autograder.declare import chapters, load_checks
from autograder.grading.run import grade_class
from autograder.judging.reference import load_reference
from autograder.notebook import commands
from autograder.samples.course import CHAPTER, ROOT, Student, make_course, plain_config, submissions, submit
from tests.processes import cpu_seconds_of_all

UNFIT = {
    "paul-endless",
    "quine-memory",
    "tove-deleted",
    "ulam-duplicated",
    "vera-retyped",
    "wei-truncated",
    "yuri-skips",
}
"""Who does not end, or is not graded by plain nbgrader at all: they would flatter one side or the other."""
WORKERS = os.cpu_count() or 1
SUBMISSIONS = {"equal": 10, "shipped": 4}
"""How many are counted: nbgrader takes a minute for one of a chapter as it is shipped."""
console = Console()


def grading() -> dict[str, Any]:
    """How many times as fast as plain nbgrader a submission is graded."""
    with tempfile.TemporaryDirectory() as folder:
        equal = _compare(Path(folder) / "equal", SUBMISSIONS["equal"], workers=1, demonstrations=False)
        shipped = _compare(Path(folder) / "shipped", SUBMISSIONS["shipped"], workers=WORKERS, demonstrations=True)
    return {
        "submissions": SUBMISSIONS,
        "workers": WORKERS,
        "budget": "smoke",
        "ratio_equal_work": equal["seconds"]["ratio"],
        "ratio_as_shipped": shipped["seconds"]["ratio"],
        "a_submission": {"equal_work": equal, "as_shipped": shipped},
    }


def _compare(root: Path, number: int, *, workers: int, demonstrations: bool) -> dict[str, dict[str, float]]:
    """Grade one class with both, and give what a submission takes.

    Ours runs its hidden checks besides. Neither side's start-up counts: each grades other submissions first.
    """
    course = make_course(root)
    shown = {cell.id for cell in read(course.solved(CHAPTER)).cells if is_demonstration(cell)}
    whole = {name: make() for name, make in submissions(Student(course)).items() if name not in UNFIT}
    if not demonstrations:
        for made in whole.values():
            made.cells = [cell for cell in made.cells if cell.id not in shown]
    names = sorted(whole)
    first, counted = names[:WORKERS], names[WORKERS : WORKERS + number]
    what = "as shipped" if demonstrations else "equal work"

    def hand_in(some: list[str]) -> None:
        shutil.rmtree(course.root / "submitted", ignore_errors=True)
        for name in some:
            submit(course, name, whole[name])

    def ours(some: list[str]) -> dict[str, float]:
        hand_in(some)
        quiet = Console(quiet=True)
        return _timed(
            f"{what}, ours: {len(some)}",
            lambda: grade_class(course, CHAPTER, workers=workers, box="landlock", scheduler=None, console=quiet),
        )

    def theirs(some: list[str]) -> dict[str, float]:
        hand_in(some)
        return _timed(f"{what}, nbgrader: {len(some)}", lambda: [api.autograde(CHAPTER, name) for name in some])

    config = plain_config(course)
    api = NbGraderAPI(CourseDirectory(config=config), config=config)
    ours(first)
    theirs(first[:1])
    took_ours, took_theirs = ours(counted), theirs(counted)
    return {
        unit: {
            "ours": round(took_ours[unit] / len(counted), 3),
            "nbgrader": round(took_theirs[unit] / len(counted), 3),
            "ratio": round(took_theirs[unit] / took_ours[unit], 1),
        }
        for unit in took_ours
    }


def _timed(what: str, run: Callable[[], Any]) -> dict[str, float]:
    """The seconds that it takes, and those of processors that this process and all that it started take for it."""
    console.print(f"{what} …")
    started, before = time.perf_counter(), cpu_seconds_of_all(os.getpid())
    run()
    return {"seconds": time.perf_counter() - started, "cpu_seconds": cpu_seconds_of_all(os.getpid()) - before}


def slowest_check() -> float:
    """Seconds of the slowest exercise's `check`, the median of five."""
    found = {}
    for chapter in chapters():
        module = load_reference(ROOT / "solutions", chapter)
        for exercise in load_checks(chapter):
            subject = getattr(module, exercise.exercise.name)
            commands._run(exercise, subject)
            times = []
            for _ in range(5):
                started = time.perf_counter()
                commands._run(exercise, subject)
                times.append(time.perf_counter() - started)
            found[exercise.exercise.name] = statistics.median(times)
    return round(max(found.values()), 3)
