"""Language models over three seeds, trained for longer than a chapter can wait, and word embeddings.

The two recurrent networks differ in their cell alone and take the same time: the RNN makes more steps, as each of its own is cheaper. The learning
rate of each was chosen by the validation speeches. Both see the same sentences as the models that count.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqlab.corpus import PAD
from seqlab.language_model import LanguageModel, next_word_loss, word_log_probs
from seqlab.presidents import (
    Speeches,
    cbow_batches,
    load_speeches,
    sentence_batches,
    sentences_of,
    skip_gram_batches,
)
from seqlab.training import pick_device, train

from ..embeddings import negative_sampling_loss
from ..measuring import perplexity

SETTINGS: dict[str, Any] = {
    "embed_dim": 128,
    "hidden_size": 192,
    "steps": {"rnn": 7500, "lstm": 6000},
    "batch_size": 32,
    "rates": {"rnn": [1e-3, 3e-3, 1e-2], "lstm": [3e-3, 1e-2, 3e-2]},
    "tuning_seed": 3,
    "pair_dim": 64,
    "pair_steps": 1500,
    "pair_batch_size": 2048,
    "pair_learning_rate": 1e-2,
}
"""A run takes the one of the `rates` with the lowest validation perplexity after the whole training from `tuning_seed`, which is none of `SEEDS`:
after a tenth of the RNN's, the highest of its rates is ahead, which is far behind in the end."""
KINDS = {"rnn": nn.RNN, "lstm": nn.LSTM}
VARIANTS = ("rnn", "lstm", "skip-gram", "cbow")
SEEDS = (0, 1, 2)
MONTHS = (
    *("january", "february", "march", "april", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
"""Without May, which is nearly always the verb."""


class SkipGram(nn.Module):
    """Two embeddings for each word: as a centre, and as a neighbour."""

    def __init__(self, vocab_size: int, embed_dim: int) -> None:
        """Make the embeddings, small ones."""
        super().__init__()
        self.center = nn.Embedding(vocab_size, embed_dim)
        self.context = nn.Embedding(vocab_size, embed_dim)
        for table in (self.center, self.context):
            nn.init.uniform_(table.weight, -0.1, 0.1)

    def forward(self, batch: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        """The loss of words (B,), neighbours (B,) and negatives (B, K)."""
        center, context, negatives = batch
        return negative_sampling_loss(
            self.center(center), self.context(context), self.context(negatives)
        )


class Cbow(SkipGram):
    """The same two embeddings, but the mean of the neighbours' predicts the centre's."""

    def forward(self, batch: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        """The loss of words (B,), all their neighbours (B, 2 w) and negatives (B, K)."""
        center, context, negatives = batch
        real = (context != PAD).unsqueeze(-1)  # (B, 2 w, 1)
        mean = (self.context(context) * real).sum(dim=1) / real.sum(dim=1)  # (B, E)
        return negative_sampling_loss(mean, self.center(center), self.center(negatives))


PAIRS = {"skip-gram": (SkipGram, skip_gram_batches), "cbow": (Cbow, cbow_batches)}


@cache
def all_speeches() -> Speeches:
    """The speeches, read once for all the runs of a process."""
    return load_speeches()


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant and measure it.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the batches; the speeches are always the same.

    Returns:
        The table's row, and the weights of the language models of seed 0.
    """
    if variant in PAIRS:
        return _embeddings(variant, seed), {}
    tuning = _tuning(variant)
    best = min(tuning, key=lambda rate: tuning[rate])
    model, losses, seconds = _trained(variant, seed, best, SETTINGS["steps"][variant])
    tenth = len(losses) // 10
    row = {
        "tuning": {f"{rate:.4g}": found for rate, found in tuning.items()},
        "rate": best,
        "seconds": round(seconds, 1),
        "loss": round(_mean(losses[-tenth:]), 4),
        "loss_before": round(_mean(losses[-2 * tenth : -tenth]), 4),
        "perplexity": round(_perplexity(model, "test"), 2),
        "months": month_share(model.embedding.weight, all_speeches()),
    }
    return row, model.state_dict() if seed == SEEDS[0] else {}


@cache
def _tuning(variant: str) -> dict[float, float]:
    """The validation perplexity at each rate."""
    steps, seed = SETTINGS["steps"][variant], SETTINGS["tuning_seed"]
    return {
        rate: round(_perplexity(_trained(variant, seed, rate, steps)[0], "valid"), 2)
        for rate in SETTINGS["rates"][variant]
    }


def _trained(
    variant: str, seed: int, rate: float, steps: int
) -> tuple[LanguageModel, list[float], float]:
    """A language model, the loss of each step, and the seconds of one processor that training took."""
    speeches, device = all_speeches(), pick_device()
    torch.manual_seed(seed)
    sizes = len(speeches.vocab), SETTINGS["embed_dim"], SETTINGS["hidden_size"]
    model = LanguageModel(*sizes, KINDS[variant]).to(device)
    drawn = sentence_batches(
        sentences_of(speeches.train),
        speeches.vocab,
        batch_size=SETTINGS["batch_size"],
        seed=seed,
        device=device,
    )
    start = time.process_time()
    losses = train(model, next_word_loss, drawn, steps=steps, learning_rate=rate)
    return model, losses, time.process_time() - start


def _perplexity(model: LanguageModel, part: str) -> float:
    speeches = all_speeches()
    sentences = sentences_of(getattr(speeches, part))
    return perplexity(*word_log_probs(model, sentences, speeches.vocab, pick_device()))


def _embeddings(variant: str, seed: int) -> dict[str, Any]:
    speeches, device = all_speeches(), pick_device()
    kind, batches_of = PAIRS[variant]
    torch.manual_seed(seed)
    model = kind(len(speeches.vocab), SETTINGS["pair_dim"]).to(device)
    drawn = batches_of(
        sentences_of(speeches.train),
        speeches.vocab,
        batch_size=SETTINGS["pair_batch_size"],
        seed=seed,
        device=device,
    )
    rate = SETTINGS["pair_learning_rate"]
    losses = train(
        model,
        lambda m, batch: m(batch),
        drawn,
        steps=SETTINGS["pair_steps"],
        learning_rate=rate,
    )
    return {
        "loss": round(_mean(losses[-50:]), 4),
        "months": month_share(model.center.weight, speeches),
    }


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def month_share(vectors: Tensor, speeches: Speeches, count: int = 5) -> float:
    """Of each month's nearest words by the angle between embeddings (V, E), the share that are months, in percent."""
    months = torch.tensor(speeches.vocab.encode(MONTHS))
    unit = F.normalize(vectors.detach().cpu(), dim=-1)
    cosine = unit[months] @ unit.T  # (months, V)
    cosine[torch.arange(len(months)), months] = -1.0
    nearest = cosine.topk(count).indices
    return round(100 * torch.isin(nearest, months).double().mean().item(), 2)
