"""Mistakes in `alignment_error_rate`, and right answers in other styles."""

import fractions
import functools
import statistics

import numpy as np
import torch
from torch import nn

from autograder.checks.ch05_attention.alignment_error_rate import (
    all_sure,
    in_chapter,
    only_possible,
    sets,
    several,
    some_empty,
)
from autograder.judging.catalogue import mistake, right


def _counts(predicted, sure, possible):
    """|A|, |S|, |P|, |A ∩ S| and |A ∩ P|, over all sentences."""
    number_predicted = sum(len(a) for a in predicted)
    number_sure = sum(len(s) for s in sure)
    number_possible = sum(len(p) for p in possible)
    in_sure = sum(len(a & s) for a, s in zip(predicted, sure, strict=True))
    in_possible = sum(len(a & p) for a, p in zip(predicted, possible, strict=True))
    return number_predicted, number_sure, number_possible, in_sure, in_possible


@right
def _right(predicted, sure, possible):
    a, s, _, in_sure, in_possible = _counts(predicted, sure, possible)
    return 1 - (in_sure + in_possible) / (a + s)


@mistake(in_chapter, "sentences with the same links are counted once, expected each of them")
def different_sentences(predicted, sure, possible):
    return _right(
        *zip(*{tuple(map(frozenset, links)) for links in zip(predicted, sure, possible, strict=True)}, strict=True)
    )


@right
def with_numpy(predicted, sure, possible):
    counts = [[len(a & s), len(a & p), len(a), len(s)] for a, s, p in zip(predicted, sure, possible, strict=True)]
    in_sure, in_possible, a, s = np.sum(counts, axis=0)
    return 1 - (in_sure + in_possible) / (a + s)


@mistake(all_sure, "the result is 1 minus the error rate, so it measures what is right; expected the error rate itself")
def how_much_is_right(predicted, sure, possible):
    return 1 - _right(predicted, sure, possible)


@mistake(all_sure, "source and target are swapped in the predicted links")
def links_turned(predicted, sure, possible):
    return _right([{link[::-1] for link in links} for links in predicted], sure, possible)


@mistake(all_sure, "the result is the precision |A ∩ P| / |A|, expected the error rate")
def precision(predicted, sure, possible):
    a, _, _, _, in_possible = _counts(predicted, sure, possible)
    return in_possible / a if a else 0.0


mistake(
    all_sure, "the result is 1 minus the precision |A ∩ P| / |A|, so sure links that are not predicted cost nothing"
).made_in(how_much_is_right, wrong_among_predicted={"return 1 - _right": "return 1 - precision"})


@mistake(all_sure, "the result is the recall |A ∩ S| / |S|, expected the error rate")
def recall(predicted, sure, possible):
    _, s, _, in_sure, _ = _counts(predicted, sure, possible)
    return in_sure / s if s else 0.0


@mistake(all_sure, "the result is 1 minus the recall |A ∩ S| / |S|, so predicted links that are wrong cost nothing")
def missed_of_sure(predicted, sure, possible):
    return 1 - recall(predicted, sure, possible)


@mistake(
    all_sure, "a sure link that was predicted counts only once in the numerator, expected twice: in A ∩ S and in A ∩ P"
)
def possible_without_sure(predicted, sure, possible):
    return _right(predicted, sure, [p - s for s, p in zip(sure, possible, strict=True)])


mistake(
    all_sure, "a sure link that was predicted counts only once in the numerator, expected twice: in A ∩ S and in A ∩ P"
).made_in(_right, sure_only_once={"a, s, _, in_sure, in_possible": "a, s, _, in_sure, _", " + in_possible": ""})


@mistake(all_sure, "the denominator is the number of links in A ∪ S, expected |A| + |S|")
def over_the_union(predicted, sure, possible):
    union = sum(len(a | s) for a, s in zip(predicted, sure, strict=True))
    return 1 - _counts(predicted, sure, possible)[4] / union


@mistake(
    all_sure, "the links that are in only one of the two sets are counted, and divided by the number of sure links"
)
def unlike_links(predicted, sure, possible):
    return sum(len(a ^ s) for a, s in zip(predicted, sure, strict=True)) / sum(map(len, sure))


@mistake(all_sure, "the rate is in percent, expected a number from 0 to 1")
def in_percent(predicted, sure, possible):
    return 100 * _right(predicted, sure, possible)


@mistake(all_sure, "the result is a tensor, expected a number")
def a_tensor(predicted, sure, possible):
    return torch.tensor(_right(predicted, sure, possible))


@mistake(all_sure, "the result is rounded, expected all of its digits")
def rounded(predicted, sure, possible):
    return round(_right(predicted, sure, possible), 2)


mistake(all_sure, "the denominator is |A| + |S| + |P|, expected |A| + |S|").made_in(
    _right, all_three_below={"a, s, _": "a, s, p", "(a + s)": "(a + s + p)"}
)
mistake(all_sure, "the quotient is rounded down, because // is used instead of /").made_in(
    _right, whole_division={"1 - (in_sure + in_possible) / (a + s)": "1.0 - (in_sure + in_possible) // (a + s)"}
)


@mistake(all_sure, "the result is a Fraction, expected a float")
def a_fraction(*links):
    return fractions.Fraction(_right(*links))


@mistake(all_sure, "the lists of sentences are used as if they were sets of links")
def sets_for_lists(predicted, sure, possible):
    return 1 - (len(predicted & sure) + len(predicted & possible)) / (len(predicted) + len(sure))


mistake(all_sure, "the denominator contains the numbers of sentences, expected the numbers of links").made_in(
    _right, sentences_for_links={"a, s, _": "*_", "(a + s)": "(len(predicted) + len(sure))"}
)


@mistake(all_sure, "the result is a list with a rate for each sentence, expected one rate for all")
def one_for_each_sentence(predicted, sure, possible):
    return [_right([a], [s], [p]) for a, s, p in zip(predicted, sure, possible, strict=True)]


@mistake(all_sure, "there is no return")
def nothing_returned(predicted, sure, possible):
    _right(predicted, sure, possible)


@mistake(only_possible, "the possible links have no effect: the links in A ∩ S were counted twice")
def only_sure(predicted, sure, possible):
    return _right(predicted, sure, sure)


mistake(only_possible, "the links in A ∩ P were counted twice, and those in A ∩ S were not counted").made_in(
    _right, possible_twice={"a, s, _, in_sure": "a, s, _, _", "in_sure + in_possible": "2 * in_possible"}
)
mistake(only_possible, "the denominator is |A| + |P|, expected |A| + |S|").made_in(
    _right, possible_below={"a, s, _": "a, _, p", "(a + s)": "(a + p)"}
)


@mistake(only_possible, "the possible links were used as the sure ones")
def possible_as_sure(predicted, sure, possible):
    return _right(predicted, possible, possible)


@mistake(only_possible, "the denominator is |A| + |P|, expected |A| + |S|")
def sure_and_possible_swapped(predicted, sure, possible):
    return _right(predicted, possible, sure)


@mistake(
    only_possible,
    "the result is 1 minus the F-measure of |A ∩ P| / |A| and |A ∩ S| / |S|; the error rate is a single fraction of counts",
)
def f_measure(predicted, sure, possible):
    p, r = precision(predicted, sure, possible), recall(predicted, sure, possible)
    return 1 - (2 * p * r / (p + r) if p + r else 0.0)


mistake(only_possible, "the denominator is |A| + (|S| + |P|) / 2, expected |A| + |S|").made_in(
    _right, mean_of_precision_and_recall={"a, s, _": "a, s, p", "(a + s)": "(a + (s + p) / 2)"}
)
mistake(all_sure, "the result is 1 minus the mean of precision and recall").made_in(
    _right, half_of_each_rate={"(in_sure + in_possible) / (a + s)": "(in_possible / a + in_sure / s) / 2"}
)
mistake(all_sure, "the brackets around the numerator are missing: 1 - |A ∩ S| + |A ∩ P| / (|A| + |S|)").made_in(
    _right, without_brackets={"1 - (in_sure + in_possible) / (a + s)": "1 - in_sure + in_possible / (a + s)"}
)


@mistake(several, "the result is the mean of the sentences' rates")
def mean_of_rates(predicted, sure, possible):
    rates = []
    for a, s, p in zip(predicted, sure, possible, strict=True):
        rates.append(1 - (len(a & s) + len(a & p)) / (len(a) + len(s)))
    return sum(rates) / len(rates)


@mistake(several, "the result is a mean of the sentences' rates, weighted by their numbers of sure links")
def mean_by_sure_links(predicted, sure, possible):
    rates = [len(s) * _right([a], [s], [p]) for a, s, p in zip(predicted, sure, possible, strict=True) if a or s]
    return sum(rates) / max(sum(map(len, sure)), 1)


@mistake(several, "the result is the sum of the sentences' rates")
def sum_of_rates(predicted, sure, possible):
    return float(sum(_right([a], [s], [p]) for a, s, p in zip(predicted, sure, possible, strict=True)))


@mistake(several, "the result is the median of the sentences' rates")
def median_of_rates(predicted, sure, possible):
    return statistics.median(_right([a], [s], [p]) for a, s, p in zip(predicted, sure, possible, strict=True))


@mistake(several, "the result is the rate of the first sentence alone")
def first_sentence(predicted, sure, possible):
    for a, s, p in zip(predicted, sure, possible, strict=True):
        return 1 - (len(a & s) + len(a & p)) / (len(a) + len(s))


@mistake(several, "the result is the rate of the last sentence alone")
def last_sentence(predicted, sure, possible):
    for a, s, p in zip(predicted, sure, possible, strict=True):
        right = len(a & s) + len(a & p)
        total = len(a) + len(s)
    return 1 - right / total


@mistake(
    several, "the links of all sentences were put into one set, where equal links of different sentences become one"
)
def one_set_of_all(predicted, sure, possible):
    a, s, p = (set().union(*links) for links in (predicted, sure, possible))
    return 1 - (len(a & s) + len(a & p)) / (len(a) + len(s))


@mistake(some_empty, "a sentence without predicted links is skipped")
def skips_without_predicted(predicted, sure, possible):
    kept = [links for links in zip(predicted, sure, possible, strict=True) if links[0]]
    return _right(*zip(*kept, strict=True))


mistake(some_empty, "a sentence without gold links is skipped").made_in(
    skips_without_predicted, skips_without_gold={"links[0]": "links[1] or links[2]"}
)


@mistake(some_empty, "the rate is 0 if there is no predicted link, expected 1: all sure links are missed")
def nothing_predicted_is_perfect(predicted, sure, possible):
    return _right(predicted, sure, possible) if any(predicted) else 0.0


@mistake(some_empty, "the rate is 0 if there is no sure link, but predicted links can still be wrong")
def nothing_sure_is_perfect(predicted, sure, possible):
    return _right(predicted, sure, possible) if any(sure) else 0.0


mistake(some_empty, "a sentence without a correct link is skipped").made_in(
    skips_without_predicted, skips_without_hit={"links[0]": "links[0] & links[2]"}
)


@mistake(some_empty, "the loop stops at the first sentence without links")
def stops_at_empty(predicted, sure, possible):
    right = total = 0
    for a, s, p in zip(predicted, sure, possible, strict=True):
        if not a or not s:
            break
        right += len(a & s) + len(a & p)
        total += len(a) + len(s)
    return 1 - right / total


@mistake(some_empty, "the first link of every set is looked at, but a set may be empty")
def first_link_of_each(predicted, sure, possible):
    for links in (*predicted, *sure, *possible):
        assert len(next(iter(links))) == 2
    return _right(predicted, sure, possible)


@mistake(sets, "wrong links are removed from the caller's sets")
def takes_out_of_sets(predicted, sure, possible):
    right = total = 0
    for a, s, p in zip(predicted, sure, possible, strict=True):
        total += len(a) + len(s)
        right += len(a & s)
        a &= p
        right += len(a)
    return 1 - right / total


@mistake(sets, "sentences are removed from the caller's lists")
def takes_out_of_lists(predicted, sure, possible):
    right = total = 0
    while predicted:
        a, s, p = predicted.pop(), sure.pop(), possible.pop()
        right += len(a & s) + len(a & p)
        total += len(a) + len(s)
    return 1 - right / total


@mistake(sets, "the caller's list of possible links is overwritten")
def puts_into_lists(predicted, sure, possible):
    for index, links in enumerate(sure):
        possible[index] = possible[index] - links
    a, s, _, in_sure, in_possible = _counts(predicted, sure, possible)
    return 1 - (2 * in_sure + in_possible) / (a + s)


@mistake(sets, "methods of set are called with a frozenset; use the operators, or the methods of the object itself")
def methods_of_set(predicted, sure, possible):
    right = total = 0
    for a, s, p in zip(predicted, sure, possible, strict=True):
        right += len(set.intersection(a, s)) + len(set.intersection(a, p))
        total += len(a) + len(s)
    return 1 - right / total


@right
def loops(predicted, sure, possible):
    right = total = 0
    for index in range(len(predicted)):
        for link in predicted[index]:
            total += 1
            if link in sure[index]:
                right += 1
            if link in possible[index]:
                right += 1
        for _ in sure[index]:
            total += 1
    return (total - right) / total


@right
def with_intersection(predicted, sure, possible):
    right = sum(
        len(a.intersection(s)) + len(a.intersection(p)) for a, s, p in zip(predicted, sure, possible, strict=True)
    )
    return 1 - right / (sum(map(len, predicted)) + sum(map(len, sure)))


@right
def numbered_sentences(predicted, sure, possible):
    a, s, p = (
        {(number, link) for number, links in enumerate(sentences) for link in links}
        for sentences in (predicted, sure, possible)
    )
    return 1 - (len(a & s) + len(a & p)) / (len(a) + len(s))


@right
def through_tensors(predicted, sure, possible):
    counts = torch.zeros(2, dtype=torch.float64)
    for a, s, p in zip(predicted, sure, possible, strict=True):
        counts += torch.tensor([len(a & s) + len(a & p), len(a) + len(s)])
    return (1 - counts[0] / counts[1]).item()


@right
def weighted_mean(predicted, sure, possible):
    sizes = [len(a) + len(s) for a, s in zip(predicted, sure, strict=True)]
    rates = [_right([a], [s], [p]) if a or s else 0.0 for a, s, p in zip(predicted, sure, possible, strict=True)]
    return sum(size * rate for size, rate in zip(sizes, rates, strict=True)) / sum(sizes)


@right
def possible_taken_apart(predicted, sure, possible):
    right = total = 0
    for a, s, p in zip(predicted, sure, possible, strict=True):
        right += 2 * len(a & s) + len(a & (p - s))
        total += len(a) + len(s)
    return 1 - right / total


@right
def single_precision(predicted, sure, possible):
    return torch.tensor(_right(predicted, sure, possible)).item()


class AlignmentErrorRate(nn.Module):
    """A module in the place of a function."""

    def forward(self, predicted, sure, possible):
        return _right(predicted, sure, possible)


def with_a_unit(unit, predicted, sure, possible):
    """For a partial."""
    return unit * _right(predicted, sure, possible)


right(AlignmentErrorRate())


right(functools.partial(with_a_unit, 1.0))


right(lambda predicted, sure, possible: _right(sure=sure, predicted=predicted, possible=possible))
