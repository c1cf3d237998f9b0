"""The guide's commands behind “A course in ten minutes”, run as they stand and in their order: a class that gets some exercises for points of its own."""

import contextlib
import re
import shlex
import shutil
import zipfile

import nbformat
import pytest
import typer
from typer.testing import CliRunner

from autograder.building.notebook_files import promised, read
from autograder.checkout import Course
from autograder.cli import app
from autograder.grading.export import read_lines
from autograder.grading.roster import enter_roster
from autograder.samples.course import CHAPTER, GOOD_ANSWER, Student, submit
from tests.conftest import CHECKOUT

GUIDE = (CHECKOUT.root / "book" / "guide_instructors.md").read_text()
FIRST = "## Choose exercises and points"
ELSEWHERE = ("make ", "dask ", "autograder site", "autograder mark", "ssh ", "--scheduler", "pip ")
"""What needs a browser, other machines or minutes, or goes on until Ctrl-C, and is tested elsewhere."""


def blocks(text: str) -> list[tuple[str, str]]:
    return re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL)


def commands(block: str) -> list[str]:
    return [line for line in block.splitlines() if not any(part in line for part in ELSEWHERE)]


@pytest.mark.parametrize(
    "line",
    sorted({line for _, block in blocks(GUIDE) for line in block.splitlines() if line.startswith("autograder ")}),
)
def test_every_command_in_the_guide_is_one(line: str) -> None:
    _, name, *arguments = shlex.split(line, comments=True)
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    command.make_context(name, arguments)


def test_every_command_is_in_the_guides_table() -> None:
    listed = set(re.findall(r"^\| `autograder ([\w-]+)", GUIDE, re.MULTILINE))
    there = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    assert there - listed == {"make", "mistakes", "new", "sweeps"}, "what only makers of the book need is not in it"


@pytest.fixture(scope="module")
def said(released: Course, tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, dict[str, str]]:
    """The course after all of it, and what each command said."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("guide") / "course"))
    shutil.copy(CHECKOUT.root / "nbgrader_config.py", course.root)
    (course.root / "gradebook.db").unlink()
    (course.root / "roster.csv").write_text("id,first_name,last_name\nada,Ada,Lovelace\nemmy,Emmy,Noether\n")
    assert enter_roster(course, course.root / "roster.csv")
    shutil.rmtree(course.root / "release")
    found: dict[str, str] = {}
    for language, block in blocks(GUIDE[GUIDE.index(FIRST) :]):
        if language == "python" and block.startswith(("c.", "from ")):
            with (course.root / "nbgrader_config.py").open("a") as config:
                config.write(block)
        elif language == "bash":
            for line in commands(block):
                if "collect" in line:
                    hand_in(course, zipped=".zip" in line)
                name, *arguments = shlex.split(line, comments=True)
                assert name == "autograder"
                with contextlib.chdir(course.root):
                    done = CliRunner().invoke(app, arguments, input="y\n")
                assert done.exit_code == 0, f"{line}\n{done.output}"
                found[shlex.join([name, *arguments])] = done.stdout
    return course, found


def hand_in(course: Course, *, zipped: bool) -> None:
    student = Student(course)
    left_out = {"attend_to_past": None}
    unwritten = {"additive_scores": None, "alignment_error_rate": None}
    work = {
        ("ada", "lovelaceada"): student.notebook(written=GOOD_ANSWER, **left_out),
        ("emmy", "noetheremmy"): student.notebook(written=None, **unwritten, **left_out),
    }
    with zipfile.ZipFile(course.root / "submissions.zip", "w") as archive:
        for number, ((name, in_canvas), notebook) in enumerate(work.items()):
            if zipped:
                archive.writestr(f"{in_canvas}_{number}_{number}_{CHAPTER}.ipynb", nbformat.writes(notebook))
            else:
                submit(course, name, notebook)


def test_the_class_gets_what_its_configuration_says(said: tuple[Course, dict[str, str]]) -> None:
    course, found = said
    worth = promised(read(course.released(CHAPTER)))
    assert "attend_to_past" not in worth
    assert worth["attend"] == "20 points"
    assert worth["alignment_error_rate"] == "8 points of extra credit"
    assert "extra credit" in found[f"autograder list {CHAPTER}"]


def test_regrading_shows_the_change_and_the_grades_are_those_of_the_new_points(
    said: tuple[Course, dict[str, str]],
) -> None:
    course, found = said
    assert "1 of 2 grades would change" in found[f"autograder regrade {CHAPTER}"]
    lines = {line.student.id: line for line in read_lines(course, CHAPTER)}
    worth = 100 - 10 - 8 - 10 + (20 - 13) + (20 - 11)
    assert {line.worth for line in lines.values()} == {worth}
    assert lines["ada"].points == worth - 5 + 8, "all but the written answer, which waits, and the extra credit"
    assert lines["emmy"].points == worth - 5


def test_everything_else_that_it_promises_is_there(said: tuple[Course, dict[str, str]]) -> None:
    course, _ = said
    for name in (
        f"build/handouts/{CHAPTER}.zip",
        f"reports/{CHAPTER}.html",
        "grades.csv",
        "grades-canvas.csv",
        "backup.zip",
    ):
        assert (course.root / name).is_file()
