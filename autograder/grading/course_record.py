"""What a class has done in all chapters so far, as the report on the course tells it: read from the gradebook alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from statistics import fmean, median

from autograder.building.notebook_files import promised_points, read
from autograder.checkout import Course, CourseError, course_config
from autograder.declare import chapters
from autograder.grading.config_drift import late_notice, notice
from autograder.grading.export import Line, Standing, read_lines
from autograder.settings import settings

HALF = 0.5
"""Below this share of a chapter's points, a student has too little of it."""
_LATEST = 2
"""The chapters by which a student falls behind: the latest ones."""
_DROP = 0.25
_GRADED = (Standing.GRADED, Standing.LATE, Standing.WAITING)


@dataclass(frozen=True)
class Learnt:
    """How an exercise went.

    Args:
        chapter: Its chapter.
        exercise: Its name.
        points: What it is worth.
        share: The share of its points that those who handed in earned.
        full: How many of them earned all points.
        weak: How many earned less than half.
        number: How many handed in.
    """

    chapter: str
    exercise: str
    points: float
    share: float
    full: int
    weak: int
    number: int


@dataclass(frozen=True)
class CourseRecord:
    """What a class has done so far.

    Args:
        lines: What the gradebook has of each student, by chapter and by the student's id.
        worths: What each exercise is worth, by chapter; extra credit is left out.
        now: The time (UTC).
        outdated: What grades are out of date, in sentences.
    """

    lines: Mapping[str, Mapping[str, Line]]
    worths: Mapping[str, Mapping[str, float]]
    now: datetime
    outdated: tuple[str, ...] = ()

    @property
    def students(self) -> list[str]:
        """The ids of the class."""
        return sorted({student for lines in self.lines.values() for student in lines})

    @cached_property
    def counted(self) -> list[str]:
        """The chapters that count: something has been graded, and the due date, if there is one, is over."""
        return [chapter for chapter in self.lines if self._graded(chapter) and not self._is_open(chapter)]

    def _graded(self, chapter: str) -> list[Line]:
        return [line for line in self.lines[chapter].values() if line.standing in _GRADED]

    def _is_open(self, chapter: str) -> bool:
        """Whether the class may still hand in: whatever the extensions, most of it is due at the earliest date."""
        dates = [line.due for line in self.lines[chapter].values() if line.due]
        return bool(dates) and min(dates) > self.now

    def share(self, student: str, chapter: str) -> float | None:
        """The share of a chapter's points that a student has; None where that is not known, or is not due for this student."""
        line = self.lines[chapter].get(student)
        if line is None or not line.worth:
            return None
        if line.standing is Standing.MISSING:
            return None if line.due and line.due > self.now else 0.0
        return None if line.score is None else line.score / line.worth

    def shares(self, student: str) -> list[float]:
        """A student's shares of the chapters that count, in order, as far as they are known."""
        return [share for chapter in self.counted if (share := self.share(student, chapter)) is not None]

    def average(self, student: str) -> float | None:
        """The mean of a student's shares; None where nothing counts yet."""
        shares = self.shares(student)
        return fmean(shares) if shares else None

    def behind(self) -> dict[str, list[str]]:
        """The students who fall behind, with the reasons in words, those who have least of the latest chapters first."""
        latest = self.counted[-_LATEST:]
        found = {}
        for student in self.students:
            shares = self.shares(student)
            known = [share for chapter in latest if (share := self.share(student, chapter)) is not None]
            reasons = []
            if known and max(known) < HALF:
                reasons.append("missing or below half in " + " and ".join(map(short, latest)))
            earlier = shares[: -len(known)] if known else []
            if len(earlier) >= _LATEST and fmean(earlier) - max(known) >= _DROP:
                reasons.append(f"{fmean(known):.0%} in the latest chapters, {fmean(earlier):.0%} before")
            if reasons:
                missing = [name for name in self.counted if self._is_missing(student, name)]
                reasons += [f"nothing handed in for {', '.join(map(short, missing))}"] * bool(missing)
                found[student] = (fmean(known), reasons)
        return {
            student: reasons for student, (_, reasons) in sorted(found.items(), key=lambda item: (item[1][0], item[0]))
        }

    def _is_missing(self, student: str, chapter: str) -> bool:
        return self.share(student, chapter) == 0 and self.lines[chapter][student].standing is Standing.MISSING

    def learnt(self) -> list[Learnt]:
        """Each exercise of which something has been graded, in the order of the chapters."""
        found = []
        for chapter, worths in self.worths.items():
            handed_in = self._graded(chapter)
            for exercise, points in worths.items():
                shares = [line.parts[exercise] / points for line in handed_in if exercise in line.parts]
                if shares:
                    full, weak = sum(share >= 1 for share in shares), sum(share < HALF for share in shares)
                    found.append(Learnt(chapter, exercise, points, fmean(shares), full, weak, len(shares)))
        return found

    def middle(self, chapter: str) -> float | None:
        """The median share of a chapter's points among those who handed in."""
        shares = [
            share for line in self._graded(chapter) if (share := self.share(line.student.id, chapter)) is not None
        ]
        return median(shares) if shares else None

    def count(self, chapter: str, *standing: Standing) -> int:
        """How many students have one of these standings in a chapter."""
        return sum(line.standing in standing for line in self.lines[chapter].values())

    def handed_in(self, chapter: str) -> int:
        """How many have handed a chapter in."""
        return len(self.lines[chapter]) - self.count(chapter, Standing.MISSING)


def short(chapter: str) -> str:
    """A chapter's number as its name begins: ch05 for ch05_attention."""
    return chapter.partition("_")[0]


def read_course(course: Course) -> CourseRecord:
    """Read what a class has done so far.

    Raises:
        CourseError: Nothing has been graded, or the gradebook cannot be read.
    """
    config = course_config(course.root)
    lines: dict[str, dict[str, Line]] = defaultdict(dict)
    known = chapters()
    for line in read_lines(course):
        if line.assignment in known:
            lines[line.assignment][line.student.id] = line
    record = CourseRecord(lines, {}, datetime.now(UTC).replace(tzinfo=None))
    graded = [chapter for chapter in lines if record.middle(chapter) is not None]
    if not graded:
        raise CourseError("nothing has been graded yet: run `autograder grade CHAPTER` first")
    told = [tell(course, chapter, config) for chapter in graded for tell in (notice, late_notice)]
    worths = {chapter: _worths(course, chapter, settings(config, chapter).extra_credit) for chapter in graded}
    return CourseRecord(lines, worths, record.now, tuple(filter(None, told)))


def _worths(course: Course, chapter: str, extra_credit: Collection[str]) -> dict[str, float]:
    """What the parts of a chapter are worth by the notebook that the class was given; the written answer is one of them."""
    if not course.released(chapter).is_file():
        return {}
    promised = promised_points(read(course.released(chapter)))
    return {name: points for name, points in promised.items() if points and name not in extra_credit}
