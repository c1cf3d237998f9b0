"""Mistakes in `group_advantages`, and right answers in other styles."""

import torch

from autograder.checks.ch13_rewards.group_advantages import arguments, centered, equal, scaled, single
from autograder.judging.catalogue import mistake, right


def finish(rewards, found):
    """Put 0 where all rewards of a group are equal."""
    return found.masked_fill((rewards == rewards[:, :1]).all(-1, keepdim=True), 0.0)


def deviation(rewards, correction=0):
    """The standard deviation of each group."""
    return (rewards.var(-1, keepdim=True, correction=correction)).sqrt()


def centre(rewards):
    """The rewards less the mean of their group."""
    return rewards - rewards.mean(-1, keepdim=True)


@mistake(centered, "the mean is over the whole batch, expected over the answers to one prompt")
def batch_mean(rewards, scale=False):
    found = rewards - rewards.mean()
    return finish(rewards, found / deviation(rewards) if scale else found)


mistake(centered, "the mean is over the prompts, expected over the answers to one prompt").made_in(
    batch_mean, over_prompts={"rewards.mean()": "rewards.mean(0)"}
)


@mistake(centered, "no mean is subtracted")
def no_baseline(rewards, scale=False):
    return finish(rewards, rewards / deviation(rewards) if scale else rewards)


mistake(centered, "the sign is wrong: the reward is subtracted from the mean").made_in(
    batch_mean, wrong_sign={"rewards - rewards.mean()": "-centre(rewards)"}
)


@mistake(centered, "the mean of the other answers is subtracted, expected the mean of the whole group")
def leave_one_out(rewards, scale=False):
    number = max(rewards.shape[-1], 2)
    found = centre(rewards) * number / (number - 1)
    return finish(rewards, found / deviation(rewards) if scale else found)


@mistake(centered, "the median is subtracted, expected the mean")
def median(rewards, scale=False):
    found = rewards - rewards.median(-1, keepdim=True).values
    return finish(rewards, found / deviation(rewards) if scale else found)


@mistake(centered, "the result is divided by the deviation though scale is False")
def always_scaled(rewards, scale=False):
    return finish(rewards, centre(rewards) / deviation(rewards))


@mistake(scaled, "scale makes no difference")
def never_scaled(rewards, scale=False):
    return finish(rewards, centre(rewards))


@mistake(scaled, "the deviation divides by K - 1, expected the mean over all K")
def sample_deviation(rewards, scale=False):
    number = max(rewards.shape[-1] - 1, 1)
    spread = (centre(rewards).square().sum(-1, keepdim=True) / number).sqrt()
    return finish(rewards, centre(rewards) / spread if scale else centre(rewards))


@mistake(scaled, "the result is divided by the variance, expected by its root")
def variance(rewards, scale=False):
    return finish(rewards, centre(rewards) / deviation(rewards).square() if scale else centre(rewards))


@mistake(scaled, "the deviation is that of the whole batch, expected that of each group")
def batch_deviation(rewards, scale=False):
    return finish(rewards, centre(rewards) / rewards.std(correction=0) if scale else centre(rewards))


mistake(scaled, "the deviation is that of the whole batch, expected that of each group").made_in(
    batch_deviation, pooled_deviation={"rewards.std(correction=0)": "centre(rewards).square().mean().sqrt()"}
)
mistake(
    scaled,
    "the variance is computed as the mean of the squares minus the square of the mean, which loses its digits where rewards are large and nearly equal",
).made_in(
    batch_deviation,
    difference_of_squares={
        "rewards.std(correction=0)": "(rewards.square().mean(1, keepdim=True) - rewards.mean(1, keepdim=True).square()).clamp(min=0).sqrt()"
    },
    difference_of_squares_without_care={
        "rewards.std(correction=0)": "(rewards.square().mean(1, keepdim=True) - rewards.mean(1, keepdim=True) ** 2).sqrt()"
    },
)
mistake(scaled, "a small number is added to the deviation, expected nothing").made_in(
    batch_deviation,
    something_added={"rewards.std(correction=0)": "(deviation(rewards) + 1e-4)"},
    less_added={"rewards.std(correction=0)": "(deviation(rewards) + 1e-6)"},
)


@mistake(scaled, "a small number is added to the deviation, expected nothing")
def little_added(rewards, scale=False):
    return finish(rewards, centre(rewards) / (deviation(rewards) + 1e-8) if scale else centre(rewards))


@mistake(scaled, "a group whose deviation is small gets 0 as if its rewards were equal")
def small_as_equal(rewards, scale=False):
    found = centre(rewards) / deviation(rewards) if scale else centre(rewards)
    return torch.where(deviation(rewards) < 1e-6, 0.0, found)


@mistake(scaled, "the result is divided by the norm, the root of the sum of squares, expected of their mean")
def norm(rewards, scale=False):
    spread = centre(rewards).norm(dim=-1, keepdim=True)
    return finish(rewards, centre(rewards) / spread if scale else centre(rewards))


@mistake(scaled, "the deviation is √(m(1 - m)), which is right only for rewards of 0 and 1")
def binary_deviation(rewards, scale=False):
    share = rewards.mean(-1, keepdim=True)
    return finish(rewards, centre(rewards) / (share * (1 - share)).sqrt() if scale else centre(rewards))


@mistake(scaled, "the result is multiplied by the deviation, expected divided")
def multiplied(rewards, scale=False):
    return finish(rewards, centre(rewards) * deviation(rewards) if scale else centre(rewards))


@mistake(scaled, "the result is divided by the mean absolute deviation, expected by the root of the mean square")
def absolute(rewards, scale=False):
    spread = centre(rewards).abs().mean(-1, keepdim=True)
    return finish(rewards, centre(rewards) / spread if scale else centre(rewards))


@mistake(scaled, "the rewards are divided by the deviation before the mean is subtracted, but the mean is not")
def divided_first(rewards, scale=False):
    spread = deviation(rewards) if scale else 1.0
    return finish(rewards, rewards / spread - rewards.mean(-1, keepdim=True))


@mistake(equal, "groups of equal rewards are divided by a deviation of 0, or of almost 0")
def no_care(rewards, scale=False):
    return centre(rewards) / deviation(rewards) if scale else centre(rewards)


@mistake(equal, "NaN is replaced by 0, but rounding can leave a deviation of almost 0, so that nothing is NaN")
def nan_to_zero(rewards, scale=False):
    return (centre(rewards) / deviation(rewards)).nan_to_num(0.0) if scale else centre(rewards)


@mistake(equal, "a tiny number in the denominator replaces the case of equal rewards, but rounding errors are tiny too")
def tiny_added(rewards, scale=False):
    return centre(rewards) / (deviation(rewards) + 1e-20) if scale else centre(rewards)


@mistake(equal, "only where the deviation is used is there a 0 for equal rewards: without scaling, rounding is left")
def only_scaled(rewards, scale=False):
    return finish(rewards, centre(rewards) / deviation(rewards)) if scale else centre(rewards)


@mistake(equal, "only groups whose rewards are all 0 get 0, expected all groups of equal rewards")
def only_zeros(rewards, scale=False):
    found = centre(rewards) / deviation(rewards) if scale else centre(rewards)
    return found.masked_fill((rewards == 0).all(-1, keepdim=True), 0.0)


@mistake(arguments, "the mean is subtracted in place")
def in_place(rewards, scale=False):
    same = (rewards == rewards[:, :1]).all(-1, keepdim=True)
    rewards -= rewards.mean(-1, keepdim=True)
    found = rewards / deviation(rewards) if scale else rewards.clone()
    return found.masked_fill(same, 0.0)


@mistake(single, "the advantage of a single answer is its reward, expected 0")
def lone_reward(rewards, scale=False):
    if rewards.shape[-1] == 1:
        return rewards.clone()
    return finish(rewards, centre(rewards) / deviation(rewards) if scale else centre(rewards))


@mistake(single, "dimensions of size 1 are removed")
def squeezed(rewards, scale=False):
    found = finish(rewards, centre(rewards) / deviation(rewards) if scale else centre(rewards))
    return found.squeeze() if 1 in rewards.shape else found


@right
def by_range(rewards, scale=False):
    equal_ = rewards.amax(1, keepdim=True) == rewards.amin(1, keepdim=True)
    found = rewards - rewards.mean(1, keepdim=True)
    if scale:
        found = found / torch.where(equal_, 1.0, rewards.std(1, correction=0, keepdim=True))
    return torch.where(equal_, 0.0, found)


@right
def rows(rewards, scale=False):
    found = []
    for row in rewards:
        if (row == row[0]).all():
            found.append(row * 0)
        else:
            shifted = row - row.mean()
            found.append(shifted / shifted.pow(2).mean().sqrt() if scale else shifted)
    return torch.stack(found)


@right
def by_norm(rewards, scale=False):
    found = centre(rewards)
    if scale:
        found = found * rewards.shape[1] ** 0.5 / found.norm(dim=1, keepdim=True)
    return finish(rewards, found)
