"""How probable phrases are to a GPT after they have been said again and again: run by `make sweeps`, plotted in this chapter."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from seqlab.instruction_tuning import next_log_probs
from seqlab.periods import BOS, make_gpt
from seqlab.repetition import phrases, said_again, summary
from seqlab.stored import load_table, load_weights
from seqlab.wordpieces import load_pieces

SETTINGS: dict[str, Any] = {"phrases": 300, "words": 5, "rounds": 7, "batch": 50}
VARIANTS = ("and", ",", ".")
"""What is said between a phrase and the next."""
SEEDS = (0, 1, 2)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Measure phrases; the table's row, and no weights.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the model.

    Returns:
        What `summary` says, and as `model` the hash of the model's weights.
    """
    model, pieces = make_gpt(), load_pieces()
    model.load_state_dict(load_weights("post_base", "gpt", seed))
    model.eval()

    @torch.no_grad()
    def log_probs_of(tokens: Tensor) -> Tensor:
        found = []
        for some in tokens.split(SETTINGS["batch"]):
            read = torch.cat([torch.full((len(some), 1), BOS), some[:, :-1]], dim=1)
            found.append(
                next_log_probs(model, read).gather(2, some.unsqueeze(2)).squeeze(2)
            )
        return torch.cat(found)

    chosen = phrases(SETTINGS["phrases"], SETTINGS["words"], pieces.encode)
    results = said_again(
        log_probs_of, chosen, pieces.encode([variant]), SETTINGS["rounds"]
    )
    [stored] = [row for row in load_table("post_base") if row["seed"] == seed]
    return {**summary(*results), "model": stored["weights"]}, {}
