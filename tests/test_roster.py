"""A roster is entered as learning platforms export it: whole or not at all, and nobody is deleted."""

import shutil
from pathlib import Path

import pytest
from nbgrader.api import Gradebook, Student
from typer.testing import CliRunner

from autograder.checkout import Course, course_config
from autograder.cli import app
from tests.conftest import CHECKOUT

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,ch05_attention
,,,,,Manual Posting
    Points Possible,,,,,35
"Lovelace, Ada",17,,ada,A,
"Noether, Emmy",18,,emmy,A,
"Student, Test",99,,0123456789abcdef0123456789abcdef01234567,A,
"""
CANVAS_IN_PARTS = "LastName,FirstName,ID,SIS User ID,SIS Login ID,Section\nLovelace,Ada,17,,ada,A\n"
MOODLE = "Username;ID number;First name;Surname;Email address\nada;17;Ada;Lovelace;ada@example.org\n"
BLACKBOARD = '"Last Name"\t"First Name"\t"Username"\t"Student ID"\n"Lovelace"\t"Ada"\t"ada"\t"17"\n'
NBGRADER = "id,first_name,last_name,email,lms_user_id\nada,Ada,Lovelace,ada@example.org,17\n"
OURS = """\
assignment,student_id,last_name,first_name,email,status
ch00_start,ada,Lovelace,Ada,ada@example.org,graded
ch05_attention,ada,Lovelace,Ada,ada@example.org,missing
"""


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose gradebook has nobody in it."""
    root = tmp_path_factory.mktemp("empty")
    (root / "nbgrader_config.py").write_text((CHECKOUT.root / "nbgrader_config.py").read_text())
    assert students(Course(root)) == {}
    return root


@pytest.fixture
def course(empty: Path, tmp_path: Path) -> Course:
    return Course(shutil.copytree(empty, tmp_path / "course"))


def enter(course: Course, text: str | bytes) -> tuple[int, str]:
    """The exit code of the command, and what it says."""
    file = course.root / "roster.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    result = CliRunner().invoke(app, ["roster", str(file), "--course", str(course.root)])
    assert "Traceback" not in result.output
    return result.exit_code, result.output


def students(course: Course) -> dict[str, tuple[str | None, ...]]:
    with Gradebook(course.database(course_config(course.root))) as book:
        found = book.db.query(Student).all()
        return {s.id: (s.first_name, s.last_name, s.email, s.lms_user_id) for s in found}


@pytest.mark.parametrize(
    ("text", "email"),
    [
        (CANVAS.replace('"Noether, Emmy",18,,emmy,A,\n', ""), None),
        (CANVAS_IN_PARTS, None),
        (MOODLE, "ada@example.org"),
        (BLACKBOARD, None),
        (BLACKBOARD.encode("utf-16"), None),
        (NBGRADER, "ada@example.org"),
        ("\ufeff" + NBGRADER.replace("\n", "\r\n"), "ada@example.org"),
    ],
)
def test_a_platforms_export_is_read(course: Course, text: str | bytes, email: str | None) -> None:
    assert enter(course, text)[0] == 0
    assert students(course) == {"ada": ("Ada", "Lovelace", email, "17")}


def test_our_own_export_has_a_student_in_several_rows(course: Course) -> None:
    assert enter(course, OURS)[0] == 0
    assert students(course) == {"ada": ("Ada", "Lovelace", "ada@example.org", None)}


def test_new_changed_and_missing_students_are_told_and_none_is_deleted(course: Course) -> None:
    code, said = enter(course, CANVAS)
    assert code == 0
    assert "new: ada, emmy" in said
    code, said = enter(course, MOODLE.replace("Lovelace", "King") + "zoe;;Zoë;;\n")
    assert code == 0
    assert "new: zoe" in said
    assert "changed: ada: last name “Lovelace” is now “King”, email empty is now “ada@example.org”" in said
    assert "not in the file: emmy. Nobody is deleted." in said
    assert "1 new, 1 changed, 0 unchanged, 1 not in the file." in said
    assert students(course).keys() == {"ada", "emmy", "zoe"}


def test_an_empty_field_erases_nothing(course: Course) -> None:
    enter(course, NBGRADER)
    code, said = enter(course, "id,email\nada,\n")
    assert code == 0
    assert "0 new, 0 changed, 1 unchanged" in said
    assert students(course)["ada"] == ("Ada", "Lovelace", "ada@example.org", "17")


def test_wrong_rows_are_named_and_nothing_is_entered(course: Course) -> None:
    enter(course, NBGRADER)
    before = students(course)
    text = "id,first_name,email\nada,Augusta,\n,Nobody,\nzoe,Zoë,zoe\nemmy,Emmy\nkurt,Kurt,\nkurt,Curt,\n"
    code, said = enter(course, text)
    assert code == 1
    assert "nothing was changed" in said
    assert "line 3: the student's ID is empty" in said
    assert "line 4: “zoe” is not an email address" in said
    assert "line 5: it has 2 fields, but the first line has 3" in said
    assert "line 7: kurt is also in line 6, with different fields" in said
    assert "line 2:" not in said
    assert students(course) == before


def test_an_id_that_is_no_folders_name_is_told(course: Course) -> None:
    code, said = enter(course, "id\nO'Brien\n")
    assert code == 0
    assert "“O'Brien” gets the ID O~27Brien in this course" in said
    assert students(course).keys() == {"O~27Brien"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no column of student IDs"),
        ("First name,Email\nAda,a@b\n", "its columns are First name, Email"),
        ("id,email,Email\nada,,\n", "two columns named Email"),
        ("id\n", "has no students"),
        ("id,first_name\nada,Zo\xeb\n".encode("latin-1"), "not in UTF-8"),
        (b"PK\x03\x04\x00\x00", "not a CSV file"),
        ('id,first_name\nada,"Ada\n', "line 2"),
    ],
)
def test_a_file_that_is_no_roster(course: Course, text: str | bytes, words: str) -> None:
    code, said = enter(course, text)
    assert code == 1
    assert words in said


def test_a_file_that_is_not_there(course: Course) -> None:
    result = CliRunner().invoke(app, ["roster", str(course.root / "none.csv"), "--course", str(course.root)])
    assert result.exit_code == 1
    assert "No such file" in result.output


def test_invisible_marks_are_removed_and_named(course: Course) -> None:
    code, said = enter(
        course, "id,first_name,last_name\n\u200fada\u200f,\u202bעדה\u202c,Lovelace\nسارا,سارا\u200cنا,\n"
    )
    assert code == 0
    assert "an invisible right-to-left mark (U+200F) was removed from 1 row" in said
    assert {name: found[:2] for name, found in students(course).items()} == {
        "ada": ("עדה", "Lovelace"),
        "سارا": ("سارا\u200cنا", None),
    }


def test_a_control_character_is_named(course: Course) -> None:
    code, said = enter(course, "id,first_name\nada,A\x07da\n")
    assert code == 1
    assert "contains the control character U+0007" in said
