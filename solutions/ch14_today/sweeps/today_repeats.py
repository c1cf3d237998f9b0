"""How probable phrases are to SmolLM2 after they have been said again and again, for the chapter on decoding; run by `make sweeps`."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from seqlab.repetition import phrases, said_again, summary

from ..model import assembled, smollm

SETTINGS: dict[str, Any] = {
    "phrases": 100,
    "words": 5,
    "rounds": 7,
    "batch": 10,
    "first": 0,
}
"""`first` is the token before a text."""
VARIANTS = ("and", ".")
"""What is said between a phrase and the next."""
SEEDS = (0,)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Measure phrases; the table's row, and no weights.

    Args:
        variant: One of `VARIANTS`.
        seed: Not used.

    Returns:
        What `summary` says.
    """
    chosen = phrases(
        SETTINGS["phrases"],
        SETTINGS["words"],
        lambda words: smollm().encode(f" {' '.join(words)}"),
    )
    joint = smollm().encode(variant if variant == "." else f" {variant}")
    return summary(*said_again(log_probs_of, chosen, joint, SETTINGS["rounds"])), {}


@torch.no_grad()
def log_probs_of(tokens: Tensor) -> Tensor:
    """The log-probability of each token after those before it, (N, T) to (N, T)."""
    found = []
    for some in tokens.split(SETTINGS["batch"]):
        read = torch.cat(
            [torch.full((len(some), 1), SETTINGS["first"]), some[:, :-1]], dim=1
        )
        logits, _ = assembled()(read)
        found.append(logits.log_softmax(dim=-1).gather(2, some.unsqueeze(2)).squeeze(2))
    return torch.cat(found)
