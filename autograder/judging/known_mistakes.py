"""Recognises a listed mistake by the answers that it gives.

A chapter keeps, for each mistake of its catalogue and each visible check that the mistake fails, the sentence that a student reads and
a fingerprint of the answers under the public seeds: a few sums, from which no solution can be recovered.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from autograder.asking.probing import Answer, Changed, Failure, Slipped
from autograder.declare import Check, Reads, kept_at, key, read
from autograder.judging.compare import leaves
from autograder.judging.verdict import Status

_FILE = "mistakes.json"
_NEAR = 1e-4
_PLACE = re.compile(r" \(in \w+, line \d+ of its cell: .*")
"""What `autograder.asking.probing.place_of` adds."""
MOST = 2
"""How many mistakes that give the same answers are named together."""

Causes = Callable[[Check, Sequence[Answer]], str]
"""Says which listed mistakes give such answers to a check; an empty text where none is known to."""
Digest = tuple[str, float]
"""Of one answer: a hash of all that is exact, such as shapes, integers and texts, or what was raised, and a sum of all other numbers."""
Fingerprint = list[Digest]
"""The digests of the answers to all draws of a check."""


def digest(answer: Answer, reads: Reads = ()) -> Digest | None:
    """A few bytes in which a different answer is different; None where there is none, and no telling why.

    Args:
        answer: What one draw of a check gave.
        reads: What the check reads of it; see `autograder.declare.check`.
    """
    while isinstance(answer, (Changed, Slipped)):
        answer = answer.answer
    if isinstance(answer, Failure):
        return _of_failure(answer)
    exact, total = hashlib.sha256(), 0.0
    if callable(reads):  # It may hide what an answer of another shape is.
        shapes = [list(leaf.shape) if isinstance(leaf, Tensor) else 0 for _, leaf in leaves(answer, "")]
        exact.update(str(shapes).encode())
    with suppress(Exception):  # Where it is of another kind than expected, all of it tells it from others.
        answer = read(answer, reads)
    for path, leaf in leaves(answer, ""):
        numbers = leaf.double().numpy().ravel() if isinstance(leaf, Tensor) else np.array([leaf], dtype=object)
        is_inexact = leaf.is_floating_point() if isinstance(leaf, Tensor) else isinstance(leaf, float)
        kind = f"{leaf.dtype} {list(leaf.shape)}" if isinstance(leaf, Tensor) else type(leaf).__name__
        exact.update(f"{path} {kind} {'' if is_inexact else numbers.tolist()}".encode())
        if is_inexact:
            total += total_of(path, numbers)
    return exact.hexdigest()[:12], total


def _of_failure(failure: Failure) -> Digest | None:
    """Of what was raised, wherever in the code; None for an exception without text, and for what the course says itself."""
    told = _PLACE.sub("", failure.message.partition("\n")[0])
    tells = failure.status is Status.ERROR and ": " in told
    return (hashlib.sha256(told.encode()).hexdigest()[:12], 0.0) if tells else None


def total_of(path: str, numbers: Any) -> float:
    """A sum of the numbers at a path, (N,), each with a weight of its own, in which other numbers give another sum."""
    finite = np.nan_to_num(numbers.astype(float), nan=7.0, posinf=11.0, neginf=-13.0)
    seed = int.from_bytes(hashlib.sha256(path.encode()).digest()[:8], "big")
    return float(np.random.default_rng(seed).standard_normal(finite.size) @ np.cbrt(finite))


def is_same(one: Digest | None, other: Digest | None) -> bool:
    """Whether two answers are the same, apart from rounding."""
    if one is None or other is None or one[0] != other[0]:
        return False
    return abs(one[1] - other[1]) <= _NEAR * (1 + abs(other[1]))


def fingerprint(check: Check, answers: Iterable[Answer]) -> Fingerprint | None:
    """The fingerprint of the answers to a check; None where one of them tells nothing."""
    digests = [digest(answer, check.reads) for answer in answers]
    return None if None in digests else [found for found in digests if found is not None]


def matches(one: Fingerprint | None, other: Fingerprint) -> bool:
    """Whether two fingerprints are of the same answers, apart from rounding."""
    return one is not None and len(one) == len(other) and all(map(is_same, one, other))


def either(sentences: Iterable[str]) -> str:
    """Names the mistakes that give the same answers; empty if there are none, or too many to be of help."""
    named = sorted(set(sentences))
    if len(named) > MOST:
        return ""
    return f"either {', or '.join(named)}" if len(named) > 1 else "".join(named)


def name_of(check: Check) -> str:
    """A check's name in the chapter's file of fingerprints."""
    reads = (check.reads.__name__,) if callable(check.reads) else check.reads
    return "/".join((key(check.probe), *reads))


def known_causes(chapter: str) -> Causes:
    """Recognises the mistakes whose fingerprints the chapter keeps, by answers under the public seeds."""

    def causes(check: Check, answers: Sequence[Answer]) -> str:
        known = read_fingerprints(chapter).get(name_of(check), {})
        if not known:
            return ""
        found = fingerprint(check, answers)
        return either(text for text, listed in known.items() if any(matches(found, each) for each in listed))

    return causes


@cache
def read_fingerprints(chapter: str) -> Mapping[str, Mapping[str, list[Fingerprint]]]:
    """By check and sentence, the fingerprints of the listed mistakes that the sentence describes."""
    found: dict[str, dict[str, list[Fingerprint]]] = json.loads(fingerprints_path(chapter).read_text(encoding="utf-8"))
    return found


def fingerprints_path(chapter: str) -> Path:
    """Where the chapter keeps the fingerprints of its mistakes."""
    return kept_at(chapter, _FILE)
