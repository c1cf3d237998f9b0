"""One learning rate beyond the grid, for the arms whose best rate was at its end; run by `make sweeps`.

Everything else is as in the tuning of the chapter's other sweeps: the seed, the number of steps, and the loss that the rate is chosen by.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from seqlab.periods import load_periods, next_piece_loss, period_loss
from seqlab.training import pick_device, train

from . import post_base, post_instruct, post_replay

SETTINGS: dict[str, Any] = {
    "base": 16e-3,
    "replay": 16e-3,
    "scratch": 16e-3,
    "instruct": 32e-3,
    "instruct scratch": 2e-3,
}
VARIANTS = (
    "base",
    "replay",
    "scratch",
    "everything",
    "lora 2",
    "lora 8",
    "lora 32",
    "instruct scratch",
)
SEEDS = (3,)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one arm for as long as in tuning; the table's row with the validation loss, and no weights."""
    rate = SETTINGS.get(variant, SETTINGS["instruct"])
    loss = {"base": _base, "replay": _replay, "scratch": _replay}.get(
        variant, _instruct
    )(variant, seed, rate)
    return {"rate": rate, "loss": round(loss, 4)}, {}


def _base(_: str, seed: int, rate: float) -> float:
    model = post_base.trained(seed, rate, post_base.SETTINGS["tuning_steps"])[0]
    return period_loss(model, load_periods().old.valid[:256], pick_device())


def _replay(variant: str, seed: int, rate: float) -> float:
    model, steps = (
        post_replay.start(variant == "scratch", 0),
        post_replay.SETTINGS["tuning_steps"],
    )
    train(
        model,
        next_piece_loss,
        post_replay.batches(0.0, seed),
        steps=steps,
        learning_rate=rate,
    )
    return period_loss(model, load_periods().new.valid[:200], pick_device())


def _instruct(variant: str, seed: int, rate: float) -> float:
    variant = variant.removeprefix("instruct ")
    model = post_instruct.trained(
        variant, 0, seed, rate, post_instruct.SETTINGS["tuning_steps"]
    )[0]
    return post_instruct.answer_loss(model, post_instruct.instructions().valid)
