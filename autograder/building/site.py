"""The book as a site, in two editions: with the solutions behind a toggle, and without them for graded classes.

Jupyter Book reads one folder and renders what lies there. So the edition is made by what is put into that folder: where a
solution is not to be seen, it never gets there, and no page, search index or source file can show it.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from base64 import b64decode
from functools import partial
from html import escape, unescape
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.preprocessors import ClearSolutions
from traitlets.config import Config

from autograder.building.figures import put_in_page
from autograder.building.handout import write_wheel
from autograder.building.hours import read_ways, read_weeks, total_minutes, ways_table, weeks_table
from autograder.building.live_models import as_block, make_live, with_models
from autograder.building.notebook_files import recorded_numbers
from autograder.building.numbers import number_of
from autograder.building.page_questions import with_mistakes
from autograder.building.reading import NOTEBOOKS
from autograder.building.release import MEASURED
from autograder.building.weave import DEMONSTRATION, SELF_STUDY, is_written, split_written
from autograder.checkout import Checkout, course_config
from autograder.declare import chapters, load_checks

SHOW_SOLUTION = "Show solution"
SHOW_MODEL_ANSWER = "Show a model answer and its rubric"
SETUP = "setup"
PICTURE = "picture"
"""The tag of the cell whose figure stands for the chapter on the front page."""
SHORT = 5
"""Fewer lines that draw are not worth a fold."""
SHOW_DRAWING = "Show the code that draws this figure"
HIDE_DRAWING = "Hide the code that draws this figure"
_DRAWS = {"plt", "axes", "label", "PALETTE"}
"""A statement with one of these names draws."""
_LOOKS_UP = {"row", "rows", "table"}
"""A function with one of these names reads a stored table, and computes nothing."""
_COMPUTES = re.compile(r"seqlab\.(?!plots|record|stored)\w+")
_FROM_CHAPTER = re.compile(r"\{\{ (picture|work|number) (ch\w+) \}\}")
_LIVE = re.compile(r"\{\{ live (\w+) \}\}")
_ALL_HOURS = "{{ hours }}"
_WAYS = re.compile(r"^```\{ways\}\n(?P<ways>.*?)^```$", re.MULTILINE | re.DOTALL)
_WEEKS = re.compile(r"^```\{weeks\}\n(?P<weeks>.*?)^```$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"file: (?P<chapter>ch\w+)\n +title: \"(?P<title>.+)\"")
_DRAWING = re.compile(r'<svg xmlns="[^"]+" class="(?:drawing|figure [^"]+)" role="img" aria-label="(?P<alt>[^"]*)"')
"""A drawing of `seqlab.drawings` or a figure, which is a file as it stands."""
LIGHT = 60_000
"""A figure with more letters is shown on the front page as a bitmap."""
SCRIPT = "widgets.js"
"""The script of `seqlab.widgets`, which a page has once and a notebook in each output that needs it."""
GUESSED = "guessed"
"""The tag of the cell that shows a guess beside what was measured."""
_IN_OUTPUT = re.compile(r'<script class="play-script">.*?</script>', re.DOTALL)
_GUESS = re.compile(r"^my_guess = .*", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[\d;]*m")


class SiteError(ValueError):
    """The site cannot be built; the message says why."""


def stage(checkout: Checkout, build: Path, *, solutions: bool) -> Path:
    """Lay out what Jupyter Book reads: the book's pages as they are, and each chapter as a notebook with its outputs.

    Args:
        checkout: The clone.
        build: The folder to lay it out in; what an earlier build left there is removed.
        solutions: Whether this edition shows the solutions.

    Returns:
        The folder.

    Raises:
        SiteError: The folder holds something else, or a chapter has no stored notebook.
    """
    if build.is_dir() and any(build.iterdir()) and not (build / "_toc.yml").is_file():
        raise SiteError(f"{build} is not empty and was not made by this command: choose another folder")
    shutil.rmtree(build, ignore_errors=True)
    shutil.copytree(checkout.root / "book", build, ignore=shutil.ignore_patterns("_build", ".*"))
    if (checkout.library / SCRIPT).is_file():
        shutil.copy(checkout.library / SCRIPT, build / "_static")
    extra = build / "extra"
    downloads = extra / NOTEBOOKS
    downloads.mkdir(parents=True)
    config = course_config(checkout.root)
    for text in sorted(build.glob("*.md")):
        chapter = text.stem
        if not (checkout.solutions / chapter).is_dir():
            continue
        if not checkout.solved(chapter).is_file():
            raise SiteError(f"{chapter} has no stored notebook: run `make notebooks` first")
        # Jupyter Book warns of two files with one name.
        text.unlink()
        page = chapter_page(nbformat.read(checkout.solved(chapter), as_version=4), config, solutions=solutions)
        page.cells = with_models(with_mistakes(page.cells, chapter), chapter, extra)
        text.with_suffix(".ipynb").write_text(nbformat.writes(page) + "\n", encoding="utf-8")
        # A graded class gets its notebooks from the instructor: the ones here tell how to see the solutions.
        if solutions and checkout.released(chapter).is_file():
            shutil.copy(checkout.released(chapter), downloads)
            if config.ForStudents.get("wheels"):
                write_wheel(checkout.released(chapter), downloads)
    for asks in (build / "_toc.yml", build / "intro.md", build / "guide_teaching.md"):
        if asks.is_file():
            told = _LIVE.sub(lambda live: as_block(make_live(live[1], extra)), asks.read_text(encoding="utf-8"))
            told = _FROM_CHAPTER.sub(partial(_from_chapter, build), told)
            try:
                asks.write_text(_with_hours(checkout, build, told), encoding="utf-8")
            except ValueError as error:
                raise SiteError(f"{asks.name} cannot say how long the book takes: {error}") from error
    return build


def _with_hours(checkout: Checkout, build: Path, text: str) -> str:
    """The text with the hours that the whole book takes, and the ways through it and schedules as tables."""
    if _ALL_HOURS in text:
        text = text.replace(_ALL_HOURS, f"{total_minutes(checkout, tuple(chapters())) / 60:.0f}")
    titles = dict(_TITLE.findall((build / "_toc.yml").read_text(encoding="utf-8")))
    text = _WAYS.sub(lambda asked: ways_table(checkout, read_ways(asked["ways"]), titles), text)
    return _WEEKS.sub(lambda asked: weeks_table(checkout, read_weeks(asked["weeks"]), titles), text)


def _from_chapter(build: Path, asked: re.Match[str]) -> str:
    """What front page and contents show of a chapter: its picture, a figure of its notebook; how much there is to do; its number."""
    what, chapter = asked.groups()
    if what == "number":
        return str(number_of(chapter))
    if what == "work":
        exercises = load_checks(chapter)
        minutes = sum(exercise.exercise.minutes for exercise in exercises)
        time = f"{minutes} minutes" if minutes < 90 else f"{minutes / 60:.0f} hours"
        return f"{len(exercises)} exercises, {sum(exercise.points for exercise in exercises)} points, about {time}"
    page = nbformat.read(build / f"{chapter}.ipynb", as_version=4)
    cells = [cell for cell in page.cells if PICTURE in cell.metadata.get("tags", [])]
    shown = [output.data for cell in cells for output in cell.outputs if "data" in output]
    drawn = [data for data in shown if "image/png" in data or _DRAWING.match(data.get("text/html", ""))]
    if len(drawn) != 1:
        raise SiteError(
            f"{chapter} shows {len(drawn)} figures in cells with the tag {PICTURE!r}: the front page needs exactly one"
        )
    drawing = _DRAWING.match(drawn[0].get("text/html", ""))
    if drawing and len(drawing.string) > LIGHT and "image/png" in drawn[0]:
        drawing = None
    file = Path("_static", "pictures", f"{chapter}.{'svg' if drawing else 'png'}")
    (build / file).parent.mkdir(exist_ok=True)
    (build / file).write_bytes(drawing.string.encode() if drawing else b64decode(drawn[0]["image/png"]))
    alt = unescape(drawing["alt"]) if drawing else cells[0].metadata.mystnb.image.alt
    return f"```{{image}} {file.as_posix()}\n:alt: {alt}\n```"


def chapter_page(solved: NotebookNode, config: Config, *, solutions: bool) -> NotebookNode:
    """The notebook of a chapter's page, from the solved one.

    An exercise shows the stub that nbgrader would release, a written question itself alone. The solution follows where the
    chapter tells a reader who studies alone how to see it, which is after the check and the hint.

    Args:
        solved: The solved, executed notebook, which is changed.
        config: The course's configuration, which has the stub.
        solutions: Whether to show the solutions.
    """
    toggles = {cell.id: _toggle(cell) for cell in solved.cells if _is_answer(cell)}
    # Nobody writes into a page, so there is no place for a written answer.
    page, _ = ClearSolutions(config=config, text_stub="").preprocess(solved, {})
    waiting: str | None = None
    cells = []
    for cell in page.cells:
        waiting = toggles.get(cell.id, waiting)
        if SELF_STUDY not in cell.metadata.get("tags", []):
            cells.append(cell)
        elif solutions and waiting:
            cells.append(new_markdown_cell(waiting, id=f"{cell.id}-solution"))
            waiting = None
        elif solutions:
            cells.append(cell)
        if cell.metadata.pop("nbgrader", {}).get("grade") and cell.cell_type == "code":
            # The report is enough: the points after it are for nbgrader.
            cell.outputs = [output for output in cell.outputs if output.output_type != "execute_result"]
        for output in cell.get("outputs", []):
            if "text/html" in output.get("data", {}):
                output.data["text/html"] = _IN_OUTPUT.sub("", output.data["text/html"])
        put_in_page(cell)
    own = set().union(*map(_own, cells))
    page.cells = [part for cell in with_questions(cells) for part in folded(cell, own)]
    page.metadata.pop("course", None)
    return page


def folded(cell: NotebookNode, own: set[str]) -> list[NotebookNode]:
    """A cell of the page with what few readers look at folded: the imports, and the lines that only draw a figure.

    What a demonstration computes before it draws stays open, and so does every later statement that runs code of the book.

    Args:
        cell: The cell.
        own: The names of the functions and classes that compute something, the chapter's and those that it takes from `seqlab`.
    """
    tags = cell.metadata.get("tags", [])
    if cell.cell_type != "code":
        return [cell]
    cell.source = without_records(cell.source)
    if SETUP in tags:
        return [_hidden(cell, "Show the imports", "Hide the imports")]
    if DEMONSTRATION not in tags or not any("image/png" in output.get("data", {}) for output in cell.outputs):
        return [cell]
    parts = _parts(cell.source, own)
    cells = []
    for number, (draws, source) in enumerate(parts, 1):
        # The last part shows the figure.
        last = number == len(parts)
        part = cell if last else new_code_cell(id=f"{cell.id}-{number}", metadata={"tags": [DEMONSTRATION]})
        part.source = source
        cells.append(_hidden(part, SHOW_DRAWING, HIDE_DRAWING) if draws else part)
    return cells


def without_records(source: str) -> str:
    """Code without the statements that only store numbers for the prose, and without loops and conditions that do nothing else."""
    lines = source.split("\n")

    def blank(body: list[ast.stmt]) -> None:
        for statement in body:
            if _only_records(statement):
                end = statement.end_lineno or statement.lineno
                lines[statement.lineno - 1 : end] = [""] * (end + 1 - statement.lineno)
            elif isinstance(statement, ast.For | ast.If | ast.With):
                for inner in (statement.body, getattr(statement, "orelse", [])):
                    if not all(map(_only_records, inner)):
                        blank(inner)

    try:
        blank(ast.parse(source).body)
    except SyntaxError:  # A magic.
        return source
    kept = "\n".join(lines)
    return source if kept == source else re.sub(r"\n{3,}", "\n\n", kept).strip("\n")


def _only_records(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.For | ast.If | ast.With) and not getattr(statement, "orelse", []):
        return all(map(_only_records, statement.body))
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Name)
        and statement.value.func.id == "record"
    )


def _parts(source: str, own: set[str]) -> list[tuple[bool, str]]:
    """The parts of a cell that shows a figure, in order: whether a part only draws, and its lines."""
    lines, kinds, drawing, end = source.split("\n"), [], False, 0
    for statement in ast.parse(source).body:
        drawing = drawing or _has(statement, _DRAWS)
        called = [part.func for part in ast.walk(statement) if isinstance(part, ast.Call)]
        matters = not own.isdisjoint(function.id for function in called if isinstance(function, ast.Name))
        # A comment belongs to what follows it.
        kinds += [drawing and not matters] * ((statement.end_lineno or statement.lineno) - end)
        end = len(kinds)
    kinds += kinds[-1:] * (len(lines) - end)
    runs = [(draws, [line for line, _ in run]) for draws, run in groupby(zip(lines, kinds, strict=True), itemgetter(1))]
    parts: list[tuple[bool, list[str]]] = []
    for draws, run in runs:
        draws = draws and len(run) >= SHORT
        if parts and parts[-1][0] == draws:
            parts[-1][1].extend(run)
        else:
            parts.append((draws, run))
    return [(draws, "\n".join(run).strip("\n")) for draws, run in parts]


def _own(cell: NotebookNode) -> set[str]:
    """The functions and classes that a cell of the page defines, or takes from `seqlab`, and that compute something."""
    found: set[str] = set()
    for statement in ast.parse(cell.source if cell.cell_type == "code" else "").body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            if not _has(statement, _DRAWS | _LOOKS_UP):
                found.add(statement.name)
        elif isinstance(statement, ast.ImportFrom) and _COMPUTES.fullmatch(statement.module or ""):
            found |= {each.asname or each.name for each in statement.names}
    return found


def _has(statement: ast.stmt, names: set[str]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(statement))


def with_questions(cells: list[NotebookNode]) -> list[NotebookNode]:
    """The cells of a page, and after each guess that a later cell shows a place where the script asks the reader for it.

    Raises:
        SiteError: What was measured has the name of a number that no cell recorded.
    """
    recorded = recorded_numbers(NotebookNode(cells=cells))
    found = []
    for at, cell in enumerate(cells):
        found.append(cell)
        measured = cell.metadata.pop(MEASURED, "")
        if cell.cell_type != "code" or not _GUESS.search(cell.source):
            continue
        after = (later for later in cells[at + 1 :] if later.cell_type == "code" and "my_guess" in later.source)
        shows = next(after, None)
        if shows is None or _GUESS.search(shows.source):
            continue
        shows.metadata["tags"] = [*shows.metadata.get("tags", []), GUESSED]
        try:
            told = measured.format(**recorded)
        except KeyError as error:
            raise SiteError(f"a guess is compared with {measured!r}, and no cell recorded {error}") from error
        alone = " data-alone" if _GUESS.fullmatch(cell.source.strip()) else ""
        place = f'<div class="play-ask" data-measured="{escape(told)}"{alone}></div>'
        found.append(new_markdown_cell(place, id=f"{cell.id}-question"[:64]))
    return found


def _hidden(cell: NotebookNode, show: str, hide: str) -> NotebookNode:
    cell.metadata["tags"] = [*cell.metadata["tags"], "hide-input"]
    cell.metadata.setdefault("mystnb", {}).update(code_prompt_show=show, code_prompt_hide=hide)
    return cell


def build_site(checkout: Checkout, out: Path, *, solutions: bool) -> Path:
    """Build the site from the stored notebooks, without running any; a warning is an error.

    Args:
        checkout: The clone.
        out: The folder to build in; what an earlier build left there is removed.
        solutions: Whether this edition shows the solutions.

    Returns:
        The folder of the pages, `out/_build/html`.

    Raises:
        SiteError: Jupyter Book failed or warned; what it said is in the message.
    """
    folder = stage(checkout, out, solutions=solutions).resolve()
    build = "from jupyter_book.cli.main import main; main()"
    command = [sys.executable, "-c", build, "build", "-W", "-n", "--keep-going", "-q", str(folder)]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, check=False, cwd=folder, env=environment, capture_output=True, text=True)
    said = _COLOUR.sub("", done.stderr).strip()
    if done.returncode or said:
        raise SiteError(f"Jupyter Book could not build the site without warnings:\n{said or done.stdout.strip()}")
    return folder / "_build" / "html"


def _is_answer(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def _without_markers(source: str) -> str:
    markers = ("### BEGIN SOLUTION", "### END SOLUTION")
    return "\n".join(line for line in source.split("\n") if line.strip() not in markers)


def _toggle(cell: NotebookNode) -> str:
    """What an answer becomes where it may be seen: a block that can be unfolded."""
    if is_written(cell):
        name, inside = SHOW_MODEL_ANSWER, split_written(cell.source)[1]
    else:
        name, inside = SHOW_SOLUTION, f"```python\n{_without_markers(cell.source)}\n```"
    # More colons than a block inside it would have.
    return f"::::::{{dropdown}} {name}\n:class-container: solution\n\n{inside}\n::::::"
