"""A class is graded: rightly, the same by every way in, whatever is handed in."""

import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from rich.console import Console

from autograder.building.notebook_files import is_demonstration, read
from autograder.building.release import generate
from autograder.building.weave import WRITTEN_POINTS, bound_names, is_written, split_written, written_id
from autograder.checkout import Course, CourseError, course_config
from autograder.declare import load_checks
from autograder.grading.engine import run_job
from autograder.grading.export import read_lines
from autograder.grading.gradebook import Entry, entries, open_books
from autograder.grading.graded import Graded
from autograder.grading.judge import Judge
from autograder.grading.oddities import odd_uses
from autograder.grading.plan import Planner, secret_name
from autograder.grading.repair import read_submission
from autograder.grading.sandbox import Limits, SandboxError
from autograder.nbgrader_api import nbgrader_api
from autograder.samples.course import (
    CHAPTER,
    GOOD_ANSWER,
    SHORT_ANSWER,
    Student,
    answer_cell,
    plain_config,
    quietly,
    read_by_hand,
    submissions,
    submit,
)
from autograder.samples.seeds import drawn
from autograder.settings import Settings
from tests.students import answers_to

attend, attention_decoder, masked_softmax = map(answers_to, ("attend", "AttentionDecoder", "masked_softmax"))
FULL = {"ada-full-marks", "blaise-loops", "clara-einsum", "ulam-duplicated", "vera-retyped"}
NOTHING = {"noether-untouched", "rosa-claims", "srini-burglar"}
UNANSWERED = {"dmitri-first-only", "emmy-all-but-one", "george-wrong-axis", *NOTHING}
TOLD = ("ada-full-marks", "kurt-state-first", "noether-untouched", "wei-truncated")
FULL_MARKS = sum(exercise.points for exercise in load_checks(CHAPTER))


def points_of(exercise: str) -> int:
    """What an exercise is worth."""
    return next(found.points for found in load_checks(CHAPTER) if found.exercise.name == exercise)


def entry(course: Course, student: str) -> Entry:
    """What the gradebook has of one student."""
    with open_books(course) as book:
        return entries(book, CHAPTER)[student]


def gradebook(course: Course) -> dict[str, float]:
    """Each student's points in the gradebook."""
    with Gradebook(course.database(course_config(course.root))) as book:
        return {found["student"]: found["score"] for found in book.submission_dicts(CHAPTER)}


@pytest.fixture(scope="module")
def course(released: Course, tmp_path_factory) -> Course:
    """A course in which the sample class has handed in."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("class") / "course"))
    handed_in = submissions(Student(course))
    for student, make in handed_in.items():
        submit(course, student, make())
    return course


@pytest.fixture(scope="module")
def graded(course: Course) -> Graded:
    return quietly(course)


@pytest.fixture(scope="module")
def feedback(course: Course, graded: Graded) -> Path:
    """The folder with what some students of the sample class are told; a page takes long to make."""
    for student in TOLD:
        assert nbgrader_api(course_config(course.root)).generate_feedback(CHAPTER, student, force=True)["success"]
    return course.root / "feedback"


def test_class_of_24_gets_what_it_earned(graded: Graded) -> None:
    points = {row.student: row.points for row in graded.rows}
    assert len(points) == 24
    assert {student for student, earned in points.items() if earned == FULL_MARKS} == FULL
    assert {student for student, earned in points.items() if earned == 0} == NOTHING
    assert graded.points == FULL_MARKS + WRITTEN_POINTS


def test_table_says_what_went_wrong(graded: Graded) -> None:
    notes = {row.student: " ".join(row.notes) for row in graded.rows}
    for student, words in {
        "fatima-masks-late": "mask was applied after the softmax",
        "joan-keys": "key",
        "kurt-state-first": "[s_t; c_t]",
        "lise-state-before": "s_(t-1)",
        "noether-untouched": "not attempted",
        "otto-crash": "ZeroDivisionError",
        "paul-endless": "timeout",
        "quine-memory": "MemoryError",
        "tove-deleted": "deleted",
        "ulam-duplicated": "2 times",
        "vera-retyped": "was changed to",
        "wei-truncated": "incomplete",
    }.items():
        assert words in notes[student], (student, notes[student])


def test_gradebook_feedback_and_csv_agree_with_the_table(
    course: Course, graded: Graded, feedback: Path, tmp_path: Path
) -> None:
    points = {row.student: row.points for row in graded.rows}
    assert gradebook(course) == points
    assert {line.student.id: line.score for line in read_lines(course)} == points
    page = (feedback / "kurt-state-first" / CHAPTER / f"{CHAPTER}.html").read_text()
    assert "[s_t; c_t]" in page


@pytest.mark.parametrize(
    "student", ["ada-full-marks", "emmy-all-but-one", "fatima-masks-late", "wei-truncated", "yuri-skips"]
)
def test_formgraders_button_gives_the_same_grade(fresh: Course, course: Course, graded: Graded, student: str) -> None:
    source = course.root / "submitted" / student / CHAPTER / f"{CHAPTER}.ipynb"
    submit(fresh, student, source.read_bytes())
    config = course_config(fresh.root)
    api = NbGraderAPI(CourseDirectory(config=config), config=config)
    result = api.autograde(CHAPTER, student)
    assert result["success"], result
    assert entry(fresh, student) == entry(course, student)
    assert gradebook(fresh)[student] == next(row.points for row in graded.rows if row.student == student)


def test_nbgraders_command_gives_the_same_grade(fresh: Course, graded: Graded) -> None:
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
    noise = drawn("noise").randbytes(5_000)
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
    monkeypatch.setattr("autograder.grading.grader.readable_folders", lambda: [fresh.root.parent])
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
    notebook = Student(fresh).notebook()
    first = next(cell for cell in read(fresh.solved(CHAPTER)).cells if is_demonstration(cell))
    cell = answer_cell(notebook, "attend")
    name = min(name for name in bound_names(first.source) if name not in cell.source)
    cell.source = cell.source.replace("scores = score(query, key)", f"{name}\n    scores = score(query, key)")
    submit(fresh, "zoe", notebook)
    (row,) = quietly(fresh).rows
    assert row.points == FULL_MARKS, row.notes


def test_forbidden_call_earns_nothing_and_is_named(fresh: Course) -> None:
    submit(fresh, "zoe", Student(fresh).notebook(attend=attend.FORBIDDEN[0]))
    (row,) = quietly(fresh).rows
    assert "scaled_dot_product_attention" in " ".join(row.notes)
    assert row.points == FULL_MARKS - points_of("attend")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("weights = eval('softmax')(scores)", "eval"),
        ("one = vars(F)['one_hot']", "vars"),
        ("with torch._C.DisableTorchFunction(): pass", "torch._C"),
        ("import importlib as i, threading", "importlib, threading"),
        ("model.eval(); re.compile('x'); evaluate(1)", ""),
    ],
)
def test_what_can_hide_a_call_is_noted(line: str, told: str) -> None:
    mark = {"grade_id": "attend-answer", "solution": True}
    cells = [new_code_cell(line, metadata={"nbgrader": mark}), new_code_cell("eval('1')")]
    notes = [f"attend: its code uses {told}, which no exercise needs and which can hide what it calls"] * bool(told)
    assert list(odd_uses(new_notebook(cells=cells))) == notes


def test_hidden_seeds_differ_between_courses_and_stay_in_one(tmp_path: Path) -> None:
    one, other = Course(tmp_path / "one"), Course(tmp_path / "other")
    assert one.secret(CHAPTER) != other.secret(CHAPTER)
    assert one.secret(CHAPTER) == one.secret(CHAPTER)
    assert (one.private / "secrets" / CHAPTER).stat().st_mode & 0o077 == 0


def test_job_holds_no_secret(course: Course) -> None:
    job = Planner(course, Settings(CHAPTER), Limits(), "landlock").job(Student(course).notebook())
    assert course.secret(CHAPTER) not in repr(job)


def test_results_name_their_secret_and_do_not_hold_it(course: Course, graded: Graded) -> None:
    stored = [path.read_text() for path in (course.private / "results").glob("*.json")]
    assert stored
    for text in stored:
        assert course.secret(CHAPTER) not in text
        assert json.loads(text)["secret"] == secret_name(course.secret(CHAPTER))


def written_grade(course: Course, student: str) -> tuple[float | None, float | None, bool]:
    """What nbgrader keeps of a written answer: its own score, a person's, and whether a person should look."""
    with Gradebook(course.database(course_config(course.root))) as book:
        grade = book.find_grade(written_id(CHAPTER), CHAPTER, CHAPTER, student)
        return grade.auto_score, grade.manual_score, grade.needs_manual_grade


def shown(table, width: int = 160) -> str:
    console = Console(record=True, width=width, file=io.StringIO())
    console.print(table)
    return console.export_text()


def test_written_answers_wait_for_a_person_unless_they_are_as_they_were_given(course: Course, graded: Graded) -> None:
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


def test_table_says_how_many_wait_and_where(graded: Graded) -> None:
    text = " ".join(shown(graded.table(160)).split())
    assert "by hand" in text
    assert f"{sum(row.by_hand == 'waits' for row in graded.rows)} written answers have yet to be graded" in text
    assert f"autograder mark {CHAPTER}" in text


def test_written_answers_reach_the_person_whole(course: Course, graded: Graded) -> None:
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
    def test_chapter_that_asks_none_says_nothing_of_them(self, fresh: Course) -> None:
        solved = read(fresh.solved(CHAPTER))
        solved.cells = [cell for cell in solved.cells if not is_written(cell)]
        fresh.solved(CHAPTER).write_text(nbformat.writes(solved))
        generate(course_config(fresh.root), CHAPTER)
        submit(fresh, "zoe", Student(fresh).notebook(attend=None))
        graded = quietly(fresh)
        assert graded.points == FULL_MARKS
        assert [(row.points, row.by_hand) for row in graded.rows] == [(FULL_MARKS - points_of("attend"), "")]
        assert "hand" not in shown(graded.table(160))

    def test_points_given_by_hand_count_and_stay(self, fresh: Course, tmp_path: Path) -> None:
        submit(fresh, "zoe", Student(fresh).notebook(attend=None, written=GOOD_ANSWER))
        (row,) = quietly(fresh).rows
        checks = FULL_MARKS - points_of("attend")
        assert (row.points, row.by_hand) == (checks, "waits")
        read_by_hand(fresh, "zoe", 3.5, "Which *map* is it?")
        for changed in (False, True):
            if changed:
                submit(fresh, "zoe", Student(fresh).notebook(attend=None, written=SHORT_ANSWER))
            graded = quietly(fresh)
            (row,) = graded.rows
            assert (row.points, row.by_hand) == (checks + 3.5, "3.5 of 5")
            assert "3.5 of 5" in shown(graded.table(160))
            assert graded.waiting == 0
            # As nbgrader does, a second look is asked for where there is something new to look at.
            assert written_grade(fresh, "zoe") == (None, 3.5, changed)
        assert gradebook(fresh)["zoe"] == checks + 3.5
        (exported,) = read_lines(fresh)
        assert exported.score == checks + 3.5
        assert exported.worth == FULL_MARKS + WRITTEN_POINTS

    def test_points_for_an_answer_that_was_not_given_stay_too(self, fresh: Course) -> None:
        submit(fresh, "zoe", Student(fresh).notebook(written=None))
        assert quietly(fresh).rows[0].by_hand == "no answer"
        read_by_hand(fresh, "zoe", 2, "You said it in class.")
        assert quietly(fresh).rows[0].by_hand == "2 of 5"


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
    job = Planner(course, Settings(CHAPTER), Limits(), "landlock").job(repaired.notebook)
    result = Judge(course, CHAPTER, load_checks(CHAPTER)).judge(repaired.notebook, job, run_job(job))
    assert sum(map(result.earned, result.outcomes)) == FULL_MARKS
