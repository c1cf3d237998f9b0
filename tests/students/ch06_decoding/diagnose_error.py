"""Wrong and right answers to `diagnose_error`."""

import functools
import math
import operator

import numpy as np
from torch import nn

EXERCISE = "diagnose_error"


def told(found, reference, found_score, reference_score):
    if list(found) == list(reference):
        return "none"
    return "search" if reference_score > found_score else "model"


def swapped(found, reference, found_score, reference_score):
    """The names are exchanged."""
    if list(found) == list(reference):
        return "none"
    return "model" if reference_score > found_score else "search"


def always_the_search(found, reference, found_score, reference_score):
    """It is never the model."""
    return "none" if list(found) == list(reference) else "search"


def by_size(found, reference, found_score, reference_score):
    """The scores are taken without their sign."""
    if list(found) == list(reference):
        return "none"
    return "search" if abs(reference_score) > abs(found_score) else "model"


def other_names(*args):
    """Other names than were asked for."""
    return told(*args) + " error"


def nothing(*args):
    """Nothing is returned."""
    told(*args)


def is_search(*args):
    """True and False."""
    return told(*args) == "search"


def by_length(found, reference, found_score, reference_score):
    """The scores are divided by the lengths, which nobody asked for."""
    return told(found, reference, found_score / len(found) ** 2, reference_score / len(reference) ** 2)


def words_not_looked_at(found, reference, found_score, reference_score):
    """The scores alone decide."""
    return "search" if reference_score > found_score else "model"


def same_length(found, reference, found_score, reference_score):
    """Sentences of one length count as the same where the scores are near."""
    if list(found) == list(reference) and found_score == reference_score:
        return "none"
    return "search" if reference_score > found_score else "model"


def in_any_order(found, reference, found_score, reference_score):
    """The order of the words makes no difference."""
    if sorted(found) == sorted(reference):
        return "none"
    return "search" if reference_score > found_score else "model"


def common_beginning(found, reference, found_score, reference_score):
    """zip ends with the shorter one."""
    if all(word == other for word, other in zip(found, reference, strict=False)):
        return "none"
    return "search" if reference_score > found_score else "model"


def equality_is_the_searchs(found, reference, found_score, reference_score):
    """The scores are compared with >=, expected >."""
    if list(found) == list(reference):
        return "none"
    return "search" if reference_score >= found_score else "model"


def equality_is_none(found, reference, found_score, reference_score):
    """Equal scores count as no error."""
    if list(found) == list(reference) or found_score == reference_score:
        return "none"
    return "search" if reference_score > found_score else "model"


def kinds_differ(found, reference, found_score, reference_score):
    """A list never equals a tuple, even with the same words."""
    if found == reference:
        return "none"
    return "search" if reference_score > found_score else "model"


def lists_alone(found, reference, found_score, reference_score):
    """Two things are added that must be of one kind."""
    found + reference
    return told(found, reference, found_score, reference_score)


def with_tolerance(found, reference, found_score, reference_score):
    """Scores that are nearly equal count as equal."""
    if list(found) == list(reference):
        return "none"
    return "search" if reference_score > found_score + 1e-6 else "model"


def nothing_found(found, reference, found_score, reference_score):
    """An empty sentence always counts as a search error."""
    if not found or list(found) != list(reference):
        return "search" if not found or reference_score > found_score else "model"
    return "none"


def of_probabilities(found, reference, found_score, reference_score):
    """The exponentials of the scores are compared, and both are 0 where the scores are very low."""
    if list(found) == list(reference):
        return "none"
    return "search" if math.exp(reference_score) > math.exp(found_score) else "model"


def compares_probabilities(found, reference, found_score, reference_score):
    """The exponentials of the scores are compared in float32, where both underflow to 0."""
    if list(found) == list(reference):
        return "none"
    return "search" if np.exp(np.float32(reference_score)) > np.exp(np.float32(found_score)) else "model"


_USE = "works as the chapter uses it"
_FAULT = "a reference with a higher score means a search error, one with a lower score a model error"
_NONE = "if the words are the same, there is no error"
_EQUAL = "equal scores are a model error"
_TUPLES = "the words may come in a list or in a tuple"

WRONG = {
    compares_probabilities: _USE,
    with_tolerance: _USE,
    nothing_found: _USE,
    of_probabilities: _USE,
    swapped: _FAULT,
    always_the_search: _FAULT,
    by_size: _FAULT,
    other_names: _FAULT,
    nothing: _FAULT,
    is_search: _FAULT,
    by_length: _FAULT,
    words_not_looked_at: _NONE,
    same_length: _NONE,
    in_any_order: _NONE,
    common_beginning: _NONE,
    equality_is_the_searchs: _EQUAL,
    equality_is_none: _EQUAL,
    kinds_differ: _TUPLES,
    lists_alone: _TUPLES,
}


def word_by_word(found, reference, found_score, reference_score):
    """The words are compared one by one."""
    same = len(found) == len(reference) and all(map(operator.eq, found, reference))
    if same:
        return "none"
    if reference_score - found_score > 0:
        return "search"
    return "model"


def by_table(found, reference, found_score, reference_score):
    """A look into a table."""
    kind = 0 if tuple(found) == tuple(reference) else 1 + (math.copysign(1, found_score - reference_score) > 0)
    return ("none", "search", "model")[kind]


class Diagnose(nn.Module):
    """A module."""

    def forward(self, *args):
        return told(*args)


RIGHT = {
    "word by word": word_by_word,
    "by table": by_table,
    "a lambda": lambda f, r, a, b: "none" if [*f] == [*r] else ("model" if a >= b else "search"),
    "a module": Diagnose(),
    "a partial": functools.partial(told),
}
