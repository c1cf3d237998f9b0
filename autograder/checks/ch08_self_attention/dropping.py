"""What a layer's dropout leaves of the outputs of its sublayers, and what is said of it."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks.ch08_self_attention import parts
from autograder.judging.compare import difference, dropped_together, is_close

ALMOST_ALL = 1 - 1e-12
"""A share of numbers to drop that leaves none in a thousand millions, and is not 1, by which nobody could divide."""
HALF = 0.5
"""A share of numbers to drop that doubles the others."""
FULL = 10_000.0
"""What a layer is given everywhere: what a sublayer makes of it by right is less than twice that."""


def _number(number: float, *given: Tensor) -> float:
    """The number that a sublayer finds: one and a half times that if something of what it is given was dropped."""
    return number if all(((tensor >= FULL) & (tensor < 2 * FULL)).all() for tensor in given) else 1.5 * number


class Finds(nn.Module):
    """A feed-forward that finds the same number everywhere, so that it can be seen which are dropped."""

    def __init__(self, number: float) -> None:
        super().__init__()
        self.number = number

    def forward(self, inputs: Tensor) -> Tensor:
        """Of any shape."""
        return torch.full_like(inputs, _number(self.number, inputs))


class LooksUp(parts.Attention):
    """An attention that does."""

    def __init__(self, place: str, number: float) -> None:
        super().__init__(place)
        self.number = number

    def keys_values(self, memory: Any) -> tuple[Tensor, Tensor]:
        """Of any memory, which is kept."""
        self.memory = memory
        return super().keys_values(memory)

    def _found(self, query: Tensor, key: Tensor, value: Tensor, mask: Any) -> tuple[Tensor, Tensor]:
        number = _number(self.number, query, self.memory)
        return torch.full_like(query, number), super()._found(query, key, value, mask)[1]


def random_outputs(got: Any, want: Any) -> str | None:
    """Of two runs on the same inputs, `outputs` and `again`: chance has no part in a layer that is not training."""
    told = "two runs on the same inputs differ, although the layer is not training: pass training=self.training to F.dropout"
    return None if is_close(got["outputs"], got["again"]) else told


def half_dropped(layer_class: Any, attentions: Sequence[str], *more: Tensor) -> dict[str, Tensor]:
    """What a layer adds to its inputs in training, pre-norm and post-norm, if the first sublayer finds 1, the second 10, the third 100.

    Args:
        layer_class: The student's.
        attentions: What the student calls the layer's attentions.
        *more: What it takes behind its inputs, vectors and masks; the vectors are `FULL` everywhere, as the inputs are.
    """
    inputs, found = torch.full((8, 7, parts.WIDTH), FULL), {}
    for name, pre_norm in parts.KINDS.items():
        looks_up = [LooksUp(place, 10.0**at) for at, place in enumerate(attentions)]
        sublayers = [*looks_up, Finds(10.0 ** len(attentions))]
        neutral = parts.norms(len(sublayers), neutral=True)
        layer = layer_class(*sublayers, neutral, dropout=HALF, pre_norm=pre_norm)
        found[name] = layer.train()(inputs.clone(), *more) - inputs
    return found


def what_is_left(answer: Any, names: Sequence[str]) -> Any:
    """An answer with the entries `training`, `evaluating` and `half`, in which the last, which is random, is what is wrong with it.

    Args:
        answer: The outputs by the kind of layer: where almost all is dropped, in evaluation, and where a half is dropped.
        names: The sublayers', in order.
    """
    return {**answer, "half": {name: _told_of_half(half, names) for name, half in answer["half"].items()}}


def explain(got: Any, want: Any, names: Sequence[str]) -> str | None:
    """Which of the three is wrong, and in which kind of layer."""
    told = {name: _told_of_half(half, names) for name, half in got["half"].items()}
    for name, training in got["training"].items():
        if not is_close(got["evaluating"][name], want["evaluating"][name]):
            return (
                f"in {name}, in evaluation, the outputs with and without dropout differ: pass training=self.training "
                "to F.dropout; self.dropout needs nothing"
            )
        if is_close(training, got["evaluating"][name]):
            return f"in {name}, in training, nothing is dropped, although the dropout probability is close to 1"
        if not training.any() and want["training"][name].any():
            return (
                f"in {name}, in training, nothing is left, not even the inputs: dropout is applied to the inputs or to a sum; "
                "expected to the output of each sublayer alone"
            )
        if not is_close(training, want["training"][name]):
            left = "the outputs are not the inputs alone, although the dropout probability is close to 1"
            more = told[name] or f"{left}; {difference(training, want['training'][name])}"
            return f"in {name}, in training, {more}"
    return next((f"in {name}, in training, {wrong}" for name, wrong in told.items() if wrong), None)


def _told_of_half(outputs: Tensor, names: Sequence[str]) -> str:
    """Why this is not what is left of 1, 10, 100, … where each was dropped by itself; empty where it is."""
    digits = {name: outputs.div(10**place).round().remainder(10) for place, name in enumerate(names)}
    total = sum((digit * 10**place for place, digit in enumerate(digits.values())), torch.zeros(()))
    kept = 1 / (1 - HALF)
    if not is_close(total, outputs) or any((digit > kept**2).any() for digit in digits.values()):
        least = outputs[outputs > 0].amin() if (outputs > 0).any() else outputs.amax()
        return (
            f"the values that dropout keeps are multiplied by {least:.3g}, expected by 1 / (1 - p) = {kept:g}, or dropout is applied "
            "elsewhere than to the output of each sublayer"
        )
    for name, digit in digits.items():
        if (digit == 1).all():
            return f"nothing is dropped in the output of {name}"
        if (digit == 1.5 * kept).any():
            return f"dropout is applied to what {name} is given, too; expected to its output alone"
        if (digit == kept**2).any():
            return f"dropout is applied twice to the output of {name}"
        if (digit == 1).any():
            return f"in the output of {name}, the values that dropout keeps are not divided by 1 - p"
    return dropped_together({name: digit == kept for name, digit in digits.items()}, HALF)
