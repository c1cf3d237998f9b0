"""Word embeddings over three seeds, and which share of a word's nearest neighbours are of its class: run by `make sweeps`."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from seqlab.presidents import sentences_of
from seqlab.training import pick_device, train
from seqlab.word_classes import CLASSES

from .language_model import PAIRS, all_speeches
from .language_model import SETTINGS as TRAINED

SETTINGS: dict[str, Any] = {"neighbours": 5}
VARIANTS = ("skip-gram", "cbow")
SEEDS = (0, 1, 2)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train embeddings as the chapter does, and look at each word's neighbours; the table's row, and no weights.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the batches.

    Returns:
        For each class of words, the share of neighbours that belong to it, in percent.
    """
    speeches, device = all_speeches(), pick_device()
    kind, batches_of = PAIRS[variant]
    torch.manual_seed(seed)
    model = kind(len(speeches.vocab), TRAINED["pair_dim"]).to(device)
    size = TRAINED["pair_batch_size"]
    drawn = batches_of(
        sentences_of(speeches.train),
        speeches.vocab,
        batch_size=size,
        seed=seed,
        device=device,
    )
    steps, rate = TRAINED["pair_steps"], TRAINED["pair_learning_rate"]
    train(model, lambda m, batch: m(batch), drawn, steps=steps, learning_rate=rate)
    unit = F.normalize(model.center.weight.detach().cpu(), dim=-1)  # (V, E)
    row = {}
    for name, words in CLASSES.items():
        ids = torch.tensor(speeches.vocab.encode(words))
        cosine = unit[ids] @ unit.T  # (words, V)
        cosine[torch.arange(len(ids)), ids] = -1.0  # the word itself does not count
        nearest = cosine.topk(SETTINGS["neighbours"]).indices
        row[name] = round(100 * torch.isin(nearest, ids).double().mean().item(), 2)
    return row, {}
