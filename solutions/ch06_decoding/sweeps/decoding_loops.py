"""How often a GPT repeats itself, by how each next piece is chosen: run by `make sweeps`, plotted in this chapter.

The models are the three GPTs over word pieces that the chapter on post-training starts from. They have read running text, so a sentence's end is
nothing special to them, and no piece stands for unknown words.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from seqlab.instruction_tuning import write
from seqlab.periods import BOS, NAMES, make_gpt
from seqlab.repetition import beginnings, count_loops
from seqlab.stored import load_table, load_weights
from seqlab.wordpieces import load_pieces

from ..sampling import sample_next, top_k_filter, top_p_filter

SETTINGS: dict[str, Any] = {
    "beginnings": 150,
    "beginning_words": 8,
    "half": 50,
    "temperature": {
        "temperature 0.3": 0.3,
        "temperature 0.5": 0.5,
        "temperature 0.7": 0.7,
    },
    "k": {"top-k, k = 10": 10},
    "p": {"top-p, p = 0.9": 0.9},
}
"""A text has two halves of so many pieces after its beginning."""
VARIANTS = (
    "greedy",
    "temperature 0.3",
    "temperature 0.5",
    "temperature 0.7",
    "top-k, k = 10",
    "top-p, p = 0.9",
    "plain sampling",
    "greedy, then plain sampling",
)
"""The last one changes after half of the text."""
SEEDS = (0, 1, 2)

Choose = Callable[[Tensor], Tensor]
"""Log-probabilities of the next piece, (B, V), to pieces, (B,)."""


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Write texts and count which of them loop; the table's row, and no weights.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the model, and of the pieces that are drawn.

    Returns:
        What `count_loops` counts, and as `model` the hash of the model's weights.
    """
    model, pieces = make_gpt(), load_pieces()
    model.load_state_dict(load_weights("post_base", "gpt", seed))
    model.eval()
    generator = torch.Generator().manual_seed(seed)
    words = beginnings(SETTINGS["beginnings"], SETTINGS["beginning_words"])
    texts = [[BOS, *pieces.encode(beginning)] for beginning in words]
    first, _, second = variant.partition(", then ")
    halves = []
    for each in (first, second or first):
        written = write(
            model, texts, no_special(choice(each, generator)), most=SETTINGS["half"]
        )
        texts = [text + more for text, more in zip(texts, written, strict=True)]
        halves.append([pieces.decode(ids) for ids in written])
    [stored] = [row for row in load_table("post_base") if row["seed"] == seed]
    return {**count_loops(*halves), "model": stored["weights"]}, {}


def no_special(choose: Choose) -> Choose:
    """The same choice without the specials, one of which ends a speech: all texts are equally long."""
    return lambda log_probs: choose(
        log_probs.index_fill(1, torch.arange(len(NAMES)), float("-inf"))
    )


def choice(variant: str, generator: torch.Generator) -> Choose:
    """How one of `VARIANTS` chooses the next piece."""
    if variant == "greedy":
        return partial(torch.argmax, dim=-1)
    if variant in SETTINGS["k"]:
        return partial(
            sample_next,
            generator=generator,
            keep=partial(top_k_filter, k=SETTINGS["k"][variant]),
        )
    if variant in SETTINGS["p"]:
        return partial(
            sample_next,
            generator=generator,
            keep=partial(top_p_filter, p=SETTINGS["p"][variant]),
        )
    return partial(
        sample_next,
        generator=generator,
        temperature=SETTINGS["temperature"].get(variant, 1.0),
    )
