"""The pages on which answers are marked by hand: one answer with all that a person needs to judge it, and the list of all answers.

Everything on them works without a script; `marking.js` adds keys, and comments that are used again by a click.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from urllib.parse import urlencode

from autograder.grading import page_layout, rendering
from autograder.grading.marking import LONGEST, Answer, Marking, Part, Sheet, Standing
from autograder.grading.pages import STYLE
from autograder.grading.sanitize import printable

POLICY = "default-src 'none'; script-src 'self'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'"
_MOST_REMARKS = 30
_MOST_SIMILAR = 10
_EXCERPT = 80
_KEYS = (
    ("1 to 5, outside the fields", "tick or untick an item of the rubric; 0 unticks them all"),
    ("Enter in the field for points or in the rubric, or Ctrl+Enter anywhere", "save, and go to the next answer"),
    ("Alt+U", "undo what was saved last, and show the answer again"),
    ("Alt+N", "the next answer, without saving"),
    ("Alt+P", "the previous answer"),
    ("Alt+A", "the answer"),
    ("Alt+G", "the points"),
    ("Alt+C", "the comment"),
    ("Alt+R", "the comments used before"),
    ("Alt+S", "the points and the comment of a similar answer"),
)
_STYLE = """
h1 small { font-size: 1rem; font-weight: 400 } header { border-bottom: 1px solid var(--line); padding-bottom: .6rem; margin-bottom: .6rem }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem 1rem; margin: .3rem 0 } .row p { margin: 0 }
.bar { margin: .3rem 0; max-width: none } .bar i { background: var(--bar) }
label { font-weight: 600 } .row label { font-weight: 400; min-width: 0; max-width: 100% }
input, textarea, select, button { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--aside); border-radius: .3rem; padding: .3rem .5rem; max-width: 100%; box-sizing: border-box }
:focus-visible { outline: .2rem solid var(--bar); outline-offset: .1rem }
button { cursor: pointer; background: var(--soft) } button.main { background: var(--word); border-color: var(--word); color: var(--page); font-weight: 600 }
textarea { display: block; width: 100%; min-height: 6rem } #points { width: 6rem; font-size: 1.2rem } [aria-invalid] { border: .15rem solid var(--bad) }
.error-text { color: var(--bad); font-weight: 600 } .panel section { padding: .4rem 0 } .panel h2, .panel h3 { font-size: 1rem; margin: .2rem 0 }
.status form { display: inline } .asked { white-space: pre-wrap } .items { border: 0; margin: 0; padding: 0; font-size: .9rem } .items legend { padding: 0; font-size: 1rem; font-weight: 600 } .items label { display: grid; grid-template-columns: auto auto 1fr; gap: .5rem; align-items: start; font-weight: 400; padding: .15rem 0; cursor: pointer } .items label:hover { background: var(--soft) } .items kbd { color: var(--aside) }
.used { list-style: none; padding: 0 } .used button { text-align: left; width: 100%; margin: .15rem 0; padding: .2rem .5rem } .used button:disabled { cursor: default }
kbd { font: .9em ui-monospace, monospace }
table.all { display: table; width: 100% } .all th, .all td { text-align: left; vertical-align: top; border-width: 0 0 1px } .all .number { text-align: right } .all th, .all td + td { overflow-wrap: break-word } .all td:not(:last-child) { white-space: nowrap } .all td:first-child { white-space: normal; min-width: 5.5rem }
.answer { min-width: 0 } .answer, .panel section:first-child { border: 0 } .question { border-left: .25rem solid var(--line); padding: .1rem .9rem; margin: .5rem 0 } dl { margin: .3rem 0 } dt { font-weight: 600 } dd { margin: 0 0 .2rem 1rem }
summary { cursor: pointer } .wide { overflow-x: auto }
@media (max-width: 40rem) { .all th, .all td { padding: .2rem .3rem } }
@media (min-width: 60rem) {
  .marking { display: grid; grid-template-columns: minmax(0, 3fr) minmax(20rem, 2fr); gap: 0 2rem; align-items: start }
  .panel { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 0 .4rem .4rem; box-sizing: border-box }
}
"""


@dataclass(frozen=True)
class View:
    """Which answers somebody goes through, as their address tells.

    Args:
        part: The part that is marked.
        waiting: Whether only the answers that wait are gone to.
    """

    part: Part
    waiting: bool

    def address(self, answer: Answer | None = None, page: str = ".", **more: str) -> str:
        """The address of an answer, or of another page."""
        asked = {"exercise": self.part.name, "show": "unread" if self.waiting else "all"}
        if answer is not None:
            asked["answer"] = answer.key
        return f"{page}?{urlencode({**asked, **more})}"


@dataclass(frozen=True)
class Typed:
    """What somebody typed that could not be saved, with the reason.

    Args:
        points: The points as they were typed.
        comment: The comment.
        items: The numbers of the items of the rubric that were ticked.
        reason: Why it was not saved, in a sentence or two.
        about_points: Whether that is because of the points.
    """

    points: str
    comment: str
    items: tuple[str, ...]
    reason: str
    about_points: bool = False


def answer_page(
    marking: Marking,
    view: View,
    standing: Standing,
    answer: Answer,
    sheet: Sheet,
    saved: Answer | None,
    typed: Typed | None,
) -> str:
    """The page of one answer.

    Args:
        marking: What is marked.
        view: Which answers are gone through.
        standing: How far the marking is.
        answer: The answer.
        sheet: All that is known of it.
        saved: The answer that has just been saved, if one has.
        typed: What could not be saved, if something could not.
    """
    place = standing.place(answer.key) or 0
    waits = standing.counts[view.part.name][0]
    where = f"{place + 1} of {len(standing.answers)}"
    before, after = standing.before(place, waiting=view.waiting), standing.after(place, waiting=view.waiting)
    links = [
        _link(view, before, "prev", "← Previous", "Alt+P"),
        _link(view, after, "next", "Next →", "Alt+N"),
        f"<a href='{escape(view.address(page='list'))}'>All answers</a>",
    ]
    body = [
        f"<header>\n{_headline(marking, view.part.title)}",
        f"<div class='row'><p><strong id='where'>{where}</strong>, {_unread(waits)}</p>",
        f"<nav class='row' aria-label='Answers'>{''.join(links)}</nav></div>",
        _bar(len(standing.answers) - waits, len(standing.answers)),
        _choice(marking, view, standing),
        f"</header>\n<main>{_told(marking, view, saved)}<div class='marking'>",
        _answer(marking, view, standing, answer, sheet),
        "<div class='panel'>",
        *_panel(marking, view, standing, answer, sheet, typed),
        "</div>\n</div></main>\n<script src='marking.js'></script>",
    ]
    title = f"{where}: {view.part.title}, {printable(marking.called(answer))}"
    return page_layout.page(f"Not saved. {title}" if typed else title, "\n".join(body), STYLE + _STYLE, POLICY)


def list_page(marking: Marking, view: View, standing: Standing, saved: Answer | None) -> str:
    """The list of all answers to one part.

    Args:
        marking: What is marked.
        view: Which answers are gone through.
        standing: How far the marking is.
        saved: The answer that has just been saved, if one has.
    """
    waits, number = standing.counts[view.part.name]
    rows = "".join(_row(marking, view, one) for one in standing.answers)
    head = "<tr><th>student</th><th class='number'>points</th><th>state</th><th>comment</th></tr>"
    first = next((one for one in standing.answers if one.waits), None)
    begin = (
        f"<p><a href='{escape(replace(view, waiting=True).address(first))}'>Go to the first unread answer</a></p>"
        if first
        else ""
    )
    body = [
        f"<header>\n{_headline(marking, f'{view.part.title}: all answers')}\n<p>{number} answers, {_unread(waits)}</p>",
        _bar(number - waits, number),
        _choice(marking, view, standing),
        f"</header>\n<main>{_told(marking, view, saved)}",
        begin or "\n".join(_done(marking, view, standing)),
        f"<div class='wide'><table class='all'><thead>{head}</thead><tbody>{rows}</tbody></table></div>\n</main>",
    ]
    return page_layout.page(f"{view.part.title}: all answers", "\n".join(body), STYLE + _STYLE, POLICY)


def trouble_page(reason: str, again: Mapping[str, str]) -> str:
    """A page that says what went wrong.

    Args:
        reason: What did.
        again: The fields of a form that could not be saved, which a button sends once more; none where there is no such form.
    """
    fields = _fields(again)
    button = (
        f"<form method='post' action='save'>{fields}<button class='main'>Try again</button></form>" if fields else ""
    )
    body = f"<main>\n<h1>This did not work</h1>\n<p role='alert'>{escape(reason)}</p>\n{button}\n</main>"
    return page_layout.page("This did not work", body, STYLE + _STYLE, POLICY)


def _headline(marking: Marking, words: str) -> str:
    return f"<h1>{escape(words)} <small class='aside'>{escape(marking.chapter)}</small></h1>"


def _number(points: float) -> str:
    return f"{round(points, 4):g}"


def _unread(waits: int) -> str:
    return f"{waits} unread" if waits else "all read"


def _bar(done: int, number: int) -> str:
    share = 100 * done / number if number else 0
    return f"<div class='bar' aria-hidden='true'><i style='width:{share:.1f}%'></i></div>"


def _link(view: View, to: Answer | None, kind: str, words: str, key: str) -> str:
    if to is None:
        return f"<span class='aside'>{words}</span>"
    return f"<a rel='{kind}' aria-keyshortcuts='{key}' href='{escape(view.address(to))}'>{words}</a>"


def _choice(marking: Marking, view: View, standing: Standing) -> str:
    """Which part is marked, and which answers are gone through."""
    options = []
    for part in marking.parts:
        waits, number = standing.counts[part.name]
        chosen = " selected" * (part.name == view.part.name)
        options.append(
            f"<option value='{escape(part.name)}'{chosen}>{escape(part.title)} ({waits} of {number} unread)</option>"
        )
    kinds = "".join(
        f"<option value='{kind}'{' selected' * (view.waiting == (kind == 'unread'))}>{words}</option>"
        for kind, words in (("unread", "unread answers"), ("all", "all answers"))
    )
    return (
        "<form method='get' action='.' class='row'>"
        f"<label>Exercise <select name='exercise'>{''.join(options)}</select></label>"
        f"<label>Show <select name='show'>{kinds}</select></label><button>Go</button></form>"
    )


def _told(marking: Marking, view: View, saved: Answer | None) -> str:
    """What has just been saved."""
    if saved is None:
        return ""
    points = "no points yet" if saved.score is None else f"{_number(saved.score)} of {_number(view.part.worth)} points"
    said = " and a comment" if saved.comment else ""
    back = f"<a href='{escape(view.address(saved))}'>Change it</a>"
    undo = f"<form method='post' action='undo'>{_hidden(view, saved)}<button id='undo' aria-keyshortcuts='Alt+U'>Undo</button></form>"
    who = escape(printable(marking.called(saved)))
    return f"<div role='status' class='note status'>Saved for {who}: {points}{said}. {back} {undo}</div>"


def _hidden(view: View, answer: Answer, **more: str) -> str:
    """The fields of a form that say which answer it is about, and where its page was."""
    asked = {"exercise": view.part.name, "show": "unread" if view.waiting else "all", "answer": answer.key}
    return _fields({**asked, **more})


def _fields(values: Mapping[str, str]) -> str:
    return "".join(
        f"<input type='hidden' name='{escape(name)}' value='{escape(value)}'>" for name, value in values.items()
    )


def _answer(marking: Marking, view: View, standing: Standing, answer: Answer, sheet: Sheet) -> str:
    """The question, the answer, what the checks found, and the answers that are like it."""
    part, shown = view.part, sheet.shown
    parts = [
        f"<section class='answer' id='answer' tabindex='-1' aria-labelledby='who'>\n<h2 id='who'>{escape(printable(marking.called(answer)))}</h2>"
    ]
    parts += [
        f"<div class='note'><strong>{'The student asks' if request.is_open else 'The student asked'}:</strong> "
        f"<span class='asked'>{escape(chr(10).join(map(printable, request.text.splitlines())))}</span></div>"
        for request in answer.requests
    ]
    if isinstance(shown, str):
        parts.append(f"<p class='note'>{escape(printable(shown))}</p>")
    else:
        if shown.question:
            words, opened = ("The question", " open") if part.is_written else ("The exercise as it was given", "")
            parts.append(
                f"<details{opened}><summary>{words}</summary><div class='text question'>{shown.question}</div></details>"
            )
        if shown.checks:
            parts.append(f"<h3>What the checks found</h3>\n<div class='told'>{shown.checks}</div>\n<h3>The answer</h3>")
        parts.append(shown.own or "<p class='note'>The student left the given cell unchanged.</p>")
    parts += _similar(marking, view, standing.like(answer))
    if part.model:
        made = rendering.markdown(part.model) if part.is_written else rendering.code(part.model)
        parts.append(
            f"<details><summary>{'Model answer' if part.is_written else 'Reference solution'}</summary><div class='text question'>{made}</div></details>"
        )
    if not marking.anonymous:
        parts.append(f"<p class='aside'>The whole notebook: <code>{escape(printable(str(sheet.notebook)))}</code></p>")
    return "\n".join([*parts, "</section>"])


def _panel(
    marking: Marking, view: View, standing: Standing, answer: Answer, sheet: Sheet, typed: Typed | None
) -> Iterator[str]:
    """Where points and comment are typed."""
    part = view.part
    manual = "" if sheet.manual is None else _number(sheet.manual)
    points, comment = (typed.points, typed.comment) if typed else (manual, sheet.comment)
    if typed:
        yield f"<p role='alert' id='reason' class='error-text'>{escape(typed.reason)}</p>"
    wrong = " aria-invalid='true'" * bool(typed and typed.about_points)
    described = "reason state" if typed else "state"
    yield "<form method='post' action='save' id='mark' autocomplete='off'>"
    yield _hidden(view, answer, version=sheet.version)
    yield (
        f"<p><label for='points'>Points, 0 to {_number(part.worth)}</label><br>"
        f"<input id='points' name='points' inputmode='decimal' maxlength='10' value='{escape(points)}' aria-describedby='{described}'{wrong} aria-keyshortcuts='Alt+G'>"
        f"</p>\n<p id='state' class='aside'>{_state(part, sheet)}</p>"
    )
    if part.is_written and marking.rubric_items:
        yield _rubric(marking.rubric_items, typed.items if typed else ())
    # The line break after the tag is not part of the text, and keeps one with which a comment begins.
    yield (
        "<p><label for='comment'>Comment for the student, in Markdown</label>"
        f"<textarea id='comment' name='comment' maxlength='{LONGEST}' aria-keyshortcuts='Alt+C'>\n{escape(comment)}</textarea></p>"
    )
    yield "<p><button class='main' aria-keyshortcuts='Control+Enter'>Save and next</button></p></form>"
    remarks = standing.remarks()[:_MOST_REMARKS]
    if remarks:
        items = "".join(f"<li><button type='button' disabled>{escape(text)}</button></li>" for text in remarks)
        yield f"<section><h2 id='remarks' tabindex='-1'>Reuse a comment</h2><ul class='used' aria-labelledby='remarks'>{items}</ul></section>"
    keys = "".join(f"<dt><kbd>{key}</kbd></dt><dd>{what}</dd>" for key, what in _KEYS)
    yield f"<details><summary>Keys</summary><dl>{keys}</dl><p class='aside'>On a Mac, Alt is the key ⌥, and you can press ⌘ instead of Ctrl.</p></details>"


def _rubric(items: Sequence[str], ticked: Sequence[str]) -> str:
    """The items of the rubric, each to be ticked."""
    boxes = "".join(
        f"<label><input type='checkbox' name='item' value='{number}'{' checked' * (str(number) in ticked)}><kbd>{number}</kbd>"
        f"<span class='text'>{rendering.in_line(item)}</span></label>"
        for number, item in enumerate(items, start=1)
    )
    return f"<fieldset class='items'><legend>Rubric: one point each</legend>{boxes}</fieldset>"


def _similar(marking: Marking, view: View, others: Sequence[Answer]) -> Iterator[str]:
    """The answers that are much like this one; what somebody gave them can be used again."""
    if not others:
        return
    rows = []
    for one in sorted(others, key=lambda one: not one.by_hand)[:_MOST_SIMILAR]:
        who = f"<a href='{escape(replace(view, waiting=False).address(one))}'>{escape(printable(marking.called(one)))}</a>"
        if not one.by_hand or one.score is None:
            rows.append(f"<li>{who}: {'unread' if one.waits else 'not marked'}</li>")
            continue
        given = f"data-points='{_number(one.score)}' data-comment='{escape(one.comment)}'"
        rows.append(
            f"<li>{who}: {_number(one.score)} <button type='button' class='same' {given} disabled>Use</button></li>"
        )
    more = f"<li>and {len(others) - len(rows)} more</li>" if len(others) > len(rows) else ""
    yield f"<h3>Similar answers</h3>\n<ul class='similar'>{''.join(rows)}{more}</ul>"


def _state(part: Part, sheet: Sheet) -> str:
    """What the gradebook has now, and what an empty field means."""
    told = []
    if sheet.auto is not None and part.is_written:
        told.append("Nothing was written, which counts as 0 unless you give points.")
    elif sheet.auto is not None:
        told.append(f"The checks gave {_number(sheet.auto)}, which counts as long as this field is empty.")
    if sheet.waits and sheet.manual is not None:
        told.append("It was graded again after these points were given: look at it once more, and save.")
    elif sheet.waits and sheet.auto is not None:
        told.append("A check failed because of an error of its own: make sure that the points are right, and save.")
    elif sheet.waits:
        told.append("Nobody has read it yet.")
    if sheet.extra:
        told.append(f"Extra credit from the formgrader, which is kept: {_number(sheet.extra)}.")
    return " ".join(told)


def _row(marking: Marking, view: View, one: Answer) -> str:
    points = "–" if one.score is None else _number(one.score)
    state = (
        "request"
        if one.is_asked_about
        else "unread"
        if one.waits
        else "by hand"
        if one.by_hand
        else "no answer"
        if view.part.is_written
        else "by the checks"
    )
    said = " ".join(one.comment.split())
    said = said if len(said) <= _EXCERPT else f"{said[:_EXCERPT]} …"
    link = f"<a href='{escape(view.address(one))}'>{escape(printable(marking.called(one)))}</a>"
    return f"<tr><td>{link}</td><td class='number'>{points} / {_number(view.part.worth)}</td><td>{state}</td><td>{escape(said)}</td></tr>"


def _done(marking: Marking, view: View, standing: Standing) -> Iterator[str]:
    """That nothing waits here, and where something does."""
    yield f"<p class='note'>Every answer to <strong>{escape(view.part.title)}</strong> has been read.</p>"
    others = [part for part in marking.parts if standing.counts[part.name][0]]
    for part in others:
        to = replace(view, part=part, waiting=True).address()
        yield f"<p><a href='{escape(to)}'>{escape(part.title)}</a>: {_unread(standing.counts[part.name][0])}</p>"
    if not others:
        yield (
            "<p>No answers are waiting in this chapter. Continue with <code>autograder feedback "
            f"{escape(marking.chapter)}</code> and <code>autograder export</code>.</p>"
        )
