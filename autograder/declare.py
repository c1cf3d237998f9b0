"""What an exercise, a probe and a check are, and where a chapter keeps its own.

A chapter's declarations live in `autograder/checks/<chapter>/`: the exercises in one module, the probes and the judges in two
packages with a module for each exercise. They are loaded separately on purpose: the process that runs a student's code
loads `probes` and never `judges`.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from autograder import checks as _checks
from autograder.verdict import Verdict

ProbeFunction = Callable[..., Any]
JudgeFunction = Callable[[Any, Any], Verdict]
Declared = TypeVar("Declared")
IN_USE, ELSEWHERE = "in_use", "elsewhere"
"""The names of the probes of `Used`, which each exercise has."""
_USE_NAME, _ELSEWHERE_NAME = "works as the chapter uses it", "works with other dtypes and devices"
_USE_HINT = (
    "This check calls your code as the chapter does: in training mode, then in evaluation mode, with inputs like those of the chapter. "
    "Do not carry anything over from one call to the next, and let gradients flow through your code."
)
_ELSEWHERE_HINT = "Create new tensors with the dtype and on the device of the arguments: pass dtype= and device=."


@dataclass(frozen=True)
class Exercise:
    """One function or class that the reader writes.

    Args:
        name: The name the reader defines, unique in the whole book.
        title: What it does, in a few words.
        minutes: How long a student needs.
        difficulty: One to three.
        forbids: Full names of the functions and classes that would do the exercise, such as
            `torch.nn.MultiheadAttention`; see `autograder.rules`.
    """

    name: str
    title: str
    minutes: int
    difficulty: int
    forbids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Probe:
    """A function that runs beside the student's code and returns plain data; it holds no answer."""

    exercise: str
    name: str
    run: ProbeFunction
    draws: int


@dataclass(frozen=True)
class Used:
    """The probes that use an exercise in the way that a program built on it would; see `autograder.in_use`.

    Args:
        in_use: Calls it several times.
        elsewhere: Calls it in another dtype and on another device; None where it is given nothing that has these.
    """

    in_use: Probe
    elsewhere: Probe | None

    @property
    def probes(self) -> tuple[Probe, ...]:
        """Those that exist."""
        return (self.in_use, self.elsewhere) if self.elsewhere else (self.in_use,)


@dataclass(frozen=True)
class Check:
    """A named judgement of what one probe returned, worth points.

    Args:
        exercise: Name of the exercise.
        name: What it looks at, in plain words.
        probe: The probe whose answers it judges.
        points: What it is worth: whole points, or its share of what a course's configuration gives the exercise.
        hint: What to think about when it fails; never the answer.
        judge: Compares one answer of the student with the reference's.
        hidden: Whether it runs only when graded.
        needs: Names of checks without which this one cannot pass.
        any_length: Whether the judge takes lists of other lengths than the reference's, such as sentences.
        arguments: Whether it is the check that is lost if an argument is changed, whichever probe of the exercise saw
            it.
    """

    exercise: str
    name: str
    probe: Probe
    points: float
    hint: str
    judge: JudgeFunction
    hidden: bool = False
    needs: tuple[str, ...] = ()
    any_length: bool = False
    arguments: bool = False


def probe(exercise: str, *, draws: int = 3) -> Callable[[ProbeFunction], Probe]:
    """Declare a probe: `run(subject, draw)`, run once for each of `draws` seeds."""

    def declare(run: ProbeFunction) -> Probe:
        return Probe(exercise, run.__name__, run, draws)

    return declare


def judge(
    name: str,
    *,
    probe: Probe,
    points: int,
    hint: str,
    hidden: bool = False,
    needs: tuple[str, ...] = (),
    any_length: bool = False,
    arguments: bool = False,
) -> Callable[[JudgeFunction], Check]:
    """Declare a check of the probe's exercise by the function that judges it."""

    def declare(function: JudgeFunction) -> Check:
        return Check(probe.exercise, name, probe, points, hint, function, hidden, needs, any_length, arguments)

    return declare


def kept_back(exercise: str, name: str, points: int, hint: str) -> Check:
    """A hidden check as students have it: what it asks and how it judges stay with the instructor."""

    def missing(*_: Any) -> Any:
        raise RuntimeError(f"how {exercise} is checked by {name!r} is not part of this installation")

    return Check(exercise, name, Probe(exercise, "", missing, 0), points, hint, missing, hidden=True)


@dataclass(frozen=True)
class ExerciseChecks:
    """An exercise with its chapter and its checks, in the order in which they are declared.

    Args:
        chapter: The chapter's name.
        exercise: The exercise.
        checks: Its checks.
        extra_credit: Whether its points count and do not raise the maximum.
    """

    chapter: str
    exercise: Exercise
    checks: tuple[Check, ...]
    extra_credit: bool = False

    @property
    def points(self) -> float:
        """The points of all its checks."""
        return added(check.points for check in self.checks)

    @property
    def required(self) -> float:
        """What it adds to the chapter's maximum."""
        return 0 if self.extra_credit else self.points

    def worth(self, points: float, *, extra_credit: bool = False) -> ExerciseChecks:
        """The exercise with different points: each check, visible or hidden, keeps its share.

        Args:
            points: What the exercise is worth.
            extra_credit: Whether its points count and do not raise the maximum.
        """
        if points == self.points:
            return replace(self, extra_credit=extra_credit)
        share = points / sum(check.points for check in self.checks)
        checks = tuple(replace(check, points=check.points * share) for check in self.checks)
        return replace(self, checks=checks, extra_credit=extra_credit)

    @property
    def visible(self) -> ExerciseChecks:
        """The exercise with its visible checks alone."""
        return replace(self, checks=tuple(check for check in self.checks if not check.hidden))


def added(points: Iterable[float]) -> float:
    """The sum of points, to the hundredth of a point; an integer where there is no fraction."""
    whole = round(sum(points), 2)
    return int(whole) if whole == int(whole) else whole


def told_points(points: float) -> str:
    """Points in words, to the hundredth."""
    told = added([points])
    return f"{told} point{'s' * (told != 1)}"


def chapters() -> list[str]:
    """Names of the chapters that have exercises, in order; a student's wheel may have parts of other chapters, which do not count."""
    return sorted(path.parts[-3] for folder in _checks.__path__ for path in Path(folder).glob("*/probes/in_use.py"))


def chapter_named(name: str) -> str:
    """The chapter that is meant by a name or by a part of it: `ch05_attention`, `ch05`, `5` or `attention`.

    Raises:
        ValueError: It means none; the message says what may be meant.
    """
    number = re.fullmatch(r"(?:ch)?(\d{1,2})", name)
    start = f"ch{int(number[1]):02}_" if number else ""
    meant = [
        chapter
        for chapter in chapters()
        if name in (chapter, slug_of(chapter)) or (start and chapter.startswith(start))
    ]
    if not meant:
        raise ValueError(f"there is no chapter {name!r}; {_instead_of(name)}")
    return meant[0]


def slug_of(chapter: str) -> str:
    """The chapter's name without its number, such as attention for ch05_attention."""
    return chapter.partition("_")[2]


LEFT_OUT = "left_out.json"
"""The file in a class's wheel that names the exercises which the class does not write."""


def kept_at(chapter: str, file: str) -> Path:
    """Where the chapter keeps a file of its own beside its checks."""
    return Path(str(files(_checks) / chapter / file))


def load_exercises(chapter: str) -> tuple[Exercise, ...]:
    """The chapter's exercises, in order.

    Raises:
        ValueError: No such chapter.
    """
    if chapter not in chapters():
        raise ValueError(f"there is no chapter {chapter!r}; {_instead_of(chapter)}")
    exercises: tuple[Exercise, ...] = _module(chapter, "exercises").EXERCISES
    return exercises


def _instead_of(chapter: str) -> str:
    """What to say of a name that no chapter has: it may have had another number."""
    slug = slug_of(chapter)
    now = next((name for name in chapters() if slug and slug_of(name) == slug), "")
    if now:
        return f"it is now called {now}"
    names = {known: name for name in chapters() for known in (name, slug_of(name))}
    near = difflib.get_close_matches(chapter, names, n=1, cutoff=0.7)
    asked = f"did you mean {names[near[0]]}? " if near else ""
    return f"{asked}the chapters are {', '.join(chapters())}"


def load_probes(chapter: str) -> dict[str, Probe]:
    """The chapter's probes by their keys, `exercise.probe`."""
    used = _declared(chapter, "probes", Used)
    return {
        key(probe): probe
        for probe in (*_declared(chapter, "probes", Probe), *(probe for found in used for probe in found.probes))
    }


def load_checks(chapter: str) -> tuple[ExerciseChecks, ...]:
    """The chapter's exercises with their checks."""
    probes, found = load_probes(chapter), _declared(chapter, "judges", Check)
    return tuple(
        ExerciseChecks(chapter, exercise, (*own, *_uses(exercise.name, probes, own)))
        for exercise in load_exercises(chapter)
        for own in [tuple(check for check in found if check.exercise == exercise.name)]
    )


def _uses(exercise: str, probes: dict[str, Probe], checks: tuple[Check, ...]) -> Iterator[Check]:
    """The checks that every exercise has, which come last: whether it works as the chapter uses it, and elsewhere."""
    from autograder.compare import keeps_elsewhere, works_in_use

    visible = tuple(check.name for check in checks if not check.hidden)
    points = 1 + min(check.points for check in checks if not check.hidden)  # More than a slip of form costs.
    yield Check(exercise, _USE_NAME, probes[f"{exercise}.{IN_USE}"], points, _USE_HINT, works_in_use, needs=visible)
    if f"{exercise}.{ELSEWHERE}" in probes:
        probe, needs = probes[f"{exercise}.{ELSEWHERE}"], (*visible, _USE_NAME)
        yield Check(exercise, _ELSEWHERE_NAME, probe, 1, _ELSEWHERE_HINT, keeps_elsewhere, needs=needs)


def find_exercise(name: str) -> ExerciseChecks | None:
    """The exercise of this name in whichever chapter it is, or None."""
    for chapter in chapters():
        if any(exercise.name == name for exercise in load_exercises(chapter)):
            return next(e for e in load_checks(chapter) if e.exercise.name == name)
    return None


def is_use(check: Check) -> bool:
    """Whether it is one of the checks that every exercise has."""
    return check.probe.name in (IN_USE, ELSEWHERE)


def key(probe: Probe) -> str:
    """The probe's name in records and on the wire."""
    return f"{probe.exercise}.{probe.name}"


def _declared(chapter: str, part: str, kind: type[Declared]) -> list[Declared]:
    """Everything of a kind that the modules of a package declare, module by module and in the order of their lines."""
    package = _module(chapter, part)
    modules = [_module(chapter, f"{part}.{found.name}") for found in pkgutil.iter_modules(package.__path__)]
    return [value for module in modules for value in vars(module).values() if isinstance(value, kind)]


def _module(chapter: str, name: str) -> Any:
    return importlib.import_module(f"{_checks.__name__}.{chapter}.{name}")
