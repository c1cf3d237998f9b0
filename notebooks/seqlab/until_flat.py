"""Training that ends when the held-out loss is flat, for experiments that compare models of different sizes.

With equally many steps for all, a comparison of sizes is one of training times: a small or a deep model learns more
slowly, and its training may only be unfinished. The chapters' own trainings are short and use `seqlab.training.train`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from seqlab.training import BatchType, Model

FLAT = 0.01
"""The loss is flat when a window lowers the best held-out loss by less than this share of it."""
DROP = 0.2
"""What the learning rate is multiplied with when the loss is flat for the first time."""


def train_until_flat(
    model: Model,
    loss_of: Callable[[Model, BatchType], Tensor],
    batches: Iterable[BatchType],
    held_out_loss: Callable[[Model], float],
    *,
    learning_rate: float,
    window: int,
    least_steps: int,
    most_steps: int,
    clip: float = 1.0,
) -> dict[str, Any]:
    """Train a model with Adam until its held-out loss is flat at two learning rates, and keep its best weights.

    The rate is constant until a window of steps hardly lowers the held-out loss. It is then divided by five, and training ends when the loss
    is flat again. The model is left in evaluation mode with the weights that had the lowest held-out loss.

    Args:
        model: The model, already on its device; its parameters change in place.
        loss_of: Takes the model and a batch, returns the loss, shape ().
        batches: Where the batches come from; one is taken per step.
        held_out_loss: Takes the model, in evaluation mode and without gradients, returns its loss on data that it does not learn from.
        learning_rate: Adam's first learning rate.
        window: Number of steps from one look at the held-out loss to the next.
        least_steps: Number of steps before which nothing counts as flat: a loss may rest on a plateau first.
        most_steps: Number of steps after which training ends, flat or not.
        clip: Largest allowed norm of the whole gradient.

    Returns:
        `steps`, how many were made; `end`, "flat" or "limit"; `held_out`, the lowest held-out loss, and `before`, the lowest one window
        earlier, so that their difference says how flat it was; `loss`, the mean training loss of the last window.

    Raises:
        ValueError: If the batches run out.
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    best, best_weights = float("inf"), copy.deepcopy(model.state_dict())
    dropped, losses = False, []
    model.train()
    for batch in batches:
        loss = loss_of(model, batch)
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        if len(losses) % window:
            continue
        before, found = best, _measured(model, held_out_loss)
        if found < best:
            best, best_weights = found, copy.deepcopy(model.state_dict())
        is_flat = len(losses) >= least_steps and best > (1 - FLAT) * before
        if (is_flat and dropped) or len(losses) >= most_steps:
            model.load_state_dict(best_weights)
            model.eval()
            return {
                "steps": len(losses),
                "end": "flat" if is_flat and dropped else "limit",
                "held_out": round(best, 4),
                "before": round(before, 4),
                "loss": round(sum(losses[-window:]) / window, 4),
            }
        if is_flat:
            dropped = True
            model.load_state_dict(best_weights)
            for group in optimizer.param_groups:
                group["lr"] *= DROP
    raise ValueError(f"batches ran out after {len(losses)} steps: pass an endless iterator")


TrainOne = Callable[[str, int, float, int, int, int], tuple[Model, dict[str, Any]]]
"""Takes a variant, a seed, a learning rate, a window, and the least and the most steps; returns the model and what `train_until_flat` says."""


def train_at_best_rate(
    train_one: TrainOne[Model], variant: str, seed: int, settings: dict[str, Any]
) -> tuple[Model, dict[str, Any]]:
    """Train a sweep's variant until it is flat, at the learning rate that is best in a short training.

    Args:
        train_one: The sweep's training of one model. The short trainings are made once a process for each variant.
        variant: The variant.
        seed: Of this run.
        settings: The sweep's: the `rates` that are tried for `tuning_steps` with `tuning_seed`, which should be no run's; `window`,
            `least_steps` and `most_steps` of the run.

    Returns:
        The model, and the beginning of its row: `tuning`, the held-out loss at each rate, `rate`, which had the lowest, and what
        `train_until_flat` says.
    """
    tuning = _tuning(train_one, variant, tuple(settings["rates"]), settings["tuning_seed"], settings["tuning_steps"])
    rate = min(tuning, key=lambda each: tuning[each])
    model, found = train_one(variant, seed, rate, settings["window"], settings["least_steps"], settings["most_steps"])
    return model, {"rate": rate, "tuning": {str(each): loss for each, loss in tuning.items()}, **found}


@cache
def _tuning(
    train_one: TrainOne[nn.Module], variant: str, rates: tuple[float, ...], seed: int, steps: int
) -> dict[float, float]:
    return {rate: train_one(variant, seed, rate, steps, steps, steps)[1]["held_out"] for rate in rates}


@torch.no_grad()
def _measured(model: Model, held_out_loss: Callable[[Model], float]) -> float:
    model.eval()
    found = held_out_loss(model)
    model.train()
    return found
