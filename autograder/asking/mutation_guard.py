"""Sees whether a student's code changes what it is given: a call that changes its arguments may return the right result and still do harm.

It stands between a probe and the student's function or class, so that every exercise is checked and no probe needs to
do it. A name that ends in an underscore changes its arguments in place, as torch's own do, and is not looked at.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

_DEEP = 4


def guarded(name: str, subject: Any, changed: list[str]) -> Any:
    """The function or class, such that a call from outside that changes an argument adds the argument's name to a list.

    Args:
        name: The exercise.
        subject: The student's function or class.
        changed: Where the names are added, each once.
    """
    if not callable(subject):
        return subject
    watch = _Watch([] if name.endswith("_") else changed)
    if not inspect.isclass(subject):
        return watch.over(subject)
    methods = {
        attribute: watch.over(value)
        for base in reversed(subject.__mro__)
        if base not in (object, nn.Module)
        for attribute, value in vars(base).items()
        if inspect.isfunction(value) and (attribute == "__init__" or not attribute.startswith("_"))
    }
    try:
        kind: Any = type(subject)
        return kind(subject.__name__, (subject,), {**methods, "__module__": subject.__module__})
    except Exception:  # noqa: BLE001 - a student's class may refuse to be built on
        return subject


class _Watch:
    """Wraps functions; of calls within calls the outermost is looked at."""

    def __init__(self, changed: list[str]) -> None:
        self._changed, self._inside = changed, False

    def over(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with its arguments held against what they were before."""
        names = _parameters(function)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if self._inside:
                return function(*args, **kwargs)
            named = [*zip(names, args, strict=False), *kwargs.items()]
            before = [(name, _copy(value), value) for name, value in named if name != "self"]
            self._inside = True
            try:
                result = function(*args, **kwargs)
            finally:
                self._inside = False
            self._changed += [
                name for name, old, value in before if name not in self._changed and not _same(old, value)
            ]
            return result

        return call


def _parameters(function: Callable[..., Any]) -> list[str]:
    """The names of what it is called with by position."""
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _copy(value: Any, depth: int = 0) -> Any:
    """What is needed of a value to see later whether it was changed; None where it cannot be seen."""
    if isinstance(value, Tensor):
        with torch._C.DisableTorchFunction():
            return value.detach().clone(), value.requires_grad
    if depth < _DEEP:
        if type(value) in (list, tuple):
            return [(item, _copy(item, depth + 1)) for item in value]
        if type(value) is dict:
            return {name: (item, _copy(item, depth + 1)) for name, item in value.items()}
        if type(value) is set:
            return set(value)
    return None


def _same(old: Any, value: Any) -> bool:
    """Whether the value is as it was when it was copied."""
    if isinstance(value, Tensor):
        kept, grad = old
        with torch._C.DisableTorchFunction():
            if value.shape != kept.shape or value.dtype != kept.dtype or value.requires_grad != grad:
                return False
            return value.is_meta or torch.equal(value, kept) or torch.allclose(value, kept, 0.0, 0.0, equal_nan=True)
    if isinstance(old, list):
        return len(old) == len(value) and all(
            item is now and (kept is None or _same(kept, now)) for (item, kept), now in zip(old, value, strict=True)
        )
    if isinstance(old, dict):
        return old.keys() == value.keys() and all(
            item is value[name] and (kept is None or _same(kept, item)) for name, (item, kept) in old.items()
        )
    return old is None or bool(old == value)
