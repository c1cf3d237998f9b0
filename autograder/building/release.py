"""The student notebook: nbgrader's own release of the solved one, made to read well without MyST.

`ForStudents` runs before nbgrader's preprocessors. Under nbgrader it makes the edition for a class; `make notebooks` asks for the
one for self-study, which tells how to see the solutions. `ForEachStudent` adds what a class may ask each student alone.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Unicode
from traitlets.config import Config

from autograder.building.notebook_files import EXTRA_CREDIT, promised_points, read, recorded_numbers
from autograder.building.plain_markdown import Plain
from autograder.building.weave import DEMONSTRATION, SELF_STUDY, cell_mark, is_written, without_answer
from autograder.checkout import Course, course_config
from autograder.declare import ExerciseChecks, chapters, told_points
from autograder.nbgrader_api import cause_of, nbgrader_api
from autograder.outline import outline
from autograder.questions.traced import ASKED, NAME
from autograder.settings import WRITTEN, Settings, settings

MEASURED = "measured"
"""Where the cell of a guess says, for the site, what was measured: a text with names of recorded numbers in braces."""
_OTHER_CELLS = "Cannot add or remove cells"
"""What nbgrader says where the gradebook has submissions and the notebook other cells."""
WHEEL_VERSION = "1"
"""This does not change: the notebook that the wheel comes with contains its name."""
_INSTALL = """\
# Run this cell first, each time the kernel starts. It installs this chapter from the wheel that came with it, if need be.
# {colab}
from importlib.util import find_spec{path}

spec = find_spec("seqlab")
if not spec or "{any_chapter}" in spec.origin:
    if not find_spec("{package}"):
        {install}
    import {package}
"""
_DRAG = "In Google Colab, first drag the wheel into the Files panel on the left."
_DOWNLOAD = "Where there is none, as in Google Colab, it downloads it."
_FROM_ADDRESS = """\
wheel = "{wheel}"
        if not Path(wheel).exists():
            wheel = "{address}/" + wheel
        %pip install --quiet {{wheel}}"""

_OWN_QUESTIONS = f"""\
### Results for inputs of your own

What do right answers to exercises of this chapter return for inputs that only you have? Three questions. **{ASKED} points** · judged when the notebook is graded

Write your id in this course into the next cell, then run both cells: the second one shows your questions. Work each one out by hand or with your
code, and write the numbers between the quotation marks, in the order in which Python prints them, rounded to two decimals. Run both cells again to
see how your answers are read."""


class ReleaseError(RuntimeError):
    """nbgrader could not make the release."""


class ForStudents(NbGraderPreprocessor):  # type: ignore[misc]
    """Makes the solved notebook's Markdown plain, drops what is not for this edition, and sets what a class gets and for how many points."""

    self_study = Bool(False, help="Whether to tell how the solutions can be seen.").tag(config=True)
    wheels = Unicode(
        "", help="The address of the folder with the chapters' wheels, for notebooks that lie beside none."
    ).tag(config=True)
    bibliography = Unicode("", help="Path of the book's references.bib.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Preprocess one notebook."""
        chapter = resources["nbgrader"]["assignment"]
        if self.config.get("Exercises"):
            _set_in(nb, settings(self.config, chapter))
        plain = Plain(Path(self.bibliography) if self.bibliography else None, recorded_numbers(nb))
        nb.cells = [cell for cell in nb.cells if self.self_study or SELF_STUDY not in cell.metadata.get("tags", [])]
        for cell in nb.cells:
            if is_written(cell):
                # Gone before it is made plain: the bibliography would list what only the model answer cites.
                cell.source = without_answer(cell.source)
            if cell.cell_type == "markdown":
                cell.source = plain(cell.source)
            cell.metadata.pop("mystnb", None)
            cell.metadata.pop(MEASURED, None)
        nb.metadata.pop("course", None)
        first = next((place for place, cell in enumerate(nb.cells) if cell.cell_type == "code"), len(nb.cells))
        nb.cells.insert(first, install_cell(chapter, self.wheels))
        return nb, resources


class ForEachStudent(NbGraderPreprocessor):  # type: ignore[misc]
    """Adds the questions that a student alone is asked, if the class has them. It runs after nbgrader has cleared solutions, which these cells are not."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Preprocess one notebook."""
        if self.config.get("Exercises"):
            nb.cells += _own_questions(settings(self.config, resources["nbgrader"]["assignment"]).traced)
        return nb, resources


def _set_in(nb: NotebookNode, chosen: Settings) -> None:
    """Give the exercises the points that a class's configuration gives them, and give away the code of those that it leaves out."""
    known = {found.exercise.name: found for found in outline(chosen.chapter)}
    cells: list[NotebookNode] = []
    name = ""
    for cell in nb.cells:
        tags, mark = cell.metadata.get("tags", []), cell.metadata.get("nbgrader", {})
        if "exercise-head" in tags:
            name = next((one for one in known if f"`{one}`" in cell.source.partition("\n")[0]), WRITTEN)
        elif mark.get("grade_id") not in (name, f"{name}-answer", f"{chosen.chapter}-{name}"):
            name = name if {"hint", SELF_STUDY} & set(tags) else ""
        if name in chosen.leave_out:
            if mark.get("grade_id") == f"{name}-answer":
                cells += _given(cell, known[name])
            continue
        if name in known:
            found = chosen.set_in(known[name])
            if "exercise-head" in tags:
                cell.source = cell.source.replace(
                    f"**{known[name].points} points**",
                    f"**{told_points(found.points)}{' of extra credit' if found.extra_credit else ''}**",
                )
            elif mark.get("grade"):
                _set_points(cell, found, known[name])
        cells.append(cell)
    nb.cells = cells


def _own_questions(names: Sequence[str]) -> list[NotebookNode]:
    """The cells of the questions that a student alone is asked.

    Args:
        names: The exercises that they are about; without any, there are no cells.
    """
    if not names:
        return []
    blanks = "".join(f'    "question {number}": "",\n' for number in range(1, ASKED + 1))
    answers = f'my_trace = {{\n    "student": "",  # your id in this course\n{blanks}}}'
    asking = f"from autograder import trace\n\ntrace(my_trace, {', '.join(map(repr, names))})".replace("'", '"')
    return [
        new_markdown_cell(_OWN_QUESTIONS, id=NAME + "-head", metadata={"tags": ["exercise-head"]}),
        new_code_cell(
            answers, id=f"{NAME}-answer", metadata={"nbgrader": cell_mark(f"{NAME}-answer", grade=False, solution=True)}
        ),
        new_code_cell(
            asking,
            id=NAME,
            metadata={"tags": ["check"], "nbgrader": cell_mark(NAME, grade=True, solution=False, points=ASKED)},
        ),
    ]


def _given(cell: NotebookNode, found: ExerciseChecks) -> list[NotebookNode]:
    """The cells that an exercise becomes that a class does not write: later cells may need it, so its code is given."""
    name, title = found.exercise.name, found.exercise.title
    told = f"**Given: `{name}`** ({title}). Your class does not write this one; run the cell, because later cells may use it."
    marked = ("### BEGIN SOLUTION", "### END SOLUTION")
    lines = [line for line in cell.source.splitlines() if line.strip() not in marked]
    while lines and lines[0].startswith("#"):  # The rule that says what is not allowed.
        lines.pop(0)
    mark = {**cell.metadata.nbgrader, "grade_id": f"helper-{name}", "solution": False, "locked": True}
    metadata = {"tags": ["helper"], "nbgrader": mark}
    given = new_code_cell("\n".join(lines), id=f"helper-{name}", metadata=metadata)
    return [new_markdown_cell(told, id=f"given-{name}"), given]


def _set_points(cell: NotebookNode, found: ExerciseChecks, usual: ExerciseChecks) -> None:
    """Have the cell of a check say what its exercise is worth, to nbgrader and to `check`."""
    cell.metadata.nbgrader.points = found.required
    said = f", points={found.points}" * (found.points != usual.points) + ", extra_credit=True" * found.extra_credit
    cell.source = cell.source.replace(f"check({found.exercise.name})", f"check({found.exercise.name}{said})")
    if found.extra_credit:
        cell.metadata[EXTRA_CREDIT] = found.points


def install_cell(chapter: str, wheels: str = "") -> NotebookNode:
    """The cell that makes the student edition available where there is no clone of the course: the notebook's first one of code.

    Args:
        chapter: The chapter's name.
        wheels: The address of the folder with the chapters' wheels; empty where each lies beside its notebook.

    Raises:
        ValueError: That is no address.
    """
    if wheels and not re.fullmatch(r"https?://[\w.:/~%+-]+", wheels):
        raise ValueError(f"c.ForStudents.wheels is {wheels!r}: expected an address such as https://example.org/wheels")
    from_address = _FROM_ADDRESS.format(wheel=wheel_name(chapter), address=wheels.rstrip("/"))
    colab, install = (_DOWNLOAD, from_address) if wheels else (_DRAG, install_line(chapter))
    given = {"package": package_name(chapter), "any_chapter": package_name("ch"), "colab": colab, "install": install}
    source = _INSTALL.format(**given, path="\nfrom pathlib import Path" * bool(wheels)).rstrip()
    return new_code_cell(source, id=f"{chapter}-install", metadata={"tags": ["install", DEMONSTRATION]})


def install_line(chapter: str) -> str:
    """What installs the chapter's wheel in a notebook; without the first character, in a terminal."""
    return f"%pip install --quiet {wheel_name(chapter)}"


def wheel_name(chapter: str) -> str:
    """The name of the chapter's wheel, which comes with the notebook."""
    return f"{package_name(chapter)}-{WHEEL_VERSION}-py3-none-any.whl"


def package_name(chapter: str) -> str:
    """The name of the package that the chapter's wheel installs."""
    return f"rnns_to_bert_{chapter}"


def release(solved: Path, build: Path, *, self_study: bool) -> Path:
    """Release a solved notebook with nbgrader in a course of its own.

    Args:
        solved: The solved notebook.
        build: An empty folder to work in.
        self_study: Which edition.

    Returns:
        The released notebook, under `build`.

    Raises:
        ReleaseError: nbgrader failed; its log is in the message.
    """
    chapter = solved.stem
    source = build / "solutions" / chapter
    source.mkdir(parents=True)
    shutil.copyfile(solved, source / solved.name)
    config = course_config(solved.parent.parent.parent)
    if self_study:
        config.pop("Exercises", None)
    own = {
        "ForStudents": {"self_study": self_study},
        "CourseDirectory": {"root": str(build)},
        "GenerateAssignment": {"no_database": True},  # Nobody is graded in this course.
        "SaveCells": {"enabled": False},
    }
    config.merge(Config(own))
    generate(config, chapter)
    return Course(build).released(chapter)


def generate(config: Config, chapter: str) -> None:
    """Run nbgrader's `generate_assignment` for one chapter of a course.

    It is built aside, because nbgrader deletes the old release when it fails.

    Raises:
        ReleaseError: It failed, or there is no solved notebook of today's checks; the old release is still there.
        CourseError: The configuration says what cannot be.
    """
    course = CourseDirectory(config=config)
    _hold_solved(Course(Path(course.root)), chapter)
    if config.get("Exercises"):
        settings(config, chapter)  # What is wrong with it is said here better than by nbgrader.
    place = Path(course.format_path(course.release_directory, ".", chapter)).resolve()
    build = Path(course.root) / "build"
    build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=build, prefix="release-") as aside:
        course.release_directory = str(Path(aside).relative_to(course.root))
        made = Path(course.format_path(course.release_directory, ".", chapter))
        result = nbgrader_api(config, course).generate_assignment(chapter, force=True)
        if _OTHER_CELLS in str(result.get("log")):
            raise ReleaseError(other_exercises(chapter))
        if not result["success"] or not made.is_dir():
            raise ReleaseError(f"nbgrader could not release {chapter}: {cause_of(result)}")
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists():
            place.rename(Path(aside) / "old")
        made.rename(place)


def _hold_solved(course: Course, chapter: str) -> None:
    """Hold that the solved notebook promises the points that today's checks are worth."""
    try:
        promised = promised_points(read(course.solved(chapter)))
    except (OSError, ValueError):
        return  # nbgrader says so itself.
    if chapter not in chapters():
        return
    old = [e.exercise.name for e in outline(chapter) if promised.get(e.exercise.name, e.points) != e.points]
    if old:
        raise ReleaseError(
            f"the points of {', '.join(old)} have changed since {course.solved(chapter)} was made: "
            f"run `autograder make {chapter}`, then release it"
        )


def other_exercises(chapter: str) -> str:
    """Why a class that has handed in work cannot be given other exercises, and what to do instead."""
    return (
        f"the gradebook contains students' work in {chapter}, so exercises can no longer be left out or put back: "
        "nbgrader stores the grades by the cells of the notebook. To make an exercise stop counting, give it 0 "
        "points with c.Exercises.points"
    )
