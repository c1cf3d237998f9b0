"""Makes the page of one graded notebook, which needs nothing else: no script, no other file, no network.

The processes that write the pages of a class import this module and no more.
"""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nbconvert.filters.ansi import strip_ansi

from autograder.grading import harmless, rendering
from autograder.house import write_whole

_MAX_NOTEBOOK = 64 << 20
# Of one page: characters of highlighted code, characters of output, and characters of pictures.
_MAX_HIGHLIGHTED = 60_000
_MAX_OUTPUT = 1_000_000
_MAX_PICTURES = 16_000_000
_UNREAD = "Nobody has read this answer yet. Its points are still to come."
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
:root { color-scheme: light dark; --line: #c9d1d9; --soft: #f5f7f9; --word: #0b5cad; --text: #9a3412; --aside: #57606a; --name: #6f42c1 }
@media (prefers-color-scheme: dark) {
  :root { --line: #444c56; --soft: #22272e; --word: #7cc4ff; --text: #ffb38a; --aside: #a9b4c0; --name: #d2a8ff }
  body { background: #16191d; color: #e6edf3 }
}
body { max-width: 56rem; margin: 0 auto; padding: 1rem; font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
a { color: var(--word) }
h1 { font-size: 1.6rem; margin: .5rem 0 } h2 { font-size: 1.4rem } h3 { font-size: 1.2rem } h4, h5, h6 { font-size: 1rem }
pre { white-space: pre-wrap; margin: 0; font: .875rem/1.45 ui-monospace, monospace }
code { font: .9em ui-monospace, monospace } pre code { font: inherit }
.highlight, .text > pre, .output > pre { padding: .6rem .8rem; border-radius: .3rem; margin: .5rem 0 }
.highlight, .text > pre { background: var(--soft) }
.output { margin: .5rem 0 } .output > pre { border: 1px solid var(--line) }
math { font-family: "Cambria Math", "STIX Two Math", "Latin Modern Math", math }
p:has(math) { overflow-x: auto; overflow-y: hidden; padding-bottom: .1rem }
img { max-width: 100%; height: auto; background: #fff }
table { border-collapse: collapse; display: block; overflow-x: auto } th, td { border: 1px solid var(--line); padding: .2rem .6rem }
blockquote { margin: 0; padding-left: 1rem; border-left: .25rem solid var(--line) }
.display { display: block; overflow-x: auto; overflow-y: hidden; padding: .3rem 0 }
.marked { border: 1px solid var(--line); border-radius: .4rem; padding: .2rem .9rem .6rem; margin: 1.2rem 0 }
.marked > header { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; font-weight: 600; padding: .3rem 0 }
.comment, .note { border-left: .25rem solid #E69F00; padding: .1rem .9rem; margin: .6rem 0 }
.k, .kn, .kc, .ow { color: var(--word) } .nf, .nc, .nd { color: var(--name) } .c, .c1, .ch { color: var(--aside) }
.s1, .s2, .sd, .sa, .si, .mi, .mf { color: var(--text) }
.ansi-red-fg, .ansi-red-intense-fg { color: #D55E00 } .ansi-green-fg, .ansi-green-intense-fg { color: #00875F }
.ansi-blue-fg, .ansi-blue-intense-fg, .ansi-cyan-fg, .ansi-cyan-intense-fg { color: var(--word) } .ansi-bold { font-weight: 600 }
@media print { .marked, .output { break-inside: avoid } }
"""


@dataclass(frozen=True)
class Mark:
    """What the gradebook has of one cell of a notebook.

    Args:
        score: The points so far.
        points: What it is worth.
        unread: Whether a person still has to read it.
    """

    score: float
    points: float
    unread: bool


@dataclass
class Marks:
    """What the gradebook has of one student's notebook.

    Args:
        penalty: What is taken off because it was late.
        cells: The marks, by the cell's name.
        comments: What was said about answers, by the cell's name.
    """

    penalty: float = 0.0
    cells: dict[str, Mark] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """All points so far."""
        return sum(mark.score for mark in self.cells.values()) - self.penalty

    @property
    def points(self) -> float:
        """What the notebook is worth."""
        return sum(mark.points for mark in self.cells.values())

    @property
    def unread(self) -> float:
        """What the answers are worth that a person still has to read."""
        return sum(mark.points for mark in self.cells.values() if mark.unread)


@dataclass(frozen=True)
class Job:
    """One page to be written.

    Args:
        notebook: The graded notebook.
        page: Where its page goes.
        marks: What the gradebook has of it.
        chapter: The chapter's name.
    """

    notebook: Path
    page: Path
    marks: Marks
    chapter: str


def digest(*parts: bytes) -> str:
    """What tells one content from another, of any number of parts."""
    found = hashlib.sha256()
    for part in parts:
        found.update(len(part).to_bytes(8, "big") + part)
    return found.hexdigest()


def source_digest(job: Job, notebook: bytes) -> str:
    """All that a page depends on, as a hash; `notebook` is the file's content."""
    marks = json.dumps(asdict(job.marks), sort_keys=True)
    return digest(notebook, marks.encode(), job.chapter.encode(), _code_digest())


@lru_cache(maxsize=1)
def _code_digest() -> bytes:
    sources = [Path(module).read_bytes() for module in (__file__, rendering.__file__, harmless.__file__)]
    packages = ("mistune", "nbconvert", "pygments", "docutils")
    return digest(*sources, *(version(name).encode() for name in packages)).encode()


def write_page(job: Job) -> tuple[list[str], str]:
    """Write one page, whole or not at all. Returns the hashes of its source and of the page, or why it could not be written."""
    try:
        size = job.notebook.stat().st_size
        if size > _MAX_NOTEBOOK:
            return [], f"its graded notebook has {size >> 20} MB; at most {_MAX_NOTEBOOK >> 20} are shown"
        data = job.notebook.read_bytes()
        made = page(json.loads(data), job.marks, job.chapter).encode(errors="replace")
        job.page.parent.mkdir(parents=True, exist_ok=True)
        write_whole(job.page, made, 0o644)
    except OSError as error:
        full = error.errno == errno.ENOSPC
        return [], "the disk is full" if full else f"{error.strerror or error}: {error.filename or job.page}"
    except Exception as error:  # noqa: BLE001 - one notebook never stops the others
        return [], f"its graded notebook could not be shown: {type(error).__name__}: {str(error)[:200]}"
    return [source_digest(job, data), digest(made)], ""


def page(notebook: Mapping[str, Any], marks: Marks, chapter: str) -> str:
    """The page of one graded notebook.

    Args:
        notebook: The notebook, as JSON has it.
        marks: What the gradebook has of it.
        chapter: The chapter's name.
    """
    body = _Body(marks)
    cells = "\n".join(map(body.cell, notebook["cells"]))
    names = [str(cell["metadata"].get("nbgrader", {}).get("grade_id", "")) for cell in notebook["cells"]]
    contents = "".join(_entry(name, marks) for name in names)
    late = f"<li>Late submission: {_number(-marks.penalty)}</li>" if marks.penalty else ""
    unread = (
        f"<p class='note'><strong>Not all has been read yet.</strong> The score lacks your written answer, worth {_number(marks.unread)} points.</p>"
        if marks.unread
        else ""
    )
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="en">\n<head>\n<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(chapter)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<header id='top'>\n"
        f"<h1>{escape(chapter)}</h1>\n<p><strong>Score: {_number(marks.score)} / {_number(marks.points)}</strong></p>\n{unread}"
        f"<ul>{contents}{late}</ul>\n</header>\n<main>\n{cells}\n</main>\n</body>\n</html>\n"
    )


def _entry(name: str, marks: Marks) -> str:
    """What the contents say of a cell."""
    called, mark = escape(name), marks.cells.get(name)
    score = f"<li><a href='#{called}'>{called}</a>: {_score(mark)}</li>" if mark else ""
    said = f"<li><a href='#comment-{called}'>Comment on {called}</a></li>" if name in marks.comments else ""
    return score + said


def _number(points: float) -> str:
    return f"{round(points, 2):g}"


def _score(mark: Mark) -> str:
    return f"{_number(mark.score)} / {_number(mark.points)}"


def _text(value: Any) -> str:
    """A text of the notebook format, which may stand there in lines."""
    return "".join(value) if isinstance(value, list) else str(value)


class _Body:
    """Makes the cells of one page, as long as there is room on it."""

    def __init__(self, marks: Marks) -> None:
        self._marks = marks
        self._highlighted, self._output, self._pictures = _MAX_HIGHLIGHTED, _MAX_OUTPUT, _MAX_PICTURES
        self._escapes = 2 * rendering.MAX_ESCAPES

    def cell(self, cell: Mapping[str, Any]) -> str:
        """One cell, in a frame if it is one that counts."""
        mark = cell["metadata"].get("nbgrader", {})
        name, is_answer = str(mark.get("grade_id", "")), bool(mark.get("solution") or mark.get("task"))
        is_report = bool(mark.get("grade")) and not is_answer
        inner = self._code(_text(cell["source"])) if cell["cell_type"] == "code" else _prose(cell)
        inner += "".join(self._shown(output, is_report) for output in cell.get("outputs", []))
        if not (is_answer or is_report):
            return inner
        known, called = self._marks.cells.get(name), escape(name)
        title = "Your answer" if is_answer else f"Checks of <code>{called}</code>"
        score = f"Score: {_score(known)} " if known else ""
        said = self._marks.comments.get(name, "")
        comments = [harmless.harmless(said, {})] * bool(said) + [_UNREAD] * bool(known and known.unread)
        below = "".join(f"<div class='comment'>\n{rendering.markdown(comment)}</div>\n" for comment in comments)
        return (
            f"<section class='marked' id='{called}'>\n<header><span>{title}</span><span>{score}<a href='#top'>(top)</a></span></header>\n"
            f"{inner}<div id='comment-{called}'>{below}</div></section>"
        )

    def _code(self, source: str) -> str:
        self._highlighted -= len(source)
        return rendering.code(source) if self._highlighted >= 0 else rendering.plain_code(source)

    def _shown(self, output: Mapping[str, Any], is_report: bool) -> str:
        """One output; HTML is shown of our own reports alone."""
        if output["output_type"] == "stream":
            return self._printed(_text(output["text"]))
        if output["output_type"] == "error":
            return self._printed("\n".join(map(str, output["traceback"])))
        data = output["data"]
        if is_report and "text/html" in data:
            return f"<div class='output'>{_text(data['text/html'])}</div>"
        for kind in ("image/png", "image/jpeg"):
            if kind in data:
                return self._picture(f"data:{kind};base64,{''.join(_text(data[kind]).split())}")
        return self._printed(_text(data["text/plain"])) if "text/plain" in data else ""

    def _printed(self, text: str) -> str:
        shown = text[: max(self._output, 0)]
        self._output -= len(text)
        left_out = len(text) - len(shown)
        self._escapes -= shown.count("\x1b")
        if self._escapes < 0:
            shown = strip_ansi(shown)
        rest = f"\n[{left_out:,} more characters are not shown.]" if left_out else ""
        return f"<div class='output'><pre>{rendering.terminal(shown)}{rest}</pre></div>\n"

    def _picture(self, address: str) -> str:
        self._pictures -= len(address)
        if self._pictures < 0 or not harmless.is_bitmap(address):
            return "<div class='output'><pre>[A picture is not shown: there are too many, or it cannot be read.]</pre></div>\n"
        return f"<div class='output'><img src='{address}' alt='A picture that the code above made'></div>\n"


def _prose(cell: Mapping[str, Any]) -> str:
    source, pictures = _text(cell["source"]), cell.get("attachments")
    if cell["cell_type"] == "raw":
        shown = f"<pre>{escape(source)}</pre>\n"
    else:
        shown = rendering.markdown_with(source, pictures) if pictures else rendering.markdown(source)
    return f"<div class='text'>\n{shown}</div>\n"
