"""What students hand in for `clipped_precision`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
rule of the exercise.
"""

import functools
from collections import Counter, defaultdict

import numpy as np
import torch
from torch import nn

EXERCISE = "clipped_precision"


def ngrams(words, n):
    """The n-grams of a sentence, in a list."""
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def limits(references, n):
    """The most times that each n-gram stands in any reference."""
    found = Counter()
    for reference in references:
        found |= Counter(ngrams(reference, n))
    return found


def right(candidate, references, n):
    """The right counts, for the mistakes that are made elsewhere."""
    counts = Counter(ngrams(candidate, n))
    return (counts & limits(references, n)).total(), counts.total()


def divided(candidate, references, n):
    """The fraction for its two numbers."""
    matches, total = right(candidate, references, n)
    return matches / total if total else 0.0


def in_percent(candidate, references, n):
    """From 0 to 100."""
    return 100 * divided(candidate, references, n)


def swapped(candidate, references, n):
    """The total first."""
    return right(candidate, references, n)[::-1]


def recall(candidate, references, n):
    """The reference's n-grams below the line."""
    return right(candidate, references, n)[0], max(len(references[0]) - n + 1, 0)


def words_below(candidate, references, n):
    """The number of words below the line."""
    return right(candidate, references, n)[0], len(candidate)


def misses_the_last(candidate, references, n):
    """One n-gram too few."""

    def found(words):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n))

    counts = found(candidate)
    return sum(min(c, max(found(r)[g] for r in references)) for g, c in counts.items()), counts.total()


def one_less_below(candidate, references, n):
    """The formula for the total is off by one."""
    return right(candidate, references, n)[0], max(len(candidate) - n, 0)


def single_words(candidate, references, n):
    """n is not used."""
    return right(candidate, references, 1)


def all_up_to_n(candidate, references, n):
    """Shorter n-grams too."""
    return tuple(map(sum, zip(*(right(candidate, references, m) for m in range(1, n + 1)), strict=True)))


def the_others_below(candidate, references, n):
    """What does not match, for all."""
    matches, total = right(candidate, references, n)
    return matches, total - matches


def as_floats(candidate, references, n):
    """Floats for whole numbers."""
    return tuple(map(float, right(candidate, references, n)))


def as_a_tensor(candidate, references, n):
    """A tensor of two numbers."""
    return torch.tensor(right(candidate, references, n))


def nothing_returned(candidate, references, n):
    """The return is missing."""
    right(candidate, references, n)


def slices_of_lists(candidate, references, n):
    """A list is not hashable."""
    counts = Counter(candidate[i : i + n] for i in range(len(candidate) - n + 1))
    return counts.total(), counts.total()


def at_the_same_place(candidate, references, n):
    """An n-gram matches only where the reference has it at the same place."""
    pairs = zip(ngrams(candidate, n), ngrams(references[0], n), strict=False)
    return sum(one == other for one, other in pairs), len(ngrams(candidate, n))


def not_clipped(candidate, references, n):
    """An n-gram that is in a reference counts every time."""
    found = limits(references, n)
    return sum(ngram in found for ngram in ngrams(candidate, n)), len(ngrams(candidate, n))


def different_ones(candidate, references, n):
    """Sets above and below."""
    mine = set(ngrams(candidate, n))
    return len(mine & set(limits(references, n))), len(mine)


def different_ones_above(candidate, references, n):
    """A set above the line."""
    return len(set(ngrams(candidate, n)) & set(limits(references, n))), len(ngrams(candidate, n))


def different_ones_below(candidate, references, n):
    """The length of the counter below the line."""
    return right(candidate, references, n)[0], len(Counter(ngrams(candidate, n)))


def as_often_as_the_reference(candidate, references, n):
    """The reference's count, however often the candidate has it."""
    found = limits(references, n)
    return sum(found[ngram] for ngram in set(ngrams(candidate, n))), len(ngrams(candidate, n))


def count_times_count(candidate, references, n):
    """Each of the one meets each of the other."""
    found = limits(references, n)
    return sum(found[ngram] for ngram in ngrams(candidate, n)), len(ngrams(candidate, n))


def clips_at_one(candidate, references, n):
    """At most once, whatever the reference says."""
    counts, found = Counter(ngrams(candidate, n)), limits(references, n)
    return sum(min(count, 1) for ngram, count in counts.items() if ngram in found), counts.total()


def sum_over_references(candidate, references, n):
    """The references' counts are added up."""
    counts = Counter(ngrams(candidate, n))
    found = sum((Counter(ngrams(reference, n)) for reference in references), Counter())
    return (counts & found).total(), counts.total()


def references_joined(candidate, references, n):
    """One long reference."""
    return right(candidate, [[word for reference in references for word in reference]], n)


def least_over_references(candidate, references, n):
    """min for max."""
    counts = Counter(ngrams(candidate, n))
    found = [Counter(ngrams(reference, n)) for reference in references]
    return sum(min(count, min(f[ngram] for f in found)) for ngram, count in counts.items()), counts.total()


def first_reference(candidate, references, n):
    """Only the first."""
    return right(candidate, references[:1], n)


def last_reference(candidate, references, n):
    """Each reference takes the place of the one before."""
    for reference in references:
        found = Counter(ngrams(reference, n))
    counts = Counter(ngrams(candidate, n))
    return (counts & found).total(), counts.total()


def longest_reference(candidate, references, n):
    """Only the longest."""
    return right(candidate, [max(references, key=len)], n)


def closest_reference(candidate, references, n):
    """Only the one whose length is closest."""
    return right(candidate, [min(references, key=lambda r: abs(len(r) - len(candidate)))], n)


def best_single_reference(candidate, references, n):
    """The largest number of matches with one reference."""
    return max(right(candidate, [reference], n)[0] for reference in references), len(ngrams(candidate, n))


def matches_of_each_added(candidate, references, n):
    """Matches with each reference, added up."""
    return sum(right(candidate, [reference], n)[0] for reference in references), len(ngrams(candidate, n))


def negative_total(candidate, references, n):
    """The formula for the number of n-grams becomes negative."""
    return right(candidate, references, n)[0], len(candidate) - n + 1


def at_least_one_below(candidate, references, n):
    """So that nobody divides by zero."""
    matches, total = right(candidate, references, n)
    return matches, max(total, 1)


def raises_for_short_ones(candidate, references, n):
    """An error for what is allowed."""
    if min(len(candidate), *map(len, references)) < n:
        raise ValueError("too short")
    return right(candidate, references, n)


def leaves_out_short_references(candidate, references, n):
    """max() of nothing."""
    counts = Counter(ngrams(candidate, n))
    found = [Counter(ngrams(reference, n)) for reference in references if len(reference) >= n]
    return sum(min(count, max(f[ngram] for f in found)) for ngram, count in counts.items()), counts.total()


def in_small_letters(candidate, references, n):
    """Capital letters are made small."""
    return right([w.lower() for w in candidate], [[w.lower() for w in r] for r in references], n)


def run_together(candidate, references, n):
    """join() with nothing between."""

    def found(words):
        return Counter("".join(words[i : i + n]) for i in range(len(words) - n + 1))

    counts = found(candidate)
    return sum(min(c, max(found(r)[g] for r in references)) for g, c in counts.items()), counts.total()


def within_the_text(candidate, references, n):
    """An n-gram is looked for in the reference's text; clipped to how often it is found there."""
    counts = Counter(" ".join(ngram) for ngram in ngrams(candidate, n))
    texts = [" ".join(reference) for reference in references]

    def times(ngram, text):
        return sum(text.startswith(ngram, i) for i in range(len(text)))

    return sum(min(c, max(times(g, text) for text in texts)) for g, c in counts.items()), counts.total()


def takes_words_out(candidate, references, n):
    """The candidate is empty afterwards."""
    found, counts = limits(references, n), Counter()
    while len(candidate) >= n:
        counts[tuple(candidate[:n])] += 1
        candidate.pop(0)
    return (counts & found).total(), counts.total()


def adds_a_list(candidate, references, n):
    """A tuple and a list do not add up."""
    return right(candidate + [], references, n)


def adds_a_reference(candidate, references, n):
    """The caller has one reference more."""
    references += [[]]
    return right(candidate, references, n)


def occurrences_in_text(candidate, references, n):
    """str.count leaves out what overlaps."""
    matches = 0
    for ngram, count in Counter(ngrams(candidate, n)).items():
        text = " " + " ".join(ngram) + " "
        matches += min(count, max((" " + " ".join(reference) + " ").count(text) for reference in references))
    return matches, right(candidate, references, n)[1]


def order_forgotten(candidate, references, n):
    """Sets of words for n-grams."""
    counts = Counter(map(frozenset, ngrams(candidate, n)))
    union = Counter()
    for reference in references:
        union |= Counter(map(frozenset, ngrams(reference, n)))
    return (counts & union).total(), counts.total()


def sum_is_clipped(candidate, references, n):
    """All matches together are clipped, at the number of the reference's n-grams."""
    found = {ngram for reference in references for ngram in ngrams(reference, n)}
    hits = sum(ngram in found for ngram in ngrams(candidate, n))
    return min(hits, max(len(ngrams(reference, n)) for reference in references)), len(ngrams(candidate, n))


def mean_over_references(candidate, references, n):
    """The mean of the references' counts, as a whole number."""
    counts, others = Counter(ngrams(candidate, n)), [Counter(ngrams(reference, n)) for reference in references]
    matches = sum(min(count, sum(other[ngram] for other in others) // len(others)) for ngram, count in counts.items())
    return matches, counts.total()


_COUNT = "the candidate's n-grams are counted: those in the reference, and all of them"
_CLIPPED = "an n-gram counts no more often than it occurs in the reference"
_SEVERAL = "with several references, an n-gram may count as often as it occurs in any one of them"
_SHORT = "a sentence may have fewer than n words, or none"
_WHOLE = "words are compared as whole words, exactly as they are"
_ARGUMENTS = "sentences may be tuples or lists, and are left as they were"

WRONG = {
    divided: _COUNT,
    in_percent: _COUNT,
    swapped: _COUNT,
    recall: _COUNT,
    words_below: _COUNT,
    misses_the_last: _COUNT,
    one_less_below: _COUNT,
    single_words: _COUNT,
    all_up_to_n: _COUNT,
    the_others_below: _COUNT,
    as_floats: _COUNT,
    as_a_tensor: _COUNT,
    nothing_returned: _COUNT,
    slices_of_lists: _COUNT,
    at_the_same_place: _COUNT,
    not_clipped: _CLIPPED,
    different_ones: _CLIPPED,
    different_ones_above: _CLIPPED,
    different_ones_below: _CLIPPED,
    as_often_as_the_reference: _CLIPPED,
    count_times_count: _CLIPPED,
    clips_at_one: _CLIPPED,
    occurrences_in_text: _CLIPPED,
    order_forgotten: _CLIPPED,
    sum_is_clipped: _CLIPPED,
    sum_over_references: _SEVERAL,
    references_joined: _SEVERAL,
    least_over_references: _SEVERAL,
    mean_over_references: _SEVERAL,
    first_reference: _SEVERAL,
    last_reference: _SEVERAL,
    longest_reference: _SEVERAL,
    closest_reference: _SEVERAL,
    best_single_reference: _SEVERAL,
    matches_of_each_added: _SEVERAL,
    negative_total: _SHORT,
    at_least_one_below: _SHORT,
    raises_for_short_ones: _SHORT,
    leaves_out_short_references: _SHORT,
    in_small_letters: _WHOLE,
    run_together: _WHOLE,
    within_the_text: _COUNT,
    takes_words_out: _ARGUMENTS,
    adds_a_list: _ARGUMENTS,
    adds_a_reference: _ARGUMENTS,
}


def loops(candidate, references, n):
    """Word by word, with dictionaries."""
    counts = {}
    for i in range(len(candidate) - n + 1):
        ngram = tuple(candidate[i : i + n])
        counts[ngram] = counts.get(ngram, 0) + 1
    matches = 0
    for ngram, count in counts.items():
        most = 0
        for reference in references:
            found = 0
            for i in range(len(reference) - n + 1):
                if tuple(reference[i : i + n]) == ngram:
                    found += 1
            most = max(most, found)
        matches += min(count, most)
    return matches, sum(counts.values())


def with_operators(candidate, references, n):
    """Counters know | and &."""
    union = functools.reduce(lambda a, b: a | b, (Counter(ngrams(reference, n)) for reference in references))
    counts = Counter(ngrams(candidate, n))
    return (counts & union).total(), counts.total()


def used_up(candidate, references, n):
    """A copy of the limits is used up, n-gram by n-gram."""
    left = dict(limits(references, n))
    matches = 0
    for ngram in ngrams(candidate, n):
        if left.get(ngram, 0) > 0:
            left[ngram] -= 1
            matches += 1
    return matches, max(0, len(candidate) - n + 1)


def with_zip(candidate, references, n):
    """n-grams from shifted copies."""

    def found(words):
        counts = defaultdict(int)
        for ngram in zip(*(words[i:] for i in range(n)), strict=False):
            counts[ngram] += 1
        return counts

    counts, others = found(candidate), [found(reference) for reference in references]
    matches = 0
    for ngram, count in counts.items():
        matches += min(count, max(other.get(ngram, 0) for other in others))
    return matches, sum(counts.values())


def with_strings(candidate, references, n):
    """Words joined by what is in no word."""

    def found(words):
        return ["\0".join(words[i : i + n]) for i in range(len(words) - n + 1)]

    mine, others = found(candidate), [found(reference) for reference in references]
    return sum(min(mine.count(g), max(other.count(g) for other in others)) for g in set(mine)), len(mine)


def as_a_list(candidate, references, n):
    """A list of two."""
    return list(right(candidate, references, n))


class ClippedPrecision(nn.Module):
    """A module in the place of a function."""

    def forward(self, candidate, references, n):
        return right(candidate, references, n)


def with_a_counter(counter, candidate, references, n):
    """For a partial."""
    counts = counter(ngrams(candidate, n))
    return (counts & limits(references, n)).total(), counts.total()


def subtracted(candidate, references, n):
    """What is too much is taken off."""
    counts = Counter(ngrams(candidate, n))
    return counts.total() - (counts - limits(references, n)).total(), counts.total()


def each_copy_used_up(candidate, references, n):
    """Each reference loses what the candidate says; an n-gram counts as long as one of them still has it."""
    left = [ngrams(reference, n) for reference in references]
    matches = 0
    for ngram in ngrams(candidate, n):
        having = [other for other in left if ngram in other]
        for other in having:
            other.remove(ngram)
        matches += bool(having)
    return matches, len(ngrams(candidate, n))


def with_numpy(candidate, references, n):
    """NumPy's whole numbers."""
    different = sorted(set(ngrams(candidate, n)))
    rows = [[ngrams(words, n).count(ngram) for ngram in different] for words in (candidate, *references)]
    table = np.array(rows, dtype=int).reshape(len(references) + 1, -1)
    return np.minimum(table[0], table[1:].max(axis=0)).sum(), table[0].sum()


RIGHT = {
    "counters": right,
    "loops": loops,
    "with operators": with_operators,
    "used up": used_up,
    "with zip": with_zip,
    "with strings": with_strings,
    "a list": as_a_list,
    "subtracted": subtracted,
    "each copy used up": each_copy_used_up,
    "with NumPy": with_numpy,
    "a module": ClippedPrecision(),
    "a partial": functools.partial(with_a_counter, Counter),
    "a lambda": lambda candidate, references, n: right(candidate, references, n),
}


def sacrebleus_own(candidate, references, n):
    """The rule is that this is not used."""
    import sacrebleu

    found = sacrebleu.BLEU(tokenize="none", max_ngram_order=n).corpus_score([" ".join(candidate)], [references])
    return found.counts[n - 1], found.totals[n - 1]


FORBIDDEN = (sacrebleus_own,)
