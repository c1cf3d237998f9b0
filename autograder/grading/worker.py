"""Runs one submission's cells and probes in boxed processes, and survives whatever they do.

A worker owns a warm zygote. When a child hangs beyond its alarm or dies, the step that it was at is recorded as the
cause, and a fresh child goes on without that step: one bad cell costs itself alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from autograder.asking.probing import Answer, Changed, Failure, Slipped
from autograder.asking.serialization import NotPlainError
from autograder.grading import sandbox, scratch, wire
from autograder.grading.child import PATIENCE
from autograder.grading.plan import MAX_CELL, Asked, Step
from autograder.grading.redaction import LATE, TOO_MUCH_ROOM, told, without_words
from autograder.grading.sandbox import Limits, SandboxError
from autograder.grading.zygote import CLOSED, END, KILLED, OWN_SCRATCH, limits_tree
from autograder.judging.verdict import Status

_UNDEFINED = re.compile(r"NameError: name '(\w+)' is not defined")
_GRACE = 2.0
_LOOK = 0.25
_START = 600.0
_END = 10.0
_MAX_SOURCES = 400_000
_MAX_SENT = 128 << 20
"""Bytes that one submission may send in all: many times what any chapter's answers and figures take."""

_MAX_SHOWN = 16 << 20


@dataclass
class Run:
    """What came of a submission.

    Args:
        outputs: By cell index, in the notebook format's form.
        errors: By cell index, what the cell raised.
        missing_names: By cell index, the name that was not defined.
        answers: By probe key, in the order asked.
        seconds: For how long it computed.
        memory: The most bytes that a process of it took beyond what the interpreter had, and None if that cannot be seen here. A process
            that ended itself is seen as it was up to a quarter of a second before.
        doubtful: What took too long in one run and not in another; indices of cells, and keys of probes.
    """

    outputs: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    missing_names: dict[int, str] = field(default_factory=dict)
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    seconds: float = 0.0
    memory: int | None = None
    doubtful: list[int | str] = field(default_factory=list)

    def lacking(self) -> set[str]:
        """The names that were not defined, in cells and in answers."""
        failures = (answer for answers in self.answers.values() for answer in answers if isinstance(answer, Failure))
        return {name for failure in failures for name in _UNDEFINED.findall(failure.message)} | {
            *self.missing_names.values()
        }

    def late(self) -> set[int | str]:
        """What was stopped because it took too long: indices of cells, and keys of probes."""
        cells = {cell for cell, error in self.errors.items() if error == Status.TIMEOUT}
        return cells | {key for key, answers in self.answers.items() if any(map(_is_late, answers))}


def joined(first: Run, again: Run, asked: Iterable[Asked]) -> Run:
    """The answers of a second run, without what could show what code was asked in the first.

    If it was asked anything, what its cells showed in that one stands; and if it was asked what only hidden checks ask, so does what it
    answered to the others.
    """
    if first.answers:
        again.outputs, again.errors, again.missing_names = first.outputs, first.errors, first.missing_names
    hidden = {ask.key for ask in asked if not ask.visible}
    if hidden & first.answers.keys():
        again.answers |= {key: answers for key, answers in first.answers.items() if key not in hidden}
    return _summed(first, again)


def settled(first: Run, alone: Run) -> Run:
    """The first run, in which something took too long, with what that gave when it ran once more, alone.

    Where something took too long that is shown, no hidden check had asked anything yet; see `unless` of `Worker.run`.
    """
    late = first.late()
    alone.doubtful = [*first.doubtful, *sorted(late - alone.late(), key=str)]
    if first.answers:
        alone.outputs, alone.errors, alone.missing_names = first.outputs, first.errors, first.missing_names
        alone.answers |= {key: answers for key, answers in first.answers.items() if key not in late}
    return _summed(first, alone)


def _summed(first: Run, again: Run) -> Run:
    """The second run, with what the first one took."""
    again.seconds += first.seconds
    again.memory = most(first.memory, again.memory)
    return again


def _is_late(answer: Answer) -> bool:
    return isinstance(answer, Failure) and answer.status is Status.TIMEOUT


def most(*bytes_each: int | None) -> int | None:
    """The most memory of some, where it is known of any."""
    return max((known for known in bytes_each if known is not None), default=None)


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
        if box != "none":
            sandbox.hold_available()
        self._home = Path(tempfile.mkdtemp(prefix="worker-", dir=scratch.home()))
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        environment = {
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            **dict.fromkeys(("HOME", "MPLCONFIGDIR", "IPYTHONDIR"), str(self._home)),
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "PYTHONDONTWRITEBYTECODE": "1",
            "SEQLAB_BUDGET": "smoke",
            "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",  # A fork then copies half as much.
            "PYTORCH_JIT": "0",  # What it compiles calls functions without a watch's seeing them.
            **{f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR")},
        }
        with theirs:
            self._zygote = subprocess.Popen(
                [sys.executable, "-I", "-m", "autograder.grading.zygote", str(theirs.fileno()), box],
                pass_fds=[theirs.fileno()],
                env=environment,
                cwd=self._home,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._warm = self._own_scratch = self._stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def fits(self, box: str, limits: Limits) -> bool:
        """Whether this worker runs with this box and these limits, and its zygote lives."""
        return (box, limits) == (self._box, self._limits) and self._zygote.poll() is None

    def stop(self) -> None:
        """End the zygote and any child, from whatever thread: a `run` in another one raises `SandboxError`, and then closes."""
        self._stopped = True
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the zygote and with it any child. Nothing may be running in another thread."""
        self.stop()
        try:
            self._zygote.wait(_END)
        except subprocess.TimeoutExpired:
            self._zygote.kill()
            self._zygote.wait()
        self._control.close()
        scratch.remove(self._home)

    def run(
        self,
        chapter: str,
        steps: Sequence[Step],
        asked: Sequence[Asked],
        *,
        unless: Callable[[Run], bool] = lambda run: False,
    ) -> Run:
        """Run the steps and the probes of one submission.

        Args:
            chapter: The chapter's name.
            steps: The cells to run and the subjects to take.
            asked: The draws of the probes.
            unless: Asked when the cells have run, and again when all that may be shown is answered: if so, nothing more is asked.

        Raises:
            SandboxError: The box could not be set up, or `stop` was called.
        """
        self._wait_until_warm()  # Starting costs the first submission no time of its own.
        try:
            return self._run(chapter, steps, asked, unless, Run(), once_more=True)
        except _KilledError as error:
            # By the kernel, when memory is short, or by a person: what kills itself does so again.
            first = error.run
        again = self._run(chapter, steps, asked, unless, Run(), once_more=False)
        return joined(first, again, asked)

    def _run(
        self,
        chapter: str,
        steps: Sequence[Step],
        asked: Sequence[Asked],
        unless: Callable[[Run], bool],
        result: Run,
        *,
        once_more: bool,
    ) -> Run:
        """Run it in one child after another.

        Raises:
            SandboxError: The box could not be set up, or `stop` was called.
            _KilledError: Somebody else killed a child, and it is to be tried `once_more`.
        """
        talk = _Talk(self._limits)
        steps, asked = _short_enough(steps, result), sorted(asked, key=lambda ask: not ask.visible)
        while steps or asked:
            if talk.time.is_used_up():
                _give_up(asked, Failure(Status.TIMEOUT, LATE.format(self._limits.total_seconds)), result)
                break
            cause, killed = self._attempt(chapter, steps, asked, result, talk, unless)
            result.seconds = talk.time.computed
            if self._stopped:
                raise SandboxError("grading was stopped")
            if killed and once_more:
                raise _KilledError(result)
            if cause is None:
                break
            steps = [step for step in steps if step is not cause]
            asked = _left(asked, result, cause)
        return result

    def _attempt(
        self,
        chapter: str,
        steps: list[Step],
        asked: list[Asked],
        result: Run,
        talk: _Talk,
        unless: Callable[[Run], bool],
    ) -> tuple[Step | Asked | None, bool]:
        """Run all of it in one child. Returns at what the child was ended, or None at the end, and whether somebody else killed it."""
        folder = self._home if self._own_scratch else Path(tempfile.mkdtemp(prefix="submission-", dir=self._home))
        try:
            child = _Child(self._control, folder, counted=not self._own_scratch)
            try:
                cause = talk.work(child, chapter, steps, asked, result, unless)
            finally:
                talk.time.end(child.pid)
                child.end()
                result.memory = most(result.memory, child.memory)
        finally:
            if not self._own_scratch:
                scratch.remove(folder)
        return cause, child.was_killed

    def _wait_until_warm(self) -> None:
        if not self._warm:
            self._control.settimeout(_START)
            said = self._control.recv(64)
            if not said:
                raise SandboxError("the worker process ended while starting; its message is above")
            self._warm, self._own_scratch = True, said == OWN_SCRATCH


class _Ended(Exception):
    """The child was ended or ended itself before it answered."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure


class _KilledError(Exception):
    """Somebody else killed the child."""

    def __init__(self, run: Run) -> None:
        self.run = run


class _Time:
    """How long a submission has computed and slept: in the step at hand, and in all its steps and processes."""

    def __init__(self, limits: Limits) -> None:
        self._total, self._allowed = limits.total_seconds, 0.0
        self._ended, self._slept = 0.0, 0.0
        """How long the processes that have ended computed, and for how long all slept in the steps that are done."""
        self._first = self._last = scratch.Time()
        self._seen = False

    @property
    def computed(self) -> float:
        """The seconds for which it computed, as far as was seen."""
        return self._ended + self._last.computed

    def begin(self, seconds: float) -> None:
        """Begin a step that may take so long. It is seen when it takes longer than there is between two looks."""
        self._slept += self._last.slept - self._first.slept
        self._allowed, self._seen, self._first = seconds + _GRACE, False, self._last

    def look(self, process: int) -> bool:
        """See how long the process has taken; returns whether that is more than it may."""
        self._last = scratch.time_of(process) or self._last
        if not self._seen:
            self._first, self._seen = self._last, True
        computed, slept = self._last.computed - self._first.computed, self._last.slept - self._first.slept
        return max(computed, slept) > self._allowed or self.is_used_up()

    def end(self, process: int) -> None:
        """See for the last time how long a process has taken."""
        self.begin(0)
        self._ended += (scratch.time_of(process) or self._last).computed
        self._first = self._last = scratch.Time()

    def is_used_up(self) -> bool:
        """Whether it has taken all that a submission may."""
        return max(self.computed, self._slept + self._last.slept - self._first.slept) > self._total


class _Child:
    """One forked, boxed process and the channel to it."""

    def __init__(self, control: socket.socket, folder: Path, *, counted: bool) -> None:
        """Fork it.

        Args:
            control: The socket to the zygote.
            folder: Its scratch folder.
            counted: Whether what it puts there has to be counted, because no file system bounds it.
        """
        self._control, self._folder, self._counted = control, folder, counted
        self._looked = time.monotonic()
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(control, [os.fsencode(folder)], [theirs.fileno()])
        said = control.recv(64)
        if not said:
            raise SandboxError("the worker process ended")
        self.pid, self._ours = int(said), ours
        self._taken = 0
        self.memory: int | None = None
        self.has_closed = self.was_killed = False
        ours.setblocking(False)
        self.channel = ours.fileno()

    def measure(self) -> None:
        """Count memory from here: it is in the box, and has run nothing yet."""
        self._taken = scratch.use_of(self.pid).memory

    def _use(self) -> scratch.Use:
        use = scratch.use_of(self.pid)
        if self._taken and use.peak:
            self.memory = most(self.memory, max(0, use.peak - self._taken))
        return use

    def look(self, limits: Limits, taken: _Time) -> None:
        """See a few times a second that it takes and uses no more than it may.

        Raises:
            _Ended: It does.
        """
        if time.monotonic() < self._looked + _LOOK:
            return
        if taken.look(self.pid):
            raise _Ended(Failure(Status.TIMEOUT, "it did not finish in time and could not be interrupted"))
        if self._use().threads > limits.threads:
            raise _Ended(Failure(Status.ERROR, f"it started more than {limits.threads} threads"))
        if self._counted and not scratch.is_within(self._folder, self.pid, limits):
            raise _Ended(Failure(Status.ERROR, TOO_MUCH_ROOM))
        self._looked = time.monotonic()

    def end(self) -> None:
        """Have the zygote kill it, if it still is, and all that it started.

        Raises:
            SandboxError: The zygote is gone, and with it the child.
        """
        self._use()
        self._ours.close()
        said = b""
        with contextlib.suppress(OSError):
            self._control.send(CLOSED if self.has_closed else END)
            said = self._control.recv(16)
        if not said:
            raise SandboxError("the worker process ended")
        self.was_killed = said == KILLED


class _Talk:
    """What is said between the grader and the children of one submission, and how much more may be."""

    def __init__(self, limits: Limits) -> None:
        self._limits, self.time = limits, _Time(limits)
        self._left, self._shown = _MAX_SENT, 0

    def work(
        self,
        child: _Child,
        chapter: str,
        steps: list[Step],
        asked: list[Asked],
        result: Run,
        unless: Callable[[Run], bool],
    ) -> Step | Asked | None:
        """Have a child run all of it. Returns at what it was ended, or None at the end.

        Raises:
            SandboxError: It did not start.
        """
        try:
            self.begin(child, chapter, steps)
        except (_Ended, wire.WireClosedError, wire.WireTimeoutError) as error:
            raise SandboxError("the child did not start") from error
        for step in steps:
            if not self.run_step(child, step, result):
                return step
        return self.ask(child, chapter, {step.cell: step.source for step in steps}, asked, result, unless)

    def begin(self, child: _Child, chapter: str, steps: list[Step]) -> None:
        """Have a child enter the box, and tell it what to run."""
        limits, until = self._limits, time.monotonic() + _START
        wire.send(child.channel, limits_tree(limits), until)
        hello = self._answer(child, _START)
        if "ready" not in hello:
            raise SandboxError(str(hello.get("fault", "the child did not start")))
        child.measure()
        job = {
            "chapter": chapter,
            "steps": [{"name": s.subject} if s.subject else {"source": s.source, "cell": s.cell} for s in steps],
            "cell_seconds": limits.cell_seconds,
            "probe_seconds": limits.probe_seconds,
        }
        wire.send(child.channel, job, until)

    def run_step(self, child: _Child, step: Step, result: Run) -> bool:
        """Take what came of a step; returns whether the child lives. What an earlier child said of a cell stands.

        An earlier child may have been asked secret probes, and must have no way to say what they were.
        """
        try:
            before = self._left
            tree = self._answer(child, self._limits.cell_seconds)
        except _Ended as ended:
            if step.cell not in result.outputs:
                result.outputs[step.cell] = [_error_output(ended.failure)]
                result.errors[step.cell] = _cell_error(ended.failure)
            return False
        if not step.subject and step.cell not in result.outputs:
            self._shown += before - self._left
            result.outputs[step.cell] = _outputs(tree) if self._shown <= _MAX_SHOWN else [_TOO_MUCH_OUTPUT]
            for name, store in (("error", result.errors), ("missing_name", result.missing_names)):
                if isinstance(tree.get(name), str) and tree[name]:
                    store[step.cell] = tree[name][:200]
        return True

    def ask(
        self,
        child: _Child,
        chapter: str,
        sources: Mapping[int, str],
        asked: list[Asked],
        result: Run,
        unless: Callable[[Run], bool],
    ) -> Asked | None:
        """Ask the probes, those that are hidden when the others are answered. Returns at which the child ended, or None."""
        for visible in (True, False):
            part = [ask for ask in asked if ask.visible is visible]
            if not part:
                continue
            if unless(result):
                return None
            try:
                frame = [{"key": a.key, "name": a.exercise, "seed": str(a.seed)} for a in part]
                wire.send(child.channel, frame, time.monotonic() + _START)
            except (wire.WireClosedError, wire.WireTimeoutError):
                pass  # It will not answer.
            for ask in part:
                try:
                    tree = self._answer(child, self._limits.probe_seconds)
                except _Ended as ended:
                    result.answers.setdefault(ask.key, []).append(ended.failure)
                    return ask
                answer = (
                    _given(tree)
                    if "answer" in tree
                    else told(
                        tree,
                        chapter,
                        ask.exercise,
                        sources,
                        visible=ask.visible,
                        seconds=self._limits.probe_seconds,
                    )
                )
                result.answers.setdefault(ask.key, []).append(answer)
        return None

    def _answer(self, child: _Child, seconds: float) -> dict[str, Any]:
        """The child's next frame, for which it may compute and sleep for so long.

        Raises:
            _Ended: It died, sent what is not a frame or too many, or took or used more than it may.
        """
        self.time.begin(seconds)
        try:
            tree, size = wire.receive_answer(
                child.channel, float("inf"), lambda: child.look(self._limits, self.time), self._left
            )
        except wire.WireClosedError:
            child.has_closed = True
            raise _Ended(Failure(Status.ERROR, "it ended its own process")) from None
        except NotPlainError as error:
            raise _Ended(Failure(Status.ERROR, f"its process sent {error}")) from None
        self._left -= size
        if not isinstance(tree, dict):
            raise _Ended(Failure(Status.ERROR, "its process sent malformed data"))
        return tree


_TOO_MUCH_OUTPUT = {
    "output_type": "stream",
    "name": "stderr",
    "text": f"[Omitted: a graded notebook may show at most {_MAX_SHOWN >> 20} MB.]\n",
}


def _outputs(tree: Mapping[str, Any]) -> list[dict[str, Any]]:
    outputs = tree.get("outputs")
    return outputs if isinstance(outputs, list) else []


def _given(tree: Mapping[str, Any]) -> Answer:
    """The answer; that an argument was changed, or the form another, is told without the words, which a student's code chooses."""
    answer = without_words(tree["answer"])
    answer = Changed(answer) if tree.get("changed") is True else answer
    return Slipped(answer) if tree.get("slipped") is True else answer


def _short_enough(steps: Sequence[Step], result: Run) -> list[Step]:
    """The steps that are not too long to run; of the others it is said that they are."""
    kept, total = [], 0
    for step in steps:
        if len(step.source) <= MAX_CELL and total + len(step.source) <= _MAX_SOURCES:
            total += len(step.source)
            kept.append(step)
        else:
            failure = Failure(
                Status.ERROR,
                f"not run: it has {len(step.source):,} characters, and at most {MAX_CELL:,} are run of a cell and "
                f"{_MAX_SOURCES:,} of a notebook",
            )
            result.outputs[step.cell], result.errors[step.cell] = [_error_output(failure)], failure.message
    return kept


def _cell_error(failure: Failure) -> str:
    """What the table says of a cell at which the child ended."""
    return failure.message if failure.status is Status.ERROR else failure.status.value


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
