"""What students hand in for `alignment_error_rate`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import statistics
from fractions import Fraction

import torch
from torch import nn

EXERCISE = "alignment_error_rate"


def _counts(predicted, sure, possible):
    """|A|, |S|, |P|, |A ∩ S| and |A ∩ P|, over all sentences."""
    number_predicted = sum(len(a) for a in predicted)
    number_sure = sum(len(s) for s in sure)
    number_possible = sum(len(p) for p in possible)
    in_sure = sum(len(a & s) for a, s in zip(predicted, sure, strict=True))
    in_possible = sum(len(a & p) for a, p in zip(predicted, possible, strict=True))
    return number_predicted, number_sure, number_possible, in_sure, in_possible


def _right(predicted, sure, possible):
    a, s, _, in_sure, in_possible = _counts(predicted, sure, possible)
    return 1 - (in_sure + in_possible) / (a + s)


def how_much_is_right(predicted, sure, possible):
    """1 minus is forgotten; without other possible links this is the F1 measure."""
    return 1 - _right(predicted, sure, possible)


def precision(predicted, sure, possible):
    """Right links among the predicted ones."""
    a, _, _, _, in_possible = _counts(predicted, sure, possible)
    return in_possible / a if a else 0.0


def precision_of_sure(predicted, sure, possible):
    """Sure links among the predicted ones."""
    a, _, _, in_sure, _ = _counts(predicted, sure, possible)
    return in_sure / a if a else 0.0


def wrong_among_predicted(predicted, sure, possible):
    """1 minus the precision."""
    return 1 - precision(predicted, sure, possible)


def recall(predicted, sure, possible):
    """Sure links that were predicted."""
    _, s, _, in_sure, _ = _counts(predicted, sure, possible)
    return in_sure / s if s else 0.0


def missed_of_sure(predicted, sure, possible):
    """1 minus the recall."""
    return 1 - recall(predicted, sure, possible)


def possible_without_sure(predicted, sure, possible):
    """Sure links are taken out of the possible ones."""
    return _right(predicted, sure, [p - s for s, p in zip(sure, possible, strict=True)])


def sure_only_once(predicted, sure, possible):
    """The sure links that are found, and nothing besides."""
    a, s, _, in_sure, _ = _counts(predicted, sure, possible)
    return 1 - in_sure / (a + s)


def over_the_union(predicted, sure, possible):
    """Right links over all that are in either."""
    union = sum(len(a | s) for a, s in zip(predicted, sure, strict=True))
    return 1 - _counts(predicted, sure, possible)[4] / union


def unlike_links(predicted, sure, possible):
    """The links that are in only one of the two sets are counted, and divided by the number of sure links."""
    return sum(len(a ^ s) for a, s in zip(predicted, sure, strict=True)) / sum(map(len, sure))


def in_percent(predicted, sure, possible):
    """From 0 to 100."""
    return 100 * _right(predicted, sure, possible)


def a_tensor(predicted, sure, possible):
    """A tensor for a number."""
    return torch.tensor(_right(predicted, sure, possible))


def rounded(predicted, sure, possible):
    """The result is rounded to two decimals."""
    return round(_right(predicted, sure, possible), 2)


def whole_division(predicted, sure, possible):
    """The quotient is rounded down, because // is used instead of /."""
    a, s, _, in_sure, in_possible = _counts(predicted, sure, possible)
    return 1.0 - (in_sure + in_possible) // (a + s)


def a_fraction(predicted, sure, possible):
    """An exact fraction for a float."""
    a, s, _, in_sure, in_possible = _counts(predicted, sure, possible)
    return 1 - Fraction(in_sure + in_possible, a + s)


def sets_for_lists(predicted, sure, possible):
    """The lists are taken for sets."""
    return 1 - (len(predicted & sure) + len(predicted & possible)) / (len(predicted) + len(sure))


def sentences_for_links(predicted, sure, possible):
    """The denominator contains the numbers of sentences, expected the numbers of links."""
    *_, in_sure, in_possible = _counts(predicted, sure, possible)
    return 1 - (in_sure + in_possible) / (len(predicted) + len(sure))


def one_for_each_sentence(predicted, sure, possible):
    """A list of rates."""
    return [_right([a], [s], [p]) for a, s, p in zip(predicted, sure, possible, strict=True)]


def nothing_returned(predicted, sure, possible):
    """The return is missing."""
    _right(predicted, sure, possible)


def only_sure(predicted, sure, possible):
    """The possible links are not looked at."""
    return _right(predicted, sure, sure)


def possible_twice(predicted, sure, possible):
    """The sure links are not looked at above the line."""
    a, s, _, _, in_possible = _counts(predicted, sure, possible)
    return 1 - 2 * in_possible / (a + s)


def possible_below(predicted, sure, possible):
    """|P| for |S| below the line."""
    a, _, p, in_sure, in_possible = _counts(predicted, sure, possible)
    return 1 - (in_sure + in_possible) / (a + p)


def only_possible(predicted, sure, possible):
    """The sure links are not looked at."""
    return _right(predicted, possible, possible)


def sure_and_possible_swapped(predicted, sure, possible):
    """The two kinds of gold links are taken for each other."""
    return _right(predicted, possible, sure)


def f_measure(predicted, sure, possible):
    """1 minus the F-measure of precision and recall."""
    p, r = precision(predicted, sure, possible), recall(predicted, sure, possible)
    return 1 - (2 * p * r / (p + r) if p + r else 0.0)


def mean_of_precision_and_recall(predicted, sure, possible):
    """The denominator is |A| + (|S| + |P|) / 2, expected |A| + |S|."""
    a, s, p, in_sure, in_possible = _counts(predicted, sure, possible)
    return 1 - (in_sure + in_possible) / (a + (s + p) / 2)


def half_of_each_rate(predicted, sure, possible):
    """The result is one minus the mean of precision and recall."""
    a, s, _, in_sure, in_possible = _counts(predicted, sure, possible)
    return 1 - (in_possible / a + in_sure / s) / 2


def without_brackets(predicted, sure, possible):
    """The brackets around the numerator are missing: 1 - |A ∩ S| + |A ∩ P| / (|A| + |S|)."""
    a, s, _, in_sure, in_possible = _counts(predicted, sure, possible)
    return 1 - in_sure + in_possible / (a + s)


def mean_of_rates(predicted, sure, possible):
    """Every sentence counts the same."""
    rates = []
    for a, s, p in zip(predicted, sure, possible, strict=True):
        rates.append(1 - (len(a & s) + len(a & p)) / (len(a) + len(s)))
    return sum(rates) / len(rates)


def sum_of_rates(predicted, sure, possible):
    """The rates are added up."""
    return float(sum(_right([a], [s], [p]) for a, s, p in zip(predicted, sure, possible, strict=True)))


def median_of_rates(predicted, sure, possible):
    """The result is the median of the sentences' rates."""
    return statistics.median(_right([a], [s], [p]) for a, s, p in zip(predicted, sure, possible, strict=True))


def first_sentence(predicted, sure, possible):
    """The loop returns in its first round."""
    for a, s, p in zip(predicted, sure, possible, strict=True):
        return 1 - (len(a & s) + len(a & p)) / (len(a) + len(s))


def last_sentence(predicted, sure, possible):
    """The numbers are not added up."""
    for a, s, p in zip(predicted, sure, possible, strict=True):
        right = len(a & s) + len(a & p)
        total = len(a) + len(s)
    return 1 - right / total


def one_set_of_all(predicted, sure, possible):
    """The links of all sentences fall together."""
    a, s, p = (set().union(*links) for links in (predicted, sure, possible))
    return 1 - (len(a & s) + len(a & p)) / (len(a) + len(s))


def skips_without_predicted(predicted, sure, possible):
    """A sentence with nothing predicted is passed over."""
    kept = [links for links in zip(predicted, sure, possible, strict=True) if links[0]]
    return _right(*zip(*kept, strict=True))


def skips_without_gold(predicted, sure, possible):
    """A sentence without gold links is passed over."""
    kept = [links for links in zip(predicted, sure, possible, strict=True) if links[1] or links[2]]
    return _right(*zip(*kept, strict=True))


def skips_without_hit(predicted, sure, possible):
    """A sentence in which nothing is right is passed over."""
    kept = [links for links in zip(predicted, sure, possible, strict=True) if links[0] & links[2]]
    return _right(*zip(*kept, strict=True))


def stops_at_empty(predicted, sure, possible):
    """A sentence without links ends the loop."""
    right = total = 0
    for a, s, p in zip(predicted, sure, possible, strict=True):
        if not a or not s:
            break
        right += len(a & s) + len(a & p)
        total += len(a) + len(s)
    return 1 - right / total


def first_link_of_each(predicted, sure, possible):
    """It looks at a link of every set to see that it is one."""
    for links in (*predicted, *sure, *possible):
        assert len(next(iter(links))) == 2
    return _right(predicted, sure, possible)


def takes_out_of_sets(predicted, sure, possible):
    """The predicted links that are wrong are taken out in place."""
    right = total = 0
    for a, s, p in zip(predicted, sure, possible, strict=True):
        total += len(a) + len(s)
        right += len(a & s)
        a &= p
        right += len(a)
    return 1 - right / total


def takes_out_of_lists(predicted, sure, possible):
    """The lists are emptied."""
    right = total = 0
    while predicted:
        a, s, p = predicted.pop(), sure.pop(), possible.pop()
        right += len(a & s) + len(a & p)
        total += len(a) + len(s)
    return 1 - right / total


def puts_into_lists(predicted, sure, possible):
    """The sure links are taken out of the possible ones, in the caller's list, and counted apart."""
    for index, links in enumerate(sure):
        possible[index] = possible[index] - links
    a, s, _, in_sure, in_possible = _counts(predicted, sure, possible)
    return 1 - (2 * in_sure + in_possible) / (a + s)


def methods_of_set(predicted, sure, possible):
    """A method of set, which takes no frozen set for its own."""
    right = total = 0
    for a, s, p in zip(predicted, sure, possible, strict=True):
        right += len(set.intersection(a, s)) + len(set.intersection(a, p))
        total += len(a) + len(s)
    return 1 - right / total


_SURE = "one sentence whose gold links are all sure"
_POSSIBLE = "a link that is only possible is right if it is predicted, and not missed if it is not predicted"
_POOLED = "for several sentences the numbers of links are summed first"
_EMPTY = "a sentence without predicted links, or without gold links, counts too"
_SETS = "sets and frozen sets both work, and are not changed"

WRONG = {
    half_of_each_rate: _SURE,
    without_brackets: _SURE,
    how_much_is_right: _SURE,
    precision: _SURE,
    precision_of_sure: _SURE,
    wrong_among_predicted: _SURE,
    recall: _SURE,
    missed_of_sure: _SURE,
    possible_without_sure: _SURE,
    sure_only_once: _SURE,
    over_the_union: _SURE,
    unlike_links: _SURE,
    in_percent: _SURE,
    a_tensor: _SURE,
    rounded: _SURE,
    whole_division: _SURE,
    a_fraction: _SURE,
    sets_for_lists: _SURE,
    sentences_for_links: _SURE,
    one_for_each_sentence: _SURE,
    nothing_returned: _SURE,
    only_sure: _POSSIBLE,
    possible_twice: _POSSIBLE,
    possible_below: _POSSIBLE,
    only_possible: _POSSIBLE,
    sure_and_possible_swapped: _POSSIBLE,
    f_measure: _POSSIBLE,
    mean_of_precision_and_recall: _POSSIBLE,
    mean_of_rates: _POOLED,
    sum_of_rates: _POOLED,
    median_of_rates: _POOLED,
    first_sentence: _POOLED,
    last_sentence: _POOLED,
    one_set_of_all: _POOLED,
    skips_without_predicted: _EMPTY,
    skips_without_gold: _EMPTY,
    skips_without_hit: _EMPTY,
    stops_at_empty: _EMPTY,
    first_link_of_each: _EMPTY,
    takes_out_of_sets: _SETS,
    takes_out_of_lists: _SETS,
    puts_into_lists: _SETS,
    methods_of_set: _SETS,
}


def loops(predicted, sure, possible):
    """Link by link."""
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


def with_intersection(predicted, sure, possible):
    """Methods that a set and a frozen set both have."""
    right = sum(
        len(a.intersection(s)) + len(a.intersection(p)) for a, s, p in zip(predicted, sure, possible, strict=True)
    )
    return 1 - right / (sum(map(len, predicted)) + sum(map(len, sure)))


def numbered_sentences(predicted, sure, possible):
    """One set of links that know their sentence."""
    a, s, p = (
        {(number, link) for number, links in enumerate(sentences) for link in links}
        for sentences in (predicted, sure, possible)
    )
    return 1 - (len(a & s) + len(a & p)) / (len(a) + len(s))


def through_tensors(predicted, sure, possible):
    """Counted in tensors, and taken out at the end."""
    counts = torch.zeros(2, dtype=torch.float64)
    for a, s, p in zip(predicted, sure, possible, strict=True):
        counts += torch.tensor([len(a & s) + len(a & p), len(a) + len(s)])
    return (1 - counts[0] / counts[1]).item()


def weighted_mean(predicted, sure, possible):
    """The sentences' rates, weighted by their numbers of links."""
    sizes = [len(a) + len(s) for a, s in zip(predicted, sure, strict=True)]
    rates = [_right([a], [s], [p]) if a or s else 0.0 for a, s, p in zip(predicted, sure, possible, strict=True)]
    return sum(size * rate for size, rate in zip(sizes, rates, strict=True)) / sum(sizes)


def possible_taken_apart(predicted, sure, possible):
    """Sure links that are found count twice, those that are only possible once."""
    right = total = 0
    for a, s, p in zip(predicted, sure, possible, strict=True):
        right += 2 * len(a & s) + len(a & (p - s))
        total += len(a) + len(s)
    return 1 - right / total


def single_precision(predicted, sure, possible):
    """A float that was in single precision."""
    return torch.tensor(_right(predicted, sure, possible)).item()


class AlignmentErrorRate(nn.Module):
    """A module in the place of a function."""

    def forward(self, predicted, sure, possible):
        return _right(predicted, sure, possible)


def with_a_unit(unit, predicted, sure, possible):
    """For a partial."""
    return unit * _right(predicted, sure, possible)


RIGHT = {
    "counted first": _right,
    "loops": loops,
    "with intersection": with_intersection,
    "numbered sentences": numbered_sentences,
    "through tensors": through_tensors,
    "a weighted mean": weighted_mean,
    "possible links taken apart": possible_taken_apart,
    "in single precision": single_precision,
    "a module": AlignmentErrorRate(),
    "a partial": functools.partial(with_a_unit, 1.0),
    "typed names": lambda predicted, sure, possible: _right(sure=sure, predicted=predicted, possible=possible),
}
