"""What students hand in for `interpolated_trigram`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import torch
from torch import nn

EXERCISE = "interpolated_trigram"


def terms_of(word, before, counts, vocab_size):
    """The term of each order, None where its context was not seen."""
    u, v = before
    terms = [1 / vocab_size]
    for context in ((), (v,), (u, v)):
        seen = counts[context]
        terms.append(counts[(*context, word)] / seen if seen else None)
    return terms


def in_proportion(terms, weights):
    """The terms that there are, mixed."""
    kept = [(weight, term) for weight, term in zip(weights, terms, strict=True) if term is not None]
    return sum(weight * term for weight, term in kept) / sum(weight for weight, _ in kept)


def right(word, before, counts, weights, vocab_size):
    """Terms first, and then their mixture."""
    return in_proportion(terms_of(word, before, counts, vocab_size), weights)


def weights_reversed(word, before, counts, weights, vocab_size):
    """λ3 is taken to come first."""
    return right(word, before, counts, weights[::-1], vocab_size)


def equal_weights(word, before, counts, weights, vocab_size):
    """The weights are not looked at."""
    return right(word, before, counts, (0.25,) * 4, vocab_size)


def no_weights(word, before, counts, weights, vocab_size):
    """The terms are added up: they sum to four."""
    return sum(term for term in terms_of(word, before, counts, vocab_size) if term is not None)


def trigram_alone(word, before, counts, weights, vocab_size):
    """No mixture, where the pair was seen."""
    terms = terms_of(word, before, counts, vocab_size)
    return right(word, before, counts, weights, vocab_size) if terms[3] is None else terms[3]


def backs_off(word, before, counts, weights, vocab_size):
    """Only the longest context in which the word was seen is used."""
    return next(term for term in reversed(terms_of(word, before, counts, vocab_size)) if term)


def no_uniform(word, before, counts, weights, vocab_size):
    """λ0 is not used, and the rest does not sum to one."""
    return right(word, before, counts, weights, math.inf)


def no_uniform_and_divided(word, before, counts, weights, vocab_size):
    """λ0 is shared out."""
    return in_proportion([None, *terms_of(word, before, counts, vocab_size)[1:]], weights)


def no_unigram(word, before, counts, weights, vocab_size):
    """λ1 is not used."""
    terms = terms_of(word, before, counts, vocab_size)
    terms[1] = 0.0
    return in_proportion(terms, weights)


def first_for_second(word, before, counts, weights, vocab_size):
    """The word before is taken for the first of the pair."""
    u = before[0]
    terms = terms_of(word, before, counts, vocab_size)
    terms[2] = counts[(u, word)] / counts[(u,)] if counts[(u,)] else None
    return in_proportion(terms, weights)


def pair_turned(word, before, counts, weights, vocab_size):
    """The pair is read backwards."""
    return right(word, before[::-1], counts, weights, vocab_size)


def over_all_words(word, before, counts, weights, vocab_size):
    """Every count over N: the probability of three words in a row."""
    u, v = before
    total, left = weights[0] / vocab_size, weights[0]
    for weight, context in zip(weights[1:], ((), (v,), (u, v)), strict=True):
        if counts[context]:
            total += weight * counts[(*context, word)] / counts[()]
            left += weight
    return total / left


def over_the_word(word, before, counts, weights, vocab_size):
    """The counts are divided by the count of what follows, expected by the count of the context."""
    u, v = before
    terms = [1 / vocab_size, counts[(word,)] / counts[()]]
    terms.append(counts[(v, word)] / counts[(word,)] if counts[(word,)] else None)
    terms.append(counts[(u, v, word)] / counts[(v, word)] if counts[(v, word)] else None)
    return in_proportion(terms, weights)


def over_the_vocabulary(word, before, counts, weights, vocab_size):
    """c(w) / V."""
    terms = terms_of(word, before, counts, vocab_size)
    terms[1] = counts[(word,)] / vocab_size
    return in_proportion(terms, weights)


def number_of_tuples(word, before, counts, weights, vocab_size):
    """N is taken for the number of all tuples."""
    terms = terms_of(word, before, counts, vocab_size)
    terms[1] = counts[(word,)] / sum(counts.values())
    return in_proportion(terms, weights)


def starts_counted(word, before, counts, weights, vocab_size):
    """N is summed up, with the starts of sentences."""
    terms = terms_of(word, before, counts, vocab_size)
    terms[1] = counts[(word,)] / sum(number for words, number in counts.items() if len(words) == 1)
    return in_proportion(terms, weights)


def one_added(word, before, counts, weights, vocab_size):
    """Laplace smoothing in each term."""
    u, v = before
    return sum(
        weight * (counts[(*context, word)] + 1) / (counts[context] + vocab_size)
        for weight, context in zip(weights[1:], ((), (v,), (u, v)), strict=True)
    ) / sum(weights[1:])


def a_product(word, before, counts, weights, vocab_size):
    """The terms to the power of their weights."""
    terms = terms_of(word, before, counts, vocab_size)
    return math.prod(term**weight for term, weight in zip(terms, weights, strict=True) if term is not None)


def a_logarithm(word, before, counts, weights, vocab_size):
    """The logarithm of the probability."""
    return math.log(right(word, before, counts, weights, vocab_size))


def a_tensor(word, before, counts, weights, vocab_size):
    """A tensor for a number."""
    return torch.tensor(right(word, before, counts, weights, vocab_size))


def a_fraction(word, before, counts, weights, vocab_size):
    """An exact fraction for a float."""
    return Fraction(right(word, before, counts, weights, vocab_size))


def joined_words(word, before, counts, weights, vocab_size):
    """The tuples are taken for strings."""
    return weights[3] * counts[" ".join((*before, word))] / counts[" ".join(before)]


def nothing_returned(word, before, counts, weights, vocab_size):
    """The return is missing."""
    right(word, before, counts, weights, vocab_size)


def weight_lost(word, before, counts, weights, vocab_size):
    """A term of an unseen context is 0, and its weight is lost."""
    terms = terms_of(word, before, counts, vocab_size)
    return sum(weight * term for weight, term in zip(weights, terms, strict=True) if term is not None)


def at_least_one(word, before, counts, weights, vocab_size):
    """The same: no division by zero, for the count below the line is at least 1."""
    u, v = before
    total = weights[0] / vocab_size
    for weight, context in zip(weights[1:], ((), (v,), (u, v)), strict=True):
        total += weight * counts[(*context, word)] / max(counts[context], 1)
    return total


def divides_by_zero(word, before, counts, weights, vocab_size):
    """The formula as it stands."""
    u, v = before
    return (
        weights[3] * counts[(u, v, word)] / counts[(u, v)]
        + weights[2] * counts[(v, word)] / counts[(v,)]
        + weights[1] * counts[(word,)] / counts[()]
        + weights[0] / vocab_size
    )


def to_the_next_term(word, before, counts, weights, vocab_size):
    """The weight goes to the next lower term alone."""
    weights = list(weights)
    terms = terms_of(word, before, counts, vocab_size)
    for order in (3, 2):
        if terms[order] is None:
            weights[order - 1] += weights[order]
    return in_proportion(terms, weights)


def to_the_uniform_term(word, before, counts, weights, vocab_size):
    """The weight goes to λ0: an unseen context says that all words are equally likely."""
    terms = [1 / vocab_size if term is None else term for term in terms_of(word, before, counts, vocab_size)]
    return in_proportion(terms, weights)


def in_equal_parts(word, before, counts, weights, vocab_size):
    """The weight is dealt out evenly."""
    terms = terms_of(word, before, counts, vocab_size)
    left = [order for order in range(4) if terms[order] is not None]
    free = (1 - sum(weights[order] for order in left)) / len(left)
    return sum((weights[order] + free) * terms[order] for order in left)


def next_term_alone(word, before, counts, weights, vocab_size):
    """Without a pair there is no mixture."""
    terms = terms_of(word, before, counts, vocab_size)
    if terms[3] is None:
        return terms[1] if terms[2] is None else terms[2]
    return in_proportion(terms, weights)


def uniform_alone(word, before, counts, weights, vocab_size):
    """Without a pair all words are equally likely."""
    terms = terms_of(word, before, counts, vocab_size)
    return terms[0] if terms[3] is None else in_proportion(terms, weights)


def where_the_triple_was_seen(word, before, counts, weights, vocab_size):
    """The triple is asked for, and not its context: what was not seen there lends its weight away."""
    terms = terms_of(word, before, counts, vocab_size)
    if not counts[(*before, word)]:
        terms[3] = None
    return in_proportion(terms, weights)


def where_the_words_were_seen(word, before, counts, weights, vocab_size):
    """The same for the pair of words."""
    terms = terms_of(word, before, counts, vocab_size)
    kept = [terms[0], *(term or None for term in terms[1:])]
    return in_proportion(kept, weights)


def only_the_pair(word, before, counts, weights, vocab_size):
    """c(v) is taken to be above zero."""
    u, v = before
    total = weights[0] / vocab_size + weights[1] * counts[(word,)] / counts[()]
    total += weights[2] * counts[(v, word)] / counts[(v,)]
    if counts[before]:
        return total + weights[3] * counts[(u, v, word)] / counts[before]
    return total / (1 - weights[3])


def one_weight_shared_out(word, before, counts, weights, vocab_size):
    """Of two weights that are free the second is lost."""
    terms = terms_of(word, before, counts, vocab_size)
    total = sum(weight * term for weight, term in zip(weights, terms, strict=True) if term is not None)
    return total / (1 - weights[3]) if terms[3] is None else total


def known_words_only(word, before, counts, weights, vocab_size):
    """A word that was never seen is impossible."""
    return right(word, before, counts, weights, vocab_size) if counts[(word,)] else 0.0


def an_error(word, before, counts, weights, vocab_size):
    """A word that was never seen is an error."""
    if (word,) not in counts:
        raise ValueError(f"unknown word {word}")
    return right(word, before, counts, weights, vocab_size)


def all_to_new_words(word, before, counts, weights, vocab_size):
    """A word that was never seen gets 1 / V."""
    return right(word, before, counts, weights, vocab_size) if counts[(word,)] else 1 / vocab_size


def counts_what_follows(word, before, counts, weights, vocab_size):
    """The count of v is a sum over bigrams, in which the start of a sentence also follows itself."""
    follows = defaultdict(int)
    for words, number in counts.items():
        follows[words[:-1]] += number if len(words) == 2 else 0
    v = before[1]
    terms = terms_of(word, before, counts, vocab_size)
    terms[2] = counts[(v, word)] / follows[(v,)] if follows[(v,)] else None
    return in_proportion(terms, weights)


def no_repeated_word(word, before, counts, weights, vocab_size):
    """A context of the same word twice is treated as an error in the text."""
    terms = terms_of(word, before, counts, vocab_size)
    if before[0] == before[1] and counts[before]:
        terms[3] = None
    return in_proportion(terms, weights)


def adds_zeros(word, before, counts, weights, vocab_size):
    """Every question makes an entry."""
    u, v = before
    for words in ((word,), (v,), (v, word), (u, v), (u, v, word)):
        counts[words] += 0
    return right(word, before, counts, weights, vocab_size)


def sets_defaults(word, before, counts, weights, vocab_size):
    """So does this."""
    counts.setdefault((*before, word), 0)
    return right(word, before, counts, weights, vocab_size)


def counts_the_questions(word, before, counts, weights, vocab_size):
    """The number of all words grows."""
    probability = right(word, before, counts, weights, vocab_size)
    counts[()] += 1
    return probability


def own_vocabulary(word, before, counts, weights, vocab_size):
    """V is counted from the text: its words, its end, and one for all other words."""
    known = sum(len(words) == 1 for words in counts)
    return right(word, before, counts, weights, known)


def plain_uniform_for_unseen(word, before, counts, weights, vocab_size):
    """A word that was never seen gets λ0 / V even when a term is left out, without dividing by the sum of the weights."""
    return right(word, before, counts, weights, vocab_size) if counts[(word,)] else weights[0] / vocab_size


_MIXED = "after a context that was seen, the four terms are mixed with their weights"
_PAIR = "after two words that were never seen together, the weight λ3 goes to the other terms in proportion to their weights"
_BEFORE = "after a word that was never seen, the weights λ2 and λ3 go to the other terms in proportion to their weights"
_NEW = "a word that was never seen still gets the term λ0 / V"
_STARTS = "the first words of a sentence have contexts too"
_COUNTS = "the counts are left as they were, and V is the given one"


def number_of_entries(word, before, counts, weights, vocab_size):
    """N is taken for the number of different tuples."""
    return right(word, before, counts | {(): len(counts)}, weights, vocab_size)


def words_for_keys(word, before, counts, weights, vocab_size):
    """The word alone is asked for, and not the tuple of one."""
    return weights[0] / vocab_size + weights[1] * counts[word] / counts[()]


def two_terms_left_out(word, before, counts, weights, vocab_size):
    """Where the pair was not seen, the term of v is left out as well."""
    terms = terms_of(word, before, counts, vocab_size)
    return in_proportion(terms[:2] + [None, None] if terms[3] is None else terms, weights)


def with_numpy(word, before, counts, weights, vocab_size):
    """Arrays of numbers above and below the lines; a number of NumPy's comes back."""
    contexts = [(), before[1:], before]
    above = np.array([1.0, *(counts[(*context, word)] for context in contexts)])
    below = np.array([float(vocab_size), *(counts[context] for context in contexts)])
    kept = np.array(weights)[below > 0]
    return np.dot(kept, above[below > 0] / below[below > 0]) / kept.sum()


WRONG = {
    plain_uniform_for_unseen: _NEW,
    weights_reversed: _MIXED,
    equal_weights: _MIXED,
    no_weights: _MIXED,
    trigram_alone: _MIXED,
    backs_off: _MIXED,
    no_uniform: _MIXED,
    no_uniform_and_divided: _MIXED,
    no_unigram: _MIXED,
    first_for_second: _MIXED,
    pair_turned: _MIXED,
    over_all_words: _MIXED,
    over_the_word: _MIXED,
    over_the_vocabulary: _MIXED,
    number_of_tuples: _MIXED,
    starts_counted: _MIXED,
    one_added: _MIXED,
    a_product: _MIXED,
    a_logarithm: _MIXED,
    a_tensor: _BEFORE,
    a_fraction: _BEFORE,
    joined_words: _MIXED,
    nothing_returned: _MIXED,
    where_the_triple_was_seen: _MIXED,
    where_the_words_were_seen: _MIXED,
    number_of_entries: _MIXED,
    words_for_keys: _MIXED,
    weight_lost: _PAIR,
    at_least_one: _PAIR,
    divides_by_zero: _PAIR,
    to_the_next_term: _PAIR,
    to_the_uniform_term: _PAIR,
    in_equal_parts: _PAIR,
    next_term_alone: _PAIR,
    uniform_alone: _PAIR,
    two_terms_left_out: _PAIR,
    only_the_pair: _BEFORE,
    one_weight_shared_out: _BEFORE,
    known_words_only: _NEW,
    an_error: _NEW,
    all_to_new_words: _NEW,
    counts_what_follows: _STARTS,
    no_repeated_word: _STARTS,
    adds_zeros: _COUNTS,
    sets_defaults: _COUNTS,
    counts_the_questions: _COUNTS,
    own_vocabulary: _COUNTS,
}


def from_the_lowest(word, before, counts, weights, vocab_size):
    """One order after the other."""
    total, left = weights[0] / vocab_size, weights[0]
    for order in (1, 2, 3):
        context = before[3 - order :]
        if counts[context] > 0:
            total += weights[order] * counts[(*context, word)] / counts[context]
            left += weights[order]
    return total / left


def case_by_case(word, before, counts, weights, vocab_size):
    """All cases written out."""
    u, v = before
    l0, l1, l2, l3 = weights
    low = l0 / vocab_size + l1 * counts[(word,)] / counts[()]
    if (v,) not in counts:
        return low / (l0 + l1)
    middle = low + l2 * counts[(v, word)] / counts[(v,)]
    if before not in counts:
        return middle / (l0 + l1 + l2)
    return middle + l3 * counts[(u, v, word)] / counts[before]


def asks_forgiveness(word, before, counts, weights, vocab_size):
    """A division by zero is caught."""
    total, left = weights[0] / vocab_size, weights[0]
    for weight, context in zip(weights[1:], [(), before[1:], before], strict=True):
        try:
            total += weight * counts[context + (word,)] / counts[context]
        except ZeroDivisionError:
            continue
        left += weight
    return total / left


def through_tensors(word, before, counts, weights, vocab_size):
    """Counted in tensors, and taken out at the end."""
    contexts = [(), before[1:], before]
    above = torch.tensor([1.0, *(counts[(*context, word)] for context in contexts)])
    below = torch.tensor([float(vocab_size), *(counts[context] for context in contexts)])
    share = torch.tensor(weights).where(below > 0, 0.0)
    return ((share * above / below.clamp(min=1)).sum() / share.sum()).item()


def with_get(word, before, counts, weights, vocab_size):
    """As of any dict."""
    plain = dict(counts)
    kept = [(weights[0], 1, vocab_size)]
    for order, context in enumerate([(), before[1:], before], start=1):
        if plain.get(context, 0):
            kept.append((weights[order], plain.get((*context, word), 0), plain[context]))
    return sum(w * a / b for w, a, b in kept) / sum(w for w, _, _ in kept)


def exactly(word, before, counts, weights, vocab_size):
    """Fractions, and a float at the end."""
    terms = [None if term is None else Fraction(term) for term in terms_of(word, before, counts, vocab_size)]
    return float(in_proportion(terms, [Fraction(weight) for weight in weights]))


class InterpolatedTrigram(nn.Module):
    """A module in the place of a function."""

    def forward(self, word, before, counts, weights, vocab_size):
        return from_the_lowest(word, before, counts, weights, vocab_size)


def with_a_unit(unit, word, before, counts, weights, vocab_size):
    """For a partial."""
    return unit * from_the_lowest(word, before, counts, weights, vocab_size)


RIGHT = {
    "with NumPy": with_numpy,
    "terms first": right,
    "from the lowest": from_the_lowest,
    "case by case": case_by_case,
    "asks forgiveness": asks_forgiveness,
    "through tensors": through_tensors,
    "with get": with_get,
    "exactly": exactly,
    "a module": InterpolatedTrigram(),
    "a partial": functools.partial(with_a_unit, 1.0),
    "typed names": lambda word, before, counts, weights, vocab_size: right(
        word=word, before=before, counts=counts, weights=weights, vocab_size=vocab_size
    ),
}
