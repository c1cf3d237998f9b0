"""The checks of `group_advantages`."""

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check

EXERCISE = Exercise("group_advantages", "compare an answer with the others to its prompt", minutes=15, difficulty=2)


@in_use(gradients=False)
def in_chapter(group_advantages, draw: Draw) -> Use:
    """Rewards of 0 and 1, some groups all right or all wrong, not scaled; then rewards of some other range, scaled."""
    rewards = draw.mask(8, 6).float()
    rewards[2], rewards[5] = 1.0, 0.0
    return Use(group_advantages, (rewards,), (3 + draw.normal(3, 9), True))


def _unequal(draw: Draw) -> Tensor:
    """Rewards of four groups of seven, each with a mean and a spread of its own."""
    return torch.tensor([[0.0], [1.0], [-2.0], [5.0]]) + draw.normal(4, 7) * torch.tensor([[1.0], [0.2], [3.0], [1.5]])


@check(
    "each reward is compared with the mean of its own group",
    points=2,
    hint="Row p has the rewards of all answers to prompt p. mean takes dim=, and keepdim=True keeps a shape that broadcasts.",
)
def centered(group_advantages, draw: Draw):
    """Groups with different means; the rewards are not scaled."""
    return {"advantages": group_advantages(_unequal(draw))}


@check(
    "if scale is True, the result is divided by the group's standard deviation",
    points=2,
    needs=centered,
    hint="The mean of the squared deviations from the group's mean, over all K of them, and its root. Nothing is added to it.",
)
def scaled(group_advantages, draw: Draw):
    """Groups with different deviations, one of them tiny; then groups of eight rewards near 2,048, whose mean floats hold exactly."""
    rewards = _unequal(draw)
    rewards[0] *= 1e-9
    far = 2048 + draw.integers(0, 16, 3, 8) / 8
    return {"advantages": group_advantages(rewards, scale=True), "far from 0": group_advantages(far, scale=True)}


def _with_equal(draw: Draw) -> Tensor:
    """Some groups of seven whose rewards are equal, though their mean may be another number in floating point, and one whose rewards are not."""
    same = draw.integers(1, 100, 9, 1) / 100 + torch.tensor([[0.0], [1.0], [7.0]] * 3)
    rewards = same.float().expand(-1, 7).clone()
    rewards[3] = draw.normal(7)
    rewards[6] = 0.0
    return rewards


@check(
    "if all rewards of a group are equal, its advantages are exactly 0",
    points=2,
    needs=(centered, scaled),
    hint="Such a group says nothing about which answer is better. Its deviation is 0 or, after rounding, almost 0: find these groups by their rewards, "
    "and put 0 into them.",
)
def equal(group_advantages, draw: Draw):
    """Groups of equal rewards beside one of unequal ones, scaled or not."""
    rewards = _with_equal(draw)
    found = {
        "scaled": group_advantages(rewards.clone(), scale=True),
        "not scaled": group_advantages(rewards.clone(), scale=False),
    }
    return found | {f"{name}: exactly 0": each == 0 for name, each in found.items()}


@equal.explain
def not_zero(got, want):
    """The largest advantage in a group of equal rewards."""
    for name in ("scaled", "not scaled"):
        there = got[name][want[name].eq(0).all(dim=-1)]
        if there.isnan().any():
            return "the advantages of a group of equal rewards are NaN, from 0 / 0"
        if there.any():
            return f"an advantage in a group of equal rewards is {there.abs().max():.2g}, expected exactly 0"
    return None


@check(
    "the rewards are left as they were",
    points=1,
    needs=(centered, scaled),
    arguments=True,
    hint="-=, /= and methods that end in an underscore change the caller's tensor.",
)
def arguments(group_advantages, draw: Draw):
    """The rewards as they are after the call."""
    rewards = _unequal(draw)
    return {"advantages": group_advantages(rewards, scale=True), "rewards": rewards}


@check(
    "a group may have one answer, and a batch one group",
    points=1,
    hidden=True,
    needs=(centered, scaled, equal),
    hint="The rewards of a single answer are all equal. A deviation that divides by K - 1 is NaN there.",
)
def single(group_advantages, draw: Draw):
    """One answer to each prompt, one prompt, and both."""
    shapes = {"one answer to each prompt": (5, 1), "one prompt": (1, 6), "one answer to one prompt": (1, 1)}
    return {name: group_advantages(draw.normal(*shape), scale=True) for name, shape in shapes.items()}
