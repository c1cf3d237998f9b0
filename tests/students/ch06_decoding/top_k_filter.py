"""Wrong and right answers to `top_k_filter`."""

import functools

import torch
from torch import nn

EXERCISE = "top_k_filter"

INF = float("-inf")


def threshold(logits, k):
    """The k-th largest of each row."""
    return logits.topk(min(k, logits.shape[-1]), dim=-1).values[..., -1:]


def filtered(logits, k):
    return logits.masked_fill(logits < threshold(logits, k), INF)


def zeros(logits, k):
    """0 for minus infinity."""
    return logits.masked_fill(logits < threshold(logits, k), 0.0)


def a_large_number(logits, k):
    """-1e4 for minus infinity."""
    return logits.masked_fill(logits < threshold(logits, k), -1e4)


def one_less(logits, k):
    """The k-th itself goes."""
    return logits.masked_fill(logits <= threshold(logits, k), INF)


def one_more(logits, k):
    """k + 1 stay."""
    return filtered(logits, k + 1)


def smallest(logits, k):
    """The wrong end."""
    return logits.masked_fill(logits > -threshold(-logits, k), INF)


def probabilities(logits, k):
    """The softmax of what is left."""
    return filtered(logits, k).softmax(dim=-1)


def log_probabilities(logits, k):
    """The log-softmax of what is left."""
    return filtered(logits, k).log_softmax(dim=-1)


def zero_times_infinity(logits, k):
    """NaN where the mask is zero."""
    kept = (logits >= threshold(logits, k)).to(logits.dtype)
    return logits * kept + (1 - kept) * INF


def by_size(logits, k):
    """The sign is not looked at."""
    return logits.masked_fill(logits.abs() < threshold(logits.abs(), k), INF)


def of_all_rows(logits, k):
    """The k largest of the whole tensor."""
    return logits.masked_fill(logits < logits.flatten().topk(min(k, logits.numel())).values[-1], INF)


def values_alone(logits, k):
    """The values that topk returns are returned, expected a whole row of logits."""
    return logits.topk(min(k, logits.shape[-1])).values


def sorted_rows(logits, k):
    """The rows come back sorted."""
    return filtered(logits, k).sort(dim=-1, descending=True).values


def first_rows_threshold(logits, k):
    """The first row decides for all."""
    return (
        logits.masked_fill(logits < threshold(logits, k)[..., :1, :], INF) if logits.dim() > 1 else filtered(logits, k)
    )


def nothing(logits, k):
    """Nothing is returned."""
    logits = filtered(logits, k)


def two_dimensions(logits, k):
    """Rows of a matrix."""
    kth = logits.topk(min(k, logits.shape[-1]), dim=1).values[:, -1].unsqueeze(1)
    return logits.masked_fill(logits < kth, INF)


def kept_places(logits, k):
    """Exactly k words stay, the ones whose indices topk returns, even if others have equal logits."""
    places = logits.topk(min(k, logits.shape[-1]), dim=-1).indices
    return torch.full_like(logits, INF).scatter(-1, places, logits.gather(-1, places))


def next_is_the_bar(logits, k):
    """Only logits larger than the (k + 1)-th largest stay, so that words tied for place k may all be removed."""
    if k >= logits.shape[-1]:
        return logits.clone()
    return logits.masked_fill(logits <= threshold(logits, k + 1), INF)


def no_more_than_v(logits, k):
    """topk is asked for k."""
    return logits.masked_fill(logits < logits.topk(k, dim=-1).values[..., -1:], INF)


def from_the_end(logits, k):
    """Sorted upwards, the k-th from the end."""
    return logits.masked_fill(logits < logits.sort(dim=-1).values[..., -k].unsqueeze(-1), INF)


def in_place(logits, k):
    """The argument is filled."""
    return logits.masked_fill_(logits < threshold(logits, k), INF)


def assigned(logits, k):
    """The argument is assigned to."""
    logits[logits < threshold(logits, k)] = INF
    return logits


def single_precision(logits, k):
    """The result is float32."""
    return filtered(logits.float(), k)


def of_probabilities(logits, k):
    """Probabilities are compared instead of logits, and many of them are 0."""
    shares = logits.softmax(dim=-1)
    kth = shares.topk(min(k, logits.shape[-1]), dim=-1).values[..., -1:]
    return logits.masked_fill(shares < kth, float("-inf"))


def different_values(logits, k):
    """Equal logits are counted once, so that more than the k largest stay."""
    rows = []
    for row in logits.reshape(-1, logits.shape[-1]):
        values = row.unique().flip(0)
        rows.append(row.masked_fill(row < values[min(k, len(values)) - 1], float("-inf")))
    return torch.stack(rows).view_as(logits)


def one_fewer_than_v(logits, k):
    """k is limited to V - 1, so that one word is removed even if all of them have to stay."""
    return logits.masked_fill(logits < threshold(logits, min(k, logits.shape[-1] - 1)), INF)


def lowest_of_all(logits, k):
    """min() without dim: the lowest threshold of all rows holds for each of them."""
    return logits.masked_fill(logits < threshold(logits, k).min(), INF)


def masked_probabilities(logits, k):
    """The softmax comes first, and what is smaller becomes minus infinity."""
    return logits.softmax(dim=-1).masked_fill(logits < threshold(logits, k), INF)


def mask_alone(logits, k):
    """Which words stay, expected their logits."""
    return (logits >= threshold(logits, k)).to(logits.dtype)


def both_of_topk(logits, k):
    """topk returns the values and the indices, and both are returned."""
    return logits.topk(min(k, logits.shape[-1]), dim=-1)


_LARGEST = "the k largest logits of a row stay as they are, the others become minus infinity"
_SHAPE = "a single row and any number of leading dimensions work too, each row separately"
_TIES = "words whose logits equal the k-th largest stay too"
_MANY = "k may be the number of words, or more"
_TYPE = "any floating-point type works, and the argument is not changed"

WRONG = {
    one_fewer_than_v: "works as the chapter uses it",
    lowest_of_all: _LARGEST,
    masked_probabilities: _LARGEST,
    mask_alone: _LARGEST,
    both_of_topk: _LARGEST,
    different_values: "works as the chapter uses it",
    of_probabilities: "works as the chapter uses it",
    zeros: _LARGEST,
    a_large_number: _LARGEST,
    one_less: _LARGEST,
    one_more: _LARGEST,
    smallest: _LARGEST,
    probabilities: _LARGEST,
    log_probabilities: _LARGEST,
    zero_times_infinity: _LARGEST,
    by_size: _LARGEST,
    of_all_rows: _LARGEST,
    values_alone: _LARGEST,
    sorted_rows: _LARGEST,
    first_rows_threshold: _LARGEST,
    nothing: _LARGEST,
    two_dimensions: _SHAPE,
    kept_places: _TIES,
    next_is_the_bar: _TIES,
    no_more_than_v: _MANY,
    from_the_end: _MANY,
    in_place: _TYPE,
    assigned: _TYPE,
    single_precision: _TYPE,
}


def by_sorting(logits, k):
    """A sort for topk."""
    ordered = torch.sort(logits, dim=-1, descending=True).values
    bar = ordered[..., min(k, ordered.size(-1)) - 1].unsqueeze(-1)
    return torch.where(logits >= bar, logits, torch.tensor(INF, dtype=logits.dtype))


def row_by_row(logits, k):
    """A loop over the rows."""
    rows = []
    for row in logits.reshape(-1, logits.shape[-1]):
        bar = sorted(row.tolist(), reverse=True)[:k][-1]
        rows.append(torch.stack([x if x >= bar else torch.full_like(x, INF) for x in row]))
    return torch.stack(rows).view(logits.shape)


def copied(logits, k):
    """An assignment to a copy."""
    logits = logits.clone()
    logits[logits < threshold(logits, k)] = -torch.inf
    return logits


def kth_value(logits, k):
    """torch has a function for the k-th smallest."""
    size = logits.shape[-1]
    bar = logits.kthvalue(max(size - k + 1, 1), dim=-1, keepdim=True).values
    return logits.masked_fill(logits < bar, INF)


def by_rank(logits, k):
    """How many are larger than each."""
    larger = (logits.unsqueeze(-2) > logits.unsqueeze(-1)).sum(dim=-1)
    return torch.where(larger < k, logits, INF)


class Filter(nn.Module):
    """A module."""

    def forward(self, logits, k):
        return filtered(logits, k)


def by_order(logits, k):
    """The rank of each word in a sort, and the logit at rank k."""
    order = logits.argsort(dim=-1, descending=True)
    last = order.narrow(-1, min(k, order.size(-1)) - 1, 1)
    return torch.where(logits.lt(logits.take_along_dim(last, dim=-1)), logits.new_tensor(INF), logits)


def lowered(logits, k):
    """Minus infinity is added to what goes and 0 to what stays."""
    return logits + torch.zeros_like(logits).masked_fill(logits < threshold(logits, k), INF)


RIGHT = {
    "by order": by_order,
    "minus infinity added": lowered,
    "by sorting": by_sorting,
    "row by row": row_by_row,
    "a copy": copied,
    "kthvalue": kth_value,
    "by rank": by_rank,
    "a module": Filter(),
    "a lambda": lambda logits, k: filtered(logits, k),
    "a partial": functools.partial(filtered),
}
