"""`autograder grade --dry-run` says whose grade would change and by how much, exactly, and writes none."""

import shutil
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.checkout import Course
from autograder.cli import app
from autograder.declare import load_checks
from autograder.grading.deadlines import set_due
from autograder.grading.export import read_lines
from autograder.grading.graded import Change, Preview
from autograder.samples.course import CHAPTER, GOOD_ANSWER, Student, quietly, read_by_hand, submit

DUE = datetime(2026, 3, 1)
WORTH = {found.exercise.name: found.points for found in load_checks(CHAPTER)}


@pytest.fixture(scope="module")
def graded(released: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("graded") / "course"))
    student = Student(course)
    submit(course, "ada", student.notebook(written=None))
    submit(course, "emmy", student.notebook(attend=None, written=GOOD_ANSWER))
    for name, days in {"ada": -1, "emmy": 1}.items():
        (course.root / "submitted" / name / CHAPTER / "timestamp.txt").write_text(f"{DUE + timedelta(days)} UTC")
    set_due(course, CHAPTER, DUE)
    assert quietly(course).exit_code == 0
    return course


@pytest.fixture
def course(graded: Course, tmp_path: Path) -> Course:
    return Course(shutil.copytree(graded.root, tmp_path / "course", copy_function=shutil.copy2))


def state(course: Course) -> dict[str, bytes]:
    """Every file of the course except stored results, which nobody is graded by."""
    files = [path for path in course.root.rglob("*") if path.is_file() and "results" not in path.parts]
    return {str(path.relative_to(course.root)): path.read_bytes() for path in files}


def scores(course: Course) -> dict[str, float | None]:
    return {line.student.id: line.score for line in read_lines(course, CHAPTER)}


def preview(course: Course) -> tuple[Change, ...]:
    """What would change. Then it is done, and held against what was said."""
    before, old = state(course), scores(course)
    found = quietly(course, dry_run=True)
    assert isinstance(found, Preview)
    assert found.exit_code == 0
    assert state(course) == before, "nothing is written"
    said = {change.student: change for change in found.changes}
    assert quietly(course).exit_code == 0
    new = scores(course)
    assert {name: change.after for name, change in said.items()} == {name: new[name] for name in said}
    assert {name: change.before for name, change in said.items()} == {name: old.get(name) for name in said}
    assert {name for name in new if new[name] != old.get(name)} <= said.keys()
    return found.changes


def test_nothing_changes_where_nothing_changed(course: Course) -> None:
    assert preview(course) == ()


def test_another_submission_and_a_new_one(course: Course) -> None:
    submit(course, "emmy", Student(course).notebook(written=GOOD_ANSWER))
    submit(course, "zoe", Student(course).notebook(written=None))
    emmy, zoe = preview(course)
    assert emmy.parts == (f"attend 0 → {WORTH['attend']}",)
    assert emmy.after - (emmy.before or 0) == WORTH["attend"]
    assert (zoe.student, zoe.before, zoe.parts) == ("zoe", None, ())


def test_a_penalty_and_points_given_by_hand(course: Course) -> None:
    read_by_hand(course, "emmy", 3, "Short.")
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')
    (emmy,) = preview(course)
    assert emmy.after == 0
    assert emmy.parts == (f"penalty for late work 0 → {emmy.before:g}",)
    read_by_hand(course, "emmy", 5, "On second thoughts.")
    (emmy,) = preview(course)
    assert (emmy.before, emmy.after) == (2, 0), "the penalty follows the points"


def test_the_command_shows_it(course: Course) -> None:
    submit(course, "emmy", Student(course).notebook(written=GOOD_ANSWER))
    asked = ["grade", CHAPTER, "--dry-run", "--course", str(course.root)]
    result = CliRunner().invoke(app, asked, env={"COLUMNS": "120"})
    assert result.exit_code == 0, result.output
    assert f"+{WORTH['attend']}" in result.output
    assert "1 of 2 grades would change, and 0 would be new." in result.output
    assert "No grade has been written yet." in result.output


def test_a_grade_that_was_changed_in_the_gradebook_shows_up(course: Course) -> None:
    with sqlite3.connect(course.root / "gradebook.db") as book:
        book.execute("update grade set auto_score = 1 where auto_score = ?", (WORTH["attend"],))
    assert any(f"attend 1 → {WORTH['attend']}" in change.parts for change in preview(course))


def test_a_chapter_that_was_not_released_is_named(course: Course) -> None:
    course.released(CHAPTER).unlink()
    asked = ["grade", CHAPTER, "--dry-run", "--course", str(course.root)]
    result = CliRunner().invoke(app, asked, env={"COLUMNS": "200"})
    assert result.exit_code == 1
    assert f"{CHAPTER} has not been released" in result.output
