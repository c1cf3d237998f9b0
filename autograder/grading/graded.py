"""What came of grading a class, or would come of it, and the tables that a terminal shows of that."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from statistics import mean

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from autograder.declare import ExerciseChecks, added
from autograder.grading.sanitize import printable
from autograder.judging.verdict import Outcome, Status

WAITS = "waits"
_UNWRITTEN = "not attempted"
_FOR_NOTES, _FOR_A_PART = 80, 6
"""Columns of a terminal that the table needs for all but the exercises, and for each exercise."""
_MANY = 40
"""Of a larger class, the terminal shows how the points are distributed, and only who needs attention."""
_MOST_SHOWN = 8
"""How many of those who need attention it names."""
_MOST_MISSED = 3
_BARS, _BAR = 10, 40
_SCORE = r" [\d.]+/[\d.]+: "
"""What stands between an exercise's name and what was missed in it, in a note: points may be fractions."""


@dataclass
class Row:
    """What the table says of one student.

    Args:
        student: The student's id.
        points: What was earned in all, as the gradebook has it, before a penalty for late work.
        notes: What went wrong, in sentences.
        parts: The points of each exercise, as the gradebook has them.
        by_hand: What became of the written answer, in a word or its points.
        written: Whether the gradebook has this grade, and the grader itself did not fail.
        is_new: Whether it was graded now, and not before.
        is_late: Whether it was handed in late, which the first note then says.
        penalty: The points that this costs.
        is_known: Whether the student is on the roster, if there is one.
        seconds: For how long the code computed, if it was graded now.
    """

    student: str
    points: float = 0
    notes: list[str] = field(default_factory=list)
    parts: Mapping[str, float | None] = field(default_factory=dict)
    by_hand: str = ""
    written: bool = True
    is_new: bool = field(default=True, compare=False)
    is_late: bool = False
    penalty: float = 0
    is_known: bool = True
    seconds: float = field(default=0, compare=False)


@dataclass(frozen=True)
class Graded:
    """A graded class, or as much of it as there was time for.

    Args:
        chapter: The chapter's name.
        exercises: Its exercises.
        rows: A row for each student who was graded, by their ids.
        written: The points of its written question, 0 if it has none.
        handed_in: How many handed it in.
        stopped: Why it stopped before the end, or empty.
        warnings: What went wrong with no student in particular.
        strangers: What was graded and is not in the gradebook, because the folder's name is not on the roster, in sentences.
        signal: The number of the signal that stopped it, or 0.
    """

    chapter: str
    exercises: tuple[ExerciseChecks, ...]
    rows: list[Row]
    written: int
    handed_in: int
    stopped: str = ""
    warnings: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()
    signal: int = 0

    @property
    def points(self) -> float:
        """What the chapter is worth, without extra credit."""
        return added([*(exercise.required for exercise in self.exercises), self.written])

    @property
    def waiting(self) -> int:
        """How many written answers nobody has read yet."""
        return sum(row.by_hand == WAITS for row in self.rows)

    @property
    def unwritten(self) -> list[str]:
        """The students whose grade could not be written."""
        return [row.student for row in self.rows if not row.written]

    @property
    def is_whole(self) -> bool:
        """Whether the grade of everybody on the roster who handed in was written, without a fault of the grader."""
        return not (self.signal or self.stopped or self.unwritten)

    @property
    def exit_code(self) -> int:
        """What the command ends with: 0 only when it is whole, and every submission belongs to somebody."""
        if self.signal:
            return 128 + self.signal
        return int(bool(not self.is_whole or self.strangers))

    @property
    def would_write(self) -> bool:
        """Whether the same run without `dry_run` would change anything."""
        return False

    def table(self, width: int) -> RenderableType:
        """What the terminal shows: a line for each student, or of a large class how it did and who needs attention.

        Args:
            width: Of the terminal; where it is wide enough, each exercise of a small class has a column.
        """
        if len(self.rows) <= _MANY:
            return self._lines(width)
        return Group(
            self._distribution(), self._most_often(), *self._attention(), *(Text(line) for line in self._legend([]))
        )

    def _distribution(self) -> Table:
        """How many students have how many points, a line for each tenth of what there is."""
        out = Table(
            title=f"{self.chapter}: {len(self.rows)} students, {self.points} points", title_justify="left", box=None
        )
        for name in ("points", "students"):
            out.add_column(name, justify="right", no_wrap=True)
        out.add_column("", no_wrap=True)
        most = max(1, ceil(self.points))
        size = -(-most // _BARS)
        counts = [0] * -(-most // size)
        for row in self.rows:
            counts[max(0, min(len(counts) - 1, int(row.points // size)))] += 1
        for place in reversed(range(next(place for place, count in enumerate(counts) if count), len(counts))):
            first, last = place * size, most if place == len(counts) - 1 else place * size + size - 1
            reach = f"{first}" if first == last else f"{first} to {last}"
            out.add_row(reach, f"{counts[place]}", "█" * -(-_BAR * counts[place] // max(counts)))
        return out

    def _most_often(self) -> Table:
        """What was missed by most students."""
        of_exercise = self._of_exercise
        count = Counter(_missed(note) for row in self.rows for note in row.notes if of_exercise.match(note))
        out = Table(box=None, expand=True)
        out.add_column("students", justify="right", no_wrap=True)
        out.add_column("most often missed", ratio=1, no_wrap=True, overflow="ellipsis")
        for words, number in count.most_common(_MOST_MISSED):
            out.add_row(str(number), escape(printable(words)))
        return out

    @property
    def _of_exercise(self) -> re.Pattern[str]:
        """Matches a note on the points of an exercise."""
        return re.compile(rf"({'|'.join(found.exercise.name for found in self.exercises)}){_SCORE}")

    def _attention(self) -> Iterator[Table | Text]:
        """Who needs attention: whose grade is not written, then whose notebook was damaged, repaired or failed."""
        usual = self._of_exercise
        concerns = {
            row.student: [note for note in row.notes[row.is_late :] if not usual.match(note)] for row in self.rows
        }
        listed = [row for row in self.rows if concerns[row.student] or not row.written]
        listed.sort(key=lambda row: (row.written, row.points))
        if listed:
            out = Table(expand=True)
            out.add_column("student", no_wrap=True)
            out.add_column("points", justify="right", no_wrap=True)
            out.add_column("who needs attention, and why", ratio=1, no_wrap=True, overflow="ellipsis")
            for row in listed[:_MOST_SHOWN]:
                why = _first(replace(row, notes=concerns[row.student] or row.notes))
                out.add_row(escape(printable(row.student)), f"{row.points:g}", escape(why))
            yield out
        rest = [f"{len(listed) - _MOST_SHOWN} more need attention"] if len(listed) > _MOST_SHOWN else []
        late = sum(row.is_late for row in self.rows)
        rest += [f"{late} handed in late"] if late else []
        if rest:
            yield Text(", and ".join(rest) + ".")

    def _lines(self, width: int) -> Table:
        """A line for each student: the points, what waits for a person, and the first thing that went wrong."""
        out = Table(title=f"{self.chapter}: {self.points} points", title_justify="left", expand=True)
        out.add_column("student", no_wrap=True)
        out.add_column("points", justify="right", no_wrap=True)
        names = [exercise.exercise.name for exercise in self.exercises]
        shown = names if width >= _FOR_NOTES + _FOR_A_PART * len(names) else []
        for number, _ in enumerate(shown, start=1):
            out.add_column(str(number), justify="right", no_wrap=True)
        if self.written:
            out.add_column("by hand", justify="right", no_wrap=True)
        out.add_column("what went wrong", ratio=1, no_wrap=True, overflow="ellipsis")
        for row in self.rows:
            parts = [f"{row.parts.get(name) or 0:g}" for name in shown]
            by_hand = [row.by_hand] if self.written else []
            out.add_row(escape(printable(row.student)), f"{row.points:g}", *parts, *by_hand, escape(_first(row)))
        out.caption = "\n".join(self._legend(shown)) or None
        out.caption_justify = "left"
        return out

    def _legend(self, shown: Sequence[str]) -> Iterator[str]:
        if shown:
            worth = [f"{found.points}{', extra credit' * found.extra_credit}" for found in self.exercises]
            yield ", ".join(
                f"{number} {name} ({points})"
                for number, (name, points) in enumerate(zip(shown, worth, strict=True), start=1)
            )
        seconds = [row.seconds for row in self.rows if row.seconds]
        if seconds:
            yield f"A submission's code computed for {mean(seconds):.1f} s on average, and for {max(seconds):.1f} s at most."
        if any(row.penalty for row in self.rows):
            yield "The points are before penalties for late work, which the export subtracts."
        if self.waiting:
            answers = "1 written answer has" if self.waiting == 1 else f"{self.waiting} written answers have"
            yield (
                f"{answers} yet to be graded by a person, and {'counts' if self.waiting == 1 else 'count'} 0 until then: "
                f"`autograder mark {self.chapter}` shows them one at a time, with the rubric."
            )

    def closing(self) -> list[str]:
        """What is said under the table: what went wrong with no student in particular, and what to do next."""
        lines = list(self.warnings)
        if self.unwritten:
            count = "1 grade is" if len(self.unwritten) == 1 else f"{len(self.unwritten)} grades are"
            lines.append(
                f"{count} not in the gradebook, for the reason given in the table. Run the same command again."
            )
        lines += self._unassigned()
        if self.stopped:
            done = len(self.rows) + len(self.strangers) - len(self.unwritten)
            lines.append(f"{self.stopped}: {done} of {self.handed_in} graded; run the same command for the rest.")
        return lines

    def _unassigned(self) -> list[str]:
        """Who needs to be assigned to somebody on the roster, and how."""
        if not self.strangers:
            return []
        one = len(self.strangers) == 1
        return [
            f"Graded, but counted for nobody, because {'a folder is' if one else 'these folders are'} not on the roster:",
            *(f"  {printable(line)}" for line in self.strangers),
            "Rename the folder, or add the student with `autograder roster`; then grade again, which runs nothing twice.",
        ]


@dataclass(frozen=True)
class Change:
    """A grade that would change.

    Args:
        student: The student's id.
        before: The score in the gradebook, less the penalty for late work; None if there is none yet.
        after: The score that there would be.
        parts: What would be different, in words.
    """

    student: str
    before: float | None
    after: float
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Preview(Graded):
    """What grading would change.

    Args:
        changes: The grades that would change.
        changed: What the exercises were worth whose points have changed, in words.
        by_hand: The students to whom a person gave points for such an exercise that stay as they are.
        capped: The points given by hand that are more than the exercise is worth now, in words.
        was_worth: What the chapter is worth in the gradebook.
    """

    changes: tuple[Change, ...] = ()
    changed: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()
    capped: tuple[str, ...] = ()
    was_worth: float = 0

    @property
    def would_write(self) -> bool:
        """Whether the same run without `dry_run` would change anything."""
        return bool(self.changes or self.changed)

    def table(self, width: int) -> Table:
        """A line for each grade that would change, in a large class for those that would change most."""
        out = Table(title=f"{self.chapter}: what would change", title_justify="left", expand=True)
        out.add_column("student", no_wrap=True)
        for name in ("now", "then", "change"):
            out.add_column(name, justify="right", no_wrap=True)
        out.add_column("what changes", ratio=1)
        listed = list(self.changes)
        captions = ["Both columns are after penalties for late work."] if any(row.penalty for row in self.rows) else []
        if len(listed) > _MANY:
            listed.sort(key=lambda change: -abs(change.after - (change.before or 0)))
            captions.append(f"These are the {_MANY} largest of {len(listed)} changes.")
        if self._other_worth:
            captions.append("Percentages are of what the chapter is worth now and then.")
        out.caption, out.caption_justify = "\n".join(captions) or None, "left"
        for change in listed[:_MANY]:
            now = "none" if change.before is None else f"{change.before:g}{self._share(change.before, self.was_worth)}"
            then = f"{change.after:g}{self._share(change.after, self.points)}"
            difference = f"{change.after - (change.before or 0):+g}"
            out.add_row(escape(printable(change.student)), now, then, difference, escape("; ".join(change.parts)))
        return out

    @property
    def _other_worth(self) -> bool:
        """Whether the chapter would be worth something else."""
        return bool(self.was_worth and self.points) and self.was_worth != self.points

    def _share(self, points: float, worth: float) -> str:
        """The points in per cent, where the chapter would be worth something else."""
        return f" ({100 * points / worth:.0f}%)" if self._other_worth else ""

    def closing(self) -> list[str]:
        """How many grades would change, and what went wrong."""
        new = sum(change.before is None for change in self.changes)
        changed = len(self.changes) - new
        lines = [] if self.stopped else [f"{changed} of {self.handed_in} grades would change, and {new} would be new."]
        failed = [f"{printable(student)} could not be graded: see `autograder grade`." for student in self.unwritten]
        stopped = [f"{self.stopped}: there is no result for the class."] if self.stopped else []
        told = [f"{line}." for line in self.changed]
        if self.changed:
            told.append(f"The chapter is then worth {self.points} points.")
        if self.capped:
            told.append(
                "Points that a person gave count only up to what the exercise is worth now, and wait to be marked again: "
                f"{'; '.join(map(printable, self.capped))}."
            )
        if self.by_hand:
            told.append(
                f"Points that a person gave for these exercises stay as they are: look again at {', '.join(map(printable, self.by_hand))}."
            )
        return [
            *(*told, *self.warnings, *failed, *self._unassigned(), *stopped, *lines),
            "No grade has been written yet.",
        ]


def note_on(exercise: str, outcomes: list[Outcome]) -> str:
    """What went wrong with one exercise, in a line: the first check that was missed, and how many more were."""
    missed = [outcome for outcome in outcomes if outcome.status is not Status.PASSED]
    if not missed:
        return ""
    missed.sort(key=lambda outcome: outcome.hidden)
    first, more = missed[0], len(missed) - 1
    score = f"{exercise} {added(o.earned for o in outcomes)}/{added(o.points for o in outcomes)}"
    if first.status is Status.NOT_ATTEMPTED:
        return f"{score}: {_UNWRITTEN}"
    if first.hidden and first.status is not Status.GRADER_FAULT:
        # What a hidden check says could carry what it was asked.
        return f"{score}: hidden check “{first.name}”{f' (and {more} more)' if more else ''}"
    what = first.message or first.name
    kind = "" if first.status is Status.FAILED else f"{first.status.value}: "
    return f"{score}: {kind}{textwrap.shorten(what, 160, placeholder=' …')}{f' (and {more} more)' if more else ''}"


def _first(row: Row) -> str:
    """The note that matters most and how many more there are: why a grade is not written, or what went wrong before what is not written."""
    if not row.notes:
        return ""
    ordered = sorted(row.notes, key=lambda note: note.endswith(_UNWRITTEN))
    shown = ordered[0] if row.written else row.notes[-1]
    more = f"(+{len(row.notes) - 1}) " if len(row.notes) > 1 else ""
    return more + " ".join(printable(shown).split())


def _missed(note: str) -> str:
    """A note on an exercise without what is one student's own: the points, further checks, and numbers."""
    words = re.sub(_SCORE, ": ", re.sub(r" \(and \d+ more\)$", "", note), count=1)
    return re.sub(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", "…", words)
