"""The training loop of `seqlab.training` for models that need another learning rate at every step, as the Transformer does.

`train` starts with its largest step. A schedule such as the Transformer's starts with the smallest ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from seqlab.training import SMOKE_STEPS, BatchType, Model, _Progress, budget


def train_on_schedule(
    model: Model,
    loss_of: Callable[[Model, BatchType], Tensor],
    batches: Iterable[BatchType],
    *,
    rate_at: Callable[[int], float],
    steps: int,
    clip: float = 1.0,
) -> list[float]:
    """Train a model with Adam at a learning rate of its own for every step, and leave it in evaluation mode.

    Args:
        model: The model, already on its device; its parameters change in place.
        loss_of: Takes the model and a batch, returns the loss, shape ().
        batches: Where the batches come from; one is taken per step.
        rate_at: The learning rate of a step; the first step is step 1.
        steps: Number of updates; at the smoke budget at most ``SMOKE_STEPS`` of them are made.
        clip: Largest allowed norm of the whole gradient.

    Returns:
        The loss of every step.

    Raises:
        ValueError: If ``steps`` is less than 1, if the batches run out, or if the loss stops being
            a finite number.
    """
    if steps < 1:
        raise ValueError(f"steps is {steps}: training needs at least 1")
    if budget() == "smoke":
        steps = min(steps, SMOKE_STEPS)
    optimizer = torch.optim.Adam(model.parameters())
    progress = _Progress(steps)
    losses: list[float] = []
    model.train()
    for batch in batches:
        rate = rate_at(len(losses) + 1)
        optimizer.param_groups[0]["lr"] = rate
        loss = loss_of(model, batch)
        losses.append(loss.item())
        if not loss.isfinite():
            raise ValueError(
                f"the loss is {losses[-1]} at step {len(losses)}: try a schedule with a smaller learning rate than "
                f"{rate:g} there, or look for a division by zero in the loss"
            )
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        progress.show(losses)
        if len(losses) == steps:
            break
    else:
        raise ValueError(f"batches ran out after {len(losses)} of {steps} steps: pass an endless iterator")
    model.eval()
    return losses
