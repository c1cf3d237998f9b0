"""Runs a job on a warm worker. One path for every way in: nbgrader's loop, formgrader's requests, local threads, Dask."""

from __future__ import annotations

import atexit
import threading

from autograder.grading.plan import Job
from autograder.grading.sandbox import SandboxError
from autograder.grading.worker import Run, Worker

_idle: list[Worker] = []
_lock = threading.Lock()


def run_job(job: Job) -> Run:
    """Run one submission on an idle worker of this process, or on a new one.

    Raises:
        SandboxError: The worker or its box failed; the submission is not to blame.
    """
    worker = _take(job) or Worker(job.box, job.limits)
    try:
        run = worker.run(job.chapter, job.steps, job.asked)
        if job.needs_demonstrations(run):
            run = worker.run(job.chapter, job.all_steps, job.asked)
    except (SandboxError, OSError) as error:
        worker.close()
        raise SandboxError(str(error)) from error
    with _lock:
        _idle.append(worker)
    return run


def _take(job: Job) -> Worker | None:
    with _lock:
        fitting = [worker for worker in _idle if worker.fits(job.box, job.limits)]
        if fitting:
            _idle.remove(fitting[0])
    return fitting[0] if fitting else None


@atexit.register
def _close() -> None:
    with _lock:
        while _idle:
            _idle.pop().close()
