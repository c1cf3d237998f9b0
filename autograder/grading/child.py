"""What runs in a boxed process: a submission's cells, then the probes on what they defined.

It is given sources and, when all of them have run, probe names and derived seeds. It holds no answer, no judge and no
secret.
"""

from __future__ import annotations

import errno
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn

from autograder.asking.probing import Changed, Slipped, ask
from autograder.declare import Probe
from autograder.grading import wire
from autograder.grading.redaction import LATE, TOO_MUCH_ROOM, UNDEFINED, facts_of
from autograder.grading.shell import Outputs, Shell
from autograder.judging.verdict import Status
from autograder.questions.rehearsal import key_of, rehearse

PATIENCE = 2
"""How many probes of one exercise may run out of time before the rest are given up."""

_SLEEPS = 0.02
"""Whoever takes less than this share of the time that passes does not wait for a processor, on however busy a machine."""

_MISSING = object()
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Late(BaseException):
    """Raised in a student's code by the alarm; not an `Exception`, so that a bare handler does not swallow it."""


def serve(channel: int, shell: Shell, probes_of: Mapping[str, Mapping[str, Probe]]) -> NoReturn:
    """Do one job and end the process.

    The job is a tree with `chapter`, `steps` (each a `cell` and its `source`, or the `name` of a subject to take from the
    namespace), `cell_seconds` and `probe_seconds`. One frame is sent back for every step. Then come lists of probes (each with
    `key`, `name` and `seed`), and one frame is sent back for every probe, in order. In the place of a probe may stand the rehearsal of
    questions about an exercise.
    """
    job = wire.receive(channel)
    subjects: dict[str, Any] = {}
    for step in job["steps"]:
        if "name" in step:
            subjects[step["name"]] = shell.user_ns.get(step["name"], _MISSING)
            wire.send(channel, {})
        else:
            wire.send(channel, _run_cell(shell, step["source"], step["cell"], job["cell_seconds"]))
    probes = probes_of[job["chapter"]]
    shell.outputs = Outputs()
    late: dict[str, set[str]] = {}
    watched: set[str] = set()
    while True:
        for asked in wire.receive(channel):
            name = asked["name"]
            subject = subjects.get(name, _MISSING)
            if subject is _MISSING:
                subject = shell.user_ns.get(name, _MISSING)
            if asked["key"] == key_of(name):
                wire.send(channel, _rehearse(job["chapter"], name, subject, asked["seed"], job["probe_seconds"]))
                continue
            before = late.setdefault(name, set())
            if asked["key"] in before or len(before) >= PATIENCE:
                wire.send(channel, _late(job["probe_seconds"]))
                continue
            probe, is_first = probes[asked["key"]], asked["key"] not in watched
            watched.add(asked["key"])
            tree = _run_probe(probe, subject, int(asked["seed"]), job["probe_seconds"], watched=is_first)
            if tree.get("status") == Status.TIMEOUT:
                before.add(asked["key"])
            wire.send(channel, tree)


def _run_cell(shell: Shell, source: str, cell: int, seconds: float) -> dict[str, Any]:
    try:
        with _alarm(seconds):
            outputs, error = shell.run(source, cell)
    except Late:
        outputs, error = shell.outputs.items, Late()
        shell.outputs.add_error(Status.TIMEOUT, LATE.format(seconds), [])
    if isinstance(error, Late):
        return {"outputs": outputs, "error": Status.TIMEOUT.value, "missing_name": ""}
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        return {"outputs": outputs, "error": TOO_MUCH_ROOM, "missing_name": ""}
    name = error.name if isinstance(error, NameError) else ""
    return {"outputs": outputs, "error": type(error).__name__ if error else "", "missing_name": name or ""}


def _run_probe(probe: Probe, subject: Any, seed: int, seconds: float, *, watched: bool) -> dict[str, Any]:
    if subject is _MISSING:
        return {"status": Status.ERROR.value, "message": UNDEFINED.format(probe.exercise)}
    try:
        with _alarm(seconds):
            answer = ask(probe, subject, seed, watched=watched)
        tree = {}
        if isinstance(answer, Slipped):
            tree["slipped"], answer = True, answer.answer
        if isinstance(answer, Changed):
            tree["changed"], answer = True, answer.answer
        return {"answer": answer, **tree}
    except Late:
        return _late(seconds)
    except BaseException as error:  # noqa: BLE001 - a student may raise anything
        return facts_of(error)


def _rehearse(chapter: str, name: str, subject: Any, seed: str, seconds: float) -> dict[str, Any]:
    if subject is _MISSING:
        return {"status": Status.ERROR.value, "message": UNDEFINED.format(name)}
    try:
        with _alarm(seconds):
            return {"answer": rehearse(chapter, name, subject, seed)}
    except Late:
        return _late(seconds)
    except BaseException as error:  # noqa: BLE001 - a student may raise anything
        return facts_of(error)


def _late(seconds: float) -> dict[str, Any]:
    return {"status": Status.TIMEOUT.value, "message": LATE.format(seconds)}


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise `Late` in the code when it has computed for so many seconds, or slept for as many, however busy the machine is."""
    start, taken = time.monotonic(), time.process_time()

    def ring(number: int, _: Any) -> None:
        computed = time.process_time() - taken
        if number == signal.SIGPROF or computed < _SLEEPS * (time.monotonic() - start):
            raise Late

    signal.signal(signal.SIGALRM, ring)
    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
