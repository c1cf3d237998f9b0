"""What an exercise forbids is seen when it is called, whatever it is called by; what the course and torch call inside is not an answer's doing."""

import importlib
import operator
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.functional import *

from autograder.asking.probing import FORBIDDEN, Failure, probes_of, run_probe, seeds
from autograder.asking.rules import AUTOGRAD, BLINDFOLD, MULTI_HEAD, NORMALIZATION, ONE_HOT, RECURRENT, SEQLAB, Rule
from autograder.asking.watch import Watch
from autograder.declare import find_exercise
from seqlab.models import Decoder
from seqlab.search import largest

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
    names = {"F": F, "tokens": tokens, "__name__": "torch"}
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
        (RECURRENT, lambda x: torch.gru_cell(x[0], x[0], *GRU._flat_weights)),
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


def test_a_watch_leaves_profilers_as_they_were() -> None:
    import sys

    seen: list[str] = []
    sys.setprofile(lambda frame, event, arg: seen.append(event))
    before = sys.getprofile()
    broken((ONE_HOT,), lambda: WORDS)
    after = sys.getprofile()
    sys.setprofile(None)
    assert after is before
