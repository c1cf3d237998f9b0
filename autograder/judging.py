"""Turns answers into outcomes: judges run here, never where a student's code can reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from autograder.compare import same_kind
from autograder.declare import Check, ExerciseChecks, key
from autograder.plain import Foreign
from autograder.probing import Answer, Failure
from autograder.verdict import Status

_MAX_MESSAGE = 1000


@dataclass(frozen=True)
class Outcome:
    """How one check ended for one student.

    Args:
        name: The check's name.
        points: What it is worth.
        hint: The check's hint.
        hidden: Whether it runs only when graded.
        status: How it ended.
        message: What came back and where it parts from what was expected.
    """

    name: str
    points: int
    hint: str
    hidden: bool
    status: Status
    message: str = ""

    @property
    def earned(self) -> int:
        """Its points if it passed, otherwise none."""
        return self.points if self.status is Status.PASSED else 0


def judge_exercise(
    exercise: ExerciseChecks,
    got: Mapping[str, list[Answer]],
    want: Mapping[str, list[Any]],
    *,
    forbidden: str = "",
) -> list[Outcome]:
    """Judge every check of the exercise.

    Args:
        exercise: The exercise and its checks.
        got: The student's answers by probe key.
        want: The reference's, likewise.
        forbidden: What the code uses that the exercise forbids; then nothing passes.
    """
    checks = exercise.checks
    if forbidden:
        message = f"this exercise is to be written without {forbidden}"
        return [replace(_outcome(check, Status.FAILED, message), hint="") for check in checks]
    outcomes = [_judge(check, got.get(key(check.probe), []), want[key(check.probe)]) for check in checks]
    missed = {outcome.name for outcome in outcomes if outcome.status is not Status.PASSED}
    return [_wait(check, outcome, missed) for check, outcome in zip(checks, outcomes, strict=True)]


def _wait(check: Check, outcome: Outcome, missed: set[str]) -> Outcome:
    """A failure that may be the consequence of another says so, instead of guessing at a cause."""
    first = next((name for name in check.needs if name in missed), None)
    if outcome.status not in (Status.FAILED, Status.ERROR) or first is None:
        return outcome
    return replace(outcome, message=f"this builds on “{first}”: mend that first", hint="")


def _judge(check: Check, got: list[Answer], want: list[Any]) -> Outcome:
    if len(got) != len(want):
        return _outcome(check, Status.ERROR, "the code ended before this check could run")
    for answer, expected in zip(got, want, strict=True):
        if isinstance(answer, Failure):
            return _outcome(check, answer.status, answer.message)
        unlike = same_kind(answer, expected, any_length=check.any_length)
        if unlike:
            return _outcome(check, Status.FAILED, unlike + _advice(answer, expected))
        try:
            verdict = check.judge(answer, expected)
        except Exception as error:  # noqa: BLE001 - a judge's own mistake must not stop a class
            return _outcome(check, Status.GRADER_FAULT, f"the check itself failed: {type(error).__name__}: {error}")
        if not verdict.ok:
            return _outcome(check, Status.FAILED, verdict.message)
    return _outcome(check, Status.PASSED)


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
    if isinstance(got, Foreign) and got.type_name in _FOREIGN:
        return f"\n{_FOREIGN[got.type_name]}"
    if isinstance(want, Tensor) and isinstance(got, Tensor):
        half_right = got.shape == want.shape and got.is_floating_point() and want.is_floating_point()
        return f"\n{_OTHER_FLOAT}" if half_right else ""
    if isinstance(want, Tensor) and got is not None:
        return (
            "\nStay with dense torch tensors from the arguments to the result, without .numpy(), .tolist() or .item()."
        )
    if isinstance(want, float | int) and isinstance(got, Tensor):
        return "\nA plain number is expected: .item() takes it out of a tensor."
    return ""


_OTHER_FLOAT = "Convert no argument to another dtype, and say dtype= where you make a tensor: it is float32 otherwise."
_UNCALLED = "This is a function that was not called: the parentheses are missing."
_FOREIGN = {
    "ellipsis": "`...` still stands in the place of a value.",
    "type": "This is a class that was not called: the parentheses are missing.",
    **dict.fromkeys(("function", "method", "builtin_function_or_method"), _UNCALLED),
    "generator": "This comes of `yield`, or of a comprehension in round brackets.",
    "coroutine": "This comes of `async def`: write `def`.",
}


def _outcome(check: Check, status: Status, message: str = "") -> Outcome:
    return Outcome(check.name, check.points, check.hint, check.hidden, status, message[:_MAX_MESSAGE])
