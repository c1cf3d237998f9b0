"""The command line: what it lists, and that a mistake is answered with a sentence and no traceback."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from autograder.checkout import Course
from autograder.cli import PANELS, app
from autograder.declare import ExerciseChecks, chapter_named, chapters, is_use, load_checks
from autograder.notebook import startup
from autograder.outline import outline
from tests.processes import answer_without

ROOT = Path(__file__).resolve().parent.parent
CHAPTER = "ch05_attention"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})


def error_of(*arguments: str | Path) -> str:
    """The sentence that a command fails with."""
    result = run(*arguments)
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    (line,) = [line for line in result.output.splitlines() if line.strip()]
    assert line.startswith("error: ")
    return line.removeprefix("error: ")


def table_of(folder: Path) -> list[str]:
    """The rows of the chapter's table."""
    return [line for line in run("list", CHAPTER, "--course", folder).stdout.splitlines() if line.startswith("│")]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course in which nothing was released or handed in."""
    (tmp_path / "nbgrader_config.py").write_text((ROOT / "nbgrader_config.py").read_text())
    return tmp_path


def test_lab_opens_the_student_notebooks_on_one_thread(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jupyter = course / "jupyter"
    script = f"""#!/bin/sh
cd "$(dirname "$0")"
echo "$OMP_NUM_THREADS $*" > asked
{sys.executable} -c "from jupyterlab_server.config import get_page_config; print(get_page_config([]))" > page
{sys.executable} "$PYTHONSTARTUP" && echo "$PYTHONSTARTUP" > started
exit 3
"""
    jupyter.write_text(script)
    jupyter.chmod(0o755)
    for name in ("OMP_NUM_THREADS", "PYTHONSTARTUP"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "executable", str(jupyter))
    assert run("lab", "--course", course).exit_code == 3, "what Jupyter ended with"
    asked = (course / "asked").read_text()
    assert asked.startswith("1 -m jupyter lab ")
    assert f"--ServerApp.root_dir={course / 'notebooks'}" in asked
    assert "--LabApp.news_url=None" in asked
    assert "'@jupyter/nbgrader'" in (course / "page").read_text(), "what it leaves out"
    assert (course / "started").read_text().strip() == startup.__file__


class TestList:
    def test_json_has_every_exercise_and_check(self):
        result = run("list", "--json")
        assert result.exit_code == 0
        listed = json.loads(result.stdout)
        declared = [found for chapter in chapters() for found in load_checks(chapter)]
        assert [(e["chapter"], e["exercise"], e["points"]) for e in listed] == [
            (found.chapter, found.exercise.name, found.points) for found in declared
        ]
        for exercise, found in zip(listed, declared, strict=True):
            assert [(c["name"], c["points"], c["hidden"]) for c in exercise["checks"]] == [
                (check.name, check.points, check.hidden) for check in found.checks
            ]
            assert exercise["points"] == sum(check["points"] for check in exercise["checks"])

    def test_table_has_every_exercise_and_says_what_is_hidden(self):
        result = run("list")
        assert result.exit_code == 0
        exercises = [found for chapter in chapters() for found in load_checks(chapter)]
        for found in exercises:
            assert found.exercise.name in result.stdout
        hidden = sum(check.hidden for found in exercises for check in found.checks)
        lines = result.stdout.splitlines()
        assert sum(line.rstrip().endswith("hidden │") for line in lines[2:]) == hidden

    def test_table_ends_with_the_written_answer_and_the_total(self, tmp_path):
        rows = [[cell.strip() for cell in re.split("[│┃]", line)[1:4]] for line in table_of(ROOT)]
        (written,) = [row for row in rows if row[0] == "written"]
        assert rows[-1][:2] == ["total", "100"]
        assert written == ["written", "5", "answer marked by a person"]
        (tmp_path / "solutions").symlink_to(ROOT / "solutions")
        (tmp_path / "nbgrader_config.py").write_text(
            (ROOT / "nbgrader_config.py").read_text()
            + f'c.Exercises.leave_out = {{"{CHAPTER}": ["written"]}}\n'
            + f'c.Exercises.points = {{"{CHAPTER}": {{"attend": 0}}}}\n'
            + f'c.Exercises.extra_credit = {{"{CHAPTER}": ["masked_softmax"]}}\n'
        )
        attend, softmax = (found.points for found in load_checks(CHAPTER)[1::-1])
        last = table_of(tmp_path)[-1]
        assert "written" not in "".join(table_of(tmp_path))
        assert f"│ {100 - 5 - attend - softmax} " in last
        assert f"and {softmax} points of extra credit" in last

    def test_one_chapter(self):
        listed = json.loads(run("list", "ch05", "--json").stdout)
        assert {exercise["chapter"] for exercise in listed} == {CHAPTER}


class TestNames:
    @pytest.mark.parametrize("name", [CHAPTER, "ch05", "5", "05", "attention"])
    def test_a_part_of_the_name_is_enough(self, name):
        assert chapter_named(name) == CHAPTER

    @pytest.mark.parametrize("name", ["ch05_atention", "atention", "ch05_attentions"])
    def test_slip_is_answered_with_what_may_be_meant(self, name):
        assert f"did you mean {CHAPTER}?" in error_of("list", name)

    @pytest.mark.parametrize("name", ["ch", "_", "ch5x", "-", "é", "999"])
    def test_what_means_nothing_is_no_chapter(self, name):
        with pytest.raises(ValueError, match="there is no chapter"):
            chapter_named(name)

    def test_shell_completes_chapters(self):
        words = {"_AUTOGRADER_COMPLETE": "complete_bash", "COMP_WORDS": "autograder grade ch05", "COMP_CWORD": "2"}
        command = [Path(sys.executable).parent / "autograder"]
        done = subprocess.run(command, env={**os.environ, **words}, check=False, capture_output=True, text=True)
        assert done.stdout.split() == [CHAPTER]


class TestHelp:
    def test_version(self):
        result = run("--version")
        assert result.exit_code == 0
        assert re.fullmatch(r"autograder \d+\.\d+\.\d+\n", result.stdout)

    def test_module_is_the_command(self):
        command = [sys.executable, "-m", "autograder", "--help"]
        told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        assert "Usage: python -m autograder" in told
        assert "collect" in told

    def test_exit_codes_are_told(self):
        told = " ".join(run("--help").stdout.split())
        assert re.search(r"Exit codes: 0 .* 1 .* 2 .* 130 ", told)

    def test_every_command_is_in_a_panel_under_one_line(self):
        told = run("--help").stdout
        listed = re.findall(r"^│ ([a-z-]+)  +(\S.*?) *│$|^╭─ (\w+)", told, re.MULTILINE)
        found: dict[str, dict[str, str]] = {}
        for name, summary, panel in listed:
            if panel:
                found[panel] = {}
            elif not name.startswith("-"):
                list(found.values())[-1][name] = summary
        found.pop("Options")
        assert {panel: tuple(names) for panel, names in found.items()} == PANELS
        assert all(summary.endswith(".") for names in found.values() for summary in names.values())

    def test_one_word_for_the_courses_folder(self):
        for command in app.registered_commands:
            name = command.name or command.callback.__name__
            told = run(name, "--help").stdout
            assert "--course" in told or name in ("list", "mistakes", "progress")


class TestErrors:
    @pytest.mark.parametrize("command", ["make", "release", "handout", "grade", "feedback"])
    def test_folder_that_is_not_there(self, tmp_path, command):
        result = run(command, CHAPTER, "--course", tmp_path / "nowhere")
        assert result.exit_code == 2
        assert "does not exist" in result.output
        assert "Traceback" not in result.output

    def test_folder_that_cannot_be_made(self, tmp_path):
        (tmp_path / "file").write_text("")
        assert str(tmp_path / "file") in error_of(
            "handout", "ch00", "--course", ROOT, "--to", tmp_path / "file" / "zips"
        )

    @pytest.mark.parametrize("command", ["make", "release", "grade", "feedback"])
    def test_unknown_chapter_names_the_chapters(self, course, command):
        message = error_of(command, "ch99_none", "--course", course)
        assert "ch99_none" in message
        assert CHAPTER in message

    @pytest.mark.parametrize("command", ["release", "grade", "feedback"])
    def test_folder_that_is_no_course(self, tmp_path, command):
        message = error_of(command, CHAPTER, "--course", tmp_path)
        assert "not a course" in message
        assert "nbgrader_config.py" in message
        assert list(tmp_path.iterdir()) == []

    def test_export_from_a_folder_that_is_no_course(self, tmp_path):
        assert "not a course" in error_of("export", "--course", tmp_path, "--to", tmp_path / "grades.csv")

    def test_nothing_handed_in_says_where_it_was_looked_for(self, course):
        message = error_of("grade", CHAPTER, "--course", course)
        assert "nothing was handed in" in message
        assert str(course / "submitted") in message

    def test_nothing_to_release_says_what_to_run(self, course):
        message = error_of("release", CHAPTER, "--course", course)
        assert "no solved notebook" in message
        assert "autograder make" in message

    def test_checkout_without_solutions(self, tmp_path):
        assert str(tmp_path) in error_of("make", CHAPTER, "--course", tmp_path)

    def test_brackets_in_a_message_are_not_markup(self, tmp_path):
        folder = tmp_path / "a [bold] [" / "red] course"
        folder.mkdir(parents=True)
        assert str(folder) in error_of("grade", CHAPTER, "--course", folder)

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["grade", CHAPTER, "--sandbox", "cellar"], "landlock or none"),
            (["grade", CHAPTER, "--workers", "0"], "--workers"),
            (["grade"], "Missing argument"),
            (["nothing"], "No such command"),
        ],
    )
    def test_wrong_use(self, arguments, words):
        result = run(*arguments)
        assert result.exit_code == 2
        assert words in result.output
        assert "Traceback" not in result.output


class TestBook:
    @pytest.fixture
    def built(self, monkeypatch, tmp_path) -> list[Path]:
        """The folders that a site was built in, without building any."""
        folders: list[Path] = []

        def build_site(checkout, out, *, solutions):
            folders.append(out)
            return out / "_build" / "html"

        monkeypatch.setattr("autograder.building.site.build_site", build_site)
        monkeypatch.setattr("autograder.building.pdf.print_book", lambda site, pdf: pdf)
        monkeypatch.chdir(tmp_path)
        return folders

    def test_the_last_line_is_the_page_to_open(self, built, tmp_path):
        last = run("site").output.splitlines()[-1]
        assert last == f"Open {tmp_path.as_uri()}/build/book/_build/html/index.html"
        assert built == [tmp_path / "build" / "book"]

    def test_the_paper_edition_leaves_the_site_alone(self, built, tmp_path):
        assert run("pdf").output.splitlines()[-1] == f"Open {tmp_path.as_uri()}/build/paper/book.pdf"
        (folder,) = built
        assert folder == tmp_path / "build" / "paper" / "site"


def test_release_needs_no_activated_environment(course: Path):
    shutil.copytree(ROOT / "solutions", course / "solutions")
    (course / "book").mkdir()
    shutil.copy(ROOT / "book" / "references.bib", course / "book")
    command = [Path(sys.executable).parent / "autograder", "release", CHAPTER]
    bare = {"PATH": os.defpath, "HOME": str(course), "LANG": "C.UTF-8"}
    done = subprocess.run(command, cwd=course, env=bare, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (course / "release" / CHAPTER / f"{CHAPTER}.ipynb").is_file()


@pytest.mark.parametrize("chapter", chapters())
def test_the_outline_of_a_chapter_is_what_its_checks_declare(chapter: str) -> None:
    """It is read from their source, so that no declaration may be written in a way that it misses."""

    def told(found: ExerciseChecks) -> list[object]:
        checks = [(check.exercise, check.name, check.points, check.hidden, is_use(check)) for check in found.checks]
        one = found.exercise
        return [found.chapter, one.name, one.title, one.minutes, one.difficulty, checks]

    assert [*map(told, outline(chapter))] == [*map(told, load_checks(chapter))]


def test_what_runs_no_model_does_not_import_torch(fresh: Course) -> None:
    """Nor do `--help`, `list` and an error import nbgrader: they answer at once."""
    commands = [
        (["--help"], ["torch", "nbgrader"]),
        (["list", "ch99"], ["torch", "nbgrader"]),
        (["list"], ["torch", "nbgrader", "sqlalchemy", "nbconvert"]),
        (["export"], ["torch"]),
        (["due", "ch05", "2026-12-01"], ["torch"]),
        (["due", "ch05"], ["torch"]),
        (["extend", "ch05", "nobody", "2d"], ["torch"]),
        (["roster", "nowhere.csv"], ["torch"]),
        (["collect", "ch05", "nowhere.zip"], ["torch"]),
        (["release", "ch05"], ["torch"]),
    ]
    answer_without(commands, fresh.root)
