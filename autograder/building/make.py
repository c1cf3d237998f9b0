"""Makes a chapter's generated files: recorded answers, solved notebook, student notebook; and says which are stale."""

from __future__ import annotations

import copy
import io
import re
import shutil
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from PIL import Image

from autograder.building.notebook_files import is_demonstration
from autograder.building.release import release
from autograder.building.sources import TEXT, code_hash
from autograder.building.weave import weave
from autograder.checkout import Checkout, making_environment
from autograder.declare import load_exercises
from autograder.judging.expected_answers import answers_bytes, answers_path, stale_answers

_ASKS = re.compile(r"\b(check|hint)\(")


def make(checkout: Checkout, chapter: str, say: Callable[[str], None], *, force: bool = False) -> None:
    """Bring a chapter's generated files up to date.

    The solved notebook is executed again where its code has changed; where only its checks have, without the
    demonstrations that ask no check for anything.

    Args:
        checkout: The clone.
        chapter: The chapter's name.
        say: Told what is being done.
        force: Execute even if nothing has changed.
    """
    record_answers(checkout, chapter, say)
    notebook = weave(checkout, chapter)
    stored = _read(checkout.solved(chapter))
    if stored is not None and not force and _same_code(notebook, stored):
        _take_outputs(notebook, stored)
        if _checks(notebook) != _checks(stored):
            say(f"{chapter}: running its checks again")
            _run_checks(notebook)
    else:
        say(f"{chapter}: executing the solved notebook at full budget, which takes minutes")
        execute(notebook)
    _write(notebook, checkout.solved(chapter))
    say(f"{chapter}: releasing the student notebook")
    with tempfile.TemporaryDirectory() as folder:
        released = release(checkout.solved(chapter), Path(folder), self_study=True)
        checkout.released(chapter).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(released, checkout.released(chapter))


def record_answers(checkout: Checkout, chapter: str, say: Callable[[str], None]) -> None:
    """Record the reference's answers to the visible checks where the recorded ones are out of date."""
    if not answers_path(chapter).is_file() or stale_answers(checkout.solutions, chapter):
        say(f"{chapter}: recording the reference's answers to the visible checks")
        answers_path(chapter).write_bytes(answers_bytes(checkout.solutions, chapter))


def stale(checkout: Checkout, chapter: str) -> list[str]:
    """Why the chapter's generated files are out of date: empty when all are fresh."""
    stored = _read(checkout.solved(chapter))
    if stored is None:
        return [f"{chapter}: there is no solved notebook; run `make notebooks`"]
    notebook = weave(checkout, chapter)
    old, new = _sources(stored), _sources(notebook)
    found = [f"{chapter}: {name} has changed" for name in sorted({**old, **new}) if old.get(name) != new.get(name)]
    if [(c.id, c.source) for c in stored.cells] != [(c.id, c.source) for c in notebook.cells]:
        found.append(f"{chapter}: the solved notebook's cells differ from the current text and solutions")
    if stale_answers(checkout.solutions, chapter):
        found.append(f"{chapter}: the recorded answers differ from the current reference's")
    with tempfile.TemporaryDirectory() as folder:
        released = release(checkout.solved(chapter), Path(folder), self_study=True)
        if not checkout.released(chapter).is_file() or checkout.released(chapter).read_bytes() != released.read_bytes():
            found.append(f"{chapter}: the student notebook is not the current release of the solved one")
    return found


def execute(notebook: NotebookNode, budget: str = "full") -> None:
    """Execute the notebook in place in an empty folder.

    Raises:
        ValueError: A cell wrote to stderr other than a progress bar: a chapter shows no warning.
        nbclient.exceptions.CellExecutionError: A cell raised.
    """
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=None, kernel_name="python3", resources={"metadata": {"path": folder}})
        client.execute(env=making_environment(budget))
    notebook.metadata.language_info = nbformat.from_dict({"name": "python"})
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not _is_progress(output)]
            warnings = [output.text for output in cell.outputs if output.get("name") == "stderr"]
            if warnings:
                raise ValueError(f"the cell {cell.id} wrote a warning: {warnings[0][:500]}")
            for output in cell.outputs:
                if "image/png" in output.get("data", {}):
                    output.data["image/png"] = _smaller(output.data["image/png"])


def _smaller(picture: str) -> str:
    """A figure with the 256 colours that it needs most, in base64: to the eye the same, in half the room."""
    buffer = io.BytesIO()
    with Image.open(io.BytesIO(b64decode(picture))) as image:
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(
            buffer, "PNG", optimize=True, dpi=image.info.get("dpi")
        )
    return b64encode(buffer.getvalue()).decode("ascii")


def chapter_names(only: str | None = None) -> list[str]:
    """The chapters with exercises, or the one that is named.

    Raises:
        ValueError: There is no such chapter.
    """
    from autograder.declare import chapters

    if only is None:
        return chapters()
    load_exercises(only)
    return [only]


def _is_progress(output: NotebookNode) -> bool:
    return output.get("name") == "stderr" and all(
        "it/s" in line or "s/it" in line or not line.strip() for line in _lines(output)
    )


def _lines(output: NotebookNode) -> list[str]:
    text: str = output.text
    return text.replace("\r", "\n").split("\n")


def _same_code(new: NotebookNode, old: NotebookNode) -> bool:
    """Whether nothing but words and checks has changed since the old one was executed."""

    def shape(notebook: NotebookNode) -> list[tuple[str, bool]]:
        sources = [cell.source.rstrip() for cell in notebook.cells if cell.cell_type == "code"]
        # A last semicolon is no code, but what a cell shows depends on it.
        return [(code_hash(source), source.endswith(";")) for source in sources]

    def hashes(notebook: NotebookNode) -> dict[str, str]:
        return {name: value for name, value in _sources(notebook).items() if name != TEXT and not _is_check(name)}

    return shape(new) == shape(old) and hashes(new) == hashes(old)


def _sources(notebook: NotebookNode) -> dict[str, str]:
    """The hashes of what the notebook was made from; none in one that was not made here."""
    return dict(notebook.metadata.get("course", {}).get("sources", {}))


def _checks(notebook: NotebookNode) -> dict[str, str]:
    """The hashes of the checks alone."""
    return {name: value for name, value in _sources(notebook).items() if _is_check(name)}


def _is_check(source: str) -> bool:
    return source.startswith("autograder/checks/")


def _run_checks(notebook: NotebookNode) -> None:
    """Take over anew what is said of answers: run all but the demonstrations, as grading does, and those of them that show it.

    Other cells keep what they printed where the whole chapter was executed: it may be about what is installed there.
    """
    short = copy.deepcopy(notebook)
    short.cells = [cell for cell in short.cells if not is_demonstration(cell) or _ASKS.search(cell.source)]
    execute(short)
    outputs = {cell.id: cell.outputs for cell in short.cells if cell.cell_type == "code" and _ASKS.search(cell.source)}
    for cell in notebook.cells:
        if cell.id in outputs:
            cell.outputs = outputs[cell.id]
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = cell.execution_count


def _take_outputs(new: NotebookNode, old: NotebookNode) -> None:
    pairs = zip(
        (cell for cell in new.cells if cell.cell_type == "code"),
        (cell for cell in old.cells if cell.cell_type == "code"),
        strict=True,
    )
    for fresh, stored in pairs:
        fresh.outputs, fresh.execution_count = stored.outputs, stored.execution_count


def _read(path: Path) -> NotebookNode | None:
    return nbformat.read(path, as_version=4) if path.is_file() else None


def _write(notebook: NotebookNode, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
