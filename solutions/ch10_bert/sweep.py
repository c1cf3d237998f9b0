"""BERT's pre-training over three seeds, and what it is worth for a task with few labels: run by `make sweeps`, plotted in this chapter.

The chapter trains the same model in the same way, for less time. "pre" begins with short sentences and also fine-tunes: on
some draws of few labels, from the pre-trained weights and from none, in the same steps. The rate is the one that served both
best on the validation speeches; what is stored was measured on the test speeches. "long" reads long sentences from its first
step on, to see what the short ones are good for, and ends early.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from functools import cache, partial
from itertools import chain, islice
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqlab.encoder import Encoder
from seqlab.pieces import (
    CLS,
    MASK,
    NUM_SPECIAL,
    SEP,
    PairBatch,
    Pieces,
    document_of,
    load_pieces,
    pad_packed,
    pair_batches,
)
from seqlab.speeches import Speech, load_speeches
from seqlab.training import pick_device, train

from .embeddings import BertEmbeddings
from .losses import masked_lm_loss
from .masking import mask_tokens
from .model import BertForPreTraining
from .packing import pack_pair
from .pairs import make_nsp_pairs

NAME = "bert"
SETTINGS = {
    "d_model": 128,
    "num_heads": 4,
    "num_layers": 2,
    "short_pieces": 8,
    "short_pairs": 32,
    "short_steps": 1000,
    "max_pieces": 20,
    "pairs": 16,
    "spread": 0.05,
    "steps": 6000,
    "long_steps": 2000,
    "warmup": 100,
    "hidden_share": 0.3,
    "learning_rate": 2e-3,
    "curve_every": 50,
    "look_sentences": 50,
    "look_pieces": 16,
    "look_far": 3,
    "measured_pairs": 3200,
    "tuned_steps": 60,
    "tuned_rate": 3e-4,
    "era_words": 8,
    "era_tests": 300,
}
VARIANTS = ("pre", "long")
SEEDS = (0, 1, 2)
LABELS = (30, 90)
"""How many labels fine-tuning gets, a third of each class."""
DRAWS = 5
"""How often they are drawn for each model."""
ERAS = (1860, 1930)
"""The first years of the second and of the third class."""

Drawn = tuple[PairBatch, Tensor, Tensor]
Packed = tuple[list[int], list[int]]


class AtPlaces(nn.Module):
    """An encoder that hands on the states of some places only, if it is told which: the heads are the dearest part."""

    def __init__(self, encoder: nn.Module) -> None:
        """Keep the encoder."""
        super().__init__()
        self.encoder = encoder
        self.places: Tensor | None = None  # (B, 1 + M)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Vectors (B, S, d_model) and their mask (B, S) -> states (B, S or 1 + M, d_model)."""
        states = self.encoder(states, mask)
        if self.places is None:
            return states
        rows = torch.arange(len(states), device=states.device).unsqueeze(1)
        return states[rows, self.places]


class EraClassifier(nn.Module):
    """A pre-trained encoder with a new layer on the state of [CLS]."""

    def __init__(self, bert: BertForPreTraining, classes: int) -> None:
        """Make the layer."""
        super().__init__()
        self.bert = bert
        self.head = nn.Linear(int(SETTINGS["d_model"]), classes)

    def forward(self, tokens: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """Logits of the classes, (B, C)."""
        return self.head(self.bert.encode(tokens, segments, mask)[:, 0])


def make_model(pieces: Pieces) -> BertForPreTraining:
    """The chapter's BERT, not trained yet: all matrices small, all biases zero."""
    d_model = int(SETTINGS["d_model"])
    embeddings = BertEmbeddings(len(pieces), d_model, max_length=64, dropout=0.0)
    num_heads, num_layers = int(SETTINGS["num_heads"]), int(SETTINGS["num_layers"])
    encoder = Encoder(d_model, num_heads, 4 * d_model, num_layers, dropout=0.0)
    model = BertForPreTraining(embeddings, encoder, d_model, len(pieces))
    for name, weight in model.named_parameters():
        if weight.dim() > 1:
            nn.init.normal_(weight, std=SETTINGS["spread"])
        elif name.endswith("bias"):
            nn.init.zeros_(weight)
    return model


@cache
def documents_of(part: str, length: str = "max_pieces") -> list[list[list[int]]]:
    """The speeches of a part as ids, their sentences cut to one of the lengths of the settings."""
    speeches: tuple[Speech, ...] = getattr(load_speeches(), part)
    return [document_of(speech, load_pieces(), int(SETTINGS[length])) for speech in speeches]


def masked_batches(documents: list[list[list[int]]], batch_size: int, seed: int, share: float) -> Iterator[Drawn]:
    """Pairs that are drawn and masked anew, for ever: a batch, inputs (B, S), labels (B, S)."""
    chance = torch.Generator().manual_seed(seed)
    pack = partial(pack_pair, cls_id=CLS, sep_id=SEP)
    for batch in pair_batches(partial(make_nsp_pairs, documents), pack, batch_size=batch_size, seed=seed):
        inputs, labels = mask_tokens(batch.tokens, NUM_SPECIAL, len(load_pieces()), MASK, chance, share)
        yield batch, inputs, labels


def places_of(labels: Tensor) -> Tensor:
    """[CLS] and the chosen places of each row, filled up with others: (B, 1 + M)."""
    chosen = labels != -100
    found = chosen.int().topk(int(chosen.sum(dim=1).max()), dim=1).indices  # (B, M)
    return F.pad(found, (1, 0))


def guesses(
    model: BertForPreTraining, drawn: Drawn, device: torch.device
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """What a model says of a batch: word logits, their labels, whether a mask stood there, pair logits and their labels."""
    encoder: Any = model.encoder
    batch, inputs, labels = drawn
    places = places_of(labels)
    encoder.places = places.to(device)
    words, pair = model(inputs.to(device), batch.segments.to(device), batch.mask.to(device))
    encoder.places = None
    labels, hidden = labels.gather(1, places), inputs.gather(1, places) == MASK
    return words, labels.to(device), hidden.to(device), pair, batch.is_next.to(device)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Pre-train, measure, fine-tune.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights, of the pairs and masks, and of the labels that are drawn; the speeches are always the same.

    Returns:
        The table's row, and the weights of "pre" with seed 0.
    """
    device = pick_device()
    torch.manual_seed(seed)
    model = make_model(load_pieces()).to(device)
    model.encoder = AtPlaces(model.encoder)
    history: list[list[float]] = []
    looks: list[list[list[float]]] = []
    every = int(SETTINGS["curve_every"])

    def loss_of(model: BertForPreTraining, drawn: Drawn) -> Tensor:
        words, labels, hidden, pair, is_next = guesses(model, drawn, device)
        losses = masked_lm_loss(words, labels), F.cross_entropy(pair, is_next)
        right = (words.argmax(dim=-1) == labels)[hidden], pair.argmax(dim=-1) == is_next
        history.append([*(loss.item() for loss in losses), *(part.float().mean().item() for part in right)])
        if len(history) % every == 0:
            looks.append(shares_by_distance(model, device)[0])
        return losses[0] + losses[1]

    steps, warmup, share = int(SETTINGS["steps"]), int(SETTINGS["warmup"]), SETTINGS["hidden_share"]
    drawn = masked_batches(documents_of("train"), int(SETTINGS["pairs"]), seed, share)
    if variant == "pre":
        short = masked_batches(documents_of("train", "short_pieces"), int(SETTINGS["short_pairs"]), seed, share)
        drawn = chain(islice(short, int(SETTINGS["short_steps"])), drawn)
    start = time.process_time()
    train(
        model,
        loss_of,
        drawn,
        learning_rate=lambda step: (
            SETTINGS["learning_rate"] * min(step / warmup, (steps + 1 - step) / (steps + 1 - warmup))
        ),
        steps=steps if variant == "pre" else int(SETTINGS["long_steps"]),
    )
    seconds = time.process_time() - start
    curves = torch.tensor(history).split(every)
    row = {
        "steps": len(history),
        "seconds": round(seconds, 1),
        "curve": [[round(value, 4) for value in part.mean(dim=0).tolist()] for part in curves],
        "looks": looks,
        "distances": shares_by_distance(model, device),
        **measure(model, seed, device),
    }
    if variant == "long":
        return row, {}
    model.encoder = model.encoder.encoder
    row["tuned"] = tune(model, seed, device)
    return row, model.state_dict() if seed == SEEDS[0] else {}


@torch.no_grad()
def measure(model: BertForPreTraining, seed: int, device: torch.device) -> dict[str, float]:
    """On held-out speeches: of the masked pieces and of the pairs, the share that is guessed right, in percent."""
    documents = documents_of("valid") + documents_of("test")
    counts = torch.tensor([i for part in documents_of("train") for s in part for i in s]).bincount()
    words, pairs, common = [], [], []
    for drawn in masked_batches(documents, 32, 1000 + seed, 0.15):
        logits, labels, hidden, pair, is_next = guesses(model, drawn, device)
        words.append((logits.argmax(dim=-1) == labels)[hidden])
        common.append((labels == counts.argmax().item())[hidden])
        pairs.append(pair.argmax(dim=-1) == is_next)
        if sum(map(len, pairs)) >= SETTINGS["measured_pairs"]:
            break
    names = ("masked", "unigram", "pair")
    shares = [100 * torch.cat(found).float().mean().item() for found in (words, common, pairs)]
    return {name: round(share, 2) for name, share in zip(names, shares, strict=True)} | {"pairs": sum(map(len, pairs))}


@torch.no_grad()
def shares_by_distance(model: BertForPreTraining, device: torch.device) -> list[list[list[float]]]:
    """How much of each head's weight lies on the place so many to the left or right, in percent.

    Returns:
        For each layer and head a number for each distance from -"look_far" to "look_far", on held-out sentences.
    """
    tokens = _looked_at().to(device)
    states, found = model.embeddings(tokens, torch.zeros_like(tokens)), []
    encoder: Any = getattr(model.encoder, "encoder", model.encoder)
    far = int(SETTINGS["look_far"])
    for layer in encoder.layers:
        maps = layer.self_attn(states, states, states, average_attn_weights=False)[1].mean(dim=0)  # (num_heads, S, S)
        shares = torch.stack([maps.diagonal(k, -2, -1).mean(dim=-1) for k in range(-far, far + 1)], dim=-1)
        found.append([[round(100 * share, 1) for share in head] for head in shares.tolist()])
        states = layer(states)
    return found


@cache
def _looked_at() -> Tensor:
    """The first held-out sentences that are long enough, cut to one length and packed alone: (N, S)."""
    length = int(SETTINGS["look_pieces"])
    long_enough = [ids for document in documents_of("valid") for ids in document if len(ids) >= length]
    return torch.tensor([[CLS, *ids[:length], SEP] for ids in long_enough[: int(SETTINGS["look_sentences"])]])


def era_of(speech: Speech) -> int:
    """The class of a speech by its year: 0, 1 or 2."""
    return sum(speech.year >= year for year in ERAS)


@cache
def sentences_by_era(part: str) -> list[list[Packed]]:
    """The sentences of a part that are long enough to tell, each packed alone, by the class of their speech."""
    found: list[list[Packed]] = [[] for _ in range(len(ERAS) + 1)]
    for speech in getattr(load_speeches(), part):
        for words in speech.sentences:
            if len(words) >= SETTINGS["era_words"]:
                ids = load_pieces().encode(words)[: int(SETTINGS["max_pieces"])]
                found[era_of(speech)].append(([CLS, *ids, SEP], [0] * (len(ids) + 2)))
    return found


def draw_sentences(part: str, per_class: int, generator: random.Random) -> tuple[list[Packed], Tensor]:
    """As many sentences of each class, and their classes."""
    groups = [generator.sample(group, per_class) for group in sentences_by_era(part)]
    eras = torch.arange(len(groups)).repeat_interleave(per_class)
    return [packed for group in groups for packed in group], eras


def tune(model: BertForPreTraining, seed: int, device: torch.device) -> list[dict[str, Any]]:
    """Fine-tune copies of a model on few labels, and train new ones on the same; accuracies in percent."""
    tests, truth = draw_sentences("test", int(SETTINGS["era_tests"]), random.Random(0))
    found = []
    for labels in LABELS:
        for draw in range(DRAWS):
            generator = random.Random(100 * seed + draw)
            packed, eras = draw_sentences("train", labels // (len(ERAS) + 1), generator)
            row: dict[str, Any] = {"labels": labels, "draw": draw}
            for kind in ("tuned", "scratch"):
                torch.manual_seed(100 * seed + draw)
                bert = make_model(load_pieces())
                if kind == "tuned":
                    bert.load_state_dict(model.state_dict())
                classifier = EraClassifier(bert, len(ERAS) + 1).to(device)
                fit(classifier, packed, eras, draw, device)
                row[kind] = round(100 * (classify(classifier, tests, device) == truth).float().mean().item(), 2)
            found.append(row)
    return found


def fit(classifier: EraClassifier, packed: list[Packed], eras: Tensor, seed: int, device: torch.device) -> None:
    """Train a classifier on labelled sentences, 30 at a time."""
    generator = random.Random(seed)

    def batches() -> Iterator[list[int]]:
        while True:
            yield generator.sample(range(len(packed)), 30)

    def loss_of(classifier: EraClassifier, rows: list[int]) -> Tensor:
        tokens, segments, mask = pad_packed([packed[i] for i in rows], device)
        return F.cross_entropy(classifier(tokens, segments, mask), eras[rows].to(device))

    steps, rate = int(SETTINGS["tuned_steps"]), SETTINGS["tuned_rate"]
    train(classifier, loss_of, batches(), learning_rate=lambda step: rate * (steps + 1 - step) / steps, steps=steps)


@torch.no_grad()
def classify(classifier: EraClassifier, packed: list[Packed], device: torch.device) -> Tensor:
    """The likeliest class of each sentence, (N,), on the CPU."""
    found = []
    for start in range(0, len(packed), 100):
        found.append(classifier(*pad_packed(packed[start : start + 100], device)).argmax(dim=-1).cpu())
    return torch.cat(found)
