"""What attention is worth: the chapter's decoder with three other ways to look at the source, run by `make sweeps`, plotted in the chapter.

All arms have the same decoder, except that attention has a matrix for its keys, and differ in the context that it is given. Each arm's learning rate
is tuned on a seed of its own, and each is trained to convergence. The sentences have at most twenty words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from seqlab.convergence import Training, train_at_best_rate
from seqlab.corpus import Batch, Corpus, Pair, load_corpus, make_batch
from seqlab.models import Encoder, greedy_translate, token_loss
from seqlab.scoring import bleu, bleu_by_length
from seqlab.training import pick_device
from seqlab.translation_training import begin_on_pairs

from ..attention import attend, masked_softmax
from ..decoder import AttentionDecoder
from ..scores import scaled_scores

SETTINGS: dict[str, Any] = {
    "size": 128,
    "train": 20_000,
    "max_words": 20,
    "drawn": 3_000,
    "of_each_length": 320,
    "batch_size": 64,
    "rates": [2e-3, 4e-3],
    "tuning_steps": 3000,
    "tuning_seed": 3,
    "steps": 3000,
    "most_steps": 6000,
    "warm_up": 0.05,
}
"""`drawn` test pairs, of which those of `of_each_length`, the first so many of every five source lengths, are translated."""
VARIANTS = ("last", "mean", "words", "attention")
"""What the decoder is given at each word: the encoder's last state; the mean of its states; attention to bare words, read without recurrence and
without positions; or attention to its states."""
SEEDS = (0, 1, 2)
BIN = 5
"""Source lengths from one bin to the next, as in `seqlab.scoring`."""


class Uniform(nn.Module):
    """The same weight for every place: the context is the mean of the memory."""

    def forward(
        self, query: Tensor, memory: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Look up: (B, T, d), (B, S, d), (B, 1, S) -> context (B, T, d) and weights (B, T, S)."""
        weights = (mask / mask.sum(dim=-1, keepdim=True)).expand(-1, query.shape[1], -1)
        return weights @ memory, weights


class Keyed(nn.Module):
    """The chapter's attention: learned keys, values as they are, the scaled score."""

    def __init__(self, size: int) -> None:
        """Make the weights; see the class."""
        super().__init__()
        self.to_key = nn.Linear(size, size, bias=False)

    def forward(
        self, query: Tensor, memory: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Look up: (B, T, d), (B, S, d), (B, 1, S) -> context (B, T, d) and weights (B, T, S)."""
        return attend(
            query, self.to_key(memory), memory, mask, scaled_scores, masked_softmax
        )


class BareWords(nn.Module):
    """An encoder without recurrence and without positions: the memory is a value for each word, whatever its place."""

    def __init__(self, vocab_size: int, size: int) -> None:
        """Make the layers; see the class."""
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, size)
        self.value = nn.Linear(size, size, bias=False)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Encode words (B, S) as a memory (B, S, H), with a first state of zeros (1, B, H)."""
        memory = self.value(self.embedding(source))
        return memory, memory.new_zeros(1, len(memory), memory.shape[-1])


class Translator(nn.Module):
    """One of the ways to look at the source, and the chapter's decoder."""

    def __init__(self, way: str, corpus: Corpus) -> None:
        """Make the layers; see `VARIANTS`."""
        super().__init__()
        self.way, size = way, SETTINGS["size"]
        encoder = BareWords if way == "words" else Encoder
        self.encoder = encoder(
            len(corpus.source_vocab), *(size,) * (1 + (encoder is Encoder))
        )
        attention = Uniform() if way in ("last", "mean") else Keyed(size)
        self.decoder = AttentionDecoder(
            len(corpus.target_vocab), size, size, size, attention
        )

    def encode(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """What the decoder looks at, (B, S, H), its mask (B, S), and the first state, (1, B, H)."""
        memory, state = self.encoder(batch.source, batch.source_lengths)
        if self.way != "last":
            return memory, batch.source_mask, state
        last = state.transpose(0, 1)  # (B, 1, H): one place to look at
        return last, torch.ones_like(last[..., 0], dtype=torch.bool), state

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, T, V) with teacher forcing."""
        memory, mask, state = self.encode(batch)
        return self.decoder(batch.target_in, state, memory, mask)[0]


@cache
def corpus() -> Corpus:
    """The pairs, drawn once for all the runs of a process, with equally many test pairs in each bin of source lengths."""
    drawn = load_corpus(
        max_words=SETTINGS["max_words"],
        train=SETTINGS["train"],
        test=SETTINGS["drawn"],
    )
    bins: dict[int, list[Pair]] = {}
    for pair in drawn.test:
        bins.setdefault((len(pair.source) - 1) // BIN, []).append(pair)
    return replace(
        drawn,
        test=tuple(
            pair
            for found in bins.values()
            for pair in found[: SETTINGS["of_each_length"]]
        ),
    )


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant to convergence at its tuned rate, and translate the test pairs.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpus is always the same.

    Returns:
        The table's row, and no weights. `loss` is the loss per word of the test pairs; `counts` says how many of them are in each bin.
    """
    model, found = train_at_best_rate(begin, variant, seed, SETTINGS)
    parameters = sum(weight.numel() for weight in model.parameters())
    measured = measure(model, corpus().test, corpus())
    return {**found, "parameters": parameters, **measured}, {}


def begin(variant: str, seed: int) -> Training:
    """Begin the training of one variant."""
    return begin_on_pairs(
        lambda c: Translator(variant, c),
        corpus(),
        batch_size=SETTINGS["batch_size"],
        seed=seed,
    )


@torch.no_grad()
def measure(model: Translator, test: Sequence[Pair], corpus: Corpus) -> dict[str, Any]:
    """Translate pairs of the corpus greedily; the numbers of a row."""
    pairs = sorted(test, key=lambda pair: len(pair.source))
    written: list[list[str]] = []
    loss = words = 0.0
    for start in range(0, len(pairs), 100):
        batch = make_batch(pairs[start : start + 100], corpus, pick_device())
        real = batch.target_mask.sum().item()
        loss += token_loss(model(batch), batch).item() * real
        words += real
        memory, mask, state = model.encode(batch)

        def step(
            word: Tensor, state: Tensor, memory: Tensor = memory, mask: Tensor = mask
        ) -> tuple[Tensor, Tensor]:
            logits, _, state = model.decoder(word, state, memory, mask)
            return logits, state

        written += greedy_translate(step, state, corpus.target_vocab)
    bins = [(len(pair.source) - 1) // BIN for pair in pairs]
    scored = scores_of(written, pairs)
    counts = [bins.count(number) for number in sorted(set(bins))]
    return {
        "loss": round(loss / words, 4),
        **scored,
        "counts": dict(zip(scored["bleu_by_length"], counts, strict=True)),
    }


def scores_of(
    written: Sequence[Sequence[str]], pairs: Sequence[Pair]
) -> dict[str, Any]:
    """The numbers of a row that need translations alone: BLEU, the per cent that are exactly right, and BLEU in each bin of source lengths."""
    right = sum(
        tuple(words) == pair.target for words, pair in zip(written, pairs, strict=True)
    )
    by_length = bleu_by_length(written, pairs)
    return {
        "bleu": round(bleu(written, pairs), 2),
        "exact": round(100 * right / len(pairs), 2),
        "bleu_by_length": {name: round(value, 2) for name, value in by_length.items()},
    }
