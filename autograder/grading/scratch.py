"""The folders that grading needs for as long as it runs: one for each process, which the next one removes if it was killed.

Students' code writes below them, so that nothing here recurses into what it made or follows a link.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import stat
import tempfile
import threading
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from autograder.grading.sandbox import Limits

_PREFIX = "autograder-"
_LOCK = "lock"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_UNLOCKED_SECONDS = 60.0
"""How old a folder without a lock must be: a younger one may be about to get it."""

_making = threading.Lock()

_LONGEST = 3000
"""Of a path, in characters: the kernel takes 4,096."""


def home() -> Path:
    """The folder of this process, which nobody else may enter. It is removed when the process ends."""
    with _making:
        return _home(os.getpid())


@lru_cache(maxsize=1)
def _home(process: int) -> Path:
    """The folder, made once; a process that was forked off has another."""
    sweep()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    # It gets its name when it is held: who sweeps at this moment would otherwise find a lock that nobody holds.
    lock = os.open(folder / f"{_LOCK}.new", os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.rename(folder / f"{_LOCK}.new", folder / _LOCK)

    def end() -> None:
        if os.getpid() == process:
            remove(folder)

    atexit.register(end)
    return folder


def sweep() -> None:
    """Remove the folders of processes that were killed before they could."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            found = folder.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and _is_left(folder, found.st_mtime):
                remove(folder)


def _is_left(folder: Path, changed: float) -> bool:
    """Whether no process holds the folder."""
    try:
        lock = os.open(folder / _LOCK, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return time.time() - changed > _UNLOCKED_SECONDS
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it, however deep, and follow no link. Nothing else may be changing it.

    What cannot be removed stays, for the next sweep.
    """
    with contextlib.suppress(OSError):
        os.chmod(folder, 0o700)
        here = os.open(folder, _FOLDER)
        try:
            above: list[list[str]] = []
            folders = _without_files(here)
            while folders or above:
                if folders:
                    os.chmod(folders[-1], 0o700, dir_fd=here)
                    there = os.open(folders[-1], _FOLDER, dir_fd=here)
                    above.append(folders)
                    folders = _without_files(there)
                else:
                    there = os.open("..", _FOLDER, dir_fd=here)
                    folders = above.pop()
                    os.rmdir(folders.pop(), dir_fd=there)
                os.close(here)
                here = there
        finally:
            os.close(here)
        os.rmdir(folder)


def _without_files(folder: int) -> list[str]:
    """Remove all from a folder but the folders in which something is; returns their names."""
    folders = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.name, dir_fd=folder)
                continue
            try:
                os.rmdir(entry.name, dir_fd=folder)
            except OSError:  # Something is in it.
                folders.append(entry.name)
    return folders


def is_within(folder: Path, process: int, limits: Limits) -> bool:
    """Whether what a process has put into a folder is within its limits, its unlinked files counted.

    Args:
        folder: The folder.
        process: The process that writes there, and may have files open or mapped that no folder names any more.
        limits: What it may use; no more files are looked at.
    """
    size = _unlinked_bytes(folder, process, limits.file_bytes)
    waiting, entries = [str(folder)], 0
    while waiting:
        path = waiting.pop()
        if len(path) > _LONGEST:
            return False
        try:
            with os.scandir(path) as found:
                for entry in found:
                    entries += 1
                    if entries > limits.scratch_files:
                        return False
                    with contextlib.suppress(OSError):
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append(entry.path)
        except OSError:
            continue
    return size <= limits.scratch_bytes


def _unlinked_bytes(folder: Path, process: int, largest: int) -> int:
    """What the files take that a process has in the folder although they have no name there any more.

    One that is mapped and no longer open counts as the largest that it may be: only root could ask how large it is.
    """
    device, size = folder.stat().st_dev, {}
    with contextlib.suppress(OSError):
        for name in os.listdir(f"/proc/{process}/fd"):
            with contextlib.suppress(OSError):
                found = os.stat(f"/proc/{process}/fd/{name}")
                if found.st_dev == device and not found.st_nlink and stat.S_ISREG(found.st_mode):
                    size[found.st_ino] = found.st_blocks * 512
    inside = os.fsencode(folder) + b"/"
    with contextlib.suppress(OSError), open(f"/proc/{process}/maps", "rb") as maps:
        for line in maps:
            _, _, _, _, inode, *path = line.split(maxsplit=5)
            if path and path[0].startswith(inside) and path[0].endswith(b" (deleted)\n"):
                size.setdefault(int(inode), largest)
    return sum(size.values())


@dataclass(frozen=True)
class Time:
    """How long a process has computed and slept: what it waits for a processor, because the machine is busy, is neither.

    Args:
        computed: Seconds for which its threads had a processor.
        slept: Seconds from some moment on in which its first thread neither had a processor nor waited for one.
    """

    computed: float = 0.0
    slept: float = 0.0


def time_of(process: int) -> Time | None:
    """How long a process has computed and slept, as the kernel tells it; None when it has ended.

    Where the kernel does not tell what it waited for a processor, that counts as sleep.
    """
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            user, system = file.read().rpartition(b")")[2].split()[11:13]
    except OSError:
        return None
    had = waited = 0
    with contextlib.suppress(OSError), open(f"/proc/{process}/schedstat", "rb") as file:
        had, waited = map(int, file.read().split()[:2])
    computed = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return Time(computed, time.monotonic() - ((had + waited) / 1e9 or computed))


@dataclass(frozen=True)
class Use:
    """What a process uses; nothing when it has ended.

    Args:
        threads: How many threads it has.
        memory: The bytes of its address space, which is what a limit on memory is a limit of.
        peak: The most bytes that it ever had.
    """

    threads: int = 0
    memory: int = 0
    peak: int = 0


def use_of(process: int) -> Use:
    """What a process uses, as the kernel tells it: the process itself has no say in it."""
    try:
        with open(f"/proc/{process}/status", "rb") as file:
            found = {name: rest.split() for name, _, rest in (line.partition(b":") for line in file)}
    except OSError:
        return Use()
    if b"VmPeak" not in found:
        return Use()
    memory, peak = (int(found[name][0]) << 10 for name in (b"VmSize", b"VmPeak"))
    return Use(int(found[b"Threads"][0]), memory, peak)
