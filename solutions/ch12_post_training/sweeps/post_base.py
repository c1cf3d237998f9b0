"""The GPTs that the chapter goes on with: pre-trained on the speeches to 1930 alone; run by `make sweeps`.

The stored GPT of the chapter on self-attention has read the speeches of all years, so nothing would be new to it. These have the same class and width,
read word pieces in windows of running text, and have never seen a speech after 1930 or an instruction.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import torch
from torch import Tensor

from seqlab.gpt import GPT
from seqlab.periods import (
    load_periods,
    make_gpt,
    next_piece_loss,
    period_loss,
    window_batches,
)
from seqlab.training import pick_device, train

SETTINGS: dict[str, Any] = {
    "num_layers": 3,
    "batch_size": 16,
    "steps": 1600,
    "rates": [2e-3, 4e-3, 8e-3],
    "tuning_steps": 200,
    "tuning_seed": 3,
    "curve_every": 100,
}
"""A run takes the one of the `rates` with the lowest validation loss after `tuning_steps` from `tuning_seed`, which is none of `SEEDS`; in tuning as
in the runs the rate decays linearly to zero."""
VARIANTS = ("gpt",)
SEEDS = (0, 1, 2)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Pre-train one GPT.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the batches.

    Returns:
        The table's row, with the losses in nats per piece on the test speeches of both periods, and the weights.
    """
    found = tuned()
    rate = min(found, key=lambda each: found[each])
    model, losses, seconds = trained(seed, rate, SETTINGS["steps"])
    periods, every = load_periods(), SETTINGS["curve_every"]
    row = {
        "rate": rate,
        "tuning": {str(each): round(loss, 4) for each, loss in found.items()},
        "steps": len(losses),
        "seconds": round(seconds, 1),
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "old": round(period_loss(model, periods.old.test, pick_device()), 4),
        "new": round(period_loss(model, periods.new.test, pick_device()), 4),
        "curve": [
            round(sum(losses[i : i + every]) / every, 4)
            for i in range(0, len(losses), every)
        ],
    }
    return row, model.state_dict()


@cache
def tuned() -> dict[float, float]:
    """The validation loss after a short training, by learning rate; computed once for all the runs of a process."""
    valid = load_periods().old.valid[:256]
    steps, seed = SETTINGS["tuning_steps"], SETTINGS["tuning_seed"]
    return {
        rate: period_loss(trained(seed, rate, steps)[0], valid, pick_device())
        for rate in SETTINGS["rates"]
    }


def trained(seed: int, rate: float, steps: int) -> tuple[GPT, list[float], float]:
    """A model, the loss of each step, and the seconds of one processor that training took."""
    torch.manual_seed(seed)
    model = make_gpt(SETTINGS["num_layers"]).to(pick_device())
    batches = window_batches(
        load_periods().old.train,
        batch_size=SETTINGS["batch_size"],
        seed=seed,
        device=pick_device(),
    )
    start = time.process_time()
    losses = train(model, next_piece_loss, batches, steps=steps, learning_rate=rate)
    return model, losses, time.process_time() - start
