"""Translators that differ in one thing, the size k of the encoding, on sentences of at most seven words: run by `make sweeps`, plotted in the chapter.

The chapter's other table squeezes rows of random digits, where each has to pass through the encoding. A sentence has words that can be guessed from the
others, and each of its words carries more than a digit does.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from seqlab.convergence import Training, train_at_best_rate
from seqlab.corpus import Batch, Corpus, batches, load_corpus, make_batch
from seqlab.models import Decoder, Encoder, greedy_translate, token_loss
from seqlab.scoring import bleu
from seqlab.training import pick_device

SETTINGS: dict[str, Any] = {
    "hidden_size": 128,
    "max_words": 7,
    "train": 40_000,
    "batch_size": 32,
    "rates": [4e-3, 8e-3],
    "tuning_steps": 1000,
    "tuning_seed": 3,
    "steps": 12_000,
    "most_steps": 12_000,
    "warm_up": 0.05,
}
VARIANTS = ("4", "16", "128")
"""k."""
SEEDS = (0, 1, 2)


class SqueezedTranslator(nn.Module):
    """An encoder and a decoder of hidden size H, and an encoding of k components between them."""

    def __init__(self, corpus: Corpus, hidden_size: int, k: int) -> None:
        """Make the layers; see the class."""
        super().__init__()
        sizes = (hidden_size, hidden_size)
        self.encoder = Encoder(len(corpus.source_vocab), *sizes)
        squeeze = nn.Sequential(nn.Linear(hidden_size, k), nn.Linear(k, hidden_size))
        self.encoder.bridge = squeeze  # type: ignore[assignment]  # H -> k -> H
        self.decoder = Decoder(len(corpus.target_vocab), *sizes)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, T, V) with teacher forcing."""
        _, state = self.encoder(batch.source, batch.source_lengths)  # (1, B, H)
        return self.decoder(batch.target_in, state)[0]


@cache
def short_corpus() -> Corpus:
    """The pairs of at most `max_words` words, drawn once for all the runs of a process."""
    return load_corpus(max_words=SETTINGS["max_words"], train=SETTINGS["train"])


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant to convergence at its tuned rate, and translate the test pairs.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpus is always the same.

    Returns:
        The table's row, and no weights. `exact` and `pairs` are, by the number of words in the source, the share of translations that are exactly
        right, in %, and how many there are.
    """
    model, found = train_at_best_rate(begin, variant, seed, SETTINGS)
    return {**found, **measure(model)}, {}


def begin(variant: str, seed: int) -> Training:
    """Begin the training of one variant."""
    corpus, device = short_corpus(), pick_device()
    torch.manual_seed(seed)
    model = SqueezedTranslator(corpus, SETTINGS["hidden_size"], int(variant))
    held_out = make_batch(corpus.valid, corpus, device)
    return Training(
        model.to(device),
        lambda m, batch: token_loss(m(batch), batch),
        batches(
            corpus.train,
            corpus,
            batch_size=SETTINGS["batch_size"],
            seed=seed,
            device=device,
        ),
        lambda m: token_loss(m(held_out), held_out).item(),
    )


@torch.no_grad()
def measure(model: SqueezedTranslator) -> dict[str, Any]:
    """Translate the test pairs greedily; the numbers of a row."""
    corpus = short_corpus()
    pairs = sorted(corpus.test, key=lambda pair: len(pair.source))
    batch = make_batch(pairs, corpus, pick_device())
    _, state = model.encoder(batch.source, batch.source_lengths)
    written = greedy_translate(model.decoder, state, corpus.target_vocab)
    right: dict[int, list[bool]] = {}
    for words, pair in zip(written, pairs, strict=True):
        right.setdefault(len(pair.source), []).append(tuple(words) == pair.target)
    return {
        "bleu": round(bleu(written, pairs), 2),
        "exact": {n: round(100 * sum(r) / len(r), 1) for n, r in right.items()},
        "pairs": {n: len(r) for n, r in right.items()},
    }
