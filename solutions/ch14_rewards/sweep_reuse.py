"""Several updates on each batch of samples, with and without clipping: run by `make sweeps`.

Both arms take as many updates as the arms of the chapter's first sweep, but use each batch for several updates in a row, and so sample fewer answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from seqlab.gpt import GPT
from seqlab.periods import load_periods
from seqlab.rollouts import piece_log_probs, rollouts
from seqlab.training import train
from seqlab.tuning import InstructionBatch

from . import sweep_arms as arms
from .losses import clipped_ratio_loss, group_advantages

NAME = "rewards_reuse"
SETTINGS: dict[str, Any] = {
    "prompts": 8,
    "samples": 8,
    "steps": 40,
    "rate": 1e-3,
    "updates": 8,
    "epsilon": 0.2,
    "test_samples": 16,
}
"""The rate is that of the arm "group" of the chapter's other sweep; it decays linearly to zero."""
VARIANTS = ("clipped", "not clipped")
SEEDS = (0, 1, 2)
Batch = tuple[InstructionBatch, Tensor, Tensor]
"""Sequences, the advantage of each, and the log-probabilities of their pieces when they were sampled."""


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one GPT with batches that are used several times.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the GPT and of all draws.

    Returns:
        The table's row, and no weights.
    """
    model = arms.start(seed)
    epsilon = SETTINGS["epsilon"] if variant == "clipped" else 1e9
    outside: list[float] = []

    def loss_of(model: GPT, batch: Batch) -> Tensor:
        log_probs, mask = piece_log_probs(model, batch[0])
        ratios = (log_probs - batch[2]).detach().exp()[mask]
        outside.append(((ratios - 1).abs() > SETTINGS["epsilon"]).float().mean().item())
        return clipped_ratio_loss(log_probs, batch[2], mask, batch[1], epsilon)

    train(model, loss_of, batches(model, seed), steps=SETTINGS["steps"], learning_rate=SETTINGS["rate"])
    found = arms.sampled(model, arms.given("test"), SETTINGS["test_samples"], 600 + seed)
    reference = arms.start(seed)
    with torch.no_grad():
        few = arms.sampled(model, arms.given("test"), 8, 700 + seed)
        now, before = (piece_log_probs(each, few.batch)[0].sum(dim=-1) for each in (model, reference))
    return {
        "right": round(found.right.float().mean().item(), 4),
        "kl": round((now - before).mean().item(), 3),
        "different": round(arms.different(few), 4),
        "outside": round(sum(outside) / len(outside), 4),
    }, {}


def batches(model: GPT, seed: int) -> Iterator[Batch]:
    """Batches that the model samples itself, each several times in a row."""
    sizes = {"prompts": SETTINGS["prompts"], "samples": SETTINGS["samples"]}
    for batch in rollouts(model, arms.given("train"), load_periods().pieces, seed=seed, **sizes):
        with torch.no_grad():
            old, _ = piece_log_probs(model, batch.batch)
        for _ in range(SETTINGS["updates"]):
            yield batch.batch, group_advantages(batch.rewards).flatten(), old
