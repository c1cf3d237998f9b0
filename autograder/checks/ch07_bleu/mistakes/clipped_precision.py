"""Mistakes in `clipped_precision`, and right answers in other styles."""

import functools
from collections import Counter, defaultdict

import numpy as np
import torch
from torch import nn

from autograder.checks.ch07_bleu.clipped_precision import (
    arguments,
    repeated,
    several,
    short,
    whole_words,
    without_repetition,
)
from autograder.judging.catalogue import forbidden, mistake, right


def ngrams(words, n):
    """The n-grams of a sentence, in a list."""
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def limits(references, n):
    """The most times that each n-gram stands in any reference."""
    found = Counter()
    for reference in references:
        found |= Counter(ngrams(reference, n))
    return found


@right
def _right(candidate, references, n):
    counts = Counter(ngrams(candidate, n))
    return (counts & limits(references, n)).total(), counts.total()


@mistake(without_repetition, "the result is the quotient, expected its numerator and denominator")
def divided(candidate, references, n):
    matches, total = _right(candidate, references, n)
    return matches / total if total else 0.0


@mistake(without_repetition, "the result is the quotient in percent, expected its numerator and denominator")
def in_percent(candidate, references, n):
    return 100 * divided(candidate, references, n)


@mistake(without_repetition, "the two numbers are in the wrong order: expected the matches first, and then all n-grams")
def swapped(candidate, references, n):
    return _right(candidate, references, n)[::-1]


@mistake(
    without_repetition,
    "the second number counts the n-grams of the reference, which would give a recall; expected those of the candidate",
)
def recall(candidate, references, n):
    return _right(candidate, references, n)[0], max(len(references[0]) - n + 1, 0)


@mistake(without_repetition, "the second number is the number of words, expected the number of n-grams")
def words_below(candidate, references, n):
    return _right(candidate, references, n)[0], len(candidate)


@mistake(without_repetition, "the last n-gram of a sentence is missing: it begins at position L - n")
def misses_the_last(candidate, references, n):
    def found(words):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n))

    counts = found(candidate)
    return sum(min(c, max(found(r)[g] for r in references)) for g, c in counts.items()), counts.total()


@mistake(without_repetition, "the second number is one too small: a sentence of L words has L - n + 1 n-grams")
def one_less_below(candidate, references, n):
    return _right(candidate, references, n)[0], max(len(candidate) - n, 0)


@mistake(without_repetition, "single words are counted, whatever n is")
def single_words(candidate, references, n):
    return _right(candidate, references, 1)


@mistake(without_repetition, "n-grams of all lengths up to n are counted together, expected only those of n words")
def all_up_to_n(candidate, references, n):
    return tuple(map(sum, zip(*(_right(candidate, references, m) for m in range(1, n + 1)), strict=True)))


mistake(
    without_repetition, "the second number counts only the n-grams that do not match, expected all of them"
).made_in(divided, the_others_below={"matches / total if total else 0.0": "matches, total - matches"})


@mistake(without_repetition, "the two numbers are floats, expected integers")
def as_floats(candidate, references, n):
    return tuple(map(float, _right(candidate, references, n)))


@mistake(without_repetition, "the result is a tensor, expected two integers")
def as_a_tensor(candidate, references, n):
    return torch.tensor(_right(candidate, references, n))


@mistake(without_repetition, "there is no return")
def nothing_returned(candidate, references, n):
    _right(candidate, references, n)


@mistake(without_repetition, "a slice of a list is used as a key, but a list is not hashable: make it a tuple")
def slices_of_lists(candidate, references, n):
    counts = Counter(candidate[i : i + n] for i in range(len(candidate) - n + 1))
    return counts.total(), counts.total()


@mistake(
    without_repetition, "an n-gram counts only if the reference has it at the same position, expected at any position"
)
def at_the_same_place(candidate, references, n):
    pairs = zip(ngrams(candidate, n), ngrams(references[0], n), strict=False)
    return sum(one == other for one, other in pairs), len(ngrams(candidate, n))


@mistake(
    repeated,
    "nothing is clipped: an n-gram that occurs once in the reference counts every time that it occurs in the candidate",
)
def not_clipped(candidate, references, n):
    found = limits(references, n)
    return sum(ngram in found for ngram in ngrams(candidate, n)), len(ngrams(candidate, n))


@mistake(repeated, "both numbers count distinct n-grams, expected each n-gram as often as it occurs")
def different_ones(candidate, references, n):
    mine = set(ngrams(candidate, n))
    return len(mine & set(limits(references, n))), len(mine)


@mistake(repeated, "an n-gram counts once, however often both sentences contain it: only distinct n-grams are counted")
def different_ones_above(candidate, references, n):
    return len(set(ngrams(candidate, n)) & set(limits(references, n))), len(ngrams(candidate, n))


mistake(
    repeated, "the second number counts distinct n-grams, expected each n-gram as often as it occurs in the candidate"
).made_in(words_below, different_ones_below={"len(candidate)": "len(Counter(ngrams(candidate, n)))"})


@mistake(
    repeated,
    "an n-gram counts as often as it occurs in the reference, even where it occurs less often in the candidate",
)
def as_often_as_the_reference(candidate, references, n):
    found = limits(references, n)
    return sum(found[ngram] for ngram in set(ngrams(candidate, n))), len(ngrams(candidate, n))


mistake(
    repeated, "the candidate's and the reference's counts of an n-gram are multiplied, expected the smaller of the two"
).made_in(not_clipped, count_times_count={"ngram in found": "found[ngram]"})


@mistake(repeated, "an n-gram counts once, however often both sentences contain it: only distinct n-grams are counted")
def clips_at_one(candidate, references, n):
    counts, found = Counter(ngrams(candidate, n)), limits(references, n)
    return sum(min(count, 1) for ngram, count in counts.items() if ngram in found), counts.total()


@mistake(
    several,
    "the references' counts are added up, expected the largest: three references with one “le” each do not allow it three times",
)
def sum_over_references(candidate, references, n):
    counts = Counter(ngrams(candidate, n))
    found = sum((Counter(ngrams(reference, n)) for reference in references), Counter())
    return (counts & found).total(), counts.total()


@mistake(
    several,
    "the references are joined into one: their counts add up, and new n-grams arise where one ends and the next begins",
)
def references_joined(candidate, references, n):
    return _right(candidate, [[word for reference in references for word in reference]], n)


@mistake(several, "the smallest count over the references is used, expected the largest")
def least_over_references(candidate, references, n):
    counts = Counter(ngrams(candidate, n))
    found = [Counter(ngrams(reference, n)) for reference in references]
    return sum(min(count, min(f[ngram] for f in found)) for ngram, count in counts.items()), counts.total()


@mistake(several, "only the first reference is used")
def first_reference(candidate, references, n):
    return _right(candidate, references[:1], n)


@mistake(several, "only the last reference is used")
def last_reference(candidate, references, n):
    for reference in references:
        found = Counter(ngrams(reference, n))
    counts = Counter(ngrams(candidate, n))
    return (counts & found).total(), counts.total()


@mistake(several, "only the longest reference is used")
def longest_reference(candidate, references, n):
    return _right(candidate, [max(references, key=len)], n)


@mistake(several, "only the reference with the closest length is used")
def closest_reference(candidate, references, n):
    return _right(candidate, [min(references, key=lambda r: abs(len(r) - len(candidate)))], n)


@mistake(
    several,
    "the best single reference is used for all n-grams, expected the largest count of each n-gram, whichever reference it is in",
)
def best_single_reference(candidate, references, n):
    return max(_right(candidate, [reference], n)[0] for reference in references), len(ngrams(candidate, n))


mistake(
    several,
    "the matches with each reference are added up, expected the largest count of each n-gram over the references",
).made_in(best_single_reference, matches_of_each_added={"return max": "return sum"})


@mistake(short, "the number of n-grams is negative for a sentence of fewer than n words, expected 0")
def negative_total(candidate, references, n):
    return _right(candidate, references, n)[0], len(candidate) - n + 1


mistake(short, "the number of n-grams is 1 for a sentence of fewer than n words, expected 0").made_in(
    divided, at_least_one_below={"matches / total if total else 0.0": "matches, max(total, 1)"}
)


@mistake(short, "a sentence of fewer than n words raises an error, expected no n-grams")
def raises_for_short_ones(candidate, references, n):
    if min(len(candidate), *map(len, references)) < n:
        raise ValueError("too short")
    return _right(candidate, references, n)


@mistake(short, "references of fewer than n words are left out, and nothing is left for max()")
def leaves_out_short_references(candidate, references, n):
    counts = Counter(ngrams(candidate, n))
    found = [Counter(ngrams(reference, n)) for reference in references if len(reference) >= n]
    return sum(min(count, max(f[ngram] for f in found)) for ngram, count in counts.items()), counts.total()


@mistake(whole_words, "capital letters are changed to lower case: “Le” and “le” are different words")
def in_small_letters(candidate, references, n):
    return _right([w.lower() for w in candidate], [[w.lower() for w in r] for r in references], n)


mistake(whole_words, "the words of an n-gram are joined without a space: “a bc” and “ab c” become the same").made_in(
    misses_the_last, run_together={"tuple": '"".join', "len(words) - n": "len(words) - n + 1"}
)


@mistake(
    without_repetition,
    "n-grams are searched for in the text of the reference, letter by letter: “a” is in “la”, but not as a word",
)
def within_the_text(candidate, references, n):
    counts = Counter(" ".join(ngram) for ngram in ngrams(candidate, n))
    texts = [" ".join(reference) for reference in references]

    def times(ngram, text):
        return sum(text.startswith(ngram, i) for i in range(len(text)))

    return sum(min(c, max(times(g, text) for text in texts)) for g, c in counts.items()), counts.total()


@mistake(arguments, "words are removed from the caller's candidate")
def takes_words_out(candidate, references, n):
    found, counts = limits(references, n), Counter()
    while len(candidate) >= n:
        counts[tuple(candidate[:n])] += 1
        candidate.pop(0)
    return (counts & found).total(), counts.total()


@mistake(arguments, "a list is joined to the candidate, which fails if the candidate is a tuple")
def adds_a_list(candidate, references, n):
    return _right(candidate + [], references, n)


@mistake(arguments, "a sentence is added to the caller's references")
def adds_a_reference(candidate, references, n):
    references += [[]]
    return _right(candidate, references, n)


@mistake(
    repeated, "n-grams are searched for in the text of the reference, where str.count() misses those that share a space"
)
def occurrences_in_text(candidate, references, n):
    matches = 0
    for ngram, count in Counter(ngrams(candidate, n)).items():
        text = " " + " ".join(ngram) + " "
        matches += min(count, max((" " + " ".join(reference) + " ").count(text) for reference in references))
    return matches, _right(candidate, references, n)[1]


@mistake(repeated, "the order of the words in an n-gram has no effect: a frozenset keeps none")
def order_forgotten(candidate, references, n):
    counts = Counter(map(frozenset, ngrams(candidate, n)))
    union = Counter()
    for reference in references:
        union |= Counter(map(frozenset, ngrams(reference, n)))
    return (counts & union).total(), counts.total()


@mistake(
    repeated,
    "the number of matches is clipped once, by the reference's number of n-grams; expected for each n-gram by its own count",
)
def sum_is_clipped(candidate, references, n):
    found = {ngram for reference in references for ngram in ngrams(reference, n)}
    hits = sum(ngram in found for ngram in ngrams(candidate, n))
    return min(hits, max(len(ngrams(reference, n)) for reference in references)), len(ngrams(candidate, n))


@mistake(several, "the mean count over the references is used, expected the largest")
def mean_over_references(candidate, references, n):
    counts, others = Counter(ngrams(candidate, n)), [Counter(ngrams(reference, n)) for reference in references]
    matches = sum(min(count, sum(other[ngram] for other in others) // len(others)) for ngram, count in counts.items())
    return matches, counts.total()


@right
def loops(candidate, references, n):
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


@right
def with_operators(candidate, references, n):
    union = functools.reduce(lambda a, b: a | b, (Counter(ngrams(reference, n)) for reference in references))
    counts = Counter(ngrams(candidate, n))
    return (counts & union).total(), counts.total()


@right
def used_up(candidate, references, n):
    left = dict(limits(references, n))
    matches = 0
    for ngram in ngrams(candidate, n):
        if left.get(ngram, 0) > 0:
            left[ngram] -= 1
            matches += 1
    return matches, max(0, len(candidate) - n + 1)


@right
def with_zip(candidate, references, n):
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


@right
def with_strings(candidate, references, n):
    def found(words):
        return ["\0".join(words[i : i + n]) for i in range(len(words) - n + 1)]

    mine, others = found(candidate), [found(reference) for reference in references]
    return sum(min(mine.count(g), max(other.count(g) for other in others)) for g in set(mine)), len(mine)


@mistake(without_repetition, "a list is returned, expected a tuple")
def as_a_list(candidate, references, n):
    return list(_right(candidate, references, n))


class ClippedPrecision(nn.Module):
    """A module in the place of a function."""

    def forward(self, candidate, references, n):
        return _right(candidate, references, n)


def with_a_counter(counter, candidate, references, n):
    """For a partial."""
    counts = counter(ngrams(candidate, n))
    return (counts & limits(references, n)).total(), counts.total()


@right
def subtracted(candidate, references, n):
    counts = Counter(ngrams(candidate, n))
    return counts.total() - (counts - limits(references, n)).total(), counts.total()


@right
def each_copy_used_up(candidate, references, n):
    left = [ngrams(reference, n) for reference in references]
    matches = 0
    for ngram in ngrams(candidate, n):
        having = [other for other in left if ngram in other]
        for other in having:
            other.remove(ngram)
        matches += bool(having)
    return matches, len(ngrams(candidate, n))


@right
def with_numpy(candidate, references, n):
    different = sorted(set(ngrams(candidate, n)))
    rows = [[ngrams(words, n).count(ngram) for ngram in different] for words in (candidate, *references)]
    table = np.array(rows, dtype=int).reshape(len(references) + 1, -1)
    return np.minimum(table[0], table[1:].max(axis=0)).sum(), table[0].sum()


@forbidden
def sacrebleus_own(candidate, references, n):
    import sacrebleu

    found = sacrebleu.BLEU(tokenize="none", max_ngram_order=n).corpus_score([" ".join(candidate)], [references])
    return found.counts[n - 1], found.totals[n - 1]


right(ClippedPrecision())


right(functools.partial(with_a_counter, Counter))


right(lambda candidate, references, n: _right(candidate, references, n))
