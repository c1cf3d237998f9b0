"""Ctrl-C: once to stop after the current write, twice to stop now. A closed terminal and `kill` are handled alike."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupt:
    """Hears the signals that end a program, and lets the current task be finished first.

    A second signal raises `KeyboardInterrupt` where the program is. A signal that the program was started to ignore, as under
    `nohup`, stays ignored, and outside the main thread nothing is heard.
    """

    def __init__(self) -> None:
        self._before: dict[signal.Signals, Any] = {}
        self.heard: signal.Signals | None = None
        """The first signal, or None."""

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            minded = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
            self._before = {number: signal.signal(number, self._hear) for number in minded}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _hear(self, number: int, _: FrameType | None) -> None:
        if self.heard is not None:
            raise KeyboardInterrupt
        self.heard = signal.Signals(number)
