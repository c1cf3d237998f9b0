"""A written exam: what it asks, that its versions are the same exam, and what the students' page does not say."""

import re
from html import unescape
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.cli import app
from autograder.grading.exam import Asked, ExamError, write_exam
from autograder.questions.recorded import read_recorded
from autograder.questions.why import read_whys

CHAPTER = "ch05_attention"
SOLUTIONS = Path(__file__).resolve().parent.parent / "solutions"
ASKED = Asked([CHAPTER, "ch07_bleu"], closed=12, open_=3, versions=2, seed="a term")


def sheets(page: Path) -> list[list[str]]:
    """The questions of each version, as HTML."""
    versions = page.read_text().split("<article class='sheet'>")[1:]
    return [version.split("<section class='question'>")[1:] for version in versions]


def named(question: str) -> str:
    """The exercise that a question is about."""
    return re.search(r"<code>(\w+)</code>", question)[1]


def options(question: str) -> set[str]:
    """What there is to choose from."""
    return {
        unescape(text)
        for text in re.findall(
            r"<li[^>]*><span class='box'></span><span>\w\)</span>(?:<div>)?<pre>(.*?)</pre>", question
        )
    }


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exam") / "paper"
    students, examiner = write_exam(folder, SOLUTIONS, ASKED)
    assert [students, examiner] == [folder / "students.html", folder / "examiner.html"]
    return folder


def test_versions_ask_the_same_in_another_order(written):
    first, second = sheets(written / "students.html")
    assert len(first) == len(second) == ASKED.closed + ASKED.open_
    asked = [sorted((named(q), sorted(options(q))) for q in version) for version in (first, second)]
    assert asked[0] == asked[1]
    assert list(map(named, first)) != list(map(named, second))
    assert all(not options(question) for version in (first, second) for question in version[ASKED.closed :])


def test_no_exercise_is_asked_about_twice_before_all_were(written):
    first, _ = sheets(written / "students.html")
    closed = [named(question) for question in first[: ASKED.closed]]
    there = sum(bool(each) for chapter in ASKED.chapters for each in read_recorded(chapter).values())
    assert there > ASKED.closed
    assert len(set(closed)) == ASKED.closed


def test_what_is_ticked_for_the_examiner_is_the_mistake_that_gave_the_result(written):
    recorded = {name: each for chapter in ASKED.chapters for name, each in read_recorded(chapter).items()}
    for version in sheets(written / "examiner.html"):
        for question in version[: ASKED.closed]:
            ticked = re.search(r"<li class='right'>.*?<pre>(.*?)</pre>", question)[1]
            first = [one.mistakes[0] for one in recorded[named(question)]]
            given = [unescape(block) for block in re.findall(r"<pre>(.*?)</pre>", question, re.DOTALL)]
            assert unescape(ticked) in {sentence for sentence, shown in first if shown in given}


def test_the_students_page_has_no_answers(written):
    page = (written / "students.html").read_text()
    assert "class='right'" not in page
    rubrics = [line for chapter in ASKED.chapters for why in read_whys(chapter).values() for line in why.rubric]
    assert not [line for line in rubrics if line in unescape(page)]
    assert any(line in unescape((written / "examiner.html").read_text()) for line in rubrics)


def test_the_same_seed_writes_the_same_exam_and_another_one_another(written, tmp_path):
    again, _ = write_exam(tmp_path / "again", SOLUTIONS, ASKED)
    other, _ = write_exam(tmp_path / "other", SOLUTIONS, Asked([CHAPTER, "ch07_bleu"], 12, 3, 2, "another term"))
    assert again.read_text() == (written / "students.html").read_text() != other.read_text()


def test_an_exercise_that_a_class_leaves_out_is_not_asked_about(tmp_path):
    names = [name for name in read_whys(CHAPTER) if name != "attend"]
    pages = write_exam(tmp_path, SOLUTIONS, Asked([CHAPTER], 2, 1, 1, "x", names))
    assert {named(question) for page in pages for sheet in sheets(page) for question in sheet} == {"attend"}


def test_more_questions_than_there_are_is_an_error_and_writes_nothing(tmp_path):
    with pytest.raises(ExamError, match="these chapters have 10 open questions, and 11 were asked for"):
        write_exam(tmp_path / "paper", SOLUTIONS, Asked([CHAPTER], 0, 11, 1, "x"))
    with pytest.raises(ExamError, match="1 to 8 versions, not 9"):
        write_exam(tmp_path / "paper", SOLUTIONS, Asked([CHAPTER], 1, 1, 9, "x"))
    assert not (tmp_path / "paper").exists()


def test_the_command_says_how_to_write_the_same_exam_again(released, tmp_path):
    def run(*more: str) -> str:
        given = ["exam", "5", "attention", "--questions", "3", "--course", str(released.root), "--to", str(tmp_path)]
        result = CliRunner().invoke(app, [*given, *more], env={"COLUMNS": "300"})
        assert result.exit_code == 0, result.output
        return str(result.output)

    seed = re.search(r"--seed (\w+)\.", run())[1]
    first = (tmp_path / "students.html").read_text()
    run()
    assert (tmp_path / "students.html").read_text() != first
    run("--seed", seed)
    assert (tmp_path / "students.html").read_text() == first
