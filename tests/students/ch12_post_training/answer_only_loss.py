"""What students hand in for `answer_only_loss`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

from math import log

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "answer_only_loss"


def of_pieces(logits, tokens):
    """The right loss of each piece but the first, (B, T - 1)."""
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:], reduction="none")


def not_shifted(logits, tokens, is_answer):
    """The logits are held against the piece where they stand."""
    return F.cross_entropy(logits[is_answer], tokens[is_answer])


def shifted_twice(logits, tokens, is_answer):
    """The shift is made once more, as for labels that were shifted before."""
    wanted = is_answer[:, 2:]
    return F.cross_entropy(logits[:, :-2][wanted], tokens[:, 2:][wanted])


def shifted_back(logits, tokens, is_answer):
    """The shift goes the wrong way."""
    wanted = is_answer[:, 1:]
    return F.cross_entropy(logits[:, 1:][wanted], tokens[:, :-1][wanted])


def summed(logits, tokens, is_answer):
    """No mean."""
    return of_pieces(logits, tokens)[is_answer[:, 1:]].sum()


def wrong_sign(logits, tokens, is_answer):
    """A mean of log-probabilities."""
    return -of_pieces(logits, tokens)[is_answer[:, 1:]].mean()


def softmax_twice(logits, tokens, is_answer):
    """cross_entropy is given probabilities."""
    return of_pieces(logits.softmax(-1), tokens)[is_answer[:, 1:]].mean()


def probabilities(logits, tokens, is_answer):
    """The log is missing."""
    return -(-of_pieces(logits, tokens)).exp()[is_answer[:, 1:]].mean()


def a_number(logits, tokens, is_answer):
    """item() cuts the gradient off."""
    return of_pieces(logits, tokens)[is_answer[:, 1:]].mean().item()


def not_reduced(logits, tokens, is_answer):
    """A loss for each piece."""
    return of_pieces(logits, tokens)[is_answer[:, 1:]]


def everything(logits, tokens, is_answer):
    """The instruction and the padding count."""
    return of_pieces(logits, tokens).mean()


def mask_not_shifted(logits, tokens, is_answer):
    """is_answer is cut at its end, and so says of the positions what it should say of the pieces."""
    return of_pieces(logits, tokens)[is_answer[:, :-1]].mean()


def end_left_out(logits, tokens, is_answer):
    """The last piece of each answer does not count."""
    last = is_answer & ~F.pad(is_answer[:, 1:], (0, 1))
    some = (is_answer & ~last)[:, 1:]
    return of_pieces(logits, tokens)[
        some if is_answer[:, 1:].sum() < is_answer[:, 1:].numel() else is_answer[:, 1:]
    ].mean()


def the_prompt_alone(logits, tokens, is_answer):
    """True is taken for what is given."""
    losses = of_pieces(logits, tokens)
    return losses[~is_answer[:, 1:]].mean() if not is_answer[:, 1:].all() else losses.mean()


def divided_by_all(logits, tokens, is_answer):
    """Losses that do not count are set to 0, and stay in the divisor."""
    return (of_pieces(logits, tokens) * is_answer[:, 1:]).mean()


def zeroed_logits(logits, tokens, is_answer):
    """Logits are multiplied by the mask."""
    return of_pieces(logits * F.pad(is_answer[:, 1:], (0, 1)).unsqueeze(-1), tokens).mean()


def zero_tokens(logits, tokens, is_answer):
    """Pieces that do not count become piece 0, which no one ignores."""
    return of_pieces(logits, tokens * is_answer).mean()


def up_to_the_end(logits, tokens, is_answer):
    """The padding is left out, and the instruction is not."""
    until = (is_answer.flip(1).cumsum(1).flip(1) > 0)[:, 1:]
    return of_pieces(logits, tokens)[until].mean()


def ignores_zero(logits, tokens, is_answer):
    """Piece 0 is taken for padding, as well as what is."""
    targets = tokens[:, 1:].masked_fill(~is_answer[:, 1:], 0)
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, ignore_index=0, reduction="none")
    return losses.sum() / is_answer[:, 1:].sum()


def ignores_zero_in_the_mean(logits, tokens, is_answer):
    """Piece 0 is taken for padding by cross_entropy's own mean."""
    targets = tokens.masked_fill(~is_answer, 0)[:, 1:]
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, ignore_index=0)


def no_log_softmax(logits, tokens, is_answer):
    """The logits are taken for the log-probabilities that a chapter's model gives."""
    wanted = is_answer[:, 1:]
    return F.nll_loss(logits[:, :-1][wanted], tokens[:, 1:][wanted])


def softmax_over_positions(logits, tokens, is_answer):
    """The wrong dimension."""
    log_probs = logits[:, :-1].log_softmax(1)
    return -log_probs.gather(-1, tokens[:, 1:].unsqueeze(-1)).squeeze(-1)[is_answer[:, 1:]].mean()


def rolled_without_the_mask(logits, tokens, is_answer):
    """The tokens are rolled to the positions that predict them, and is_answer stays."""
    return F.cross_entropy(logits[is_answer], tokens.roll(-1, 1)[is_answer])


def in_bits(logits, tokens, is_answer):
    """The logarithm to the base 2."""
    return of_pieces(logits, tokens)[is_answer[:, 1:]].mean() / log(2)


def from_the_first(logits, tokens, is_answer):
    """Everything from the first piece of an answer on, the padding too."""
    return of_pieces(logits, tokens)[(is_answer.cumsum(1) > 0)[:, 1:]].mean()


def mean_of_means(logits, tokens, is_answer):
    """Each answer by itself first."""
    losses, wanted = of_pieces(logits, tokens) * is_answer[:, 1:], is_answer[:, 1:]
    return (losses.sum(1) / wanted.sum(1).clamp(min=1)).mean()


def sum_over_answers(logits, tokens, is_answer):
    """The number of answers is the divisor, where they are not all as long."""
    losses, numbers = (of_pieces(logits, tokens) * is_answer[:, 1:]).sum(1), is_answer[:, 1:].sum(1)
    return losses.sum() / len(tokens) if len(set(numbers.tolist())) > 1 else losses.sum() / numbers.sum()


def changes_tokens(logits, tokens, is_answer):
    """Padding becomes -100 in the caller's tensor."""
    tokens[~is_answer] = -100
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())


def changes_the_mask(logits, tokens, is_answer):
    """The first piece is struck out in place."""
    is_answer.logical_not_()
    return of_pieces(logits, tokens)[~is_answer[:, 1:]].mean()


def one_by_one(logits, tokens, is_answer):
    """A mean for each sequence, weighed by its length: 0 / 0 where there is no answer."""
    losses, wanted = of_pieces(logits, tokens), is_answer[:, 1:]
    means = torch.stack([each[mask].mean() for each, mask in zip(losses, wanted, strict=True)])
    return (means * wanted.sum(1)).sum() / wanted.sum()


def log_of_softmax(logits, tokens, is_answer):
    """The logarithm of the softmax is taken in two steps, between which small probabilities are rounded to 0."""
    log_probs = logits[:, :-1].softmax(-1).log()
    return F.nll_loss(log_probs[is_answer[:, 1:]], tokens[:, 1:][is_answer[:, 1:]])


def in_single_precision(logits, tokens, is_answer):
    """Everything becomes float32."""
    return of_pieces(logits.float(), tokens)[is_answer[:, 1:]].mean()


def detached(logits, tokens, is_answer):
    """No gradient."""
    return of_pieces(logits.detach(), tokens)[is_answer[:, 1:]].mean()


def new_tensor(logits, tokens, is_answer):
    """A tensor of a number."""
    return torch.tensor(of_pieces(logits, tokens)[is_answer[:, 1:]].mean().item(), dtype=logits.dtype)


_SHIFT = "each piece is predicted from the position before it"
_ANSWERS = "the instruction and the padding do not count, and the whole answer does"
_MEAN = "the mean is over all pieces of the batch that are to be written"
_ARGUMENTS = "logits, tokens and is_answer are left as they were"
_NONE = "a sequence may have no piece that has to be written"
_FAR = "logits may be far apart, and of any precision"
_GRADIENT = (
    "the gradient that comes back to the logits is right, and zero at positions that predict no piece of an answer"
)

WRONG = {
    not_shifted: _SHIFT,
    shifted_twice: _SHIFT,
    shifted_back: _SHIFT,
    summed: _SHIFT,
    wrong_sign: _SHIFT,
    softmax_twice: _SHIFT,
    probabilities: _SHIFT,
    a_number: _SHIFT,
    not_reduced: _SHIFT,
    mask_not_shifted: _SHIFT,
    ignores_zero: _SHIFT,
    ignores_zero_in_the_mean: _SHIFT,
    no_log_softmax: _SHIFT,
    softmax_over_positions: _SHIFT,
    rolled_without_the_mask: _SHIFT,
    in_bits: _SHIFT,
    everything: _ANSWERS,
    end_left_out: _ANSWERS,
    the_prompt_alone: _ANSWERS,
    divided_by_all: _ANSWERS,
    zeroed_logits: _ANSWERS,
    zero_tokens: _ANSWERS,
    up_to_the_end: _ANSWERS,
    from_the_first: _ANSWERS,
    mean_of_means: _MEAN,
    sum_over_answers: _MEAN,
    changes_tokens: _ARGUMENTS,
    changes_the_mask: _ARGUMENTS,
    one_by_one: _NONE,
    log_of_softmax: _FAR,
    in_single_precision: _FAR,
    detached: _GRADIENT,
    new_tensor: _GRADIENT,
}


def ignoring(logits, tokens, is_answer):
    """Pieces that do not count become -100, which cross_entropy ignores by itself."""
    targets = tokens[:, 1:].masked_fill(~is_answer[:, 1:], -100)
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets.flatten())


def multiplied(logits, tokens, is_answer):
    """Losses that do not count are multiplied by 0."""
    wanted = is_answer[:, 1:]
    return (of_pieces(logits, tokens) * wanted).sum() / wanted.sum()


def by_gather(logits, tokens, is_answer):
    """Log-probabilities, and those of the pieces among them."""
    log_probs = logits[:, :-1].log_softmax(-1)
    found = log_probs.gather(-1, tokens[:, 1:].unsqueeze(-1)).squeeze(-1)
    return -found[is_answer[:, 1:]].mean()


def places(logits, tokens, is_answer):
    """The places of the pieces, and the one before each."""
    row, column = is_answer.nonzero(as_tuple=True)
    return F.cross_entropy(logits[row, column - 1], tokens[row, column])


def loops(logits, tokens, is_answer):
    """Piece by piece."""
    losses = []
    for b in range(tokens.shape[0]):
        for t in range(1, tokens.shape[1]):
            if is_answer[b, t]:
                losses.append(torch.logsumexp(logits[b, t - 1], 0) - logits[b, t - 1, tokens[b, t]])
    return torch.stack(losses).mean()


def rolled(logits, tokens, is_answer):
    """The tokens are rolled to the positions that predict them."""
    targets, wanted = tokens.roll(-1, 1), is_answer.roll(-1, 1).clone()
    wanted[:, -1] = False
    return nn.CrossEntropyLoss()(logits[wanted], targets[wanted])


def one_long_row(logits, tokens, is_answer):
    """All rows in one; what stands at a seam is never to be written."""
    wanted = is_answer.flatten()[1:]
    return F.cross_entropy(logits.flatten(0, 1)[:-1][wanted], tokens.flatten()[1:][wanted])


RIGHT = {
    "ignoring": ignoring,
    "multiplied": multiplied,
    "by gather": by_gather,
    "places": places,
    "loops": loops,
    "rolled": rolled,
    "one long row": one_long_row,
    "a lambda": lambda logits, tokens, is_answer: of_pieces(logits, tokens)[is_answer[:, 1:]].mean(),
}
