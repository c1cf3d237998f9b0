"""What students submit for `sequence_log_prob`: each mistake alone, and right answers in many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "sequence_log_prob"


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


def adds_probabilities(logits, target, eos):
    """The log is forgotten."""
    return added(of_words(logits, target).exp(), target, eos)


def log_of_sum(logits, target, eos):
    """The log is taken after the sum."""
    return added(of_words(logits, target).exp(), target, eos).log()


def probability(logits, target, eos):
    """The probability of the sentence."""
    return added(of_words(logits, target), target, eos).exp()


def loss(logits, target, eos):
    """The sign is that of a loss."""
    return -added(of_words(logits, target), target, eos)


def mean(logits, target, eos):
    """The mean over the words."""
    return added(of_words(logits, target), target, eos) / counted(target, eos).sum(dim=1)


def raw_logits(logits, target, eos):
    """The softmax is forgotten."""
    return added(logits.gather(-1, target.unsqueeze(-1)).squeeze(-1), target, eos)


def of_the_batch(logits, target, eos):
    """One number for all sentences."""
    return added(of_words(logits, target), target, eos).sum()


def of_each_word(logits, target, eos):
    """One number for each word."""
    return of_words(logits, target).masked_fill(~counted(target, eos), 0.0)


def likeliest_words(logits, target, eos):
    """The log-probability of the words that the model finds most likely."""
    return added(logits.log_softmax(dim=-1).amax(dim=-1), target, eos)


def softmax_over_places(logits, target, eos):
    """The softmax is applied over the positions."""
    return added(logits.log_softmax(dim=1).gather(-1, target.unsqueeze(-1)).squeeze(-1), target, eos)


def of_the_word_before(logits, target, eos):
    """The logits at position t are used for the word at t + 1."""
    values = of_words(logits[:, :-1], target[:, 1:])
    return (values * counted(target, eos)[:, 1:]).sum(dim=1)


def as_numbers(logits, target, eos):
    """A list of numbers."""
    return added(of_words(logits, target), target, eos).tolist()


def end_not_counted(logits, target, eos):
    """The sum stops before the end mark."""
    return of_words(logits, target).masked_fill((target == eos).cumsum(dim=1) > 0, 0.0).sum(dim=1)


def end_taken_out(logits, target, eos):
    """All end marks are left out of the sum, and nothing else."""
    counts = counted(target, eos) & (target != eos)
    return of_words(logits, target).masked_fill(~counts, 0.0).sum(dim=1)


def all_counted(logits, target, eos):
    """Every position counts."""
    return of_words(logits, target).sum(dim=1)


def one_too_many(logits, target, eos):
    """Off by one: the word right after the end mark counts."""
    counts = (target == eos).cumsum(dim=1).cumsum(dim=1) <= 2
    return of_words(logits, target).masked_fill(~counts, 0.0).sum(dim=1)


def cut_at_first_end_of_batch(logits, target, eos):
    """All sentences are truncated where the first of them ends."""
    first = (target == eos).long().argmax(dim=1).min()
    return of_words(logits, target)[:, : first + 1].sum(dim=1)


def padding_is_zero(logits, target, eos):
    """Every word except the word 0 counts."""
    return (of_words(logits, target) * (target != 0)).sum(dim=1)


def until_last_end(logits, target, eos):
    """The last end mark is used as the end."""
    ends = (target == eos).long()
    counts = ends.flip(1).cumsum(dim=1).flip(1) > 0
    counts = counts | (ends.sum(dim=1, keepdim=True) == 0)
    return of_words(logits, target).masked_fill(~counts, 0.0).sum(dim=1)


def every_end_counts(logits, target, eos):
    """After the first end mark, further end marks count, but no other words."""
    counts = counted(target, eos) | (target == eos)
    return of_words(logits, target).masked_fill(~counts, 0.0).sum(dim=1)


def argmax_of_no_end(logits, target, eos):
    """argmax also returns 0 for a row without an end mark."""
    end = (target == eos).long().argmax(dim=1, keepdim=True)
    counts = torch.arange(target.shape[1]) <= end
    return of_words(logits, target).masked_fill(~counts, 0.0).sum(dim=1)


def nothing_without_end(logits, target, eos):
    """Only words that have an end mark after them count."""
    ends = (target == eos).any(dim=1)
    return added(of_words(logits, target), target, eos).masked_fill(~ends, 0.0)


def index_of_end(logits, target, eos):
    """A list's index method raises an error if there is no end mark."""
    sums = []
    for values, words in zip(of_words(logits, target), target.tolist(), strict=True):
        sums.append(values[: words.index(eos) + 1].sum())
    return torch.stack(sums)


def log_of_product(logits, target, eos):
    """The probabilities are multiplied first."""
    probabilities = of_words(logits, target).exp().masked_fill(~counted(target, eos), 1.0)
    return probabilities.prod(dim=1).log()


def log_of_softmax(logits, target, eos):
    """The logarithm of a softmax that has become 0."""
    values = logits.softmax(dim=-1).log().gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return added(values, target, eos)


def clamped(logits, target, eos):
    """Probabilities are clamped to at least 1e-9."""
    return added(of_words(logits, target).exp().clamp(min=1e-9).log(), target, eos)


def times_mask(logits, target, eos):
    """0 times minus infinity is NaN."""
    return (of_words(logits, target) * counted(target, eos)).sum(dim=1)


def detached(logits, target, eos):
    """The gradient is cut off."""
    return added(of_words(logits.detach(), target), target, eos)


def from_numbers(logits, target, eos):
    """A new tensor made of plain numbers has no gradient."""
    return torch.tensor([value.item() for value in added(of_words(logits, target), target, eos)])


def softmax_twice(logits, target, eos):
    """log_softmax is given probabilities."""
    return added(of_words(logits.softmax(dim=-1), target), target, eos)


def in_bits(logits, target, eos):
    """The logarithm with base 2."""
    return added(of_words(logits, target), target, eos) / math.log(2)


def without_word_0(logits, target, eos):
    """The word 0 is treated as padding."""
    chosen = logits.log_softmax(dim=-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    ends = (target == eos).long()
    counts = (ends.cumsum(dim=1) - ends == 0) & ((target != 0) | (target == eos))
    return chosen.masked_fill(~counts, 0.0).sum(dim=1)


def rolled_round(logits, target, eos):
    """The mask is rolled by one position, so the end of the row wraps around to the first word."""
    real = (target != eos).long().cumprod(dim=1).roll(1, dims=1).bool()
    found = logits.log_softmax(dim=-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return found.masked_fill(~real, 0.0).sum(dim=1)


_USE = "works as the chapter uses it"
_SUM = "the result is the sum of the words' log-probabilities"
_END = "the end mark counts too"
_BEHIND = "nothing after the end mark counts"
_FIRST = "with several end marks in a row, the first is the end"
_WHOLE = "in a row without an end mark, every word counts"
_SMALL = "very small probabilities are handled correctly"
_IMPOSSIBLE = "an impossible word after the end does not matter"
_GRADIENT = "the gradient of the logits is right, and zero after the end"

WRONG = {
    rolled_round: _SUM,
    without_word_0: _USE,
    adds_probabilities: _SUM,
    log_of_sum: _SUM,
    probability: _SUM,
    loss: _SUM,
    mean: _SUM,
    raw_logits: _SUM,
    of_the_batch: _SUM,
    of_each_word: _SUM,
    likeliest_words: _SUM,
    softmax_over_places: _SUM,
    of_the_word_before: _SUM,
    as_numbers: _SUM,
    softmax_twice: _SUM,
    in_bits: _SUM,
    end_not_counted: _END,
    end_taken_out: _END,
    all_counted: _BEHIND,
    one_too_many: _BEHIND,
    cut_at_first_end_of_batch: _BEHIND,
    padding_is_zero: _BEHIND,
    until_last_end: _FIRST,
    every_end_counts: _FIRST,
    argmax_of_no_end: _WHOLE,
    nothing_without_end: _WHOLE,
    index_of_end: _WHOLE,
    log_of_product: _SMALL,
    log_of_softmax: _SMALL,
    clamped: _SMALL,
    times_mask: _IMPOSSIBLE,
    detached: _GRADIENT,
    from_numbers: _GRADIENT,
}


def loops(logits, target, eos):
    """Word by word, until the end."""
    sums = []
    for row, words in zip(logits.log_softmax(-1), target.tolist(), strict=True):
        total = row.new_zeros(())
        for log_probs, word in zip(row, words, strict=True):
            total = total + log_probs[word]
            if word == eos:
                break
        sums.append(total)
    return torch.stack(sums)


def cut(logits, target, eos):
    """Each sentence is truncated after its end."""
    sums = []
    for values, words in zip(of_words(logits, target), target.tolist(), strict=True):
        length = words.index(eos) + 1 if eos in words else len(words)
        sums.append(values[:length].sum())
    return torch.stack(sums)


def with_cross_entropy(logits, target, eos):
    """Minus the cross-entropy of the words that count; ignored words cost nothing."""
    words = target.masked_fill(~counted(target, eos), -100)
    return -F.cross_entropy(logits.transpose(1, 2), words, reduction="none").sum(dim=1)


def with_where(logits, target, eos):
    """A position counts if no end mark comes before it."""
    before = F.pad(target[:, :-1] == eos, (1, 0), value=False)
    alive = (~before).long().cumprod(dim=1).bool()
    return torch.where(alive, of_words(logits, target), 0.0).sum(1)


def with_first_index(logits, target, eos):
    """The index of the first end mark, or of the last position if there is none."""
    ends = target == eos
    length = target.shape[1]
    end = torch.where(ends.any(dim=1), ends.int().argmax(dim=1), length - 1)
    counts = torch.arange(length, device=target.device) <= end[:, None]
    return of_words(logits, target).where(counts, 0.0).sum(dim=-1)


def by_indexing(logits, target, eos):
    """The log-probabilities are picked by index."""
    log_probs = torch.log_softmax(logits, dim=2)
    batch, length = target.shape
    chosen = log_probs[torch.arange(batch).unsqueeze(1), torch.arange(length), target]
    return added(chosen, target, eos)


def log_sum_exp(logits, target, eos):
    """The logit less the log of the sum of all exponentials."""
    chosen = logits.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return added(chosen - logits.logsumexp(dim=-1), target, eos)


def scattered(logits, target, eos):
    """The words that count are picked with the mask, and summed by their rows."""
    counts = counted(target, eos)
    rows = torch.arange(len(target), device=target.device).unsqueeze(1).expand_as(target)[counts]
    values = -F.cross_entropy(logits[counts], target[counts], reduction="none")
    return values.new_zeros(len(target)).index_add(0, rows, values)


class LogProb(nn.Module):
    """A module instead of a function."""

    def forward(self, logits, target, eos):
        return cut(logits, target, eos)


def with_a_distribution(logits, target, eos):
    """torch's own distribution of words."""
    return added(torch.distributions.Categorical(logits=logits).log_prob(target), target, eos)


RIGHT = {
    "loops": loops,
    "cut": cut,
    "with cross_entropy": with_cross_entropy,
    "with where": with_where,
    "with the first index": with_first_index,
    "by indexing": by_indexing,
    "log-sum-exp": log_sum_exp,
    "scattered": scattered,
    "a module": LogProb(),
    "a lambda": lambda logits, target, eos: added(of_words(logits, target), target, eos),
    "with a distribution": with_a_distribution,
}
