"""Grades one notebook by itself, without a class and a gradebook: for workflows, for Gradescope, and at the terminal."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.building.weave import is_written
from autograder.checkout import Course, CourseError, course_config
from autograder.declare import ExerciseChecks, added, chapters, load_exercises
from autograder.grading import sandbox
from autograder.grading.config_drift import hold_as_graded
from autograder.grading.engine import run_job
from autograder.grading.grader import grader
from autograder.grading.repair import read_submission
from autograder.grading.result import Result
from autograder.judging.verdict import Status
from autograder.notebook.report import as_text, told


@dataclass(frozen=True)
class Single:
    """One notebook, graded.

    Args:
        chapter: The chapter's name.
        exercises: Its exercises.
        result: What each of them earned.
        written: The points of the written answer, which a person gives; 0 if the chapter has none.
        problems: What was repaired in the notebook or could not be read, in sentences.
    """

    chapter: str
    exercises: tuple[ExerciseChecks, ...]
    result: Result
    written: int
    problems: list[str]

    @property
    def points(self) -> float:
        """What the checks gave."""
        return added(self.result.earned(found.exercise.name) for found in self.exercises)

    @property
    def worth(self) -> float:
        """What the checks can give, without extra credit."""
        return added(found.required for found in self.exercises)

    @property
    def exit_code(self) -> int:
        """0 if every check passed, 1 if one did not, 2 if the grader itself failed."""
        missed = any(o.status is not Status.PASSED for found in self.result.outcomes.values() for o in found)
        return 2 if self.result.faulty else int(missed)

    def tree(self) -> dict[str, Any]:
        """The grade for a program; of a hidden check its hint alone, as in the feedback."""
        return {
            "chapter": self.chapter,
            "points": self.points,
            "max_points": self.worth,
            "read_by_a_person": self.written,
            "problems": self.problems,
            "exercises": [
                {
                    "exercise": found.exercise.name,
                    "points": self.result.earned(found.exercise.name),
                    "max_points": found.points,
                    "extra_credit": found.extra_credit,
                    "checks": [
                        {
                            "check": outcome.name,
                            "points": added([outcome.earned]),
                            "max_points": added([outcome.points]),
                            "hidden": outcome.hidden,
                            "note": told(outcome),
                        }
                        for outcome in self.result.outcomes[found.exercise.name]
                    ],
                }
                for found in self.exercises
            ],
        }

    def gradescope(self) -> dict[str, Any]:
        """The grade as Gradescope reads it from `results.json`: a test for each exercise, with its report."""
        if self.result.faulty:
            said = "The grader failed, not your notebook: tell your instructor."
            return {"score": 0, "output": said, "visibility": "visible"}
        problems = "\n".join(["Notes from grading:", *(f"- {problem}" for problem in self.problems)])
        return {
            "output": problems if self.problems else "",
            "visibility": "visible",
            "tests": [
                {
                    "name": found.exercise.name + " (extra credit)" * found.extra_credit,
                    "score": self.result.earned(found.exercise.name),
                    "max_score": found.required,
                    "output": as_text(found, self.result.outcomes[found.exercise.name]),
                }
                for found in self.exercises
            ],
        }


def grade_one(course: Course, chapter: str, notebook: Path, box: str) -> Single:
    """Grade one notebook, whatever state it is in, with the hidden checks.

    Args:
        course: The course, in which the chapter has been released.
        chapter: The chapter's name.
        notebook: The file.
        box: `landlock`, or `none` for no sandbox.

    Raises:
        CourseError: The chapter has not been released, or there is no such file, or only by way of a link.
        SandboxError: The sandbox is not available here.
    """
    if not notebook.is_file():
        raise CourseError(f"there is no notebook {notebook}")
    if notebook.parent.resolve() != Path(os.path.abspath(notebook.parent)):
        raise CourseError(
            f"{notebook} is in a folder that is a symbolic link, which is not followed: name the file itself, {notebook.resolve()}"
        )
    if not course.released(chapter).is_file():
        raise CourseError(f"{chapter} has not been released: run `autograder release {chapter}`")
    if box != "none":
        sandbox.hold_available()
    config = course_config(course.root)
    hold_as_graded(course, chapter, config)
    found = grader(course, chapter, config, box)
    repaired = read_submission(notebook, found.released)
    worth = sum(int(cell.metadata.nbgrader.points) for cell in found.released.cells if is_written(cell))
    return Single(chapter, found.exercises, found.grade(repaired.notebook, run_job), worth, repaired.problems)


def chapter_of(notebook: Path) -> str:
    """The chapter that a notebook is of, by its name or else by the exercises in it.

    Raises:
        CourseError: It is of none.
    """
    if notebook.stem in chapters():
        return notebook.stem
    text = notebook.read_text(encoding="utf-8", errors="replace") if notebook.is_file() else ""
    count = {name: sum(json.dumps(e.name) in text for e in load_exercises(name)) for name in chapters()}
    best = max(count, key=lambda name: count[name])
    if not count[best]:
        raise CourseError(f"{notebook} does not belong to a chapter of this course: name the chapter with --chapter")
    return best
