"""Sees what a student's code calls, by whatever name.

The calls are watched and not the source read: a function may be taken by `getattr` or a string, stored before, or be a default
argument. Torch offers most of its functions to a mode before it runs them or takes them apart; a profile function sees all other calls.
"""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Iterable
from types import FrameType
from typing import Any, Self

from torch.overrides import TorchFunctionMode

from autograder.asking import fake_device
from autograder.asking.rules import Rule

_OF_COURSE = ("autograder", "seqlab")
_AROUND_ANSWERS = (__name__, fake_device.__name__, "autograder.asking.mutation_guard")
"""The modules of the course through which the calls of an answer go."""


class Watch(TorchFunctionMode):
    """Notes the first rule that the code inside breaks. What the course's own code calls there is not looked at, nor what that calls."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        super().__init__()
        self.broken: Rule | None = None
        self._rules = tuple(rules)
        self._known: dict[tuple[str, str], Rule | None] = {}

    def __enter__(self) -> Self:
        super().__enter__()
        self._before = sys.getprofile(), threading.getprofile()
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)
        return self

    def __exit__(self, *error: object) -> None:
        profile, of_threads = self._before
        sys.setprofile(profile)
        threading.setprofile(of_threads)  # type: ignore[arg-type]
        super().__exit__(*error)

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Look at the function before it is called."""
        self._look("torch", function.__name__, sys._getframe(1))
        return function(*args, **(kwargs or {}))

    def _profile(self, frame: FrameType, event: str, builtin: Any) -> None:
        """Look at a function of Python's or C's as it is called."""
        if event == "call":
            code = frame.f_code
            if (
                code.co_flags & inspect.CO_OPTIMIZED
            ):  # A class's body and a module's have a name, too, and are not called.
                self._look(frame.f_globals.get("__name__") or "", code.co_qualname, frame.f_back)
        elif event == "c_call":
            self._look(builtin.__module__ or type(builtin.__self__).__module__, builtin.__name__, frame)

    def _look(self, module: str, name: str, caller: FrameType | None) -> None:
        """Note the rule that is about a function, if it is an answer that calls it."""
        try:
            rule = self._known[module, name]
        except KeyError:
            rule = next((rule for rule in self._rules if rule.covers(module, name)), None)
            self._known[module, name] = rule
        if rule and not self.broken and _is_from_answer(caller):
            self.broken = rule


def _is_from_answer(frame: FrameType | None) -> bool:
    """Whether what is called here is an answer's doing: the nearest code that is not torch's is not the course's."""
    while frame is not None:
        module = str(frame.f_globals.get("__name__"))
        if module.partition(".")[0] != "torch" and module not in _AROUND_ANSWERS:
            return module.partition(".")[0] not in _OF_COURSE
        if module == _AROUND_ANSWERS[-1]:
            return True
        frame = frame.f_back
    return True
