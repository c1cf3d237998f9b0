"""Runs a job on a warm worker. One path for every entry point: nbgrader's loop, formgrader's requests, local threads, Dask."""

from __future__ import annotations

import atexit
import threading

from autograder.grading.plan import Job
from autograder.grading.sandbox import SandboxError
from autograder.grading.worker import Run, Worker, joined

_idle: list[Worker] = []
_busy: list[Worker] = []
_lock = threading.Lock()
_closed = 0
"""How often all workers were ended."""


def run_job(job: Job) -> Run:
    """Run one submission on an idle worker of this process, or on a new one.

    Raises:
        SandboxError: The worker or its box failed, or `close` was called; the submission is not to blame.
    """
    worker = None
    try:
        worker = _take(job)
        run = worker.run(job.chapter, job.steps, job.asked, unless_missing=job.demonstrated)
        if job.needs_demonstrations(run):
            run = joined(run, worker.run(job.chapter, job.all_steps, job.asked), job.asked)
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


def _take(job: Job) -> Worker:
    """An idle worker that fits, or a new one.

    Raises:
        SandboxError: There is no sandbox, or `close` was called meanwhile.
    """
    with _lock:
        closed = _closed
        worker = next((found for found in _idle if found.fits(job.box, job.limits)), None)
        if worker is not None:
            _idle.remove(worker)
            _busy.append(worker)
            return worker
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
