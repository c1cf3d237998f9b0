"""The guide's section “A course in ten minutes”, run as it stands: from a roster, through nbgrader's exchange, to returned feedback."""

import csv
import getpass
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograder.building.notebook_files import read
from autograder.declare import load_checks
from tests.conftest import CHECKOUT

CHAPTER = "ch00_start"
FULL_MARKS = sum(exercise.points for exercise in load_checks(CHAPTER))


def blocks() -> list[tuple[str, str]]:
    """The languages and contents of the section's code blocks."""
    guide = (CHECKOUT.root / "book" / "guide_instructors.md").read_text()
    section = guide.split("## A course in ten minutes\n")[1].split("\n## ")[0]
    return re.findall(r"```(\w+)\n(.*?)```", section, re.DOTALL)


class Server:
    """A machine with a course, an exchange, and one student, who has the account that the test runs under."""

    def __init__(self, root: Path) -> None:
        self.course, self.student, self.exchange = root / "course", root / "student", root / "exchange"
        for folder in (self.course / "book", self.student, self.exchange):
            folder.mkdir(parents=True)
        shutil.copy(CHECKOUT.root / "nbgrader_config.py", self.course)
        shutil.copy(CHECKOUT.root / "book" / "references.bib", self.course / "book")
        shutil.copytree(CHECKOUT.solutions / CHAPTER, self.course / "solutions" / CHAPTER)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self._environment = {**os.environ, "PATH": path, "HOME": str(root), "JUPYTER_DATA_DIR": str(root / "data")}

    def run(self, commands: str, folder: Path) -> str:
        """Run commands in a shell, which stops at the first that fails; returns what they say."""
        asked = ["bash", "-euc", commands]
        done = subprocess.run(asked, cwd=folder, env=self._environment, check=False, capture_output=True, text=True)
        assert done.returncode == 0, f"{commands}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    def work(self) -> None:
        """Fill in the fetched notebook."""
        path = self.student / CHAPTER / f"{CHAPTER}.ipynb"
        marks = [(cell, cell.metadata.get("nbgrader", {})) for cell in read(CHECKOUT.solved(CHAPTER)).cells]
        solutions = {mark["grade_id"]: cell.source for cell, mark in marks if mark.get("solution")}
        notebook = read(path)
        for cell in notebook.cells:
            cell.source = solutions.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
        nbformat.write(notebook, path)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Server:
    """The server after all that the section tells."""
    server = Server(tmp_path_factory.mktemp("server"))
    fetched = handed_in = False
    for language, block in blocks():
        if language == "text":
            (server.course / "roster.csv").write_text(
                re.sub("^ada,", f"{getpass.getuser()},", block, flags=re.MULTILINE)
            )
        elif language == "python":
            config = (server.student if "get_config" in block else server.course) / "nbgrader_config.py"
            with config.open("a") as file:
                file.write(block.replace("/srv/exchange", str(server.exchange)))
        elif re.match("nbgrader (fetch|submit)", block):
            server.run(block, server.student)
            handed_in |= "submit" in block
            if not fetched:
                server.work()
                fetched = True
        else:
            assert handed_in or "grade " not in block
            server.run(block, server.course)
    return server


def test_the_student_has_the_feedback_and_the_points(server: Server) -> None:
    (page,) = (server.student / CHAPTER / "feedback").glob(f"*/{CHAPTER}.html")
    assert f"{FULL_MARKS}" in page.read_text()


def test_the_platform_gets_the_grade_of_who_handed_in_and_nothing_for_who_did_not(server: Server) -> None:
    with (server.course / "grades-canvas.csv").open() as file:
        grades = {row["SIS Login ID"]: row[CHAPTER] for row in csv.DictReader(file)}
    assert grades == {"": str(FULL_MARKS), getpass.getuser(): str(FULL_MARKS), "emmy": ""}


def test_the_report_and_the_backup_are_there(server: Server) -> None:
    assert (server.course / "reports" / f"{CHAPTER}.html").is_file()
    server.run("mv gradebook.db old.db && autograder restore backup.zip", server.course)
    said = server.run(f"autograder grade {CHAPTER}", server.course)
    assert f"{FULL_MARKS}" in said


def test_a_later_submission_is_collected_and_what_came_back_with_it_set_aside(server: Server) -> None:
    server.run(f"nbgrader submit {CHAPTER}", server.student)
    (collected,) = [block for _, block in blocks() if block.startswith("nbgrader collect")]
    server.run(collected, server.course)
    folder = server.course / "submitted" / getpass.getuser() / CHAPTER
    assert sorted(path.name for path in folder.rglob("*") if path.is_file()) == [
        f"{CHAPTER}.ipynb",
        "submission_secret.txt",
        "timestamp.txt",
    ]
