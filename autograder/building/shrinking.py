"""Makes inputs of the checks smaller until a listed mistake only just fails on them: the small examples that `check` shows.

The solution decides what is right, and the listed right answers what is legal: an input counts only if all of them return the same for it.
"""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import wraps
from itertools import islice, permutations
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from autograder.asking.probing import run_probe, seeds
from autograder.declare import ExerciseChecks, Probe
from autograder.judging.catalogue import load_catalogue
from autograder.judging.examples import Example, agree, plain, value_of
from autograder.judging.reference import load_reference

Given = dict[str, Any]
"""The arguments of a call by their names."""
_LARGEST = 2_000
"""How many numbers a tensor may hold that is made smaller."""
_LONGEST = 240
"""How many characters the arguments of an example may have, and its result."""
_TRIES = 300
_PLAINLY = 0.02
"""How far off a number has to be, as a share or at all, for a reader to see it."""
_CALLS, _MOST = 6, 5
"""How many calls of a check are tried, and how many examples are kept of it."""
_PLAIN = (bool, int, str, type(None))


class _NoCodeError(ValueError):
    """A value that cannot be written as a line of code."""


def examples_of(exercise: ExerciseChecks, solutions: Path) -> list[Example]:
    """The small calls on which those listed mistakes fail that a visible check finds, the simplest check's first.

    There are none of a class, nor of a function that is given others, or anything else that cannot be written as a line of code.

    Args:
        exercise: The exercise.
        solutions: The folder of the solutions.
    """
    solution = getattr(load_reference(solutions, exercise.chapter), exercise.exercise.name)
    if inspect.isclass(solution) or exercise.exercise.name.endswith("_"):  # It changes its arguments.
        return []
    listed = load_catalogue(exercise)
    shrinker = _Shrinker(solution, listed.right)
    found: list[Example] = []
    for check in exercise.visible.checks:
        made = [one.subject for one in listed.mistakes if one.check == check.name and inspect.isfunction(one.subject)]
        calls = list(islice(_calls(solution, check.probe), _CALLS)) if made else []
        of_check: list[Example] = []
        for mistake in made:
            if len(of_check) < _MOST and all(each.is_met(mistake) for each in (*found, *of_check)):
                smallest = shrinker.smallest(calls, mistake)
                of_check += [smallest] if smallest else []
        found += sorted(of_check, key=_length)
    return found


def _length(example: Example) -> int:
    return sum(map(len, example.given.values()))


def _calls(solution: Callable[..., Any], probe: Probe) -> Iterator[Given]:
    """The calls that a probe makes of the solution, by all draws, as far as they can be written as code."""
    for seed in seeds(probe):
        calls: list[Given] = []
        run_probe(probe, _listening(solution, calls), seed)
        yield from calls


def _listening(function: Callable[..., Any], calls: list[Given]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = inspect.signature(function).bind(*args, **kwargs).arguments
        with suppress(_NoCodeError):
            calls.append({name: value_of(code_of(value)) for name, value in given.items()})
        return function(*args, **kwargs)

    return call


def code_of(value: Any) -> str:
    """The value as a line of Python code.

    Raises:
        _NoCodeError: It cannot be written as one.
    """
    if isinstance(value, Tensor) and 0 < value.numel() <= _LARGEST and value.layout == torch.strided:
        usual = value.dtype in (torch.float32, torch.int64, torch.bool)
        return f"torch.tensor({code_of(value.tolist())}{'' if usual else f', dtype={value.dtype}'})"
    if isinstance(value, float):
        return repr(float(f"{value:.7g}") + 0.0) if abs(value) < float("inf") else f"float({str(value)!r})"
    if type(value) in _PLAIN:
        return repr(value)
    if type(value) is list:
        return f"[{', '.join(map(code_of, value))}]"
    if type(value) is tuple:
        return f"({', '.join(map(code_of, value))}{',' * (len(value) == 1)})"
    if type(value) in (set, frozenset) and value:
        items = f"{{{', '.join(sorted(map(code_of, value)))}}}"
        return items if type(value) is set else f"frozenset({items})"
    if type(value) in (dict, Counter) and value:
        items = ", ".join(f"{code_of(name)}: {code_of(item)}" for name, item in value.items())
        return f"{{{items}}}" if type(value) is dict else f"Counter({{{items}}})"
    raise _NoCodeError(f"{type(value).__name__} cannot be written as code")


class _Shrinker:
    """Makes calls smaller on which the solution and all listed right answers agree."""

    def __init__(self, solution: Callable[..., Any], right: Iterable[Callable[..., Any]]) -> None:
        self._solution, self._right = solution, right

    def smallest(self, calls: Iterable[Given], mistake: Callable[..., Any]) -> Example | None:
        """The smallest call that the mistake fails; None where it fails none, or none that is short enough."""
        for given in calls:
            example = self._asked(given)
            failure = _failure(mistake, example) if example else ""
            if example and failure and self._is_agreed(example):
                example = self._shrunk(given, example, mistake, failure)
                if max(_length(example), len(example.result)) <= _LONGEST:
                    return example
        return None

    def _asked(self, given: Given) -> Example | None:
        """The call with what the solution returns; None where it takes no such arguments, or makes no numbers of them."""
        try:
            codes = {name: code_of(value) for name, value in given.items()}
            result = Example(codes, "None").call(self._solution)
            return Example(codes, code_of(result)) if _is_finite(plain(result)) else None
        except Exception:  # noqa: BLE001 - whatever the solution raises for what is not legal
            return None

    def _is_agreed(self, example: Example) -> bool:
        """Whether the result is one that every right answer has: where it may be anything, nothing can be expected."""
        return all(example.is_met(each) for each in self._right)

    def _shrunk(self, given: Given, example: Example, mistake: Callable[..., Any], failure: str) -> Example:
        """The example made smaller, step by step, for as long as the mistake fails in the same way."""
        traits, steps, tries = _traits_of(given), _smaller(given), 0
        while (smaller := next(steps, None)) and tries < _TRIES:
            tries += 1
            if tries > _TRIES / 10 and _length(example) > 8 * _LONGEST:
                break
            found = self._asked(smaller) if traits <= _traits_of(smaller) else None
            is_smaller = found and _length(found) < _length(example)
            if found and is_smaller and _failure(mistake, found) == failure and self._is_agreed(found):
                example, steps = found, _smaller(smaller)
        return example


def _failure(mistake: Callable[..., Any], example: Example) -> str:
    """How the mistake fails for the call: what it raises, or that it plainly returns something else; empty where it does not fail."""
    try:
        got, want = plain(example.call(mistake)), plain(value_of(example.result))
    except Exception as error:  # noqa: BLE001 - whatever the mistake raises
        return type(error).__name__
    return "" if agree(got, want, rtol=_PLAINLY, atol=_PLAINLY) else "something else"


def _is_finite(tree: Any) -> bool:
    if isinstance(tree, Tensor):
        return not tree.isnan().any()
    if isinstance(tree, (list, dict)):
        return all(_is_finite(item) for item in (tree.values() if isinstance(tree, dict) else tree))
    return not (isinstance(tree, float) and math.isnan(tree))


def _traits_of(given: Given) -> set[tuple[str, ...]]:
    """What is true of a call, and has to stay true when it is made smaller: of each argument, and of one against another."""
    traits = {(name, trait) for name, value in given.items() for trait in _traits(value)}
    pairs = {(one, other) for (one, a), (other, b) in permutations(given.items(), 2) if _fits(a, b)}
    numbers = [value for value in given.values() if type(value) is int]
    return {*traits, *pairs, *([("different numbers",)] if len(numbers) == len(set(numbers)) else [])}


def _fits(one: Any, other: Any) -> bool:
    """Whether an argument goes with another: ids with scores for each of them, a number with rows that contain it, sets with sets that include them."""
    if isinstance(other, Tensor) and other.dtype == torch.int64:
        return type(one) is int and bool((other == one).any(-1).all())
    if isinstance(one, Tensor) and isinstance(other, Tensor) and one.dtype == torch.int64:
        return other.is_floating_point() and other.dim() > 1 and int(one.max()) < other.shape[-1]
    sets = isinstance(one, list) and isinstance(other, list) and len(one) == len(other)
    return sets and all(
        isinstance(a, (set, frozenset)) and isinstance(b, (set, frozenset)) and a <= b
        for a, b in zip(one, other, strict=True)
    )


def _traits(value: Any) -> set[str]:
    """What is true of an argument, and has to stay true when it is made smaller."""
    if isinstance(value, (list, tuple, dict, set, frozenset, str)):
        items = value.values() if isinstance(value, dict) else value
        holds = {
            "not empty": len(value) > 0,
            "none empty": all(len(item) > 0 for item in items if hasattr(item, "__len__")),
        }
        return {name for name, is_so in holds.items() if is_so}
    if isinstance(value, float):
        return {name for name, holds in {"positive": value > 0, "below one": value < 1}.items() if holds}
    if not isinstance(value, Tensor) or not value.dim():
        return set()
    if value.dtype == torch.bool:
        rows, first = bool(value.any(-1).all()), value.int().diff(dim=-1).le(0).all()
        return {name for name, holds in {"rows with a True": rows, "True first": bool(first)}.items() if holds}
    if not value.is_floating_point():
        return {"not negative"} if bool((value >= 0).all()) else set()
    numbers = value.double()
    return {
        name
        for name, holds in {
            "rows of shares": _are_shares(value),
            "rows of logarithms": numbers.logsumexp(-1).abs().max() < 1e-4 and value.shape[-1] > 1,
            "not negative": (numbers >= 0).all(),
            "positive": (numbers > 0).all(),
            "at most one": (numbers <= 1).all(),
            "at most zero": (numbers <= 0).all(),
            "no ties": (numbers.sort(-1).values.diff(dim=-1) != 0).all(),
        }.items()
        if bool(holds)
    }


def _smaller(given: Given) -> Iterator[Given]:
    """Calls that are a step smaller: fewer of something first, and then simpler numbers."""
    for size in sorted({size for value in given.values() for size in _sizes(value)}, reverse=True):
        for kept in _kept(size):
            cut = {name: _cut(value, size, kept) for name, value in given.items()}
            yield {n: len(kept) if type(v) is int and v == size else v for n, v in cut.items()}
            yield cut
            for name, value in given.items():
                if size in _sizes(value) and not isinstance(value, Tensor):
                    yield given | {name: _cut(value, size, kept)}
    for name, value in given.items():
        for simpler in _simpler(value):
            yield given | {name: simpler}


def _kept(size: int) -> Iterator[list[int]]:
    """Which of so many are kept: few first, and then all but one."""
    places = list(range(size))
    if size > 2:
        yield places[:1]
        yield places[-1:]
        yield places[:2]
        yield places[-2:]
    if size > 5:
        yield places[: size // 2]
        yield places[size // 2 :]
    if size <= 24:
        yield from (places[:i] + places[i + 1 :] for i in reversed(places))


def _sizes(value: Any) -> set[int]:
    """The sizes above one of what the value holds."""
    if isinstance(value, Tensor):
        return {size for size in value.shape if size > 1}
    if isinstance(value, (list, tuple, set, frozenset, dict)):
        items = value.values() if isinstance(value, dict) else value
        return {len(value)} - {0, 1} | {size for item in items for size in _sizes(item)}
    return set()


def _cut(value: Any, size: int, kept: list[int]) -> Any:
    """The value with the kept places alone of all that has this size."""
    if isinstance(value, Tensor):
        smaller = value
        for axis, length in enumerate(value.shape):
            if length == size:
                smaller = smaller.index_select(axis, torch.tensor(kept))
        return smaller / smaller.sum(-1, keepdim=True) if _are_shares(value) else smaller
    if isinstance(value, (list, tuple)):
        items = [value[i] for i in kept] if len(value) == size else value
        return type(value)(_cut(item, size, kept) for item in items)
    if isinstance(value, (set, frozenset)):
        items = sorted(value, key=repr)
        return type(value)([items[i] for i in kept] if len(value) == size else items)
    if isinstance(value, dict):
        pairs = list(value.items())
        return type(value)(dict([pairs[i] for i in kept] if len(value) == size else pairs))
    return value


def _simpler(value: Any) -> Iterator[Any]:
    """The value with simpler numbers."""
    if isinstance(value, Tensor) and value.is_floating_point():
        round_to = _shares if _are_shares(value) else _rounded
        yield from (round_to(value, digits) for digits in range(4))
    elif isinstance(value, Tensor) and value.dtype != torch.bool:
        yield value.unique(return_inverse=True)[1]
    elif type(value) is float:
        yield from (round(value, digits) for digits in (0, 1, 2, 3))
    elif type(value) is int and value > 2:
        yield from (1, 2, value // 2, value - 1)


def _rounded(values: Tensor, digits: int) -> Tensor:
    """The numbers rounded, 0 without a sign."""
    return values.round(decimals=digits) + 0.0


def _are_shares(values: Tensor) -> bool:
    """Whether each row sums to one."""
    return values.is_floating_point() and values.dim() > 0 and bool(((values.sum(-1) - 1).abs() < 1e-4).all())


def _shares(rows: Tensor, digits: int) -> Tensor:
    """Rows that sum to one, rounded; the largest number of a row makes up for what is lost."""
    shares = rows.double().round(decimals=digits)
    top = rows.argmax(-1, keepdim=True)
    rest = 1 - (shares.sum(-1, keepdim=True) - shares.gather(-1, top))
    return shares.scatter(-1, top, rest).round(decimals=digits).to(rows.dtype)
