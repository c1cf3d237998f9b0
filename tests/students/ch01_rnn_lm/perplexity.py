"""What students hand in for `perplexity`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import math
import statistics

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "perplexity"


def loss_of(log_probs, mask):
    """The mean of -log p over the real words."""
    return -log_probs[mask].mean()


def two_to_nats(log_probs, mask):
    """2 to a loss in nats."""
    return (2 ** loss_of(log_probs, mask)).item()


def ten_to_nats(log_probs, mask):
    """10 to a loss in nats."""
    return (10 ** loss_of(log_probs, mask)).item()


def no_exponential(log_probs, mask):
    """The loss itself."""
    return loss_of(log_probs, mask).item()


def no_minus(log_probs, mask):
    """The inverse: a probability."""
    return (-loss_of(log_probs, mask)).exp().item()


def neither(log_probs, mask):
    """The mean of the log-probabilities."""
    return log_probs[mask].mean().item()


def sum_of_losses(log_probs, mask):
    """The sum, without an exponential."""
    return -log_probs[mask].sum().item()


def sum_for_mean(log_probs, mask):
    """e to the sum, which is 1 over the probability of the whole text."""
    return (-log_probs[mask].sum()).exp().item()


def mean_over_sentences(log_probs, mask):
    """The sum of each sentence, and the mean of these."""
    return (-log_probs.where(mask, 0.0).sum(dim=1).mean()).exp().item()


def to_bits_and_e(log_probs, mask):
    """From nats to bits, and e to that."""
    return (loss_of(log_probs, mask) / math.log(2)).exp().item()


def nats_taken_for_bits(log_probs, mask):
    """From bits to nats, though these are nats."""
    return math.exp(loss_of(log_probs, mask).item() * math.log(2))


def mean_of_inverses(log_probs, mask):
    """The exponential before the mean."""
    return (-log_probs[mask]).exp().mean().item()


def inverse_of_mean(log_probs, mask):
    """1 over the mean probability."""
    return 1 / log_probs[mask].exp().mean().item()


def median_of_losses(log_probs, mask):
    """The median is used instead of the mean."""
    return math.exp(statistics.median((-log_probs[mask]).tolist()))


def logarithm_again(log_probs, mask):
    """The log-probabilities are taken for probabilities."""
    return math.exp(-log_probs[mask].log().mean().item())


def wrong_way_round(log_probs, mask):
    """True is taken for padding."""
    return loss_of(log_probs, ~mask).exp().item()


def a_tensor(log_probs, mask):
    """A tensor for a number."""
    return loss_of(log_probs, mask).exp()


def one_for_each_word(log_probs, mask):
    """No mean."""
    return (-log_probs[mask]).exp().tolist()


def rounded(log_probs, mask):
    """The result is rounded to an integer."""
    return round(loss_of(log_probs, mask).exp().item())


def nothing_returned(log_probs, mask):
    """The return is missing."""
    loss_of(log_probs, mask).exp().item()


def counts_padding(log_probs, mask):
    """The mask is not looked at."""
    return (-log_probs.mean()).exp().item()


def zeros_are_padding(log_probs, mask):
    """The mask is not looked at, since padding is taken to have zeros."""
    return loss_of(log_probs, log_probs != 0).exp().item()


def divides_by_all(log_probs, mask):
    """Zeros at the padding, and then the mean of all places."""
    return (-log_probs.where(mask, 0.0).mean()).exp().item()


def sums_padding(log_probs, mask):
    """The number of words is right and the sum is not."""
    return (-log_probs.sum() / mask.sum()).exp().item()


def padding_at_one(log_probs, mask):
    """The sum of 1/p over the words and 1 for each place of padding."""
    return (-(log_probs * mask)).exp().log().mean().exp().item()


def mean_of_sentence_means(log_probs, mask):
    """Each sentence's mean, and the mean of these."""
    means = [-row[real].mean() for row, real in zip(log_probs, mask, strict=True)]
    return torch.stack(means).mean().exp().item()


def mean_of_perplexities(log_probs, mask):
    """Each sentence's perplexity, and the mean of these."""
    of_sentences = [math.exp(-row[real].mean().item()) for row, real in zip(log_probs, mask, strict=True)]
    return sum(of_sentences) / len(of_sentences)


def weighted_perplexities(log_probs, mask):
    """Each sentence's perplexity, weighted by its words: still a mean of exponentials."""
    total = 0.0
    for row, real in zip(log_probs, mask, strict=True):
        total += real.sum().item() * math.exp(-row[real].mean().item())
    return total / mask.sum().item()


def first_sentence(log_probs, mask):
    """The loop returns in its first round."""
    for row, real in zip(log_probs, mask, strict=True):
        return math.exp(-row[real].mean().item())


def last_sentence(log_probs, mask):
    """The sums are not added up."""
    for row, real in zip(log_probs, mask, strict=True):
        total, words = -row[real].sum(), real.sum()
    return (total / words).exp().item()


def times_mask(log_probs, mask):
    """The mask is multiplied by the values at the padding, and 0 times infinity is NaN."""
    return (-(log_probs * mask).sum() / mask.sum()).exp().item()


def exponential_times_mask(log_probs, mask):
    """0 times NaN."""
    kept = log_probs.exp() * mask + (~mask)
    return (-kept.log().sum() / mask.sum()).exp().item()


def sum_without_the_padding(log_probs, mask):
    """The sum over the padding is subtracted from the sum over everything, and infinity minus infinity is NaN."""
    return (-(log_probs.sum() - log_probs[~mask].sum()) / mask.sum()).exp().item()


def product_of_probabilities(log_probs, mask):
    """The result is a root of 1 over the product of the probabilities, which is rounded to 0."""
    return (log_probs[mask].exp().prod() ** (-1 / mask.sum())).item()


def product_in_python(log_probs, mask):
    """The same, in double precision and dividing by zero at the end."""
    words = log_probs[mask].exp().tolist()
    return (1 / math.prod(words)) ** (1 / len(words))


def zeros_written(log_probs, mask):
    """The padding is set to zero in the caller's tensor."""
    log_probs[~mask] = 0.0
    return (-log_probs.sum() / mask.sum()).exp().item()


def filled_in_place(log_probs, mask):
    """The same by a method."""
    return (-log_probs.masked_fill_(~mask, 0.0).sum() / mask.sum()).exp().item()


def minus_in_place(log_probs, mask):
    """The signs are changed in the caller's tensor."""
    return log_probs.neg_()[mask].mean().exp().item()


def through_numpy(log_probs, mask):
    """NumPy takes nothing with a gradient behind it."""
    return math.exp(-float(log_probs.numpy()[mask.numpy()].mean()))


def flat_views(log_probs, mask):
    """view takes nothing but numbers that lie side by side."""
    return loss_of(log_probs.view(-1), mask.view(-1)).exp().item()


def in_single_precision(log_probs, mask):
    """A sum of another dtype is written into."""
    total = torch.zeros(1)
    torch.sum(log_probs[mask].view(1, -1), dim=1, out=total)
    return (-total / mask.sum()).exp().item()


def without_certain_words(log_probs, mask):
    """Words that were certain, with log p = 0, are left out."""
    return (-log_probs[mask & (log_probs != 0)].mean()).exp().item()


_USE = "works as the chapter uses it"
_EXP = "for one sentence, it is e to the power of the mean of -log p"
_PADDING = "the values at the padding do not count"
_POOLED = "every word has the same weight, whichever sentence it is in"
_ANYTHING = "a probability of zero at the padding, or NaN, changes nothing"
_LONG = "a long text has a finite perplexity"
_KIND = "log-probabilities of any kind work, and are left as they were"

WRONG = {
    without_certain_words: _USE,
    two_to_nats: _EXP,
    ten_to_nats: _EXP,
    no_exponential: _EXP,
    no_minus: _EXP,
    neither: _EXP,
    sum_of_losses: _EXP,
    sum_for_mean: _EXP,
    mean_over_sentences: _EXP,
    to_bits_and_e: _EXP,
    nats_taken_for_bits: _EXP,
    mean_of_inverses: _EXP,
    inverse_of_mean: _EXP,
    median_of_losses: _EXP,
    logarithm_again: _EXP,
    wrong_way_round: _EXP,
    a_tensor: _EXP,
    one_for_each_word: _EXP,
    rounded: _EXP,
    nothing_returned: _EXP,
    counts_padding: _PADDING,
    zeros_are_padding: _PADDING,
    divides_by_all: _PADDING,
    sums_padding: _PADDING,
    padding_at_one: _PADDING,
    mean_of_sentence_means: _POOLED,
    mean_of_perplexities: _POOLED,
    weighted_perplexities: _POOLED,
    first_sentence: _POOLED,
    last_sentence: _POOLED,
    times_mask: _ANYTHING,
    exponential_times_mask: _ANYTHING,
    sum_without_the_padding: _ANYTHING,
    product_of_probabilities: _LONG,
    product_in_python: _LONG,
    zeros_written: _KIND,
    filled_in_place: _KIND,
    minus_in_place: _KIND,
    through_numpy: _KIND,
    flat_views: _KIND,
    in_single_precision: _KIND,
}


def loops(log_probs, mask):
    """Word by word."""
    total, words = 0.0, 0
    for row, real in zip(log_probs.tolist(), mask.tolist(), strict=True):
        for log_prob, is_word in zip(row, real, strict=True):
            if is_word:
                total -= log_prob
                words += 1
    return math.exp(total / words)


def with_where(log_probs, mask):
    """Zeros at the padding, and the number of words below."""
    return torch.exp(-torch.where(mask, log_probs, 0.0).sum() / mask.sum()).item()


def with_lengths(log_probs, mask):
    """The sentences' means, weighted by their lengths."""
    lengths = mask.sum(dim=1)
    sums = log_probs.masked_fill(~mask, 0.0).sum(dim=1)
    return ((-sums / lengths * lengths).sum() / lengths.sum()).exp().item()


def geometric_mean_of_inverses(log_probs, mask):
    """The geometric mean of 1/p."""
    return statistics.geometric_mean((-log_probs[mask].double()).exp().tolist())


def in_bits(log_probs, mask):
    """From nats to bits, and 2 to that."""
    return 2 ** (loss_of(log_probs, mask).item() / math.log(2))


def inverse_of_e(log_probs, mask):
    """1 over e to the mean of log p."""
    return 1 / log_probs.masked_select(mask).mean().exp().item()


def with_weights(log_probs, mask):
    """A weight for each place, after the padding is made harmless."""
    weights = mask.double() / mask.sum()
    return torch.exp(-(log_probs.double().nan_to_num(0.0, neginf=0.0) * weights).sum()).item()


def as_a_loss(log_probs, mask):
    """torch's own loss, over one class."""
    words = log_probs[mask].unsqueeze(1)
    return F.nll_loss(words, torch.zeros(len(words), dtype=torch.long)).exp().item()


class Perplexity(nn.Module):
    """A module in the place of a function."""

    def forward(self, log_probs, mask):
        return loss_of(log_probs, mask).exp().item()


def with_a_base(base, log_probs, mask):
    """For a partial."""
    return base ** (loss_of(log_probs, mask).item() / math.log(base))


RIGHT = {
    "a number of NumPy's": lambda log_probs, mask: np.exp(-log_probs[mask].mean().item()),
    "loops": loops,
    "with where": with_where,
    "with lengths": with_lengths,
    "a geometric mean": geometric_mean_of_inverses,
    "in bits": in_bits,
    "1 over e": inverse_of_e,
    "with weights": with_weights,
    "as a loss": as_a_loss,
    "a module": Perplexity(),
    "a partial": functools.partial(with_a_base, 10),
    "a lambda": lambda log_probs, mask: math.exp(-log_probs[mask].mean()),
}
