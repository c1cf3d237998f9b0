"""Mistakes in `masked_cross_entropy`, and right answers in other styles."""

import functools
import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch03_seq2seq.masked_cross_entropy import (
    certain,
    cut_out,
    in_chapter,
    loss_arguments,
    loss_gradient,
    ratio,
    with_padding,
    without_padding,
)
from autograder.judging.catalogue import forbidden, mistake, right


def of_words(logits, target):
    """The cross-entropy of each word, (B, T)."""
    return F.cross_entropy(logits.transpose(1, 2), target, reduction="none")


@mistake(without_padding, "the loss is the sum over all words, expected their mean")
def summed(logits, target, mask):
    return F.cross_entropy(logits[mask], target[mask], reduction="sum")


@mistake(
    without_padding, "the sum over the words is divided by the number of sentences, expected the number of real words"
)
def per_sentence(logits, target, mask):
    return F.cross_entropy(logits[mask], target[mask], reduction="sum") / len(target)


mistake(
    without_padding,
    "the sum over the words is divided by the number of positions of a sentence, expected the number of real words",
).made_in(per_sentence, per_place={"len(target)": "target.shape[1]"})


@mistake(without_padding, "there is a loss for each position, expected their mean over the real words")
def not_reduced(logits, target, mask):
    return of_words(logits, target) * mask


@mistake(without_padding, "the loss is a plain number, which has no gradient; expected a tensor")
def a_number(logits, target, mask):
    return F.cross_entropy(logits[mask], target[mask]).item()


@mistake(without_padding, "the loss has a dimension of size one too many, expected shape ()")
def of_shape_one(logits, target, mask):
    return F.cross_entropy(logits[mask], target[mask]).reshape(1)


@mistake(without_padding, "the loss has the wrong sign")
def log_prob(logits, target, mask):
    return -F.cross_entropy(logits[mask], target[mask])


@mistake(without_padding, "the loss is a mean of probabilities: their log is missing")
def probability(logits, target, mask):
    return -(-of_words(logits, target)).exp()[mask].mean()


@mistake(without_padding, "the softmax is applied twice: cross_entropy takes the logits themselves")
def softmax_twice(logits, target, mask):
    return F.cross_entropy(logits[mask].softmax(dim=-1), target[mask])


@mistake(without_padding, "the loss is in bits, expected nats: use the natural logarithm")
def in_bits(logits, target, mask):
    return F.cross_entropy(logits[mask], target[mask]) / math.log(2)


@mistake(without_padding, "the loss is the perplexity, the exponential of what is expected")
def perplexity(logits, target, mask):
    return F.cross_entropy(logits[mask], target[mask]).exp()


@mistake(without_padding, "the mask is inverted: True means that a word is real")
def wrong_way_round(logits, target, mask):
    return F.cross_entropy(logits[~mask], target[~mask])


@mistake(without_padding, "the mask is inverted: True means that a word is real")
def wrong_way_round_summed(logits, target, mask):
    return (of_words(logits, target) * ~mask).sum() / mask.sum()


mistake(
    without_padding, "the loss is that of the words that the model finds most likely, expected that of the target words"
).made_in(wrong_way_round, likeliest_word={"logits[~mask], target[~mask]": "logits[mask], logits.argmax(-1)[mask]"})


@mistake(without_padding, "the softmax is applied over the positions, expected over the vocabulary, the last dimension")
def over_the_places(logits, target, mask):
    log_probs = logits.log_softmax(dim=1).gather(2, target.unsqueeze(2)).squeeze(2)
    return -log_probs[mask].mean()


@mistake(ratio, "padding is counted: the loss is that of all positions, whatever the mask says")
def counts_padding(logits, target, mask):
    return F.cross_entropy(logits.flatten(0, 1), target.flatten())


@mistake(
    ratio, "the words with the id 0 are left out, expected those where the mask is False: any id may be a real word"
)
def ignores_word_zero(logits, target, mask):
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0)


@mistake(ratio, "the target is set to 0 at padding, but 0 is a word like any other: leave these positions out")
def target_set_to_zero(logits, target, mask):
    return F.cross_entropy(logits.flatten(0, 1), target.masked_fill(~mask, 0).flatten())


@mistake(
    ratio, "the logits are set to 0 at padding, so each of these words still costs log V: leave these positions out"
)
def logits_set_to_zero(logits, target, mask):
    return of_words(logits * mask.unsqueeze(-1), target).sum() / mask.sum()


@mistake(ratio, "of the real words, those with the id 0 are left out")
def target_zero_ignored(logits, target, mask):
    return F.cross_entropy(logits.flatten(0, 1), target.masked_fill(~mask, 0).flatten(), ignore_index=0)


@mistake(cut_out, "the loss of logits in half precision is float32, expected their dtype")
def in_single_for_half(logits, target, mask):
    return F.cross_entropy(logits[mask].to(torch.promote_types(logits.dtype, torch.float32)), target[mask])


@mistake(with_padding, "the sum is divided by B · T, expected the number of real words: padding makes the loss smaller")
def divided_by_all(logits, target, mask):
    return (of_words(logits, target) * mask).mean()


@mistake(
    with_padding,
    "the mean is taken over each sentence first and then over the sentences, so a word in a short sentence gets more weight",
)
def mean_of_means(logits, target, mask):
    losses = (of_words(logits, target) * mask).sum(dim=1) / mask.sum(dim=1)
    return losses.mean()


@mistake(with_padding, "the sum is divided as if every sentence had as many words as the first")
def real_words_of_one_sentence(logits, target, mask):
    return (of_words(logits, target) * mask).sum() / (mask[0].sum() * len(mask))


@mistake(
    with_padding,
    "the sum is divided by the number of target words other than 0, expected that of True values in the mask",
)
def divided_by_words_other_than_zero(logits, target, mask):
    return (of_words(logits, target) * mask).sum() / (target != 0).sum()


@mistake(cut_out, "view needs a contiguous tensor; reshape works with any")
def views(logits, target, mask):
    losses = F.cross_entropy(logits.view(-1, logits.shape[-1]), target.reshape(-1), reduction="none")
    return losses[mask.flatten()].mean()


mistake(cut_out, "view needs a contiguous tensor; reshape works with any").made_in(
    views, views_target={"logits.view(-1, logits.shape[-1])": "logits.flatten(0, 1)", "target.reshape": "target.view"}
)


@mistake(certain, "the logarithm is taken of a softmax, which is 0 for logits that are far apart")
def log_of_softmax(logits, target, mask):
    probabilities = logits.softmax(dim=-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return -probabilities.log()[mask].mean()


@mistake(
    certain,
    "a small number is added to the probabilities before the logarithm, so the loss of a word has an upper limit",
)
def log_of_softmax_with_epsilon(logits, target, mask):
    probabilities = logits.softmax(dim=-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return -(probabilities + 1e-10).log()[mask].mean()


mistake(
    certain,
    "a small number is added to the probabilities before the logarithm, so the loss of a word has an upper limit",
).made_in(
    log_of_softmax_with_epsilon,
    log_of_softmax_with_1e_12={"1e-10": "1e-12"},
    log_of_softmax_with_1e_9={"1e-10": "1e-9"},
    log_of_softmax_with_1e_8={"1e-10": "1e-8"},
)
mistake(certain, "the logarithm is taken of a softmax, which is 0 for logits that are far apart").made_in(
    log_of_softmax_with_epsilon,
    log_of_softmax_of_real_words={"(probabilities + 1e-10).log()[mask]": "probabilities[mask].log()"},
)


@mistake(certain, "the loss of a word has an upper limit, expected none: it may even be infinite")
def clamped(logits, target, mask):
    return of_words(logits, target).clamp(max=100.0)[mask].mean()


@mistake(certain, "the exponential of large logits is infinite")
def exp_by_hand(logits, target, mask):
    chosen = logits.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return (logits.exp().sum(dim=-1).log() - chosen)[mask].mean()


@mistake(
    certain, "the largest logit of the whole batch is subtracted before exp, expected the largest at each position"
)
def one_maximum(logits, target, mask):
    logits = logits[mask] - logits[mask].max()
    return (logits.exp().sum(-1).log() - logits.gather(1, target[mask].unsqueeze(1)).squeeze(1)).mean()


@mistake(loss_gradient, "the logits are detached, so no gradient reaches them")
def detached(logits, target, mask):
    return F.cross_entropy(logits.detach()[mask], target[mask])


@mistake(loss_gradient, "a new tensor is made of plain numbers, which have no gradient")
def new_tensor(logits, target, mask):
    return torch.tensor([loss.item() for loss in of_words(logits, target)[mask]], dtype=logits.dtype).mean()


@mistake(loss_gradient, "everything is computed under no_grad, so no gradient comes back")
def without_gradient(logits, target, mask):
    with torch.no_grad():
        return F.cross_entropy(logits[mask], target[mask])


@mistake(loss_arguments, "the caller's target is changed in place")
def overwrites_target(logits, target, mask):
    target[~mask] = -100
    return F.cross_entropy(logits.flatten(0, 1), target.flatten())


@mistake(loss_arguments, "the caller's logits are changed in place")
def overwrites_logits(logits, target, mask):
    loss = F.cross_entropy(logits[mask], target[mask])
    logits.data[~mask] = 0.0
    return loss


@mistake(loss_arguments, "the caller's mask is inverted in place")
def inverts_mask_in_place(logits, target, mask):
    mask.logical_not_()
    return F.cross_entropy(logits.flatten(0, 1), target.masked_fill(mask, -100).flatten())


mistake(
    without_padding,
    "the loss is a mean of logits: nll_loss expects log-probabilities, from log_softmax; cross_entropy does both",
).made_in(detached, mean_of_logits={"F.cross_entropy": "F.nll_loss", "logits.detach()": "logits"})


@mistake(in_chapter, "losses are multiplied by 0 to leave them out, but infinity times 0 is NaN")
def multiplied(logits, target, mask):
    return (of_words(logits, target) * mask).sum() / mask.sum()


@mistake(in_chapter, "the logits are multiplied by 0 at padding, but minus infinity times 0 is NaN")
def logits_multiplied(logits, target, mask):
    return (of_words(logits * mask.unsqueeze(-1), target) * mask).sum() / mask.sum()


@mistake(
    in_chapter,
    "as many words as the mask has True values are taken from the start of a sentence, not those where it is True",
)
def first_words(logits, target, mask):
    real = torch.arange(target.shape[1], device=mask.device) < mask.sum(dim=1, keepdim=True)
    return F.cross_entropy(logits[real], target[real])


@mistake(in_chapter, "log-probabilities are multiplied by 0 to leave them out, but infinity times 0 is NaN")
def one_hot(logits, target, mask):
    chosen = F.one_hot(target, logits.shape[-1]).to(logits.dtype)
    return -torch.einsum("btv,btv,bt->", logits.log_softmax(-1), chosen, mask.to(logits.dtype)) / mask.sum()


@mistake(without_padding, "the logits are reshaped to (B, V, T), which does not swap dimensions: transpose(1, 2) does")
def reshaped(logits, target, mask):
    batch, length, words = logits.shape
    losses = F.cross_entropy(logits.reshape(batch, words, length), target, reduction="none")
    return losses[mask].mean()


@right
def ignoring(logits, target, mask):
    return F.cross_entropy(logits.transpose(1, 2), torch.where(mask, target, -100))


@right
def by_log_softmax(logits, target, mask):
    log_probs = F.log_softmax(logits, dim=-1)
    chosen = torch.gather(log_probs, 2, target[..., None])[..., 0]
    return -chosen.masked_select(mask).mean()


@right
def by_nll_loss(logits, target, mask):
    return nn.NLLLoss()(logits.log_softmax(-1)[mask], target[mask])


@right
def loops(logits, target, mask):
    losses = []
    for b in range(target.shape[0]):
        for t in range(target.shape[1]):
            if mask[b, t]:
                losses.append(torch.logsumexp(logits[b, t], 0) - logits[b, t, target[b, t]])
    return sum(losses) / len(losses)


@right
def sentence_by_sentence(logits, target, mask):
    total = torch.zeros((), dtype=logits.dtype)
    for row, words, real in zip(logits, target, mask, strict=True):
        if real.any():
            total = total + F.cross_entropy(row[real], words[real], reduction="sum")
    return total / mask.sum()


@right
def shifted(logits, target, mask):
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


@forbidden
def seqlabs_own(logits, target, mask):
    import seqlab.models

    return seqlab.models.token_loss(logits, target)


right(Loss())


right(functools.partial(with_a_loss, nn.CrossEntropyLoss()))


right(lambda logits, target, mask: of_words(logits, target)[mask].mean())
