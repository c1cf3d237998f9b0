"""A report on one exercise, for a notebook's page, a terminal and a returned notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from autograder.declare import ExerciseChecks
from autograder.judging import Outcome
from autograder.verdict import Status

# Colours of the palette that stand out from white and from black; each comes with a sign or a word.
_MARK = {Status.PASSED: "✓", Status.NOT_ATTEMPTED: "·"}
_COLOUR = {Status.PASSED: "#009E73", Status.NOT_ATTEMPTED: "#7f7f7f"}
_WRONG = "#D55E00"
_FRAME = "border-left:4px solid {};padding:.3em .9em;margin:.3em 0"


def as_text(exercise: ExerciseChecks, outcomes: Sequence[Outcome]) -> str:
    """The report for a terminal."""
    lines = [_headline(exercise, outcomes)]
    for outcome in outcomes:
        lines.append(f"  {_MARK.get(outcome.status, '✗')} {outcome.name} ({_worth(outcome)})")
        lines += [f"      {line}" for note in _notes(outcome) for line in note.splitlines()]
    return "\n".join([*lines, *_closing(exercise, outcomes)])


def as_html(exercise: ExerciseChecks, outcomes: Sequence[Outcome]) -> str:
    """The report for a page: no script, no outside resource, readable in light and dark."""
    rows = "".join(_row(outcome) for outcome in outcomes)
    rest = "".join(f"<p style='margin:.4em 0 0'>{escape(line)}</p>" for line in _closing(exercise, outcomes))
    return (
        f"<div style='{_FRAME.format('#0072B2')}'><strong>{escape(_headline(exercise, outcomes))}</strong>"
        f"<ul style='list-style:none;padding-left:0;margin:.4em 0 0'>{rows}</ul>{rest}</div>"
    )


def note_html(text: str) -> str:
    """A sentence or two for a page, in the report's manner."""
    return f"<div style='{_FRAME.format('#E69F00')}'>{escape(text)}</div>"


def _row(outcome: Outcome) -> str:
    colour = _COLOUR.get(outcome.status, _WRONG)
    notes = "".join(
        f"<div style='margin-left:1.6em;white-space:pre-wrap'>{escape(note)}</div>" for note in _notes(outcome)
    )
    return (
        f"<li style='margin:.25em 0'><span style='color:{colour};font-weight:bold;display:inline-block;width:1.4em'>"
        f"{_MARK.get(outcome.status, '✗')}</span>{escape(outcome.name)} "
        f"<span style='opacity:.75'>({_worth(outcome)})</span>{notes}</li>"
    )


def _headline(exercise: ExerciseChecks, outcomes: Sequence[Outcome]) -> str:
    earned, total = sum(o.earned for o in outcomes), sum(o.points for o in outcomes)
    visible = "" if any(o.hidden for o in outcomes) else "visible "
    return f"{exercise.exercise.name}: {earned} of {total} {visible}points"


def _worth(outcome: Outcome) -> str:
    points = f"{outcome.points} point{'s' * (outcome.points != 1)}"
    state = "" if outcome.status in (Status.PASSED, Status.FAILED) else outcome.status.value
    return ", ".join(filter(None, (points, "hidden" * outcome.hidden, state)))


def _notes(outcome: Outcome) -> list[str]:
    """What a student may read under a check: of a hidden one its hint alone."""
    if outcome.status in (Status.PASSED, Status.NOT_ATTEMPTED):
        return []
    if outcome.status is Status.GRADER_FAULT:
        return ["The fault is the course's and not yours: your instructor has been told."]
    message = "" if outcome.hidden and outcome.hint else outcome.message
    hint = f"Hint: {outcome.hint}" if outcome.hint else ""
    return [note for note in (message[:1].upper() + message[1:], hint) if note]


def _closing(exercise: ExerciseChecks, outcomes: Sequence[Outcome]) -> list[str]:
    """That the exercise is not written, and how many checks there are that this report does not show."""
    lines = []
    if any(outcome.status is Status.NOT_ATTEMPTED for outcome in outcomes):
        lines.append("Not written yet: `raise NotImplementedError` still stands in the place of your own lines.")
    shown = {outcome.name for outcome in outcomes}
    rest = [check for check in exercise.checks if check.name not in shown]
    if rest:
        points = sum(check.points for check in rest)
        plural = "s" * (len(rest) != 1)
        lines.append(
            f"{len(rest)} hidden check{plural}, worth {points} point{'s' * (points != 1)}, run when it is graded."
        )
    return lines
