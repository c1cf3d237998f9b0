"""Names a mistake that no judge knows by the numbers that it gives, in chapters that are old; see `autograder.declare.is_old`.

A judge names the causes that it can compute. Where it can only say how far numbers are away, they are compared with
those that the listed mistakes of `tests/students` gave to the same question. A chapter keeps of each mistake a sentence
and a fingerprint of what came back: a few sums, from which no solution can be recovered.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from torch import Tensor

from autograder.declare import Check, is_old, key
from autograder.judging import Outcome
from autograder.known_mistakes import MOST, Digest, fingerprints_path, is_same, leaves, total_of
from autograder.probing import Answer, Changed, Failure, Slipped
from autograder.verdict import Status

_NO_CAUSE = re.compile(
    r"off by \S+|values differ|values are NaN|came back \S+, expected|is a list of \d+, expected a list"
    r"|has shape \([^)]*\), expected \([^)]*\)$|words, expected \d|of \d+ words the first \d+ are right"
)
"""What a message says that knows no cause."""


def knows_no_cause(message: str) -> bool:
    """Whether a message says how far an answer is from the right one, and not why."""
    return bool(_NO_CAUSE.search(message))


def fingerprint(answer: Answer) -> Digest | None:
    """A few bytes in which another answer is another; None where there is no answer.

    Args:
        answer: What one draw of a probe gave.
    """
    while isinstance(answer, (Changed, Slipped)):
        answer = answer.answer
    if isinstance(answer, Failure):
        return None
    exact, total = hashlib.sha256(), 0.0
    for path, leaf in leaves(answer, ""):
        numbers = leaf.double().numpy().ravel() if isinstance(leaf, Tensor) else np.array([leaf], dtype=object)
        is_inexact = leaf.is_floating_point() if isinstance(leaf, Tensor) else isinstance(leaf, float)
        shape = list(leaf.shape) if isinstance(leaf, Tensor) else type(leaf).__name__
        exact.update(f"{path} {shape} {'' if is_inexact else numbers.tolist()}".encode())
        if is_inexact:
            total += total_of(path, numbers)
    return exact.hexdigest()[:12], total


def resembles(one: Sequence[Digest | None], other: Sequence[Any]) -> bool:
    """Whether the fingerprints of all draws are the same, apart from rounding."""
    return len(one) == len(other) and all(map(is_same, one, other))


def read_mistakes(chapter: str) -> dict[str, list[list[Any]]]:
    """By probe key, the sentence of each listed mistake and the fingerprints of what it gives."""
    found: dict[str, list[list[Any]]] = json.loads(fingerprints_path(chapter).read_text(encoding="utf-8"))
    return found


def with_causes(
    chapter: str, checks: Sequence[Check], outcomes: Sequence[Outcome], got: Mapping[str, list[Answer]]
) -> list[Outcome]:
    """The outcomes; a message that knows no cause is followed by the mistakes that give the same numbers, if they are few.

    Args:
        chapter: The chapter of the exercise.
        checks: The exercise's checks.
        outcomes: How they ended.
        got: The answers under the public seed, by probe key.
    """
    if not is_old(chapter) or not any(knows_no_cause(outcome.message) for outcome in outcomes):
        return list(outcomes)
    known, told = read_mistakes(chapter), []
    for check, outcome in zip(checks, outcomes, strict=True):
        texts: list[str] = []
        if outcome.status is Status.FAILED and knows_no_cause(outcome.message):
            mine = [fingerprint(answer) for answer in got[key(check.probe)]]
            texts = sorted({text for text, theirs in known.get(key(check.probe), []) if resembles(mine, theirs)})
        why = f"{outcome.message}\nThis mistake gives the same numbers: {' Or: '.join(texts)}"
        told.append(replace(outcome, message=why) if 0 < len(texts) <= MOST else outcome)
    return told
