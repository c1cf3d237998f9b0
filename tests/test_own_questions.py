"""Questions with inputs of a student's own: what they ask, how answers are read, and what a neighbour's are worth."""

import csv
import json
import re
import shutil
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from nbgrader.api import Gradebook
from rich.console import Console
from traitlets.config import Config
from typer.testing import CliRunner

import autograder
from autograder.asking.probing import own_settings
from autograder.building.notebook_files import read
from autograder.building.release import generate
from autograder.checkout import Course, course_config
from autograder.cli import app
from autograder.declare import chapters
from autograder.grading.class_page import write_report
from autograder.grading.feedback import write_feedback
from autograder.grading.graded import Graded
from autograder.judging.reference import load_reference
from autograder.nbgrader_api import nbgrader_api
from autograder.outline import exercise_names
from autograder.questions.given import inputs_of
from autograder.questions.trace import given_to, is_right, numbers_of, read_numbers
from autograder.questions.traced import ASKED, NAME, traced
from autograder.questions.values import plain, text_of
from autograder.samples.course import CHAPTER, Student, answer_cell, quietly, submit
from autograder.settings import settings
from tests.conftest import CHECKOUT

STUDENTS = [f"student-{number}" for number in range(80)]
GUESSED = 1 / 4
"""What guessing earns at a question with four options."""


@cache
def reference(chapter: str) -> ModuleType:
    return load_reference(CHECKOUT.solutions, chapter)


def result(chapter: str, name: str, student: str, number: int = 1) -> Any:
    """What the reference returns for a student's inputs."""
    inputs = inputs_of(chapter, name)
    assert inputs is not None
    with own_settings():
        return plain(given_to(student, inputs, number).call(getattr(reference(chapter), name)))


@pytest.mark.parametrize("chapter", chapters())
class TestEveryChapter:
    def test_three_questions(self, chapter: str) -> None:
        assert len(traced(exercise_names(chapter))) == ASKED
        assert set(traced(exercise_names(chapter))) <= set(exercise_names(chapter))

    def test_neither_a_neighbours_numbers_nor_a_guess_are_worth_much(self, chapter: str) -> None:
        for name in dict.fromkeys(traced(exercise_names(chapter))):
            wanted = [numbers_of(result(chapter, name, student)) for student in STUDENTS]
            assert all(wanted), f"{name} may return nothing"
            earned = [sum(is_right(mine, other) for other in wanted) / len(wanted) for mine in wanted]
            assert max(earned) <= GUESSED, name
            assert (sum(earned) - 1) / (len(wanted) - 1) <= max(earned), (
                "a neighbour's numbers are worth no more than a guess"
            )

    def test_what_python_prints_is_read(self, chapter: str) -> None:
        for name in dict.fromkeys(traced(exercise_names(chapter))):
            for student in STUDENTS[:20]:
                value = result(chapter, name, student)
                for text in (text_of(value), repr(value)):
                    assert is_right(read_numbers(text), numbers_of(value)), text


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("tensor([[0.50, -1.], [2e-3, .5]])", [0.5, -1, 0.002, 0.5]),
        ("tensor([1, 2], dtype=torch.int32, device='cuda:0')", [1, 2]),
        ("(tensor([True, False]), −inf, nan)", [1, 0, float("-inf"), float("nan")]),
        ("0.5 and 3", [0.5, 3]),
        ("x1 = 4", [4]),
        ("[None, 7]", [7]),
        ("I do not know", []),
        ("", []),
    ],
)
def test_numbers_are_read(text: str, numbers: list[float]) -> None:
    assert is_right(read_numbers(text), numbers)


@pytest.mark.parametrize(
    ("got", "want", "right"),
    [
        ([0.33], [1 / 3], True),
        ([0.3], [1 / 3], False),
        ([1.0], [1.0, 0.0], False),
        ([], [1.0], False),
        ([990], [1000], True),
    ],
)
def test_two_decimals_are_enough(got: list[float], want: list[float], right: bool) -> None:
    assert is_right(got, want) is right


def answers(student: str, *, claims: str | None = None, times: float = 1) -> str:
    """The cell of a student who writes what is right for an id."""
    names = traced(exercise_names(CHAPTER))
    texts = [text_of(_scaled(result(CHAPTER, name, student, number), times)) for number, name in enumerate(names, 1)]
    told = {f"question {number}": text for number, text in enumerate(texts, start=1)}
    return f"my_trace = { ({'student': student if claims is None else claims} | told)!r}"


def _scaled(value: Any, times: float) -> Any:
    if isinstance(value, tuple):
        return tuple(_scaled(item, times) for item in value)
    return value * times + (times - 1)


STEALS = """
import sys
my_trace = {"student": "ivan", "question 1": "1", "question 2": "2", "question 3": "3"}
for module in list(sys.modules.values()):
    for name in ("is_right", "judge_own"):
        if hasattr(module, name):
            setattr(module, name, lambda *given: True)
"""


@pytest.fixture(scope="module")
def asked(released: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A class whose students have questions of their own, and have handed in."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("own") / "course"))
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write("c.Exercises.individual = True\n")
    generate(course_config(course.root), CHAPTER)
    student = Student(course)
    cells = {
        "ada": answers("ada"),
        "bert": answers("ada", claims="bert"),
        "cleo": answers("ada"),
        "dora": answers("dora", times=1.5),
        "emil": None,
        "finn": answers("Finn@Example.org"),
        "gail": answers("gail"),
        "hugo": answers("hugo", claims=""),
        "ivan": STEALS,
        "joan": "my_trace = {'student': 'joan', 'question 1':",
    }
    for name, source in cells.items():
        notebook = student.notebook(**({"masked_softmax": None, "scaled_scores": None} if name == "gail" else {}))
        if source is not None:
            answer_cell(notebook, NAME).source = source
        submit(course, name, notebook)
    with Gradebook(course.database(course_config(course.root))) as book:
        for name in cells:
            book.update_or_create_student(name, email=f"{name}@example.org")
    return course


@pytest.fixture(scope="module")
def graded(asked: Course) -> Graded:
    found = quietly(asked)
    assert found.exit_code == 0, found.closing()
    return found


def earned(graded: Graded) -> dict[str, float | None]:
    return {row.student: row.parts[NAME] for row in graded.rows}


def test_the_cell_of_the_answers_is_given_with_its_blanks(asked: Course) -> None:
    given = answer_cell(read(asked.released(CHAPTER)), NAME).source
    assert json.loads(re.search(r"\{.*\}", re.sub(r"#.*|,(?=\n\})", "", given), re.DOTALL)[0]) == {  # type: ignore[index]
        "student": "",
        **{f"question {number}": "" for number in range(1, ASKED + 1)},
    }


def test_who_answers_their_own_questions_has_the_points(graded: Graded) -> None:
    assert {name: earned(graded)[name] for name in ("ada", "finn", "gail")} == {"ada": 3, "finn": 3, "gail": 3}


def test_a_neighbours_numbers_earn_nothing(graded: Graded) -> None:
    assert {name: earned(graded)[name] for name in ("bert", "cleo", "dora", "emil")} == dict.fromkeys(
        ("bert", "cleo", "dora", "emil"), 0
    )


def test_code_in_the_notebook_has_no_part_in_it(graded: Graded) -> None:
    assert earned(graded)["ivan"] == 0


def test_a_cell_without_an_id_or_that_cannot_be_read_costs_these_points_alone(graded: Graded) -> None:
    rows = {row.student: row for row in graded.rows}
    assert earned(graded)["hugo"] == earned(graded)["joan"] == 0
    assert rows["hugo"].points == rows["emil"].points == rows["ada"].points - 3
    assert any("your id is missing" in note for note in rows["hugo"].notes)
    assert any("“ada”, which is not your id" in note for note in rows["cleo"].notes)


def test_the_gradebook_and_the_export_have_the_points(asked: Course, graded: Graded, tmp_path: Path) -> None:
    with Gradebook(asked.database(course_config(asked.root))) as book:
        grade = book.find_grade(NAME, CHAPTER, CHAPTER, "ada")
        assert (grade.score, grade.max_score) == (3, 3)
    to = tmp_path / "grades.csv"
    export = CliRunner().invoke(app, ["export", "--course", str(asked.root), "--to", str(to)])
    assert export.exit_code == 0, export.output
    rows = {row["student_id"]: row for row in csv.DictReader(to.open())}
    assert float(rows["ada"]["score"]) - float(rows["bert"]["score"]) == 3


def test_feedback_and_report_tell(asked: Course, graded: Graded) -> None:
    write_feedback(asked, CHAPTER, workers=1, console=Console(quiet=True))
    page = (asked.root / "feedback" / "bert" / CHAPTER / f"{CHAPTER}.html").read_text()
    assert "returns other numbers for your inputs" in page
    assert "Read on” again" not in page
    assert text_of(result(CHAPTER, "masked_softmax", "bert"))[:20] in page
    page = (asked.root / "feedback" / "emil" / CHAPTER / f"{CHAPTER}.html").read_text()
    assert "results for inputs of your own · not written" in page
    assert f"<strong>{NAME}</strong>" in write_report(asked, CHAPTER, Console(quiet=True)).read_text()


def test_nothing_runs_twice_when_the_roster_changes(asked: Course, graded: Graded, tmp_path: Path) -> None:
    course = Course(shutil.copytree(asked.root, tmp_path / "course"))
    with Gradebook(course.database(course_config(course.root))) as book:
        book.update_or_create_student("cleo", email="ada")
    stored = {path.name for path in (course.private / "results").iterdir()}
    assert {row.student: row.parts[NAME] for row in quietly(course).rows}["cleo"] == 3
    assert {path.name for path in (course.private / "results").iterdir()} == stored


def test_nbgraders_own_loop_gives_the_same_points(asked: Course, graded: Graded, tmp_path: Path) -> None:
    course = Course(shutil.copytree(asked.root, tmp_path / "course"))
    shutil.rmtree(course.root / "autograded")
    for name in ("ada", "bert"):
        made = nbgrader_api(course_config(course.root)).autograde(CHAPTER, name, force=True)
        assert made["success"], made.get("log")
        with Gradebook(course.database(course_config(course.root))) as book:
            assert book.find_grade(NAME, CHAPTER, CHAPTER, name).auto_score == earned(graded)[name]


def test_without_the_setting_nothing_is_asked(released: Course) -> None:
    assert NAME not in {
        cell.metadata.get("nbgrader", {}).get("grade_id") for cell in read(released.released(CHAPTER)).cells
    }
    assert NAME not in [one.exercise.name for one in settings(course_config(released.root), CHAPTER).exercises()]


def test_what_a_class_does_not_write_is_not_asked_about() -> None:
    config = Config({"Exercises": {"individual": True, "leave_out": {CHAPTER: ["masked_softmax"]}}})
    assert "masked_softmax" not in settings(config, CHAPTER).traced
    assert len(settings(config, CHAPTER).traced) == ASKED


class TestNotebook:
    def shown(self, capsys: pytest.CaptureFixture[str], **texts: str) -> str:
        assert autograder.trace(texts, "masked_softmax", "scaled_scores") == 0
        return capsys.readouterr().out

    def test_it_asks_for_an_id_first(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "Write your id" in self.shown(capsys, student=" ")

    def test_the_inputs_are_the_students_own(self, capsys: pytest.CaptureFixture[str]) -> None:
        ada, bert = (self.shown(capsys, student=student) for student in ("ada", "bert"))
        assert ada.replace("ada", "bert") != bert
        assert self.shown(capsys, student=" Ada ") == ada

    def test_how_an_answer_is_read(self, capsys: pytest.CaptureFixture[str]) -> None:
        told = self.shown(capsys, student="ada", **{"question 1": "tensor([0.5, 1.])"})
        assert "Your answer is read as 0.5, 1.0." in told
        assert "There are no numbers in your answer yet." in told

    def test_an_answer_that_is_no_text(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "between quotation marks" in self.shown(capsys, student="ada", **{"question 1": torch.ones(2)})  # type: ignore[arg-type]
