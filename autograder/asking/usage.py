"""Uses what a student wrote in the way that a program built on it would, the same way for every exercise.

The other probes ask one question each, of inputs made for it. They do not see what lies between the questions: a state
kept from one call to the next, numbers that pass through another precision, a new tensor on the wrong device, a
gradient that is cut. So each exercise is used here as well: once in training, with gradients, and then in evaluation,
with sizes and numbers as in its chapter; and, for a check of its own, in double precision and on another device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from autograder.asking.draw import Draw, derive_seed
from autograder.asking.fake_device import Elsewhere
from autograder.asking.probing import expect_weights
from autograder.asking.serialization import encode, to_plain
from autograder.declare import ELSEWHERE, IN_USE, Exercise, Probe, Used

_FIRST = "call 1, in training"
_LATER = (
    "call 2, in evaluation",
    "call 3, in evaluation with other sizes",
    "call 4, in evaluation with these sizes again",
)
"""What a student is told of each call; sorted, they stand in order."""
_DEEP = 4
_LEARNED = 0.8
"""By what the weights are multiplied between calls, in the place of a step of training."""
_NO_FLOAT32 = 1 - 1e-6 / 3
"""Makes of numbers of float32 such of double precision as float32 cannot hold; what is alike stays so, and 0 is 0."""


@dataclass(frozen=True)
class Use:
    """How an exercise is used.

    Args:
        call: What is called: the student's function, the module that the student's class made, or what calls one of them.
        first: The arguments of the first call. The second has the same, each vector and mask turned round.
        later: Those of the third call, of other sizes.
        modules: Whatever has weights, the student's and stand-ins; the call itself, if it is a module, need not be named.
        last: Those of the fourth, of the third's sizes; without, the third's, turned round. Tensors stay the same, with other numbers.
    """

    call: Callable[..., Any]
    first: tuple[Any, ...]
    later: tuple[Any, ...]
    modules: tuple[nn.Module, ...] = ()
    last: tuple[Any, ...] | None = None

    @property
    def all_modules(self) -> tuple[nn.Module, ...]:
        """The modules, with the call if it is one."""
        return (*self.modules, self.call) if isinstance(self.call, nn.Module) else self.modules


def in_use(
    *, gradients: bool = True, dtypes: bool = True, half: bool = False, devices: bool = True, new: bool = False
) -> Callable[[Callable[[Any, Draw], Use]], Used]:
    """Declare how the module's `EXERCISE` is used: `use(subject, draw)`, which makes everything anew each time.

    What is drawn in the student's own way is for `Use.call` to hide: of it only the kind is the same as the reference's.

    Args:
        gradients: Whether what is given in training asks for its gradient.
        dtypes: Whether it is also asked in double precision; not where it is given no such numbers.
        half: Whether it is also asked in half precision, in which -1e9 does not exist; what comes back may be of any precision.
        devices: Whether it is also asked on another device; not where a right answer may use what `Elsewhere` cannot see through.
        new: Whether what comes back has to be new tensors.
    """

    def declare(use_of: Callable[[Any, Draw], Use]) -> Used:
        def called(subject: Any, draw: Draw) -> dict[str, Any]:
            again = deepcopy(draw)
            answers = _called(use_of(subject, draw), draw if gradients else None, new)
            return answers | {"something is kept": _kept(use_of(subject, again), answers["calls"][_LATER[-1]])}

        def elsewhere(subject: Any, draw: Draw) -> dict[str, Any]:
            answers = {}
            if dtypes:
                with _told("this call is in double precision, with arguments of float64"):
                    answers["in double precision"] = _in_type(use_of(subject, draw), torch.float64)
            if half:
                with _told("this call is in half precision, with arguments of float16"):
                    result = _in_type(use_of(subject, draw), torch.float16)
                answers["in half precision"] = _each(result, lambda t: t.float() if t.is_floating_point() else t)
            if devices:
                with _told("in this call, arguments and weights are on a device other than the CPU, here called meta"):
                    answers |= _elsewhere(use_of(subject, draw))
            return answers

        exercise: Exercise = use_of.__globals__["EXERCISE"]
        second = Probe(exercise.name, ELSEWHERE, elsewhere, 2, exercise.rules) if dtypes or devices else None
        return Used(Probe(exercise.name, IN_USE, called, 2, exercise.rules), second)

    return declare


def weigh(module: Any, draw: Draw, scale: float = 0.4) -> Any:
    """The module with drawn weights, each by its name, so that it does not matter how many there are.

    Raises:
        MisuseError: It is not a module.
    """
    expect_weights(module, {})
    base = str(int(draw.integers(0, 2**62)))
    with torch.no_grad():
        for name, weight in module.named_parameters():
            weight.copy_(Draw(derive_seed(base, name, 0)).normal(*weight.shape, scale=scale))
    return module


def _called(use: Use, draw: Draw | None, new: bool) -> dict[str, Any]:
    """What comes back of each call, and what flows back from the first, whose results are weighed by the draw."""
    given: dict[str, Tensor] = {}

    def leaf(place: int, tensor: Tensor) -> Tensor:
        if draw is None or not tensor.is_floating_point():
            return tensor
        name = f"argument {place}"
        while name in given:
            name += ", its next tensor"
        given[name] = tensor.clone().requires_grad_()
        return given[name] * 1  # What is given may be changed in place, which is for another check to see.

    first = use.call(*(_each(argument, partial(leaf, place)) for place, argument in enumerate(use.first, start=1)))
    gradients = {} if draw is None else {"gradients": _gradients(first, given, use, draw)}
    seen = {_storage(tensor) for tensor in _tensors((given, use.first, use.later, use.last, first))} if new else set()
    calls, is_new = {_FIRST: first}, []
    for name, result in _later(use):
        calls[name] = to_plain(result)
        if new:
            is_new += [_storage(tensor) not in seen for tensor in _tensors(result)]
    return {"calls": calls, **gradients} | ({"new tensors": is_new} if new else {})


def _later(use: Use) -> Iterator[tuple[str, Any]]:
    """What comes of each call behind the first one, made as it is asked for: the next may write into the same tensors."""

    def asked(name: str, given: Any) -> tuple[str, Any]:
        with _told(f"this is {name}"):
            return name, use.call(*given)

    same_sizes, other_sizes, again = _LATER
    _learn(use)
    yield asked(same_sizes, _each(use.first, _turned))
    yield asked(other_sizes, use.later)
    _learn(use)
    yield asked(again, _last(use))


def _last(use: Use) -> Any:
    """The arguments of the last call: in the tensors of the one before it."""
    return _rewritten(use.later, _each(use.later, _turned) if use.last is None else use.last)


def _learn(use: Use) -> None:
    """Change the weights, as a step of training does, and go on to evaluation."""
    with torch.no_grad():
        for weight in {id(w): w for module in use.all_modules for w in module.parameters()}.values():
            weight.mul_(_LEARNED)
    for module in use.all_modules:
        module.eval()


def _kept(use: Use, found: Any) -> bool:
    """Whether the last call gives something else to one who has made none before it."""
    _learn(use)
    _learn(use)
    try:
        return encode(to_plain(use.call(*_last(use)))) != encode(found)
    except Exception:  # noqa: BLE001 - without the calls before it fails
        return True


def _turned(tensor: Tensor) -> Tensor:
    """The tensor with its last dimension turned round, if it still is what it was then: numbers, or a mask."""
    is_turned = tensor.dim() > 0 and (tensor.is_floating_point() or tensor.dtype == torch.bool)
    return tensor.flip(-1) if is_turned else tensor


def _rewritten(tree: Any, values: Any) -> Any:
    """The values, in the tensors of the tree where there are such of the same kind."""
    if isinstance(tree, Tensor) and isinstance(values, Tensor) and tree.shape == values.shape:
        return tree.copy_(values)
    if type(tree) is type(values) and type(tree) in (list, tuple) and len(tree) == len(values):
        return type(values)(_rewritten(old, new) for old, new in zip(tree, values, strict=True))
    return values


def _storage(tensor: Tensor) -> int:
    """Where the tensor's numbers lie."""
    return tensor.untyped_storage().data_ptr()


def _gradients(result: Any, given: dict[str, Tensor], use: Use, draw: Draw) -> dict[str, Tensor]:
    """The gradients of the results, weighed by the draw, to what was given and to all weights."""
    leaves = dict(given)
    for place, module in enumerate(use.all_modules):
        which = f" of module {place + 1}" * (len(use.all_modules) > 1)
        leaves |= {name + which: weight for name, weight in module.named_parameters()}
    outputs = [out for out in _tensors(result) if out.requires_grad]
    total = sum(((out * draw.normal(*out.shape, dtype=out.dtype)).sum() for out in outputs), torch.zeros(()))
    wanted = list(leaves.values())
    found = torch.autograd.grad(total, wanted, allow_unused=True) if outputs else [None] * len(wanted)
    return {
        f"the gradient of {name}": torch.zeros_like(leaf) if grad is None else grad
        for (name, leaf), grad in zip(leaves.items(), found, strict=True)
    }


def _in_type(use: Use, dtype: torch.dtype) -> Any:
    for module in use.all_modules:
        module.to(dtype)
    return use.call(*_each(use.first, lambda t: (t.double() * _NO_FLOAT32).to(dtype) if t.is_floating_point() else t))


def _elsewhere(use: Use) -> dict[str, Any]:
    """What comes back, and of each tensor whether it is on the device."""
    for module in use.all_modules:
        Elsewhere.move(module)
    given = _each(use.first, Elsewhere.put)
    with Elsewhere():
        result = use.call(*given)
    return {"on the device": result, "stays there": [Elsewhere.has(tensor) for tensor in _tensors(result)]}


@contextmanager
def _told(how: str) -> Iterator[None]:
    """Add to what is raised how the call was made, for a reader who sees no other."""
    try:
        yield
    except Exception as error:
        error.add_note(how)
        raise


def _each(tree: Any, change: Callable[[Tensor], Tensor], depth: int = 0) -> Any:
    """The tree of arguments with every tensor changed."""
    if isinstance(tree, Tensor):
        return change(tree)
    if depth < _DEEP and type(tree) in (list, tuple):
        return type(tree)(_each(item, change, depth + 1) for item in tree)
    if depth < _DEEP and type(tree) is dict:
        return {name: _each(item, change, depth + 1) for name, item in tree.items()}
    return tree


def _tensors(tree: Any, depth: int = 0) -> Iterator[Tensor]:
    """The tensors of a result, in order."""
    if isinstance(tree, Tensor):
        yield tree
    elif depth < _DEEP and isinstance(tree, (list, tuple, dict)):
        for item in tree.values() if isinstance(tree, dict) else tree:
            yield from _tensors(item, depth + 1)
