"""What is asked of `position_probe`.

An accuracy says little, so each probe asks for the accuracies of several sets of rows, which are made so that one slip changes
them and others do not. Classes lie in clusters, far enough apart that rounding moves no row from one to another; what is
right less often than always is the labels of the rows that are tested, a share of which is drawn anew.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.declare import probe
from autograder.draw import Draw

_SETS = 6
_CLASSES = 5


@dataclass(frozen=True)
class Rows:
    """One set of rows, what of it is for training, and the ridge."""

    features: Tensor
    labels: Tensor
    train: Tensor
    ridge: float


def _mixed(draw: Draw, features: Tensor, labels: Tensor, trained: int, ridge: float) -> Rows:
    """The rows in an order of their own; the first of them are for training."""
    order = draw.normal(len(labels)).argsort()
    return Rows(features[order], labels[order], (torch.arange(len(labels)) < trained)[order], ridge)


def _share(draw: Draw, low: int, high: int) -> Tensor:
    """A share between these percents."""
    return draw.integers(low, high, 1) / 100


def _chosen(draw: Draw, number: int, share: Tensor) -> Tensor:
    """A mask of about this share."""
    return draw.integers(0, 1000, number) < 1000 * share


def _flipped(draw: Draw, labels: Tensor, classes: int, low: int, high: int) -> Tensor:
    """The labels, some percent of them another class's."""
    other = (labels + draw.integers(1, classes, len(labels))) % classes
    return torch.where(_chosen(draw, len(labels), _share(draw, low, high)), other, labels)


def _around(draw: Draw, places: Tensor, centre: int) -> Tensor:
    """Points at these places on a circle around the origin, (N, 2); the mean of the first `centre` is the origin."""
    angles = 2 * math.pi * (places / _CLASSES + draw.integers(0, 1000, 1) / 1000)
    points = 3 * torch.stack([angles.cos(), angles.sin()], dim=1) + draw.normal(len(places), 2, scale=0.2)
    return points - points[:centre].mean(dim=0)


def _along(draw: Draw, places: Tensor) -> Tensor:
    """Points at these places along a line through the origin, and a little beside it: (N, 2)."""
    angle = 2 * math.pi * draw.integers(0, 1000, 1) / 1000
    line, beside = torch.cat([angle.cos(), angle.sin()]), torch.cat([-angle.sin(), angle.cos()])
    return places.unsqueeze(1) * line + draw.normal(len(places), 1, scale=0.2) * beside


def _beside_three(draw: Draw, sides: Tensor) -> Tensor:
    """Places on either side of 3, none of them very near it."""
    return 3 + (2 * sides - 1) * draw.integers(15, 150, len(sides)) / 100


def _plain(draw: Draw) -> Rows:
    """Five classes around the origin."""
    which = torch.cat([torch.arange(70) % _CLASSES, draw.integers(0, _CLASSES, 30)])
    labels = torch.cat([which[:70], _flipped(draw, which[70:], _CLASSES, 10, 30)])
    return _mixed(draw, _around(draw, which, 70), labels, 70, 1e-3)


def _turned(draw: Draw) -> Rows:
    """The same, but most rows that are tested have the label of the next class, and all of them are shifted."""
    which = torch.cat([torch.arange(20) % _CLASSES, draw.integers(0, _CLASSES, 60)])
    features = _around(draw, which, 20)
    features[20:] += _along(draw, torch.tensor([3.0]))
    moved = _chosen(draw, 60, _share(draw, 60, 90))
    labels = torch.cat([which[:20], torch.where(moved, (which[20:] + 1) % _CLASSES, which[20:])])
    return _mixed(draw, features, labels, 20, 1e-3)


def _off_origin(draw: Draw) -> Rows:
    """Two classes on one side of the origin, one of them with few rows."""
    few = draw.integers(0, 2, 1)
    sides = torch.cat([torch.where(torch.arange(30) < 5, few, 1 - few), draw.integers(0, 2, 40)])
    places = torch.cat([2 + 2 * sides[:30] + draw.normal(30, scale=0.1), _beside_three(draw, sides[30:])])
    labels = torch.cat([sides[:30], _flipped(draw, sides[30:], 2, 10, 35)])
    return _mixed(draw, _along(draw, places), labels, 30, 0.02)


def _two_cues(draw: Draw) -> Rows:
    """Two classes told apart by a small feature without noise and a large one with it, which disagree where it is tested."""
    sides = torch.cat([torch.arange(30) % 2, draw.integers(0, 2, 40)])
    sign = 2 * sides - 1.0
    large = torch.cat([sign[:30] + draw.normal(30, scale=1.5), -sign[30:] * draw.integers(5, 300, 40) / 100])
    small = torch.cat([0.1 * sign[:30] + draw.normal(30, scale=0.02), sign[30:] * draw.integers(50, 200, 40) / 1000])
    features = torch.stack([large, small], dim=1)
    features[:30] -= features[:30].mean(dim=0)
    return _mixed(draw, features, sides, 30, (0.5, 2.0, 5.0)[int(draw.integers(0, 3))])


def _strong_ridge(draw: Draw) -> Rows:
    """Two classes on one side of the origin, as many rows of each, and a large ridge."""
    sides = torch.cat([torch.arange(30) % 2, draw.integers(0, 2, 40)])
    places = torch.cat([2 + 2 * sides[:30] + draw.normal(30, scale=0.1), _beside_three(draw, sides[30:])])
    labels = torch.cat([sides[:30], _flipped(draw, sides[30:], 2, 10, 35)])
    return _mixed(draw, _along(draw, places), labels, 30, 30.0)


def scores_of(features: Tensor, labels: Tensor, rows: Tensor, ridge: float, *, intercept: bool = True) -> Tensor:
    """The scores of all rows, fitted on some of them."""
    targets = F.one_hot(labels).to(features.dtype)
    zero = features.new_zeros(())
    middle, level = (features[rows].mean(0), targets[rows].mean(0)) if intercept else (zero, zero)
    x, y = features[rows] - middle, targets[rows] - level
    weight = torch.linalg.solve(x.T @ x + ridge * torch.eye(x.shape[1], dtype=x.dtype), x.T @ y)
    return (features - middle) @ weight + level


def _asked(position_probe, rows: Rows) -> Any:
    return position_probe(rows.features.clone(), rows.labels.clone(), rows.train.clone(), rows.ridge)


def _answers(position_probe, sets: list[Rows]) -> dict[str, Any]:
    """The accuracies, and what they are the accuracies of."""
    return {
        "accuracy": [_asked(position_probe, rows) for rows in sets],
        "features": [rows.features for rows in sets],
        "labels": [rows.labels.to(torch.int32) for rows in sets],
        "train": [rows.train for rows in sets],
        "ridge": [rows.ridge for rows in sets],
    }


@probe("position_probe", draws=2)
def tested(position_probe, draw: Draw):
    """Clusters that any fit tells apart: it matters which rows are counted."""
    return _answers(position_probe, [_plain(draw) for _ in range(_SETS)])


@probe("position_probe", draws=2)
def fitted(position_probe, draw: Draw):
    """Rows for training that say another thing than the others do."""
    return _answers(position_probe, [_turned(draw) for _ in range(_SETS)])


@probe("position_probe", draws=2)
def off_origin(position_probe, draw: Draw):
    """Classes that no plane through the origin tells apart."""
    return _answers(position_probe, [_off_origin(draw) for _ in range(_SETS)])


@probe("position_probe", draws=2)
def ridges(position_probe, draw: Draw):
    """The ridge decides which of two features is believed."""
    return _answers(position_probe, [_two_cues(draw) for _ in range(_SETS)])


@probe("position_probe", draws=2)
def strong(position_probe, draw: Draw):
    """A ridge so large that an intercept under it would be bent."""
    return {"accuracy": [_asked(position_probe, _strong_ridge(draw)) for _ in range(_SETS)]}


@probe("position_probe", draws=2)
def numbers(position_probe, draw: Draw):
    """Labels with gaps between them, the largest of which no row for training has."""
    found = []
    for _ in range(_SETS):
        rows = _plain(draw)
        labels = torch.tensor([1, 2, 6, 7, 9])[rows.labels]
        labels[~rows.train & _chosen(draw, len(labels), torch.tensor(0.1))] = 12
        found.append(position_probe(rows.features, labels, rows.train, rows.ridge))
    return {"accuracy": found}


@probe("position_probe", draws=2)
def sizes(position_probe, draw: Draw):
    """One row to test, many times; and one feature."""
    single, narrow = [], []
    for _ in range(3 * _SETS):
        rows = _off_origin(draw)
        kept = rows.train | (torch.arange(len(rows.train)) == (~rows.train).nonzero()[0])
        single.append(position_probe(rows.features[kept], rows.labels[kept], rows.train[kept], rows.ridge))
        places = rows.features.norm(dim=1, keepdim=True)
        narrow.append(position_probe(places, rows.labels, rows.train, rows.ridge))
    return {"one row": single, "one feature": narrow}


@probe("position_probe", draws=2)
def double(position_probe, draw: Draw):
    """Features in double precision."""
    sets = [_off_origin(draw) for _ in range(_SETS)]
    return {"accuracy": [position_probe(rows.features.double(), rows.labels, rows.train, rows.ridge) for rows in sets]}


@probe("position_probe", draws=2)
def left(position_probe, draw: Draw):
    """The arguments as they are after the call."""
    sets = [_off_origin(draw) for _ in range(_SETS)]
    return {
        "accuracy": [position_probe(rows.features, rows.labels, rows.train, rows.ridge) for rows in sets],
        "features": [rows.features for rows in sets],
        "labels": [rows.labels for rows in sets],
        "train": [rows.train for rows in sets],
    }
