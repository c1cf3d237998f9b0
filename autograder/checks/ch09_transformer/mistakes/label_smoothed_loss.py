"""Mistakes in `label_smoothed_loss`, and right answers in other styles."""

import functools
import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch09_transformer.label_smoothed_loss import (
    certain,
    cut_out,
    in_chapter,
    loss_arguments,
    loss_gradient,
    other_types,
    ratio,
    smoothed,
    unsmoothed,
    with_padding,
)
from autograder.judging.catalogue import forbidden, mistake, right


def parts(logits, targets):
    """Minus the log-probability of the right word, and minus the mean of all; (B, T) each."""
    log_probs = logits.log_softmax(-1)
    return -log_probs.gather(-1, targets[..., None])[..., 0], -log_probs.mean(-1)


def of_words(logits, targets, epsilon):
    """The smoothed loss of each word, (B, T)."""
    right, even = parts(logits, targets)
    return (1 - epsilon) * right + epsilon * even


@mistake(with_padding, "the number of words has a least value above 1, so the loss of a single word is too small")
def at_least_two_words(logits, targets, mask, epsilon=0.1):
    return (of_words(logits, targets, epsilon) * mask).sum() / mask.sum().clamp(min=2)


@mistake(in_chapter, "the default of ε is changed, expected 0.1")
def other_default(logits, targets, mask, epsilon=0.0):
    return of_words(logits, targets, epsilon)[mask].mean()


@mistake(unsmoothed, "an ε of 0 is replaced by the default, expected no smoothing")
def falls_back(logits, targets, mask, epsilon=0.1):
    return of_words(logits, targets, epsilon or 0.1)[mask].mean()


def target_of(logits, targets, share, top):
    """A target that gives every word a share and the right one `top` in its place; (B, T, V)."""
    return torch.full_like(logits, share).scatter(-1, targets.unsqueeze(-1), top)


def against(target, logits, mask):
    """The cross-entropy with such a target."""
    return -(target * logits.log_softmax(-1)).sum(-1)[mask].mean()


def over(dim, logits, targets, mask, epsilon):
    """The loss with a softmax over another dimension."""
    log_probs = logits.log_softmax(dim)
    right = log_probs.gather(-1, targets[..., None])[..., 0]
    return -((1 - epsilon) * right + epsilon * log_probs.mean(-1))[mask].mean()


@mistake(unsmoothed, "the softmax is over the positions, expected over the words, the last dimension")
def over_the_positions(logits, targets, mask, epsilon=0.1):
    return over(1, logits, targets, mask, epsilon)


@mistake(unsmoothed, "the softmax is over the sentences, expected over the words, the last dimension")
def over_the_sentences(logits, targets, mask, epsilon=0.1):
    return over(0, logits, targets, mask, epsilon)


@mistake(unsmoothed, "the logs have base 2, so the loss is in bits, expected in nats")
def in_bits(logits, targets, mask, epsilon=0.1):
    return of_words(logits, targets, epsilon)[mask].mean() / math.log(2)


@mistake(unsmoothed, "the loss is the sum over all words, expected their mean")
def summed(logits, targets, mask, epsilon=0.1):
    return of_words(logits, targets, epsilon)[mask].sum()


@mistake(unsmoothed, "a loss for each position is returned, expected their mean")
def not_reduced(logits, targets, mask, epsilon=0.1):
    return of_words(logits, targets, epsilon) * mask


@mistake(unsmoothed, "a plain number is returned, which has no gradient; expected a tensor")
def a_number(logits, targets, mask, epsilon=0.1):
    return of_words(logits, targets, epsilon)[mask].mean().item()


@mistake(unsmoothed, "the loss has the wrong sign")
def wrong_sign(logits, targets, mask, epsilon=0.1):
    return -of_words(logits, targets, epsilon)[mask].mean()


@mistake(unsmoothed, "the loss is a mean of probabilities, expected of their logs")
def probabilities(logits, targets, mask, epsilon=0.1):
    return -(target_of(logits, targets, 0.0, 1.0) * logits.softmax(-1)).sum(-1)[mask].mean()


@mistake(unsmoothed, "the softmax is applied twice: apply it to the logits themselves")
def softmax_twice(logits, targets, mask, epsilon=0.1):
    return of_words(logits.softmax(-1), targets, epsilon)[mask].mean()


@mistake(unsmoothed, "the loss is a mean of logits, expected of log-probabilities: apply log_softmax")
def mean_of_logits(logits, targets, mask, epsilon=0.1):
    return -(target_of(logits, targets, epsilon / 7, 1 - epsilon + epsilon / 7) * logits).sum(-1)[mask].mean()


@mistake(unsmoothed, "the mask is inverted: True means that a word is real")
def wrong_way_round(logits, targets, mask, epsilon=0.1):
    return of_words(logits, targets, epsilon)[~mask].mean()


@mistake(unsmoothed, "the mean is also divided by the size of the vocabulary")
def mean_of_the_product(logits, targets, mask, epsilon=0.1):
    target = target_of(logits, targets, epsilon / 7, 1 - epsilon + epsilon / 7)
    return -(target * logits.log_softmax(-1))[mask].mean()


@mistake(smoothed, "the loss is not smoothed: it is that of the right words only")
def not_smoothed(logits, targets, mask, epsilon=0.1):
    return parts(logits, targets)[0][mask].mean()


@mistake(
    smoothed, "ε is divided among the V - 1 other words, expected ε / V for each of all V, including the right one"
)
def shared_by_the_others(logits, targets, mask, epsilon=0.1):
    return against(target_of(logits, targets, epsilon / (logits.shape[-1] - 1), 1 - epsilon), logits, mask)


@mistake(smoothed, "each of all V words gets ε / (V - 1), expected ε / V: the target does not sum to one")
def too_much_for_each(logits, targets, mask, epsilon=0.1):
    share = epsilon / (logits.shape[-1] - 1)
    return against(target_of(logits, targets, share, 1 - epsilon + share), logits, mask)


@mistake(smoothed, "the other words get ε / V each and the right one only 1 - ε: the target does not sum to one")
def right_word_without_share(logits, targets, mask, epsilon=0.1):
    return against(target_of(logits, targets, epsilon / logits.shape[-1], 1 - epsilon), logits, mask)


@mistake(smoothed, "the right word keeps 1, expected 1 - ε plus its share ε / V")
def right_word_keeps_all(logits, targets, mask, epsilon=0.1):
    right, even = parts(logits, targets)
    return (right + epsilon * even)[mask].mean()


@mistake(smoothed, "ε and 1 - ε are swapped")
def exchanged(logits, targets, mask, epsilon=0.1):
    return of_words(logits, targets, 1 - epsilon)[mask].mean() if epsilon else not_smoothed(logits, targets, mask)


@mistake(smoothed, "each word gets all of ε, expected ε / V")
def whole_for_each(logits, targets, mask, epsilon=0.1):
    right, even = parts(logits, targets)
    return ((1 - epsilon) * right + epsilon * logits.shape[-1] * even)[mask].mean()


@mistake(smoothed, "the logits are averaged over the vocabulary, expected their log-probabilities")
def mean_of_all_logits(logits, targets, mask, epsilon=0.1):
    right, _ = parts(logits, targets)
    return ((1 - epsilon) * right - epsilon * logits.mean(-1))[mask].mean()


@mistake(smoothed, "the smoothing part is missing")
def share_forgotten(logits, targets, mask, epsilon=0.1):
    return (1 - epsilon) * parts(logits, targets)[0][mask].mean()


@mistake(smoothed, "the loss is smoothed with a constant, whatever ε is")
def always_a_tenth(logits, targets, mask, epsilon=0.1):
    return of_words(logits, targets, 0.1 if epsilon else 0.0)[mask].mean()


@mistake(
    smoothed,
    "the entropy of the target is subtracted: this is a Kullback-Leibler divergence, expected the cross-entropy",
)
def divergence(logits, targets, mask, epsilon=0.1):
    target = target_of(logits, targets, epsilon / logits.shape[-1], 1 - epsilon + epsilon / logits.shape[-1])
    return F.kl_div(logits.log_softmax(-1), target, reduction="none").sum(-1)[mask].mean()


@mistake(ratio, "padding is counted: the loss is that of all positions, whatever the mask")
def counts_padding(logits, targets, mask, epsilon=0.1):
    return of_words(logits, targets, epsilon).mean()


@mistake(ratio, "padding is counted in the smoothing part of the loss, the mean over all words of the vocabulary")
def counts_padding_in_one_part(logits, targets, mask, epsilon=0.1):
    right, even = parts(logits, targets)
    return ((1 - epsilon) * right * mask + epsilon * even).sum() / mask.sum()


@mistake(ratio, "padding is counted in the smoothing part of the loss, the mean over all words of the vocabulary")
def averages_padding_in_one_part(logits, targets, mask, epsilon=0.1):
    right, even = parts(logits, targets)
    return (1 - epsilon) * right[mask].mean() + epsilon * even.mean()


@mistake(ratio, "real words with id 0 are left out")
def ignores_word_zero(logits, targets, mask, epsilon=0.1):
    return of_words(logits, targets, epsilon)[mask & (targets != 0)].mean()


@mistake(ratio, "the words with id 0 are left out, expected those where the mask is False: any id may be a real word")
def zero_for_padding(logits, targets, mask, epsilon=0.1):
    return of_words(logits, targets, epsilon)[targets != 0].mean()


@mistake(
    ratio,
    "the targets are multiplied by the mask, so padding counts as the word 0; expected the losses multiplied by the mask",
)
def target_masked(logits, targets, mask, epsilon=0.1):
    return of_words(logits, targets * mask, epsilon).sum() / mask.sum()


@mistake(
    with_padding, "the sum is divided by B · T, expected by the number of real words: padding makes the loss smaller"
)
def divided_by_all(logits, targets, mask, epsilon=0.1):
    return (of_words(logits, targets, epsilon) * mask).mean()


@mistake(
    with_padding,
    "the mean is taken over each sentence first and then over the sentences, so words of short sentences get too much weight",
)
def mean_of_means(logits, targets, mask, epsilon=0.1):
    losses = of_words(logits, targets, epsilon) * mask
    return (losses.sum(1) / mask.sum(1)).mean()


mistake(
    with_padding,
    "the mean is taken over each sentence first and then over the sentences, so words of short sentences get too much weight",
).made_in(mean_of_means, mean_of_means_with_empty_ones={"mask.sum(1)": "mask.sum(1).clamp(min=1)"})


@mistake(unsmoothed, "the weights are swapped: the right word gets ε and the mean of all words 1 - ε")
def weights_exchanged(logits, targets, mask, epsilon=0.1):
    return of_words(logits, targets, 1 - epsilon)[mask].mean()


mistake(smoothed, "the smoothing part is multiplied by 1 - ε too, expected by ε alone").made_in(
    right_word_keeps_all, both_multiplied={"right + epsilon * even": "(1 - epsilon) * (right + epsilon * even)"}
)


@mistake(ratio, "the logits are set to zero at padding, but the loss there is still counted")
def zero_logits(logits, targets, mask, epsilon=0.1):
    return of_words(logits * mask.unsqueeze(-1), targets, epsilon).sum() / mask.sum()


@mistake(cut_out, "view is called on a slice of a larger tensor, which is not contiguous; reshape works")
def views(logits, targets, mask, epsilon=0.1):
    flat = of_words(logits.view(-1, logits.shape[-1]), targets.view(-1), epsilon)
    return flat[mask.reshape(-1)].mean()


@mistake(certain, "the log is taken after the softmax, of probabilities that have become 0: use log_softmax")
def log_of_softmax(logits, targets, mask, epsilon=0.1):
    log_probs = logits.softmax(-1).log()
    right = log_probs.gather(-1, targets[..., None])[..., 0]
    return -((1 - epsilon) * right + epsilon * log_probs.mean(-1))[mask].mean()


def cut_off(least, logits, targets, mask, epsilon):
    """The loss with a small constant added to the probabilities."""
    log_probs = (logits.softmax(-1) + least).log()
    right = log_probs.gather(-1, targets[..., None])[..., 0]
    return -((1 - epsilon) * right + epsilon * log_probs.mean(-1))[mask].mean()


@mistake(in_chapter, "a small constant is added before the log, which makes small probabilities wrong: use log_softmax")
def log_of_softmax_with_1e_8(logits, targets, mask, epsilon=0.1):
    return cut_off(1e-8, logits, targets, mask, epsilon)


mistake(
    in_chapter, "a small constant is added before the log, which makes small probabilities wrong: use log_softmax"
).made_in(
    log_of_softmax_with_1e_8,
    log_of_softmax_with_1e_9={"1e-8": "1e-9"},
    log_of_softmax_with_1e_10={"1e-8": "1e-10"},
    log_of_softmax_with_1e_12={"1e-8": "1e-12"},
)
mistake(
    certain, "a small constant is added before the log, which makes small probabilities wrong: use log_softmax"
).made_in(log_of_softmax_with_1e_8, log_of_softmax_with_a_grain={"1e-8": "1e-20"})
mistake(certain, "the softmax is written with exp, which overflows for large logits").made_in(
    log_of_softmax, exp_by_hand={"logits.softmax(-1).log()": "logits - logits.exp().sum(-1, keepdim=True).log()"}
)


@mistake(other_types, "the logits are converted to float32, expected their own dtype")
def in_single_precision(logits, targets, mask, epsilon=0.1):
    return of_words(logits.float(), targets, epsilon)[mask].mean()


@mistake(other_types, "the target is a new tensor of float32, expected the dtype of the logits")
def target_in_single_precision(logits, targets, mask, epsilon=0.1):
    words = logits.shape[-1]
    target = torch.full(logits.shape, epsilon / words).scatter(-1, targets.unsqueeze(-1), 1 - epsilon + epsilon / words)
    return -(target * logits.log_softmax(-1)).sum(-1)[mask].mean()


@mistake(loss_gradient, "the logits are detached, so no gradient reaches them")
def detached(logits, targets, mask, epsilon=0.1):
    return of_words(logits.detach(), targets, epsilon)[mask].mean()


mistake(loss_gradient, "the smoothing part is detached, so no gradient reaches the logits through it").made_in(
    whole_for_each, share_detached={"epsilon * logits.shape[-1] * even": "epsilon * even.detach()"}
)


@mistake(loss_gradient, "the loss is a new tensor made of a number, so no gradient comes back")
def new_tensor(logits, targets, mask, epsilon=0.1):
    return torch.tensor(of_words(logits, targets, epsilon)[mask].mean().item(), dtype=logits.dtype)


@mistake(loss_arguments, "padding is set to the word 0 in the caller's targets")
def overwrites_targets(logits, targets, mask, epsilon=0.1):
    targets[~mask] = 0
    return of_words(logits, targets, epsilon)[mask].mean()


mistake(loss_arguments, "the largest logit is subtracted in place, from the caller's tensor").made_in(
    overwrites_targets, overwrites_logits={"targets[~mask] = 0": "logits -= logits.detach().amax(-1, keepdim=True)"}
)


@right
def multiplied(logits, targets, mask, epsilon=0.1):
    return (of_words(logits, targets, epsilon) * mask).sum() / mask.sum()


@right
def with_a_target(logits, targets, mask, epsilon=0.1):
    share = epsilon / logits.size(-1)
    target = torch.full_like(logits, share)
    target.scatter_(-1, targets.unsqueeze(-1), 1 - epsilon + share)
    return -(target * F.log_softmax(logits, dim=-1)).sum(dim=-1).masked_select(mask).mean()


@right
def one_hot(logits, targets, mask, epsilon=0.1):
    words = logits.shape[-1]
    target = (1 - epsilon) * F.one_hot(targets, words).to(logits.dtype) + epsilon / words
    return torch.einsum("btv,btv,bt->", -logits.log_softmax(-1), target, mask.to(logits.dtype)) / mask.sum()


@right
def divergence_and_entropy(logits, targets, mask, epsilon=0.1):
    target = one_hot_target(logits, targets, epsilon)
    apart = F.kl_div(logits.log_softmax(-1), target, reduction="none").sum(-1)
    return (apart + torch.special.entr(target).sum(-1))[mask].mean()


def one_hot_target(logits, targets, epsilon):
    """The smoothed target, (B, T, V)."""
    words = logits.shape[-1]
    return F.one_hot(targets, words).to(logits.dtype) * (1 - epsilon) + epsilon / words


@right
def by_nll_loss(logits, targets, mask, epsilon=0.1):
    log_probs = logits[mask].log_softmax(-1)
    return (1 - epsilon) * nn.NLLLoss()(log_probs, targets[mask]) - epsilon * log_probs.mean()


@right
def ignoring(logits, targets, mask, epsilon=0.1):
    log_probs = logits.log_softmax(-1)
    right = F.nll_loss(log_probs.transpose(1, 2), targets.masked_fill(~mask, -100))
    return (1 - epsilon) * right - epsilon * log_probs.mean(-1)[mask].mean()


@right
def loops(logits, targets, mask, epsilon=0.1):
    losses = []
    for b in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            if mask[b, t]:
                log_probs = logits[b, t] - torch.logsumexp(logits[b, t], 0)
                losses.append(-(1 - epsilon) * log_probs[targets[b, t]] - epsilon * log_probs.mean())
    return torch.stack(losses).mean()


@right
def sentence_by_sentence(logits, targets, mask, epsilon=0.1):
    total = sum(of_words(x, y, epsilon)[m].sum() for x, y, m in zip(logits, targets, mask, strict=True))
    return total / mask.sum()


@right
def flattened(logits, targets, mask, epsilon=0.1):
    flat = logits.reshape(-1, logits.shape[-1]).log_softmax(dim=1)
    right = flat[torch.arange(len(flat)), targets.reshape(-1)]
    return -((1 - epsilon) * right + flat.sum(dim=1) * epsilon / flat.shape[1])[mask.flatten()].mean()


@right
def shifted(logits, targets, mask, epsilon=0.1):
    logits = logits - logits.amax(dim=-1, keepdim=True)
    chosen = logits.gather(2, targets[:, :, None]).squeeze(2)
    losses = logits.exp().sum(-1).log() - (1 - epsilon) * chosen - epsilon * logits.mean(-1)
    return losses[mask].mean()


@right
def with_a_zero(logits, targets, mask, epsilon=0.1):
    losses = of_words(logits, targets, epsilon).masked_fill(~mask, 0)
    return losses.sum() / mask.count_nonzero()


class Loss(nn.Module):
    """A module in the place of a function."""

    def forward(self, logits, targets, mask, epsilon=0.1):
        return flattened(logits[mask].unsqueeze(0), targets[mask].unsqueeze(0), mask[mask].unsqueeze(0), epsilon)


def with_a_base(base, logits, targets, mask, epsilon=0.1):
    """For a partial: a logarithm of another base, and back."""
    log_probs = logits[mask].log_softmax(-1) / math.log(base)
    right = log_probs.gather(1, targets[mask].unsqueeze(1)).mean()
    return -((1 - epsilon) * right + epsilon * log_probs.mean()) * math.log(base)


@forbidden
def torchs_own(logits, targets, mask, epsilon=0.1):
    return F.cross_entropy(logits[mask], targets[mask], label_smoothing=epsilon)


@forbidden
def torchs_module(logits, targets, mask, epsilon=0.1):
    return nn.CrossEntropyLoss(label_smoothing=epsilon)(logits[mask], targets[mask])


right(Loss())


right(functools.partial(with_a_base, 2))


right(lambda logits, targets, mask, epsilon=0.1: of_words(logits, targets, epsilon)[mask].mean())
