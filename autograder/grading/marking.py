"""Answers as a person marks them: which there are, what is known of one, and how its points and comment are saved.

What is saved is what nbgrader's formgrader saves, in nbgrader's own tables, so that both can be used. A grade that has changed
since it was shown is never overwritten.
"""

from __future__ import annotations

import hmac
import json
import re
import textwrap
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from nbgrader.api import Comment, Grade, Gradebook, GradeCell, SolutionCell, Student
from sqlalchemy import Connection, select, update

from autograder.building.notebook_files import promised_points, read
from autograder.building.weave import is_written, split_written, written_id
from autograder.checkout import Course, CourseError, course_config
from autograder.grading import pages
from autograder.grading.collect import as_id
from autograder.grading.feedback import graded_notebooks, read_chapter
from autograder.grading.gradebook import Patience, called, chapter_rows, open_books
from autograder.grading.like_answers import groups_of
from autograder.grading.requests import Request, Requests
from autograder.outline import outline
from autograder.settings import WRITTEN

PATIENCE = 5.0
"""Seconds for which a person waits for a gradebook that is locked, before the page says so."""
_OF_GRADE = ("auto_score", "manual_score", "extra_credit", "needs_manual_grade")
_OF_COMMENT = ("auto_comment", "manual_comment")


LONGEST = 10_000
"""The most characters of a comment."""
_POINTS = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4})?")


class StaleError(Exception):
    """The grade or the answer is no longer what was shown."""


@dataclass(frozen=True)
class Part:
    """A part of a chapter that has points of its own: an exercise, or the written question.

    Args:
        name: The name of the cell that has the points.
        title: What it is called.
        worth: Its points.
        model: Our own answer, as Markdown or code; empty where the course does not have it.
        is_written: Whether it is the written question.
    """

    name: str
    title: str
    worth: float
    model: str
    is_written: bool

    @property
    def short(self) -> str:
        """What a person calls it: the exercise's name, or `written`."""
        return WRITTEN if self.is_written else self.name

    @property
    def commented(self) -> str:
        """The name of the cell that comments belong to."""
        return self.name if self.is_written else f"{self.name}-answer"


@dataclass(frozen=True)
class Answer:
    """One student's answer to one part, as the gradebook has it.

    Args:
        student: The student's id.
        key: What an address calls the student, which tells nothing about them.
        waits: Whether a person should look at it.
        score: The points so far, or None where only a person can tell and nobody has.
        by_hand: Whether a person has given them.
        comment: What a person said about it.
        like: The ids of the students whose answers are much like it, with its own, if there are any.
        requests: What the student asks about its grade.
    """

    student: str
    key: str
    waits: bool
    score: float | None
    by_hand: bool
    comment: str
    like: tuple[str, ...] = ()
    requests: tuple[Request, ...] = ()

    @property
    def is_asked_about(self) -> bool:
        """Whether the student asks something that nobody has answered."""
        return any(request.is_open for request in self.requests)


@dataclass(frozen=True)
class Saved:
    """What was saved of an answer, to be taken back.

    Args:
        part: The part that is answered.
        answer: The answer.
        grade: What the grade was before.
        said: What the comment was before.
        requests: What the student asked, as it was before.
        version: The version of what was saved.
    """

    part: Part
    answer: Answer
    grade: Mapping[str, Any]
    said: Mapping[str, Any]
    requests: tuple[Request, ...]
    version: str


@dataclass(frozen=True)
class Given:
    """What a person gives one answer.

    Args:
        part: The part that is answered.
        student: The student's id.
        points: The points, or None to leave them as they are.
        comment: The comment, or None to leave it as it is.
        request: What the student asks about the grade, or None.
    """

    part: Part
    student: str
    points: float | None
    comment: str | None
    request: str | None


@dataclass(frozen=True)
class Standing:
    """How far the marking of a chapter is.

    Args:
        answers: The answers to one part, in the order in which they are shown.
        counts: How many answers to each part wait, and how many there are, by the part's name.
    """

    answers: Sequence[Answer]
    counts: Mapping[str, tuple[int, int]]

    def place(self, key: str) -> int | None:
        """Where a student's answer is among the others, counted from 0; None where there is none."""
        return next((place for place, one in enumerate(self.answers) if one.key == key), None)

    def before(self, place: int, *, waiting: bool) -> Answer | None:
        """The answer before one; of those that wait if that is asked."""
        return next((one for one in reversed(self.answers[:place]) if one.waits or not waiting), None)

    def after(self, place: int, *, waiting: bool) -> Answer | None:
        """The answer after one. Of those that wait, the first ones come again after the last one."""
        rest = [*self.answers[place + 1 :], *(self.answers[:place] if waiting else ())]
        return next((one for one in rest if one.waits or not waiting), None)

    def like(self, answer: Answer) -> list[Answer]:
        """The other answers that are much like one."""
        return [one for one in self.answers if one.student in answer.like and one is not answer]

    def remarks(self) -> list[str]:
        """The comments on these answers, the most frequent first."""
        said = [one.comment for one in self.answers if one.comment]
        return sorted(dict.fromkeys(said), key=lambda text: -said.count(text))


@dataclass(frozen=True)
class Sheet:
    """All that is known of one answer.

    Args:
        auto: The points that grading itself gave, or None where only a person can tell.
        manual: The points that a person gave, or None.
        extra: The extra credit that a person gave in the formgrader.
        waits: Whether a person should look at it.
        comment: What a person said about it.
        version: What distinguishes this state of grade, comment and answer from any other.
        shown: The answer as HTML, or a sentence on why it cannot be shown.
        notebook: The graded notebook.
    """

    auto: float | None
    manual: float | None
    extra: float
    waits: bool
    comment: str
    version: str
    shown: pages.Answer | str
    notebook: Path


class Marking:
    """A graded chapter, to be marked by hand."""

    def __init__(self, course: Course, chapter: str, *, anonymous: bool = False) -> None:
        """Read what its answers share.

        Args:
            course: The course.
            chapter: The chapter.
            anonymous: Whether students have numbers instead of names.

        Raises:
            CourseError: It has not been graded, or the gradebook cannot be read.
        """
        self.chapter, self.anonymous = chapter, anonymous
        self._course, self._config = course, course_config(course.root)
        if not course.released(chapter).is_file() or not graded_notebooks(course, chapter):
            raise CourseError(f"nothing of {chapter} has been graded yet: run `autograder grade {chapter}` first")
        self._secret = course.secret(chapter)
        self._requests = Requests(course, chapter)
        self._shared = read_chapter(course, chapter)
        self.parts = self._parts()
        self.rubric = self._shared.rubric
        self.rubric_items = _items(self.rubric)
        self._names = self._read_names()
        self._texts: dict[Path, tuple[tuple[int, int], str]] = {}
        self._groups: tuple[dict[str, str], dict[str, tuple[str, ...]]] = ({}, {})

    def _parts(self) -> tuple[Part, ...]:
        titles = {found.exercise.name: found.exercise.title for found in outline(self.chapter)}
        models = {}
        if self._course.solved(self.chapter).is_file():
            for cell in read(self._course.solved(self.chapter)).cells:
                name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
                models[name] = split_written(cell.source)[1] if is_written(cell) else cell.source
        asked, found = written_id(self.chapter), []
        for name, worth in promised_points(read(self._course.released(self.chapter))).items():
            written = name == asked
            title = "Written answer" if written else ": ".join(filter(None, (name, titles.get(name))))
            found.append(
                Part(name, title, float(worth), models.get(name if written else f"{name}-answer", ""), written)
            )
        return tuple(found)

    def _read_names(self) -> dict[str, str]:
        """What each student is called on the page, in the order in which they are shown.

        In the anonymous mode, numbers are those of the report, and so is the order: the alphabet would tell who somebody is.
        """
        with self._open() as book:
            asked = select(Student.id, Student.first_name, Student.last_name).order_by(Student.id)
            everyone = self._patience().run(lambda: book.db.execute(asked).all())
        if self.anonymous:
            from autograder.grading.class_record import pseudonyms  # It imports what only a report needs.

            return pseudonyms((student for student, *_ in everyone), self._secret)
        return {student.id: called(student) for student in everyone}

    def called(self, answer: Answer) -> str:
        """What a student is called on the page."""
        return self._names[answer.student]

    @property
    def students(self) -> Sequence[str]:
        """What students are called where somebody names them: by their ids, or by numbers."""
        return [*self._names.values()] if self.anonymous else [*self._names]

    def student(self, shown: str) -> str | None:
        """The id of the student who is meant by an id, or by a number where students have numbers."""
        if self.anonymous:
            return next((student for student, number in self._names.items() if shown.strip() == number), None)
        return as_id(shown) if as_id(shown) in self._names else None

    def part(self, name: str) -> Part | None:
        """The part of that name, if there is one."""
        return next((part for part in self.parts if part.name == name), None)

    def standing(self, part: Part) -> Standing:
        """How far the marking is, with the answers to one part.

        Raises:
            CourseError: The gradebook cannot be read.
        """
        columns = (GradeCell.name, Grade.needs_manual_grade, Grade.score, Grade.auto_score, Grade.manual_score)
        with self._open() as book:
            rows, comments = self._patience().run(
                lambda: (
                    chapter_rows(book, self.chapter, *columns),
                    chapter_rows(book, self.chapter, SolutionCell.name, Comment.manual_comment),
                )
            )
        graded = graded_notebooks(self._course, self.chapter)
        said = {student: text for student, cell, text in comments if cell == part.commented and text}
        asked = self._requests.all()
        counts = {each.name: [0, 0] for each in self.parts}
        answers = []
        for student, cell, waits, score, auto, manual in rows:
            if student not in graded or student not in self._names or cell not in counts:
                continue
            requests = asked.get((student, cell), ())
            waits = waits or any(request.is_open for request in requests)
            counts[cell][0] += bool(waits)
            counts[cell][1] += 1
            if cell == part.name:
                points = None if auto is None and manual is None else float(score)
                by_hand, comment = manual is not None, said.get(student, "")
                answers.append(Answer(student, self._key(student), waits, points, by_hand, comment, requests=requests))
        order = {student: place for place, student in enumerate(self._names)}
        answers.sort(key=lambda one: order[one.student])
        if part.is_written:
            like = self._like([one.student for one in answers])
            answers = [replace(one, like=like.get(one.student, ())) for one in answers]
            # An answer comes right after the first that it is like.
            answers.sort(key=lambda one: order[one.like[0] if one.like else one.student])
        return Standing(answers, {name: (waits, number) for name, (waits, number) in counts.items()})

    def unread(self) -> str:
        """How many answers wait for a person, in a sentence.

        Raises:
            CourseError: The gradebook cannot be read.
        """
        waits = sum(waits for waits, _ in self.standing(self.parts[0]).counts.values())
        return f"{waits or 'No'} {'answer is' if waits == 1 else 'answers are'} still unread in {self.chapter}."

    def sheet(self, part: Part, answer: Answer) -> Sheet:
        """All that is known of one answer.

        Raises:
            CourseError: The gradebook cannot be read.
        """
        with self._open() as book:
            grade, said = self._patience().run(lambda: self._rows(book, part, answer))
        return self._sheet(grade, said, part, answer)

    def _like(self, students: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The students whose written answers are much like others, as `groups_of` has them."""
        texts = {student: text for student in students if (text := self._text(student))}
        if texts != self._groups[0]:
            self._groups = texts, groups_of(texts)
        return self._groups[1]

    def _text(self, student: str) -> str:
        """What a student answered to the written question, in the graded notebook as it is now; empty if that cannot be read."""
        path = self._graded(student)
        try:
            status = path.stat()
            stamp = status.st_mtime_ns, status.st_size
            if path not in self._texts or self._texts[path][0] != stamp:
                notebook = json.loads(pages.read_graded(path))
                self._texts[path] = stamp, pages.own_words(notebook, written_id(self.chapter), self._shared)
        except Exception:  # noqa: BLE001 - whatever is in one notebook, the others can be marked
            return ""
        return self._texts[path][1]

    def save(self, part: Part, answer: Answer, version: str, points: float | None, comment: str) -> Saved:
        """Save what a person gave and said, both or neither, as nbgrader's formgrader does.

        Args:
            part: The part.
            answer: The answer.
            version: The version of the sheet that the person saw.
            points: The points, or None for those that grading itself gave.
            comment: The comment, or nothing.

        Returns:
            What `take_back` takes back.

        Raises:
            StaleError: The grade, the comment or the answer has changed since; nothing was saved.
            CourseError: The gradebook cannot be written; nothing was saved.
        """
        with self._open() as book:

            def act() -> Saved:
                grade, said = self._rows(book, part, answer)
                given = {"manual_score": points, "needs_manual_grade": points is None and grade.auto_score is None}
                self._write(book, part, answer, version, given, {"manual_comment": comment or None})
                now = self._sheet(*self._rows(book, part, answer), part, answer)
                before = _columns(grade, _OF_GRADE), _columns(said, _OF_COMMENT)
                return Saved(part, answer, *before, self._requests.of(answer.student, part.name), now.version)

            saved: Saved = self._patience().run(act)
        self._requests.settle(answer.student, part.name)
        return saved

    def take_back(self, saved: Saved) -> None:
        """Have an answer's grade and comment be what they were before they were saved.

        Raises:
            StaleError: They, or the answer, have changed since; nothing was done.
            CourseError: The gradebook cannot be written; nothing was done.
        """
        with self._open() as book:
            self._patience().run(
                lambda: self._write(book, saved.part, saved.answer, saved.version, saved.grade, saved.said)
            )
        if saved.requests:
            self._requests.put(saved.answer.student, saved.part.name, saved.requests)

    def _write(
        self,
        book: Gradebook,
        part: Part,
        answer: Answer,
        version: str,
        given: Mapping[str, Any],
        comment: Mapping[str, Any],
    ) -> None:
        grade, said = self._rows(book, part, answer)
        if self._sheet(grade, said, part, answer).version != version:
            raise StaleError
        with book.engine.begin() as connection:
            _replace(connection, Grade, grade, _OF_GRADE, given)
            _replace(connection, Comment, said, _OF_COMMENT, comment)

    def save_all(self, given: Sequence[Given]) -> None:
        """Save what a person gave many answers, all of it or nothing.

        Raises:
            CourseError: One of them was changed by somebody else in this moment, or the gradebook cannot be written; nothing was saved.
        """
        try:
            with self._open() as book:
                self._patience().run(lambda: self._save_all(book, given))
            for one in given:
                if one.points is not None or one.comment is not None:
                    self._requests.settle(one.student, one.part.name)
                if one.request is not None:
                    self._requests.add(one.student, one.part.name, one.request)
        except StaleError as error:
            raise CourseError("somebody else is marking these answers: nothing was saved. Try again") from error

    def _save_all(self, book: Gradebook, given: Sequence[Given]) -> None:
        grades, comments = self._kept(book, Grade), self._kept(book, Comment)
        with book.engine.begin() as connection:
            for one in given:
                if one.points is not None:
                    values = {"manual_score": one.points, "needs_manual_grade": False}
                    _replace(connection, Grade, grades[one.student, one.part.name], _OF_GRADE, values)
                if one.comment is not None:
                    said = comments[one.student, one.part.commented]
                    _replace(connection, Comment, said, _OF_COMMENT, {"manual_comment": one.comment})

    def _rows(self, book: Gradebook, part: Part, answer: Answer) -> tuple[Any, Any]:
        """What the gradebook has of an answer: its grade, and the comment on it."""
        student = answer.student
        grade = self._kept(book, Grade, student).get((student, part.name))
        said = self._kept(book, Comment, student).get((student, part.commented))
        if grade is None or said is None:
            raise CourseError(
                f"the gradebook does not contain the whole of this submission: run `autograder grade {self.chapter}`"
            )
        return grade, said

    def _kept(self, book: Gradebook, kind: Any, student: str | None = None) -> dict[tuple[str, str], Any]:
        """The grades or comments of a student, or of all, by the student and the name of the cell."""
        cells, columns = (GradeCell, _OF_GRADE) if kind is Grade else (SolutionCell, _OF_COMMENT)
        asked = [cells.name, kind.id, *(getattr(kind, column) for column in columns)]
        rows = chapter_rows(book, self.chapter, *asked, student=student)
        return {
            (who, cell): SimpleNamespace(**dict(zip(("id", *columns), rest, strict=True))) for who, cell, *rest in rows
        }

    def _sheet(self, grade: Any, said: Any, part: Part, answer: Answer) -> Sheet:
        path = self._graded(answer.student)
        shown = self._shown(path, part)
        seen = [*(getattr(grade, name) for name in _OF_GRADE), *(getattr(said, name) for name in _OF_COMMENT)]
        seen += [shown] if isinstance(shown, str) else [shown.own, shown.checks]
        return Sheet(
            grade.auto_score,
            grade.manual_score,
            grade.extra_credit or 0.0,
            grade.needs_manual_grade,
            said.manual_comment or "",
            pages.digest(json.dumps(seen).encode()),
            shown,
            path,
        )

    def _shown(self, path: Path, part: Part) -> pages.Answer | str:
        try:
            return pages.answer(json.loads(pages.read_graded(path)), part.name, self._shared)
        except (pages.OutdatedError, pages.TooLargeError) as error:
            return f"This answer cannot be shown: {error}."
        except Exception as error:  # noqa: BLE001 - whatever is in one notebook, the others can be marked
            return f"This answer cannot be shown: {type(error).__name__}: {str(error)[:200]}"

    def _graded(self, student: str) -> Path:
        return self._course.autograded(student, self.chapter) / f"{self.chapter}.ipynb"

    def _key(self, student: str) -> str:
        return hmac.new(self._secret.encode(), student.encode(), "sha256").hexdigest()[:16]

    def _open(self) -> AbstractContextManager[Gradebook]:
        return open_books(self._course, self._patience(), self._config)

    def _patience(self) -> Patience:
        until = time.monotonic() + PATIENCE
        return Patience(gives_up=lambda: time.monotonic() > until)


def _columns(row: Any, columns: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in columns}


def _items(rubric: str) -> tuple[str, ...]:
    """The items of a rubric, as Markdown."""
    return tuple(textwrap.dedent(f"  {item}").strip() for item in re.split(r"^- ", rubric, flags=re.MULTILINE)[1:])


def read_points(typed: str, worth: float) -> float | None:
    """The points that somebody typed, or None for an empty field.

    Raises:
        ValueError: They are no such points.
    """
    if not typed:
        return None
    found = typed.replace(",", ".")
    if not _POINTS.fullmatch(found) or float(found) > worth:
        raise ValueError(
            f"Points for this answer go from 0 to {worth:g}, for example {worth:g} or {worth / 2:g}, not {typed!r}."
        )
    return float(found)


def _replace(connection: Connection, kind: Any, row: Any, columns: Sequence[str], values: Mapping[str, Any]) -> None:
    """Change a row of the gradebook that is still as it was read.

    Raises:
        StaleError: It is not.
    """
    table = kind.__table__
    same = [table.c[name].is_not_distinct_from(getattr(row, name)) for name in columns]
    if connection.execute(update(table).where(table.c.id == row.id, *same).values(**values)).rowcount != 1:
        raise StaleError
