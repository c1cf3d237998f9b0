"""How a zygote begins: before it imports what takes long, it is bound to the process that started it."""

from __future__ import annotations

import fcntl
import os
import select
import socket
import sys


def end_when_closed(sock: socket.socket, so: bool) -> None:
    """Have the kernel end this process at once when the other end closes, or not any more; until then nothing may be received."""
    fcntl.fcntl(sock, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(sock, fcntl.F_GETFL)
    fcntl.fcntl(sock, fcntl.F_SETFL, flags | os.O_ASYNC if so else flags & ~os.O_ASYNC)
    if so and select.select([sock], [], [], 0)[0]:  # It closed before.
        os._exit(70)


if __name__ == "__main__":
    control = socket.socket(fileno=int(sys.argv[1]))
    end_when_closed(control, True)
    from autograder.grading.zygote import main

    main(control, sys.argv[2])
