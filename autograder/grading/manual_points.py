"""Points that a person gave, where an exercise has become worth less: they count up to what it is worth now.

What was given is remembered in `.autograder/marks`, so that it counts again if the exercise is worth as much again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from autograder.checkout import Course, read_mapping, write_mapping
from autograder.declare import added


@dataclass(frozen=True)
class Mark:
    """Points that a person gave for an exercise, which other points of the exercise change.

    Args:
        exercise: The exercise's name.
        given: What the person gave.
        before: What of it counted so far.
        counts: What of it counts now.
    """

    exercise: str
    given: float
    before: float
    counts: float

    def told(self) -> str:
        """What happens to it, in words."""
        return f"{self.exercise} by hand {added([self.before])} → {added([self.counts])}"


class Marks:
    """How much counts of the points that were given by hand in one chapter."""

    def __init__(self, course: Course, chapter: str, worth: Mapping[str, float]) -> None:
        """Read what is remembered.

        Args:
            course: The course.
            chapter: The chapter's name.
            worth: What each exercise is worth now, by its name.
        """
        self._path, self._worth = course.private / "marks" / f"{chapter}.json", worth
        self._kept: dict[str, dict[str, list[float]]] = read_mapping(self._path) or {}

    def changed(self, student: str, points: Mapping[str, float]) -> list[Mark]:
        """Which of a student's points count differently from before.

        Args:
            student: The student's id.
            points: What the gradebook has as given by hand, by the exercises' names.
        """
        kept = self._kept.get(student, {})
        found = []
        for exercise, before in points.items():
            given, counted = kept.get(exercise, (before, before))
            if counted != before:  # A person has marked it again since.
                given = before
            counts = min(given, self._worth.get(exercise, given))
            if counts != before:
                found.append(Mark(exercise, given, before, counts))
        return found

    def remember(self, student: str, marks: Iterable[Mark]) -> None:
        """Keep what was given of those that count less: before they are written.

        Raises:
            OSError: It cannot be kept.
        """
        less = {mark.exercise: [mark.given, mark.counts] for mark in marks if mark.counts < mark.given}
        if less:
            self._save({**self._kept, student: {**self._kept.get(student, {}), **less}})

    def forget(self, student: str, marks: Iterable[Mark]) -> None:
        """Keep no longer what counts in full again: after it is written.

        Raises:
            OSError: It cannot be kept.
        """
        full = {mark.exercise for mark in marks if mark.counts == mark.given}
        if full:
            rest = {name: kept for name, kept in self._kept.get(student, {}).items() if name not in full}
            self._save({**self._kept, student: rest})

    def _save(self, kept: dict[str, dict[str, list[float]]]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_mapping(self._path, kept)
        self._kept = kept
