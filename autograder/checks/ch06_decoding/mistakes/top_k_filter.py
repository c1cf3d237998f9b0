"""Mistakes in `top_k_filter`, and right answers in other styles."""

import functools

import torch
from torch import nn

from autograder.checks.ch06_decoding.top_k_filter import half, in_chapter, many, rows, shapes, ties
from autograder.judging.catalogue import mistake, right

INF = float("-inf")


def threshold(logits, k):
    """The k-th largest of each row."""
    return logits.topk(min(k, logits.shape[-1]), dim=-1).values[..., -1:]


def filtered(logits, k):
    return logits.masked_fill(logits < threshold(logits, k), INF)


@mistake(
    in_chapter,
    "logits that are nearly the k-th largest stay too, as by isclose; expected only those that are exactly equal to it",
)
def nearly_equal(logits, k):
    kth = threshold(logits, k)
    return logits.masked_fill((logits < kth) & ~torch.isclose(logits, kth), INF)


mistake(
    in_chapter, "logits that are nearly the k-th largest stay too; expected only those that are exactly equal to it"
).made_in(filtered, a_little_lower={"threshold(logits, k)": "threshold(logits, k) - 1e-6"})
mistake(in_chapter, "the result is detached, so no gradient reaches the logits").made_in(
    filtered, detached={"logits.masked_fill": "logits.detach().masked_fill"}
)


@mistake(in_chapter, "if k is V or more, the argument itself is returned, expected a new tensor")
def the_same_tensor(logits, k):
    return logits if k >= logits.shape[-1] else filtered(logits, k)


@mistake(rows, "the logits of removed words are 0, expected minus infinity")
def zeros(logits, k):
    return logits.masked_fill(logits < threshold(logits, k), 0.0)


@mistake(rows, "the logits of removed words are a large negative number, expected minus infinity")
def a_large_number(logits, k):
    return logits.masked_fill(logits < threshold(logits, k), -1e4)


@mistake(rows, "only logits above the k-th largest stay, so the k-th itself is removed")
def one_less(logits, k):
    return logits.masked_fill(logits <= threshold(logits, k), INF)


@mistake(rows, "k + 1 words stay, expected k")
def one_more(logits, k):
    return filtered(logits, k + 1)


@mistake(rows, "the k smallest stay, expected the k largest")
def smallest(logits, k):
    return logits.masked_fill(logits > -threshold(-logits, k), INF)


@mistake(rows, "probabilities are returned, expected logits")
def probabilities(logits, k):
    return filtered(logits, k).softmax(dim=-1)


@mistake(rows, "log-probabilities are returned, expected the logits as they were")
def log_probabilities(logits, k):
    return filtered(logits, k).log_softmax(dim=-1)


mistake(rows, "log-probabilities are returned, expected the logits as they were").made_in(
    filtered, log_probabilities_filtered={"logits.masked_fill": "logits.log_softmax(dim=-1).masked_fill"}
)


@mistake(rows, "a mask is multiplied by infinity, and 0 · ∞ is NaN")
def zero_times_infinity(logits, k):
    kept = (logits >= threshold(logits, k)).to(logits.dtype)
    return logits * kept + (1 - kept) * INF


@mistake(rows, "the absolute values of the logits are compared, expected the logits")
def by_size(logits, k):
    return logits.masked_fill(logits.abs() < threshold(logits.abs(), k), INF)


@mistake(rows, "the k largest of all rows together stay, expected those of each row")
def of_all_rows(logits, k):
    return logits.masked_fill(logits < logits.flatten().topk(min(k, logits.numel())).values[-1], INF)


@mistake(rows, "only the values of topk are returned, expected a whole row of logits")
def values_alone(logits, k):
    return logits.topk(min(k, logits.shape[-1])).values


@mistake(rows, "the rows come back sorted, expected the words in their order")
def sorted_rows(logits, k):
    return filtered(logits, k).sort(dim=-1, descending=True).values


@mistake(rows, "the threshold of the first row is used for all rows")
def first_rows_threshold(logits, k):
    return (
        logits.masked_fill(logits < threshold(logits, k)[..., :1, :], INF) if logits.dim() > 1 else filtered(logits, k)
    )


@mistake(rows, "there is no return")
def nothing(logits, k):
    logits = filtered(logits, k)


@mistake(shapes, "exactly two dimensions are assumed, but there may be any number")
def two_dimensions(logits, k):
    kth = logits.topk(min(k, logits.shape[-1]), dim=1).values[:, -1].unsqueeze(1)
    return logits.masked_fill(logits < kth, INF)


@mistake(ties, "only the k words whose indices topk returns stay, even if others have equal logits")
def kept_places(logits, k):
    places = logits.topk(min(k, logits.shape[-1]), dim=-1).indices
    return torch.full_like(logits, INF).scatter(-1, places, logits.gather(-1, places))


@mistake(ties, "only logits above the (k + 1)-th largest stay, so words tied for place k may all be removed")
def next_is_the_bar(logits, k):
    if k >= logits.shape[-1]:
        return logits.clone()
    return logits.masked_fill(logits <= threshold(logits, k + 1), INF)


@mistake(many, "topk is asked for more values than there are words")
def no_more_than_v(logits, k):
    return logits.masked_fill(logits < logits.topk(k, dim=-1).values[..., -1:], INF)


@mistake(many, "the k-th from the end of the sorted logits is taken, but k may be larger than V")
def from_the_end(logits, k):
    return logits.masked_fill(logits < logits.sort(dim=-1).values[..., -k].unsqueeze(-1), INF)


mistake(half, "the caller's logits are changed in place").made_in(
    filtered,
    in_place={".masked_fill": ".masked_fill_"},
    assigned={
        "return logits.masked_fill(logits < threshold(logits, k), INF)": "logits[logits < threshold(logits, k)] = INF; return logits"
    },
)


@mistake(half, "the result is converted to float32")
def single_precision(logits, k):
    return filtered(logits.float(), k)


@mistake(in_chapter, "probabilities are compared instead of logits, and many of them round to the same number")
def of_probabilities(logits, k):
    shares = logits.softmax(dim=-1)
    kth = shares.topk(min(k, logits.shape[-1]), dim=-1).values[..., -1:]
    return logits.masked_fill(shares < kth, float("-inf"))


@mistake(in_chapter, "equal logits count once, so more than the k largest stay")
def different_values(logits, k):
    rows = []
    for row in logits.reshape(-1, logits.shape[-1]):
        values = row.unique().flip(0)
        rows.append(row.masked_fill(row < values[min(k, len(values)) - 1], float("-inf")))
    return torch.stack(rows).view_as(logits)


@mistake(in_chapter, "k is limited to V - 1, so one word is removed even if all have to stay")
def one_fewer_than_v(logits, k):
    return logits.masked_fill(logits < threshold(logits, min(k, logits.shape[-1] - 1)), INF)


@mistake(rows, "the lowest threshold of all rows is used for each: min() lacks its dim")
def lowest_of_all(logits, k):
    return logits.masked_fill(logits < threshold(logits, k).min(), INF)


@mistake(rows, "probabilities are returned, expected logits")
def masked_probabilities(logits, k):
    return logits.softmax(dim=-1).masked_fill(logits < threshold(logits, k), INF)


@mistake(rows, "the mask is returned, expected the logits with minus infinity for removed words")
def mask_alone(logits, k):
    return (logits >= threshold(logits, k)).to(logits.dtype)


@mistake(rows, "topk's values and indices are returned, expected a whole row of logits")
def both_of_topk(logits, k):
    return logits.topk(min(k, logits.shape[-1]), dim=-1)


@right
def by_sorting(logits, k):
    ordered = torch.sort(logits, dim=-1, descending=True).values
    bar = ordered[..., min(k, ordered.size(-1)) - 1].unsqueeze(-1)
    return torch.where(logits >= bar, logits, torch.tensor(INF, dtype=logits.dtype))


@right
def row_by_row(logits, k):
    rows = []
    for row in logits.reshape(-1, logits.shape[-1]):
        bar = sorted(row.tolist(), reverse=True)[:k][-1]
        rows.append(torch.stack([x if x >= bar else torch.full_like(x, INF) for x in row]))
    return torch.stack(rows).view(logits.shape)


@right
def copied(logits, k):
    logits = logits.clone()
    logits[logits < threshold(logits, k)] = -torch.inf
    return logits


@right
def kth_value(logits, k):
    size = logits.shape[-1]
    bar = logits.kthvalue(max(size - k + 1, 1), dim=-1, keepdim=True).values
    return logits.masked_fill(logits < bar, INF)


@right
def by_rank(logits, k):
    larger = (logits.unsqueeze(-2) > logits.unsqueeze(-1)).sum(dim=-1)
    return torch.where(larger < k, logits, INF)


class Filter(nn.Module):
    """A module."""

    def forward(self, logits, k):
        return filtered(logits, k)


@right
def by_order(logits, k):
    order = logits.argsort(dim=-1, descending=True)
    last = order.narrow(-1, min(k, order.size(-1)) - 1, 1)
    return torch.where(logits.lt(logits.take_along_dim(last, dim=-1)), logits.new_tensor(INF), logits)


@right
def lowered(logits, k):
    return logits + torch.zeros_like(logits).masked_fill(logits < threshold(logits, k), INF)


right(Filter())


right(lambda logits, k: filtered(logits, k))


right(functools.partial(filtered))
