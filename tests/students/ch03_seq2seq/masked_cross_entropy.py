"""What students submit for `masked_cross_entropy`: each mistake alone, and right answers in many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
rule of the exercise.
"""

import functools
import math

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "masked_cross_entropy"


def of_words(logits, target):
    """The cross-entropy of each word, (B, T)."""
    return F.cross_entropy(logits.transpose(1, 2), target, reduction="none")


def summed(logits, target, mask):
    """The sum over the real words."""
    return F.cross_entropy(logits[mask], target[mask], reduction="sum")


def per_sentence(logits, target, mask):
    """The sum over the real words, divided by the number of sentences."""
    return F.cross_entropy(logits[mask], target[mask], reduction="sum") / len(target)


def per_place(logits, target, mask):
    """The sum over the real words, divided by the number of positions of a sentence."""
    return F.cross_entropy(logits[mask], target[mask], reduction="sum") / target.shape[1]


def not_reduced(logits, target, mask):
    """A loss for each position."""
    return of_words(logits, target) * mask


def a_number(logits, target, mask):
    """A plain number has no gradient."""
    return F.cross_entropy(logits[mask], target[mask]).item()


def of_shape_one(logits, target, mask):
    """One dimension too many."""
    return F.cross_entropy(logits[mask], target[mask]).reshape(1)


def log_prob(logits, target, mask):
    """The sign is forgotten."""
    return -F.cross_entropy(logits[mask], target[mask])


def probability(logits, target, mask):
    """The log is forgotten."""
    return -(-of_words(logits, target)).exp()[mask].mean()


def softmax_twice(logits, target, mask):
    """cross_entropy is given probabilities."""
    return F.cross_entropy(logits[mask].softmax(dim=-1), target[mask])


def in_bits(logits, target, mask):
    """The logarithm with base 2."""
    return F.cross_entropy(logits[mask], target[mask]) / math.log(2)


def perplexity(logits, target, mask):
    """The exponential."""
    return F.cross_entropy(logits[mask], target[mask]).exp()


def wrong_way_round(logits, target, mask):
    """True in the mask is treated as padding; without padding nothing is left, and the loss is NaN."""
    return F.cross_entropy(logits[~mask], target[~mask])


def wrong_way_round_summed(logits, target, mask):
    """True in the mask is treated as padding; without padding the loss is 0."""
    return (of_words(logits, target) * ~mask).sum() / mask.sum()


def likeliest_word(logits, target, mask):
    """The loss of the word that the model finds most likely."""
    return F.cross_entropy(logits[mask], logits.argmax(-1)[mask])


def over_the_places(logits, target, mask):
    """The softmax is applied over the positions."""
    log_probs = logits.log_softmax(dim=1).gather(2, target.unsqueeze(2)).squeeze(2)
    return -log_probs[mask].mean()


def counts_padding(logits, target, mask):
    """The mask is not used."""
    return F.cross_entropy(logits.flatten(0, 1), target.flatten())


def ignores_word_zero(logits, target, mask):
    """The word 0 is treated as padding, whatever the mask says."""
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0)


def target_set_to_zero(logits, target, mask):
    """At padding the target is set to the word 0, which is a word like any other."""
    return F.cross_entropy(logits.flatten(0, 1), target.masked_fill(~mask, 0).flatten())


def logits_set_to_zero(logits, target, mask):
    """At padding the logits are set to 0, so each word there costs log V."""
    return of_words(logits * mask.unsqueeze(-1), target).sum() / mask.sum()


def target_zero_ignored(logits, target, mask):
    """At padding the target is set to 0 and ignored, and so is the real word 0."""
    return F.cross_entropy(logits.flatten(0, 1), target.masked_fill(~mask, 0).flatten(), ignore_index=0)


def divided_by_all(logits, target, mask):
    """The sum over real words is divided by B · T."""
    return (of_words(logits, target) * mask).mean()


def mean_of_means(logits, target, mask):
    """Every sentence has the same weight, whatever its length."""
    losses = (of_words(logits, target) * mask).sum(dim=1) / mask.sum(dim=1)
    return losses.mean()


def real_words_of_one_sentence(logits, target, mask):
    """The sum is divided by the number of real words of the first sentence."""
    return (of_words(logits, target) * mask).sum() / (mask[0].sum() * len(mask))


def views(logits, target, mask):
    """view needs a contiguous tensor."""
    losses = F.cross_entropy(logits.view(-1, logits.shape[-1]), target.reshape(-1), reduction="none")
    return losses[mask.flatten()].mean()


def views_target(logits, target, mask):
    """view also needs a contiguous target."""
    losses = F.cross_entropy(logits.flatten(0, 1), target.view(-1), reduction="none")
    return losses[mask.flatten()].mean()


def log_of_softmax(logits, target, mask):
    """The logarithm of a softmax that has become 0."""
    probabilities = logits.softmax(dim=-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return -probabilities.log()[mask].mean()


def log_of_softmax_with_epsilon(logits, target, mask):
    """A small number is added to avoid the logarithm of 0, so the loss stops growing at 23."""
    probabilities = logits.softmax(dim=-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return -(probabilities + 1e-10).log()[mask].mean()


def exp_by_hand(logits, target, mask):
    """The exponential of a large number is infinite."""
    chosen = logits.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return (logits.exp().sum(dim=-1).log() - chosen)[mask].mean()


def detached(logits, target, mask):
    """The gradient is cut off."""
    return F.cross_entropy(logits.detach()[mask], target[mask])


def new_tensor(logits, target, mask):
    """A new tensor made of plain numbers has no gradient."""
    return torch.tensor([loss.item() for loss in of_words(logits, target)[mask]]).mean()


def without_gradient(logits, target, mask):
    """Everything is inside no_grad."""
    with torch.no_grad():
        return F.cross_entropy(logits[mask], target[mask])


def overwrites_target(logits, target, mask):
    """The caller's target is changed."""
    target[~mask] = -100
    return F.cross_entropy(logits.flatten(0, 1), target.flatten())


def overwrites_logits(logits, target, mask):
    """The caller's logits are changed, while the gradient goes through a copy."""
    loss = F.cross_entropy(logits[mask], target[mask])
    logits.data[~mask] = 0.0
    return loss


def inverts_mask_in_place(logits, target, mask):
    """The caller's mask is changed."""
    mask.logical_not_()
    return F.cross_entropy(logits.flatten(0, 1), target.masked_fill(mask, -100).flatten())


def mean_of_logits(logits, target, mask):
    """nll_loss expects log-probabilities, but accepts logits without a warning."""
    return F.nll_loss(logits[mask], target[mask])


def multiplied(logits, target, mask):
    """The losses at padding are multiplied by 0, even if they are infinite."""
    return (of_words(logits, target) * mask).sum() / mask.sum()


def one_hot(logits, target, mask):
    """A product with one-hot vectors."""
    chosen = F.one_hot(target, logits.shape[-1]).to(logits.dtype)
    return -torch.einsum("btv,btv,bt->", logits.log_softmax(-1), chosen, mask.to(logits.dtype)) / mask.sum()


def weighted(logits, target, mask):
    """Weights that sum to one over the real words."""
    weights = mask.to(logits.dtype) / mask.sum()
    return (weights * of_words(logits, target)).sum()


def with_einsum(logits, target, mask):
    """One sum over the sentences, the positions and the words."""
    chosen = F.one_hot(target, logits.shape[-1]).to(logits)
    return -torch.einsum("btv,btv,bt->", logits.log_softmax(dim=-1), chosen, mask.to(logits)) / mask.sum()


def reshaped(logits, target, mask):
    """The logits are reshaped to (B, V, T), which does not swap axes: transpose(1, 2) does."""
    batch, length, words = logits.shape
    losses = F.cross_entropy(logits.reshape(batch, words, length), target, reduction="none")
    return losses[mask].mean()


_USE = "works as the chapter uses it"
_MEAN = "without padding it is the mean cross-entropy of all words"
_PADDING = "padding does not count"
_DIVISOR = "the sum is divided by the number of real words"
_PARTS = "logits and target may be parts of larger tensors"
_FAR = "very small probabilities are handled correctly"
_GRADIENT = "the gradient of the logits is right, and zero at padding"
_ARGUMENTS = "logits, target and mask are not changed"

WRONG = {
    reshaped: _MEAN,
    multiplied: _USE,
    one_hot: _USE,
    weighted: _USE,
    with_einsum: _USE,
    summed: _MEAN,
    per_sentence: _MEAN,
    per_place: _MEAN,
    not_reduced: _MEAN,
    a_number: _MEAN,
    of_shape_one: _MEAN,
    log_prob: _MEAN,
    probability: _MEAN,
    softmax_twice: _MEAN,
    in_bits: _MEAN,
    perplexity: _MEAN,
    wrong_way_round: _MEAN,
    wrong_way_round_summed: _MEAN,
    likeliest_word: _MEAN,
    over_the_places: _MEAN,
    mean_of_logits: _MEAN,
    counts_padding: _PADDING,
    ignores_word_zero: _PADDING,
    target_set_to_zero: _PADDING,
    logits_set_to_zero: _PADDING,
    target_zero_ignored: _PADDING,
    divided_by_all: _DIVISOR,
    mean_of_means: _DIVISOR,
    real_words_of_one_sentence: _DIVISOR,
    views: _PARTS,
    views_target: _PARTS,
    log_of_softmax: _FAR,
    log_of_softmax_with_epsilon: _FAR,
    exp_by_hand: _FAR,
    detached: _GRADIENT,
    new_tensor: _GRADIENT,
    without_gradient: _GRADIENT,
    overwrites_target: _ARGUMENTS,
    overwrites_logits: _ARGUMENTS,
    inverts_mask_in_place: _ARGUMENTS,
}


def ignoring(logits, target, mask):
    """Padding becomes a target that cross_entropy ignores by itself."""
    return F.cross_entropy(logits.transpose(1, 2), torch.where(mask, target, -100))


def by_log_softmax(logits, target, mask):
    """The log-probability of each word is picked."""
    log_probs = F.log_softmax(logits, dim=-1)
    chosen = torch.gather(log_probs, 2, target[..., None])[..., 0]
    return -chosen.masked_select(mask).mean()


def by_nll_loss(logits, target, mask):
    """torch's loss of log-probabilities."""
    return nn.NLLLoss()(logits.log_softmax(-1)[mask], target[mask])


def loops(logits, target, mask):
    """Word by word."""
    losses = []
    for b in range(target.shape[0]):
        for t in range(target.shape[1]):
            if mask[b, t]:
                losses.append(torch.logsumexp(logits[b, t], 0) - logits[b, t, target[b, t]])
    return sum(losses) / len(losses)


def sentence_by_sentence(logits, target, mask):
    """A sum of each sentence, all divided at the end."""
    total = torch.zeros((), dtype=logits.dtype)
    for row, words, real in zip(logits, target, mask, strict=True):
        if real.any():
            total = total + F.cross_entropy(row[real], words[real], reduction="sum")
    return total / mask.sum()


def shifted(logits, target, mask):
    """The softmax by hand, over logits less the largest."""
    logits = logits - logits.amax(dim=-1, keepdim=True)
    chosen = logits[torch.arange(len(target))[:, None], torch.arange(target.shape[1]), target]
    return (logits.exp().sum(-1).log() - chosen)[mask].mean()


class Loss(nn.Module):
    """A module instead of a function."""

    def forward(self, logits, target, mask):
        return nn.functional.cross_entropy(logits[mask], target[mask])


def with_a_loss(loss, logits, target, mask):
    """For a partial: torch's loss comes first."""
    return loss(logits[mask], target[mask])


RIGHT = {
    "ignoring": ignoring,
    "by log_softmax": by_log_softmax,
    "by nll_loss": by_nll_loss,
    "loops": loops,
    "sentence by sentence": sentence_by_sentence,
    "shifted": shifted,
    "a module": Loss(),
    "a partial": functools.partial(with_a_loss, nn.CrossEntropyLoss()),
    "a lambda": lambda logits, target, mask: of_words(logits, target)[mask].mean(),
}


def seqlabs_own(logits, target, mask):
    """The rule of the exercise forbids this."""
    import seqlab.models

    return seqlab.models.token_loss(logits, target)


FORBIDDEN = (seqlabs_own,)
