"""The simple classifiers are what their formulas say, and find what there is to find."""

from collections import Counter
from math import log

import pytest
import torch
from torch.nn import functional as F

from seqlab.linear import bag_of_pieces, logistic_regression, naive_bayes

TEXTS = [[1, 2, 2], [2, 1], [0, 3, 3], [3], [0, 0, 4], [4, 2, 0, 0]]
CLASSES = torch.tensor([0, 0, 1, 1, 2, 2])


def test_a_bag_says_how_often():
    assert bag_of_pieces([[1, 2, 2], []], 4).tolist() == [[0, 1, 2, 0], [0, 0, 0, 0]]


@pytest.mark.parametrize("smoothing", [0.1, 1.0])
def test_naive_bayes_is_the_product_of_its_pieces(smoothing):
    counts, asked = bag_of_pieces(TEXTS, 5), [[2, 3, 0], [4], [1, 1, 3]]
    model = naive_bayes(counts, CLASSES, smoothing)
    for text in asked:
        scores = []
        for kind in range(3):
            seen = Counter(piece for ids, of in zip(TEXTS, CLASSES, strict=True) if of == kind for piece in ids)
            total = sum(seen.values()) + 5 * smoothing
            scores.append(log(1 / 3) + sum(log((seen[piece] + smoothing) / total) for piece in text))
        features = bag_of_pieces([text], 5)
        torch.testing.assert_close(features @ model.weight.T + model.bias, torch.tensor([scores]))
        assert model.classify(features).item() == scores.index(max(scores))


@pytest.mark.parametrize("penalty", [1e-3, 1e-1])
def test_no_small_step_from_logistic_regression_is_better(penalty):
    features = bag_of_pieces(TEXTS, 5)
    model = logistic_regression(features, CLASSES, penalty)
    weight, bias = model.weight.clone().requires_grad_(), model.bias.clone().requires_grad_()
    loss = F.cross_entropy(features @ weight.T + bias, CLASSES) + penalty * weight.square().sum()
    for gradient in torch.autograd.grad(loss, [weight, bias]):
        assert gradient.abs().max() < 1e-3
    assert torch.equal(model.classify(features), CLASSES)


def test_logistic_regression_works_where_gradients_are_off():
    with torch.no_grad():
        model = logistic_regression(bag_of_pieces(TEXTS, 5), CLASSES, 0.01)
    assert not model.weight.requires_grad
    assert torch.equal(model.classify(bag_of_pieces(TEXTS, 5)), CLASSES)
