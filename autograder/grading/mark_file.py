"""A CSV file with what a person gave answers in a spreadsheet, or with what students ask about their grades, entered whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from autograder.checkout import CourseError
from autograder.grading.csv_files import IDS, INVISIBLE, hold_valid, plainly, rows_of
from autograder.grading.marking import LONGEST, Answer, Given, Marking, Part, read_points
from autograder.grading.sanitize import printable
from autograder.settings import WRITTEN

_STUDENTS = ("student", *IDS)
_COLUMNS = ("question", "points", "comment", "request")


@dataclass(frozen=True)
class Entry:
    """What a row of the file gives an answer, beside what the answer has.

    Args:
        given: What the file gives.
        answer: The answer as it is now.
    """

    given: Given
    answer: Answer

    @property
    def is_first(self) -> bool:
        """Whether a person marks the answer for the first time, or again since it was handed in once more."""
        return self.given.points is not None and (self.answer.waits or not self.answer.by_hand)

    @property
    def replaces(self) -> bool:
        """Whether the file has other points than somebody gave before."""
        return not self.is_first and self.given.points not in (None, self.answer.score)

    @property
    def comments(self) -> bool:
        """Whether the file has a comment that the answer does not have."""
        return self.given.comment not in (None, self.answer.comment)

    @property
    def asks(self) -> bool:
        """Whether the file has a request that the answer does not have."""
        return self.given.request not in (None, *(request.text for request in self.answer.requests))


@dataclass(frozen=True)
class MarkFile:
    """What a file gives a class.

    Args:
        entries: Its rows, in order.
        empty: How many rows give nothing.
    """

    entries: Sequence[Entry]
    empty: int

    def rows(self, marking: Marking) -> Iterator[tuple[str, ...]]:
        """What the file changes, for a table: student, question, points before and after, comment, request."""
        for one in self.entries:
            if one.is_first or one.replaces or one.comments or one.asks:
                points = f"{_points(one.answer.score)} → {_points(one.given.points)}"
                yield (
                    printable(marking.called(one.answer)),
                    one.given.part.short,
                    points if one.is_first or one.replaces else "",
                    printable(one.given.comment or "") if one.comments else "",
                    printable(one.given.request or "") if one.asks else "",
                )

    def closing(self) -> Iterator[str]:
        """What the file is, in sentences."""
        first, replaced = sum(one.is_first for one in self.entries), sum(one.replaces for one in self.entries)
        comments = sum(one.comments for one in self.entries)
        are = "1 answer is" if first == 1 else f"{first} answers are"
        yield f"{are} newly marked, {replaced} with other points than before, {comments} with a new comment."
        if asked := sum(one.asks for one in self.entries):
            yield f"{asked} {'answer is' if asked == 1 else 'answers are'} to be looked at again at a student's request."
        if self.empty:
            yield f"{'1 row has' if self.empty == 1 else f'{self.empty} rows have'} neither points nor a comment and {'changes' if self.empty == 1 else 'change'} nothing."


def read_marks(marking: Marking, file: Path) -> MarkFile:
    """Read a file with the columns `student`, `question`, `points`, `comment` and `request`, some of them.

    Without `question`, a row is about the written answer. An empty field leaves what there is.

    Args:
        marking: The chapter that is marked.
        file: The file.

    Raises:
        CourseError: It cannot be read, or rows of it are wrong, which the message names.
    """
    rows = rows_of(file)
    columns = _columns(next(rows, (0, []))[1], file)
    found: list[Entry] = []
    seen: dict[tuple[str, str], int] = {}
    wrong: list[str] = []
    answers: dict[str, dict[str, Answer]] = {}
    empty = 0
    for line, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        try:
            given = _given(marking, columns, row)
            part = given.part
            if part.name not in answers:
                answers[part.name] = {one.student: one for one in marking.standing(part).answers}
            if given.student not in answers[part.name]:
                raise ValueError(f"{given.student} has handed in nothing that was graded")
            first = seen.setdefault((given.student, part.name), line)
            if first != line:
                raise ValueError(f"{given.student}'s answer to {part.short} is also in line {first}")
        except ValueError as error:
            wrong.append(f"line {line}: {error}")
            continue
        if (given.points, given.comment, given.request) == (None, None, None):
            empty += 1
        else:
            found.append(Entry(given, answers[part.name][given.student]))
    hold_valid(file, wrong)
    if not found:
        raise CourseError(f"{file} has no points, comments or requests")
    return MarkFile(found, empty)


def _columns(header: Sequence[str], file: Path) -> dict[str, int]:
    """Where the file has what."""
    titles = [plainly(INVISIBLE.sub("", title)) for title in header]
    who = next((title for title in _STUDENTS if title in titles), "student")
    twice = [title for title in (who, *_COLUMNS) if titles.count(title) > 1]
    if twice:
        raise CourseError(f"{file} has two columns named {twice[0]}")
    columns = {"student": titles.index(who)} if who in titles else {}
    columns |= {title: titles.index(title) for title in _COLUMNS if title in titles}
    if "student" not in columns or not columns.keys() & {"points", "comment", "request"}:
        there = ", ".join(filter(None, map(str.strip, header))) or "none"
        raise CourseError(
            f"{file} needs the column student and one of points, comment and request, and may have question; its columns are {printable(there)}"
        )
    return columns


def _given(marking: Marking, columns: Mapping[str, int], row: Sequence[str]) -> Given:
    """What a row gives.

    Raises:
        ValueError: It is wrong; the message says why.
    """
    if len(row) <= max(columns.values()):
        raise ValueError(f"it has {len(row)} fields, and the first line more")
    field = {name: row[at].strip() for name, at in columns.items()}
    shown = INVISIBLE.sub("", field["student"])
    student = marking.student(shown)
    if student is None:
        near = get_close_matches(shown, marking.students, 1)
        asked = f"; did you mean {near[0]}?" if near else ""
        raise ValueError(f"there is no student {shown!r}{asked}" if shown else "the student is empty")
    part = _part(marking, field.get("question", ""))
    comment, request = (field.get(name, "").replace("\r\n", "\n") for name in ("comment", "request"))
    for name, text in (("comment", comment), ("request", request)):
        if len(text) > LONGEST:
            raise ValueError(f"the {name} has more than {LONGEST:,} characters")
    return Given(part, student, read_points(field.get("points", ""), part.worth), comment or None, request or None)


def _part(marking: Marking, question: str) -> Part:
    """The part of the chapter that is meant; without a name, the written answer."""
    part = next((part for part in marking.parts if (question or WRITTEN) in (part.short, part.name)), None)
    if part is None:
        names = ", ".join(each.short for each in marking.parts)
        asked = (
            f"there is no question {question!r}"
            if question
            else "the chapter asks no written question: name the question"
        )
        raise ValueError(f"{asked}; the questions are {names}")
    return part


def _points(points: float | None) -> str:
    return "–" if points is None else f"{points:g}"
