"""The code that a question is about: read from where it was defined, shown, changed in one line, and run within bounds."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import itertools
import linecache
import random
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import FrameType, FunctionType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from autograder.asking.probing import own_settings
from autograder.mutants.making import At, changes
from autograder.questions.operators import OPERATORS
from autograder.questions.values import plain

_STEPS = 2_000
"""How many statements a run may take: those that do not end are ended alike on every machine."""
_SECONDS = 0.5
"""How long a processor may work on a run, which takes milliseconds: this ends loops in what the code calls, whose statements are not counted."""
_UNWRITTEN = 86
_WATCHED = (
    ast.Call,
    ast.BinOp,
    ast.BoolOp,
    ast.Compare,
    ast.Subscript,
    ast.UnaryOp,
    ast.IfExp,
    ast.ListComp,
    ast.Attribute,
)
_LEFT_ALONE = (ast.JoinedStr, ast.Raise, ast.arguments, ast.Constant)
ENDLESS = "it never ends"

Place = tuple[tuple[str, int], ...]
"""Where a part of a syntax tree is: the fields that lead to it, each with an index or -1."""


class UnaskableError(ValueError):
    """Nothing can be asked about the code; the message says why, to a reader."""


class _EndlessError(BaseException):
    """It ran for too many steps."""


@dataclass(frozen=True)
class Change:
    """The code with one line changed.

    Args:
        line: The number of the line, as it is shown.
        text: What the line says now; empty where it is left out.
        source: All of the code.
    """

    line: int
    text: str
    source: str

    @property
    def told(self) -> str:
        """The change in a line."""
        return f"line {self.line}: {self.text}" if self.text else f"line {self.line} is left out"

    @property
    def condition(self) -> str:
        """The change as a part of a sentence."""
        return f"line {self.line} reads `{self.text}`" if self.text else f"line {self.line} is left out"


@dataclass(frozen=True)
class Part:
    """An expression of the code.

    Args:
        line: The number of its line, as it is shown.
        text: What it says.
    """

    line: int
    text: str


@dataclass(frozen=True)
class Run:
    """What happened in one call.

    Args:
        result: What came back; None where nothing did.
        error: What it ended with; empty where it returned.
        parts: The expressions that were computed.
        values: What each was, the first time.
        lines: The lines that were run, by their numbers as they are shown.
    """

    result: Any
    error: str
    parts: Mapping[Place, Part]
    values: Mapping[Place, Any]
    lines: frozenset[int]


@dataclass(frozen=True)
class Code:
    """A function or class as it was written, without docstrings, comments and types.

    Args:
        name: The name that it was defined by.
        source: All of it.
        first: The first of its lines that is shown: of a class, the methods after `__init__`.
        names: The names that it knows.
    """

    name: str
    source: str
    first: int
    names: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def lines(self) -> list[str]:
        """The lines that are shown."""
        return _dedented(self.source.splitlines()[self.first :])

    def changes(self, chance: random.Random) -> Iterator[Change]:
        """The code with one of the shown lines changed, in random order, such that each line has its turn.

        Args:
            chance: Of the order.
        """
        (tree,) = ast.parse(self.source).body
        assert isinstance(tree, ast.FunctionDef | ast.ClassDef)
        lines, seen = self.source.splitlines(), {self.source}
        texts = _texts(tree)

        def in_turns(places: list[At]) -> list[At]:
            by_line: dict[int, list[At]] = {}
            for at in chance.sample(places, len(places)):
                by_line.setdefault(_line_of(at), []).append(at)
            turns = itertools.zip_longest(*(by_line[line] for line in sorted(by_line) if line > self.first))
            return [at for turn in turns for at in turn if at is not None]

        for operator, source in changes(tree, [], OPERATORS, in_turns):
            new = source.splitlines()
            places = [at for at, pair in enumerate(zip(lines, new, strict=False)) if pair[0] != pair[1]]
            if source in seen or len(new) != len(lines) or len(places) != 1 or not _compiles(source):
                continue
            seen.add(source)
            text = new[places[0]].strip()
            if operator != "other_constant" or _texts(ast.parse(source)) <= texts:
                yield Change(places[0] - self.first + 1, "" if text == "pass" else text, source)

    def run(self, call: Callable[[Any], Any], change: Change | None = None, *, filled: bool = False) -> Run:
        """Run the code, as it is or changed; of changed code only the expressions of the changed line are looked at.

        Args:
            call: Calls it.
            change: The change.
            filled: Whether memory is filled with a number before anything is written into it.
        """
        watch = _Watch(self.first, change.source if change else self.source, change.line if change else 0)
        tree = watch.over()
        names = dict(self.names) | {"__at__": watch.at, "__seen__": watch.seen}
        result, error = None, ""
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), own_settings():
            try:
                with _limited(), _Filled() if filled else contextlib.nullcontext():
                    exec(compile(tree, f"<{self.name}>", "exec"), names)  # noqa: S102 - the reader's own code, in their own process
                    result = plain(call(names[self.name]))
            except _EndlessError:
                error = ENDLESS
            except (Exception, SystemExit) as raised:  # noqa: BLE001 - whatever the code raises
                error = f"{type(raised).__name__}: {str(raised).splitlines()[0] if str(raised) else ''}".removesuffix(
                    ": "
                )
        return Run(result, error, watch.parts, watch.values, frozenset(watch.lines))


class _Filled(TorchFunctionMode):
    """Fills new memory with a number that no memory happens to have."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        return made.fill_(_UNWRITTEN) if func in (torch.empty, torch.empty_like, torch.Tensor.new_empty) else made


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """End what takes too long, where the system can."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_globals.get("__name__") == "importlib._bootstrap":
                return  # A module that is imported half-way would be broken from then on. The next signal comes soon.
            frame = frame.f_back
        raise _EndlessError

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def read_code(subject: Any) -> Code:
    """The code of a function or class.

    Raises:
        UnaskableError: It is something else, or Python does not know where it was written.
    """
    name, functions = getattr(subject, "__name__", ""), [inspect.unwrap(subject)]
    if inspect.isclass(subject):
        functions = [value for value in vars(subject).values() if isinstance(value, FunctionType)]
    function = functions[0] if functions else None
    if not isinstance(function, FunctionType):
        raise UnaskableError("Questions are about a function written with `def`, or a class with methods.")
    if set(function.__code__.co_freevars) - {"__class__"}:
        raise UnaskableError(f"`{name}` was made inside another function: define it in a cell of its own.")
    text = "".join(linecache.getlines(function.__code__.co_filename, function.__globals__))
    return code_in(text, name, ast.ClassDef if inspect.isclass(subject) else ast.FunctionDef, function.__globals__)


def code_in(
    text: str,
    name: str,
    kind: type[ast.FunctionDef | ast.ClassDef],
    names: Mapping[str, Any],
) -> Code:
    """The code of the last function or class of a name in a text.

    Args:
        text: Python.
        name: The name.
        kind: Whether it is a function or a class.
        names: The names that the code knows.

    Raises:
        UnaskableError: There is none.
    """
    try:
        found = [node for node in ast.parse(text).body if isinstance(node, kind) and node.name == name]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        found = []
    if not found:
        raise UnaskableError(f"The code of `{name}` was not found: run the cell that defines it again.")
    source = ast.unparse(_bare(found[-1]))
    return Code(name, source, _first(source), names)


def _bare(tree: ast.FunctionDef | ast.ClassDef) -> ast.FunctionDef | ast.ClassDef:
    """The tree without docstrings and types; what makes an object comes first."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    if isinstance(tree, ast.ClassDef):
        tree.body.sort(key=lambda node: not isinstance(node, ast.FunctionDef) or node.name != "__init__")
    return tree


def _first(source: str) -> int:
    """The index of the first line that is shown."""
    (tree,) = ast.parse(source).body
    if isinstance(tree, ast.FunctionDef):
        return tree.lineno - 1
    assert isinstance(tree, ast.ClassDef)
    begins = [min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) for node in tree.body]
    made = isinstance(tree.body[0], ast.FunctionDef) and tree.body[0].name == "__init__"
    return begins[1] - 1 if made and len(begins) > 1 else tree.lineno - 1


def _dedented(lines: list[str]) -> list[str]:
    wide = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[wide:] for line in lines]


def _compiles(source: str) -> bool:
    try:
        compile(source, "<changed>", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _texts(tree: ast.AST) -> set[str]:
    """The strings in the code, which are not changed: what is wrong with one character more can be seen from its form."""
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def _line_of(at: At) -> int:
    """The line of what may be changed."""
    _, parent, field, index = at
    node = getattr(parent, field) if index < 0 else getattr(parent, field)[index]
    return int(getattr(node, "lineno", getattr(parent, "lineno", 0)))


def parts_of(code: Code, change: Change | None = None) -> dict[Place, Part]:
    """The expressions that are looked at when the code is run, in the order of their numbers.

    Args:
        code: The code.
        change: How it is changed.
    """
    watch = _Watch(code.first, change.source if change else code.source, change.line if change else 0)
    watch.over()
    return watch.parts


class _Watch:
    """Sees which statements of a run are reached, and what expressions are.

    Args:
        first: The index of the first line that is shown.
        source: The code.
        line: The line whose expressions are looked at, as it is shown; 0 for all.
    """

    def __init__(self, first: int, source: str, line: int) -> None:
        self._first, self._line, self._steps = first, line, 0
        self._source, self._rows = source, [row.encode() for row in source.splitlines()]
        self._places: list[Place] = []
        self.parts: dict[Place, Part] = {}
        self.values: dict[Place, Any] = {}
        self.lines: set[int] = set()

    def over(self) -> ast.Module:
        """The code's tree with calls put in that tell what happens."""
        tree = ast.parse(self._source)
        for number, node in enumerate(tree.body):
            self._into(node, (("body", number),))
        return tree

    def at(self, line: int) -> None:
        """A statement begins."""
        self.lines.add(line)
        self._steps += 1
        if self._steps > _STEPS:
            raise _EndlessError

    def seen(self, number: int, value: Any) -> Any:
        """An expression was computed."""
        place = self._places[number]
        if place not in self.values:
            self.values[place] = plain(value)
        return value

    def _into(self, node: ast.AST, place: Place) -> None:
        """Watch what is in a node."""
        if isinstance(node, _LEFT_ALONE) or (isinstance(node, ast.FunctionDef) and node.name == "__init__"):
            return
        for name, value in ast.iter_fields(node):
            if name in ("decorator_list", "annotation", "returns", "bases"):
                continue
            if isinstance(value, ast.AST):
                setattr(node, name, self._watched(value, (*place, (name, -1)), is_called=name == "func"))
            elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, name, self._statements(value, place, name))
            elif isinstance(value, list):
                for number, item in enumerate(value):
                    if isinstance(item, ast.AST):
                        value[number] = self._watched(item, (*place, (name, number)))

    def _statements(self, body: list[ast.stmt], place: Place, name: str) -> list[ast.stmt]:
        new: list[ast.stmt] = []
        for number, statement in enumerate(body):
            if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
                new.append(
                    ast.copy_location(ast.Expr(_call("__at__", statement, statement.lineno - self._first)), statement)
                )
            self._into(statement, (*place, (name, number)))
            new.append(statement)
        return new

    def _watched(self, node: ast.AST, place: Place, *, is_called: bool = False) -> ast.AST:
        """The node, or a call that tells what it is."""
        wanted = isinstance(node, _WATCHED) and not is_called and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        self._into(node, place)
        if not wanted or not isinstance(node, ast.expr) or node.lineno != node.end_lineno:
            return node
        line = node.lineno - self._first
        if self._line not in (0, line):
            return node
        self.parts[place] = Part(line, self._rows[node.lineno - 1][node.col_offset : node.end_col_offset].decode())
        self._places.append(place)
        return _call("__seen__", node, len(self._places) - 1, node)


def _call(name: str, where: ast.stmt | ast.expr, number: int, *more: ast.expr) -> ast.Call:
    """A call of what watches, at the place of a node."""
    called = ast.copy_location(ast.Name(name, ast.Load()), where)
    return ast.copy_location(ast.Call(called, [ast.copy_location(ast.Constant(number), where), *more], []), where)
