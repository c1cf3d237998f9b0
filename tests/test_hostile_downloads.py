"""Whose work it is says the platform alone: no name in a download, and no byte of it, reaches another student's folder or stops the class."""

import io
import json
import re
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from autograder.checkout import Course
from autograder.grading.collect import MAX_BYTES, collect
from autograder.samples.course import CHAPTER
from tests.test_downloads import NOTEBOOK, class_of, download, handed_in, of, run

ROSTER = """\
Student,ID,SIS User ID,SIS Login ID,Section
"Miller, Jane",12345,,jmiller,A
"Moore, Mallory",555,,mallory,A
"राम",,,ram,A
"रोम",,,rom,A
"Noether, Emmy",,,emmy,A
"""
JANES = {f"millerjane_12345_1_{CHAPTER}.ipynb": NOTEBOOK}
BLACKBOARD = "gradebook_2026-RNN_Week 5_"


@pytest.fixture(scope="module")
def entered(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return class_of(ROSTER, tmp_path_factory.mktemp("entered"))


@pytest.fixture
def course(entered: Course, tmp_path: Path) -> Course:
    return Course(shutil.copytree(entered.root, tmp_path / "course"))


def taken(course: Course, files: Mapping[str, str | bytes], *options: str) -> tuple[int, str]:
    return run(course, "collect", CHAPTER, download(course, files), "--yes", *options)


def of_others(course: Course, student: str) -> set[str]:
    return {path.split("/")[0] for path in handed_in(course)} - {student}


@pytest.mark.parametrize(
    "label",
    [
        f"mallory_555_9_x\\Jane Miller_1_assignsubmission_file_{CHAPTER}.ipynb",
        f"mallory_555_9_x\\millerjane_12345_10_{CHAPTER}.ipynb",
        f"mallory_555_9_x_12345_10_{CHAPTER}.ipynb",
        # Canvas takes `_12345_` out of a name, but leaves it of `__12345__`.
        f"millerjane_12345_10_x_555_9_{CHAPTER}.ipynb",
        f"mallory_555_9_{BLACKBOARD}jmiller_attempt_2026-12-01-18-30-00_{CHAPTER}.ipynb",
        f"anon_12345_10_{CHAPTER}.ipynb",
    ],
)
def test_a_name_that_a_student_chose_leads_to_nobody_else(course: Course, label: str) -> None:
    assert taken(course, JANES)[0] == 0
    before = handed_in(course)
    taken(course, {label: NOTEBOOK + " "})
    assert {path: text for path, text in handed_in(course).items() if path.startswith("jmiller/")} == before


@pytest.mark.parametrize(
    "label",
    [
        f"Mallory Moore_5_assignsubmission_file_/Jane Miller_1_assignsubmission_file_/{CHAPTER}.ipynb",
        f"Mallory Moore_5_assignsubmission_file_/x\\Jane Miller_1_assignsubmission_file_/{CHAPTER}.ipynb",
        f"Mallory Moore_5_assignsubmission_file_Jane Miller_1_assignsubmission_file_{CHAPTER}.ipynb",
        f"Default group_assignsubmission_file_/Jane Miller_1_assignsubmission_file_{CHAPTER}.ipynb",
        f"Mallory Moore_5_assignsubmission_other/Jane Miller_1_assignsubmission_file_{CHAPTER}.ipynb",
    ],
)
def test_only_the_outermost_name_in_moodles_download_is_moodles(course: Course, label: str) -> None:
    taken(course, {label: NOTEBOOK})
    assert of_others(course, "mallory") == set()


def test_two_people_of_one_name_are_not_merged(course: Course) -> None:
    files = {
        f"Jane Miller_{number}_assignsubmission_file_/{CHAPTER}.ipynb": NOTEBOOK + " " * number for number in (1, 2)
    }
    code, said = taken(course, files)
    assert (code, handed_in(course)) == (1, {})
    assert "two of this name" in said


def test_a_name_without_its_vowels_is_another_name(course: Course) -> None:
    code, _ = taken(course, {f"रूम_1_assignsubmission_file_/{CHAPTER}.ipynb": NOTEBOOK})
    assert (code, handed_in(course)) == (1, {})
    taken(course, {f"रोम_1_assignsubmission_file_/{CHAPTER}.ipynb": NOTEBOOK})
    assert list(handed_in(course)) == [of("rom")]


def test_a_name_alone_is_asked_about(course: Course) -> None:
    path = download(course, {f"Jane Miller_1_assignsubmission_file_/{CHAPTER}.ipynb": NOTEBOOK})
    code, said = run(course, "collect", CHAPTER, path)
    assert (code, handed_in(course)) == (1, {})
    assert "by name alone" in said
    assert run(course, "collect", CHAPTER, path, "--yes")[0] == 0
    assert list(handed_in(course)) == [of("jmiller")]
    # What changes nothing is not asked again.
    assert run(course, "collect", CHAPTER, path)[0] == 0


@pytest.mark.parametrize("name", ["timestamp.txt", "TIMESTAMP.TXT", ".netrc", ".ipynb_checkpoints", "feedback"])
def test_files_of_ours_are_not_taken_from_a_student(course: Course, name: str) -> None:
    code, said = taken(course, {**JANES, f"millerjane_12345_2_{name}": "2020-01-01 00:00:00 UTC"})
    assert (code, handed_in(course)) == (0, {of("jmiller"): NOTEBOOK})
    assert f"{name} was not taken" in re.sub(r"[│\s]+", " ", said)
    assert collect(course, CHAPTER)[0].timestamp is None


@pytest.mark.parametrize(
    "name", ["..", ".", "n" * 300 + ".ipynb", "n." + "x" * 300, "é" * 200 + ".txt", "\x07bell.txt"]
)
def test_one_strange_name_costs_nobody_else(course: Course, name: str) -> None:
    files = {**JANES, f"mallory_555_2_{name}": NOTEBOOK, f"noetheremmy_7_8_{CHAPTER}.ipynb": NOTEBOOK}
    taken(course, files)
    assert {of("jmiller"), of("emmy")} <= set(handed_in(course))
    assert all(len(path.split("/")[2].encode()) <= 255 for path in handed_in(course))


def flipped(path: Path, inside: str) -> None:
    """Flip a bit in the middle of one file's compressed data."""
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo(inside)
    data = bytearray(path.read_bytes())
    data[info.header_offset + 30 + len(info.filename.encode()) + info.compress_size // 2] ^= 4
    path.write_bytes(bytes(data))


def test_a_damaged_file_is_named_and_the_others_are_taken(course: Course) -> None:
    broken = f"noetheremmy_7_2_{CHAPTER}.ipynb"
    path = course.root.parent / "submissions.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(broken, json.dumps([str(number) for number in range(2000)]))
        archive.writestr(f"millerjane_12345_1_{CHAPTER}.ipynb", NOTEBOOK)
    flipped(path, broken)
    code, said = run(course, "collect", CHAPTER, path, "--yes")
    assert (code, list(handed_in(course))) == (1, [of("jmiller")])
    assert broken in said
    assert "damaged" in said


def test_damage_replaces_nothing(course: Course) -> None:
    taken(course, JANES)
    newer = f"millerjane_12345_3_{CHAPTER}.ipynb"
    path = course.root.parent / "submissions.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(newer, json.dumps([str(number) for number in range(2000)]))
    flipped(path, newer)
    assert run(course, "collect", CHAPTER, path)[0] == 1
    assert handed_in(course) == {of("jmiller"): NOTEBOOK}


def test_a_bomb_is_neither_unpacked_nor_read_whole(course: Course) -> None:
    path = course.root.parent / "submissions.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"millerjane_12345_1_{CHAPTER}.ipynb", NOTEBOOK)
        for number in range(10):
            with archive.open(f"mallory_555_{number}_{number}.txt", "w") as file:
                for _ in range(19):
                    file.write(bytes(1 << 20))
    code, said = run(course, "collect", CHAPTER, path)
    assert code == 1
    assert sum(file.stat().st_size for file in course.root.rglob("*") if "submitted" in file.parts) < 2 * MAX_BYTES
    assert "20 MB" in said
    assert of("jmiller") in handed_in(course)


def test_an_older_download_replaces_nothing(course: Course) -> None:
    taken(course, {f"millerjane_12345_9_{CHAPTER}-1.ipynb": NOTEBOOK + " "})
    code, said = taken(course, JANES)
    assert (code, handed_in(course)) == (0, {of("jmiller"): NOTEBOOK + " "})
    assert "the download has older work: jmiller" in said


def test_a_dry_run_shows_the_table_and_writes_nothing(course: Course) -> None:
    before = sorted(course.root.rglob("*"))
    files = {**JANES, "README.txt": "", f"mallory_LATE_555_2_{CHAPTER}.ipynb": NOTEBOOK}
    code, said = run(course, "collect", CHAPTER, download(course, files), "--dry-run")
    assert code == 1, "one file is nobody's"
    assert sorted(course.root.rglob("*")) == before
    for words in ("jmiller", "mallory", "README.txt", "new", "late"):
        assert words in said


def test_a_file_of_no_form_is_named(course: Course) -> None:
    code, said = taken(course, {**JANES, "homework_final.ipynb": NOTEBOOK, "inner/deep.ipynb": NOTEBOOK})
    assert code == 1
    assert "homework_final.ipynb" in said
    assert "inner/deep.ipynb" in said
    assert list(handed_in(course)) == [of("jmiller")]


class TestAZipThatAStudentHandedIn:
    def zipped(self, files: dict[str, str]) -> bytes:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return packed.getvalue()

    def test_with_one_notebook_is_opened(self, course: Course) -> None:
        work = self.zipped({"my/work.ipynb": NOTEBOOK, "__MACOSX/my/._work.ipynb": "x", "my/seqlab/a.py": "1"})
        code, said = taken(course, {"millerjane_12345_1_work.zip": work})
        assert (code, handed_in(course)) == (0, {of("jmiller"): NOTEBOOK})
        assert "taken out of work.zip" in said

    @pytest.mark.parametrize("inner", [{"a.ipynb": "1", "b.ipynb": "2"}, {"a.py": "1"}])
    def test_with_another_number_is_named(self, course: Course, inner: dict[str, str]) -> None:
        taken(course, {"millerjane_12345_1_work.zip": self.zipped(inner), f"noetheremmy_7_8_{CHAPTER}.ipynb": "{}"})
        assert list(handed_in(course)) == [of("emmy")]

    def test_that_is_a_bomb_or_damaged_costs_nobody_else(self, course: Course) -> None:
        bomb = self.zipped({"a.ipynb": " " * (MAX_BYTES + 1)})
        files = {"millerjane_12345_1_work.zip": bomb, "mallory_555_1_work.zip": b"PK\x03\x04" + bytes(99)}
        taken(course, {**files, f"noetheremmy_7_8_{CHAPTER}.ipynb": NOTEBOOK})
        assert list(handed_in(course)) == [of("emmy")]


class TestBlackboard:
    def label(self, user: str, date: str, name: str = f"_{CHAPTER}.ipynb") -> str:
        return f"{BLACKBOARD}{user}_attempt_{date}{name}"

    def test_the_last_attempt_counts_and_the_platforms_own_text_is_not_taken(self, course: Course) -> None:
        files = {
            self.label("jmiller", "2026-12-01-18-30-00"): NOTEBOOK,
            self.label("jmiller", "2026-12-02-18-30-00"): NOTEBOOK + " ",
            self.label("jmiller", "2026-12-02-18-30-00", ".txt"): "Name: Jane Miller (jmiller)",
            self.label("nobody", "2026-12-02-18-30-00"): NOTEBOOK,
        }
        code, said = run(course, "collect", CHAPTER, download(course, files))
        assert (code, handed_in(course)) == (1, {of("jmiller"): NOTEBOOK + " "})
        assert "_nobody_attempt_" in said


def test_a_number_that_the_roster_gives_to_two_students_is_nobodys(course: Course, tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text("id,lms_user_id\ntwin,12345\n")
    run(course, "roster", tmp_path / "more.csv")
    code, said = taken(course, JANES)
    assert (code, handed_in(course)) == (1, {})
    assert "the roster gives its number, 12345, to jmiller and twin" in said


def test_who_handed_in_nothing_that_is_taken_is_named(course: Course) -> None:
    code, said = taken(course, {**JANES, "mallory_555_2_timestamp.txt": "2020-01-01 00:00:00 UTC"})
    assert (code, list(handed_in(course))) == (1, [of("jmiller")])
    assert "mallory_555_2_timestamp.txt: timestamp.txt was not taken" in said
