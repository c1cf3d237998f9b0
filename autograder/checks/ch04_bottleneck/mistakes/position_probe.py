"""Mistakes in `position_probe`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch04_bottleneck.position_probe import (
    double,
    fitted,
    left,
    numbers,
    off_origin,
    ridges,
    sizes,
    strong,
    tested,
)
from autograder.judging.catalogue import mistake, right


def one_hot_of(labels, features):
    return F.one_hot(labels).to(features.dtype)


def solved(x, y, ridge):
    """The weights without an intercept."""
    return torch.linalg.solve(x.T @ x + ridge * torch.eye(x.shape[1], dtype=x.dtype), x.T @ y)


def scores_of(features, labels, train, ridge):
    """The scores of all rows, fitted on the training rows."""
    targets = one_hot_of(labels, features)
    middle, level = features[train].mean(dim=0), targets[train].mean(dim=0)
    return (features - middle) @ solved(features[train] - middle, targets[train] - level, ridge) + level


def share(scores, labels, rows):
    return (scores.argmax(dim=-1) == labels)[rows].double().mean().item()


@right
def usual(features, labels, train, ridge):
    targets = one_hot_of(labels, features)
    middle, level = features[train].mean(dim=0), targets[train].mean(dim=0)
    weight = solved(features[train] - middle, targets[train] - level, ridge)
    return share((features - middle) @ weight + level, labels, ~train)


@right
def right_answer(features, labels, train, ridge):
    return share(scores_of(features, labels, train, ridge), labels, ~train)


@mistake(
    tested, "the accuracy is measured on the training rows, whose labels the fit has seen; expected on the other rows"
)
def tests_on_training_rows(features, labels, train, ridge):
    return share(scores_of(features, labels, train, ridge), labels, train)


@mistake(tested, "the accuracy is measured on all rows, including the training rows; expected only on the other rows")
def tests_on_all_rows(features, labels, train, ridge):
    return share(scores_of(features, labels, train, ridge), labels, torch.ones_like(train))


@mistake(tested, "the mask is inverted: the probe is fitted where train is False, and tested where it is True")
def mask_inverted(features, labels, train, ridge):
    return right_answer(features, labels, ~train, ridge)


@mistake(tested, "the probe is fitted on the test rows, expected on the training rows")
def fitted_and_tested_on_the_rest(features, labels, train, ridge):
    return tests_on_training_rows(features, labels, ~train, ridge)


@mistake(
    tested,
    "the result is the share of rows that are predicted wrongly, expected the share that are predicted correctly",
)
def error_rate(features, labels, train, ridge):
    return 1 - right_answer(features, labels, train, ridge)


@mistake(tested, "the accuracy is in percent, expected from 0 to 1")
def in_percent(features, labels, train, ridge):
    return 100 * right_answer(features, labels, train, ridge)


@mistake(tested, "the result is the number of rows that are predicted correctly, expected their share")
def counted(features, labels, train, ridge):
    return float((scores_of(features, labels, train, ridge).argmax(-1) == labels)[~train].sum())


@mistake(tested, "the number of correct rows is divided by the number of all rows, expected by the number of test rows")
def over_all_rows(features, labels, train, ridge):
    right = (scores_of(features, labels, train, ridge).argmax(-1) == labels) & ~train
    return right.float().mean().item()


@mistake(tested, "the class with the smallest score is predicted, expected the class with the largest")
def smallest_score(features, labels, train, ridge):
    return share(-scores_of(features, labels, train, ridge), labels, ~train)


@mistake(tested, "the argmax is taken over the rows, expected over the classes")
def argmax_over_rows(features, labels, train, ridge):
    return (scores_of(features, labels, train, ridge)[~train].argmax(dim=0) == labels[~train]).float().mean().item()


@mistake(
    tested,
    "the labels are fitted as quantities, as if class 3 were larger than class 2; expected a column for each class",
)
def labels_as_numbers(features, labels, train, ridge):
    numbers = labels.to(features.dtype).unsqueeze(1)
    middle, level = features[train].mean(0), numbers[train].mean(0)
    scores = (features - middle) @ solved(features[train] - middle, numbers[train] - level, ridge) + level
    return (scores.round() == numbers)[~train].float().mean().item()


@mistake(tested, "the most frequent class is predicted for every row, and the features are not used")
def majority(features, labels, train, ridge):
    return (labels[~train] == labels[train].mode().values).float().mean().item()


@mistake(fitted, "the result is a tensor, expected a plain number")
def a_tensor(features, labels, train, ridge):
    return torch.tensor(right_answer(features, labels, train, ridge))


@mistake(tested, "the result is the predicted classes, expected the accuracy")
def predictions(features, labels, train, ridge):
    return scores_of(features, labels, train, ridge)[~train].argmax(-1)


@mistake(tested, "the weights are returned as well, expected the accuracy alone")
def two_results(features, labels, train, ridge):
    return right_answer(features, labels, train, ridge), features


@mistake(tested, "the one-hot labels are integers, expected the dtype of the features")
def whole_numbers(features, labels, train, ridge):
    targets = F.one_hot(labels)
    return share(features @ solved(features[train], targets[train], ridge), labels, ~train)


@mistake(tested, "the mean of each row is subtracted, expected the mean of each column")
def means_of_rows(features, labels, train, ridge):
    targets = one_hot_of(labels, features)
    x = features - features.mean(dim=1, keepdim=True)
    level = targets[train].mean(0)
    return share(x @ solved(x[train], targets[train] - level, ridge) + level, labels, ~train)


@mistake(tested, "there is no return")
def nothing_returned(features, labels, train, ridge):
    right_answer(features, labels, train, ridge)


@mistake(
    fitted, "the probe is fitted on all rows, including the test rows and their labels; expected only the training rows"
)
def fitted_on_all_rows(features, labels, train, ridge):
    return share(scores_of(features, labels, torch.ones_like(train), ridge), labels, ~train)


@mistake(fitted, "the mean of all rows is subtracted, expected the mean of the training rows")
def centred_on_all_rows(features, labels, train, ridge):
    targets = one_hot_of(labels, features)
    x, level = features - features.mean(dim=0), targets[train].mean(dim=0)
    return share(x @ solved(x[train], targets[train] - level, ridge) + level, labels, ~train)


@mistake(fitted, "the mean of the test rows is subtracted from them, expected the mean of the training rows")
def each_part_centred_on_itself(features, labels, train, ridge):
    targets = one_hot_of(labels, features)
    level = targets[train].mean(dim=0)
    weight = solved(features[train] - features[train].mean(dim=0), targets[train] - level, ridge)
    return share((features - features[~train].mean(dim=0)) @ weight + level, labels, ~train)


@mistake(
    off_origin,
    "there is no intercept: the scores are Wᵀ x alone, and no plane through the origin separates these classes",
)
def without_intercept(features, labels, train, ridge):
    return share(features @ solved(features[train], one_hot_of(labels, features)[train], ridge), labels, ~train)


@mistake(
    off_origin,
    "there is no intercept: the scores are Wᵀ x alone, and no plane through the origin separates these classes",
)
def without_intercept_by_inverse(features, labels, train, ridge):
    x, y = features[train], one_hot_of(labels, features)[train]
    weight = (x.T @ x + ridge * torch.eye(x.shape[1])).inverse() @ x.T @ y
    return share(features @ weight, labels, ~train)


mistake(
    off_origin, "the mean of the one-hot labels is missing from the scores: both terms of b = ȳ - Wᵀ x̄ are needed"
).made_in(usual, without_level={" + level": ""})
mistake(
    off_origin,
    "the mean of the features is subtracted for the fit but not for the prediction: both terms of b = ȳ - Wᵀ x̄ are needed",
).made_in(usual, centred_for_the_fit_alone={"(features - middle) @ weight": "features @ weight"})


@mistake(off_origin, "only the labels are centred; the mean of the features has to be subtracted as well")
def labels_centred_alone(features, labels, train, ridge):
    targets = one_hot_of(labels, features)
    level = targets[train].mean(dim=0)
    return share(features @ solved(features[train], targets[train] - level, ridge) + level, labels, ~train)


@mistake(ridges, "the ridge has no effect, as if it were 0")
def no_ridge(features, labels, train, ridge):
    return right_answer(features, labels, train, 0.0)


@mistake(ridges, "the ridge has no effect, as if it were 0")
def pseudo_inverse(features, labels, train, ridge):
    ones = torch.cat([features, torch.ones_like(features[:, :1])], dim=1)
    return share(ones @ (torch.linalg.pinv(ones[train]) @ one_hot_of(labels, features)[train]), labels, ~train)


@mistake(ridges, "the ridge is multiplied by the number of training rows: XᵀX is a sum over the rows, not a mean")
def ridge_times_rows(features, labels, train, ridge):
    return right_answer(features, labels, train, ridge * int(train.sum()))


@mistake(ridges, "the ridge is divided by the number of training rows")
def ridge_over_rows(features, labels, train, ridge):
    return right_answer(features, labels, train, ridge / int(train.sum()))


mistake(ridges, "twice the ridge is used").made_in(mask_inverted, twice_the_ridge={"~train, ridge": "train, 2 * ridge"})
mistake(ridges, "half of the ridge is used").made_in(ridge_over_rows, half_the_ridge={"int(train.sum())": "2"})


@mistake(ridges, "the root of the ridge is used")
def root_of_the_ridge(features, labels, train, ridge):
    return right_answer(features, labels, train, ridge**0.5)


@mistake(ridges, "the ridge is squared")
def ridge_squared(features, labels, train, ridge):
    targets = one_hot_of(labels, features)
    middle, level = features[train].mean(dim=0), targets[train].mean(dim=0)
    x = torch.cat([features[train] - middle, ridge * torch.eye(features.shape[1], dtype=features.dtype)])
    y = torch.cat([targets[train] - level, targets.new_zeros(features.shape[1], targets.shape[1])])
    return share((features - middle) @ torch.linalg.lstsq(x, y).solution + level, labels, ~train)


@mistake(ridges, "the ridge is added to every entry of XᵀX, expected only to its diagonal")
def ridge_everywhere(features, labels, train, ridge):
    targets = one_hot_of(labels, features)
    middle, level = features[train].mean(dim=0), targets[train].mean(dim=0)
    x, y = features[train] - middle, targets[train] - level
    return share((features - middle) @ torch.linalg.solve(x.T @ x + ridge, x.T @ y) + level, labels, ~train)


@mistake(
    ridges,
    "the features are rescaled before the fit, which changes the effect of the ridge; expected the features as they are",
)
def standardised(features, labels, train, ridge):
    return right_answer(features / features[train].std(dim=0), labels, train, ridge)


@mistake(
    strong,
    "the intercept is penalised like a weight: the ridge is added to the diagonal entry of the column of ones as well",
)
def column_of_ones(features, labels, train, ridge):
    ones = torch.cat([features, torch.ones_like(features[:, :1])], dim=1)
    return share(ones @ solved(ones[train], one_hot_of(labels, features)[train], ridge), labels, ~train)


@mistake(numbers, "there are only as many columns as different labels, too few if the labels skip a number")
def as_many_classes_as_labels(features, labels, train, ridge):
    targets = F.one_hot(labels, num_classes=len(labels.unique())).to(features.dtype)
    middle, level = features[train].mean(dim=0), targets[train].mean(dim=0)
    weight = solved(features[train] - middle, targets[train] - level, ridge)
    return share((features - middle) @ weight + level, labels, ~train)


@mistake(numbers, "the index of a column is used as its label, but labels may skip numbers")
def columns_for_labels(features, labels, train, ridge):
    _, places = labels[train].unique(return_inverse=True)
    targets = F.one_hot(places).to(features.dtype)
    middle, level = features[train].mean(dim=0), targets.mean(dim=0)
    weight = solved(features[train] - middle, targets - level, ridge)
    return share((features - middle) @ weight + level, labels, ~train)


@mistake(numbers, "the number of columns comes from the training labels, but a larger label may occur in the test rows")
def up_to_the_largest_in_training(features, labels, train, ridge):
    targets = torch.eye(int(labels[train].max()) + 1, dtype=features.dtype)[labels]
    middle, level = features[train].mean(dim=0), targets[train].mean(dim=0)
    weight = solved(features[train] - middle, targets[train] - level, ridge)
    return share((features - middle) @ weight + level, labels, ~train)


@mistake(sizes, "squeeze() turns features of shape (N, 1) into a vector, expected a matrix")
def squeezes(features, labels, train, ridge):
    return right_answer(features.squeeze(), labels, train, ridge)


@mistake(sizes, "squeeze() removes the dimension of the rows from the scores of a single test row")
def squeezed_scores(features, labels, train, ridge):
    scores = scores_of(features, labels, train, ridge)[~train].squeeze()
    return (scores.argmax(dim=1) == labels[~train]).double().mean().item()


mistake(double, "the one-hot labels are converted to float32, expected the dtype of the features").made_in(
    usual, single_precision_labels={"targets = one_hot_of(labels, features)": "targets = F.one_hot(labels).float()"}
)


@mistake(left, "the caller's features are changed in place")
def centres_the_argument(features, labels, train, ridge):
    features -= features[train].mean(dim=0)
    return right_answer(features, labels, train, ridge)


@mistake(left, "the caller's labels are changed in place")
def wipes_the_labels(features, labels, train, ridge):
    found = right_answer(features, labels, train, ridge)
    labels[train] = -1
    return found


@mistake(fitted, "the result is rounded, expected all of its digits")
def rounded(features, labels, train, ridge):
    return round(right_answer(features, labels, train, ridge), 2)


@mistake(fitted, "the means are computed over all rows, expected over the training rows alone")
def means_of_all_rows(features, labels, train, ridge):
    one_hot = F.one_hot(labels).to(features.dtype)
    x, y = features - features.mean(dim=0), one_hot - one_hot.mean(dim=0)
    penalty = ridge * torch.eye(x.shape[1], dtype=x.dtype)
    weight = torch.linalg.solve(x[train].T @ x[train] + penalty, x[train].T @ y[train])
    return ((x[~train] @ weight + one_hot.mean(dim=0)).argmax(dim=-1) == labels[~train]).float().mean().item()


mistake(
    tested, "the probe is fitted on the first rows, as many as the mask selects, expected on the rows that it selects"
).made_in(no_ridge, first_rows={"train, 0.0": "torch.arange(len(train)) < train.sum(), ridge"})


@right
def with_inverse(features, labels, train, ridge):
    x, y = features[train], F.one_hot(labels, int(labels.max()) + 1)[train].to(features)
    centred = x - x.mean(dim=0)
    weight = torch.inverse(centred.T @ centred + ridge * torch.eye(x.size(1)).to(x)) @ centred.T @ y
    intercept = y.mean(dim=0) - x.mean(dim=0) @ weight
    guesses = (features[~train] @ weight + intercept).argmax(dim=1)
    return (guesses == labels[~train]).to(torch.float32).mean().item()


@right
def ones_without_a_price(features, labels, train, ridge):
    ones = torch.cat([torch.ones_like(features[:, :1]), features], dim=1)
    price = torch.full((ones.shape[1],), float(ridge), dtype=features.dtype)
    price[0] = 0
    x = ones[train]
    weight = torch.linalg.solve(x.T @ x + torch.diag(price), x.T @ one_hot_of(labels, features)[train])
    return share(ones @ weight, labels, ~train)


@right
def rows_for_the_ridge(features, labels, train, ridge):
    targets = one_hot_of(labels, features)
    middle, level = features[train].mean(dim=0), targets[train].mean(dim=0)
    x = torch.cat([features[train] - middle, ridge**0.5 * torch.eye(features.shape[1], dtype=features.dtype)])
    y = torch.cat([targets[train] - level, targets.new_zeros(features.shape[1], targets.shape[1])])
    return share((features - middle) @ torch.linalg.lstsq(x, y).solution + level, labels, ~train)


@right
def in_the_dual(features, labels, train, ridge):
    targets = one_hot_of(labels, features).double()
    x, y = features[train].double(), targets[train]
    middle, level = x.mean(dim=0), y.mean(dim=0)
    gram = (x - middle) @ (x - middle).T + ridge * torch.eye(len(x), dtype=torch.float64)
    weight = (x - middle).T @ torch.linalg.solve(gram, y - level)
    return share((features.double() - middle) @ weight + level, labels, ~train)


@right
def with_cholesky(features, labels, train, ridge):
    targets = one_hot_of(labels, features)
    middle, level = features[train].mean(dim=0), targets[train].mean(dim=0)
    x, y = features[train] - middle, targets[train] - level
    factor = torch.linalg.cholesky(x.T @ x + ridge * torch.eye(x.shape[1], dtype=x.dtype))
    return share((features - middle) @ torch.cholesky_solve(x.T @ y, factor) + level, labels, ~train)


@right
def loops(features, labels, train, ridge):
    x = features[train]
    middle = x.mean(dim=0)
    scores = []
    for label in range(int(labels.max()) + 1):
        y = (labels[train] == label).to(features.dtype)
        weight = solved(x - middle, y - y.mean(), ridge)
        scores.append((features - middle) @ weight + y.mean())
    right = total = 0
    for row in range(len(features)):
        if not train[row]:
            best = max(range(len(scores)), key=lambda label: float(scores[label][row]))
            right += best == labels[row].item()
            total += 1
    return right / total


@right
def einsum(features, labels, train, ridge):
    kept = train.to(features.dtype)
    targets = one_hot_of(labels, features)
    middle = torch.einsum("n,nh->h", kept, features) / kept.sum()
    level = torch.einsum("n,nc->c", kept, targets) / kept.sum()
    x, y = features - middle, targets - level
    square = torch.einsum("n,nh,nk->hk", kept, x, x) + ridge * torch.eye(x.shape[1], dtype=x.dtype)
    weight = torch.linalg.solve(square, torch.einsum("n,nh,nc->hc", kept, x, y))
    return share(torch.einsum("nh,hc->nc", x, weight) + level, labels, ~train)


@right
def labels_that_occur(features, labels, train, ridge):
    names, places = labels[train].unique(return_inverse=True)
    targets = F.one_hot(places).to(features.dtype)
    middle, level = features[train].mean(dim=0), targets.mean(dim=0)
    scores = (features[~train] - middle) @ solved(features[train] - middle, targets - level, ridge) + level
    return (names[scores.argmax(dim=-1)] == labels[~train]).double().mean().item()


@right
def plus_and_minus_one(features, labels, train, ridge):
    targets = 2 * one_hot_of(labels, features) - 1
    middle, level = features[train].mean(dim=0), targets[train].mean(dim=0)
    weight = solved(features[train] - middle, targets[train] - level, ridge)
    return share((features - middle) @ weight + level, labels, ~train)


@right
def through_numpy(features, labels, train, ridge):
    import numpy as np

    x, y = features[train].numpy(), one_hot_of(labels, features)[train].numpy()
    centred = x - x.mean(axis=0)
    weight = np.linalg.solve(centred.T @ centred + ridge * np.eye(x.shape[1]), centred.T @ (y - y.mean(axis=0)))
    scores = (features[~train].numpy() - x.mean(axis=0)) @ weight + y.mean(axis=0)
    return float((scores.argmax(axis=1) == labels[~train].numpy()).mean())


class PositionProbe(nn.Module):
    """A module in the place of a function."""

    def forward(self, features, labels, train, ridge):
        return right_answer(features, labels, train, ridge)


def of_scores(find, features, labels, train, ridge):
    """For a partial."""
    return share(find(features, labels, train, ridge), labels, ~train)


@right
def with_singular_values(features, labels, train, ridge):
    targets = one_hot_of(labels, features)
    middle, level = features[train].mean(dim=0), targets[train].mean(dim=0)
    left, values, right = torch.linalg.svd(features[train] - middle, full_matrices=False)
    shrunk = (values / (values.square() + ridge)).unsqueeze(1) * (left.T @ (targets[train] - level))
    return share((features - middle) @ (right.T @ shrunk) + level, labels, ~train)


right(PositionProbe())


right(functools.partial(of_scores, scores_of))


right(lambda features, labels, train, ridge: right_answer(ridge=ridge, train=train, labels=labels, features=features))
