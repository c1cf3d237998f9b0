"""The box that a student's code runs in: Landlock for files, seccomp for system calls, rlimits for what it may use.

No root, container or helper program is needed. A process enters the box by itself and cannot leave it; so does every thread
that it starts, and it can start no process. Where the kernel gives it a mount namespace, its scratch folder is a file system of
its own, which can be no larger than is allowed and is gone when the process is.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import signal
import site
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_CLONE_THREAD = 0x00010000
_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000
_NO_SUID_DEVICES_OR_PROGRAMS = 0x2 | 0x4 | 0x8
_FIRST_UNKNOWN_CALL, _LAST_UNKNOWN_CALL = 451, 560
"""Calls younger than the oldest libseccomp in use; since 424 they have the same numbers on every architecture."""

_LANDLOCK_VERSION = 3
"""The first that governs truncation too."""

_DENIED = [
    "socket",
    "socketpair",
    "connect",
    "bind",
    "listen",
    "accept",
    "accept4",
    "sendto",
    "sendmsg",
    "sendmmsg",
    "recvmmsg",
    "fork",
    "vfork",
    "execve",
    "execveat",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "process_mrelease",
    "kcmp",
    "tkill",
    "rt_sigqueueinfo",
    "rt_tgsigqueueinfo",
    "pidfd_open",
    "pidfd_send_signal",
    "pidfd_getfd",
    "mount",
    "umount2",
    "pivot_root",
    "chroot",
    "open_tree",
    "move_mount",
    "mount_setattr",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "unshare",
    "setns",
    "open_by_handle_at",
    "name_to_handle_at",
    "fanotify_init",
    "quotactl",
    "quotactl_fd",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "memfd_create",
    "memfd_secret",
    "keyctl",
    "add_key",
    "request_key",
    "shmget",
    "shmat",
    "shmdt",
    "shmctl",
    "msgget",
    "msgsnd",
    "msgrcv",
    "msgctl",
    "semget",
    "semop",
    "semtimedop",
    "semctl",
    "mq_open",
    "mq_unlink",
    "mq_timedsend",
    "mq_timedreceive",
    "mq_notify",
    "mq_getsetattr",
    "inotify_init",
    "inotify_init1",
    "inotify_add_watch",
    "fanotify_mark",
    "io_setup",
    "lookup_dcookie",
    "fadvise64",
    "readahead",
    "mincore",
    "preadv2",
    "modify_ldt",
    "mlockall",
    "chmod",
    "fchmod",
    "fchmodat",
    "chown",
    "fchown",
    "lchown",
    "fchownat",
    "utime",
    "utimes",
    "utimensat",
    "futimesat",
    "setxattr",
    "lsetxattr",
    "fsetxattr",
    "removexattr",
    "lremovexattr",
    "fremovexattr",
    "setpriority",
    "ioprio_set",
    "sched_setaffinity",
    "sched_setscheduler",
    "sched_setparam",
    "sched_setattr",
    "move_pages",
    "migrate_pages",
    "setrlimit",
    "setuid",
    "setgid",
    "setreuid",
    "setregid",
    "setresuid",
    "setresgid",
    "setgroups",
    "setfsuid",
    "setfsgid",
    "capset",
    "reboot",
    "kexec_load",
    "kexec_file_load",
    "init_module",
    "finit_module",
    "delete_module",
    "swapon",
    "swapoff",
    "acct",
    "syslog",
    "sync",
    "syncfs",
    "settimeofday",
    "clock_settime",
    "clock_adjtime",
    "adjtimex",
    "sethostname",
    "setdomainname",
    "iopl",
    "ioperm",
    "personality",
    "vhangup",
]
_F_SETOWN, _F_SETSIG, _F_SETOWN_EX, _F_SETLEASE, _F_NOTIFY, _F_SETPIPE_SZ = 8, 10, 15, 1024, 1026, 1031
_FIOSETOWN, _SIOCSPGRP = 0x8901, 0x8902
_PR_SET_PDEATHSIG, _PR_SET_NAME, _PR_GET_NAME, _PR_SET_SECCOMP = 1, 15, 16, 22
_LAST_PRCTL = 80
"""Above it stands only the naming of memory, which the C library does."""


_INT = 0xFFFFFFFF
"""The kernel reads these commands as 32 bits, whatever stands above them."""


class SandboxError(RuntimeError):
    """The box is not available on this machine."""


@dataclass(frozen=True)
class Limits:
    """What one submission may use.

    Args:
        cell_seconds: Seconds for which one cell may compute, and as many for which it may sleep.
        probe_seconds: The same for one draw of a probe.
        total_seconds: The same for the whole submission.
        memory_bytes: Memory beyond what the interpreter itself has taken.
        file_bytes: Size of one file in the scratch folder.
        scratch_bytes: Size of the whole scratch folder.
        scratch_files: Files and folders in the scratch folder.
        threads: Threads at a time.
    """

    cell_seconds: float = 10.0
    probe_seconds: float = 3.0
    total_seconds: float = 120.0
    memory_bytes: int = 2 << 30
    file_bytes: int = 64 << 20
    scratch_bytes: int = 256 << 20
    scratch_files: int = 4096
    threads: int = 64


def why_not() -> str:
    """Why the box is not available here, or an empty string."""
    if sys.platform != "linux":
        return f"it needs Linux, and this is {sys.platform}"
    try:
        import landlock
        import pyseccomp  # noqa: F401
    except (ImportError, RuntimeError) as error:
        return f"{error} (on Debian: apt install libseccomp2)"
    try:
        ctypes.set_errno(0)
        version = landlock.landlock_abi_version()
    except OSError as error:
        return f"this kernel has no Landlock ({error.strerror}); it needs Linux 6.2 or later with Landlock enabled"
    return "" if version >= _LANDLOCK_VERSION else "this kernel's Landlock is too old; it needs Linux 6.2 or later"


def hold_available() -> None:
    """Make sure that the box is available here.

    Raises:
        SandboxError: It is not; the message says why, and how to do without it.
    """
    reason = why_not()
    if reason:
        raise SandboxError(
            f"grading needs a sandbox and this machine has none: {reason}. `--sandbox none` runs students' code without one."
        )


def readable_folders() -> list[Path]:
    """What the boxed process may read: the interpreter, its packages and the system's libraries."""
    system = ["/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts"]
    devices = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"]
    python = [sys.prefix, sys.base_prefix, sys.exec_prefix, *site.getsitepackages()]
    return [path for path in dict.fromkeys(map(Path, system + devices + python)) if path.exists()]


def mount_scratch(scratch: Path, limits: Limits) -> None:
    """Mount an empty file system of a limited size on the folder, for this process alone, and make all others read-only.

    Reading a file then leaves no time of access behind, which another student's code could see. It needs root or a kernel that
    lets users have namespaces.

    Args:
        scratch: Where it is mounted.
        limits: How large it may become.

    Raises:
        OSError: It is not available here.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(_NEW_MOUNTS):
        _hold(libc.unshare(_NEW_MOUNTS | _NEW_USER))
        for name, line in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path("/proc/self", name).write_text(line)
    mount_setattr, here, recursive, read_only, private = 442, -100, 0x8000, 1, 1 << 18
    attributes = struct.pack("4Q", read_only, 0, private, 0)
    _hold(libc.syscall(mount_setattr, here, b"/", recursive, attributes, len(attributes)))
    options = f"size={limits.scratch_bytes},nr_inodes={limits.scratch_files},mode=700".encode()
    _hold(libc.mount(b"scratch", os.fsencode(scratch), b"tmpfs", _NO_SUID_DEVICES_OR_PROGRAMS, options))


def enter(scratch: Path, readable: Iterable[Path], limits: Limits, denied: bytes) -> None:
    """Enter the box: afterwards only `scratch` can be written, and only it and `readable` can be read.

    Args:
        scratch: An empty folder, which becomes the working folder.
        readable: Files and folders that may be read.
        limits: What may be used.
        denied: The calls that are denied, from `denied_calls`.

    Raises:
        SandboxError: A part of the box could not be set up. The process must then not run anything foreign.
    """
    os.chdir(scratch)
    try:
        _limit(limits)
        _drop_capabilities()
        _landlock(scratch, readable)
        _seccomp(denied)
    except (OSError, RuntimeError, ValueError) as error:
        raise SandboxError(f"the sandbox could not be set up: {error}") from error


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, whose id is given.

    A process that becomes another user, as in a new namespace, has to ask again.
    """
    _hold(ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
    if os.getppid() != parent:  # It ended before this was asked.
        os._exit(70)


def _hold(failed: int) -> None:
    """Raise what the last call of the C library set, if it failed."""
    if failed:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _limit(limits: Limits) -> None:
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    cpu = int(limits.total_seconds) + 5
    for kind, value in (
        (resource.RLIMIT_AS, taken + limits.memory_bytes),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_SIGPENDING, 256),
    ):
        resource.setrlimit(kind, (value, value))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def _drop_capabilities() -> None:
    """Give up what root may do beyond its own files."""
    libc = ctypes.CDLL(None, use_errno=True)
    version_3, this_process = 0x20080522, 0
    header = struct.pack("Ii", version_3, this_process)
    if libc.capset(header, bytes(24)):
        raise OSError(ctypes.get_errno(), "capset failed")


def _landlock(scratch: Path, readable: Iterable[Path]) -> None:
    from landlock import FSAccess, Ruleset

    ctypes.set_errno(0)
    rules = Ruleset()
    for path in readable:
        ctypes.set_errno(0)
        rules.allow(path, rules=FSAccess.READ_FILE | (FSAccess.READ_DIR if path.is_dir() else FSAccess(0)))
    ctypes.set_errno(0)
    rules.allow("/dev/null", rules=FSAccess.READ_FILE | FSAccess.WRITE_FILE)
    ctypes.set_errno(0)
    devices = FSAccess.MAKE_SOCK | FSAccess.MAKE_CHAR | FSAccess.MAKE_BLOCK
    rules.allow(scratch, rules=FSAccess.all() & ~(FSAccess.EXECUTE | devices))
    ctypes.set_errno(0)
    rules.apply()


def denied_calls() -> bytes:
    """The program that denies a boxed process its system calls; made once, as it takes long, and the same for all."""
    import pyseccomp as seccomp

    no, unknown = seccomp.ERRNO(errno.EPERM), seccomp.ERRNO(errno.ENOSYS)
    calls = seccomp.SyscallFilter(seccomp.ALLOW)
    for name in _DENIED:
        _deny(calls, no, name)
    for number in range(_FIRST_UNKNOWN_CALL, _LAST_UNKNOWN_CALL):
        calls.add_rule(unknown, number)
    calls.add_rule(unknown, "clone3")
    calls.add_rule(no, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, _CLONE_THREAD, 0))
    calls.add_rule(no, "prlimit64", seccomp.Arg(0, seccomp.NE, 0))
    calls.add_rule(no, "prlimit64", seccomp.Arg(2, seccomp.NE, 0))
    for command in (_F_SETOWN, _F_SETSIG, _F_SETOWN_EX, _F_SETLEASE, _F_NOTIFY, _F_SETPIPE_SZ):
        calls.add_rule(no, "fcntl", seccomp.Arg(1, seccomp.MASKED_EQ, _INT, command))
    for command in (_FIOSETOWN, _SIOCSPGRP):
        calls.add_rule(no, "ioctl", seccomp.Arg(1, seccomp.MASKED_EQ, _INT, command))
    for option in set(range(_LAST_PRCTL)) - {_PR_SET_NAME, _PR_GET_NAME}:
        calls.add_rule(no, "prctl", seccomp.Arg(0, seccomp.MASKED_EQ, _INT, option))
    with open(os.memfd_create("calls"), "w+b") as program:
        calls.export_bpf(program)
        program.seek(0)
        return program.read()


def _seccomp(denied: bytes) -> None:
    """Deny the calls, and besides them signals to any process but this one."""
    import pyseccomp as seccomp

    me, no = os.getpid(), seccomp.ERRNO(errno.EPERM)
    signals = seccomp.SyscallFilter(seccomp.ALLOW)
    for name in ("kill", "tgkill"):
        signals.add_rule(no, name, seccomp.Arg(0, seccomp.NE, me))
    signals.load()
    libc = ctypes.CDLL(None, use_errno=True)
    instruction, with_a_program = 8, 2
    program = ctypes.create_string_buffer(denied)
    header = struct.pack("@HP", len(denied) // instruction, ctypes.addressof(program))
    _hold(libc.prctl(_PR_SET_SECCOMP, with_a_program, header, 0, 0))


def _deny(calls: Any, action: int, name: str) -> None:
    """Deny a call by name; an architecture that has no such call needs no rule."""
    import pyseccomp as seccomp

    try:
        known = seccomp.resolve_syscall(seccomp.Arch.NATIVE, name) >= 0
    except (ValueError, OSError):
        known = False
    if known:
        calls.add_rule(action, name)
