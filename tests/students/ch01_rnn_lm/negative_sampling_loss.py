"""What students hand in for `negative_sampling_loss`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "negative_sampling_loss"


def scores_of(center, context, negatives):
    """The score of each pair, (B,), and of its negatives, (B, K)."""
    return (center * context).sum(dim=-1), (negatives @ center.unsqueeze(-1)).squeeze(-1)


def both_terms(center, context, negatives):
    """The two terms, (B,) and (B, K)."""
    seen, drawn = scores_of(center, context, negatives)
    return -F.logsigmoid(seen), -F.logsigmoid(-drawn)


def no_logarithm(center, context, negatives):
    """Probabilities for their logarithms."""
    seen, drawn = scores_of(center, context, negatives)
    return (-seen.sigmoid() - (-drawn).sigmoid().sum(dim=-1)).mean()


def no_sigmoid(center, context, negatives):
    """Scores for their log-probabilities."""
    seen, drawn = scores_of(center, context, negatives)
    return (-seen + drawn.sum(dim=-1)).mean()


def log_of_scores(center, context, negatives):
    """The logarithm is taken without σ."""
    seen, drawn = scores_of(center, context, negatives)
    return (-seen.log() - (-drawn).log().sum(dim=-1)).mean()


def no_minus(center, context, negatives):
    """The log-likelihood itself."""
    seen, drawn = both_terms(center, context, negatives)
    return -(seen + drawn.sum(dim=-1)).mean()


def signs_swapped(center, context, negatives):
    """The words that were seen are pushed away, and the others drawn near."""
    seen, drawn = scores_of(center, context, negatives)
    return (-F.logsigmoid(-seen) - F.logsigmoid(drawn).sum(dim=-1)).mean()


def seen_without_minus(center, context, negatives):
    """The first minus is forgotten."""
    seen, drawn = both_terms(center, context, negatives)
    return (-seen + drawn.sum(dim=-1)).mean()


def seen_turned(center, context, negatives):
    """Both words are treated as drawn."""
    seen, drawn = scores_of(center, context, negatives)
    return (-F.logsigmoid(-seen) - F.logsigmoid(-drawn).sum(dim=-1)).mean()


def seen_without_log(center, context, negatives):
    """The first logarithm is forgotten."""
    seen, drawn = scores_of(center, context, negatives)
    return (-seen.sigmoid() - F.logsigmoid(-drawn).sum(dim=-1)).mean()


def seen_left_out(center, context, negatives):
    """The negatives alone."""
    return both_terms(center, context, negatives)[1].sum(dim=-1).mean()


def mean_of_products(center, context, negatives):
    """The mean over the embeddings' numbers for the sum."""
    seen, drawn = scores_of(center, context, negatives)
    size = center.shape[-1]
    return (-F.logsigmoid(seen / size) - F.logsigmoid(-drawn / size).sum(dim=-1)).mean()


def cosines(center, context, negatives):
    """The cosine for the dot product."""
    return right(F.normalize(center, dim=-1), F.normalize(context, dim=-1), F.normalize(negatives, dim=-1))


def scaled(center, context, negatives):
    """A scale that nobody asked for."""
    seen, drawn = scores_of(center, context, negatives)
    root = center.shape[-1] ** 0.5
    return (-F.logsigmoid(seen / root) - F.logsigmoid(-drawn / root).sum(dim=-1)).mean()


def products_not_summed(center, context, negatives):
    """σ is applied to each component of the embeddings."""
    seen, drawn = center * context, negatives * center.unsqueeze(1)
    return -F.logsigmoid(seen).sum() - F.logsigmoid(-drawn).sum()


def a_number(center, context, negatives):
    """A number for a tensor."""
    return right(center, context, negatives).item()


def nothing_returned(center, context, negatives):
    """The return is missing."""
    right(center, context, negatives)


def drawn_not_turned(center, context, negatives):
    """All words are treated as seen."""
    seen, drawn = scores_of(center, context, negatives)
    return (-F.logsigmoid(seen) - F.logsigmoid(drawn).sum(dim=-1)).mean()


def drawn_turned_in_front(center, context, negatives):
    """The sign in front is turned, and not the score's."""
    seen, drawn = scores_of(center, context, negatives)
    return (-F.logsigmoid(seen) + F.logsigmoid(drawn).sum(dim=-1)).mean()


def drawn_without_minus(center, context, negatives):
    """The second minus in front is forgotten."""
    seen, drawn = both_terms(center, context, negatives)
    return (seen - drawn.sum(dim=-1)).mean()


def drawn_without_log(center, context, negatives):
    """The second logarithm is forgotten."""
    seen, drawn = scores_of(center, context, negatives)
    return (-F.logsigmoid(seen) - (-drawn).sigmoid().sum(dim=-1)).mean()


def drawn_scores_alone(center, context, negatives):
    """The negatives' scores as they are."""
    seen, drawn = scores_of(center, context, negatives)
    return (-F.logsigmoid(seen) + drawn.sum(dim=-1)).mean()


def negatives_with_context(center, context, negatives):
    """The negatives are scored against the word that was seen."""
    seen = -F.logsigmoid((center * context).sum(dim=-1))
    return (seen - F.logsigmoid(-(negatives @ context.unsqueeze(-1)).squeeze(-1)).sum(dim=-1)).mean()


def drawn_left_out(center, context, negatives):
    """The first term alone."""
    return both_terms(center, context, negatives)[0].mean()


def mean_for_sum(center, context, negatives):
    """The mean over the negatives."""
    seen, drawn = both_terms(center, context, negatives)
    return (seen + drawn.mean(dim=-1)).mean()


def mean_of_all_terms(center, context, negatives):
    """One mean over everything."""
    seen, drawn = both_terms(center, context, negatives)
    return torch.cat([seen.unsqueeze(1), drawn], dim=1).mean()


def scores_summed_first(center, context, negatives):
    """The negatives' scores are summed before σ."""
    seen, drawn = scores_of(center, context, negatives)
    return (-F.logsigmoid(seen) - F.logsigmoid(-drawn.sum(dim=-1))).mean()


def first_negative(center, context, negatives):
    """One negative is enough."""
    seen, drawn = both_terms(center, context, negatives)
    return (seen + drawn[:, 0]).mean()


def seen_with_each_negative(center, context, negatives):
    """The first term is broadcast to every negative."""
    seen, drawn = both_terms(center, context, negatives)
    return (seen.unsqueeze(1) + drawn).sum(dim=1).mean()


def probabilities_summed(center, context, negatives):
    """The logarithm of the sum."""
    seen, drawn = scores_of(center, context, negatives)
    return (-F.logsigmoid(seen) - (-drawn).sigmoid().sum(dim=-1).log()).mean()


def sum_over_batch(center, context, negatives):
    """The sum over the pairs."""
    seen, drawn = both_terms(center, context, negatives)
    return seen.sum() + drawn.sum()


def drawn_summed_over_batch(center, context, negatives):
    """The negatives of the whole batch in one sum."""
    seen, drawn = both_terms(center, context, negatives)
    return seen.mean() + drawn.sum()


def one_loss_for_each_pair(center, context, negatives):
    """No mean, where there are several."""
    seen, drawn = both_terms(center, context, negatives)
    loss = seen + drawn.sum(dim=-1)
    return loss.squeeze()


def everybodys_negatives(center, context, negatives):
    """Every centre against the negatives of all pairs."""
    seen = -F.logsigmoid((center * context).sum(dim=-1))
    drawn = negatives.reshape(-1, center.shape[-1]) @ center.T
    return seen.mean() - F.logsigmoid(-drawn).sum() / len(center)


def first_pair(center, context, negatives):
    """The loop returns in its first round."""
    for c, o, n in zip(center, context, negatives, strict=True):
        return -F.logsigmoid(o @ c) - F.logsigmoid(-n @ c).sum()


def squeezes_everything(center, context, negatives):
    """A single negative loses its dimension, so that the batch is summed."""
    seen = (center * context).sum(dim=-1)
    drawn = (negatives @ center.unsqueeze(-1)).squeeze()
    return (-F.logsigmoid(seen) - F.logsigmoid(-drawn).sum(dim=-1)).mean()


def log_of_sigmoid(center, context, negatives):
    """σ is rounded to 0."""
    seen, drawn = scores_of(center, context, negatives)
    return (-seen.sigmoid().log() - (-drawn).sigmoid().log().sum(dim=-1)).mean()


def log_of_one_minus(center, context, negatives):
    """1 - σ is rounded to 0."""
    seen, drawn = scores_of(center, context, negatives)
    return (-F.logsigmoid(seen) - (1 - drawn.sigmoid()).log().sum(dim=-1)).mean()


def something_added(center, context, negatives):
    """A small number is added inside the logarithm, which hides how wrong the score is."""
    seen, drawn = scores_of(center, context, negatives)
    return (-(seen.sigmoid() + 1e-7).log() - ((-drawn).sigmoid() + 1e-7).log().sum(dim=-1)).mean()


def written_out(center, context, negatives):
    """exp overflows."""
    seen, drawn = scores_of(center, context, negatives)
    return (torch.log(1 + torch.exp(-seen)) + torch.log(1 + torch.exp(drawn)).sum(dim=-1)).mean()


def no_gradient(center, context, negatives):
    """All of it is computed without a gradient."""
    with torch.no_grad():
        return right(center, context, negatives) + 0 * center.sum()


def negatives_without_gradient(center, context, negatives):
    """The negatives cannot be learned."""
    return right(center, context, negatives.detach())


def context_without_gradient(center, context, negatives):
    """The word that was seen cannot be learned."""
    return right(center, context.data, negatives)


def a_tensor_of_a_number(center, context, negatives):
    """The graph is cut off at the end."""
    return torch.tensor(right(center, context, negatives).item(), dtype=center.dtype, requires_grad=True)


def in_single_precision(center, context, negatives):
    """The terms are gathered in a tensor of float32."""
    seen, drawn = both_terms(center, context, negatives)
    total = torch.zeros(len(seen))
    return (total + seen + drawn.sum(dim=-1)).float().mean()


def turns_the_negatives(center, context, negatives):
    """The caller's negatives change their sign."""
    negatives *= -1
    seen, drawn = scores_of(center, context, negatives)
    return (-F.logsigmoid(seen) - F.logsigmoid(drawn).sum(dim=-1)).mean()


_SEEN = "the term of the true neighbour is -log σ(score)"
_DRAWN = "the term of a negative is -log σ(-score)"
_SUM = "the terms of the negatives are summed"
_MEAN = "the loss is the mean over the batch"
_SIZES = "a single negative and embeddings of size one keep their dimensions"
_FAR = "scores far from zero give a finite loss"
_GRADIENT = "the gradient reaches all three embeddings"
_TYPES = "half and double precision work, and the arguments are left as they were"


def no_mean(center, context, negatives):
    """Nothing is averaged."""
    seen, drawn = both_terms(center, context, negatives)
    return seen + drawn.sum(dim=-1)


def softmax_of_all(center, context, negatives):
    """One question with K + 1 answers, in the place of K + 1 questions."""
    words = torch.cat([context.unsqueeze(1), negatives], dim=1)
    return F.cross_entropy((words * center.unsqueeze(1)).sum(dim=-1), torch.zeros(len(center), dtype=torch.int64))


WRONG = {
    no_logarithm: _SEEN,
    no_sigmoid: _SEEN,
    log_of_scores: _SEEN,
    no_minus: _SEEN,
    signs_swapped: _SEEN,
    seen_without_minus: _SEEN,
    seen_turned: _SEEN,
    seen_without_log: _SEEN,
    seen_left_out: _SEEN,
    mean_of_products: _SEEN,
    cosines: _SEEN,
    scaled: _SEEN,
    products_not_summed: _SEEN,
    a_number: _SEEN,
    nothing_returned: _SEEN,
    mean_of_all_terms: _SEEN,
    drawn_not_turned: _DRAWN,
    drawn_turned_in_front: _DRAWN,
    drawn_without_minus: _DRAWN,
    drawn_without_log: _DRAWN,
    drawn_scores_alone: _DRAWN,
    negatives_with_context: _DRAWN,
    drawn_left_out: _DRAWN,
    mean_for_sum: _SUM,
    scores_summed_first: _SUM,
    first_negative: _SUM,
    seen_with_each_negative: _SUM,
    probabilities_summed: _SUM,
    softmax_of_all: _SUM,
    sum_over_batch: _MEAN,
    drawn_summed_over_batch: _MEAN,
    one_loss_for_each_pair: _MEAN,
    everybodys_negatives: _MEAN,
    first_pair: _MEAN,
    no_mean: _MEAN,
    squeezes_everything: _SIZES,
    log_of_sigmoid: _FAR,
    log_of_one_minus: _FAR,
    something_added: _FAR,
    written_out: _FAR,
    no_gradient: _GRADIENT,
    negatives_without_gradient: _GRADIENT,
    context_without_gradient: _GRADIENT,
    a_tensor_of_a_number: _GRADIENT,
    in_single_precision: _TYPES,
    turns_the_negatives: _TYPES,
}


def right(center, context, negatives):
    """Two terms and a mean."""
    seen, drawn = both_terms(center, context, negatives)
    return (seen + drawn.sum(dim=-1)).mean()


def loops(center, context, negatives):
    """Word by word."""
    total = 0
    for b in range(len(center)):
        total = total - F.logsigmoid(torch.dot(center[b], context[b]))
        for k in range(negatives.shape[1]):
            total = total - F.logsigmoid(-torch.dot(center[b], negatives[b, k]))
    return total / len(center)


def with_einsum(center, context, negatives):
    """All products as einsum."""
    seen = torch.einsum("be,be->b", center, context)
    drawn = torch.einsum("be,bke->bk", center, negatives)
    return -(F.logsigmoid(seen) + F.logsigmoid(-drawn).sum(1)).mean(0)


def with_bmm(center, context, negatives):
    """All words in one product, the first of them turned."""
    words = torch.cat([-context.unsqueeze(1), negatives], dim=1)
    scores = torch.bmm(words, center.unsqueeze(2)).squeeze(2)
    return F.softplus(scores).sum(dim=1).mean()


def as_classes(center, context, negatives):
    """torch's own loss of two classes."""
    seen, drawn = scores_of(center, context, negatives)
    first = F.binary_cross_entropy_with_logits(seen, torch.ones_like(seen))
    rest = F.binary_cross_entropy_with_logits(drawn, torch.zeros_like(drawn), reduction="sum")
    return first + rest / len(center)


def with_logaddexp(center, context, negatives):
    """log(1 + e^x), exactly."""
    seen, drawn = scores_of(center, context, negatives)
    zero = torch.zeros((), dtype=center.dtype)
    return (torch.logaddexp(zero, -seen) + torch.logaddexp(zero, drawn).sum(-1)).mean()


def with_log_softmax(center, context, negatives):
    """σ as a softmax over two."""
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


RIGHT = {
    "two terms": right,
    "loops": loops,
    "with einsum": with_einsum,
    "with bmm and softplus": with_bmm,
    "as two classes": as_classes,
    "with logaddexp": with_logaddexp,
    "with log_softmax": with_log_softmax,
    "a module": NegativeSamplingLoss(),
    "a partial": functools.partial(with_a_sign, 1),
    "a lambda": lambda c, o, n: (
        -(F.logsigmoid((c * o).sum(-1)).mean() + F.logsigmoid(-(n * c[:, None]).sum(-1)).mean(0).sum())
    ),
}
