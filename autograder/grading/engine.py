"""Runs a job on a warm worker of the current thread. One path for every way in: nbgrader's loop, local threads, Dask."""

from __future__ import annotations

import threading

from autograder.grading.plan import Job
from autograder.grading.sandbox import SandboxError
from autograder.grading.worker import Run, Worker

_here = threading.local()


def run_job(job: Job) -> Run:
    """Run one submission.

    Raises:
        SandboxError: The worker or its box failed; the submission is not to blame.
    """
    worker = getattr(_here, "worker", None)
    if worker is None or not worker.fits(job.box, job.limits):
        if worker is not None:
            worker.close()
        worker = _here.worker = Worker(job.box, job.limits)
    try:
        run = worker.run(job.chapter, job.steps, job.asked)
        if job.needs_demonstrations(run):
            run = worker.run(job.chapter, job.all_steps, job.asked)
    except (SandboxError, OSError) as error:
        worker.close()
        _here.worker = None
        raise SandboxError(str(error)) from error
    return run
