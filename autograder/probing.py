"""Runs a probe on a student's object, or on the reference, and brings back plain data or what went wrong."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Any

import torch

from autograder.declare import Check, Probe, key
from autograder.draw import PUBLIC_SEED, Draw, derive_seed
from autograder.plain import to_plain
from autograder.verdict import Status

_MAX_MESSAGE = 600


@dataclass(frozen=True)
class Failure:
    """Why there is no answer.

    Args:
        status: Error, timeout, out of memory or not attempted.
        message: In the student's words: the exception and where in their code it came from.
    """

    status: Status
    message: str


Answer = Any
"""What one draw gave: plain data, or a `Failure`."""


def run_probe(probe: Probe, subject: Any, seed: int) -> Answer:
    """Run one draw of the probe. Whatever the student's code raises comes back as a `Failure`."""
    torch.manual_seed(seed % 2**63)
    try:
        return to_plain(probe.run(subject, Draw(seed)))
    except Exception as error:
        return failure_of(error)


def answers(probe: Probe, subject: Any, secret: str = PUBLIC_SEED) -> list[Answer]:
    """All draws of the probe under one secret, in this process."""
    return [run_probe(probe, subject, seed) for seed in seeds(probe, secret)]


def seeds(probe: Probe, secret: str = PUBLIC_SEED) -> list[int]:
    """The seed of each draw of the probe."""
    return [derive_seed(secret, key(probe), index) for index in range(probe.draws)]


def probes_of(checks: tuple[Check, ...]) -> list[Probe]:
    """The probes of these checks, each once, in order."""
    return list({key(check.probe): check.probe for check in checks}.values())


def failure_of(error: BaseException) -> Failure:
    """The exception as a student should read it."""
    if isinstance(error, NotImplementedError):
        return Failure(Status.NOT_ATTEMPTED, "")
    text = f"{type(error).__name__}: {error}"[:_MAX_MESSAGE]
    if isinstance(error, MemoryError) or "can't allocate memory" in text:
        return Failure(Status.OUT_OF_MEMORY, "it asked for more memory than a submission may use")
    return Failure(Status.ERROR, text + _where(error))


def _where(error: BaseException) -> str:
    """The last line of a notebook cell that the exception passed through."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "ipykernel" in f.filename or "<ipython" in f.filename]
    if not frames:
        return ""
    return f" (in {frames[-1].name}, line {frames[-1].lineno} of its cell: {frames[-1].line})"
