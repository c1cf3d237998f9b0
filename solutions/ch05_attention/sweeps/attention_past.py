"""The language model that attends to its past, beside the same model without: run by `make sweeps`, plotted in the chapter.

The data are the French sentences of the pairs of at most 25 English words. Each model's learning rate is tuned on a seed of its own, and
it is trained to convergence. Beside them stands an n-gram model, which knows no seed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import exp
from typing import Any

import torch
from torch import Tensor, nn

from seqlab.convergence import Training, train_at_best_rate
from seqlab.corpus import Batch, Corpus, make_batch
from seqlab.kneser_ney import KneserNey
from seqlab.models import token_loss
from seqlab.training import pick_device
from seqlab.translation_training import begin_on_pairs, short_pairs

from ..attention import attend, masked_softmax
from ..past import attend_to_past
from ..scores import scaled_scores

SETTINGS: dict[str, Any] = {
    "size": 64,
    "wider": 76,
    "max_words": 25,
    "train": 10_000,
    "batch_size": 64,
    "rates": [4e-3, 8e-3],
    "tuning_steps": 800,
    "tuning_seed": 3,
    "steps": 2000,
    "most_steps": 8000,
    "warm_up": 0.05,
    "orders": [2, 3, 4, 5, 6],
}
"""The n-gram model takes the one of the `orders` with the lowest loss on the validation sentences."""
VARIANTS = ("attention", "zeros", "wider", "kneser-ney")
"""`attention` is the chapter's language model. `zeros` is the same with a context of zeros, `wider` has no attention and a GRU so much wider
that it has as many parameters."""
SEEDS = (0, 1, 2)

LookBack = Callable[[Tensor, nn.Module], tuple[Tensor, Tensor]]


class KeyedAttention(nn.Module):
    """The chapter's attention: learned keys, values as they are, the scaled score."""

    def __init__(self, size: int) -> None:
        """Make the weights; see the class."""
        super().__init__()
        self.to_key = nn.Linear(size, size, bias=False)

    def forward(
        self, query: Tensor, memory: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Look up: (B, T, H), (B, S, H), (B, 1, S) -> context (B, T, H) and weights (B, T, S)."""
        return attend(
            query, self.to_key(memory), memory, mask, scaled_scores, masked_softmax
        )


def look_nowhere(states: Tensor, attention: nn.Module) -> tuple[Tensor, Tensor]:
    """Give back a context of zeros, which no look was needed for."""
    batch, length, _ = states.shape
    return torch.zeros_like(states), states.new_zeros(batch, length, length)


class LanguageModel(nn.Module):
    """The chapter's language model; how it looks back is an argument."""

    def __init__(self, vocab_size: int, size: int, look_back: LookBack) -> None:
        """Make the layers; see the class."""
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, size)
        self.rnn = nn.GRU(size, size, batch_first=True)
        self.attention = KeyedAttention(size)
        self.combine = nn.Linear(2 * size, size)
        self.output = nn.Linear(size, vocab_size)
        self.look_back = look_back

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, T, V) of each next target word."""
        states, _ = self.rnn(self.embedding(batch.target_in))
        context, _ = self.look_back(states, self.attention)
        return self.output(self.combine(torch.cat([context, states], dim=-1)).tanh())


class WiderModel(nn.Module):
    """No attention, and a wider hidden state; embedding and output have the size that they have in `LanguageModel`."""

    def __init__(self, vocab_size: int, size: int, wider: int) -> None:
        """Make the layers; see the class."""
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, size)
        self.rnn = nn.GRU(size, wider, batch_first=True)
        self.combine = nn.Linear(wider, size)
        self.output = nn.Linear(size, vocab_size)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, T, V) of each next target word."""
        states, _ = self.rnn(self.embedding(batch.target_in))
        return self.output(self.combine(states).tanh())


def corpus() -> Corpus:
    """The pairs that all variants learn."""
    return short_pairs(SETTINGS["max_words"], SETTINGS["train"])


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant at its tuned rate and measure its perplexity on the test sentences.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpus is always the same.

    Returns:
        The table's row, and no weights.
    """
    if variant == "kneser-ney":
        return count_ngrams(), {}
    model, found = train_at_best_rate(begin, variant, seed, SETTINGS)
    test = make_batch(corpus().test, corpus(), pick_device())
    with torch.no_grad():
        perplexity = token_loss(model(test), test).exp().item()
    parameters = sum(weight.numel() for weight in model.parameters())
    return found | {"parameters": parameters, "perplexity": round(perplexity, 3)}, {}


def begin(variant: str, seed: int) -> Training:
    """Begin the training of one variant."""
    size = SETTINGS["size"]

    def make_model(corpus: Corpus) -> nn.Module:
        words = len(corpus.target_vocab)
        if variant == "wider":
            return WiderModel(words, size, SETTINGS["wider"])
        return LanguageModel(
            words, size, attend_to_past if variant == "attention" else look_nowhere
        )

    return begin_on_pairs(
        make_model, corpus(), batch_size=SETTINGS["batch_size"], seed=seed
    )


@cache
def count_ngrams() -> dict[str, Any]:
    """The n-gram model's row; its order is the one with the lowest loss on the validation sentences."""
    pairs_of, vocabulary = corpus(), corpus().target_vocab
    learnt, valid, test = (
        [vocabulary.decode(vocabulary.encode(pair.target)) for pair in pairs]
        for pairs in (pairs_of.train, pairs_of.valid, pairs_of.test)
    )
    follow = len(vocabulary) - 2  # all but <pad> and <bos>
    models = {order: KneserNey(learnt, order, follow) for order in SETTINGS["orders"]}
    losses = {order: _loss(model, valid) for order, model in models.items()}
    order = min(losses, key=lambda each: losses[each])
    return {
        "order": order,
        "tuning": {str(each): round(loss, 4) for each, loss in losses.items()},
        "perplexity": round(exp(_loss(models[order], test)), 3),
    }


def _loss(model: KneserNey, sentences: list[list[str]]) -> float:
    """The mean loss per word and end mark, in nats."""
    log_probs = [value for sentence in sentences for value in model.log_probs(sentence)]
    return -sum(log_probs) / len(log_probs)
