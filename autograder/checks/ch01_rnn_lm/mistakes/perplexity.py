"""Mistakes in `perplexity`, and right answers in other styles."""

import functools
import math
import statistics

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch01_rnn_lm.perplexity import (
    anything_at_padding,
    arguments,
    improbable,
    in_chapter,
    lengths,
    one_sentence,
    padding,
)
from autograder.judging.catalogue import mistake, right


def loss_of(log_probs, mask):
    """The mean of -log p over the real words."""
    return -log_probs[mask].mean()


@mistake(
    one_sentence,
    "2 is raised to the power of the loss, as for a loss in bits; natural logarithms give nats, so the base is e",
)
def two_to_nats(log_probs, mask):
    return (2 ** loss_of(log_probs, mask)).item()


@mistake(one_sentence, "10 is raised to the power of the loss, expected e")
def ten_to_nats(log_probs, mask):
    return (10 ** loss_of(log_probs, mask)).item()


@mistake(one_sentence, "the result is the mean of -log p, the loss itself; expected e to the power of the loss")
def no_exponential(log_probs, mask):
    return loss_of(log_probs, mask).item()


@mistake(one_sentence, "the minus sign is missing: the result is e to the power of the mean of log p, which is below 1")
def no_minus(log_probs, mask):
    return (-loss_of(log_probs, mask)).exp().item()


@mistake(one_sentence, "the result is the mean of log p, without the minus sign and the exponential")
def neither(log_probs, mask):
    return log_probs[mask].mean().item()


@mistake(one_sentence, "the result is the sum of -log p, expected e to the power of the mean")
def sum_of_losses(log_probs, mask):
    return -log_probs[mask].sum().item()


@mistake(one_sentence, "e is raised to the power of the sum of -log p, expected of the mean")
def sum_for_mean(log_probs, mask):
    return (-log_probs[mask].sum()).exp().item()


@mistake(one_sentence, "e is raised to the power of the sum of -log p, expected of the mean")
def mean_over_sentences(log_probs, mask):
    return (-log_probs.where(mask, 0.0).sum(dim=1).mean()).exp().item()


mistake(
    one_sentence,
    "the loss is converted from nats to bits, and then e is raised to that power: e belongs to nats, 2 to bits",
).made_in(sum_for_mean, to_bits_and_e={"-log_probs[mask].sum()": "loss_of(log_probs, mask) / math.log(2)"})


@mistake(one_sentence, "the result is the mean of 1/p; take the mean of the logarithms, then the exponential")
def mean_of_inverses(log_probs, mask):
    return (-log_probs[mask]).exp().mean().item()


mistake(
    one_sentence, "the result is 1 over the mean probability; take the mean of the logarithms, then the exponential"
).made_in(neither, inverse_of_mean={"log_probs[mask].mean().item()": "1 / log_probs[mask].exp().mean().item()"})


@mistake(one_sentence, "the median of -log p is used, expected the mean")
def median_of_losses(log_probs, mask):
    return math.exp(statistics.median((-log_probs[mask]).tolist()))


@mistake(one_sentence, "the logarithm of the log-probabilities is taken: they already are logarithms")
def logarithm_again(log_probs, mask):
    return math.exp(-log_probs[mask].log().mean().item())


@mistake(one_sentence, "the mask is inverted: True marks a word")
def wrong_way_round(log_probs, mask):
    return loss_of(log_probs, ~mask).exp().item()


@mistake(one_sentence, "the result is a tensor, expected a float")
def a_tensor(log_probs, mask):
    return loss_of(log_probs, mask).exp()


@mistake(one_sentence, "there is one number for each word, expected e to the power of the mean")
def one_for_each_word(log_probs, mask):
    return (-log_probs[mask]).exp().tolist()


@mistake(one_sentence, "the result is rounded to an integer")
def rounded(log_probs, mask):
    return round(loss_of(log_probs, mask).exp().item())


@mistake(one_sentence, "the result is rounded to an integer")
def rounded_float(log_probs, mask):
    return loss_of(log_probs, mask).exp().round().item()


@mistake(one_sentence, "there is no return")
def nothing_returned(log_probs, mask):
    loss_of(log_probs, mask).exp().item()


@mistake(padding, "the padding is counted as well")
def counts_padding(log_probs, mask):
    return (-log_probs.mean()).exp().item()


@mistake(padding, "log_probs != 0 is used instead of the mask")
def zeros_are_padding(log_probs, mask):
    return loss_of(log_probs, log_probs != 0).exp().item()


@mistake(padding, "the sum is divided by B·T, expected by the number of words")
def divides_by_all(log_probs, mask):
    return (-log_probs.where(mask, 0.0).mean()).exp().item()


@mistake(padding, "the padding is in the sum, which is divided by the number of words")
def sums_padding(log_probs, mask):
    return (-log_probs.sum() / mask.sum()).exp().item()


@mistake(
    lengths,
    "the exponent is the mean of the sentences' means, where a sentence of one word counts as much as a long one",
)
def mean_of_sentence_means(log_probs, mask):
    means = [-row[real].mean() for row, real in zip(log_probs, mask, strict=True)]
    return torch.stack(means).mean().exp().item()


@mistake(
    lengths,
    "the result is the mean of the sentences' perplexities, where a sentence of one word counts as much as a long one",
)
def mean_of_perplexities(log_probs, mask):
    of_sentences = [math.exp(-row[real].mean().item()) for row, real in zip(log_probs, mask, strict=True)]
    return sum(of_sentences) / len(of_sentences)


@mistake(
    lengths,
    "the sentences' perplexities are averaged, weighted by their lengths; take the mean of the logarithms, then the exponential once",
)
def weighted_perplexities(log_probs, mask):
    total = 0.0
    for row, real in zip(log_probs, mask, strict=True):
        total += real.sum().item() * math.exp(-row[real].mean().item())
    return total / mask.sum().item()


@mistake(lengths, "the result is the perplexity of the first sentence alone")
def first_sentence(log_probs, mask):
    for row, real in zip(log_probs, mask, strict=True):
        return math.exp(-row[real].mean().item())


@mistake(lengths, "the result is the perplexity of the last sentence alone")
def last_sentence(log_probs, mask):
    for row, real in zip(log_probs, mask, strict=True):
        total, words = -row[real].sum(), real.sum()
    return (total / words).exp().item()


@mistake(anything_at_padding, "the values at the padding are multiplied by the mask, and 0 times infinity is NaN")
def times_mask(log_probs, mask):
    return (-(log_probs * mask).sum() / mask.sum()).exp().item()


mistake(
    anything_at_padding,
    "the sum over the padding is subtracted from the sum over everything, and infinity minus infinity is NaN",
).made_in(sums_padding, sum_without_the_padding={"log_probs.sum()": "(log_probs.sum() - log_probs[~mask].sum())"})


@mistake(improbable, "a log-probability is limited to -100, so a very improbable word costs too little")
def limited_to_minus_hundred(log_probs, mask):
    return loss_of(log_probs.clamp(min=-100), mask).exp().item()


@mistake(improbable, "a log-probability is limited to -20, so a very improbable word costs too little")
def limited_to_minus_twenty(log_probs, mask):
    return loss_of(log_probs.clamp(min=-20), mask).exp().item()


@mistake(improbable, "a word with probability 0 is left out, expected an infinite perplexity")
def without_impossible_words(log_probs, mask):
    return loss_of(log_probs, mask & log_probs.isfinite()).exp().item()


@mistake(improbable, "the perplexity is limited to 10,000, expected it as it is")
def at_most_ten_thousand(log_probs, mask):
    return min(loss_of(log_probs, mask).exp().item(), 10_000.0)


@mistake(improbable, "the log-probabilities go through exp and log, where an improbable word is rounded to 0")
def there_and_back(log_probs, mask):
    return loss_of(log_probs.exp().log(), mask).exp().item()


@mistake(
    improbable, "the probabilities are multiplied, and their product is rounded to 0; expected a sum of logarithms"
)
def product_of_probabilities(log_probs, mask):
    return (log_probs[mask].exp().prod() ** (-1 / mask.sum())).item()


@mistake(
    improbable,
    "the probabilities are multiplied, and their product is rounded to 0, so 1 is divided by 0; expected a sum of logarithms",
)
def product_in_python(log_probs, mask):
    words = log_probs[mask].exp().tolist()
    return (1 / math.prod(words)) ** (1 / len(words))


@mistake(
    improbable,
    "1 is divided by e to the mean of log p, which is 0 if a word has probability 0: expected an infinite perplexity",
)
def inverse_in_python(log_probs, mask):
    return 1 / math.exp(-loss_of(log_probs, mask).item())


@mistake(arguments, "the padding is set to zero in the caller's tensor")
def zeros_written(log_probs, mask):
    log_probs[~mask] = 0.0
    return (-log_probs.sum() / mask.sum()).exp().item()


@mistake(arguments, "the signs are changed in the caller's tensor")
def minus_in_place(log_probs, mask):
    return log_probs.neg_()[mask].mean().exp().item()


@mistake(arguments, "the log-probabilities are converted to NumPy, which takes no tensor that requires a gradient")
def through_numpy(log_probs, mask):
    return math.exp(-float(log_probs.numpy()[mask.numpy()].mean()))


@mistake(arguments, "view needs a contiguous tensor; reshape works with any")
def flat_views(log_probs, mask):
    return loss_of(log_probs.view(-1), mask.view(-1)).exp().item()


@mistake(arguments, "the sum is written into a float32 tensor, which fails if the log-probabilities have another dtype")
def in_single_precision(log_probs, mask):
    total = torch.zeros(1)
    torch.sum(log_probs[mask].view(1, -1), dim=1, out=total)
    return (-total / mask.sum()).exp().item()


@mistake(in_chapter, "words with log p = 0, which were certain, are left out")
def without_certain_words(log_probs, mask):
    return (-log_probs[mask & (log_probs != 0)].mean()).exp().item()


@mistake(one_sentence, "the last word of the sentence is left out, expected all real words")
def without_the_last_word(log_probs, mask):
    return loss_of(log_probs, mask & mask.flip(1).cumsum(1).flip(1).gt(1)).exp().item()


@mistake(one_sentence, "the sum is divided by N - 1, expected by N")
def one_less(log_probs, mask):
    return math.exp(-log_probs[mask].sum().item() / (int(mask.sum()) - 1 or 1))


@mistake(one_sentence, "the result is rounded, expected all of its digits")
def two_decimals(log_probs, mask):
    return round(loss_of(log_probs, mask).exp().item(), 2)


@mistake(lengths, "the sum is divided by B times the length of the longest sentence, expected by the number of words")
def over_the_longest(log_probs, mask):
    return math.exp(-log_probs[mask].sum().item() / (len(mask) * int(mask.sum(dim=1).max())))


@mistake(improbable, "the logarithm is taken again, of p and a small number, so an improbable word costs too little")
def a_little_more_inside(log_probs, mask):
    return loss_of((log_probs.exp() + 1e-9).log(), mask).exp().item()


@right
def loops(log_probs, mask):
    total, words = 0.0, 0
    for row, real in zip(log_probs.tolist(), mask.tolist(), strict=True):
        for log_prob, is_word in zip(row, real, strict=True):
            if is_word:
                total -= log_prob
                words += 1
    return math.exp(total / words)


@right
def with_where(log_probs, mask):
    return torch.exp(-torch.where(mask, log_probs, 0.0).sum() / mask.sum()).item()


@right
def with_lengths(log_probs, mask):
    lengths = mask.sum(dim=1)
    sums = log_probs.masked_fill(~mask, 0.0).sum(dim=1)
    return ((-sums / lengths * lengths).sum() / lengths.sum()).exp().item()


@right
def geometric_mean_of_inverses(log_probs, mask):
    return statistics.geometric_mean((-log_probs[mask].double()).exp().tolist())


@right
def in_bits(log_probs, mask):
    return 2 ** (loss_of(log_probs, mask).item() / math.log(2))


@right
def inverse_of_e(log_probs, mask):
    return (1 / log_probs.masked_select(mask).mean().exp()).item()


@right
def with_weights(log_probs, mask):
    weights = mask.double() / mask.sum()
    return torch.exp(-(log_probs.double().where(mask, 0.0) * weights).sum()).item()


@right
def as_a_loss(log_probs, mask):
    words = log_probs[mask].unsqueeze(1)
    return F.nll_loss(words, torch.zeros(len(words), dtype=torch.long)).exp().item()


class Perplexity(nn.Module):
    """A module in the place of a function."""

    def forward(self, log_probs, mask):
        return loss_of(log_probs, mask).exp().item()


def with_a_base(base, log_probs, mask):
    """For a partial."""
    return base ** (loss_of(log_probs, mask).item() / math.log(base))


right(lambda log_probs, mask: np.exp(-log_probs[mask].mean().item()))


right(Perplexity())


right(functools.partial(with_a_base, 10))


right(lambda log_probs, mask: math.exp(-log_probs[mask].mean()))
