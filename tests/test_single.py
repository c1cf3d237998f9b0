"""One notebook graded by itself: the class's points, JSON and exit codes, and Gradescope's archive run in its layout."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from autograder.checkout import Course
from autograder.cli import app
from autograder.declare import load_checks
from autograder.samples.course import CHAPTER, Student, quietly, submissions, submit

FULL_MARKS = sum(exercise.points for exercise in load_checks(CHAPTER))
STUDENTS = ("ada-full-marks", "emmy-all-but-one", "fatima-masks-late", "wei-truncated")


def grade_one(course: Course, notebook: Path, *arguments: str) -> Result:
    return CliRunner().invoke(
        app, ["grade-one", str(notebook), "--course", str(course.root), *arguments], env={"COLUMNS": "200"}
    )


@pytest.fixture(scope="module")
def graded(released: Course, tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, dict[str, float]]:
    """A course in which four students were graded, with their points."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("single") / "course"))
    made = submissions(Student(course))
    for student in STUDENTS:
        submit(course, student, made[student]())
    return course, {row.student: row.points for row in quietly(course).rows}


def handed_in(course: Course, student: str) -> Path:
    return course.root / "submitted" / student / CHAPTER / f"{CHAPTER}.ipynb"


@pytest.mark.parametrize("student", STUDENTS)
def test_the_points_are_those_of_the_class(
    graded: tuple[Course, dict[str, float]], tmp_path: Path, student: str
) -> None:
    course, points = graded
    alone = shutil.copy(handed_in(course, student), tmp_path / "somebody's homework.ipynb")
    result = grade_one(course, Path(alone))
    tree = json.loads(result.output)
    assert (tree["chapter"], tree["max_points"]) == (CHAPTER, FULL_MARKS)
    assert tree["points"] == sum(exercise["points"] for exercise in tree["exercises"]) == points[student]
    assert result.exit_code == (points[student] < FULL_MARKS)
    for exercise in tree["exercises"]:
        assert exercise["points"] == sum(check["points"] for check in exercise["checks"])


def test_a_hidden_check_gives_away_no_more_than_its_hint(graded: tuple[Course, dict[str, float]]) -> None:
    course, _ = graded
    checks = {(e.exercise.name, c.name): c for e in load_checks(CHAPTER) for c in e.checks}
    hidden = 0
    for student in STUDENTS:
        for exercise in json.loads(grade_one(course, handed_in(course, student)).output)["exercises"]:
            for check in exercise["checks"]:
                if check["hidden"] and check["note"]:
                    hidden += 1
                    hint = checks[exercise["exercise"], check["check"]].hint
                    assert check["note"] == f"Hint: {hint}" or check["note"].startswith("This builds on")
    assert hidden


def test_what_cannot_be_graded_is_said_with_its_own_exit_code(fresh: Course, tmp_path: Path) -> None:
    for notebook, arguments, words in (
        (tmp_path / "nowhere.ipynb", ["--chapter", CHAPTER], "there is no notebook"),
        (tmp_path / "nowhere.ipynb", [], "does not belong to a chapter of this course"),
        (fresh.released(CHAPTER), ["--chapter", "ch03_seq2seq"], "has not been released"),
    ):
        result = grade_one(fresh, notebook, *arguments)
        assert result.exit_code == 2, result.output
        assert words in result.output


def test_a_folder_that_is_a_link_is_not_followed(fresh: Course, tmp_path: Path) -> None:
    """As one in a download, to what only the grader may read."""
    (tmp_path / "handed-in").symlink_to(fresh.solved(CHAPTER).parent)
    result = grade_one(fresh, tmp_path / "handed-in" / f"{CHAPTER}.ipynb", "--chapter", CHAPTER)
    assert result.exit_code == 2
    assert "symbolic link, which is not followed" in result.output


@pytest.fixture(scope="module")
def container(released: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gradescope's layout, with this environment in the place of the one that `setup.sh` makes."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("gradescope") / "course"))
    checkout = Path(__file__).resolve().parent.parent
    for name in ("pyproject.toml", "README.md", "requirements.txt"):
        shutil.copy(checkout / name, course.root)
    base = course.root.parent / "autograder"
    file = base / "autograder.zip"
    base.mkdir()
    result = CliRunner().invoke(app, ["gradescope", CHAPTER, "--course", str(course.root), "--to", str(file)])
    assert result.exit_code == 0, result.output
    with zipfile.ZipFile(file) as archive:
        assert {"setup.sh", "run_autograder"} < set(archive.namelist())
        archive.extractall(base / "source")
        (secret,) = [archive.read(name).decode() for name in archive.namelist() if "secrets" in name]
    assert re.fullmatch(r"[0-9a-f]{64}\n", secret)
    assert course.secret(CHAPTER) not in secret, "the container has a secret of its own"
    shutil.move(base / "source" / "run_autograder", base)
    (base / "venv").symlink_to(sys.prefix)
    return base


class TestGradescope:
    def results(self, container: Path) -> dict:
        subprocess.run(["bash", container / "run_autograder"], check=True)
        return json.loads((container / "results" / "results.json").read_text())

    def hand_in(self, container: Path, name: str, content: bytes | str | None) -> None:
        shutil.rmtree(container / "submission", ignore_errors=True)
        (container / "submission").mkdir()
        if content is not None:
            (container / "submission" / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    def test_a_submission_gets_a_test_for_each_exercise(
        self, container: Path, graded: tuple[Course, dict[str, float]]
    ) -> None:
        course, points = graded
        self.hand_in(container, "my homework.ipynb", handed_in(course, "emmy-all-but-one").read_bytes())
        results = self.results(container)
        assert [test["name"] for test in results["tests"]] == [e.exercise.name for e in load_checks(CHAPTER)]
        assert sum(test["score"] for test in results["tests"]) == points["emmy-all-but-one"]
        assert sum(test["max_score"] for test in results["tests"]) == FULL_MARKS
        assert all(test["output"] for test in results["tests"])

    def test_no_link_is_followed_to_what_only_the_grader_may_read(self, container: Path) -> None:
        solved = container / "source" / "course" / "solutions" / CHAPTER
        self.hand_in(container, "", None)
        (container / "submission" / "homework").symlink_to(solved)
        (container / "submission" / f"{CHAPTER}.ipynb").symlink_to(solved / f"{CHAPTER}.ipynb")
        assert sum(test["score"] for test in self.results(container)["tests"]) == 0

    def test_nothing_handed_in_is_said(self, container: Path) -> None:
        self.hand_in(container, "", None)
        results = self.results(container)
        assert results["score"] == 0
        assert f"{CHAPTER}.ipynb" in results["output"]
