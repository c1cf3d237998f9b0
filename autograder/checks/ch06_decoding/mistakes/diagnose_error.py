"""Mistakes in `diagnose_error`, and right answers in other styles."""

import functools
import operator

import numpy as np
from torch import nn

from autograder.checks.ch06_decoding.diagnose_error import equal, in_chapter, others, the_same, tuples
from autograder.judging.catalogue import mistake, right


def told(found, reference, found_score, reference_score):
    if list(found) == list(reference):
        return "none"
    return "search" if reference_score > found_score else "model"


@mistake(others, "'search' and 'model' are swapped")
def swapped(found, reference, found_score, reference_score):
    if list(found) == list(reference):
        return "none"
    return "model" if reference_score > found_score else "search"


@mistake(others, "every error is called a search error")
def always_the_search(found, reference, found_score, reference_score):
    return "none" if list(found) == list(reference) else "search"


mistake(others, "the absolute values of the scores are compared; scores are negative").made_in(
    told, by_size={"reference_score > found_score": "abs(reference_score) > abs(found_score)"}
)


@mistake(others, "other words are returned, expected 'none', 'search' and 'model'")
def other_names(*args):
    return told(*args) + " error"


mistake(others, "there is no return").made_in(other_names, nothing={'return told(*args) + " error"': "told(*args)"})


@mistake(others, "True and False are returned, expected 'none', 'search' and 'model'")
def is_search(*args):
    return told(*args) == "search"


@mistake(others, "the scores are divided by the lengths; expected compared as they are")
def by_squared_length(found, reference, found_score, reference_score):
    return told(found, reference, found_score / len(found) ** 2, reference_score / len(reference) ** 2)


mistake(others, "the scores are divided by the lengths; expected compared as they are").made_in(
    told,
    by_length={
        "reference_score > found_score": "reference_score / max(len(reference), 1) > found_score / max(len(found), 1)"
    },
)


@mistake(the_same, "only the scores are compared; expected 'none' where the words are the same, whatever the scores")
def words_not_looked_at(found, reference, found_score, reference_score):
    return "search" if reference_score > found_score else "model"


mistake(
    the_same, "the same words count as an error if their scores differ; expected 'none', whatever the scores"
).made_in(told, same_length={"(reference)": "(reference) and found_score == reference_score"})
mistake(
    the_same, "the order of the words is ignored; expected 'none' only for the same words in the same order"
).made_in(told, in_any_order={"if list(found) == list": "if sorted(found) == sorted"})
mistake(the_same, "the words are compared with zip, which ignores the rest of the longer sentence").made_in(
    told,
    common_beginning={
        "list(found) == list(reference)": "all(word == other for word, other in zip(found, reference, strict=False))"
    },
)
mistake(equal, "equal scores count as a search error, expected a model error").made_in(
    told, equality_is_the_searchs={"> found_score": ">= found_score"}
)
mistake(equal, "equal scores count as no error, expected a model error if the words differ").made_in(
    told, equality_is_none={"(reference)": "(reference) or found_score == reference_score"}
)
mistake(tuples, "a list is compared with a tuple, which is never equal to it").made_in(
    told, kinds_differ={"list(found) == list(reference)": "found == reference"}
)


@mistake(tuples, "the sentences are concatenated, which fails for a list and a tuple")
def lists_alone(found, reference, found_score, reference_score):
    found + reference
    return told(found, reference, found_score, reference_score)


mistake(in_chapter, "the absolute values of the scores are compared, but a score may be positive").made_in(
    told, nearer_to_zero={"reference_score > found_score": "abs(reference_score) < abs(found_score)"}
)
mistake(in_chapter, "a score of minus infinity always counts as a search error; equal ones are a model error").made_in(
    told, impossible={"if reference_score": 'if found_score == float("-inf") or reference_score'}
)
mistake(in_chapter, "scores that are nearly equal count as equal").made_in(
    told, with_tolerance={'else "model"': '+ 1e-6 else "model"'}
)


@mistake(in_chapter, "an empty sentence always counts as a search error")
def nothing_found(found, reference, found_score, reference_score):
    if not found or list(found) != list(reference):
        return "search" if not found or reference_score > found_score else "model"
    return "none"


mistake(
    in_chapter, "the exponentials of the scores are compared, and both underflow to 0 where the scores are very low"
).made_in(told, of_probabilities={"reference_score > found_score": "np.exp(reference_score) > np.exp(found_score)"})


@mistake(
    in_chapter, "the exponentials of the scores are compared, and both underflow to 0 where the scores are very low"
)
def compares_probabilities(found, reference, found_score, reference_score):
    if list(found) == list(reference):
        return "none"
    return "search" if np.exp(np.float32(reference_score)) > np.exp(np.float32(found_score)) else "model"


@right
def word_by_word(found, reference, found_score, reference_score):
    same = len(found) == len(reference) and all(map(operator.eq, found, reference))
    if same:
        return "none"
    if reference_score - found_score > 0:
        return "search"
    return "model"


@right
def by_table(found, reference, found_score, reference_score):
    kind = 0 if tuple(found) == tuple(reference) else 1 + (max(found_score, reference_score) == found_score)
    return ("none", "search", "model")[kind]


class Diagnose(nn.Module):
    """A module."""

    def forward(self, *args):
        return told(*args)


right(lambda f, r, a, b: "none" if [*f] == [*r] else ("model" if a >= b else "search"))


right(Diagnose())


right(functools.partial(told))
