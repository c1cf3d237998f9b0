"""Turns answers into outcomes. Judges run here, never where a student's code can reach them."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from autograder.asking.probing import FORBIDDEN, Answer, Changed, Failure, Slipped
from autograder.asking.serialization import Foreign
from autograder.declare import Check, ExerciseChecks, is_use, key
from autograder.judging.compare import in_kind_of, same_kind, with_all_digits
from autograder.judging.verdict import BUILDS_ON, Outcome, Status

_LOG = logging.getLogger(__name__)
_MAX_MESSAGE = 1000
_LARGER, _MORE = 10, 10_000
"""How many times larger than the reference's an answer may be, and how much more, to be compared at all."""

_CHANGED = (
    "the call changed {}, which the caller still needs: create a new tensor or list, as `x = x + y` does and `x += y` "
    "does not"
)
_OTHER_FORM = (
    "the result does not have the form that the docstring describes: `check` in the notebook says how it differs"
)
_ROUNDED = "the result is rounded, expected all of its digits"
_NOT_AS_EXPECTED = "what came back is not what was expected"
_WORD = re.compile(r"(?!expected|that|with|from|which|for|the|and|its|was|are|has|not|all)[a-zσ]\w{2,}")
_NUMBER = re.compile(r"(?<![\w.])\d[\d.]*")
_NEW_WORDS = 1 / 3
"""Which share of a sentence's words may be missing from another one that says the same."""


def judge_exercise(
    exercise: ExerciseChecks,
    got: Mapping[str, list[Answer]],
    want: Mapping[str, list[Any]],
    *,
    causes: Callable[[Check, Sequence[Answer]], str] = lambda check, answers: "",
    graded: bool = False,
) -> list[Outcome]:
    """Judge every check of the exercise.

    Args:
        exercise: The exercise and its checks.
        got: The student's answers by probe key.
        want: The reference's, likewise.
        causes: Says which listed mistakes give such answers; see `autograder.judging.known_mistakes`.
        graded: Whether what was drawn is secret: messages then quote no text that came back and that the reference does not hold.
    """
    checks = exercise.checks

    def judge(as_meant: bool) -> list[_Judged]:
        return [
            _judge(check, got.get(key(check.probe), []), want[key(check.probe)], graded, as_meant) for check in checks
        ]

    judged = judge(as_meant=False)
    forbidden = next((found.outcome.message for found in judged if found.outcome.message in FORBIDDEN), "")
    if forbidden:
        return [replace(_outcome(check, Status.FAILED, forbidden), hint="") for check in checks]
    own = [place for place, check in enumerate(checks) if not (check.hidden or is_use(check))]
    if own and all(judged[place].slip for place in own):
        # A form that every check meets is the student's way of writing: it costs one of them, and the rest is judged as it is meant.
        place = min(own, key=lambda place: checks[place].points)
        slipped, judged = judged[place].outcome, judge(as_meant=True)
        outcomes = _charged(checks, judged)
        outcomes[place] = slipped
    else:
        if any(found.noted for found in judged):
            judged = _noted_once(checks, judged, judge(as_meant=True))
        outcomes = _charged(checks, judged)
    missed = {outcome.name for outcome in outcomes if outcome.status is not Status.PASSED}
    told = []
    for check, outcome, found in zip(checks, outcomes, judged, strict=True):
        outcome = _wait(check, outcome, missed)
        if found.compared and outcome.message.startswith(found.outcome.message):
            outcome = _after(causes(check, got[key(check.probe)]), outcome)
        told.append(outcome)
    return told


def _after(cause: str, outcome: Outcome) -> Outcome:
    """The outcome, whose message says first which listed mistake it is, if one was recognised, and nothing twice."""
    if not cause:
        return outcome
    first, *others = outcome.message.splitlines()
    rest = first.replace(cause, "").strip(" ,;:.") if cause in first else first
    lines = [cause, *[rest] * (not _is_said(rest, cause)), *others]
    return replace(outcome, message="\n".join(lines)[:_MAX_MESSAGE])


def _is_said(sentence: str, cause: str) -> bool:
    """Whether a cause says what a sentence says: the sentence has no number of its own, and few words."""
    words, known = (set(_WORD.findall(text.lower())) for text in (sentence, cause))
    numbers, told = (set(_NUMBER.findall(text)) for text in (sentence, cause))
    return numbers <= told and len(words - known) <= _NEW_WORDS * len(words)


def _wait(check: Check, outcome: Outcome, missed: set[str]) -> Outcome:
    """A failure that may be the consequence of another says so, instead of guessing at a cause."""
    first = next((name for name in check.needs if name in missed), None)
    if outcome.status not in (Status.FAILED, Status.ERROR) or first is None:
        return outcome
    return replace(outcome, message=f"{BUILDS_ON}{first}”: fix that first", hint="")


@dataclass(frozen=True)
class _Judged:
    """How a check ended, and what else was seen.

    Args:
        outcome: How it ended.
        changed: The first answer of a call that changed an argument.
        slip: What is said of the first answer that is of another kind than was expected, though it can say the same.
        compared: Whether it was missed by what an answer is, or by what was raised, and a listed mistake may be recognised by that.
    """

    outcome: Outcome
    changed: Changed | None = None
    slip: str = ""
    compared: bool = False

    @property
    def noted(self) -> str:
        """What is said of a form that the probe itself took note of."""
        return "" if self.compared else self.slip


def _noted_once(checks: Sequence[Check], judged: list[_Judged], as_meant: list[_Judged]) -> list[_Judged]:
    """How the checks ended, where a form that the probes of several of them noted costs one of them, and the others judge what is meant."""
    found = list(judged)
    for noted in {each.noted for each in judged} - {""}:
        places = [place for place, each in enumerate(judged) if each.noted == noted]
        places.remove(min(places, key=lambda at: (checks[at].hidden, is_use(checks[at]), checks[at].points)))
        for place in places:
            found[place] = as_meant[place]
    return found


def _charged(checks: Sequence[Check], judged: Sequence[_Judged]) -> list[Outcome]:
    """The outcomes, where a changed argument costs one check: that for arguments, or the first of those that saw it.

    Where there is none for arguments, and a visible check is missed, it costs nothing more: it may be the cause of that, and is
    named where it was seen in use.
    """
    outcomes = [found.outcome for found in judged]
    seen = [place for place, found in enumerate(judged) if found.changed]
    own = [place for place, check in enumerate(checks) if check.arguments]
    if not seen:
        return outcomes
    changed = judged[seen[0]].changed
    told = _CHANGED.format(f"its argument `{changed.argument}`" if changed and changed.argument else "an argument")
    for place, check in enumerate(checks):
        if judged[place].changed and outcomes[place].status is Status.FAILED:
            is_about = is_use(check) or check.arguments
            message = told if is_about else f"{outcomes[place].message}\nBesides, {told}"
            outcomes[place] = replace(
                outcomes[place], message=message[:_MAX_MESSAGE], hint="" if is_about else check.hint
            )
    if not own and any(o.status is not Status.PASSED and not o.hidden for o in outcomes):
        return outcomes
    place = own[0] if own else seen[0]
    if outcomes[place].status is Status.PASSED:
        outcomes[place] = replace(outcomes[place], status=Status.FAILED, message=told, hint="")
    return outcomes


def _judge(check: Check, got: list[Answer], want: list[Any], graded: bool, as_meant: bool) -> _Judged:
    """How a check ends by all answers to its probe."""
    if len(got) != len(want):
        return _Judged(_outcome(check, Status.ERROR, "the code ended before this check could run"))
    changed = None
    for given, expected in zip(got, want, strict=True):
        answer, told = (given.answer, given.told or _OTHER_FORM) if isinstance(given, Slipped) else (given, "")
        if isinstance(answer, Changed):
            answer, changed = answer.answer, changed or answer
        if isinstance(answer, Failure):
            raised = answer.status is Status.ERROR
            return _Judged(_outcome(check, answer.status, answer.message), changed, compared=raised)
        if told and not as_meant:
            return _Judged(_outcome(check, Status.FAILED, told), changed, told)
        too_much = _too_much(answer, expected)
        if too_much:
            return _Judged(_outcome(check, Status.FAILED, too_much), changed)
        unlike = same_kind(answer, expected, any_length=check.any_length)
        if unlike:
            told, meant = unlike + _advice(answer, expected), in_kind_of(answer, expected, any_length=check.any_length)
            if meant is None or not as_meant:
                slip = told if meant is not None else ""
                return _Judged(_outcome(check, Status.FAILED, told), changed, slip, compared=True)
            answer = meant
        status, message = _compare(check, answer, expected)
        if status is Status.FAILED and graded and _unknown_texts(answer, expected):
            again, message = _compare(check, _without_unknown(answer, _texts(expected)), expected)
            if again is not Status.FAILED:
                message = _NOT_AS_EXPECTED
        meant = with_all_digits(answer, expected) if status is Status.FAILED else None
        if meant is not None and _compare(check, meant, expected)[0] is Status.PASSED:
            if as_meant:
                continue
            rounded = _outcome(check, status, f"{_ROUNDED}\n{message}")
            return _Judged(rounded if check.hidden else replace(rounded, hint=""), changed, _ROUNDED)
        if status is not Status.PASSED:
            return _Judged(_outcome(check, status, message), changed, compared=status is Status.FAILED)
    return _Judged(_outcome(check, Status.PASSED), changed)


def _compare(check: Check, answer: Any, expected: Any) -> tuple[Status, str]:
    """What the judge says of an answer of the right kind."""
    try:
        verdict = check.judge(answer, expected)
    except Exception as error:  # noqa: BLE001 - a judge's own mistake must not stop a class
        if _is_content(check, expected):
            return Status.FAILED, _NOT_AS_EXPECTED
        _LOG.exception("the check %r of %s failed itself", check.name, check.exercise)
        return Status.GRADER_FAULT, f"the check itself failed: {type(error).__name__}: {error}"
    return (Status.PASSED, "") if verdict.ok else (Status.FAILED, verdict.message)


def _is_content(check: Check, expected: Any) -> bool:
    """Whether the judge passes the reference's own answer: what it makes nothing of is then at fault itself."""
    try:
        return check.judge(expected, expected).ok
    except Exception:  # noqa: BLE001 - then the judge is at fault
        return False


def _too_much(got: Any, want: Any) -> str:
    """That an answer is too large to be compared in good time; empty if it is not."""
    wanted = _size(want)
    most = _LARGER * wanted + _MORE
    if _size(got, most) <= most:
        return ""
    return (
        f"what came back is more than {_LARGER} times as large as what was expected, too large to be compared: is there a loop "
        "that adds too much?"
    )


def _size(tree: Any, most: float = float("inf")) -> int:
    """How many values and characters of text a tree holds; where there are more than `most`, not all are counted."""
    size, waiting = 0, [tree]
    while waiting and size <= most:
        found = waiting.pop()
        if isinstance(found, Tensor):
            size += found.numel()
        elif isinstance(found, (str, list, dict)):
            size += len(found)
            if not isinstance(found, str):
                waiting += found.values() if isinstance(found, dict) else found
    return size


def _texts(tree: Any) -> list[str]:
    """All text in a tree."""
    if isinstance(tree, str):
        return [tree]
    if isinstance(tree, dict):
        return [text for item in tree.values() for text in _texts(item)]
    return [text for item in tree for text in _texts(item)] if isinstance(tree, list) else []


def _unknown_texts(got: Any, want: Any) -> bool:
    """Whether text came back that no text of the reference's holds."""
    known = "\n".join(_texts(want))
    return any(text not in known for text in _texts(got))


def _without_unknown(tree: Any, known: list[str]) -> Any:
    """The tree with an ellipsis for each text that none of the known ones holds."""
    if isinstance(tree, str):
        return tree if any(tree in text for text in known) else "…"
    if isinstance(tree, dict):
        return {name: _without_unknown(item, known) for name, item in tree.items()}
    return [_without_unknown(item, known) for item in tree] if isinstance(tree, list) else tree


def _advice(got: Any, want: Any) -> str:
    """On a line of its own, what to do about a value of another kind than was expected; empty where nothing is known."""
    pairs: list[tuple[Any, Any]] = []
    if isinstance(want, dict) and isinstance(got, dict) and got.keys() == want.keys():
        pairs = [(got[name], want[name]) for name in want]
    elif isinstance(want, list) and isinstance(got, list) and len(got) == len(want):
        pairs = list(zip(got, want, strict=True))
    for pair in pairs:
        if same_kind(*pair):
            return _advice(*pair)
    if got is None:
        return f"\n{_NOTHING}"
    if isinstance(got, Foreign) and got.type_name in _FOREIGN:
        return f"\n{_FOREIGN[got.type_name]}"
    if isinstance(want, Tensor) and isinstance(got, Tensor):
        if got.shape != want.shape or not (got.is_floating_point() and want.is_floating_point()):
            return ""
        return f"\n{_DOUBLE if got.dtype == torch.float64 else _OTHER_FLOAT}"
    if isinstance(want, Tensor) and isinstance(got, list) and got and all(isinstance(item, Tensor) for item in got):
        return f"\n{_SEVERAL}"
    if isinstance(want, Tensor):
        return (
            "\nStay with dense torch tensors from the arguments to the result, without .numpy(), .tolist() or .item()."
        )
    if isinstance(want, float | int) and isinstance(got, Tensor):
        return "\nA plain number is expected: .item() takes it out of a tensor."
    return ""


_OTHER_FLOAT = (
    "Do not convert any argument to another dtype, and pass dtype= where you create a tensor: otherwise it is float32."
)
_NOTHING = "None is what a function returns that ends without `return`."
_DOUBLE = (
    "float64 comes from NumPy, from .double(), or from dtype=torch.float64. Stay with torch's functions and the dtype of the arguments, or convert "
    "at the end: for example, .to(scores.dtype)."
)
_SEVERAL = (
    "Several tensors came back, expected one: return one of them, or make one of a list of rows with torch.stack. topk and sort return two, .values and "
    ".indices, and so do max and min with a dimension."
)
_UNCALLED = "This is a function that was not called: the parentheses are missing."
_FOREIGN = {
    "ellipsis": "`...` is still there instead of a value.",
    "type": "This is a class that was not called: the parentheses are missing.",
    **dict.fromkeys(("function", "method", "builtin_function_or_method"), _UNCALLED),
    "generator": "This comes from `yield`, or from a comprehension in round brackets.",
    "coroutine": "This comes from `async def`: write `def`.",
}


def _outcome(check: Check, status: Status, message: str = "") -> Outcome:
    return Outcome(check.name, check.points, check.hint, check.hidden, status, message[:_MAX_MESSAGE])
