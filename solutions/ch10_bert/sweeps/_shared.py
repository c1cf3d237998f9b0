"""What this chapter's sweeps share: the model, pre-training that is watched, and what is measured on other speeches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqlab.encoder import Encoder
from seqlab.presidents import load_speeches
from seqlab.pretraining import AtPlaces, places_of
from seqlab.training import train
from seqlab.wordpieces import (
    CLS,
    MASK,
    NUM_SPECIAL,
    SEP,
    PairBatch,
    document_of,
    load_pieces,
    pair_batches,
)

from ..embeddings import BertEmbeddings
from ..losses import masked_lm_loss
from ..masking import mask_tokens
from ..model import BertForPreTraining
from ..packing import pack_pair
from ..pairs import make_nsp_pairs

D_MODEL, NUM_HEADS, NUM_LAYERS = 128, 4, 1
SPREAD = 0.05
"""Standard deviation of all matrices at the start."""
SHORT, LONG = 8, 20
"""The most pieces of a sentence at first, and later."""
EVERY = 50
"""The steps that make a point of a curve."""
FAR = 3
"""How many places to the left and right are looked up in the attention maps."""

Drawn = tuple[PairBatch, Tensor, Tensor]
"""A batch, what the model is shown of it (B, S), and the labels (B, S)."""


def make_model(
    num_layers: int = NUM_LAYERS, dropout: float = 0.0
) -> BertForPreTraining:
    """The chapter's BERT, not trained yet: all matrices small, all biases zero."""
    vocab_size = len(load_pieces())
    embeddings = BertEmbeddings(vocab_size, D_MODEL, max_length=64, dropout=dropout)
    encoder = Encoder(D_MODEL, NUM_HEADS, 4 * D_MODEL, num_layers, dropout=dropout)
    model = BertForPreTraining(embeddings, encoder, D_MODEL, vocab_size)
    for name, weight in model.named_parameters():
        if weight.dim() > 1:
            nn.init.normal_(weight, std=SPREAD)
        elif name.endswith("bias"):
            nn.init.zeros_(weight)
    return model


@cache
def documents_of(part: str, length: int = LONG) -> list[list[list[int]]]:
    """The speeches of a part as ids, their sentences truncated to a length."""
    return [
        document_of(speech, load_pieces(), length)
        for speech in getattr(load_speeches(), part)
    ]


def masked_batches(
    documents: list[list[list[int]]],
    batch_size: int,
    seed: int,
    share: float,
    *,
    always: bool = False,
) -> Iterator[Drawn]:
    """Pairs that are drawn and masked anew, for ever.

    Args:
        documents: Where the pairs come from.
        batch_size: Pairs in a batch.
        seed: Of the pairs and of the masks.
        share: How many pieces are chosen.
        always: Whether every chosen piece becomes [MASK], instead of 80 in 100.
    """
    chance = torch.Generator().manual_seed(seed)
    pack = partial(pack_pair, cls_id=CLS, sep_id=SEP)
    for batch in pair_batches(
        partial(make_nsp_pairs, documents), pack, batch_size=batch_size, seed=seed
    ):
        inputs, labels = mask_tokens(
            batch.tokens, NUM_SPECIAL, len(load_pieces()), MASK, chance, share
        )
        if always:
            inputs = batch.tokens.masked_fill(labels != -100, MASK)
        yield batch, inputs, labels


def guesses(
    model: BertForPreTraining, drawn: Drawn, device: torch.device
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """What a model says of a batch: word logits, their labels, whether a mask stood there, pair logits and their labels."""
    encoder: Any = model.encoder
    batch, inputs, labels = drawn
    places = places_of(labels)
    encoder.places = places.to(device)
    words, pair = model(
        inputs.to(device), batch.segments.to(device), batch.mask.to(device)
    )
    encoder.places = None
    labels, hidden = labels.gather(1, places), inputs.gather(1, places) == MASK
    return words, labels.to(device), hidden.to(device), pair, batch.is_next.to(device)


def pretrain(
    seed: int,
    batches: Iterator[Drawn],
    steps: int,
    rate: Callable[[int], float],
    device: torch.device,
) -> tuple[BertForPreTraining, dict[str, Any]]:
    """Train a new model on masks and pairs.

    Args:
        seed: Of the weights.
        batches: One is taken a step.
        steps: How many are taken.
        rate: The learning rate of a step.
        device: Where to.

    Returns:
        The model, its encoder wrapped in `AtPlaces`; and of its training `steps`, `seconds`, and with a point for every `EVERY` steps
        `curve` (both losses and both accuracies, means) and `looks` (of each head of the first layer, the share at each distance).
    """
    torch.manual_seed(seed)
    model = make_model().to(device)
    model.encoder = AtPlaces(model.encoder)
    history: list[list[float]] = []
    looks: list[list[list[float]]] = []

    def loss_of(model: BertForPreTraining, drawn: Drawn) -> Tensor:
        words, labels, hidden, pair, is_next = guesses(model, drawn, device)
        losses = masked_lm_loss(words, labels), F.cross_entropy(pair, is_next)
        right = (words.argmax(dim=-1) == labels)[hidden], pair.argmax(dim=-1) == is_next
        history.append(
            [
                *(loss.item() for loss in losses),
                *(part.float().mean().item() for part in right),
            ]
        )
        if len(history) % EVERY == 0:
            looks.append(shares_by_distance(model, device)[0])
        return losses[0] + losses[1]

    start = time.process_time()
    train(model, loss_of, batches, learning_rate=rate, steps=steps)
    return model, {
        "steps": len(history),
        "seconds": round(time.process_time() - start, 1),
        "curve": [
            [round(value, 4) for value in part.mean(dim=0).tolist()]
            for part in torch.tensor(history).split(EVERY)
        ],
        "looks": looks,
    }


@torch.no_grad()
def measure(
    model: BertForPreTraining, seed: int, pairs: int, device: torch.device
) -> dict[str, float]:
    """Guess masks and pairs of the test speeches, 15 in 100 pieces chosen and 80 in 100 of those masked.

    Args:
        model: As `pretrain` returns it.
        seed: The pairs and masks are those of `masked_batches` with the seed 1000 + this one.
        pairs: How many at least.
        device: Where the model is.

    Returns:
        `masked`, `pair`: the share that is right, in per cent; `unigram`, what the most frequent piece would get; `nats`, the mean
        cross-entropy of the masks; `masks` and `pairs`, how many there were.
    """
    counts = torch.tensor(
        [i for part in documents_of("train") for s in part for i in s]
    ).bincount()
    right, nats, common, told = [], [], [], []
    for drawn in masked_batches(documents_of("test"), 32, 1000 + seed, 0.15):
        logits, labels, hidden, pair, is_next = guesses(model, drawn, device)
        right.append((logits.argmax(dim=-1) == labels)[hidden])
        nats.append(F.cross_entropy(logits[hidden], labels[hidden], reduction="none"))
        common.append((labels == counts.argmax().item())[hidden])
        told.append(pair.argmax(dim=-1) == is_next)
        if sum(map(len, told)) >= pairs:
            break
    shares = {
        name: round(100 * torch.cat(found).float().mean().item(), 2)
        for name, found in (("masked", right), ("unigram", common), ("pair", told))
    }
    return {
        **shares,
        "nats": round(torch.cat(nats).mean().item(), 4),
        "masks": sum(map(len, right)),
        "pairs": sum(map(len, told)),
    }


@torch.no_grad()
def shares_by_distance(
    model: BertForPreTraining, device: torch.device
) -> list[list[list[float]]]:
    """How much of each head's weight lies on the place so many to the left or right, in per cent.

    Returns:
        For each layer and head a number for each distance from -FAR to FAR, on validation sentences.
    """
    tokens = _looked_at().to(device)
    states, found = model.embeddings(tokens, torch.zeros_like(tokens)), []
    encoder: Any = getattr(model.encoder, "encoder", model.encoder)
    for layer in encoder.layers:
        maps = layer.self_attn(states, states, states, average_attn_weights=False)[
            1
        ].mean(dim=0)  # (num_heads, S, S)
        shares = torch.stack(
            [maps.diagonal(k, -2, -1).mean(dim=-1) for k in range(-FAR, FAR + 1)],
            dim=-1,
        )
        found.append(
            [[round(100 * share, 1) for share in head] for head in shares.tolist()]
        )
        states = layer(states)
    return found


@cache
def _looked_at(sentences: int = 50, length: int = 16) -> Tensor:
    """The first validation sentences that are long enough, truncated to one length and packed alone: (N, S)."""
    long_enough = [
        ids
        for document in documents_of("valid")
        for ids in document
        if len(ids) >= length
    ]
    return torch.tensor([[CLS, *ids[:length], SEP] for ids in long_enough[:sentences]])
