"""What a graded report may say of a failure in a probe.

A probe is drawn from a secret, and a student's code could put what it is given into its exceptions' texts and types, or into
strings that it returns. So the child sends facts, and the words are chosen here, where the student's code cannot reach: from
what the course itself could say. In a notebook, where nothing is secret, `probing.failure_of` says all.
"""

from __future__ import annotations

import ast
import builtins
import collections
import re
import types
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from autograder import checks
from autograder.asking import probing
from autograder.asking.probing import ADVICE, CELL, SENTENCES, Failure, MisuseError, advice_on, failure_of
from autograder.asking.serialization import Foreign
from autograder.judging.verdict import Status

Hole = Callable[[str], bool]
"""Whether a text may stand in a hole of a message."""

LATE = "it ran longer than {:g} s"
UNDEFINED = "nothing named {} was defined"
TOO_MUCH_ROOM = "its files took up more space than a submission may use"
_MISUSE = "it does not take or return what its docstring promises"
_CELL_AND_LINE = re.compile(rf"(?:{CELL.pattern})-(\d+)-")
_MAX_LINE = 120
_MAX_LIST = 5
_MAX_BITS = 64

_SHAPE = r"\((?:\d{1,5},|\d{1,5}(?:, \d{1,5}){1,9})?\)"
_NUMBER = r"-?\d{1,5}(?:\.\d{1,6})?(?:e[+-]\d\d)?|-?inf|nan"
_PARAMETER = r"(?:rnn\.|layers\.\d\.)?(?:weight|bias)_[ih]h_l\d(?:_reverse)?"
_PLAIN = rf"an? \w+ tensor of shape {_SHAPE}|a (?:list|tuple|dict|set|frozenset) of \d{{1,7}}|None|{_SHAPE}|{_NUMBER}"


def facts_of(error: BaseException) -> dict[str, Any]:
    """What the child sends of an exception that a probe met: what `told` chooses its words by."""
    failure = failure_of(error)
    cell, line = _place(error)
    return {
        "status": failure.status.value,
        "message": failure.message,
        "misuse": isinstance(error, MisuseError),
        "type": type(error).__name__,
        "undefined": str(error.name or "") if isinstance(error, NameError) else "",
        "advice": advice_on(f"{type(error).__name__}: {error}"[:1000]),
        "cell": cell,
        "line": line,
    }


def _place(error: BaseException) -> tuple[int, int]:
    """The last line of a cell that an exception passed through: the cell's place in the notebook, and the line; -1 for none."""
    place, found = (-1, -1), error.__traceback__
    while found is not None:
        cell = _CELL_AND_LINE.search(found.tb_frame.f_code.co_filename)
        if cell:
            place = int(cell.group(1)), found.tb_lineno
        found = found.tb_next
    return place


def told(
    facts: Mapping[str, Any],
    chapter: str,
    exercise: str,
    sources: Mapping[int, str],
    *,
    visible: bool,
    seconds: float,
) -> Failure:
    """The failure in words of the course's own.

    Args:
        facts: What the child sent; it may be hostile.
        chapter: The chapter that was asked about.
        exercise: The exercise that was asked about.
        sources: The code of the cells that were run, by their places in the notebook.
        visible: Whether `check` shows the same failure in the notebook, under a seed that is not secret.
        seconds: How long a probe may take.
    """
    try:
        status = Status(str(facts.get("status")))
    except ValueError:
        status = Status.ERROR
    if status in (Status.PASSED, Status.GRADER_FAULT):
        status = Status.ERROR
    if status is Status.TIMEOUT:
        return Failure(status, LATE.format(seconds))
    message = str(facts.get("message"))[:1000]
    if message in SENTENCES or message == UNDEFINED.format(exercise):
        return Failure(status, message)
    more = f"\n`check({exercise})` in the notebook shows the whole message." if visible else ""
    if facts.get("misuse") is True:
        known = message != "" and any(template(message) for template in _templates(chapter))
        return Failure(Status.FAILED, message if known else _MISUSE + more)
    advice = str(facts.get("advice"))
    place, source = _line_of(facts, sources)
    return Failure(
        status,
        _exception(facts, source) + place + (f"\n{advice}" if advice in {known for _, known in ADVICE} else "") + more,
    )


def _exception(facts: Mapping[str, Any], source: str) -> str:
    """The exception's name, where it is not the student's own, and the name that it missed, where the student's code holds it."""
    name, undefined = str(facts.get("type")), str(facts.get("undefined"))
    if name in ("NameError", "UnboundLocalError") and undefined.isidentifier() and undefined in _names(source):
        return f"{name}: name '{undefined}' is not defined"
    return name if name in _EXCEPTIONS else "an exception"


def _line_of(facts: Mapping[str, Any], sources: Mapping[int, str]) -> tuple[str, str]:
    """Where it was raised, in words, and the source of that cell; the text is the notebook's own."""
    cell, line = facts.get("cell"), facts.get("line")
    source = sources.get(cell, "") if type(cell) is int else ""
    lines = source.splitlines()
    if type(line) is not int or not 0 < line <= len(lines):
        return "", source
    return f" (line {line} of its cell: `{lines[line - 1].strip()[:_MAX_LINE]}`)", source


@lru_cache(maxsize=64)
def _names(source: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", source))


def without_words(answer: Any) -> Any:
    """A student's answer with no names in it that the course does not know: those of types, and numbers beyond 64 bits."""
    if isinstance(answer, list):
        return [without_words(item) for item in answer]
    if isinstance(answer, dict):
        return {name: without_words(item) for name, item in answer.items()}
    if type(answer) is int and answer.bit_length() >= _MAX_BITS:
        return Foreign("int of more than 64 bits")
    if isinstance(answer, Foreign) and answer.type_name not in _TYPES:
        return Foreign("object")
    return answer


def _public(module: Any) -> set[str]:
    return {name for name, value in vars(module).items() if isinstance(value, type) and not name.startswith("_")}


_EXCEPTIONS = {
    name
    for module in (builtins, torch, torch.linalg)
    for name, value in vars(module).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
_DTYPES = {str(value).removeprefix("torch.") for value in vars(torch).values() if isinstance(value, torch.dtype)}
_LAYOUTS = {str(value).removeprefix("torch.") for value in vars(torch).values() if isinstance(value, torch.layout)}
_TYPES = (
    set().union(*map(_public, (builtins, collections, torch, torch.nn, np)))
    | {value.__name__ for value in vars(types).values() if isinstance(value, type)}
    | {f"{dtype} tensor, {layout}" for dtype in _DTYPES for layout in _LAYOUTS}
    | {"int of more than 64 bits", "dict_keys", "dict_values", "dict_items", "map", "zip"}
)


def _is_value(text: str) -> bool:
    """Whether it is a shape, a small number, or what `kind_of` says of something that the course knows."""
    if re.fullmatch(_PARAMETER, text):
        return True
    if re.fullmatch(_PLAIN, text):
        dtype = re.match(r"an? (\w+) tensor", text)
        return dtype is None or dtype.group(1) in _DTYPES
    return text.removeprefix("of type ") in _TYPES


@lru_cache(maxsize=16)
def _templates(chapter: str) -> tuple[Hole, ...]:
    """What the chapter's checks may say of a misuse: a test for each of their messages."""
    folder = Path(checks.__path__[0], chapter)
    files = [*folder.glob("*.py"), Path(probing.__file__)]
    nodes = [node for path in sorted(files) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    constants = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    constants |= {node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg}
    constants |= {f"of type {node.name}" for node in nodes if isinstance(node, ast.ClassDef)}
    patterns = [_pattern(node) for node in nodes if isinstance(node, ast.JoinedStr)]
    words: tuple[Hole, ...] = (constants.__contains__, _is_value)
    short: tuple[Hole, ...] = (*words, *(partial(_fits, pattern, words) for pattern in patterns))
    holes: tuple[Hole, ...] = (*short, partial(_lists, short))
    return (constants.__contains__, *(partial(_fits, pattern, holes) for pattern in patterns))


def _lists(holes: Sequence[Hole], text: str) -> bool:
    """Whether the text names a few known things, with commas between."""
    parts = text.split(", ")
    return len(parts) <= _MAX_LIST and all(any(hole(part) for hole in holes) for part in parts)


def _fits(pattern: re.Pattern[str], holes: Sequence[Hole], text: str) -> bool:
    """Whether the text is the pattern with nothing but known words in its holes."""
    found = pattern.fullmatch(text)
    return found is not None and all(any(hole(part) for hole in holes) for part in found.groups())


def _pattern(format_string: ast.JoinedStr) -> re.Pattern[str]:
    """A format string with a group for each of its holes; a hole ends where the words after it first occur."""
    pattern, hole = "", False
    for part in format_string.values:
        if isinstance(part, ast.Constant):
            words = re.escape(str(part.value))
            pattern += f"(?>({_PLAIN}|.*?){words})" if hole else words
            hole = False
        else:
            pattern += "(.*?)" * hole
            hole = True
    return re.compile(pattern + "(.*)" * hole, re.DOTALL)
