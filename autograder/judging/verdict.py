"""What a judge says, and the states that a check can end in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """How a check ended; each is shown to the student in these words."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out of memory"
    NOT_ATTEMPTED = "not attempted"
    GRADER_FAULT = "grader fault"


BUILDS_ON = "this builds on “"
"""How the message of a check begins that another one has to pass before."""


@dataclass(frozen=True)
class Verdict:
    """A judge's word on one answer.

    Args:
        ok: Whether the answer is right.
        message: What came back, what was expected, and where they differ; empty when ok.
    """

    ok: bool
    message: str = ""


JudgeFunction = Callable[[Any, Any], Verdict]
"""Compares one answer of the student with the reference's."""


def passed() -> Verdict:
    """The answer is right."""
    return Verdict(ok=True)


def failed(message: str) -> Verdict:
    """The answer is wrong, and why."""
    return Verdict(ok=False, message=message)


@dataclass(frozen=True)
class Outcome:
    """How one check ended for one student.

    Args:
        name: The check's name.
        points: What it is worth.
        hint: The check's hint.
        hidden: Whether it runs only when graded.
        status: How it ended.
        message: What came back and where it differs from what was expected.
    """

    name: str
    points: float
    hint: str
    hidden: bool
    status: Status
    message: str = ""

    @property
    def earned(self) -> float:
        """Its points if it passed, otherwise none."""
        return self.points if self.status is Status.PASSED else 0
