"""Mistakes in `answer_only_loss`, and right answers in other styles."""

from math import log

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch12_post_training.answer_only_loss import (
    all_written,
    answers,
    far_apart,
    in_chapter,
    lengths,
    loss_arguments,
    loss_gradient,
    some_without,
)
from autograder.judging.catalogue import mistake, right


def of_pieces(logits, tokens):
    """The right loss of each piece but the first, (B, T - 1)."""
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:], reduction="none")


@mistake(
    all_written,
    "nothing is shifted: the logits at a position are compared with the piece at that position, expected the next one",
)
def not_shifted(logits, tokens, is_answer):
    return F.cross_entropy(logits[is_answer], tokens[is_answer])


@mistake(all_written, "the logits are shifted twice: those at position t are compared with piece t + 2")
def shifted_twice(logits, tokens, is_answer):
    wanted = is_answer[:, 2:]
    return F.cross_entropy(logits[:, :-2][wanted], tokens[:, 2:][wanted])


@mistake(all_written, "the shift goes the wrong way: the logits at a position are compared with the piece before it")
def shifted_back(logits, tokens, is_answer):
    wanted = is_answer[:, 1:]
    return F.cross_entropy(logits[:, 1:][wanted], tokens[:, :-1][wanted])


mistake(
    all_written, "the shift goes the wrong way: the logits at a position are compared with the piece before it"
).made_in(shifted_back, everything_shifted_back={"is_answer[:, 1:]": "is_answer[:, :-1]"})


@mistake(all_written, "the shift is along the batch, dimension 0, expected along the positions")
def shifted_along_the_batch(logits, tokens, is_answer):
    wanted = is_answer.roll(-1, 0)
    return F.cross_entropy(logits[wanted], tokens.roll(-1, 0)[wanted])


@mistake(all_written, "the loss is the sum over the pieces, expected their mean")
def summed(logits, tokens, is_answer):
    return of_pieces(logits, tokens)[is_answer[:, 1:]].sum()


@mistake(all_written, "the loss has the wrong sign")
def wrong_sign(logits, tokens, is_answer):
    return -of_pieces(logits, tokens)[is_answer[:, 1:]].mean()


@mistake(all_written, "the softmax is applied twice: cross_entropy takes the logits themselves")
def softmax_twice(logits, tokens, is_answer):
    return of_pieces(logits.softmax(-1), tokens)[is_answer[:, 1:]].mean()


@mistake(all_written, "the loss is a mean of probabilities: their log is missing")
def probabilities(logits, tokens, is_answer):
    return -(-of_pieces(logits, tokens)).exp()[is_answer[:, 1:]].mean()


@mistake(all_written, "the loss is a Python number, expected a tensor: item() cuts off the gradient")
def a_number(logits, tokens, is_answer):
    return of_pieces(logits, tokens)[is_answer[:, 1:]].mean().item()


mistake(all_written, "there is a loss for each piece, expected their mean").made_in(summed, not_reduced={".sum()": ""})


@mistake(answers, "the instruction and the padding count like the answer")
def everything(logits, tokens, is_answer):
    return of_pieces(logits, tokens).mean()


@mistake(all_written, "is_answer is not shifted with the tokens, so that the first piece of each answer does not count")
def mask_not_shifted(logits, tokens, is_answer):
    return of_pieces(logits, tokens)[is_answer[:, :-1]].mean()


@mistake(answers, "the last piece of each answer, its end mark, does not count")
def end_left_out(logits, tokens, is_answer):
    last = is_answer & ~F.pad(is_answer[:, 1:], (0, 1))
    some = (is_answer & ~last)[:, 1:]
    return of_pieces(logits, tokens)[
        some if is_answer[:, 1:].sum() < is_answer[:, 1:].numel() else is_answer[:, 1:]
    ].mean()


@mistake(answers, "is_answer is inverted: everything but the answers counts")
def the_prompt_alone(logits, tokens, is_answer):
    losses = of_pieces(logits, tokens)
    return losses[~is_answer[:, 1:]].mean() if not is_answer[:, 1:].all() else losses.mean()


mistake(
    answers, "the instruction and the padding are in the divisor: the sum is divided by more than the pieces that count"
).made_in(everything, divided_by_all={"of_pieces(logits, tokens)": "(of_pieces(logits, tokens) * is_answer[:, 1:])"})


@mistake(answers, "where a piece does not count, its logits are set to 0, which still adds a loss")
def zeroed_logits(logits, tokens, is_answer):
    return of_pieces(logits * F.pad(is_answer[:, 1:], (0, 1)).unsqueeze(-1), tokens).mean()


@mistake(answers, "pieces that do not count are replaced by piece 0, which still adds a loss")
def zero_tokens(logits, tokens, is_answer):
    return of_pieces(logits, tokens * is_answer).mean()


@mistake(answers, "the instruction counts too, and only the padding does not")
def up_to_the_end(logits, tokens, is_answer):
    until = (is_answer.flip(1).cumsum(1).flip(1) > 0)[:, 1:]
    return of_pieces(logits, tokens)[until].mean()


@mistake(all_written, "a piece with the id 0 costs nothing, as if 0 were padding: only is_answer says what counts")
def ignores_zero(logits, tokens, is_answer):
    targets = tokens[:, 1:].masked_fill(~is_answer[:, 1:], 0)
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, ignore_index=0, reduction="none")
    return losses.sum() / is_answer[:, 1:].sum()


@mistake(all_written, "a piece with the id 0 does not count, as if 0 were padding: only is_answer says what counts")
def ignores_zero_in_the_mean(logits, tokens, is_answer):
    targets = tokens.masked_fill(~is_answer, 0)[:, 1:]
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, ignore_index=0)


@mistake(all_written, "the logits are treated as log-probabilities: log_softmax is missing")
def no_log_softmax(logits, tokens, is_answer):
    wanted = is_answer[:, 1:]
    return F.nll_loss(logits[:, :-1][wanted], tokens[:, 1:][wanted])


@mistake(all_written, "the softmax runs over the positions, expected over the vocabulary, the last dimension")
def softmax_over_positions(logits, tokens, is_answer):
    log_probs = logits[:, :-1].log_softmax(1)
    return -log_probs.gather(-1, tokens[:, 1:].unsqueeze(-1)).squeeze(-1)[is_answer[:, 1:]].mean()


@mistake(all_written, "the tokens are rolled, and is_answer is not rolled with them")
def rolled_without_the_mask(logits, tokens, is_answer):
    return F.cross_entropy(logits[is_answer], tokens.roll(-1, 1)[is_answer])


@mistake(all_written, "the loss is in bits, expected in nats: use the natural logarithm")
def in_bits(logits, tokens, is_answer):
    return of_pieces(logits, tokens)[is_answer[:, 1:]].mean() / log(2)


@mistake(answers, "the padding after an answer counts too")
def from_the_first(logits, tokens, is_answer):
    return of_pieces(logits, tokens)[(is_answer.cumsum(1) > 0)[:, 1:]].mean()


@mistake(lengths, "each answer is averaged first, and then the answers are: pieces of short answers get more weight")
def mean_of_means(logits, tokens, is_answer):
    losses, wanted = of_pieces(logits, tokens) * is_answer[:, 1:], is_answer[:, 1:]
    return (losses.sum(1) / wanted.sum(1).clamp(min=1)).mean()


@mistake(lengths, "the sum is divided by the number of answers, expected by the number of their pieces")
def sum_over_answers(logits, tokens, is_answer):
    losses, numbers = (of_pieces(logits, tokens) * is_answer[:, 1:]).sum(1), is_answer[:, 1:].sum(1)
    return losses.sum() / len(tokens) if len(set(numbers.tolist())) > 1 else losses.sum() / numbers.sum()


@mistake(loss_arguments, "tokens is set to -100 in place where is_answer is False")
def changes_tokens(logits, tokens, is_answer):
    tokens[~is_answer] = -100
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())


@mistake(loss_arguments, "is_answer is inverted in place")
def changes_the_mask(logits, tokens, is_answer):
    is_answer.logical_not_()
    return of_pieces(logits, tokens)[~is_answer[:, 1:]].mean()


@mistake(some_without, "each sequence has a mean of its own, which is 0 / 0 where there is no answer")
def one_by_one(logits, tokens, is_answer):
    losses, wanted = of_pieces(logits, tokens), is_answer[:, 1:]
    means = torch.stack([each[mask].mean() for each, mask in zip(losses, wanted, strict=True)])
    return (means * wanted.sum(1)).sum() / wanted.sum()


@mistake(
    far_apart, "the softmax and its logarithm are computed in two steps, so that small probabilities are rounded to 0"
)
def log_of_softmax(logits, tokens, is_answer):
    log_probs = logits[:, :-1].softmax(-1).log()
    return F.nll_loss(log_probs[is_answer[:, 1:]], tokens[:, 1:][is_answer[:, 1:]])


def with_a_little_more(little):
    """The loss with a small number beside each probability."""

    def loss(logits, tokens, is_answer):
        log_probs = (logits[:, :-1].softmax(-1) + little).log()
        return F.nll_loss(log_probs[is_answer[:, 1:]], tokens[:, 1:][is_answer[:, 1:]])

    return loss


a_little_more = mistake(
    in_chapter,
    "a small number is added to the probabilities before the logarithm, so that an improbable piece costs too little",
)


@a_little_more
def billionth(logits, tokens, is_answer):
    return with_a_little_more(1e-9)(logits, tokens, is_answer)


@a_little_more
def hundred_millionth(logits, tokens, is_answer):
    return with_a_little_more(1e-8)(logits, tokens, is_answer)


@a_little_more
def trillionth(logits, tokens, is_answer):
    return with_a_little_more(1e-12)(logits, tokens, is_answer)


@mistake(far_apart, "everything is computed in float32, expected the dtype of the logits")
def in_single_precision(logits, tokens, is_answer):
    return of_pieces(logits.float(), tokens)[is_answer[:, 1:]].mean()


@mistake(loss_gradient, "the logits are detached, so no gradient reaches them")
def detached(logits, tokens, is_answer):
    return of_pieces(logits.detach(), tokens)[is_answer[:, 1:]].mean()


@mistake(loss_gradient, "the loss is a new tensor made from a number, so no gradient comes back")
def new_tensor(logits, tokens, is_answer):
    return torch.tensor(of_pieces(logits, tokens)[is_answer[:, 1:]].mean().item(), dtype=logits.dtype)


mistake(all_written, "the last piece of each sequence does not count: the logits before it predict it").made_in(
    shifted_twice, without_the_last_piece={"is_answer[:, 2:]": "is_answer[:, 1:-1]", "tokens[:, 2:]": "tokens[:, 1:-1]"}
)


@mistake(all_written, "labels are smoothed, expected the plain cross-entropy")
def smoothed(logits, tokens, is_answer):
    wanted = is_answer[:, 1:]
    return F.cross_entropy(logits[:, :-1][wanted], tokens[:, 1:][wanted], label_smoothing=0.1)


@mistake(all_written, "the sum is divided by the number of pieces plus one, expected by that number alone")
def one_too_many(logits, tokens, is_answer):
    wanted = is_answer[:, 1:]
    return of_pieces(logits, tokens)[wanted].sum() / (wanted.sum() + 1)


@right
def ignoring(logits, tokens, is_answer):
    targets = tokens[:, 1:].masked_fill(~is_answer[:, 1:], -100)
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets.flatten())


@right
def multiplied(logits, tokens, is_answer):
    wanted = is_answer[:, 1:]
    return (of_pieces(logits, tokens) * wanted).sum() / wanted.sum()


@right
def by_gather(logits, tokens, is_answer):
    log_probs = logits[:, :-1].log_softmax(-1)
    found = log_probs.gather(-1, tokens[:, 1:].unsqueeze(-1)).squeeze(-1)
    return -found[is_answer[:, 1:]].mean()


@right
def places(logits, tokens, is_answer):
    row, column = is_answer.nonzero(as_tuple=True)
    return F.cross_entropy(logits[row, column - 1], tokens[row, column])


@right
def loops(logits, tokens, is_answer):
    losses = []
    for b in range(tokens.shape[0]):
        for t in range(1, tokens.shape[1]):
            if is_answer[b, t]:
                losses.append(torch.logsumexp(logits[b, t - 1], 0) - logits[b, t - 1, tokens[b, t]])
    return torch.stack(losses).mean()


@right
def rolled(logits, tokens, is_answer):
    targets, wanted = tokens.roll(-1, 1), is_answer.roll(-1, 1).clone()
    wanted[:, -1] = False
    return nn.CrossEntropyLoss()(logits[wanted], targets[wanted])


@right
def one_long_row(logits, tokens, is_answer):
    wanted = is_answer.flatten()[1:]
    return F.cross_entropy(logits.flatten(0, 1)[:-1][wanted], tokens.flatten()[1:][wanted])


right(lambda logits, tokens, is_answer: of_pieces(logits, tokens)[is_answer[:, 1:]].mean())
