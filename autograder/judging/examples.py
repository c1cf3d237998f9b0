"""Small examples: calls with so few numbers that a student can follow them by hand.

A check asks with many numbers, so that nothing passes by chance. `autograder mistakes` makes the inputs of visible checks smaller for as long
as the solution can take them and a listed mistake still fails on them, and records what is left, with what the solution returns. Where an
answer fails a check and one of these calls too, `check` shows it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograder.asking.probing import own_settings
from autograder.asking.serialization import to_plain
from autograder.declare import kept_at
from autograder.judging.compare import apart, in_kind_of, is_close, same_kind

_FILE = "examples.json"
_RTOL, _ATOL = 1e-3, 1e-5
_WIDE = 200
"""How many characters of a result are shown."""


@dataclass(frozen=True)
class Example:
    """A small call of an exercise's function.

    Args:
        given: The arguments in order, each as Python code.
        result: What the solution returns, as Python code.
    """

    given: Mapping[str, str]
    result: str

    def call(self, function: Callable[..., Any]) -> Any:
        """What a function returns for it."""
        with own_settings():
            return function(*map(value_of, self.given.values()))

    def is_met(self, function: Callable[..., Any]) -> bool:
        """Whether a function returns what the solution returns."""
        try:
            return agree(plain(self.call(function)), plain(value_of(self.result)))
        except (Exception, SystemExit):  # noqa: BLE001 - whatever a student's code raises
            return False


def failed_example(chapter: str, exercise: str, function: Callable[..., Any]) -> str:
    """The first recorded call that a function fails, with what came back and what was expected; empty where there is none."""
    with own_settings():
        failed = (one for one in read_examples(chapter).get(exercise, []) if not one.is_met(function))
        return next(filter(None, (_told(example, exercise, function) for example in failed)), "")


def _told(example: Example, exercise: str, function: Callable[..., Any]) -> str:
    """What a student reads of a call that their function fails; empty where what came back cannot be told from what was expected."""
    right, verb = _shown(value_of(example.result)), "gives"
    try:
        came_back, expected = apart(_shown(example.call(function)), right)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a student's code raises
        _, expected = apart(None, right)
        came_back, verb = f"{type(error).__name__}: {error}".removesuffix(": ").partition("\n")[0], "raises"
    if came_back == expected or max(len(came_back), len(expected)) > _WIDE:
        return ""
    lines = [f"`{name} = {text}`" for name, text in example.given.items()]
    call = f"`{exercise}({', '.join(example.given)})`"
    return "\n".join(["For example:", *lines, f"{call} {verb} {came_back}", f"expected {expected}"])


def _shown(value: Any) -> Any:
    """A value with lists for its tensors."""
    if isinstance(value, Tensor):
        return value.tolist()
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(map(_shown, value))
    return {name: _shown(item) for name, item in value.items()} if type(value) is dict else value


@cache
def read_examples(chapter: str) -> Mapping[str, list[Example]]:
    """By exercise, the small calls that the chapter keeps."""
    kept = json.loads(examples_path(chapter).read_text(encoding="utf-8"))
    return {name: [Example(one["given"], one["result"]) for one in listed] for name, listed in kept.items()}


def examples_path(chapter: str) -> Path:
    """Where the chapter keeps its small calls."""
    return kept_at(chapter, _FILE)


def value_of(text: str) -> Any:
    """The value that `code_of` wrote as Python code."""
    return eval(text, {"torch": torch, "Counter": Counter})


def plain(value: Any) -> Any:
    """What a function returned, as plain data; sets sorted, and dicts by what their keys look like."""
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=repr)
    if isinstance(value, dict):
        return {repr(name): plain(value[name]) for name in sorted(value, key=repr)}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return to_plain(value.item() if isinstance(value, np.generic) else value)


def agree(got: Any, want: Any, *, rtol: float = _RTOL, atol: float = _ATOL) -> bool:
    """Whether two results, as plain data, say the same; in which form is for the checks to judge."""
    meant = in_kind_of(got, want) if same_kind(got, want) else got
    return (meant is not None or want is None) and is_close(meant, want, rtol=rtol, atol=atol)
