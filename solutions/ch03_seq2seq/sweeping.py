"""What the sweeps over depth and over the encoding's place share: spellers of numbers, and how they are trained until flat."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from seqlab.corpus import Batch, Corpus, Pair, make_batch
from seqlab.models import token_loss
from seqlab.training import pick_device
from seqlab.until_flat import train_until_flat

from .depth import ResidualStack
from .sweep import LONGEST, DeepDecoder, Model, OneWayEncoder, PlainStack, corpus_of, measure


class DenseStack(nn.Module):
    """Layers that each read the embeddings and the outputs of all layers below, side by side."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int) -> None:
        """Make the layers; the highest one's outputs are the stack's."""
        super().__init__()
        sizes = [input_size + layer * hidden_size for layer in range(num_layers)]
        self.layers = nn.ModuleList(nn.GRU(size, hidden_size, batch_first=True) for size in sizes)

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


def mixed_batches(
    pairs: tuple[Pair, ...], corpus: Corpus, batch_size: int, seed: int, device: torch.device
) -> Iterator[Batch]:
    """Go through pairs for ever, in a new order each time, with pairs of all lengths in one batch."""
    everything = make_batch(pairs, corpus, device)
    generator, order = random.Random(seed), list(range(len(pairs)))
    while True:
        generator.shuffle(order)
        for start in range(0, len(order), batch_size):
            rows = torch.tensor(order[start : start + batch_size], device=device)
            yield Batch(
                everything.source[rows],
                everything.source_mask[rows],
                everything.source_lengths[rows],
                everything.target_in[rows],
                everything.target_out[rows],
                everything.target_mask[rows],
                pairs=(),
            )


def learn(
    model: Model, corpus: Corpus, settings: dict[str, int], rate: float, seed: int, device: torch.device
) -> dict[str, Any]:
    """Train a speller until its held-out loss is flat.

    Args:
        model: The untrained speller.
        corpus: The numbers.
        settings: A sweep's.
        rate: The first learning rate.
        seed: Of the order of the batches.
        device: Where the model is.

    Returns:
        The row: what `train_until_flat` returns, the held-out loss after every `look_every` steps, seconds of computing, and exact matches.
    """
    valid, done = make_batch(corpus.valid, corpus, device), 0
    curve: list[float] = []

    @torch.no_grad()
    def held_out_loss(model: Model) -> float:
        return token_loss(model(valid), valid).item()

    def loss_of(model: Model, batch: Batch) -> Tensor:
        nonlocal done
        if done and done % settings["look_every"] == 0:
            curve.append(round(held_out_loss(model), 4))
        done += 1
        return token_loss(model(batch), batch)

    start = time.process_time()
    found = train_until_flat(
        model,
        loss_of,
        mixed_batches(corpus.train, corpus, settings["batch_size"], seed, device),
        held_out_loss,
        learning_rate=rate,
        window=settings["window"],
        least_steps=settings["least_steps"],
        most_steps=settings["most_steps"],
    )
    seconds = round(time.process_time() - start, 1)
    exact = {
        name: share for name, share in measure(model, corpus, LONGEST["number"], device).items() if "exact" in name
    }
    return {**found, "seconds": seconds, **exact, "curve": curve}


def train_speller(variant: str, seed: int, settings: dict[str, int]) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train an encoder of several layers with a decoder of one, and measure them on the held-out numbers.

    Args:
        variant: Kind, number of layers and learning rate, such as "residual 2 0.004".
        seed: Of the weights and of the order of the batches; the numbers are always the same.
        settings: A sweep's.

    Returns:
        The table's row, and no weights.
    """
    kind, depth, rate = variant.split()
    corpus, device, size = corpus_of("number"), pick_device(), settings["size"]
    torch.manual_seed(seed)
    model = Speller(corpus, size, STACKS[kind](size, size, int(depth))).to(device)
    row = learn(model, corpus, settings, float(rate), seed, device)
    return {"parameters": sum(p.numel() for p in model.parameters()), **row}, {}
