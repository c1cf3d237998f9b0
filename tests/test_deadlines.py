"""Due dates and extensions are set in the gradebook, late work is shown, and a class's own plugin takes points off."""

import io
import json
import re
import shutil
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from nbgrader.api import Gradebook
from rich.console import Console
from typer.testing import CliRunner

from autograder.building.release import generate
from autograder.checkout import Course, CourseError, course_config
from autograder.cli import app
from autograder.grading.deadlines import deadlines, moment, set_due, zone_named
from autograder.grading.export import Standing, read_lines
from autograder.grading.graded import Graded
from autograder.samples.course import CHAPTER, GOOD_ANSWER, Student, quietly, read_by_hand, submit
from tests.conftest import CHECKOUT

GUIDE = (CHECKOUT.root / "book" / "guide_instructors.md").read_text()
DUE = datetime(2026, 12, 1, 17, 0)


def run(course: Course, command: str, *arguments: str) -> tuple[int, str]:
    """The exit code of a command, and what it says."""
    asked = [command, CHAPTER, *arguments, "--course", str(course.root)]
    result = CliRunner().invoke(app, asked, env={"COLUMNS": "200", "TZ": "UTC"})
    assert "Traceback" not in result.output
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("text", "zone", "utc"),
    [
        ("2026-12-01 18:00", "Europe/Paris", "2026-12-01 17:00:00"),
        ("2026-07-01T18:00", "Europe/Paris", "2026-07-01 16:00:00"),
        ("2026-12-01", "America/New_York", "2026-12-02 04:59:59"),
        ("2026-12-01 18:00+01:00", "America/New_York", "2026-12-01 17:00:00"),
        ("2026-12-01 18:00", "UTC", "2026-12-01 18:00:00"),
    ],
)
def test_a_date_is_read_in_its_time_zone(text: str, zone: str, utc: str) -> None:
    assert str(moment(text, zone_named(zone))) == utc


def test_without_a_time_zone_it_is_this_machines() -> None:
    assert moment("2026-12-01 18:00", None) == datetime(2026, 12, 1, 18).astimezone(UTC).replace(tzinfo=None)


@pytest.mark.parametrize("text", ["tomorrow", "01.12.2026", "2026-13-01 18:00", "2026-12-01 25:00", "18:00", ""])
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(CourseError, match="is not a date"):
        moment(text, None)


def test_a_time_that_the_clocks_skip_is_refused() -> None:
    with pytest.raises(CourseError, match="clocks go forward"):
        moment("2026-03-29 02:30", ZoneInfo("Europe/Paris"))


def test_an_unknown_time_zone_is_named() -> None:
    for name in ("Europe/Atlantis", "../etc/passwd", "Europe"):
        with pytest.raises(CourseError, match="there is no time zone"):
            zone_named(name)


def test_a_due_date_is_set_shown_and_taken_away(fresh: Course) -> None:
    assert run(fresh, "due") == (0, f"{CHAPTER} has no due date.\n")
    said = f"{CHAPTER} is due 2026-12-01 18:00 Europe/Paris (2026-12-01 17:00 UTC).\n"
    assert run(fresh, "due", "2026-12-01 18:00", "--timezone", "Europe/Paris") == (0, said)
    assert run(fresh, "due", "--timezone", "Europe/Paris") == (0, said)
    assert deadlines(fresh, CHAPTER).due == DUE
    generate(course_config(fresh.root), CHAPTER)
    assert deadlines(fresh, CHAPTER).due == DUE, "a release keeps it"
    assert run(fresh, "due", "none") == (0, f"{CHAPTER} has no due date.\n")


def test_the_handout_says_when_it_is_due(fresh: Course, tmp_path: Path) -> None:
    def first_lines() -> tuple[list[str], list[str]]:
        code, output = run(fresh, "handout", "--to", str(tmp_path), "--timezone", "Europe/Paris")
        assert code == 0, output
        with zipfile.ZipFile(tmp_path / f"{CHAPTER}.zip") as archive:
            readme = archive.read(f"{CHAPTER}/README.md").decode()
            notebook = json.loads(archive.read(f"{CHAPTER}/{CHAPTER}.ipynb"))
        return readme.splitlines()[:4], "".join(notebook["cells"][0]["source"]).splitlines()[:4]

    readme, cell = first_lines()
    assert [line[:2] for line in (*readme[1:3], *cell[1:3])] == ["", "1.", "", "**"]
    assert "Due" not in "".join(readme + cell)
    run(fresh, "due", "2026-12-01 18:00", "--timezone", "Europe/Paris")
    told = "**Due 2026-12-01 18:00 Europe/Paris (2026-12-01 17:00 UTC).**"
    assert [lines[:4] for lines in first_lines()] == [[readme[0], "", told, ""], [cell[0], "", told, ""]]


def test_a_handout_without_a_gradebook_makes_none(fresh: Course, tmp_path: Path) -> None:
    (fresh.root / "gradebook.db").unlink()
    assert run(fresh, "handout", "--to", str(tmp_path))[0] == 0
    assert not (fresh.root / "gradebook.db").exists()


def test_extensions_are_days_spans_and_dates(fresh: Course) -> None:
    with Gradebook(fresh.database(course_config(fresh.root))) as book:
        book.add_student("ada")
    assert "has no due date to extend" in run(fresh, "extend", "ada", "3")[1]
    set_due(fresh, CHAPTER, DUE)
    for until, longer in {
        "3": timedelta(days=3),
        "1 week": timedelta(days=7),
        "36h": timedelta(hours=36),
        "2026-12-02 19:00": timedelta(days=1, hours=1),
    }.items():
        code, said = run(fresh, "extend", "ada", until, "--timezone", "Europe/Paris")
        assert code == 0, said
        assert deadlines(fresh, CHAPTER).extensions == {"ada": longer}
    assert "ada has an extension of 1 day 1 hour, until 2026-12-02 19:00 Europe/Paris (2026-12-02 18:00 UTC)." in said
    assert run(fresh, "extend", "ada", "0")[0] == 0
    assert deadlines(fresh, CHAPTER).extensions == {}
    for student, until, words in [
        ("adda", "3", "no student adda: did you mean ada?"),
        ("ada", "soon", "is not an extension"),
        ("ada", "2026-11-30", "before the class's own due date"),
        ("ada", "9999999999d", "too long"),
    ]:
        code, said = run(fresh, "extend", student, until)
        assert code == 1
        assert words in said
    assert deadlines(fresh, CHAPTER).extensions == {}


def test_a_chapter_that_was_not_released_is_named(fresh: Course) -> None:
    with pytest.raises(CourseError, match="the gradebook has no ch03_seq2seq: run `autograder release ch03_seq2seq`"):
        set_due(fresh, "ch03_seq2seq", DUE)


@pytest.fixture(scope="module")
def late(released: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course with the guide's penalty, in which one student was in time, one had an extension, and one was late."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("late") / "course"))
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write(penalty_of_the_guide())
    set_due(course, CHAPTER, DUE)
    student = Student(course)
    for name, after in {"early": -1, "extended": 30, "late": 30}.items():
        submit(course, name, student.notebook(written=GOOD_ANSWER if name == "late" else None))
        stamp = course.root / "submitted" / name / CHAPTER / "timestamp.txt"
        stamp.write_text(f"{DUE + timedelta(hours=after)} UTC")
    with Gradebook(course.database(course_config(course.root))) as book:
        book.add_student("extended")
    assert run(course, "extend", "extended", "36h")[0] == 0
    assert quietly(course).exit_code == 0
    return course


def penalty_of_the_guide() -> str:
    """The configuration that the guide gives for late work."""
    (found,) = re.findall(r"```python\n(from nbgrader\.plugins import .*?)```", GUIDE, re.DOTALL)
    return str(found)


def test_late_work_is_shown_and_costs_what_the_guide_says(late: Course) -> None:
    lines = {line.student.id: line for line in read_lines(late, CHAPTER)}
    assert {name: line.is_late for name, line in lines.items()} == {"early": False, "extended": False, "late": True}
    full = lines["early"].points
    assert full
    assert [lines[name].penalty or 0 for name in ("early", "extended")] == [0, 0]
    assert lines["late"].penalty == pytest.approx(0.2 * full), "two days have begun"
    graded = quietly(late)
    assert "points are before penalties for late work" in shown(graded)
    notes = {row.student: row.notes for row in graded.rows}
    assert notes["early"] == notes["extended"] == []
    assert notes["late"] == [f"1 day 6 hours late: {0.2 * full:g} points taken off"]


def test_late_work_that_costs_nothing_is_told_as_such(late: Course, tmp_path: Path) -> None:
    course = Course(shutil.copytree(late.root, tmp_path / "course"))
    config = course.root / "nbgrader_config.py"
    config.write_text(config.read_text().replace("c.AssignLatePenalties.plugin_class", "# "))
    graded = quietly(course)
    assert {row.student: row.notes for row in graded.rows}["late"] == ["1 day 6 hours late: no penalty"]
    assert "before penalties" not in shown(graded)


def shown(graded: Graded) -> str:
    """What the terminal shows of a class, in one line."""
    file = io.StringIO()
    Console(width=80, file=file).print(graded.table(80))
    return " ".join(file.getvalue().split())


def test_a_penalty_follows_the_points_given_by_hand(late: Course, tmp_path: Path) -> None:
    course = Course(shutil.copytree(late.root, tmp_path / "course"))
    before = {line.student.id: line for line in read_lines(course, CHAPTER)}
    assert before["late"].standing is Standing.WAITING
    read_by_hand(course, "late", 5, "Well observed.")
    assert quietly(course).exit_code == 0
    after = {line.student.id: line for line in read_lines(course, CHAPTER)}["late"]
    assert after.standing is Standing.LATE
    assert after.penalty == pytest.approx(0.2 * ((before["late"].points or 0) + 5))


def test_a_later_due_date_takes_the_penalty_away(late: Course, tmp_path: Path) -> None:
    course = Course(shutil.copytree(late.root, tmp_path / "course"))
    code, said = run(course, "due", "2026-12-24")
    assert code == 0
    assert f"3 submissions have been graded already: run `autograder grade {CHAPTER}`" in said
    stale = f"The late penalties of late in {CHAPTER} are out of date"
    assert stale in run(course, "export")[1]
    assert quietly(course).exit_code == 0
    assert stale not in run(course, "export")[1]
    assert not any(line.is_late or line.penalty for line in read_lines(course, CHAPTER))
