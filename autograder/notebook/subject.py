"""Which exercise is meant by the argument of `check` and similar functions, and how it plainly differs from what the exercise asks for."""

from __future__ import annotations

import ast
import difflib
import inspect
import re
import textwrap
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from autograder.declare import ExerciseChecks, chapters, find_exercise, load_exercises

Signature = Mapping[str, list[str]]
"""The names of the parameters: of a function under the empty name, of a class's methods under theirs, without `self`."""

_MISSING = object()


def find(call: str, given: Sequence[Any], names: Mapping[str, Any]) -> tuple[ExerciseChecks, Any] | str:
    """The exercise that is meant and what is to be looked at, or a sentence on what to give instead.

    Args:
        call: The function that was called, such as `check`.
        given: What it was called with.
        names: The names of the notebook that called it.
    """
    known = exercise_names()
    if len(given) != 1:
        mine = next((name for name in known if name in names), known[0])
        many = "one function or class at a time" if given else "the function or class that you wrote"
        return f"Give {call} {many}, such as {call}({mine})."
    subject = given[0]
    bound = [name for name in known if names.get(name, _MISSING) is subject]
    if isinstance(subject, str) or not callable(subject) or type(subject).__name__ in known:
        return _no_function(call, subject, bound, known)
    name = str(bound[0] if bound else getattr(subject, "__name__", f"An object of type {type(subject).__name__}"))
    exercise = find_exercise(name)
    return _no_exercise(call, name, subject, names) if exercise is None else (exercise, subject)


def exercise_names() -> list[str]:
    """The names of the book's exercises, chapter by chapter."""
    return [exercise.name for chapter in chapters() for exercise in load_exercises(chapter)]


def near(name: str, known: Sequence[str]) -> str:
    """The exercise whose name is misspelt here, or an empty string."""
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=0.8)), "")


def _no_function(call: str, subject: Any, bound: Sequence[str], known: Sequence[str]) -> str:
    """What to say about a value."""
    made_by = type(subject).__name__
    kind = f"an object made by {made_by}" if made_by in known else f"of type {made_by}"
    if bound:
        return (
            f"{bound[0]} is now {kind}: a line of yours gave this name to something else. Run the cell that defines "
            f"{bound[0]} again, and give the other thing a different name."
        )
    if isinstance(subject, str):
        return (
            "This is a string. Give the function or class itself, without quotation marks: "
            f"{call}({subject if subject in known else 'name'})."
        )
    if isinstance(subject, ModuleType):
        return f"This is a whole module. Give one function or class that you wrote: {call}(name)."
    if made_by in known:
        return f"This is {kind}. Give the class itself, without calling it: {call}({made_by})."
    return (
        f"This is a value {kind}. Give the function or class itself, without calling it: "
        f"{call}(name) and not {call}(name(...))."
    )


def _no_exercise(call: str, name: str, subject: Any, names: Mapping[str, Any]) -> str:
    """What to say about a function or class that answers no exercise."""
    known = exercise_names()
    owner = str(getattr(subject, "__qualname__", "")).rpartition(".")[0].rpartition(".")[2]
    if owner in known:
        return f"{name} is a part of {owner}. Give the whole class: {call}({owner})."
    slip = near(name, known)
    if slip:
        return f"{name} is not an exercise; {slip} is. Define it under this name and run its cell, then {call}({slip})."
    here = _of_this_chapter(names)
    if here:
        return f"{name} is not an exercise. Those of this chapter are {', '.join(here)}."
    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0)[0]
    return f"{name} is not an exercise; the nearest name of one is {nearest}. An exercise is known by the name that its cell defines."


def _of_this_chapter(names: Mapping[str, Any]) -> list[str]:
    """The exercises of the chapter of which a notebook with these names has the most; what it imports from `seqlab` is another chapter's."""
    own = {name for name, value in names.items() if not str(getattr(value, "__module__", "")).startswith("seqlab.")}
    found = [[exercise.name for exercise in load_exercises(chapter)] for chapter in chapters()]
    most = max(found, key=lambda exercises: len(own.intersection(exercises)))
    return most if own.intersection(most) else []


def source_of(subject: Any) -> str:
    """The code of a function, or of a class's methods: Python does not find the source of a notebook's class."""
    parts = vars(subject).values() if inspect.isclass(subject) else [subject]
    sources = []
    for part in parts:
        try:
            sources.append(textwrap.dedent(inspect.getsource(part)))
        except (OSError, TypeError):
            continue
    return "\n".join(sources)


def parameters_of(reference: Any) -> Signature:
    """The signature of a reference solution, without what may be left out; of a class also that of its public methods."""
    if not inspect.isclass(reference):
        return {"": _required(reference)}
    methods = {name: value for name, value in vars(reference).items() if inspect.isfunction(value)}
    return {
        name: _required(method)[1:]
        for name, method in methods.items()
        if name == "__init__" or not name.startswith("_")
    }


def _required(function: Any) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.default is p.empty]


def signature_fault(name: str, subject: Any, expected: Signature) -> str:
    """How the subject cannot be called as the exercise is; empty where it can.

    Args:
        name: The exercise.
        subject: The student's function or class.
        expected: The signature that it should have.
    """
    wants_class = "" not in expected
    if inspect.isclass(subject) != wants_class:
        wanted = "class" if wants_class else f"function with the arguments ({', '.join(expected[''])})"
        return f"`{name}` is a {'class' if inspect.isclass(subject) else 'function'}, expected a {wanted}"
    faults = (_parameters_fault(subject, method, parameters) for method, parameters in expected.items())
    return next((f"`{method or name}` {fault}" for method, fault in zip(expected, faults, strict=True) if fault), "")


def _parameters_fault(subject: Any, method: str, parameters: Sequence[str]) -> str:
    """How the parameters of the function, or of the method of a class, are not those that are expected."""
    function = getattr(subject, method, None) if method else subject
    if function is None:
        return "is missing from the class: is it indented as far as the other methods?"
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    given, wanted = list(signature.parameters), [*["self"] * bool(method), *parameters]
    told = f"takes ({', '.join(given)}), expected ({', '.join(wanted)})"
    try:
        signature.bind(*wanted)
    except TypeError:
        return f"{told}: leave the first line of its definition as it was given"
    return f"{told}, in this order" if given != wanted and sorted(given) == sorted(wanted) else ""


def silence(name: str, subject: Any) -> str:
    """That the function, or the class's `forward`, has no `return`; empty where it has one, or cannot be read."""
    try:
        tree = ast.parse(source_of(subject))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    function = "forward" if inspect.isclass(subject) else name
    silent = any(isinstance(f, ast.FunctionDef) and f.name == function and not _gives_back(f) for f in tree.body)
    return f"there is no `return` in `{function}`, so it returns None" if silent else ""


def _gives_back(function: ast.FunctionDef) -> bool:
    """Whether it returns something, yields, or raises at its end."""
    gives = any(
        isinstance(node, ast.Yield | ast.YieldFrom) or (isinstance(node, ast.Return) and node.value is not None)
        for node in ast.walk(function)
    )
    return gives or isinstance(function.body[-1], ast.Raise)


def is_outdated(name: str, subject: Any, cells: Sequence[str]) -> bool:
    """Whether a later cell was meant to define it again but failed first, so that this is the previous version.

    Args:
        name: The exercise.
        subject: The student's function or class.
        cells: The cells that were run, in order.
    """
    begins = re.compile(rf"^(?:def|class)\s+{name}\b", re.MULTILINE)
    last = next((cell for cell in reversed(cells) if begins.search(cell)), "")
    methods = [part for part in vars(subject).values() if inspect.isfunction(part)] if inspect.isclass(subject) else []
    try:
        source = inspect.getsource(methods[0] if methods else subject)
    except (OSError, TypeError):
        return False
    own = methods or begins.search(source)
    return bool(last and own and source.strip() not in last)
