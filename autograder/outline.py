"""The chapters' exercises for programs that run none of them: read from the source of their checks.

To import the checks imports torch, for which what lists, releases or exports need not wait.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from autograder.declare import (
    ELSEWHERE,
    ELSEWHERE_NAME,
    IN_USE,
    USE_NAME,
    Check,
    Exercise,
    ExerciseChecks,
    Probe,
    kept_at,
    order_of,
    use_points,
)


@lru_cache
def outline(chapter: str) -> tuple[ExerciseChecks, ...]:
    """The chapter's exercises with their checks as `load_checks` has them, for their names and points: none can be run.

    Raises:
        ValueError: No such chapter.
    """
    return tuple(
        _read(chapter, kept_at(chapter, f"{name}.py").read_text(encoding="utf-8")) for name in order_of(chapter)
    )


def exercise_names(chapter: str) -> list[str]:
    """The names of the chapter's exercises, in order.

    Raises:
        ValueError: No such chapter.
    """
    return [found.exercise.name for found in outline(chapter)]


def _read(chapter: str, source: str) -> ExerciseChecks:
    """The exercise that a module declares, where names and points stand as they are and are not computed."""
    declared: dict[str, list[ast.Call]] = {"Exercise": [], "check": [], "in_use": []}
    for call in _calls(ast.parse(source)):
        if isinstance(call.func, ast.Name) and call.func.id in declared:
            declared[call.func.id].append(call)
    ((titles,), (used,)) = declared["Exercise"], declared["in_use"]
    exercise = Exercise(*map(ast.literal_eval, titles.args), **_given(titles, "title", "minutes", "difficulty"))
    name = exercise.name
    own = [
        _outlined(name, ast.literal_eval(call.args[0]), **_given(call, "points", "hidden"))
        for call in declared["check"]
    ]
    uses = [_outlined(name, USE_NAME, use_points(own), asked=IN_USE)]
    if {"dtypes": True, "devices": True, **_given(used, "dtypes", "devices")} != {"dtypes": False, "devices": False}:
        uses.append(_outlined(name, ELSEWHERE_NAME, 1, asked=ELSEWHERE))
    return ExerciseChecks(chapter, exercise, (*own, *uses))


def _calls(module: ast.Module) -> Iterator[ast.Call]:
    """What a module calls as it is imported, in order."""
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            yield from (found for found in node.decorator_list if isinstance(found, ast.Call))
        elif isinstance(node, ast.Assign):
            yield from (found for found in ast.walk(node.value) if isinstance(found, ast.Call))


def _given(call: ast.Call, *names: str) -> dict[str, Any]:
    return {given.arg: ast.literal_eval(given.value) for given in call.keywords if given.arg in names}


def _outlined(exercise: str, name: str, points: float, hidden: bool = False, asked: str = "") -> Check:
    def cannot(*_: Any) -> Any:
        raise RuntimeError(f"{name!r} of {exercise} is only outlined: to run it, use load_checks")

    return Check(exercise, name, Probe(exercise, asked, cannot, 0), points, "", cannot, hidden)
