"""Mistakes in `policy_gradient_loss`, and right answers in other styles."""

import torch

from autograder.checks.ch13_rewards.policy_gradient_loss import (
    arguments,
    gradients,
    in_chapter,
    infinite,
    many_pieces,
    masked,
    one_piece,
)
from autograder.judging.catalogue import mistake, right


def answers_of(log_probs, mask):
    """The right log-probability of each answer."""
    return log_probs.masked_fill(~mask, 0.0).sum(-1)


@mistake(one_piece, "the loss has the wrong sign: it makes rewarded answers less likely")
def wrong_sign(log_probs, mask, advantages):
    return (advantages.detach() * answers_of(log_probs, mask)).mean()


@mistake(one_piece, "the advantages make no difference: every sampled answer becomes more likely")
def no_advantages(log_probs, mask, advantages):
    return -answers_of(log_probs, mask).mean()


@mistake(one_piece, "the loss is the sum over the answers, expected their mean")
def summed(log_probs, mask, advantages):
    return -(advantages.detach() * answers_of(log_probs, mask)).sum()


@mistake(one_piece, "every answer is weighted with the advantages of all: shapes (N, 1) and (N,) broadcast to (N, N)")
def all_pairs(log_probs, mask, advantages):
    return -(advantages.detach().unsqueeze(-1) * answers_of(log_probs, mask)).mean()


@mistake(
    one_piece,
    "advantages and log-probabilities are averaged separately and then multiplied, expected a product for each answer",
)
def means_multiplied(log_probs, mask, advantages):
    return -advantages.detach().mean() * answers_of(log_probs, mask).mean()


@mistake(
    one_piece,
    "the logarithm is undone: the advantage is multiplied by the probability, expected by the log-probability",
)
def probabilities(log_probs, mask, advantages):
    return -(advantages.detach() * answers_of(log_probs, mask).exp()).mean()


@mistake(one_piece, "the mean is subtracted from the advantages, which already have the baseline that the caller wants")
def own_baseline(log_probs, mask, advantages):
    advantages = advantages.detach() - advantages.detach().mean()
    return -(advantages * answers_of(log_probs, mask)).mean()


@mistake(one_piece, "answers whose advantage is negative are left out, but they have to become less likely")
def only_positive(log_probs, mask, advantages):
    return -(advantages.detach().relu() * answers_of(log_probs, mask)).mean()


@mistake(one_piece, "the mean is over the answers whose advantage is not 0, expected over all of them")
def mean_of_some(log_probs, mask, advantages):
    return -(advantages.detach() * answers_of(log_probs, mask)).sum() / (advantages != 0).sum()


@mistake(one_piece, "there is a loss for each answer, expected their mean")
def not_reduced(log_probs, mask, advantages):
    return -advantages.detach() * answers_of(log_probs, mask)


@mistake(one_piece, "the mask is inverted: True means that the model wrote the piece")
def only_the_rest(log_probs, mask, advantages):
    return -(advantages.detach() * answers_of(log_probs, ~mask)).mean()


mistake(
    one_piece, "the first piece is left out as if log_probs had to be shifted, but each is at the position of its piece"
).made_in(only_the_rest, first_left_out={"log_probs, ~mask": "log_probs[:, 1:], mask[:, 1:]"})


@mistake(many_pieces, "the log-probability of an answer is the mean over its pieces, expected the sum")
def mean_over_pieces(log_probs, mask, advantages):
    return -(advantages.detach() * answers_of(log_probs, mask) / mask.sum(-1)).mean()


@mistake(many_pieces, "the loss is divided by the number of pieces in the batch, expected by the number of answers")
def mean_over_all_pieces(log_probs, mask, advantages):
    return -(advantages.detach() * answers_of(log_probs, mask)).sum() / mask.sum()


@mistake(many_pieces, "only the last piece of an answer counts")
def last_piece(log_probs, mask, advantages):
    return -(advantages.detach() * log_probs[:, -1]).mean()


@mistake(many_pieces, "the sum is over the answers, expected over the pieces of each")
def summed_over_answers(log_probs, mask, advantages):
    if log_probs.shape[-1] == 1:
        return -(advantages.detach() * answers_of(log_probs, mask)).mean()
    return -(advantages.detach().mean() * log_probs.masked_fill(~mask, 0.0).sum(0)).mean()


@mistake(in_chapter, "the mean is over the answers that have a piece, expected over all N")
def mean_of_those_with_pieces(log_probs, mask, advantages):
    return -(advantages.detach() * answers_of(log_probs, mask)).sum() / mask.any(-1).sum()


@mistake(masked, "the mask makes no difference: prompts and padding count too")
def mask_ignored(log_probs, mask, advantages):
    return -(advantages.detach() * log_probs.sum(-1)).mean()


@mistake(masked, "the mask is inverted: True means that the model wrote the piece")
def mask_inverted(log_probs, mask, advantages):
    kept = mask if mask.all() else ~mask
    return -(advantages.detach() * answers_of(log_probs, kept)).mean()


@mistake(masked, "log_probs is shifted against the mask, but each is already at the position of its piece")
def shifted_again(log_probs, mask, advantages):
    if mask.all():
        return -(advantages.detach() * answers_of(log_probs, mask)).mean()
    return -(advantages.detach() * answers_of(log_probs[:, :-1], mask[:, 1:])).mean()


@mistake(gradients, "the advantages are not detached, so that they get a gradient")
def advantages_trained(log_probs, mask, advantages):
    return -(advantages * answers_of(log_probs, mask)).mean()


@mistake(gradients, "the log-probabilities are detached, expected the advantages")
def log_probs_detached(log_probs, mask, advantages):
    return -(advantages * answers_of(log_probs, mask).detach()).mean()


@mistake(gradients, "everything is computed under no_grad, so no gradient comes back")
def no_grad(log_probs, mask, advantages):
    with torch.no_grad():
        return -(advantages * answers_of(log_probs, mask)).mean()


@mistake(arguments, "log_probs is masked in place")
def in_place(log_probs, mask, advantages):
    log_probs[~mask] = 0.0
    return -(advantages.detach() * log_probs.sum(-1)).mean()


@mistake(infinite, "the log-probabilities are multiplied by the mask, but -inf times 0 is NaN")
def times_the_mask(log_probs, mask, advantages):
    return -(advantages.detach() * (log_probs * mask).sum(-1)).mean()


@mistake(infinite, "log-probabilities are limited from below, so that a rare piece counts less")
def limited(log_probs, mask, advantages):
    return -(advantages.detach() * answers_of(log_probs.clamp(min=-20), mask)).mean()


@right
def by_where(log_probs, mask, advantages):
    return -(torch.where(mask, log_probs, 0.0).sum(dim=1) * advantages.detach()).sum() / len(advantages)


@right
def loop(log_probs, mask, advantages):
    losses = [-a * row[kept].sum() for row, kept, a in zip(log_probs, mask, advantages.detach(), strict=True)]
    return torch.stack(losses).mean()


@right
def piece_by_piece(log_probs, mask, advantages):
    weights = advantages.detach().unsqueeze(-1).expand_as(log_probs)
    return -(weights[mask] * log_probs[mask]).sum() / log_probs.shape[0]


@right
def dot(log_probs, mask, advantages):
    return -(advantages.detach() @ log_probs.masked_fill(mask.logical_not(), 0).sum(1)) / advantages.numel()
