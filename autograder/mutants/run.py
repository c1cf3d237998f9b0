"""Runs all checks on a mutant, each in a process of its own, since it may loop for ever, eat memory or crash."""

from __future__ import annotations

import contextlib
import faulthandler
import io
import linecache
import math
import multiprocessing
import os
import resource
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from autograder.asking.probing import Answer, answers
from autograder.declare import ExerciseChecks, chapters, key, load_checks
from autograder.judging.outcomes import judge_exercise
from autograder.judging.reference import load_reference, reference_answers
from autograder.judging.verdict import Status
from autograder.mutants.making import Mutant

VISIBLE, HIDDEN, SURVIVED = "visible", "hidden", "survived"
"""How a mutant ends: missed by a visible check, by a hidden one alone, or by none."""

_SECONDS, _FACTOR = 2, 10
"""Seconds of a processor that a mutant may take, and how many times what the reference takes on top of them."""
_STUCK = 120
"""Seconds after which one is ended that takes no processor's time either."""
_MEMORY = 2 << 30
"""Bytes that it may take beyond what it begins with: torch alone takes several GB of addresses where it knows CUDA."""
_fork = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Ground:
    """What the mutants of one exercise are held against.

    Args:
        checks: The exercise with its checks.
        module: The chapter's solutions.
        want: The reference's answers under the secret.
        seconds: How long the reference takes for all of them.
    """

    checks: ExerciseChecks
    module: ModuleType
    want: dict[str, list[Any]]
    seconds: float

    @property
    def subject(self) -> Any:
        """The reference solution."""
        return getattr(self.module, self.checks.exercise.name)


def all_grounds(solutions: Path, secret: str, names: Iterable[str]) -> list[Ground]:
    """The grounds of exercises, in the order of the book.

    Args:
        solutions: The folder that holds one folder a chapter.
        secret: Under which the draws are made.
        names: Of the exercises.
    """
    torch.set_num_threads(1)
    wanted, found = set(names), []
    for chapter in chapters():
        chosen = [checks for checks in load_checks(chapter) if checks.exercise.name in wanted]
        module = load_reference(solutions, chapter) if chosen else ModuleType(chapter)
        for checks in chosen:
            started = time.perf_counter()
            with redirect_stdout(io.StringIO()):
                want = reference_answers(module, [checks], secret)
            found.append(Ground(checks, module, want, time.perf_counter() - started))
    return found


def trials(mutant: Mutant, ground: Ground, secret: str) -> Iterator[str]:
    """Run the checks on a mutant, the visible ones first, until it misses one.

    Yields:
        Before each check the kind of it, so that the last one is where the mutant ended; `SURVIVED` after all.
    """
    subject = compiled(mutant, ground)
    checks = ground.checks
    got: dict[str, list[Answer]] = {}
    for check in sorted(checks.checks, key=lambda check: check.hidden):
        yield HIDDEN if check.hidden else VISIBLE
        name = key(check.probe)
        if name not in got:
            got[name] = answers(check.probe, subject, secret)
        (outcome,) = judge_exercise(replace(checks, checks=(check,)), got, ground.want)
        if outcome.status is not Status.PASSED:
            return
    yield SURVIVED


def compiled(mutant: Mutant, ground: Ground) -> Any:
    """The mutant, among the names that its original knows; Python finds its source as it would a notebook's."""
    file = f"<mutant of {mutant.exercise}>"
    linecache.cache[file] = (len(mutant.source), None, mutant.source.splitlines(keepends=True), file)
    names = dict(vars(sys.modules[ground.subject.__module__]))
    exec(compile(mutant.source, file, "exec"), names)  # noqa: S102 - our own solution, with one change
    return names[mutant.exercise]


def run_all(jobs: Iterable[tuple[Mutant, Ground]], secret: str, workers: int) -> Iterator[tuple[Mutant, str]]:
    """Run each mutant, as many side by side as there are workers. Gives each as soon as it has ended, and how.

    One that crashes, or ends for want of time or memory, is missed by the check that it was at.
    """
    waiting = deque(jobs)
    running: dict[int, tuple[Mutant, ForkProcess, Connection, float]] = {}
    while waiting or running:
        while waiting and len(running) < workers:
            mutant, ground = waiting.popleft()
            theirs, ours = _fork.Pipe(duplex=False)
            process = _fork.Process(target=_child, args=(ours, mutant, ground, secret))
            process.start()
            ours.close()
            running[process.sentinel] = (mutant, process, theirs, time.monotonic() + _STUCK)
        ready = wait(list(running), timeout=1)
        for sentinel in [s for s in running if s in ready or time.monotonic() > running[s][-1]]:
            mutant, process, channel, _ = running.pop(sentinel)
            yield mutant, _end(channel, process)


def _child(channel: Connection, mutant: Mutant, ground: Ground, secret: str) -> None:
    """Tell the kind of each check that the mutant comes to, and how it ends."""
    seconds = math.ceil(_SECONDS + _FACTOR * ground.seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    most = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + _MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.disable()  # Otherwise a crash is told at length.
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        for kind in trials(mutant, ground, secret):
            channel.send(kind)


def _end(channel: Connection, process: ForkProcess) -> str:
    """What the process told last."""
    process.kill()
    process.join()
    kind = VISIBLE
    with contextlib.suppress(EOFError):
        while True:
            kind = channel.recv()
    channel.close()
    return kind
