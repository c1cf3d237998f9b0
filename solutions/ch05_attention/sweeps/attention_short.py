"""What the encoder and the score are worth, one change at a time, on sentences of at most ten words: run by `make sweeps`, plotted in the chapter.

Each arm is the chapter's translator with one change. Its learning rate is tuned on a seed of its own, and it is trained to
convergence.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from seqlab.convergence import Training, train_at_best_rate
from seqlab.corpus import Batch, Corpus
from seqlab.models import Encoder
from seqlab.training import pick_device
from seqlab.translation_training import begin_on_pairs, short_pairs

from ..decoder import AttentionDecoder
from .attention import Attention, Keyed, Translator, measure

SETTINGS: dict[str, Any] = {
    "size": 64,
    "max_words": 10,
    "train": 4_000,
    "batch_size": 48,
    "rates": [6e-3, 1.2e-2],
    "tuning_steps": 1500,
    "tuning_seed": 3,
    "steps": 1500,
    "most_steps": 6000,
    "warm_up": 0.05,
}
VARIANTS = (
    "both ways",
    "one way",
    "cosine 1",
    "cosine root",
    "cosine learned",
)
"""`both ways` is the chapter's translator. `one way` has an encoder that only reads forwards. `cosine` has query and key of length one, and a
scale of 1, of the root of their size, or learned from 1."""
SEEDS = (0, 1, 2)


class OneWayEncoder(nn.Module):
    """Read a source sentence forwards only: `seqlab.models.Encoder` with one direction, which has the whole size."""

    def __init__(self, vocab_size: int, size: int) -> None:
        """Make the layers; see the class."""
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, size)
        self.rnn = nn.GRU(size, size, batch_first=True)
        self.bridge = nn.Linear(size, size)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Encode words (B, S) as states (B, S, H), with a first state for the decoder, (1, B, H)."""
        embedded = self.embedding(source)
        states, last = self.rnn(
            pack_padded_sequence(
                embedded, lengths.cpu(), batch_first=True, enforce_sorted=False
            )
        )
        return pad_packed_sequence(states, batch_first=True)[0], self.bridge(
            last
        ).tanh()


class Cosine(nn.Module):
    """The cosine of query and learned key, times a scale g, which may be learned as its logarithm."""

    def __init__(self, size: int, scale: float, *, learned: bool) -> None:
        """Make the weights; see the class."""
        super().__init__()
        self.to_key = nn.Linear(size, size, bias=False)
        self.log_scale = nn.Parameter(torch.tensor(scale).log(), requires_grad=learned)

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        """Score keys against queries: (B, T, d), (B, S, d) -> (B, T, S)."""
        unit_query, unit_key = (
            F.normalize(query, dim=-1),
            F.normalize(self.to_key(key), dim=-1),
        )
        return self.log_scale.exp() * unit_query @ unit_key.transpose(1, 2)


class ShortTranslator(Translator):
    """One variant of `VARIANTS`: an encoder, an attention and the chapter's decoder."""

    def __init__(self, variant: str, corpus: Corpus) -> None:
        """Make the layers of one of `VARIANTS`."""
        nn.Module.__init__(self)
        self.variant = variant
        size, words = SETTINGS["size"], len(corpus.source_vocab)
        encoder: nn.Module = Encoder(words, size, size)
        if variant == "one way":
            encoder = OneWayEncoder(words, size)
        self.add_module("encoder", encoder)
        self.decoder = AttentionDecoder(
            len(corpus.target_vocab), size, size, size, _attention(variant, size)
        )

    def encode(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """What the decoder looks at, (B, S, H), its mask (B, S), and the first state, (1, B, H)."""
        memory, state = self.encoder(batch.source, batch.source_lengths)
        return memory, batch.source_mask, state


def _attention(variant: str, size: int) -> nn.Module:
    if not variant.startswith("cosine"):
        return Attention(Keyed(size))
    return Attention(
        Cosine(
            size,
            size**0.5 if variant == "cosine root" else 1.0,
            learned=variant == "cosine learned",
        )
    )


def corpus() -> Corpus:
    """The pairs that all variants learn."""
    return short_pairs(SETTINGS["max_words"], SETTINGS["train"])


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant at its tuned rate and measure it on the held-out pairs.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpus is always the same.

    Returns:
        The table's row, and no weights.
    """
    model, found = train_at_best_rate(begin, variant, seed, SETTINGS)
    found["parameters"] = count(model)
    for module in model.modules():
        if isinstance(module, Cosine):
            found["scale"] = round(module.log_scale.exp().item(), 3)
    return found | measure(model, corpus(), pick_device()), {}


def begin(variant: str, seed: int) -> Training:
    """Begin the training of one variant."""
    return begin_on_pairs(
        lambda c: ShortTranslator(variant, c),
        corpus(),
        batch_size=SETTINGS["batch_size"],
        seed=seed,
    )


def count(model: nn.Module) -> int:
    """The number of parameters that are trained."""
    return sum(weight.numel() for weight in model.parameters() if weight.requires_grad)
