"""A class is graded whole or as far as it says: interrupts, kills, locks, full disks, lost clusters, and what has not changed."""

import io
import json
import os
import pty
import re
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from distributed import LocalCluster
from nbgrader.api import Gradebook
from rich.console import Console
from typer.testing import CliRunner

from autograder.building.release import generate
from autograder.checkout import Course, CourseError, course_config
from autograder.cli import app
from autograder.declare import load_checks
from autograder.grading import cluster, gradebook
from autograder.grading import run as running
from autograder.grading.engine import run_job
from autograder.grading.graded import note_on
from autograder.grading.judge import Judge
from autograder.grading.sandbox import SandboxError
from autograder.judging.verdict import Outcome, Status
from autograder.nbgrader_api import nbgrader_api
from autograder.samples.course import CHAPTER, Student, answer_cell, quietly, submissions, submit
from tests.processes import alive, descendants, maps_of, until

FULL_MARKS = sum(exercise.points for exercise in load_checks(CHAPTER))
ATTEND = next(e.points for e in load_checks(CHAPTER) if e.exercise.name == "attend")


def hand_in(course: Course, *students: str) -> None:
    """Hand in a right notebook for each, no two alike; who is called `b…` lacks an exercise."""
    student = Student(course)
    for name in students:
        notebook = student.notebook(**({"attend": None} if name.startswith("b") else {}))
        answer_cell(notebook, "masked_softmax").source += f"\n# {name}"
        submit(course, name, notebook)


def expected(name: str) -> int:
    return FULL_MARKS - ATTEND * name.startswith("b")


def rows(course: Course, table: str) -> list[tuple]:
    """What the gradebook has of every student, in the order of their ids: one of its tables without ids of its own."""
    submitted = (
        "join submitted_notebook n on n.id = x.notebook_id join submitted_assignment s on s.id = n.assignment_id "
        "join base_cell b on b.id = x.cell_id"
    )
    query = {
        "students": "select id, first_name, last_name, email from student",
        "submissions": "select student_id, timestamp, extension from submitted_assignment",
        "notebooks": "select s.student_id, n.flagged, n.late_submission_penalty from submitted_notebook n "
        "join submitted_assignment s on s.id = n.assignment_id",
        "grades": "select s.student_id, b.name, b.type, x.auto_score, x.manual_score, x.extra_credit, "
        f"x.needs_manual_grade from grade x {submitted}",
        "comments": f"select s.student_id, b.name, b.type, x.auto_comment, x.manual_comment from comment x {submitted}",
    }[table]
    with sqlite3.connect(course.root / "gradebook.db") as book:
        return sorted(book.execute(query), key=repr)


def points(course: Course) -> dict[str, float]:
    """Each student's points in the gradebook."""
    found: dict[str, float] = {}
    for student, _, _, auto, *_ in rows(course, "grades"):
        found[student] = found.get(student, 0) + (auto or 0)
    return found


def assert_whole(course: Course) -> None:
    """Whoever is in the gradebook has all that was earned, and the notebook that says so."""
    assert points(course) == {name: expected(name) for name in points(course)}
    for student in points(course):
        assert (course.autograded(student, CHAPTER) / f"{CHAPTER}.ipynb").is_file(), student
    assert not list(course.root.glob("autograded/*/.*"))


class Terminal:
    """`autograder grade` in a terminal of its own."""

    def __init__(self, course: Course, *options: str) -> None:
        command = [str(Path(sys.executable).parent / "autograder"), "grade", CHAPTER, "--course", str(course.root)]
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
        self._screen, theirs = pty.openpty()
        # The terminal becomes that of a session, so that Ctrl-C reaches all in it.
        self.process = subprocess.Popen(
            ["setsid", "--ctty", *command, *options], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
        )
        os.close(theirs)
        self.shown = ""

    def read_until(self, words: str) -> None:
        """Read what is shown until these words come, or the end."""
        while words not in self.shown and self._read():
            pass

    def press_ctrl_c(self) -> None:
        os.write(self._screen, b"\x03")

    def end(self) -> int:
        """Read to the end and return the exit code."""
        while self._read():
            pass
        os.close(self._screen)
        return self.process.wait()

    def _read(self) -> bool:
        ready, _, _ = select.select([self._screen], [], [], 600)
        assert ready, f"nothing more is shown: {self.shown[-500:]}"
        try:
            data = os.read(self._screen, 1 << 16)
        except OSError:
            return False
        self.shown += data.decode(errors="replace")
        return bool(data)


class TestInterrupted:
    @pytest.mark.parametrize("presses", [1, 2])
    def test_ctrl_c_in_a_terminal(self, fresh: Course, presses: int) -> None:
        """Nobody is told "done", nobody gets less than was earned, nothing lives on, and the same command does the rest."""
        hand_in(fresh, "a", "b", "c", "d", "e", "f")
        terminal = Terminal(fresh, "--workers", "1")
        terminal.read_until("1/6")
        workers = descendants(terminal.process.pid)
        assert workers
        for _ in range(presses):
            terminal.press_ctrl_c()
        assert terminal.end() == 130, terminal.shown
        said = re.search(r"(\d) of 6 graded; run the same command for the rest", " ".join(terminal.shown.split()))
        assert said, terminal.shown
        assert len(points(fresh)) == int(said[1]) < 6
        assert_whole(fresh)
        assert until(lambda: not alive(workers))
        assert "rader fault" not in terminal.shown
        assert quietly(fresh).exit_code == 0
        assert points(fresh) == {name: expected(name) for name in "abcdef"}

    @pytest.mark.parametrize(
        "moment",
        {
            "Python starts": lambda pid: "python" in maps_of(pid),
            "torch is imported": lambda pid: "libtorch" in maps_of(pid),
            "a worker starts": lambda pid: any("libtorch" in maps_of(child) for child in descendants(pid)),
        }.items(),
        ids=lambda moment: moment[0],
    )
    def test_ctrl_c_at_any_moment_of_the_start(
        self, fresh: Course, moment: tuple[str, Callable[[int], object]]
    ) -> None:
        """torch forgets an interrupt that comes while it is imported. While it reads its own paths, Python calls it a fatal error."""
        hand_in(fresh, "a", "b")
        terminal = Terminal(fresh, "--workers", "1")
        assert until(lambda: bool(moment[1](terminal.process.pid)))
        terminal.press_ctrl_c()
        ended = terminal.end()
        assert ended in (130, -signal.SIGINT) or "init_import_site" in terminal.shown, terminal.shown
        assert len(points(fresh)) < 2
        assert_whole(fresh)

    def test_kill_leaves_whole_grades_and_nothing_alive(self, fresh: Course) -> None:
        hand_in(fresh, "a", "b", "c", "d")
        terminal = Terminal(fresh, "--workers", "1")
        terminal.read_until("1/4")
        workers = descendants(terminal.process.pid)
        terminal.process.kill()
        terminal.end()
        assert until(lambda: not alive(workers))
        assert points(fresh) == {name: expected(name) for name in points(fresh)}
        assert quietly(fresh).exit_code == 0
        assert points(fresh) == {name: expected(name) for name in "abcd"}
        assert_whole(fresh)

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_signal_once_finishes_the_write_in_hand(
        self, fresh: Course, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
    ) -> None:
        hand_in(fresh, "a", "b", "c")
        write = gradebook.Writer._write

        def signalled(self, *args):
            os.kill(os.getpid(), number)
            time.sleep(0.1)
            return write(self, *args)

        monkeypatch.setattr(gradebook.Writer, "_write", signalled)
        before = signal.signal(number, signal.default_int_handler)  # Under nohup it is ignored.
        try:
            graded = quietly(fresh)
        finally:
            signal.signal(number, before)
        assert graded.exit_code == 128 + number
        assert len(points(fresh)) == len(graded.rows) == 1
        assert_whole(fresh)
        assert "1 of 3 graded; run the same command for the rest" in graded.closing()[-1]

    def test_interrupt_in_the_middle_of_a_write_takes_it_back(
        self, fresh: Course, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hand_in(fresh, "a", "b")
        penalise = gradebook.Writer._penalise

        def interrupted(self, *args):
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.1)
            return penalise(self, *args)

        monkeypatch.setattr(gradebook.Writer, "_penalise", interrupted)
        assert quietly(fresh).exit_code == 130
        assert not rows(fresh, "grades")
        assert not list(fresh.root.glob("autograded/*/*"))
        monkeypatch.undo()
        assert quietly(fresh).exit_code == 0
        assert_whole(fresh)

    def test_signals_that_are_ignored_stay_ignored(self, fresh: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        """As under nohup."""
        hand_in(fresh, "a")

        def hung_up(job):
            os.kill(os.getpid(), signal.SIGHUP)
            return run_job(job)

        monkeypatch.setattr(running.engine, "run_job", hung_up)
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            assert quietly(fresh).exit_code == 0
        finally:
            signal.signal(signal.SIGHUP, before)


class TestGradebook:
    @contextmanager
    def locked(self, course: Course) -> Iterator[Callable[[], None]]:
        """The gradebook locked by another connection. Yields what ends that."""
        book = sqlite3.connect(course.root / "gradebook.db", check_same_thread=False, isolation_level=None)
        book.execute("begin exclusive")
        try:
            yield book.rollback
        finally:
            book.close()

    def test_lock_is_waited_for(self, fresh: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        hand_in(fresh, "a")
        shown = io.StringIO()
        with self.locked(fresh) as release:

            def write(text: str) -> int:
                if "The gradebook is locked by another process. Waiting" in text:
                    release()
                return io.StringIO.write(shown, text)

            monkeypatch.setattr(shown, "write", write)
            assert quietly(fresh, console=Console(width=200, file=shown)).exit_code == 0
        assert "Waiting" in shown.getvalue()
        assert_whole(fresh)

    def test_lock_at_the_start_that_stays_is_said(self, fresh: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        hand_in(fresh, "a")
        monkeypatch.setattr(gradebook, "PATIENCE", 0.5)
        with self.locked(fresh):
            for command in (["grade", CHAPTER], ["export"], ["feedback", CHAPTER]):
                result = CliRunner().invoke(app, [*command, "--course", str(fresh.root)])
                assert result.exit_code == 1
                assert "the gradebook is locked by another process" in " ".join(result.output.split())

    def test_lock_in_the_middle_that_stays_stops_the_class(
        self, fresh: Course, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hand_in(fresh, "a", "b", "c")
        monkeypatch.setattr(gradebook, "PATIENCE", 0.5)
        write = gradebook.Writer.write
        monkeypatch.setattr(
            gradebook.Writer,
            "write",
            lambda *args: (write(*args), monkeypatch.setattr(gradebook.Writer, "_write", busy)),
        )

        def busy(*_):
            with self.locked(fresh):
                sqlite3.connect(fresh.root / "gradebook.db", timeout=0.1).execute("select * from grade")

        def as_sqlalchemy_says(action):
            from sqlalchemy.exc import OperationalError

            def tried():
                try:
                    return action()
                except sqlite3.OperationalError as error:
                    raise OperationalError("select", {}, error) from error

            return tried

        run = gradebook.Patience.run
        monkeypatch.setattr(gradebook.Patience, "run", lambda self, action: run(self, as_sqlalchemy_says(action)))
        graded = quietly(fresh)
        assert graded.exit_code == 1
        assert "locked" in graded.closing()[-1]
        assert "1 of 3 graded; run the same command for the rest" in graded.closing()[-1]
        monkeypatch.undo()
        assert quietly(fresh).exit_code == 0
        assert_whole(fresh)

    def test_ours_and_nbgraders_own_write_the_same(self, released: Course, tmp_path: Path) -> None:
        """All tables and every byte of the autograded notebooks, also of who was late and of whom nobody knew."""
        ours = Course(shutil.copytree(released.root, tmp_path / "ours"))
        with (ours.root / "nbgrader_config.py").open("a") as config:
            config.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')
        due = datetime(2026, 3, 1)
        chosen = (
            "clara-einsum",
            "emmy-all-but-one",
            "fatima-masks-late",
            "otto-crash",
            "wei-truncated",
            "tove-deleted",
        )
        made = submissions(Student(ours))
        for number, student in enumerate(chosen):
            path = submit(ours, student, made[student]())
            (path.parent / "timestamp.txt").write_text(str(due + timedelta(days=number - 2)))
            (path.parent / "notes.txt").write_text(student)
        with Gradebook(ours.database(course_config(ours.root))) as book:
            book.update_or_create_assignment(CHAPTER, duedate=due)
        theirs = Course(shutil.copytree(ours.root, tmp_path / "theirs"))
        shutil.copytree(quietly_secret(ours), theirs.private, dirs_exist_ok=True)
        assert quietly(ours).exit_code == 0
        shutil.copytree(ours.private / "results", theirs.private / "results")
        for student in chosen:
            assert nbgrader_api(course_config(theirs.root)).autograde(CHAPTER, student)["success"]
        for table in ("students", "submissions", "notebooks", "grades", "comments"):
            assert rows(ours, table) == rows(theirs, table), table
        assert any(penalty for *_, penalty in rows(ours, "notebooks"))
        files = [path.relative_to(ours.root) for path in ours.root.glob("autograded/*/*/*")]
        assert len(files) == 3 * len(chosen)
        for path in files:
            assert (ours.root / path).read_bytes() == (theirs.root / path).read_bytes(), path
            assert (ours.root / path).stat().st_mode == (theirs.root / path).stat().st_mode, path

    def test_student_whom_the_gradebook_may_not_add_is_named(self, fresh: Course) -> None:
        hand_in(fresh, "a", "b")
        with (fresh.root / "nbgrader_config.py").open("a") as config:
            config.write("c.Autograde.create_student = False\n")
        with Gradebook(fresh.database(course_config(fresh.root))) as book:
            book.add_student("b")
        graded = quietly(fresh)
        assert graded.exit_code == 1
        assert graded.strangers == (f"{expected('a')} points: submitted/a is not on the roster.",)
        assert points(fresh) == {"b": expected("b")}

    def test_folder_that_is_not_on_the_roster_is_graded_and_waits_for_its_student(
        self, fresh: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hand_in(fresh, "ada", "bmiler")
        (tmp_path / "roster.csv").write_text("id\nada\nbmiller\n")
        invoke = CliRunner().invoke
        course = ["--course", str(fresh.root)]
        assert invoke(app, ["roster", str(tmp_path / "roster.csv"), *course]).exit_code == 0
        for command in (["grade", CHAPTER], ["grade", CHAPTER, "--dry-run"], ["regrade", CHAPTER, "--yes"]):
            result = invoke(app, [*command, *course], env={"COLUMNS": "200"})
            assert result.exit_code == 1
            assert (
                f"  {expected('b')} points: submitted/bmiler is not on the roster; did you mean bmiller?"
                in result.output
            )
            assert "Rename the folder, or add the student" in result.output
            assert points(fresh) == {"ada": expected("ada")}
        (fresh.root / "submitted" / "bmiler").rename(fresh.root / "submitted" / "bmiller")
        monkeypatch.setattr(running.engine, "run_job", lambda job: pytest.fail("a submission was run again"))
        result = invoke(app, ["grade", CHAPTER, *course])
        assert result.exit_code == 0, result.output
        assert points(fresh) == {"ada": expected("ada"), "bmiller": expected("b")}


def quietly_secret(course: Course) -> Path:
    """The course's private folder, with its secret made."""
    course.secret(CHAPTER)
    return course.private


class TestStore:
    @pytest.mark.parametrize(
        "content", ["null", "{}", "[]", '{"outcomes": {}}', '{"outcomes": {"attend": 3', "\xff", "["]
    )
    def test_damaged_result_is_as_if_it_were_not_there_and_named(
        self, fresh: Course, content: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hand_in(fresh, "a", "b")
        quietly(fresh)
        shutil.rmtree(fresh.private / "written")
        ran = []
        monkeypatch.setattr(running.engine, "run_job", lambda job: (ran.append(job), run_job(job))[1])
        damaged = min((fresh.private / "results").glob("*.json"))
        damaged.write_bytes(content.encode("latin-1"))
        graded = quietly(fresh)
        assert graded.exit_code == 0
        assert len(ran) == 1
        assert damaged.name in " ".join(graded.closing())
        assert_whole(fresh)

    def test_full_disk_for_results_is_said_once_and_costs_no_grade(
        self, fresh: Course, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hand_in(fresh, "a", "b")

        def full(*_):
            raise OSError(28, "No space left on device")

        for module in ("result", "grade_cache"):
            monkeypatch.setattr(f"autograder.grading.{module}.write_mapping", full)
        graded = quietly(fresh)
        assert graded.exit_code == 0
        assert " ".join(graded.closing()).count("No space left on device") == 1
        assert_whole(fresh)

    def test_full_disk_for_notebooks_stops_the_class(self, fresh: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        hand_in(fresh, "a", "b")

        def full(*_, **__):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(running.shutil, "copyfile", full)
        monkeypatch.setattr(running.Path, "write_text", full)
        graded = quietly(fresh)
        assert graded.exit_code == 1
        (line,) = graded.closing()
        assert "nothing more can be written (No space left on device): 0 of 2 graded; run the same" in line
        monkeypatch.undo()
        assert quietly(fresh).exit_code == 0
        assert_whole(fresh)

    def test_full_disk_for_the_gradebook_stops_the_class(self, fresh: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        from sqlalchemy.exc import OperationalError

        hand_in(fresh, "a")

        def full(*_):
            raise OperationalError("insert", {}, sqlite3.OperationalError("database or disk is full"))

        monkeypatch.setattr(gradebook.Writer, "_write", full)
        graded = quietly(fresh)
        assert graded.exit_code == 1
        assert "free some space on its disk" in graded.closing()[-1]


@pytest.mark.parametrize("content", ["", "0" * 63, "not hexadecimal"])
def test_damaged_secret_is_refused_and_left_alone(fresh: Course, content: str) -> None:
    hand_in(fresh, "a")
    fresh.secret(CHAPTER)
    path = fresh.private / "secrets" / CHAPTER
    path.write_text(content)
    result = CliRunner().invoke(app, ["grade", CHAPTER, "--course", str(fresh.root)])
    assert result.exit_code == 1
    assert "does not contain a secret" in " ".join(result.output.split())
    assert path.read_text() == content


def test_gradebook_that_is_none_is_refused(fresh: Course) -> None:
    hand_in(fresh, "a")
    (fresh.root / "gradebook.db").write_bytes(b"no database" * 100)
    result = CliRunner().invoke(app, ["grade", CHAPTER, "--course", str(fresh.root)])
    assert result.exit_code == 1
    assert "gradebook cannot be used" in " ".join(result.output.split())


class TestFaults:
    def test_fault_of_the_grader_keeps_the_grade_that_was_there(
        self, fresh: Course, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hand_in(fresh, "a", "b")
        quietly(fresh)
        hand_in(fresh, "a")  # The same, and a new file.
        shutil.rmtree(fresh.private)
        before = rows(fresh, "grades")

        def broken(job):
            raise SandboxError("the power went off")

        monkeypatch.setattr(running.engine, "run_job", broken)
        graded = quietly(fresh)
        assert graded.exit_code == 1
        assert graded.unwritten == ["a", "b"]
        assert [row.points for row in graded.rows] == [expected("a"), expected("b")]
        assert "the power went off" in " ".join(graded.rows[0].notes)
        assert rows(fresh, "grades") == before

    def test_check_that_fails_itself_is_for_a_person_to_look_at(
        self, fresh: Course, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hand_in(fresh, "a")
        judge = Judge.judge

        def faulty(*args):
            result = judge(*args)
            first, *rest = result.outcomes["attend"]
            outcomes = {**result.outcomes, "attend": [replace(first, status=Status.GRADER_FAULT), *rest]}
            return replace(result, outcomes=outcomes)

        monkeypatch.setattr(Judge, "judge", faulty)
        graded = quietly(fresh)
        assert graded.exit_code == 1
        assert 0 < points(fresh)["a"] < FULL_MARKS
        waits = {name for _, name, _, auto, _, _, waits in rows(fresh, "grades") if waits and auto is not None}
        assert waits == {"attend"}
        monkeypatch.undo()
        assert quietly(fresh).exit_code == 0
        assert points(fresh) == {"a": FULL_MARKS}

    def test_the_traceback_of_a_fault_of_ours_is_kept(self, fresh: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_):
            raise LookupError("a bug of ours")

        hand_in(fresh, "a")
        with monkeypatch.context() as patch:
            patch.setattr(Judge, "judge", broken)
            assert quietly(fresh).exit_code == 1
        kept = fresh.log.read_text()
        assert "the submission of a could not be graded" in kept
        assert "in broken" in kept
        assert quietly(fresh).exit_code == 0
        assert fresh.log.read_text() == kept


class TestUnchanged:
    def graded_again(self, course: Course) -> list[str]:
        """Who is written anew."""
        written = []
        write = gradebook.Writer.write
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                gradebook.Writer,
                "write",
                lambda self, student, *rest: (written.append(student), write(self, student, *rest)),
            )
            assert quietly(course).exit_code == 0
        return sorted(written)

    def test_only_what_has_changed_is_written(self, fresh: Course) -> None:
        hand_in(fresh, "a", "b", "c")
        first = quietly(fresh)
        assert self.graded_again(fresh) == []
        again = quietly(fresh)
        assert again.rows == first.rows
        changes: dict[str, Callable[[], object]] = {
            "another notebook": lambda: submit(fresh, "b", Student(fresh).notebook(attend=None, written=None)),
            "its notebook is gone": lambda: shutil.rmtree(fresh.autograded("b", CHAPTER)),
            "its receipt is damaged": lambda: (fresh.private / "written" / CHAPTER / "b.json").write_text("null"),
            "its receipt's notes are damaged": lambda: self.spoil_notes(fresh, "b"),
            "its grade was changed": lambda: self.change(fresh, "update grade set auto_score = 0 where notebook_id in "
            "(select n.id from submitted_notebook n join submitted_assignment s on s.id = n.assignment_id "
            "where s.student_id = 'b')"),
            "a file beside": lambda: (fresh.root / "submitted/b" / CHAPTER / "notes.txt").write_text("x"),
            "its time": lambda: (fresh.root / "submitted/b" / CHAPTER / "timestamp.txt").write_text("2026-01-01"),
        }  # fmt: skip
        for what, change in changes.items():
            change()
            assert self.graded_again(fresh) == ["b"], what
            assert_whole(fresh)
        (fresh.root / "gradebook.db").unlink()
        generate(course_config(fresh.root), CHAPTER)
        assert self.graded_again(fresh) == ["a", "b", "c"]

    def spoil_notes(self, course: Course, student: str) -> None:
        path = course.private / "written" / CHAPTER / f"{student}.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "notes": [None]}))

    def change(self, course: Course, statement: str) -> None:
        with sqlite3.connect(course.root / "gradebook.db") as book:
            book.execute(statement)

    def test_later_due_date_takes_the_penalty_back(self, fresh: Course) -> None:
        hand_in(fresh, "a")
        with (fresh.root / "nbgrader_config.py").open("a") as config:
            config.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')
        (fresh.root / "submitted/a" / CHAPTER / "timestamp.txt").write_text("2026-03-02 00:00:00")
        for due, penalty in (("2026-03-01", FULL_MARKS), ("2026-03-03", None)):
            with Gradebook(fresh.database(course_config(fresh.root))) as book:
                book.update_or_create_assignment(CHAPTER, duedate=due)
            quietly(fresh)
            assert [row[-1] for row in rows(fresh, "notebooks")] == [penalty]


class TestPointsThatChanged:
    def test_the_missing_step_is_named(self, fresh: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        hand_in(fresh, "a")
        checks = load_checks(CHAPTER)
        first = checks[0]
        more = replace(first, checks=(replace(first.checks[0], points=first.checks[0].points + 1), *first.checks[1:]))
        for module in ("settings", "grading.grader", "building.release"):
            monkeypatch.setattr(f"autograder.{module}.outline", lambda chapter: (more, *checks[1:]))
        with pytest.raises(CourseError, match=f"`autograder release {CHAPTER}`"):
            quietly(fresh)
        result = CliRunner().invoke(app, ["release", CHAPTER, "--course", str(fresh.root)])
        assert result.exit_code == 1
        assert f"autograder make {CHAPTER}" in result.output


@pytest.fixture
def dask() -> Iterator[LocalCluster]:
    """A Dask cluster of one worker, in this process, whose warm zygotes it shares."""
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as found:
        yield found


class TestCluster:
    def at_first_write(self, monkeypatch: pytest.MonkeyPatch, action: Callable[[], object]) -> None:
        """Do something once, in a thread of its own, when the first grade is about to be written."""
        write, done = running._Desk.write, []

        def then(self, graded):
            if not done:
                done.append(threading.Thread(target=action))
                done[0].start()
                done[0].join()
            return write(self, graded)

        monkeypatch.setattr(running._Desk, "write", then)

    def test_workers_that_go_and_come_change_no_grade(
        self, fresh: Course, dask: LocalCluster, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hand_in(fresh, "a", "b", "c", "d")
        self.at_first_write(monkeypatch, lambda: (dask.scale(0), threading.Timer(3, dask.scale, [1]).start()))
        assert quietly(fresh, scheduler=dask.scheduler_address).exit_code == 0
        assert points(fresh) == {name: expected(name) for name in "abcd"}

    def test_scheduler_that_goes_is_said_once(
        self, fresh: Course, dask: LocalCluster, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hand_in(fresh, "a", "b", "c", "d")
        self.at_first_write(monkeypatch, dask.close)
        graded = quietly(fresh, scheduler=dask.scheduler_address)
        assert graded.exit_code == 1
        (line,) = graded.closing()
        assert "was lost" in line
        assert re.search(r"[123] of 4 graded; run the same command for the rest", line)
        assert not [note for row in graded.rows for note in row.notes if "rader fault" in note]
        monkeypatch.undo()
        assert quietly(fresh).exit_code == 0
        assert_whole(fresh)

    def test_address_that_does_not_answer_is_said(self, fresh: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        hand_in(fresh, "a")
        monkeypatch.setattr(cluster, "_ANSWERS_WITHIN", 1)
        result = CliRunner().invoke(
            app, ["grade", CHAPTER, "--course", str(fresh.root), "--scheduler", "tcp://127.0.0.1:9"]
        )
        assert result.exit_code == 1
        assert "no Dask scheduler answers at tcp://127.0.0.1:9" in " ".join(result.output.split())
        assert "Traceback" not in result.output

    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            (lambda box: ("another version", ""), "a different version of the course"),
            (lambda box: (cluster.installed(), "no Landlock"), "no Landlock"),
            (lambda box: 1 / 0, "division by zero"),
        ],
    )
    def test_worker_that_cannot_grade_is_left_out_and_named(
        self, fresh: Course, dask: LocalCluster, monkeypatch: pytest.MonkeyPatch, answer, reason: str
    ) -> None:
        hand_in(fresh, "a")
        monkeypatch.setattr(cluster, "_WORKERS_WITHIN", 1)
        monkeypatch.setattr(cluster, "_readiness", answer)
        console = Console(record=True, width=200, file=io.StringIO())
        graded = quietly(fresh, scheduler=dask.scheduler_address, console=console)
        assert graded.exit_code == 1
        assert "can grade" in graded.closing()[-1]
        assert "is not used" in console.export_text(clear=False)
        assert reason in console.export_text()


def test_help_tells_the_exit_codes() -> None:
    text = " ".join(CliRunner().invoke(app, ["grade", "--help"]).output.split())
    assert "Exit codes: 0 if every grade is in the gradebook" in text
    assert "130 after Ctrl-C" in text


def test_the_table_says_of_a_hidden_check_only_its_name() -> None:
    outcomes = [
        Outcome("seen", 1, "", False, Status.PASSED),
        Outcome("unseen", 2, "Think.", True, Status.ERROR, "ValueError (line 58 of its cell: `secret`)"),
    ]
    assert note_on("attend", outcomes) == "attend 1/3: hidden check “unseen”"
