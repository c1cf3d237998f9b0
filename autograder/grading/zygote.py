"""A warm, single-threaded process that forks one boxed child a submission.

It imports what notebooks import once, so that a submission starts in milliseconds. It is started with a bare environment and
never holds an answer, a judge or a secret. `worker` starts it and talks to it.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from autograder.grading import sandbox, wire

CHANNEL = 3
"""The child's only descriptor besides the three that lead nowhere."""


def main(control: int, box: str) -> None:
    """Serve fork requests on the control socket until it closes."""
    if box != "none" and sandbox.why_not():
        raise sandbox.SandboxError(sandbox.why_not())
    shell, probes = _warm()
    with socket.socket(fileno=control) as sock:
        sock.send(b"ready")
        while True:
            message, descriptors, _, _ = socket.recv_fds(sock, 4096, 1)
            if not message:
                return
            pid = os.fork()
            if pid == 0:
                _become_child(descriptors[0], message.decode(), box, shell, probes)
            os.close(descriptors[0])
            handle = os.pidfd_open(pid)
            socket.send_fds(sock, [str(pid).encode()], [handle])
            os.close(handle)
            sock.recv(16)
            os.waitpid(pid, 0)


def _warm() -> tuple[Any, dict[str, Any]]:
    """Import and use once what submissions will use, without starting a thread.

    Returns:
        The shell in which cells run, and the probes of every chapter: from inside the box their modules cannot be found.
    """
    import matplotlib.pyplot as plt
    import sacrebleu  # noqa: F401
    import torch

    import autograder
    import seqlab.corpus
    import seqlab.plots
    import seqlab.record
    import seqlab.training  # noqa: F401
    from autograder.declare import chapters, load_probes
    from autograder.grading import child  # noqa: F401
    from autograder.grading.shell import Shell

    torch.set_num_threads(1)
    autograder.check = autograder.hint = autograder.solution = _not_here
    probes = {chapter: load_probes(chapter) for chapter in chapters()}
    shell = Shell.instance()
    shell.run("%matplotlib inline\nimport torch\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
    shell.run("torch.nn.GRU(2, 2)(torch.randn(3, 1, 2, requires_grad=True))[0].sum().backward()\n1 / 0")
    plt.close("all")
    shell.reset(new_session=True)
    gc.collect()
    gc.freeze()
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise RuntimeError(f"the fork server has {threads} threads, expected one: a child would hang")
    return shell, probes


def _not_here(subject: Any) -> Any:
    """Take the place of `check` and its like, whose results count nothing when a submission is graded."""
    print("Checks are run apart from the notebook when a submission is graded.")


def _become_child(channel: int, scratch: str, box: str, shell: Any, probes: dict[str, Any]) -> NoReturn:
    from autograder.grading.child import serve

    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.setsid()
        sandbox.die_with_parent()
        nowhere = os.open(os.devnull, os.O_RDWR)
        channel = os.dup(channel) if channel <= CHANNEL else channel
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        os.dup2(channel, CHANNEL)
        os.closerange(CHANNEL + 1, 4096)
        os.environ["HOME"] = os.environ["TMPDIR"] = scratch
        limits = sandbox.Limits(**wire.receive(CHANNEL))
        if box == "none":
            os.chdir(scratch)
        else:
            import seqlab

            library = Path(seqlab.__file__).parent
            sandbox.enter(Path(scratch), [*sandbox.readable_folders(), library], limits)
        wire.send(CHANNEL, {"ready": True})
        serve(CHANNEL, shell, probes)
    except sandbox.SandboxError as error:
        wire.send(CHANNEL, {"fault": str(error)})
    finally:
        os._exit(70)


def limits_tree(limits: sandbox.Limits) -> dict[str, Any]:
    """The limits as plain data for the child."""
    return asdict(limits)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
