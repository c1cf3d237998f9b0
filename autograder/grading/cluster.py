"""Runs jobs on the workers of a Dask cluster, for classes that outgrow a machine.

Only workers that have this very course installed are given anything. What happens to the cluster itself is reported
once, not for every submission.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from autograder.checkout import CourseError
from autograder.grading import sandbox
from autograder.grading.engine import run_job
from autograder.grading.plan import Job, installed
from autograder.grading.sandbox import SandboxError

if TYPE_CHECKING:
    from autograder.grading.worker import Run

_ANSWERS_WITHIN = 30.0
_WORKERS_WITHIN = 120.0
_LOOK = 2.0


class ClusterError(CourseError):
    """The cluster does not answer, has gone, or has no worker that can grade; the message says what to do."""


class Cluster:
    """The workers of one scheduler that can grade."""

    def __init__(self, scheduler: str, box: str, say: Callable[[str], None]) -> None:
        """Find the scheduler and its workers.

        Args:
            scheduler: Its address, such as tcp://host:8786.
            box: The kind of sandbox that its workers must have.
            say: Told which workers are left out, and why.

        Raises:
            ClusterError: It does not answer.
        """
        import distributed  # It takes a second, and most classes need none.

        self._dask = distributed
        self._say, self._scheduler, self._box = say, scheduler, box
        self._able: dict[str, int] = {}
        self._looked_at: set[str] = set()
        self._looked = -_LOOK
        self._served = time.monotonic()
        self._log = logging.getLogger("distributed")
        self._level = self._log.level
        self._log.setLevel(logging.CRITICAL)
        try:
            self._client: Any = distributed.Client(scheduler, timeout=_ANSWERS_WITHIN, set_as_default=False)
        except (OSError, ValueError) as error:
            self._log.setLevel(self._level)
            raise ClusterError(
                f"no Dask scheduler answers at {scheduler}: start one with `dask scheduler`, and workers with "
                f"`dask worker {scheduler}`"
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close(timeout=1)
        self._log.setLevel(self._level)

    @property
    def room(self) -> int:
        """How many submissions may be under way: two for each thread of the workers that can grade, some of which may still be to come.

        Raises:
            ClusterError: The scheduler has gone, or no worker that can grade has come.
        """
        if time.monotonic() - self._looked > _LOOK:
            self._look()
        if not self._able and time.monotonic() - self._served > _WORKERS_WITHIN:
            raise ClusterError(
                f"no worker at {self._scheduler} can grade: start some with `dask worker {self._scheduler}` in an "
                f"environment in which this course is installed"
            )
        return 2 * sum(self._able.values())

    def run(self, job: Job) -> Run:
        """Run one job on a worker, and on another if that one is lost.

        Raises:
            ClusterError: The scheduler has gone.
            SandboxError: The workers could not run it.
        """
        while True:
            able = list(self._able)
            future = self._client.submit(run_job, job, workers=able, pure=False)
            try:
                while set(able) & self._able.keys():
                    with contextlib.suppress(TimeoutError):
                        run: Run = future.result(timeout=_LOOK)
                        return run
                    self._hold_running()
                future.cancel()  # Only they may run it, and they have gone.
                while not self._able:
                    self._hold_running()
                    time.sleep(_LOOK)
            except (CancelledError, self._dask.client.FutureCancelledError) as error:
                raise self._gone() from error
            except self._dask.scheduler.KilledWorker as error:
                raise SandboxError("the workers that ran it were lost, one after the other") from error

    def _hold_running(self) -> None:
        if self._client.status != "running":
            raise self._gone()

    def _look(self) -> None:
        """Find out which workers there are now, and which of them can grade."""
        self._hold_running()
        try:
            present = {name: int(w["nthreads"]) for name, w in self._client.scheduler_info(-1)["workers"].items()}
            new = [name for name in present if name not in self._looked_at]
            found = self._client.run(_readiness, self._box, workers=new, on_error="return") if new else {}
        except (CancelledError, self._dask.client.FutureCancelledError, OSError, TimeoutError) as error:
            raise self._gone() from error
        ours = (installed(), "") if new else ()
        for name, theirs in found.items():
            self._looked_at.add(name)
            if theirs != ours:
                reason = theirs[1] if isinstance(theirs, tuple) else str(theirs)
                self._say(
                    f"The worker {name} is not used: {reason or 'it has a different version of the course or of torch'}."
                )
        able = {name for name, theirs in found.items() if theirs == ours} | set(self._able)
        self._able = {name: threads for name, threads in present.items() if name in able}
        self._looked = time.monotonic()
        if self._able:
            self._served = self._looked

    def _gone(self) -> ClusterError:
        return ClusterError(
            f"the connection to the Dask scheduler at {self._scheduler} was lost. Start it and its workers again"
        )


def _readiness(box: str) -> tuple[str, str]:
    """What is installed where this runs, and why it could not grade with such a sandbox, or an empty string."""
    return installed(), sandbox.why_not() if box != "none" else ""
