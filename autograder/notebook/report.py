"""A report on one exercise, for a notebook's page, a terminal and a returned notebook."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from autograder.declare import ExerciseChecks, added, told_points
from autograder.judging.verdict import BUILDS_ON, Status

if TYPE_CHECKING:
    from autograder.judging.verdict import Outcome

# Colours of the palette that stand out from white and from black; each comes with a sign and a word.
_MARK = {Status.PASSED: "✓", Status.NOT_ATTEMPTED: "·"}
_COLOUR = {Status.PASSED: "#009E73", Status.NOT_ATTEMPTED: "#7f7f7f"}
_WRONG = "#D55E00"
_FRAME = "border-left:4px solid {};padding:.3em .9em;margin:.3em 0;max-width:60em;line-height:1.45"
_CODE = re.compile(r"`([^`\n]+)`")
_NAME = re.compile(r"[a-z]+[_.]\w+|[b-zα-ω]\b|\w+ (?:has (?:shape|dtype) |= |is (?:None,|of type |a list of ))")


def as_text(exercise: ExerciseChecks, outcomes: Sequence[Outcome]) -> str:
    """The report for a terminal."""
    cause = _one_cause(outcomes)
    lines = [_headline(exercise, outcomes), *([cause] if cause else [])]
    for outcome in outcomes:
        lines.append(f"  {_MARK.get(outcome.status, '✗')} {outcome.name} ({_worth(outcome)})")
        lines += [f"      {line}" for note in _notes(outcome, cause) for line in note.splitlines()]
    return "\n".join([*lines, *_closing(exercise, outcomes)])


def as_html(exercise: ExerciseChecks, outcomes: Sequence[Outcome]) -> str:
    """The report for a page: no script, no outside resource, readable in light and dark."""
    cause = _one_cause(outcomes)
    rows = "".join(_row(outcome, cause) for outcome in outcomes)
    above, below = ("".join(map(_paragraph, lines)) for lines in ([cause] * bool(cause), _closing(exercise, outcomes)))
    return (
        f"<div style='{_FRAME.format('#0072B2')}'><strong>{escape(_headline(exercise, outcomes))}</strong>{above}"
        f"<ul style='list-style:none;padding-left:0;margin:.4em 0 0'>{rows}</ul>{below}</div>"
    )


def as_tree(exercise: ExerciseChecks, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The report as plain data, for a page that lays it out itself; nothing is in it that a student may not read."""
    cause = _one_cause(outcomes)
    return {
        "title": exercise.exercise.title,
        "earned": added(outcome.earned for outcome in outcomes),
        "points": exercise.points,
        "extra_credit": exercise.extra_credit,
        "cause": cause,
        "checks": [
            {
                "name": outcome.name,
                "status": _seen(outcome).value,
                "worth": _worth(outcome),
                "builds": outcome.message.startswith(BUILDS_ON),
                "notes": _notes(outcome, cause),
            }
            for outcome in outcomes
        ],
        "closing": _closing(exercise, outcomes),
    }


def told(outcome: Outcome) -> str:
    """What a student may read on one check, without its name; empty if it passed."""
    return "\n".join(_notes(outcome, ""))


def note_html(text: str) -> str:
    """A sentence or two for a page, in the report's manner."""
    return f"<div style='{_FRAME.format('#E69F00')};white-space:pre-wrap'>{marked_up(text)}</div>"


def blocks_html(text: str) -> str:
    """Paragraphs for a page, in the report's manner; those that are indented by four blanks keep their lines and blanks."""
    blocks = []
    for block in text.split("\n\n"):
        if block.startswith("    "):
            kept = "\n".join(line.removeprefix("    ") for line in block.splitlines())
            blocks.append(
                f"<pre style='margin:.4em 0;background:none;color:inherit;font-family:monospace;overflow-x:auto'>{escape(kept)}</pre>"
            )
        else:
            blocks.append(_paragraph(block))
    return f"<div style='{_FRAME.format('#0072B2')}'>{''.join(blocks)}</div>"


def _paragraph(text: str) -> str:
    return f"<p style='margin:.4em 0 0'>{marked_up(text)}</p>"


def marked_up(text: str) -> str:
    """The text for a page; text in backticks is code."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def _row(outcome: Outcome, cause: str) -> str:
    colour = _COLOUR.get(outcome.status, _WRONG)
    notes = "".join(f"<div style='white-space:pre-wrap'>{marked_up(note)}</div>" for note in _notes(outcome, cause))
    return (
        f"<li style='margin:.25em 0 .25em 1.4em'><span role='img' aria-label='{_seen(outcome).value}' "
        f"style='color:{colour};font-weight:bold;display:inline-block;width:1.4em;margin-left:-1.4em'>"
        f"{_MARK.get(outcome.status, '✗')}</span>{escape(outcome.name)} "
        f"<span style='opacity:.75'>({_worth(outcome)})</span>{notes}</li>"
    )


def _headline(exercise: ExerciseChecks, outcomes: Sequence[Outcome]) -> str:
    earned, waiting = added(o.earned for o in outcomes), added([exercise.points, *(-o.points for o in outcomes)])
    told = f" so far; {waiting} more depend{'s' * (waiting == 1)} on hidden checks" if waiting else ""
    extra = " of extra credit" * exercise.extra_credit
    return f"{exercise.exercise.name}: {earned} of {exercise.points} points{extra}{told}"


def _seen(outcome: Outcome) -> Status:
    """The status that a student may see: how a hidden check was missed could carry what it was asked."""
    told = (Status.PASSED, Status.NOT_ATTEMPTED, Status.GRADER_FAULT)
    return Status.FAILED if outcome.hidden and outcome.status not in told else outcome.status


def _worth(outcome: Outcome) -> str:
    points = told_points(outcome.points)
    state = "" if _seen(outcome) in (Status.PASSED, Status.FAILED) else outcome.status.value
    return ", ".join(filter(None, (points, "hidden" * outcome.hidden, state)))


def _one_cause(outcomes: Sequence[Outcome]) -> str:
    """The message of all that was missed, where it is the same and stands without a hint: it is said once, above them."""
    missed = [outcome for outcome in outcomes if outcome.status is not Status.PASSED]
    alike = {(outcome.message, outcome.hint) for outcome in missed}
    known = all(outcome.status in (Status.FAILED, Status.ERROR) and not outcome.hint for outcome in missed)
    return sentence(missed[0].message) if len(missed) > 1 and len(alike) == 1 and known else ""


def _notes(outcome: Outcome, cause: str) -> list[str]:
    """What a student may read under a check: of a hidden one its hint alone."""
    if outcome.status in (Status.PASSED, Status.NOT_ATTEMPTED) or sentence(outcome.message) == cause:
        return []
    if outcome.status is Status.GRADER_FAULT:
        return ["This is an error in the course and not in your answer: continue, and tell your instructor."]
    message = "" if outcome.hidden and outcome.hint else outcome.message
    hint = f"Hint: {outcome.hint}" if outcome.hint else ""
    return [note for note in (sentence(message), hint) if note]


def sentence(text: str) -> str:
    """The text with a capital letter, unless it begins with a name from the code, such as `d_model`, or with a symbol, such as ε."""
    return text if _NAME.match(text) else text[:1].upper() + text[1:]


def _closing(exercise: ExerciseChecks, outcomes: Sequence[Outcome]) -> list[str]:
    """That the exercise is not written, and how many checks there are that this report does not show."""
    unwritten = [outcome.message for outcome in outcomes if outcome.status is Status.NOT_ATTEMPTED]
    lines = [f"{sentence(message)}." for message in unwritten[:1]]
    shown = {outcome.name for outcome in outcomes}
    rest = [check for check in exercise.checks if check.name not in shown]
    if rest:
        plural = "s" * (len(rest) != 1)
        lines.append(f"{len(rest)} hidden check{plural} run{'s' * (len(rest) == 1)} when it is graded.")
    return lines
