"""What a call returned, as a person reads it, and whether a person could tell it from something else."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from autograder.asking.serialization import Foreign, to_plain

_WIDE = 72
_NEAR, _LEAST = 0.06, 0.02
"""Numbers that differ by less, relative to their size and in absolute terms, are not told apart by hand."""


def plain(value: Any) -> Any:
    """A copy of the value as plain data, in which tuples and sets stay what they are."""
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        items = [plain(item) for item in value]
        return frozenset(items) if not any(isinstance(item, (list, Tensor)) for item in items) else Foreign("set")
    return to_plain(value)


def text_of(value: Any) -> str:
    """The value in Python's manner, with few digits and in lines that are not too long."""
    if isinstance(value, Tensor):
        return _tensor(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        opening, closing = ("[", "]") if isinstance(value, list) else ("(", ")") if isinstance(value, tuple) else "{}"
        items = [text_of(item) for item in (value if isinstance(value, (list, tuple)) else sorted(value))]
        comma = "," if isinstance(value, tuple) and len(items) == 1 else ""
        return _joined(items, opening, f"{comma}{closing}")
    if isinstance(value, dict):
        opening, closing = ("Counter({", "})") if isinstance(value, Counter) else "{}"
        return _joined([f"{text_of(name)}: {text_of(item)}" for name, item in value.items()], opening, closing)
    if isinstance(value, float):
        told = _number(value)
        return f"{told}0" if told.endswith(".") else told
    return repr(value)


def _tensor(value: Tensor) -> str:
    if not value.numel():
        return f"tensor([], shape {tuple(value.shape)})"
    return f"tensor({_rows(value.tolist(), value.is_floating_point())})".replace("\n", "\n" + " " * len("tensor("))


def _rows(value: Any, is_float: bool) -> str:
    if isinstance(value, list) and not isinstance(value[0], list):
        return f"[{', '.join(_rows(item, is_float) for item in value)}]"
    if isinstance(value, list):
        return _joined([_rows(item, is_float) for item in value], "[", "]")
    return _number(value) if is_float else repr(value)


def _joined(items: list[str], opening: str, closing: str) -> str:
    one_line = f"{opening}{', '.join(items)}{closing}"
    if len(one_line) <= _WIDE and "\n" not in one_line:
        return one_line
    apart = [item.replace("\n", "\n" + " " * len(opening)) for item in items]
    return f"{opening}{(',' + chr(10) + ' ' * len(opening)).join(apart)}{closing}"


def _number(value: float) -> str:
    """A float with two decimals at most, as torch prints a whole one: `1.`."""
    if not math.isfinite(value):
        return str(value)
    if abs(value) < 1e-4:
        return "0."
    return f"{value:.2f}".rstrip("0") if 0.005 <= abs(value) < 1e5 else f"{value:.2g}"


def size_of(value: Any) -> int:
    """How many numbers, truth values and texts it holds."""
    if isinstance(value, Tensor):
        return value.numel()
    if isinstance(value, (list, tuple, frozenset)):
        return sum(map(size_of, value))
    return sum(map(size_of, value.values())) if isinstance(value, dict) else 1


def is_plain(value: Any) -> bool:
    """Whether it is data that can be shown."""
    if isinstance(value, (list, tuple, frozenset)):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(map(is_plain, value.values()))
    return not isinstance(value, Foreign)


def form_of(value: Any) -> Any:
    """What can be seen of a value without reading its numbers."""
    if isinstance(value, Tensor):
        return "tensor", tuple(value.shape), value.dtype
    if isinstance(value, tuple):
        return tuple(map(form_of, value))
    if isinstance(value, (list, frozenset)):
        return type(value), form_of(next(iter(value))) if value else None
    return type(value)


def shapes_of(value: Any) -> str:
    """The shapes of the tensors in it, as a reader would say them; empty where there are none."""
    if isinstance(value, Tensor):
        return str(tuple(value.shape))
    if isinstance(value, (tuple, list)):
        found = list(filter(None, map(shapes_of, value)))
        return f"({', '.join(found)})" if found else ""
    return ""


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same, apart from rounding."""
    return _agree(one, other, 1e-4, 1e-5)


def is_apart(one: Any, other: Any) -> bool:
    """Whether a person can tell one from the other by what is printed of them, without counting digits."""
    return not _agree(one, other, _NEAR, _LEAST) and text_of(one) != text_of(other)


def _agree(one: Any, other: Any, near: float, least: float) -> bool:
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        if one.shape != other.shape or one.dtype != other.dtype:
            return False
        if not one.is_floating_point():
            return torch.equal(one, other)
        return torch.allclose(one.double(), other.double(), rtol=near, atol=least, equal_nan=True)
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return math.isclose(one, other, rel_tol=near, abs_tol=least) or (math.isnan(one) and math.isnan(other))
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(_agree(a, b, near, least) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_agree(one[name], other[name], near, least) for name in one)
    return bool(one == other)


def distinct(values: Iterable[Any]) -> bool:
    """Whether each can be told from each of the others."""
    found = list(values)
    return all(is_apart(one, other) for place, one in enumerate(found) for other in found[:place])
