"""Mistakes in `clipped_ratio_loss`, and right answers in other styles."""

import torch

from autograder.checks.ch13_rewards.clipped_ratio_loss import (
    arguments,
    clips,
    gradients,
    in_chapter,
    many_pieces,
    masked,
    near_one,
    usual,
)
from autograder.judging.catalogue import mistake, right


def ratios_of(log_probs, old_log_probs, mask):
    """The right ratio of each piece."""
    return torch.where(mask, log_probs - old_log_probs.detach(), 0.0).exp()


def gains_of(ratios, advantages, epsilon):
    """The right gain of each piece."""
    weights = advantages.detach().unsqueeze(-1)
    return torch.minimum(ratios * weights, ratios.clamp(1 - epsilon, 1 + epsilon) * weights)


def loss_of(gains, mask):
    """Summed over the pieces, averaged over the answers."""
    return -(gains * mask).sum(-1).mean()


@right
def right_loss(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    ratios, weights = ratios_of(log_probs, old_log_probs, mask), advantages.detach().unsqueeze(-1)
    return loss_of(torch.minimum(ratios * weights, ratios.clamp(1 - epsilon, 1 + epsilon) * weights), mask)


@mistake(near_one, "the loss has the wrong sign: it makes rewarded answers less likely")
def wrong_sign(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    return -loss_of(gains_of(ratios_of(log_probs, old_log_probs, mask), advantages, epsilon), mask)


@mistake(near_one, "the ratio is upside down: π_old / π, expected π / π_old")
def upside_down(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    ratios = torch.where(mask, old_log_probs.detach() - log_probs, 0.0).exp()
    return loss_of(gains_of(ratios, advantages, epsilon), mask)


@mistake(near_one, "the difference of the log-probabilities is used as the ratio: exp is missing")
def no_exp(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    ratios = torch.where(mask, log_probs - old_log_probs.detach(), 0.0)
    return loss_of(gains_of(ratios, advantages, epsilon), mask)


mistake(near_one, "two log-probabilities are divided by each other, expected two probabilities").made_in(
    no_exp, logs_divided={"log_probs - old_log_probs.detach(), 0.0": "log_probs / old_log_probs.detach(), 1.0"}
)


@mistake(near_one, "the old log-probabilities make no difference: the ratio is π alone")
def no_old(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    return loss_of(gains_of(torch.where(mask, log_probs, 0.0).exp(), advantages, epsilon), mask)


@mistake(near_one, "the advantages make no difference")
def no_advantages(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    ratios = ratios_of(log_probs, old_log_probs, mask)
    return loss_of(gains_of(ratios, torch.ones_like(advantages), epsilon), mask)


@mistake(near_one, "the loss is the sum over the answers, expected their mean")
def summed(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    return len(mask) * loss_of(gains_of(ratios_of(log_probs, old_log_probs, mask), advantages, epsilon), mask)


@mistake(near_one, "1 is subtracted from the ratio")
def less_one(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    gains = gains_of(ratios_of(log_probs, old_log_probs, mask), advantages, epsilon)
    return loss_of(gains - advantages.detach().unsqueeze(-1), mask)


@mistake(near_one, "there is a loss for each answer, expected their mean")
def not_reduced(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    return -(gains_of(ratios_of(log_probs, old_log_probs, mask), advantages, epsilon) * mask).sum(-1)


@mistake(near_one, "the mask is inverted: True means that the piece was sampled")
def only_the_rest(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    return loss_of(gains_of(ratios_of(log_probs, old_log_probs, ~mask), advantages, epsilon), ~mask)


@mistake(in_chapter, "the mean is over the answers that have a piece, expected over all N")
def mean_of_those_with_pieces(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    kept = mask.any(-1)
    return right_loss(log_probs[kept], old_log_probs[kept], mask[kept], advantages[kept], epsilon)


mistake(near_one, "the ratio is clipped to -ε to ε, expected to 1 - ε to 1 + ε").made_in(
    right_loss, around_zero={"ratios.clamp(1 - epsilon, 1 + epsilon)": "ratios.clamp(-epsilon, epsilon)"}
)


@mistake(clips, "the argument ε makes no difference: ratios are clipped to 0.8 to 1.2")
def own_epsilon(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    return loss_of(gains_of(ratios_of(log_probs, old_log_probs, mask), advantages, 0.2), mask)


mistake(clips, "the ratio is clipped to at least 1 / (1 + ε), expected 1 - ε").made_in(
    right_loss, reciprocal={"1 - epsilon": "1 / (1 + epsilon)"}
)


@mistake(clips, "for a negative advantage the clipped ratio is always used, expected the smaller of the two products")
def smaller_if_positive(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    ratios, weights = ratios_of(log_probs, old_log_probs, mask), advantages.detach().unsqueeze(-1)
    clipped = ratios.clamp(1 - epsilon, 1 + epsilon)
    return loss_of(torch.where(weights > 0, torch.minimum(ratios, clipped), clipped) * weights, mask)


@mistake(clips, "nothing is clipped")
def never_clipped(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    return loss_of(ratios_of(log_probs, old_log_probs, mask) * advantages.detach().unsqueeze(-1), mask)


@mistake(clips, "the clipped ratio is always used, expected the smaller of the two products")
def always_clipped(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    ratios = ratios_of(log_probs, old_log_probs, mask).clamp(1 - epsilon, 1 + epsilon)
    return loss_of(ratios * advantages.detach().unsqueeze(-1), mask)


mistake(clips, "the larger of the two products is taken, expected the smaller one").made_in(
    right_loss, larger={"torch.minimum": "torch.maximum"}
)


@mistake(clips, "the minimum is taken before the advantages are multiplied in, so that it is wrong for negative ones")
def minimum_first(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    ratios = ratios_of(log_probs, old_log_probs, mask)
    smaller = torch.minimum(ratios, ratios.clamp(1 - epsilon, 1 + epsilon))
    return loss_of(smaller * advantages.detach().unsqueeze(-1), mask)


mistake(clips, "the ratio is clipped to at most 1 + ε and has no lower limit").made_in(
    right_loss, only_above={"1 - epsilon, 1": "max=1"}
)
mistake(clips, "the ratio is clipped to at least 1 - ε and has no upper limit").made_in(
    right_loss, only_below={"1 - epsilon, 1 + epsilon": "min=1 - epsilon"}
)
mistake(clips, "the log ratio is clipped to -ε to ε, expected the ratio to 1 - ε to 1 + ε").made_in(
    right_loss, log_clipped={"ratios.clamp(1 - epsilon, 1 + epsilon)": "ratios.log().clamp(-epsilon, epsilon).exp()"}
)


@mistake(clips, "the product with the advantage is clipped, expected the ratio")
def product_clipped(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    products = ratios_of(log_probs, old_log_probs, mask) * advantages.detach().unsqueeze(-1)
    inside = (ratios_of(log_probs, old_log_probs, mask) - 1).abs() <= epsilon
    return loss_of(
        torch.where(inside, products, torch.minimum(products, products.clamp(1 - epsilon, 1 + epsilon))), mask
    )


@mistake(many_pieces, "an answer has one ratio, the product over its pieces; expected one ratio for each piece")
def whole_answers(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    ratios = torch.where(mask, log_probs - old_log_probs.detach(), 0.0).sum(-1, keepdim=True).exp()
    return -gains_of(ratios, advantages, epsilon).mean()


@mistake(many_pieces, "an answer's pieces are averaged, as in GRPO; expected their sum")
def mean_over_pieces(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    gains = gains_of(ratios_of(log_probs, old_log_probs, mask), advantages, epsilon)
    return -((gains * mask).sum(-1) / mask.sum(-1)).mean()


@mistake(many_pieces, "the loss is divided by the number of pieces in the batch, expected by the number of answers")
def mean_over_all(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    gains = gains_of(ratios_of(log_probs, old_log_probs, mask), advantages, epsilon)
    return -(gains * mask).sum() / mask.sum()


@mistake(many_pieces, "every piece gets the ratio of the whole answer, expected its own")
def ratio_of_the_answer(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    of_answer = ratios_of(log_probs, old_log_probs, mask).prod(dim=-1, keepdim=True)
    return loss_of(gains_of(of_answer.expand_as(log_probs), advantages, epsilon), mask)


@mistake(many_pieces, "only the last piece of an answer counts")
def last_piece(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    return -gains_of(ratios_of(log_probs, old_log_probs, mask), advantages, epsilon)[:, -1].mean()


@mistake(masked, "the mask makes no difference: prompts and padding count too")
def mask_ignored(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    ratios = (log_probs - old_log_probs.detach()).exp()
    return -gains_of(ratios, advantages, epsilon).sum(-1).mean()


@mistake(masked, "a piece outside of the answer has a ratio of 1 and still counts, expected nothing in the sum")
def ones_counted(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    return -gains_of(ratios_of(log_probs, old_log_probs, mask), advantages, epsilon).sum(-1).mean()


@mistake(masked, "the mask is inverted: True means that the piece was sampled")
def mask_inverted(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    kept = mask if mask.all() else ~mask
    return loss_of(gains_of(ratios_of(log_probs, old_log_probs, kept), advantages, epsilon), kept)


mistake(gradients, "old_log_probs is not detached, so that the gradients of the two models cancel").made_in(
    upside_down, old_trained={"old_log_probs.detach() - log_probs": "log_probs - old_log_probs"}
)
mistake(gradients, "the advantages are not detached, so that they get a gradient").made_in(
    right_loss, advantages_trained={"detach().unsqueeze(-1)": "unsqueeze(-1)"}
)


@mistake(gradients, "the ratios are detached, so no gradient comes back")
def ratios_detached(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    return loss_of(gains_of(ratios_of(log_probs, old_log_probs, mask).detach(), advantages, epsilon), mask)


@mistake(gradients, "a clipped ratio gets a gradient as if it were not clipped")
def straight_through(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    ratios, weights = ratios_of(log_probs, old_log_probs, mask), advantages.detach().unsqueeze(-1)
    clipped = ratios + (ratios.clamp(1 - epsilon, 1 + epsilon) - ratios).detach()
    return loss_of(torch.minimum(ratios * weights, clipped * weights), mask)


@mistake(
    gradients, "the ratio that is clipped is detached, so that it has no gradient where it is inside of the limits"
)
def clipped_detached(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    ratios, weights = ratios_of(log_probs, old_log_probs, mask), advantages.detach().unsqueeze(-1)
    clipped = ratios.detach().clamp(1 - epsilon, 1 + epsilon)
    return loss_of(torch.minimum(ratios * weights, clipped * weights), mask)


@mistake(arguments, "the log ratios are computed in place in log_probs")
def in_place(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    log_probs -= old_log_probs.detach()
    return loss_of(gains_of(torch.where(mask, log_probs, 0.0).exp(), advantages, epsilon), mask)


@mistake(usual, "the default of ε is changed, expected 0.2")
def other_default(log_probs, old_log_probs, mask, advantages, epsilon=0.1):
    return loss_of(gains_of(ratios_of(log_probs, old_log_probs, mask), advantages, epsilon), mask)


@mistake(usual, "the log ratios are multiplied by the mask, but -inf minus -inf is NaN, and so is NaN times 0")
def times_the_mask(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    ratios = ((log_probs - old_log_probs.detach()) * mask).exp()
    return loss_of(gains_of(ratios, advantages, epsilon), mask)


@mistake(usual, "two probabilities are divided, expected exp of the difference of their logs: 0 / 0 is NaN")
def quotient(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    now, old = (torch.where(mask, each, 0.0).exp() for each in (log_probs, old_log_probs.detach()))
    return loss_of(gains_of(now / old, advantages, epsilon), mask)


@mistake(usual, "the ratios are masked after exp, but the gradient of exp(-inf - -inf) is NaN")
def masked_after_exp(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    ratios = (log_probs - old_log_probs.detach()).exp()
    return loss_of(gains_of(ratios.masked_fill(~mask, 1.0), advantages, epsilon), mask)


@right
def by_max(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    ratios = ratios_of(log_probs, old_log_probs, mask)
    weights = -advantages.detach().view(-1, 1)
    losses = torch.max(weights * ratios, weights * torch.clamp(ratios, 1.0 - epsilon, 1.0 + epsilon))
    return losses.masked_fill(~mask, 0.0).sum() / mask.shape[0]


@right
def by_sign(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    ratios = ratios_of(log_probs, old_log_probs, mask)
    weights = advantages.detach().unsqueeze(1).expand_as(ratios)
    limited = torch.where(weights > 0, ratios.clamp(max=1 + epsilon), ratios.clamp(min=1 - epsilon))
    return -torch.where(mask, limited * weights, 0.0).sum(1).mean()


@right
def loop(log_probs, old_log_probs, mask, advantages, epsilon=0.2):
    losses = []
    for now, old, kept, advantage in zip(log_probs, old_log_probs.detach(), mask, advantages.detach(), strict=True):
        ratio = (now[kept] - old[kept]).exp()
        losses.append(-torch.minimum(ratio * advantage, ratio.clamp(1 - epsilon, 1 + epsilon) * advantage).sum())
    return torch.stack(losses).mean()
