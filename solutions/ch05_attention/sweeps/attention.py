"""Attention's variants, and the decoder without any, at one width on the same data: run by `make sweeps`, plotted in the chapters.

Only the way from the source to the decoder differs from variant to variant; the chapter on the bottleneck plots the rows without attention.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from seqlab.corpus import Batch, Corpus, Pair, batches, load_corpus, make_batch
from seqlab.models import Decoder, Encoder, greedy_translate, token_loss
from seqlab.scoring import bleu, bleu_by_length
from seqlab.training import pick_device, train

from ..alignment import alignment_error_rate, hard_alignment
from ..attention import attend, masked_softmax
from ..decoder import AttentionDecoder
from ..scores import additive_scores, multiplicative_scores, scaled_scores

SETTINGS = {"size": 128, "steps": 4000, "batch_size": 32, "learning_rate": 2e-3}
VARIANTS = (
    "none",
    "keyed",
    "same",
    "dot",
    "scaled",
    "multiplicative",
    "additive",
    "previous",
    "set",
    "none 64",
    "none 256",
)
"""The way from the source to the decoder, and the size where it is not the one of `SETTINGS`."""
SEEDS = (0, 1, 2)
KEPT = ("none", "keyed")
"""The variants whose trained weights later chapters load."""

Score = Callable[[Tensor, Tensor], Tensor]


def dot_scores(query: Tensor, key: Tensor) -> Tensor:
    """Score by the dot product alone: (B, T, d), (B, S, d) -> (B, T, S)."""
    return query @ key.transpose(1, 2)


class Multiplicative(nn.Module):
    """The multiplicative score with a learned W."""

    def __init__(self, size: int) -> None:
        """Make the weights; see the class."""
        super().__init__()
        self.weight = nn.Parameter(
            torch.empty(size, size).uniform_(-(size**-0.5), size**-0.5)
        )

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        """Score keys against queries: (B, T, d), (B, S, d) -> (B, T, S)."""
        return multiplicative_scores(query, key, self.weight)


class Keyed(nn.Module):
    """The scaled score of learned keys, which the chapter trains."""

    def __init__(self, size: int) -> None:
        """Make the weights; see the class."""
        super().__init__()
        self.to_key = nn.Linear(size, size, bias=False)

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        """Score keys against queries: (B, T, d), (B, S, d) -> (B, T, S)."""
        return scaled_scores(query, self.to_key(key))


class Additive(nn.Module):
    """The additive score with learned W_q, W_k and w."""

    def __init__(self, size: int) -> None:
        """Make the weights; see the class."""
        super().__init__()
        self.query = nn.Linear(size, size, bias=False)
        self.key = nn.Linear(size, size, bias=False)
        self.score = nn.Linear(size, 1, bias=False)

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        """Score keys against queries: (B, T, d), (B, S, d) -> (B, T, S)."""
        return additive_scores(
            query, key, self.query.weight, self.key.weight, self.score.weight[0]
        )


SCORES: dict[str, Callable[[int], Score]] = {
    "same": lambda size: dot_scores,
    "dot": lambda size: dot_scores,
    "scaled": lambda size: scaled_scores,
    "keyed": Keyed,
    "multiplicative": Multiplicative,
    "additive": Additive,
    "previous": Additive,
    "set": lambda size: scaled_scores,
}


class Attention(nn.Module):
    """Attend to the memory with a score; the memory is key and value."""

    def __init__(self, score: Score) -> None:
        """Keep the score, a function or a module."""
        super().__init__()
        self.score = score

    def forward(
        self, query: Tensor, memory: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Look up: (B, T, d), (B, S, d), (B, 1, S) -> context (B, T, d) and weights (B, T, S)."""
        return attend(query, memory, memory, mask, self.score, masked_softmax)


class PreviousStateDecoder(nn.Module):
    """The decoder in Bahdanau's order: s_{t-1} asks, and the context goes into the recurrence beside the word."""

    def __init__(self, vocab_size: int, size: int, attention: Attention) -> None:
        """Make the layers, of the sizes that `AttentionDecoder` has."""
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, size)
        self.rnn = nn.GRUCell(2 * size, size)
        self.combine = nn.Linear(2 * size, size)
        self.output = nn.Linear(size, vocab_size)
        self.attention = attention

    def forward(
        self, tokens: Tensor, state: Tensor, memory: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Run over T words, one after the other; takes and returns what `AttentionDecoder` does."""
        hidden, looks, combined = state[0], [], []
        for word in self.embedding(tokens).unbind(dim=1):
            context, weights = self.attention(
                hidden.unsqueeze(1), memory, mask.unsqueeze(1)
            )
            hidden = self.rnn(
                torch.cat([word, context[:, 0]], dim=-1), hidden
            )  # (B, H)
            looks.append(weights[:, 0])
            combined.append(torch.cat([context[:, 0], hidden], dim=-1))
        logits = self.output(self.combine(torch.stack(combined, dim=1)).tanh())
        return logits, torch.stack(looks, dim=1), hidden.unsqueeze(0)


class AttentionOnlyEncoder(nn.Module):
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
    """One variant: an encoder and a decoder, with teacher forcing or a word at a time."""

    def __init__(self, variant: str, corpus: Corpus) -> None:
        """Make the layers of one of `VARIANTS`."""
        super().__init__()
        self.variant, _, own_size = variant.partition(" ")
        size = int(own_size or SETTINGS["size"])
        source_words, target_words = len(corpus.source_vocab), len(corpus.target_vocab)
        encoder = (
            AttentionOnlyEncoder(source_words, size) if self.variant == "set" else None
        )
        self.encoder = encoder or Encoder(source_words, size, size)
        self.decoder = self._decoder(target_words, size)

    def _decoder(self, words: int, size: int) -> nn.Module:
        if self.variant == "none":
            return Decoder(words, size, size)
        attention = Attention(SCORES[self.variant](size))
        if self.variant == "previous":
            return PreviousStateDecoder(words, size, attention)
        return AttentionDecoder(words, size, size, size, attention)

    def encode(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """What the decoder looks at, (B, S, H), its mask (B, S), and the first state, (1, B, H)."""
        memory, state = self.encoder(batch.source, batch.source_lengths)
        if self.variant != "same":
            return memory, batch.source_mask, state
        last = state.transpose(
            0, 1
        )  # (B, 1, H): one place to look at, which is the encoder's last state
        return last, torch.ones_like(last[..., 0], dtype=torch.bool), state

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, T, V) with teacher forcing."""
        memory, mask, state = self.encode(batch)
        return self.step(batch.target_in, state, memory, mask)[0]

    def step(
        self, tokens: Tensor, state: Tensor, memory: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor | None, Tensor]:
        """Run the decoder over T words: logits (B, T, V), weights (B, T, S) or None, and the last state (1, B, H)."""
        if self.variant == "none":
            logits, state = self.decoder(tokens, state)
            return logits, None, state
        logits, weights, state = self.decoder(tokens, state, memory, mask)
        return logits, weights, state


@cache
def whole_corpus() -> Corpus:
    """The course's corpus, drawn once for all the runs of a process."""
    return load_corpus()


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant and measure it on the held-out pairs.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpus is always the same.

    Returns:
        The table's row, and the trained weights if they are to be kept.
    """
    device = pick_device()
    corpus = whole_corpus()
    torch.manual_seed(seed)
    model = Translator(variant, corpus).to(device)
    drawn = batches(
        corpus.train,
        corpus,
        batch_size=int(SETTINGS["batch_size"]),
        seed=seed,
        device=device,
    )
    losses = train(
        model,
        lambda m, batch: token_loss(m(batch), batch),
        drawn,
        steps=int(SETTINGS["steps"]),
        learning_rate=SETTINGS["learning_rate"],
    )
    row = {"loss": round(sum(losses[-50:]) / 50, 4), **measure(model, corpus, device)}
    return row, model.state_dict() if variant in KEPT else {}


@torch.no_grad()
def measure(model: Translator, corpus: Corpus, device: torch.device) -> dict[str, Any]:
    """Translate the test pairs greedily, and align them with teacher forcing; the numbers of a row."""
    pairs = sorted(corpus.test, key=lambda pair: len(pair.source))
    translations: list[list[str]] = []
    links: list[set[tuple[int, int]]] = []
    shifted: list[set[tuple[int, int]]] = []
    for start in range(0, len(pairs), 100):
        batch = make_batch(pairs[start : start + 100], corpus, device)
        memory, mask, state = model.encode(batch)

        def step(
            word: Tensor, state: Tensor, memory: Tensor = memory, mask: Tensor = mask
        ) -> tuple[Tensor, Tensor]:
            logits, _, state = model.step(word, state, memory, mask)
            return logits, state

        translations += greedy_translate(step, state, corpus.target_vocab)
        weights = model.step(batch.target_in, state, memory, mask)[1]
        if weights is not None and weights.shape[-1] == batch.source.shape[1]:
            for look, pair in zip(weights.cpu(), batch.pairs, strict=True):
                look = look[: len(pair.target) + 1, : len(pair.source)]
                links.append(hard_alignment(look[:-1]))
                shifted.append(hard_alignment(look[1:]))
    right = sum(
        tuple(words) == pair.target
        for words, pair in zip(translations, pairs, strict=True)
    )
    found: dict[str, Any] = {
        "bleu": round(bleu(translations, pairs), 2),
        "exact": round(100 * right / len(pairs), 2),
        "bleu_by_length": {
            name: round(value, 2)
            for name, value in bleu_by_length(translations, pairs).items()
        },
    }
    if links:
        found |= {
            "aer": _error_rate(links, pairs),
            "aer_shifted": _error_rate(shifted, pairs),
        }
    return found


def _error_rate(links: list[set[tuple[int, int]]], pairs: Sequence[Pair]) -> float:
    sure, possible = (
        [set(pair.sure) for pair in pairs],
        [set(pair.possible) for pair in pairs],
    )
    return round(alignment_error_rate(links, sure, possible), 4)
