"""Mistakes in `hard_alignment`, and right answers in other styles."""

import functools

import torch
from torch import nn

from autograder.checks.ch05_attention.hard_alignment import any_weights, largest, one_word, source_first, ties
from autograder.judging.catalogue import mistake, right


@mistake(
    largest,
    "there is a link for the largest weight in each column, a source word; expected one for each row, a target word",
)
def link_for_every_source_word(weights):
    return {(source, target) for source, target in enumerate(weights.argmax(dim=0).tolist())}


mistake(
    largest,
    "there is a link for the largest weight in each column, a source word; expected one for each row, a target word",
).made_in(link_for_every_source_word, largest_of_columns_as_sources={"source, target in": "target, source in"})


@mistake(
    ties, "weights that nearly tie are treated as equal, as by isclose; expected only those that are exactly equal"
)
def nearly_equal(weights):
    return {(torch.isclose(row, row.max()).nonzero()[0].item(), t) for t, row in enumerate(weights.detach())}


@mistake(ties, "the sort is not stable, so of equal weights any may come first")
def sorted_anyhow(weights):
    return {(i, t) for t, i in enumerate(weights.argsort(dim=-1, descending=True)[:, 0].tolist())}


@mistake(largest, "each target word is linked to the source word of its smallest weight, expected its largest")
def smallest_weight(weights):
    return {(source, target) for target, source in enumerate(weights.argmin(dim=-1).tolist())}


@mistake(largest, "only weights above one half are linked, expected the largest of each row")
def over_one_half(weights):
    return {(source, target) for target, source in (weights > 0.5).nonzero().tolist()}


@mistake(largest, "all weights above the average are linked, expected only the largest of each row")
def over_average(weights):
    return {(source, target) for target, source in (weights > 1 / weights.shape[1]).nonzero().tolist()}


@mistake(largest, "each source word is linked only once, but several target words may have the same one")
def free_source_words_only(weights):
    links, taken = set(), set()
    for target, row in enumerate(weights.tolist()):
        free = [source for source in range(len(row)) if source not in taken]
        if free:
            best = max(free, key=row.__getitem__)
            taken.add(best)
            links.add((best, target))
    return links


@mistake(largest, "only the largest weight of the sentence is linked, expected that of each row")
def largest_of_all(weights):
    target, source = divmod(weights.argmax().item(), weights.shape[1])
    return {(source, target)}


@mistake(largest, "the words are counted from 1, expected from 0")
def counted_from_one(weights):
    return {(source + 1, target + 1) for target, source in enumerate(weights.argmax(dim=-1).tolist())}


@mistake(largest, "the links contain tensors, expected plain integers")
def tensors_inside(weights):
    return {(source, target) for target, source in enumerate(weights.argmax(dim=-1))}


@mistake(largest, "the links contain floats, expected integers")
def floats_inside(weights):
    return {(float(source), target) for target, source in enumerate(weights.argmax(dim=-1).tolist())}


@mistake(largest, "each link also contains its weight, expected two indices")
def three_in_a_link(weights):
    best, sources = weights.max(dim=-1)
    return {
        (source, target, weight)
        for target, (source, weight) in enumerate(zip(sources.tolist(), best.tolist(), strict=True))
    }


@mistake(largest, "the set contains only source words, expected pairs")
def source_words_alone(weights):
    return set(weights.argmax(dim=-1).tolist())


@mistake(largest, "the links are strings, expected pairs")
def strings(weights):
    return {f"{source}-{target}" for target, source in enumerate(weights.argmax(dim=-1).tolist())}


@mistake(largest, "the result is a list, expected a set")
def list_of_links(weights):
    return [(source, target) for target, source in enumerate(weights.argmax(dim=-1).tolist())]


@mistake(largest, "the result is the tensor of source words, expected a set of pairs")
def argmax_alone(weights):
    return weights.argmax(dim=-1)


@mistake(largest, "the result is a dict, expected a set of pairs")
def target_to_source(weights):
    return dict(enumerate(weights.argmax(dim=-1).tolist()))


@mistake(largest, "there is no return")
def nothing_returned(weights):
    set(enumerate(weights.argmax(dim=-1).tolist()))


@mistake(source_first, "the links are (target index, source index), expected the source index first")
def target_first(weights):
    return set(enumerate(weights.argmax(dim=-1).tolist()))


@mistake(source_first, "in each link the smaller index is first, expected the source index")
def smaller_index_first(weights):
    return {tuple(sorted((source, target))) for target, source in enumerate(weights.argmax(dim=-1).tolist())}


@mistake(ties, "if weights are equal, the last one was used, expected the first")
def last_of_equals(weights):
    links = set()
    for target, row in enumerate(weights.tolist()):
        best = 0
        for source, weight in enumerate(row):
            if weight >= row[best]:
                best = source
        links.add((best, target))
    return links


@mistake(ties, "every source word whose weight equals the largest is linked, expected only the first of them")
def all_of_equals(weights):
    best = weights == weights.amax(dim=-1, keepdim=True)
    return {(source, target) for target, source in best.nonzero().tolist()}


@mistake(
    ties,
    "a target word whose weights are all 0 has no link: its weights are equal, so it is linked to the first source word",
)
def none_of_nothing(weights):
    found = enumerate(zip(weights.argmax(dim=-1).tolist(), weights.amax(dim=-1).tolist(), strict=True))
    return {(source, target) for target, (source, weight) in found if weight > 0}


@mistake(ties, "a row with several largest weights gets no link, expected one to the first of them")
def unless_tied(weights):
    best = weights == weights.amax(dim=-1, keepdim=True)
    return {(row.int().argmax().item(), target) for target, row in enumerate(best) if row.sum() == 1}


@mistake(ties, "if weights are equal, the last one was used, expected the first")
def largest_pair(weights):
    return {(max((w, s) for s, w in enumerate(row))[1], t) for t, row in enumerate(weights.tolist())}


@mistake(one_word, "squeeze() removed dimensions of size one that belong to the weights")
def squeezes(weights):
    return {(source, target) for target, source in enumerate(weights.squeeze().argmax(dim=-1).tolist())}


@mistake(one_word, "weights with a single row are treated as a vector")
def without_dimension(weights):
    if len(weights) == 1:
        weights = weights[0]
    return {
        (source, target) for target, source in enumerate(weights.argmax(dim=0 if weights.dim() == 1 else 1).tolist())
    }


@mistake(any_weights, "the weights are converted to NumPy, which takes no tensor that requires a gradient")
def through_numpy(weights):
    return {(int(row.argmax()), target) for target, row in enumerate(weights.numpy())}


@mistake(largest, "the links contain NumPy's integers, expected plain ones")
def numpy_integers(weights):
    return {(source, target) for target, source in enumerate(weights.detach().numpy().argmax(axis=1))}


@mistake(any_weights, "view needs a contiguous tensor; reshape works with any")
def viewed_flat(weights):
    size = weights.shape[1]
    flat = weights.view(-1)
    return {(flat[t * size : (t + 1) * size].argmax().item(), t) for t in range(len(weights))}


@mistake(any_weights, "the caller's weights are changed in place")
def zeroes_the_rest(weights):
    with torch.no_grad():
        weights.mul_(weights == weights.amax(dim=-1, keepdim=True))
    return {(source, target) for target, source in enumerate(weights.argmax(dim=-1).tolist())}


@right
def loops(weights):
    links = set()
    for target in range(weights.shape[0]):
        best = 0
        for source in range(weights.shape[1]):
            if weights[target, source] > weights[target, best]:
                best = source
        links.add((best, target))
    return links


@right
def with_argmax(weights):
    return {(source, target) for target, source in enumerate(weights.argmax(dim=1).tolist())}


@right
def row_by_row(weights):
    links = set()
    for target, row in enumerate(weights):
        links.add((torch.argmax(row).item(), target))
    return links


@right
def with_max(weights):
    _, sources = weights.max(dim=-1)
    return set(zip(sources.tolist(), range(len(weights)), strict=True))


@right
def stable_sort(weights):
    return {(row.sort(descending=True, stable=True).indices[0].item(), t) for t, row in enumerate(weights)}


@right
def through_detached_numpy(weights):
    return {(int(row.argmax()), target) for target, row in enumerate(weights.detach().float().numpy())}


@right
def first_true(weights):
    first = {}
    for target, source in (weights == weights.amax(-1, keepdim=True)).nonzero().tolist():
        first.setdefault(target, source)
    return {(source, target) for target, source in first.items()}


@right
def frozen(weights):
    return frozenset((max(range(len(row)), key=row.__getitem__), t) for t, row in enumerate(weights.tolist()))


@right
def of_a_copy(weights):
    own = weights.detach().clone()
    own[own < own.amax(dim=-1, keepdim=True)] = -1.0
    return with_argmax(own)


class HardAlignment(nn.Module):
    """A module in the place of a function."""

    def forward(self, weights):
        return with_argmax(weights)


def from_dimension(dim, weights):
    """For a partial: the dimension comes first."""
    return {(source, target) for target, source in enumerate(weights.argmax(dim=dim).tolist())}


right(HardAlignment())


right(functools.partial(from_dimension, 1))


right(lambda weights: {(row.index(max(row)), t) for t, row in enumerate(weights.tolist())})
