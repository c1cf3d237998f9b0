"""Runs a job on a warm worker. One path for every entry point: nbgrader's loop, formgrader's requests, local threads, Dask.

What workers are made of imports torch, so it is imported when there is something to run.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import TYPE_CHECKING

from autograder.grading.plan import Job, Step
from autograder.grading.sandbox import SandboxError

if TYPE_CHECKING:
    from autograder.grading.worker import Run, Worker

_idle: list[Worker] = []
_busy: list[Worker] = []
_lock = threading.Lock()
_closed = 0
"""How often all workers were ended."""


class _Turns:
    """Lets jobs run together, or one of them alone."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._together, self._is_one_alone = 0, False

    @contextmanager
    def together(self) -> Iterator[None]:
        """While nobody runs alone."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_one_alone)
            self._together += 1
        try:
            yield
        finally:
            with self._changed:
                self._together -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """When all others have ended; whoever comes meanwhile waits."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_one_alone)
            self._is_one_alone = True
            self._changed.wait_for(lambda: not self._together)
        try:
            yield
        finally:
            with self._changed:
                self._is_one_alone = False
                self._changed.notify_all()


_turns = _Turns()


def run_job(job: Job) -> Run:
    """Run one submission on an idle worker of this process, or on a new one; what took too long once more, while no other runs.

    Raises:
        SandboxError: The worker or its box failed, or `close` was called; the submission is not to blame.
    """
    with _lock:
        closed = _closed
    from autograder.grading.worker import joined, settled

    runs: list[Run] = []
    more = job.steps
    with _turns.together():
        while more:
            steps = more
            runs.append(_run(job, steps, closed, lambda run: bool(run.late() or job.more_steps(steps, run))))  # noqa: B023 - at once
            more = job.more_steps(steps, runs[-1])
    if runs[-1].late():
        with _turns.alone():
            runs[-1] = settled(runs[-1], _run(job, steps, closed, lambda run: False))
    return reduce(lambda first, again: joined(first, again, job.asked), runs)


def _run(job: Job, steps: Sequence[Step], closed: int, unless: Callable[[Run], bool]) -> Run:
    """Run steps and probes of a job on a worker, which is idle again afterwards, unless it failed.

    Raises:
        SandboxError: As `run_job`.
    """
    worker = None
    try:
        worker = _take(job, closed)
        run = worker.run(job.chapter, steps, job.asked, unless=unless)
    except BaseException as error:
        if worker is not None:
            _forget(worker)
            worker.close()
        if isinstance(error, OSError):
            raise SandboxError(str(error)) from error
        raise
    with _lock:
        if worker in _busy:
            _busy.remove(worker)
            _idle.append(worker)
    return run


def close() -> None:
    """End all workers of this process at once; a job that is running on one raises `SandboxError` soon after."""
    global _closed
    with _lock:
        _closed += 1
        idle, busy = list(_idle), list(_busy)
        _idle.clear()
        _busy.clear()
    for worker in [*idle, *busy]:
        worker.stop()
    for worker in idle:
        worker.close()


def _take(job: Job, closed: int) -> Worker:
    """An idle worker that fits, or a new one.

    Args:
        job: The job.
        closed: How often all workers had been ended when the job began.

    Raises:
        SandboxError: There is no sandbox, or `close` was called meanwhile.
    """
    with _lock:
        if closed != _closed:
            raise SandboxError("grading was stopped")
        worker = next((found for found in _idle if found.fits(job.box, job.limits)), None)
        if worker is not None:
            _idle.remove(worker)
            _busy.append(worker)
            return worker
    from autograder.grading.worker import Worker

    worker = Worker(job.box, job.limits)
    with _lock:
        if closed == _closed:
            _busy.append(worker)
            return worker
    worker.close()
    raise SandboxError("grading was stopped")


def _forget(worker: Worker) -> None:
    with _lock:
        if worker in _busy:
            _busy.remove(worker)


atexit.register(close)
