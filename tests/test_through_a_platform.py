"""A class that works through a learning platform: collected from a download, graded, and given its feedback back through the same way."""

import json
import shutil
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from rich.console import Console
from typer.testing import CliRunner

from autograder.checkout import Course, course_config
from autograder.cli import app
from autograder.grading.class_record import read_class
from autograder.grading.feedback import Written, write_feedback
from autograder.samples.course import CHAPTER, Student, answer_cell, quietly
from tests.students import answers_to

attend = answers_to("attend")
QUIET = Console(quiet=True)
RING = [f"ring{number}" for number in range(3)]
EQUAL = ["equal1", "equal2"]
STUDENTS = [*RING, *EQUAL, "untouched1", "untouched2", "own"]


@pytest.fixture(scope="module")
def course(released: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A graded class in which three copied from each other, two handed in one file, and two the notebook as it was given."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("platform") / "course"))
    student = Student(course)
    own = "\n".join(
        f"def helper_{name}(zuerst, danach):\n    return zuerst + danach * {place}"
        for place, name in enumerate("abcdefgh")
    )
    files = {}
    with Gradebook(course.database(course_config(course.root))) as book:
        for number, name in enumerate(STUDENTS, start=100):
            book.add_student(name, first_name=name.title(), last_name="O'Neill", lms_user_id=str(number))
            notebook = student.notebook()
            if name in RING:
                answer_cell(notebook, "attend").source += f"\n{own}\n# {name}\n"
            elif name in EQUAL:
                answer_cell(notebook, "attend").source += "\nspare = 1\n"
            elif name.startswith("untouched"):
                notebook = nbformat.read(course.released(CHAPTER), 4)
            files[f"oneill{name}_{number}_{number}00_{CHAPTER}.ipynb"] = json.dumps(notebook)
    with zipfile.ZipFile(course.root / "download.zip", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    said = CliRunner().invoke(
        app, ["collect", CHAPTER, str(course.root / "download.zip"), "--course", str(course.root)]
    )
    assert said.exit_code == 0, said.output
    assert quietly(course).exit_code == 0
    return course


@pytest.fixture(scope="module")
def written(course: Course) -> Written:
    return write_feedback(course, CHAPTER, workers=1, console=QUIET)


def test_feedback_is_packed_as_canvas_takes_it(course: Course, written: Written) -> None:
    assert written.packed == course.root / "feedback" / f"{CHAPTER}-for-canvas.zip"
    with zipfile.ZipFile(written.packed) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    # What Canvas looks for: the first two numbers between underscores, of the student and of the file.
    ids = {tuple([part for part in name.split("_") if part.isdigit()][:2]): name for name in found}
    assert set(ids) == {(str(number), f"{number}00") for number, _ in enumerate(STUDENTS, start=100)}
    own = ids[str(99 + len(STUDENTS)), f"{99 + len(STUDENTS)}00"]
    assert found[own] == (course.root / "feedback" / "own" / CHAPTER / f"{CHAPTER}.html").read_bytes()
    assert any("upload" in line for line in written.closing())


def test_the_page_says_whose_it_is(course: Course, written: Written) -> None:
    page = (course.root / "feedback" / "own" / CHAPTER / f"{CHAPTER}.html").read_text()
    assert "Own O&#x27;Neill (own)" in page


def test_a_ring_of_copiers_is_one_group_and_equal_files_are_named(course: Course) -> None:
    groups = read_class(course, CHAPTER, QUIET).groups()
    assert [(group.students, group.equal) for group in groups] == [(tuple(EQUAL), (tuple(EQUAL),)), (tuple(RING), ())]


def test_moodle_gets_the_names_that_it_gave(course: Course, tmp_path: Path) -> None:
    moved = Course(shutil.copytree(course.root, tmp_path / "course"))
    record = moved.private / "downloads" / f"{CHAPTER}.json"
    taken = {
        "platform": "Moodle",
        "label": f"download/Own O'Neill_77_assignsubmission_file/{CHAPTER}.ipynb",
        "files": {},
    }
    record.write_text(json.dumps({"own": taken}))
    written = write_feedback(moved, CHAPTER, workers=1, console=QUIET)
    assert written.packed
    with zipfile.ZipFile(written.packed) as archive:
        (name,) = archive.namelist()
    assert name.split("_", 4) == ["Own O'Neill", "77", "assignsubmission", "file", f"{CHAPTER}-feedback.html"]
    assert written.unpacked == written.written + written.unchanged - 1
