"""A warm, single-threaded process that forks one boxed child for each submission.

It imports what notebooks import once, so that a submission starts in milliseconds. It is started with a bare environment and
never holds an answer, a judge or a secret. `worker` starts it and talks to it over a socket, and when that closes it ends, and
with it all that it started. It watches that socket before it imports anything that takes seconds: what leads to torch, such as
`wire`, is imported in functions.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import gc
import importlib
import os
import pkgutil
import select
import signal
import socket
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from autograder.grading import sandbox

CHANNEL = 3
"""The child's only descriptor besides the three that lead nowhere."""

OWN_SCRATCH, GIVEN_SCRATCH = b"own scratch", b"given scratch"
"""What it says when it is warm: whether each child mounts its scratch folder itself, which is then gone when it ends."""

END, CLOSED = b"end", b"closed"
"""What the worker says when it is done with a child, and when the child closed its channel by itself."""

ENDED, KILLED = b"ended", b"killed"
"""What it answers: whether somebody else had killed the child, which is no fault of a submission's."""

_LOOK = 0.5
_DYING_SECONDS = 0.5
_PR_SET_CHILD_SUBREAPER = 36
_REAP_SECONDS = 5.0


def main(control: int, box: str) -> None:
    """Serve fork requests on the control socket until it closes or the process that holds its other end is gone."""
    parent = os.getppid()
    with socket.socket(fileno=control) as sock:
        _end_when_closed(sock, True)
        if box != "none":
            sandbox.hold_available()
        shell, probes = _warm()
        denied = sandbox.denied_calls() if box != "none" else b""
        own_scratch = box != "none" and _can_mount(Path.cwd())
        if box == "none":  # What a student's code starts there is to end with it.
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        _end_when_closed(sock, False)
        sock.send(OWN_SCRATCH if own_scratch else GIVEN_SCRATCH)
        while _wait(sock, parent):
            message, descriptors, _, _ = socket.recv_fds(sock, 4096, 1)
            if not descriptors:
                return
            pid = os.fork()
            if pid == 0:
                _become_child(descriptors[0], Path(message.decode()), box, own_scratch, denied, shell, probes)
            os.close(descriptors[0])
            killed = False
            try:
                sock.send(str(pid).encode())
                waited_for = _wait(sock, parent)
                asked = sock.recv(16) if waited_for else b""
                killed = asked == CLOSED and _was_killed(pid)
            finally:
                _end(pid, box)
            if not asked:
                return
            sock.send(KILLED if killed else ENDED)


def _end_when_closed(sock: socket.socket, so: bool) -> None:
    """Have the kernel end this process at once when the other end closes, or not any more; until then nothing may be received."""
    fcntl.fcntl(sock, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(sock, fcntl.F_GETFL)
    fcntl.fcntl(sock, fcntl.F_SETFL, flags | os.O_ASYNC if so else flags & ~os.O_ASYNC)
    if so and select.select([sock], [], [], 0)[0]:  # It closed before.
        os._exit(70)


def _wait(sock: socket.socket, parent: int) -> bool:
    """Wait until there is something to receive; returns False if the parent has gone, whoever holds its end of the socket."""
    while not select.select([sock], [], [], _LOOK)[0]:
        if os.getppid() != parent:
            return False
    return True


def _can_mount(scratch: Path) -> bool:
    """Whether a child can have a scratch folder that is a file system of its own."""
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(OSError):
            sandbox.mount_scratch(scratch, sandbox.Limits())
            os._exit(0)
        os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def _was_killed(pid: int) -> bool:
    """Whether a child that closed its channel was ended by SIGKILL, as by the kernel when memory is short."""
    until = time.monotonic() + _DYING_SECONDS
    while time.monotonic() < until:
        found = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is not None:
            return found.si_code == os.CLD_KILLED and found.si_status == signal.SIGKILL
        time.sleep(0.005)
    return False


def _end(pid: int, box: str) -> None:
    """Kill the child, if it still is, and without a sandbox all that it started."""
    os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # It leads a group as soon as it has begun.
    os.waitpid(pid, 0)
    if box != "none":
        return
    until = time.monotonic() + _REAP_SECONDS
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    with contextlib.suppress(ChildProcessError, OSError):
        while time.monotonic() < until:
            for child in children.read_text().split():
                os.kill(int(child), signal.SIGKILL)
            os.waitpid(-1, 0)


def _warm() -> tuple[Any, dict[str, Any]]:
    """Import and use once what submissions will use, without starting a thread.

    Returns:
        The shell in which cells run, and the probes of every chapter: from inside the box their modules cannot be found.
    """
    import matplotlib.pyplot as plt
    import numpy.ctypeslib
    import numpy.random  # noqa: F401
    import sacrebleu  # noqa: F401
    import torch

    import autograder
    import seqlab
    from autograder.asking.probing import ask
    from autograder.asking.serialization import encode
    from autograder.declare import Probe, chapters, load_probes
    from autograder.grading import child  # noqa: F401
    from autograder.grading.shell import Shell

    for module in pkgutil.walk_packages(seqlab.__path__, "seqlab."):
        importlib.import_module(module.name)
    torch.set_num_threads(1)
    autograder.check = autograder.hint = autograder.solution = autograder.question = _not_here
    probes = {chapter: load_probes(chapter) for chapter in chapters()}
    for chapter in chapters():  # What questions are asked with.
        importlib.import_module(f"autograder.checks.{chapter}.by_hand")
    shell = Shell.instance()
    shell.run("%matplotlib inline\nimport torch\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
    shell.run("torch.nn.GRU(2, 2)(torch.randn(3, 1, 2, requires_grad=True))[0].sum().backward()\n1 / 0")
    encode(ask(Probe("warm", "up", lambda _, draw: {"drawn": draw.normal(2), "mask": draw.mask(2, 3)}, 1), None, 0))
    plt.close("all")
    shell.reset(new_session=True)
    gc.collect()
    gc.freeze()
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise RuntimeError(f"the fork server has {threads} threads, expected one: a child would hang")
    return shell, probes


def _not_here(*subject: Any, **worth: Any) -> Any:
    """Take the place of `check` and its like, whose results count nothing when a submission is graded."""
    print("When a submission is graded, checks run separately from the notebook.")


def _become_child(
    channel: int, scratch: Path, box: str, own_scratch: bool, denied: bytes, shell: Any, probes: dict[str, Any]
) -> NoReturn:
    from autograder.grading import wire
    from autograder.grading.child import serve

    try:
        parent = os.getppid()
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        channel = os.dup(channel) if channel <= CHANNEL else channel
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        os.dup2(channel, CHANNEL)
        os.closerange(CHANNEL + 1, 4096)
        os.environ["HOME"] = os.environ["TMPDIR"] = str(scratch)
        wire.send(CHANNEL, _enter(scratch, parent, box, own_scratch, denied))
        serve(CHANNEL, shell, probes)
    finally:
        os._exit(70)


def _enter(scratch: Path, parent: int, box: str, own_scratch: bool, denied: bytes) -> dict[str, Any]:
    """Enter the box; returns what the worker is told of it."""
    from autograder.grading import wire

    limits = sandbox.Limits(**wire.receive(CHANNEL))
    try:
        if own_scratch:
            sandbox.mount_scratch(scratch, limits)
        sandbox.die_with(parent)
        if box == "none":
            os.chdir(scratch)
        else:
            import seqlab

            library = Path(seqlab.__file__).parent
            sandbox.enter(scratch, [*sandbox.readable_folders(), library], limits, denied)
    except (sandbox.SandboxError, OSError) as error:
        return {"fault": str(error)}
    return {"ready": True}


def limits_tree(limits: sandbox.Limits) -> dict[str, Any]:
    """The limits as plain data for the child."""
    return asdict(limits)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
