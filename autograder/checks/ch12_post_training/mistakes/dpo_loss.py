"""Mistakes in `dpo_loss`, and right answers in other styles."""

import torch
from torch.nn import functional as F

from autograder.checks.ch12_post_training.dpo_loss import (
    arguments,
    extreme,
    gradients,
    in_chapter,
    many_pieces,
    masked,
    one_piece,
    usual,
)
from autograder.judging.catalogue import mistake, right


def ratios(policy, reference, mask):
    """The right log ratios of both answers, (2, B)."""
    return torch.where(mask, policy - reference.detach(), 0.0).sum(-1)


def loss_of(margins):
    """-log σ, and the mean."""
    return -F.logsigmoid(margins).mean()


@right
def right_loss(policy, reference, mask, beta=0.1):
    found = ratios(policy, reference, mask)
    return loss_of(beta * (found[0] - found[1]))


mistake(one_piece, "the preferred answer is made less likely: the two answers are swapped, or a sign is wrong").made_in(
    right_loss, exchanged={"found[0] - found[1]": "found[1] - found[0]"}
)
mistake(
    in_chapter.elsewhere, "log-probabilities outside the answers are set to -1e9, which half precision cannot represent"
).made_in(right_loss, large_number_outside={"ratios(policy, ": "ratios(policy.masked_fill(~mask, -1e9), "})
mistake(one_piece, "the loss is a hinge loss, expected -log σ").made_in(
    right_loss, hinge={"loss_of(beta * (found[0] - found[1]))": "(1 - beta * (found[0] - found[1])).relu().mean()"}
)


@mistake(one_piece, "both references are subtracted: brackets are missing around the other answer's log ratio")
def brackets_missing(policy, reference, mask, beta=0.1):
    preferred, other = torch.where(mask, policy, 0.0).sum(-1)
    of_preferred, of_other = torch.where(mask, reference.detach(), 0.0).sum(-1)
    return loss_of(beta * (preferred - of_preferred - other - of_other))


mistake(
    one_piece,
    "every preferred answer is compared with the other answers of all pairs: shapes (B, 1) and (B,) broadcast to (B, B)",
).made_in(right_loss, all_pairs={"found[0]": "found[0].unsqueeze(1)"})
mistake(
    one_piece, "the reference makes no difference: the policy's log-probabilities are compared as they are"
).made_in(right_loss, no_reference={"ratios(policy, reference, mask)": "torch.where(mask, policy, 0.0).sum(-1)"})


@mistake(one_piece, "the reference is added, expected subtracted")
def reference_added(policy, reference, mask, beta=0.1):
    found = torch.where(mask, policy + reference.detach(), 0.0).sum(-1)
    return loss_of(beta * (found[0] - found[1]))


mistake(one_piece, "the two log ratios are added, expected the difference").made_in(
    right_loss, ratios_added={"found[0] - found[1]": "found[0] + found[1]"}
)
mistake(one_piece, "β makes no difference").made_in(
    right_loss, no_beta={"(beta * (found[0] - found[1]))": "(found[0] - found[1])"}
)
mistake(one_piece, "β multiplies the loss, expected the margin in the sigmoid").made_in(
    right_loss, beta_outside={"loss_of(beta * (found[0] - found[1]))": "beta * loss_of(found[0] - found[1])"}
)
mistake(one_piece, "the margin is divided by β, expected multiplied by it").made_in(
    right_loss, beta_divides={"beta * (found[0] - found[1])": "(found[0] - found[1]) / beta"}
)
mistake(one_piece, "the loss has the wrong sign: it is log σ, expected -log σ").made_in(
    right_loss, wrong_sign={"return loss_of": "return -loss_of"}
)
mistake(one_piece, "the loss is the sum over the pairs, expected their mean").made_in(
    right_loss,
    summed_pairs={"loss_of(beta * (found[0] - found[1]))": "-F.logsigmoid(beta * (found[0] - found[1])).sum()"},
)
mistake(one_piece, "β multiplies the preferred answer's log ratio alone: a bracket is missing").made_in(
    right_loss, beta_on_one={"(beta * (found[0] - found[1]))": "(beta * found[0] - found[1])"}
)


@mistake(one_piece, "the two answers of a pair are taken from neighbouring rows: expected policy[0] and policy[1]")
def neighbours(policy, reference, mask, beta=0.1):
    found = ratios(policy, reference, mask).flatten()
    return loss_of(beta * (found[::2] - found[1::2]))


@mistake(
    one_piece,
    "policy is shifted against the mask, but policy[..., t] already belongs to the piece that mask[..., t] marks",
)
def shifted_again(policy, reference, mask, beta=0.1):
    found = torch.where(mask[..., 1:], (policy - reference.detach())[..., :-1], 0.0).sum(-1)
    return loss_of(beta * (found[0] - found[1]))


@mistake(one_piece, "the sum is over the pairs, expected over the pieces")
def over_the_wrong_dimension(policy, reference, mask, beta=0.1):
    found = torch.where(mask, policy - reference.detach(), 0.0).sum(1)
    return loss_of(beta * (found[0] - found[1]))


mistake(
    one_piece, "log π is divided by log π_ref, expected subtracted: the log of a ratio is a difference of logs"
).made_in(reference_added, ratio_of_logs={"policy + reference.detach()": "policy / reference.detach()"})
mistake(one_piece, "the mask is inverted: what is outside the answers counts").made_in(
    right_loss, mask_inverted={"reference, mask)\n": "reference, ~mask)\n"}
)
mistake(one_piece, "β is 0.1, whatever is given").made_in(right_loss, beta_fixed={"beta * (": "0.1 * ("})
mistake(one_piece, "the log is missing: the loss is a mean of 1 - σ").made_in(
    right_loss, one_minus={"loss_of(beta * (found[0] - found[1]))": "(beta * (found[1] - found[0])).sigmoid().mean()"}
)
mistake(one_piece, "the log is missing: the loss is a mean of -σ").made_in(
    right_loss, no_log={"loss_of(beta * (found[0] - found[1]))": "-(beta * (found[0] - found[1])).sigmoid().mean()"}
)
mistake(one_piece, "the sigmoid is missing: the loss is minus the mean margin").made_in(
    right_loss, no_sigmoid={"loss_of(beta * (found[0] - found[1]))": "-(beta * (found[0] - found[1])).mean()"}
)
mistake(one_piece, "the mean over the pairs comes before the sigmoid, expected last").made_in(
    right_loss,
    mean_first={"loss_of(beta * (found[0] - found[1]))": "-F.logsigmoid((beta * (found[0] - found[1])).mean())"},
)
mistake(one_piece, "there is a loss for each pair, expected their mean").made_in(
    right_loss, not_reduced={"return loss_of": "return -F.logsigmoid"}
)
mistake(many_pieces, "the pieces of an answer are averaged, expected summed").made_in(
    right_loss, mean_over_pieces={"(policy, reference, mask)": "(policy, reference, mask) / mask.sum(-1)"}
)
mistake(
    many_pieces, "each piece has a loss of its own, expected one loss for each pair: sum over the pieces first"
).made_in(over_the_wrong_dimension, each_piece={".sum(1)": ""})


@mistake(many_pieces, "the sum is over the pairs, expected over the pieces")
def summed_over_pairs(policy, reference, mask, beta=0.1):
    found = torch.where(mask, policy - reference.detach(), 0.0)
    if found.shape[-1] == 1:
        return loss_of(beta * (found[0] - found[1]))
    return loss_of(beta * (found[0] - found[1]).sum(0))


@mistake(many_pieces, "the margins of all pairs are summed into one, expected one loss for each pair and then the mean")
def one_margin(policy, reference, mask, beta=0.1):
    found = torch.where(mask, policy - reference.detach(), 0.0)
    margins = found[0] - found[1]
    return loss_of(beta * (margins.sum() if margins.shape[-1] > 1 else margins))


@mistake(many_pieces, "only the last piece counts")
def last_piece(policy, reference, mask, beta=0.1):
    found = policy - reference.detach()
    return loss_of(beta * (found[0, :, -1] - found[1, :, -1]))


mistake(masked, "the mask makes no difference").made_in(
    right_loss,
    mask_ignored={"found = ratios(policy, reference, mask)": "found = (policy - reference.detach()).sum(-1)"},
)


@mistake(masked, "the mask is inverted: what is outside the answers counts")
def mask_turned_round(policy, reference, mask, beta=0.1):
    kept = mask if mask.all() else ~mask
    found = ratios(policy, reference, kept)
    return loss_of(beta * (found[0] - found[1]))


mistake(masked, "the preferred answer's mask is used for both answers").made_in(
    right_loss, first_mask={"(policy, reference, mask)": "(policy, reference, mask[:1].expand_as(mask))"}
)
mistake(masked, "a piece counts only where both answers have one").made_in(
    right_loss, both_masks={"(policy, reference, mask)": "(policy, reference, (mask[:1] & mask[1:]).expand_as(mask))"}
)


@mistake(masked, "the policy is masked and the reference is not")
def policy_masked(policy, reference, mask, beta=0.1):
    found = torch.where(mask, policy, 0.0).sum(-1) - reference.detach().sum(-1)
    return loss_of(beta * (found[0] - found[1]))


mistake(gradients, "the reference is not detached, so that it gets a gradient as if it were trained").made_in(
    reference_added, reference_trained={"policy + reference.detach()": "policy - reference"}
)
mistake(gradients, "the policy is detached, expected the reference").made_in(
    reference_added, policy_detached={"policy + reference.detach()": "policy.detach() - reference"}
)


@mistake(
    gradients,
    "requires_grad_(False) changes the caller's tensor, and fails on one that was computed; detach() does neither",
)
def switched_off(policy, reference, mask, beta=0.1):
    return right_loss(policy, reference.requires_grad_(False), mask, beta)


@mistake(gradients, "everything is computed under no_grad, so no gradient comes back")
def no_grad(policy, reference, mask, beta=0.1):
    with torch.no_grad():
        found = ratios(policy, reference, mask)
    return loss_of(beta * (found[0] - found[1]))


mistake(gradients, "the log ratio of the other answer is detached, so no gradient reaches that answer").made_in(
    right_loss, other_detached={"(found[0] - found[1]))": "(found[0] - found[1].detach()))"}
)


@mistake(arguments, "the log ratios are computed in place in policy")
def changes_the_policy(policy, reference, mask, beta=0.1):
    policy -= reference.detach()
    found = torch.where(mask, policy, 0.0).sum(-1)
    return loss_of(beta * (found[0] - found[1]))


mistake(usual, "the default of β is changed, expected 0.1").made_in(right_loss, other_default={"beta=0.1": "beta=0.5"})
mistake(
    in_chapter, "the sigmoid and its logarithm are computed in two steps, so that small probabilities are rounded to 0"
).made_in(
    right_loss,
    two_steps={"loss_of(beta * (found[0] - found[1]))": "-(beta * (found[0] - found[1])).sigmoid().log().mean()"},
)
mistake(
    in_chapter, "a small number is added to σ before its logarithm, so that a margin far below 0 costs too little"
).made_in(
    right_loss,
    a_little_more={
        "loss_of(beta * (found[0] - found[1]))": "-((beta * (found[0] - found[1])).sigmoid() + 1e-8).log().mean()"
    },
    a_very_little_more={
        "loss_of(beta * (found[0] - found[1]))": "-((beta * (found[0] - found[1])).sigmoid() + 1e-12).log().mean()"
    },
)
mistake(in_chapter, "the margin is limited, so that a margin far below 0 costs too little").made_in(
    right_loss,
    limited_to_ten={"beta * (found[0] - found[1])": "(beta * (found[0] - found[1])).clamp(-10, 10)"},
    limited_to_twenty={"beta * (found[0] - found[1])": "(beta * (found[0] - found[1])).clamp(-20, 20)"},
    limited_to_fifty={"beta * (found[0] - found[1])": "(beta * (found[0] - found[1])).clamp(-50, 50)"},
    limited_to_hundred={"beta * (found[0] - found[1])": "(beta * (found[0] - found[1])).clamp(-100, 100)"},
)
mistake(in_chapter, "the log ratios are multiplied by the mask, but -inf times 0 is NaN").made_in(
    right_loss, times_the_mask={"ratios(policy, reference, mask)": "((policy - reference.detach()) * mask).sum(-1)"}
)


@mistake(
    extreme, "the sigmoid is clamped before its logarithm, so that pairs with a margin far below 0 get no gradient"
)
def clamped(policy, reference, mask, beta=0.1):
    found = ratios(policy, reference, mask)
    return -(beta * (found[0] - found[1])).sigmoid().clamp(min=1e-6).log().mean()


@mistake(in_chapter, "probabilities are divided before the logarithm, which is 0 / 0 for very unlikely pieces")
def by_division(policy, reference, mask, beta=0.1):
    found = torch.where(mask, policy.exp() / reference.detach().exp(), 1.0).log().sum(-1)
    return loss_of(beta * (found[0] - found[1]))


@right
def filled(policy, reference, mask, beta=0.1):
    sums = [each.masked_fill(~mask, 0.0).sum(-1) for each in (policy, reference.detach())]
    margins = beta * ((sums[0][0] - sums[1][0]) - (sums[0][1] - sums[1][1]))
    return -F.logsigmoid(margins).mean()


@right
def by_softplus(policy, reference, mask, beta=0.1):
    found = ratios(policy, reference, mask)
    return F.softplus(beta * (found[1] - found[0])).mean()


@right
def by_cross_entropy(policy, reference, mask, beta=0.1):
    scores = beta * ratios(policy, reference, mask).T  # (B, 2)
    return F.cross_entropy(scores, scores.new_zeros(len(scores), dtype=torch.long))


@right
def by_binary(policy, reference, mask, beta=0.1):
    found = ratios(policy, reference, mask)
    logits = beta * (found[0] - found[1])
    return F.binary_cross_entropy_with_logits(logits, torch.ones_like(logits))


@right
def loops(policy, reference, mask, beta=0.1):
    losses = []
    for b in range(policy.shape[1]):
        both = [(policy[i, b][mask[i, b]] - reference[i, b][mask[i, b]].detach()).sum() for i in (0, 1)]
        losses.append(-F.logsigmoid(beta * (both[0] - both[1])))
    return torch.stack(losses).mean()


@right
def by_logaddexp(policy, reference, mask, beta=0.1):
    found = beta * ratios(policy, reference, mask)
    return torch.logaddexp(found[1] - found[0], torch.zeros_like(found[0])).mean()
