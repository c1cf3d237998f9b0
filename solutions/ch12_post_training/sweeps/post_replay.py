"""Continued training on the speeches after 1930, with and without old speeches among them: run by `make sweeps`.

All arms start from the pre-trained GPT of their seed and make equally many steps on batches of equal size, so that replay is paid for with new text.
Beside them: a learning rate of a quarter, as the cheaper way to forget less; the new text alone from fresh weights; and a count, which forgets nothing
when more is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import torch
from torch import Tensor

from seqlab.gpt import GPT
from seqlab.kneser_ney import KneserNey
from seqlab.periods import BOS, load_periods, make_gpt, next_piece_loss, period_loss
from seqlab.stored import load_weights
from seqlab.training import pick_device, train

from ..replaying import replay_batches

SETTINGS: dict[str, Any] = {
    "num_layers": 3,
    "batch_size": 20,
    "steps": 160,
    "looks": 2,
    "looked_at": 150,
    "rates": [2e-3, 4e-3, 8e-3],
    "tuning_steps": 50,
    "tuning_seed": 3,
    "share": {"0": 0.0, "10": 0.1, "30": 0.3, "0 slow": 0.0, "scratch": 0.0},
    "slow": 0.25,
    "order": 4,
}
"""The rate is the one of the `rates` that had the lowest loss on the new validation speeches after `tuning_steps` without replay, starting from the GPT of
seed 0; from fresh weights it is tuned likewise. "0 slow" has a quarter of it. It decays linearly to zero. Losses along the way are those of the first
`looked_at` test windows, at the end of all."""
VARIANTS = ("0", "10", "30", "0 slow", "scratch", "counting")
SEEDS = (0, 1, 2)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Go on with one GPT on the new speeches.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the pre-trained GPT and of the batches.

    Returns:
        The table's row, with the losses on the test speeches of both periods in nats per piece, and no weights.
    """
    if variant == "counting":
        return counted(), {}
    found = tuned(variant == "scratch")
    rate = min(found, key=lambda each: found[each])
    rate *= SETTINGS["slow"] if variant == "0 slow" else 1.0
    periods, device = load_periods(), pick_device()
    model = start(variant == "scratch", seed)
    steps, looks = SETTINGS["steps"], SETTINGS["looks"]
    curve = [[0, *_losses(model, SETTINGS["looked_at"])]]

    def look(step: int) -> float:
        """The rate of a step; before the first step after each half, the losses so far."""
        if step > 1 and (step - 1) % (steps // looks) == 0:
            model.eval()
            curve.append([step - 1, *_losses(model, SETTINGS["looked_at"])])
            model.train()
        return rate * (1 - (step - 1) / steps)

    train(
        model,
        next_piece_loss,
        batches(SETTINGS["share"][variant], seed),
        steps=steps,
        learning_rate=look,
    )
    curve.append([steps, *_losses(model, SETTINGS["looked_at"])])
    return {
        "rate": rate,
        "tuning": {str(each): round(loss, 4) for each, loss in found.items()},
        "steps": steps,
        "curve": curve,
        "old": round(period_loss(model, periods.old.test, device), 4),
        "new": round(period_loss(model, periods.new.test, device), 4),
    }, {}


def start(fresh: bool, seed: int) -> GPT:
    """The pre-trained GPT of a seed, or one with fresh weights."""
    torch.manual_seed(seed)
    model = make_gpt(SETTINGS["num_layers"])
    if not fresh:
        model.load_state_dict(load_weights("post_base", "gpt", seed))
    return model.to(pick_device()).eval()


def batches(share: float, seed: int) -> Iterator[Tensor]:
    """New windows with a share of old ones, on the device."""
    periods = load_periods()
    generator = torch.Generator().manual_seed(seed)
    drawn = replay_batches(
        periods.new.train, periods.old.train, share, SETTINGS["batch_size"], generator
    )
    return (batch.to(pick_device()) for batch in drawn)


@cache
def tuned(fresh: bool) -> dict[float, float]:
    """The new validation loss after a short training, by learning rate; computed once for all the runs of a process."""
    found = {}
    for rate in SETTINGS["rates"]:
        model = start(fresh, 0)
        drawn = batches(0.0, SETTINGS["tuning_seed"])
        train(
            model,
            next_piece_loss,
            drawn,
            steps=SETTINGS["tuning_steps"],
            learning_rate=rate,
        )
        found[rate] = period_loss(model, load_periods().new.valid[:200], pick_device())
    return found


def _losses(model: GPT, most: int) -> list[float]:
    """On the old and on the new test speeches, of at most so many windows each."""
    periods = load_periods()
    return [
        round(period_loss(model, period.test[:most], pick_device()), 4)
        for period in (periods.old, periods.new)
    ]


@cache
def counted() -> dict[str, Any]:
    """The losses of an n-gram model of the same pieces: of the old text, of the new, and of both together."""
    periods = load_periods()
    old, new = periods.old.train, periods.new.train
    found = {}
    for name, windows in {
        "old alone": [old],
        "new alone": [new],
        "both": [old, new],
    }.items():
        sentences = [_texts(row) for part in windows for row in part.tolist()]
        model = KneserNey(sentences, SETTINGS["order"], len(periods.pieces))
        for period, test in {"old": periods.old.test, "new": periods.new.test}.items():
            losses = [
                -loss
                for row in test.tolist()
                for loss in model.log_probs(_texts(row))[:-1]
            ]
            found[f"{name}: {period}"] = round(sum(losses) / len(losses), 4)
    return found


def _texts(row: list[int]) -> list[str]:
    """A window as the n-gram model takes it: without BOS, which it adds."""
    return [str(piece) for piece in row if piece != BOS]
