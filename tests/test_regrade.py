"""Grades by another configuration are named by every command that reads them, and `autograder regrade` shows whose would change before it writes."""

import re
import shutil
import sqlite3
from pathlib import Path

import pytest
from click.testing import Result
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.building.release import generate
from autograder.checkout import Course, course_config
from autograder.cli import app
from autograder.declare import load_checks
from autograder.grading import run as running
from autograder.grading.export import read_lines
from autograder.samples.course import CHAPTER, GOOD_ANSWER, Student, read_by_hand, submit
from tests.students import answers_to

masked_softmax = answers_to("masked_softmax")
WORTH = {found.exercise.name: found.points for found in load_checks(CHAPTER)}
MORE = f'c.Exercises.points = {{"{CHAPTER}": {{"masked_softmax": {2 * WORTH["masked_softmax"]}}}}}\n'
EXTRA = f'c.Exercises.extra_credit = {{"{CHAPTER}": ["AttentionDecoder"]}}\n'
LESS = f'c.Exercises.leave_out = {{"{CHAPTER}": ["attend"]}}\n'


@pytest.fixture(scope="module")
def graded(released: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Ada has everything, Emmy's `masked_softmax` was marked by a person, Kurt's is unwritten and Zoe's half right."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("graded") / "course"))
    student = Student(course)
    submit(course, "ada", student.notebook(written=GOOD_ANSWER))
    submit(course, "emmy", student.notebook(masked_softmax=None, written=GOOD_ANSWER))
    submit(course, "kurt", student.notebook(masked_softmax=None, AttentionDecoder=None, written=None))
    submit(course, "zoe", student.notebook(masked_softmax=masked_softmax.softmax_then_mask, written=None))
    assert autograder(course, "grade", CHAPTER).exit_code == 0
    for name in ("ada", "emmy"):
        read_by_hand(course, name, 4, "Good.")
    with Gradebook(course.database(course_config(course.root))) as book:
        grade = book.find_grade("masked_softmax", CHAPTER, CHAPTER, "emmy")
        grade.manual_score, grade.needs_manual_grade = 3, False
        book.db.commit()
    return course


@pytest.fixture
def course(graded: Course, tmp_path: Path) -> Course:
    return Course(shutil.copytree(graded.root, tmp_path / "course", copy_function=shutil.copy2))


def autograder(course: Course, *arguments: str, answer: str | None = None) -> Result:
    asked = [*arguments, "--course", str(course.root)]
    if arguments[0] in ("export", "report"):
        asked += ["--to", str(course.root / ("out" if arguments[0] == "report" else "grades.csv"))]
    return CliRunner().invoke(app, asked, input=answer, env={"COLUMNS": "200"})


def configure(course: Course, *lines: str) -> None:
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.writelines(lines)


def scores(course: Course) -> dict[str, float | None]:
    return {line.student.id: line.score for line in read_lines(course, CHAPTER)}


def state(course: Course) -> dict[str, bytes]:
    files = [path for path in course.root.rglob("*") if path.is_file()]
    return {str(path.relative_to(course.root)): path.read_bytes() for path in files}


def results(course: Course) -> set[str]:
    """What has been run and judged."""
    return {path.name for path in (course.private / "results").iterdir()}


def comments(course: Course) -> list[tuple[str, ...]]:
    with sqlite3.connect(course.root / "gradebook.db") as book:
        return sorted(book.execute("select notebook_id, manual_comment from comment where manual_comment is not null"))


def test_grades_by_todays_configuration_are_not_remarked_on(course: Course) -> None:
    for arguments in (["grade", CHAPTER], ["feedback", CHAPTER], ["report", CHAPTER], ["export"]):
        result = autograder(course, *arguments)
        assert result.exit_code == 0, result.output
        assert "autograder regrade" not in result.output


def test_every_command_names_grades_by_another_configuration(course: Course) -> None:
    configure(course, MORE)
    for arguments, code in ((["grade"], 1), (["report"], 1), (["feedback"], 0), (["export"], 0)):
        result = autograder(course, *arguments, CHAPTER)
        assert result.exit_code == code, result.output
        assert "masked_softmax had 13 points and has 26 points now" in result.output
        assert f"`autograder regrade {CHAPTER}`" in result.output


def test_it_is_named_after_the_chapter_was_released_again(course: Course) -> None:
    configure(course, MORE)
    assert f"`autograder regrade {CHAPTER}`" in autograder(course, "release", CHAPTER).output
    assert f"`autograder regrade {CHAPTER}`" in autograder(course, "export").output
    assert autograder(course, "regrade", CHAPTER, "--yes").exit_code == 0
    assert "autograder regrade" not in autograder(course, "export").output


def test_regrade_shows_who_would_change_and_writes_only_when_told(course: Course) -> None:
    configure(course, MORE, EXTRA)
    before, old, stored = state(course), scores(course), results(course)
    refused = autograder(course, "regrade", CHAPTER, answer="n\n")
    assert refused.exit_code == 1
    assert state(course) == before, "nothing is written"
    assert "2 of 4 grades would change" in refused.output
    assert "masked_softmax 13 → 26" in refused.output
    assert re.search(rf"ada .* {old['ada']:g} \({old['ada']:.0f}%\)", refused.output), (
        "the chapter is worth 100 points now"
    )
    assert "kurt" not in refused.output, "only those who would change are listed"
    assert "AttentionDecoder had 12 points and has 12 points of extra credit now" in refused.output
    assert "The chapter is then worth 101 points." in refused.output
    assert "a person gave for these exercises stay as they are: look again at emmy." in refused.output

    kept = comments(course)
    written = autograder(course, "regrade", CHAPTER, answer="y\n")
    assert written.exit_code == 0, written.output
    new = scores(course)
    half = (old["zoe"] or 0) - (old["kurt"] or 0) - WORTH["AttentionDecoder"]
    assert {name: (new[name] or 0) - (old[name] or 0) for name in new} == {"ada": 13, "emmy": 0, "kurt": 0, "zoe": half}
    assert comments(course) == kept
    (worth,) = {line.worth for line in read_lines(course, CHAPTER)}
    assert worth == 101
    assert results(course) == stored, "other points run nothing again"
    assert "autograder regrade" not in autograder(course, "export").output
    assert autograder(course, "feedback", CHAPTER).exit_code == 0
    page = (course.root / "feedback" / "ada" / CHAPTER / f"{CHAPTER}.html").read_text()
    assert "Score: 112 / 101" in page
    assert "Extra credit: 12 points" in page
    assert autograder(course, "report", CHAPTER).exit_code == 0
    assert "(extra credit)" in (course.root / "out" / f"{CHAPTER}.html").read_text()


def test_the_old_configuration_brings_the_old_grades_back(course: Course) -> None:
    old, config = scores(course), (course.root / "nbgrader_config.py").read_text()
    configure(course, MORE, EXTRA)
    assert autograder(course, "regrade", CHAPTER, "--yes").exit_code == 0
    assert scores(course) != old
    (course.root / "nbgrader_config.py").write_text(config)
    assert autograder(course, "regrade", CHAPTER, "--yes").exit_code == 0
    assert scores(course) == old
    assert "0 of 4 grades would change" in autograder(course, "regrade", CHAPTER).output, "it does not ask"


def test_no_points_take_an_exercise_out_of_the_grades_and_fractions_are_told_to_the_hundredth(course: Course) -> None:
    configure(course, f'c.Exercises.points = {{"{CHAPTER}": {{"attend": 0, "masked_softmax": 10}}}}\n')
    assert autograder(course, "regrade", CHAPTER, "--yes").exit_code == 0
    (line,) = [line for line in read_lines(course, CHAPTER) if line.student.id == "zoe"]
    share = [o.points for o in load_checks(CHAPTER)[0].worth(10).checks]
    assert line.parts["attend"] == 0
    assert line.parts["masked_softmax"] == round(line.parts["masked_softmax"], 2)
    assert any(round(part, 2) != part for part in share)
    assert line.worth == 100 - 11 - 3
    assert autograder(course, "report", CHAPTER).exit_code == 0


def test_points_given_by_hand_count_up_to_what_the_exercise_is_worth_and_come_back_with_it(course: Course) -> None:
    old, config = scores(course), (course.root / "nbgrader_config.py").read_text()
    configure(course, f'c.Exercises.points = {{"{CHAPTER}": {{"masked_softmax": 2}}}}\n')
    before = state(course)
    refused = autograder(course, "regrade", CHAPTER, answer="n\n")
    assert state(course) == before
    assert "masked_softmax by hand 3 → 2" in refused.output
    assert "wait to be marked again: emmy, masked_softmax: 2 of 3 points." in refused.output
    assert "stay as they are" not in refused.output
    assert autograder(course, "regrade", CHAPTER, "--yes").exit_code == 0
    assert scores(course)["emmy"] == (old["emmy"] or 0) - 1
    with sqlite3.connect(course.root / "gradebook.db") as book:
        asked = "select needs_manual_grade from grade where manual_score = 2"
        assert book.execute(asked).fetchall() == [(1,)]
    assert "0 of 4 grades would change" in autograder(course, "regrade", CHAPTER).output
    (course.root / "nbgrader_config.py").write_text(config)
    assert autograder(course, "regrade", CHAPTER, "--yes").exit_code == 0
    assert scores(course) == old


def waiting(course: Course) -> set[tuple[str, str]]:
    """The answers to be read: whose, and to which cell."""
    asked = (
        "select a.student_id, c.name from grade g join base_cell c on c.id = g.cell_id join submitted_notebook n on n.id = g.notebook_id "
        "join submitted_assignment a on a.id = n.assignment_id where g.needs_manual_grade"
    )
    with sqlite3.connect(course.root / "gradebook.db") as book:
        return set(book.execute(asked).fetchall())


def test_what_was_read_stays_read_after_a_change_of_points_unless_the_answer_is_another(course: Course) -> None:
    assert waiting(course) == set()
    configure(course, MORE)
    assert autograder(course, "regrade", CHAPTER, "--yes").exit_code == 0
    assert waiting(course) == set()
    submit(course, "ada", Student(course).notebook(written=GOOD_ANSWER + " More."))
    assert autograder(course, "grade", CHAPTER).exit_code == 0
    assert waiting(course) == {("ada", f"{CHAPTER}-written")}


def test_points_that_were_given_anew_are_not_undone(course: Course) -> None:
    config = (course.root / "nbgrader_config.py").read_text()
    configure(course, f'c.Exercises.points = {{"{CHAPTER}": {{"masked_softmax": 2}}}}\n')
    assert autograder(course, "regrade", CHAPTER, "--yes").exit_code == 0
    with Gradebook(course.database(course_config(course.root))) as book:
        book.find_grade("masked_softmax", CHAPTER, CHAPTER, "emmy").manual_score = 1
        book.db.commit()
    (course.root / "nbgrader_config.py").write_text(config)
    assert autograder(course, "regrade", CHAPTER, "--yes").exit_code == 0
    (line,) = [line for line in read_lines(course, CHAPTER) if line.student.id == "emmy"]
    assert line.parts["masked_softmax"] == 1


def test_other_exercises_are_refused_once_work_is_in_the_gradebook(course: Course) -> None:
    configure(course, LESS)
    before = state(course)
    for arguments in (["regrade", CHAPTER, "--yes"], ["release", CHAPTER]):
        result = autograder(course, *arguments)
        assert result.exit_code == 1
        assert "give it 0 points with c.Exercises.points" in result.output
        assert state(course) == before


@pytest.mark.parametrize("moment", ["release", "first", "second"])
def test_interrupt_spoils_no_grade_and_the_same_command_does_the_rest(
    course: Course, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    whole = Course(shutil.copytree(course.root, course.root.parent / "whole", copy_function=shutil.copy2))
    for one in (course, whole):
        configure(one, MORE, EXTRA)
    old = scores(course)
    assert autograder(whole, "regrade", CHAPTER, "--yes").exit_code == 0
    new = scores(whole)

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    written = 0
    write = running._Desk.write

    def write_some(desk: running._Desk, done: object) -> object:
        nonlocal written
        written += 1
        return interrupted() if written > ["first", "second"].index(moment) else write(desk, done)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        if moment == "release":
            patch.setattr(running, "generate", lambda *given: (generate(*given), interrupted()))
        else:
            patch.setattr(running._Desk, "write", write_some)
        stopped = autograder(course, "regrade", CHAPTER, "--yes")
    assert stopped.exit_code != 0, stopped.output
    assert all(score in (old[name], new[name]) for name, score in scores(course).items())
    for arguments in (["export"], ["grade", CHAPTER]):
        assert f"`autograder regrade {CHAPTER}`" in autograder(course, *arguments).output
    assert autograder(course, "regrade", CHAPTER, "--yes").exit_code == 0
    assert scores(course) == new
    assert "autograder regrade" not in autograder(course, "export").output
