"""Mistakes in `negative_sampling_loss`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch01_rnn_lm.negative_sampling_loss import (
    batch,
    drawn,
    far,
    loss_gradient,
    seen,
    several,
    sizes,
    types,
)
from autograder.judging.catalogue import mistake, right


def scores_of(center, context, negatives):
    """The score of each pair, (B,), and of its negatives, (B, K)."""
    return (center * context).sum(dim=-1), (negatives @ center.unsqueeze(-1)).squeeze(-1)


def both_terms(center, context, negatives):
    """The two terms, (B,) and (B, K)."""
    seen, drawn = scores_of(center, context, negatives)
    return -F.logsigmoid(seen), -F.logsigmoid(-drawn)


@right
def usual(center, context, negatives):
    seen, drawn = scores_of(center, context, negatives)
    return (-F.logsigmoid(seen) - F.logsigmoid(-drawn).sum(dim=-1)).mean()


@right
def correct(center, context, negatives):
    seen, drawn = both_terms(center, context, negatives)
    return (seen + drawn.sum(dim=-1)).mean()


mistake(seen, "the logarithm is missing: the term is -σ(score) or 1 - σ(score), expected -log σ(score)").made_in(
    usual, no_logarithm={"F.logsigmoid(seen) - F.logsigmoid(-drawn)": "seen.sigmoid() - (-drawn).sigmoid()"}
)
mistake(seen, "the term is -score, without σ and its logarithm").made_in(
    usual, no_sigmoid={"F.logsigmoid(seen) - F.logsigmoid(-drawn)": "seen + drawn"}
)
mistake(seen, "σ is missing: the term is -log(score), expected -log σ(score)").made_in(
    usual, log_of_scores={"F.logsigmoid(seen) - F.logsigmoid(-drawn)": "seen.log() - (-drawn).log()"}
)
mistake(seen, "the minus sign in front is missing: the loss grows with the score of the true neighbour").made_in(
    correct, no_minus={"return": "return -"}
)
mistake(seen, "the sign of the score is wrong: the term is -log σ(-score), expected -log σ(score)").made_in(
    usual, signs_swapped={"F.logsigmoid(seen)": "F.logsigmoid(-seen)", "-drawn": "drawn"}
)
mistake(seen, "the minus sign in front is missing: the loss grows with the score of the true neighbour").made_in(
    correct, seen_without_minus={"seen + drawn.sum(dim=-1)": "-seen + drawn.sum(dim=-1)"}
)
mistake(seen, "the sign of the score is wrong: the term is -log σ(-score), expected -log σ(score)").made_in(
    usual, seen_turned={"F.logsigmoid(seen)": "F.logsigmoid(-seen)"}
)
mistake(seen, "the logarithm is missing: the term is -σ(score) or 1 - σ(score), expected -log σ(score)").made_in(
    usual, seen_without_log={"F.logsigmoid(seen)": "seen.sigmoid()"}
)


@mistake(seen, "the loss does not depend on the true neighbour")
def seen_left_out(center, context, negatives):
    return both_terms(center, context, negatives)[1].sum(dim=-1).mean()


@mistake(seen, "the score is a mean over the dimensions of the embeddings, expected their dot product, which is a sum")
def mean_of_products(center, context, negatives):
    seen, drawn = scores_of(center, context, negatives)
    size = center.shape[-1]
    return (-F.logsigmoid(seen / size) - F.logsigmoid(-drawn / size).sum(dim=-1)).mean()


@mistake(seen, "the score is the cosine of the two embeddings, expected their dot product")
def cosines(center, context, negatives):
    return correct(F.normalize(center, dim=-1), F.normalize(context, dim=-1), F.normalize(negatives, dim=-1))


@mistake(seen, "the score is divided by √E, expected the dot product as it is")
def scaled(center, context, negatives):
    seen, drawn = scores_of(center, context, negatives)
    root = center.shape[-1] ** 0.5
    return (-F.logsigmoid(seen / root) - F.logsigmoid(-drawn / root).sum(dim=-1)).mean()


@mistake(seen, "σ is applied to each component of the embeddings, expected to their dot product")
def products_not_summed(center, context, negatives):
    seen, drawn = center * context, negatives * center.unsqueeze(1)
    return -F.logsigmoid(seen).sum() - F.logsigmoid(-drawn).sum()


@mistake(seen, "the loss is a number, expected a tensor: no gradient comes back")
def a_number(center, context, negatives):
    return correct(center, context, negatives).item()


@mistake(seen, "there is no return")
def nothing_returned(center, context, negatives):
    correct(center, context, negatives)


mistake(
    drawn,
    "the sign of the score is wrong: the term is -log σ(score), as for the true neighbour; expected -log σ(-score)",
).made_in(usual, drawn_not_turned={"-drawn": "drawn"})
mistake(
    drawn, "the sign in front is changed, log σ(score); the sign to change is that of the score, -log σ(-score)"
).made_in(usual, drawn_turned_in_front={"- F.logsigmoid(-drawn)": "+ F.logsigmoid(drawn)"})
mistake(drawn, "the minus sign in front is missing: the loss grows when a negative gets a low score").made_in(
    correct, drawn_without_minus={"+ drawn": "- drawn"}
)
mistake(drawn, "the logarithm is missing: the term is -σ(-score) or σ(score), expected -log σ(-score)").made_in(
    usual, drawn_without_log={"F.logsigmoid(-drawn)": "(-drawn).sigmoid()"}
)
mistake(drawn, "the term is the score itself, without σ and its logarithm").made_in(
    usual, drawn_scores_alone={"- F.logsigmoid(-drawn)": "+ drawn"}
)


@mistake(drawn, "the negatives are scored against the true neighbour, expected against the centre")
def negatives_with_context(center, context, negatives):
    seen = -F.logsigmoid((center * context).sum(dim=-1))
    return (seen - F.logsigmoid(-(negatives @ context.unsqueeze(-1)).squeeze(-1)).sum(dim=-1)).mean()


@mistake(drawn, "the term of the negatives is missing")
def drawn_left_out(center, context, negatives):
    return both_terms(center, context, negatives)[0].mean()


mistake(several, "the terms of the negatives are averaged, expected their sum").made_in(
    correct, mean_for_sum={"drawn.sum": "drawn.mean"}
)
mistake(
    seen,
    "the result is the mean of all terms, including those of the negatives; expected the sum of the terms of each pair",
).made_in(correct, mean_of_all_terms={"seen + drawn.sum(dim=-1)": "torch.cat([seen.unsqueeze(1), drawn], dim=1)"})
mistake(several, "the scores of the negatives are summed before σ, expected a term for each").made_in(
    usual, scores_summed_first={"(-drawn).sum(dim=-1))": "(-drawn.sum(dim=-1)))"}
)
mistake(several, "only the first negative counts").made_in(correct, first_negative={"drawn.sum(dim=-1)": "drawn[:, 0]"})
mistake(several, "the term of the true neighbour is included once for each negative").made_in(
    correct, seen_with_each_negative={"(seen + drawn.sum(dim=-1)).mean": "(seen.unsqueeze(1) + drawn).sum(dim=1).mean"}
)
mistake(several, "the probabilities σ(-score) are summed before the logarithm, expected a term for each").made_in(
    usual, probabilities_summed={"F.logsigmoid(-drawn).sum(dim=-1)": "(-drawn).sigmoid().sum(dim=-1).log()"}
)


@mistake(several, "a negative that is the neighbour itself is left out, expected its term like that of any other")
def without_the_neighbour(center, context, negatives):
    seen, drawn = both_terms(center, context, negatives)
    other = (negatives != context.unsqueeze(1)).any(dim=-1)
    return (seen + (drawn * other).sum(dim=-1)).mean()


@mistake(several, "a negative that was drawn twice counts once, expected a term for each draw")
def each_negative_once(center, context, negatives):
    losses = []
    for c, o, n in zip(center, context, negatives, strict=True):
        losses.append(-F.logsigmoid(o @ c) - F.logsigmoid(-n.unique(dim=0) @ c).sum())
    return torch.stack(losses).mean()


@mistake(
    far,
    "log(1 + exp(x)) is replaced where exp overflows, but its gradient there is NaN all the same; F.logsigmoid avoids it",
)
def replaced_where_far(center, context, negatives):
    seen, drawn = scores_of(center, context, negatives)
    first = torch.where(seen > -30, (1 + (-seen).exp()).log(), -seen)
    return (first + torch.where(drawn < 30, (1 + drawn.exp()).log(), drawn).sum(dim=-1)).mean()


@mistake(types, "view needs a tensor that is contiguous in memory; reshape works with any")
def views(center, context, negatives):
    batch, number, size = negatives.shape
    drawn = (negatives.view(-1, size) * center.repeat_interleave(number, dim=0)).sum(dim=-1).view(batch, number)
    return (-F.logsigmoid((center * context).sum(dim=-1)) - F.logsigmoid(-drawn).sum(dim=-1)).mean()


mistake(batch, "the result is the sum over the batch, expected the mean").made_in(
    correct, sum_over_batch={"return (seen + drawn.sum(dim=-1)).mean()": "return seen.sum() + drawn.sum()"}
)
mistake(batch, "the negatives are summed over the whole batch: divide their term by B too").made_in(
    correct, drawn_summed_over_batch={"return (seen + drawn.sum(dim=-1)).mean()": "return seen.mean() + drawn.sum()"}
)


@mistake(batch, "there is one loss for each pair, expected their mean")
def one_loss_for_each_pair(center, context, negatives):
    seen, drawn = both_terms(center, context, negatives)
    loss = seen + drawn.sum(dim=-1)
    return loss.squeeze()


@mistake(batch, "every centre is scored against the negatives of all pairs, expected only its own")
def everybodys_negatives(center, context, negatives):
    seen = -F.logsigmoid((center * context).sum(dim=-1))
    drawn = negatives.reshape(-1, center.shape[-1]) @ center.T
    return seen.mean() - F.logsigmoid(-drawn).sum() / len(center)


@mistake(batch, "only the first pair counts")
def first_pair(center, context, negatives):
    for c, o, n in zip(center, context, negatives, strict=True):
        return -F.logsigmoid(o @ c) - F.logsigmoid(-n @ c).sum()


@mistake(sizes, "a single negative loses its dimension, so the terms are summed over the batch")
def squeezes_everything(center, context, negatives):
    seen = (center * context).sum(dim=-1)
    drawn = (negatives @ center.unsqueeze(-1)).squeeze()
    return (-F.logsigmoid(seen) - F.logsigmoid(-drawn).sum(dim=-1)).mean()


@mistake(far, "the logarithm is taken after σ or exp, which for scores far from zero overflow or are rounded to 0")
def log_of_sigmoid(center, context, negatives):
    seen, drawn = scores_of(center, context, negatives)
    return (-seen.sigmoid().log() - (-drawn).sigmoid().log().sum(dim=-1)).mean()


mistake(
    far, "the logarithm is taken after σ or exp, which for scores far from zero overflow or are rounded to 0"
).made_in(usual, log_of_one_minus={"F.logsigmoid(-drawn)": "(1 - drawn.sigmoid()).log()"})


@mistake(far, "a small number is added inside the logarithm, which hides how wrong the score is")
def something_added(center, context, negatives):
    seen, drawn = scores_of(center, context, negatives)
    return (-(seen.sigmoid() + 1e-7).log() - ((-drawn).sigmoid() + 1e-7).log().sum(dim=-1)).mean()


@mistake(far, "the logarithm is taken after σ or exp, which for scores far from zero overflow or are rounded to 0")
def written_out(center, context, negatives):
    seen, drawn = scores_of(center, context, negatives)
    return (torch.log(1 + torch.exp(-seen)) + torch.log(1 + torch.exp(drawn)).sum(dim=-1)).mean()


@mistake(loss_gradient, "everything is computed under no_grad, so no gradient comes back")
def no_gradient(center, context, negatives):
    with torch.no_grad():
        return correct(center, context, negatives) + 0 * center.sum()


@mistake(loss_gradient, "the negatives are detached, so no gradient reaches them")
def negatives_without_gradient(center, context, negatives):
    return correct(center, context, negatives.detach())


@mistake(loss_gradient, "the context is used through .data, so no gradient reaches it")
def context_without_gradient(center, context, negatives):
    return correct(center, context.data, negatives)


@mistake(loss_gradient, "the loss is converted to a number and back, so no gradient comes back")
def a_tensor_of_a_number(center, context, negatives):
    return torch.tensor(correct(center, context, negatives).item(), dtype=center.dtype, requires_grad=True)


@mistake(types, "the loss is computed in float32, whatever the dtype of the arguments")
def in_single_precision(center, context, negatives):
    seen, drawn = both_terms(center, context, negatives)
    total = torch.zeros(len(seen))
    return (total + seen + drawn.sum(dim=-1)).float().mean()


mistake(types, "the signs of the caller's negatives are changed in place").made_in(
    usual, turns_the_negatives={"seen,": "negatives *= -1; seen,", "-drawn": "drawn"}
)
mistake(batch, "there is one loss for each pair, expected their mean").made_in(
    correct, no_mean={"(seen + drawn.sum(dim=-1)).mean()": "seen + drawn.sum(dim=-1)"}
)


@mistake(
    several, "a softmax over K + 1 scores is used, in which the words compete with each other; expected a σ for each"
)
def softmax_of_all(center, context, negatives):
    words = torch.cat([context.unsqueeze(1), negatives], dim=1)
    return F.cross_entropy((words * center.unsqueeze(1)).sum(dim=-1), torch.zeros(len(center), dtype=torch.int64))


@mistake(batch, "each centre word is scored against the neighbours of the whole batch, expected against its own")
def neighbours_of_all(center, context, negatives):
    _, drawn = both_terms(center, context, negatives)
    return (-F.logsigmoid(center @ context.T).mean(dim=-1) + drawn.sum(dim=-1)).mean()


@mistake(
    batch,
    "the centre words are repeated in another order than the negatives, so a negative is scored against another pair's",
)
def repeated_in_turn(center, context, negatives):
    seen, _ = both_terms(center, context, negatives)
    pairs, number, size = negatives.shape
    scores = (negatives.reshape(-1, size) * center.repeat(number, 1)).sum(dim=-1)
    return (seen - F.logsigmoid(-scores).view(pairs, number).sum(dim=-1)).mean()


@mistake(batch, "all pairs get the negatives of the first, expected each its own")
def negatives_of_the_first(center, context, negatives):
    return correct(center, context, negatives[:1].expand_as(negatives))


mistake(several, "a negative that is the centre word is left out, expected its term like that of any other").made_in(
    correct, center_left_out={"drawn.sum": "drawn.masked_fill((negatives == center.unsqueeze(1)).all(dim=-1), 0.0).sum"}
)


@mistake(far, "the scores are limited to ±10, so a pair that is far off costs too little")
def scores_limited(center, context, negatives):
    seen, drawn = (score.clamp(-10, 10) for score in scores_of(center, context, negatives))
    return (-F.logsigmoid(seen) - F.logsigmoid(-drawn).sum(dim=-1)).mean()


@mistake(far, "a small number is added to σ before the logarithm, so a pair that is far off costs too little")
def a_little_more_inside(center, context, negatives):
    seen, drawn = scores_of(center, context, negatives)
    return -((seen.sigmoid() + 1e-10).log() + ((-drawn).sigmoid() + 1e-10).log().sum(dim=-1)).mean()


@right
def loops(center, context, negatives):
    total = 0
    for b in range(len(center)):
        total = total - F.logsigmoid(torch.dot(center[b], context[b]))
        for k in range(negatives.shape[1]):
            total = total - F.logsigmoid(-torch.dot(center[b], negatives[b, k]))
    return total / len(center)


@right
def with_einsum(center, context, negatives):
    seen = torch.einsum("be,be->b", center, context)
    drawn = torch.einsum("be,bke->bk", center, negatives)
    return -(F.logsigmoid(seen) + F.logsigmoid(-drawn).sum(1)).mean(0)


@right
def with_bmm(center, context, negatives):
    words = torch.cat([-context.unsqueeze(1), negatives], dim=1)
    scores = torch.bmm(words, center.unsqueeze(2)).squeeze(2)
    return F.softplus(scores).sum(dim=1).mean()


@right
def as_classes(center, context, negatives):
    seen, drawn = scores_of(center, context, negatives)
    first = F.binary_cross_entropy_with_logits(seen, torch.ones_like(seen))
    rest = F.binary_cross_entropy_with_logits(drawn, torch.zeros_like(drawn), reduction="sum")
    return first + rest / len(center)


@right
def with_logaddexp(center, context, negatives):
    seen, drawn = scores_of(center, context, negatives)
    zero = torch.zeros((), dtype=center.dtype)
    return (torch.logaddexp(zero, -seen) + torch.logaddexp(zero, drawn).sum(-1)).mean()


@right
def with_log_softmax(center, context, negatives):
    seen, drawn = scores_of(center, context, negatives)
    first = torch.stack([seen, torch.zeros_like(seen)], dim=-1).log_softmax(dim=-1)[..., 0]
    rest = torch.stack([-drawn, torch.zeros_like(drawn)], dim=-1).log_softmax(dim=-1)[..., 0]
    return -(first + rest.sum(dim=-1)).mean()


class NegativeSamplingLoss(nn.Module):
    """A module in the place of a function."""

    def forward(self, center, context, negatives):
        return with_einsum(center, context, negatives)


def with_a_sign(sign, center, context, negatives):
    """For a partial."""
    return sign * with_einsum(center, context, negatives)


right(NegativeSamplingLoss())


right(functools.partial(with_a_sign, 1))


right(lambda c, o, n: -(F.logsigmoid((c * o).sum(-1)).mean() + F.logsigmoid(-(n * c[:, None]).sum(-1)).mean(0).sum()))
