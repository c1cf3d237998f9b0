"""The report on all chapters: who falls behind and what stays unlearnt is what was planted, and nothing is loaded or run."""

import csv
import random
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from nbgrader.api import Student
from typer.testing import CliRunner

from autograder.checkout import Course
from autograder.cli import app
from autograder.declare import chapters
from autograder.grading.course_page import page, table
from autograder.grading.course_record import CourseRecord, Learnt
from autograder.grading.deadlines import set_due
from autograder.grading.export import Line, Standing
from autograder.outline import outline
from autograder.samples.course import CHAPTER, quietly, submit
from autograder.samples.course import Student as Answers
from tests.browser import Browser
from tests.processes import answer_without

NOW = datetime(2026, 12, 1)
FIRST, SECOND, THIRD, _ = NAMES = chapters()[:4]


def line(student: str, chapter: str, points: float | None, due: datetime | None = None, **other: object) -> Line:
    """What the gradebook has of an answer to two exercises, of which the easy one is solved first; None where nothing was handed in."""
    standing = Standing.MISSING if points is None else Standing.GRADED
    parts = {} if points is None else {"easy": min(points, 6.0), "hard": max(0.0, points - 6)}
    made = Line(Student(id=student), chapter, 10, due, None, standing, parts, points, None if points is None else 0.0)
    return replace(made, **other)


def course_of(points: dict[str, list[float | None]], due: datetime | None = None) -> CourseRecord:
    """A class's points in the first chapters; what is missing at the end of a row has not been handed in."""
    number = max(map(len, points.values()))
    return CourseRecord(
        {
            chapter: {who: line(who, chapter, row[at] if at < len(row) else None, due) for who, row in points.items()}
            for at, chapter in enumerate(NAMES[:number])
        },
        {chapter: {"easy": 6.0, "hard": 4.0} for chapter in NAMES[:number]},
        NOW,
    )


class TestWhoFallsBehind:
    def test_who_has_too_little_of_the_latest_chapters_does_and_who_has_caught_up_does_not(self) -> None:
        record = course_of(
            {
                "steady": [9, 9, 8, 9],
                "vanished": [9, 9],
                "weak": [4, 3, 4, 4.9],
                "drops": [10, 10, 6, 7],
                "caught up": [None, 1, 9, 5],
                "once": [9, 9, None, 9],
            }
        )
        assert record.behind() == {
            "vanished": [
                "missing or below half in ch02 and ch03",
                "0% in the latest chapters, 90% before",
                "nothing handed in for ch02, ch03",
            ],
            "weak": ["missing or below half in ch02 and ch03"],
            "drops": ["65% in the latest chapters, 100% before"],
        }

    def test_only_chapters_that_are_due_and_graded_count(self) -> None:
        record = course_of({"ada": [9, 9], "bert": [9, None]})
        assert record.counted == [FIRST, SECOND]
        lines = {
            **record.lines,
            SECOND: {who: replace(one, due=NOW + timedelta(1)) for who, one in record.lines[SECOND].items()},
            THIRD: {who: line(who, THIRD, None, NOW - timedelta(1)) for who in ("ada", "bert")},
        }
        record = replace(record, lines=lines)
        assert record.counted == [FIRST]
        assert record.average("bert") == 0.9
        assert record.behind() == {}

    def test_an_extension_is_waited_for_and_what_is_not_graded_is_not_zero(self) -> None:
        record = course_of({"ada": [9, 9], "bert": [9, None], "cleo": [9, 9]}, due=NOW - timedelta(1))
        second = dict(record.lines[SECOND])
        second["bert"] = replace(second["bert"], due=NOW + timedelta(3))
        second["cleo"] = line("cleo", SECOND, None, standing=Standing.NOT_GRADED)
        record = replace(record, lines={**record.lines, SECOND: second})
        assert record.counted == [FIRST, SECOND]
        assert [record.average(who) for who in ("ada", "bert", "cleo")] == [0.9, 0.9, 0.9]
        late = replace(record, now=NOW + timedelta(4))
        assert late.average("bert") == 0.45


def test_an_exercise_counts_for_those_who_handed_in() -> None:
    record = course_of({"ada": [10], "bert": [6], "cleo": [3], "dora": [None]})
    assert record.learnt() == [
        Learnt(FIRST, "easy", 6.0, pytest.approx(5 / 6), 2, 0, 3),
        Learnt(FIRST, "hard", 4.0, pytest.approx(1 / 3), 1, 2, 3),
    ]
    unread = replace(line("ada", FIRST, 6), standing=Standing.WAITING, parts={"easy": 6.0})
    record = replace(record, lines={FIRST: {**record.lines[FIRST], "ada": unread}})
    assert [one.number for one in record.learnt()] == [3, 2], "what nobody has read yet is not lost"


@pytest.fixture(scope="module")
def large() -> CourseRecord:
    """A class of 300 in all chapters with graded exercises; some vanish on the way, and a few answers nobody has read."""
    draw = random.Random(7)
    worths = {chapter: {one.exercise.name: one.points for one in outline(chapter)} for chapter in chapters()}
    lines: dict[str, dict[str, Line]] = {chapter: {} for chapter in worths}
    for number in range(300):
        who = f"s{number:03}"
        able, leaves = draw.betavariate(5, 2), draw.choice([99] * 9 + [draw.randrange(13)])
        for place, (chapter, parts) in enumerate(worths.items()):
            made = line(who, chapter, None if place >= leaves else 0)
            if place < leaves:
                earned = {name: points * (draw.random() < able) for name, points in parts.items()}
                waits = Standing.WAITING if draw.random() < 0.02 else Standing.GRADED
                made = replace(made, parts=earned, points=sum(earned.values()), standing=waits)
            lines[chapter][who] = replace(made, worth=sum(parts.values()))
    return CourseRecord(lines, worths, NOW)


def shown(record: CourseRecord, name: Callable[[str], str] = str, link: Callable[[str], str] = lambda _: "") -> str:
    return page(record, name, link)


class TestPage:
    def test_each_student_has_a_row_and_each_chapter_a_column(self, large: CourseRecord) -> None:
        made = BeautifulSoup(shown(large), "html.parser")
        rows = made.select("[aria-label='Every student'] tbody tr")
        assert len(rows) == 300
        assert {len(row.select("td")) for row in rows} == {2 + len(chapters())}
        assert len(made.select("[aria-label='Every exercise'] tbody tr")) == sum(
            1 + len(outline(chapter)) for chapter in chapters()
        )

    def test_it_needs_nothing_else_and_a_name_does_nothing(self, large: CourseRecord) -> None:
        text = shown(large, lambda student: f"<script>{student}</script>", lambda chapter: f"{chapter}.html")
        assert "<script" not in text
        assert "s000" in text
        assert not re.search(r"(?:src|href)=['\"](?!ch\d\d_\w+\.html)", text)
        assert len(text) < 1_000_000

    def test_the_table_adds_up(self, large: CourseRecord) -> None:
        rows = list(csv.DictReader(table(large, str, anonymous=False).splitlines()))
        assert [row["student"] for row in rows] == large.students
        shares = [float(rows[0][chapter]) for chapter in chapters()]
        assert float(rows[0]["average"]) == pytest.approx(sum(shares) / len(shares), abs=0.1)

    @pytest.mark.parametrize(("width", "mode"), [(1280, "light"), (390, "dark"), (390, "light")])
    def test_axe_finds_nothing_wrong_and_nothing_is_cut_off(
        self, large: CourseRecord, browser: Browser, tmp_path: Path, width: int, mode: str
    ) -> None:
        file = tmp_path / "course.html"
        file.write_text(shown(large, link=lambda chapter: f"{chapter}.html"))
        browser.show(width, mode)
        browser.open(file.as_uri())
        assert browser.violations() == []
        assert browser.run("return document.documentElement.scrollWidth") <= width


@pytest.fixture(scope="module")
def graded(released: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course with one graded chapter."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("course_report") / "course"))
    answers = Answers(course)
    submit(course, "ada", answers.notebook())
    submit(course, "zoe", answers.notebook(masked_softmax=None, attend=None))
    assert quietly(course).exit_code == 0
    return course


class TestCommand:
    def test_without_a_chapter_it_is_the_report_on_the_course(self, graded: Course, tmp_path: Path) -> None:
        course = Course(shutil.copytree(graded.root, tmp_path / "course"))
        answer_without([(["report"], ["torch"])], course.root)
        text = (course.root / "reports" / "course.html").read_text()
        assert "attend</strong> in ch05_attention: the class earned 50%" in text
        (ada, zoe) = csv.DictReader((course.root / "reports" / "course.csv").open())
        assert float(ada[CHAPTER]) > float(zoe[CHAPTER])

    def test_anonymous_names_nobody_and_says_what_is_out_of_date(self, graded: Course, tmp_path: Path) -> None:
        course = Course(shutil.copytree(graded.root, tmp_path / "course"))
        set_due(course, CHAPTER, datetime(2020, 1, 1))
        done = CliRunner().invoke(app, ["report", "--anonymous", "--course", str(course.root)], env={"COLUMNS": "200"})
        assert done.exit_code == 0, done.output
        for file in ("course-anonymous.html", "course-anonymous.csv"):
            text = (course.root / "reports" / file).read_text()
            assert "student 1" in text
            assert not re.search(r"\b(ada|zoe)\b", text)

    def test_where_nothing_was_graded_it_says_what_to_run(self, fresh: Course) -> None:
        done = CliRunner().invoke(app, ["report", "--course", str(fresh.root)])
        assert done.exit_code == 1
        assert "autograder grade" in done.output
