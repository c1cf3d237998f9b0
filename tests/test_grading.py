"""A class is graded: rightly, the same by every way in, whatever is handed in."""

import csv
import io
import json
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from rich.console import Console

from autograder.bookkeeper import bookkeeper
from autograder.declare import load_checks, load_exercises
from autograder.grading import run as running
from autograder.grading.books import entries, export_grades, write_feedback
from autograder.grading.engine import run_job
from autograder.grading.harmless import make_harmless
from autograder.grading.plan import Planner, secret_name
from autograder.grading.plugin import grader
from autograder.grading.repair import read_submission
from autograder.grading.result import Judge
from autograder.grading.sandbox import Limits, SandboxError
from autograder.grading.worker import Asked, Step, Worker
from autograder.house import Course, CourseError, course_config
from autograder.verdict import Status
from autograder.weaving.release import generate, is_demonstration, read
from autograder.weaving.weave import WRITTEN_POINTS, is_written, split_written, written_id
from tests.sample_class import (
    CHAPTER,
    GOOD_ANSWER,
    SHORT_ANSWER,
    Student,
    answer_cell,
    make_course,
    plain_config,
    submissions,
    submit,
)
from tests.students import hostile
from tests.students.ch04_attention import attend, attention_decoder, masked_softmax

FULL = {"ada-full-marks", "blaise-loops", "clara-einsum", "ulam-duplicated", "vera-retyped"}
NOTHING = {"noether-untouched", "rosa-claims", "srini-burglar"}
UNANSWERED = {"dmitri-first-only", "emmy-all-but-one", "george-wrong-axis", *NOTHING}
TOLD = ("ada-full-marks", "kurt-state-first", "noether-untouched", "wei-truncated")
FULL_MARKS = sum(exercise.points for exercise in load_checks(CHAPTER))
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
QUICK = Limits(cell_seconds=2, probe_seconds=2, total_seconds=40)


def points_of(exercise: str) -> int:
    """What an exercise is worth."""
    return next(found.points for found in load_checks(CHAPTER) if found.exercise.name == exercise)


def quietly(course: Course, **options) -> running.Graded:
    """Grade the class without showing progress."""
    options = {"workers": 2, "box": "landlock", "scheduler": None, "console": Console(quiet=True), **options}
    return running.grade_class(course, CHAPTER, **options)


def gradebook(course: Course) -> dict[str, float]:
    """Each student's points in the gradebook."""
    with Gradebook(course.database(course_config(course.root))) as book:
        return {found["student"]: found["score"] for found in book.submission_dicts(CHAPTER)}


@pytest.fixture(scope="module")
def released(tmp_path_factory) -> Course:
    """A course with the chapter released and nothing handed in: the others are copies of it. It loses patience soon."""
    course = make_course(tmp_path_factory.mktemp("released"))
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write('c.ExecuteInSandbox.limits = {"cell_seconds": 3}\n')
    return course


@pytest.fixture
def fresh(released: Course, tmp_path: Path) -> Course:
    """A course of its own with the chapter released and nothing handed in."""
    return Course(shutil.copytree(released.root, tmp_path / "course"))


@pytest.fixture(scope="module")
def course(released: Course, tmp_path_factory) -> Course:
    """A course in which the sample class has handed in."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("class") / "course"))
    handed_in = submissions(Student(course))
    for student, make in handed_in.items():
        submit(course, student, make())
    return course


@pytest.fixture(scope="module")
def graded(course: Course) -> running.Graded:
    return quietly(course)


@pytest.fixture(scope="module")
def feedback(course: Course, graded: running.Graded) -> Path:
    """The folder with what some students of the sample class are told; a page takes long to make."""
    for student in TOLD:
        assert bookkeeper(course_config(course.root)).generate_feedback(CHAPTER, student, force=True)["success"]
    return course.root / "feedback"


def test_class_of_24_gets_what_it_earned(graded: running.Graded) -> None:
    points = {row.student: row.points for row in graded.rows}
    assert len(points) == 24
    assert {student for student, earned in points.items() if earned == FULL_MARKS} == FULL
    assert {student for student, earned in points.items() if earned == 0} == NOTHING
    assert graded.points == FULL_MARKS + WRITTEN_POINTS


def test_table_says_what_went_wrong(graded: running.Graded) -> None:
    notes = {row.student: " ".join(row.notes) for row in graded.rows}
    for student, words in {
        "fatima-masks-late": "softmax came first",
        "joan-keys": "key",
        "kurt-state-first": "[s_t; c_t]",
        "lise-state-before": "s_(t-1)",
        "noether-untouched": "not attempted",
        "otto-crash": "ZeroDivisionError",
        "paul-endless": "timeout",
        "quine-memory": "MemoryError",
        "tove-deleted": "deleted",
        "ulam-duplicated": "2 times",
        "vera-retyped": "turned into",
        "wei-truncated": "cut off",
    }.items():
        assert words in notes[student], (student, notes[student])


def test_gradebook_feedback_and_csv_agree_with_the_table(
    course: Course, graded: running.Graded, feedback: Path, tmp_path: Path
) -> None:
    points = {row.student: row.points for row in graded.rows}
    assert gradebook(course) == points
    with export_grades(course, tmp_path / "grades.csv").open() as file:
        assert {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)} == points
    page = (feedback / "kurt-state-first" / CHAPTER / f"{CHAPTER}.html").read_text()
    assert "[s_t; c_t]" in page


@pytest.mark.parametrize(
    "student", ["ada-full-marks", "emmy-all-but-one", "fatima-masks-late", "wei-truncated", "yuri-skips"]
)
def test_formgraders_button_gives_the_same_grade(
    fresh: Course, course: Course, graded: running.Graded, student: str
) -> None:
    source = course.root / "submitted" / student / CHAPTER / f"{CHAPTER}.ipynb"
    submit(fresh, student, source.read_bytes())
    config = course_config(fresh.root)
    api = NbGraderAPI(CourseDirectory(config=config), config=config)
    result = api.autograde(CHAPTER, student)
    assert result["success"], result
    assert entries(fresh, CHAPTER)[student] == entries(course, CHAPTER)[student]
    assert gradebook(fresh)[student] == next(row.points for row in graded.rows if row.student == student)


def test_nbgraders_command_gives_the_same_grade(fresh: Course, graded: running.Graded) -> None:
    submit(fresh, "joan", Student(fresh).notebook(attend=attend.keys_for_values))
    for command in ("generate_assignment", "autograde"):
        subprocess.run(
            [sys.executable, "-m", "nbgrader", command, CHAPTER, "--force"],
            cwd=fresh.root,
            check=True,
            capture_output=True,
        )
    assert gradebook(fresh) == {"joan": next(row.points for row in graded.rows if row.student == "joan-keys")}


def test_renamed_file_is_graded_and_named(fresh: Course) -> None:
    submit(fresh, "zoe", Student(fresh).notebook(), name="my homework (1)")
    (row,) = quietly(fresh).rows
    assert row.points == gradebook(fresh)["zoe"] == FULL_MARKS
    assert "my homework (1).ipynb" in " ".join(row.notes)


def test_symbolic_link_earns_nothing(fresh: Course) -> None:
    path = submit(fresh, "zoe", "")
    path.unlink()
    path.symlink_to(fresh.solved(CHAPTER))
    (row,) = quietly(fresh).rows
    assert row.points == 0
    assert gradebook(fresh)["zoe"] == 0
    assert "symbolic link" in " ".join(row.notes)


def test_one_bad_submission_never_stops_a_class(fresh: Course) -> None:
    seed = random.randrange(10**6)
    print("seed", seed)
    noise = random.Random(seed).randbytes(5_000)
    for student, content in {
        "a": noise,
        "b": b"",
        "c": b"{}",
        "d": b"[" * 100_000,
        "e": b'{"cells": [1, null, {"a": 2}]}',
    }.items():
        submit(fresh, student, content)
    submit(fresh, "f", Student(fresh).notebook())
    rows = {row.student: row for row in quietly(fresh).rows}
    assert rows["f"].points == FULL_MARKS
    for student in "abcde":
        assert rows[student].points == gradebook(fresh)[student] == 0
        assert rows[student].notes


def test_stored_results_are_not_run_again(
    course: Course, graded: running.Graded, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_more(job):
        raise AssertionError("a result that is stored was run again")

    monkeypatch.setattr(running, "run_job", no_more)
    assert quietly(course).rows == graded.rows


def test_interrupted_run_resumes(fresh: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    student, started = Student(fresh), []
    for name, answers in {"a": {"attend": None}, "b": {}, "c": {"attend": ""}}.items():
        submit(fresh, name, student.notebook(**answers))

    def stored() -> int:
        return len(list((fresh.private / "results").glob("*.json")))

    def interrupted(job):
        if stored():
            raise KeyboardInterrupt
        return run_job(job)

    def counted(job):
        started.append(job)
        return run_job(job)

    monkeypatch.setattr(running, "run_job", interrupted)
    with pytest.raises(KeyboardInterrupt):
        quietly(fresh, workers=1)
    missing = 3 - stored()
    assert 0 < missing < 3
    monkeypatch.setattr(running, "run_job", counted)
    rows = quietly(fresh).rows
    without = FULL_MARKS - points_of("attend")
    assert {row.student: row.points for row in rows} == {"a": without, "b": FULL_MARKS, "c": without}
    assert len(started) == missing


def test_grader_fault_is_said_and_not_kept(fresh: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    submit(fresh, "zoe", Student(fresh).notebook())

    def broken(job):
        raise SandboxError("the power went off")

    monkeypatch.setattr(running, "run_job", broken)
    (row,) = quietly(fresh).rows
    assert "grader fault" in " ".join(row.notes)
    monkeypatch.undo()
    (row,) = quietly(fresh).rows
    assert row.points == FULL_MARKS


def test_points_that_changed_since_the_release_are_refused(fresh: Course) -> None:
    submit(fresh, "zoe", Student(fresh).notebook())
    notebook = read(fresh.released(CHAPTER))
    next(c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade")).metadata.nbgrader.points = 99
    fresh.released(CHAPTER).write_text(nbformat.writes(notebook))
    with pytest.raises(CourseError, match="99 points"):
        quietly(fresh)


def test_release_that_the_gradebook_does_not_know_is_refused(fresh: Course) -> None:
    """As when the clone was brought up to date since: nbgrader could keep nobody's grade."""
    submit(fresh, "zoe", Student(fresh).notebook())
    notebook = read(fresh.released(CHAPTER))
    notebook.cells = [cell for cell in notebook.cells if not is_written(cell)]
    fresh.released(CHAPTER).write_text(nbformat.writes(notebook))
    with pytest.raises(CourseError, match=f"differ in {written_id(CHAPTER)}"):
        quietly(fresh)


def test_course_within_reach_of_students_code_is_refused(fresh: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    submit(fresh, "zoe", Student(fresh).notebook())
    monkeypatch.setattr("autograder.grading.plugin.readable_folders", lambda: [fresh.root.parent])
    with pytest.raises(CourseError, match="move it elsewhere"):
        quietly(fresh)


def test_refuses_without_sandbox_unless_told(fresh: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    submit(fresh, "zoe", Student(fresh).notebook())
    monkeypatch.setattr("autograder.grading.sandbox.why_not", lambda: "this kernel has no Landlock")
    with pytest.raises(SandboxError, match="--sandbox none"):
        quietly(fresh)
    (row,) = quietly(fresh, box="none").rows
    assert row.points == FULL_MARKS


def test_dask_gives_the_same_grades(fresh: Course) -> None:
    from distributed import LocalCluster

    submit(fresh, "zoe", Student(fresh).notebook(masked_softmax=masked_softmax.softmax_then_mask))
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        (row,) = quietly(fresh, scheduler=cluster.scheduler_address).rows
    assert 0 < row.points < FULL_MARKS


def test_a_name_from_a_demonstration_cell_is_found(fresh: Course) -> None:
    """Such a solution passes `check` in the student's notebook, so it must when graded."""
    student = Student(fresh)
    notebook = student.notebook()
    planner = Planner(fresh, CHAPTER, Limits(), "landlock")
    cell = answer_cell(notebook, "attend")
    name = min(name for name in planner.job(notebook).demonstrated if name not in cell.source)
    cell.source = cell.source.replace("scores = score(query, key)", f"{name}\n    scores = score(query, key)")
    submit(fresh, "zoe", notebook)
    (row,) = quietly(fresh).rows
    assert row.points == FULL_MARKS, row.notes


def test_forbidden_call_earns_nothing_and_is_named(fresh: Course) -> None:
    submit(fresh, "zoe", Student(fresh).notebook(attend=attend.FORBIDDEN[0]))
    (row,) = quietly(fresh).rows
    assert "scaled_dot_product_attention" in " ".join(row.notes)
    assert row.points == FULL_MARKS - points_of("attend")


def test_hidden_seeds_differ_between_courses_and_stay_in_one(fresh: Course, course: Course) -> None:
    assert fresh.secret(CHAPTER) != course.secret(CHAPTER)
    assert fresh.secret(CHAPTER) == fresh.secret(CHAPTER)
    assert (fresh.private / "secrets" / CHAPTER).stat().st_mode & 0o077 == 0


def test_job_holds_no_secret(course: Course) -> None:
    job = Planner(course, CHAPTER, Limits(), "landlock").job(Student(course).notebook())
    assert course.secret(CHAPTER) not in repr(job)


def test_results_name_their_secret_and_do_not_hold_it(course: Course, graded: running.Graded) -> None:
    stored = [path.read_text() for path in (course.private / "results").glob("*.json")]
    assert stored
    for text in stored:
        assert course.secret(CHAPTER) not in text
        assert json.loads(text)["secret"] == secret_name(course.secret(CHAPTER))


def test_scripts_do_not_reach_the_instructors_browser(fresh: Course) -> None:
    notebook = Student(fresh).notebook()
    notebook.cells.insert(1, new_code_cell(hostile.INJECTS_SCRIPT))
    notebook.cells.insert(
        1, new_markdown_cell("Hello <script>document.title = 'owned'</script> <img src=x onerror=alert(1)>")
    )
    submit(fresh, "zoe", notebook)
    assert quietly(fresh).rows[0].points == FULL_MARKS
    after = read(fresh.root / "autograded" / "zoe" / CHAPTER / f"{CHAPTER}.ipynb")
    text = " ".join(c.source for c in after.cells if c.cell_type == "markdown")
    outputs = [key for c in after.cells for o in c.get("outputs", []) for key in o.get("data", {})]
    assert "<script>" not in text
    assert "<img" not in text or "onerror" not in text.split("<img", 1)[1].split(">", 1)[0]
    assert "application/javascript" not in outputs
    page = (write_feedback(fresh, CHAPTER) / "zoe" / CHAPTER / f"{CHAPTER}.html").read_text()
    assert "<script>document.title" not in page


def written_grade(course: Course, student: str) -> tuple[float | None, float | None, bool]:
    """What nbgrader keeps of a written answer: its own score, a person's, and whether a person should look."""
    with Gradebook(course.database(course_config(course.root))) as book:
        grade = book.find_grade(written_id(CHAPTER), CHAPTER, CHAPTER, student)
        return grade.auto_score, grade.manual_score, grade.needs_manual_grade


def read_by_hand(course: Course, student: str, points: float, comment: str) -> None:
    """What formgrader does when a person gives points and writes a comment."""
    with Gradebook(course.database(course_config(course.root))) as book:
        grade = book.find_grade(written_id(CHAPTER), CHAPTER, CHAPTER, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        book.find_comment(written_id(CHAPTER), CHAPTER, CHAPTER, student).manual_comment = comment
        book.db.commit()


def shown(table, width: int = 160) -> str:
    console = Console(record=True, width=width, file=io.StringIO())
    console.print(table)
    return console.export_text()


def test_written_answers_wait_for_a_person_unless_they_are_as_they_were_given(
    course: Course, graded: running.Graded
) -> None:
    by_hand = {row.student: row.by_hand for row in graded.rows}
    cut_off = f"{written_id(CHAPTER)} was deleted" in " ".join(
        note for row in graded.rows if row.student == "wei-truncated" for note in row.notes
    )
    unanswered = UNANSWERED | ({"wei-truncated"} if cut_off else set())
    assert {student for student, what in by_hand.items() if what == "no answer"} == unanswered
    assert {student for student, what in by_hand.items() if what == "waits"} == by_hand.keys() - unanswered
    for student in by_hand:
        expected = (0, None, False) if student in unanswered else (None, None, True)
        assert written_grade(course, student) == expected, student


def test_table_says_how_many_wait_and_where(graded: running.Graded) -> None:
    text = " ".join(shown(graded.table()).split())
    assert "by hand" in text
    assert f"{sum(row.by_hand == 'waits' for row in graded.rows)} written answers wait to be read" in text
    assert "formgrader" in text


def test_written_answers_reach_the_person_whole(course: Course, graded: running.Graded) -> None:
    for student, words in (("ada-full-marks", GOOD_ANSWER), ("joan-keys", SHORT_ANSWER)):
        notebook = read(course.root / "autograded" / student / CHAPTER / f"{CHAPTER}.ipynb")
        (cell,) = filter(is_written, notebook.cells)
        assert words in cell.source


def test_model_answer_is_nowhere_in_what_students_get(course: Course, feedback: Path) -> None:
    (cell,) = filter(is_written, read(course.solved(CHAPTER)).cells)
    secret = [" ".join(line.split()) for line in split_written(cell.source)[1].splitlines() if len(line.split()) > 3]
    assert secret
    given = [course.released(CHAPTER), *course.root.glob("autograded/*/*/*"), *course.root.glob("feedback/*/*/*")]
    assert len(given) > 24 + len(TOLD)
    for path in given:
        text = " ".join(path.read_text().split())
        assert not [line for line in secret if line in text], path


class TestWrittenAnswers:
    def test_chapter_that_asks_none_says_nothing_of_them(self, tmp_path: Path) -> None:
        course = make_course(tmp_path / "course")
        solved = read(course.solved(CHAPTER))
        solved.cells = [cell for cell in solved.cells if not is_written(cell)]
        course.solved(CHAPTER).write_text(nbformat.writes(solved))
        generate(course_config(course.root), CHAPTER)
        submit(course, "zoe", Student(course).notebook(attend=None))
        graded = quietly(course)
        assert graded.points == FULL_MARKS
        assert [(row.points, row.by_hand) for row in graded.rows] == [(FULL_MARKS - points_of("attend"), "")]
        assert "hand" not in shown(graded.table())

    def test_points_given_by_hand_count_and_stay(self, fresh: Course, tmp_path: Path) -> None:
        submit(fresh, "zoe", Student(fresh).notebook(attend=None, written=GOOD_ANSWER))
        (row,) = quietly(fresh).rows
        checks = FULL_MARKS - points_of("attend")
        assert (row.points, row.by_hand) == (checks, "waits")
        read_by_hand(fresh, "zoe", 3.5, "Which *map* is it?")
        for content in (None, Student(fresh).notebook(attend=None, written=SHORT_ANSWER)):
            if content is not None:
                submit(fresh, "zoe", content)
            graded = quietly(fresh)
            (row,) = graded.rows
            assert (row.points, row.by_hand) == (checks + 3.5, "3.5 of 5")
            assert "3.5 of 5" in shown(graded.table())
            assert graded.waiting == 0
            # nbgrader asks for a second look at what it graded again.
            assert written_grade(fresh, "zoe") == (None, 3.5, True)
        assert gradebook(fresh)["zoe"] == checks + 3.5
        with export_grades(fresh, tmp_path / "grades.csv").open() as file:
            (exported,) = csv.DictReader(file)
        assert float(exported["score"]) == checks + 3.5
        assert float(exported["max_score"]) == FULL_MARKS + WRITTEN_POINTS

    def test_points_for_an_answer_that_was_not_given_stay_too(self, fresh: Course) -> None:
        submit(fresh, "zoe", Student(fresh).notebook(written=None))
        assert quietly(fresh).rows[0].by_hand == "no answer"
        read_by_hand(fresh, "zoe", 2, "You said it in class.")
        assert quietly(fresh).rows[0].by_hand == "2 of 5"

    def test_feedback_says_what_nobody_has_read_and_then_what_was_given(self, fresh: Course) -> None:
        student = Student(fresh)
        submit(fresh, "yes", student.notebook(written=GOOD_ANSWER))
        submit(fresh, "none", student.notebook(written=None))
        quietly(fresh)

        def pages() -> tuple[str, str]:
            folder = write_feedback(fresh, CHAPTER)
            yes, none = (
                BeautifulSoup((folder / s / CHAPTER / f"{CHAPTER}.html").read_text(), "html.parser")
                for s in ("yes", "none")
            )
            return " ".join(yes.text.split()), " ".join(none.text.split())

        yes, none = pages()
        assert "The score lacks your written answer, worth 5 points" in yes
        assert "Nobody has read this answer yet" in yes
        assert "No response." in none
        for words in ("Nobody has read", "lacks your written answer"):
            assert words not in none
        read_by_hand(fresh, "yes", 4, "Which map is it?")
        yes, _ = pages()
        assert f"Score: {FULL_MARKS + 4.0} / {FULL_MARKS + WRITTEN_POINTS}.0" in yes
        assert "Score: 4.0 / 5.0" in yes
        assert "Which map is it?" in yes
        for words in ("Nobody has read", "lacks your written answer"):
            assert words not in yes

    def test_nothing_in_them_runs_where_they_are_read(self, fresh: Course) -> None:
        """Each is read by itwherever in the notebook it stands; what is very long would leave no room for others."""
        answers = ("nothing that can be read", "a very long page", "a page made to be slow")
        for number, name in enumerate(answers):
            notebook = Student(fresh).notebook(written=hostile.WRITINGS[name])
            if number == 0:
                notebook.cells += [new_markdown_cell(text) for text in hostile.WRITINGS.values() if len(text) < 1000]
            submit(fresh, f"student-{number}", notebook)
        assert {row.by_hand for row in quietly(fresh).rows} == {"waits"}
        folder = write_feedback(fresh, CHAPTER)
        for number, name in enumerate(answers):
            page = BeautifulSoup(
                (folder / f"student-{number}" / CHAPTER / f"{CHAPTER}.html").read_text(), "html.parser"
            )
            assert not [s for s in page.find_all("script") if "owned" in s.text], name
            for tag in page.find_all(True):
                assert not [a for a in tag.attrs if a.startswith("on")], (name, tag)
                address = re.sub(r"[\x00-\x20]", "", tag.attrs.get("href", tag.attrs.get("src", "")))
                assert not re.match(r"(?i)javascript:|vbscript:|data:text", address), (name, tag)

    @pytest.mark.parametrize(
        "source",
        [
            "**Bold**, *slanted* & `x -> y`\n\n> quoted\n\n- one\n- two",
            "$a < b$, 2 < 3 and $$x \\to \\infty > 1$$",
            "[a page](https://example.org/a?b=1&c=2#d), [a part](#part), [a file](notes/a:b.md), <b>bold</b>",
            "![a map](https://example.org/map.png) ![another](data:image/png;base64,AAAA)",
        ],
    )
    def test_ordinary_markdown_is_left_as_it_is(self, source: str) -> None:
        notebook = new_notebook(cells=[new_markdown_cell(source)])
        make_harmless(notebook, [])
        assert notebook.cells[0].source == source

    def test_what_is_ours_is_left_as_it_is(self) -> None:
        ours = "<div>ours</div> [x](javascript:ours)"
        notebook = new_notebook(cells=[new_markdown_cell(ours)])
        make_harmless(notebook, [ours])
        assert notebook.cells[0].source == ours

    def test_what_is_too_long_to_show_says_so(self) -> None:
        notebook = new_notebook(cells=[new_markdown_cell("a" * 150_000), new_markdown_cell("b" * 150_000)])
        make_harmless(notebook, [])
        first, second = (cell.source for cell in notebook.cells)
        assert first.count("a") == 150_000
        assert second.count("b") == 50_000
        assert second.endswith("100000 more characters are in the file that was handed in.")
        assert max(map(len, (first + second).splitlines())) <= 200

    def test_pasted_pictures_are_shown(self, fresh: Course) -> None:
        notebook = Student(fresh).notebook(written="See ![my map](attachment:map.png)")
        (cell,) = filter(is_written, notebook.cells)
        cell.attachments = {"map.png": {"image/png": PIXEL}}
        submit(fresh, "zoe", notebook)
        assert quietly(fresh).rows[0].by_hand == "waits"
        page = (write_feedback(fresh, CHAPTER) / "zoe" / CHAPTER / f"{CHAPTER}.html").read_text()
        assert f"data:image/png;base64,{PIXEL}" in page


@pytest.fixture(scope="module")
def worker():
    """One warm worker for all that is hostile."""
    with Worker(limits=QUICK) as worker:
        yield worker


BOASTS = ("started", "open <socket", "killed", "wrote", "raised", "a judge!", "BEGIN SOLUTION")
SPOIL_THEIR_OWN = {"ALWAYS_EQUAL", "FORGES_ANSWERS"}


@pytest.mark.parametrize("name", hostile.EVERYTHING)
def test_hostile_code_gains_nothing_and_stops_nothing(course: Course, worker: Worker, name: str) -> None:
    found = grader(str(course.root), CHAPTER, "landlock", QUICK)

    def graded(notebook) -> dict[str, int]:
        job = found.planner.job(notebook)
        result = found.judge.judge(notebook, job, worker.run(CHAPTER, job.steps, job.asked))
        assert not [boast for boast in BOASTS if boast in json.dumps(result.outputs)]
        return {exercise: result.earned(exercise) for exercise in result.outcomes}

    alone = Student(course).notebook(**dict.fromkeys(found.name for found in load_exercises(CHAPTER)))
    first = alone.cells.index(answer_cell(alone, "masked_softmax"))
    for place in (first, len(alone.cells)):
        alone.cells.insert(place, new_code_cell(hostile.EVERYTHING[name]))
    assert sum(graded(alone).values()) == 0
    if name not in SPOIL_THEIR_OWN:
        beside_right_answers = Student(course).notebook()
        beside_right_answers.cells.append(new_code_cell(hostile.EVERYTHING[name]))
        assert sum(graded(beside_right_answers).values()) == FULL_MARKS


def test_solutions_would_be_read_without_the_sandbox() -> None:
    """So that what is tried to read them is worth a test."""
    with Worker("none", QUICK) as worker:
        result = worker.run(CHAPTER, [Step(0, hostile.READS_SOLUTIONS)], [])
    assert "BEGIN SOLUTION" in json.dumps(result.outputs)
    assert not result.errors


def test_worker_goes_on_after_a_step_that_ends_the_process(worker: Worker) -> None:
    steps = [Step(0, "x = 1"), Step(1, hostile.LEAVES), Step(2, hostile.DEAF_ENDLESS), Step(3, "print(x + 1)")]
    result = worker.run(CHAPTER, steps, [])
    assert result.outputs[3] == [{"output_type": "stream", "name": "stdout", "text": "2\n"}]
    assert result.errors[1] == Status.ERROR
    assert result.errors[2] == Status.TIMEOUT


def test_probe_that_never_ends_costs_itself(worker: Worker) -> None:
    endless = "def masked_softmax(scores, mask):\n    if mask.all():\n        while True: pass\n    return scores"
    asked = [
        Asked("masked_softmax.nothing_masked", "masked_softmax", 1),
        Asked("masked_softmax.padding", "masked_softmax", 2),
    ]
    result = worker.run(CHAPTER, [Step(0, f"import torch\n{endless}"), Step(1, subject="masked_softmax")], asked)
    assert result.answers["masked_softmax.nothing_masked"][0].status is Status.TIMEOUT
    assert set(result.answers["masked_softmax.padding"][0]) >= {"weights"}


def test_plain_nbgrader_gives_the_share_of_visible_points(fresh: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without our preprocessors the check cell's own value counts, and never more than its points."""
    notebook = Student(fresh).notebook(AttentionDecoder=attention_decoder.StateFirst, attend=None)
    shown = {cell.id for cell in read(fresh.solved(CHAPTER)).cells if is_demonstration(cell)}
    notebook.cells = [cell for cell in notebook.cells if cell.id not in shown]
    submit(fresh, "zoe", notebook)
    config = plain_config(fresh)
    api = NbGraderAPI(CourseDirectory(config=config), config=config)
    monkeypatch.setenv("SEQLAB_BUDGET", "smoke")
    assert api.autograde(CHAPTER, "zoe")["success"]
    with Gradebook(fresh.database(config)) as book:
        grades = {g.name: g.auto_score for g in book.find_submission_notebook(CHAPTER, CHAPTER, "zoe").grades}
    assert grades["masked_softmax"] == points_of("masked_softmax")
    assert grades["attend"] == 0
    assert 0 < grades["AttentionDecoder"] < points_of("AttentionDecoder")


def test_read_submission_is_what_the_exporter_reads(course: Course) -> None:
    """One repair for both ways in."""
    repaired = read_submission(
        course.root / "submitted" / "ulam-duplicated" / CHAPTER / f"{CHAPTER}.ipynb", read(course.released(CHAPTER))
    )
    job = Planner(course, CHAPTER, Limits(), "landlock").job(repaired.notebook)
    result = Judge(course, CHAPTER).judge(repaired.notebook, job, run_job(job))
    assert sum(map(result.earned, result.outcomes)) == FULL_MARKS
