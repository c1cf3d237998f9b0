"""Frames of plain data over a pair of file descriptors: a length, then `plain.encode`'s bytes.

One side may be hostile, so that what arrives is measured before it is decoded: some bytes can stand for a great many things.
"""

from __future__ import annotations

import os
import select
import struct
import time
from collections.abc import Callable
from typing import Any

from autograder.asking.serialization import NotPlainError, decode, encode

MAX_FRAME = 64 << 20
_MAX_TEXT = 24 << 20
_LOOK = 0.25
_MAX_THINGS = 1_000_000
_MAX_HEADER = 1 << 20
_LENGTH = struct.Struct("<I")
_HEADER_LENGTH = struct.Struct("<Q")


class WireClosedError(EOFError):
    """The other side has gone."""


class WireTimeoutError(TimeoutError):
    """The other side has not answered in time."""


def send(descriptor: int, tree: Any, deadline: float | None = None) -> None:
    """Write one frame, by `deadline` on the monotonic clock if there is one; the descriptor must then not block.

    Raises:
        WireClosedError: The other side ended first.
        WireTimeoutError: The deadline passed first.
    """
    data = encode(tree)
    view = memoryview(_LENGTH.pack(len(data)) + data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BlockingIOError:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([], [descriptor], [], left)[1]:
                raise WireTimeoutError from None
        except (BrokenPipeError, ConnectionResetError):
            raise WireClosedError from None


def receive(descriptor: int) -> Any:
    """Read one frame from the side that is not hostile.

    Raises:
        WireClosedError: The other side ended first.
    """
    return decode(_frame(descriptor, float("inf"), lambda: None, MAX_FRAME))


def receive_answer(descriptor: int, deadline: float, meanwhile: Callable[[], None], most: int) -> tuple[Any, int]:
    """Read one frame from the side that may be hostile.

    Args:
        descriptor: Where it comes from.
        deadline: By when, on the monotonic clock.
        meanwhile: Called a few times a second, also while there is something to read; what it raises ends the reading.
        most: How many bytes it may have.

    Returns:
        What it holds, and how many bytes it had.

    Raises:
        WireClosedError: The other side ended first.
        WireTimeoutError: The deadline passed first.
        NotPlainError: What arrived is too large or malformed.
    """
    data = _frame(descriptor, deadline, meanwhile, most)
    _hold_decodable(data)
    return decode(data), len(data)


def _frame(descriptor: int, deadline: float, meanwhile: Callable[[], None], most: int) -> bytes:
    (length,) = _LENGTH.unpack(_read(descriptor, _LENGTH.size, deadline, meanwhile))
    if length > most:
        raise NotPlainError("more than a submission may send")
    return _read(descriptor, length, deadline, meanwhile)


def _read(descriptor: int, count: int, deadline: float, meanwhile: Callable[[], None]) -> bytes:
    data = bytearray()
    while len(data) < count:
        now = time.monotonic()
        if now >= deadline:
            raise WireTimeoutError
        meanwhile()
        if not select.select([descriptor], [], [], min(_LOOK, deadline - now))[0]:
            continue
        try:
            piece = os.read(descriptor, min(count - len(data), 1 << 20))
        except ConnectionResetError:
            piece = b""
        if not piece:
            raise WireClosedError
        data += piece
    return bytes(data)


def _hold_decodable(data: bytes) -> None:
    """Hold that decoding takes neither long nor much memory.

    Raises:
        NotPlainError: It might.
    """
    text = data[_LENGTH.size :][: _LENGTH.unpack_from(data)[0]] if len(data) >= _LENGTH.size else b""
    things = sum(map(text.count, (b",", b"[", b"{")))
    header = data[_LENGTH.size + len(text) :][: _HEADER_LENGTH.size]
    header_size = _HEADER_LENGTH.unpack(header)[0] if len(header) == _HEADER_LENGTH.size else 0
    if len(text) > _MAX_TEXT or things > _MAX_THINGS or header_size > _MAX_HEADER:
        raise NotPlainError("more things than an answer may hold")
