"""The sheets of a viva: a student's, with the questions, and the examiner's, with the answers. One file each that loads nothing and prints on A4."""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from autograder.declare import added
from autograder.grading import page_layout
from autograder.grading.sanitize import printable
from autograder.grading.viva_questions import Item
from autograder.notebook.report import marked_up

_STYLE = """
body { max-width: 48rem } h1 { font-size: 1.3rem; margin: .2rem 0 } h2 { font-size: 1.05rem; margin: 0 0 .3rem }
.sheet + .sheet { break-before: page; border-top: 3px solid var(--line); margin-top: 2rem; padding-top: 1rem }
.question { border-top: 1px solid var(--line); margin: .9rem 0; padding-top: .7rem }
pre { margin: .4rem 0; padding: .4rem .7rem; background: var(--soft); border-radius: .3rem; font: .82rem/1.4 ui-monospace, monospace; white-space: pre-wrap }
.options div { flex: 1; min-width: 0 } .options { list-style: none; max-width: none; padding: 0 } .options li { display: flex; gap: .6rem; margin: .25rem 0; break-inside: avoid }
.options span, .rubric strong { flex: none } .options pre { margin: 0; padding: 0; background: none; flex: 1; min-width: 0 } .box { flex: none; width: .8rem; height: .8rem; margin-top: .2rem; border: 1.5px solid var(--ink) }
.right { font-weight: 600 } .right .box { background: var(--ink); print-color-adjust: exact } .options p { margin: .1rem 0 0 }
.line { border-bottom: 1px solid var(--aside); height: 1.7rem } .names { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 2rem }
.rubric { list-style: none; padding: 0 } .rubric li { display: flex; gap: .6rem; margin: .2rem 0 }
@media print {
  @page { size: A4; margin: 14mm 15mm }
  body { max-width: none; padding: 0; font-size: 10pt } .sheet + .sheet { border: 0; margin: 0; padding: 0 }
  h2, .ask, .ask p, .tests, .before, .options { break-after: avoid } pre, .last { break-inside: avoid } .question { break-inside: auto } pre { border: 1px solid var(--line) } .options pre { border: 0 }
}
"""
_TESTS = {
    "happens": "following a change of one line through the code to its result",
    "here": "knowing what an expression of the code computes on the way",
    "change": "reading back from a result to the line that explains it",
    "input": "knowing which inputs a line matters for",
    "shape": "keeping track of shapes",
    "mistake": "telling a mistake by the result that it gives",
    "keeps": "telling what matters in the code from what does not",
    "fails": "seeing which change breaks shapes, indices or the end of a loop",
}
"""What a question of each kind tests."""
_WRONG_SHEET = "For the examiner: do not hand this to the student."


@dataclass(frozen=True)
class Sheet:
    """What one student is asked.

    Args:
        student: The student's id.
        called: What the student is called on the sheet.
        items: The questions.
        notes: Why there is no question about some code, in sentences.
        together: Who is asked the same, as they are called.
    """

    student: str
    called: str
    items: Sequence[Item]
    notes: Sequence[str] = ()
    together: Sequence[str] = ()


def students_page(title: str, sheets: Iterable[Sheet]) -> str:
    """The page with the questions of one student, or of several, each on paper of their own.

    Args:
        title: The chapter's title.
        sheets: What they are asked.
    """
    return _page(f"{title}: questions", "".join(_for_student(title, sheet) for sheet in sheets))


def examiners_page(title: str, sheets: Iterable[Sheet]) -> str:
    """The page with the answers to the questions of one student, or of several.

    Args:
        title: The chapter's title.
        sheets: What they are asked.
    """
    return _page(f"{title}: answers for the examiner", "".join(_for_examiner(title, sheet) for sheet in sheets))


def _page(title: str, body: str) -> str:
    return page_layout.page(title, f"<main>{body}</main>", _STYLE)


def _head(title: str, sheet: Sheet, words: str) -> str:
    who = escape(printable(sheet.called))
    return (
        f"<header><div class='names'><h1>{escape(title)}</h1><p><strong>{who}</strong></p></div><p>{words}</p></header>"
    )


def _for_student(title: str, sheet: Sheet) -> str:
    about_own = any(item.question and item.question.code for item in sheet.items)
    words = "The questions are about the code that you handed in, shown without comments and types. " * about_own
    words += "Tick one option each, and say in a sentence why. Numbers are rounded to two decimals."
    body = "".join(_asked(number, item) for number, item in enumerate(sheet.items, start=1))
    return f"<article class='sheet'>{_head(title, sheet, words)}{_notes(sheet)}{body}</article>\n"


def _notes(sheet: Sheet) -> str:
    return "".join(f"<p class='aside'>{marked_up(printable(note))}</p>" for note in sheet.notes)


def _asked(number: int, item: Item) -> str:
    if item.question is None:
        lines = "<div class='line'></div>" * 6
        return f"{_opening(number, item)}{_why(item)}<div class='last'>{lines}</div></section>"
    options = "".join(
        f"<li><span class='box'></span><span>{letter})</span>{_block(option.text)}</li>"
        for letter, option in zip(string.ascii_lowercase, item.question.options, strict=False)
    )
    because = "<div class='last'><p>Because:</p><div class='line'></div><div class='line'></div></div>"
    return f"{_opening(number, item)}{_scene(item)}<ul class='options'>{options}</ul>{because}</section>"


def _opening(number: int, item: Item) -> str:
    return f"<section class='question'><h2>{number}. <code>{escape(item.exercise)}</code></h2>"


def _why(item: Item) -> str:
    assert item.why is not None
    return f"<p class='ask'>{marked_up(item.why.ask)}</p>"


def _scene(item: Item) -> str:
    """The code, the inputs and the question."""
    question = item.question
    assert question is not None
    code = _block(question.code) if question.code else ""
    given = f"<p class='before'>With</p>{_block(question.given)}" if question.given else ""
    return f"{code}{given}<div class='ask'>{_blocks(question.ask)}</div>"


def _blocks(text: str) -> str:
    """Paragraphs, of which those that are indented keep their lines."""
    return "".join(
        _block("\n".join(line.removeprefix("    ") for line in part.splitlines()))
        if part.startswith("    ")
        else f"<p>{marked_up(_safe(part))}</p>"
        for part in text.split("\n\n")
    )


def _safe(text: str) -> str:
    """Text with nothing in it that turns letters around or hides them."""
    return "\n".join(map(printable, text.splitlines()))


def _block(text: str) -> str:
    return f"<pre>{escape(_safe(text))}</pre>"


def _for_examiner(title: str, sheet: Sheet) -> str:
    same = f" The same questions are for {escape(printable(', '.join(sheet.together)))}." if sheet.together else ""
    body = "".join(_answered(number, item) for number, item in enumerate(sheet.items, start=1))
    return f"<article class='sheet'>{_head(title, sheet, f'<strong>{_WRONG_SHEET}</strong>{same}')}{_notes(sheet)}{body}</article>\n"


def _answered(number: int, item: Item) -> str:
    if item.question is None:
        assert item.why is not None
        share = added([1 / max(1, len(item.why.rubric))])
        rubric = _rubric([(f"{share}", line) for line in item.why.rubric])
        return f"{_opening(number, item)}<p class='aside tests'>Tests: the reason behind the code. One point.</p>{_why(item)}{rubric}</section>"
    question, rows = item.question, []
    for place, option in enumerate(question.options):
        is_right, note = place == question.right, option.note
        said = f"<p class='aside'>{marked_up(_safe(note))}</p>" if note else ""
        kind = " class='right'" * is_right
        rows.append(
            f"<li{kind}><span class='box'></span><span>{string.ascii_lowercase[place]})</span><div>{_block(option.text)}{said}</div></li>"
        )
    why = _blocks("\n\n".join(question.why)) if question.why else ""
    rubric = _rubric([("0.5", f"option {string.ascii_lowercase[question.right]}"), ("0.5", _reason(question.kind))])
    return (
        f"{_opening(number, item)}<p class='aside tests'>Tests: {_TESTS[question.kind]}. One point.</p>{_scene(item)}"
        f"<ul class='options'>{''.join(rows)}</ul>{why}{rubric}</section>"
    )


def _reason(kind: str) -> str:
    """What a reason has to say for its half of the point."""
    return {
        "happens": "works out at least one of the numbers, or says why nothing changes",
        "here": "says what the expression does, and works out at least one of the numbers",
        "change": "says what the changed line does to the result, and why another option would show elsewhere",
        "input": "says what has to be in an input for the line to matter",
        "shape": "names each dimension and says where it comes from",
        "mistake": "says what the mistake does to these inputs",
        "keeps": "says why these inputs cannot show the difference, or why there is none",
        "fails": "says what no longer fits",
    }[kind]


def _rubric(rows: Sequence[tuple[str, str]]) -> str:
    items = "".join(
        f"<li><span class='box'></span><strong>{points}</strong><span>{marked_up(text)}</span></li>"
        for points, text in rows
    )
    return f"<ul class='rubric'>{items}</ul>"
