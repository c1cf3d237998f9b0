"""Differences in BLEU between searches, each with an interval from the paired bootstrap: run by `make sweeps`, plotted in this chapter.

The translators are those of this chapter's other sweep, as their weights are stored, in half precision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from seqlab.corpus import BOS, EOS, load_corpus, make_batch
from seqlab.stored import load_table, load_weights
from seqlab.training import pick_device

from ..beam import beam_search
from .decoding import SETTINGS as TRAINED
from .decoding import Hypotheses, Translator, ranked

SETTINGS: dict[str, Any] = {
    "widths": [1, 4, 8, 32],
    "gammas": [0.0, 1.0, 1.5],
    "rounds": 1000,
    "interval": 0.95,
}
VARIANTS = ("translator",)
SEEDS = (0, 1, 2)
PAIRS = (
    ((4, 0.0), (1, 0.0)),
    ((8, 0.0), (1, 0.0)),
    ((32, 0.0), (4, 0.0)),
    ((32, 1.0), (4, 1.0)),
    ((4, 1.0), (4, 0.0)),
    ((32, 1.0), (32, 0.0)),
    ((32, 1.5), (32, 1.0)),
)
"""Which searches are compared, as their widths and exponents: the first less the second."""


@torch.no_grad()
def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Search with one translator, and compare the searches by BLEU.

    Args:
        variant: The only one of `VARIANTS`.
        seed: Of the translator, and of the new test sets.

    Returns:
        The table's row, and no weights. `bleu` holds the BLEU of each search, and `pairs` the difference in BLEU of each of `PAIRS`, with the
        ends of its interval. `model` is the hash of the translator's weights.
    """
    corpus, device = (
        load_corpus(train=int(TRAINED["pairs"]), max_words=int(TRAINED["max_words"])),
        pick_device(),
    )
    model = Translator(corpus).to(device)
    model.load_state_dict(load_weights("decoding", variant, seed))
    model.eval()
    pairs = sorted(corpus.test, key=lambda pair: len(pair.source))
    found: dict[int, list[Hypotheses]] = {width: [] for width in SETTINGS["widths"]}
    for start in range(0, len(pairs), 50):
        batch = make_batch(pairs[start : start + 50], corpus, device)
        _, state = model.encoder(batch.source, batch.source_lengths)
        for width, hypotheses in found.items():
            hypotheses += beam_search(
                model.decoder,
                state,
                BOS,
                EOS,
                width,
                int(TRAINED["most_steps"]),
                gamma=0.0,
            )
    counts = {}
    for width, hypotheses in found.items():
        for gamma in SETTINGS["gammas"]:
            best = [
                corpus.target_vocab.decode(ranked(of_one, gamma)[0][0])
                for of_one in hypotheses
            ]
            counts[width, gamma] = counted(best, [pair.target for pair in pairs])
    generator = torch.Generator().manual_seed(seed)
    indices = torch.randint(
        len(pairs), (SETTINGS["rounds"], len(pairs)), generator=generator
    )  # (R, N)
    stored = [row for row in load_table("decoding") if row["seed"] == seed]
    scores = {
        f"{width} {gamma}": round(bleu_of(table.sum(dim=0)).item(), 2)
        for (width, gamma), table in counts.items()
    }
    compared = [
        compare(counts[first], counts[second], indices) for first, second in PAIRS
    ]
    return {"model": stored[0]["weights"], "bleu": scores, "pairs": compared}, {}


def compare(first: Tensor, second: Tensor, indices: Tensor) -> dict[str, float]:
    """The difference in BLEU, first less second, and the ends of its interval over test sets that are the same for both."""
    rest = (1 - SETTINGS["interval"]) / 2
    ends = torch.tensor([rest, 1 - rest], dtype=torch.float64)
    differences = bleu_of(first[indices].sum(dim=1)) - bleu_of(
        second[indices].sum(dim=1)
    )  # (R,)
    low, high = differences.quantile(ends).tolist()
    gain = (bleu_of(first.sum(dim=0)) - bleu_of(second.sum(dim=0))).item()
    return {"gain": round(gain, 2), "low": round(low, 2), "high": round(high, 2)}


def counted(
    translations: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> Tensor:
    """What BLEU adds up over sentences: both lengths, and matches and totals of one to four words: (N, 10)."""
    rows = []
    for words, reference in zip(translations, references, strict=True):
        matches, totals = [], []
        for n in range(1, 5):
            mine, theirs = (
                Counter(zip(*(text[i:] for i in range(n)), strict=False))
                for text in (words, reference)
            )
            matches.append((mine & theirs).total())
            totals.append(mine.total())
        rows.append([len(words), len(reference), *matches, *totals])
    return torch.tensor(rows, dtype=torch.float64)


def bleu_of(sums: Tensor) -> Tensor:
    """BLEU from the ten numbers of test sets: (..., 10) -> (...)."""
    penalty = (1 - sums[..., 1] / sums[..., 0]).clamp(max=0).exp()
    logs = (sums[..., 2:6] / sums[..., 6:10]).log()  # (..., 4)
    return 100 * penalty * logs.mean(dim=-1).exp()
