"""Runs a probe on a student's object, or on the reference, and brings back plain data or what went wrong."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import textwrap
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from numbers import Real
from types import TracebackType
from typing import Any

import numpy as np
import torch
from torch import Size, Tensor
from torch.nn import Module

from autograder.asking.draw import PUBLIC_SEED, Draw, derive_seed
from autograder.asking.mutation_guard import guarded
from autograder.asking.rules import RULES
from autograder.asking.serialization import kind_of, to_plain
from autograder.asking.watch import Watch
from autograder.declare import IN_USE, Check, Probe, key
from autograder.judging.verdict import Status

_MAX_MESSAGE = 600
CELL = re.compile(r"ipykernel_\d+|<ipython-input")
_UNWRITTEN = "not written yet: replace `raise NotImplementedError` with your own lines"
_MINGLED = (
    "not finished: `raise NotImplementedError` is still there beside your own lines, and the lines after it do not run"
)
_NO_NUMBERS = (
    "the result is on the device meta, which stores shapes but no values; expected it on the CPU, like the arguments"
)
_LENT = "this comes with the course, for use in other chapters: write your own"
_LENDERS = ("seqlab", "autograder")
_TOO_MUCH_MEMORY = "it asked for more memory than a submission may use"
_FORBIDDEN = "this exercise must be written without {}"
FORBIDDEN = frozenset(_FORBIDDEN.format(rule.told) for rule in RULES)
"""The messages of `failure_of` on an answer that calls what it may not: it earns nothing."""
SENTENCES = FORBIDDEN | {_UNWRITTEN, _MINGLED, _NO_NUMBERS, _LENT, _TOO_MUCH_MEMORY}
"""The messages of `failure_of` that hold nothing of a student's."""

# What to do about an exception that a beginner cannot be expected to read; the first that fits is said.
ADVICE = (
    (
        r"^NameError: name",
        "Is it a typo, or is it only defined further down, or in a cell that has not been run?",
    ),
    (r"^UnboundLocalError|^NameError: cannot access", "It is used before a value is assigned to it."),
    (r"^RecursionError", "A function keeps calling itself and never stops."),
    (r"^SystemExit", "It ends the program: remove exit(), quit() or sys.exit()."),
    (
        r"^RuntimeError: einsum\(\)",
        "Each tensor needs one letter for each of its dimensions. Print its shape; `...` means any number of leading dimensions.",
    ),
    (r"ellipsis", "`...` is still there instead of a value."),
    (
        r"Boolean value of Tensor",
        "A tensor with several values is neither true nor false: test `is None`, or compare its values and use .any() or .all().",
    ),
    (r"NoneType", "Something here is None: it has not been set yet, or it comes from a function that returns nothing."),
    (r'missing the required "forward"', "Is there a `def forward`, with the same indentation as `def __init__`?"),
    (r"before Module.__init__\(\) call", "The first line of `__init__` must be `super().__init__()`."),
    (
        r"same device|device type|on device",
        "Create new tensors on the device of the arguments: for example, pass device=scores.device.",
    ),
    (
        r"to view \w+ as \w+ \(different element sizes\)",
        ".view(dtype) needs bytes that lie side by side in memory, from an even place on: .contiguous() copies them there.",
    ),
    (
        r"\bdouble\b|\bDouble\b",
        "float32 and float64 are mixed here. Create new tensors with the dtype of the arguments: for example, pass dtype=scores.dtype.",
    ),
    (
        r"without overflow",
        "Half is float16, whose largest value is 65504: a number such as -1e9 does not exist there, but minus infinity does.",
    ),
    (
        r"at::Half|at::BFloat16|\bHalf\b|\bBFloat16\b",
        "Half is float16. Create new tensors with the dtype of the arguments: for example, pass dtype=scores.dtype.",
    ),
    (
        r"same dtype|expected scalar type",
        "Two tensors of different dtypes meet here. Print their dtypes before this line: print(name.dtype).",
    ),
    (
        r"out of bounds for dimension|Target -?\d+ is out of bounds|index out of range in self",
        "Indices are counted from 0, so the last one is the size minus 1. Print the largest and the smallest index before this line.",
    ),
    (
        r"^IndexError: (Dimension out of range|too many indices)",
        "The tensor has fewer dimensions than this line expects: count them from the end, as in dim=-1.",
    ),
    (
        r"does not require grad|appears to not have been used in the graph|requires grad. Use tensor.detach",
        "The gradient is cut off: .detach(), .item(), .tolist(), .numpy(), torch.tensor(...) of a result, and torch.no_grad() all do that.",
    ),
    (
        r"modified by an inplace operation",
        "Create a new tensor, as `x = x + y` does and `x += y` does not: the gradient needs the old values.",
    ),
    (r"view size is not compatible", ".reshape copies the values if need be, .view never does."),
    (
        r"not enough values to unpack|too many values to unpack",
        "There are more or fewer values than names: print them, or their shape, before this line.",
    ),
    (r"^ZeroDivisionError", "Which input makes the divisor 0, and what does the docstring expect for it?"),
    (
        r"^ValueError: math domain error",
        "log takes numbers above 0, and sqrt none below 0. For which input is it another?",
    ),
    (
        r"must be Tensor, not tuple|'Tensor' and 'tuple'|'tuple' and 'Tensor'",
        "This is a pair or a longer tuple, such as what a function returns that has several results: take it apart, as in `a, b = f(x)`.",
    ),
    (
        r"^AttributeError: '(tuple|list|set|frozenset|dict|str)' object has no attribute|can only concatenate|unhashable type: 'list'|unsupported operand type.*'(list|tuple)'",
        "The argument is of another type than this line expects: the docstring says what may come, and list(...), tuple(...) and set(...) convert.",
    ),
    (
        r"^AssertionError",
        "An `assert` of your own stopped it: the arguments are legal, so what it asks for does not always hold.",
    ),
    (
        r"batch1 must be a 3D tensor",
        "torch.bmm takes exactly three dimensions; `@` and torch.matmul take any number of leading ones.",
    ),
    (
        r"could not infer output dtype",
        "Booleans and integers have no mean: convert them first, for example with .float().",
    ),
    (r"^KeyError", "This key is not in the dict. What does the docstring expect for what was never seen?"),
    (
        r"selected index k out of range",
        "topk cannot return more values than the dimension has: ask for at most that many.",
    ),
    (
        r"probability tensor contains",
        "torch.multinomial takes probabilities, none of them negative, infinite or NaN. Are these logits?",
    ),
    (
        r"size of tensor|shapes cannot be multiplied|[Ee]xpected size|must match|invalid for input of size|Sizes of tensors|expected input with shape|must be equal to input_size",
        "The shapes do not match. Print them before this line: print(name.shape).",
    ),
)


@dataclass(frozen=True)
class Failure:
    """Why there is no answer.

    Args:
        status: Error, timeout, out of memory or not attempted.
        message: In the student's words: the exception and where in their code it came from.
    """

    status: Status
    message: str


@dataclass(frozen=True)
class Changed:
    """What came back from calls that changed what they were given.

    Args:
        answer: The plain data.
        argument: The first argument that was changed; empty where the name is not known.
    """

    answer: Any
    argument: str = ""


@dataclass(frozen=True)
class Slipped:
    """A result that has a different form from the one that the docstring asks for, and its content all the same.

    Args:
        answer: The plain data, or `Changed` around it, in the form that was asked for.
        told: What is said of the form; empty where it is not known.
    """

    answer: Any
    told: str = ""


class MisuseError(ValueError):
    """A student's code broke the promise of its signature; they read the message as it is."""


def expect_weights(module: Any, shapes: Mapping[str, Sequence[int]], *, kind: str = "layers") -> None:
    """Make sure that a student's class has the weights that its `__init__`, as it was given, has made.

    Args:
        module: What the class made.
        shapes: The shape of each weight by its name in the state dict.
        kind: What the student is told that the weights are.

    Raises:
        MisuseError: It is no module, or a weight is missing or has another shape.
    """
    if not isinstance(module, Module):
        raise MisuseError(f"calling the class gave a result {kind_of(module)}, expected a torch.nn.Module")
    own = dict(module.named_parameters())
    wrong = [name for name, shape in shapes.items() if name not in own or own[name].shape != tuple(shape)]
    if wrong:
        raise MisuseError(
            f"its {kind} are not those of the original __init__: {wrong[0]} is missing, or its shape is not "
            f"{tuple(shapes[wrong[0]])}. Leave __init__ as it was and write forward"
        )


Answer = Any
"""What one draw gave: plain data, perhaps in `Changed` and that in `Slipped`, or a `Failure`."""
_slips: list[str] = []
"""What `note_slip` was told in the draw that runs."""


def note_slip(told: str) -> None:
    """Called by a probe that goes on with what a result of another form says, and leaves it to the judge what the form costs."""
    _slips.append(told)


def numbers_in(value: Any, told: str) -> Any:
    """The list that a tensor's numbers make, or the number of one without dimensions, which is a slip; all else as it is.

    Args:
        value: A part of what a student's function returned.
        told: What is said of a tensor; its kind is added.
    """
    if not isinstance(value, Tensor):
        return value
    note_slip(f"{told} {kind_of(value)}: .tolist() and .item() give plain numbers")
    return value.tolist()


def in_list(value: Any, told: str) -> Any:
    """The list that a tuple's items or a tensor's numbers make, which is a slip; all else as it is.

    Args:
        value: A part of what a student's function returned.
        told: What is said of what is no list; its kind is added.
    """
    if not isinstance(value, tuple):
        return numbers_in(value, told)
    note_slip(f"{told} {kind_of(value)}: list(...) makes a list of it")
    return list(value)


def plain_number(value: Any) -> Any:
    """NumPy's floats as Python's own, since the one does as well as the other; other real numbers too, as a slip; all else as it is."""
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, Real) and not isinstance(value, (int, Tensor)):
        note_slip(f"a number is {kind_of(value)}, expected of type float")
        return float(value)
    return value


def has_finite_gradients(results: Sequence[Any], given: Sequence[Tensor]) -> bool:
    """Whether what comes back from results to tensors is finite; that something comes back at all is another check's business."""
    outputs = [result.sum() for result in results if isinstance(result, Tensor) and result.requires_grad]
    found = torch.autograd.grad(outputs, given, allow_unused=True) if outputs else ()
    return all(gradient is None or bool(gradient.isfinite().all()) for gradient in found)


def in_shape(value: Any, *shape: int) -> Any:
    """The tensor in this shape if it has as many numbers: a lost dimension is another check's business."""
    same = isinstance(value, Tensor) and value.numel() == Size(shape).numel()
    return value.reshape(shape) if same else value


def run_probe(probe: Probe, subject: Any, seed: int, *, watched: bool = False) -> Answer:
    """Run one draw of the probe. Whatever the student's code raises comes back as a `Failure`."""
    try:
        return ask(probe, subject, seed, watched=watched)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the student's code raises
        return failure_of(error)


def ask(probe: Probe, subject: Any, seed: int, *, watched: bool = False) -> Any:
    """Run one draw of the probe; returns plain data, perhaps in `Changed` and that in `Slipped`.

    Args:
        probe: What is asked.
        subject: The student's function or class.
        seed: What is drawn from.
        watched: Whether what it calls is held against the exercise's rules, which takes time; one draw of each probe is enough.

    Raises:
        MisuseError: The subject is the course's own, or calls what the exercise forbids.
        BaseException: Whatever the student's code raises.
    """
    if _is_lent(subject):
        raise MisuseError(_LENT)
    changed: list[str] = []
    _slips.clear()
    with own_settings(seed), _held_to_rules(probe) if watched else nullcontext():
        answer = to_plain(probe.run(guarded(probe.exercise, subject, changed), Draw(seed)))
    answer = Changed(answer, changed[0]) if changed else answer
    return Slipped(answer, _slips[0]) if _slips else answer


@contextmanager
def _held_to_rules(probe: Probe) -> Iterator[None]:
    """Whatever comes of the code inside, raise `MisuseError` if it broke a rule: it may catch what is raised before it has ended."""
    # A library outside torch is seen by a close watch alone. For torch and `seqlab` that would take too long in every probe.
    closely = probe.name == IN_USE or any(rule.package not in ("torch", "seqlab", "sys") for rule in probe.rules)
    watch = Watch(probe.rules, closely=closely)
    try:
        with watch:
            yield
    except Exception:
        if watch.broken is None:
            raise
    if watch.broken is not None:
        raise MisuseError(_FORBIDDEN.format(watch.broken.told))


def _is_lent(subject: Any) -> bool:
    """Whether it is a function or class of the course's packages, or a class that is made of such."""
    parts = [subject]
    if inspect.isclass(subject):
        parts = [part for kind in subject.__mro__ for part in (kind, *filter(inspect.isfunction, vars(kind).values()))]
    return any(str(getattr(part, "__module__", "")).partition(".")[0] in _LENDERS for part in parts)


def unpack(result: Any, **shapes: tuple[int, ...]) -> tuple[Any, ...]:
    """The results of a student's function, of which there are several.

    Only their number and order are looked at: a wrong shape is for the judge to name. A list, and another order that shapes can tell, are slips.

    Args:
        result: What it returned.
        shapes: The results by name, in order, with the shape of each.

    Raises:
        MisuseError: There are not as many, or they are in another order that shapes cannot tell.
    """
    names, expected = list(shapes), list(shapes.values())
    wanted = f"expected {len(names)} results: {', '.join(names)}"
    if not isinstance(result, (tuple, list)) or len(result) != len(names):
        raise MisuseError(f"what it returned is {kind_of(result)}, {wanted}")
    if isinstance(result, list):
        note_slip(f"what it returned is a list, expected a tuple: return {', '.join(names)}, without square brackets")
    found = [tuple(item.shape) if isinstance(item, Tensor) else () for item in result]
    if found != expected and sorted(found) == sorted(expected):
        order = ", ".join(names[expected.index(shape)] for shape in found)
        told = f"the results were returned in the order {order}; {wanted}, in this order"
        if len(set(expected)) < len(expected):
            raise MisuseError(told)
        note_slip(told)
        return tuple(result[found.index(shape)] for shape in expected)
    return tuple(result)


@contextmanager
def own_settings(seed: int = 0) -> Iterator[None]:
    """A fresh process's settings of torch, whatever a notebook has set, and afterwards everything as it was before."""
    dtype, device = torch.get_default_dtype(), _default_device()
    if device.type != "cpu":  # Where it is set, every call of torch goes through it, which takes time.
        torch.set_default_device("cpu")
    try:
        with torch.random.fork_rng(devices=[]), torch.inference_mode(False), torch.enable_grad():
            torch.default_generator.manual_seed(seed % 2**63)
            torch.set_default_dtype(torch.float32)
            yield
    finally:
        torch.set_default_dtype(dtype)
        torch.set_default_device(None)
        if _default_device() != device:  # It is the same where a `with torch.device(...)` had set it.
            torch.set_default_device(device)


def _default_device() -> torch.device:
    """Where new tensors lie. Up to torch 2.9, `torch.get_default_device` fails once the default has been taken back."""
    return torch.empty(0).device


def answers(probe: Probe, subject: Any, secret: str = PUBLIC_SEED) -> list[Answer]:
    """All draws of the probe under one secret, in this process."""
    return [run_probe(probe, subject, seed, watched=not draw) for draw, seed in enumerate(seeds(probe, secret))]


def seeds(probe: Probe, secret: str = PUBLIC_SEED, submission: str = "") -> list[int]:
    """The seed of each draw of the probe.

    Args:
        probe: The probe.
        secret: What the seeds are derived from.
        submission: A name of the submission that is graded: the last draw is then its own, and what it learns of the others is of no use to any
            other submission.
    """
    shared = [derive_seed(secret, key(probe), index) for index in range(probe.draws)]
    return [*shared[:-1], derive_seed(secret, f"{key(probe)}/{submission}", probe.draws - 1)] if submission else shared


def probes_of(checks: tuple[Check, ...]) -> list[Probe]:
    """The probes of these checks, each once, in order."""
    return list({key(check.probe): check.probe for check in checks}.values())


def failure_of(error: BaseException) -> Failure:
    """The exception as a student should read it: what it says, where it came from, and what to do."""
    if isinstance(error, NotImplementedError) and not error.args:  # torch's own has a message
        return Failure(Status.NOT_ATTEMPTED, _MINGLED if _has_own_lines(error) else _UNWRITTEN)
    if isinstance(error, MisuseError):
        return Failure(Status.FAILED, str(error)[:_MAX_MESSAGE])
    if isinstance(error, NotImplementedError) and "meta tensor" in str(error):
        return Failure(Status.FAILED, _NO_NUMBERS)
    # Torch's hints, where it has any, are on how to debug torch.
    text = f"{type(error).__name__}: {error}".partition(" Hint: ")[0].removesuffix(": ")[:_MAX_MESSAGE]
    if isinstance(error, MemoryError) or "can't allocate memory" in text:
        return Failure(Status.OUT_OF_MEMORY, _TOO_MUCH_MEMORY)
    advice = advice_on(text)
    notes = getattr(error, "__notes__", ())
    return Failure(Status.ERROR, "\n".join(filter(None, (text + place_of(error), *map(str, notes), advice))))


def advice_on(text: str) -> str:
    """What to do about an exception that says this; empty where nothing is known."""
    return next((advice for pattern, advice in ADVICE if re.search(pattern, text)), "")


def from_cell(error: BaseException) -> TracebackType | None:
    """The exception's traceback from the first line of a notebook cell on; None where there is none."""
    found = error.__traceback__
    while found is not None and not CELL.search(found.tb_frame.f_code.co_filename):
        found = found.tb_next
    return found


def place_of(error: BaseException) -> str:
    """The last line of a notebook cell that the exception passed through, in brackets; empty where there is none."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if CELL.search(f.filename)]
    if not frames:
        return ""
    return f" (in {frames[-1].name}, line {frames[-1].lineno} of its cell: `{frames[-1].line}`)"


def _has_own_lines(error: BaseException) -> bool:
    """Whether the function that raised holds more than a docstring and the raising line."""
    code = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)][-1]
    block = linecache.getlines(code.co_filename)[
        code.co_firstlineno - 1 :
    ]  # `inspect.getsource` asks every module for its file.
    try:
        function = ast.parse(textwrap.dedent("".join(inspect.getblock(block)))).body[0]
    except (LookupError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    lines = function.body if isinstance(function, ast.FunctionDef) else []
    return any(not isinstance(line, (ast.Raise, ast.Pass)) and not _is_constant(line) for line in lines)


def _is_constant(line: ast.stmt) -> bool:
    """Whether it is a docstring or `...`."""
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)
