"""Mistakes in `interpolated_trigram`, and right answers in other styles."""

import functools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import torch
from torch import nn

from autograder.checks.ch01_rnn_lm.interpolated_trigram import (
    all_seen,
    first_words,
    new_word,
    pair_unseen,
    untouched,
    word_before_unseen,
)
from autograder.judging.catalogue import mistake, right


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


@right
def correct(word, before, counts, weights, vocab_size):
    return in_proportion(terms_of(word, before, counts, vocab_size), weights)


@mistake(all_seen, "the weights are taken in the wrong order: they are given as (λ0, λ1, λ2, λ3)")
def weights_reversed(word, before, counts, weights, vocab_size):
    return correct(word, before, counts, weights[::-1], vocab_size)


@mistake(all_seen, "the four terms have equal weights, expected (λ0, λ1, λ2, λ3)")
def equal_weights(word, before, counts, weights, vocab_size):
    return correct(word, before, counts, (0.25,) * 4, vocab_size)


@mistake(all_seen, "the terms are summed without their weights")
def no_weights(word, before, counts, weights, vocab_size):
    return sum(term for term in terms_of(word, before, counts, vocab_size) if term is not None)


@mistake(all_seen, "the result is only the term of three words, c(u v w) / c(u v)")
def trigram_alone(word, before, counts, weights, vocab_size):
    terms = terms_of(word, before, counts, vocab_size)
    return correct(word, before, counts, weights, vocab_size) if terms[3] is None else terms[3]


@mistake(all_seen, "only the term of the longest context in which the word was seen is used, expected all four")
def backs_off(word, before, counts, weights, vocab_size):
    return next(term for term in reversed(terms_of(word, before, counts, vocab_size)) if term)


@mistake(all_seen, "the term λ0 / V is missing")
def no_uniform(word, before, counts, weights, vocab_size):
    return correct(word, before, counts, weights, math.inf)


@mistake(all_seen, "the term λ0 / V is missing, and the sum is divided by the weights of the others")
def no_uniform_and_divided(word, before, counts, weights, vocab_size):
    return in_proportion([None, *terms_of(word, before, counts, vocab_size)[1:]], weights)


@mistake(all_seen, "the term λ1 c(w) / N is missing")
def no_unigram(word, before, counts, weights, vocab_size):
    terms = terms_of(word, before, counts, vocab_size)
    terms[1] = 0.0
    return in_proportion(terms, weights)


@mistake(all_seen, "the term of two words is c(u w) / c(u): the word just before w is v, the second of the two")
def first_for_second(word, before, counts, weights, vocab_size):
    u = before[0]
    terms = terms_of(word, before, counts, vocab_size)
    terms[2] = counts[(u, word)] / counts[(u,)] if counts[(u,)] else None
    return in_proportion(terms, weights)


mistake(all_seen, "the term of two words is c(u w) / c(v), expected c(v w) / c(v)").made_in(
    first_for_second, first_over_second={"/ counts[(u,)] if counts[(u,)]": "/ counts[before[1:]] if counts[before[1:]]"}
)
mistake(all_seen, "the term of two words is c(v w) / c(u), expected c(v w) / c(v)").made_in(
    first_for_second, second_over_first={"counts[(u, word)]": "counts[(before[1], word)]"}
)
mistake(all_seen, "the term of two words is c(v w) / c(w), expected c(v w) / c(v)").made_in(
    first_for_second,
    pair_over_the_word={
        "u = before[0]": "u = before[1]",
        "/ counts[(u,)] if counts[(u,)]": "/ counts[(word,)] if counts[(word,)]",
    },
)


@mistake(all_seen, "u and v are swapped: `before` is (u, v), and v comes just before w")
def pair_turned(word, before, counts, weights, vocab_size):
    return correct(word, before[::-1], counts, weights, vocab_size)


@mistake(all_seen, "the counts of all terms are divided by N, expected each by the count of its context")
def over_all_words(word, before, counts, weights, vocab_size):
    u, v = before
    total, left = weights[0] / vocab_size, weights[0]
    for weight, context in zip(weights[1:], ((), (v,), (u, v)), strict=True):
        if counts[context]:
            total += weight * counts[(*context, word)] / counts[()]
            left += weight
    return total / left


@mistake(all_seen, "the counts are divided by the count of what follows, expected by the count of the context")
def over_the_word(word, before, counts, weights, vocab_size):
    u, v = before
    terms = [1 / vocab_size, counts[(word,)] / counts[()]]
    terms.append(counts[(v, word)] / counts[(word,)] if counts[(word,)] else None)
    terms.append(counts[(u, v, word)] / counts[(v, word)] if counts[(v, word)] else None)
    return in_proportion(terms, weights)


mistake(all_seen, "the count of the word alone is divided by V, expected by N, which is counts[()]").made_in(
    no_unigram, over_the_vocabulary={"terms[1] = 0.0": "terms[1] = counts[(word,)] / vocab_size"}
)
mistake(all_seen, "N is the sum of all counts, including those of two and three words; expected counts[()]").made_in(
    no_unigram, number_of_tuples={"terms[1] = 0.0": "terms[1] = counts[(word,)] / sum(counts.values())"}
)


@mistake(all_seen, "N is the sum of the counts of single words, including the starts of sentences; expected counts[()]")
def starts_counted(word, before, counts, weights, vocab_size):
    terms = terms_of(word, before, counts, vocab_size)
    terms[1] = counts[(word,)] / sum(number for words, number in counts.items() if len(words) == 1)
    return in_proportion(terms, weights)


@mistake(
    all_seen, "1 is added to each count, as in Laplace smoothing; expected the counts as they are, and the term λ0 / V"
)
def one_added(word, before, counts, weights, vocab_size):
    u, v = before
    return sum(
        weight * (counts[(*context, word)] + 1) / (counts[context] + vocab_size)
        for weight, context in zip(weights[1:], ((), (v,), (u, v)), strict=True)
    ) / sum(weights[1:])


@mistake(all_seen, "the result is the product of the terms, each to the power of its weight; expected the weighted sum")
def a_product(word, before, counts, weights, vocab_size):
    terms = terms_of(word, before, counts, vocab_size)
    return math.prod(term**weight for term, weight in zip(terms, weights, strict=True) if term is not None)


@mistake(all_seen, "the result is the logarithm of the probability")
def a_logarithm(word, before, counts, weights, vocab_size):
    return math.log(correct(word, before, counts, weights, vocab_size))


@mistake(word_before_unseen, "the result is a tensor, expected a float")
def a_tensor(word, before, counts, weights, vocab_size):
    return torch.tensor(correct(word, before, counts, weights, vocab_size))


@mistake(word_before_unseen, "the result is a Fraction, expected a float")
def a_fraction(word, before, counts, weights, vocab_size):
    return Fraction(correct(word, before, counts, weights, vocab_size))


@mistake(all_seen, "the words are joined to one string, expected tuples of words as keys")
def joined_words(word, before, counts, weights, vocab_size):
    return weights[3] * counts[" ".join((*before, word))] / counts[" ".join(before)]


@mistake(all_seen, "there is no return")
def nothing_returned(word, before, counts, weights, vocab_size):
    correct(word, before, counts, weights, vocab_size)


@mistake(pair_unseen, "the weight of the unseen context is lost, so the probabilities of all words sum to less than 1")
def weight_lost(word, before, counts, weights, vocab_size):
    terms = terms_of(word, before, counts, vocab_size)
    return sum(weight * term for weight, term in zip(weights, terms, strict=True) if term is not None)


@mistake(pair_unseen, "the weight of the unseen context is lost, so the probabilities of all words sum to less than 1")
def at_least_one(word, before, counts, weights, vocab_size):
    u, v = before
    total = weights[0] / vocab_size
    for weight, context in zip(weights[1:], ((), (v,), (u, v)), strict=True):
        total += weight * counts[(*context, word)] / max(counts[context], 1)
    return total


@mistake(
    pair_unseen, "the term of an unseen context is divided by its count, which is 0; expected the term to be left out"
)
def divides_by_zero(word, before, counts, weights, vocab_size):
    u, v = before
    return (
        weights[3] * counts[(u, v, word)] / counts[(u, v)]
        + weights[2] * counts[(v, word)] / counts[(v,)]
        + weights[1] * counts[(word,)] / counts[()]
        + weights[0] / vocab_size
    )


@mistake(pair_unseen, "the freed weight goes only to λ2 c(v w) / c(v), expected to all remaining terms, in proportion")
def to_the_next_term(word, before, counts, weights, vocab_size):
    weights = list(weights)
    terms = terms_of(word, before, counts, vocab_size)
    for order in (3, 2):
        if terms[order] is None:
            weights[order - 1] += weights[order]
    return in_proportion(terms, weights)


@mistake(pair_unseen, "the freed weight goes only to λ0 / V, expected to all remaining terms, in proportion")
def to_the_uniform_term(word, before, counts, weights, vocab_size):
    terms = [1 / vocab_size if term is None else term for term in terms_of(word, before, counts, vocab_size)]
    return in_proportion(terms, weights)


@mistake(
    pair_unseen,
    "the freed weight is divided equally among the remaining terms, expected in proportion to their weights",
)
def in_equal_parts(word, before, counts, weights, vocab_size):
    terms = terms_of(word, before, counts, vocab_size)
    left = [order for order in range(4) if terms[order] is not None]
    free = (1 - sum(weights[order] for order in left)) / len(left)
    return sum((weights[order] + free) * terms[order] for order in left)


@mistake(pair_unseen, "of the remaining terms, only λ2 c(v w) / c(v) is used, expected all of them")
def next_term_alone(word, before, counts, weights, vocab_size):
    terms = terms_of(word, before, counts, vocab_size)
    if terms[3] is None:
        return terms[1] if terms[2] is None else terms[2]
    return in_proportion(terms, weights)


@mistake(pair_unseen, "of the remaining terms, only λ0 / V is used, expected all of them")
def uniform_alone(word, before, counts, weights, vocab_size):
    terms = terms_of(word, before, counts, vocab_size)
    return terms[0] if terms[3] is None else in_proportion(terms, weights)


@mistake(
    all_seen,
    "a term is left out because u v w was never seen; if u v was seen, but w never came after it, the term is 0",
)
def where_the_triple_was_seen(word, before, counts, weights, vocab_size):
    terms = terms_of(word, before, counts, vocab_size)
    if not counts[(*before, word)]:
        terms[3] = None
    return in_proportion(terms, weights)


@mistake(
    all_seen,
    "terms are left out because u v w or v w was never seen; if the context was seen, but w never came after it, the term is 0",
)
def where_the_words_were_seen(word, before, counts, weights, vocab_size):
    terms = terms_of(word, before, counts, vocab_size)
    kept = [terms[0], *(term or None for term in terms[1:])]
    return in_proportion(kept, weights)


@mistake(word_before_unseen, "only c(u v) is tested, although c(v) may be 0 as well")
def only_the_pair(word, before, counts, weights, vocab_size):
    u, v = before
    total = weights[0] / vocab_size + weights[1] * counts[(word,)] / counts[()]
    total += weights[2] * counts[(v, word)] / counts[(v,)]
    if counts[before]:
        return total + weights[3] * counts[(u, v, word)] / counts[before]
    return total / (1 - weights[3])


@mistake(word_before_unseen, "only the weight λ3 is redistributed: the weight of the other unseen context, λ2, is lost")
def one_weight_shared_out(word, before, counts, weights, vocab_size):
    terms = terms_of(word, before, counts, vocab_size)
    total = sum(weight * term for weight, term in zip(weights, terms, strict=True) if term is not None)
    return total / (1 - weights[3]) if terms[3] is None else total


@mistake(new_word, "a word that was never seen gets the probability 0")
def known_words_only(word, before, counts, weights, vocab_size):
    return correct(word, before, counts, weights, vocab_size) if counts[(word,)] else 0.0


@mistake(new_word, "a word that was never seen raises an error, expected the term λ0 / V")
def an_error(word, before, counts, weights, vocab_size):
    if (word,) not in counts:
        raise ValueError(f"unknown word {word}")
    return correct(word, before, counts, weights, vocab_size)


@mistake(new_word, "a word that was never seen gets 1 / V, expected λ0 / V over the sum of the weights that are used")
def all_to_new_words(word, before, counts, weights, vocab_size):
    return correct(word, before, counts, weights, vocab_size) if counts[(word,)] else 1 / vocab_size


@mistake(
    first_words,
    "c(v) is a sum over bigrams, in which the start of a sentence also follows itself; expected counts[(v,)]",
)
def counts_what_follows(word, before, counts, weights, vocab_size):
    follows = defaultdict(int)
    for words, number in counts.items():
        follows[words[:-1]] += number if len(words) == 2 else 0
    v = before[1]
    terms = terms_of(word, before, counts, vocab_size)
    terms[2] = counts[(v, word)] / follows[(v,)] if follows[(v,)] else None
    return in_proportion(terms, weights)


mistake(
    first_words,
    "the term of the context u v is left out if u and v are the same word; expected it as for any other context",
).made_in(
    where_the_triple_was_seen,
    no_repeated_word={"not counts[(*before, word)]": "before[0] == before[1] and counts[before]"},
)


@mistake(untouched, "counts[key] += 0 adds an entry to the caller's counts")
def adds_zeros(word, before, counts, weights, vocab_size):
    u, v = before
    for words in ((word,), (v,), (v, word), (u, v), (u, v, word)):
        counts[words] += 0
    return correct(word, before, counts, weights, vocab_size)


@mistake(untouched, "setdefault adds entries to the caller's counts")
def sets_defaults(word, before, counts, weights, vocab_size):
    counts.setdefault((*before, word), 0)
    return correct(word, before, counts, weights, vocab_size)


@mistake(untouched, "the caller's counts are increased")
def counts_the_questions(word, before, counts, weights, vocab_size):
    probability = correct(word, before, counts, weights, vocab_size)
    counts[()] += 1
    return probability


@mistake(new_word, "the probability is rounded to six decimals; that of a rare word needs all of its digits")
def rounded(word, before, counts, weights, vocab_size):
    return round(correct(word, before, counts, weights, vocab_size), 6)


@mistake(new_word, "the probability is kept above 0.0001, expected it as small as it is")
def not_below_a_limit(word, before, counts, weights, vocab_size):
    return max(correct(word, before, counts, weights, vocab_size), 1e-4)


@mistake(new_word, "V is counted from the text, expected the argument vocab_size")
def own_vocabulary(word, before, counts, weights, vocab_size):
    known = sum(len(words) == 1 for words in counts)
    return correct(word, before, counts, weights, known)


@mistake(
    word_before_unseen,
    "after a word that was never seen, the sum of the terms is not divided by the sum of their weights",
)
def not_divided_after_unseen(word, before, counts, weights, vocab_size):
    terms = terms_of(word, before, counts, vocab_size)
    if counts[before[1:]]:
        return in_proportion(terms, weights)
    return weights[0] * terms[0] + weights[1] * terms[1]


mistake(
    new_word,
    "a word that was never seen gets λ0 / V even when a term is left out, without dividing by the sum of the weights",
).made_in(all_to_new_words, plain_uniform_for_unseen={"1 / vocab_size": "weights[0] / vocab_size"})
mistake(all_seen, "N is the number of entries in counts, expected counts[()]").made_in(
    no_unigram, number_of_entries={"terms[1] = 0.0": "terms[1] = counts[(word,)] / len(counts)"}
)


@mistake(all_seen, "V is the number of entries in counts, expected the argument vocab_size")
def entries_for_vocabulary(word, before, counts, weights, vocab_size):
    return correct(word, before, counts, weights, len(counts))


@mistake(all_seen, "c(u v w) is divided by c(v w), expected by c(u v), the count of its context")
def over_the_last_two(word, before, counts, weights, vocab_size):
    terms = terms_of(word, before, counts, vocab_size)
    below = counts[(before[1], word)]
    return in_proportion([*terms[:3], counts[(*before, word)] / below if below else None], weights)


mistake(all_seen, "c(u v w) is divided by c(v), expected by c(u v), the count of its context").made_in(
    over_the_last_two, over_the_last={"(before[1], word)": "before[1:]"}
)


@mistake(all_seen, "counts[w] is looked up, expected counts[(w,)]: the keys are tuples")
def words_for_keys(word, before, counts, weights, vocab_size):
    return weights[0] / vocab_size + weights[1] * counts[word] / counts[()]


@mistake(
    pair_unseen, "the term λ2 c(v w) / c(v) is left out as well, although v was seen: check each context separately"
)
def two_terms_left_out(word, before, counts, weights, vocab_size):
    terms = terms_of(word, before, counts, vocab_size)
    return in_proportion(terms[:2] + [None, None] if terms[3] is None else terms, weights)


@right
def with_numpy(word, before, counts, weights, vocab_size):
    contexts = [(), before[1:], before]
    above = np.array([1.0, *(counts[(*context, word)] for context in contexts)])
    below = np.array([float(vocab_size), *(counts[context] for context in contexts)])
    kept = np.array(weights)[below > 0]
    return np.dot(kept, above[below > 0] / below[below > 0]) / kept.sum()


@right
def from_the_lowest(word, before, counts, weights, vocab_size):
    total, left = weights[0] / vocab_size, weights[0]
    for order in (1, 2, 3):
        context = before[3 - order :]
        if counts[context] > 0:
            total += weights[order] * counts[(*context, word)] / counts[context]
            left += weights[order]
    return total / left


@right
def case_by_case(word, before, counts, weights, vocab_size):
    u, v = before
    l0, l1, l2, l3 = weights
    low = l0 / vocab_size + l1 * counts[(word,)] / counts[()]
    if (v,) not in counts:
        return low / (l0 + l1)
    middle = low + l2 * counts[(v, word)] / counts[(v,)]
    if before not in counts:
        return middle / (l0 + l1 + l2)
    return middle + l3 * counts[(u, v, word)] / counts[before]


@right
def asks_forgiveness(word, before, counts, weights, vocab_size):
    total, left = weights[0] / vocab_size, weights[0]
    for weight, context in zip(weights[1:], [(), before[1:], before], strict=True):
        try:
            total += weight * counts[context + (word,)] / counts[context]
        except ZeroDivisionError:
            continue
        left += weight
    return total / left


@right
def through_tensors(word, before, counts, weights, vocab_size):
    contexts = [(), before[1:], before]
    above = torch.tensor([1.0, *(counts[(*context, word)] for context in contexts)])
    below = torch.tensor([float(vocab_size), *(counts[context] for context in contexts)])
    share = torch.tensor(weights).where(below > 0, 0.0)
    return ((share * above / below.clamp(min=1)).sum() / share.sum()).item()


@right
def with_get(word, before, counts, weights, vocab_size):
    plain = dict(counts)
    kept = [(weights[0], 1, vocab_size)]
    for order, context in enumerate([(), before[1:], before], start=1):
        if plain.get(context, 0):
            kept.append((weights[order], plain.get((*context, word), 0), plain[context]))
    return sum(w * a / b for w, a, b in kept) / sum(w for w, _, _ in kept)


@right
def exactly(word, before, counts, weights, vocab_size):
    terms = [None if term is None else Fraction(term) for term in terms_of(word, before, counts, vocab_size)]
    return float(in_proportion(terms, [Fraction(weight) for weight in weights]))


class InterpolatedTrigram(nn.Module):
    """A module in the place of a function."""

    def forward(self, word, before, counts, weights, vocab_size):
        return from_the_lowest(word, before, counts, weights, vocab_size)


def with_a_unit(unit, word, before, counts, weights, vocab_size):
    """For a partial."""
    return unit * from_the_lowest(word, before, counts, weights, vocab_size)


right(InterpolatedTrigram())


right(functools.partial(with_a_unit, 1.0))


right(
    lambda word, before, counts, weights, vocab_size: correct(
        word=word, before=before, counts=counts, weights=weights, vocab_size=vocab_size
    )
)
