"""How often SmolLM2 repeats itself, for the chapter on decoding; run by `make sweeps`."""

from __future__ import annotations

import re
from typing import Any

import torch
from torch import Tensor

from seqlab.per_character import as_printed
from seqlab.repetition import beginnings, count_loops

from ..model import assembled, smollm

SETTINGS: dict[str, Any] = {
    "beginnings": 100,
    "beginning_words": 12,
    "beginning_tokens": 8,
    "half": 40,
    "specials": 17,
}
"""A text begins with the first tokens of a sentence, and has two halves of so many more. The file's first tokens are its specials."""
VARIANTS = ("greedy", "plain sampling")
SEEDS = (0,)


@torch.no_grad()
def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Write texts and count which of them loop; the table's row, and no weights.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the draws.

    Returns:
        What `count_loops` counts, and as `examples` the first three texts.
    """
    generator = torch.Generator().manual_seed(seed)
    starts = [
        as_printed(tuple(words))
        for words in beginnings(SETTINGS["beginnings"], SETTINGS["beginning_words"])
    ]
    read = torch.tensor(
        [smollm().encode(text)[: SETTINGS["beginning_tokens"]] for text in starts]
    )  # (B, t)
    cache, written = None, [read]
    for _ in range(2 * SETTINGS["half"]):
        logits, cache = assembled()(written[-1], cache)
        written.append(chosen(variant, logits[:, -1], generator))
    rows = torch.cat(written, dim=1).tolist()
    start, middle = (
        SETTINGS["beginning_tokens"],
        SETTINGS["beginning_tokens"] + SETTINGS["half"],
    )
    halves = [
        [words_of(row[start:middle]) for row in rows],
        [words_of(row[middle:]) for row in rows],
    ]
    return {
        **count_loops(*halves),
        "examples": [smollm().decode(row) for row in rows[:3]],
    }, {}


def chosen(variant: str, logits: Tensor, generator: torch.Generator) -> Tensor:
    """The next tokens, (B, V) to (B, 1), none of which is special: no text ends."""
    logits[:, : SETTINGS["specials"]] = float("-inf")
    if variant == "greedy":
        return logits.argmax(dim=-1, keepdim=True)
    return logits.softmax(dim=-1).multinomial(1, generator=generator)


def words_of(ids: list[int]) -> list[str]:
    """The words and marks of some tokens."""
    return re.findall(r"\w+|[^\w\s]", smollm().decode(ids))
