"""What an exercise, a probe and a check are, and where a chapter keeps its own.

A chapter's declarations live in `autograder/checks/<chapter>/`, in a module for each exercise: what it is, how the chapter uses it,
and its checks, each of which is a function that asks one question of a student's code. The process that runs that code loads them,
so they contain no formula of an answer. The listed mistakes, which nearly are answers, are in the package `mistakes` beside them;
see `autograder.judging.catalogue`.
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from autograder import checks as _checks
from autograder.asking.rules import BLINDFOLD, SEQLAB, Rule
from autograder.judging.verdict import JudgeFunction, Outcome, Verdict, failed

ProbeFunction = Callable[..., Any]
Explanation = Callable[[Any, Any], str | None]
Reads = tuple[str, ...] | Callable[[Any], Any]
IN_USE, ELSEWHERE = "in_use", "elsewhere"
"""The names of the probes of `Used`, which each exercise has."""
USE_NAME, ELSEWHERE_NAME = "works as the chapter uses it", "works with other dtypes and devices"
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
        forbids: What would do the exercise, in kind, so that an answer may not call it.
        allows: The modules of `seqlab` whose functions an answer may call. The others it may not: later chapters have models
            from there that do what an exercise asks for.
    """

    name: str
    title: str
    minutes: int
    difficulty: int
    forbids: tuple[Rule, ...] = ()
    allows: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """What an answer may not call."""
        return (*self.forbids, replace(SEQLAB, allows=self.allows), BLINDFOLD)


@dataclass(frozen=True)
class Probe:
    """A function that runs beside the student's code and returns plain data; it holds no answer."""

    exercise: str
    name: str
    run: ProbeFunction
    draws: int
    rules: tuple[Rule, ...] = ()
    """What the student's code may not call meanwhile."""


@dataclass(frozen=True)
class Used:
    """The probes that use an exercise in the way that a program built on it would; see `autograder.asking.usage`.

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
        reads: The entries of an answer that it compares, all of them if empty; or what makes of an answer what it compares.
        explanations: What else can be said of a wrong answer, in the order in which it is tried.
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
    reads: Reads = ()
    explanations: list[Explanation] = field(default_factory=list, compare=False, repr=False)

    def explain(self, explanation: Explanation) -> Explanation:
        """Declare what is said of a wrong answer with a certain property, in place of how far it is from the right one.

        Args:
            explanation: Given the student's answer and the reference's, returns a sentence, or None where the answer does not have
                the property. It contains no formula of the answer: a wrong formula belongs to the listed mistakes.
        """
        self.explanations.append(explanation)
        return explanation


def check(
    name: str,
    *,
    points: int,
    hint: str,
    hidden: bool = False,
    needs: Check | tuple[Check, ...] = (),
    draws: int = 3,
    reads: Reads = (),
    compare: JudgeFunction | None = None,
    any_length: bool = False,
    arguments: bool = False,
) -> Callable[[ProbeFunction | Check], Check]:
    """Declare a check of the module's `EXERCISE` by the function that asks its question: `ask(subject, draw)`, which returns plain data.

    Given another check instead of a function, it is a second question about the same answers.

    Args:
        name: What it looks at, in plain words.
        points: What it is worth.
        hint: What to think about when it fails; never the answer.
        hidden: Whether it runs only when graded.
        needs: The checks without which this one cannot pass.
        draws: For how many seeds the question is asked.
        reads: The entries of an answer that are compared, where the others are for explanations; or a function that makes of an
            answer what is compared, such as one that leaves the diagonal to another check.
        compare: How they are compared; by default they have to be close to the reference's.
        any_length: Whether lists may have other lengths than the reference's, such as sentences.
        arguments: Whether this is the check that is lost if an argument is changed.
    """

    def declare(asks: ProbeFunction | Check) -> Check:
        if isinstance(asks, Check):
            probe = asks.probe
        else:
            exercise: Exercise = asks.__globals__["EXERCISE"]
            probe = Probe(exercise.name, asks.__name__, asks, draws, exercise.rules)
        names = tuple(need.name for need in (needs if isinstance(needs, tuple) else (needs,)))
        explanations: list[Explanation] = []
        judge = _judge_by(compare, reads, explanations)
        return Check(
            probe.exercise, name, probe, points, hint, judge, hidden, names, any_length, arguments, reads, explanations
        )

    return declare


def _judge_by(compare: JudgeFunction | None, reads: Reads, explanations: list[Explanation]) -> JudgeFunction:
    """Compares what a check reads; of a wrong answer it says what explains it, or else how far away it is."""

    def judge(got: Any, want: Any) -> Verdict:
        # It imports torch, for which a notebook's first lines need not wait.
        from autograder.judging.compare import close

        verdict = (compare or close())(read(got, reads), read(want, reads))
        if verdict.ok:
            return verdict
        told = next(filter(None, (explanation(got, want) for explanation in explanations)), verdict.message)
        return failed(told)

    return judge


def read(answer: Any, reads: Reads) -> Any:
    """What a check reads of an answer."""
    if callable(reads):
        return reads(answer)
    return {name: answer[name] for name in reads} if reads else answer


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


def worth_as(outcomes: Sequence[Outcome], exercise: ExerciseChecks) -> list[Outcome]:
    """Outcomes of an exercise's checks with the points that these are worth in it."""
    points = {check.name: check.points for check in exercise.checks}
    return [replace(outcome, points=points[outcome.name]) for outcome in outcomes]


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
    folders = map(Path, _checks.__path__)
    files = (
        "mistakes/__init__.py",
        "mistakes.json",
    )  # A wheel has the second alone; a folder that git left may have neither.
    return sorted(
        {
            path.name
            for folder in folders
            for path in folder.glob("ch*")
            if any((path / file).is_file() for file in files)
        }
    )


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
    return tuple(module.EXERCISE for module in _modules(chapter))


def order_of(chapter: str) -> tuple[str, ...]:
    """The names of the modules that declare the chapter's exercises, in order.

    Raises:
        ValueError: No such chapter.
    """
    if chapter not in chapters():
        raise ValueError(f"there is no chapter {chapter!r}; {_instead_of(chapter)}")
    order: tuple[str, ...] = importlib.import_module(f"{_checks.__name__}.{chapter}").ORDER
    return order


def module_of(chapter: str, exercise: str) -> str:
    """The name of the module that declares an exercise, without its package."""
    (found,) = (module for module in _modules(chapter) if module.EXERCISE.name == exercise)
    return str(found.__name__.rpartition(".")[2])


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
    return {key(check.probe): check.probe for exercise in load_checks(chapter) for check in exercise.checks}


def load_checks(chapter: str) -> tuple[ExerciseChecks, ...]:
    """The chapter's exercises with their checks."""
    found = []
    for module in _modules(chapter):
        exercise = module.EXERCISE
        own = tuple(value for value in vars(module).values() if isinstance(value, Check))
        (used,) = (value for value in vars(module).values() if isinstance(value, Used))
        found.append(ExerciseChecks(chapter, exercise, (*own, *_uses(exercise.name, used, own))))
    return tuple(found)


def _uses(exercise: str, used: Used, checks: tuple[Check, ...]) -> Iterator[Check]:
    """The checks that every exercise has, which come last: whether it works as the chapter uses it, and elsewhere."""
    from autograder.judging.compare import keeps_elsewhere, works_in_use

    visible = tuple(check.name for check in checks if not check.hidden)
    yield Check(exercise, USE_NAME, used.in_use, use_points(checks), _USE_HINT, works_in_use, needs=visible)
    if used.elsewhere:
        needs = (*visible, USE_NAME)
        yield Check(exercise, ELSEWHERE_NAME, used.elsewhere, 1, _ELSEWHERE_HINT, keeps_elsewhere, needs=needs)


def use_points(checks: Iterable[Check]) -> float:
    """What it is worth that an exercise works as the chapter uses it: more than a slip of form costs in its other checks."""
    return 1 + min(check.points for check in checks if not check.hidden)


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


def _modules(chapter: str) -> list[Any]:
    """The modules of the chapter's exercises, in order."""
    return [importlib.import_module(f"{_checks.__name__}.{chapter}.{name}") for name in order_of(chapter)]
