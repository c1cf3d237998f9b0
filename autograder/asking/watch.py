"""Sees what a student's code calls, by whatever name.

The calls are watched and not the source read: a function may be taken by `getattr` or a string, stored before, or be a default
argument. Torch offers most of its functions to a mode before it runs them or takes them apart; a profile function sees all other calls.
"""

from __future__ import annotations

import inspect
import sys
import threading
import warnings
from functools import cache
from types import FrameType
from typing import Any, Self, TextIO

from torch.overrides import TorchFunctionMode

from autograder.asking import fake_device, mutation_guard
from autograder.asking.rules import Rule

_OF_COURSE = ("autograder", "seqlab")


class Watch(TorchFunctionMode):
    """Notes the first rule that the code inside breaks. What the course's own code calls there is not looked at, nor what that calls.

    Args:
        rules: The rules.
        closely: Whether it looks at all calls, which takes three times as long as without a watch; or at those that torch offers
            to a mode, which takes half as long again.
    """

    def __init__(self, rules: tuple[Rule, ...], *, closely: bool = True) -> None:
        super().__init__()
        self.broken: Rule | None = None
        self._rules, self._closely = rules, closely
        self._harmless = _harmless_under(rules)

    def __enter__(self) -> Self:
        super().__enter__()  # type: ignore[no-untyped-call]
        self._before = sys.getprofile(), threading.getprofile()
        self._show, warnings.showwarning = warnings.showwarning, self._show_at_answer
        if self._closely:
            threading.setprofile(self._profile)
            sys.setprofile(self._profile)
        return self

    def __exit__(self, *error: object) -> None:
        profile, of_threads = self._before
        warnings.showwarning = self._show
        sys.setprofile(profile)
        threading.setprofile(of_threads)
        super().__exit__(*error)  # type: ignore[no-untyped-call]

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Look at the function before it is called."""
        caller = sys._getframe(1)  # First, because `torch.compile` does not trace what comes behind it.
        if function.__name__ not in self._harmless:
            self._look("torch", function.__name__, function.__name__, caller)
        return function(*args, **(kwargs or {}))

    def _show_at_answer(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        """Show a warning of torch at the line of the answer that it is about: torch takes the one above for it."""
        frame: FrameType | None = sys._getframe(1)
        while filename == __file__ and frame is not None and frame.f_globals.get("__name__") in (__name__, "warnings"):
            frame = frame.f_back
        if filename == __file__ and frame is not None:
            filename, lineno = frame.f_code.co_filename, frame.f_lineno
        self._show(message, category, filename, lineno, file, line)

    def _profile(self, frame: FrameType, event: str, builtin: Any) -> None:
        """Look at a function of Python's or C's as it is called."""
        if event == "call":
            code = frame.f_code
            called = frame.f_globals.get("__name__"), code.co_qualname
            if called not in self._harmless and code.co_flags & inspect.CO_OPTIMIZED:  # A class's body is not called.
                self._look(str(called[0]), code.co_qualname, called, frame.f_back)
        elif event == "c_call":
            called = type(builtin.__self__), builtin.__name__
            if called not in self._harmless:
                self._look(builtin.__module__ or called[0].__module__, builtin.__name__, called, frame)

    def _look(self, module: str, name: str, called: Any, caller: FrameType | None) -> None:
        """Note the rule that is about a function, if it is an answer that calls it; where there is none, it is not looked at again."""
        rule = next((rule for rule in self._rules if rule.covers(module, name)), None)
        if rule is None:
            self._harmless.add(called)
        elif self.broken is None and _is_from_answer(caller):
            self.broken = rule


@cache
def _harmless_under(rules: tuple[Rule, ...]) -> set[Any]:
    """Of what was called so far, whatever no rule is about."""
    return set()


def _is_from_answer(frame: FrameType | None) -> bool:
    """Whether what is called here is an answer's doing: behind torch's own code comes either the answer's or other code of the course."""
    while frame is not None:
        module = str(frame.f_globals.get("__name__"))
        package = module.partition(".")[0]
        if module == mutation_guard.__name__:
            return True  # The answer is this function itself.
        if package != "torch" and module not in (__name__, fake_device.__name__):
            return package not in _OF_COURSE
        frame = frame.f_back
    return True
