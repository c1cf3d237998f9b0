"""Frames of plain data over a pair of file descriptors: a length, then `plain.encode`'s bytes."""

from __future__ import annotations

import os
import select
import struct
import time
from typing import Any

from autograder.plain import NotPlainError, decode, encode

MAX_FRAME = 64 << 20


class WireClosedError(EOFError):
    """The other side has gone."""


class WireTimeoutError(TimeoutError):
    """The other side has not answered in time."""


def send(descriptor: int, tree: Any) -> None:
    """Write one frame."""
    data = encode(tree)
    view = memoryview(struct.pack("<I", len(data)) + data)
    while view:
        view = view[os.write(descriptor, view) :]


def wait(descriptor: int, until: float) -> bool:
    """Wait until there is something to read, or until this time on the monotonic clock. Returns whether there is."""
    return bool(select.select([descriptor], [], [], max(0.0, until - time.monotonic()))[0])


def receive(descriptor: int, deadline: float | None = None) -> Any:
    """Read one frame, by `deadline` on the monotonic clock if there is one.

    Raises:
        WireClosedError: The other side ended first.
        WireTimeoutError: The deadline passed first.
        NotPlainError: What arrived is too large or malformed.
    """
    (length,) = struct.unpack("<I", _read(descriptor, 4, deadline))
    if length > MAX_FRAME:
        raise NotPlainError(f"a frame of {length} bytes, at most {MAX_FRAME} are allowed")
    return decode(_read(descriptor, length, deadline))


def _read(descriptor: int, count: int, deadline: float | None) -> bytes:
    data = bytearray()
    while len(data) < count:
        if deadline is not None and not wait(descriptor, deadline):
            raise WireTimeoutError
        try:
            piece = os.read(descriptor, min(count - len(data), 1 << 20))
        except ConnectionResetError:
            piece = b""
        if not piece:
            raise WireClosedError
        data += piece
    return bytes(data)
