"""Where a reader stands: what is kept beside the notebooks, and what is told of it."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder import progress
from autograder.cli import app
from autograder.declare import ExerciseChecks, chapters, find_exercise, load_exercises
from autograder.notebook.progress import (
    FILE,
    answered_beside,
    as_html,
    as_text,
    count_answer,
    keep,
    kept_beside,
    next_exercise,
    standings,
)

ROOT = Path(__file__).resolve().parent.parent


def exercise(name: str) -> ExerciseChecks:
    found = find_exercise(name)
    assert found is not None
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A chapter's folder among others."""
    place = tmp_path / "ch00_start"
    place.mkdir()
    return place


class TestKept:
    def test_beside_the_chapters_folder(self, folder):
        keep(exercise("one_hot"), 3, folder)
        assert [path.name for path in folder.iterdir()] == []
        assert json.loads((folder.parent / FILE).read_text()) == {"one_hot": 3}

    def test_beside_the_notebook_where_the_folder_is_another(self, tmp_path):
        keep(exercise("one_hot"), 3, tmp_path)
        assert kept_beside(tmp_path) == {"one_hot": 3}

    def test_chapters_share_it_and_the_last_check_comes_last(self, folder):
        other = folder.parent / "ch05_attention"
        keep(exercise("one_hot"), 3, folder)
        keep(exercise("attend"), 8, other)
        keep(exercise("one_hot"), 4, folder)
        assert list(kept_beside(other).items()) == [("attend", 8), ("one_hot", 4)]

    def test_found_from_a_clone(self, tmp_path):
        (tmp_path / "notebooks").mkdir()
        keep(exercise("one_hot"), 3, tmp_path / "notebooks" / "ch00_start")
        assert kept_beside(tmp_path) == {"one_hot": 3}

    def test_answers_to_questions_are_counted_beside_the_points(self, folder):
        count_answer(exercise("one_hot"), True, folder)
        keep(exercise("one_hot"), 3, folder)
        count_answer(exercise("one_hot"), False, folder)
        assert answered_beside(folder) == {"one_hot": (1, 2)}
        assert kept_beside(folder) == {"one_hot": 3}
        keep(exercise("one_hot"), 4, folder)
        assert answered_beside(folder) == {"one_hot": (1, 2)}

    @pytest.mark.parametrize(
        "text",
        [
            *("", "{", "[1]", '{"one_hot": "many", "pad_batch": null}', "\x00", '{"one_hot": -1}'),
            *('{"questions": 1}', '{"questions": {"one_hot": [1]}}', '{"questions": {"one_hot": "ab"}}'),
            '{"one_hot": 1' + "0" * 400 + "}",
            '{"one_hot": 1' + "0" * 5_000 + "}",
            '{"one_hot": ' + "[" * 100_000 + "]" * 100_000 + "}",
        ],
        ids=range(12),
    )
    def test_damaged_file_is_told_in_a_sentence_and_replaced_by_the_next_check(
        self, tmp_path, monkeypatch, capsys, text
    ):
        (tmp_path / FILE).write_text(text)
        result = CliRunner().invoke(app, ["progress", str(tmp_path)])
        assert result.exit_code == 1
        assert f"{FILE} is damaged. Delete it" in " ".join(result.output.split())
        assert "Traceback" not in result.output
        monkeypatch.chdir(tmp_path)
        progress()
        assert "is damaged" in capsys.readouterr().out
        keep(exercise("one_hot"), 3, tmp_path)
        assert kept_beside(tmp_path) == {"one_hot": 3}

    def test_folder_that_cannot_be_written_disturbs_nobody(self, tmp_path):
        keep(exercise("one_hot"), 3, tmp_path / "not" / "there")
        assert kept_beside(tmp_path) == {}


class TestNext:
    def name(self, kept: dict[str, int]) -> str | None:
        found = next_exercise(kept, standings(kept))
        return found and found.exercise.exercise.name

    def test_begins_with_the_first_exercise(self):
        assert self.name({}) == "one_hot"

    def test_stays_in_the_chapter_that_was_checked_last(self):
        assert self.name({"attend": 1}) == "masked_softmax"
        assert self.name({"masked_softmax": exercise("masked_softmax").visible.points}) == "attend"

    def test_goes_on_to_the_first_chapter_that_is_not_done(self):
        kept = {s.exercise.exercise.name: s.visible for s in standings({})["ch05_attention"]}
        assert self.name(kept) == "one_hot"

    @pytest.mark.parametrize("chapter", chapters())
    def test_exercises_are_declared_in_the_order_of_the_text(self, chapter):
        text = (ROOT / "book" / f"{chapter}.md").read_text(encoding="utf-8")
        declared = [found.name for found in load_exercises(chapter)]
        assert [
            name for name in re.findall(rf"from solutions\.{chapter} import (\w+)", text) if name in declared
        ] == declared

    def test_nothing_when_all_is_done(self):
        kept = {s.exercise.exercise.name: s.visible for found in standings({}).values() for s in found}
        assert self.name(kept) is None
        assert "All visible checks pass." in as_text(kept)

    def test_an_exercise_of_no_chapter_does_no_harm(self):
        assert self.name({"long_gone": 3}) == "one_hot"


class TestTold:
    def test_every_chapter_with_its_points(self):
        text = as_text({"one_hot": 3})
        lines = text.splitlines()
        assert [line.split()[0] for line in lines if line.startswith("ch")] == chapters()
        points = sum(standing.visible for standing in standings({})["ch00_start"])
        assert f"3 of  {points} points" in lines[0]
        assert f"◐ one_hot: 3 of {exercise('one_hot').visible.points} points" in text
        assert "○ pad_batch: not checked yet" in text
        assert "Next: one_hot in ch00_start" in text

    def test_questions_are_told_apart_from_points(self):
        for told in (as_text({"one_hot": 3}, {"one_hot": (1, 2)}), as_html({"one_hot": 3}, {"one_hot": (1, 2)})):
            assert "1 of 2 questions about your code answered right." in told
        assert "question" not in as_text({"one_hot": 3})

    def test_exercises_of_chapters_that_were_not_begun_are_not_listed(self):
        assert "masked_softmax" not in as_text({"one_hot": 3})

    def test_page_has_the_same_numbers_and_nothing_from_outside(self):
        page = as_html({"one_hot": 3})
        assert page.count("<meter") == len(chapters())
        assert "<script" not in page
        assert "http" not in page
        assert "Next: one_hot" in page

    def test_terminal(self, tmp_path):
        keep(exercise("one_hot"), 3, tmp_path)
        result = CliRunner().invoke(app, ["progress", str(tmp_path)])
        assert result.exit_code == 0
        assert result.stdout == as_text({"one_hot": 3}) + "\n"
