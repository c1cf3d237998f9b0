"""Mistakes in `top_p_filter`, and right answers in other styles."""

import functools
import math

import torch
from torch import nn

from autograder.checks.ch06_decoding.top_p_filter import half, in_chapter, rows, shapes, small, ties, whole
from autograder.judging.catalogue import mistake, right

INF = float("-inf")


def downwards(logits):
    """The probabilities from the largest down, and whose they are."""
    return logits.softmax(dim=-1).sort(dim=-1, descending=True, stable=True)


def back(kept, order):
    """A mask in the order of the words."""
    return torch.empty_like(kept).scatter(-1, order, kept)


def filtered(logits, p):
    probabilities, order = downwards(logits)
    return logits.masked_fill(~back(probabilities.cumsum(-1) - probabilities < p, order), INF)


mistake(rows, "the word with which the sum reaches p is removed, expected to stay").made_in(
    filtered, drops_the_crossing={"(-1) - probabilities": "(dim=-1)"}
)


@mistake(rows, "one word too many stays in each row; expected the word with which the sum reaches p to be the last")
def one_too_many(logits, p):
    probabilities, order = downwards(logits)
    kept = probabilities.cumsum(-1) - probabilities < p
    kept = torch.cat([torch.ones_like(kept[..., :1]), kept[..., :-1]], dim=-1)
    return logits.masked_fill(~back(kept, order), INF)


@mistake(rows, "the logits of removed words are 0, expected minus infinity")
def zeros(logits, p):
    return filtered(logits, p).masked_fill(filtered(logits, p) == INF, 0.0)


@mistake(rows, "probabilities are returned, expected logits")
def probabilities_back(logits, p):
    return filtered(logits, p).softmax(dim=-1)


@mistake(rows, "log-probabilities are returned, expected the logits as they were")
def log_probabilities(logits, p):
    return filtered(logits, p).log_softmax(dim=-1)


mistake(rows, "log-probabilities are returned, expected the logits as they were").made_in(
    filtered, log_probabilities_filtered={"logits.masked_fill": "logits.log_softmax(dim=-1).masked_fill"}
)


@mistake(rows, "a mask is multiplied by infinity, and 0 · ∞ is NaN")
def zero_times_infinity(logits, p):
    kept = (filtered(logits, p) > INF).to(logits.dtype)
    return logits * kept + (1 - kept) * INF


mistake(rows, "the words from the one that reaches p onwards stay, expected those up to it").made_in(
    filtered, behind_p={"(-1) - probabilities < p": "(dim=-1) >= p"}
)
mistake(rows, "the sum begins with the least probable word, expected with the most probable one").made_in(
    filtered, upwards={"downwards(logits)": "logits.softmax(dim=-1).sort(dim=-1)"}
)


@mistake(rows, "the probabilities are added in the order of the words, expected from the most probable one down")
def unsorted(logits, p):
    probabilities = logits.softmax(dim=-1)
    return logits.masked_fill(probabilities.cumsum(-1) - probabilities >= p, INF)


mistake(rows, "the mask of the sorted words is used for the words in their original order").made_in(
    unsorted, order_not_undone={"probabilities = logits.softmax(dim=-1)": "probabilities, _ = downwards(logits)"}
)


@mistake(rows, "gather is used to undo the sorting, which applies the order twice; expected scatter")
def gathered(logits, p):
    probabilities, order = downwards(logits)
    return logits.masked_fill(~(probabilities.cumsum(-1) - probabilities < p).gather(-1, order), INF)


@mistake(rows, "the logits come back sorted, expected the words in their order")
def sorted_back(logits, p):
    return filtered(logits, p).sort(dim=-1, descending=True).values


@mistake(rows, "a word stays if its own probability is p or more, expected if the sum before it is less than p")
def own_probability(logits, p):
    return logits.masked_fill(logits.softmax(dim=-1) < p, INF)


@mistake(rows, "a word stays if its probability is at least p times the largest, as in min-p sampling")
def share_of_the_largest(logits, p):
    probabilities = logits.softmax(dim=-1)
    return logits.masked_fill(probabilities < p * probabilities.amax(dim=-1, keepdim=True), INF)


@mistake(rows, "the logits are added up, expected their softmax")
def logits_added(logits, p):
    values, order = logits.sort(dim=-1, descending=True)
    return logits.masked_fill(~back(values.cumsum(-1) - values < p, order), INF)


@mistake(rows, "the exponentials of the logits are added up, expected their softmax, which sums to one")
def exponentials_added(logits, p):
    values, order = logits.exp().sort(dim=-1, descending=True, stable=True)
    return logits.masked_fill(~back(values.cumsum(-1) - values < p, order), INF)


@mistake(rows, "the share p of the words stays, whatever their probabilities are")
def share_of_the_words(logits, p):
    k = max(1, int(p * logits.shape[-1]))
    return logits.masked_fill(logits < logits.topk(k).values[..., -1:], INF)


@mistake(rows, "one softmax runs over all rows together, expected one for each row")
def softmax_of_all(logits, p):
    probabilities = logits.flatten().softmax(dim=0).view(logits.shape)
    values, order = probabilities.sort(dim=-1, descending=True, stable=True)
    return logits.masked_fill(~back(values.cumsum(-1) - values < p, order), INF)


@mistake(rows, "each row keeps as many words as the first one")
def first_row_decides(logits, p):
    rows = logits.reshape(-1, logits.shape[-1])
    number = (filtered(rows, p)[0] > INF).sum()
    _, order = downwards(logits)
    return logits.masked_fill(
        ~back((torch.arange(logits.shape[-1]) < number).expand_as(logits).contiguous(), order), INF
    )


@mistake(rows, "there is no return")
def nothing(logits, p):
    filtered(logits, p)


@mistake(
    small, "the mask is shifted by one position, but its first value is not set; expected the first word always to stay"
)
def mask_moved(logits, p):
    probabilities, order = downwards(logits)
    kept = probabilities.cumsum(dim=-1) < p
    kept[..., 1:] = kept[..., :-1].clone()
    return logits.masked_fill(~back(kept, order), INF)


@mistake(small, "at least two words stay, expected at least one")
def two_at_least(logits, p):
    probabilities, order = downwards(logits)
    kept = probabilities.cumsum(-1) - probabilities < p
    kept[..., :2] = True
    return logits.masked_fill(~back(kept, order), INF)


@mistake(shapes, "exactly two dimensions are assumed, but there may be any number")
def two_dimensions(logits, p):
    probabilities, order = logits.softmax(dim=1).sort(dim=1, descending=True, stable=True)
    kept = probabilities.cumsum(dim=1) - probabilities < p
    return logits.masked_fill(~back(kept, order), INF)


@mistake(whole, "the first sum above p is looked for, and there may be none")
def first_above(logits, p):
    probabilities, order = downwards(logits)
    last = (probabilities.cumsum(dim=-1) > p + 1e-6).int().argmax(dim=-1, keepdim=True)
    kept = torch.arange(logits.shape[-1]).expand_as(logits) <= last
    return logits.masked_fill(~back(kept, order), INF)


mistake(whole, "the least probable word is always removed").made_in(
    two_at_least, never_all={"kept[..., :2] = True": "kept[..., -1] = False"}
)
mistake(ties, "the words are sorted in ascending order and then reversed, which also reverses equal ones").made_in(
    filtered,
    turned_round={"downwards(logits)": "(t.flip(-1) for t in logits.softmax(dim=-1).sort(dim=-1, stable=True))"},
)


@mistake(ties, "all words as probable as the last one that is kept stay too: a threshold cannot tell equal ones apart")
def all_equals(logits, p):
    probabilities = logits.softmax(dim=-1)
    values, _ = downwards(logits)
    number = (values.cumsum(-1) - values < p).sum(dim=-1, keepdim=True)
    return logits.masked_fill(probabilities < values.gather(-1, number - 1), INF)


mistake(half, "the caller's logits are changed in place").made_in(
    filtered, in_place={"logits.masked_fill": "logits.masked_fill_"}
)


@mistake(half, "the result is converted to float32")
def single_precision(logits, p):
    return filtered(logits.float(), p)


@mistake(half, "the value -1e9 is used in place of minus infinity, but half precision cannot represent it")
def a_large_number(logits, p):
    kept = filtered(logits, p) > INF
    return logits.masked_fill(~kept, -1e9).masked_fill(~kept, INF)


@mistake(
    in_chapter, "a word also stays if those before it already add up to exactly p; expected if their sum is less than p"
)
def up_to_p(logits, p):
    probabilities, order = logits.softmax(dim=-1).sort(dim=-1, descending=True, stable=True)
    before = probabilities.cumsum(dim=-1) - probabilities
    kept = torch.empty_like(before, dtype=torch.bool).scatter(-1, order, before <= p)
    return logits.masked_fill(~kept, float("-inf"))


@mistake(ties, "the sort is not stable, so equally probable words may come in any order")
def not_stable(logits, p):
    # torch's own may keep the order on some processors; this one never does.
    mixed = torch.randperm(logits.shape[-1], generator=torch.Generator().manual_seed(0)).to(logits.device)
    probabilities, order = downwards(logits[..., mixed])
    return logits.masked_fill(~back(probabilities.cumsum(-1) - probabilities < p, mixed[order]), INF)


@mistake(rows, "the softmax is applied twice, the second time to probabilities")
def softmax_twice(logits, p):
    return logits.masked_fill(filtered(logits.softmax(dim=-1), p) == INF, INF)


@mistake(rows, "the softmax runs over the rows, expected over the words, dim=-1")
def softmax_over_rows(logits, p):
    probabilities, order = logits.softmax(dim=0).sort(dim=-1, descending=True, stable=True)
    return logits.masked_fill(~back(probabilities.cumsum(-1) - probabilities < p, order), INF)


mistake(rows, "cumsum runs over the rows, expected over the words, dim=-1").made_in(
    filtered, summed_over_rows={"cumsum(-1)": "cumsum(0)"}
)


@mistake(rows, "torch.roll moves the last value of the mask to the front; expected the first word always to stay")
def rolled(logits, p):
    probabilities, order = downwards(logits)
    return logits.masked_fill(~back((probabilities.cumsum(dim=-1) < p).roll(1, dims=-1), order), INF)


mistake(rows, "the mask is inverted: the words that have to stay are removed").made_in(
    filtered, opposite={"~back": "back"}
)


@mistake(rows, "the mask is shifted without a copy, so its first value spreads over all places")
def moved_onto_itself(logits, p):
    probabilities, order = downwards(logits)
    gone = probabilities.cumsum(dim=-1) >= p
    gone[..., 0] = False
    for place in range(1, gone.shape[-1]):
        gone[..., place] = gone[..., place - 1]
    return logits.masked_fill(back(gone, order), INF)


@mistake(rows, "probabilities are returned, expected logits")
def masked_probabilities(logits, p):
    return logits.softmax(dim=-1).masked_fill(filtered(logits, p) == INF, INF)


mistake(in_chapter, "the result is detached, so no gradient reaches the logits").made_in(
    filtered, detached={"logits.masked_fill": "logits.detach().masked_fill"}
)


@mistake(in_chapter, "if all words stay, the argument itself is returned, expected a new tensor")
def the_same_tensor(logits, p):
    return logits if p >= 1 else up_to_p(logits, math.nextafter(p, 0))


@right
def first_and_moved(logits, p):
    ordered, order = torch.sort(logits, descending=True, stable=True, dim=-1)
    goes = torch.cumsum(torch.softmax(ordered, dim=-1), dim=-1) >= p
    goes = torch.cat([torch.zeros_like(goes[..., :1]), goes[..., :-1]], dim=-1)
    return torch.where(back(goes, order), torch.full_like(logits, INF), logits)


@right
def row_by_row(logits, p):
    result = torch.full_like(logits, INF).reshape(-1, logits.shape[-1])
    for i, row in enumerate(logits.reshape(-1, logits.shape[-1])):
        chances = row.softmax(dim=-1).tolist()
        total = 0.0
        for word in sorted(range(len(chances)), key=lambda w: (-chances[w], w)):
            if total >= p:
                break
            result[i, word] = row[word]
            total += chances[word]
    return result.view(logits.shape)


@right
def inverse_order(logits, p):
    probabilities, order = downwards(logits)
    kept = (probabilities.cumsum(-1) - probabilities).lt(p).gather(-1, order.argsort(dim=-1))
    return logits + torch.zeros_like(logits).masked_fill(~kept, INF)


@right
def not_sorted(logits, p):
    probabilities, place = logits.softmax(dim=-1), torch.arange(logits.shape[-1], device=logits.device)
    one, other = probabilities.unsqueeze(-1), probabilities.unsqueeze(-2)
    first = (other > one) | ((other == one) & (place < place.unsqueeze(-1)))
    return logits.masked_fill((first * other).sum(dim=-1) >= p, INF)


class Filter(nn.Module):
    """A module."""

    def forward(self, logits, p):
        return filtered(logits, p)


@right
def up_to_the_last(logits, p):
    probabilities, order = downwards(logits)
    number = 1 + (probabilities.cumsum(dim=-1)[..., :-1] < p).sum(dim=-1, keepdim=True)
    return logits.masked_fill(order.argsort(dim=-1) >= number, INF)


@right
def scattered_logits(logits, p):
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    probabilities = ordered.softmax(dim=-1)
    ordered = ordered.masked_fill(probabilities.cumsum(dim=-1) - probabilities >= p, INF)
    return torch.full_like(logits, INF).scatter(-1, order, ordered)


right(Filter())


right(lambda logits, p: filtered(logits, p))


right(functools.partial(filtered))
