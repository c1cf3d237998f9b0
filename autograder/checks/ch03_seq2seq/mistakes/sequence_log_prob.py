"""Mistakes in `sequence_log_prob`, and right answers in other styles."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch03_seq2seq.sequence_log_prob import (
    behind_the_end,
    certain_end,
    end_itself,
    impossible_behind,
    in_chapter,
    log_prob_gradient,
    second_end,
    unlikely,
    without_end,
)
from autograder.judging.catalogue import mistake, right


def of_words(logits, target):
    """The log-probability of each word, (B, T)."""
    return logits.log_softmax(dim=-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)


def counted(target, eos):
    """True up to and including the first end mark."""
    ends = (target == eos).long()
    return ends.cumsum(dim=1) - ends == 0


def added(values, target, eos):
    """The values of the words that count, for the mistakes that are made elsewhere."""
    return values.masked_fill(~counted(target, eos), 0.0).sum(dim=1)


@mistake(certain_end, "the probabilities of the words are added, expected their logarithms")
def adds_probabilities(logits, target, eos):
    return added(of_words(logits, target).exp(), target, eos)


@mistake(certain_end, "the result is the logarithm of the sum of probabilities, expected the sum of their logarithms")
def log_of_sum(logits, target, eos):
    return added(of_words(logits, target).exp(), target, eos).log()


@mistake(certain_end, "the result is the probability of the sentence, expected its logarithm")
def probability(logits, target, eos):
    return added(of_words(logits, target), target, eos).exp()


@mistake(certain_end, "the sign is wrong: the logarithm of a probability is negative, or 0")
def loss(logits, target, eos):
    return -added(of_words(logits, target), target, eos)


@mistake(certain_end, "the result is a mean over the words, expected their sum")
def mean(logits, target, eos):
    return added(of_words(logits, target), target, eos) / counted(target, eos).sum(dim=1)


@mistake(certain_end, "the logits themselves are added, without the log-softmax")
def raw_logits(logits, target, eos):
    return added(logits.gather(-1, target.unsqueeze(-1)).squeeze(-1), target, eos)


@mistake(certain_end, "there is one number for the whole batch, expected one for each sentence")
def of_the_batch(logits, target, eos):
    return added(of_words(logits, target), target, eos).sum()


@mistake(certain_end, "there is a number for each word, expected their sum for each sentence")
def of_each_word(logits, target, eos):
    return of_words(logits, target).masked_fill(~counted(target, eos), 0.0)


@mistake(
    certain_end,
    "the log-probabilities are those of the words that the model finds most likely, expected those of the target words",
)
def likeliest_words(logits, target, eos):
    return added(logits.log_softmax(dim=-1).amax(dim=-1), target, eos)


@mistake(certain_end, "the softmax is applied over the positions, expected over the vocabulary, the last dimension")
def softmax_over_places(logits, target, eos):
    return added(logits.log_softmax(dim=1).gather(-1, target.unsqueeze(-1)).squeeze(-1), target, eos)


@mistake(
    certain_end, "the logits at each position are used for the next word, expected for the word at the same position"
)
def of_the_word_before(logits, target, eos):
    values = of_words(logits[:, :-1], target[:, 1:])
    return (values * counted(target, eos)[:, 1:]).sum(dim=1)


@mistake(certain_end, "the result is a list of numbers, expected a tensor")
def as_numbers(logits, target, eos):
    return added(of_words(logits, target), target, eos).tolist()


@mistake(end_itself, "the end mark is left out of the sum: a sentence could then stop anywhere at no cost")
def end_not_counted(logits, target, eos):
    return of_words(logits, target).masked_fill((target == eos).cumsum(dim=1) > 0, 0.0).sum(dim=1)


@mistake(behind_the_end, "the words after the end mark are added too")
def all_counted(logits, target, eos):
    return of_words(logits, target).sum(dim=1)


@mistake(behind_the_end, "one word too many is added: the one right after the end mark")
def one_too_many(logits, target, eos):
    counts = (target == eos).cumsum(dim=1).cumsum(dim=1) <= 2
    return of_words(logits, target).masked_fill(~counts, 0.0).sum(dim=1)


@mistake(behind_the_end, "all sentences are truncated where the first of them ends, but each has its own end")
def cut_at_first_end_of_batch(logits, target, eos):
    first = (target == eos).long().argmax(dim=1).min()
    return of_words(logits, target)[:, : first + 1].sum(dim=1)


@mistake(behind_the_end, "only the word 0 is treated as padding, expected every word after the end mark")
def padding_is_zero(logits, target, eos):
    return (of_words(logits, target) * (target != 0)).sum(dim=1)


@mistake(unlikely, "minus infinity is replaced by 0, so an impossible word counts like a certain one")
def impossible_is_certain(logits, target, eos):
    return added(of_words(logits, target).nan_to_num(neginf=0.0), target, eos)


@mistake(log_prob_gradient, "view needs a tensor that is contiguous in memory; reshape works with any")
def views(logits, target, eos):
    batch, length, vocab_size = logits.shape
    values = -F.cross_entropy(logits.view(-1, vocab_size), target.reshape(-1), reduction="none")
    return added(values.view(batch, length), target, eos)


@mistake(second_end, "the last end mark is used as the end, expected the first")
def until_last_end(logits, target, eos):
    ends = (target == eos).long()
    counts = ends.flip(1).cumsum(dim=1).flip(1) > 0
    counts = counts | (ends.sum(dim=1, keepdim=True) == 0)
    return of_words(logits, target).masked_fill(~counts, 0.0).sum(dim=1)


@mistake(second_end, "the end marks after the first one are counted too")
def every_end_counts(logits, target, eos):
    counts = counted(target, eos) | (target == eos)
    return of_words(logits, target).masked_fill(~counts, 0.0).sum(dim=1)


@mistake(without_end, "argmax returns 0 for a row without an end mark, as if its first word were the end")
def argmax_of_no_end(logits, target, eos):
    end = (target == eos).long().argmax(dim=1, keepdim=True)
    counts = torch.arange(target.shape[1]) <= end
    return of_words(logits, target).masked_fill(~counts, 0.0).sum(dim=1)


@mistake(without_end, "a sentence without an end mark gets 0, expected the sum over all its words")
def nothing_without_end(logits, target, eos):
    ends = (target == eos).any(dim=1)
    return added(of_words(logits, target), target, eos).masked_fill(~ends, 0.0)


@mistake(without_end, "index raises an error if there is no end mark")
def index_of_end(logits, target, eos):
    sums = []
    for values, words in zip(of_words(logits, target), target.tolist(), strict=True):
        sums.append(values[: words.index(eos) + 1].sum())
    return torch.stack(sums)


@mistake(unlikely, "the probabilities are multiplied before the logarithm, but the product becomes 0")
def log_of_product(logits, target, eos):
    probabilities = of_words(logits, target).exp().masked_fill(~counted(target, eos), 1.0)
    return probabilities.prod(dim=1).log()


@mistake(unlikely, "the logarithm is taken of a softmax, which is 0 for logits that are far apart")
def log_of_softmax(logits, target, eos):
    values = logits.softmax(dim=-1).log().gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return added(values, target, eos)


@mistake(unlikely, "the log is taken of probabilities that are kept above a small constant: use log_softmax")
def clamped(logits, target, eos):
    return added(of_words(logits, target).exp().clamp(min=1e-9).log(), target, eos)


mistake(unlikely, "the log is taken of probabilities that are kept above a small constant: use log_softmax").made_in(
    clamped,
    clamped_at_1e_12={"1e-9": "1e-12"},
    clamped_at_1e_10={"1e-9": "1e-10"},
    clamped_at_1e_8={"1e-9": "1e-8"},
    with_1e_12={"clamp(min=1e-9)": "add(1e-12)"},
    with_1e_10={"clamp(min=1e-9)": "add(1e-10)"},
    with_1e_9={"clamp(min=1e-9)": "add(1e-9)"},
    with_1e_8={"clamp(min=1e-9)": "add(1e-8)"},
)


@mistake(unlikely, "the log-probabilities have a lower limit, but that of an impossible word is minus infinity")
def impossible_is_finite(logits, target, eos):
    return added(of_words(logits, target).nan_to_num(), target, eos)


mistake(unlikely, "the log-probabilities have a lower limit, but that of an impossible word is minus infinity").made_in(
    impossible_is_finite,
    limit_of_100={"nan_to_num()": "clamp(min=-100.0)"},
    limit_of_10_000={"nan_to_num()": "clamp(min=-1e4)"},
    limit_of_a_billion={"nan_to_num()": "clamp(min=-1e9)"},
)


@mistake(unlikely, "a new tensor is float32 and makes the result float32 too, where the logits are float16")
def added_to_zeros(logits, target, eos):
    total = torch.zeros(len(target), device=logits.device)
    for values in of_words(logits, target).masked_fill(~counted(target, eos), 0.0).unbind(dim=1):
        total = total + values
    return total


@mistake(impossible_behind, "log-probabilities are multiplied by 0 to leave them out, but infinity times 0 is NaN")
def times_mask(logits, target, eos):
    return (of_words(logits, target) * counted(target, eos)).sum(dim=1)


@mistake(log_prob_gradient, "the logits are detached, so no gradient reaches them")
def detached(logits, target, eos):
    return added(of_words(logits.detach(), target), target, eos)


@mistake(log_prob_gradient, "a new tensor is made of plain numbers, which have no gradient")
def from_numbers(logits, target, eos):
    return torch.tensor([value.item() for value in added(of_words(logits, target), target, eos)], dtype=logits.dtype)


@mistake(certain_end, "the softmax is applied twice: cross_entropy and log_softmax take the logits themselves")
def softmax_twice(logits, target, eos):
    return added(of_words(logits.softmax(dim=-1), target), target, eos)


@mistake(certain_end, "the logarithm has base 2, expected the natural logarithm")
def in_bits(logits, target, eos):
    return added(of_words(logits, target), target, eos) / math.log(2)


@mistake(in_chapter, "the word 0 is treated as padding, but only the end mark decides which words count")
def without_word_0(logits, target, eos):
    chosen = logits.log_softmax(dim=-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    ends = (target == eos).long()
    counts = (ends.cumsum(dim=1) - ends == 0) & ((target != 0) | (target == eos))
    return chosen.masked_fill(~counts, 0.0).sum(dim=1)


@mistake(certain_end, "the mask is rolled by one position, so the end of the row wraps around to the first word")
def rolled_round(logits, target, eos):
    real = (target != eos).long().cumprod(dim=1).roll(1, dims=1).bool()
    found = logits.log_softmax(dim=-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return found.masked_fill(~real, 0.0).sum(dim=1)


@right
def loops(logits, target, eos):
    sums = []
    for row, words in zip(logits.log_softmax(-1), target.tolist(), strict=True):
        total = row.new_zeros(())
        for log_probs, word in zip(row, words, strict=True):
            total = total + log_probs[word]
            if word == eos:
                break
        sums.append(total)
    return torch.stack(sums)


@right
def cut(logits, target, eos):
    sums = []
    for values, words in zip(of_words(logits, target), target.tolist(), strict=True):
        length = words.index(eos) + 1 if eos in words else len(words)
        sums.append(values[:length].sum())
    return torch.stack(sums)


@right
def with_cross_entropy(logits, target, eos):
    words = target.masked_fill(~counted(target, eos), -100)
    return -F.cross_entropy(logits.transpose(1, 2), words, reduction="none").sum(dim=1)


@right
def with_where(logits, target, eos):
    before = F.pad(target[:, :-1] == eos, (1, 0), value=False)
    alive = (~before).long().cumprod(dim=1).bool()
    return torch.where(alive, of_words(logits, target), 0.0).sum(1)


@right
def with_first_index(logits, target, eos):
    ends = target == eos
    length = target.shape[1]
    end = torch.where(ends.any(dim=1), ends.int().argmax(dim=1), length - 1)
    counts = torch.arange(length, device=target.device) <= end[:, None]
    return of_words(logits, target).where(counts, 0.0).sum(dim=-1)


@right
def by_indexing(logits, target, eos):
    log_probs = torch.log_softmax(logits, dim=2)
    batch, length = target.shape
    chosen = log_probs[torch.arange(batch).unsqueeze(1), torch.arange(length), target]
    return added(chosen, target, eos)


@right
def log_sum_exp(logits, target, eos):
    chosen = logits.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return added(chosen - logits.logsumexp(dim=-1), target, eos)


@right
def scattered(logits, target, eos):
    counts = counted(target, eos)
    rows = torch.arange(len(target), device=target.device).unsqueeze(1).expand_as(target)[counts]
    values = -F.cross_entropy(logits[counts], target[counts], reduction="none")
    return values.new_zeros(len(target)).index_add(0, rows, values)


class LogProb(nn.Module):
    """A module instead of a function."""

    def forward(self, logits, target, eos):
        return cut(logits, target, eos)


@right
def with_a_distribution(logits, target, eos):
    return added(torch.distributions.Categorical(logits=logits).log_prob(target), target, eos)


right(LogProb())


right(lambda logits, target, eos: added(of_words(logits, target), target, eos))
