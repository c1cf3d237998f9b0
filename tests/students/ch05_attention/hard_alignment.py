"""What students hand in for `hard_alignment`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools

import torch
from torch import nn

EXERCISE = "hard_alignment"


def link_for_every_source_word(weights):
    """The largest weight of each column."""
    return {(source, target) for source, target in enumerate(weights.argmax(dim=0).tolist())}


def largest_of_columns_as_sources(weights):
    """The largest weight of each column, taken for a row's."""
    return {(source, target) for target, source in enumerate(weights.argmax(dim=0).tolist())}


def smallest_weight(weights):
    """argmin for argmax."""
    return {(source, target) for target, source in enumerate(weights.argmin(dim=-1).tolist())}


def over_one_half(weights):
    """Every weight of more than one half is a link."""
    return {(source, target) for target, source in (weights > 0.5).nonzero().tolist()}


def over_average(weights):
    """Every weight of more than its share is a link."""
    return {(source, target) for target, source in (weights > 1 / weights.shape[1]).nonzero().tolist()}


def free_source_words_only(weights):
    """A source word is linked once at most."""
    links, taken = set(), set()
    for target, row in enumerate(weights.tolist()):
        free = [source for source in range(len(row)) if source not in taken]
        if free:
            best = max(free, key=row.__getitem__)
            taken.add(best)
            links.add((best, target))
    return links


def largest_of_all(weights):
    """One link, to the largest weight of the sentence."""
    target, source = divmod(weights.argmax().item(), weights.shape[1])
    return {(source, target)}


def counted_from_one(weights):
    """The first word is 1."""
    return {(source + 1, target + 1) for target, source in enumerate(weights.argmax(dim=-1).tolist())}


def tensors_inside(weights):
    """The argmax is left a tensor."""
    return {(source, target) for target, source in enumerate(weights.argmax(dim=-1))}


def two_tensors_inside(weights):
    """Both indices are tensors."""
    return set(zip(weights.argmax(dim=-1), torch.arange(len(weights)), strict=True))


def floats_inside(weights):
    """The indices are floats."""
    return {(float(source), target) for target, source in enumerate(weights.argmax(dim=-1).tolist())}


def three_in_a_link(weights):
    """A link holds its weight as well."""
    best, sources = weights.max(dim=-1)
    return {
        (source, target, weight)
        for target, (source, weight) in enumerate(zip(sources.tolist(), best.tolist(), strict=True))
    }


def source_words_alone(weights):
    """The source words without the target words."""
    return set(weights.argmax(dim=-1).tolist())


def strings(weights):
    """Links as text."""
    return {f"{source}-{target}" for target, source in enumerate(weights.argmax(dim=-1).tolist())}


def list_of_links(weights):
    """A list for a set."""
    return [(source, target) for target, source in enumerate(weights.argmax(dim=-1).tolist())]


def argmax_alone(weights):
    """The tensor of source words."""
    return weights.argmax(dim=-1)


def target_to_source(weights):
    """A dict."""
    return dict(enumerate(weights.argmax(dim=-1).tolist()))


def nothing_returned(weights):
    """The return is missing."""
    set(enumerate(weights.argmax(dim=-1).tolist()))


def target_first(weights):
    """The target index stands first."""
    return set(enumerate(weights.argmax(dim=-1).tolist()))


def smaller_index_first(weights):
    """The links are sorted inside."""
    return {tuple(sorted((source, target))) for target, source in enumerate(weights.argmax(dim=-1).tolist())}


def last_of_equals(weights):
    """A later weight wins when it is as large."""
    links = set()
    for target, row in enumerate(weights.tolist()):
        best = 0
        for source, weight in enumerate(row):
            if weight >= row[best]:
                best = source
        links.add((best, target))
    return links


def all_of_equals(weights):
    """Every weight that equals the largest is a link."""
    best = weights == weights.amax(dim=-1, keepdim=True)
    return {(source, target) for target, source in best.nonzero().tolist()}


def none_of_nothing(weights):
    """A row of zeros gets no link."""
    found = enumerate(zip(weights.argmax(dim=-1).tolist(), weights.amax(dim=-1).tolist(), strict=True))
    return {(source, target) for target, (source, weight) in found if weight > 0}


def unless_tied(weights):
    """A word with two largest weights gets no link."""
    best = weights == weights.amax(dim=-1, keepdim=True)
    return {(row.int().argmax().item(), target) for target, row in enumerate(best) if row.sum() == 1}


def largest_pair(weights):
    """The highest index of the largest, by a maximum over pairs."""
    return {(max((w, s) for s, w in enumerate(row))[1], t) for t, row in enumerate(weights.tolist())}


def squeezes(weights):
    """Dimensions of size one are lost."""
    return {(source, target) for target, source in enumerate(weights.squeeze().argmax(dim=-1).tolist())}


def without_dimension(weights):
    """A single row is taken for a vector."""
    if len(weights) == 1:
        weights = weights[0]
    return {
        (source, target) for target, source in enumerate(weights.argmax(dim=0 if weights.dim() == 1 else 1).tolist())
    }


def through_numpy(weights):
    """numpy takes no tensor with a graph."""
    return {(int(row.argmax()), target) for target, row in enumerate(weights.numpy())}


def numpy_integers(weights):
    """Links of NumPy's whole numbers."""
    return {(source, target) for target, source in enumerate(weights.detach().numpy().argmax(axis=1))}


def viewed_flat(weights):
    """view wants the numbers to lie side by side."""
    size = weights.shape[1]
    flat = weights.view(-1)
    return {(flat[t * size : (t + 1) * size].argmax().item(), t) for t in range(len(weights))}


def zeroes_the_rest(weights):
    """All but the largest weight of each row are set to zero, in the argument."""
    with torch.no_grad():
        weights.mul_(weights == weights.amax(dim=-1, keepdim=True))
    return {(source, target) for target, source in enumerate(weights.argmax(dim=-1).tolist())}


_LARGEST = "each target word is linked to the source word of its largest weight"
_ORDER = "a link is (source index, target index)"
_TIES = "if weights are equal, the first one counts"
_ONE_WORD = "sentences of one word keep their links"
_ANY = "weights of any kind work, and are not changed"

WRONG = {
    link_for_every_source_word: _LARGEST,
    largest_of_columns_as_sources: _LARGEST,
    smallest_weight: _LARGEST,
    over_one_half: _LARGEST,
    over_average: _LARGEST,
    free_source_words_only: _LARGEST,
    largest_of_all: _LARGEST,
    counted_from_one: _LARGEST,
    tensors_inside: _LARGEST,
    two_tensors_inside: _LARGEST,
    floats_inside: _LARGEST,
    three_in_a_link: _LARGEST,
    source_words_alone: _LARGEST,
    strings: _LARGEST,
    list_of_links: _LARGEST,
    argmax_alone: _LARGEST,
    target_to_source: _LARGEST,
    nothing_returned: _LARGEST,
    target_first: _ORDER,
    smaller_index_first: _ORDER,
    last_of_equals: _TIES,
    all_of_equals: _TIES,
    none_of_nothing: _TIES,
    unless_tied: _TIES,
    largest_pair: _TIES,
    squeezes: _ONE_WORD,
    without_dimension: _ONE_WORD,
    through_numpy: _ANY,
    numpy_integers: _LARGEST,
    viewed_flat: _ANY,
    zeroes_the_rest: _ANY,
}


def loops(weights):
    """Word by word, with a larger weight winning."""
    links = set()
    for target in range(weights.shape[0]):
        best = 0
        for source in range(weights.shape[1]):
            if weights[target, source] > weights[target, best]:
                best = source
        links.add((best, target))
    return links


def with_argmax(weights):
    """torch's argmax, which on the CPU takes the first of equals."""
    return {(source, target) for target, source in enumerate(weights.argmax(dim=1).tolist())}


def row_by_row(weights):
    """argmax and item."""
    links = set()
    for target, row in enumerate(weights):
        links.add((torch.argmax(row).item(), target))
    return links


def with_max(weights):
    """The indices that max gives besides."""
    _, sources = weights.max(dim=-1)
    return set(zip(sources.tolist(), range(len(weights)), strict=True))


def stable_sort(weights):
    """The first of a stable sort."""
    return {(row.sort(descending=True, stable=True).indices[0].item(), t) for t, row in enumerate(weights)}


def through_detached_numpy(weights):
    """NumPy finds them."""
    return {(int(row.argmax()), target) for target, row in enumerate(weights.detach().float().numpy())}


def first_true(weights):
    """The first place that equals the largest."""
    first = {}
    for target, source in (weights == weights.amax(-1, keepdim=True)).nonzero().tolist():
        first.setdefault(target, source)
    return {(source, target) for target, source in first.items()}


def frozen(weights):
    """A set that cannot change."""
    return frozenset((max(range(len(row)), key=row.__getitem__), t) for t, row in enumerate(weights.tolist()))


def of_a_copy(weights):
    """A copy may be changed."""
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


RIGHT = {
    "loops": loops,
    "with argmax": with_argmax,
    "row by row": row_by_row,
    "with max": with_max,
    "a stable sort": stable_sort,
    "through numpy": through_detached_numpy,
    "the first that is true": first_true,
    "a frozen set": frozen,
    "of a copy": of_a_copy,
    "a module": HardAlignment(),
    "a partial": functools.partial(from_dimension, 1),
    "a lambda": lambda weights: {(row.index(max(row)), t) for t, row in enumerate(weights.tolist())},
}
