"""Encoders and decoders without attention, shallow and deep, forwards and backwards: run by `make sweeps`, plotted in this chapter.

Some questions share this table. On short sentences: the chapter's own training, over seeds. On longer ones: one layer against
two, and a source read forwards, backwards or both ways. On numbers, which take less time: eight layers with residual connections
against eight without.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from seqlab.corpus import Batch, Corpus, Pair, batches, load_corpus, make_batch
from seqlab.models import greedy_translate, token_loss
from seqlab.numbers import load_numbers
from seqlab.scoring import bleu
from seqlab.training import pick_device, train

from ..depth import ResidualStack

SETTINGS = {
    "batch_size": 32,
    "short_size": 128,
    "short_words": 7,
    "short_pairs": 40_000,
    "short_steps": 3500,
    "short_rate": 4e-3,
    "sentence_size": 128,
    "sentence_words": 25,
    "sentence_pairs": 20_000,
    "sentence_steps": 1200,
    "sentence_longer_steps": 1880,
    "sentence_rate": 4e-3,
    "number_size": 64,
    "number_digits": 4,
    "number_pairs": 2_000,
    "number_steps": 800,
    "number_rate": 4e-3,
    "deep": 8,
    "curve_every": 40,
}
VARIANTS = (
    "short",
    "one",
    "two",
    "one longer",
    "forward",
    "reversed",
    "plain 0.002",
    "plain 0.004",
    "plain 0.008",
    "residual 0.002",
    "residual 0.004",
    "residual 0.008",
)
"""What is compared; where a number follows, it is the learning rate."""
SEEDS = (0, 1, 2)
TASKS = {
    "short": "short",
    **dict.fromkeys(("one", "two", "forward", "reversed"), "sentence"),
}
"""What a kind of model is trained on, where it is not numbers."""
LONGEST = {"short": 5, "sentence": 15, "number": 3}
"""The most source words of what counts as short when the task is measured."""


class PlainStack(ResidualStack):
    """The same layers without residual connections."""

    def forward(self, inputs: Tensor) -> Tensor:
        """Run all layers: (B, T, D) -> (B, T, H)."""
        for layer in self.layers:
            inputs, _ = layer(inputs)
        return inputs


class OneWayEncoder(nn.Module):
    """Read words in the given order; the decoder's first state is computed from the state after the last word."""

    def __init__(self, words: int, size: int, stack: nn.Module) -> None:
        """Make the layers around a stack that takes and returns (B, S, H)."""
        super().__init__()
        self.embedding = nn.Embedding(words, size)
        self.stack = stack
        self.bridge = nn.Linear(size, size)

    def forward(self, source: Tensor, lengths: Tensor) -> Tensor:
        """Encode words (B, S): the decoder's first state, (1, B, H)."""
        states = self.stack(self.embedding(source))
        last = states[
            torch.arange(len(states), device=states.device), lengths - 1
        ]  # (B, H)
        return self.bridge(last).tanh().unsqueeze(0)


class TwoWayEncoder(nn.Module):
    """The chapter's encoder with one or more layers; each layer's last states give the first state of one decoder layer."""

    def __init__(self, words: int, size: int, num_layers: int) -> None:
        """Make the layers; each of the two directions has half of the hidden size."""
        super().__init__()
        self.embedding = nn.Embedding(words, size)
        self.rnn = nn.GRU(
            size, size // 2, num_layers, batch_first=True, bidirectional=True
        )
        self.bridge = nn.Linear(size, size)

    def forward(self, source: Tensor, lengths: Tensor) -> Tensor:
        """Encode words (B, S): the decoder's first states, (L, B, H)."""
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source),
            lengths.cpu(),
            batch_first=True,
            enforce_sorted=False,
        )
        last = self.rnn(packed)[1]  # (2 L, B, H / 2)
        both = torch.cat([last[0::2], last[1::2]], dim=-1)  # (L, B, H)
        return self.bridge(both).tanh()


class DeepDecoder(nn.Module):
    """The chapter's decoder with one or more layers; it gets the encoding as its first state, and on request with every word."""

    def __init__(self, words: int, size: int, num_layers: int, every: bool) -> None:
        """Make the layers; see the class."""
        super().__init__()
        self.embedding = nn.Embedding(words, size)
        self.rnn = nn.GRU(
            2 * size if every else size, size, num_layers, batch_first=True
        )
        self.output = nn.Linear(size, words)
        self.every = every

    def forward(
        self, tokens: Tensor, state: Tensor, encoding: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Run over words (B, T) from a state (L, B, H), with the encoding (B, H): logits (B, T, V) and the last state."""
        inputs = self.embedding(tokens)
        if self.every:
            beside = encoding.unsqueeze(1).expand(-1, tokens.shape[1], -1)  # (B, T, H)
            inputs = torch.cat([inputs, beside], dim=-1)
        states, state = self.rnn(inputs, state)
        return self.output(states), state


class Model(nn.Module):
    """One variant: an encoder and a decoder."""

    def __init__(self, kind: str, corpus: Corpus, size: int) -> None:
        """Make the layers of a variant, named without its learning rate and length."""
        super().__init__()
        words = len(corpus.source_vocab)
        layers = 2 if kind == "two" else 1
        self.encoder: nn.Module
        if kind in ("forward", "reversed"):
            self.encoder = OneWayEncoder(words, size, PlainStack(size, size, 1))
        elif kind in ("plain", "residual"):
            stack = PlainStack if kind == "plain" else ResidualStack
            self.encoder = OneWayEncoder(
                words, size, stack(size, size, int(SETTINGS["deep"]))
            )
        else:
            self.encoder = TwoWayEncoder(words, size, layers)
        self.decoder = DeepDecoder(
            len(corpus.target_vocab), size, layers, every=kind == "every"
        )

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, T, V) with teacher forcing."""
        state = self.encoder(batch.source, batch.source_lengths)
        return self.decoder(batch.target_in, state, state[-1])[0]


@cache
def corpus_of(task: str) -> Corpus:
    """The corpus of a task, drawn once for all runs of a process."""
    pairs = int(SETTINGS[f"{task}_pairs"])
    if task == "number":
        return load_numbers(train=pairs, max_digits=int(SETTINGS["number_digits"]))
    return load_corpus(train=pairs, max_words=int(SETTINGS[f"{task}_words"]))


def with_sources_reversed(corpus: Corpus) -> Corpus:
    """The same corpus with every source reversed."""
    sets = [
        tuple(map(_reversed, pairs))
        for pairs in (corpus.train, corpus.valid, corpus.test)
    ]
    return replace(corpus, train=sets[0], valid=sets[1], test=sets[2], has_links=False)


def _reversed(pair: Pair) -> Pair:
    return Pair(pair.source[::-1], pair.target, frozenset(), frozenset())


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant and measure it on the held-out pairs.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpora are always the same.

    Returns:
        The table's row, and no weights.
    """
    kind, _, more = variant.partition(" ")
    task = TASKS.get(kind, "number")
    corpus = corpus_of(task)
    if kind == "reversed":
        corpus = with_sources_reversed(corpus)
    steps = int(
        SETTINGS[f"{task}_longer_steps" if more == "longer" else f"{task}_steps"]
    )
    rate = float(more) if kind in ("plain", "residual") else SETTINGS[f"{task}_rate"]
    device = pick_device()
    torch.manual_seed(seed)
    model = Model(kind, corpus, int(SETTINGS[f"{task}_size"])).to(device)
    drawn = batches(
        corpus.train,
        corpus,
        batch_size=int(SETTINGS["batch_size"]),
        seed=seed,
        device=device,
    )
    start = time.process_time()
    losses = train(
        model,
        lambda m, batch: token_loss(m(batch), batch),
        drawn,
        steps=steps,
        learning_rate=rate,
    )
    row: dict[str, Any] = {
        "steps": len(losses),
        "seconds": round(time.process_time() - start, 1),
        "loss": round(_mean(losses[-50:]), 4),
        **measure(model, corpus, LONGEST[task], device),
    }
    if task == "number":
        every = int(SETTINGS["curve_every"])
        row["curve"] = [
            round(_mean(losses[i : i + every]), 4) for i in range(0, len(losses), every)
        ]
    return row, {}


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


@torch.no_grad()
def measure(
    model: Model, corpus: Corpus, longest: int, device: torch.device
) -> dict[str, float]:
    """Translate each test source greedily: BLEU and exact matches in %, for all pairs, the short ones and the long ones."""
    pairs = sorted(corpus.test, key=lambda pair: len(pair.source))
    written: list[list[str]] = []
    for start in range(0, len(pairs), 100):
        batch = make_batch(pairs[start : start + 100], corpus, device)
        state = model.encoder(batch.source, batch.source_lengths)

        def step(
            word: Tensor, state: Tensor, encoding: Tensor = state[-1]
        ) -> tuple[Tensor, Tensor]:
            logits, state = model.decoder(word, state, encoding)
            return logits, state

        written += greedy_translate(step, state, corpus.target_vocab)
    first_long = sum(len(pair.source) <= longest for pair in pairs)
    parts = {
        "": slice(None),
        "_short": slice(first_long),
        "_long": slice(first_long, None),
    }
    found = {}
    for name, part in parts.items():
        right = [
            tuple(words) == pair.target
            for words, pair in zip(written[part], pairs[part], strict=True)
        ]
        found[f"exact{name}"] = round(100 * sum(right) / len(right), 2)
        found[f"bleu{name}"] = round(bleu(written[part], pairs[part]), 2)
    return found
