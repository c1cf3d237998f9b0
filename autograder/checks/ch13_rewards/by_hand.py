"""Inputs small enough to do by hand, for questions about a reader's code."""

import torch

from autograder.asking.draw import Draw
from autograder.questions.given import Given, whole


def policy_gradient_loss(draw: Draw) -> Given:
    """Two answers of up to three pieces."""
    return Given(
        {
            "log_probs": -1 * whole(draw, 2, 3, low=0, high=4),
            "mask": draw.mask(2, 3),
            "advantages": whole(draw, 2) / 2,
        }
    )


def group_advantages(draw: Draw) -> Given:
    """Two groups of four, some of whose rewards are equal."""
    rewards = 2 * whole(draw, 2, 4, low=0, high=3)
    if draw.normal() > 0:
        rewards[1] = rewards[1, 0]
    return Given({"rewards": rewards, "scale": bool(draw.normal() > 0)})


def clipped_ratio_loss(draw: Draw) -> Given:
    """Two answers of two pieces, whose probabilities have halved, stayed or doubled."""
    old = torch.zeros(2, 2)
    factors = torch.tensor([0.5, 1.0, 2.0])[draw.integers(0, 3, 2, 2)]
    return Given(
        {
            "log_probs": (old + factors.log()).round(decimals=2),
            "old_log_probs": old,
            "mask": draw.mask(2, 2),
            "advantages": whole(draw, 2),
            "epsilon": 0.25,
        }
    )


def kl_estimate(draw: Draw) -> Given:
    """Two answers of two pieces, which the reference finds half, equally or twice as likely."""
    factors = torch.tensor([0.5, 1.0, 2.0])[draw.integers(0, 3, 2, 2)]
    return Given(
        {
            "log_probs": torch.zeros(2, 2),
            "reference_log_probs": factors.log().round(decimals=2),
            "mask": draw.mask(2, 2),
        }
    )


def pass_at_k(draw: Draw) -> Given:
    """A few samples."""
    num_samples = int(draw.integers(3, 6))
    return Given(
        {
            "num_samples": num_samples,
            "num_right": int(draw.integers(0, num_samples)),
            "k": int(draw.integers(1, num_samples + 1)),
        }
    )


def majority_vote(draw: Draw) -> Given:
    """Seven answers of one letter."""
    return Given({"answers": ["abcd"[number] for number in draw.integers(0, 4, 7).tolist()]})
