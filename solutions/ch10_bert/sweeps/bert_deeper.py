"""A BERT of two layers instead of one, trained for longer: does it beat counting?; run by `make sweeps`, shown in the chapter."""

from __future__ import annotations

from itertools import chain, islice
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from seqlab.convergence import Training, train_for
from seqlab.pretraining import AtPlaces
from seqlab.training import pick_device

from ..losses import masked_lm_loss
from ..model import BertForPreTraining
from ._shared import (
    SHORT,
    Drawn,
    documents_of,
    guesses,
    make_model,
    masked_batches,
    measure,
)

SETTINGS: dict[str, Any] = {
    "num_layers": 2,
    "dropout": 0.0,
    "short_pairs": 32,
    "short_steps": 1000,
    "pairs": 16,
    "hidden_share": 0.3,
    "rate": 1e-3,
    "warm_up": 0.04,
    "steps": 40_000,
    "valid_pairs": 800,
    "measured_pairs": 3200,
}
VARIANTS = ("pre",)
SEEDS = (0,)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Pre-train the deeper model and measure it on the test speeches.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights, of the pairs and of the masks; the speeches are always the same.

    Returns:
        The table's row, and no weights.
    """
    training, steps = begin(seed), SETTINGS["steps"]
    curve = train_for(
        training, peak=SETTINGS["rate"], steps=steps, warm_up=SETTINGS["warm_up"]
    )
    found = {"steps": steps, "curve": curve, "held_out": min(curve)}
    pairs, device = SETTINGS["measured_pairs"], pick_device()
    return {**found, **measure(training.model, seed, pairs, device)}, {}


def begin(seed: int) -> Training:
    """Begin the pre-training, with short sentences first, as the chapter does."""
    device, share = pick_device(), SETTINGS["hidden_share"]
    torch.manual_seed(seed)
    model = make_model(SETTINGS["num_layers"], SETTINGS["dropout"]).to(device)
    model.encoder = AtPlaces(model.encoder)
    short = masked_batches(
        documents_of("train", SHORT), SETTINGS["short_pairs"], seed, share
    )
    long = masked_batches(documents_of("train"), SETTINGS["pairs"], seed, share)

    def loss_of(model: BertForPreTraining, drawn: Drawn) -> Tensor:
        words, labels, _, pair, is_next = guesses(model, drawn, device)
        return masked_lm_loss(words, labels) + F.cross_entropy(pair, is_next)

    valid = masked_batches(documents_of("valid"), SETTINGS["valid_pairs"], seed, share)
    looked_at = next(valid)
    return Training(
        model,
        loss_of,
        chain(islice(short, SETTINGS["short_steps"]), long),
        lambda model: loss_of(model, looked_at).item(),
    )
