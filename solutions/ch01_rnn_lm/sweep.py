"""This chapter's models over three seeds: the language model, trained for longer than a chapter can wait, and the skip-gram embeddings.

The language model of each row is held against the same trigram on the same words of the test; later chapters load that of seed 0.
"""

from __future__ import annotations

from math import log
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqlab.language_model import LanguageModel, next_word_loss, word_log_probs
from seqlab.speeches import Speeches, load_speeches, sentence_batches, sentences_of, skip_gram_batches
from seqlab.training import pick_device, train

from .counting import count_ngrams, interpolated_trigram
from .embeddings import negative_sampling_loss
from .measuring import perplexity

NAME = "language_model"
SETTINGS = {
    "embed_dim": 128,
    "hidden_size": 192,
    "steps": 6000,
    "batch_size": 32,
    "learning_rate": 1e-2,
    "pair_dim": 64,
    "pair_steps": 1500,
    "pair_batch_size": 2048,
    "pair_learning_rate": 1e-2,
}
VARIANTS = ("lstm", "skip-gram")
SEEDS = (0, 1, 2)
WEIGHTS = (0.03, 0.13, 0.55, 0.29)
"""Of the trigram, chosen on the validation speeches."""
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
        return negative_sampling_loss(self.center(center), self.context(context), self.context(negatives))


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant and measure it.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the batches; the speeches are always the same.

    Returns:
        The table's row, and the weights of the language model of seed 0.
    """
    speeches = load_speeches()
    torch.manual_seed(seed)
    if variant == "skip-gram":
        return _skip_gram(speeches, seed), {}
    model = LanguageModel(len(speeches.vocab), int(SETTINGS["embed_dim"]), int(SETTINGS["hidden_size"]))
    device = pick_device()
    losses = train(
        model.to(device),
        next_word_loss,
        sentence_batches(
            sentences_of(speeches.train),
            speeches.vocab,
            batch_size=int(SETTINGS["batch_size"]),
            seed=seed,
            device=device,
        ),
        steps=int(SETTINGS["steps"]),
        learning_rate=SETTINGS["learning_rate"],
    )
    test = sentences_of(speeches.test)
    row = {
        "loss": round(sum(losses[-50:]) / len(losses[-50:]), 4),
        "perplexity": round(perplexity(*word_log_probs(model, test, speeches.vocab, device)), 2),
        "trigram": round(_trigram_perplexity(speeches), 2),
        "months": month_share(model.embedding.weight, speeches),
    }
    return row, model.state_dict() if seed == SEEDS[0] else {}


def _skip_gram(speeches: Speeches, seed: int) -> dict[str, Any]:
    device = pick_device()
    model = SkipGram(len(speeches.vocab), int(SETTINGS["pair_dim"])).to(device)
    losses = train(
        model,
        lambda m, batch: m(batch),
        skip_gram_batches(
            sentences_of(speeches.train),
            speeches.vocab,
            batch_size=int(SETTINGS["pair_batch_size"]),
            seed=seed,
            device=device,
        ),
        steps=int(SETTINGS["pair_steps"]),
        learning_rate=SETTINGS["pair_learning_rate"],
    )
    loss = sum(losses[-50:]) / len(losses[-50:])
    return {"loss": round(loss, 4), "months": month_share(model.center.weight, speeches)}


def _trigram_perplexity(speeches: Speeches) -> float:
    """Of the interpolated trigram, on the words of the test as the vocabulary has them."""
    vocab = speeches.vocab
    train_words, test_words = (
        [vocab.decode(vocab.encode(words)) for words in sentences_of(part)] for part in (speeches.train, speeches.test)
    )
    counts = count_ngrams(train_words, "<bos>", "<eos>")
    found = []
    for sentence in test_words:
        words = ["<bos>", "<bos>", *sentence, "<eos>"]
        for u, v, word in zip(words, words[1:], words[2:], strict=False):
            # All words can follow but padding and the beginning.
            found.append(log(interpolated_trigram(word, (u, v), counts, WEIGHTS, len(vocab) - 2)))
    log_probs = torch.tensor([found])
    return perplexity(log_probs, torch.ones_like(log_probs, dtype=torch.bool))


def month_share(vectors: Tensor, speeches: Speeches, count: int = 5) -> float:
    """Of each month's nearest words by the angle between embeddings (V, E), the share that are months, in percent."""
    months = torch.tensor(speeches.vocab.encode(MONTHS))
    unit = F.normalize(vectors.detach().cpu(), dim=-1)
    cosine = unit[months] @ unit.T  # (months, V)
    cosine[torch.arange(len(months)), months] = -1.0
    nearest = cosine.topk(count).indices
    return round(100 * torch.isin(nearest, months).double().mean().item(), 2)
