"""The grader of a chapter: what has been graded is read from the store, and everything else is run and judged."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from nbformat import NotebookNode
from traitlets.config import Config

from autograder.building.notebook_files import promised_points, read
from autograder.checkout import Course, CourseError
from autograder.grading.plan import Job, Planner
from autograder.grading.result import Result, Results
from autograder.grading.sandbox import Limits, SandboxError, readable_folders
from autograder.outline import outline
from autograder.questions.traced import NAME
from autograder.settings import Settings, settings

if TYPE_CHECKING:
    from autograder.grading.judge import Judge
    from autograder.grading.worker import Run


class Grader:
    """Plans, runs and judges the submissions of one chapter of one course."""

    def __init__(self, course: Course, chosen: Settings, box: str, limits: Limits) -> None:
        if box != "none":
            _hold_apart(course)
        self.released = read(course.released(chosen.chapter))
        _hold_made(course, chosen.chapter)
        self.exercises = chosen.exercises()
        self.planner = Planner(course, chosen, limits, box)
        # Results are kept with the points of the course: other points of a class need no other run.
        self.results = Results(course, chosen.asked_in_outline())
        self._course, self._chosen = course, chosen
        self._lock = threading.Lock()

    @cached_property
    def judge(self) -> Judge:
        """The judge, made when there is something to judge: it asks the reference everything first."""
        from autograder.grading.judge import Judge  # It imports torch.

        with self._lock:
            return self.__dict__.get("judge") or Judge(self._course, self.planner.chapter, self._chosen.asked())

    def grade(self, notebook: NotebookNode, run: Callable[[Job], Run], ids: Collection[str] | None = None) -> Result:
        """The result of one repaired submission, from the store or by running it.

        Args:
            notebook: The submission.
            run: Runs a job, here or elsewhere.
            ids: What the student who handed it in may be called; None where nobody knows who that is.
        """
        result = self.results.get(self.planner.key(notebook))
        if result is None:
            job = self.planner.job(notebook)
            try:
                result = self.judge.judge(notebook, job, run(job))
            except SandboxError as error:
                return self.judge.fault(self.exercises, str(error))
            self.results.put(job.key, result)
        return self._whole(result, notebook, ids)

    def stored(self, notebook: NotebookNode, ids: Collection[str] | None = None) -> Result | None:
        """The result of one repaired submission if it is stored; the arguments are those of `grade`."""
        result = self.results.get(self.planner.key(notebook))
        return result and self._whole(result, notebook, ids)

    def _whole(self, result: Result, notebook: NotebookNode, ids: Collection[str] | None) -> Result:
        """A stored result with the points of the class, and with what depends on who handed it in, which is not stored."""
        if self._chosen.traced:
            from autograder.grading.own_questions import judge_own  # It imports torch.

            own = judge_own(self.exercises[-1], notebook, self.released, ids, self._course.solutions)
            result = replace(result, outcomes={**result.outcomes, NAME: own})
        return result.worth_as(self.exercises)


def _hold_apart(course: Course) -> None:
    """Hold that the course is not in a folder that the sandbox lets students' code read."""
    inside = [folder for folder in readable_folders() if course.root.resolve().is_relative_to(folder.resolve())]
    if inside:
        raise CourseError(
            f"the course {course.root} is in {inside[0]}, which students' code may read: move it elsewhere"
        )


def _hold_made(course: Course, chapter: str) -> None:
    """Hold that the solved notebook, from which releases are made, has the points of today's checks."""
    made = promised_points(read(course.solved(chapter)))
    old = [e.exercise.name for e in outline(chapter) if made.get(e.exercise.name) != e.points]
    if old:
        raise CourseError(
            f"the points of {', '.join(old)} have changed since {course.solved(chapter)} was made: run `autograder make {chapter}`"
        )


def grader(course: Course, chapter: str, config: Config, box: str) -> Grader:
    """The grader of a chapter by what the course's configuration says now, kept for the life of the process.

    Args:
        course: The course, in which the chapter has been released.
        chapter: The chapter's name.
        config: The course's configuration.
        box: `landlock`, or `none` for no sandbox.
    """
    limits = Limits(**config.ExecuteInSandbox.get("limits", {}))
    return _grader(str(course.root), settings(config, chapter), course.released(chapter).read_bytes(), box, limits)


@lru_cache(maxsize=8)
def _grader(root: str, chosen: Settings, released: bytes, box: str, limits: Limits) -> Grader:
    """The grader for one state of the released notebook."""
    return Grader(Course(Path(root)), chosen, box, limits)
