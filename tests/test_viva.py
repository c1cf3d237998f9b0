"""A viva: what each student is asked about their own code, what the sheets say and do not say, and where points go."""

import csv
import json
import re
import shutil
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from nbgrader.api import Gradebook
from pypdf import PdfReader
from rich.console import Console
from typer.testing import CliRunner

from autograder.building.release import read
from autograder.checkout import Course, CourseError, course_config
from autograder.cli import app
from autograder.declare import load_exercises
from autograder.grading import engine, viva
from autograder.grading.class_page import write_report
from autograder.grading.repair import read_submission
from autograder.grading.viva_questions import Askable, read_paper
from autograder.questions.code import UnaskableError
from autograder.questions.rehearsal import perform
from autograder.questions.why import read_whys
from autograder.samples.course import CHAPTER, Student, answer_cell, quietly, submit
from tests.browser import Browser

NAMES = [exercise.name for exercise in load_exercises(CHAPTER)]
OWN = """
def masked_softmax(scores, mask):
    lowest = torch.finfo(scores.dtype).min
    hidden = torch.where(mask, scores, torch.full_like(scores, lowest))
    shares = hidden.softmax(-1)
    return torch.where(mask, shares, torch.zeros_like(shares))
"""
TWIN = OWN.replace("hidden", "covered_up").replace("shares", "quotas").replace("lowest", "bottommost")
HELPER = """

def tabulate(rows_given, widths_wanted):
    shown_so_far = []
    for row_number, row_given in enumerate(rows_given):
        padded_cells = [str(cell_given).ljust(width_wanted) for cell_given, width_wanted in zip(row_given, widths_wanted)]
        shown_so_far.append(str(row_number) + " | ".join(padded_cells))
    return "\\n".join(shown_so_far)
"""
"""What two students have in common that nobody else would write."""
RIGGED = """
import autograder.questions.making as making, autograder.questions.rehearsal as rehearsal
rehearsal.questions = making.questions = lambda *given: iter([making.Question("happens", "Easy?", "", "", (), 0)] * 9)

def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, -1e30)
    return scores.softmax(-1) * mask
"""


def invoke(course: Course, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["viva", CHAPTER, "--course", str(course.root), *arguments], env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def asked(released: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A class with a twin, with code that does not run, with nothing written, and with code that would choose its own questions."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("viva") / "course"))
    student = Student(course)
    stubs: dict[str, Any] = dict.fromkeys([*NAMES, "written"])
    made = {
        "ada": student.notebook(),
        "bert": student.notebook(masked_softmax=OWN),
        "cleo": student.notebook(masked_softmax=TWIN),
        "dora": student.notebook(
            **{**stubs, "masked_softmax": "def masked_softmax(scores, mask):\n    return scores[9]"}
        ),
        "emil": student.notebook(**stubs),
        "finn": student.notebook(**{**stubs, "masked_softmax": RIGGED}),
    }
    for name in ("bert", "cleo"):
        answer_cell(made[name], "attend").source += HELPER
    for name, notebook in made.items():
        submit(course, name, notebook)
    with Gradebook(course.database(course_config(course.root))) as book:
        book.update_or_create_student("ada", first_name="Ada", last_name="Lovelace")
        for name in ("bert", "cleo", "dora", "emil", "finn"):
            book.update_or_create_student(name)
    result = invoke(course, "--workers", "2")
    assert result.exit_code == 0, result.output
    return course


def sheet(course: Course, kind: str, student: str) -> str:
    return (course.root / "viva" / CHAPTER / kind / f"{student}.html").read_text(encoding="utf-8")


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def exercises_on(page: str) -> list[str]:
    return re.findall(r"<h2>\d\. <code>(\w+)</code>", page)


@pytest.mark.parametrize("student", ["ada", "bert", "cleo", "dora", "emil", "finn"])
def test_five_questions_of_which_the_last_is_open(asked: Course, student: str) -> None:
    page = sheet(asked, "students", student)
    names = exercises_on(page)
    assert len(names) == 5
    assert set(names) <= set(NAMES)
    assert read_whys(CHAPTER)[names[-1]].ask.replace("`", "") in words(page).replace("` ", "").replace(" `", "")
    assert page.count("<ul class='options'>") == 4


def test_questions_are_about_as_many_exercises_as_there_are(asked: Course) -> None:
    assert len(set(exercises_on(sheet(asked, "students", "ada")))) == 5


@pytest.mark.parametrize("student", ["ada", "dora", "emil", "finn"])
def test_a_students_sheet_does_not_say_what_is_right(asked: Course, student: str) -> None:
    page, answers = sheet(asked, "students", student), sheet(asked, "examiner", student)
    assert "class='right'" not in page
    assert answers.count("class='right'") == 4
    hidden = [why for name in NAMES for why in read_whys(CHAPTER)[name].rubric]
    assert not any(point in words(page) for point in hidden)
    assert sum(point in words(answers) for point in hidden) == 3
    notes = re.findall(r"<p class='aside'>(.*?)</p>", answers)
    assert notes
    assert not any("comes back" in note and note in page for note in notes)
    assert asked.secret(CHAPTER) not in page + answers


def test_no_line_of_a_solution_is_on_the_sheet_of_somebody_who_did_not_write_it(asked: Course) -> None:
    page = words(sheet(asked, "students", "emil"))
    lines = [
        line.strip() for path in (asked.solutions / CHAPTER).glob("*.py") for line in path.read_text().splitlines()
    ]
    assert not [line for line in lines if len(line) > 25 and not line.startswith(("#", '"', "def ")) and line in page]


def test_sheets_in_a_browser(asked: Course, browser: Browser) -> None:
    for kind in ("students", "examiner"):
        for width, mode in ((390, "light"), (1280, "dark")):
            browser.show(width, mode)
            browser.open((asked.root / "viva" / CHAPTER / kind / "ada.html").as_uri())
            assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
            assert browser.violations() == []
    assert browser.asked_elsewhere() == []


@pytest.mark.skipif(not shutil.which("chromium"), reason="printing needs Chromium")
def test_printed(asked: Course) -> None:
    pages = [asked.root / "viva" / CHAPTER / f"{kind}.html" for kind in ("students", "examiner")]
    students, examiner = (len(PdfReader(path).pages) for path in viva.print_sheets(pages))
    assert 6 <= students <= 6 * 4, "a sheet begins on paper of its own"
    assert 6 <= examiner


def test_alike_answers_are_asked_the_same(asked: Course) -> None:
    bert, cleo = (words(sheet(asked, "examiner", name)) for name in ("bert", "cleo"))
    assert "The same questions are for cleo" in bert
    for new, old in (("covered_up", "hidden"), ("quotas", "shares"), ("bottommost", "lowest")):
        cleo = cleo.replace(new, old)
    assert bert.partition("1. ")[2] == cleo.partition("1. ")[2]
    assert exercises_on(sheet(asked, "students", "bert")) != exercises_on(sheet(asked, "students", "ada"))


def test_code_that_does_not_run_is_named_and_asked_about_otherwise(asked: Course) -> None:
    page = words(sheet(asked, "students", "dora"))
    assert "There are no questions about masked_softmax yet: with small inputs, it stops with IndexError" in page
    assert "Somebody else's" in page
    assert "There is no code of yours to ask about" in words(sheet(asked, "students", "emil"))


def test_code_cannot_choose_its_questions(asked: Course) -> None:
    page = words(sheet(asked, "students", "finn"))
    assert "Easy?" not in page
    assert "masked_softmax" in page


def test_results_that_are_none_are_no_questions() -> None:
    source = "def causal_mask(length, device=None):\n    return torch.ones(length, length, dtype=torch.bool).tril()\n"
    for kept in ([], [[1]], [[1, "", [], ["tuple"], [[99, 0]]]], [None], "x", {"a": 1}, [[0] * 5] * 200):
        with pytest.raises(UnaskableError):
            perform(CHAPTER, "causal_mask", source, "seed", kept)


def test_the_definition_that_the_check_took_is_asked_about(asked: Course) -> None:
    notebook = Student(asked).notebook()
    answer_cell(notebook, "causal_mask").source += "\n\ndef helper():\n    return causal_mask(2)\n"
    answer_cell(notebook, "attend_to_past").source += "\n\ndef causal_mask(length, device=None):\n    return None\n"
    released = read(asked.released(CHAPTER))
    submit(asked, "gail", notebook)
    try:
        path = asked.root / "submitted" / "gail" / CHAPTER / f"{CHAPTER}.ipynb"
        paper = read_paper(read_submission(path, released).notebook, released, NAMES)
    finally:
        shutil.rmtree(asked.root / "submitted" / "gail")
    assert "helper" in paper.cells["causal_mask"]


class TestAgain:
    @pytest.fixture
    def course(self, asked: Course, tmp_path: Path) -> Course:
        return Course(shutil.copytree(asked.root, tmp_path / "course"))

    def test_nothing_runs_twice_and_the_sheets_are_the_same(
        self, course: Course, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def runs(*_: Any) -> None:
            raise AssertionError("a submission was run again")

        before = sheet(course, "students", "ada")
        monkeypatch.setattr(engine, "run_job", runs)
        assert invoke(course).exit_code == 0
        assert sheet(course, "students", "ada") == before

    def test_an_interrupted_class_is_gone_on_with(self, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        kept = sorted((course.private / "viva" / CHAPTER).glob("*.json"))
        kept[0].unlink()
        run, ran = engine.run_job, []
        monkeypatch.setattr(engine, "run_job", lambda job: ran.append(job) or run(job))
        assert invoke(course).exit_code == 0
        assert len(ran) == 1

    def test_a_submission_that_cannot_run_costs_itself_alone(
        self, course: Course, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        min((course.private / "viva" / CHAPTER).glob("*.json")).unlink()

        def fails(_: Any) -> None:
            raise engine.SandboxError("the worker was lost")

        monkeypatch.setattr(engine, "run_job", fails)
        result = invoke(course)
        assert result.exit_code == 1
        assert "no sheet, because the worker was lost" in result.output
        assert "5 sheets are in" in result.output

    def test_one_student_and_one_exercise(self, course: Course) -> None:
        result = invoke(course, "--student", "ada", "--only", "attend")
        assert result.exit_code == 0, result.output
        page = sheet(course, "students", "ada")
        assert exercises_on(page) == ["attend"] * 5
        whole = (course.root / "viva" / CHAPTER / "students.html").read_text()
        assert whole.count("<article") == 6, "the sheets of the class are left alone"

    @pytest.mark.parametrize(
        ("option", "told"), [("--student", "no submission of adda: did you mean ada"), ("--only", "no exercise adda")]
    )
    def test_who_is_not_there(self, course: Course, option: str, told: str) -> None:
        result = invoke(course, option, "adda")
        assert result.exit_code == 1
        assert told in result.output

    def test_anonymous(self, course: Course) -> None:
        assert invoke(course, "--anonymous").exit_code == 0
        folder = course.root / "viva" / f"{CHAPTER}-anonymous"
        for path in folder.rglob("*.html"):
            assert not re.search(r"\b(Ada|Lovelace|ada|bert|cleo|dora|emil|finn)\b", f"{path.name} {path.read_text()}")
        assert {path.name for path in (folder / "students").iterdir()} == {f"student-{n}.html" for n in range(1, 7)}
        assert not list(folder.glob("*.csv"))


class TestPoints:
    @pytest.fixture
    def course(self, asked: Course, tmp_path: Path) -> Course:
        return Course(shutil.copytree(asked.root, tmp_path / "course"))

    def form(self, course: Course) -> Path:
        return course.root / "viva" / CHAPTER / "points.csv"

    def fill(self, course: Course, **points: list[str]) -> None:
        rows = list(csv.reader(self.form(course).open()))
        filled = [row[:2] + points.get(row[0], row[2:]) for row in rows]
        with self.form(course).open("w", newline="") as file:
            csv.writer(file).writerows(filled)

    def configure(self, course: Course, line: str) -> None:
        with (course.root / "nbgrader_config.py").open("a") as config:
            config.write(f"{line}\n")

    def test_they_are_a_column_of_their_own(self, course: Course) -> None:
        self.configure(course, "c.Exercises.viva = 5")
        self.fill(course, ada=["1", "1", "0.5", "0", "1"], bert=["0", "", "", "0,5", "0"])
        result = invoke(course, "--points", str(self.form(course)))
        assert result.exit_code == 0, result.output
        assert "The points of 2 students are in the gradebook, out of 5 points." in result.output
        assert "4 rows have no points." in result.output
        to = course.root / "canvas.csv"
        export = CliRunner().invoke(
            app, ["export", "--course", str(course.root), "--format", "canvas", "--to", str(to)]
        )
        assert export.exit_code == 0, export.output
        head, worth, *rows = csv.reader(to.open())
        column = head.index(f"{CHAPTER}-viva")
        assert worth[column] == "5"
        assert {row[0]: row[column] for row in rows if row[column]} == {"Lovelace, Ada": "3.5", "bert": "0.5"}

    def test_entered_again_they_are_replaced(self, course: Course) -> None:
        self.configure(course, "c.Exercises.viva = 10")
        for points in ("1", "0.5"):
            self.fill(course, ada=[points] * 5)
            assert invoke(course, "--points", str(self.form(course))).exit_code == 0
        with Gradebook(course.database(course_config(course.root))) as book:
            assert book.find_submission(f"{CHAPTER}-viva", "ada").score == 5

    def test_without_the_setting_they_do_not_count(self, course: Course) -> None:
        self.fill(course, ada=["1"] * 5)
        result = invoke(course, "--points", str(self.form(course)))
        assert "They do not count" in result.output
        with Gradebook(course.database(course_config(course.root))) as book:
            assert [assignment.name for assignment in book.assignments] == [CHAPTER]

    @pytest.mark.parametrize(
        ("row", "told"),
        [
            (["1", "1", "2", "0", "1"], "'2' is not a number from 0 to 1"),
            (["1", "x", "0", "0", "1"], "'x' is not a number"),
            (["1", "nan", "0", "0", "1"], "'nan' is not a number"),
            (["1", "1"], "was asked 5 questions"),
        ],
    )
    def test_a_row_that_is_wrong_is_named_and_nothing_is_entered(
        self, course: Course, row: list[str], told: str
    ) -> None:
        self.configure(course, "c.Exercises.viva = 5")
        self.fill(course, ada=["1"] * 5, bert=row)
        result = invoke(course, "--points", str(self.form(course)))
        assert result.exit_code == 1
        assert told in result.output
        assert "line 3" in result.output
        with Gradebook(course.database(course_config(course.root))) as book:
            assert [assignment.name for assignment in book.assignments] == [CHAPTER]

    def test_a_table_that_a_spreadsheet_saved_with_semicolons_is_read(self, course: Course) -> None:
        self.fill(course, ada=["1"] * 5)
        rows = list(csv.reader(self.form(course).open()))
        self.form(course).write_text("".join(f"{';'.join(row)}\r\n" for row in rows), encoding="utf-8-sig")
        result = invoke(course, "--points", str(self.form(course)))
        assert "The points of 1 student are kept for the report" in result.output

    def test_what_was_typed_survives_new_sheets(self, course: Course) -> None:
        self.fill(course, ada=["1", "0.5", "0", "1", "1"])
        assert invoke(course).exit_code == 0
        assert ["ada", "Ada Lovelace (ada)", "1", "0.5", "0", "1", "1"] in list(csv.reader(self.form(course).open()))

    def test_a_setting_that_is_none(self, course: Course) -> None:
        self.configure(course, "c.Exercises.viva = 'five'")
        result = invoke(course, "--points", str(self.form(course)))
        assert result.exit_code == 1
        assert "c.Exercises.viva is 'five'" in result.output


def test_before_anything_was_released(tmp_path: Path, released: Course) -> None:
    shutil.copy(released.root / "nbgrader_config.py", tmp_path)
    with pytest.raises(CourseError, match="has not been released"):
        viva.make_viva(Course(tmp_path), CHAPTER, workers=1, box="landlock", console=Console(quiet=True))


def test_what_was_kept_and_is_damaged_is_made_anew(asked: Course) -> None:
    from autograder.grading.viva_questions import _read

    path = asked.private / "viva" / CHAPTER / "broken.json"
    for text in ("", "[]", '{"questions": {"a": [1]}}', json.dumps({"questions": {}, "reasons": {}})):
        path.write_text(text)
        assert _read(path) in (None, Askable())
    path.unlink()


def test_the_report_holds_points_against_the_viva(asked: Course, tmp_path: Path) -> None:
    course = Course(shutil.copytree(asked.root, tmp_path / "course"))
    assert quietly(course).exit_code == 0
    before = write_report(course, CHAPTER, Console(quiet=True)).read_text()
    assert "Points against the viva" not in before
    form = course.root / "viva" / CHAPTER / "points.csv"
    head, *rows = csv.reader(form.open())
    typed = {"ada": ["0", "0", "0", "0", "1"], "bert": ["1", "1", "1", "1", "1"], "emil": ["0", "0", "0", "0", "0"]}
    with form.open("w", newline="") as file:
        csv.writer(file).writerows([head, *(row[:2] + typed.get(row[0], row[2:]) for row in rows)])
    assert invoke(course, "--points", str(form)).exit_code == 0
    page = write_report(course, CHAPTER, Console(quiet=True)).read_text()
    part = page.partition("<h2>Points against the viva</h2>")[2].partition("<h2>")[0]
    assert "3 students answered questions about their own code" in part
    assert "Ada Lovelace (ada): 100% of the points, 20% of the viva" in part
    assert "emil:" not in part
    assert "bert:" not in part
    assert set(re.findall(r"<tr><td>(\w+)</td>", part)) <= set(NAMES)
    hidden = write_report(course, CHAPTER, Console(quiet=True), anonymous=True).read_text()
    assert "Lovelace" not in hidden.partition("<h2>Points against the viva</h2>")[2]
