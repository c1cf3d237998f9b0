"""What an exercise forbids is seen when it is called, whatever it is called by; what the course and torch call inside is not an answer's doing."""

import importlib
import inspect
import io
import operator
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from copy import copy
from functools import cache, partial
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.functional import *
from torch.overrides import get_overridable_functions

import seqlab
from autograder.asking.probing import FORBIDDEN, Failure, own_settings, probes_of, run_probe, seeds
from autograder.asking.rules import AUTOGRAD, BLINDFOLD, MULTI_HEAD, NORMALIZATION, ONE_HOT, RECURRENT, SEQLAB, Rule
from autograder.asking.watch import Watch
from autograder.declare import ExerciseChecks, chapters, find_exercise, load_checks
from autograder.judging.reference import load_reference
from seqlab.models import Decoder
from seqlab.search import largest

SOLUTIONS = Path(__file__).parent.parent / "solutions"
STORED = vars(F)["one_hot"]
WORDS = torch.tensor([2, 0, 1])
COMPILED = torch.compile(lambda tokens: F.one_hot(tokens, 3), backend="eager")


class Alias:
    one_hot = staticmethod(F.one_hot)


def decorated(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    return lambda tokens: F.one_hot(tokens, 3) + 0 * function(tokens)


def by_a_default(tokens: Tensor, code: Any = F.one_hot) -> Tensor:
    return code(tokens, 3)


@decorated
def by_a_decorator(tokens: Tensor) -> Tensor:
    return torch.eye(3)[tokens]


def by_exec(tokens: Tensor) -> Tensor:
    names: dict[str, Any] = {"F": F, "tokens": tokens, "__name__": "torch"}
    exec("found = F.one_hot(tokens, 3)", names)  # noqa: S102 - as an answer may
    return names["found"]


def behind_torchs_back(tokens: Tensor) -> Tensor:
    with torch._C.DisableTorchFunction():
        return F.one_hot(tokens, 3)


def in_a_thread(tokens: Tensor) -> Tensor:
    found: list[Tensor] = []
    thread = threading.Thread(target=lambda: found.append(F.one_hot(tokens, 3)))
    thread.start()
    thread.join()
    return found[0]


def which_fails_afterwards(tokens: Tensor) -> Tensor:
    raise ValueError(F.one_hot(tokens, 3))


WAYS = {
    "by its name": lambda tokens: F.one_hot(tokens, 3),
    "by getattr": lambda tokens: getattr(F, "one" + "_hot")(tokens, 3),
    "by vars": lambda tokens: vars(torch.nn.functional)["one_hot"](tokens, 3),
    "by an attrgetter": lambda tokens: operator.attrgetter("nn.functional.one_hot")(torch)(tokens, 3),
    "by eval": lambda tokens: eval("F.one_hot(tokens, 3)", {"F": F, "tokens": tokens}),
    "by importlib": lambda tokens: importlib.import_module("torch.nn.functional").one_hot(tokens, 3),
    "by an operator": lambda tokens: torch.ops.aten.one_hot(tokens, 3),
    "by an overload of it": lambda tokens: getattr(torch.ops.aten, "one_hot").default(tokens, 3),  # noqa: B009
    "by a name stored before": lambda tokens: STORED(tokens, 3),
    "by an alias": lambda tokens: Alias.one_hot(tokens, 3),
    "by a star import": lambda tokens: one_hot(tokens, 3),
    "by map": lambda tokens: torch.stack(list(map(partial(F.one_hot, num_classes=3), tokens))),
    "by vmap": torch.vmap(lambda token: F.one_hot(token, 3)),
    "by torch.compile": COMPILED,
    "by a default argument": by_a_default,
    "by a decorator": by_a_decorator,
    "by exec": by_exec,
    "behind torch's back": behind_torchs_back,
    "in a thread": in_a_thread,
    "before it fails": which_fails_afterwards,
}


def broken(rules: tuple[Rule, ...], call: Callable[[], Any]) -> Rule | None:
    """The rule that a call breaks."""
    watch = Watch(rules)
    try:
        with watch:
            call()
    except (ValueError, RuntimeError):
        assert watch.broken
    return watch.broken


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_call_is_seen_whatever_it_is_called_by(way: Callable[[Tensor], Tensor]) -> None:
    assert broken((ONE_HOT,), lambda: way(WORDS)) is ONE_HOT


@pytest.mark.parametrize("way", [F.one_hot, WAYS["by getattr"], which_fails_afterwards])
def test_it_is_told_in_place_of_an_answer(way: Callable[..., Tensor]) -> None:
    exercise = find_exercise("one_hot")
    assert exercise is not None
    probe = probes_of(exercise.visible.checks)[0]
    answer = run_probe(
        probe,
        lambda tokens, size: way(tokens) if way is which_fails_afterwards else F.one_hot(tokens, size),
        seeds(probe)[0],
        watched=True,
    )
    assert isinstance(answer, Failure)
    assert answer.message in FORBIDDEN


GRU, NORM, HEADS = nn.GRU(4, 4), nn.LayerNorm(4), nn.MultiheadAttention(4, 2, batch_first=True)


@pytest.mark.parametrize(
    ("rule", "call"),
    [
        (RECURRENT, lambda x: GRU(x)),
        (RECURRENT, lambda x: nn.LSTMCell(4, 4)),
        (RECURRENT, lambda x: torch.gru_cell(x[0], x[0], *GRU.parameters())),
        (NORMALIZATION, lambda x: NORM(x)),
        (NORMALIZATION, lambda x: torch.ops.aten.native_layer_norm(x, [4], None, None, 1e-5)),
        (MULTI_HEAD, lambda x: HEADS(x, x, x)),
        (AUTOGRAD, lambda x: x.clone().requires_grad_().sum().backward()),
        (AUTOGRAD, lambda x: torch.func.grad(lambda y: (y * y).sum())(x)),
        (AUTOGRAD, lambda x: torch.func.jvp(torch.tanh, (x,), (x,))),
        (AUTOGRAD, lambda x: torch.ops.aten.tanh_backward(x, x)),
        (SEQLAB, lambda x: Decoder(3, 4, 4)),
        (BLINDFOLD, lambda x: __import__("sys").setprofile(None)),
    ],
)
def test_a_layer_its_function_and_its_operators_are_of_one_kind(rule: Rule, call: Callable[[Tensor], Any]) -> None:
    assert broken((rule,), lambda: call(torch.ones(2, 3, 4))) is rule


@pytest.mark.parametrize(
    ("rule", "call"),
    [
        (MULTI_HEAD, lambda x: F.scaled_dot_product_attention(x, x, x)),
        (AUTOGRAD, lambda x: torch.no_grad()(torch.exp)(x)),
        (AUTOGRAD, lambda x: torch.vmap(torch.exp)(x.requires_grad_())),
        (NORMALIZATION, lambda x: torch.linalg.vector_norm(F.normalize(x))),
        (Rule("seqlab", package="seqlab", allows=("seqlab.search",)), lambda x: largest(x[0], 2)),
    ],
)
def test_what_is_not_of_the_kind_is_let_pass(rule: Rule, call: Callable[[Tensor], Any]) -> None:
    assert broken((rule,), lambda: call(torch.ones(2, 3, 4))) is None


def test_a_name_of_ones_own_is_let_pass() -> None:
    def layer_norm(x: Tensor) -> Tensor:
        return x - x.mean()

    assert broken((NORMALIZATION,), lambda: layer_norm(WORDS.float())) is None


def test_a_warning_of_torch_is_shown_at_the_answers_line() -> None:
    result = torch.ones(1, requires_grad=True) * 2
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        with Watch((RECURRENT,)):
            _ = result.grad
        before = warnings.showwarning
        with Watch((RECURRENT,)):
            pass
        assert warnings.showwarning is before
    assert [Path(each.filename).name for each in shown] == [Path(__file__).name]


def test_a_watch_leaves_profilers_as_they_were() -> None:
    import sys

    seen: list[str] = []
    sys.setprofile(lambda frame, event, arg: seen.append(event))
    before = sys.getprofile()
    broken((ONE_HOT,), lambda: WORDS)
    after = sys.getprofile()
    sys.setprofile(None)
    assert after is before


CHAPTERS = {chapter: load_reference(SOLUTIONS, chapter) for chapter in chapters()}
EXERCISES = {found.exercise.name: found for chapter in CHAPTERS for found in load_checks(chapter)}


@cache
def modules_of_seqlab() -> list[ModuleType]:
    return [importlib.import_module(found.name) for found in walk_packages(seqlab.__path__, "seqlab.")]


@cache
def functions() -> dict[str, Callable[..., Any]]:
    """Torch's, but for those that change settings or files, and those of `seqlab`."""
    found = {
        f"{getattr(space, '__name__', 'torch')}.{function.__name__}": function
        for space, functions in get_overridable_functions().items()
        for function in functions
        if hasattr(function, "__name__") and function.__name__ not in SLOW
    }
    found |= {f"torch.{name}": getattr(torch, name) for name in ("arange", "eye", "tril_indices", "triu_indices")}
    for module in (nn.utils, nn.utils.rnn, *modules_of_seqlab()):
        for name, function in vars(module).items():
            if inspect.isfunction(function) and function.__module__.startswith(("torch", "seqlab")):
                found[f"{function.__module__}.{name}"] = function
    return found


SLOW = {"combinations", "cartesian_prod"}


@cache
def layers() -> dict[str, type[nn.Module]]:
    return {
        f"{kind.__module__}.{kind.__name__}": kind
        for module in (nn, *modules_of_seqlab())
        for kind in vars(module).values()
        if inspect.isclass(kind) and issubclass(kind, nn.Module)
    }


def copied(tree: Any) -> Any:
    if isinstance(tree, Tensor):
        return tree.detach().clone()
    return type(tree)(map(copied, tree)) if type(tree) in (list, tuple) else copy(tree)


def first_call(exercise: ExerciseChecks, reference: Any) -> tuple[Any, ...]:
    """The arguments of the first call in the first visible check."""
    calls = []

    def noted(*args: Any, **kwargs: Any) -> Any:
        calls.append(copied((*args, *kwargs.values())))
        return reference(*args, **kwargs)

    probe = exercise.visible.checks[0].probe
    run_probe(probe, noted, seeds(probe)[0])
    return calls[0]


def alike(got: Any, want: Any) -> bool:
    """Whether numbers and texts are the same, of whatever type: to turn one into the other is easily written."""
    if isinstance(want, Tensor):
        fits = isinstance(got, Tensor) and got.shape == want.shape
        return fits and torch.allclose(got.double(), want.double(), rtol=1e-4, atol=1e-5)
    if isinstance(want, (list, tuple)):
        return isinstance(got, (list, tuple)) and len(got) == len(want) and all(map(alike, got, want))
    if isinstance(want, dict):
        return (
            isinstance(got, dict) and got.keys() == want.keys() and all(alike(got[name], want[name]) for name in want)
        )
    if isinstance(want, float):
        return isinstance(got, (float, int, Tensor)) and abs(float(got) - want) < 1e-5
    return bool(got == want)


def gives(call: Callable[[], Any], want: Any) -> bool:
    try:
        return alike(call(), want)
    except BaseException:  # noqa: BLE001 - most take other arguments
        return False


def solved_by(exercise: ExerciseChecks) -> Iterator[tuple[str, Any]]:
    """What gives the right answer by itself, in the first visible check."""
    reference = getattr(CHAPTERS[exercise.chapter], exercise.exercise.name)
    if inspect.isclass(reference):
        probe = exercise.visible.checks[0].probe
        want = run_probe(probe, reference, seeds(probe)[0])
        for name, kind in layers().items():
            if gives(partial(run_probe, probe, partial(kind), seeds(probe)[0]), want):
                yield name, partial(kind)
        return
    args = first_call(exercise, reference)
    if exercise.exercise.name == "sample_sentence":  # Its first check ends it from within.
        return
    want = reference(*copied(args))
    for name, function in functions().items():
        if gives(partial(function, *copied(args)), want):
            yield name, partial(function)


def is_caught(exercise: ExerciseChecks, answer: Any) -> bool:
    """Whether one of the visible checks says that the answer calls what it may not."""
    told = (run_probe(probe, answer, seeds(probe)[0], watched=True) for probe in probes_of(exercise.visible.checks))
    return any(isinstance(found, Failure) and found.message in FORBIDDEN for found in told)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_what_gives_the_right_answer_by_itself_is_forbidden(exercise: ExerciseChecks) -> None:
    with redirect_stdout(io.StringIO()), own_settings():
        let_pass = [name for name, answer in solved_by(exercise) if not is_caught(exercise, answer)]
    assert not let_pass
