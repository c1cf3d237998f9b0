"""The catalogue of an exercise: the mistakes that are known, each with the sentence that a student reads, and right answers in other styles.

It lies in `autograder/checks/<chapter>/mistakes/`, with a module for each exercise. Mistakes nearly are solutions, so these modules are
in no student's wheel, and the process that runs a student's code never loads them. They are loaded under a name of their own, because
a function of the course itself is not accepted as an answer.

A mistake is a function or class, decorated with what is wrong with it:

    @mistake(padding, "the mask was applied after the softmax, so rows with masked positions sum to less than 1")
    def softmax_then_mask(scores, mask):
        return scores.softmax(dim=-1) * mask

Or it is another one, mostly a right answer, with some of its text replaced:

    mistake(padding, "the mask has no effect").made_in(multiplied, no_mask={" * mask": ""})
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import linecache
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, TypeVar

from autograder.asking.probing import Answer, answers, run_probe, seeds
from autograder.declare import (
    ELSEWHERE_NAME,
    USE_NAME,
    Check,
    ExerciseChecks,
    Probe,
    Used,
    kept_at,
    key,
    module_of,
)
from autograder.judging.expected_answers import read_answers
from autograder.judging.known_mistakes import (
    Digest,
    Fingerprint,
    digest,
    either,
    fingerprint,
    is_same,
    matches,
    name_of,
)

Subject = TypeVar("Subject")


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that is known.

    Args:
        subject: The function or class.
        check: The name of the check that it fails first.
        sentence: What a student reads who makes it.
    """

    subject: Any
    check: str
    sentence: str


@dataclass(frozen=True)
class Catalogue:
    """What is known of the answers to one exercise.

    Args:
        module: Where they are.
        mistakes: The wrong ones.
        right: Right ones, each in another style.
        forbidden: Those that use what the exercise forbids.
    """

    module: ModuleType
    mistakes: tuple[Mistake, ...]
    right: tuple[Any, ...]
    forbidden: tuple[Any, ...]


_listed: list[Mistake] = []
_right: list[Any] = []
_forbidden: list[Any] = []
"""What the module that is being loaded has declared so far."""


@dataclass(frozen=True)
class Wrong:
    """What is wrong with the mistakes that are listed with it.

    Args:
        check: The name of the check that they fail first.
        sentence: What a student reads who makes one of them.
    """

    check: str
    sentence: str

    def __call__(self, subject: Subject) -> Subject:
        """List a function or class."""
        _listed.append(Mistake(subject, self.check, self.sentence))
        return subject

    def made_in(self, original: Any, **replaced: Mapping[str, str]) -> None:
        """List what becomes of a function or class when some of its text is replaced, and define it beside the original.

        Args:
            original: A function or class of the same module, above, whose text is written out.
            **replaced: By the mistake's name, what takes the place of which text. A text occurs exactly once.

        Raises:
            ValueError: A text is not there, or is there more than once, or the module has the name already.
        """
        names = vars(sys.modules[original.__module__])
        for name, new_texts in replaced.items():
            if name in names:
                raise ValueError(f"{name}: the module already has this name")
            source = re.sub(rf"\b{original.__name__}\b", name, source_of(original), count=1)
            for old, new in new_texts.items():
                if source.count(old) != 1:
                    raise ValueError(
                        f"{name}: {old!r} occurs {source.count(old)} times in {original.__name__}, expected once"
                    )
                source = source.replace(old, new)
            self(_defined(name, source, names))


def mistake(of: Check | Used | Probe, sentence: str) -> Wrong:
    """List a wrong answer: as a decorator, or with `made_in`.

    Args:
        of: The check that it fails first; of what every exercise has, the module's `Used`, or its `elsewhere`.
        sentence: What a student reads who makes it: what is done, and what is expected where that is not plain; without a full stop.
    """
    if not isinstance(of, Check | Used | Probe):
        raise TypeError(f"{of!r} is no check: has a function of this module the same name?")
    return Wrong(of.name if isinstance(of, Check) else USE_NAME if isinstance(of, Used) else ELSEWHERE_NAME, sentence)


def right(subject: Subject) -> Subject:
    """List a right answer in a style of its own."""
    _right.append(subject)
    return subject


def forbidden(subject: Subject) -> Subject:
    """List an answer that uses what the exercise forbids."""
    _forbidden.append(subject)
    return subject


@cache
def source_of(answer: Any) -> str:
    """The code of a listed function or class as a student would write it, without what lists it."""
    source = inspect.getsource(answer)
    (definition,) = ast.parse(source).body
    decorators = definition.decorator_list if isinstance(definition, ast.FunctionDef | ast.ClassDef) else []
    lists = [each for each in decorators if ast.unparse(each).partition("(")[0] in ("mistake", "right", "forbidden")]
    gone = {number for each in lists for number in range(each.lineno, (each.end_lineno or each.lineno) + 1)}
    return "".join(line for number, line in enumerate(source.splitlines(keepends=True), 1) if number not in gone)


def _defined(name: str, source: str, names: dict[str, Any]) -> Any:
    """What a text defines among the names of a module; Python finds its source as it would a notebook's."""
    file = f"<{names['__name__']}.{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), names)  # noqa: S102 - our own, with a change
    made = names[name]
    if inspect.isclass(made):  # Python looks for the source of a class in the file of its module.
        made.__module__ = file.strip("<>")
        setattr(made, "__firstlineno__", 1)  # noqa: B010 - mypy knows of none; Python 3.13 forgets it with the module
        sys.modules[made.__module__] = module = ModuleType(made.__module__)
        module.__file__ = file
    return made


@cache
def load_catalogue(exercise: ExerciseChecks) -> Catalogue:
    """The catalogue of an exercise."""
    module = module_of(exercise.chapter, exercise.exercise.name)
    name = f"_mistakes_of_{exercise.chapter}_{module}"
    spec = importlib.util.spec_from_file_location(name, kept_at(exercise.chapter, f"mistakes/{module}.py"))
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    for lists in (_listed, _right, _forbidden):
        lists.clear()
    sys.modules[name] = loaded  # Where `inspect` looks for the source of a class.
    spec.loader.exec_module(loaded)
    return Catalogue(loaded, tuple(_listed), tuple(_right), tuple(_forbidden))


def fingerprints_of(exercise: ExerciseChecks) -> dict[str, dict[str, list[Fingerprint]]]:
    """By visible check and sentence, the fingerprints of the mistakes that may be the cause where the check fails, as a chapter keeps them."""
    found: dict[str, dict[str, list[Fingerprint]]] = {}
    for check in exercise.visible.checks:
        right = fingerprint(check, read_answers(exercise.chapter)[key(check.probe)])
        for one in _possible_causes(exercise, check):
            mine = fingerprint(check, answers(check.probe, one.subject))
            listed = found.setdefault(name_of(check), {}).setdefault(one.sentence, [])
            if not mine or any(matches(other, mine) for other in (right, *listed)):
                continue
            again = run_probe(check.probe, one.subject, seeds(check.probe)[0])
            if is_same(digest(again, check.reads), mine[0]):  # Not so where it draws from what has no seed.
                listed.append([(exact, float(f"{total:.6g}")) for exact, total in mine])
    return {name: {text: prints for text, prints in of_check.items() if prints} for name, of_check in found.items()}


def _possible_causes(exercise: ExerciseChecks, check: Check) -> Iterator[Mistake]:
    """The mistakes that do not fail another check first that this one needs: whoever makes one of those is told to fix that first."""
    needs = {each.name: each.needs for each in exercise.checks}
    before, waiting = set[str](), [*check.needs]
    while waiting:
        name = waiting.pop()
        before.add(name)
        waiting += needs[name]
    return (one for one in load_catalogue(exercise).mistakes if one.check not in before)


class CausesUnder:
    """Recognises listed mistakes by answers under a secret, under which each mistake is run when a check first asks for it.

    It is a `Causes` of `autograder.judging.known_mistakes`.
    """

    def __init__(self, exercises: Iterable[ExerciseChecks], secret: str) -> None:
        self._exercises = {found.exercise.name: found for found in exercises}
        self._secret = secret
        self._digests: dict[tuple[Mistake, str, int], Digest | None] = {}
        """By mistake, check and seed."""

    def __call__(self, check: Check, given: Sequence[Answer], submission: str = "") -> str:
        """The sentences of the mistakes that give these answers to a check.

        Args:
            check: The check.
            given: The answers to all its draws.
            submission: Whose own the last draw is, if it is one's own; see `autograder.asking.probing.seeds`.
        """
        exercise = self._exercises[check.exercise]
        found = fingerprint(check, given)
        if found is None:
            return ""
        drawn = [*zip(found, seeds(check.probe, self._secret, submission), strict=True)]
        causes = _possible_causes(exercise, check)
        return either(
            one.sentence for one in causes if all(is_same(mine, self._digest(one, check, seed)) for mine, seed in drawn)
        )

    def _digest(self, one: Mistake, check: Check, seed: int) -> Digest | None:
        at = one, check.name, seed
        if at not in self._digests:
            self._digests[at] = digest(run_probe(check.probe, one.subject, seed), check.reads)
        return self._digests[at]
