"""The chapter's task with few labels, which era a sentence is from, and five ways to learn it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqlab.linear import bag_of_pieces, logistic_regression, naive_bayes
from seqlab.presidents import load_speeches
from seqlab.training import train
from seqlab.wordpieces import CLS, SEP, load_pieces, pad_packed

from ..model import BertForPreTraining
from ._shared import D_MODEL, LONG, make_model

ERAS = (1860, 1930)
"""The first years of the second and of the third class."""
LEAST_WORDS = 8
"""The fewest words of a sentence that is asked about."""
TESTS = 300
"""How many sentences of each class are classified."""
LABELS = (30, 90)
"""How many labels there are to learn from, a third of each class."""
DRAWS, TUNING_DRAWS = 5, 2
"""How often they are drawn for each model, and how often others to choose a setting by."""
STEPS = 100
"""Training steps of a network, 30 sentences each."""
SETTINGS: dict[str, tuple[Any, ...]] = {
    "words": tuple(("bayes", smoothing) for smoothing in (0.03, 0.1, 0.3, 1.0, 3.0))
    + tuple(("logistic", penalty) for penalty in (3e-4, 1e-3, 1e-2, 3e-2)),
    "vectors": (1e-5, 1e-4, 1e-3, 1e-2),
    "frozen": (1e-5, 1e-4, 1e-3, 1e-2),
    "tuned": (1e-4, 3e-4, 1e-3, 3e-3),
    "scratch": (1e-4, 3e-4, 1e-3, 3e-3),
}
"""What each way may choose from, by its accuracy on validation speeches: kind and strength of smoothing, the penalty for large weights of
logistic regression, or a learning rate.

`words` is a bag of pieces; `vectors` the mean of the pieces' vectors in the pre-trained table, as if they stood alone; `frozen` the mean of the
states of the pre-trained encoder, which does not learn any more; `tuned` the whole pre-trained network with a new layer on [CLS]; `scratch`
the same network without pre-training."""

NETWORKS = ("tuned", "scratch")

Packed = tuple[list[int], list[int]]


class EraClassifier(nn.Module):
    """An encoder with a new layer on the state of [CLS]."""

    def __init__(self, bert: BertForPreTraining) -> None:
        """Make the layer."""
        super().__init__()
        self.bert = bert
        self.head = nn.Linear(D_MODEL, len(ERAS) + 1)

    def forward(self, tokens: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """Logits of the classes, (B, C)."""
        return self.head(self.bert.encode(tokens, segments, mask)[:, 0])


@cache
def _sentences_by_era(part: str) -> list[list[Packed]]:
    """The sentences of a part that are long enough to tell, each packed alone, by the class of their speech."""
    found: list[list[Packed]] = [[] for _ in range(len(ERAS) + 1)]
    for speech in getattr(load_speeches(), part):
        for words in speech.sentences:
            if len(words) >= LEAST_WORDS:
                ids = load_pieces().encode(words)[:LONG]
                found[sum(speech.year >= year for year in ERAS)].append(
                    ([CLS, *ids, SEP], [0] * (len(ids) + 2))
                )
    return found


def draw_sentences(part: str, per_class: int, seed: int) -> tuple[list[Packed], Tensor]:
    """As many sentences of each class, and their classes."""
    generator = random.Random(seed)
    groups = [generator.sample(group, per_class) for group in _sentences_by_era(part)]
    eras = torch.arange(len(groups)).repeat_interleave(per_class)
    return [packed for group in groups for packed in group], eras


def compare(
    model: BertForPreTraining, seed: int, kinds: Iterable[str], device: torch.device
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Learn the task in several ways from the same labels.

    Args:
        model: The pre-trained model; it is not changed.
        seed: Of the labels that are drawn, and of new weights.
        kinds: Some of the ways in `SETTINGS`.
        device: Where the model is.

    Returns:
        A row for each draw, with the accuracy of each way on the test speeches in per cent; and for each number of labels and way the setting
        that was best on the validation speeches after other draws.
    """
    kinds, rows, chosen = tuple(kinds), [], {}
    asked = {
        (part, kind): _features(model, kind, draw_sentences(part, TESTS, 0)[0], device)
        for part in ("valid", "test")
        for kind in kinds
        if kind not in NETWORKS
    }

    def accuracy(kind: str, setting: Any, part: str, labels: int, draw: int) -> float:
        packed, eras = draw_sentences("train", labels // (len(ERAS) + 1), draw)
        if kind in NETWORKS:
            start = model.state_dict() if kind == "tuned" else None
            found = _by_network(start, setting, packed, eras, part, draw, device)
        else:
            found = _by_line(
                kind,
                setting,
                _features(model, kind, packed, device),
                eras,
                asked[part, kind],
            )
        return 100 * (found == draw_sentences(part, TESTS, 0)[1]).float().mean().item()

    for labels in LABELS:
        best = {}
        for kind in kinds:
            tried = {
                setting: sum(
                    accuracy(kind, setting, "valid", labels, 1000 + 100 * seed + draw)
                    for draw in range(TUNING_DRAWS)
                )
                for setting in SETTINGS[kind]
            }
            best[kind] = max(tried, key=lambda setting: tried[setting])
        chosen[str(labels)] = best
        for draw in range(DRAWS):
            found = {
                kind: round(
                    accuracy(kind, best[kind], "test", labels, 100 * seed + draw), 2
                )
                for kind in kinds
            }
            rows.append({"labels": labels, "draw": draw, **found})
    return rows, chosen


def _by_network(
    start: dict[str, Tensor] | None,
    rate: float,
    packed: list[Packed],
    eras: Tensor,
    part: str,
    seed: int,
    device: torch.device,
) -> Tensor:
    """The classes of a part's sentences, (N,), by a network that learns from labelled ones, from given weights or from new ones."""
    torch.manual_seed(seed)
    bert = make_model()
    if start is not None:
        bert.load_state_dict(start)
    classifier = EraClassifier(bert).to(device)
    _fit(classifier, packed, eras, rate, seed, device)
    return _classify(classifier, draw_sentences(part, TESTS, 0)[0], device)


def _by_line(
    kind: str, setting: Any, known: Tensor, eras: Tensor, asked: Tensor
) -> Tensor:
    """The classes of texts with the features `asked`, (N,), by a linear classifier that learns from those that are known."""
    if kind != "words":
        centre = known.mean(dim=0)
        return logistic_regression(known - centre, eras, setting).classify(
            asked - centre
        )
    name, strength = setting
    if name == "bayes":
        return naive_bayes(known, eras, strength).classify(asked)
    return logistic_regression(F.normalize(known, dim=-1), eras, strength).classify(
        F.normalize(asked, dim=-1)
    )


@torch.no_grad()
def _features(
    model: BertForPreTraining, kind: str, packed: list[Packed], device: torch.device
) -> Tensor:
    """What a linear way sees of each sentence: counts of its pieces, or a mean of vectors of length one."""
    counts = bag_of_pieces([ids[1:-1] for ids, _ in packed], len(load_pieces()))
    if kind == "words":
        return counts
    if kind == "vectors":
        return F.normalize(counts @ model.embeddings.token.weight.cpu(), dim=-1)
    found = []
    for start in range(0, len(packed), 100):
        tokens, segments, mask = pad_packed(packed[start : start + 100], device)
        states = model.encode(tokens, segments, mask)
        found.append((states * mask.unsqueeze(-1)).sum(dim=1).cpu())
    return F.normalize(torch.cat(found), dim=-1)


def _fit(
    classifier: EraClassifier,
    packed: list[Packed],
    eras: Tensor,
    rate: float,
    seed: int,
    device: torch.device,
) -> None:
    """Train a classifier on labelled sentences, 30 at a time, at a rate that falls to zero."""
    generator = random.Random(seed)

    def batches() -> Iterator[list[int]]:
        while True:
            yield generator.sample(range(len(packed)), 30)

    def loss_of(classifier: EraClassifier, rows: list[int]) -> Tensor:
        tokens, segments, mask = pad_packed([packed[i] for i in rows], device)
        return F.cross_entropy(
            classifier(tokens, segments, mask), eras[rows].to(device)
        )

    train(classifier, loss_of, batches(), learning_rate=rate, steps=STEPS)


@torch.no_grad()
def _classify(
    classifier: EraClassifier, packed: list[Packed], device: torch.device
) -> Tensor:
    """The most probable class of each sentence, (N,), on the CPU."""
    found = []
    for start in range(0, len(packed), 100):
        found.append(
            classifier(*pad_packed(packed[start : start + 100], device))
            .argmax(dim=-1)
            .cpu()
        )
    return torch.cat(found)
