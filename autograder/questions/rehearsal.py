"""Questions about code that may only be run in a sandbox: they are made there once for what the runs give, and then again from that, where the code cannot reach.

What comes out of the sandbox is results alone. The code, the changes of it, the inputs and the texts are those of the process that asks, so that
code which lies about its results can spoil a question about itself, and can neither choose one nor see an answer.
"""

from __future__ import annotations

import ast
import itertools
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from autograder.asking.draw import Draw
from autograder.questions.code import Change, Code, Run, UnaskableError, code_in, parts_of, read_code
from autograder.questions.given import inputs_of
from autograder.questions.making import Question, questions
from autograder.questions.values import is_plain

MOST = 6
"""How many questions are made about an exercise."""
_LONGEST = 200
_TUPLE, _SET, _LIST = "tuple", "set", "list"


class _OtherCodeError(Exception):
    """What was run is not what the questions are about."""


def key_of(name: str) -> str:
    """What the rehearsal of an exercise is called among what a sandbox is asked."""
    return f"{name}.questions"


def rehearse(chapter: str, name: str, subject: Any, seed: str) -> list[Any]:
    """What runs of the code give that questions about it need, as plain data; empty where it is none to ask about.

    Args:
        chapter: The chapter.
        name: The exercise.
        subject: The function or class.
        seed: Of all that is drawn.
    """
    try:
        code = read_code(subject)
    except UnaskableError:
        return []
    heard = _Heard(code.name, code.source, code.first, code.names)
    try:
        _first_of(heard, chapter, name, seed)
    except UnaskableError:
        pass
    return heard.kept


def perform(chapter: str, name: str, text: str, seed: str, kept: Any) -> list[Question]:
    """The questions about an exercise.

    Args:
        chapter: The chapter.
        name: The exercise.
        text: The code of the cell that defines it.
        seed: The seed with which it was rehearsed.
        kept: What the rehearsal gave; it may be anything.

    Raises:
        UnaskableError: There are none; the message says why.
    """
    code = _defined(text, name)
    told = _Told(code.name, code.source, code.first, {}, iter(kept if isinstance(kept, list) else []))
    try:
        return _first_of(told, chapter, name, seed)
    except UnaskableError as error:
        raise UnaskableError(str(error).removesuffix(f" Run `check({name})` first.")) from None
    except _OtherCodeError:
        raise UnaskableError(f"`{name}` is not what the last cell that defines it says.") from None
    except Exception as error:
        raise UnaskableError(f"What `{name}` returned could not be read ({type(error).__name__}).") from error


def _defined(text: str, name: str) -> Code:
    for kind in (ast.FunctionDef, ast.ClassDef):
        try:
            return code_in(text, name, kind, {})
        except UnaskableError:
            continue
    raise UnaskableError(f"`{name}` is not defined by `def` or `class` in the notebook.")


def _first_of(code: Code, chapter: str, name: str, seed: str) -> list[Question]:
    inputs: Callable[[Draw], Any] | None = inputs_of(chapter, name)
    if inputs is None:
        raise UnaskableError(f"There are no questions about `{name}`.")
    return list(itertools.islice(questions(code, inputs, seed), MOST))


@dataclass(frozen=True)
class _Heard(Code):
    """Code that keeps what its runs give.

    Args:
        kept: What they gave, in order.
    """

    kept: list[Any] = field(default_factory=list, compare=False, repr=False)

    def run(self, call: Callable[[Any], Any], change: Change | None = None, *, filled: bool = False) -> Run:
        """Run the code, and keep what came of it."""
        run = super().run(call, change, filled=filled)
        number = {place: at for at, place in enumerate(run.parts)}
        values = [[number[place], _packed(value)] for place, value in run.values.items()]
        self.kept.append([_sum_of(self, change), run.error[:_LONGEST], sorted(run.lines), _packed(run.result), values])
        return run


@dataclass(frozen=True)
class _Told(Code):
    """Code that is not run: what its runs gave is known.

    Args:
        kept: What they gave, in order.
    """

    kept: Iterator[Any] = field(default_factory=lambda: iter(()), compare=False, repr=False)

    def run(self, call: Callable[[Any], Any], change: Change | None = None, *, filled: bool = False) -> Run:
        """What the run gave.

        Raises:
            _OtherCodeError: It was another code that was run.
            UnaskableError: It was not run.
        """
        entry = next(self.kept, None)
        if entry is None:
            raise UnaskableError(f"`{self.name}` could not be run.")
        number, error, lines, result, values = entry
        if number != _sum_of(self, change):
            raise _OtherCodeError
        parts = parts_of(self, change)
        places = list(parts)
        known = {places[int(at)]: _unpacked(value) for at, value in values}
        return Run(_unpacked(result), str(error)[:_LONGEST], parts, known, frozenset(map(int, lines)))


def _sum_of(code: Code, change: Change | None) -> int:
    """A number that tells what is run from anything else."""
    return zlib.crc32((change.source if change else code.source).encode())


def _packed(value: Any) -> Any:
    """A value such that lists, tuples and sets come back as what they are."""
    for kind, name in ((tuple, _TUPLE), (frozenset, _SET), (list, _LIST)):
        if isinstance(value, kind):
            items: Iterable[Any] = sorted(value) if name == _SET and is_plain(value) else value
            return [name, *map(_packed, items)]
    return value


def _unpacked(value: Any) -> Any:
    if not isinstance(value, list):
        return value[:_LONGEST] if isinstance(value, str) else value
    name, *items = value
    made = map(_unpacked, items)
    return tuple(made) if name == _TUPLE else frozenset(made) if name == _SET else list(made)
