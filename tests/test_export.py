"""Grades as a table and for learning platforms: what is not there is empty and never 0, and what waits is said."""

import csv
import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.checkout import Course, course_config
from autograder.cli import app
from autograder.declare import load_exercises
from autograder.grading.export import FORMATS
from autograder.samples.course import CHAPTER, GOOD_ANSWER, Student, quietly, submit

DUE = datetime(2026, 3, 1)


def export(course: Course, to: Path, *arguments: str) -> tuple[list[dict[str, str]], str]:
    """The rows that the command writes, and what it says."""
    result = CliRunner().invoke(app, ["export", "--course", str(course.root), "--to", str(to), *arguments])
    assert result.exit_code == 0, result.output
    with to.open(newline="") as file:
        return list(csv.DictReader(file)), result.output


@pytest.fixture(scope="module")
def mixed(released: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Students whose work was graded, graded late, waits to be read, was not graded, and was never handed in."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("mixed") / "course"))
    student = Student(course)
    for name in ("early", "late", "waits"):
        submit(course, name, student.notebook(attend=None, written=GOOD_ANSWER if name == "waits" else None))
    (course.root / "submitted" / "late" / CHAPTER / "timestamp.txt").write_text(f"{DUE + timedelta(days=1)} UTC")
    with Gradebook(course.database(course_config(course.root))) as book:
        book.add_student(
            "early", first_name="Ada", last_name='King, "Lovelace"', email="ada@example.org", lms_user_id="17"
        )
        for name in ("absent", "extended", "today"):
            book.add_student(name)
        book.update_or_create_assignment(CHAPTER, duedate=DUE)
    assert quietly(course).exit_code == 0
    with Gradebook(course.database(course_config(course.root))) as book:
        book.update_or_create_submission(CHAPTER, "extended", extension=timedelta(days=2))
    submit(course, "today", student.notebook())
    return course


def test_rows_tell_missing_work_from_no_points(mixed: Course, tmp_path: Path) -> None:
    rows, said = export(mixed, tmp_path / "grades.csv", CHAPTER)
    found = {row["student_id"]: row for row in rows}
    assert {name: row["status"] for name, row in found.items()} == {
        "absent": "missing",
        "early": "graded",
        "extended": "missing",
        "late": "late",
        "today": "not graded",
        "waits": "waiting",
    }
    for name in ("absent", "extended", "today"):
        assert not any(found[name][column] for column in ("points", "score", "late_penalty", "attend"))
    worth = {exercise.name: row for exercise in load_exercises(CHAPTER) for row in [found["early"][exercise.name]]}
    assert worth["attend"] == "0"
    assert list(rows[0])[-1 - len(worth) : -1] == list(worth)
    parts = [column for column in rows[0] if column in worth or column.endswith("written")]
    for name in ("early", "late", "waits"):
        given = [float(found[name][part]) for part in parts if found[name][part]]
        assert sum(given) == float(found[name]["points"])
    assert found["early"]["last_name"] == 'King, "Lovelace"'
    assert "2 grades are empty: nothing was handed in." in said
    assert "1 grade is empty: handed in, but not graded yet." in said
    assert "1 grade is without the written answer" in said


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {"csv"}))
def test_platforms_get_final_grades_only(mixed: Course, tmp_path: Path, form: str) -> None:
    plain = {row["student_id"]: row for row in export(mixed, tmp_path / "grades.csv", CHAPTER)[0]}
    rows, said = export(mixed, tmp_path / "out.csv", "--format", form)
    key = {"canvas": "SIS Login ID", "moodle": "Username", "blackboard": "Username"}[form]
    column = list(rows[0])[-1]
    assert column.startswith(CHAPTER)
    found = {row[key]: row[column] for row in rows if row[key]}
    assert found == {name: row["score"] if name in ("early", "late") else "" for name, row in plain.items()}
    assert "1 grade is empty: nobody has read the written answer yet." in said


def test_provisional_grades_say_in_their_column_how_many_are_unread(mixed: Course, tmp_path: Path) -> None:
    plain = {row["student_id"]: row for row in export(mixed, tmp_path / "grades.csv", CHAPTER)[0]}
    rows, said = export(mixed, tmp_path / "out.csv", "--format", "moodle", "--provisional")
    column = f"{CHAPTER} (provisional, 1 unread)"
    assert list(rows[0])[-1] == column
    assert {row["Username"]: row[column] for row in rows} == {name: row["score"] for name, row in plain.items()}
    assert "1 grade is without the written answer: nobody has read" in said


@pytest.mark.parametrize("content", [b"", b"<html>Log in</html>", b"print(1)", None])
def test_what_is_no_notebook_has_no_score(mixed: Course, tmp_path: Path, content: bytes | None) -> None:
    course = Course(shutil.copytree(mixed.root, tmp_path / "course"))
    path = course.root / "submitted" / "early" / CHAPTER / f"{CHAPTER}.ipynb"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    assert quietly(course).exit_code == 0
    rows, said = export(course, tmp_path / "grades.csv", CHAPTER)
    (row,) = [row for row in rows if row["student_id"] == "early"]
    assert (row["status"], row["score"], row["attend"]) == ("unreadable", "", "")
    assert "1 grade is empty: handed in, but without a notebook that can be read" in said


def test_logins_leave_as_they_came(mixed: Course, tmp_path: Path) -> None:
    course = Course(shutil.copytree(mixed.root, tmp_path / "course"))
    with Gradebook(course.database(course_config(course.root))) as book:
        book.add_student("s.o~27neill")
        book.add_student("~3D1+1")
    for form, column in {
        "csv": "student_id",
        "canvas": "SIS Login ID",
        "moodle": "Username",
        "blackboard": "Username",
    }.items():
        found = {row[column] for row in export(course, tmp_path / "out.csv", "--format", form)[0]}
        assert {"s.o'neill", "~3D1+1"} <= found


def test_canvas_has_its_columns_and_what_an_assignment_is_worth(mixed: Course, tmp_path: Path) -> None:
    rows, _ = export(mixed, tmp_path / "out.csv", "--format", "canvas")
    assert list(rows[0]) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", CHAPTER]
    assert rows[0]["Student"].strip() == "Points Possible"
    assert float(rows[0][CHAPTER]) == float(export(mixed, tmp_path / "grades.csv")[0][0]["max_score"])
    (ada,) = [row for row in rows if row["SIS Login ID"] == "early"]
    assert (ada["Student"], ada["ID"]) == ('King, "Lovelace", Ada', "17")


def test_blackboard_says_what_a_column_is_worth(mixed: Course, tmp_path: Path) -> None:
    rows, _ = export(mixed, tmp_path / "out.csv", "--format", "blackboard")
    worth = export(mixed, tmp_path / "grades.csv")[0][0]["max_score"]
    assert list(rows[0])[:4] == ["Last Name", "First Name", "Username", "Student ID"]
    assert list(rows[0])[4:] == [f"{CHAPTER} [Total Pts: {worth} Score]"]


def test_unknown_assignment_and_format_are_named(mixed: Course, tmp_path: Path) -> None:
    other = CliRunner().invoke(app, ["export", "ch03_seq2seq", "--course", str(mixed.root)], env={"COLUMNS": "200"})
    assert other.exit_code == 1
    assert "the gradebook has no ch03_seq2seq" in other.output
    odd = CliRunner().invoke(app, ["export", "--format", "xlsx", "--course", str(mixed.root)], env={"COLUMNS": "200"})
    assert odd.exit_code == 2
    assert "csv, canvas, moodle, blackboard" in odd.output
