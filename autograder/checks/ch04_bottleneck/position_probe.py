"""The checks of `position_probe`."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import close, is_close, up_to_a_factor
from autograder.judging.verdict import Verdict, passed

EXERCISE = Exercise("position_probe", "a linear probe, fitted in closed form", minutes=25, difficulty=2)


@in_use(gradients=False, devices=False)
def in_chapter(position_probe, draw: Draw) -> Use:
    """States of words at places 0 to 6 that lie far from zero, some close together; then of fewer places and with another ridge."""

    def call(problems: list[tuple[Any, ...]]) -> list[float]:
        return [position_probe(*problem) for problem in problems]

    def given(number: int, places: int, ridge: float) -> tuple[Tensor, Tensor, Tensor, float]:
        labels, train = torch.arange(number) % places, (torch.arange(number) // places) % 3 > 0
        features = draw.normal(places, 9)[labels] + draw.normal(number, 9) + 5
        first, second = scores_of(features.double(), labels, train, ridge).topk(2).values.unbind(-1)
        clear = train | (first - second > 1e-3)  # Rounding moves no row that is tested from one place to another.
        return features[clear], labels[clear], train[clear], ridge

    first = [given(int(draw.integers(180, 300)), places, 0.5) for places in (7, 3, 25)]
    return Use(call, (first,), ([given(60, 3, 20.0)],))


_A_ROW = (1 / 30, 1 / 40, 1 / 60)
"""One row more or less of the 30, 40 or 60 that are tested: where it lies between two classes, rounding may decide."""


def _near(got: Any, want: Any) -> bool:
    if isinstance(want, list):
        return all(_near(one, other) for one, other in zip(got, want, strict=True))
    if isinstance(want, Tensor):
        return is_close(got, want)
    return any(is_close(abs(got - want), away, atol=1e-4) for away in (0.0, *_A_ROW))


def near(got: Any, want: Any) -> Verdict:
    """Whether all accuracies are right, but for one row of each set."""
    if all(_near(got[name], right) for name, right in want.items()):
        return passed()
    return close()(got, want)


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


def scores_of(features: Tensor, labels: Tensor, rows: Tensor, ridge: float) -> Tensor:
    """The scores of all rows, fitted on some of them."""
    targets = F.one_hot(labels).to(features.dtype)
    middle, level = features[rows].mean(0), targets[rows].mean(0)
    x, y = features[rows] - middle, targets[rows] - level
    weight = torch.linalg.solve(x.T @ x + ridge * torch.eye(x.shape[1], dtype=x.dtype), x.T @ y)
    return (features - middle) @ weight + level


def _asked(position_probe, rows: Rows) -> Any:
    return position_probe(rows.features.clone(), rows.labels.clone(), rows.train.clone(), rows.ridge)


def _answers(position_probe, sets: list[Rows]) -> dict[str, Any]:
    return {"accuracy": [_asked(position_probe, rows) for rows in sets]}


@check(
    "the accuracy is measured on the rows that are not for training",
    points=2,
    draws=2,
    compare=near,
    hint="train is a mask: features[train] are the rows to fit on, and features[~train] are the test rows. The "
    "prediction for a row is the class with the largest score, the argmax over the classes. The accuracy is the share "
    "of test rows whose label equals the prediction, as a plain number.",
)
def tested(position_probe, draw: Draw):
    """Clusters that any fit tells apart: it matters which rows are counted."""
    return _answers(position_probe, [_plain(draw) for _ in range(_SETS)])


@tested.explain
def no_number(got, want):
    """NaN."""
    if any(math.isnan(accuracy) for accuracy in got["accuracy"]):
        return "an accuracy is NaN, expected a number from 0 to 1"
    return None


@check(
    "nothing is learned from the test rows",
    points=1,
    needs=tested,
    draws=2,
    compare=up_to_a_factor(near),
    hint="Compute weights, intercept and means from features[train] and labels[train] alone. The mean of the test "
    "rows is not known before they are tested.",
)
def fitted(position_probe, draw: Draw):
    """Rows for training that say another thing than the others do."""
    return _answers(position_probe, [_turned(draw) for _ in range(_SETS)])


@check(
    "an intercept separates classes that are far from the origin",
    points=1,
    needs=(tested, fitted),
    draws=2,
    compare=up_to_a_factor(near),
    hint="Without b every score is 0 at the origin, wherever the classes are. Subtract the training means from the "
    "features and from the one-hot labels, fit, and take both into account when you predict: b = ȳ - Wᵀ x̄.",
)
def off_origin(position_probe, draw: Draw):
    """Classes that no plane through the origin tells apart."""
    return _answers(position_probe, [_off_origin(draw) for _ in range(_SETS)])


@check(
    "the ridge is used as it is given",
    points=1,
    needs=(tested, fitted, off_origin),
    draws=2,
    compare=up_to_a_factor(near),
    hint="The ridge is added to each diagonal entry of XᵀX, which is a sum over the training rows and not a mean. Do "
    "not rescale the features.",
)
def ridges(position_probe, draw: Draw):
    """The ridge decides which of two features is believed."""
    return _answers(position_probe, [_two_cues(draw) for _ in range(_SETS)])


@check(
    "the intercept is not penalised",
    points=1,
    hidden=True,
    needs=(tested, fitted, off_origin, ridges),
    draws=2,
    compare=up_to_a_factor(near),
    hint="The ridge shrinks the weights towards 0, but the intercept is not one of them. If you append a column of "
    "ones to the features, the diagonal that you add needs a 0 for this column.",
)
def strong(position_probe, draw: Draw):
    """A ridge so large that an intercept under it would be bent."""
    return _answers(position_probe, [_strong_ridge(draw) for _ in range(_SETS)])


@check(
    "labels may skip numbers, and a class may occur only in the test rows",
    points=1,
    needs=(tested, fitted),
    draws=2,
    compare=up_to_a_factor(near),
    hint="The number of columns is one more than the largest label, however few different labels there are. A class "
    "that does not occur in the training rows is never predicted, so its rows count as wrong.",
)
def numbers(position_probe, draw: Draw):
    """Labels with gaps between them, the largest of which no row for training has."""
    found = []
    for _ in range(_SETS):
        rows = _plain(draw)
        labels = torch.tensor([1, 2, 6, 7, 9])[rows.labels]
        labels[~rows.train & _chosen(draw, len(labels), torch.tensor(0.1))] = 12
        found.append(position_probe(rows.features, labels, rows.train, rows.ridge))
    return {"accuracy": found}


@check(
    "one test row and one feature work too",
    points=1,
    hidden=True,
    needs=(tested, fitted, off_origin),
    draws=2,
    compare=near,
    hint="Features of shape (N, 1) must remain a matrix, and so must the scores of one row: squeeze() removes every "
    "dimension of size one.",
)
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


@check(
    "double precision works",
    points=1,
    hidden=True,
    needs=(tested, fitted, off_origin),
    draws=2,
    compare=near,
    hint="A matrix product needs the same dtype on both sides: convert the one-hot labels to features.dtype.",
)
def double(position_probe, draw: Draw):
    """Features in double precision."""
    sets = [_off_origin(draw) for _ in range(_SETS)]
    return {"accuracy": [position_probe(rows.features.double(), rows.labels, rows.train, rows.ridge) for rows in sets]}


@check(
    "the arguments are left as they were",
    points=1,
    needs=(tested, fitted, off_origin),
    draws=2,
    arguments=True,
    compare=up_to_a_factor(near),
    hint="features -= mean changes the caller's tensor; features - mean makes a new one.",
)
def left(position_probe, draw: Draw):
    """The arguments as they are after the call."""
    sets = [_off_origin(draw) for _ in range(_SETS)]
    return {
        "accuracy": [position_probe(rows.features, rows.labels, rows.train, rows.ridge) for rows in sets],
        "features": [rows.features for rows in sets],
        "labels": [rows.labels for rows in sets],
        "train": [rows.train for rows in sets],
    }
