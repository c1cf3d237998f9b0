"""What a course's configuration says of exercises and points: what is accepted, what is refused and how, and what is released then."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from traitlets.config import Config

from autograder.building.handout import make_handout
from autograder.building.make import execute
from autograder.building.notebook_files import is_demonstration, promised, read
from autograder.building.release import generate, package_name, release
from autograder.checkout import Course, CourseError, course_config
from autograder.declare import chapters, load_checks, load_exercises, worth_as
from autograder.judging.verdict import Outcome, Status
from autograder.notebook.commands import check
from autograder.outline import outline
from autograder.samples.course import CHAPTER
from autograder.settings import WRITTEN, Settings, settings, worths
from tests.conftest import CHECKOUT

NAMES = [exercise.name for exercise in load_exercises(CHAPTER)]
FIRST = load_checks(CHAPTER)[0]


def chosen(**options: object) -> Settings:
    return settings(Config({"Exercises": options}), CHAPTER)


class TestWhatIsSaid:
    def test_nothing_is_the_course_as_it_is(self) -> None:
        assert settings(Config(), CHAPTER).asked() == load_checks(CHAPTER)
        assert settings(Config(), CHAPTER).exercises() == outline(CHAPTER)

    def test_part_of_a_chapters_name_is_enough(self) -> None:
        assert chosen(leave_out={"attention": ["attend"]}) == chosen(leave_out={CHAPTER: ["attend"]})

    def test_other_chapters_are_as_they_were(self) -> None:
        config = Config({"Exercises": {"leave_out": {CHAPTER: ["attend"]}}})
        assert settings(config, "ch00_start").exercises() == outline("ch00_start")

    @pytest.mark.parametrize(
        ("option", "value", "words"),
        [
            ("leaveout", {}, "did you mean leave_out?"),
            ("leave_out", ["attend"], "write, for example, c.Exercises.leave_out"),
            ("leave_out", {"ch05_atention": ["attend"]}, "did you mean ch05_attention?"),
            ("leave_out", {CHAPTER: ["atend"]}, "did you mean attend?"),
            ("leave_out", {CHAPTER: "attend"}, "is 'attend'"),
            ("leave_out", {CHAPTER: []}, "is empty"),
            ("leave_out", {CHAPTER: NAMES}, "every exercise of ch05_attention is left out"),
            ("leave_out", {CHAPTER: ["attend"], "ch05": ["attend"]}, "twice"),
            ("points", {CHAPTER: {"atend": 3}}, f"there are {', '.join([*NAMES, WRITTEN])}"),
            ("points", {CHAPTER: {"writen": 3}}, "did you mean written?"),
            ("points", {CHAPTER: {"attend": -1}}, "attend has -1 points"),
            ("points", {CHAPTER: {"attend": float("nan")}}, "attend has nan points"),
            ("points", {CHAPTER: {"attend": "ten"}}, "attend has 'ten' points"),
            ("points", {CHAPTER: {"attend": True}}, "attend has True points"),
            ("points", {CHAPTER: ["attend"]}, "is ['attend']"),
            ("points", {CHAPTER: {}}, "is empty"),
            ("points", {CHAPTER: {WRITTEN: 10}}, "it can only be left out"),
            ("extra_credit", {CHAPTER: [WRITTEN]}, "it can only be left out"),
            ("extra_credit", {CHAPTER: NAMES}, "every exercise left in ch05_attention is extra credit"),
        ],
    )
    def test_what_cannot_be_is_refused_by_name(self, option: str, value: object, words: str) -> None:
        with pytest.raises(CourseError) as refused:
            chosen(**{option: value})
        assert words in str(refused.value)

    def test_what_is_left_out_can_have_no_points(self) -> None:
        with pytest.raises(CourseError, match="attend of ch05_attention is left out, and cannot have points"):
            chosen(leave_out={CHAPTER: ["attend"]}, points={CHAPTER: {"attend": 3}})


class TestPoints:
    @pytest.mark.parametrize("points", [0, 1, 7, 20, 33.3, 1000])
    @pytest.mark.parametrize("found", [load_checks(name)[0] for name in chapters()], ids=chapters())
    def test_checks_keep_their_share_and_sum_to_the_whole(self, found, points: float) -> None:
        scaled = found.worth(points)
        assert scaled.points == points
        for old, new in zip(found.checks, scaled.checks, strict=True):
            assert new.points == pytest.approx(points * old.points / found.points)
        assert scaled.visible.points == pytest.approx(points * found.visible.points / found.points, abs=0.005)
        passed = [Outcome(c.name, c.points, "", c.hidden, Status.PASSED) for c in found.checks]
        assert sum(outcome.points for outcome in worth_as(passed, scaled)) == pytest.approx(points)

    def test_extra_credit_adds_nothing_to_the_maximum(self) -> None:
        extra = FIRST.worth(FIRST.points, extra_credit=True)
        assert (extra.points, extra.required) == (FIRST.points, 0)
        assert worths([extra]) == {FIRST.exercise.name: f"{FIRST.points} points of extra credit"}

    def test_check_in_a_notebook_tells_the_points_of_the_class(self, capsys: pytest.CaptureFixture[str]) -> None:
        from solutions.ch05_attention import masked_softmax

        visible = FIRST.worth(40).visible.points
        assert check(masked_softmax, points=40) == 40
        assert f"{visible:g} of 40 points so far" in capsys.readouterr().out
        assert check(masked_softmax, points=40, extra_credit=True) == 0
        assert "of 40 points of extra credit so far" in capsys.readouterr().out


@pytest.fixture(scope="module")
def course(released: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A class without `attend` and the written question."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("some") / "course"))
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write(f'c.Exercises.leave_out = {{"{CHAPTER}": ["attend", "written"]}}\n')
        config.write(f'c.Exercises.points = {{"{CHAPTER}": {{"masked_softmax": 20}}}}\n')
        config.write(f'c.Exercises.extra_credit = {{"{CHAPTER}": ["AttentionDecoder"]}}\n')
    generate(course_config(course.root), CHAPTER)
    return course


class TestRelease:
    def test_only_the_exercises_of_the_class_are_asked(self, course: Course) -> None:
        found = promised(read(course.released(CHAPTER)))
        assert list(found) == [name for name in NAMES if name != "attend"]
        assert found["masked_softmax"] == "20 points"
        assert found["AttentionDecoder"] == "12 points of extra credit"
        text = "\n".join(cell.source for cell in read(course.released(CHAPTER)).cells)
        assert "check(attend)" not in text
        assert "hint(attend)" not in text
        assert "### Exercise: `attend`" not in text
        assert "### Written answer" not in text
        assert "**20 points**" in text

    def test_left_out_exercise_is_given_and_everything_around_it_still_runs(self, course: Course) -> None:
        notebook = read(course.released(CHAPTER))
        (given,) = [c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == "helper-attend"]
        assert "SOLUTION" not in given.source
        assert given.metadata.nbgrader.locked
        solved = {
            c.metadata.nbgrader.grade_id: c for c in read(course.solved(CHAPTER)).cells if "nbgrader" in c.metadata
        }
        for cell in notebook.cells:
            if cell.metadata.get("nbgrader", {}).get("solution"):
                cell.source = solved[cell.metadata.nbgrader.grade_id].source
        notebook.cells = [cell for cell in notebook.cells if not is_demonstration(cell)]
        execute(notebook)

    def test_no_solution_of_the_others_is_in_it(self, course: Course) -> None:
        text = course.released(CHAPTER).read_text()
        assert text.count("raise NotImplementedError") >= len(NAMES) - 1

    def test_the_notebook_for_self_study_is_as_it_was(self, course: Course, tmp_path: Path) -> None:
        made = release(course.solved(CHAPTER), tmp_path, self_study=True)
        assert made.read_bytes() == CHECKOUT.released(CHAPTER).read_bytes()

    def test_the_handout_has_the_notebook_of_the_class(self, course: Course, tmp_path: Path) -> None:
        with zipfile.ZipFile(make_handout(course, CHAPTER, tmp_path)) as archive:
            text = archive.read(f"{CHAPTER}/{CHAPTER}.ipynb").decode()
            (wheel,) = [name for name in archive.namelist() if name.endswith(".whl")]
            archive.extract(wheel, tmp_path)
        assert "check(masked_softmax, points=20)" in text
        assert "helper-attend" in text
        with zipfile.ZipFile(tmp_path / wheel) as archive:
            archive.extractall(tmp_path / "installed")
        asked = f"import {package_name(CHAPTER)}\nfrom autograder.notebook.progress import standings\nprint(*(s.exercise.exercise.name for s in standings({{}})[{CHAPTER!r}]))"
        told = subprocess.run(
            [sys.executable, "-c", asked],
            env={"PYTHONPATH": str(tmp_path / "installed")},
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        assert told.split() == [name for name in NAMES if name != "attend"], (
            "`progress` does not ask for what was left out"
        )

    def test_mistake_in_the_configuration_is_told_before_anything_is_released(self, course: Course) -> None:
        config = course_config(course.root)
        config.Exercises.points = {CHAPTER: {"masked_softmaks": 3}}
        before = course.released(CHAPTER).read_bytes()
        with pytest.raises(CourseError, match=r"did you mean masked_softmax\?"):
            generate(config, CHAPTER)
        assert course.released(CHAPTER).read_bytes() == before


def test_releasing_in_a_clone_changes_no_tracked_file(tmp_path: Path) -> None:
    for path in (".gitignore", "nbgrader_config.py", "book/references.bib"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        shutil.copy(CHECKOUT.root / path, tmp_path / path)
    for folder in ("solutions", "notebooks"):
        shutil.copytree(CHECKOUT.root / folder / CHAPTER, tmp_path / folder / CHAPTER)

    def git(*arguments: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        return subprocess.run(
            ["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "a clone")
    command = [sys.executable, "-c", "from autograder.cli import app; app()"]
    for arguments in (["release", CHAPTER], ["handout", CHAPTER]):
        subprocess.run([*command, *arguments], cwd=tmp_path, check=True, capture_output=True)
    assert Course(tmp_path).released(CHAPTER).is_file()
    assert git("status", "--porcelain") == ""
