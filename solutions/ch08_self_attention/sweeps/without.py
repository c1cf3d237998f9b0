"""What each part of a GPT is worth: the whole, and the whole without one part at a time. Run by `make sweeps`, shown in the chapter.

The data are the English sentences of the translation corpus of at most twenty words. Each arm's learning rate is tuned on a seed of its own, rises in a
warm-up and decays to zero.
"""

from __future__ import annotations

from functools import cache
from math import exp
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqlab.attention_layers import (
    FeedForward,
    MultiHeadAttention,
    causal_mask,
    positional_encoding,
)
from seqlab.convergence import Training, train_at_best_rate
from seqlab.corpus import Vocabulary, load_corpus
from seqlab.presidents import SentenceBatch, make_sentence_batch, sentence_batches
from seqlab.training import pick_device

SETTINGS: dict[str, Any] = {
    "d_model": 64,
    "num_layers": 4,
    "num_heads": 4,
    "max_words": 20,
    "train": 10_000,
    "batch_size": 48,
    "rates": [1e-3, 2e-3, 4e-3, 8e-3],
    "tuning_seed": 3,
    "tuning_steps": 1000,
    "steps": 1500,
    "most_steps": 6000,
    "warm_up": 0.1,
}
VARIANTS = (
    "whole",
    "no positions",
    "one head",
    "no feed-forward",
    "no norm",
    "no residuals",
)
SEEDS = (0, 1, 2)


class Layer(nn.Module):
    """The chapter's layer in pre-norm, without the part that the variant names."""

    def __init__(self, variant: str) -> None:
        """Make the parts of one of `VARIANTS`."""
        super().__init__()
        size, heads = (
            SETTINGS["d_model"],
            1 if variant == "one head" else SETTINGS["num_heads"],
        )
        self.residual = variant != "no residuals"
        self.self_attention = MultiHeadAttention(size, heads)
        self.feed_forward = (
            None if variant == "no feed-forward" else FeedForward(size, 4 * size)
        )
        self.norms = nn.ModuleList(
            norm(variant) for _ in range(1 if self.feed_forward is None else 2)
        )

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Run the layer: (B, T, d_model) to the same, under a mask (1, T, T)."""
        normed = self.norms[0](states)
        found = self.self_attention(normed, normed, mask)[0]
        states = states + found if self.residual else found
        if self.feed_forward is None:
            return states
        found = self.feed_forward(self.norms[1](states))
        return states + found if self.residual else found


def norm(variant: str) -> nn.Module:
    """A norm, or what stands in its place."""
    return nn.Identity() if variant == "no norm" else nn.LayerNorm(SETTINGS["d_model"])


class SmallGPT(nn.Module):
    """`seqlab.gpt.GPT` without the part that the variant names, and with an ordinary output layer, since there are few words."""

    def __init__(self, variant: str, vocab_size: int) -> None:
        """Make the layers of one of `VARIANTS`."""
        super().__init__()
        size = SETTINGS["d_model"]
        self.ordered = variant != "no positions"
        self.embedding = nn.Embedding(vocab_size, size)
        self.layers = nn.ModuleList(
            Layer(variant) for _ in range(SETTINGS["num_layers"])
        )
        self.norm = norm(variant)
        self.output = nn.Linear(size, vocab_size)
        nn.init.normal_(self.embedding.weight, std=size**-0.5)

    def forward(self, batch: SentenceBatch) -> Tensor:
        """The mean loss per real word, in nats: shape ()."""
        length, size = batch.inputs.shape[1], self.embedding.embedding_dim
        states = self.embedding(batch.inputs) * size**0.5
        if self.ordered:
            states = states + positional_encoding(length, size).to(states)
        mask = causal_mask(length, batch.inputs.device).unsqueeze(0)
        for layer in self.layers:
            states = layer(states, mask)
        return F.cross_entropy(
            self.output(self.norm(states)[batch.mask]), batch.targets[batch.mask]
        )


@cache
def sentences() -> tuple[
    list[tuple[str, ...]], list[tuple[str, ...]], list[tuple[str, ...]], Vocabulary
]:
    """The English sentences to learn from, to choose by and to judge by, and their words; drawn once for all the runs of a process."""
    corpus = load_corpus(max_words=SETTINGS["max_words"], train=SETTINGS["train"])
    train, valid, test = (
        [pair.source for pair in pairs]
        for pairs in (corpus.train, corpus.valid, corpus.test)
    )
    return train, valid, test, corpus.source_vocab


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant at its tuned rate and measure its perplexity on the test sentences.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the sentences are always the same.

    Returns:
        The table's row, and no weights.
    """
    model, found = train_at_best_rate(begin, variant, seed, SETTINGS)
    parameters = sum(weight.numel() for weight in model.parameters())
    with torch.no_grad():
        loss = held_out_loss(model, "test")
    return {**found, "parameters": parameters, "perplexity": round(exp(loss), 3)}, {}


def begin(variant: str, seed: int) -> Training:
    """Begin the training of one variant."""
    train, _, _, vocab = sentences()
    torch.manual_seed(seed)
    return Training(
        SmallGPT(variant, len(vocab)).to(pick_device()),
        lambda model, batch: model(batch),
        sentence_batches(
            train,
            vocab,
            batch_size=SETTINGS["batch_size"],
            seed=seed,
            device=pick_device(),
        ),
        lambda model: held_out_loss(model, "valid"),
    )


def held_out_loss(model: SmallGPT, part: str) -> float:
    """The loss on the sentences to choose by, "valid", or to judge by, "test", in nats."""
    _, valid, test, vocab = sentences()
    judged = valid if part == "valid" else test
    loss: float = model(make_sentence_batch(judged, vocab, pick_device())).item()
    return loss
