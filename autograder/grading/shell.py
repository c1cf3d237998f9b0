"""Runs notebook cells without a kernel, and keeps their outputs in the notebook format's own form.

Only what cannot carry a script is kept of a student's rich outputs: their notebook is later opened in an instructor's browser.
"""

from __future__ import annotations

import base64
import io
import sys
from collections.abc import Callable
from typing import Any

from IPython.core.compilerop import CachingCompiler, code_name
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

_SAFE_TYPES = ("text/plain", "image/png", "image/jpeg")
_MAX_TEXT = 200_000
_MAX_RICH = 4_000_000
_MAX_OUTPUTS = 200


class Outputs:
    """The outputs of one cell, as they come, up to a limit."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self._text = self._rich = 0

    def write(self, name: str, text: str) -> None:
        """Add text to the stream `stdout` or `stderr`."""
        room = _MAX_TEXT - self._text
        if room <= 0 or not text:
            return
        self._text += len(text)
        if len(text) > room:
            text = text[:room] + "\n[The rest was cut off.]\n"
        if self.items and self.items[-1].get("name") == name:
            self.items[-1]["text"] += text
        else:
            self.items.append({"output_type": "stream", "name": name, "text": text})

    def add(self, kind: str, data: dict[str, Any], **more: Any) -> None:
        """Add a display or a result, of the types that are safe to show."""
        data = {k: base64.b64encode(v).decode() if isinstance(v, bytes) else str(v) for k, v in data.items()}
        safe = {name: data[name] for name in _SAFE_TYPES if name in data}
        self._rich += sum(map(len, safe.values()))
        if safe and self._rich <= _MAX_RICH and len(self.items) < _MAX_OUTPUTS:
            self.items.append({"output_type": kind, "data": safe, "metadata": {}, **more})

    def add_error(self, name: str, value: str, traceback: list[str]) -> None:
        """Add an exception."""
        lines = [line[:20_000] for line in traceback[:100]]
        self.items.append({"output_type": "error", "ename": name, "evalue": value[:2_000], "traceback": lines})


class _Stream(io.TextIOBase):
    def __init__(self, name: str, outputs: Callable[[], Outputs]) -> None:
        self._name, self._outputs = name, outputs

    def write(self, text: str) -> int:
        self._outputs().write(self._name, text)
        return len(text)

    def writable(self) -> bool:
        return True


class _Publisher(DisplayPublisher):
    def publish(self, data: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        _outputs(self).add("display_data", data)

    def clear_output(self, wait: bool = False) -> None:
        _outputs(self).items.clear()


class _Hook(DisplayHook):
    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: dict[str, Any], md_dict: Any = None) -> None:
        _outputs(self).add("execute_result", format_dict, execution_count=self.prompt_count)


class _Compiler(CachingCompiler):
    """Names a cell's code by its place in the notebook, so that a line of a traceback can be found there."""

    cell = 0

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        return code_name(transformed_code, self.cell)


def _outputs(part: DisplayPublisher | DisplayHook) -> Outputs:
    shell: Any = part.shell
    outputs: Outputs = shell.outputs
    return outputs


class Shell(InteractiveShell):
    """An IPython shell whose outputs are kept in `outputs`."""

    displayhook_class = Type(_Hook)
    display_pub_class = Type(_Publisher)
    compiler_class = Type(_Compiler)
    compile: _Compiler

    def __init__(self, **kwargs: Any) -> None:
        self.outputs = Outputs()
        config = Config()
        config.HistoryManager.enabled = False
        config.HistoryManager.hist_file = ":memory:"
        super().__init__(config=config, **kwargs)
        self.streams = _Stream("stdout", lambda: self.outputs), _Stream("stderr", lambda: self.outputs)

    def enable_gui(self, gui: Any = None) -> None:
        """There is no event loop to join."""

    def _showtraceback(self, etype: Any, evalue: Any, stb: list[str]) -> None:
        self.outputs.add_error(etype.__name__, str(evalue), stb)

    def run(self, source: str, cell: int = 0) -> tuple[list[dict[str, Any]], BaseException | None]:
        """Run one cell, which has this place in the notebook; returns its outputs and what it raised."""
        self.outputs, self.compile.cell = Outputs(), cell
        sys.stdout, sys.stderr = self.streams
        result = self.run_cell(source, store_history=True)
        return self.outputs.items, result.error_before_exec or result.error_in_exec
