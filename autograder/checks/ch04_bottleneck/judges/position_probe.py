"""What is right about `position_probe`, and what is said when it is not."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.checks.ch04_bottleneck.probes import position_probe as probes
from autograder.compare import is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_ROWS = "the accuracy is measured on the rows that are not for training"
_FIT = "nothing is learned from the test rows"
_INTERCEPT = "an intercept separates classes that are far from the origin"
_RIDGE = "the ridge is used as it is given"

_A_ROW = (1 / 30, 1 / 40, 1 / 60)
"""One row more or less of the 30, 40 or 60 that are tested: where it lies between two classes, rounding may decide."""

Accuracy = Callable[[Tensor, Tensor, Tensor, float], float]


def _near(got: Any, want: Any) -> bool:
    """Whether all accuracies are right, but for one row of each set."""
    if isinstance(want, list):
        return all(_near(one, other) for one, other in zip(got, want, strict=True))
    return any(is_close(abs(got - want), away, atol=1e-4) for away in (0.0, *_A_ROW))


def _distance(got: list[float], want: list[float]) -> float:
    """How far all accuracies together are apart."""
    return sum(abs(one - other) for one, other in zip(got, want, strict=True))


def _of_sets(want: Any, accuracy: Accuracy) -> list[float]:
    """What some way to compute the accuracy makes of the sets that were asked about."""
    sets = zip(want["features"], want["labels"], want["train"], want["ridge"], strict=True)
    return [accuracy(features, labels.long(), train, ridge) for features, labels, train, ridge in sets]


def _share(scores: Tensor, labels: Tensor, rows: Tensor) -> float:
    return float((scores.argmax(-1) == labels)[rows].float().mean())


def _judged(got: Any, want: Any, mistakes: dict[str, Accuracy]) -> Verdict:
    """The accuracies against the right ones, and against what each mistake makes of them."""
    found, right = got["accuracy"], want["accuracy"]
    if _near(found, right):
        return passed()
    if any(math.isnan(one) for one in found):
        return failed("an accuracy is NaN, expected a number from 0 to 1")
    if is_close(found, right, atol=0.0051):
        return failed("the accuracies are nearly right, but not exact: were they rounded?")
    far = {message: _distance(found, _of_sets(want, accuracy)) for message, accuracy in mistakes.items()}
    nearest = min(
        far, key=lambda message: far[message]
    )  # Two mistakes may give the same accuracies: then the first is said.
    if far[nearest] < 1.04 * max(_A_ROW):
        return failed(nearest)
    first = next(i for i, (one, other) in enumerate(zip(found, right, strict=True)) if not _near(one, other))
    tested = int((~want["train"][first]).sum())
    return failed(f"an accuracy is {found[first]:.4g}, off by {abs(found[first] - right[first]):.2f} ({tested} rows)")


@judge(
    _ROWS,
    probe=probes.tested,
    points=2,
    hint="train is a mask: features[train] are the rows to fit on, and features[~train] are the test rows. The "
    "prediction for a row is the class with the largest score, the argmax over the classes. The accuracy is the share "
    "of test rows whose label equals the prediction, as a plain number.",
)
def rows_that_are_tested(got: Any, want: Any) -> Verdict:
    """Which rows are counted, and how."""
    fits = probes.scores_of

    def regressed(features: Tensor, labels: Tensor, train: Tensor, ridge: float) -> float:
        numbers = labels.float()
        x = features - features[train].mean(0)
        weight = torch.linalg.solve(x[train].T @ x[train], x[train].T @ (numbers[train] - numbers[train].mean()))
        return float(((x @ weight + numbers[train].mean()).round() == numbers)[~train].float().mean())

    return _judged(
        got,
        want,
        {
            (
                "the accuracy was measured on the training rows, whose labels the fit has seen; expected on the other "
                "rows"
            ): (lambda x, y, train, ridge: _share(fits(x, y, train, ridge), y, train)),
            "the accuracy was measured on all rows, including the training rows; expected only on the other rows": (
                lambda x, y, train, ridge: _share(fits(x, y, train, ridge), y, torch.ones_like(train))
            ),
            (
                "the mask is used the wrong way round: the probe was fitted where train is False, and tested where it "
                "is True"
            ): (lambda x, y, train, ridge: _share(fits(x, y, ~train, ridge), y, train)),
            (
                "the result is the share of rows that are predicted wrongly, expected the share that are predicted "
                "correctly"
            ): (lambda x, y, train, ridge: 1 - _share(fits(x, y, train, ridge), y, ~train)),
            "the result is the number of rows that are predicted correctly, expected their share": (
                lambda x, y, train, ridge: float((~train).sum()) * _share(fits(x, y, train, ridge), y, ~train)
            ),
            "the accuracy is in percent, expected from 0 to 1": (
                lambda x, y, train, ridge: 100 * _share(fits(x, y, train, ridge), y, ~train)
            ),
            "the number of correct rows was divided by the number of all rows, expected by the number of test rows": (
                lambda x, y, train, ridge: _share(fits(x, y, train, ridge), y, ~train) * float((~train).float().mean())
            ),
            "the class with the smallest score was predicted, expected the class with the largest": (
                lambda x, y, train, ridge: _share(-fits(x, y, train, ridge), y, ~train)
            ),
            (
                "the labels were fitted as quantities, as if class 3 were larger than class 2; expected a column for "
                "each class"
            ): (regressed),
        },
    )


@judge(
    _FIT,
    probe=probes.fitted,
    points=1,
    needs=(_ROWS,),
    hint="Compute weights, intercept and means from features[train] and labels[train] alone. The mean of the test "
    "rows is not known before they are tested.",
)
def fitted_on_training(got: Any, want: Any) -> Verdict:
    """What the fit may see."""

    def centred_on_all(features: Tensor, labels: Tensor, train: Tensor, ridge: float) -> float:
        x = features - features.mean(0)
        targets = F.one_hot(labels).float()
        weight = torch.linalg.solve(x[train].T @ x[train] + ridge * torch.eye(x.shape[1]), x[train].T @ targets[train])
        return _share(x @ weight, labels, ~train)

    return _judged(
        got,
        want,
        {
            (
                "the probe was fitted on all rows, including the test rows and their labels; expected only the training "
                "rows"
            ): (lambda x, y, train, ridge: _share(probes.scores_of(x, y, torch.ones_like(train), ridge), y, ~train)),
            "the probe was fitted on the test rows, expected on the training rows": (
                lambda x, y, train, ridge: _share(probes.scores_of(x, y, ~train, ridge), y, ~train)
            ),
            "the mean of all rows was subtracted, expected the mean of the training rows": centred_on_all,
        },
    )


@judge(
    _INTERCEPT,
    probe=probes.off_origin,
    points=1,
    needs=(_ROWS, _FIT),
    hint="Without b every score is 0 at the origin, wherever the classes are. Subtract the training means from the "
    "features and from the one-hot labels, fit, and take both into account when you predict: b = ȳ - Wᵀ x̄.",
)
def has_intercept(got: Any, want: Any) -> Verdict:
    """The intercept."""

    def levels_forgotten(features: Tensor, labels: Tensor, train: Tensor, ridge: float) -> float:
        level = F.one_hot(labels).float()[train].mean(0)
        return _share(probes.scores_of(features, labels, train, ridge) - level, labels, ~train)

    def means_put_back_wrongly(features: Tensor, labels: Tensor, train: Tensor, ridge: float) -> float:
        level = F.one_hot(labels).float()[train].mean(0)
        middle = features[train].mean(0)
        scores = probes.scores_of(features, labels, train, ridge)
        at_zero = probes.scores_of(
            torch.cat([features, middle.new_zeros(1, len(middle))]), F.pad(labels, (0, 1)), F.pad(train, (0, 1)), ridge
        )
        return _share(scores - at_zero[-1] + level, labels, ~train)

    return _judged(
        got,
        want,
        {
            (
                "there is no intercept: the scores are Wᵀ x alone, and no plane through the origin separates these "
                "classes"
            ): (lambda x, y, train, ridge: _share(probes.scores_of(x, y, train, ridge, intercept=False), y, ~train)),
            "the mean of the one-hot labels is missing from the scores: both terms of b = ȳ - Wᵀ x̄ are needed": levels_forgotten,
            (
                "the mean of the features was subtracted for the fit but not for the prediction: both terms of b = ȳ - "
                "Wᵀ x̄ are needed"
            ): (means_put_back_wrongly),
        },
    )


@judge(
    _RIDGE,
    probe=probes.ridges,
    points=1,
    needs=(_ROWS, _FIT, _INTERCEPT),
    hint="The ridge is added to each diagonal entry of XᵀX, which is a sum over the training rows and not a mean. Do "
    "not rescale the features.",
)
def ridge_as_given(got: Any, want: Any) -> Verdict:
    """How large the ridge is."""

    def scaled(scale: Callable[[float, int], float]) -> Accuracy:
        return lambda x, y, train, ridge: _share(
            probes.scores_of(x, y, train, scale(ridge, int(train.sum()))), y, ~train
        )

    return _judged(
        got,
        want,
        {
            "the ridge has no effect, as if it were 0: it is missing, or the features were rescaled first": scaled(
                lambda ridge, rows: 0.0
            ),
            "the ridge was multiplied by the number of training rows: XᵀX is a sum over the rows, not a mean": scaled(
                lambda ridge, rows: ridge * rows
            ),
            "the ridge was divided by the number of training rows": scaled(lambda ridge, rows: ridge / rows),
            "the ridge was squared": scaled(lambda ridge, rows: ridge**2),
            "the square root of the ridge was added to the diagonal": scaled(lambda ridge, rows: ridge**0.5),
            "the ridge was added twice": scaled(lambda ridge, rows: 2 * ridge),
            "only half of the ridge was added": scaled(lambda ridge, rows: ridge / 2),
        },
    )


def _all_near(got: Any, want: Any) -> Verdict:
    """The accuracies, and nothing else."""
    for name, right in want.items():
        if not _near(got[name], right):
            return failed(f"{name}: the accuracies are {got[name]}, which are not the expected ones"[:400])
    return passed()


no_price = judge(
    "the intercept is not penalised",
    probe=probes.strong,
    points=1,
    hidden=True,
    needs=(_ROWS, _FIT, _INTERCEPT, _RIDGE),
    hint="The ridge shrinks the weights towards 0, but the intercept is not one of them. If you append a column of "
    "ones to the features, the diagonal that you add needs a 0 for this column.",
)(_all_near)

labels = judge(
    "labels may skip numbers, and a class may occur only in the test rows",
    probe=probes.numbers,
    points=1,
    hidden=True,
    needs=(_ROWS, _FIT),
    hint="The number of columns is one more than the largest label, however few different labels there are. A class "
    "that does not occur in the training rows is never predicted, so its rows count as wrong.",
)(_all_near)

sizes = judge(
    "one test row and one feature work too",
    probe=probes.sizes,
    points=1,
    hidden=True,
    needs=(_ROWS, _FIT, _INTERCEPT),
    hint=(
        "Features of shape (N, 1) must remain a matrix, and so must the scores of one row: squeeze() removes every "
        "dimension of size one."
    ),
)(_all_near)

double = judge(
    "double precision works",
    probe=probes.double,
    points=1,
    hidden=True,
    needs=(_ROWS, _FIT, _INTERCEPT),
    hint="A matrix product needs the same dtype on both sides: convert the one-hot labels to features.dtype.",
)(_all_near)


@judge(
    "the arguments are left as they were",
    probe=probes.left,
    points=1,
    arguments=True,
    needs=(_ROWS, _FIT, _INTERCEPT),
    hint="features -= mean changes the caller's tensor; features - mean makes a new one.",
)
def leaves_arguments(got: Any, want: Any) -> Verdict:
    """The accuracies are right and the arguments are the caller's still."""
    for name in ("features", "labels", "train"):
        if not is_close(got[name], want[name]):
            return failed(f"the call changed its argument {name}")
    return _all_near({"accuracy": got["accuracy"]}, {"accuracy": want["accuracy"]})
