"""Encoders of one to four layers, plain, residual and dense, until the loss is flat: run by `make sweeps`, plotted in the chapter.

Only the encoder varies: the decoder has one layer everywhere. The learning rate of each kind and depth is tuned on a seed of its own. The task
is numbers, because sentences would take hours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from seqlab.corpus import Corpus
from seqlab.training import pick_device
from seqlab.until_flat import train_at_best_rate

from ..depth import ResidualStack
from ._shared import learn
from .seq2seq import DeepDecoder, Model, OneWayEncoder, PlainStack, corpus_of

SETTINGS: dict[str, Any] = {
    "size": 64,
    "batch_size": 64,
    "window": 200,
    "least_steps": 2000,
    "most_steps": 5000,
    "look_every": 50,
    "rates": [2e-3, 4e-3, 8e-3, 1.6e-2],
    "tuning_steps": 1000,
    "tuning_seed": 3,
}
"""A run takes the one of the `rates` with the lowest held-out loss after `tuning_steps` from `tuning_seed`, which is none of `SEEDS`."""
VARIANTS = tuple(
    f"{kind} {depth}"
    for depth in (1, 2, 3, 4)
    for kind in ("plain", "residual", "dense")
    if (kind, depth) != ("dense", 1)
)
"""Kind and number of layers of the encoder. A dense stack of one layer is a plain one."""
SEEDS = (0, 1, 2)


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


class Speller(Model):
    """An encoder of several layers that reads in one direction, and a decoder of one layer."""

    def __init__(self, corpus: Corpus, size: int, stack: nn.Module) -> None:
        """Make the layers around the encoder's stack."""
        nn.Module.__init__(self)
        self.encoder = OneWayEncoder(len(corpus.source_vocab), size, stack)
        self.decoder = DeepDecoder(len(corpus.target_vocab), size, 1, every=False)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant at its tuned rate and measure it on the test numbers.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the numbers are always the same.

    Returns:
        The table's row, and no weights.
    """
    model, found = train_at_best_rate(train_one, variant, seed, SETTINGS)
    return {
        "parameters": sum(weight.numel() for weight in model.parameters()),
        **found,
    }, {}


def train_one(
    variant: str, seed: int, rate: float, window: int, least_steps: int, most_steps: int
) -> tuple[Speller, dict[str, Any]]:
    """Train one variant until its loss on the validation numbers is flat; the model, and the row that `learn` makes of it."""
    kind, depth = variant.split()
    corpus, device, size = corpus_of("number"), pick_device(), SETTINGS["size"]
    torch.manual_seed(seed)
    model = Speller(corpus, size, STACKS[kind](size, size, int(depth))).to(device)
    settings = SETTINGS | {
        "window": window,
        "least_steps": least_steps,
        "most_steps": most_steps,
    }
    return model, learn(model, corpus, settings, rate, seed, device)
