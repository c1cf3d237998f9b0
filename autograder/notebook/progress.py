"""How far a reader is: what their last checks earned, chapter by chapter, and what comes next; and how they answer questions about their code.

`check` and `question` keep it in one small file beside the chapters' folders. Nothing is ever sent anywhere, and a file that cannot be written or
read disturbs nobody's checks; whoever asks how far they are is told.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from autograder.declare import LEFT_OUT, ExerciseChecks, chapters, kept_at, load_checks

FILE = "course-progress.json"
_QUESTIONS = "questions"
"""The name in the file under which the answers to questions are counted; no exercise has it."""
_WIDTH = 20
_MOST = 10_000
"""More points than an exercise has, and more questions than anyone answers."""
_NOTHING = "Nothing has been checked yet"


Answers = Mapping[str, tuple[int, int]]
"""By exercise, how many questions were answered right, and how many were answered."""


@dataclass(frozen=True)
class Standing:
    """How far an exercise is.

    Args:
        exercise: The exercise.
        earned: The visible points of its last check; None where it was never checked.
    """

    exercise: ExerciseChecks
    earned: int | None

    @property
    def visible(self) -> int:
        """The points that its visible checks are worth."""
        return int(self.exercise.visible.points)

    @property
    def is_done(self) -> bool:
        """Whether all visible checks passed."""
        return self.earned == self.visible


def keep(exercise: ExerciseChecks, earned: int, folder: Path | None = None) -> None:
    """Remember what the last check of an exercise earned.

    Args:
        exercise: The exercise.
        earned: The visible points.
        folder: The notebook's folder; by default, where the notebook runs.
    """
    file = _file(exercise, folder)
    kept, answered = _read(file) or ({}, {})
    kept.pop(exercise.exercise.name, None)  # The last one that was checked comes last.
    _write(file, {**kept, exercise.exercise.name: earned}, answered)


def count_answer(exercise: ExerciseChecks, is_right: bool, folder: Path | None = None) -> None:
    """Remember that a question about an exercise was answered.

    Args:
        exercise: The exercise.
        is_right: Whether the answer was right.
        folder: The notebook's folder; by default, where the notebook runs.
    """
    file = _file(exercise, folder)
    kept, answered = _read(file) or ({}, {})
    right, given = answered.get(exercise.exercise.name, (0, 0))
    _write(file, kept, {**answered, exercise.exercise.name: (right + is_right, given + 1)})


def _file(exercise: ExerciseChecks, folder: Path | None) -> Path:
    here = folder or Path.cwd()
    return (here.parent if here.name == exercise.chapter else here) / FILE


def _write(file: Path, kept: Mapping[str, int], answered: Answers) -> None:
    part = file.with_suffix(".part")
    counts = {_QUESTIONS: answered} if answered else {}
    with contextlib.suppress(OSError):
        part.write_text(json.dumps({**counts, **kept}, indent=1) + "\n", encoding="utf-8")
        part.replace(file)


def kept_beside(folder: Path) -> dict[str, int]:
    """What was kept for the notebooks of a folder, of the one that it is in, or of a clone's `notebooks/`; the last check comes last.

    Raises:
        ProgressError: The file that is there cannot be read.
    """
    return _read_beside(folder)[0]


def answered_beside(folder: Path) -> Answers:
    """By exercise, how many questions were answered right, and how many were answered, for the same notebooks.

    Raises:
        ProgressError: The file that is there cannot be read.
    """
    return _read_beside(folder)[1]


class ProgressError(ValueError):
    """What was kept cannot be read; the message says what to do."""


def _read_beside(folder: Path) -> tuple[dict[str, int], Answers]:
    places = (folder, folder.parent, folder / "notebooks")
    file = next((place / FILE for place in places if (place / FILE).is_file()), None)
    found = _read(file) if file else ({}, {})
    if found is None:
        raise ProgressError(
            f"{file} is damaged. Delete it: your notebooks stay as they are, and `check(...)` begins a new one."
        )
    return found


def _read(file: Path) -> tuple[dict[str, int], Answers] | None:
    """The points and the answers that the file holds; None where it is missing or damaged."""
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    answered = kept.pop(_QUESTIONS, {}) if type(kept) is dict else None
    if type(answered) is not dict or not all(map(_is_count, kept.values())):
        return None
    if not all(type(counts) is list and [*map(_is_count, counts)] == [True, True] for counts in answered.values()):
        return None
    return kept, {name: (right, given) for name, (right, given) in answered.items()}


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MOST


def standings(kept: Mapping[str, int]) -> dict[str, list[Standing]]:
    """How far each exercise of each chapter that is installed is."""
    return {
        chapter: [
            Standing(found, kept.get(found.exercise.name))
            for found in load_checks(chapter)
            if found.exercise.name not in left_out
        ]
        for chapter in chapters()
        for left_out in [_left_out(chapter)]
    }


def _left_out(chapter: str) -> list[str]:
    """The exercises that a class does not write, where this is the wheel of a class."""
    path = kept_at(chapter, LEFT_OUT)
    return list(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else []


def next_exercise(kept: Mapping[str, int], found: Mapping[str, Sequence[Standing]]) -> Standing | None:
    """What to do next: the first exercise that is not done of the chapter that was checked last, or of the first chapter with one."""
    last = next(reversed(list(kept)), "")
    here = [chapter for chapter, exercises in found.items() if any(s.exercise.exercise.name == last for s in exercises)]
    order = [standing for chapter in (*here, *found) for standing in found[chapter]]
    return next((standing for standing in order if not standing.is_done), None)


def as_text(kept: Mapping[str, int], answered: Answers | None = None) -> str:
    """The reader's progress for a terminal: a line for each chapter, the exercises of those that were begun, and what is next."""
    found = standings(kept)
    wide = max(map(len, found), default=0)
    lines = []
    for chapter, exercises in found.items():
        earned, visible, done = _sums(exercises)
        bar = "█" * int(_WIDTH * earned / visible)
        lines.append(
            f"{chapter:{wide}}  {bar:·<{_WIDTH}}  {earned:3} of {visible:3} points  {done} of {len(exercises)} exercises"
        )
        if earned < visible and any(standing.earned is not None for standing in exercises):
            lines += [f"  {_MARK[_state(s)]} {s.exercise.exercise.name}: {_told(s)}" for s in exercises]
    return "\n".join([*lines, "", *_closing(kept, answered or {}, found)])


def as_html(kept: Mapping[str, int], answered: Answers | None = None) -> str:
    """The same for a page: no script, no outside resource, readable in light and dark."""
    found = standings(kept)
    rows = []
    for chapter, exercises in found.items():
        earned, visible, done = _sums(exercises)
        cells = (
            escape(chapter),
            f"<meter min='0' max='{visible}' value='{earned}' style='width:9em'>{earned} of {visible}</meter>",
            f"{earned} of {visible} points",
            f"{done} of {len(exercises)} exercises",
        )
        rows.append(
            "".join(
                f"<td style='text-align:left;white-space:nowrap;padding:.1em .9em .1em 0'>{cell}</td>" for cell in cells
            )
        )
        if earned < visible and any(standing.earned is not None for standing in exercises):
            named = " · ".join(
                f"{_MARK[_state(s)]}\N{NO-BREAK SPACE}<code>{escape(s.exercise.exercise.name)}</code>"
                for s in exercises
            )
            rows.append(f"<td></td><td colspan='3' style='text-align:left;padding-bottom:.4em'>{named}</td>")
    table = "".join(f"<tr style='background:none'>{row}</tr>" for row in rows)
    closing = "".join(
        f"<p style='margin:.4em 0 0'>{escape(line)}</p>" for line in _closing(kept, answered or {}, found)
    )
    return f"<div style='max-width:60em;line-height:1.45'><table style='border:none;color:inherit'>{table}</table>{closing}</div>"


_MARK = {"done": "✓", "begun": "◐", "open": "○"}


def _state(standing: Standing) -> str:
    if standing.is_done:
        return "done"
    return "begun" if standing.earned else "open"


def _told(standing: Standing) -> str:
    return "not checked yet" if standing.earned is None else f"{standing.earned} of {standing.visible} points"


def _sums(exercises: Sequence[Standing]) -> tuple[int, int, int]:
    """The visible points that were earned, those that there are, and how many exercises are done."""
    earned = sum(standing.earned or 0 for standing in exercises)
    return earned, sum(standing.visible for standing in exercises), sum(standing.is_done for standing in exercises)


def _closing(kept: Mapping[str, int], answered: Answers, found: Mapping[str, Sequence[Standing]]) -> list[str]:
    """The sum, the questions, and what is next."""
    earned, visible, _ = _sums([standing for exercises in found.values() for standing in exercises])
    lines = [
        f"{earned} of {visible} points of the visible checks." if kept else f"{_NOTHING}: `check(...)` keeps count."
    ]
    right, given = (sum(counts) for counts in zip(*answered.values(), strict=True)) if answered else (0, 0)
    if given:
        lines.append(f"{right} of {given} question{'s' * (given != 1)} about your code answered right.")
    waiting = next_exercise(kept, found)
    if waiting is None:
        return [*lines, "All visible checks pass."]
    exercise = waiting.exercise.exercise
    minutes = f"about {exercise.minutes} minutes"
    return [*lines, f"Next: {exercise.name} in {waiting.exercise.chapter}, {exercise.title} ({minutes})."]
