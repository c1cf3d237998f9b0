"""The inputs of questions: small enough to do by hand, and shown as they are.

They lie beside each chapter's checks, in `by_hand.py`, a function for each exercise: it takes a `Draw` and returns `Given`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from autograder.asking.draw import Draw
from autograder.questions.values import text_of


@dataclass(frozen=True)
class Stand:
    """An argument that is no data, such as a function, and what is said of it."""

    value: Any
    text: str


@dataclass(frozen=True)
class Given:
    """What an exercise is called with.

    Args:
        arguments: The arguments by name, in order.
        settings: What a class is made with; None for a function.
        weights: The weights that are put into what the class made.
        filled: What all its other weights are, where it has others.
        shapes_alone: Whether its numbers are too many to be worked out.
        reads: Makes of the result, and of the arguments after the call, what a question is about.
        asked: What that is, where it is not the result.
    """

    arguments: Mapping[str, Any]
    settings: Mapping[str, Any] | None = None
    weights: Mapping[str, Tensor] = field(default_factory=dict)
    filled: float | None = None
    shapes_alone: bool = False
    reads: Callable[[Any, Mapping[str, Any]], Any] = lambda result, arguments: result
    asked: str = ""

    def call(self, subject: Any) -> Any:
        """What the subject makes of it."""
        values = {name: _value(one) for name, one in self.arguments.items()}
        made = subject
        if self.settings is not None:
            made = subject(*(_value(one) for one in self.settings.values()))
            self._weigh(made)
        return self.reads(made(*values.values()), values)

    def _weigh(self, module: nn.Module) -> None:
        with torch.no_grad():
            for name, weight in module.named_parameters():
                weight.copy_(self.weights[name]) if name in self.weights else weight.fill_(self.filled or 0.0)
        module.eval()

    def shown(self, name: str) -> str:
        """The inputs as a reader sees them.

        Args:
            name: The function or class that is called.
        """
        return "\n".join(self.entries(name))

    def entries(self, name: str) -> list[str]:
        """The same, one for each value."""
        stands = [*(self.settings or {}).items(), *self.arguments.items()]
        lines = [_assigned(key, one.text, ": ") for key, one in stands if isinstance(one, Stand)]
        if self.settings is not None:
            settings = ", ".join(
                key if isinstance(one, Stand) else f"{key}={text_of(one)}" for key, one in self.settings.items()
            )
            lines.append(f"layer = {name}({settings})")
            lines += [_assigned(f"layer.{key}", text_of(value), " = ") for key, value in self.weights.items()]
            others = "every other weight" if self.weights else "every weight"
            lines += [] if self.filled is None else [f"# {others} of the layer is {text_of(self.filled)}"]
        lines += [
            _assigned(key, text_of(one), " = ") for key, one in self.arguments.items() if not isinstance(one, Stand)
        ]
        return [*lines, f"# asked for: {self.asked}"] if self.asked else lines


def _value(given: Any) -> Any:
    return given.value if isinstance(given, Stand) else given


def _assigned(name: str, told: str, sign: str) -> str:
    return f"{name}{sign}{told}".replace("\n", "\n" + " " * len(f"{name}{sign}"))


class Lucky(Draw):
    """A draw whose generators of torch's own can be exchanged: what depends on them cannot be worked out by hand.

    Args:
        seed: Of all else.
        luck: Of the generators.
    """

    def __init__(self, seed: int, luck: int = 0) -> None:
        super().__init__(seed)
        self._luck, self.is_asked = luck, False

    def generator(self) -> torch.Generator:
        """A generator whose numbers depend on the luck alone."""
        self.is_asked = True
        return torch.Generator().manual_seed(self._luck)


def inputs_of(chapter: str, exercise: str) -> Callable[[Draw], Given] | None:
    """What draws the inputs of an exercise; None where the chapter has none for it."""
    found: Callable[[Draw], Given] | None = getattr(
        importlib.import_module(f"autograder.checks.{chapter}.by_hand"), exercise, None
    )
    return found


def whole(draw: Draw, *shape: int, low: int = -2, high: int = 3) -> Tensor:
    """Floats without decimals, from `low` up to and without `high`."""
    return draw.integers(low, high, *shape).float()


class Layer(nn.Module):
    """A module without weights, where an exercise expects a module and not a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, *given: Any) -> Any:
        """What the function makes of it."""
        return self._function(*given)
