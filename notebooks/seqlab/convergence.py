"""Training to convergence at a tuned learning rate, for experiments that compare models.

After equally few steps, a comparison is one of training times: a small or a deep model learns more slowly, and its training may only be
unfinished. Here each arm of a comparison takes its own best learning rate, the rate decays to zero, and a run that was still learning
is made again with twice the steps. The chapters' own trainings are short and use `seqlab.training.train`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

LOOKS = 20
"""How often the held-out loss is measured, at equal distances."""
LAST = LOOKS // 5
"""The number of looks in the last fifth."""
FIRST = LOOKS // 10 - 1
"""The look after the first tenth: a run that is no better in the end is still on its first plateau."""
LEARNING = 0.02
"""A run is still learning if its last fifth lowers the held-out loss by more than this share of it ..."""
NEGLIGIBLE = 0.005
"""... and by more nats than this: a loss near zero can always be halved once more."""
DIVERGED = 20.0
"""What counts as the loss of a run that diverged, in nats."""


@dataclass(frozen=True)
class Training:
    """A model that is ready to be trained, always begun anew.

    Args:
        model: The model, on its device; its parameters change in place.
        loss_of: Takes the model and a batch, returns the loss, shape ().
        batches: Where the batches come from, without end; one is taken per step.
        held_out_loss: Takes the model, in evaluation mode and without gradients, returns its loss on data that it does not learn from, in nats.
    """

    model: Any
    loss_of: Callable[[Any, Any], Tensor]
    batches: Iterable[Any]
    held_out_loss: Callable[[Any], float]


Begin = Callable[[str, int], Training]
"""Takes a variant and a seed, of the weights and of the order of the batches."""


def rate_at(step: int, steps: int, peak: float, warm_up: float) -> float:
    """The learning rate of a step: it rises linearly to its peak, then falls to zero along a half cosine (Loshchilov and Hutter 2017).

    Args:
        step: The step, counted from 1.
        steps: All steps.
        peak: The largest rate.
        warm_up: The share of the steps in which it rises.
    """
    rising = warm_up * steps
    if step <= rising:
        return peak * step / rising
    return peak * 0.5 * (1 + math.cos(math.pi * (step - rising) / (steps - rising)))


def train_for(training: Training, *, peak: float, steps: int, warm_up: float = 0.0, clip: float = 1.0) -> list[float]:
    """Train a model with Adam, and leave it in evaluation mode with the weights that had the lowest held-out loss.

    Args:
        training: What is trained.
        peak: The largest learning rate; see `rate_at`.
        steps: Number of updates.
        warm_up: The share of them in which the rate rises.
        clip: Largest allowed norm of the whole gradient.

    Returns:
        The held-out loss at each of `LOOKS` looks, the last one after the last step. A run that diverges ends at once, with `DIVERGED` for the
        looks that are left.

    Raises:
        ValueError: If the batches run out.
    """
    model = training.model
    optimizer = torch.optim.Adam(model.parameters(), lr=peak)
    looks = [round(steps * (look + 1) / LOOKS) for look in range(LOOKS)]
    curve: list[float] = []
    best, best_weights = math.inf, copy.deepcopy(model.state_dict())
    model.train()
    for step, batch in enumerate(training.batches, start=1):
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, steps, peak, warm_up)
        loss = training.loss_of(model, batch)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        if step == looks[len(curve)]:
            found = _measured(training)
            if not math.isfinite(found):
                curve += [DIVERGED] * (LOOKS - len(curve))
            else:
                curve.append(round(min(found, DIVERGED), 4))
            if found < best:
                best, best_weights = found, copy.deepcopy(model.state_dict())
            if len(curve) == LOOKS:
                model.load_state_dict(best_weights)
                model.eval()
                return curve
    raise ValueError("the batches ran out: pass an endless iterator")


def is_learning(curve: list[float]) -> bool:
    """Whether a run might still have learned: its loss was falling in the last fifth, or had never left the first plateau.

    Args:
        curve: The held-out loss at each look, in nats.
    """
    before, best = min(curve[:-LAST]), min(curve)
    falling = before - best > max(LEARNING * before, NEGLIGIBLE)
    return falling or (1 - LEARNING) * curve[FIRST] < best < DIVERGED


def train_at_best_rate(begin: Begin, variant: str, seed: int, settings: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Train a sweep's variant to convergence at its best learning rate.

    Args:
        begin: Begins the training of one model. The trainings that tune the rate are made once a process for each variant.
        variant: The variant.
        seed: Of this run.
        settings: The sweep's: the `rates` that are tried first, each about twice the one before, for `tuning_steps` with `tuning_seed`, which should be no
            run's; `steps`, the run's, which are doubled up to `most_steps` while it is still learning; and `warm_up`.

    Returns:
        The model, and the beginning of its row: `tuning`, the held-out loss at each rate that was tried, `rate`, the best of them, which always has
        a higher and a lower one beside it, `steps`, the `curve` of `train_for` and `held_out`, the lowest loss on it.
    """
    tuning = _tuning(
        begin, variant, tuple(settings["rates"]), settings["tuning_seed"], settings["tuning_steps"], settings["warm_up"]
    )
    rate, steps = min(tuning, key=lambda each: tuning[each]), settings["steps"]
    while True:
        training = begin(variant, seed)
        curve = train_for(training, peak=rate, steps=steps, warm_up=settings["warm_up"])
        if steps >= settings["most_steps"] or not is_learning(curve):
            break
        steps *= 2
    found = {"tuning": {f"{each:.4g}": loss for each, loss in sorted(tuning.items())}, "rate": float(f"{rate:.4g}")}
    return training.model, {**found, "steps": steps, "curve": curve, "held_out": min(curve)}


def train_longer(
    begin: Begin, rows: list[dict[str, Any]], variant: str, seed: int, times: int, settings: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Train a variant of a sweep once more, for longer: what would still change?

    Args:
        begin: Begins the training of one model.
        rows: The sweep's table.
        variant: The variant.
        seed: Of the run that is made again.
        times: How many times as many steps it gets.
        settings: The sweep's, for its `warm_up`.

    Returns:
        The model, and the beginning of its row: `rate`, `steps`, the `curve` of `train_for` and `held_out`, the lowest loss on it.
    """
    [row] = [row for row in rows if (row["variant"], row["seed"]) == (variant, seed)]
    training, steps = begin(variant, seed), times * row["steps"]
    curve = train_for(training, peak=row["rate"], steps=steps, warm_up=settings["warm_up"])
    return training.model, {"rate": row["rate"], "steps": steps, "curve": curve, "held_out": min(curve)}


@cache
def _tuning(
    begin: Begin, variant: str, rates: tuple[float, ...], seed: int, steps: int, warm_up: float
) -> dict[float, float]:
    """The lowest held-out loss at each rate; further rates are tried until the best one is neither the highest nor the lowest."""
    losses: dict[float, float] = {}
    waiting = list(rates)
    while waiting:
        for rate in waiting:
            losses[rate] = min(train_for(begin(variant, seed), peak=rate, steps=steps, warm_up=warm_up))
        best = min(losses, key=lambda each: losses[each])
        waiting = [best / 2] * (best == min(losses)) + [best * 2] * (best == max(losses))
    return losses


@torch.no_grad()
def _measured(training: Training) -> float:
    training.model.eval()
    found = training.held_out_loss(training.model)
    training.model.train()
    return found
