"""Encoders of one layer and of four, plain, residual and dense, on translation, each trained to convergence: run by `make sweeps`, plotted in the chapter.

Only the encoder varies: the decoder has one layer everywhere. The learning rate of each kind and depth is tuned on a seed of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from seqlab.convergence import Training, train_at_best_rate
from seqlab.corpus import Corpus
from seqlab.training import pick_device
from seqlab.translation_training import begin_on_pairs, short_pairs

from ..depth import ResidualStack
from .seq2seq import DeepDecoder, Model, OneWayEncoder, PlainStack, measure

SETTINGS: dict[str, Any] = {
    "size": 128,
    "max_words": 7,
    "train": 40_000,
    "batch_size": 32,
    "rates": [2e-3, 4e-3],
    "tuning_steps": 12_000,
    "tuning_seed": 3,
    "steps": 24_000,
    "most_steps": 24_000,
    "warm_up": 0.05,
}
VARIANTS = ("plain 1", "plain 4", "residual 4", "dense 4")
"""Kind and number of layers of the encoder. One layer, which has nothing to connect, is plain."""
SEEDS = (0, 1, 2)
LONGEST = 5
"""The most source words of what counts as short when it is measured."""


class DenseStack(nn.Module):
    """Layers that each read the concatenated embeddings and outputs of all layers below (Huang et al. 2017)."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int) -> None:
        """Make the layers; the highest one's outputs are the stack's."""
        super().__init__()
        sizes = [input_size + layer * hidden_size for layer in range(num_layers)]
        self.layers = nn.ModuleList(
            nn.GRU(size, hidden_size, batch_first=True) for size in sizes
        )

    def forward(self, inputs: Tensor) -> Tensor:
        """Run all layers: (B, T, D) -> (B, T, H)."""
        for layer in self.layers:
            outputs, _ = layer(inputs)
            inputs = torch.cat([inputs, outputs], dim=-1)
        return outputs


STACKS: dict[str, Callable[[int, int, int], nn.Module]] = {
    "plain": PlainStack,
    "residual": ResidualStack,
    "dense": DenseStack,
}


class DeepTranslator(Model):
    """An encoder of several layers that reads in one direction, and a decoder of one layer."""

    def __init__(self, corpus: Corpus, size: int, stack: nn.Module) -> None:
        """Make the layers around the encoder's stack."""
        nn.Module.__init__(self)
        self.encoder = OneWayEncoder(len(corpus.source_vocab), size, stack)
        self.decoder = DeepDecoder(len(corpus.target_vocab), size, 1, every=False)


def corpus() -> Corpus:
    """The pairs that all variants learn."""
    return short_pairs(SETTINGS["max_words"], SETTINGS["train"])


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant to convergence at its tuned rate and measure it on the test pairs.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpus is always the same.

    Returns:
        The table's row, and no weights.
    """
    model, found = train_at_best_rate(begin, variant, seed, SETTINGS)
    return {
        **found,
        "parameters": sum(weight.numel() for weight in model.parameters()),
        **measure(model, corpus(), LONGEST, pick_device()),
    }, {}


def begin(variant: str, seed: int) -> Training:
    """Begin the training of one variant."""
    kind, depth = variant.split()
    size = SETTINGS["size"]
    return begin_on_pairs(
        lambda c: DeepTranslator(c, size, STACKS[kind](size, size, int(depth))),
        corpus(),
        batch_size=SETTINGS["batch_size"],
        seed=seed,
    )
