"""One training loop for every chapter, so that a chapter's own code is the model and its loss.

The loop also obeys ``SEQLAB_BUDGET``: at the smoke budget it stops after a few steps, so that a
whole notebook can be run as a test.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

import torch
from IPython import get_ipython
from IPython.display import DisplayHandle
from torch import Tensor, nn

SMOKE_STEPS = 20

Model = TypeVar("Model", bound=nn.Module)
BatchType = TypeVar("BatchType")


def pick_device() -> torch.device:
    """Return the GPU where there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def budget() -> str:
    """Return how much work training may do: ``"full"`` (the default) or ``"smoke"``.

    Raises:
        ValueError: If the environment variable ``SEQLAB_BUDGET`` holds anything else.
    """
    value = os.environ.get("SEQLAB_BUDGET", "full")
    if value not in ("full", "smoke"):
        raise ValueError(f"SEQLAB_BUDGET is {value!r}: set it to 'full' or 'smoke', or unset it")
    return value


def train(
    model: Model,
    loss_of: Callable[[Model, BatchType], Tensor],
    batches: Iterable[BatchType],
    *,
    steps: int,
    learning_rate: float | Callable[[int], float] = 1e-3,
    clip: float = 1.0,
) -> list[float]:
    """Train a model with Adam and leave it in evaluation mode.

    Args:
        model: The model, already on its device; its parameters change in place.
        loss_of: Takes the model and a batch, returns the loss, shape ().
        batches: Where the batches come from; one is taken per step.
        steps: Number of updates; at the smoke budget at most ``SMOKE_STEPS`` of them are made.
        learning_rate: Adam's first learning rate, which decays linearly to zero; or a function that takes the
            number of a step, counted from 1, and returns the learning rate of that step.
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
    optimizer, schedule = _optimizer(model, learning_rate, steps)
    progress = _Progress(steps)
    losses: list[float] = []
    model.train()
    for batch in batches:
        loss = loss_of(model, batch)
        losses.append(loss.item())
        if not loss.isfinite():
            raise ValueError(
                f"the loss is {losses[-1]} at step {len(losses)}: try a smaller learning_rate than "
                f"{optimizer.param_groups[0]['lr']:g}, or look for a division by zero in the loss"
            )
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        progress.show(losses)
        if len(losses) == steps:
            break
        schedule.step()
    else:
        raise ValueError(f"batches ran out after {len(losses)} of {steps} steps: pass an endless iterator")
    model.eval()
    return losses


def _optimizer(
    model: nn.Module, learning_rate: float | Callable[[int], float], steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    """Adam, and what sets its learning rate after each step."""
    if callable(learning_rate):
        rate_at = learning_rate
        optimizer = torch.optim.Adam(model.parameters(), lr=1.0)
        return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, lambda made: rate_at(made + 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    return optimizer, torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, end_factor=0.0, total_iters=steps)


class _Progress:
    """One line that says how far training is; in a notebook its last state stays."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.start = self.shown = time.monotonic()
        self.handle = DisplayHandle() if get_ipython() else None
        if self.handle:
            self.handle.display(self._bundle(f"step 0 of {steps}"), raw=True)

    def show(self, losses: list[float]) -> None:
        """Update the line, twice a second at most, and at the last step."""
        now, step = time.monotonic(), len(losses)
        if now - self.shown < 0.5 and step < self.steps:
            return
        self.shown = now
        recent = losses[-50:]
        seconds = now - self.start
        line = f"step {step} of {self.steps}, loss {sum(recent) / len(recent):.3f}, {seconds:.0f} s"
        if step < self.steps:
            line += f", about {seconds * (self.steps - step) / step:.0f} s to go"
        if self.handle:
            self.handle.update(self._bundle(line), raw=True)
        elif sys.stderr.isatty():
            print(
                f"\r\033[K{line}",
                end="" if step < self.steps else "\n",
                file=sys.stderr,
                flush=True,
            )

    @staticmethod
    def _bundle(line: str) -> dict[str, str]:
        return {"text/plain": line}
