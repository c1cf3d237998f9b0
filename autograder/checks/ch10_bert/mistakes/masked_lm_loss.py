"""Mistakes in `masked_lm_loss`, and right answers in other styles."""

import functools
import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch10_bert.masked_lm_loss import (
    all_chosen,
    certain,
    cut_out,
    in_chapter,
    loss_gradient,
    none_chosen,
    other_precision,
    ratio,
    some_chosen,
)
from autograder.judging.catalogue import mistake, right


def of_places(logits, labels):
    """The cross-entropy of each place, (B, S); 0 where the label is -100."""
    return F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")


def count(labels):
    """The number of chosen places, at least one."""
    return (labels != -100).sum().clamp(min=1)


def usual(logits, labels):
    """For the mistakes that are made around it."""
    return of_places(logits, labels).sum() / count(labels)


@mistake(all_chosen, "the loss is the sum over all positions, expected their mean")
def summed(logits, labels):
    return of_places(logits, labels).sum()


@mistake(all_chosen, "the sum is divided by the number of sequences, expected by the number of chosen positions")
def per_row(logits, labels):
    return of_places(logits, labels).sum() / len(labels)


mistake(
    all_chosen, "the sum is divided by the number of positions in a row, expected by the number of chosen positions"
).made_in(per_row, per_place_of_a_row={"len(labels)": "labels.shape[1]"})


@mistake(all_chosen, "the sum is divided by the number of chosen positions plus one, expected by that number alone")
def one_too_many(logits, labels):
    return of_places(logits, labels).sum() / ((labels != -100).sum() + 1)


@mistake(all_chosen, "there is a loss for each position, expected their mean")
def not_reduced(logits, labels):
    return of_places(logits, labels)


@mistake(all_chosen, "the loss is a Python number, expected a tensor: item() cuts off the gradient")
def a_number(logits, labels):
    return usual(logits, labels).item()


@mistake(all_chosen, "the loss has the wrong sign")
def wrong_sign(logits, labels):
    return -usual(logits, labels)


@mistake(all_chosen, "the softmax is applied twice: cross_entropy takes the logits themselves, not probabilities")
def softmax_twice(logits, labels):
    return usual(logits.softmax(dim=-1), labels)


@mistake(
    all_chosen,
    "the loss is a mean of logits: nll_loss expects log-probabilities, so apply log_softmax first; cross_entropy does both",
)
def mean_of_logits(logits, labels):
    return F.nll_loss(logits.transpose(1, 2), labels, reduction="sum") / count(labels)


@mistake(all_chosen, "the logits at each position are compared with the label of the next position, expected its own")
def shifted(logits, labels):
    return usual(logits[:, :-1], labels[:, 1:])


mistake(
    all_chosen, "the logits at each position are compared with the label of the previous position, expected its own"
).made_in(wrong_sign, shifted_back={"-usual(logits, labels)": "usual(logits[:, 1:], labels[:, :-1])"})


@mistake(
    all_chosen,
    "dimensions are swapped with reshape or view, which mixes up positions and pieces; expected a transposition",
)
def reshaped(logits, labels):
    losses = F.cross_entropy(
        logits.reshape(logits.shape[0], logits.shape[2], logits.shape[1]), labels, reduction="none"
    )
    return losses.sum() / count(labels)


@mistake(all_chosen, "cross_entropy gets the logits as (B, S, V), but it expects V as the second dimension")
def not_transposed(logits, labels):
    return F.cross_entropy(logits, labels)


@mistake(all_chosen, "the loss is in bits, expected in nats: use the natural logarithm")
def in_bits(logits, labels):
    return usual(logits, labels) / math.log(2)


@mistake(all_chosen, "the result is the perplexity, the exponential of the loss; expected the loss itself")
def perplexity(logits, labels):
    return usual(logits, labels).exp()


@mistake(all_chosen, "the positions with -100 are used, expected the others")
def wrong_places(logits, labels):
    chosen = labels == -100
    return (of_places(logits, labels) * chosen).sum() / chosen.sum().clamp(min=1)


@mistake(all_chosen, "the positions with -100 are used, expected the others")
def wrong_places_indexed(logits, labels):
    chosen = labels == -100
    return F.cross_entropy(logits[chosen], labels[chosen])


@mistake(all_chosen, "the loss is for the piece with the largest logit, expected the piece in the labels")
def likeliest_piece(logits, labels):
    chosen = labels != -100
    return F.cross_entropy(logits[chosen], logits.argmax(-1)[chosen], reduction="sum") / count(labels)


@mistake(ratio, "the label -100 is counted as if the label were piece 0")
def counted_as_zero(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1), labels.clamp(min=0).flatten())


@mistake(ratio, "the labels are taken modulo V, so that -100 counts as a piece")
def counted_as_another(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten() % logits.shape[-1])


@mistake(ratio, "the positions with the label 0 are left out, expected only those with -100")
def ignores_piece_zero(logits, labels):
    chosen = labels > 0
    return F.cross_entropy(logits[chosen], labels[chosen], reduction="sum") / count(labels)


@mistake(ratio, "cross_entropy is called with ignore_index=0, so that it does not ignore -100")
def ignores_pad(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=0)


@mistake(ratio, "the logits are set to 0 where nothing is chosen, so these positions still cost log V each")
def logits_set_to_zero(logits, labels):
    chosen = labels != -100
    return of_places(logits * chosen.unsqueeze(-1), labels.clamp(min=0)).sum() / count(labels)


@mistake(ratio, "gather is called with the label -100, expected only the chosen positions")
def gathers_minus_100(logits, labels):
    log_probs = logits.log_softmax(-1).gather(-1, labels.unsqueeze(-1)).squeeze(-1)
    return -(log_probs * (labels != -100)).sum() / count(labels)


@mistake(some_chosen, "the sum is divided by B · S, expected by the number of chosen positions")
def over_all_places(logits, labels):
    return of_places(logits, labels).mean()


@mistake(some_chosen, "the chosen positions are counted by labels > 0, which leaves out the piece with the id 0")
def first_piece_not_counted(logits, labels):
    return of_places(logits, labels).sum() / (labels > 0).sum().clamp(min=1)


@mistake(
    some_chosen,
    "the mean is taken over each row first and then over the rows, expected over all chosen positions at once",
)
def mean_of_means(logits, labels):
    return (of_places(logits, labels).sum(dim=1) / (labels != -100).sum(dim=1).clamp(min=1)).mean()


@mistake(
    some_chosen,
    "the mean is taken over each row first and then over the rows, expected over all chosen positions at once",
)
def mean_of_rows_with_any(logits, labels):
    rows = zip(logits, labels, strict=True)
    means = [F.cross_entropy(row, asked) for row, asked in rows if (asked != -100).any()]
    return torch.stack(means).mean() if means else logits.sum() * 0


@mistake(none_chosen, "the sum is divided by the number of chosen positions even if that is 0")
def not_a_number(logits, labels):
    return F.cross_entropy(logits.transpose(1, 2), labels)


@mistake(none_chosen, "the sum is divided by the number of chosen positions even if that is 0")
def not_a_number_indexed(logits, labels):
    chosen = labels != -100
    return F.cross_entropy(logits[chosen], labels[chosen])


@mistake(none_chosen, "if nothing is chosen, the loss is a new tensor, so no gradient comes back")
def zero_without_gradient(logits, labels):
    if (labels == -100).all():
        return torch.tensor(0.0)
    return F.cross_entropy(logits.transpose(1, 2), labels)


mistake(
    none_chosen, "if nothing is chosen, the loss is a new tensor with requires_grad, so no gradient reaches the logits"
).made_in(zero_without_gradient, zero_of_its_own={"torch.tensor(0.0)": "torch.zeros((), requires_grad=True)"})
mistake(none_chosen, "if nothing is chosen, the loss is a Python number, expected a tensor").made_in(
    zero_without_gradient, plain_zero={"torch.tensor(0.0)": "0.0"}
)


@mistake(none_chosen, "if nothing is chosen, the loss is the mean of the logits, expected 0")
def mean_of_all_if_none(logits, labels):
    return usual(logits, labels) if (labels != -100).any() else logits.mean()


@mistake(
    certain, "the softmax and its logarithm are computed in two steps, so that small probabilities are rounded to 0"
)
def log_of_softmax(logits, labels):
    chosen = labels != -100
    probabilities = logits[chosen].softmax(dim=-1).gather(-1, labels[chosen].unsqueeze(-1))
    return -probabilities.log().sum() / count(labels)


def cut_off(least, logits, labels):
    """The loss with a small constant added to the probabilities."""
    chosen = labels != -100
    probabilities = logits[chosen].softmax(dim=-1).gather(-1, labels[chosen].unsqueeze(-1))
    return -(probabilities + least).log().sum() / count(labels)


@mistake(in_chapter, "a small constant is added before the logarithm, so that a large loss is cut off")
def log_of_softmax_with_a_millionth(logits, labels):
    return cut_off(1e-6, logits, labels)


mistake(in_chapter, "a small constant is added before the logarithm, so that a large loss is cut off").made_in(
    log_of_softmax_with_a_millionth,
    log_of_softmax_with_1e_8={"1e-6": "1e-8"},
    log_of_softmax_with_1e_9={"1e-6": "1e-9"},
)
mistake(certain, "a small constant is added before the logarithm, so that a large loss is cut off").made_in(
    log_of_softmax_with_a_millionth,
    log_of_softmax_with_epsilon={"1e-6": "1e-10"},
    log_of_softmax_with_1e_12={"1e-6": "1e-12"},
)


@mistake(certain, "the exponential of the logits is computed, which is infinite for large ones")
def exp_by_hand(logits, labels):
    chosen = labels != -100
    picked = logits[chosen].gather(-1, labels[chosen].unsqueeze(-1)).squeeze(-1)
    return (logits[chosen].exp().sum(dim=-1).log() - picked).sum() / count(labels)


@mistake(other_precision, "the one-hot vectors are always float32, expected the dtype of the logits")
def single_one_hot(logits, labels):
    chosen = labels != -100
    wanted = F.one_hot(labels[chosen], logits.shape[-1]).float()
    return -torch.einsum("nv,nv->", logits[chosen].log_softmax(-1), wanted) / count(labels)


@mistake(other_precision, "the mask of the chosen positions is always float32, expected the dtype of the logits")
def single_mask(logits, labels):
    return of_places(logits, labels).flatten() @ (labels != -100).float().flatten() / count(labels)


@mistake(cut_out, "view fails on logits that are not contiguous")
def views(logits, labels):
    losses = F.cross_entropy(logits.view(-1, logits.shape[-1]), labels.reshape(-1), reduction="sum")
    return losses / count(labels)


@mistake(cut_out, "view fails on labels that are not contiguous")
def views_labels(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1), labels.view(-1), reduction="sum") / count(labels)


mistake(cut_out, "the labels are changed in place").made_in(
    wrong_places, overwrites_labels={"chosen = labels == -100": "chosen = labels != -100; labels[~chosen] = 0"}
)


@mistake(cut_out, "the logits are changed in place")
def overwrites_logits(logits, labels):
    loss = usual(logits.clone(), labels)
    logits.data[labels == -100] = 0.0
    return loss


@mistake(loss_gradient, "the logits are detached, so no gradient reaches them")
def detached(logits, labels):
    return usual(logits.detach(), labels) if (labels != -100).any() else logits.sum() * 0


@mistake(loss_gradient, "everything is computed under no_grad, so no gradient comes back")
def without_gradient(logits, labels):
    with torch.set_grad_enabled(not (labels != -100).any()):
        return usual(logits, labels)


mistake(
    loss_gradient, "the normaliser of the softmax is detached, so no gradient reaches the logits through it"
).made_in(exp_by_hand, some_detached={"logits[chosen].exp().sum(dim=-1).log": "logits[chosen].logsumexp(-1).detach"})


@right
def ignoring(logits, labels):
    total = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100, reduction="sum")
    return total / max(1, int((labels != -100).sum()))


@right
def with_a_guard(logits, labels):
    if not (labels != -100).any():
        return logits.sum() * 0.0
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


@right
def nan_to_zero(logits, labels):
    return F.cross_entropy(logits.permute(0, 2, 1), labels).nan_to_num()


@right
def by_log_softmax(logits, labels):
    chosen = labels.ge(0)
    log_probs = F.log_softmax(logits, dim=-1)
    picked = torch.gather(log_probs, 2, labels.clamp(min=0)[..., None])[..., 0]
    return -torch.where(chosen, picked, 0.0).sum() / chosen.sum().clamp(min=1)


@right
def by_nll_loss(logits, labels):
    chosen = labels != -100
    losses = nn.NLLLoss(reduction="none")(logits.log_softmax(-1)[chosen], labels[chosen])
    return losses.sum() / max(len(losses), 1)


@right
def loops(logits, labels):
    total, number = logits.sum() * 0, 0
    for row, asked in zip(logits, labels, strict=True):
        for scores, piece in zip(row, asked, strict=True):
            if piece != -100:
                total, number = total + torch.logsumexp(scores, 0) - scores[piece], number + 1
    return total / number if number else total


@right
def row_by_row(logits, labels):
    sums = [F.cross_entropy(row, asked, reduction="sum") for row, asked in zip(logits, labels, strict=True)]
    return torch.stack(sums).sum() / torch.clamp((labels > -1).sum(), min=1)


@right
def with_einsum(logits, labels):
    chosen = labels != -100
    wanted = F.one_hot(labels.masked_fill(~chosen, 0), logits.shape[-1]).to(logits.dtype)
    total = torch.einsum("bsv,bsv,bs->", logits.log_softmax(dim=-1), wanted, chosen.to(logits.dtype))
    return -total / chosen.sum().clamp(min=1)


@right
def with_indices(logits, labels):
    rows, places = torch.nonzero(labels != -100, as_tuple=True)
    losses = logits[rows, places].logsumexp(-1) - logits[rows, places, labels[rows, places]]
    return losses.sum() / max(rows.numel(), 1)


@right
def in_single_precision(logits, labels):
    return usual(logits.to(torch.promote_types(logits.dtype, torch.float32)), labels)


@right
def weighted(logits, labels):
    chosen = (labels != -100).to(logits.dtype)
    return (of_places(logits, labels) * chosen / chosen.sum().clamp(min=1)).sum()


class Loss(nn.Module):
    """A module in the place of a function."""

    def forward(self, logits, labels):
        return nn.functional.cross_entropy(logits.mT, labels, reduction="sum") / count(labels)


def with_a_loss(loss, logits, labels):
    """For a partial: torch's loss comes first."""
    chosen = labels != -100
    return loss(logits[chosen], labels[chosen]) / chosen.sum().clamp(min=1)


right(Loss())


right(functools.partial(with_a_loss, nn.CrossEntropyLoss(reduction="sum")))


right(lambda logits, labels: of_places(logits, labels).sum() / count(labels))
