"""Runs one submission's cells and probes in boxed processes, and outlives whatever they do.

A worker owns a warm zygote. When a child hangs beyond its alarm or dies, the step that it was at is set down as the cause, and
a fresh child goes on without that step: one bad cell costs itself alone.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from autograder.grading import sandbox, wire
from autograder.grading.child import LATE, PATIENCE
from autograder.grading.sandbox import Limits, SandboxError
from autograder.grading.zygote import limits_tree
from autograder.plain import NotPlainError
from autograder.probing import Answer, Failure
from autograder.verdict import Status

_GRACE = 2.0
_START = 120.0
_POLL = 0.5


@dataclass(frozen=True)
class Step:
    """One thing to do in order: run a cell, or take the subject of an exercise from the namespace.

    Args:
        cell: Index of the cell in the notebook.
        source: The code to run; empty to take a subject.
        subject: The exercise whose subject is taken.
    """

    cell: int
    source: str = ""
    subject: str = ""


@dataclass(frozen=True)
class Asked:
    """One draw of one probe."""

    key: str
    exercise: str
    seed: int


@dataclass
class Run:
    """What came of a submission.

    Args:
        outputs: By cell index, in the notebook format's form.
        errors: By cell index, what the cell raised.
        missing_names: By cell index, the name that was not defined.
        answers: By probe key, in the order asked.
        seconds: How long it took.
    """

    outputs: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    missing_names: dict[int, str] = field(default_factory=dict)
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    seconds: float = 0.0


class Worker:
    """A warm zygote and the one submission that it is running."""

    def __init__(self, box: str = "landlock", limits: Limits | None = None) -> None:
        """Start the zygote; it warms up while the caller goes on.

        Args:
            box: `landlock`, or `none` for no sandbox.
            limits: What one submission may use.

        Raises:
            SandboxError: The sandbox cannot be had on this machine.
        """
        self._limits, self._box = limits or Limits(), box
        reason = sandbox.why_not() if box != "none" else ""
        if reason:
            raise SandboxError(
                f"grading needs a sandbox and this machine has none: {reason}. `--sandbox none` does without."
            )
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._home = tempfile.TemporaryDirectory(prefix="zygote-")
        environment = {
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            "HOME": self._home.name,
            "MPLCONFIGDIR": self._home.name,
            "IPYTHONDIR": self._home.name,
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "PYTHONDONTWRITEBYTECODE": "1",
            "SEQLAB_BUDGET": "smoke",
            **{f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR")},
        }
        with theirs:
            self._zygote = subprocess.Popen(
                [sys.executable, "-I", "-m", "autograder.grading.zygote", str(theirs.fileno()), box],
                pass_fds=[theirs.fileno()],
                env=environment,
                cwd=self._home.name,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        self._warm = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def fits(self, box: str, limits: Limits) -> bool:
        """Whether this worker runs with this box and these limits."""
        return (box, limits) == (self._box, self._limits)

    def close(self) -> None:
        """End the zygote and with it any child."""
        self._control.close()
        self._zygote.kill()
        self._zygote.wait()
        self._home.cleanup()

    def run(self, chapter: str, steps: Sequence[Step], asked: Sequence[Asked]) -> Run:
        """Run the steps and the probes of one submission.

        Raises:
            SandboxError: The box could not be set up; nothing of the submission was run.
        """
        result, started = Run(), time.monotonic()
        deadline = started + self._limits.total_seconds
        steps, asked = list(steps), list(asked)
        while steps or asked:
            if time.monotonic() > deadline:
                _give_up(asked, Failure(Status.TIMEOUT, LATE.format(self._limits.total_seconds)), result)
                break
            cause = self._attempt(chapter, steps, asked, result, deadline)
            if cause is None:
                break
            steps = [step for step in steps if step is not cause]
            asked = _left(asked, result, cause)
        result.seconds = time.monotonic() - started
        return result

    def _attempt(
        self, chapter: str, steps: list[Step], asked: list[Asked], result: Run, deadline: float
    ) -> Step | Asked | None:
        """Run all of it in one child. Returns at what the child was ended, or None at the end."""
        with tempfile.TemporaryDirectory(prefix="submission-", ignore_cleanup_errors=True) as folder:
            self._wait_until_warm()
            child = _Child(self._control, Path(folder))
            try:
                return self._converse(child, chapter, steps, asked, result, deadline)
            finally:
                child.end()

    def _converse(
        self, child: _Child, chapter: str, steps: list[Step], asked: list[Asked], result: Run, deadline: float
    ) -> Step | Asked | None:
        limits = self._limits
        wire.send(child.channel, limits_tree(limits))
        hello = child.answer(time.monotonic() + _START, limits)
        if "ready" not in hello:
            raise SandboxError(str(hello.get("fault", "the child did not start")))
        wire.send(
            child.channel,
            {
                "chapter": chapter,
                "steps": [{"name": s.subject} if s.subject else {"source": s.source} for s in steps],
                "probes": [{"key": a.key, "name": a.exercise, "seed": str(a.seed)} for a in asked],
                "cell_seconds": limits.cell_seconds,
                "probe_seconds": limits.probe_seconds,
            },
        )
        for step in steps:
            try:
                _store_cell(
                    step, child.answer(min(deadline, time.monotonic() + limits.cell_seconds + _GRACE), limits), result
                )
            except _Ended as ended:
                result.outputs[step.cell] = [_error_output(ended.failure)]
                result.errors[step.cell] = ended.failure.status.value
                return step
        for ask in asked:
            try:
                tree = child.answer(min(deadline, time.monotonic() + limits.probe_seconds + _GRACE), limits)
                answer = _answer(tree)
            except _Ended as ended:
                result.answers.setdefault(ask.key, []).append(ended.failure)
                return ask
            result.answers.setdefault(ask.key, []).append(answer)
        return None

    def _wait_until_warm(self) -> None:
        if not self._warm:
            self._control.settimeout(_START)
            if self._control.recv(16) != b"ready":
                raise SandboxError("the worker process ended while starting; its message is above")
            self._warm = True


class _Ended(Exception):
    """The child was ended or ended itself before it answered."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure


class _Child:
    """One forked, boxed process and the channel to it."""

    def __init__(self, control: socket.socket, scratch: Path) -> None:
        self._control, self._scratch = control, scratch
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(control, [str(scratch).encode()], [theirs.fileno()])
        _, handles, _, _ = socket.recv_fds(control, 64, 1)
        if not handles:
            raise SandboxError("the worker process ended")
        self._handle, self._ours = handles[0], ours
        self.channel = ours.fileno()

    def answer(self, deadline: float, limits: Limits) -> dict[str, Any]:
        """The child's next frame.

        Raises:
            _Ended: It died, sent what is not a frame, filled its folder, or the deadline passed.
        """
        late = Failure(Status.TIMEOUT, "it did not end in time and could not be interrupted")
        while not wire.wait(self.channel, min(deadline, time.monotonic() + _POLL)):
            if _size(self._scratch) > limits.scratch_bytes:
                raise _Ended(Failure(Status.ERROR, "its files took more room than a submission may use"))
            if time.monotonic() >= deadline:
                raise _Ended(late)
        try:
            tree = wire.receive(self.channel, deadline)
        except wire.WireTimeoutError:
            raise _Ended(late) from None
        except wire.WireClosedError:
            raise _Ended(Failure(Status.ERROR, "it ended its own process")) from None
        except NotPlainError as error:
            raise _Ended(Failure(Status.ERROR, f"its process sent {error}")) from None
        if not isinstance(tree, dict):
            raise _Ended(Failure(Status.ERROR, "its process sent malformed data"))
        return tree

    def end(self) -> None:
        """Kill the child, if it still is, and let the zygote reap it."""
        try:
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.close(self._handle)
        self._ours.close()
        self._control.send(b"reap")


def _store_cell(step: Step, tree: Mapping[str, Any], result: Run) -> None:
    if step.subject:
        return
    outputs = tree.get("outputs")
    result.outputs[step.cell] = outputs if isinstance(outputs, list) else []
    for name, store in (("error", result.errors), ("missing_name", result.missing_names)):
        if isinstance(tree.get(name), str) and tree[name]:
            store[step.cell] = tree[name][:200]


def _answer(tree: Mapping[str, Any]) -> Answer:
    if "answer" in tree:
        return tree["answer"]
    try:
        status = Status(str(tree.get("status")))
    except ValueError:
        status = Status.ERROR
    if status in (Status.PASSED, Status.GRADER_FAULT):
        status = Status.ERROR
    return Failure(status, str(tree.get("message", ""))[:1000])


def _left(asked: list[Asked], result: Run, cause: Step | Asked) -> list[Asked]:
    """What is still to be asked: after a cell ended the child everything, after a probe what comes behind it.

    The other draws of that probe fail alike, and when a second probe of an exercise ends its child so do all that are left.
    """
    if isinstance(cause, Step):
        return asked
    failure = result.answers[cause.key][-1]
    rest = asked[asked.index(cause) + 1 :]
    ended = {a.key for a in asked if a.exercise == cause.exercise and failure in result.answers.get(a.key, [])}
    same = [a for a in rest if a.key == cause.key or (a.exercise == cause.exercise and len(ended) >= PATIENCE)]
    _give_up(same, failure, result)
    return [ask for ask in rest if ask not in same]


def _give_up(asked: list[Asked], failure: Failure, result: Run) -> None:
    for ask in asked:
        result.answers.setdefault(ask.key, []).append(failure)


def _error_output(failure: Failure) -> dict[str, Any]:
    return {
        "output_type": "error",
        "ename": failure.status.value,
        "evalue": failure.message,
        "traceback": [failure.message],
    }


def _size(folder: Path) -> int:
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(root, name)).st_blocks * 512
            except OSError:
                continue
    return total
