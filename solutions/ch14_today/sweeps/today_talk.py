"""Forty prompts to SmolLM2, with its chat template and without, and facts with sampled answers; run by `make sweeps`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from seqlab.llama import generate
from seqlab.questions import FACTS, REQUESTS, is_right
from seqlab.smollm import chat

from ..model import assembled, smollm

SETTINGS: dict[str, Any] = {
    "max_tokens": 40,
    "samples": 3,
    "top_p": 0.9,
    "temperature": 0.7,
}
VARIANTS = ("template", "plain", "sampled", "cautious")
"""`template` and `plain` take the most likely token always, with all prompts. The others have the template and the facts alone, each of
which is asked as often as `samples` says: `sampled` draws from all tokens, and `cautious` at a lower temperature and from the likeliest."""
SEEDS = (0,)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Ask everything, and count; the table's row, and no weights.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the draws.

    Returns:
        `right`, how many answers to the facts are; `empty`, how many replies have no token; `ended`, how many end by themselves; `asked`, how many
        there are; and `answers`, the text of all of them by prompt.
    """
    drawn = variant in ("sampled", "cautious")
    generator = torch.Generator().manual_seed(seed)
    answers: dict[str, list[str]] = {}
    counts = dict.fromkeys(("right", "empty", "ended", "asked"), 0)
    for prompt in FACTS if drawn else (*FACTS, *REQUESTS):
        ids = smollm().encode(prompt if variant == "plain" else chat(prompt))
        for _ in range(SETTINGS["samples"] if drawn else 1):
            choose = sampler(variant, generator) if drawn else greedy
            most = SETTINGS["max_tokens"]
            found = list(
                generate(
                    assembled(), ids, choose, max_tokens=most, stop_id=smollm().stop_id
                )
            )
            text = smollm().decode(found)
            answers.setdefault(prompt, []).append(text)
            counts["asked"] += 1
            counts["empty"] += not found
            counts["ended"] += len(found) < most
            counts["right"] += prompt in FACTS and is_right(text, FACTS[prompt])
    return counts | {"answers": answers}, {}


def greedy(logits: Tensor) -> int:
    """The most likely token."""
    return int(logits.argmax())


def sampler(variant: str, generator: torch.Generator) -> Callable[[Tensor], int]:
    """What draws a token for a variant."""

    def choose(logits: Tensor) -> int:
        if variant == "sampled":
            return int(logits.softmax(dim=-1).multinomial(1, generator=generator))
        chances, order = (
            (logits / SETTINGS["temperature"]).softmax(dim=-1).sort(descending=True)
        )
        chances[chances.cumsum(dim=0) - chances >= SETTINGS["top_p"]] = 0
        return int(order[chances.multinomial(1, generator=generator)])

    return choose
