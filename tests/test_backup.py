"""A backup has everything that cannot be made again, and a course that was restored has nothing to grade."""

import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.building.release import generate
from autograder.checkout import Course, course_config
from autograder.cli import app
from autograder.declare import load_checks
from autograder.grading import backup
from autograder.grading import run as running
from autograder.grading.collect import collect
from autograder.grading.export import read_lines
from autograder.samples.course import CHAPTER, GOOD_ANSWER, ROOT, Student, quietly, read_by_hand, submit

ATTEND = next(e.points for e in load_checks(CHAPTER) if e.exercise.name == "attend")
LOST = (".autograder", "submitted", "autograded", "feedback", "gradebook.db")


@pytest.fixture(scope="module")
def graded(released: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course with two students' work graded, one of them by hand as well, and a page of feedback each."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("graded") / "course"))
    student = Student(course)
    submit(course, "ada", student.notebook(written=GOOD_ANSWER))
    submit(course, "emmy", student.notebook(attend=None))
    (course.root / "submitted" / "ada" / CHAPTER / "notes.txt").write_text("beside")
    assert quietly(course).exit_code == 0
    read_by_hand(course, "ada", 4, "Good.")
    assert CliRunner().invoke(app, ["feedback", CHAPTER, "--course", str(course.root)]).exit_code == 0
    return course


@pytest.fixture
def course(graded: Course, tmp_path: Path) -> Course:
    # With the times of its files, as `cp -a` does.
    return Course(shutil.copytree(graded.root, tmp_path / "course", copy_function=shutil.copy2))


def run(course: Course, command: str, file: Path | str, *options: str) -> tuple[int, str]:
    """The exit code of a command, and what it says."""
    asked = [command, str(file), "--course", str(course.root), *options]
    result = CliRunner().invoke(app, asked, env={"COLUMNS": "200"})
    assert "Traceback" not in result.output
    assert not result.exception or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def state(course: Course) -> dict[str, tuple[bytes, int, int]]:
    """Every file that a backup is for: its bytes, its time and who may read it. The gradebook's rows stand for its bytes."""
    found = {}
    for name in LOST:
        place = course.root / name
        for path in [place] if place.is_file() else place.rglob("*"):
            if path.is_file() and not path.is_relative_to(course.private / "results"):
                status = path.stat()
                rows = "\n".join(sorted(dump(path))).encode() if path.suffix == ".db" else path.read_bytes()
                time = 0 if path.suffix == ".db" else status.st_mtime_ns
                found[str(path.relative_to(course.root))] = rows, time, stat.S_IMODE(status.st_mode)
    return found


def dump(database: Path) -> list[str]:
    connection = sqlite3.connect(database)
    try:
        return list(connection.iterdump())
    finally:
        connection.close()


def lose(course: Course) -> None:
    for name in LOST:
        place = course.root / name
        shutil.rmtree(place) if place.is_dir() else place.unlink()


def test_after_a_restore_nothing_differs_and_nothing_is_graded_again(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, file = state(course), tmp_path / "backup.zip"
    lines = [(line.student.id, line.score, line.standing) for line in read_lines(course, CHAPTER)]
    code, said = run(course, "backup", file)
    assert code == 0, said
    assert f"files are in {file}" in said
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    lose(course)
    code, said = run(course, "restore", file)
    assert code == 0, said
    assert state(course) == before
    monkeypatch.setattr("autograder.grading.run._Desk.grade", lambda *_: pytest.fail("a submission was run again"))
    assert quietly(course).exit_code == 0
    assert state(course) == before
    assert [(line.student.id, line.score, line.standing) for line in read_lines(course, CHAPTER)] == lines


def test_a_class_moves_into_an_empty_folder_and_is_graded_there(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write(f'c.Exercises.points = {{"{CHAPTER}": {{"attend": 20}}}}\n')
    roster = tmp_path / "roster.csv"
    roster.write_text("id\nada\nemmy\nzoe\n")
    assert run(course, "roster", roster)[0] == 0
    assert run(course, "regrade", CHAPTER, "--yes")[0] == 0
    lines = [(line.student.id, line.score, line.standing, line.worth) for line in read_lines(course, CHAPTER)]
    assert run(course, "backup", tmp_path / "backup.zip")[0] == 0
    shutil.move(course.root, tmp_path / "gone")
    moved = Course(tmp_path / "elsewhere" / "class")
    code, said = run(moved, "restore", tmp_path / "backup.zip")
    assert code == 0, said
    assert [(line.student.id, line.score, line.standing, line.worth) for line in read_lines(moved, CHAPTER)] == lines
    submit(moved, "zoe", Student(moved).notebook(written=None))
    submit(moved, "zoey", Student(moved).notebook(attend=None))
    grade = running._Desk.grade
    ran = []
    monkeypatch.setattr(
        running._Desk, "grade", lambda desk, one, *rest: ran.append(one.student) or grade(desk, one, *rest)
    )
    assert run(moved, "report", CHAPTER)[0] == 0, "stored results, of which it is made, go along"
    graded = quietly(moved)
    assert sorted(ran) == ["zoe", "zoey"], "only new work is run"
    assert [row.student for row in graded.rows] == ["ada", "emmy", "zoe"]
    assert "did you mean zoe?" in graded.strangers[0]
    assert graded.points == 100 + 20 - ATTEND
    generate(course_config(moved.root), CHAPTER)


def test_a_clone_keeps_its_own_solutions_and_its_configuration_until_told(course: Course, tmp_path: Path) -> None:
    assert run(course, "backup", tmp_path / "backup.zip")[0] == 0
    clone = Course(tmp_path / "clone")
    for folder in ("autograder", "solutions"):
        (clone.root / folder).mkdir(parents=True)
    (clone.root / "solutions" / "later.py").write_text("")
    (clone.root / "nbgrader_config.py").write_text("c = get_config()\n")
    code, said = run(clone, "restore", tmp_path / "backup.zip")
    assert code == 1
    assert "different versions of nbgrader_config.py: overwrite them with --force" in said
    assert not (clone.root / "submitted").exists()
    assert run(clone, "restore", tmp_path / "backup.zip", "--force")[0] == 0
    assert os.listdir(clone.root / "solutions") == ["later.py"]
    assert (clone.root / "nbgrader_config.py").read_text() == (course.root / "nbgrader_config.py").read_text()
    assert (clone.root / "gradebook.db").is_file()


def test_a_folder_that_is_neither_a_course_nor_empty_is_left_alone(course: Course, tmp_path: Path) -> None:
    assert run(course, "backup", tmp_path / "backup.zip")[0] == 0
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("Dear")
    code, said = run(Course(tmp_path / "home"), "restore", tmp_path / "backup.zip", "--force")
    assert code == 1
    assert "is neither a course nor empty: name a new folder with --course" in said
    assert os.listdir(tmp_path / "home") == ["letter.txt"]


def test_without_receipts_too_a_regrade_gives_the_same_grades(course: Course, tmp_path: Path) -> None:
    before = {line.student.id: (line.points, dict(line.parts)) for line in read_lines(course, CHAPTER)}
    run(course, "backup", tmp_path / "backup.zip")
    lose(course)
    run(course, "restore", tmp_path / "backup.zip")
    shutil.rmtree(course.private / "written")
    assert quietly(course).exit_code == 0
    assert {line.student.id: (line.points, dict(line.parts)) for line in read_lines(course, CHAPTER)} == before


def test_nothing_is_replaced_without_force(course: Course, tmp_path: Path) -> None:
    file = tmp_path / "backup.zip"
    assert run(course, "backup", file)[0] == 0
    code, said = run(course, "backup", file)
    assert (code, "already exists" in said) == (1, True)
    assert run(course, "backup", file, "--force")[0] == 0
    assert run(course, "restore", file)[0] == 0, "everything is as it is in the backup"
    before = state(course)
    read_by_hand(course, "ada", 1, "Worse.")
    notes = course.root / "submitted" / "ada" / CHAPTER / "notes.txt"
    notes.write_text("other")
    (course.root / "submitted" / "ada" / CHAPTER / "more.txt").write_text("new")
    changed = state(course)
    code, said = run(course, "restore", file)
    assert code == 1
    assert f"different versions of gradebook.db, submitted/ada/{CHAPTER}/notes.txt: overwrite them with --force" in said
    assert state(course) == changed
    assert run(course, "restore", file, "--force")[0] == 0
    more = f"submitted/ada/{CHAPTER}/more.txt"
    assert state(course) == before | {more: changed[more]}, "what is not in the backup stays"


def test_links_are_left_out_and_odd_names_are_not(course: Course, tmp_path: Path) -> None:
    folder = course.root / "submitted" / "ada" / CHAPTER
    (folder / "link.txt").symlink_to("/etc/passwd")
    (folder / "folder").symlink_to("/etc")
    os.mkfifo(folder / "pipe")
    odd = folder / os.fsdecode(b"\xff.txt")
    odd.write_text("bytes")
    code, said = run(course, "backup", tmp_path / "backup.zip")
    assert code == 0, said
    for name in ("link.txt", "folder", "pipe"):
        assert f"{name} is not a regular file and was left out" in said
    lose(course)
    assert run(course, "restore", tmp_path / "backup.zip")[0] == 0
    assert odd.read_text() == "bytes"
    assert sorted(os.listdir(folder)) == sorted([f"{CHAPTER}.ipynb", "notes.txt", odd.name])


def test_who_handed_in_only_what_was_set_aside_is_not_missing_after_a_restore(course: Course, tmp_path: Path) -> None:
    submit(course, "kurt", "print(1)")
    handed_in = course.root / "submitted" / "kurt" / CHAPTER
    (handed_in / f"{CHAPTER}.ipynb").rename(handed_in / "work.py")
    assert CliRunner().invoke(app, ["collect", CHAPTER, "--course", str(course.root)]).exit_code == 0
    assert list(handed_in.iterdir()) == []
    assert run(course, "backup", tmp_path / "backup.zip")[0] == 0
    moved = Course(tmp_path / "moved")
    assert run(moved, "restore", tmp_path / "backup.zip")[0] == 0
    assert "kurt" in {one.student for one in collect(moved, CHAPTER)}


@pytest.mark.parametrize("folder", ["/tmp/x/y", "submitted/../x", "feedback/x/y", "submitted/x"])
def test_a_folder_from_elsewhere_is_not_made(course: Course, tmp_path: Path, folder: str) -> None:
    with zipfile.ZipFile(tmp_path / "backup.zip", "w") as archive:
        archive.writestr("backup.json", json.dumps({"form": "backup of a course, 1", "files": [], "folders": [folder]}))
    code, said = run(course, "restore", tmp_path / "backup.zip")
    assert code == 1
    assert "is not a backup" in said


def test_a_damaged_backup_changes_nothing(course: Course, tmp_path: Path) -> None:
    file = tmp_path / "backup.zip"
    run(course, "backup", file)
    data = file.read_bytes()
    before = state(course)
    for wrong in (b"", b"no archive", data[: len(data) // 2], data[:3000] + b"\0" * 3000 + data[6000:]):
        file.write_bytes(wrong)
        code, said = run(course, "restore", file, "--force")
        assert code == 1
        assert "is not a backup of a course, or it is damaged" in said
    assert "No such file" in run(course, "restore", tmp_path / "none.zip")[1]
    assert state(course) == before


@pytest.mark.parametrize(
    "path", ["../out.txt", "/tmp/out.txt", "submitted/../../out.txt", "autograder/cli.py", "solutions/../x.py"]
)
def test_an_archive_from_elsewhere_writes_nowhere_else(course: Course, tmp_path: Path, path: str) -> None:
    file = tmp_path / "backup.zip"
    run(course, "backup", file)
    with zipfile.ZipFile(file) as archive:
        tree = json.loads(archive.read("backup.json"))
        files = {name: archive.read(name) for name in archive.namelist()}
    tree["files"][-1]["path"] = path
    files["backup.json"] = json.dumps(tree).encode()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    before = state(course)
    assert run(course, "restore", file, "--force")[0] == 1
    assert state(course) == before
    assert not (tmp_path / "out.txt").exists()


def test_nothing_is_written_through_a_students_link(course: Course, tmp_path: Path) -> None:
    file, folder = tmp_path / "backup.zip", course.root / "submitted" / "ada" / CHAPTER
    run(course, "backup", file)
    shutil.rmtree(folder)
    (tmp_path / "elsewhere").mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    code, said = run(course, "restore", file, "--force")
    assert code == 1
    assert "is not a folder" in said
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_damaged_gradebook_is_not_backed_up(course: Course, tmp_path: Path) -> None:
    book = course.root / "gradebook.db"
    data = bytearray(book.read_bytes())
    data[4096:40960] = b"\xff" * (40960 - 4096)
    book.write_bytes(data)
    code, said = run(course, "backup", tmp_path / "backup.zip")
    assert code == 1
    assert "gradebook" in said
    assert not (tmp_path / "backup.zip").exists()


def test_a_backup_in_the_course_itself_is_ignored_by_git_and_not_backed_up(course: Course) -> None:
    file = course.root / "submitted" / "backup.zip"
    for _ in range(2):
        assert run(course, "backup", file, "--force")[0] == 0
    with zipfile.ZipFile(file) as archive:
        assert "submitted/backup.zip" not in archive.namelist()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_backup_that_is_stopped_leaves_no_copy_of_the_gradebook(
    course: Course, tmp_path: Path, number: signal.Signals
) -> None:
    """By `kill`, or by a terminal that is closed, which does not count where it is ignored, as under nohup."""
    command = ["backup", str(tmp_path / "backup.zip"), "--course", str(course.root)]
    code = (
        "import os, signal; from autograder.cli import app; from autograder.grading import backup\n"
        f"signal.signal({int(number)}, signal.SIG_DFL); backup._added = lambda *_: os.kill(os.getpid(), {int(number)})\napp({command})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "Stopped.\n", "")
    assert [path.name for path in tmp_path.iterdir()] == ["course"]


def test_the_next_backup_removes_what_a_killed_one_left(course: Course, tmp_path: Path) -> None:
    left, used = tmp_path / ".backup-left", tmp_path / ".backup-used"
    for folder in (left, used):
        folder.mkdir()
        (folder / "gradebook.db").write_text("grades")
    with backup._locked(used):
        assert run(course, "backup", tmp_path / "backup.zip")[0] == 0
    assert not left.exists()
    assert used.exists(), "another backup is being written there"


@pytest.mark.parametrize("before", range(4))
def test_a_restore_that_was_stopped_is_finished_by_the_same_command(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: int
) -> None:
    as_it_was, file = state(course), tmp_path / "backup.zip"
    run(course, "backup", file)
    lose(course)
    written = []

    def write(place: Path) -> None:
        written.append(place)
        if len(written) > before:
            places = [path.parent.relative_to(course.root) for path in course.root.rglob(".restore-*")]
            assert all(len(place.parts) < 2 for place in places), "it would be taken for what a student handed in"
            raise KeyboardInterrupt

    def copied(_: Path, to: Path) -> None:
        to.touch()
        write(to)

    replace = os.replace
    monkeypatch.setattr(backup, "_copy_database", copied)
    monkeypatch.setattr("os.replace", lambda old, new: (write(new), replace(old, new)))
    assert run(course, "restore", file)[0] == 130
    monkeypatch.undo()
    code, said = run(course, "restore", file)
    assert code == 0, said
    assert state(course) == as_it_was
