"""What students hand in for `label_smoothed_loss`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
rule of the exercise.
"""

import functools
import math

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "label_smoothed_loss"


def parts(logits, targets):
    """Minus the log-probability of the right word, and minus the mean of all; (B, T) each."""
    log_probs = logits.log_softmax(-1)
    return -log_probs.gather(-1, targets[..., None])[..., 0], -log_probs.mean(-1)


def of_words(logits, targets, epsilon):
    """The smoothed loss of each word, (B, T)."""
    right, even = parts(logits, targets)
    return (1 - epsilon) * right + epsilon * even


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


def over_the_positions(logits, targets, mask, epsilon=0.1):
    """The softmax is over the positions."""
    return over(1, logits, targets, mask, epsilon)


def over_the_sentences(logits, targets, mask, epsilon=0.1):
    """The softmax is over the sentences."""
    return over(0, logits, targets, mask, epsilon)


def in_bits(logits, targets, mask, epsilon=0.1):
    """The logs have base 2."""
    return of_words(logits, targets, epsilon)[mask].mean() / math.log(2)


def summed(logits, targets, mask, epsilon=0.1):
    """The sum over the real words."""
    return of_words(logits, targets, epsilon)[mask].sum()


def not_reduced(logits, targets, mask, epsilon=0.1):
    """A loss for each place."""
    return of_words(logits, targets, epsilon) * mask


def a_number(logits, targets, mask, epsilon=0.1):
    """A plain number has no gradient."""
    return of_words(logits, targets, epsilon)[mask].mean().item()


def wrong_sign(logits, targets, mask, epsilon=0.1):
    """The log-probability, without its minus."""
    return -of_words(logits, targets, epsilon)[mask].mean()


def probabilities(logits, targets, mask, epsilon=0.1):
    """The softmax without a log."""
    return -(target_of(logits, targets, 0.0, 1.0) * logits.softmax(-1)).sum(-1)[mask].mean()


def softmax_twice(logits, targets, mask, epsilon=0.1):
    """Probabilities are taken for logits."""
    return of_words(logits.softmax(-1), targets, epsilon)[mask].mean()


def mean_of_logits(logits, targets, mask, epsilon=0.1):
    """The softmax is forgotten."""
    return -(target_of(logits, targets, epsilon / 7, 1 - epsilon + epsilon / 7) * logits).sum(-1)[mask].mean()


def wrong_way_round(logits, targets, mask, epsilon=0.1):
    """True is taken for padding."""
    return of_words(logits, targets, epsilon)[~mask].mean()


def mean_of_the_product(logits, targets, mask, epsilon=0.1):
    """The mean over the vocabulary, where its sum was meant."""
    target = target_of(logits, targets, epsilon / 7, 1 - epsilon + epsilon / 7)
    return -(target * logits.log_softmax(-1))[mask].mean()


def not_smoothed(logits, targets, mask, epsilon=0.1):
    """The loss without smoothing."""
    return parts(logits, targets)[0][mask].mean()


def shared_by_the_others(logits, targets, mask, epsilon=0.1):
    """ε / (V - 1) on the others and nothing more on the right one, as in some papers."""
    return against(target_of(logits, targets, epsilon / (logits.shape[-1] - 1), 1 - epsilon), logits, mask)


def too_much_for_each(logits, targets, mask, epsilon=0.1):
    """ε / (V - 1) on every word."""
    share = epsilon / (logits.shape[-1] - 1)
    return against(target_of(logits, targets, share, 1 - epsilon + share), logits, mask)


def right_word_without_share(logits, targets, mask, epsilon=0.1):
    """1 - ε replaces the right word's share."""
    return against(target_of(logits, targets, epsilon / logits.shape[-1], 1 - epsilon), logits, mask)


def right_word_keeps_all(logits, targets, mask, epsilon=0.1):
    """The smoothing is added to a whole loss."""
    right, even = parts(logits, targets)
    return (right + epsilon * even)[mask].mean()


def exchanged(logits, targets, mask, epsilon=0.1):
    """ε on the right word."""
    return of_words(logits, targets, 1 - epsilon)[mask].mean() if epsilon else not_smoothed(logits, targets, mask)


def whole_for_each(logits, targets, mask, epsilon=0.1):
    """The sum over the vocabulary is not divided by V."""
    right, even = parts(logits, targets)
    return ((1 - epsilon) * right + epsilon * logits.shape[-1] * even)[mask].mean()


def mean_of_all_logits(logits, targets, mask, epsilon=0.1):
    """The logits are averaged, not their log-probabilities."""
    right, _ = parts(logits, targets)
    return ((1 - epsilon) * right - epsilon * logits.mean(-1))[mask].mean()


def share_forgotten(logits, targets, mask, epsilon=0.1):
    """Only the right word counts, and less."""
    return (1 - epsilon) * parts(logits, targets)[0][mask].mean()


def always_a_tenth(logits, targets, mask, epsilon=0.1):
    """epsilon is asked only whether it is there."""
    return of_words(logits, targets, 0.1 if epsilon else 0.0)[mask].mean()


def divergence(logits, targets, mask, epsilon=0.1):
    """kl_div takes the target's entropy off."""
    target = target_of(logits, targets, epsilon / logits.shape[-1], 1 - epsilon + epsilon / logits.shape[-1])
    return F.kl_div(logits.log_softmax(-1), target, reduction="none").sum(-1)[mask].mean()


def counts_padding(logits, targets, mask, epsilon=0.1):
    """The mask is not used."""
    return of_words(logits, targets, epsilon).mean()


def counts_padding_in_one_part(logits, targets, mask, epsilon=0.1):
    """The part of all words is averaged over all places."""
    right, even = parts(logits, targets)
    return ((1 - epsilon) * right * mask + epsilon * even).sum() / mask.sum()


def ignores_word_zero(logits, targets, mask, epsilon=0.1):
    """The word 0 is taken for padding, as well as what is."""
    return of_words(logits, targets, epsilon)[mask & (targets != 0)].mean()


def zero_for_padding(logits, targets, mask, epsilon=0.1):
    """The word 0 is taken for padding, and the mask is not asked."""
    return of_words(logits, targets, epsilon)[targets != 0].mean()


def target_masked(logits, targets, mask, epsilon=0.1):
    """The target becomes 0 at padding, and the word 0 is paid for."""
    return of_words(logits, targets * mask, epsilon).sum() / mask.sum()


def divided_by_all(logits, targets, mask, epsilon=0.1):
    """Padding counts in the divisor."""
    return (of_words(logits, targets, epsilon) * mask).mean()


def mean_of_means(logits, targets, mask, epsilon=0.1):
    """Sentence by sentence first."""
    losses = of_words(logits, targets, epsilon) * mask
    return (losses.sum(1) / mask.sum(1)).mean()


def views(logits, targets, mask, epsilon=0.1):
    """view, where reshape was needed."""
    flat = of_words(logits.view(-1, logits.shape[-1]), targets.view(-1), epsilon)
    return flat[mask.reshape(-1)].mean()


def log_of_softmax(logits, targets, mask, epsilon=0.1):
    """The log is taken after the softmax, of numbers that have become 0."""
    log_probs = logits.softmax(-1).log()
    right = log_probs.gather(-1, targets[..., None])[..., 0]
    return -((1 - epsilon) * right + epsilon * log_probs.mean(-1))[mask].mean()


def log_of_softmax_with_a_grain(logits, targets, mask, epsilon=0.1):
    """A small constant is added before the log, so that no log is infinite, but none is exact."""
    log_probs = (logits.softmax(-1) + 1e-20).log()
    right = log_probs.gather(-1, targets[..., None])[..., 0]
    return -((1 - epsilon) * right + epsilon * log_probs.mean(-1))[mask].mean()


def exp_by_hand(logits, targets, mask, epsilon=0.1):
    """exp is applied to large logits and becomes infinite."""
    log_probs = logits - logits.exp().sum(-1, keepdim=True).log()
    right = log_probs.gather(-1, targets[..., None])[..., 0]
    return -((1 - epsilon) * right + epsilon * log_probs.mean(-1))[mask].mean()


def in_single_precision(logits, targets, mask, epsilon=0.1):
    """Everything becomes a float32."""
    return of_words(logits.float(), targets, epsilon)[mask].mean()


def target_in_single_precision(logits, targets, mask, epsilon=0.1):
    """The target is made without a dtype."""
    words = logits.shape[-1]
    target = torch.full(logits.shape, epsilon / words).scatter(-1, targets.unsqueeze(-1), 1 - epsilon + epsilon / words)
    return -(target * logits.log_softmax(-1)).sum(-1)[mask].mean()


def detached(logits, targets, mask, epsilon=0.1):
    """No gradient comes back."""
    return of_words(logits.detach(), targets, epsilon)[mask].mean()


def share_detached(logits, targets, mask, epsilon=0.1):
    """The smoothing part of the loss is treated as a constant in the gradient."""
    right, even = parts(logits, targets)
    return ((1 - epsilon) * right + epsilon * even.detach())[mask].mean()


def new_tensor(logits, targets, mask, epsilon=0.1):
    """A tensor of a number."""
    return torch.tensor(of_words(logits, targets, epsilon)[mask].mean().item(), dtype=logits.dtype)


def overwrites_targets(logits, targets, mask, epsilon=0.1):
    """Padding becomes the word 0 in the caller's tensor."""
    targets[~mask] = 0
    return of_words(logits, targets, epsilon)[mask].mean()


def overwrites_logits(logits, targets, mask, epsilon=0.1):
    """The largest logit is taken off in place."""
    logits -= logits.detach().amax(-1, keepdim=True)
    return of_words(logits, targets, epsilon)[mask].mean()


_MEAN = "without smoothing it is the mean cross-entropy of all words"
_SMOOTHED = "the target of a position is ε / V for every word, and 1 - ε more for the right one"
_PADDING = "padding does not count"
_DIVISOR = "the sum is divided by the number of real words"
_PARTS = "logits and targets may be parts of larger tensors"
_FAR = "words of very small probability are handled correctly"
_TYPES = "half and double precision are kept"
_GRADIENT = "the gradient for the logits is right, and zero at padding"
_ARGUMENTS = "logits, targets and mask are not changed"

WRONG = {
    over_the_positions: _MEAN,
    over_the_sentences: _MEAN,
    in_bits: _MEAN,
    summed: _MEAN,
    not_reduced: _MEAN,
    a_number: _MEAN,
    wrong_sign: _MEAN,
    probabilities: _MEAN,
    softmax_twice: _MEAN,
    mean_of_logits: _MEAN,
    wrong_way_round: _MEAN,
    mean_of_the_product: _MEAN,
    not_smoothed: _SMOOTHED,
    shared_by_the_others: _SMOOTHED,
    too_much_for_each: _SMOOTHED,
    right_word_without_share: _SMOOTHED,
    right_word_keeps_all: _SMOOTHED,
    exchanged: _SMOOTHED,
    whole_for_each: _SMOOTHED,
    mean_of_all_logits: _SMOOTHED,
    share_forgotten: _SMOOTHED,
    always_a_tenth: _SMOOTHED,
    divergence: _SMOOTHED,
    counts_padding: _PADDING,
    counts_padding_in_one_part: _PADDING,
    ignores_word_zero: _PADDING,
    zero_for_padding: _PADDING,
    target_masked: _PADDING,
    divided_by_all: _DIVISOR,
    mean_of_means: _DIVISOR,
    views: _PARTS,
    log_of_softmax: _FAR,
    log_of_softmax_with_a_grain: _FAR,
    exp_by_hand: _FAR,
    in_single_precision: _TYPES,
    target_in_single_precision: _TYPES,
    detached: _GRADIENT,
    share_detached: _GRADIENT,
    new_tensor: _GRADIENT,
    overwrites_targets: _ARGUMENTS,
    overwrites_logits: _ARGUMENTS,
}


def multiplied(logits, targets, mask, epsilon=0.1):
    """The losses of padding are multiplied by 0."""
    return (of_words(logits, targets, epsilon) * mask).sum() / mask.sum()


def with_a_target(logits, targets, mask, epsilon=0.1):
    """The whole target is made."""
    share = epsilon / logits.size(-1)
    target = torch.full_like(logits, share)
    target.scatter_(-1, targets.unsqueeze(-1), 1 - epsilon + share)
    return -(target * F.log_softmax(logits, dim=-1)).sum(dim=-1).masked_select(mask).mean()


def one_hot(logits, targets, mask, epsilon=0.1):
    """A mixture of a one-hot target and an even one."""
    words = logits.shape[-1]
    target = (1 - epsilon) * F.one_hot(targets, words).to(logits.dtype) + epsilon / words
    return torch.einsum("btv,btv,bt->", -logits.log_softmax(-1), target, mask.to(logits.dtype)) / mask.sum()


def divergence_and_entropy(logits, targets, mask, epsilon=0.1):
    """The Kullback-Leibler divergence, and the target's entropy added again."""
    target = one_hot_target(logits, targets, epsilon)
    apart = F.kl_div(logits.log_softmax(-1), target, reduction="none").sum(-1)
    return (apart + torch.special.entr(target).sum(-1))[mask].mean()


def one_hot_target(logits, targets, epsilon):
    """The smoothed target, (B, T, V)."""
    words = logits.shape[-1]
    return F.one_hot(targets, words).to(logits.dtype) * (1 - epsilon) + epsilon / words


def by_nll_loss(logits, targets, mask, epsilon=0.1):
    """torch's loss of log-probabilities for the first part."""
    log_probs = logits[mask].log_softmax(-1)
    return (1 - epsilon) * nn.NLLLoss()(log_probs, targets[mask]) - epsilon * log_probs.mean()


def ignoring(logits, targets, mask, epsilon=0.1):
    """Padding becomes a target that nll_loss ignores by itself."""
    log_probs = logits.log_softmax(-1)
    right = F.nll_loss(log_probs.transpose(1, 2), targets.masked_fill(~mask, -100))
    return (1 - epsilon) * right - epsilon * log_probs.mean(-1)[mask].mean()


def loops(logits, targets, mask, epsilon=0.1):
    """Word by word."""
    losses = []
    for b in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            if mask[b, t]:
                log_probs = logits[b, t] - torch.logsumexp(logits[b, t], 0)
                losses.append(-(1 - epsilon) * log_probs[targets[b, t]] - epsilon * log_probs.mean())
    return torch.stack(losses).mean()


def sentence_by_sentence(logits, targets, mask, epsilon=0.1):
    """A sum of each sentence, all divided at the end."""
    total = sum(of_words(x, y, epsilon)[m].sum() for x, y, m in zip(logits, targets, mask, strict=True))
    return total / mask.sum()


def flattened(logits, targets, mask, epsilon=0.1):
    """All places in one row."""
    flat = logits.reshape(-1, logits.shape[-1]).log_softmax(dim=1)
    right = flat[torch.arange(len(flat)), targets.reshape(-1)]
    return -((1 - epsilon) * right + flat.sum(dim=1) * epsilon / flat.shape[1])[mask.flatten()].mean()


def shifted(logits, targets, mask, epsilon=0.1):
    """The softmax by hand, over logits less the largest."""
    logits = logits - logits.amax(dim=-1, keepdim=True)
    chosen = logits.gather(2, targets[:, :, None]).squeeze(2)
    losses = logits.exp().sum(-1).log() - (1 - epsilon) * chosen - epsilon * logits.mean(-1)
    return losses[mask].mean()


def with_a_zero(logits, targets, mask, epsilon=0.1):
    """Padding is filled with zeros before the sum."""
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


RIGHT = {
    "multiplied": multiplied,
    "with a target": with_a_target,
    "one-hot": one_hot,
    "divergence and entropy": divergence_and_entropy,
    "by nll_loss": by_nll_loss,
    "ignoring": ignoring,
    "loops": loops,
    "sentence by sentence": sentence_by_sentence,
    "flattened": flattened,
    "shifted": shifted,
    "with a zero": with_a_zero,
    "a module": Loss(),
    "a partial": functools.partial(with_a_base, 2),
    "a lambda": lambda logits, targets, mask, epsilon=0.1: of_words(logits, targets, epsilon)[mask].mean(),
}


def torchs_own(logits, targets, mask, epsilon=0.1):
    """The rule is that this is not used."""
    return F.cross_entropy(logits[mask], targets[mask], label_smoothing=epsilon)


def torchs_module(logits, targets, mask, epsilon=0.1):
    """Nor this."""
    return nn.CrossEntropyLoss(label_smoothing=epsilon)(logits[mask], targets[mask])


FORBIDDEN = (torchs_own, torchs_module)
