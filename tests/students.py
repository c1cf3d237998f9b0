"""What students hand in: for each exercise, mistakes, each with the check that must name it, and right answers."""

from collections import Counter
from functools import cache
from typing import Any

from autograder.declare import ExerciseChecks, chapters, load_checks
from autograder.judging.catalogue import load_catalogue


@cache
def modules() -> dict[str, Any]:
    """The answers to each exercise."""
    return {e.exercise.name: Listed(e) for chapter in chapters() for e in load_checks(chapter)}


class Listed:
    """What the catalogue of an exercise holds, with whatever else its module defines."""

    def __init__(self, exercise: ExerciseChecks) -> None:
        found = load_catalogue(exercise)
        self._module, self.EXERCISE, self.FORBIDDEN = found.module, exercise.exercise.name, found.forbidden
        self.WRONG = {one.subject: one.check for one in found.mistakes}
        self.SENTENCES = {one.subject: one.sentence for one in found.mistakes}
        names, seen = [getattr(each, "__name__", type(each).__name__) for each in found.right], Counter[str]()
        seen.update(names)
        self.RIGHT = {
            name if seen[name] == 1 else f"{name} {place}": each
            for place, (name, each) in enumerate(zip(names, found.right, strict=True))
        }

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def answers_to(exercise: str) -> Any:
    """The answers to one exercise."""
    return modules()[exercise]
