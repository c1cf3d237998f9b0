"""Makes a student's feedback: one short page, which needs nothing else: no script, no other file, no network.

It shows only what the student has to look at: the points; for each exercise that lost some, what the checks found
beside the student's own code; comments; the written answer; and what to do next. How much of each there is has a limit,
so that a page stays small whatever was handed in. The processes that write the pages of a class import only this
module.
"""

from __future__ import annotations

import errno
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nbconvert.filters.ansi import strip_ansi

from autograder.building import assistants
from autograder.checkout import write_whole
from autograder.declare import told_points
from autograder.grading import page_layout, rendering, sanitize
from autograder.judging.verdict import Status
from autograder.notebook import report

_MAX_NOTEBOOK = 64 << 20
# Of one page, in bytes of HTML. Together with the frame they keep it under 100 KB; pasted pictures come on top.
_MAX_CODE, _MAX_CODE_OF_ONE = 34_000, 17_000
_MAX_ERRORS, _MAX_ERRORS_OF_ONE = 6_000, 2_500
_MAX_DIAGNOSES = 18_000
_MAX_WRITTEN = 12_000
_MAX_COMMENTS = 6_000
_MAX_PROBLEMS = 3_000
# An answer that is shown alone has so many times the room.
_ROOM_FOR_ONE = 8
_MOST_NEXT = 3
_MOST_FAILED = 5
_COLOURED = "c c1 ch k kc kn mf mi nc nd nf ow s1 s2 sa sd si"
_UNCOLOURED = re.compile(
    rf'<span class="(?!(?:{_COLOURED.replace(" ", "|")})")[a-z0-9]+">([^<>]*)</span>|<span></span>'
)
_PICTURE = re.compile(r'(<img [^<>]*?src=")data:image/[^"<>]*')
# What nbgrader says of an answer that was left as it was given.
_NO_RESPONSE = "No response."
_UNREAD = "This answer has not been graded yet."
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLE = """
body { max-width: 76rem } a { color: var(--word) }
h1 { font-size: 1.5rem; margin: .3rem 0 } h2 { font-size: 1.1rem; margin: 0; break-after: avoid } h3 { font-size: .95rem; margin: .5rem 0 .2rem; break-after: avoid }
.student { margin: 0; overflow-wrap: anywhere }
.score { font-size: 1.3rem; font-weight: 600; margin: .3rem 0 }
.bar { height: .6rem; max-width: 24rem; background: var(--soft); border: 1px solid var(--line); border-radius: .3rem; overflow: hidden; margin: .4rem 0 .9rem } .bar i { display: block; height: 100%; background: var(--good) }
section { border-top: 1px solid var(--line); padding: .6rem 0 }
section > h2 { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .6rem } h2 .points { margin-left: auto; white-space: nowrap; font-variant-numeric: tabular-nums }
h2 .title { font-weight: 400; color: var(--aside) }
.sign { display: inline-block; width: 1.2em; font-weight: 700 } .good { color: var(--good) } .bad { color: var(--bad) } .none { color: var(--aside) }
.told ul { padding-left: 0; list-style: none } .told li { margin: .5rem 0 .5rem 1.2em; break-inside: avoid } .told li > .sign { margin-left: -1.2em }
.told li div { white-space: pre-wrap }
pre { white-space: pre-wrap; margin: 0; font: .8125rem/1.45 ui-monospace, monospace } code { font: .9em ui-monospace, monospace } pre code { font: inherit }
.highlight, .text > pre, .error { background: var(--soft); padding: .6rem .8rem; border-radius: .3rem; margin: .4rem 0 } .error { border-left: .25rem solid var(--bad) }
.text math { font-family: "Cambria Math", "STIX Two Math", "Latin Modern Math", math } .text p:has(math) { overflow-x: auto; overflow-y: hidden; padding-bottom: .1rem }
.display { display: block; overflow-x: auto; overflow-y: hidden; padding: .3rem 0 }
img { max-width: 100%; height: auto; background: #fff } table { border-collapse: collapse; display: block; overflow-x: auto } th, td { border: 1px solid var(--line); padding: .2rem .6rem }
blockquote { margin: 0; padding-left: 1rem; border-left: .25rem solid var(--line) }
.comment, .note { border-left: .25rem solid #E69F00; padding: .1rem .9rem; margin: .6rem 0 }
.k, .kn, .kc, .ow { color: var(--word) } .nf, .nc, .nd { color: var(--name) } .c, .c1, .ch { color: var(--aside) }
.s1, .s2, .sd, .sa, .si, .mi, .mf { color: var(--text) }
.ansi-red-fg, .ansi-red-intense-fg { color: var(--bad) } .ansi-green-fg, .ansi-green-intense-fg { color: var(--good) }
.ansi-blue-fg, .ansi-blue-intense-fg, .ansi-cyan-fg, .ansi-cyan-intense-fg { color: var(--word) } .ansi-bold { font-weight: 600 }
@media (min-width: 60rem) { .beside { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 7fr); gap: 0 1.5rem } }
@media (max-width: 40rem) { h2 .title { order: 1; flex-basis: 100%; font-size: 1rem } }
@media print { body { font-size: .85rem; padding: 0 } .bar { display: none } }
"""


class OutdatedError(Exception):
    """The notebook was graded before reports were stored in the form of today."""


class TooLargeError(Exception):
    """The notebook is too large to be shown."""


@dataclass(frozen=True)
class Mark:
    """What the gradebook has of one cell of a notebook.

    Args:
        score: The points so far.
        points: What it is worth.
        unread: Whether a person still has to read it.
        by_hand: Whether a person has given points for it.
    """

    score: float
    points: float
    unread: bool
    by_hand: bool = False


@dataclass
class Marks:
    """What the gradebook has of one student's notebook.

    Args:
        penalty: What is subtracted because it was late.
        cells: The marks, by the cell's name.
        comments: What was said about answers, by the cell's name.
        student: What the student is called.
    """

    penalty: float = 0.0
    cells: dict[str, Mark] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    student: str = ""

    @property
    def score(self) -> float:
        """All points so far, without what was lost by being late."""
        return max(0.0, sum(mark.score for mark in self.cells.values()) - self.penalty)

    @property
    def points(self) -> float:
        """What the notebook is worth."""
        return sum(mark.points for mark in self.cells.values())

    @property
    def beyond(self) -> float:
        """The points of exercises that are extra credit: they add nothing to what the notebook is worth."""
        return sum(mark.score for mark in self.cells.values() if not mark.points)

    @property
    def unread(self) -> float:
        """What the answers are worth that a person still has to read."""
        return sum(mark.points for mark in self.cells.values() if mark.unread)


@dataclass(frozen=True)
class Chapter:
    """What the pages of a chapter's students share; all of it is the course's own.

    Args:
        name: The chapter's name.
        title: Its title, as Markdown.
        sections: The title, as Markdown, of the section that an answer's cell is in, by the exercise's name.
        given: The cells to be filled in, as they were released, by their names.
        rubric: The rubric of the written answer, as Markdown, or empty.
        address: Where the chapter can be read, or empty.
    """

    name: str
    title: str = ""
    sections: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    rubric: str = ""
    address: str = ""


@dataclass(frozen=True)
class Answer:
    """One answer as HTML, for a page that shows nothing else of the notebook.

    Args:
        question: What was asked: the written question, or the cell as it was given.
        own: What the student wrote; empty where it is as it was given.
        checks: What the checks found; empty for a written answer, and where there was nothing to check.
    """

    question: str
    own: str
    checks: str


@dataclass(frozen=True)
class Job:
    """One page to be written.

    Args:
        notebook: The graded notebook.
        page: Where its page goes.
        marks: What the gradebook has of it.
        chapter: The chapter.
    """

    notebook: Path
    page: Path
    marks: Marks
    chapter: Chapter


def digest(*parts: bytes) -> str:
    """What tells one content from another, of any number of parts."""
    found = hashlib.sha256()
    for part in parts:
        found.update(len(part).to_bytes(8, "big") + part)
    return found.hexdigest()


def source_digest(job: Job, notebook: bytes) -> str:
    """All that a page depends on, as a hash; `notebook` is the file's content."""
    known = json.dumps([asdict(job.marks), asdict(job.chapter)], sort_keys=True)
    return digest(notebook, known.encode(), _code_digest())


@lru_cache(maxsize=1)
def _code_digest() -> bytes:
    modules = (
        __file__,
        assistants.__file__,
        page_layout.__file__,
        rendering.__file__,
        sanitize.__file__,
        report.__file__,
    )
    sources = [Path(str(module)).read_bytes() for module in modules]
    packages = ("mistune", "nbconvert", "pygments", "docutils")
    return digest(*sources, *(version(name).encode() for name in packages)).encode()


def write_page(job: Job) -> tuple[list[str], str]:
    """Write one page, whole or not at all. Returns the hashes of its source and of the page, or why it could not be written."""
    try:
        data = read_graded(job.notebook)
        made = page(json.loads(data), job.marks, job.chapter).encode(errors="replace")
        job.page.parent.mkdir(parents=True, exist_ok=True)
        write_whole(job.page, made, 0o644)
    except (OutdatedError, TooLargeError) as error:
        return [], str(error)
    except OSError as error:
        full = error.errno == errno.ENOSPC
        return [], "the disk is full" if full else f"{error.strerror or error}: {error.filename or job.page}"
    except Exception as error:  # noqa: BLE001 - one notebook never stops the others
        return [], f"its graded notebook could not be shown: {type(error).__name__}: {str(error)[:200]}"
    return [source_digest(job, data), digest(made)], ""


def read_graded(path: Path) -> bytes:
    """What is in a graded notebook.

    Raises:
        TooLargeError: It is too large to be shown.
        OSError: It cannot be read.
    """
    size = path.stat().st_size
    if size > _MAX_NOTEBOOK:
        raise TooLargeError(f"its graded notebook is {size >> 20} MB; at most {_MAX_NOTEBOOK >> 20} MB can be shown")
    return path.read_bytes()


def page(notebook: Mapping[str, Any], marks: Marks, chapter: Chapter) -> str:
    """The page of one graded notebook.

    Args:
        notebook: The notebook, as JSON has it.
        marks: What the gradebook has of it.
        chapter: The chapter.

    Raises:
        OutdatedError: It was graded by an older version of the course.
    """
    body = "\n".join(_Body(notebook, marks, chapter).parts())
    student = f"<p class='student'>{escape(sanitize.printable(marks.student))}</p>\n" if marks.student else ""
    head = f"<header>\n<h1>{rendering.in_line(chapter.title or chapter.name)}</h1>\n{student}{_total(marks)}</header>"
    return page_layout.page(chapter.name, f"{head}\n<main>\n{body}\n</main>", STYLE, _POLICY)


def answer(notebook: Mapping[str, Any], name: str, chapter: Chapter) -> Answer:
    """One answer of a graded notebook, with more room than it has on a page of feedback.

    Args:
        notebook: The notebook, as JSON has it.
        name: The name of the cell that has the points.
        chapter: The chapter.

    Raises:
        OutdatedError: It was graded by an older version of the course.
    """
    return _Body(notebook, Marks(), chapter, _ROOM_FOR_ONE).answer(name)


def own_words(notebook: Mapping[str, Any], name: str, chapter: Chapter) -> str:
    """What a student wrote to a written question, as Markdown; empty where nothing was written.

    Args:
        notebook: The notebook, as JSON has it.
        name: The name of the cell.
        chapter: The chapter.
    """
    return _Body(notebook, Marks(), chapter, _ROOM_FOR_ONE).own_words(name)


def _total(marks: Marks) -> str:
    """The points, what was taken off them, what of them is extra credit, and what is still to come."""
    share = 100 * max(0.0, min(1.0, marks.score / marks.points)) if marks.points else 0
    lines = [
        f"<p class='score'>Score: {_number(marks.score)} / {_number(marks.points)}</p>",
        f"<div class='bar' aria-hidden='true'><i style='width:{share:.0f}%'></i></div>",
    ]
    if marks.beyond:
        lines.append(f"<p>Extra credit: {told_points(marks.beyond)}, already included in the score.</p>")
    if marks.penalty:
        lines.append(f"<p>Late penalty: {told_points(marks.penalty)}, already subtracted from the score.</p>")
    if marks.unread:
        lines.append(
            "<p class='note'><strong>Your written answer has not been graded yet.</strong> "
            f"It is worth {told_points(marks.unread)}, which the score does not include yet.</p>"
        )
    return "\n".join(lines) + "\n"


def _number(points: float) -> str:
    return f"{round(points, 2):g}"


def _score(mark: Mark) -> str:
    return f"{_number(mark.score)} / {_number(mark.points)}"


def _text(value: Any) -> str:
    """A text of the notebook format, which may stand there in lines."""
    return "".join(value) if isinstance(value, list) else str(value)


def _size(made: str) -> int:
    """The bytes that HTML takes, but for the pictures in it."""
    return len(_PICTURE.sub(r"\1", made).encode(errors="replace"))


class _Room:
    """How much of one kind of content still fits on the page."""

    def __init__(self, size: int) -> None:
        self.left = size

    def take(self, made: str) -> bool:
        """Whether this HTML still fits; then its room is taken."""
        size = _size(made)
        if size > self.left:
            return False
        self.left -= size
        return True

    def shortened(self, text: str, most: int) -> tuple[str, int]:
        """As much of a text as fits, escaped, and how many characters are left out; its room is taken."""
        room = min(most, self.left)
        shown = text[: max(room, 0)]
        while _size(escape(shown)) > room:
            shown = shown[: len(shown) * 3 // 4]
        self.left -= _size(escape(shown))
        return escape(shown), len(text) - len(shown)


class _Body:
    """Makes the parts of one page, as long as there is room on it."""

    def __init__(self, notebook: Mapping[str, Any], marks: Marks, chapter: Chapter, room: int = 1) -> None:
        self._notebook, self._marks, self._chapter = notebook, marks, chapter
        self._cells = {name: cell for cell in notebook["cells"] if (name := _name(cell))}
        self._code_room, self._error_room = _Room(room * _MAX_CODE), _Room(room * _MAX_ERRORS)
        self._diagnosis_room, self._written_room = _Room(room * _MAX_DIAGNOSES), _Room(room * _MAX_WRITTEN)
        self._comment_room = _Room(_MAX_COMMENTS)
        self._problems = notebook["metadata"].get("autograder", {}).get("problems", [])

    def parts(self) -> Iterator[str]:
        """All of it, in order."""
        lost: dict[str, float] = {}
        extra_lost = False
        if self._problems:
            yield "<p class='note'>Something was wrong with your notebook: see the <a href='#notes'>notes from grading</a>.</p>"
        for name, cell in self._cells.items():
            mark = cell["metadata"]["nbgrader"]
            if not mark.get("grade"):
                continue
            known = self._marks.cells.get(name)
            if mark.get("solution"):
                yield self._written(name, cell, known)
                if known and not known.unread:
                    lost[name] = known.points - known.score
                continue
            found = _report(cell)
            known = known or Mark(found["earned"], found["points"], unread=False)
            yield self._exercise(name, found, known)
            if found.get("extra_credit"):
                extra_lost = extra_lost or known.score < found["points"]
            else:
                lost[name] = known.points - known.score
        yield from self._disclosed()
        yield from self._notes()
        yield from self._next(lost, extra_lost=extra_lost)

    def answer(self, name: str) -> Answer:
        """One answer alone, by the name of the cell that has its points."""
        cell = self._cells[name]
        if cell["metadata"]["nbgrader"].get("solution"):
            return Answer(rendering.markdown(self._question(name)), self._prose_of(name, cell), "")
        code, found = f"{name}-answer", _report(cell)
        own = "" if self._is_untouched(code) else self._own(self._cells[code])
        given = self._chapter.given.get(code, "")
        checks = "" if not own and _is_unwritten(found) else self._told(found)
        return Answer(rendering.code(given) if given else "", own, checks)

    def _exercise(self, name: str, found: Mapping[str, Any], mark: Mark) -> str:
        """One exercise: a line if nothing was lost, or else what was found beside the student's code."""
        passed = all(check["status"] == Status.PASSED for check in found["checks"])
        untouched = _is_unwritten(found) and self._is_untouched(f"{name}-answer")
        sign = _sign(Status.PASSED if passed else Status.NOT_ATTEMPTED if untouched else Status.FAILED)
        extra = found.get("extra_credit", False)
        title = report.marked_up(found["title"]) + " · extra credit" * extra + " · not written" * untouched
        # The gradebook has 0 points as the most that extra credit adds to the maximum.
        points = f"+{_number(mark.score)} / {_number(found['points'])}" if extra else _score(mark)
        called = escape(name)
        comments = self._comments(f"{name}-answer") + self._comments(name)
        if mark.score != found["earned"]:
            comments += f"<p class='note'>The checks gave {told_points(found['earned'])}; your instructor changed this to {_number(mark.score)}.</p>"
        inner = "" if passed or untouched else self._found(name, found)
        return (
            f"<section id='{called}'>\n<h2><span>{sign}<code>{called}</code></span> "
            f"<span class='title'>{title}</span> <span class='points'>{points}</span></h2>\n"
            f"{inner}{comments}</section>"
        )

    def _is_untouched(self, name: str) -> bool:
        """Whether an answer is as it was given."""
        cell, given = self._cells.get(name), self._chapter.given.get(name, "").strip()
        return cell is None or _text(cell["source"]).strip() in ("", given)

    def _found(self, name: str, found: Mapping[str, Any]) -> str:
        """What the checks found beside the student's own code."""
        answer, own = f"{name}-answer", ""
        told = self._told(found)
        if not self._is_untouched(answer):
            own = f"<div class='own'><h3>Your code</h3>\n{self._own(self._cells[answer])}</div>"
        return f"<div class='beside'>\n<div class='told'>{told}</div>\n{own}</div>\n"

    def _told(self, found: Mapping[str, Any]) -> str:
        """What the checks found; a check that only builds on a missed one is named and no more."""
        above = self._paragraphs([found["cause"]] * bool(found["cause"]))
        passed = [escape(check["name"]) for check in found["checks"] if check["status"] == Status.PASSED]
        builds, untold, rows = [], [], ""
        for check in found["checks"]:
            if check["status"] == Status.PASSED:
                continue
            if check["builds"]:
                builds.append(check)
            elif self._diagnosis_room.take(row := _missed(check)):
                rows += row
            else:
                untold.append(check)
        parts = [
            above,
            f"<ul>{rows}</ul>" if rows else "",
            _named("Also failed, but there is no room for the details", untold),
            _named("Also failed, because they build on a check that failed", builds),
            f"<p class='aside'>Passed: {'; '.join(passed)}.</p>" if passed else "",
            self._paragraphs(found["closing"]),
        ]
        return "".join(parts)

    def _own(self, cell: Mapping[str, Any]) -> str:
        return self._code(_text(cell["source"])) + self._error(cell)

    def _paragraphs(self, lines: list[str]) -> str:
        made = "".join(f"<p>{report.marked_up(line)}</p>" for line in lines)
        return made if self._diagnosis_room.take(made) else ""

    def _code(self, source: str) -> str:
        """A student's code, its words coloured as long as there is room."""
        most = min(self._code_room.left, _MAX_CODE_OF_ONE)
        if len(source) <= most:
            made = _UNCOLOURED.sub(lambda found: found[1] or "", rendering.code(source))
            if _size(made) <= most and self._code_room.take(made):
                return made
        shown, left_out = self._code_room.shortened(source, _MAX_CODE_OF_ONE)
        return f"<div class='highlight'><pre>{shown}{_rest(left_out)}</pre></div>\n"

    def _error(self, cell: Mapping[str, Any]) -> str:
        """The error in which a cell ended, the end of it where it is long."""
        errors = _errors(cell)
        if not errors:
            return ""
        lines = map(str, errors[0]["traceback"])
        # Without the rule that IPython draws.
        text = "\n".join(line for line in lines if "---" not in line or strip_ansi(line).strip("-"))
        most = min(self._error_room.left, _MAX_ERRORS_OF_ONE)
        made = rendering.terminal(text) if len(text) <= most else ""
        if not made or _size(made) > most or not self._error_room.take(made):
            said = strip_ansi(text[-_MAX_ERRORS_OF_ONE:])
            made, left_out = self._error_room.shortened(said, most)
            made += _rest(left_out + len(text) - len(text[-_MAX_ERRORS_OF_ONE:]))
        return f"<div class='error'><pre>{made}</pre></div>\n"

    def _written(self, name: str, cell: Mapping[str, Any], mark: Mark | None) -> str:
        """The written answer with its points, and what a person said about it."""
        called, question = escape(name), self._question(name)
        answer = self._prose_of(name, cell) or "<p>You did not answer this question.</p>\n"
        points = "" if mark is None else f"– / {_number(mark.points)}" if mark.unread else _score(mark)
        score = f" <span class='points'>{points}</span>"
        waits = f"<p class='note'>{_UNREAD}</p>" if mark and mark.unread else ""
        rubric = ""
        if mark and self._shows_rubric(mark):
            made = rendering.markdown(self._chapter.rubric)
            rubric = f"<h3>Rubric: one point each</h3>\n<div class='text'>{made}</div>\n"
        asked = f"<details><summary>The question</summary><div class='text'>{rendering.markdown(question)}</div></details>\n"
        return (
            f"<section id='{called}'>\n<h2><span>Your written answer</span>{score}</h2>\n{asked if question else ''}{answer}"
            f"{waits}{self._comments(name)}{rubric}</section>"
        )

    def _question(self, name: str) -> str:
        return self._chapter.given.get(name, "").strip().rpartition("\n\n")[0]

    def _prose_of(self, name: str, cell: Mapping[str, Any]) -> str:
        source = self.own_words(name)
        return self._prose(source, cell.get("attachments", {}), self._written_room) if source else ""

    def own_words(self, name: str) -> str:
        """The written answer without the question above it, or nothing where it is as it was given."""
        if self._is_untouched(name):
            return ""
        source, question = _text(self._cells[name]["source"]), self._question(name)
        if question and source.startswith(f"{question}\n\n"):
            source = source.removeprefix(question).strip("\n")
        return source

    def _comments(self, name: str) -> str:
        said = self._marks.comments.get(name, "")
        if said in ("", _NO_RESPONSE):
            return ""
        return f"<div class='comment'><strong>Comment</strong>\n{self._prose(said, {}, self._comment_room)}</div>\n"

    def _prose(self, source: str, pictures: Mapping[str, Any], room: _Room) -> str:
        """What a person wrote, as Markdown if that fits, and else as much of it as fits, as it was typed."""
        safe = sanitize.sanitized(source, pictures)
        made = f"<div class='text'>\n{rendering.markdown_with(safe, pictures) if pictures else rendering.markdown(safe)}</div>\n"
        if room.take(made):
            return made
        shown, left_out = room.shortened(source, room.left)
        return f"<div class='text'><pre>{shown}{_rest(left_out)}</pre></div>\n"

    def _disclosed(self) -> Iterator[str]:
        """What the student said about assistants."""
        texts = (_text(cell["source"]) for cell in self._notebook["cells"] if cell["cell_type"] == "markdown")
        said = assistants.disclosed(texts)
        if said is not None:
            told = (
                self._prose(said, {}, self._comment_room)
                if said
                else "<p>You did not say which assistants you used.</p>\n"
            )
            yield f"<section id='{assistants.DISCLOSURE}'>\n<h2>Assistants</h2>\n{told}</section>"

    def _notes(self) -> Iterator[str]:
        """What was repaired, and which cells failed besides the answers."""
        room = _Room(_MAX_PROBLEMS)
        items = [f"<li>{escape(report.sentence(sanitize.printable(str(problem))))}.</li>" for problem in self._problems]
        shown = [item for item in items if room.take(item)]
        if len(shown) < len(items):
            shown.append(f"<li>and {len(items) - len(shown)} more.</li>")
        others = [cell for cell in self._notebook["cells"] if _errors(cell) and not _name(cell).endswith("-answer")]
        failed = []
        for cell in others[:_MOST_FAILED]:
            called = f"<p>The cell <code>{escape(_name(cell))}</code></p>\n" if _name(cell) else ""
            failed.append((called or self._code(_text(cell["source"]))) + self._error(cell))
        if len(others) > _MOST_FAILED:
            failed.append(f"<p>{len(others) - _MOST_FAILED} more cells failed.</p>\n")
        if shown or failed:
            cells = f"<h3>Other cells that failed</h3>\n{''.join(failed)}" if failed else ""
            listed = f"<ul>{''.join(shown)}</ul>\n" if shown else ""
            yield f"<section id='notes'>\n<h2>Notes from grading</h2>\n{listed}{cells}</section>"

    def _next(self, lost: Mapping[str, float], *, extra_lost: bool) -> Iterator[str]:
        """Where most points were lost, and what to read again there; or that nothing was lost."""
        worst = sorted((name for name in lost if lost[name] > 0), key=lambda name: -lost[name])
        if worst:
            told = f"<p>You lost {'the most ' * (len(worst) > _MOST_NEXT)}points here:</p>\n<ul>"
            told += "".join(f"<li>{self._lost(name, lost[name])}</li>" for name in worst[:_MOST_NEXT]) + "</ul>"
            if any(not self._is_written(name) for name in worst[:_MOST_NEXT]):
                told += "\n<p>Correct your code in the notebook, and run <code>check</code> there. Hidden checks run only during grading.</p>"
        elif lost:
            which = "all your code" if self._marks.unread else "all your answers"
            told = f"<p>Nothing to correct: {which} earned full points{', apart from extra credit' * extra_lost}.</p>"
        else:
            return
        yield f"<section class='next'>\n<h2>What to do next</h2>\n{told}</section>"

    def _is_written(self, name: str) -> bool:
        return bool(self._cells[name]["metadata"]["nbgrader"].get("solution"))

    def _lost(self, name: str, points: float) -> str:
        """What an answer lost, and where to look."""
        link = f"<a href='#{escape(name)}'>"
        if self._is_written(name):
            compare = "; compare it with the rubric" * self._shows_rubric(self._marks.cells[name])
            return f"{link}Your written answer</a>: {told_points(points)} lost{compare}."
        title = rendering.in_line(self._chapter.sections.get(name, ""))
        if title and self._chapter.address:
            title = f"<a href='{escape(self._chapter.address)}' target='_blank' rel='noopener noreferrer'>{title}</a>"
        read = f"; read “{title}” again" if title else ""
        return f"{link}<code>{escape(name)}</code></a>: {told_points(points)} lost{read}."

    def _shows_rubric(self, mark: Mark) -> bool:
        return mark.by_hand and bool(self._chapter.rubric)


def _name(cell: Mapping[str, Any]) -> str:
    """The name that nbgrader knows a cell by, or an empty string."""
    return str(cell["metadata"].get("nbgrader", {}).get("grade_id", ""))


def _errors(cell: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The errors in which a cell ended."""
    return [output for output in cell.get("outputs", []) if output["output_type"] == "error"]


def _report(cell: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the checks of an exercise found."""
    for output in cell.get("outputs", []):
        if "autograder" in output.get("metadata", {}):
            found: Mapping[str, Any] = output["metadata"]["autograder"]
            return found
    raise OutdatedError("it was graded by an older version of the course: run `autograder grade` again")


def _is_unwritten(found: Mapping[str, Any]) -> bool:
    """Whether the checks had nothing to run."""
    return all(check["status"] == Status.NOT_ATTEMPTED for check in found["checks"])


def _missed(check: Mapping[str, Any]) -> str:
    """A check that was not passed, with what is said about it."""
    notes = "".join(f"<div>{report.marked_up(note)}</div>" for note in check["notes"])
    sign, worth = _sign(Status(check["status"])), escape(check["worth"])
    return f"<li>{sign}<strong>{escape(check['name'])}</strong> <span class='aside'>({worth})</span>{notes}</li>"


def _named(words: str, checks: list[Mapping[str, Any]]) -> str:
    """Checks by their names, in a line; nothing if there are none."""
    names = "; ".join(f"{escape(check['name'])} ({escape(check['worth'])})" for check in checks)
    return f"<p class='aside'>{words}: {names}.</p>" if names else ""


def _sign(status: Status) -> str:
    shown, kind = {Status.PASSED: ("✓", "good"), Status.NOT_ATTEMPTED: ("·", "none")}.get(status, ("✗", "bad"))
    return f"<span class='sign {kind}' role='img' aria-label='{status.value}'>{shown}</span>"


def _rest(left_out: int) -> str:
    return f"\n[{left_out:,} more characters are not shown.]" if left_out else ""
