"""What runs in a boxed process: a submission's cells, then the probes on what they defined.

It is told sources, probe names and derived seeds. It holds no answer, no judge and no secret.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn

from autograder.declare import Probe
from autograder.grading import wire
from autograder.grading.shell import Outputs, Shell
from autograder.probing import Failure, failure_of, run_probe
from autograder.verdict import Status

LATE = "it ran longer than {:g} s"
PATIENCE = 2
"""How many probes of one exercise may run out of time before the rest are given up."""

_MISSING = object()


class Late(BaseException):
    """Raised in a student's code by the alarm; not an `Exception`, so that a bare handler does not swallow it."""


def serve(channel: int, shell: Shell, probes_of: Mapping[str, Mapping[str, Probe]]) -> NoReturn:
    """Do one job and end the process.

    The job is a tree with `chapter`, `steps` (each a cell's `source` or the `name` of a subject to take from the
    namespace), `probes` (each with `key`, `name` and `seed`), `cell_seconds` and `probe_seconds`. One frame is sent back
    for every step and every probe, in order.
    """
    job = wire.receive(channel)
    subjects: dict[str, Any] = {}
    for step in job["steps"]:
        if "name" in step:
            subjects[step["name"]] = shell.user_ns.get(step["name"], _MISSING)
            wire.send(channel, {})
        else:
            wire.send(channel, _run_cell(shell, step["source"], job["cell_seconds"]))
    probes = probes_of[job["chapter"]]
    shell.outputs = Outputs()
    late: dict[str, set[str]] = {}
    for asked in job["probes"]:
        subject = subjects.get(asked["name"], _MISSING)
        if subject is _MISSING:
            subject = shell.user_ns.get(asked["name"], _MISSING)
        before = late.setdefault(asked["name"], set())
        if asked["key"] in before or len(before) >= PATIENCE:
            wire.send(channel, _failure(Failure(Status.TIMEOUT, LATE.format(job["probe_seconds"]))))
            continue
        tree = _run_probe(probes[asked["key"]], subject, int(asked["seed"]), job["probe_seconds"])
        if tree.get("status") == Status.TIMEOUT:
            before.add(asked["key"])
        wire.send(channel, tree)
    os._exit(0)


def _run_cell(shell: Shell, source: str, seconds: float) -> dict[str, Any]:
    try:
        with _alarm(seconds):
            outputs, error = shell.run(source)
    except Late:
        outputs, error = shell.outputs.items, Late()
        shell.outputs.add_error(Status.TIMEOUT, LATE.format(seconds), [])
    if isinstance(error, Late):
        return {"outputs": outputs, "error": Status.TIMEOUT.value, "missing_name": ""}
    name = error.name if isinstance(error, NameError) else ""
    return {"outputs": outputs, "error": type(error).__name__ if error else "", "missing_name": name or ""}


def _run_probe(probe: Probe, subject: Any, seed: int, seconds: float) -> dict[str, Any]:
    if subject is _MISSING:
        return _failure(Failure(Status.ERROR, f"nothing named {probe.exercise} was defined"))
    try:
        with _alarm(seconds):
            answer = run_probe(probe, subject, seed)
    except Late:
        answer = Failure(Status.TIMEOUT, LATE.format(seconds))
    except BaseException as error:  # noqa: BLE001 - a student may raise anything
        answer = failure_of(error)
    return _failure(answer) if isinstance(answer, Failure) else {"answer": answer}


def _failure(failure: Failure) -> dict[str, Any]:
    return {"status": failure.status.value, "message": failure.message}


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(*_: Any) -> NoReturn:
        raise Late

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
