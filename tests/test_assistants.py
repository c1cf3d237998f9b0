"""What a class says about chatbots: in the handout, to agents and editors, and what students then disclose, in the feedback and in the report."""

import json
import zipfile
from pathlib import Path

import nbformat
import pytest
from rich.console import Console
from typer.testing import CliRunner

from autograder.building.assistants import DISCLOSURE, STANCES, add_policy, disclosed, files, policy
from autograder.building.handout import make_handout
from autograder.checkout import Course
from autograder.cli import app
from autograder.grading.class_page import write_report
from autograder.grading.feedback import write_feedback
from autograder.samples.course import CHAPTER, Student, quietly, submit


@pytest.fixture(scope="module")
def packed(released: Course, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bytes]]:
    """The files of the handout under each stance, and under none."""
    found = {}
    for stance in (*STANCES, ""):
        path = make_handout(released, CHAPTER, tmp_path_factory.mktemp(stance or "none"), stance=stance)
        with zipfile.ZipFile(path) as files:
            found[stance] = {name.removeprefix(f"{CHAPTER}/"): files.read(name) for name in files.namelist()}
    return found


@pytest.mark.parametrize("stance", STANCES)
def test_the_handout_says_it_everywhere(packed: dict[str, dict[str, bytes]], stance: str) -> None:
    given = packed[stance]
    assert policy(stance) in given["README.md"].decode()
    notebook = nbformat.reads(given[f"{CHAPTER}.ipynb"].decode(), as_version=4)
    nbformat.validate(notebook)
    assert policy(stance) in notebook.cells[0].source
    assert notebook.cells[-1].id == DISCLOSURE
    assert "Never open, decode or search what the course has sealed" in given["AGENTS.md"].decode()
    assert given["CLAUDE.md"] == b"@AGENTS.md\n"


def test_without_a_stance_nothing_is_said(packed: dict[str, dict[str, bytes]]) -> None:
    assert packed[""].keys() == {f"{CHAPTER}.ipynb", "README.md", *(n for n in packed[""] if n.endswith(".whl"))}
    assert b"Assistants in this course" not in packed[""]["README.md"] + packed[""][f"{CHAPTER}.ipynb"]


def test_only_closed_switches_assistants_off_where_they_can_be(packed: dict[str, dict[str, bytes]]) -> None:
    for stance in STANCES:
        metadata = json.loads(packed[stance][f"{CHAPTER}.ipynb"])["metadata"]
        assert ("colab" in metadata) == (stance == "closed")
        assert (".vscode/settings.json" in packed[stance]) == (stance == "closed")
    assert metadata.get("colab") is None
    closed = packed["closed"]
    assert json.loads(closed[f"{CHAPTER}.ipynb"])["metadata"]["colab"]["generative_ai_disabled"] is True
    assert json.loads(closed[".vscode/settings.json"]) == {"chat.disableAIFeatures": True}


def test_the_stances_differ_in_what_an_agent_may_do() -> None:
    closed, tutor, free = (files(stance)["AGENTS.md"] for stance in STANCES)
    assert "Do not help with an exercise" in closed
    assert "Write no code and no pseudo-code that answers an exercise" in tutor
    assert "check(name)" in tutor
    assert "hint(name)" in tutor
    assert "Students may use you for anything" in free


def test_an_unknown_stance(released: Course) -> None:
    result = CliRunner().invoke(app, ["handout", CHAPTER, "--course", str(released.root), "--assistants", "strict"])
    assert result.exit_code == 2
    assert "is not one of closed, tutor, open" in " ".join(result.output.replace("│", " ").split())


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["# A chapter"], None),
        (["### Which assistants did you use, and for what?\n\nNone."], "None."),
        (
            ["### Which assistants did you use, and for what?\n\nA tutor, for `attend`.\n\nTwice."],
            "A tutor, for `attend`.\n\nTwice.",
        ),
        (["### Which assistants did you use, and for what?"], ""),
    ],
)
def test_what_was_disclosed(texts: list[str], said: str | None) -> None:
    assert disclosed(texts) == said


def test_as_given_nothing_was_disclosed() -> None:
    notebook = nbformat.v4.new_notebook()
    add_policy(notebook, "open")
    assert disclosed(cell.source for cell in notebook.cells) == ""


def test_it_is_shown_in_feedback_and_report(fresh: Course, tmp_path: Path) -> None:
    said = {"ada": "A chatbot, for the mask. <script>alert(1)</script> ada", "bert": None}
    for name, text in said.items():
        notebook = Student(fresh).notebook()
        add_policy(notebook, "tutor")
        if text:
            notebook.cells[-1].source = f"{notebook.cells[-1].source.splitlines()[0]}\n\n{text}"
        submit(fresh, name, notebook)
    submit(fresh, "cleo", Student(fresh).notebook())
    assert quietly(fresh).exit_code == 0
    write_feedback(fresh, CHAPTER, workers=1, console=Console(quiet=True))
    pages = {
        name: (fresh.root / "feedback" / name / CHAPTER / f"{CHAPTER}.html").read_text() for name in (*said, "cleo")
    }
    assert "A chatbot, for the mask." in pages["ada"]
    assert "<script" not in pages["ada"]
    assert "You did not say which assistants you used." in pages["bert"]
    assert "Assistants</h2>" not in pages["cleo"]
    for anonymous in (False, True):
        report = write_report(fresh, CHAPTER, Console(quiet=True), folder=tmp_path, anonymous=anonymous).read_text()
        assert "1 of 2 students filled in the cell" in report
        assert "A chatbot, for the mask. &lt;script&gt;alert(1)" in report
        assert (
            "ada" in report.partition("What students say about assistants")[2].partition("<h2>")[0]
        ) is not anonymous
