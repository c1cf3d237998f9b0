"""Wrong and right answers to `top_p_filter`."""

import functools
import math

import torch
from torch import nn

EXERCISE = "top_p_filter"

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


def drops_the_crossing(logits, p):
    """The word with which p is reached goes."""
    probabilities, order = downwards(logits)
    return logits.masked_fill(~back(probabilities.cumsum(dim=-1) < p, order), INF)


def one_too_many(logits, p):
    """A word more."""
    probabilities, order = downwards(logits)
    kept = probabilities.cumsum(-1) - probabilities < p
    kept = torch.cat([torch.ones_like(kept[..., :1]), kept[..., :-1]], dim=-1)
    return logits.masked_fill(~back(kept, order), INF)


def zeros(logits, p):
    """0 for minus infinity."""
    return filtered(logits, p).masked_fill(filtered(logits, p) == INF, 0.0)


def probabilities_back(logits, p):
    """The softmax of what is left."""
    return filtered(logits, p).softmax(dim=-1)


def log_probabilities(logits, p):
    """The log-softmax of what is left."""
    return filtered(logits, p).log_softmax(dim=-1)


def zero_times_infinity(logits, p):
    """NaN where the mask is zero."""
    kept = (filtered(logits, p) > INF).to(logits.dtype)
    return logits * kept + (1 - kept) * INF


def behind_p(logits, p):
    """The words after p has been reached stay, expected those before."""
    probabilities, order = downwards(logits)
    return logits.masked_fill(~back(probabilities.cumsum(dim=-1) >= p, order), INF)


def upwards(logits, p):
    """From the least probable one."""
    probabilities, order = logits.softmax(dim=-1).sort(dim=-1)
    return logits.masked_fill(~back(probabilities.cumsum(-1) - probabilities < p, order), INF)


def unsorted(logits, p):
    """In the order of the words."""
    probabilities = logits.softmax(dim=-1)
    return logits.masked_fill(probabilities.cumsum(-1) - probabilities >= p, INF)


def order_not_undone(logits, p):
    """The mask of the sorted words is used for the words as they come."""
    probabilities, _ = downwards(logits)
    return logits.masked_fill(probabilities.cumsum(-1) - probabilities >= p, INF)


def gathered(logits, p):
    """gather for scatter: the order is applied twice, not undone."""
    probabilities, order = downwards(logits)
    return logits.masked_fill(~(probabilities.cumsum(-1) - probabilities < p).gather(-1, order), INF)


def sorted_back(logits, p):
    """The logits come back sorted."""
    return filtered(logits, p).sort(dim=-1, descending=True).values


def own_probability(logits, p):
    """Each word by itself."""
    return logits.masked_fill(logits.softmax(dim=-1) < p, INF)


def share_of_the_largest(logits, p):
    """A word stays if its probability is at least p times the largest one, as in min-p sampling."""
    probabilities = logits.softmax(dim=-1)
    return logits.masked_fill(probabilities < p * probabilities.amax(dim=-1, keepdim=True), INF)


def logits_added(logits, p):
    """The logits are added up, expected their softmax."""
    values, order = logits.sort(dim=-1, descending=True)
    return logits.masked_fill(~back(values.cumsum(-1) - values < p, order), INF)


def share_of_the_words(logits, p):
    """The share p of the words stays, whatever their probabilities are."""
    k = max(1, int(p * logits.shape[-1]))
    return logits.masked_fill(logits < logits.topk(k).values[..., -1:], INF)


def softmax_of_all(logits, p):
    """The softmax runs over all rows."""
    probabilities = logits.flatten().softmax(dim=0).view(logits.shape)
    values, order = probabilities.sort(dim=-1, descending=True, stable=True)
    return logits.masked_fill(~back(values.cumsum(-1) - values < p, order), INF)


def first_row_decides(logits, p):
    """Each row keeps as many words as the first one."""
    rows = logits.reshape(-1, logits.shape[-1])
    number = (filtered(rows, p)[0] > INF).sum()
    _, order = downwards(logits)
    return logits.masked_fill(
        ~back((torch.arange(logits.shape[-1]) < number).expand_as(logits).contiguous(), order), INF
    )


def nothing(logits, p):
    """Nothing is returned."""
    filtered(logits, p)


def mask_moved(logits, p):
    """The mask is moved by one and the first is forgotten."""
    probabilities, order = downwards(logits)
    kept = probabilities.cumsum(dim=-1) < p
    kept[..., 1:] = kept[..., :-1].clone()
    return logits.masked_fill(~back(kept, order), INF)


def two_at_least(logits, p):
    """At least two words stay."""
    probabilities, order = downwards(logits)
    kept = probabilities.cumsum(-1) - probabilities < p
    kept[..., :2] = True
    return logits.masked_fill(~back(kept, order), INF)


def two_dimensions(logits, p):
    """Rows of a matrix."""
    probabilities, order = logits.softmax(dim=1).sort(dim=1, descending=True, stable=True)
    kept = probabilities.cumsum(dim=1) - probabilities < p
    return logits.masked_fill(~back(kept, order), INF)


def first_above(logits, p):
    """The code looks for the first sum above p, and there may be none."""
    probabilities, order = downwards(logits)
    last = (probabilities.cumsum(dim=-1) > p + 1e-6).int().argmax(dim=-1, keepdim=True)
    kept = torch.arange(logits.shape[-1]).expand_as(logits) <= last
    return logits.masked_fill(~back(kept, order), INF)


def never_all(logits, p):
    """The least probable word is always removed."""
    probabilities, order = downwards(logits)
    kept = probabilities.cumsum(-1) - probabilities < p
    kept[..., -1] = False
    return logits.masked_fill(~back(kept, order), INF)


def turned_round(logits, p):
    """The words are sorted in ascending order and then reversed, which also reverses equal ones."""
    probabilities, order = (t.flip(-1) for t in logits.softmax(dim=-1).sort(dim=-1, stable=True))
    return logits.masked_fill(~back(probabilities.cumsum(-1) - probabilities < p, order), INF)


def all_equals(logits, p):
    """All words as probable as the last one that is kept stay, too."""
    probabilities = logits.softmax(dim=-1)
    values, _ = downwards(logits)
    number = (values.cumsum(-1) - values < p).sum(dim=-1, keepdim=True)
    return logits.masked_fill(probabilities < values.gather(-1, number - 1), INF)


def in_place(logits, p):
    """The argument is filled."""
    probabilities, order = downwards(logits)
    return logits.masked_fill_(~back(probabilities.cumsum(-1) - probabilities < p, order), INF)


def single_precision(logits, p):
    """The result is float32."""
    return filtered(logits.float(), p)


def a_large_number(logits, p):
    """-1e9 exists in no half precision."""
    kept = filtered(logits, p) > INF
    return logits.masked_fill(~kept, -1e9).masked_fill(~kept, INF)


def up_to_p(logits, p):
    """A word also stays if those before it already add up to exactly p: words stay while their sum is < p, and go as soon as it is >= p."""
    probabilities, order = logits.softmax(dim=-1).sort(dim=-1, descending=True, stable=True)
    before = probabilities.cumsum(dim=-1) - probabilities
    kept = torch.empty_like(before, dtype=torch.bool).scatter(-1, order, before <= p)
    return logits.masked_fill(~kept, float("-inf"))


def not_stable(logits, p):
    """sort without stable=True may return equally probable words in any order."""
    # torch's own may keep the order on some processors; this one never does.
    mixed = torch.randperm(logits.shape[-1], generator=torch.Generator().manual_seed(0)).to(logits.device)
    probabilities, order = downwards(logits[..., mixed])
    return logits.masked_fill(~back(probabilities.cumsum(-1) - probabilities < p, mixed[order]), INF)


def softmax_twice(logits, p):
    """The softmax is applied twice, the second time to probabilities, which makes them nearly equal."""
    return logits.masked_fill(filtered(logits.softmax(dim=-1), p) == INF, INF)


def softmax_over_rows(logits, p):
    """The softmax runs over the first dimension, expected over the words, dim=-1."""
    probabilities, order = logits.softmax(dim=0).sort(dim=-1, descending=True, stable=True)
    return logits.masked_fill(~back(probabilities.cumsum(-1) - probabilities < p, order), INF)


def summed_over_rows(logits, p):
    """cumsum runs over the first dimension, expected over the words, dim=-1."""
    probabilities, order = downwards(logits)
    return logits.masked_fill(~back(probabilities.cumsum(0) - probabilities < p, order), INF)


def rolled(logits, p):
    """torch.roll moves the last word's place in the mask to the front; the first word has to stay."""
    probabilities, order = downwards(logits)
    return logits.masked_fill(~back((probabilities.cumsum(dim=-1) < p).roll(1, dims=-1), order), INF)


def opposite(logits, p):
    """The mask says what stays, and is used for what goes."""
    probabilities, order = downwards(logits)
    return logits.masked_fill(back(probabilities.cumsum(-1) - probabilities < p, order), INF)


def moved_onto_itself(logits, p):
    """The mask is moved by one place without a copy, so that its first value spreads over all places."""
    probabilities, order = downwards(logits)
    gone = probabilities.cumsum(dim=-1) >= p
    gone[..., 0] = False
    for place in range(1, gone.shape[-1]):
        gone[..., place] = gone[..., place - 1]
    return logits.masked_fill(back(gone, order), INF)


def masked_probabilities(logits, p):
    """The softmax of all, with minus infinity where a word goes."""
    return logits.softmax(dim=-1).masked_fill(filtered(logits, p) == INF, INF)


def the_same_tensor(logits, p):
    """If all words stay, the argument itself is returned, expected a new tensor."""
    return logits if p >= 1 else up_to_p(logits, math.nextafter(p, 0))


_USE = "works as the chapter uses it"
_REACH = "the most probable words stay until their sum reaches p, including the word that reaches it"
_SMALL = "the most probable word stays, however small p is"
_SHAPE = "a single row and any number of leading dimensions work too, each row separately"
_WHOLE = "with p = 1 all words stay"
_TIES = "of equally probable words, the one with the lower id comes first"
_TYPE = "any floating-point type works, and the argument is not changed"

WRONG = {
    not_stable: _TIES,
    softmax_twice: _REACH,
    softmax_over_rows: _REACH,
    summed_over_rows: _REACH,
    rolled: _REACH,
    opposite: _REACH,
    moved_onto_itself: _REACH,
    masked_probabilities: _REACH,
    the_same_tensor: _USE,
    up_to_p: _USE,
    drops_the_crossing: _REACH,
    one_too_many: _REACH,
    zeros: _REACH,
    probabilities_back: _REACH,
    log_probabilities: _REACH,
    zero_times_infinity: _REACH,
    behind_p: _REACH,
    upwards: _REACH,
    unsorted: _REACH,
    order_not_undone: _REACH,
    gathered: _REACH,
    sorted_back: _REACH,
    own_probability: _REACH,
    share_of_the_largest: _REACH,
    logits_added: _REACH,
    share_of_the_words: _REACH,
    softmax_of_all: _REACH,
    first_row_decides: _REACH,
    nothing: _REACH,
    mask_moved: _SMALL,
    two_at_least: _SMALL,
    two_dimensions: _SHAPE,
    first_above: _WHOLE,
    never_all: _WHOLE,
    turned_round: _TIES,
    all_equals: _TIES,
    in_place: _TYPE,
    single_precision: _TYPE,
    a_large_number: _TYPE,
}


def first_and_moved(logits, p):
    """The mask of what goes is moved by one, and the first stays, as libraries write it."""
    ordered, order = torch.sort(logits, descending=True, stable=True, dim=-1)
    goes = torch.cumsum(torch.softmax(ordered, dim=-1), dim=-1) >= p
    goes = torch.cat([torch.zeros_like(goes[..., :1]), goes[..., :-1]], dim=-1)
    return torch.where(back(goes, order), torch.full_like(logits, INF), logits)


def row_by_row(logits, p):
    """Plain Python."""
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


def inverse_order(logits, p):
    """The order is undone by sorting it."""
    probabilities, order = downwards(logits)
    kept = (probabilities.cumsum(-1) - probabilities).lt(p).gather(-1, order.argsort(dim=-1))
    return logits + torch.zeros_like(logits).masked_fill(~kept, INF)


def not_sorted(logits, p):
    """For each word the sum of all that come before it, found by comparing."""
    probabilities, place = logits.softmax(dim=-1), torch.arange(logits.shape[-1], device=logits.device)
    one, other = probabilities.unsqueeze(-1), probabilities.unsqueeze(-2)
    first = (other > one) | ((other == one) & (place < place.unsqueeze(-1)))
    return logits.masked_fill((first * other).sum(dim=-1) >= p, INF)


class Filter(nn.Module):
    """A module."""

    def forward(self, logits, p):
        return filtered(logits, p)


def up_to_the_last(logits, p):
    """How many stay is counted, and the rest of the order is filled."""
    probabilities, order = downwards(logits)
    number = 1 + (probabilities.cumsum(dim=-1)[..., :-1] < p).sum(dim=-1, keepdim=True)
    return logits.masked_fill(order.argsort(dim=-1) >= number, INF)


def scattered_logits(logits, p):
    """The sorted logits go back to their places in a row of minus infinity."""
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    probabilities = ordered.softmax(dim=-1)
    ordered = ordered.masked_fill(probabilities.cumsum(dim=-1) - probabilities >= p, INF)
    return torch.full_like(logits, INF).scatter(-1, order, ordered)


RIGHT = {
    "up to the last": up_to_the_last,
    "scattered logits": scattered_logits,
    "moved by one": first_and_moved,
    "row by row": row_by_row,
    "inverse order": inverse_order,
    "not sorted": not_sorted,
    "a module": Filter(),
    "a lambda": lambda logits, p: filtered(logits, p),
    "a partial": functools.partial(filtered),
}
