"""What the course's configuration says of its exercises: which are left out, what each is worth, and which are extra credit.

It is in the section `Exercises` of `nbgrader_config.py`, by chapter:

    c.Exercises.leave_out = {"ch05_attention": ["attend"]}
    c.Exercises.points = {"ch05_attention": {"masked_softmax": 20}}
    c.Exercises.extra_credit = {"ch05_attention": ["AttentionDecoder"]}
    c.Exercises.viva = 5
    c.Exercises.individual = True

The written question of a chapter is called `written` here. A chapter that is not named is as the course made it. A viva
has the points of its line in a column of its own; without the line it has none. With `individual`, each student
is asked three questions in the notebook whose inputs depend on the student's id.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from traitlets.config import Config

from autograder.checkout import CourseError
from autograder.declare import ExerciseChecks, chapter_named, load_checks, told_points
from autograder.outline import exercise_names, outline
from autograder.questions.traced import as_exercise, traced

WRITTEN = "written"
_FORMS = {
    "leave_out": 'c.Exercises.leave_out = {"ch05_attention": ["attend"]}',
    "points": 'c.Exercises.points = {"ch05_attention": {"attend": 20}}',
    "extra_credit": 'c.Exercises.extra_credit = {"ch05_attention": ["attend"]}',
}


_VIVA, _INDIVIDUAL = "viva", "individual"
_ENDING = "-viva"


@dataclass(frozen=True)
class Settings:
    """What the configuration says of one chapter.

    Args:
        chapter: The chapter's name.
        leave_out: The exercises that the class does not get.
        points: The exercises that are not worth what the course says, and what they are worth instead.
        extra_credit: The exercises whose points count and do not raise the maximum.
        individual: Whether each student is asked questions with inputs of their own.
    """

    chapter: str
    leave_out: frozenset[str] = frozenset()
    points: frozenset[tuple[str, float]] = frozenset()
    extra_credit: frozenset[str] = frozenset()
    individual: bool = False

    def exercises(self) -> tuple[ExerciseChecks, ...]:
        """The chapter's exercises that the class gets, with what they are worth to it, in outline: no check of them can be run.

        The questions with a student's own inputs come last.
        """
        found = tuple(map(self.set_in, self._left(outline(self.chapter))))
        return (*found, as_exercise(self.chapter)) if self.traced else found

    @property
    def traced(self) -> tuple[str, ...]:
        """The exercises that the questions with a student's own inputs are about; none where the class has no such questions."""
        return traced([name for name in exercise_names(self.chapter) if name not in self.leave_out] * self.individual)

    def asked(self) -> tuple[ExerciseChecks, ...]:
        """The exercises that the class gets, with the points that the course gives them; their checks can be run."""
        return self._left(load_checks(self.chapter))

    def asked_in_outline(self) -> tuple[ExerciseChecks, ...]:
        """The same in outline."""
        return self._left(outline(self.chapter))

    def _left(self, exercises: Iterable[ExerciseChecks]) -> tuple[ExerciseChecks, ...]:
        return tuple(found for found in exercises if found.exercise.name not in self.leave_out)

    def set_in(self, found: ExerciseChecks) -> ExerciseChecks:
        """An exercise with what it is worth to the class."""
        name = found.exercise.name
        return found.worth(dict(self.points).get(name, found.points), extra_credit=name in self.extra_credit)


def settings(config: Config, chapter: str) -> Settings:
    """What a course's configuration says of a chapter.

    Args:
        config: The course's configuration, which is checked as a whole.
        chapter: The chapter's full name.

    Raises:
        CourseError: It names a chapter, an exercise or points that cannot be; the message says where and what to write.
    """
    section = config.get("Exercises", {})
    for option in section:
        _hold_known(f"c.Exercises.{option}", "option", option, [*_FORMS, _VIVA, _INDIVIDUAL])
    viva_points(config)
    individual = section.get(_INDIVIDUAL, False)
    if not isinstance(individual, bool):
        raise CourseError(f"c.Exercises.individual is {individual!r}: write True or False")
    found = {option: _by_chapter(section, option) for option in _FORMS}
    for option, chapters in found.items():
        for name, value in chapters.items():
            _hold_exercises(option, name, value)
    left_out = frozenset(found["leave_out"].get(chapter, ()))
    points = dict(found["points"].get(chapter, {}))
    extra_credit = frozenset(found["extra_credit"].get(chapter, ()))
    both = left_out & {*points, *extra_credit}
    if both:
        raise CourseError(
            f"nbgrader_config.py: {', '.join(sorted(both))} of {chapter} is left out, and cannot have points or be extra credit"
        )
    counted = {*exercise_names(chapter)} - left_out
    if not counted:
        raise CourseError(f"c.Exercises.leave_out: every exercise of {chapter} is left out: then do not release it")
    if counted <= extra_credit and (left_out or extra_credit):
        raise CourseError(
            f"c.Exercises.extra_credit: every exercise left in {chapter} is extra credit: at least one must not be"
        )
    return Settings(chapter, left_out, frozenset(points.items()), extra_credit, individual)


def viva_points(config: Config) -> float:
    """What the viva on a chapter is worth; 0 where it has no points.

    Args:
        config: The course's configuration.

    Raises:
        CourseError: It says what cannot be.
    """
    points = config.get("Exercises", {}).get(_VIVA, 0)
    if not _is_points(points):
        raise CourseError(
            f"c.Exercises.viva is {points!r}: write a number that is not negative, such as c.Exercises.viva = 5"
        )
    return float(points)


def viva_name(chapter: str) -> str:
    """What the gradebook calls the viva on a chapter."""
    return f"{chapter}{_ENDING}"


def is_viva(assignment: str) -> bool:
    """Whether an assignment is a viva."""
    return assignment.endswith(_ENDING)


def _is_points(points: Any) -> bool:
    number = isinstance(points, (int, float)) and not isinstance(points, bool)
    return number and math.isfinite(points) and points >= 0


def _by_chapter(section: Mapping[str, Any], option: str) -> dict[str, Any]:
    """What one option says, by the full names of the chapters."""
    value = section.get(option, {})
    if not isinstance(value, Mapping):
        raise CourseError(f"c.Exercises.{option} is {value!r}: write, for example, {_FORMS[option]}")
    found: dict[str, Any] = {}
    for chapter, said in value.items():
        try:
            name = chapter_named(str(chapter))
        except ValueError as error:
            raise CourseError(f"c.Exercises.{option}: {error}") from error
        if name in found:
            raise CourseError(f"c.Exercises.{option} names {name} twice")
        found[name] = said
    return found


def _hold_exercises(option: str, chapter: str, said: Any) -> None:
    """Hold that what an option says of a chapter is of its exercises."""
    where = f"c.Exercises.{option} of {chapter}"
    meant = isinstance(said, Mapping) if option == "points" else isinstance(said, (list, tuple, set))
    if not meant or not said:
        state = "is empty" if meant else f"is {said!r}"
        raise CourseError(f"{where} {state}: write, for example, {_FORMS[option]}, or leave the chapter out of it")
    known = [*exercise_names(chapter), WRITTEN]
    for name in said:
        if option != "leave_out" and name == WRITTEN:
            raise CourseError(
                f"{where} names the written question, whose points are the items of its rubric: it can only be left out"
            )
        _hold_known(where, "exercise", name, known)
    for name, points in said.items() if isinstance(said, Mapping) else ():
        if not _is_points(points):
            raise CourseError(f"{where}: {name} has {points!r} points: write a number that is not negative")


def _hold_known(where: str, kind: str, name: Any, known: Collection[str]) -> None:
    if name in known:
        return
    near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.6)
    asked = f"did you mean {near[0]}? " if near else ""
    raise CourseError(f"{where}: there is no {kind} {name!r}; {asked}there are {', '.join(known)}")


def worths(exercises: Iterable[ExerciseChecks]) -> dict[str, str]:
    """What each exercise is worth, in words, by its name."""
    return {found.exercise.name: in_words(found.points, found.extra_credit) for found in exercises}


def in_words(points: float, extra_credit: bool) -> str:
    """What an exercise is worth, in words."""
    told = told_points(points)
    return f"{told} of extra credit" if extra_credit else told
