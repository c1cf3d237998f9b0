"""Inputs small enough to do by hand, for questions about a reader's code."""

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.questions.given import Given, Stand, whole


def accuracy_by_length(draw: Draw) -> Given:
    """Six sentences, some of them at the ends of a bin."""
    bins = [[(1, 2), (3, 5)], [(1, 3), (4, 5)], [(2, 3), (3, 5)]][int(draw.integers(0, 3))]
    return Given({"correct": draw.integers(0, 2, 6) == 1, "lengths": draw.integers(1, 7, 6), "bins": bins})


def position_probe(draw: Draw) -> Given:
    """Vectors of a single number, and two classes."""
    labels = draw.integers(0, 2, 7)
    labels[:2] = torch.tensor([0, 1])
    train = torch.tensor([True, True, True, False, False, False, False])
    features = whole(draw, 7, 1) + 3 * (2 * labels.unsqueeze(1) - 1) * (draw.integers(0, 3, 7, 1) > 0)
    return Given({"features": features, "labels": labels, "train": train, "ridge": 1.0})


def gradient_map(draw: Draw) -> Given:
    """Two predictions, each a product of a few of the source's numbers."""
    slopes = whole(draw, 2, 2, 2, low=-1)

    def log_probs_of(source: Tensor) -> Tensor:
        return (slopes * source).sum(dim=(1, 2))

    told = f"returns the sums of a * source, for each a of\n{slopes.tolist()}"
    return Given({"log_probs_of": Stand(log_probs_of, told), "embedded": whole(draw, 2, 2)})
