"""The report on a class: planted mistakes, late and missing work and copies are found and named, and anonymous means anonymous."""

import csv
import re
import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import Result
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.checkout import Course, course_config
from autograder.cli import app
from autograder.declare import load_checks
from autograder.grading.alike import alike
from tests.sample_class import CHAPTER, Student, answer_cell, quietly, submit
from tests.students.ch05_attention import attend, masked_softmax

DUE = datetime(2026, 3, 1)
CHECKS = {f"{found.exercise.name}: {check.name}" for found in load_checks(CHAPTER) for check in found.checks}


def report(course: Course, to: Path, *arguments: str) -> Result:
    command = ["report", CHAPTER, "--course", str(course.root), "--to", str(to), *arguments]
    return CliRunner().invoke(app, command, env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def taught(released: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A class in which two students made the same mistake, and others were late, absent, curious or damaged their file."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("report") / "course"))
    student = Student(course)
    masks_late = {"masked_softmax": masked_softmax.softmax_then_mask}
    made = {
        "albert": student.notebook(**masks_late),
        "berta": student.notebook(**masks_late, attend=None),
        "carl": student.notebook(attend=attend.keys_for_values),
        "dora": student.notebook(),
        "emil": student.notebook(),
    }
    answer_cell(made["dora"], "attend").source += "\nimport subprocess\n"
    made["emil"].cells = [cell for cell in made["emil"].cells if cell is not answer_cell(made["emil"], "attend")]
    for name, notebook in made.items():
        submit(course, name, notebook)
    (course.root / "submitted" / "carl" / CHAPTER / "timestamp.txt").write_text(f"{DUE + timedelta(hours=3)} UTC")
    with Gradebook(course.database(course_config(course.root))) as book:
        book.add_student("felix")
        book.update_or_create_assignment(CHAPTER, duedate=DUE)
    assert quietly(course).exit_code == 0
    return course


@pytest.fixture(scope="module")
def page(taught: Course, tmp_path_factory: pytest.TempPathFactory) -> str:
    to = tmp_path_factory.mktemp("reports")
    result = report(taught, to)
    assert result.exit_code == 0, result.output
    return (to / f"{CHAPTER}.html").read_text()


def block(page: str, *words: str) -> str:
    """The part of the page that unfolds under a line with these words."""
    (found,) = [
        part
        for part in re.findall(r"<details>.*?</details>", page, re.DOTALL)
        if all(word in part.split("</summary>")[0] for word in words)
    ]
    return found


def test_a_shared_mistake_is_one_cause_with_both_students_and_the_code_of_one(page: str) -> None:
    found = block(page, "2 students", "masked_softmax", "the mask was applied after the softmax")
    assert "albert, berta" in found
    assert "scores.softmax(dim=-1) * mask" in found
    assert "carl" in block(page, "1 student", "the context is the key")
    assert page.index("the mask was applied after the softmax") < page.index("the context is the key")


def test_who_needs_attention_is_named(page: str) -> None:
    assert "felix" in block(page, "Nothing handed in: 1 student")
    assert "carl" in block(page, "Handed in late: 1 student")
    assert "emil" in block(page, "Repaired or unreadable")
    curious = block(page, "names what an exercise does not need: 1 student")
    assert "dora: other programs" in curious


def test_the_page_needs_nothing_else(page: str) -> None:
    assert "<script" not in page
    assert not re.search(r"(?:src|href)\s*=|url\(|@import", page)
    assert "prefers-color-scheme: dark" in page
    assert "default-src 'none'" in page


def test_the_table_has_each_check_and_adds_up(taught: Course, tmp_path: Path) -> None:
    assert report(taught, tmp_path).exit_code == 0
    with (tmp_path / f"{CHAPTER}.csv").open() as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert set(rows["albert"]) == CHECKS | {"student", "status", "points", "seconds"}
    for name in ("albert", "berta", "carl", "dora", "emil"):
        assert sum(int(rows[name][check] or 0) for check in CHECKS) == int(rows[name]["points"])
    assert rows["felix"]["status"] == "missing"
    assert not any(rows["felix"][check] for check in CHECKS)
    assert rows["berta"]["attend: works in use"] == ""
    assert rows["carl"]["attend: works in use"] == "0"


def test_anonymous_names_nobody_and_calls_everyone_the_same_in_both_files(taught: Course, tmp_path: Path) -> None:
    assert report(taught, tmp_path, "--anonymous").exit_code == 0
    text = "".join((tmp_path / f"{CHAPTER}.{suffix}").read_text() for suffix in ("html", "csv"))
    for name in ("albert", "berta", "carl", "dora", "emil", "felix"):
        assert name not in text
    with (tmp_path / f"{CHAPTER}.csv").open() as file:
        late = [
            row["student"]
            for row in csv.DictReader(file)
            if row["status"] in ("late", "waiting") and row["attend: works in use"] == "0"
        ]
    assert late[0] in block((tmp_path / f"{CHAPTER}.html").read_text(), "Handed in late")


def test_a_chapter_that_was_not_graded_says_what_to_run(fresh: Course, tmp_path: Path) -> None:
    submit(fresh, "albert", Student(fresh).notebook())
    result = report(fresh, tmp_path)
    assert result.exit_code == 1
    assert f"autograder grade {CHAPTER}" in result.output


class TestAlike:
    GIVEN = "def count(words):\n    found = {}\n    for word in words:\n        found[word] = found.get(word, 0) + 1\n    return found\n"

    def own(self, k: int) -> str:
        """An answer like nobody else's."""
        return (
            f"def count(words):\n    table_{k} = dict()\n    for step_{k} in range(len(words) * {k + 2} // {k + 2}):\n"
            f"        if step_{k} % {k + 3} < {k + 3}:\n            table_{k}[words[step_{k}]] = sum([w == words[step_{k}] for w in words[:{k} + step_{k} + 1 - {k}]])\n"
            f"    return {{key: table_{k}[key] for key in sorted(table_{k}, key=lambda q: (q, {k}))}}\n"
        )

    def test_copies_are_found_also_with_other_names_and_right_answers_that_all_write_are_not(self) -> None:
        answers = {f"many {i}": {"count": self.GIVEN.replace("found", "counts")} for i in range(20)}
        answers |= {f"own {k}": {"count": self.own(k)} for k in range(1, 9)}
        renamed = self.own(3).replace("table_3", "seen").replace("step_3", "i").replace("words", "tokens")
        answers |= {"copies 2": {"count": self.own(2)}, "renames 3": {"count": renamed}}
        pairs = {pair.students for pair in alike(answers, [self.GIVEN])}
        assert pairs == {("copies 2", "own 2"), ("own 3", "renames 3")}

    def test_what_the_reference_has_is_no_sign(self) -> None:
        answers = {"one": {"count": self.own(1)}, "two": {"count": self.own(1)}}
        assert alike(answers, [])
        assert not alike(answers, [self.own(1)])

    def test_code_that_cannot_be_read_is_looked_at_as_far_as_it_goes(self) -> None:
        broken = {"one": {"count": "def count(:\n  '''"}, "two": {"count": "\x00("}}
        assert alike(broken, []) == []
