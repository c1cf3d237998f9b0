"""Translators that differ in one thing, the size k of what passes from encoder to decoder: run by `make sweeps`, plotted in this chapter.

The bridge between them is the product of two matrices, H to k and k to H; all other layers keep their size. A decoder with attention,
which has the whole bridge and looks back at the encoder's hidden states as well, stands beside them.
"""

from __future__ import annotations

import time
from functools import cache
from itertools import groupby
from typing import Any

import torch
from torch import Tensor, nn

from seqlab.corpus import Batch, Corpus, Pair, batches, load_corpus, make_batch
from seqlab.lexicon import ADJECTIVES
from seqlab.models import Decoder, Encoder, greedy_translate, token_loss
from seqlab.scoring import bleu
from seqlab.training import pick_device
from seqlab.until_flat import train_until_flat

from .probing import position_probe

NAME = "bottleneck"
SETTINGS = {
    "hidden_size": 192,
    "max_words": 12,
    "pairs": 60_000,
    "tests": 2_000,
    "batch_size": 32,
    "learning_rates": [1e-3, 2e-3, 4e-3, 8e-3],
    "tuning_steps": 300,
    "window": 500,
    "least_steps": 3_000,
    "most_steps": 7_000,
    "probed_words": 9,
    "parts": 5,
}
VARIANTS = ("16", "64", "192", "attention")
"""k, or the decoder with attention."""
SEEDS = (0, 1, 2)
KEPT = ("16",)
"""The variants whose trained weights the chapter loads."""


class SqueezedTranslator(nn.Module):
    """An encoder and a decoder of hidden size H, and an encoding of k components between them."""

    def __init__(self, corpus: Corpus, hidden_size: int, k: int) -> None:
        """Make the layers; see the class."""
        super().__init__()
        self.encoder = Encoder(len(corpus.source_vocab), hidden_size, hidden_size)
        squeeze = nn.Sequential(nn.Linear(hidden_size, k), nn.Linear(k, hidden_size))
        self.encoder.bridge = squeeze  # type: ignore[assignment]  # H -> k -> H
        self.decoder = Decoder(len(corpus.target_vocab), hidden_size, hidden_size)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, T, V) with teacher forcing."""
        _, state = self.encoder(batch.source, batch.source_lengths)  # (1, B, H)
        return self.decoder(batch.target_in, state)[0]

    def translate(self, batch: Batch, corpus: Corpus) -> list[list[str]]:
        """Translate the sources of a batch greedily."""
        _, state = self.encoder(batch.source, batch.source_lengths)
        return greedy_translate(self.decoder, state, corpus.target_vocab)


class AttentionTranslator(SqueezedTranslator):
    """The same with the whole bridge, whose decoder attends to the encoder's hidden states: c_t beside s_t, before the output layer."""

    def __init__(self, corpus: Corpus, hidden_size: int) -> None:
        """Make the layers; see the class."""
        super().__init__(corpus, hidden_size, hidden_size)
        self.to_key = nn.Linear(hidden_size, hidden_size, bias=False)
        self.combine = nn.Linear(2 * hidden_size, hidden_size)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, T, V) with teacher forcing."""
        memory, state = self.encoder(batch.source, batch.source_lengths)
        return self._step(batch.target_in, state, memory, batch.source_mask)[0]

    def translate(self, batch: Batch, corpus: Corpus) -> list[list[str]]:
        """Translate the sources of a batch greedily."""
        memory, state = self.encoder(batch.source, batch.source_lengths)

        def step(word: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
            return self._step(word, state, memory, batch.source_mask)

        return greedy_translate(step, state, corpus.target_vocab)

    def _step(self, tokens: Tensor, state: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Run over T words, (B, T): logits (B, T, V) and the last state (1, B, H)."""
        states, state = self.decoder.rnn(self.decoder.embedding(tokens), state)  # (B, T, H)
        scores = states @ self.to_key(memory).transpose(1, 2) / states.shape[-1] ** 0.5  # (B, T, S)
        weights = scores.masked_fill(~mask.unsqueeze(1), float("-inf")).softmax(dim=-1)
        combined = self.combine(torch.cat([weights @ memory, states], dim=-1)).tanh()
        return self.decoder.output(combined), state


@cache
def whole_corpus() -> Corpus:
    """The sentences, drawn once for all the runs of a process."""
    sizes = {"train": SETTINGS["pairs"], "test": SETTINGS["tests"], "max_words": SETTINGS["max_words"]}
    return load_corpus(**sizes)  # type: ignore[arg-type]


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Tune the learning rate of one variant, train it until it is flat, and measure it on the held-out pairs.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpus is always the same.

    Returns:
        The table's row, and the trained weights if they are to be kept. `grid` holds the held-out loss after a few steps at each
        learning rate, of which `rate` had the lowest; what follows is told by `train_until_flat`, and by `measure` and `probe`.
    """
    settings: dict[str, Any] = SETTINGS
    corpus, device = whole_corpus(), pick_device()
    held_out = list(_batches(corpus.valid, corpus, device))

    def fresh() -> SqueezedTranslator:
        torch.manual_seed(seed)
        if variant == "attention":
            return AttentionTranslator(corpus, settings["hidden_size"]).to(device)
        return SqueezedTranslator(corpus, settings["hidden_size"], int(variant)).to(device)

    def held_out_loss(model: SqueezedTranslator) -> float:
        losses = [(token_loss(model(batch), batch).item(), int(batch.target_mask.sum())) for batch in held_out]
        return sum(loss * words for loss, words in losses) / sum(words for _, words in losses)

    def trained(model: SqueezedTranslator, rate: float, window: int, least: int, most: int) -> dict[str, Any]:
        drawn = batches(corpus.train, corpus, batch_size=settings["batch_size"], seed=seed, device=device)
        return train_until_flat(
            model,
            lambda m, batch: token_loss(m(batch), batch),
            drawn,
            held_out_loss,
            learning_rate=rate,
            window=window,
            least_steps=least,
            most_steps=most,
        )

    start, few = time.process_time(), settings["tuning_steps"]
    grid = {rate: trained(fresh(), rate, few, few, few)["held_out"] for rate in settings["learning_rates"]}
    rate = min(grid, key=lambda rate: grid[rate])
    model = fresh()
    found = trained(model, rate, settings["window"], settings["least_steps"], settings["most_steps"])
    row = {
        "grid": {str(rate): loss for rate, loss in grid.items()},
        "rate": rate,
        **found,
        "seconds": round(time.process_time() - start),
        **measure(model, corpus, device),
        "probe": probe(model, corpus, seed, device),
    }
    return row, model.state_dict() if variant in KEPT else {}


def _batches(pairs: tuple[Pair, ...], corpus: Corpus, device: torch.device, size: int = 200) -> list[Batch]:
    ordered = sorted(pairs, key=lambda pair: len(pair.source))
    return [make_batch(ordered[start : start + size], corpus, device) for start in range(0, len(ordered), size)]


@torch.no_grad()
def measure(model: SqueezedTranslator, corpus: Corpus, device: torch.device) -> dict[str, Any]:
    """Translate the test pairs greedily: exact matches in percent and BLEU, of all and for each length of the source."""
    written: list[tuple[Pair, list[str]]] = []
    for batch in _batches(corpus.test, corpus, device):
        written += zip(batch.pairs, model.translate(batch, corpus), strict=True)

    def scores(found: list[tuple[Pair, list[str]]]) -> tuple[float, float]:
        right = sum(tuple(words) == pair.target for pair, words in found)
        return round(100 * right / len(found), 2), round(bleu([words for _, words in found], [p for p, _ in found]), 2)

    row: dict[str, Any] = dict(zip(("exact", "bleu"), scores(written), strict=True))
    row |= {"exact_by_length": {}, "bleu_by_length": {}}
    for length, group in groupby(written, key=lambda each: len(each[0].source)):
        row["exact_by_length"][str(length)], row["bleu_by_length"][str(length)] = scores(list(group))
    return row


@torch.no_grad()
def probe(model: SqueezedTranslator, corpus: Corpus, seed: int, device: torch.device) -> dict[str, list[float]]:
    """Read the first adjective of each part of the longer training sentences out of the decoder's first state.

    Returns:
        For each part, from the beginning to the end: `accuracy` of `position_probe` on sentences that it was not fitted on, from 0 to
        1, and `majority`, that of the most common adjective.
    """
    settings: dict[str, Any] = SETTINGS
    adjectives = sorted({adjective.english for adjective in ADJECTIVES})
    longer = tuple(pair for pair in corpus.train if len(pair.source) >= settings["probed_words"])
    chosen = _batches(longer, corpus, device)
    states = torch.cat([model.encoder(batch.source, batch.source_lengths)[1][0].cpu() for batch in chosen])  # (N, H)
    rows: list[dict[int, int]] = [{} for _ in range(settings["parts"])]  # in each part: sentence -> adjective
    for n, pair in enumerate(pair for batch in chosen for pair in batch.pairs):
        words = pair.source[:-1]  # without the full stop
        for place, word in enumerate(words):
            if word in adjectives:
                rows[place * settings["parts"] // len(words)].setdefault(n, adjectives.index(word))
    fit_on = torch.rand(len(states), generator=torch.Generator().manual_seed(seed)) < 0.8
    found: dict[str, list[float]] = {"accuracy": [], "majority": []}
    for part in rows:
        where, labels = torch.tensor(list(part)), torch.tensor(list(part.values()))
        fitted = fit_on[where]
        commonest = labels[fitted].mode().values
        found["accuracy"].append(round(float(position_probe(states[where], labels, fitted, ridge=1.0)), 4))
        found["majority"].append(round(float((labels[~fitted] == commonest).float().mean()), 4))
    return found
