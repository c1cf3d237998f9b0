"""Processes: their descendants, read from /proc, for tests of what lives on and for the benchmark's memory; and what commands import."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path


def _read(pid: int, name: str) -> str:
    """What a file of /proc says of it; empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/{name}").read_text()
    except OSError:
        return ""


def _numbers(pid: int) -> list[str]:
    """Its state and the numbers after it; none when it is gone."""
    return _read(pid, "stat").rpartition(")")[2].split()


def _state_and_parent(pid: int) -> tuple[str, int]:
    """Its state, `Z` for what only waits to be buried, and the process that it comes from; of one that is gone, `Z` and 0."""
    state, parent = (_numbers(pid) or ["Z", "0"])[:2]
    return state, int(parent)


def descendants(pid: int) -> set[int]:
    """The processes that come from this one and are alive."""
    children: dict[int, set[int]] = {}
    for child in (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
        state, parent = _state_and_parent(child)
        if state != "Z":
            children.setdefault(parent, set()).add(child)
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        below = children.get(waiting.pop(), set())
        found |= below
        waiting += below
    return found


def alive(pids: set[int]) -> set[int]:
    """Those that are still there, and not only waiting to be buried."""
    return {pid for pid in pids if _state_and_parent(pid)[0] != "Z"}


def parent_of(pid: int) -> int:
    """The process that it comes from."""
    return _state_and_parent(pid)[1]


def command_of(pid: int) -> str:
    """Its command line; empty when it is gone."""
    return _read(pid, "cmdline")


def maps_of(pid: int) -> str:
    """The files that it has in its memory; none when it is gone."""
    return _read(pid, "maps")


def ignores(pid: int, number: signal.Signals) -> bool:
    """Whether it ignores a signal."""
    return bool(int(_status(pid, "SigIgn") or "0", 16) >> number - 1 & 1)


def waits(pid: int) -> int:
    """How often it has waited for something, such as the end of a `sleep`."""
    return int(_status(pid, "voluntary_ctxt_switches") or "0")


def cpu_seconds(pid: int) -> float:
    """What it has taken of a processor's time; 0 when it is gone."""
    return sum(map(int, _numbers(pid)[11:13])) / os.sysconf("SC_CLK_TCK")


def cpu_seconds_of_all(pid: int) -> float:
    """What it and all that it started have taken of processors' time, those included that have ended and were waited for."""
    numbers = (int(number) for each in {pid} | descendants(pid) for number in _numbers(each)[11:15])
    return sum(numbers) / os.sysconf("SC_CLK_TCK")


def _status(pid: int, name: str) -> str:
    """What the kernel says of a process under a name; empty when it is gone."""
    lines = _read(pid, "status").splitlines()
    return next((line.split()[1] for line in lines if line.startswith(f"{name}:")), "")


def until(holds: Callable[[], bool], seconds: float = 120) -> bool:
    """Wait until it holds: as long as a very busy machine may need. Whether it did."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def memory(pids: set[int]) -> int:
    """Bytes that these processes hold in all; what they share counts once."""
    lines = (line for pid in pids for line in _read(pid, "smaps_rollup").splitlines())
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))


def answer_without(commands: list[tuple[list[str], list[str]]], folder: Path) -> None:
    """Hold that commands of `autograder` answer, one after the other in one process, without importing the modules named beside them."""
    code = (
        "import json, sys\nfrom typer.testing import CliRunner\nfrom autograder.cli import app\n"
        "for command, without in json.loads(sys.argv[1]):\n"
        "    assert CliRunner().invoke(app, command).output\n"
        "    assert not sys.modules.keys() & set(without), (command, without)\n"
    )
    subprocess.run([sys.executable, "-c", code, json.dumps(commands)], cwd=folder, check=True)
