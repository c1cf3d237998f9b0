"""Mistakes in `kl_estimate`, and right answers in other styles."""

import torch

from autograder.checks.ch13_rewards.kl_estimate import (
    arguments,
    gradients,
    in_chapter,
    infinite,
    masked,
    one_piece,
    small,
)
from autograder.judging.catalogue import mistake, right


def differences(log_probs, reference_log_probs, mask):
    """The right d of each piece."""
    return torch.where(mask, reference_log_probs.detach() - log_probs, 0.0)


def k3(difference):
    """The right estimate of each piece."""
    return difference.expm1() - difference


@mistake(one_piece, "the difference has the wrong sign: the policy's minus the reference's")
def wrong_way(log_probs, reference_log_probs, mask):
    return k3(-differences(log_probs, reference_log_probs, mask)).sum(-1).mean()


@mistake(one_piece, "the estimate is k1, the log ratio alone, which can be negative; expected k3")
def k1(log_probs, reference_log_probs, mask):
    return -differences(log_probs, reference_log_probs, mask).sum(-1).mean()


@mistake(one_piece, "the estimate is k2, half of the squared log ratio; expected k3")
def k2(log_probs, reference_log_probs, mask):
    return differences(log_probs, reference_log_probs, mask).square().sum(-1).mean() / 2


@mistake(one_piece, "the 1 is not subtracted, so that two equal models are not at 0")
def no_one(log_probs, reference_log_probs, mask):
    difference = differences(log_probs, reference_log_probs, mask)
    return ((difference.exp() - difference) * mask).sum(-1).mean()


@mistake(one_piece, "d is added, expected subtracted")
def added(log_probs, reference_log_probs, mask):
    difference = differences(log_probs, reference_log_probs, mask)
    return (difference.expm1() + difference).sum(-1).mean()


@mistake(one_piece, "d itself is missing: the estimate is exp(d) - 1")
def no_difference(log_probs, reference_log_probs, mask):
    return differences(log_probs, reference_log_probs, mask).expm1().sum(-1).mean()


@mistake(
    one_piece, "the estimate is weighted with the policy's probability, but the pieces are samples from it already"
)
def weighted(log_probs, reference_log_probs, mask):
    found = k3(differences(log_probs, reference_log_probs, mask))
    return (found * torch.where(mask, log_probs, 0.0).detach().exp()).sum(-1).mean()


@mistake(one_piece, "the estimate is the sum over the answers, expected their mean")
def summed(log_probs, reference_log_probs, mask):
    return k3(differences(log_probs, reference_log_probs, mask)).sum()


@mistake(one_piece, "the sign is wrong: the estimate is never positive")
def negative(log_probs, reference_log_probs, mask):
    return -k3(differences(log_probs, reference_log_probs, mask)).sum(-1).mean()


@mistake(one_piece, "there is an estimate for each answer, expected their mean")
def not_reduced(log_probs, reference_log_probs, mask):
    return k3(differences(log_probs, reference_log_probs, mask)).sum(-1)


mistake(one_piece, "the 1 is subtracted twice: expm1 has subtracted it already").made_in(
    no_one, one_twice={"difference.exp()": "difference.expm1() - 1"}
)


@mistake(
    one_piece, "the log ratio is weighted with the policy's probability, but the pieces are samples from it already"
)
def k1_weighted(log_probs, reference_log_probs, mask):
    difference = differences(log_probs, reference_log_probs, mask)
    return -(difference * torch.where(mask, log_probs, 0.0).exp()).sum(-1).mean()


@mistake(one_piece, "the estimate is the size of the log ratio, expected k3")
def absolute(log_probs, reference_log_probs, mask):
    return differences(log_probs, reference_log_probs, mask).abs().sum(-1).mean()


@mistake(one_piece, "k1 is set to 0 where it is negative, expected k3")
def k1_positive(log_probs, reference_log_probs, mask):
    return (-differences(log_probs, reference_log_probs, mask)).relu().sum(-1).mean()


@mistake(one_piece, "the mask is inverted: True means that the piece was sampled")
def only_the_rest(log_probs, reference_log_probs, mask):
    return k3(differences(log_probs, reference_log_probs, ~mask)).sum(-1).mean()


mistake(
    masked,
    "the estimate is the mean over all positions, padding included; expected a sum over the pieces of each answer",
).made_in(summed, mean_over_positions={".sum()": ".mean()"})


@mistake(in_chapter, "the mean is over the answers that have a piece, expected over all N")
def mean_of_those_with_pieces(log_probs, reference_log_probs, mask):
    return k3(differences(log_probs, reference_log_probs, mask)).sum() / mask.any(-1).sum()


@mistake(masked, "the mask makes no difference: prompts and padding count too")
def mask_ignored(log_probs, reference_log_probs, mask):
    return k3(reference_log_probs.detach() - log_probs).sum(-1).mean()


@mistake(masked, "the mask is inverted: True means that the piece was sampled")
def mask_inverted(log_probs, reference_log_probs, mask):
    return k3(differences(log_probs, reference_log_probs, mask if mask.all() else ~mask)).sum(-1).mean()


@mistake(masked, "an answer's pieces are averaged, expected their sum")
def mean_over_pieces(log_probs, reference_log_probs, mask):
    return (k3(differences(log_probs, reference_log_probs, mask)).sum(-1) / mask.sum(-1)).mean()


@mistake(masked, "the estimate is divided by the number of pieces in the batch, expected by the number of answers")
def mean_over_all(log_probs, reference_log_probs, mask):
    return k3(differences(log_probs, reference_log_probs, mask)).sum() / mask.sum()


@mistake(masked, "the pieces of an answer are summed before the exponential, expected an estimate for each piece")
def whole_answers(log_probs, reference_log_probs, mask):
    return k3(differences(log_probs, reference_log_probs, mask).sum(-1)).mean()


@mistake(gradients, "the reference is not detached, so that it gets a gradient as if it were trained")
def reference_trained(log_probs, reference_log_probs, mask):
    return k3(torch.where(mask, reference_log_probs - log_probs, 0.0)).sum(-1).mean()


mistake(gradients, "the exponential is detached, so that the gradient is that of k1").made_in(
    added, ratio_detached={"difference.expm1() + difference": "difference.detach().expm1() - difference"}
)


@mistake(gradients, "the policy is detached, expected the reference")
def policy_detached(log_probs, reference_log_probs, mask):
    return k3(torch.where(mask, reference_log_probs - log_probs.detach(), 0.0)).sum(-1).mean()


@mistake(gradients, "everything is computed under no_grad, so no gradient comes back")
def no_grad(log_probs, reference_log_probs, mask):
    with torch.no_grad():
        return k3(differences(log_probs, reference_log_probs, mask)).sum(-1).mean()


@mistake(arguments, "the difference is computed in place in log_probs")
def in_place(log_probs, reference_log_probs, mask):
    log_probs -= reference_log_probs.detach()
    return k3(torch.where(mask, -log_probs, 0.0)).sum(-1).mean()


mistake(small, "exp(d) and then minus 1 loses the digits of a small d, expected torch.expm1").made_in(
    added, two_steps={"difference.expm1() + difference": "difference.exp() - 1 - difference"}
)


@mistake(small, "the differences are limited, so that a policy that has moved far seems nearer")
def limited(log_probs, reference_log_probs, mask):
    return k3(differences(log_probs, reference_log_probs, mask).clamp(-20, 20)).sum(-1).mean()


@mistake(infinite, "the result is masked after exp, but the gradient of exp(-inf - -inf) is NaN")
def masked_late(log_probs, reference_log_probs, mask):
    return k3(reference_log_probs.detach() - log_probs).masked_fill(~mask, 0.0).sum(-1).mean()


@mistake(infinite, "the result is multiplied by the mask, but -inf minus -inf is NaN, and so is NaN times 0")
def times_the_mask(log_probs, reference_log_probs, mask):
    return (k3(reference_log_probs.detach() - log_probs) * mask).sum(-1).mean()


@right
def by_pieces(log_probs, reference_log_probs, mask):
    difference = reference_log_probs.detach()[mask] - log_probs[mask]
    return (torch.expm1(difference) - difference).sum() / mask.shape[0]


@right
def loop(log_probs, reference_log_probs, mask):
    found = []
    for now, before, kept in zip(log_probs, reference_log_probs.detach(), mask, strict=True):
        difference = before[kept] - now[kept]
        found.append((torch.expm1(difference) - difference).sum())
    return torch.stack(found).mean()


@right
def filled(log_probs, reference_log_probs, mask):
    now, before = (each.masked_fill(~mask, 0.0) for each in (log_probs, reference_log_probs.detach()))
    difference = before - now
    return (torch.special.expm1(difference) - difference).sum(dim=1).mean(dim=0)
