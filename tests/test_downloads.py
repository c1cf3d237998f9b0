"""What Canvas and Moodle give is put where it belongs, by the roster, and nothing of it is lost or written elsewhere."""

import json
import re
import shutil
import zipfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.checkout import Course, course_config
from autograder.cli import app
from autograder.grading.collect import MAX_BYTES, Submission, collect
from autograder.samples.course import CHAPTER
from tests.conftest import CHECKOUT

ROSTER = """\
Student,ID,SIS User ID,SIS Login ID,Section
,,,,
"Miller, Jane",12345,,jmiller,A
"O'Neill-Ruiz, Zoë",12346,,zruiz,A
"Lang, Ann",12347,,alang,A
"Lang, Ann",12348,,alang2,A
"Noether, Emmy",,,emmy,A
"""
NOTEBOOK = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture(scope="module")
def entered(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return class_of(ROSTER, tmp_path_factory.mktemp("entered"))


@pytest.fixture
def course(entered: Course, tmp_path: Path) -> Course:
    return Course(shutil.copytree(entered.root, tmp_path / "course"))


def class_of(roster: str, folder: Path) -> Course:
    """A course with a class, in which nothing was released or handed in."""
    course = Course(folder / "course")
    course.root.mkdir()
    shutil.copy(CHECKOUT.root / "nbgrader_config.py", course.root)
    (folder / "roster.csv").write_text(roster)
    assert run(course, "roster", folder / "roster.csv")[0] == 0
    return course


def run(course: Course, *arguments: str | Path) -> tuple[int, str]:
    asked = [*map(str, arguments), "--course", str(course.root)]
    result = CliRunner().invoke(app, asked, env={"COLUMNS": "200"})
    assert "Traceback" not in result.output
    assert not result.exception or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def download(course: Course, files: Mapping[str, str | bytes]) -> Path:
    path = course.root.parent / "submissions.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def taken(course: Course, files: Mapping[str, str | bytes]) -> tuple[int, str]:
    return run(course, "collect", CHAPTER, download(course, files), "--yes")


def handed_in(course: Course) -> dict[str, str]:
    """The text of everything in `submitted/`, by its path there."""
    root = course.root / "submitted"
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


def of(student: str, name: str = f"{CHAPTER}.ipynb") -> str:
    return f"{student}/{CHAPTER}/{name}"


@pytest.mark.parametrize(
    ("label", "path"),
    [
        (f"millerjane_12345_678_{CHAPTER}.ipynb", of("jmiller")),
        (f"millerjane_LATE_12345_678_{CHAPTER}.ipynb", of("jmiller")),
        (f"millerjane_12345_678_{CHAPTER}-1.ipynb", of("jmiller")),
        (f"millerjane_12345_678_{CHAPTER} (2).ipynb", of("jmiller")),
        (f"submissions/millerjane_12345_678_{CHAPTER}-12.ipynb", of("jmiller")),
        ("millerjane_12345_678_my_1_2_homework-1.ipynb", of("jmiller", "my_1_2_homework-1.ipynb")),
        (f"miller2jane_x_12345_678_{CHAPTER}.ipynb", of("jmiller")),
        (f"langann_12348_678_{CHAPTER}.ipynb", of("alang2")),
        (f"noetheremmy_99_678_{CHAPTER}.ipynb", of("emmy")),
        (f"Jane Miller_1_assignsubmission_file_/{CHAPTER}.ipynb", of("jmiller")),
        (f"Jane Miller_1_assignsubmission_file/{CHAPTER}.ipynb", of("jmiller")),
        (f"Zoë O'Neill-Ruiz_1_assignsubmission_file_/inner/{CHAPTER}.ipynb", of("zruiz")),
        (f"Jane Miller_1_assignsubmission_file_{CHAPTER}.ipynb", of("jmiller")),
    ],
)
def test_a_file_goes_to_the_student_whose_it_is(course: Course, label: str, path: str) -> None:
    code, said = taken(course, {label: NOTEBOOK})
    assert code == 0, said
    assert handed_in(course) == {path: NOTEBOOK}
    assert "1 new, 0 handed in again, 0 unchanged" in said
    assert "1 of the 5 students on the roster has submitted" in said


@pytest.mark.parametrize(
    ("who", "near"),
    [
        ("millerjan_99", "nearest on the roster: jmiller (Jane Miller)"),
        ("millerjane_99", "nearest on the roster: jmiller (Jane Miller)"),
        ("langann_99", "nearest on the roster: alang (Ann Lang), alang2 (Ann Lang)"),
        ("xyz_99", f"xyz_99_678_{CHAPTER}.ipynb: nobody on the roster\n"),
    ],
)
def test_what_fits_nobody_is_named_with_the_nearest_and_stays_where_it_is(course: Course, who: str, near: str) -> None:
    files = {f"{who}_678_{CHAPTER}.ipynb": NOTEBOOK, f"noetheremmy_7_8_{CHAPTER}.ipynb": NOTEBOOK}
    code, said = taken(course, files)
    assert code == 1
    assert near in said
    assert "nobody on the roster" in said
    assert handed_in(course) == {of("emmy"): NOTEBOOK}


def test_canvas_test_student_is_nobody(course: Course) -> None:
    files = {f"studenttest_5_6_{CHAPTER}.ipynb": NOTEBOOK, f"noetheremmy_7_8_{CHAPTER}.ipynb": NOTEBOOK}
    assert taken(course, files)[0] == 0
    assert list(handed_in(course)) == [of("emmy")]


def test_the_newest_of_several_notebooks_is_the_chapters(course: Course) -> None:
    files = {
        f"millerjane_12345_{age}_{CHAPTER}{copy}.ipynb": NOTEBOOK + " " * age
        for age, copy in ((9, ""), (10, "-1"), (2, "-2"))
    }
    assert taken(course, files)[0] == 0
    found = handed_in(course)
    assert found[of("jmiller")] == NOTEBOOK + " " * 10
    assert sorted(found.values(), key=len) == [NOTEBOOK + " " * age for age in (2, 9, 10)]


def test_the_same_again_changes_nothing_and_a_new_version_keeps_the_old_aside(course: Course) -> None:
    first = {f"millerjane_12345_1_{CHAPTER}.ipynb": NOTEBOOK, "millerjane_12345_2_code.py": "1"}
    assert taken(course, first)[0] == 0
    (course.root / "submitted" / of("jmiller", "timestamp.txt")).write_text("2026-12-01 18:30 UTC")
    before = handed_in(course)
    code, said = taken(course, first)
    assert (code, "0 new, 0 handed in again, 1 unchanged" in said) == (0, True)
    assert handed_in(course) == before
    code, said = taken(course, {f"millerjane_12345_3_{CHAPTER}-1.ipynb": NOTEBOOK + " "})
    assert code == 0, said
    assert f"Handed in again: jmiller. The earlier files are in .autograder/earlier/{CHAPTER}." in said
    assert handed_in(course) == {of("jmiller"): NOTEBOOK + " "}
    kept = [path.read_text() for path in (course.private / "earlier" / CHAPTER / "jmiller").glob("*.ipynb*")]
    assert kept == [NOTEBOOK]
    assert "earlier" not in run(course, "collect", CHAPTER)[1]


def test_lateness_is_told_until_the_time_is_known_or_other_work_comes(course: Course) -> None:
    late = f"millerjane_LATE_12345_1_{CHAPTER}.ipynb"
    assert "marked late in Canvas, but not counted" in taken(course, {late: NOTEBOOK})[1]

    def notes() -> str:
        return "\n".join(collect(course, CHAPTER)[0].notes)

    assert "marked late in Canvas" in notes()
    stamp = course.root / "submitted" / of("jmiller", "timestamp.txt")
    stamp.write_text("2026-12-01 18:30 UTC")
    assert notes() == ""
    stamp.unlink()
    (course.root / "submitted" / of("jmiller")).write_text(NOTEBOOK + "  ")
    assert notes() == ""
    taken(course, {late: NOTEBOOK})
    assert "marked late in Canvas" in notes()
    taken(course, {late.replace("_LATE", ""): NOTEBOOK + " "})
    assert notes() == ""


def test_with_a_due_date_canvas_mark_counts_as_a_minute_late(course: Course) -> None:
    with Gradebook(course.database(course_config(course.root))) as book:
        book.add_assignment(CHAPTER, duedate="2026-12-01 18:00 UTC")
    label = f"millerjane_LATE_12345_1_{CHAPTER}.ipynb"

    def found() -> Submission:
        return collect(course, CHAPTER)[0]

    taken(course, {label: NOTEBOOK})
    assert found().timestamp == datetime(2026, 12, 1, 18, 1)
    assert found().notes[0].endswith("counted as one minute late")
    run(course, "due", CHAPTER, "2026-12-02 18:00", "--timezone", "UTC")
    assert "0 new, 0 handed in again, 1 unchanged" in taken(course, {label: NOTEBOOK})[1]
    assert found().timestamp == datetime(2026, 12, 2, 18, 1)
    taken(course, {label.replace("_LATE", ""): NOTEBOOK})
    assert (found().timestamp, found().notes) == (None, ())


def test_collecting_again_says_nothing_false_of_who_handed_in_code_alone(course: Course) -> None:
    files = {"millerjane_12345_1_work.py": "1", "noetheremmy_7_8_page.html": "<p>"}
    taken(course, files)
    kept = sorted(path.name for path in (course.private / "quarantine").rglob("*") if path.is_file())
    for _ in range(2):
        assert "0 new, 0 handed in again, 2 unchanged" in taken(course, files)[1]
    assert sorted(path.name for path in (course.private / "quarantine").rglob("*") if path.is_file()) == kept


def test_of_a_large_class_only_those_who_need_a_look_are_listed(course: Course, tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text("id,lms_user_id\n" + "\n".join(f"s{n:02},{n}" for n in range(100, 160)))
    run(course, "roster", tmp_path / "more.csv")
    files = {f"s_{number}_1_{CHAPTER}.ipynb": NOTEBOOK for number in range(100, 160)}
    code, said = taken(course, {**files, "s_130_2_code.py": "1"})
    assert code == 0
    assert [f"s{number}" for number in range(100, 160) if f"│ s{number}" in said] == ["s130"]
    assert "60 students have a notebook" in said


def test_a_download_that_the_browser_unpacked(course: Course, tmp_path: Path) -> None:
    with zipfile.ZipFile(download(course, {f"millerjane_12345_1_{CHAPTER}.ipynb": NOTEBOOK})) as archive:
        archive.extractall(tmp_path / "submissions")
    (tmp_path / "submissions" / f"noetheremmy_7_8_{CHAPTER}.ipynb").symlink_to("/etc/passwd")
    assert run(course, "collect", CHAPTER, tmp_path / "submissions")[0] == 0
    assert handed_in(course) == {of("jmiller"): NOTEBOOK}


def test_nothing_is_written_anywhere_else(course: Course, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (course.root / "submitted").mkdir()
    (course.root / "submitted" / "emmy").symlink_to(tmp_path / "elsewhere")
    files = {
        "../millerjane_12345_1_../../out.ipynb": NOTEBOOK,
        "../../Jane Miller_1_assignsubmission_file_/../out.ipynb": NOTEBOOK,
        "millerjane_12345_2_a\\..\\b.txt": "b",
        f"noetheremmy_7_8_{CHAPTER}.ipynb": NOTEBOOK,
    }
    taken(course, files)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["course", "elsewhere", "submissions.zip"]
    assert handed_in(course)[of("emmy")] == NOTEBOOK
    assert {name.split("/")[0] for name in handed_in(course)} <= {"emmy", "jmiller"}


def test_code_goes_into_quarantine_and_what_is_too_large_is_named(course: Course) -> None:
    files: dict[str, str | bytes] = {
        f"millerjane_12345_1_{CHAPTER}.ipynb": NOTEBOOK,
        "millerjane_12345_2_nbgrader_config.py": "1 / 0",
        "millerjane_12345_3_big.txt": b" " * (MAX_BYTES + 1),
    }
    code, said = taken(course, files)
    assert code == 1
    assert handed_in(course) == {of("jmiller"): NOTEBOOK}
    # In a narrow terminal the table breaks the sentence.
    assert "nbgrader_config.pywasmovedto.autograder/quarantine" in re.sub(r"[│\s]", "", said)
    assert "millerjane_12345_3_big.txt: more than 20 MB" in said


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no archive", "is not a zip file that can be read: download it again"),
        ({}, "no file whose name says whose submission it is"),
        ({f"anon_k3x_17_{CHAPTER}.ipynb": NOTEBOOK}, "Anonymous grading hides the names"),
        ({"notes.txt": ""}, f"expected, for example, millerjane_12345_67890_{CHAPTER}.ipynb"),
    ],
)
def test_what_is_no_download_is_refused(course: Course, content: bytes | Mapping[str, str | bytes], words: str) -> None:
    path = download(course, content if not isinstance(content, bytes) else {})
    if isinstance(content, bytes):
        path.write_bytes(content)
    code, said = run(course, "collect", CHAPTER, path)
    assert code == 1
    assert words in said
    assert not (course.root / "submitted").exists()


def test_without_a_roster_nobody_can_be_told_apart(course: Course) -> None:
    (course.root / "gradebook.db").unlink()
    code, said = taken(course, {f"millerjane_12345_1_{CHAPTER}.ipynb": NOTEBOOK})
    assert code == 1
    assert "enter them first with `autograder roster FILE.csv`" in said


class TestAttendance:
    def test_who_is_missing_and_who_is_not_on_the_roster(self, course: Course) -> None:
        for name in ("jmiler", "zruiz"):
            path = course.root / "submitted" / of(name)
            path.parent.mkdir(parents=True)
            path.write_text(NOTEBOOK)
        code, said = run(course, "collect", CHAPTER)
        assert code == 1
        assert "submitted/jmiler is not on the roster; did you mean jmiller?" in said
        assert f"1 of the 5 students on the roster has submitted {CHAPTER}." in said
        missing = "alang (Ann Lang), alang2 (Ann Lang), emmy (Emmy Noether), jmiller (Jane Miller)"
        assert f"Not submitted: {missing}." in said

    def test_of_many_ten_are_named(self, course: Course, tmp_path: Path) -> None:
        (tmp_path / "more.csv").write_text("id\n" + "\n".join(f"s{number:02}" for number in range(12)))
        run(course, "roster", tmp_path / "more.csv")
        said = taken(course, {f"noetheremmy_7_8_{CHAPTER}.ipynb": NOTEBOOK})[1]
        (line,) = [line for line in said.splitlines() if line.startswith("Not submitted")]
        assert line.endswith("s06 and 6 more.")
        assert line.count(",") == 9
