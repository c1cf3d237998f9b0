"""What students hand in for `masked_lm_loss`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import math

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "masked_lm_loss"


def of_places(logits, labels):
    """The cross-entropy of each place, (B, S); 0 where the label is -100."""
    return F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")


def count(labels):
    """The number of chosen places, at least one."""
    return (labels != -100).sum().clamp(min=1)


def right(logits, labels):
    """For the mistakes that are made around it."""
    return of_places(logits, labels).sum() / count(labels)


def summed(logits, labels):
    """The sum for the mean."""
    return of_places(logits, labels).sum()


def per_row(logits, labels):
    """The sum, divided by the number of rows."""
    return of_places(logits, labels).sum() / len(labels)


def per_place_of_a_row(logits, labels):
    """The sum, divided by the length of a row."""
    return of_places(logits, labels).sum() / labels.shape[1]


def one_too_many(logits, labels):
    """1 is added so that nothing is divided by 0, and it changes every other loss."""
    return of_places(logits, labels).sum() / ((labels != -100).sum() + 1)


def not_reduced(logits, labels):
    """A loss for each place."""
    return of_places(logits, labels)


def a_number(logits, labels):
    """A plain number has no gradient."""
    return right(logits, labels).item()


def wrong_sign(logits, labels):
    """The sign is forgotten."""
    return -right(logits, labels)


def softmax_twice(logits, labels):
    """cross_entropy is given probabilities."""
    return right(logits.softmax(dim=-1), labels)


def mean_of_logits(logits, labels):
    """nll_loss wants log-probabilities, and takes the logits without a word."""
    return F.nll_loss(logits.transpose(1, 2), labels, reduction="sum") / count(labels)


def shifted(logits, labels):
    """Each place predicts the next label, as in a language model that reads one way."""
    return right(logits[:, :-1], labels[:, 1:])


def shifted_back(logits, labels):
    """Each place predicts the label before."""
    return right(logits[:, 1:], labels[:, :-1])


def reshaped(logits, labels):
    """cross_entropy wants V second, and reshape gives it that shape with the wrong numbers in it."""
    losses = F.cross_entropy(
        logits.reshape(logits.shape[0], logits.shape[2], logits.shape[1]), labels, reduction="none"
    )
    return losses.sum() / count(labels)


def not_transposed(logits, labels):
    """cross_entropy wants V second."""
    return F.cross_entropy(logits, labels)


def in_bits(logits, labels):
    """The logarithm to the base of two."""
    return right(logits, labels) / math.log(2)


def perplexity(logits, labels):
    """The exponential."""
    return right(logits, labels).exp()


def wrong_places(logits, labels):
    """Where the label is -100 is taken for where a piece is asked for."""
    chosen = labels == -100
    return (of_places(logits, labels) * chosen).sum() / chosen.sum().clamp(min=1)


def wrong_places_indexed(logits, labels):
    """The same, with what is left over taken out: nothing is left, and its mean is NaN."""
    chosen = labels == -100
    return F.cross_entropy(logits[chosen], labels[chosen])


def likeliest_piece(logits, labels):
    """The loss of the piece that the model would have chosen."""
    chosen = labels != -100
    return F.cross_entropy(logits[chosen], logits.argmax(-1)[chosen], reduction="sum") / count(labels)


def counted_as_zero(logits, labels):
    """-100 becomes the piece 0, which is a piece like any other."""
    return F.cross_entropy(logits.flatten(0, 1), labels.clamp(min=0).flatten())


def counted_as_another(logits, labels):
    """-100 is brought into the vocabulary by a remainder."""
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten() % logits.shape[-1])


def ignores_piece_zero(logits, labels):
    """The chosen places are those with a label above 0."""
    chosen = labels > 0
    return F.cross_entropy(logits[chosen], labels[chosen], reduction="sum") / count(labels)


def ignores_pad(logits, labels):
    """cross_entropy is told to ignore 0, and so it does not ignore -100."""
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=0)


def logits_set_to_zero(logits, labels):
    """Where nothing is asked the logits become 0, and the place costs log V."""
    chosen = labels != -100
    return of_places(logits * chosen.unsqueeze(-1), labels.clamp(min=0)).sum() / count(labels)


def gathers_minus_100(logits, labels):
    """gather finds no column -100."""
    log_probs = logits.log_softmax(-1).gather(-1, labels.unsqueeze(-1)).squeeze(-1)
    return -(log_probs * (labels != -100)).sum() / count(labels)


def over_all_places(logits, labels):
    """The sum over the chosen places is divided by B · S."""
    return of_places(logits, labels).mean()


def mean_of_means(logits, labels):
    """Each row weighs the same, however many places were chosen in it."""
    return (of_places(logits, labels).sum(dim=1) / (labels != -100).sum(dim=1).clamp(min=1)).mean()


def mean_of_rows_with_any(logits, labels):
    """The mean of each row by torch, and then of the rows in which there is something."""
    rows = zip(logits, labels, strict=True)
    means = [F.cross_entropy(row, asked) for row, asked in rows if (asked != -100).any()]
    return torch.stack(means).mean() if means else logits.sum() * 0


def not_a_number(logits, labels):
    """The mean of no places."""
    return F.cross_entropy(logits.transpose(1, 2), labels)


def not_a_number_indexed(logits, labels):
    """The same with the chosen places taken out."""
    chosen = labels != -100
    return F.cross_entropy(logits[chosen], labels[chosen])


def zero_without_gradient(logits, labels):
    """A new tensor has no way back to the logits."""
    if (labels == -100).all():
        return torch.tensor(0.0)
    return F.cross_entropy(logits.transpose(1, 2), labels)


def zero_of_its_own(logits, labels):
    """A new tensor that claims to have a gradient, which does not reach the logits."""
    if (labels == -100).all():
        return torch.zeros((), requires_grad=True)
    return F.cross_entropy(logits.transpose(1, 2), labels)


def plain_zero(logits, labels):
    """A number for a tensor."""
    if (labels == -100).all():
        return 0.0
    return F.cross_entropy(logits.transpose(1, 2), labels)


def mean_of_all_if_none(logits, labels):
    """Where nothing is asked, the mean of all logits is taken."""
    return right(logits, labels) if (labels != -100).any() else logits.mean()


def log_of_softmax(logits, labels):
    """The log is taken after the softmax, of probabilities that have become 0."""
    chosen = labels != -100
    probabilities = logits[chosen].softmax(dim=-1).gather(-1, labels[chosen].unsqueeze(-1))
    return -probabilities.log().sum() / count(labels)


def log_of_softmax_with_epsilon(logits, labels):
    """A small constant is added before the log, so the loss stops growing at 23."""
    chosen = labels != -100
    probabilities = logits[chosen].softmax(dim=-1).gather(-1, labels[chosen].unsqueeze(-1))
    return -(probabilities + 1e-10).log().sum() / count(labels)


def exp_by_hand(logits, labels):
    """The exponential of a large number is infinite."""
    chosen = labels != -100
    picked = logits[chosen].gather(-1, labels[chosen].unsqueeze(-1)).squeeze(-1)
    return (logits[chosen].exp().sum(dim=-1).log() - picked).sum() / count(labels)


def single_one_hot(logits, labels):
    """One-hot vectors of single precision, whatever the logits are."""
    chosen = labels != -100
    wanted = F.one_hot(labels[chosen], logits.shape[-1]).float()
    return -torch.einsum("nv,nv->", logits[chosen].log_softmax(-1), wanted) / count(labels)


def single_mask(logits, labels):
    """A product of two vectors wants one dtype."""
    return of_places(logits, labels).flatten() @ (labels != -100).float().flatten() / count(labels)


def views(logits, labels):
    """view wants its tensor in one piece."""
    losses = F.cross_entropy(logits.view(-1, logits.shape[-1]), labels.reshape(-1), reduction="sum")
    return losses / count(labels)


def views_labels(logits, labels):
    """view wants the labels in one piece too."""
    return F.cross_entropy(logits.flatten(0, 1), labels.view(-1), reduction="sum") / count(labels)


def overwrites_labels(logits, labels):
    """The caller's labels are changed."""
    chosen = labels != -100
    labels[~chosen] = 0
    return (of_places(logits, labels) * chosen).sum() / chosen.sum().clamp(min=1)


def overwrites_logits(logits, labels):
    """The caller's logits are changed behind the gradient's back."""
    loss = right(logits.clone(), labels)
    logits.data[labels == -100] = 0.0
    return loss


def detached(logits, labels):
    """The gradient does not come back, unless nothing is asked."""
    return right(logits.detach(), labels) if (labels != -100).any() else logits.sum() * 0


def without_gradient(logits, labels):
    """no_grad around it all, unless nothing is asked."""
    with torch.set_grad_enabled(not (labels != -100).any()):
        return right(logits, labels)


def some_detached(logits, labels):
    """The normaliser of the softmax gets no gradient."""
    chosen = labels != -100
    picked = logits[chosen].gather(-1, labels[chosen].unsqueeze(-1)).squeeze(-1)
    return (logits[chosen].logsumexp(-1).detach() - picked).sum() / count(labels)


_MEAN = "if every position is chosen, it is the mean cross-entropy"
_CHOSEN = "a position with the label -100 does not count"
_DIVISOR = "the sum is divided by the number of chosen positions"
_NONE = "if nothing is chosen, the loss is 0, and so is its gradient"
_FAR = "pieces of very small probability are handled correctly"
_PRECISION = "logits in half and in double precision work"
_PARTS = "logits and labels may be parts of larger tensors, and are not changed"
_GRADIENT = "the gradient for the logits is right, and zero where nothing is chosen"

WRONG = {
    summed: _MEAN,
    per_row: _MEAN,
    per_place_of_a_row: _MEAN,
    one_too_many: _MEAN,
    not_reduced: _MEAN,
    a_number: _MEAN,
    wrong_sign: _MEAN,
    softmax_twice: _MEAN,
    mean_of_logits: _MEAN,
    shifted: _MEAN,
    shifted_back: _MEAN,
    reshaped: _MEAN,
    not_transposed: _MEAN,
    in_bits: _MEAN,
    perplexity: _MEAN,
    wrong_places: _MEAN,
    wrong_places_indexed: _MEAN,
    likeliest_piece: _MEAN,
    counted_as_zero: _CHOSEN,
    counted_as_another: _CHOSEN,
    ignores_piece_zero: _CHOSEN,
    ignores_pad: _CHOSEN,
    logits_set_to_zero: _CHOSEN,
    gathers_minus_100: _CHOSEN,
    over_all_places: _DIVISOR,
    mean_of_means: _DIVISOR,
    mean_of_rows_with_any: _DIVISOR,
    not_a_number: _NONE,
    not_a_number_indexed: _NONE,
    zero_without_gradient: _NONE,
    zero_of_its_own: _NONE,
    plain_zero: _NONE,
    mean_of_all_if_none: _NONE,
    log_of_softmax: _FAR,
    log_of_softmax_with_epsilon: _FAR,
    exp_by_hand: _FAR,
    single_one_hot: _PRECISION,
    single_mask: _PRECISION,
    views: _PARTS,
    views_labels: _PARTS,
    overwrites_labels: _PARTS,
    overwrites_logits: _PARTS,
    detached: _GRADIENT,
    without_gradient: _GRADIENT,
    some_detached: _GRADIENT,
}


def ignoring(logits, labels):
    """cross_entropy ignores -100 by itself."""
    total = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100, reduction="sum")
    return total / max(1, int((labels != -100).sum()))


def with_a_guard(logits, labels):
    """torch's mean, and a 0 of the logits where there is nothing."""
    if not (labels != -100).any():
        return logits.sum() * 0.0
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


def nan_to_zero(logits, labels):
    """torch's mean, whose NaN becomes 0; the gradient is zero too."""
    return F.cross_entropy(logits.permute(0, 2, 1), labels).nan_to_num()


def by_log_softmax(logits, labels):
    """The log-probability of each label is picked; where there is none, any is, and does not count."""
    chosen = labels.ge(0)
    log_probs = F.log_softmax(logits, dim=-1)
    picked = torch.gather(log_probs, 2, labels.clamp(min=0)[..., None])[..., 0]
    return -torch.where(chosen, picked, 0.0).sum() / chosen.sum().clamp(min=1)


def by_nll_loss(logits, labels):
    """torch's loss of log-probabilities."""
    chosen = labels != -100
    losses = nn.NLLLoss(reduction="none")(logits.log_softmax(-1)[chosen], labels[chosen])
    return losses.sum() / max(len(losses), 1)


def loops(logits, labels):
    """Place by place."""
    total, number = logits.sum() * 0, 0
    for row, asked in zip(logits, labels, strict=True):
        for scores, piece in zip(row, asked, strict=True):
            if piece != -100:
                total, number = total + torch.logsumexp(scores, 0) - scores[piece], number + 1
    return total / number if number else total


def row_by_row(logits, labels):
    """A sum of each row, all divided at the end."""
    sums = [F.cross_entropy(row, asked, reduction="sum") for row, asked in zip(logits, labels, strict=True)]
    return torch.stack(sums).sum() / torch.clamp((labels > -1).sum(), min=1)


def with_einsum(logits, labels):
    """A product with one-hot vectors, of the dtype of the logits."""
    chosen = labels != -100
    wanted = F.one_hot(labels.masked_fill(~chosen, 0), logits.shape[-1]).to(logits.dtype)
    total = torch.einsum("bsv,bsv,bs->", logits.log_softmax(dim=-1), wanted, chosen.to(logits.dtype))
    return -total / chosen.sum().clamp(min=1)


def with_indices(logits, labels):
    """The places by their indices."""
    rows, places = torch.nonzero(labels != -100, as_tuple=True)
    losses = logits[rows, places].logsumexp(-1) - logits[rows, places, labels[rows, places]]
    return losses.sum() / max(rows.numel(), 1)


def in_single_precision(logits, labels):
    """The loss is computed in single precision at least."""
    return right(logits.to(torch.promote_types(logits.dtype, torch.float32)), labels)


def weighted(logits, labels):
    """Weights that sum to one over the chosen places."""
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


RIGHT = {
    "ignoring": ignoring,
    "with a guard": with_a_guard,
    "NaN to zero": nan_to_zero,
    "by log_softmax": by_log_softmax,
    "by nll_loss": by_nll_loss,
    "loops": loops,
    "row by row": row_by_row,
    "with einsum": with_einsum,
    "with indices": with_indices,
    "in single precision": in_single_precision,
    "weighted": weighted,
    "a module": Loss(),
    "a partial": functools.partial(with_a_loss, nn.CrossEntropyLoss(reduction="sum")),
    "a lambda": lambda logits, labels: of_places(logits, labels).sum() / count(labels),
}
