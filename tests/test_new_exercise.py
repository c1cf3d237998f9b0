"""A new exercise: its files pass the tests as they are written, and nothing is written or overwritten where something is wrong."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.building import new_exercise
from autograder.building.new_exercise import planned, write_exercise
from autograder.checkout import Checkout
from autograder.cli import app
from autograder.declare import chapters

ROOT = Path(__file__).resolve().parent.parent
CHAPTER = "ch05_attention"


def cloned(to: Path) -> Path:
    """A copy of the clone, without what is made and without what only students need."""
    kept = ("autograder", "tests", "solutions", "book", "nbgrader_config.py", "pyproject.toml")
    for name in kept:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__", "*.ipynb"))
        else:
            shutil.copy(ROOT / name, to)
    (to / "notebooks").symlink_to(ROOT / "notebooks")
    return to


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return cloned(tmp_path)


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[Path, bytes]]:
    """A clone in which nothing is to change, and all that is in it."""
    folder = cloned(tmp_path_factory.mktemp("clone"))
    return folder, contents(folder)


def contents(folder: Path) -> dict[Path, bytes]:
    skipped = {"notebooks", "__pycache__"}
    return {
        path: path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and skipped.isdisjoint(path.relative_to(folder).parts)
    }


def python_in(folder: Path, *arguments: str) -> str:
    """What Python prints there, as it runs in a clone of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(folder / "notebooks")])}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def autograder_in(folder: Path, *arguments: str) -> str:
    return python_in(folder, "-c", "from autograder.cli import app; app()", *arguments)


def error_of(folder: Path, chapter: str, name: str) -> str:
    result = CliRunner().invoke(app, ["new", "exercise", chapter, name, "--course", str(folder)])
    assert result.exit_code == 1, result.output
    assert result.output.startswith("error: ")
    return result.output


class TestStarter:
    def test_passes_the_tests_of_its_checks_and_can_be_woven(self, clone):
        told = autograder_in(clone, "new", "exercise", "ch05", "cosine_scores")
        assert f"solutions/{CHAPTER}/cosine_scores.py" in told
        python_in(clone, "-m", "ruff", "check", ".")
        python_in(clone, "-m", "ruff", "format", "--check", ".")
        autograder_in(clone, "make", "ch05", "--answers-only")
        python_in(clone, "-m", "autograder", "mistakes", "cosine_scores")
        tests = ["-q", "-n0", "-k", "cosine_scores", "tests/test_checks.py"]
        # The place in the text is where the chapter's other exercises end.
        order = f"from autograder.building.weave import weave; from autograder.checkout import Checkout; from pathlib import Path; print(*(c.id for c in weave(Checkout(Path.cwd()), '{CHAPTER}').cells))"
        assert " passed" in python_in(clone, "-m", "pytest", *tests)
        assert " passed" in python_in(clone, "-m", "pytest", "-q", "-n0", "-k", CHAPTER, "tests/test_chapter_texts.py")
        cells = python_in(clone, "-c", order).split()
        assert cells.index("attend_to_past") < cells.index("cosine_scores-answer") < cells.index(f"{CHAPTER}-written")

    def test_recording_its_mistakes_leaves_those_of_others_as_they_are(self, clone):
        def others() -> dict[Path, list[bytes]]:
            """All lines but those with its own numbers, whose last digits depend on the processor."""
            return {
                path: [line for line in data.splitlines() if not line.startswith(b'"scaled_scores.')]
                for path, data in contents(clone).items()
            }

        before = others()
        python_in(clone, "-m", "autograder", "mistakes", "scaled_scores")
        assert others() == before

    @pytest.mark.parametrize("chapter", chapters())
    def test_fits_into_every_chapter(self, chapter):
        new, changed = planned(Checkout(ROOT), chapter, "double_each")
        assert not any(path.exists() for path in new)
        for path, text in {**new, **changed}.items():
            if path.suffix == ".py":
                ast.parse(text)
        for path, text in changed.items():
            # Only lines are added, but for the list of a package's names.
            left = iter(text.splitlines())
            assert all(line in left for line in path.read_text(encoding="utf-8").splitlines() if "__all__" not in line)


class TestNothingIsWritten:
    @pytest.mark.parametrize(
        ("chapter", "name", "told"),
        [
            ("ch05_atention", "cosine_scores", f"did you mean {CHAPTER}?"),
            ("ch05", "cosine-scores", "'cosine-scores' cannot be"),
            ("ch05", "class", "'class' cannot be"),
            ("ch05", "../cosine", "cannot be"),
            ("ch05", "CosineScores", "in lower case"),
            ("ch05", "sweeps", "solutions/ch05_attention/sweeps already exists"),
            ("ch05", "scaled_scores", f"already an exercise 'scaled_scores', in {CHAPTER}"),
            ("ch05", "pad_batch", "in ch00_start"),
            ("ch05", "scores", "solutions/ch05_attention/scores.py already exists"),
            ("ch05", "shapes", "checks/ch05_attention/shapes.py already exists"),
        ],
    )
    def test_where_chapter_or_name_cannot_be(self, untouched, chapter, name, told):
        clone, before = untouched
        assert told in " ".join(error_of(clone, chapter, name).split())
        assert contents(clone) == before

    def test_in_a_course_that_is_no_clone(self, tmp_path):
        shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
        assert "is not a clone of the course" in " ".join(error_of(tmp_path, CHAPTER, "cosine_scores").split())
        assert not (tmp_path / "solutions").exists()

    def test_if_the_last_file_cannot_be_written(self, untouched, monkeypatch):
        (clone, before), write_whole = untouched, new_exercise.write_whole

        def fails_at_the_text(path, data, mode):
            if path.suffix == ".md" and b"cosine_scores" in data:
                raise OSError("disk full")
            write_whole(path, data, mode)

        monkeypatch.setattr(new_exercise, "write_whole", fails_at_the_text)
        with pytest.raises(OSError, match="disk full"):
            write_exercise(Checkout(clone), CHAPTER, "cosine_scores")
        assert contents(clone) == before
