"""Processes and their descendants, read from /proc: for tests of what lives on, and for the benchmark's memory."""

import time
from pathlib import Path

SOON = 20.0


def family(pid: int) -> set[int]:
    """The process's descendants."""
    parents = {}
    for entry in Path("/proc").iterdir():
        try:
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (ValueError, OSError):
            continue
    found: set[int] = set()
    grown = {pid}
    while grown:
        grown = {child for child, parent in parents.items() if parent in grown}
        found |= grown
    return found


def alive(pids: set[int]) -> set[int]:
    """Those that are still there, and not only waiting to be buried."""
    found = set()
    for pid in pids:
        try:
            if (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.add(pid)
        except OSError:
            continue
    return found


def gone_soon(pids: set[int]) -> bool:
    until = time.monotonic() + SOON
    while alive(pids) and time.monotonic() < until:
        time.sleep(0.05)
    return not alive(pids)


def memory(pids: set[int]) -> int:
    """Bytes that these processes hold in all; what they share counts once."""
    total = 0
    for pid in pids:
        try:
            lines = (Path("/proc") / str(pid) / "smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))
    return total
